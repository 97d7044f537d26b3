//! The drill: one good tenant beside everything that a stranger can send, on a server with its
//! default limits.
//!
//! `just drill` takes ten minutes for each store, `just drill 60 embedded` a minute for one. The
//! attacks run at once: huge documents and lists that are read slowly, by one free sign-up; 5,000
//! connections that stall; log-ins, sign-ups and mails of sixty addresses; uploads up to the
//! storage budget and forms that do not end. The drill ends with a verdict on the good tenant's
//! latency and on the memory of the process.
//!
//! The load generator shares the machine with the server. It is one process: the good tenant has a
//! thread of its own, and all attackers share another.

mod attacks;
mod good;
mod tally;
mod wire;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use racun_test_postgres::{Cluster, Durability};
use racun_tests::{Account, Data, Profile, Racun, Settings};
use tokio::runtime::Builder;

use attacks::{STALLED, Target};
use good::{Good, Latency};
use tally::Tally;

/// Seconds of a drill on one store, unless the command line says otherwise.
const SECONDS: u64 = 600;

/// What the good tenant may wait for 99 of 100 answers: beside everything, and beside connections
/// that stall.
const MOST_BESIDE_ALL: Duration = Duration::from_millis(100);
const MOST_BESIDE_STALLED: Duration = Duration::from_millis(50);

/// Bytes that the process may have in memory.
const MOST_BYTES: u64 = 300_000_000;

/// What the command line asks for.
struct Wanted {
    seconds: u64,
    profile: Profile,
    embedded: bool,
    postgres: bool,
}

impl Wanted {
    fn read() -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let names = |name: &str| words.iter().any(|word| word == name);
        let both = !names("embedded") && !names("postgres");
        Self {
            seconds: words.iter().find_map(|word| word.parse().ok()).unwrap_or(SECONDS),
            profile: if names("debug") { Profile::Debug } else { Profile::Release },
            embedded: both || names("embedded"),
            postgres: both || names("postgres"),
        }
    }
}

fn main() -> ExitCode {
    let wanted = Wanted::read();
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().expect("threads");
    let mut is_good = true;
    if wanted.embedded {
        is_good &= runtime.block_on(drill("embedded store", &wanted, Data::Folder));
    }
    if wanted.postgres {
        match Cluster::start(Durability::Durable) {
            Ok(cluster) => {
                let data = Data::Url(cluster.url("postgres"));
                is_good &= runtime.block_on(drill("PostgreSQL", &wanted, data));
            }
            Err(error) => println!("no PostgreSQL here, so not on it: {error:#}"),
        }
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The settings that a server has by default, which the tests' harness changes.
fn defaults() -> Settings {
    let defaults = [
        ("RACUN__RATE_LIMITS__ENABLED", "true"),
        ("RACUN__STORAGE__PER_UNVERIFIED_ACCOUNT", "50MB"),
    ];
    defaults.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// A drill on one store; whether all aims are met.
async fn drill(name: &str, wanted: &Wanted, data: Data) -> bool {
    let racun = Racun::start_with(wanted.profile, data, defaults()).await;
    let good = Account::sign_up(&racun).await;
    good.verify(&racun).await;
    // One for documents and lists, one for uploads, one for forms that do not end.
    let mut strangers = [good.clone(), good.clone(), good.clone()];
    for stranger in &mut strangers {
        *stranger = Account::sign_up(&racun).await;
    }
    let good = Good::open(&racun, good).await;
    println!("\n{name}, {} s; resident memory before: {}", wanted.seconds, megabytes(&racun));

    let part = Duration::from_secs((wanted.seconds / 10).max(5));
    let alone = good.work(part).await;
    alone.print("alone");

    let tally = Tally::default();
    let server: SocketAddr = racun.address().parse().expect("an address");
    let target = Target { server, tally: tally.clone() };
    let stalling = target.stall();
    target.wait_until_stalled().await;
    let beside_stalled = good.work(part).await;
    beside_stalled.print(&format!("beside {STALLED} connections that stall"));
    println!("resident memory: {}", megabytes(&racun));

    let attacks = target.attack(&strangers);
    let rest = Duration::from_secs(wanted.seconds).saturating_sub(part * 2).max(part);
    let beside_all = good.work(rest).await;
    beside_all.print("beside everything");
    let resident = megabytes(&racun);
    drop((attacks, stalling));

    let peak = racun.most_resident();
    println!("resident memory at the end: {resident}");
    tally.print();
    let verdicts = [
        beside_stalled.verdict("99 % beside stalled connections", MOST_BESIDE_STALLED),
        beside_all.verdict("99 % beside everything", MOST_BESIDE_ALL),
        verdict("peak of resident memory", &format!("{} MB", peak / 1_000_000), "300 MB", {
            peak < MOST_BYTES
        }),
        answered(&[&alone, &beside_stalled, &beside_all]),
    ];
    verdicts.into_iter().all(|is_met| is_met)
}

/// Whether the good tenant was answered what it asked for.
fn answered(latencies: &[&Latency]) -> bool {
    let refused: usize = latencies.iter().map(|latency| latency.refused).sum();
    verdict(
        "requests of the good tenant that were refused",
        &refused.to_string(),
        "1",
        refused == 0,
    )
}

/// A line that says what was aimed at, and whether it was met.
fn verdict(what: &str, found: &str, below: &str, is_met: bool) -> bool {
    let met = if is_met { "met" } else { "NOT MET" };
    println!("{what:<50} {found:>10}   aim < {below:<8} {met}");
    is_met
}

fn megabytes(racun: &Racun) -> String {
    format!("{} MB", racun.resident() / 1_000_000)
}
