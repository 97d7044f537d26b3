//! How much an account stores, and may.

use std::sync::Arc;

use actix_web::test::TestRequest;
use racun_application::Services;
use racun_background::budget::StorageLimits;
use serde_json::json;

use crate::harness::{Answer, Api, Who, text};
use crate::mailbox::Post;
use crate::outside::Memory;

async fn post_with(storage: StorageLimits) -> Post {
    let mut kept = None;
    let api = Api::with(|services| {
        let services = Services { storage, files: Arc::<Memory>::default(), ..services };
        kept = Some(services.clone());
        services
    })
    .await;
    Post::of(api, kept.unwrap())
}

/// Uploads a table of so many bytes.
async fn upload(api: &Api, who: &Who, bytes: usize) -> Answer {
    let mut body = "--b\r\ncontent-disposition: form-data; name=\"category\"\r\n\r\nattachment\r\n\
                    --b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
                    content-type: text/csv\r\n\r\n"
        .to_owned();
    body.push_str(&"a,b\n".repeat(bytes / 4));
    body.push_str("\r\n--b--\r\n");
    let request = TestRequest::post()
        .uri("/files")
        .insert_header(("content-type", "multipart/form-data; boundary=b"))
        .insert_header(("content-length", body.len().to_string()));
    api.call(who.sign(request).set_payload(body)).await
}

async fn used(api: &Api, who: &Who) -> (i64, i64) {
    let account = api.get("/account", who).await.with(200).json();
    let figure = |name| account["storage"][name].as_i64().unwrap();
    (figure("used_bytes"), figure("limit_bytes"))
}

#[actix_web::test]
async fn an_account_stores_what_it_may_and_more_once_an_address_is_verified() {
    let limits = StorageLimits { unverified: 1_000_000, verified: 3_000_000 };
    let post = post_with(limits).await;
    let (api, owner) = (&post.api, post.api.owner("ana@example.com").await);
    let (before, limit) = used(api, &owner).await;
    assert!((1..100_000).contains(&before) && limit == 1_000_000, "{before} {limit}");
    let first = upload(api, &owner, 400_000).await.with(201).json();
    let (after, _) = used(api, &owner).await;
    assert!((400_000..410_000).contains(&(after - before)), "{before} {after}");
    upload(api, &owner, 400_000).await.with(201);
    for _ in 0..3 {
        let refused = upload(api, &owner, 400_000).await.with(403);
        assert_eq!(refused.json()["cause"]["code"], "storage_limit");
        assert_eq!(refused.json()["cause"]["limit_bytes"], 1_000_000);
    }
    api.get("/files", &owner).await.with(200);
    api.delete(&format!("/files/{}", text(&first["id"])), &owner).await.with(204);
    upload(api, &owner, 400_000).await.with(201);
    upload(api, &owner, 400_000).await.with(403);
    // Another account has a budget of its own.
    let other = api.owner("bor@example.com").await;
    upload(api, &other, 400_000).await.with(201);

    let mails = post.deliver().await;
    let mail = mails.iter().find(|mail| mail.to[0].address == "ana@example.com").unwrap();
    let token = json!({"token": crate::mailbox::token_in(&mail.text, "verify_")});
    api.post("/users/verify-email", &Who::anonymous(), token).await.with(200);
    assert_eq!(used(api, &owner).await.1, 3_000_000);
    upload(api, &owner, 400_000).await.with(201);
}

#[actix_web::test]
async fn documents_the_log_about_them_and_kept_answers_count() {
    let limits = StorageLimits { unverified: 400_000, verified: 400_000 };
    let post = post_with(limits).await;
    let (api, owner) = (&post.api, post.api.owner("ana@example.com").await);
    let items = json!([{"name": "Delo", "description": "d".repeat(3_900), "price": 1}]);
    let (mut before, mut made) = (used(api, &owner).await.0, 0);
    loop {
        let request = TestRequest::post()
            .uri("/invoices")
            .insert_header(("idempotency-key", format!("key-{made}")));
        let answer = api.call(owner.sign(request).set_json(json!({"items": items.clone()}))).await;
        if answer.status == 403 {
            assert_eq!(answer.json()["cause"]["code"], "storage_limit");
            break;
        }
        answer.with(201);
        made += 1;
        let (now, _) = used(api, &owner).await;
        assert!(now - before > 3 * 3_900, "the invoice, the log and the answer: {}", now - before);
        before = now;
    }
    assert!((10..35).contains(&made), "{made}");
    // What writes nothing is answered, unless its answer is to be kept.
    let calculate = || TestRequest::post().uri("/documents/calculate?type=invoice");
    let body = json!({"items": items.clone()});
    api.call(owner.sign(calculate()).set_json(&body)).await.with(200);
    let keyed = calculate().insert_header(("idempotency-key", "calculated"));
    api.call(owner.sign(keyed).set_json(&body)).await.with(403);
    // What was answered before is answered again.
    let request = TestRequest::post().uri("/invoices").insert_header(("idempotency-key", "key-0"));
    api.call(owner.sign(request).set_json(json!({"items": items}))).await.with(201);
}

