//! What strangers do, all of it at once.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use racun_tests::Account;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};

use crate::tally::Tally;
use crate::wire::{JSON, Wire, request};

/// Connections that stall, and addresses that they come from.
pub const STALLED: usize = 5_000;
const ADDRESSES: usize = 25;

/// Lists that are read slowly.
const SLOW_LISTS: usize = 30;

/// Addresses that log in, sign up and have mails sent; each is answered ten times a minute.
const PEOPLE: usize = 60;

/// Forms that do not end.
const ENDLESS_FORMS: usize = 40;

/// Bytes of an upload.
const UPLOADED: usize = 9_000_000;

/// The server under attack.
#[derive(Clone)]
pub struct Target {
    /// Where it listens.
    pub server: SocketAddr,
    /// What it answers.
    pub tally: Tally,
}

/// An address of this machine, number `n` of a group.
fn address(group: u8, n: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 1, group, u8::try_from(n % 250 + 2).expect("few addresses"))
}

static OPEN: AtomicUsize = AtomicUsize::new(0);

impl Target {
    async fn connect(&self, from: Ipv4Addr, window: Option<u32>) -> Option<Wire> {
        match Wire::connect(self.server, from, window).await {
            Ok(wire) => Some(wire),
            Err(error) => {
                self.tally.note("connecting", error.kind().to_string());
                sleep(Duration::from_millis(500)).await;
                None
            }
        }
    }

    /// Holds connections open that stall in four ways; opens each again when the server closed it.
    pub fn stall(&self) -> JoinSet<()> {
        let mut all = JoinSet::new();
        for n in 0..STALLED {
            let target = self.clone();
            all.spawn(async move {
                // They begin within two seconds.
                sleep(Duration::from_micros(u64::try_from(n * 400).unwrap_or(0))).await;
                loop {
                    target.stall_once(n).await;
                }
            });
        }
        all
    }

    async fn stall_once(&self, n: usize) {
        let start: &[u8] = match n % 16 {
            0 => b"GET /health HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n",
            1 => b"POST /nope HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n",
            2 => b"GET /health HTTP/1.1\r\nhost: ",
            3 => {
                b"POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                   content-length: 100\r\n\r\n{"
            }
            _ => b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n",
        };
        let Some(mut wire) = self.connect(address(1, n % ADDRESSES), None).await else { return };
        OPEN.fetch_add(1, Ordering::Relaxed);
        if wire.send(start).await.is_ok() {
            while wire.read(1_024).await.is_ok_and(|count| count > 0) {}
        }
        OPEN.fetch_sub(1, Ordering::Relaxed);
        self.tally.note("stalling", "closed by the server".to_owned());
    }

