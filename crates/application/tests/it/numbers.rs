//! Numbers: without gaps, once, and as settings say.

use std::collections::BTreeSet;
use std::sync::Arc;

use racun_access::AccessError;
use racun_documents::{DocumentKind, Refused};
use racun_sales::Error;
use racun_sales::documents;
use racun_store::Context;
use serde_json::json;

use crate::fixture::{Shop, decimal, line, number_settings, request, said};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_leave_no_gap_and_no_double() {
    let shop = Arc::new(Shop::open().await);
    let tasks = (0..64).map(|n| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move {
            let mut asked = request(vec![line("Kruh", "1", "3")]);
            // Every fourth is refused, and must take no number.
            asked.expected_total_with_tax = (n % 4 == 0).then(|| decimal("100"));
            shop.create(asked).await.map(|invoice| invoice.number())
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut numbers = BTreeSet::new();
    for task in tasks {
        numbers.extend(task.await.unwrap());
    }
    let expected: BTreeSet<String> = (1..=48).map(|n| format!("2026-{n:05}")).collect();
    assert_eq!(numbers, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_issued_once_however_often_it_is_finalized() {
    let shop = Arc::new(Shop::open().await);
    let draft = shop.draft(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    let tasks = (0..8).map(|_| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move {
            let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
            documents::finalize(Context::new(store, scope, &shop.stamp), entity, draft.id, said())
                .await
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut issued = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            Ok(document) => issued.push(document.number()),
            Err(refused) => assert_eq!(refused, Error::from(Refused::NotDraft)),
        }
    }
    assert_eq!(issued, ["2026-00001"]);
    let next = shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    assert_eq!(next.number(), "2026-00002");
}

#[tokio::test]
async fn the_next_number_is_shown_and_not_taken() {
    let shop = Shop::open().await.with_settings(number_settings()).await;
    let next = || async {
        let kind = DocumentKind::Invoice;
        let of = documents::NextOf::default();
        let next = documents::next_number(&*shop.store, &shop.entity, kind, of, &shop.stamp);
        next.await.unwrap().number.unwrap()
    };
    assert_eq!(next().await, "R-26-001");
    assert_eq!(next().await, "R-26-001");
    let invoice = shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    assert_eq!(invoice.number(), "R-26-001");
    assert_eq!(next().await, "R-26-002");
}

#[tokio::test]
async fn a_sequence_starts_where_settings_say_and_never_below_a_used_number() {
    let start = |n: i64| json!({ "number_sequence_starts": { "invoice": n } });
    let shop = Shop::open().await.with_settings(start(120)).await;
    let invoice = shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    assert_eq!(invoice.number(), "2026-00120");
    match shop.set(start(119)).await.unwrap_err() {
        AccessError::Invalid(issues) => {
            let text = issues.to_string();
            assert!(text.starts_with("settings.number_sequence_starts.invoice"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    assert!(shop.set(start(120)).await.is_ok());
}

#[tokio::test]
async fn formats_that_cannot_number_are_refused() {
    let shop = Shop::open().await;
    let check = async |formats: serde_json::Value, expected: &str| match shop
        .set(formats)
        .await
        .unwrap_err()
    {
        AccessError::Invalid(issues) => {
            assert!(issues.to_string().starts_with(expected), "{issues}");
        }
        other => panic!("{other:?}"),
    };
    check(
        json!({ "number_formats": { "invoice": "R-{yyyy}" } }),
        "settings.number_formats.invoice",
    )
    .await;
    check(
        json!({ "unit_number_formats": { "invoice": "{yyyy}-{nnnnn}" } }),
        "settings.unit_number_formats.invoice",
    )
    .await;
}
