//! The bounds of one process: its memory after many log-ins, mails, PDFs and uploads, and the
//! latency of a good client beside stalled connections and unread lists.

use std::net::{SocketAddr, SocketAddrV4, TcpStream};
use std::time::{Duration, Instant};

use racun_tests::{Account, Client, Data, Profile, Racun};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::task::JoinSet;

use crate::load::{Rate, one_by_one, request};
use crate::report::{aim, line};
use crate::{CLIENTS, resident};

/// Log-ins of the soak; a mail goes with every second, a PDF and an upload with every tenth.
const LOG_INS: usize = 10_000;

/// Connections that stall, and addresses that they come from.
const STALLED: usize = 5_000;
const ADDRESSES: usize = 25;

/// Requests of the good client.
const GOOD: usize = 2_000;

/// Lists of long documents that are asked for and not read.
const UNREAD: usize = 60;

/// The most memory while people log in, are mailed to, print documents and upload files.
pub async fn memory() {
    let racun = Racun::start_on(Profile::Release, Data::Folder).await;
    let mut accounts = Vec::new();
    for _ in 0..8 {
        let account = Account::sign_up(&racun).await;
        let items = [json!({ "name": "Coffee", "price": 2.5, "quantity": 3 })];
        let invoice = account.api.create("/invoices", &json!({ "items": items })).await;
        let pdf = format!("/documents/{}/pdf", invoice["id"].as_str().expect("an id"));
        accounts.push((account, pdf));
    }
    println!("\nresident memory before: {} kB", resident(&racun));
    let (mut most, began) = (0, Instant::now());
    for round in 0..LOG_INS / 500 {
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            let (account, pdf) = accounts[client % accounts.len()].clone();
            let anonymous = racun.client();
            clients.spawn(async move {
                for n in 0..500 / CLIENTS + 1 {
                    one(&anonymous, &account, &pdf, round * 500 + client * 50 + n).await;
                }
            });
        }
        clients.join_all().await;
        most = most.max(resident(&racun));
    }
    println!("{LOG_INS} log-ins with mails, PDFs and uploads took {} s", began.elapsed().as_secs());
    aim("most resident memory", &format!("{most} kB"), "< 200 MB", most < 200_000);
}

async fn one(anonymous: &Client, account: &Account, pdf: &str, n: usize) {
    let login = json!({ "email": account.email, "password": "correct horse 1" });
    anonymous.post("/users/login", &login).await.expect(200);
    if n.is_multiple_of(2) {
        let wanted = json!({ "email": format!("{n}-{}", account.email) });
        anonymous.post("/users/password-reset", &wanted).await;
    }
    if n.is_multiple_of(10) {
        let printed = account.api.try_send("GET", pdf, None).await.expect("an answer");
        assert_eq!(printed.status, 200, "{printed:?}");
        let api = account.api.clone().with("x-request-id", &format!("soak-{n}"));
        let api = api.with("content-type", "multipart/form-data; boundary=border");
        let csv = "a,b\r\n".repeat(200_000);
        let form = format!(
            "--border\r\ncontent-disposition: form-data; name=\"category\"\r\n\r\nattachment\r\n\
             --border\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
             content-type: text/csv\r\n\r\n{csv}\r\n--border--\r\n"
        );
        let answer = api.try_send("POST", "/files", Some(form)).await.expect("an answer");
        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
    }
}

/// A good client beside connections that stall, and then beside unread lists.
pub async fn neighbours() {
    let racun = Racun::start_on(Profile::Release, Data::Folder).await;
    let good = Account::sign_up(&racun).await;
    let path = "/customers?limit=10";
    let alone = good_client(&racun, &good, path);
    line("a good client alone", alone);

    let stalled = stall(racun.address()).await;
    let beside = good_client(&racun, &good, path);
    line("beside connections that stall", beside);
    aim(
        "99 % beside 5,000 stalled",
        &format!("{} µs", beside.slow),
        "< 50 ms",
        beside.slow < 50_000,
    );
    println!("resident memory: {} kB", resident(&racun));
    drop(stalled);

    let greedy = Account::sign_up(&racun).await;
    let text = json!({ "name": "n".repeat(480), "description": "d".repeat(3_900), "price": 1 });
    for _ in 0..30 {
        greedy.api.create("/invoices", &json!({ "items": vec![text.clone(); 100] })).await;
    }
    let list = request("GET", "/invoices?limit=100", &greedy.key, "");
    let mut unread = Vec::new();
    for _ in 0..UNREAD {
        let mut reader = TcpStream::connect(racun.address()).expect("a connection");
        std::io::Write::write_all(&mut reader, &list).expect("the server reads");
        unread.push(reader);
    }
    let beside = good_client(&racun, &good, path);
    line("beside lists that are not read", beside);
    let most = resident(&racun);
    aim(
        "99 % beside unread lists",
        &format!("{} µs", beside.slow),
        "< 100 ms",
        beside.slow < 100_000,
    );
    aim("resident memory beside unread lists", &format!("{most} kB"), "< 300 MB", most < 300_000);
}

/// The latency of one client, which opens a new connection for every tenth request.
fn good_client(racun: &Racun, account: &Account, path: &str) -> Rate {
    let list = request("GET", path, &account.key, "");
    let times = (0..GOOD / 10).flat_map(|_| one_by_one(racun.address(), &vec![list.clone(); 10]));
    Rate::alone(times.collect::<Vec<Duration>>())
}

/// Connections of many addresses that were answered and owe the rest of their bodies.
async fn stall(address: &str) -> Vec<tokio::net::TcpStream> {
    let server: SocketAddr = address.parse().expect("an address");
    let request = b"GET /health HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut stalled = Vec::new();
    for n in 0..STALLED {
        let last = u8::try_from(n % ADDRESSES + 2).expect("few addresses");
        let own = SocketAddrV4::new([127, 0, 0, last].into(), 0);
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(own.into()).expect("an address of this machine");
        let mut stream = socket.connect(server).await.expect("a connection");
        stream.write_all(request).await.expect("the server reads");
        stalled.push(stream);
    }
    stalled
}