    /// Waits until most of them are open, ten seconds at most.
    pub async fn wait_until_stalled(&self) {
        for _ in 0..100 {
            if OPEN.load(Ordering::Relaxed) >= STALLED * 9 / 10 {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        println!("{} connections stall", OPEN.load(Ordering::Relaxed));
    }

    /// Starts all other attacks.
    pub fn attack(&self, [greedy, uploading, dripping]: &[Account; 3]) -> JoinSet<()> {
        let mut all = JoinSet::new();
        all.spawn(self.clone().send_huge_documents(greedy.key.clone()));
        all.spawn(self.clone().calculate(greedy.key.clone()));
        for n in 0..SLOW_LISTS {
            all.spawn(self.clone().read_slowly(n, greedy.key.clone()));
        }
        for n in 0..PEOPLE {
            all.spawn(self.clone().log_in(n, greedy.email.clone()));
        }
        all.spawn(self.clone().upload(uploading.key.clone()));
        for n in 0..ENDLESS_FORMS {
            all.spawn(self.clone().never_end(n, dripping.key.clone()));
        }
        all
    }

    /// Documents as large as they may be until the storage is used up, and one each second then.
    async fn send_huge_documents(self, key: String) {
        let body = json!({ "items": vec![long_line(); 100] }).to_string();
        let huge = request("POST", "/invoices", &key, JSON, &body);
        let mut wire = None;
        for n in 0_u32.. {
            if n > 60 {
                sleep(Duration::from_secs(1)).await;
            }
            self.ask("huge documents", &mut wire, address(2, 0), &huge).await;
        }
    }

    /// Documents that are only calculated, two a second.
    async fn calculate(self, key: String) {
        let body = json!({ "items": vec![long_line(); 110] }).to_string();
        let huge = request("POST", "/documents/calculate?type=invoice", &key, JSON, &body);
        let (mut wire, mut due) = (None, interval(Duration::from_millis(500)));
        loop {
            due.tick().await;
            self.ask("calculations", &mut wire, address(2, 1), &huge).await;
        }
    }

    /// Reads a list of huge documents, 100 bytes a second.
    async fn read_slowly(self, n: usize, key: String) {
        let list = request("GET", "/invoices?limit=100", &key, "", "");
        sleep(Duration::from_secs(5)).await;
        loop {
            let Some(mut wire) = self.connect(address(3, n), Some(4_096)).await else { continue };
            let answer = match wire.send(&list).await {
                Ok(()) => wire.read(12).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(1..) => self.tally.note("slow lists", "answered".to_owned()),
                _ => self.tally.note("slow lists", "cut off".to_owned()),
            }
            while wire.read(100).await.is_ok_and(|count| count > 0) {
                sleep(Duration::from_secs(1)).await;
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Logs in with wrong and unknown names, signs up, and asks for mails, ten times a minute and
    /// address.
    async fn log_in(self, n: usize, known: String) {
        let from = address(4, n);
        sleep(Duration::from_millis(u64::try_from(n * 100).unwrap_or(0))).await;
        let mut due = interval(Duration::from_secs(6));
        let post = |path: &str, body: serde_json::Value| {
            request("POST", path, "", JSON, &body.to_string()).into_boxed_slice()
        };
        let mut wire = None;
        for round in 0_u32.. {
            due.tick().await;
            let fresh = format!("drill-{n}-{round}@example.com");
            let password = "correct horse 1";
            let (attack, request) = match round % 5 {
                0 => ("sign-ups", {
                    post("/users/signup", json!({ "email": fresh, "password": password }))
                }),
                1 => ("mails", {
                    let before = format!("drill-{n}-{}@example.com", round - 1);
                    post("/users/password-reset", json!({ "email": before }))
                }),
                2 => ("log-ins", {
                    post("/users/login", json!({ "email": known, "password": password }))
                }),
                _ => ("wrong log-ins", {
                    post("/users/login", json!({ "email": fresh, "password": password }))
                }),
            };
            self.ask(attack, &mut wire, from, &request).await;
        }
    }

    /// Uploads with keys until the storage is used up, and two a second then.
    async fn upload(self, key: String) {
        let csv = "a,b\r\n".repeat(UPLOADED / 5);
        let form = format!(
            "--b\r\ncontent-disposition: form-data; name=\"category\"\r\n\r\nattachment\r\n\
             --b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
             content-type: text/csv\r\n\r\n{csv}\r\n--b--\r\n"
        );
        let (mut wire, mut due) = (None, interval(Duration::from_millis(500)));
        for n in 0_u32.. {
            due.tick().await;
            let headers = format!(
                "content-type: multipart/form-data; boundary=b\r\nidempotency-key: upload-{n}\r\n"
            );
            let form = request("POST", "/files", &key, &headers, &form);
            self.ask("uploads", &mut wire, address(5, 0), &form).await;
        }
    }

    /// Sends most of a form with a key, and then nothing until it is answered.
    async fn never_end(self, n: usize, key: String) {
        let head = format!(
            "POST /files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\
             idempotency-key: endless-{n}\r\ncontent-type: multipart/form-data; boundary=b\r\n\
             content-length: {UPLOADED}\r\n\r\n--b\r\ncontent-disposition: form-data; \
             name=\"file\"\r\n\r\n"
        );
        let chunk = Arc::new(vec![b'x'; 1_000_000]);
        loop {
            let Some(mut wire) = self.connect(address(5, n + 1), None).await else { continue };
            let mut is_sent = wire.send(head.as_bytes()).await.is_ok();
            for _ in 0..UPLOADED / chunk.len() - 1 {
                is_sent = is_sent && wire.send(&chunk).await.is_ok();
            }
            self.tally.count("endless forms", wire.reply().await);
            sleep(Duration::from_secs(2)).await;
        }
    }

    /// Asks on the connection that there is, or a new one.
    async fn ask(
        &self,
        attack: &'static str,
        wire: &mut Option<Wire>,
        from: Ipv4Addr,
        request: &[u8],
    ) {
        let is_old = wire.is_some();
        if wire.is_none() {
            *wire = self.connect(from, None).await;
        }
        let Some(open) = wire else { return };
        let answer = open.ask(request).await;
        // A connection that the server closed between two requests is no refusal.
        let is_over = answer.is_err();
        if !(is_over && is_old) {
            let status = self.tally.count(attack, answer);
            if matches!(status, 429 | 503) {
                sleep(Duration::from_secs(1)).await;
            }
            if !matches!(status, 0 | 408 | 413) {
                return;
            }
        }
        *wire = None;
    }
}

/// A line of 4.4 KB.
fn long_line() -> serde_json::Value {
    json!({ "name": "n".repeat(480), "description": "d".repeat(3_900), "price": 1 })
}
