//! A document on its way to its customer: from signing up to the file that a mail program opens.

use racun_tests::{Account, Racun, mails, mails_so_far, on_both_stores, token_in};
use serde_json::json;
use tokio::task::JoinSet;

on_both_stores! {
    a_document_goes_out_and_is_seen_behind_its_link,
    sixteen_sends_at_once_send_five,
}

/// An account whose user proved that their address is theirs.
async fn verified(racun: &Racun) -> Account {
    let account = Account::sign_up(racun).await;
    account.verify(racun).await;
    account
}

async fn invoice(account: &Account) -> String {
    let wanted = json!({ "items": [{ "name": "Work", "price": 100, "taxes": [] }] });
    let made = account.api.create("/invoices", &wanted).await;
    made["id"].as_str().expect("an invoice has an id").to_owned()
}

async fn a_document_goes_out_and_is_seen_behind_its_link(store: racun_tests::StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let path = format!("/documents/{}/send", invoice(&account).await);
    let wanted = json!({ "to": account.email, "subject": "Your {document_number}" });
    account.api.post(&path, &wanted).await.refused(403, "email_verification_required");
    account.verify(&racun).await;

    let sent = account.api.post(&path, &wanted).await.expect(200);
    let link = sent["shareable_link"].as_str().expect("a link").to_owned();
    let mail = mails(&racun, "Subject: Your 20", 1).await.remove(0);
    assert!(mail.contains(&link), "{mail}");
    assert!(mail.contains(sent["message_id"].as_str().expect("an id")), "{mail}");
    let (_, seen) = link.split_once("/invoices").expect("a path");
    let seen = racun.client().read(&format!("/invoices{seen}")).await;
    assert_eq!(seen["total_with_tax"], json!(100));
    assert_eq!(seen.get("entity_id"), None);

    // A new password, by the mail alone.
    let anonymous = racun.client();
    anonymous.post("/users/password-reset", &json!({ "email": account.email })).await;
    anonymous.post("/users/password-reset", &json!({ "email": "nobody@example.com" })).await;
    let token = token_in(&mails(&racun, "reset_", 1).await[0], "reset_");
    let confirm = json!({ "token": token, "password": "another horse 2" });
    let path = "/users/password-reset/confirm";
    assert_eq!(anonymous.post(path, &confirm).await.status, 204);
    assert_eq!(account.user.get("/users/me").await.status, 401);
    assert_eq!(anonymous.post(path, &confirm).await.status, 422);
    assert!(mails_so_far(&racun, "nobody@example.com").is_empty());
}

async fn sixteen_sends_at_once_send_five(store: racun_tests::StoreKind) {
    let racun = Racun::start(store).await;
    let account = verified(&racun).await;
    let path = format!("/documents/{}/send", invoice(&account).await);
    let wanted = json!({ "to": account.email, "subject": "Sixteen" });
    let mut sends = JoinSet::new();
    for _ in 0..16 {
        let (api, path, wanted) = (account.api.clone(), path.clone(), wanted.clone());
        sends.spawn(async move { api.post(&path, &wanted).await });
    }
    let answers = sends.join_all().await;
    let sent = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(sent, 5, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        refused.refused(429, "email_rate_limit_exceeded");
    }
    mails(&racun, "Subject: Sixteen", 5).await;
}
