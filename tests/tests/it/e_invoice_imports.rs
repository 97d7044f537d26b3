//! Received electronic invoices, by a running server.

use std::fs;
use std::sync::Arc;

use racun_tests::{Account, Racun, StoreKind, on_both_stores};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::judge::vectors;

/// How many uploads of one token are answered at once; more would wait, and not for ever.
const UPLOADS: usize = 4;

on_both_stores! {
    twenty_invoices_of_a_new_supplier_four_at_once_make_one_supplier,
    a_file_of_50_megabytes_is_refused_and_nothing_is_kept,
}

async fn twenty_invoices_of_a_new_supplier_four_at_once_make_one_supplier(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let sample = vectors().join("samples/peppol/valid/Allowance-example.xml");
    let sample = fs::read_to_string(sample).expect("the sample");
    let number = sample.split("<cbc:ID>").nth(1).and_then(|rest| rest.split('<').next());
    let number = number.expect("a number");
    let files: Vec<String> =
        (0..20).map(|n| sample.replacen(number, &format!("{number}-{n}"), 1)).collect();
    let places = Arc::new(Semaphore::new(UPLOADS));
    let mut imports = JoinSet::new();
    for xml in files {
        let (api, places) = (account.api.clone(), Arc::clone(&places));
        imports.spawn(async move {
            let _place = places.acquire().await;
            let answer = api.upload("/expenses/import", &[("file", xml.as_bytes())]).await;
            answer.expect(201)
        });
    }
    let made: Vec<Value> = imports.join_all().await;
    let suppliers = account.api.all("/suppliers").await;
    assert_eq!(suppliers.len(), 1, "{suppliers:?}");
    for expense in &made {
        assert_eq!(expense["supplier_id"], suppliers[0]["id"]);
    }
    assert_eq!(account.api.all("/expenses").await.len(), 20);
}

async fn a_file_of_50_megabytes_is_refused_and_nothing_is_kept(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let file = vec![b' '; 50 * 1024 * 1024];
    let refused = account.api.upload("/expenses/import", &[("file", &file)]).await;
    refused.expect(413);
    assert!(account.api.all("/expenses").await.is_empty());
    assert!(account.api.all("/files").await.is_empty());
}
