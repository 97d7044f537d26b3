//! How much one caller has at once: pages end, documents too, and few of them are under way.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use actix_http::Request;
use actix_web::dev::Payload;
use actix_web::test::{self, TestRequest};
use actix_web::web::Bytes;
use async_trait::async_trait;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use racun_http_api::{RequestLimits, Room, Shares, app};
use racun_store::{ListQuery, Read, Rows, Store, StoreDecorator};
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::harness::{Api, PASSWORD, Who, http, services};

const MIB: usize = 1024 * 1024;

/// An invoice of about `kibibytes` KiB.
fn invoice(kibibytes: usize) -> Value {
    let line = json!({ "name": "n", "description": "d".repeat(1_024), "price": 1 });
    json!({ "items": vec![line; kibibytes] })
}

#[actix_web::test]
async fn a_page_ends_at_four_mebibytes_and_the_next_goes_on() {
    let api = Api::new().await;
    let ana = api.owner("ana@example.com").await;
    for n in 0..14 {
        let kibibytes = if n == 7 { 1 } else { 250 };
        api.post("/invoices", &ana, invoice(kibibytes)).await.with(201);
    }
    let (mut path, mut ids) = ("/invoices?limit=100&order_by=number".to_owned(), Vec::new());
    let mut pages = 0;
    loop {
        let answer = api.get(&path, &ana).await.with(200);
        assert!(answer.text.len() <= 4 * 1_024 * 1_024, "{}", answer.text.len());
        let page = answer.json();
        assert_eq!(page["pagination"]["total"], 14);
        let rows = page["data"].as_array().unwrap();
        ids.extend(rows.iter().map(|row| row["number"].as_str().unwrap().to_owned()));
        pages += 1;
        let more = page["pagination"]["next_cursor"].as_str();
        assert_eq!(page["pagination"]["has_more"], more.is_some());
        let Some(cursor) = more else { break };
        path = format!("/invoices?limit=100&order_by=number&next_cursor={cursor}");
    }
    assert!(pages > 1 && pages < 14, "{pages}");
    let mut sorted = ids.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((ids.len(), sorted), (14, ids));
}

#[actix_web::test]
async fn a_page_of_many_short_lines_stays_below_four_mebibytes_too() {
    let api = Api::new().await;
    let user = api.user("ana@example.com").await;
    // A line has two taxes in Canada, and what a page answers of each is the most for its bytes.
    let body = json!({ "name": "Ana", "country": "Canada", "environment": "sandbox" });
    let entity = api.post("/entities", &user, body).await.with(201).json();
    let ana = user.in_entity(entity["id"].as_str().unwrap());
    let line = json!({ "name": "n", "price": 1, "taxes": [{ "rate": 5 }, { "rate": 7 }] });
    for _ in 0..10 {
        let made = json!({ "items": vec![line.clone(); 400] });
        api.post("/invoices", &ana, made).await.with(201);
    }
    let answer = api.get("/invoices?limit=100", &ana).await.with(200);
    let rows = answer.json()["data"].as_array().unwrap().len();
    assert!(
        rows > 1 && rows < 10 && answer.text.len() < 4 * MIB,
        "{rows} rows: {}",
        answer.text.len()
    );
}

