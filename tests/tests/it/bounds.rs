//! What one caller can make the process hold: log-ins, mails, uploads and lists leave it small.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use racun_tests::{Account, Data, Profile, Racun, StoreKind, on_both_stores};
use serde_json::json;
use socket2::{Domain, Socket, Type};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;

on_both_stores! {
    slow_readers_of_long_lists_leave_the_process_small_and_alive,
    concurrent_writers_stay_within_the_budget,
}

/// Bytes that the process may hold in memory, beside the pages of its program.
const MOST: u64 = 150_000_000;

/// Bytes of a form that never ends.
const UPLOADED: usize = 9_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn log_ins_and_mails_leave_the_process_small() {
    let racun = Racun::start(StoreKind::Embedded).await;
    // Of the log-ins of one person few are tried at once, so there are many people.
    let mut work = JoinSet::new();
    for n in 0..24 {
        let email = Account::sign_up(&racun).await.email;
        let client = racun.client();
        work.spawn(async move {
            let login = json!({ "email": email, "password": "correct horse 1" });
            for round in 0..10 {
                client.post("/users/login", &login).await.expect(200);
                if round % 2 == 0 {
                    let wanted = json!({ "email": format!("{n}-{round}-{email}") });
                    client.post("/users/password-reset", &wanted).await;
                }
            }
        });
    }
    work.join_all().await;
    let held = racun.held();
    assert!(held < MOST, "{held}");
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_that_do_not_end_are_on_disk() {
    let settings = vec![("RACUN__SERVER__TRUSTED_PROXIES".to_owned(), "127.0.0.1".to_owned())];
    let data = Data::fresh(StoreKind::Embedded);
    let racun = Racun::start_with(Profile::Debug, data, settings).await;
    let mut uploads = Vec::new();
    for _ in 0..10 {
        let account = Account::sign_up(&racun).await;
        for n in 0..4 {
            uploads.push(upload(racun.address(), &account, n));
        }
    }
    let held = racun.held();
    assert!(held < MOST, "{held}");
    drop(uploads);
}

/// A form with a key, most of which is sent, from one of four addresses.
fn upload(address: &str, account: &Account, n: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST /files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nx-entity-id: {}\r\n\
         x-forwarded-for: 192.0.2.{n}\r\nx-request-id: upload-{n}\r\n\
         content-type: multipart/form-data; boundary=b\r\ncontent-length: {}\r\n\r\n\
         --b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n",
        account.key,
        account.entity,
        UPLOADED + 1_000_000,
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    let chunk = vec![b'x'; 1_000_000];
    for _ in 0..UPLOADED / chunk.len() {
        stream.write_all(&chunk).expect("the server reads");
    }
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_do_not_end_leave_the_process_small_and_others_alone() {
    let settings = [
        ("RACUN__RATE_LIMITS__ENABLED", "true"),
        ("RACUN__RATE_LIMITS__PER_IP_SENSITIVE", "1000"),
        ("RACUN__SERVER__TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let data = Data::fresh(StoreKind::Embedded);
    let racun = Racun::start_with(Profile::Debug, data, settings.into()).await;
    let mut attackers = Vec::new();
    for _ in 0..12 {
        attackers.push(Account::sign_up(&racun).await);
    }
    let good = Account::sign_up(&racun).await;
    let line = json!({ "name": "n", "description": "d".repeat(3_900), "price": 1 });
    let long = json!({ "items": vec![line; 25] });
    let mut bodies = Vec::new();
    for n in 0..240 {
        let attacker = &attackers[n % attackers.len()];
        bodies.extend(unfinished(racun.address(), attacker, n % 4));
        if n % 40 == 39 {
            good.api.create("/customers", &json!({ "name": "Bor" })).await;
            good.api.create("/invoices", &long).await;
        }
    }
    let held = racun.held();
    assert!(held < MOST, "{held}");
    drop(bodies);
}

/// A document from the address `from` without its last byte, or what of it the server read; `None`
/// when it was refused.
fn unfinished(address: &str, account: &Account, from: usize) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let body = 1024 * 1024;
    let head = format!(
        "POST /invoices HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nx-entity-id: {}\r\n\
         x-forwarded-for: 192.0.2.{from}\r\ncontent-type: application/json\r\n\
         content-length: {body}\r\n\r\n",
        account.key, account.entity,
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    stream.write_all(&vec![b' '; body - 1]).is_ok().then_some(stream)
}

async fn slow_readers_of_long_lists_leave_the_process_small_and_alive(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let line = json!({ "name": "n".repeat(480), "description": "d".repeat(3_900), "price": 1 });
    let long = json!({ "items": vec![line; 100] });
    for _ in 0..20 {
        account.api.create("/invoices", &long).await;
    }
    let mut readers = Vec::new();
    let request = format!(
        "GET /invoices?limit=100 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
         x-entity-id: {}\r\n\r\n",
        account.key, account.entity
    );
    for _ in 0..30 {
        let mut reader = tokio::net::TcpStream::connect(racun.address()).await.expect("it listens");
        reader.write_all(request.as_bytes()).await.expect("it reads");
        readers.push(reader);
    }
    let mut statuses = Vec::new();
    for reader in &mut readers {
        racun.client().get("/health/live").await.expect(200);
        let mut head = [0; 12];
        reader.read_exact(&mut head).await.expect("an answer");
        statuses.push(String::from_utf8_lossy(&head[9..]).into_owned());
    }
    assert!(statuses.iter().all(|status| status == "200" || status == "429"), "{statuses:?}");
    let held = racun.held();
    assert!(held < MOST, "{held}");
}

/// A connection to `address` whose client takes few bytes at a time: the system's buffers on both
/// sides are small, as those of far connections are.
fn slow_reader(address: &str) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_tcp_mss(536).expect("segments are short");
    socket.set_recv_buffer_size(2_048).expect("a buffer is small");
    let address: SocketAddr = address.parse().expect("an address");
    socket.connect(&address.into()).expect("it listens");
    socket.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_of_a_shared_document_leave_the_process_small() {
    let racun = Racun::start(StoreKind::Embedded).await;
    let account = Account::sign_up(&racun).await;
    let line = json!({ "name": "n".repeat(480), "description": "d".repeat(3_900), "price": 1 });
    let invoice = account.api.create("/invoices", &json!({ "items": vec![line; 104] })).await;
    let path = format!("/documents/{}/share", invoice["id"].as_str().unwrap_or_default());
    let shared = account.api.post(&path, &json!({})).await.expect(200);
    let link = shared["shareable_id"].as_str().unwrap_or_default();
    let request = format!("GET /invoices/shareable/{link} HTTP/1.1\r\nhost: x\r\n\r\n");
    let mut readers: Vec<TcpStream> = Vec::new();
    for _ in 0..300 {
        let mut reader = slow_reader(racun.address());
        reader.write_all(request.as_bytes()).expect("it reads");
        readers.push(reader);
    }
    let mut statuses = Vec::new();
    for reader in &mut readers {
        let mut head = [0; 12];
        reader.read_exact(&mut head).expect("an answer");
        statuses.push(String::from_utf8_lossy(&head[9..]).into_owned());
    }
    let good = statuses.iter().filter(|status| *status == "200").count();
    assert!(statuses.iter().all(|status| status == "200" || status == "429"), "{statuses:?}");
    assert!((1..50).contains(&good), "{good} are answered at once");
    let held = racun.held();
    assert!(held < MOST, "{held}");
    racun.client().get("/health/live").await.expect(200);
}

/// Bytes that the account of [`concurrent_writers_stay_within_the_budget`] may store.
const BUDGET: i64 = 6_000_000;

async fn concurrent_writers_stay_within_the_budget(store: StoreKind) {
    let budget = ("RACUN__STORAGE__PER_UNVERIFIED_ACCOUNT".to_owned(), "6MB".to_owned());
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), vec![budget]).await;
    let account = Account::sign_up(&racun).await;
    let line = json!({ "name": "n", "description": "d".repeat(3_900), "price": 1 });
    let long = json!({ "items": vec![line; 60] });
    let estimate = account.api.create("/estimates", &long).await;
    let path = format!("/estimates/{}", estimate["id"].as_str().unwrap_or_default());
    let file = format!("%PDF-1.7\n{}%%EOF", "a line\n".repeat(60_000));
    // One of each before the rush, whose order is up to the machine.
    let mut statuses = vec![
        account.api.patch(&path, &json!({ "note": "first" })).await.status,
        account.api.post("/invoices", &long).await.status,
    ];
    let mut work = JoinSet::new();
    for n in 0..24 {
        let (api, path, long, file) =
            (account.api.clone(), path.clone(), long.clone(), file.clone());
        work.spawn(async move {
            // The log keeps the whole of what is changed: little is sent, and much is stored.
            let change = json!({ "note": n.to_string() });
            let parts: &[(&str, &[u8])] = &[("file", file.as_bytes()), ("category", b"attachment")];
            let keyed = api.clone().with("idempotency-key", &format!("key-{n}"));
            [
                api.patch(&path, &change).await.status,
                keyed.post("/invoices", &long).await.status,
                api.upload("/files", parts).await.status,
                api.patch(&path, &change).await.status,
            ]
        });
    }
    let rushed: Vec<u16> = work.join_all().await.into_iter().flatten().collect();
    assert!(rushed.iter().any(|status| *status < 300), "{rushed:?}");
    statuses.extend(rushed);
    assert!(statuses.contains(&201) && statuses.contains(&200), "{statuses:?}");
    assert!(statuses.contains(&403), "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 200 | 201 | 403 | 429)), "{statuses:?}");
    let stored = account.user.read("/account").await["storage"]["used_bytes"].as_i64();
    // One request may store four times its body, which is the longest of these.
    let most = BUDGET + 4 * i64::try_from(long.to_string().len()).expect("it is short");
    assert!(stored.is_some_and(|stored| (BUDGET / 2..most).contains(&stored)), "{stored:?}");
    account.api.get("/estimates").await.expect(200);
}
