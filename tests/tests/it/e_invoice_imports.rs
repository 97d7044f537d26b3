//! Received electronic invoices, by a running server.

use std::fs;

use racun_tests::{Account, Client, Racun, StoreKind, on_both_stores};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::judge::vectors;

/// Keys that import, and how much each does at once: what is answered at once for one token.
const KEYS: usize = 5;
const OF_A_KEY: usize = 4;

on_both_stores! {
    twenty_invoices_of_a_new_supplier_at_once_make_one_supplier,
    a_file_of_50_megabytes_is_refused_and_nothing_is_kept,
}

async fn twenty_invoices_of_a_new_supplier_at_once_make_one_supplier(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let sample = vectors().join("samples/peppol/valid/Allowance-example.xml");
    let sample = fs::read_to_string(sample).expect("the sample");
    let number = sample.split("<cbc:ID>").nth(1).and_then(|rest| rest.split('<').next());
    let number = number.expect("a number");
    let mut imports = JoinSet::new();
    for key in 0..KEYS {
        let wanted = json!({ "name": format!("till {key}"), "environment": "sandbox" });
        let made = account.user.create("/account/api-keys", &wanted).await;
        let api = racun.client().bearer(made["id"].as_str().expect("a key"));
        for n in 0..OF_A_KEY {
            let xml = sample.replacen(number, &format!("{number}-{key}-{n}"), 1);
            imports.spawn(import(api.clone(), xml));
        }
    }
    let (made, refused): (Vec<Value>, Vec<usize>) = imports.join_all().await.into_iter().unzip();
    println!("{} times an account had too many under way", refused.iter().sum::<usize>());
    let suppliers = account.api.all("/suppliers").await;
    assert_eq!(suppliers.len(), 1, "{suppliers:?}");
    for expense in &made {
        assert_eq!(expense["supplier_id"], suppliers[0]["id"]);
    }
    let expenses = account.api.all("/expenses").await;
    assert_eq!((made.len(), expenses.len()), (KEYS * OF_A_KEY, KEYS * OF_A_KEY));
}

/// The expense that an invoice became, and how often the account, which has two tokens' worth of
/// uploads answered at once, had too many under way: then nothing was done, and it is sent again.
async fn import(api: Client, xml: String) -> (Value, usize) {
    let mut refused = 0;
    loop {
        let answer = api.upload("/expenses/import", &[("file", xml.as_bytes())]).await;
        if answer.status != 429 {
            return (answer.expect(201), refused);
        }
        refused += 1;
        assert!(refused < 100, "{}", answer.text);
    }
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
