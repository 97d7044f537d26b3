//! How often mails are sent.

use serde_json::json;

use crate::harness::text;
use crate::mailbox::Post;

const OWNER: &str = "owner@example.com";

#[actix_web::test]
async fn a_document_is_sent_five_times_an_hour_also_when_all_try_at_once() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let send = || api.post(&path, &owner, json!({"to": OWNER}));
    let answers = futures_util::future::join_all((0..16).map(|_| send())).await;
    let sent = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(sent, 5);
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!((refused.status, refused.header("retry-after")), (429, "3600"));
        assert_eq!(refused.json()["code"], "email_rate_limit_exceeded");
    }
    assert_eq!(post.deliver().await.len(), 5, "what is refused is not sent");
    // Another document has its own limit.
    let other = post.document(&owner, "/invoices", json!({})).await;
    api.post(&format!("/documents/{other}/send"), &owner, json!({"to": OWNER})).await.with(200);
    // The answer says when the next is free, to the second.
    api.pass(3599);
    assert_eq!(send().await.with(429).header("retry-after"), "1");
    api.pass(1);
    send().await.with(200);
}

#[actix_web::test]
async fn a_document_is_sent_fifty_times_in_thirty_days() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let body = json!({"to": OWNER, "sandbox_skip_delivery": true});
    for day in 0..10 {
        for _ in 0..5 {
            api.post(&path, &owner, body.clone()).await.with(200);
        }
        if day < 9 {
            api.pass(86_400);
        }
    }
    api.pass(3600);
    let refused = api.post(&path, &owner, body.clone()).await.with(429);
    // The first were sent 9 days and an hour ago.
    assert_eq!(refused.header("retry-after"), (21 * 86_400 - 3600).to_string());
    api.pass(21 * 86_400 - 3600);
    api.post(&path, &owner, body).await.with(200);
}

#[actix_web::test]
async fn the_sandbox_of_an_account_sends_fifty_a_day() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let body = json!({"name": "Druga", "country": "Slovenia", "environment": "sandbox"});
    let other = text(&api.post("/entities", &owner, body).await.with(201).json()["id"]);
    let other = owner.in_entity(&other);
    for _ in 0..5 {
        for who in [&owner, &other] {
            let id = post.document(who, "/invoices", json!({})).await;
            for _ in 0..5 {
                let path = format!("/documents/{id}/send");
                api.post(&path, who, json!({"to": OWNER})).await.with(200);
            }
        }
    }
    let id = post.document(&other, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let refused = api.post(&path, &other, json!({"to": OWNER})).await.with(429);
    assert_eq!(refused.header("retry-after"), "86400");
    // A refused mail shares nothing.
    let invoice = api.get(&format!("/invoices/{id}"), &other).await.with(200).json();
    assert!(invoice["shareable_id"].is_null());
    let body = json!({"name": "Živa", "country": "Slovenia", "environment": "live"});
    let live = text(&api.post("/entities", &owner, body).await.with(201).json()["id"]);
    let live = owner.in_entity(&live);
    let id = post.document(&live, "/invoices", json!({})).await;
    api.post(&format!("/documents/{id}/send"), &live, json!({"to": OWNER})).await.with(200);
}

#[actix_web::test]
async fn a_customer_is_reminded_five_times_an_hour() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let body = json!({"name": "Bor", "email": OWNER});
    let customer = text(&api.post("/customers", &owner, body).await.with(201).json()["id"]);
    let overdue = json!({"customer_id": customer, "date_due": "2026-10-31"});
    post.document(&owner, "/invoices", overdue).await;
    let remind = || api.post("/payment-reminders/send", &owner, json!({"customer_id": customer}));
    let answers = futures_util::future::join_all((0..8).map(|_| remind())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 5);
    let refused = remind().await.with(429);
    assert_eq!(refused.json()["code"], "email_rate_limit_exceeded");
}
