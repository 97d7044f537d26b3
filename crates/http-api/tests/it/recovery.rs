//! Verified addresses, new passwords, and invitations by e-mail.

use serde_json::json;

use crate::harness::{Api, PASSWORD, Who, text};
use crate::mailbox::{Post, login, token_in};

#[actix_web::test]
async fn sign_up_mails_a_link_that_verifies_the_address_once() {
    let post = Post::open().await;
    let user = post.api.user("ana@example.com").await;
    let before = post.api.get("/users/me", &user).await.with(200).json();
    assert_eq!(before["email_verified"], false);
    let mail = post.deliver().await.remove(0);
    assert_eq!(mail.to[0].address, "ana@example.com");
    let token = token_in(&mail.text, "verify_");
    let link = format!("https://racun.example/users/verify-email?token={token}");
    assert!(mail.text.contains(&link), "{}", mail.text);
    assert!(mail.html.unwrap().contains(&format!("<a href=\"{link}&amp;language=en\">")));

    let anonymous = Who::anonymous();
    for wrong in ["", "verify_", &token[..49], &token.replace("verify_", "reset_")] {
        let refused =
            post.api.post("/users/verify-email", &anonymous, json!({"token": wrong})).await;
        assert_eq!(refused.with(422).issue().1, "invalid_token", "{wrong}");
    }
    let path = "/users/verify-email";
    let verified = post.api.post(path, &anonymous, json!({"token": token})).await.with(200).json();
    assert_eq!(verified["email_verified"], true);
    assert_eq!(post.api.get("/users/me", &user).await.json()["email_verified"], true);
    post.api.post(path, &anonymous, json!({"token": token})).await.with(422);
    post.api.post("/users/resend-verification", &user, json!({})).await.with(204);
    assert!(post.deliver().await.is_empty(), "nothing is sent to who is verified");
}

#[actix_web::test]
async fn a_verification_can_be_asked_for_again_and_ends_after_a_day() {
    let post = Post::open().await;
    let user = post.api.user("ana@example.com").await;
    let first = post.token("verify_").await;
    post.api.post("/users/resend-verification", &user, json!({})).await.with(204);
    let second = post.token("verify_").await;
    assert_ne!(first, second);
    post.api.pass(86_400);
    let verify = |token: String| json!({"token": token});
    let anonymous = Who::anonymous();
    post.api.post("/users/verify-email", &anonymous, verify(second)).await.with(422);
    for _ in 0..6 {
        post.api.post("/users/resend-verification", &user, json!({})).await.with(204);
    }
    let mails = post.deliver().await;
    assert_eq!(mails.len(), 5, "five an hour are enough");
    // An earlier one of several is as good as the last.
    let token = token_in(&mails[0].text, "verify_");
    post.api.post("/users/verify-email", &anonymous, verify(token)).await.with(200);
    let other = token_in(&mails[4].text, "verify_");
    post.api.post("/users/verify-email", &anonymous, verify(other)).await.with(422);
}

#[actix_web::test]
async fn a_new_password_is_set_once_and_ends_all_sessions() {
    let post = Post::open().await;
    let (api, anonymous) = (&post.api, Who::anonymous());
    let user = api.user("ana@example.com").await;
    post.deliver().await;
    // The address is known whatever its capitals.
    let asked = json!({"email": "ANA@example.com"});
    api.post("/users/password-reset", &anonymous, asked).await.with(204);
    let token = post.token("reset_").await;
    let confirm = |password: &str| json!({"token": token, "password": password});
    let path = "/users/password-reset/confirm";
    let refused = api.post(path, &anonymous, confirm("SHORT")).await.with(422);
    assert_eq!(refused.issue().0, "[\"password\"]");
    api.get("/users/me", &user).await.with(200);
    api.post(path, &anonymous, confirm("another horse 2")).await.with(204);
    api.get("/users/me", &user).await.with(401);
    api.post("/users/login", &anonymous, login("ana@example.com")).await.with(401);
    let again = api.post(path, &anonymous, confirm("third horse 3")).await.with(422);
    assert_eq!(again.issue().1, "invalid_token");
    let new = json!({"email": "ana@example.com", "password": "another horse 2"});
    let login = api.post("/users/login", &anonymous, new).await.with(200).json();
    assert_eq!(login["user"]["email_verified"], true, "who reads the mail has the address");
}

#[actix_web::test]
async fn a_new_password_is_asked_for_within_an_hour() {
    let post = Post::open().await;
    let (api, anonymous) = (&post.api, Who::anonymous());
    api.user("ana@example.com").await;
    post.deliver().await;
    let asked = json!({"email": "ana@example.com"});
    api.post("/users/password-reset", &anonymous, asked).await.with(204);
    let token = post.token("reset_").await;
    api.pass(3600);
    let confirm = json!({"token": token, "password": PASSWORD});
    api.post("/users/password-reset/confirm", &anonymous, confirm).await.with(422);
}

