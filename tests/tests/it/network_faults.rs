//! Electronic invoices over the network, through kills, lost answers and refusals: each document is
//! delivered once, or failed with its reason. The example `submissions` plays it in full size.

use std::fs;
use std::path::PathBuf;

use racun_tests::{Random, StoreKind, SubmissionDrill, on_both_stores};

use crate::judge::judge;

on_both_stores! {
    documents_are_delivered_once_or_failed_with_their_reason,
}

async fn documents_are_delivered_once_or_failed_with_their_reason(store: StoreKind) {
    let drill = SubmissionDrill { store, rounds: 3, in_a_round: 20, seed: Random::any_seed() };
    println!("{drill:?}");
    let drilled = drill.play().await;
    println!("{drilled:?}");
    // One more is sent, whose answer is lost for certain.
    assert_eq!(drilled.delivered + drilled.failed, 61);
    assert!(drilled.delivered > 0 && drilled.failed > 0);
    // The simulator judges by our rules; what it took is valid by the official ones, too.
    let folder = tempfile::tempdir().expect("a folder");
    let files = drilled.taken.0.iter().enumerate().map(|(n, xml)| {
        let file = folder.path().join(format!("{n}.xml"));
        fs::write(&file, xml).expect("a file");
        ("peppol", file)
    });
    let files: Vec<(&str, PathBuf)> = files.collect();
    assert!(files.len() >= drilled.delivered, "{} files", files.len());
    let Some(said) = judge(&files) else { return };
    for (file, said) in said {
        let fatal: Vec<_> = said.iter().filter(|one| one.level == "fatal").collect();
        assert!(fatal.is_empty(), "{}: {fatal:#?}", file.display());
    }
}
