//! What is printed, and whether all aims were met. Ratios are counted in thousandths, with whole
//! numbers.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::load::{Rate, Rates};
use crate::{CLIENTS, told};

/// Aims so far that were not met.
static MISSED: AtomicUsize = AtomicUsize::new(0);

/// The table's head.
pub fn head(title: &str) {
    println!("\n{title:<52} {:>10} {:>10} {:>10}", "per second", "median µs", "99 % µs");
}

/// A line of the table; answers the rate for ratios.
pub fn line(name: &str, rate: Rate) -> u64 {
    println!("{name:<52} {:>10} {:>10} {:>10}", rate.per_second, rate.median, rate.slow);
    rate.per_second
}

/// Three lines: what is done to one by one client and by all of them, and to one by each.
pub fn rates([one, each]: [&str; 2], rates: &Rates) {
    line(&told(one, 1), rates.alone);
    line(&told(one, CLIENTS), rates.together);
    line(&told(each, CLIENTS), rates.apart);
}

/// A line without single times.
pub fn bare_line(name: &str, per_second: u64) {
    println!("{name:<52} {per_second:>10}");
}

/// `part` of `whole`, as `0.640`.
pub fn ratio(part: u64, whole: u64) -> String {
    let thousandths = thousandths(part, whole);
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

/// `part` of `whole` in thousandths.
pub const fn thousandths(part: u64, whole: u64) -> u64 {
    match (part * 1_000).checked_div(whole) {
        Some(thousandths) => thousandths,
        None => 0,
    }
}

/// A line that says what was aimed at and whether it was met.
pub fn aim(what: &str, found: &str, aimed: &str, is_met: bool) {
    let verdict = if is_met { "met" } else { "NOT MET" };
    println!("{what:<60} {found:>10}   aim {aimed:<10} {verdict}");
    if !is_met {
        MISSED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Says how many aims were not met; answers success when all were.
pub fn end() -> ExitCode {
    match MISSED.load(Ordering::Relaxed) {
        0 => ExitCode::SUCCESS,
        missed => {
            println!("aims that are NOT MET: {missed}");
            ExitCode::FAILURE
        }
    }
}

/// What was done beside the bare transaction, and whether that is enough.
pub fn beside(what: &str, rate: u64, bare: u64) {
    aim(what, &ratio(rate, bare), ">= 0.6", thousandths(rate, bare) >= 600);
}

/// Three lines on what lists cost: what is done with their indexes (0) beside without (1), of which
/// at most a tenth may be lost. Both are measured twice, in turns.
pub fn cost(what: &str, measure: impl Fn(usize) -> Rates) {
    let [with, without] = [0, 1].map(&measure);
    let (with, without) = (with.best_of(measure(0)), without.best_of(measure(1)));
    let lines = [
        ("one by one", with.alone, without.alone),
        ("16 clients, on one", with.together, without.together),
        ("16 clients, on one each", with.apart, without.apart),
    ];
    for (how, with, without) in lines {
        let (with, without) = (with.per_second, without.per_second);
        let is_met = thousandths(with, without) >= 900;
        aim(&format!("{what}, {how} ({without}/s)"), &ratio(with, without), ">= 0.9", is_met);
    }
}
