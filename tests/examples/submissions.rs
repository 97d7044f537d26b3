//! The drill of the network of electronic invoices in full size: 200 documents, ten kills, on each
//! store. `cargo run -p racun-tests --example submissions`; `-- postgres` on one of them, and
//! `-- 17` with a seed of one's own.

use racun_tests::{Random, StoreKind, SubmissionDrill};

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names = |name: &str| words.iter().any(|word| word == name);
    let both = !names("embedded") && !names("postgres");
    let seed = words.iter().find_map(|word| word.parse().ok()).unwrap_or_else(Random::any_seed);
    for (store, is_wanted) in [
        (StoreKind::Embedded, both || names("embedded")),
        (StoreKind::Postgres, both || names("postgres")),
    ] {
        if is_wanted {
            let drill = SubmissionDrill { store, rounds: 10, in_a_round: 20, seed };
            println!("{drill:?}");
            println!("{:?}", drill.play().await);
        }
    }
}