#[actix_web::test]
async fn answers_do_not_tell_which_addresses_have_users() {
    let post = Post::open().await;
    let (api, anonymous) = (&post.api, Who::anonymous());
    api.user("ana@example.com").await;
    post.deliver().await;
    let ask = |email: &str| api.post("/users/password-reset", &anonymous, json!({"email": email}));
    let known = ask("ana@example.com").await;
    let unknown = ask("nobody@example.com").await;
    assert_eq!((known.status, &known.text), (204, &unknown.text));
    assert_eq!(unknown.status, 204);
    let mails = post.deliver().await;
    assert_eq!(mails.len(), 1, "the unknown address gets nothing");
    assert_eq!(mails[0].to[0].address, "ana@example.com");
    let malformed = ask("nobody").await;
    assert_eq!(malformed.with(422).issue().0, "[\"email\"]");
    for _ in 0..9 {
        ask("ana@example.com").await.with(204);
    }
    assert_eq!(post.deliver().await.len(), 4, "five an hour, of which one is gone");
}

#[actix_web::test]
async fn the_mail_about_a_password_is_in_the_users_language() {
    let post = Post::open().await;
    let user = post.api.user("ana@example.com").await;
    post.deliver().await;
    post.api.patch("/users/me", &user, json!({"locale": "hr-HR"})).await.with(200);
    let asked = json!({"email": "ana@example.com"});
    post.api.post("/users/password-reset", &Who::anonymous(), asked).await.with(204);
    assert_eq!(post.deliver().await[0].subject, "Racun: nova lozinka");
}

#[actix_web::test]
async fn an_invitation_is_mailed_and_only_its_reader_has_the_token() {
    let post = Post::open().await;
    let (api, anonymous) = (&post.api, Who::anonymous());
    let owner = post.owner("owner@example.com").await;
    let body = json!({"email": "eva@example.com", "role": "viewer"});
    let invited = api.post("/entities/users", &owner, body).await.with(201);
    assert_eq!(invited.json().get("token"), None, "{invited:?}");
    let mail = post.deliver().await.remove(0);
    assert_eq!(
        (&*mail.to[0].address, &*mail.subject),
        ("eva@example.com", "Vabilo k sodelovanju v Racun")
    );
    let first = token_in(&mail.text, "invite_");
    api.pass(3_601);

    let id = text(&invited.json()["invitation_id"]);
    let path = format!("/entities/invitations/{id}/resend");
    let resent = api.post(&path, &owner, json!({})).await.with(200);
    assert_eq!(resent.json().get("token"), None);
    let accept = |token: &str| format!("/invitations/accept?token={token}");
    let password = json!({"password": PASSWORD, "name": "Eva"});
    api.post(&accept(&first), &anonymous, password.clone()).await.with(401);
    let second = post.token("invite_").await;
    let accepted = api.post(&accept(&second), &anonymous, password).await.with(200).json();
    let eva = Who::key(accepted["access_token"].as_str().unwrap());
    let me = api.get("/users/me", &eva).await.with(200).json();
    assert_eq!(me["email_verified"], true, "the token was in the mail only");
}

#[actix_web::test]
async fn a_token_that_was_handed_over_verifies_no_address() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let body = json!({"email": "eva@example.com", "send_invite": false});
    let invited = post.api.post("/entities/users", &owner, body).await.with(201).json();
    assert!(post.deliver().await.is_empty());
    let path = format!("/invitations/accept?token={}", text(&invited["token"]));
    let password = json!({"password": PASSWORD});
    let accepted = post.api.post(&path, &Who::anonymous(), password).await.with(200).json();
    let eva = Who::key(accepted["access_token"].as_str().unwrap());
    let me = post.api.get("/users/me", &eva).await.with(200).json();
    assert_eq!(me["email_verified"], false);
}

#[actix_web::test]
async fn nothing_waits_for_a_verified_address_but_mail() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    api.post("/users/login", &Who::anonymous(), login("owner@example.com")).await.with(200);
    let items = json!([{"name": "Delo", "price": 1, "taxes": []}]);
    let invoice = api.post("/invoices", &owner, json!({"items": items})).await.with(201).json();
    let path = format!("/documents/{}/send", text(&invoice["id"]));
    let refused = api.post(&path, &owner, json!({"to": "owner@example.com"})).await.with(403);
    assert_eq!(refused.json()["code"], "email_verification_required");
    let path = format!("/documents/{}/share", text(&invoice["id"]));
    api.post(&path, &owner, json!({})).await.with(200);
}

#[actix_web::test]
async fn mails_that_a_stranger_asks_for_are_few_a_day_and_never_stop() {
    const QUARTER: i64 = 900;
    let post = Post::open().await;
    let (api, anonymous) = (&post.api, Who::anonymous());
    api.user("ana@example.com").await;
    post.deliver().await;
    let asked = json!({"email": "ana@example.com"});
    let mut days = [0; 3];
    let mut since = 0;
    for day in &mut days {
        for _ in 0..24 * 4 {
            api.post("/users/password-reset", &anonymous, asked.clone()).await.with(204);
            match post.deliver().await.len() {
                0 => since += QUARTER,
                1 => (*day, since) = (*day + 1, 0),
                more => panic!("{more} at once"),
            }
            assert!(since <= 2 * 3_600, "the owner of the address waits {since} seconds");
            api.pass(QUARTER);
        }
    }
    assert!(days[0] <= 21 && days[1] <= 12 && days[2] <= 12, "{days:?}");
    assert!(days.iter().all(|day| *day >= 10), "{days:?}");
}
