//! Large answers of all callers and routes share a room until they are read.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use actix_http::Request;
use actix_web::dev::ServiceResponse;
use actix_web::test::{self, TestRequest};
use racun_application::Services;
use racun_http_api::{Options, RequestLimits, Room, Shares, app, run};
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::connections::{in_time, patient, rest};
use crate::harness::{Api, Who, http, services, text};
use crate::outside::Memory;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

fn room(total: usize, of_sender: usize, of_address: usize) -> &'static Room {
    let shares = Shares { total, reserved: 0, of_sender, of_address, small: 0 };
    Box::leak(Box::new(Room::new(shares)))
}

/// Makes the request number so many of a kind.
type Ask<'a> = Box<dyn Fn(usize) -> Request + 'a>;

/// An invoice whose answer has some hundreds of KiB.
fn long() -> Value {
    let line = json!({ "name": "n", "description": "d".repeat(3_900), "price": 1 });
    json!({ "items": vec![line; 60] })
}

fn on(store: &Arc<SqliteStore>) -> Services {
    let services = services(Arc::<SqliteStore>::clone(store), Arc::new(AtomicI64::new(1)));
    Services { files: Arc::<Memory>::default(), ..services }
}

/// An application with a room for `of_sender` bytes of an account, and an account with an invoice.
async fn with_invoice(
    answers: &'static Room,
) -> (Arc<SqliteStore>, RequestLimits, Api, Who, Value) {
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let limits =
        RequestLimits { answers, heavy_patience: Duration::ZERO, ..RequestLimits::default() };
    let api = Api::on(Arc::<SqliteStore>::clone(&store), limits).await;
    let ana = api.owner("ana@example.com").await;
    let made = api.post("/invoices", &ana, long()).await.with(201).json();
    (store, limits, api, ana, made)
}

/// The id in the link of the invoice `id`.
async fn shared(api: &Api, ana: &Who, id: &str) -> String {
    let share = api.post(&format!("/documents/{id}/share"), ana, json!({})).await.with(200).json();
    text(&share["shareable_id"])
}

#[actix_web::test]
async fn every_large_answer_takes_room_until_it_is_read() {
    let answers = room(8 * MIB, 600 * KIB, 8 * MIB);
    let (store, limits, api, ana, made) = with_invoice(answers).await;
    let id = text(&made["id"]);
    let link = shared(&api, &ana, &id).await;
    // A shared document takes its longest length first, and gives back what it does not need.
    let of_pages = room(8 * MIB, MIB + 400 * KIB, 8 * MIB);
    let pages = RequestLimits { answers: of_pages, ..limits };
    let pages = test::init_service(app(on(&store), http(pages))).await;
    let app = test::init_service(app(on(&store), http(limits))).await;
    let get = |path: String, who: &Who| who.sign(TestRequest::get().uri(&path)).to_request();
    let post = |path: &str, key: &str| {
        let request = TestRequest::post().uri(path).insert_header(("idempotency-key", key));
        ana.sign(request).set_json(long()).to_request()
    };
    let patch = || {
        let request = TestRequest::patch().uri(&format!("/invoices/{id}"));
        ana.sign(request).set_json(json!({ "note": "n" })).to_request()
    };
    let once = test::call_service(&app, post("/invoices", "kept")).await;
    assert_eq!(once.status(), 201);
    drop(once);
    let cases: Vec<(&str, u16, Ask<'_>)> = vec![
        (
            "shared",
            429,
            Box::new(|_| get(format!("/invoices/shareable/{link}"), &Who::anonymous())),
        ),
        ("one", 429, Box::new(|_| get(format!("/invoices/{id}"), &ana))),
        ("calculated", 503, Box::new(|n| post("/documents/calculate", &format!("c{n}")))),
        ("made", 503, Box::new(|n| post("/invoices", &format!("m{n}")))),
        ("kept", 503, Box::new(|_| post("/invoices", "kept"))),
        ("changed", 503, Box::new(|_| patch())),
    ];
    for (name, refused, ask) in &cases {
        let (app, answers) = if *name == "shared" { (&pages, of_pages) } else { (&app, answers) };
        let held: Vec<ServiceResponse<_>> =
            vec![test::call_service(app, ask(0)).await, test::call_service(app, ask(1)).await];
        let statuses: Vec<_> = held.iter().map(|answer| answer.status().as_u16()).collect();
        assert!(statuses.iter().all(|status| (200..300).contains(status)), "{name}: {statuses:?}");
        assert!(answers.taken_size() > 400 * KIB, "{name}: {}", answers.taken_size());
        let third = test::call_service(app, ask(2)).await;
        assert_eq!(third.status().as_u16(), *refused, "{name}");
        drop((held, third));
        assert_eq!(answers.taken_size(), 0, "{name}");
        let later = test::call_service(app, ask(3)).await;
        assert!(later.status().is_success(), "{name}: {}", later.status());
    }
}

