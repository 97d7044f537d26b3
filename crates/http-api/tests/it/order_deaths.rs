//! An invoice that is made again by a worker that dies in between: the next one goes on where it
//! stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use racun_background::jobs::{Ending, Handler, Job, Outcome};
use racun_fiscalization::{FiscalAuthority, TaxAuthority};
use racun_kernel::Decimal;
use racun_store::{Read, Rows, Store, StoreDecorator, StoreError, TransactError, Unit};
use serde_json::{Value, json};

use crate::order_rules::{decimal, fiscal, reissuing, tea};
use crate::orders::{Desk, order};
use crate::portugal_orders::with_receipts;
use crate::taxpayer::Taxpayer;

/// Units that no run has.
const MANY: usize = 1_000;

/// How long a job, or a message to a tax authority, stays with a worker that died.
const LEASE_SECONDS: i64 = 180;

/// A store whose worker dies: it commits so many units, and none after them.
struct Dying {
    store: Arc<dyn Store>,
    left: AtomicUsize,
    is_dead: AtomicBool,
}

#[async_trait]
impl StoreDecorator for Dying {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let step = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, step).is_err() {
            self.is_dead.store(true, Ordering::Release);
            return Err(TransactError::Store(StoreError::Unavailable("it died".to_owned())));
        }
        self.store.transact(unit).await
    }
}

/// How an order of two pieces stands when it changes to one of so many.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Whether the shop took the money; else a person recorded 20 of it.
    by_shop: bool,
    /// Pieces that a credit note by hand gave back.
    credited: u32,
    /// Pieces that there are then.
    pieces: u32,
}

const MORE: Change = Change { by_shop: true, credited: 0, pieces: 3 };
const LESS: Change = Change { pieces: 1, ..MORE };
const CREDITED: Change = Change { credited: 1, ..MORE };
const BY_HAND: Change = Change { by_shop: false, ..MORE };
const BY_HAND_LESS: Change = Change { by_shop: false, ..LESS };

impl Desk {
    /// Runs `job` by a worker that dies behind `units` units; whether it died.
    async fn run(&self, job: &Job, units: usize) -> bool {
        let store = Arc::clone(&self.api.services.store);
        let (left, is_dead) = (AtomicUsize::new(units), AtomicBool::new(false));
        let dying = Arc::new(Dying { store, left, is_dead });
        let store: Arc<dyn Store> = dying.clone();
        let authority: Arc<dyn TaxAuthority> = match self.api.services.fiscal() {
            fiscal @ Some(_) => {
                let store = Arc::clone(&store);
                Arc::new(FiscalAuthority { store, fiscal, alone_since: None })
            }
            None => Arc::clone(&self.api.services.tax_authority),
        };
        let outcome = self.handler(store, authority).run(job).await;
        let is_dead = dying.is_dead.load(Ordering::Acquire);
        assert!(is_dead || matches!(outcome, Outcome::Ends(Ending::Done)), "it is done");
        is_dead
    }

    /// A processed order of `shop` as `change` wants it, the `n`-th one, before it changes.
    async fn processed(&self, shop: &Value, change: Change, place: &Value, n: &str) -> Value {
        let mut sold = tea(2);
        sold["source_id"] = json!(n);
        if !change.by_shop {
            (sold["payment_status"], sold["payment_method"]) = (json!("unpaid"), json!("cod"));
        }
        let made = self.post("/orders", order(shop, sold)).await.with(201).json();
        self.work().await;
        let first = self.order(&made["id"]).await;
        assert_eq!((&first["status"], &first["error"]), (&json!("processed"), &Value::Null));
        if !change.by_shop {
            let part = json!({"document_id": first["invoice_id"], "type": "cash", "amount": 20});
            self.post("/payments", part).await.with(201);
        }
        if change.credited > 0 {
            self.credit(&made, change.credited, place).await;
        }
        first
    }

    /// That the order `first` has one other invoice by now, which is paid as it should be.
    async fn has_one_invoice(&self, first: &Value, change: Change) {
        let now = self.order(&first["id"]).await;
        assert_eq!((&now["status"], &now["error"]), (&json!("processed"), &Value::Null), "{now}");
        assert_ne!(now["invoice_id"], first["invoice_id"]);
        let mut its = self.invoices().await;
        its.retain(|one| one["metadata"]["order_id"] == first["id"]);
        assert_eq!(its.len(), 2, "{its:?}");
        let new = its.iter().find(|one| one["id"] == now["invoice_id"]).unwrap();
        assert_eq!(new["voided_at"], Value::Null);
        let paid = if change.by_shop || change.pieces == 1 {
            new["total_with_tax"].clone()
        } else {
            json!(20)
        };
        assert_eq!(new["total_paid"], paid, "{new}");
    }
}

/// Changes orders as `changes` say, each in a run that dies behind no unit, one unit, two, and so
/// on, until one does not die. After each, a run goes on, and what is sold is what the orders come
/// to, with one invoice each, and money moved once.
async fn goes_on(desk: &Desk, more: Value, place: &Value, changes: &[Change]) {
    let mut rules = reissuing();
    rules["auto_process_on"] = json!("created");
    rules.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let shop = desk.integration(rules).await;
    let (mut sold, mut money) = (Decimal::zero(), Decimal::zero());
    for change in changes {
        let mut deaths = 0;
        loop {
            let number = format!("{change:?} {deaths}");
            let first = desk.processed(&shop, *change, place, &number).await;
            let changed = desk.patch(&first, tea(change.pieces)).await.with(200).json();
            let due = desk.due().await;
            assert_eq!(due.len(), 1);
            let has_died = desk.run(&due[0], deaths).await;
            if has_died {
                desk.api.pass(LEASE_SECONDS);
            }
            assert!(!desk.run(&due[0], MANY).await);
            desk.has_one_invoice(&first, *change).await;
            let total = decimal(&changed["total_with_tax"]);
            money += &if change.by_shop { total.clone() } else { Decimal::from(20) };
            sold += &total;
            assert_eq!(
                (desk.sold().await, desk.money().await),
                (sold.clone(), money.clone()),
                "{number}"
            );
            if !has_died {
                break;
            }
            deaths += 1;
        }
        assert!(deaths > 2, "{change:?} dies in between: {deaths}");
    }
}

#[actix_web::test]
async fn an_invoice_is_made_again_once_whenever_the_worker_dies() {
    let changes = [MORE, LESS, CREDITED, BY_HAND, BY_HAND_LESS];
    goes_on(&Desk::open().await, json!({}), &json!({}), &changes).await;
}

#[actix_web::test]
async fn an_invoice_of_furs_is_made_again_once_whenever_the_worker_dies() {
    let (desk, rules, place) = fiscal(Taxpayer::slovenian().await).await;
    goes_on(&desk, rules, &place, &[MORE, CREDITED, BY_HAND, BY_HAND_LESS]).await;
}

#[actix_web::test]
async fn an_invoice_of_fina_is_made_again_once_whenever_the_worker_dies() {
    let (desk, rules, place) = fiscal(Taxpayer::croatian().await).await;
    goes_on(&desk, rules, &place, &[MORE, CREDITED, BY_HAND, BY_HAND_LESS]).await;
}

#[actix_web::test]
async fn a_certified_invoice_is_made_again_once_whenever_the_worker_dies() {
    goes_on(&with_receipts().await, json!({}), &json!({}), &[MORE, LESS, BY_HAND]).await;
}