#[actix_web::test]
async fn a_document_has_a_size_and_so_have_the_keys_of_its_metadata() {
    let api = Api::new().await;
    let ana = api.owner("ana@example.com").await;
    let refused = api.post("/invoices", &ana, invoice(600)).await.with(422);
    assert_eq!(refused.issue(), ("[\"items\"]".to_owned(), "document_too_large".to_owned()));
    let made = api.post("/invoices", &ana, invoice(250)).await.with(201).json();
    let path = format!("/invoices/{}", made["id"].as_str().unwrap());
    let refused = api.patch(&path, &ana, invoice(600)).await.with(422);
    assert_eq!(refused.issue().1, "document_too_large");
    let long = "k".repeat(100_000);
    for (path, mut body) in [
        ("/invoices", json!({ "items": [{ "name": "a", "price": 1 }] })),
        ("/estimates", json!({ "items": [{ "name": "a", "price": 1 }] })),
        ("/expenses", json!({ "total_with_tax": 1 })),
    ] {
        body["metadata"] = json!({ long.clone(): "value" });
        let refused = api.post(path, &ana, body).await.with(422);
        assert!(
            refused.issue().0.starts_with(r#"["metadata","k"#),
            "{path}: {:?}",
            refused.issue()
        );
        assert_eq!(refused.issue().1, "too_long", "{path}");
        assert!(refused.text.len() < 4_000, "{path}: an answer does not repeat the key");
    }
}

#[actix_web::test]
async fn versions_are_listed_however_long_the_document_is() {
    let api = Api::new().await;
    let ana = api.owner("ana@example.com").await;
    let made = api.post("/invoices", &ana, invoice(250)).await.with(201);
    let count = 3 * ListQuery::MAX_PAGE_BYTES / made.text.len();
    let path = format!("/invoices/{}", made.json()["id"].as_str().unwrap());
    for n in 1..=count {
        api.patch(&path, &ana, json!({ "note": n.to_string() })).await.with(200);
    }
    let listed = api.get(&format!("{path}/versions"), &ana).await.with(200);
    let versions = listed.json()["versions"].as_array().unwrap().clone();
    let numbers: Vec<usize> = versions
        .iter()
        .map(|one| usize::try_from(one["version"].as_u64().unwrap()).unwrap())
        .collect();
    assert_eq!(numbers, (1..=count).rev().collect::<Vec<_>>(), "more than a page of them");
    assert_eq!(listed.json()["has_more"], false);
}

/// A store whose lists of invoices wait until they may go on.
struct Held {
    store: Arc<dyn Store>,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    waiting: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    /// Blocks the thread, as work does.
    fn wait(&self) {
        let mut state = self.waiting.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    fn open(&self) {
        self.waiting.lock().unwrap().1 = true;
        self.changed.notify_all();
    }

    fn wait_for(&self, count: usize) {
        let state = self.waiting.lock().unwrap();
        drop(self.changed.wait_while(state, |state| state.0 < count).unwrap());
    }
}

#[async_trait]
impl StoreDecorator for Held {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        if matches!(read, Read::List(table, ..) if table.name == "invoices") {
            self.gate.wait();
        }
        read.ask(&*self.store).await
    }
}

#[actix_web::test]
async fn pages_are_put_together_on_threads_of_their_own_and_four_at_once() {
    let gate = Arc::new(Gate::default());
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let store = Arc::new(Held { store: Arc::new(store), gate: Arc::clone(&gate) });
    // A room that pages of other tests are not in, and time for what waits at the gate.
    let (answers, request_time) = (room(MIB * 64, MIB * 16), Duration::from_secs(60));
    let hasty = RequestLimits { heavy_patience: Duration::ZERO, ..RequestLimits::default() };
    let hasty = RequestLimits { answers, request_time, ..hasty };
    let patient = RequestLimits { heavy_patience: request_time, ..hasty };
    let ana = Api::on(Arc::<Held>::clone(&store), hasty).await;
    let ana = ana.owner("ana@example.com").await;
    let services = services(store, Arc::new(AtomicI64::new(1)));
    let lists = test::init_service(app(services.clone(), http(patient))).await;
    let app = test::init_service(app(services, http(hasty))).await;
    let request = |path: &str, who: &Who| who.sign(TestRequest::get().uri(path)).to_request();

    // Each would block this thread, which is all that there is of a server here.
    let four = (0..4).map(|_| test::call_service(&lists, request("/invoices", &ana)));
    let mut busy = futures_util::future::join_all(four);
    let unknown = "/files/file_01jd0000000000000000000000/download";
    let fifth = async {
        loop {
            let answer = test::call_service(&app, request(unknown, &ana)).await;
            if answer.status() == 429 {
                break answer;
            }
            // The four are still on their way in.
            assert_eq!(answer.status(), 404);
        }
    };
    let fifth = tokio::select! {
        _ = &mut busy => panic!("the lists did not wait"),
        answer = fifth => answer,
    };
    assert_eq!(fifth.headers().get("retry-after").unwrap(), "1");
    gate.wait_for(1);
    let live = test::call_service(&app, TestRequest::get().uri("/health/live").to_request());
    assert_eq!(live.await.status(), 200);
    gate.open();
    let answers = busy.await;
    for answer in &answers {
        assert_eq!(answer.status(), 200, "{:?}", answer.response());
    }
    let more = test::call_service(&app, request(unknown, &ana)).await;
    assert_eq!(more.status(), 429, "their answers are not read yet");
    drop(answers);
    let more = test::call_service(&app, request(unknown, &ana)).await;
    assert_eq!(more.status(), 404);
}

/// A room of bodies, of which an account has a `part` and an address four.
fn room(total: usize, part: usize) -> &'static Room {
    let (of_sender, of_address) = (part, part * 4);
    let shares = Shares { total, reserved: MIB, of_sender, of_address, small: 16 * 1024 };
    Box::leak(Box::new(Room::new(shares)))
}

