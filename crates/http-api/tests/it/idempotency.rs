//! A request with a key is carried out once, and answered the same however often it is sent.

use std::collections::BTreeSet;
use std::sync::Arc;

use actix_web::test::TestRequest;
use racun_background::idempotency::{
    AnswerTo, KEYED_REQUESTS, KeptAnswer, KeptBody, KeyStatus, KeyedRequest,
};
use racun_http_api::RequestLimits;
use racun_kernel::Tenant;
use racun_store::{Put, Store, Writes};
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};
use crate::mailbox::Post;

/// The application, its store, and an owner with a key of the account, which no session ends.
async fn shop() -> (Api, Arc<dyn Store>, Who) {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let api = Api::on(Arc::clone(&store), RequestLimits::default()).await;
    let owner = api.owner("ana@example.com").await;
    let body = json!({"name": "till", "environment": "sandbox"});
    let key = api.post("/account/api-keys", &owner, body).await.with(201).json();
    let who = Who::key(&text(&key["id"])).in_entity(owner.entity());
    (api, store, who)
}

async fn send(
    api: &Api,
    who: &Who,
    key: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    let method = actix_web::http::Method::from_bytes(method.as_bytes()).unwrap();
    let request = TestRequest::default().method(method).uri(path);
    let request = who.sign(request).insert_header(("idempotency-key", key));
    api.call(match body {
        Some(body) => request.set_json(body),
        None => request,
    })
    .await
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == "true"
}

fn sale(name: &str) -> Value {
    json!({"items": [{"name": name, "price": 10, "quantity": 1}]})
}

async fn count(api: &Api, who: &Who, path: &str) -> Value {
    api.get(path, who).await.with(200).json()["pagination"]["total"].clone()
}

/// The account of the only entity that `who` reaches, and all that is kept of its requests.
async fn kept(api: &Api, store: &dyn Store, who: &Who) -> (Tenant, Vec<KeyedRequest>) {
    let entity = api.get(&format!("/entities/{}", who.entity()), who).await.with(200).json();
    let account = Tenant::account(text(&entity["account_id"]).parse().unwrap());
    let query = racun_store::ListQuery::first_page(&KEYED_REQUESTS);
    let page = store.page::<KeyedRequest>(&KEYED_REQUESTS, &account, &query).await.unwrap();
    (account, page.rows)
}

/// Makes it as if the process had died between the effect and the answer of each request that is
/// not among those in `before`, to which it adds them.
async fn forget_answers(api: &Api, store: &dyn Store, who: &Who, before: &mut BTreeSet<String>) {
    let (_, mut rows) = kept(api, store, who).await;
    rows.retain(|row| before.insert(row.key.clone()));
    let puts = rows.iter().map(|row| {
        let after = KeyedRequest { answer: None, ..row.clone() };
        Put::update(row, &after)
    });
    let writes = Writes { puts: puts.collect(), ..Writes::default() };
    let decided =
        store.decide::<_, racun_store::StoreError>(Vec::new(), None, |_| Ok(((), writes)));
    decided.await.unwrap();
}

#[actix_web::test]
async fn a_copy_is_answered_what_the_first_was_and_has_no_effect() {
    let (api, _, who) = shop().await;
    let first =
        send(&api, &who, "sale-1", "POST", "/invoices", Some(&sale("Kava"))).await.with(201);
    assert!(!is_replayed(&first));
    for _ in 0..3 {
        let copy = send(&api, &who, "sale-1", "POST", "/invoices", Some(&sale("Kava"))).await;
        let copy = copy.with(201);
        assert!(is_replayed(&copy));
        assert_eq!((&copy.text, copy.header("content-type")), (&first.text, "application/json"));
    }
    let by_request_id = who.sign(TestRequest::post().uri("/invoices"));
    let by_request_id = by_request_id.insert_header(("x-request-id", "sale-1"));
    let copy = api.call(by_request_id.set_json(sale("Kava"))).await.with(201);
    assert_eq!(
        (copy.text, copy.headers.get("x-request-id").unwrap().to_str().unwrap()),
        (first.text, "sale-1")
    );
    assert_eq!(count(&api, &who, "/invoices").await, 1);
    let other =
        send(&api, &who, "sale-2", "POST", "/invoices", Some(&sale("Kava"))).await.with(201);
    assert!(!is_replayed(&other));
    for _ in 0..2 {
        api.post("/invoices", &who, sale("Kava")).await.with(201);
    }
    assert_eq!(count(&api, &who, "/invoices").await, 4, "what has no key is another one each time");
}

