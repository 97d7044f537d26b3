//! How long an invoice of 5 lines takes to be mapped, judged and written.
//!
//! Run with `cargo bench -p racun-einvoicing`. Fails at 1 ms of one core or more.
#![expect(clippy::unwrap_used, reason = "a measurement ends where it cannot go on")]

#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../tests/it/sample.rs"]
mod sample;

use std::hint::black_box;
use std::time::{Duration, Instant};

use racun_einvoicing::{Facts, Line, Specification, Syntax, eslog, judge, write};

const ROUNDS: usize = 200;

/// The middle of so many measurements of `work`.
fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

/// Five lines of 20, 100 before tax at `rate`.
fn invoice(rate: &str) -> Facts {
    let mut facts = sample::invoice();
    let mut line = sample::line("Kolo", "2", "10", "20");
    line.taxes[0].rate = sample::decimal(rate);
    facts.lines = (0..5).map(|_| Line::Priced(Box::new(line.clone()))).collect();
    facts.totals.taxes[0].rate = sample::decimal(rate);
    facts.totals.taxes[0].amount = sample::decimal(rate);
    facts.totals.total_with_tax = &facts.totals.total + &sample::decimal(rate);
    facts
}

fn main() {
    let facts = invoice("19");
    let mut slowest = Duration::ZERO;
    let mut show = |what: &str, time: Duration| {
        println!("{what}: {time:?}");
        slowest = slowest.max(time);
    };
    for (specification, syntax) in [
        (Specification::XRechnung, Syntax::Ubl),
        (Specification::XRechnung, Syntax::Cii),
        (Specification::En16931, Syntax::Cii),
        (Specification::Peppol, Syntax::Ubl),
    ] {
        let time = median(|| drop(black_box(write(&facts, specification, syntax).unwrap())));
        show(&format!("{specification:?} as {syntax:?}"), time);
    }
    let slovenian = invoice("22");
    show("e-SLOG", median(|| drop(black_box(eslog::write(&slovenian).unwrap()))));
    let judged = median(|| drop(black_box(judge(&facts, Specification::XRechnung))));
    println!("judged alone: {judged:?}");
    assert!(slowest < Duration::from_millis(1), "{slowest:?}");
}