/// A `POST` of `path` from `address` whose body is `bytes` long and lacks its end.
fn unfinished(path: &str, who: &Who, bytes: usize, address: &str) -> Request {
    let request = TestRequest::post()
        .uri(path)
        .peer_addr(format!("{address}:4711").parse().unwrap())
        .insert_header(("content-type", "application/json"))
        .insert_header(("content-length", (bytes + 1).to_string()));
    let chunks = (0..bytes.div_ceil(8_192)).map(|_| Ok(Bytes::from(vec![b' '; 8_192])));
    let body = stream::iter(chunks).chain(stream::pending()).boxed_local();
    who.sign(request).to_request().replace_payload(Payload::Stream { payload: body }).0
}

#[actix_web::test]
async fn bodies_that_do_not_end_have_a_room_and_small_ones_of_others_are_taken() {
    let bodies = room(MIB * 3, MIB * 2);
    let limits = RequestLimits { bodies, ..RequestLimits::default() };
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let api = Api::on(Arc::<SqliteStore>::clone(&store), limits).await;
    let (ana, bor) = (api.owner("ana@example.com").await, api.owner("bor@example.com").await);
    let app =
        test::init_service(app(services(store, Arc::new(AtomicI64::new(1))), http(limits))).await;
    let long = |who| test::call_service(&app, unfinished("/invoices", who, 900_000, "192.0.2.1"));
    let small = || api.post("/customers", &bor, json!({ "name": "Bor" }));

    let mut held = Box::pin(futures_util::future::join(long(&ana), long(&ana)));
    let arrive = async {
        while bodies.taken_size() < 1_800_000 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = &mut held => panic!("they do not end"),
        () = arrive => {}
    }
    // Neither the account nor the address may have more.
    for who in [&ana, &bor] {
        let refused = long(who).await;
        assert_eq!(refused.status(), 429);
        assert_eq!(refused.headers().get("retry-after").unwrap(), "1");
    }
    small().await.with(201);
    // A keyed body is read at another place.
    let keyed = || {
        let keyed = TestRequest::post().uri("/invoices").insert_header(("idempotency-key", "long"));
        bor.sign(keyed).set_json(invoice(300))
    };
    api.call(keyed().peer_addr("192.0.2.1:4711".parse().unwrap())).await.with(429);
    // The oldest body of those who have the most makes room for one from elsewhere.
    api.call(keyed()).await.with(201);
    let first = held.as_mut().now_or_never();
    assert!(first.is_none(), "the other one is still arriving");
    assert!((900_000..1_100_000).contains(&bodies.taken_size()), "{}", bodies.taken_size());
    drop(held);
    assert_eq!(bodies.taken_size(), 0);
    let keyed = || TestRequest::post().uri("/invoices").insert_header(("idempotency-key", "k"));
    for _ in 0..12 {
        api.call(bor.sign(keyed()).set_json(invoice(250))).await.with(201);
        api.post("/invoices", &bor, invoice(250)).await.with(201);
    }
}

#[actix_web::test]
async fn long_bodies_of_an_account_and_an_address_keep_out_no_small_ones_of_theirs() {
    // Two bodies of 110 chunks are all that an address may have.
    let part = 110 * 8_192 * 2 / 4;
    let bodies = room(MIB * 8, part);
    let limits = RequestLimits { bodies, ..RequestLimits::default() };
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let api = Api::on(Arc::<SqliteStore>::clone(&store), limits).await;
    let (ana, bor) = (api.owner("ana@example.com").await, api.owner("bor@example.com").await);
    let app =
        test::init_service(app(services(store, Arc::new(AtomicI64::new(1))), http(limits))).await;
    let long = |who| test::call_service(&app, unfinished("/invoices", who, 900_000, "192.0.2.1"));
    let mut held = Box::pin(futures_util::future::join(long(&ana), long(&bor)));
    let arrive = async {
        while bodies.taken_size() < part * 4 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = &mut held => panic!("they do not end"),
        () = arrive => {}
    }
    assert_eq!(long(&ana).await.status(), 429, "another long one");
    let near = |path| TestRequest::post().uri(path).peer_addr("192.0.2.1:4711".parse().unwrap());
    for who in [&ana, &bor] {
        let customer = near("/customers").set_json(json!({ "name": "small" }));
        api.call(who.sign(customer)).await.with(201);
    }
    let login = json!({ "email": "ana@example.com", "password": PASSWORD });
    api.call(near("/users/login").set_json(login)).await.with(200);
    drop(held);
    assert_eq!(bodies.taken_size(), 0);
}