#[actix_web::test]
async fn requests_at_the_same_time_see_each_other() {
    let limits = StorageLimits { unverified: 400_000, verified: 400_000 };
    let post = post_with(limits).await;
    let (api, owner) = (&post.api, post.api.owner("ana@example.com").await);
    let uploads = (0..12).map(|_| upload(api, &owner, 100_000));
    let made = futures_util::future::join_all(uploads).await;
    let made = made.iter().filter(|answer| answer.status == 201).count();
    assert!((1..4).contains(&made), "{made}");
    let (after, limit) = used(api, &owner).await;
    assert!(after < limit + 100_000, "{after}");

    let other = api.owner("bor@example.com").await;
    let line = json!({"name": "Delo", "description": "d".repeat(3_900), "price": 1});
    let body = json!({"items": vec![line; 10]});
    let invoices = (0..40).map(|n| {
        let request =
            TestRequest::post().uri("/invoices").insert_header(("idempotency-key", n.to_string()));
        api.call(other.sign(request).set_json(&body))
    });
    futures_util::future::join_all(invoices).await;
    let (after, limit) = used(api, &other).await;
    // A request stores its record, the log about it and its answer.
    assert!(after < limit + 3 * 45_000, "{after}");
    // What was reserved and not used is free again.
    assert!(after > 100_000, "{after}");
    api.post("/customers", &other, json!({"name": "Cene"})).await;
}

#[actix_web::test]
async fn small_requests_that_store_much_stay_within_the_budget() {
    let limits = StorageLimits { unverified: 1_500_000, verified: 1_500_000 };
    let post = post_with(limits).await;
    let (api, owner) = (&post.api, post.api.owner("ana@example.com").await);
    let line = json!({"name": "Delo", "description": "d".repeat(3_900), "price": 1});
    let body = json!({"items": vec![line; 20]});
    let made = api.post("/estimates", &owner, body).await.with(201).json();
    let path = format!("/estimates/{}", text(&made["id"]));
    let file = upload(api, &owner, 400_000).await.with(201).json();
    // The log keeps the whole of what is changed.
    let changes = (0..40).map(|n| api.patch(&path, &owner, json!({"note": n.to_string()})));
    let changed = futures_util::future::join_all(changes).await;
    let is_refused = |answer: &&Answer| answer.status == 403;
    let refused: Vec<_> = changed.iter().filter(is_refused).collect();
    assert!(refused.iter().all(|answer| answer.json()["cause"]["code"] == "storage_limit"));
    let done = changed.iter().filter(|answer| answer.status == 200).count();
    assert!(done > 2 && done + refused.len() == 40, "{done} of 40");
    let (after, limit) = used(api, &owner).await;
    assert!(after < limit + 90_000, "{after}");
    // One after the other, they use what is left.
    let mut statuses = Vec::new();
    for n in 40..60 {
        statuses.push(api.patch(&path, &owner, json!({"note": n.to_string()})).await.status);
    }
    assert_eq!((statuses.first(), statuses.last()), (Some(&200), Some(&403)), "{statuses:?}");
    let (after, limit) = used(api, &owner).await;
    assert!((limit - 90_000..=limit).contains(&after), "{after}");

    // A unit that is refused leaves no answer under the request's key: there may be room later.
    let keyed = async || {
        let request = TestRequest::patch().uri(&path).insert_header(("idempotency-key", "later"));
        api.call(owner.sign(request).set_json(json!({"note": "later"}))).await
    };
    keyed().await.with(403);
    assert_eq!(used(api, &owner).await.0, after);
    api.delete(&format!("/files/{}", text(&file["id"])), &owner).await.with(204);
    keyed().await.with(200);
    keyed().await.with(200);
}

#[actix_web::test]
async fn a_webhook_of_the_earlier_generation_is_charged_to_its_entitys_account() {
    let limits = StorageLimits { unverified: 300_000, verified: 300_000 };
    let post = post_with(limits).await;
    let (api, owner) = (&post.api, post.api.owner("ana@example.com").await);
    let admin = api.member(&owner, "bor@example.com", "admin").await;
    let path = format!("/v1/Organizations/{}/webhooks", owner.entity());
    let body = json!({"url": "https://receiver.example/hook"});
    let made = api.post(&path, &owner, body).await.with(200).json();
    let path = format!("/v1/Webhooks/{}", text(&made["id"]));
    let change = |n: usize| {
        json!({
            "url": "https://receiver.example/hook",
            "events": [{ "event": "invoice.created", "note": "n".repeat(30_000), "n": n }],
        })
    };
    api.patch(&path, &admin, change(0)).await.with(200);
    api.put(&path, &owner, change(1)).await.with(200);
    let item = json!({"name": "n", "price": 1, "description": "d".repeat(1_500)});
    let mut filled = api.post("/items", &owner, item.clone()).await;
    for _ in 0..1_000 {
        if filled.status == 201 {
            filled = api.post("/items", &owner, item.clone()).await;
        }
    }
    assert_eq!(filled.with(403).json()["cause"]["code"], "storage_limit");
    // A change is charged by the bytes that it adds, so a few may still fit.
    let mut sent = 2;
    let mut patched = api.patch(&path, &admin, change(sent)).await;
    while patched.status == 200 && sent < 50 {
        sent += 1;
        patched = api.patch(&path, &admin, change(sent)).await;
    }
    assert_eq!(patched.with(403).json()["cause"]["code"], "storage_limit");
    let put = api.put(&path, &owner, change(sent)).await.with(403).json();
    assert_eq!(put["cause"]["code"], "storage_limit");
}
