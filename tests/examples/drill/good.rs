//! The good tenant: it reads and issues at a steady pace, well within its limits.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use racun_tests::{Account, Racun};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::time::interval;

use crate::verdict;
use crate::wire::{JSON, Wire, request};

/// Its own address.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);

/// Between two requests: 600 reads and 240 invoices a minute, each with a key of its own.
const BETWEEN_READS: Duration = Duration::from_millis(100);
const BETWEEN_INVOICES: Duration = Duration::from_millis(250);

/// Requests on one connection; then it opens another one.
const REQUESTS: usize = 10;

/// The good tenant.
pub struct Good {
    server: SocketAddr,
    reads: Arc<[Vec<u8>]>,
    issue: Arc<[Vec<u8>]>,
}

/// How long its requests took.
#[derive(Default)]
pub struct Latency {
    times: Vec<Duration>,
    /// Those that were refused or not answered.
    pub refused: usize,
}

impl Good {
    /// A tenant with a few customers and invoices.
    pub async fn open(racun: &Racun, account: Account) -> Self {
        let key = json!({ "name": "till", "environment": "sandbox" });
        let key = account.user.create("/account/api-keys", &key).await;
        let key = key["id"].as_str().expect("a key");
        let invoice = json!({ "items": [
            { "name": "Kava", "quantity": 2, "price": 1.8, "taxes": [{ "rate": 22 }] },
            { "name": "Knjiga", "price": 29.9, "taxes": [{ "rate": 9.5 }] },
        ]});
        let mut path = String::new();
        for n in 0..20 {
            let customer = json!({ "name": format!("Kupec {n}") });
            account.api.create("/customers", &customer).await;
            let issued = account.api.create("/invoices", &invoice).await;
            path = format!("/invoices/{}", issued["id"].as_str().expect("an id"));
        }
        let paths = ["/customers?limit=10", "/invoices?limit=10", &path];
        let reads = paths.map(|path| request("GET", path, &account.key, "", ""));
        let issue = request("POST", "/invoices", key, JSON, &invoice.to_string());
        let server = racun.address().parse().expect("an address");
        Self { server, reads: reads.into(), issue: [issue].into() }
    }

    /// Works for so long, on a thread of its own.
    pub async fn work(&self, time: Duration) -> Latency {
        let (server, reads, issue) =
            (self.server, Arc::clone(&self.reads), Arc::clone(&self.issue));
        let work = move || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let reading = pace(server, &reads, BETWEEN_READS, time);
                let issuing = pace(server, &issue, BETWEEN_INVOICES, time);
                let (mut read, issued) = tokio::join!(reading, issuing);
                read.times.extend(issued.times);
                read.refused += issued.refused;
                read.times.sort_unstable();
                read
            })
        };
        tokio::task::spawn_blocking(work).await.expect("the good tenant works")
    }
}

/// Sends `requests` by turns. Latency counts from the planned time of a request, so a late answer
/// makes the following ones late, too.
async fn pace(
    server: SocketAddr,
    requests: &[Vec<u8>],
    between: Duration,
    time: Duration,
) -> Latency {
    let (mut latency, mut wire, start) = (Latency::default(), None, Instant::now());
    let mut due = interval(between);
    for (n, request) in requests.iter().cycle().enumerate() {
        let sent = due.tick().await;
        if start.elapsed() >= time {
            break;
        }
        if n % REQUESTS == 0 || wire.is_none() {
            wire = Wire::connect(server, ADDRESS, None).await.ok();
        }
        let answer = match &mut wire {
            Some(wire) => wire.ask(request).await,
            None => Err(std::io::ErrorKind::ConnectionRefused.into()),
        };
        latency.times.push(sent.elapsed());
        match answer {
            Ok(reply) if reply.status < 300 => {}
            Ok(reply) => {
                latency.refused += 1;
                println!("the good tenant was answered {}", reply.code());
            }
            Err(error) => {
                latency.refused += 1;
                wire = None;
                println!("the good tenant was not answered: {error}");
            }
        }
    }
    latency
}

impl Latency {
    fn at(&self, hundredths: usize) -> Duration {
        let place = self.times.len() * hundredths / 100;
        self.times.get(place).or(self.times.last()).copied().unwrap_or_default()
    }

    /// Prints a line.
    pub fn print(&self, name: &str) {
        println!(
            "good tenant {name}: {} requests, half within {:.1?}, 99 % within {:.1?}, all within \
             {:.1?}",
            self.times.len(),
            self.at(50),
            self.at(99),
            self.at(100),
        );
    }

    /// Whether 99 of 100 answers came within `most`.
    pub fn verdict(&self, what: &str, most: Duration) -> bool {
        let slow = self.at(99);
        verdict(what, &format!("{slow:.1?}"), &format!("{most:?}"), slow < most)
    }
}
