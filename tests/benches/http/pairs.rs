//! Issuing in a way that costs more, beside issuing the same without that.

use racun_tests::Racun;

use crate::load::{Rate, Rates};
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

    /// Measures both in turns, prints the best of each, and the one beside the other.
    pub fn print(&self) {
        let mut turns = Turns::default();
        for round in 0..ROUNDS {
            let [plain, dear] = [0, 1]
                .map(|way: usize| Rates::measure_from(round, &self.address, &self.requests[way]));
            turns.add(plain, dear);
        }
        let Words { lines, beside, clients: [one, each], least } = self.words;
        rates(lines[0], &turns.best(0));
        rates(lines[1], &turns.best(1));
        turns.print(["1 client", one, each].map(|how| format!("{beside}, {how}")), least);
    }
}

/// Rounds in which two ways are measured: each of the three rates comes first in four of them. With
/// half as many, the rates of two ways that are alike came out 0.06 apart.
pub const ROUNDS: usize = 12;

/// What two ways reach that are measured in turns: a plain one, and a dear one. What disturbs the
/// machine for a minute meets both.
#[derive(Default)]
pub struct Turns([Vec<Rates>; 2]);

impl Turns {
    /// Adds a round.
    pub fn add(&mut self, plain: Rates, dear: Rates) {
        self.0[0].push(plain);
        self.0[1].push(dear);
    }

    /// The fastest of each rate that one `way` reached in any round.
    fn best(&self, way: usize) -> Rates {
        self.0[way].iter().copied().reduce(Rates::best_of).expect("a round")
    }

    /// Prints what the dear way answered of what the plain one did, in all rounds together: for one
    /// client, all on one, and all on one each, which are called `what`.
    pub fn print(&self, what: [String; 3], (least, aimed): (u64, &str)) {
        let of: [fn(&Rates) -> Rate; 3] = [|all| all.alone, |all| all.together, |all| all.apart];
        for (what, of) in what.iter().zip(of) {
            let [plain, dear] = [0, 1].map(|way: usize| -> u64 {
                self.0[way].iter().map(|rates| of(rates).per_second).sum()
            });
            aim(what, &ratio(dear, plain), aimed, thousandths(dear, plain) >= least);
        }
    }
}
