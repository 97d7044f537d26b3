//! Many documents at once, with faults and processes that die: no number is lost, and none is
//! twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration as Wait;

use racun_documents::{DocumentKind, FiscalStatus};
use racun_fiscal::{Authority, EXCHANGES, Exchange, Retry, State};
use racun_settlement::PaymentType::Cash;
use racun_store::testing::Random;
use racun_store::{ListQuery, Store, StoreError, Writes};
use racun_store_sqlite::SqliteStore;
use time::{Duration, OffsetDateTime};

use crate::fiscal::stamp_on;
use crate::fixture::NOW;
use crate::flaky::Flaky;
use crate::office::{Fiscalizing, unknown};
use crate::takings::{on_postgres, on_sqlite};

/// All invoices, by their fiscal numbers.
async fn numbers(own: &Fiscalizing) -> BTreeMap<i64, FiscalStatus> {
    let table = racun_documents::table_of(DocumentKind::Invoice);
    let query = ListQuery { limit: 1000, ..ListQuery::first_page(table) };
    let tenant = own.shop.scope.tenant();
    let page = own.shop.store.page::<racun_documents::Document>(table, &tenant, &query).await;
    let rows = page.unwrap().rows;
    let count = rows.len();
    let numbers: BTreeMap<i64, FiscalStatus> = rows
        .iter()
        .map(|document| {
            let fiscal = document.fiscal.as_ref().unwrap();
            (fiscal.record.as_ref().unwrap().number, fiscal.status)
        })
        .collect();
    assert_eq!(numbers.len(), count, "a number is there twice");
    numbers
}

async fn exchanges(own: &Fiscalizing) -> Vec<Exchange> {
    let query = ListQuery { limit: 1000, ..ListQuery::first_page(&EXCHANGES) };
    own.shop.store.page(&EXCHANGES, &own.shop.scope.tenant(), &query).await.unwrap().rows
}

/// Asserts that numbers run from 1 without gaps, and that each document has its exchange.
async fn has_no_gaps(own: &Fiscalizing) -> BTreeMap<i64, FiscalStatus> {
    let numbers = numbers(own).await;
    let last = i64::try_from(numbers.len()).unwrap();
    assert!(numbers.keys().copied().eq(1..=last), "{numbers:?}");
    assert_eq!(exchanges(own).await.len(), numbers.len());
    numbers
}

