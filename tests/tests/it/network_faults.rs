//! Electronic invoices over the network, through kills, lost answers and refusals: each document is
//! delivered once, or failed with its reason. The example `submissions` plays it in full size.

use racun_tests::{Random, StoreKind, SubmissionDrill, on_both_stores};

on_both_stores! {
    documents_are_delivered_once_or_failed_with_their_reason,
}

async fn documents_are_delivered_once_or_failed_with_their_reason(store: StoreKind) {
    let drill = SubmissionDrill { store, rounds: 2, in_a_round: 16, seed: Random::any_seed() };
    println!("{drill:?}");
    let drilled = drill.play().await;
    println!("{drilled:?}");
    // One more is sent, whose answer is lost for certain.
    assert_eq!(drilled.delivered + drilled.failed, 33);
    assert!(drilled.delivered > 0 && drilled.failed > 0);
}
