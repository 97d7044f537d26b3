//! Electronic invoices over the network, when something comes between.

use std::sync::Arc;

use racun_einvoicing::network::Receipt;
use serde_json::{Value, json};

use crate::e_invoicing::{World, cause, silence};
use crate::harness::text;
use crate::network::Gate;

#[actix_web::test]
async fn an_account_is_opened_once_whatever_comes_between() {
    let world = World::new().await;
    let owner = world.entity().await;
    let refresh = || world.api.post("/e-invoicing/enrollment/refresh", &owner, json!({}));
    let gate = Arc::<Gate>::default();
    *world.network.gate.lock().unwrap() = Some(Arc::clone(&gate));
    // The account is opened, and the call that gives it the identifier is lost.
    world.network.standings.lock().unwrap().push_back(Err(silence()));
    world.put(&owner, json!({"enabled": true})).await.with(200);
    let second = async {
        gate.came.notified().await;
        let meanwhile = refresh().await.with(200).json();
        assert_eq!(meanwhile["enrollment"]["state"], "enrollment_pending", "{meanwhile}");
        // The job of the settings comes at the same time, too, and is put off.
        world.work().await;
        gate.open.notify_one();
    };
    let (first, ()) = futures_util::future::join(refresh(), second).await;
    let first = first.with(200).json();
    assert_eq!(first["enrollment"]["state"], "provider_error", "{first}");
    let later = refresh().await.with(200).json();
    assert_eq!(later["enrollment"]["state"], "verified", "{later}");
    assert_eq!(world.network.opened.lock().unwrap().len(), 1);
    // The entity sends as another, of the same account.
    let path = format!("/entities/{}", owner.entity());
    world.api.patch(&path, &owner, json!({"tax_number": "SI50000004"})).await.with(200);
    let other = refresh().await.with(200).json();
    assert_eq!(other["enrollment"]["participant_id"], "9949:SI50000004", "{other}");
    assert_eq!(world.network.opened.lock().unwrap().len(), 1);
}

#[actix_web::test]
async fn a_sandbox_is_verified_within_30_seconds_of_a_refresh() {
    let world = World::new().await;
    let owner = world.entity().await;
    world.put(&owner, json!({"enabled": true})).await.with(200);
    let path = "/e-invoicing/enrollment/refresh";
    let at_once = world.api.post(path, &owner, json!({})).await.with(200).json();
    assert_eq!(at_once["enrollment"]["state"], "verified", "{at_once}");
    // And of one whose first call is lost, by the job that the settings left.
    world.put(&owner, json!({"enabled": false})).await.with(200);
    world.network.standings.lock().unwrap().push_back(Err(silence()));
    world.put(&owner, json!({"enabled": true})).await.with(200);
    let lost = world.api.post(path, &owner, json!({})).await.with(200).json();
    assert_eq!(lost["enrollment"]["state"], "provider_error", "{lost}");
    for _ in 0..6 {
        world.api.pass(5);
        world.work().await;
    }
    assert_eq!(world.settings(&owner).await["enrollment"]["state"], "verified");
}

#[actix_web::test]
async fn who_died_opening_an_account_leaves_it_to_the_next_one() {
    let world = World::new().await;
    let owner = world.entity().await;
    let refresh = || world.api.post("/e-invoicing/enrollment/refresh", &owner, json!({}));
    let gate = Arc::<Gate>::default();
    *world.network.gate.lock().unwrap() = Some(Arc::clone(&gate));
    world.put(&owner, json!({"enabled": true})).await.with(200);
    let died = refresh();
    let came = gate.came.notified();
    futures_util::future::select(Box::pin(died), Box::pin(came)).await;
    *world.network.gate.lock().unwrap() = None;
    let early = refresh().await.with(200).json();
    assert_eq!(early["enrollment"]["state"], "enrollment_pending", "{early}");
    world.api.pass(61);
    let later = refresh().await.with(200).json();
    assert_eq!(later["enrollment"]["state"], "verified", "{later}");
}

#[actix_web::test]
async fn a_refusal_after_a_lost_answer_makes_no_room_for_another_key() {
    let world = World::new().await;
    let owner = world.sender().await;
    let id = world.invoice(&owner, json!({})).await;
    let refused =
        Receipt::Refused { code: "document".to_owned(), message: "no such page".to_owned() };
    // The first is taken and its answer lost; something on the way refuses the second.
    world.network.receipts.lock().unwrap().extend([Err(silence()), Ok(refused)]);
    let first = world.send(&owner, &id, json!({})).await.with(202).json();
    for _ in 0..2 {
        world.work().await;
        world.api.pass(60);
    }
    let failed = &world.submissions(&owner, &id).await[0];
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("no such page")));
    let again = world.send(&owner, &id, json!({})).await.with(202).json();
    assert_eq!(again["id"], first["id"], "the receiver may have the first one");
    world.work().await;
    let keys: Vec<String> =
        world.network.sent.lock().unwrap().iter().map(|one| one.key.clone()).collect();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(world.submissions(&owner, &id).await[0]["status"], "submitted");
}