/// What an authority may do to a message.
fn script(own: &Fiscalizing, random: &mut Random, messages: usize) {
    for _ in 0..messages {
        match random.below(7) {
            0 => own.office.then_is_silent(),
            1 => own.office.then_refuses("S100"),
            2 => own.office.then_refuses("s001"),
            3 => own.office.then(async { Ok(racun_fiscal::Reply::Confirmed(None)) }),
            4 => own.office.then(async {
                for _ in 0..200 {
                    tokio::task::yield_now().await;
                }
                unknown("slow, then gone")
            }),
            n => own.office.then_confirms(&format!("of-script-{n}")),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_at_once_take_sixteen_numbers_in_a_row() {
    for authority in [Authority::Furs, Authority::Fina] {
        for postgres in [false, true] {
            let (store, _database): (Arc<dyn Store>, _) = match postgres {
                false => (on_sqlite(), None),
                true => {
                    let (store, database) = on_postgres().await;
                    (store, Some(database))
                }
            };
            let mut own = Fiscalizing::open(authority, store, stamp_on(postgres)).await;
            own.fiscal.retry = Retry { initial: Wait::ZERO, max: Wait::ZERO };
            let mut random = Random::new(7);
            script(&own, &mut random, 40);
            let own = Arc::new(own);
            for _ in 0..3 {
                let sales = (0..16).map(|n| {
                    let own = Arc::clone(&own);
                    tokio::spawn(async move {
                        // Every fourth is refused, and takes nothing.
                        let place = racun_fiscalization::FursRequest {
                            business_premise_name: (n % 4 == 0).then(|| "P9".to_owned()),
                            ..Default::default()
                        };
                        let said = racun_fiscalization::FiscalRequest {
                            fina: racun_fiscalization::FinaRequest {
                                business_premise_name: place.business_premise_name.clone(),
                                ..Default::default()
                            },
                            furs: place,
                            ..Default::default()
                        };
                        own.sell(&[Cash], said).await.is_ok()
                    })
                });
                let mut sold = 0;
                for sale in sales.collect::<Vec<_>>() {
                    sold += usize::from(sale.await.unwrap());
                }
                assert_eq!(sold, 12);
            }
            assert_eq!(has_no_gaps(&own).await.len(), 36);
            let now = || OffsetDateTime::from(std::time::SystemTime::now()).max(NOW);
            for _ in 0..20 {
                own.work(now()).await;
            }
            let left = numbers(&own).await;
            let is_open = |status: &FiscalStatus| *status == FiscalStatus::Pending;
            assert!(!left.values().any(is_open), "what can be delivered is: {left:?}");
        }
    }
}

/// Dies after each possible number of steps: the future is dropped where it waits for the `n`-th
/// time.
async fn dies_after(
    own: &Fiscalizing,
    polls: usize,
) -> Option<Result<racun_documents::Document, racun_sales::Error>> {
    let sale = own.sell(&[Cash], Default::default());
    let mut sale = std::pin::pin!(sale);
    let mut left = polls;
    std::future::poll_fn(move |context| {
        if left == 0 {
            return std::task::Poll::Ready(None);
        }
        left -= 1;
        let polled = sale.as_mut().poll(context);
        match polled {
            std::task::Poll::Ready(done) => std::task::Poll::Ready(Some(done)),
            std::task::Poll::Pending => std::task::Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn a_process_killed_at_any_step_leaves_no_gap_and_nothing_unsent() {
    for authority in [Authority::Furs, Authority::Fina] {
        let own = Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await;
        let mut finished = false;
        for polls in 0..200 {
            // The answer takes more steps than the store's speed makes of difference from run to
            // run.
            own.office.then(async {
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                }
                unknown("it did not arrive")
            });
            finished = dies_after(&own, polls).await.is_some();
            own.office.forget();
            if finished {
                break;
            }
        }
        assert!(finished, "some run comes to its end");
        // A unit that was begun is finished even when its caller died: before this one, which
        // stands behind it in the queue.
        let behind = |_| Ok::<_, StoreError>(((), Writes::default()));
        own.shop.store.decide(Vec::new(), None, behind).await.unwrap();
        let numbers = has_no_gaps(&own).await;
        assert!(numbers.len() > 1, "some died after the commit: {numbers:?}");
        let report = own.work(NOW + Duration::DAY).await;
        assert_eq!((report.attempts, report.done), (numbers.len(), numbers.len()), "{report:?}");
        let all = exchanges(&own).await;
        assert!(all.iter().all(|exchange| exchange.state == State::Confirmed));
        let late = own.office.heard();
        assert!(late.iter().rev().take(numbers.len()).all(|heard| heard.is_late()));
    }
}

#[tokio::test]
async fn a_store_that_fails_after_any_unit_leaves_each_document_whole_or_not_at_all() {
    for written in [false, true] {
        for units in 0..4 {
            let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
            let store = Arc::new(Flaky::new(store));
            let port: Arc<dyn Store> = Arc::<Flaky<SqliteStore>>::clone(&store);
            let own = Fiscalizing::open(Authority::Furs, port, stamp_on(false)).await;
            store.fail_after(units, written);
            let sold = own.sell(&[Cash], Default::default()).await;
            store.heal();
            assert_eq!(sold.is_ok(), units > 0, "the document is the first unit");
            let expected = usize::from(units > 0 || written);
            assert_eq!(has_no_gaps(&own).await.len(), expected, "{units} {written}");
            own.work(NOW + Duration::DAY).await;
            let numbers = numbers(&own).await;
            assert!(numbers.values().all(|status| *status == FiscalStatus::Success));
            let next = own.invoice().await;
            assert_eq!(next.fiscal_record().unwrap().number, i64::try_from(expected).unwrap() + 1);
        }
    }
}
