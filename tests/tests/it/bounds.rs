//! What one caller can make the process hold: log-ins, mails, uploads and lists leave it small.

use std::io::Write as _;
use std::net::TcpStream;

use racun_tests::{Account, Racun, StoreKind, on_both_stores};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;

on_both_stores! {
    slow_readers_of_long_lists_leave_the_process_small_and_alive,
}

/// Bytes that the process may have in memory, the debug build's own included.
const MOST: u64 = 200_000_000;

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
    let resident = racun.resident();
    assert!(resident < MOST, "{resident}");
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_that_do_not_end_are_on_disk() {
    let racun = Racun::start(StoreKind::Embedded).await;
    let mut uploads = Vec::new();
    for _ in 0..10 {
        let account = Account::sign_up(&racun).await;
        for n in 0..4 {
            uploads.push(upload(racun.address(), &account, n));
        }
    }
    let resident = racun.resident();
    assert!(resident < MOST, "{resident}");
    drop(uploads);
}

/// A form with a key, most of which is sent.
fn upload(address: &str, account: &Account, n: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST /files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nx-entity-id: {}\r\n\
         x-request-id: upload-{n}\r\ncontent-type: multipart/form-data; boundary=b\r\n\
         content-length: {}\r\n\r\n--b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n",
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
    let resident = racun.resident();
    assert!(resident < MOST, "{resident}");
}
