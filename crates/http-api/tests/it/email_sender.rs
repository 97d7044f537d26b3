//! The address that an entity wants its mails to come from.

use serde_json::{Value, json};

use crate::harness::text;
use crate::mailbox::Post;

const SALES: &str = "sales@shop.example";

/// What is answered of an address that was chosen, and looked at last at `checked`.
fn answer(email: &str, domain: &str, status: &str, checked: &str) -> Value {
    json!({
        "configured": {
            "email": email, "verification_status": "pending", "verified_at": null,
            "domain": domain, "email_verification_status": status,
            "domain_verification_status": "pending", "domain_dkim_tokens": [],
            "last_checked_at": checked,
        },
        "inherited": null,
        "effective": {"source": "default", "email": null, "verified": true},
    })
}

#[actix_web::test]
async fn an_entity_chooses_an_address_which_is_verified_when_it_is_a_members() {
    let post = Post::open().await;
    let api = &post.api;
    let owner = post.owner("owner@example.com").await;
    let path = format!("/entities/{}/email-sender", owner.entity());
    let recheck = format!("{path}/recheck");
    let mut none = answer("", "", "", "");
    none["configured"] = Value::Null;
    assert_eq!(api.get(&path, &owner).await.with(200).json(), none);
    let nothing = api.post(&recheck, &owner, json!({})).await.with(422);
    assert_eq!(nothing.issue(), (r#"["email"]"#.to_owned(), "required".to_owned()));
    for (body, code) in [(json!({}), "required"), (json!({"email": "sales"}), "invalid_email")] {
        let refused = api.put(&path, &owner, body).await.with(422);
        assert_eq!(refused.issue(), (r#"["email"]"#.to_owned(), code.to_owned()));
    }
    assert_eq!(api.get(&path, &owner).await.with(200).json(), none);

    let start = "2026-11-20T08:00:00.000Z";
    let chosen = answer(SALES, "shop.example", "pending", start);
    let body = json!({"email": SALES});
    assert_eq!(api.put(&path, &owner, body.clone()).await.with(200).json(), chosen);
    assert_eq!(api.get(&path, &owner).await.with(200).json(), chosen);

    // Another user may have verified it: that says nothing about this entity.
    let colleague = post.owner(SALES).await;
    api.pass(60);
    let later = "2026-11-20T08:01:00.000Z";
    let checked = api.post(&recheck, &owner, json!({})).await.with(200).json();
    assert_eq!(checked, answer(SALES, "shop.example", "pending", later));
    let body_of_member = json!({"email": SALES, "role": "viewer"});
    let invited = api.post("/entities/users", &owner, body_of_member).await.with(201).json();
    let invited = text(&invited["invitation_id"]);
    let accept = format!("/users/me/invitations/{invited}/accept");
    api.post(&accept, &colleague, json!({})).await.with(200);
    let checked = api.post(&recheck, &owner, json!({})).await.with(200).json();
    assert_eq!(checked, answer(SALES, "shop.example", "verified", later));
    let again = api.put(&path, &owner, body.clone()).await.with(200).json();
    assert_eq!(again, checked);

    let viewer = colleague.in_entity(owner.entity());
    assert_eq!(api.get(&path, &viewer).await.with(200).json(), checked);
    api.put(&path, &viewer, body.clone()).await.with(403);
    let stranger = post.owner("stranger@example.com").await;
    api.get(&path, &stranger.in_entity(owner.entity())).await.with(404);

    let own = json!({"email": "owner@example.com"});
    let own = api.put(&path, &owner, own).await.with(200).json();
    assert_eq!(own, answer("owner@example.com", "example.com", "verified", later));
    let removed = api.put(&path, &owner, json!({"email": null})).await.with(200).json();
    assert_eq!(removed, none);
    api.post(&format!("/entities/{}/disable", owner.entity()), &owner, json!({})).await.with(200);
    api.put(&path, &owner, body).await.with(403);
}

#[actix_web::test]
async fn mails_go_on_coming_from_the_server_and_answers_go_to_the_chosen_address() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner("owner@example.com").await);
    let entity = format!("/entities/{}", owner.entity());
    api.patch(&entity, &owner, json!({"email": "office@shop.example"})).await.with(200);
    for (chosen, expected) in [(Some(SALES), SALES), (None, "office@shop.example")] {
        let path = format!("{entity}/email-sender");
        api.put(&path, &owner, json!({"email": chosen})).await.with(200);
        let id = post.document(&owner, "/invoices", json!({})).await;
        let to = json!({"to": "owner@example.com"});
        api.post(&format!("/documents/{id}/send"), &owner, to).await.with(200);
        let mail = post.deliver().await.remove(0);
        let reply_to = mail.reply_to.unwrap();
        assert_eq!((mail.from, reply_to.address.as_str()), (None, expected));
    }
}