#[actix_web::test]
async fn a_key_names_one_request_of_one_account() {
    let (api, _, who) = shop().await;
    let body = json!({"name": "Kupec"});
    send(&api, &who, "k", "POST", "/customers", Some(&body)).await.with(201);
    for (method, path, body) in [
        ("POST", "/customers", json!({"name": "Kupec d.o.o."})),
        ("POST", "/suppliers", body.clone()),
        ("POST", "/documents/calculate?type=invoice", body.clone()),
        ("PUT", "/taxes/tax_1", body.clone()),
    ] {
        let refused = send(&api, &who, "k", method, path, Some(&body)).await.with(409);
        assert_eq!(refused.json()["code"], "idempotency_conflict", "{method} {path}");
    }
    let entity = json!({"name": "Druga", "country": "Slovenia", "environment": "sandbox"});
    let second = api.post("/entities", &who, entity).await.with(201).json();
    let elsewhere = who.in_entity(&text(&second["id"]));
    let refused = send(&api, &elsewhere, "k", "POST", "/customers", Some(&body)).await.with(409);
    assert_eq!(refused.json()["code"], "idempotency_conflict");
    let stranger = api.owner("bor@example.com").await;
    let own = send(&api, &stranger, "k", "POST", "/customers", Some(&body)).await.with(201);
    assert!(!is_replayed(&own), "keys of accounts have nothing to do with each other");
    assert_eq!(count(&api, &who, "/customers").await, 1);
    assert_eq!(count(&api, &elsewhere, "/customers").await, 0);
}

#[actix_web::test]
async fn a_refusal_that_changed_nothing_is_answered_again() {
    let (api, store, who) = shop().await;
    let (wrong, right) = (json!({"name": ""}), json!({"name": "Kupec"}));
    let none = "/customers/cus_01jd0000000000000000000000";
    for (key, method, path, body, status) in [
        ("invalid", "POST", "/customers", Some(&wrong), 422),
        ("missing", "PATCH", none, Some(&right), 404),
        ("nobody", "DELETE", none, None, 404),
    ] {
        let first = send(&api, &who, key, method, path, body).await.with(status);
        assert!(!is_replayed(&first), "{key}");
        for _ in 0..2 {
            let copy = send(&api, &who, key, method, path, body).await.with(status);
            assert!(is_replayed(&copy), "{key}");
            assert_eq!(
                (&copy.text, copy.header("content-type")),
                (&first.text, "application/json")
            );
        }
    }
    let refused = send(&api, &who, "invalid", "POST", "/customers", Some(&right)).await.with(409);
    assert_eq!(
        refused.json()["code"],
        "idempotency_conflict",
        "a corrected request is another one"
    );
    let again = send(&api, &who, "invalid", "POST", "/customers", Some(&wrong)).await.with(422);
    assert!(is_replayed(&again), "a conflict takes the place of nothing");
    send(&api, &who, "valid", "POST", "/customers", Some(&right)).await.with(201);
    assert_eq!(count(&api, &who, "/customers").await, 1);
    assert_eq!(kept(&api, &*store, &who).await.1.len(), 4);
}

#[actix_web::test]
async fn refusals_before_the_handler_are_not_kept() {
    let (api, store, who) = shop().await;
    let body = json!({"name": "Kupec"});
    send(&api, &who, "k", "POST", "/nowhere", Some(&body)).await.with(404);
    send(&api, &Who::anonymous(), "k", "POST", "/customers", Some(&body)).await.with(401);
    let elsewhere = who.in_entity("ent_01jd0000000000000000000000");
    let refused = send(&api, &elsewhere, "k", "POST", "/customers", Some(&body)).await;
    assert!((403..=404).contains(&refused.status), "{refused:?}");
    let refused = send(&api, &who, "", "POST", "/customers", Some(&body)).await.with(400);
    assert_eq!(refused.json()["code"], "bad_request");
    assert_eq!(kept(&api, &*store, &who).await.1, []);
    let made = send(&api, &who, "k", "POST", "/customers", Some(&body)).await.with(201);
    assert!(!is_replayed(&made));
}

#[actix_web::test]
async fn retryable_answers_are_not_kept() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner("owner@example.com").await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let (path, body) = (format!("/documents/{id}/send"), json!({"to": "owner@example.com"}));
    for _ in 0..5 {
        api.post(&path, &owner, body.clone()).await.with(200);
    }
    for _ in 0..2 {
        let refused = send(api, &owner, "mail", "POST", &path, Some(&body)).await.with(429);
        assert!(!is_replayed(&refused));
    }
    api.pass(3600);
    let sent = send(api, &owner, "mail", "POST", &path, Some(&body)).await.with(200);
    assert!(!is_replayed(&sent));
    assert!(is_replayed(&send(api, &owner, "mail", "POST", &path, Some(&body)).await.with(200)));
}

