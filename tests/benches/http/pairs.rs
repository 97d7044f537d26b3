//! Issuing in a way that costs more, beside issuing the same without that.

use racun_tests::Racun;

use crate::load::Rates;
use crate::report::{aim, rates, ratio, thousandths};

/// Requests that issue: plain ones, and those that cost more.
pub struct Pair {
    address: String,
    requests: [Vec<Vec<u8>>; 2],
    words: Words,
}

/// What the figures of a pair are called, and what is aimed at.
pub struct Words {
    /// The lines of the plain way, and of the dear one: on one sequence, and on one each.
    pub lines: [[&'static str; 2]; 2],
    /// The dear way beside the plain one.
    pub beside: &'static str,
    /// All clients on one sequence, and on one each.
    pub clients: [&'static str; 2],
    /// How much of the plain rate is aimed at, in thousandths, and the same as text.
    pub least: (u64, &'static str),
}

impl Pair {
    pub fn new(racun: &Racun, requests: [Vec<Vec<u8>>; 2], words: Words) -> Self {
        Self { address: racun.address().to_owned(), requests, words }
    }

    /// Measures both three times, in turns, and prints the best of each.
    pub fn print(&self) {
        let measure = |way: usize| Rates::measure(&self.address, &self.requests[way]);
        let [mut plain, mut dear] = [0, 1].map(measure);
        for _ in 0..2 {
            (plain, dear) = (plain.best_of(measure(0)), dear.best_of(measure(1)));
        }
        let Words { lines, beside, clients: [one, each], least: (least, aimed) } = self.words;
        rates(lines[0], &plain);
        rates(lines[1], &dear);
        for (how, dear, plain) in [
            ("1 client", dear.alone, plain.alone),
            (one, dear.together, plain.together),
            (each, dear.apart, plain.apart),
        ] {
            let (dear, plain) = (dear.per_second, plain.per_second);
            let is_met = thousandths(dear, plain) >= least;
            aim(&format!("{beside}, {how}"), &ratio(dear, plain), aimed, is_met);
        }
    }
}