#[actix_web::test]
async fn a_notice_of_a_submission_that_was_given_up_still_counts() {
    let world = World::new().await;
    let owner = world.sender().await;
    let sent = async |told: Value| {
        let id = world.invoice(&owner, json!({})).await;
        world.network.receipts.lock().unwrap().extend((0..24).map(|_| Err(silence())));
        world.send(&owner, &id, json!({})).await.with(202);
        for _ in 0..30 {
            world.work().await;
            world.api.pass(6 * 3_600);
        }
        let failed = &world.submissions(&owner, &id).await[0];
        assert_eq!(failed["error_code"], "no_answer", "{failed}");
        let key = world.network.sent.lock().unwrap().last().unwrap().key.clone();
        let mut told = told;
        told["key"] = json!(key);
        world.notice("provider", told).await.with(204);
        id
    };
    let id = sent(json!({"event": "succeeded", "guid": "late-1"})).await;
    let late = &world.submissions(&owner, &id).await[0];
    assert_eq!(
        (&late["status"], &late["provider_reference"], &late["error"]),
        (&json!("delivered"), &json!("late-1"), &Value::Null)
    );
    // One that is under way is followed again.
    let id = sent(json!({"event": "processing", "guid": "late-2"})).await;
    assert_eq!(world.submissions(&owner, &id).await[0]["status"], "submitted");
    world.api.pass(60);
    world.work().await;
    assert_eq!(world.submissions(&owner, &id).await[0]["status"], "delivered");
    // And a notice that does not name the key is found by the provider's name for it.
    let id = world.invoice(&owner, json!({})).await;
    world.network.receipts.lock().unwrap().push_back(Ok(Receipt::Taken("late-3".to_owned())));
    world.send(&owner, &id, json!({})).await.with(202);
    world.work().await;
    let told = json!({"event": "succeeded", "guid": "late-3"});
    world.notice("provider", told).await.with(204);
    assert_eq!(world.submissions(&owner, &id).await[0]["status"], "delivered");
}

#[actix_web::test]
async fn what_cannot_be_sent_by_itself_is_a_submission_that_failed() {
    let world = World::new().await;
    let owner = world.sender().await;
    world.put(&owner, json!({"auto_send": true})).await.with(200);
    let lacking = json!({"customer": {"name": "Kupec", "peppol_id": "9949:SI10039856"}});
    let lacking = world.invoice(&owner, lacking).await;
    let no_scheme = json!({"customer": {
        "name": "Kupec", "address": "Pot 2", "post_code": "2000", "city": "Maribor",
        "country_code": "SI", "tax_number": "SI10039856", "peppol_id": "SI10039856",
        "e_invoicing": {"buyer_reference": "PO-1"},
    }});
    let no_scheme = world.invoice(&owner, no_scheme).await;
    for _ in 0..3 {
        world.work().await;
        world.api.pass(3_600);
    }
    for (id, code, says) in [
        (&lacking, "peppol_invalid", "country_code"),
        (&no_scheme, "no_recipient", "peppol_scheme_id"),
    ] {
        let all = world.submissions(&owner, id).await;
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!((&all[0]["status"], &all[0]["error_code"]), (&json!("failed"), &json!(code)));
        assert!(text(&all[0]["error"]).contains(says), "{all:?}");
    }
    assert_eq!(world.work().await, 0, "nothing is tried again");
    let log = world.api.get("/activities?limit=100", &owner).await.with(200).text;
    assert_eq!(log.matches("e_invoicing.submission.failed").count(), 2);
    assert!(world.network.sent.lock().unwrap().is_empty());
    // It is sent by order once it says to whom.
    let to = json!({"recipient_peppol_id": "SI10039856", "recipient_scheme_id": "9949"});
    let sent = world.send(&owner, &no_scheme, to).await.with(202).json();
    assert_eq!(sent["status"], "created", "{sent}");
}

#[actix_web::test]
async fn what_is_sent_within_germany_keeps_the_rules_of_germany() {
    let world = World::new().await;
    let user = world.api.user("owner@example.com").await;
    let body = json!({
        "name": "Anna GmbH", "country": "Germany", "environment": "sandbox",
        "tax_number": "DE136695976", "address": "Weg 1", "post_code": "10115", "city": "Berlin",
        "email": "anna@example.com", "is_tax_subject": true,
    });
    let made = world.api.post("/entities", &user, body).await.with(201).json();
    let owner = user.in_entity(&text(&made["id"]));
    let iban = json!([{"type": "iban", "iban": "DE89370400440532013000"}]);
    let path = format!("/entities/{}", owner.entity());
    world.api.patch(&path, &owner, json!({"settings": {"bank_accounts": iban}})).await.with(200);
    world.put(&owner, json!({"enabled": true})).await.with(200);
    world.work().await;
    let german = json!({
        "customer": {
            "name": "Kunde GmbH", "address": "Weg 2", "post_code": "53113", "city": "Bonn",
            "country_code": "DE", "tax_number": "DE136695976", "peppol_id": "9930:DE136695976",
            "e_invoicing": {"buyer_reference": "PO-1"},
        },
        "items": [{"name": "Beratung", "quantity": 2, "price": 50, "taxes": [{"rate": 19}]}],
    });
    let id = world.invoice(&owner, german).await;
    let refused = world.send(&owner, &id, json!({})).await.with(422);
    assert_eq!(cause(&refused), "peppol_invalid");
    assert_eq!(refused.issue().0, r#"["issuer","phone"]"#);
    assert!(refused.text.contains("DE-R-006"), "{refused:?}");
    assert!(world.submissions(&owner, &id).await.is_empty(), "nothing is sent, or counted");
    let path = format!("/invoices/{id}");
    let phone = json!({"issuer": {"phone": "+49 30 123456"}});
    world.api.patch(&path, &owner, phone).await.with(200);
    world.send(&owner, &id, json!({})).await.with(202);
}