#[actix_web::test]
async fn server_errors_are_not_kept() {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let own = Arc::clone(&store);
    let keyless = |services| racun_application::Services { store: own, vault: None, ..services };
    let api = Api::with(keyless).await;
    let owner = api.owner("ana@example.com").await;
    let body = json!({"url": "https://example.com/hook", "events": ["invoice.created"]});
    for _ in 0..2 {
        let failed = send(&api, &owner, "k", "POST", "/webhooks", Some(&body)).await.with(503);
        assert!(!is_replayed(&failed));
    }
    let api = Api::on(store, RequestLimits::default()).await;
    let made = send(&api, &owner, "k", "POST", "/webhooks", Some(&body)).await.with(201);
    assert!(!is_replayed(&made));
}

#[actix_web::test]
async fn an_answer_takes_no_place_that_is_taken() {
    let (api, store, who) = shop().await;
    let (account, _) = kept(&api, &*store, &who).await;
    let account = account.as_str().parse().unwrap();
    let now = time::macros::datetime!(2026-11-21 12:00 UTC);
    let answer = |status| {
        let body = KeptBody::Plain(String::new());
        KeptAnswer { status, headers: Vec::new(), body }
    };
    let wanted = |key: &str| KeyedRequest::new(account, key.to_owned(), "own".to_owned(), now);
    for (number, (held, to, expected)) in [
        (None, AnswerTo::Nothing, KeyStatus::Answered(answer(404))),
        (None, AnswerTo::Effect, KeyStatus::Answered(answer(404))),
        (Some(("other", None)), AnswerTo::Nothing, KeyStatus::Conflict),
        (Some(("other", None)), AnswerTo::Effect, KeyStatus::Conflict),
        (Some(("other", Some(200))), AnswerTo::Nothing, KeyStatus::Conflict),
        (Some(("own", Some(200))), AnswerTo::Nothing, KeyStatus::Answered(answer(200))),
        (Some(("own", Some(200))), AnswerTo::Effect, KeyStatus::Answered(answer(200))),
        (Some(("own", None)), AnswerTo::Nothing, KeyStatus::Unanswered(wanted("6"))),
        (Some(("own", None)), AnswerTo::Effect, KeyStatus::Answered(answer(404))),
    ]
    .into_iter()
    .enumerate()
    {
        let wanted = wanted(&number.to_string());
        let before = held.map(|(fingerprint, status)| KeyedRequest {
            fingerprint: fingerprint.to_owned(),
            answer: status.map(answer),
            ..wanted.clone()
        });
        if let Some(before) = &before {
            let writes = Writes { puts: vec![Put::insert(before)], ..Writes::default() };
            let stored = store.decide(Vec::new(), None, |_| Ok(((), writes)));
            stored.await.map_err(|error: racun_store::StoreError| error).unwrap();
        }
        let found = wanted.answer(&*store, answer(404), to).await.unwrap();
        let expected = match expected {
            KeyStatus::Unanswered(_) => KeyStatus::Unanswered(wanted.clone()),
            other => other,
        };
        assert_eq!(found, expected, "{number}");
        let after = wanted.find(&*store).await.unwrap();
        let own = KeyedRequest { answer: Some(answer(404)), ..wanted.clone() };
        let expected = match expected == KeyStatus::Answered(answer(404)) {
            true => Some(own),
            false => before,
        };
        assert_eq!(after, expected, "{number}");
    }
}

#[actix_web::test]
async fn eight_copies_at_once_are_one_request() {
    let (api, _, who) = shop().await;
    for round in 0..10 {
        let key = format!("sale-{round}");
        let body = sale(&key);
        let copies = (0..8).map(|_| send(&api, &who, &key, "POST", "/invoices", Some(&body)));
        let answers = futures_util::future::join_all(copies).await;
        assert!(answers.iter().all(|copy| copy.status == 201 && copy.text == answers[0].text));
        assert_eq!(answers.iter().filter(|copy| !is_replayed(copy)).count(), 1);
    }
    assert_eq!(count(&api, &who, "/invoices").await, 10);
}