#[actix_web::test]
async fn the_description_is_there_once_and_takes_no_room() {
    let answers = room(MIB, KIB, KIB);
    let (store, limits, ..) = with_invoice(answers).await;
    let app = test::init_service(app(on(&store), http(limits))).await;
    let mut held = Vec::new();
    for path in ["/openapi.json", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"] {
        for _ in 0..3 {
            let request = TestRequest::get().uri(path).to_request();
            let answer = test::call_service(&app, request).await;
            assert_eq!(answer.status(), 200, "{path}");
            held.push(answer);
        }
    }
    assert_eq!(answers.taken_size(), 0);
}

#[actix_web::test]
async fn shared_documents_are_heavy_by_address() {
    let (store, limits, api, ana, made) = with_invoice(room(64 * MIB, 32 * MIB, 64 * MIB)).await;
    let link = shared(&api, &ana, &text(&made["id"])).await;
    let app = test::init_service(app(on(&store), http(limits))).await;
    let ask = |address: &str| {
        let peer = format!("{address}:4711").parse().unwrap();
        let request = TestRequest::get().uri(&format!("/invoices/shareable/{link}"));
        test::call_service(&app, request.peer_addr(peer).to_request())
    };
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(ask("192.0.2.1").await);
    }
    assert!(held.iter().all(|answer| answer.status() == 200));
    assert_eq!(ask("192.0.2.1").await.status(), 429);
    assert_eq!(ask("192.0.2.2").await.status(), 200);
    drop(held);
    assert_eq!(ask("192.0.2.1").await.status(), 200);
}

/// A request for `path` from the address `from`, whose socket takes little.
async fn deaf(address: SocketAddr, from: &str, who: &Who, path: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nx-entity-id: {}\r\n\r\n",
        who.token.as_deref().unwrap(),
        who.entity()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    in_time(stream.read_exact(&mut status)).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_makes_room_for_another_address() {
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let answers = room(20 * MIB, 64 * MIB, 64 * MIB);
    let limits = RequestLimits { answers, ..RequestLimits::default() };
    let services = on(&store);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let options = Options { connections: patient(), ..pending() };
    tokio::spawn(run(listener, services.clone(), http(limits), options));
    let (who, path) = tokio::task::spawn_blocking(move || {
        actix_web::rt::System::new().block_on(async move {
            let api = Api::with(|_| services).await;
            let ana = api.owner("ana@example.com").await;
            let mut body = "--b\r\ncontent-disposition: form-data; name=\"category\"\r\n\r\n\
                            attachment\r\n--b\r\ncontent-disposition: form-data; name=\"file\"; \
                            filename=\"a.csv\"\r\ncontent-type: text/csv\r\n\r\n"
                .to_owned();
            body.push_str(&"a,b\n".repeat(9 * MIB / 4));
            body.push_str("\r\n--b--\r\n");
            let request = TestRequest::post()
                .uri("/files")
                .insert_header(("content-type", "multipart/form-data; boundary=b"));
            let file = api.call(ana.sign(request).set_payload(body)).await.with(201).json();
            (ana, format!("/files/{}/download", text(&file["id"])))
        })
    })
    .await
    .unwrap();
    let mut first = deaf(address, "127.0.0.1", &who, &path).await;
    let mut second = deaf(address, "127.0.0.1", &who, &path).await;
    assert_eq!(answers.taken_size(), 18 * MIB);
    // The next address has less than that one, whose oldest answer goes.
    let mut guest = deaf(address, "127.0.0.2", &who, &path).await;
    assert!(rest(&mut first).await.len() < 9 * MIB);
    let mut whole = Vec::new();
    let (mut read, mut bytes) = (0, vec![0; 64 * KIB]);
    while read < 9 * MIB {
        let count = in_time(guest.read(&mut bytes)).await.unwrap();
        assert!(count > 0, "it ended after {read}");
        read += count;
        whole.extend_from_slice(&bytes[..count.min(100)]);
    }
    drop(guest);
    in_time(second.read_exact(&mut bytes)).await.unwrap();
}

fn pending() -> Options {
    Options { workers: Some(1), ..Options::until(std::future::pending()) }
}
