//! Documents as PDF beside other requests, and exports of many rows.

use std::time::{Duration, Instant};

use racun_tests::{Account, Data, Profile, Racun, with_query};
use serde_json::Value;

use crate::load::{MEASURED, Rate, measure, measure_for, request};
use crate::report::{aim, line, ratio};
use crate::{INVOICE, MANY_INVOICES, resident, seed};

/// Clients that have documents printed, one after the other.
const PRINTING: usize = 4;

/// How often reading is measured, alone and beside printing.
const ROUNDS: usize = 3;

async fn with_invoice(racun: &Racun) -> (Account, String) {
    let account = Account::sign_up(racun).await;
    let invoice: Value = serde_json::from_str(INVOICE).expect("the invoice is JSON");
    let made = account.api.create("/invoices", &invoice).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    (account, id)
}

/// What reading an invoice takes while four others have one printed: these never wait for those.
pub async fn beside_reading() {
    let racun = Racun::start_on(Profile::Release, Data::Folder).await;
    let (account, id) = with_invoice(&racun).await;
    let get = [request("GET", &format!("/invoices/{id}"), &account.key, "")];
    let print = request("GET", &format!("/documents/{id}/pdf"), &account.key, "");
    let print = vec![print; PRINTING];
    let address = racun.address();
    println!();
    line("PDF, 1 client", measure(address, &print[..1]));
    line("PDF, 4 clients", measure(address, &print));
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let alone = measure(address, &get);
        rounds.push((alone, while_printing(address, &print, &get)));
    }
    // The middle round counts: the best one may be luck.
    let middle = |rate: fn(&(Rate, Rate)) -> Rate| {
        let mut rates: Vec<_> = rounds.iter().map(rate).collect();
        rates.sort_unstable_by_key(|rate| rate.slow);
        rates[ROUNDS / 2]
    };
    let (alone, beside) = (middle(|round| round.0), middle(|round| round.1));
    line("GET of an invoice, 1 client", alone);
    line("the same beside 4 that print", beside);
    let times = ratio(beside.slow, alone.slow);
    aim("99 % beside 4 that print, times that of alone", &times, "<= 2", {
        beside.slow <= alone.slow * 2
    });
    let memory = resident(&racun);
    aim("resident memory after that", &format!("{memory} kB"), "< 200 MB", memory < 200_000);
}

/// What `get` takes while `print` is under way, before, and after.
fn while_printing(address: &str, print: &[Vec<u8>], get: &[Vec<u8>]) -> Rate {
    std::thread::scope(|scope| {
        let printing = scope.spawn(|| measure_for(MEASURED * 2, address, print));
        let rate = measure(address, get);
        assert!(!printing.is_finished(), "printing ended before reading did");
        printing.join().expect("documents are printed");
        rate
    })
}

/// The export of a hundred thousand invoices: time and the most memory.
pub async fn exporting() {
    let mut racun = Racun::start_on(Profile::Release, Data::Folder).await;
    let (account, id) = with_invoice(&racun).await;
    racun.kill9();
    println!();
    {
        let store = seed::embedded(racun.folder());
        seed::fill_with(&*store, &account.entity, &id, MANY_INVOICES, seed::varied).await;
    }
    for (format, most) in [("xlsx", Duration::from_secs(10)), ("csv", Duration::from_secs(10))] {
        // The most memory is counted from the start.
        racun.restart().await;
        let account = account.at(&racun);
        let before = racun.most_resident() / 1_000;
        let path = with_query("/documents/export", &[("type", "invoice"), ("format", format)]);
        let began = Instant::now();
        let bytes = account.api.file(&path).await.len();
        let took = began.elapsed();
        let memory = racun.most_resident() / 1_000;
        println!("{format}: {} kB; the most memory before was {before} kB", bytes / 1_000);
        let time = format!("{} ms", took.as_millis());
        let aimed = format!("< {} s", most.as_secs());
        aim(&format!("{MANY_INVOICES} invoices as {format}"), &time, &aimed, took < most);
        let found = format!("{memory} kB");
        aim("most resident memory while it is made", &found, "< 150 MB", memory < 150_000);
    }
}