#[actix_web::test]
async fn an_effect_whose_answer_was_lost_is_answered_as_it_is() {
    let (api, store, who) = shop().await;
    let id = |answer: &Answer| text(&answer.json()["id"]);
    let customer = api.post("/customers", &who, json!({"name": "Kupec"})).await.with(201);
    let draft = json!({"items": [{"name": "Kava", "price": 2}], "is_draft": true});
    let draft = api.post("/invoices", &who, draft).await.with(201);
    let tab = api.post("/pos/tabs", &who, json!({})).await.with(201);
    let item = api.post("/items", &who, json!({"name": "Kava", "price": 2})).await.with(201);
    let line = json!({"item_id": id(&item), "quantity": 1});
    let requests = [
        ("POST", "/invoices".to_owned(), Some(sale("Kava"))),
        ("POST", "/customers".to_owned(), Some(json!({"name": "Nov"}))),
        ("PATCH", format!("/customers/{}", id(&customer)), Some(json!({"name": "Drug"}))),
        ("POST", format!("/documents/{}/finalize", id(&draft)), Some(json!({}))),
        ("POST", format!("/pos/tabs/{}/items", id(&tab)), Some(json!({"items": [line]}))),
        ("POST", format!("/pos/tabs/{}/claim", id(&tab)), Some(json!({"device_id": "till"}))),
        ("PATCH", format!("/entities/{}", who.entity()), Some(json!({"name": "Pri Bojanu"}))),
        ("POST", "/pos/tables".to_owned(), Some(json!({"label": "1"}))),
        ("DELETE", format!("/customers/{}", id(&customer)), None),
    ];
    let (mut firsts, mut forgotten) = (Vec::new(), BTreeSet::new());
    for (number, (method, path, body)) in requests.iter().enumerate() {
        let key = number.to_string();
        let first = send(&api, &who, &key, method, path, body.as_ref()).await;
        assert!(first.status < 300, "{path}: {first:?}");
        forget_answers(&api, &*store, &who, &mut forgotten).await;
        let copy = send(&api, &who, &key, method, path, body.as_ref()).await;
        if *path == "/pos/tables" {
            // No route reads one table.
            assert_eq!(copy.with(409).json()["cause"]["code"], "answer_lost");
            continue;
        }
        assert!(is_replayed(&copy), "{path}: {copy:?}");
        assert_eq!((copy.status, &copy.text), (first.status, &first.text), "{path}");
        firsts.push((key, method, path, body, first));
    }
    for (key, method, path, body, first) in firsts {
        let copy = send(&api, &who, &key, method, path, body.as_ref()).await;
        assert_eq!((copy.status, &copy.text), (first.status, &first.text), "{path}");
    }
    assert_eq!(count(&api, &who, "/invoices").await, 2);
}

#[actix_web::test]
async fn a_key_holds_for_thirty_days() {
    let (api, store, who) = shop().await;
    let body = json!({"name": "Kupec"});
    let again = async || send(&api, &who, "k", "POST", "/customers", Some(&body)).await.with(201);
    assert!(!is_replayed(&again().await));
    api.pass(30 * 86_400 - 1);
    assert!(is_replayed(&again().await));
    api.pass(1);
    assert!(!is_replayed(&again().await), "it names another request now");
    assert!(is_replayed(&again().await));
    assert_eq!(kept(&api, &*store, &who).await.1.len(), 1, "in the place of the old one");
    assert_eq!(count(&api, &who, "/customers").await, 2);
}

#[actix_web::test]
async fn expired_keys_are_swept() {
    let (api, store, who) = shop().await;
    for number in 0..5 {
        let body = json!({"name": "Kupec"});
        send(&api, &who, &number.to_string(), "POST", "/customers", Some(&body)).await.with(201);
        api.pass(86_400);
    }
    let (account, rows) = kept(&api, &*store, &who).await;
    assert_eq!(rows.len(), 5);
    let now = rows[0].created_at + racun_background::idempotency::KEPT - time::Duration::days(2);
    let account = account.as_str().parse().unwrap();
    racun_background::idempotency::sweep(&*store, account, now).await.unwrap();
    assert_eq!(kept(&api, &*store, &who).await.1.len(), 2, "two days' keys still hold");
}

#[actix_web::test]
async fn a_secret_is_answered_again_and_kept_unreadable() {
    let (api, store, who) = shop().await;
    let body = json!({"name": "scales"});
    let first = send(&api, &who, "k", "POST", "/entities/api-keys", Some(&body)).await.with(201);
    let copy = send(&api, &who, "k", "POST", "/entities/api-keys", Some(&body)).await.with(201);
    assert_eq!((&copy.text, is_replayed(&copy)), (&first.text, true));
    let secret = text(&first.json()["id"]);
    assert!(secret.starts_with("ek_"));
    let (account, rows) = kept(&api, &*store, &who).await;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert!(matches!(&row.answer.as_ref().unwrap().body, KeptBody::Sealed(_)));
    let stored =
        store.find(&KEYED_REQUESTS, &account, std::slice::from_ref(&row.key)).await.unwrap();
    assert!(!stored[0].body.contains(&secret), "{stored:?}");
    // Who else belongs to the account makes another request.
    let other = json!({"name": "other", "environment": "sandbox"});
    let other = api.post("/account/api-keys", &who, other).await.with(201).json();
    let other = Who::key(&text(&other["id"])).in_entity(who.entity());
    let refused =
        send(&api, &other, "k", "POST", "/entities/api-keys", Some(&body)).await.with(409);
    assert_eq!(refused.json()["code"], "idempotency_conflict");
    forget_answers(&api, &*store, &who, &mut BTreeSet::new()).await;
    let lost = send(&api, &who, "k", "POST", "/entities/api-keys", Some(&body)).await.with(409);
    assert_eq!(lost.json()["cause"]["code"], "answer_lost");
    // What reads an endpoint masks its secret: that is not what the first was answered.
    let body = json!({"url": "https://example.com/hook", "events": ["invoice.created"]});
    let first = send(&api, &who, "hook", "POST", "/webhooks", Some(&body)).await.with(201);
    let copy = send(&api, &who, "hook", "POST", "/webhooks", Some(&body)).await.with(201);
    assert_eq!((&copy.text, is_replayed(&copy)), (&first.text, true));
    forget_answers(&api, &*store, &who, &mut BTreeSet::new()).await;
    let lost = send(&api, &who, "hook", "POST", "/webhooks", Some(&body)).await.with(409);
    assert_eq!(lost.json()["cause"]["code"], "answer_lost");
}

#[actix_web::test]
async fn where_nothing_can_be_sealed_a_secret_is_not_answered_again() {
    let api = Api::with(|services| racun_application::Services { vault: None, ..services }).await;
    let owner = api.owner("ana@example.com").await;
    let body = json!({"name": "scales"});
    send(&api, &owner, "k", "POST", "/entities/api-keys", Some(&body)).await.with(201);
    let copy = send(&api, &owner, "k", "POST", "/entities/api-keys", Some(&body)).await.with(409);
    assert_eq!(copy.json()["cause"]["code"], "answer_lost");
    for _ in 0..2 {
        let wrong = json!({"name": 1});
        let path = "/entities/api-keys";
        let refused = send(&api, &owner, "wrong", "POST", path, Some(&wrong)).await;
        assert!((400..=422).contains(&refused.status) && refused.status != 409, "{refused:?}");
    }
    let keys = api.get("/entities/api-keys", &owner).await.with(200).json();
    assert_eq!(keys["data"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn a_copy_of_a_guess_is_not_counted_and_a_lock_ends() {
    let (api, store, _) = shop().await;
    let owner = api.owner("cene@example.com").await;
    let id = api.id(&owner).await;
    api.set_pin(&owner, &id, "042").await.with(204);
    let path = "/pos/operators/switch";
    let body = |pin| json!({"user_id": id, "pin": pin});
    for (guess, left) in (0..5).rev().enumerate() {
        let key = format!("guess-{guess}");
        let wrong = send(&api, &owner, &key, "POST", path, Some(&body("043"))).await.with(403);
        assert_eq!(
            (is_replayed(&wrong), &wrong.json()["cause"]["attempts_remaining"]),
            (false, &json!(left))
        );
        let copy = send(&api, &owner, &key, "POST", path, Some(&body("043"))).await.with(403);
        assert_eq!((is_replayed(&copy), copy.text), (true, wrong.text));
        let other = send(&api, &owner, &key, "POST", path, Some(&body("042"))).await.with(409);
        assert_eq!(other.json()["code"], "idempotency_conflict");
    }
    let locked = send(&api, &owner, "k", "POST", path, Some(&body("042"))).await.with(423);
    api.pass(locked.header("retry-after").parse().unwrap());
    let right = send(&api, &owner, "k", "POST", path, Some(&body("042"))).await.with(200);
    let copy = send(&api, &owner, "k", "POST", path, Some(&body("042"))).await.with(200);
    assert_eq!((is_replayed(&right), is_replayed(&copy)), (false, true));
    assert_eq!(right.text, copy.text);
    let (_, rows) = kept(&api, &*store, &owner).await;
    let sealed =
        |row: &KeyedRequest| matches!(row.answer.as_ref().unwrap().body, KeptBody::Sealed(_));
    assert!(rows.len() == 6 && rows.iter().all(sealed), "{rows:?}");
}
