//! Invoices whose due date has passed: one event for each.

use std::sync::{Arc, Mutex};

use racun_background::clock::Clock;
use racun_background::consumer::{LogConsumer, Step, read};
use racun_background::jobs::{self, JOBS, JobKind};
use racun_documents::Document;
use racun_kernel::{Patch, Stamp, Tenant};
use racun_sales::documents::{DocumentRequest, Edit, update};
use racun_sales::overdue::{OverdueHandler, OverdueReader};
use racun_sales::payments;
use racun_settlement::{NewPayment, PaymentType};
use racun_store::{Context, ListQuery};
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};

use crate::fixture::{NOW, Shop, line, request};

/// The first moment at which 25 November has passed everywhere.
const PASSED: OffsetDateTime = datetime!(2026-11-26 12:00 UTC);

struct World {
    shop: Shop,
    now: Arc<Mutex<OffsetDateTime>>,
    clock: Clock,
}

impl World {
    async fn open() -> Self {
        let shop = Shop::open().await;
        let now = Arc::new(Mutex::new(NOW));
        let (at, stamp) = (Arc::clone(&now), shop.stamp.clone());
        let clock: Clock = Arc::new(move || stamp.at(*at.lock().unwrap()));
        Self { shop, now, clock }
    }

    async fn invoice(&self, due: Date) -> Document {
        let new = request(vec![line("Kruh", "1", "100")]);
        let new = DocumentRequest { date_due: Patch::Value(due), ..new };
        self.shop.create(new).await.unwrap()
    }

    async fn pay(&self, invoice: &Document) -> racun_settlement::Payment {
        let new = NewPayment {
            document_id: Some(invoice.id.to_string()),
            amount: Some("122".parse().unwrap()),
            ..NewPayment::new(PaymentType::BankTransfer)
        };
        let Shop { store, scope, entity, stamp } = &self.shop;
        payments::record(Context::new(&**store, scope, stamp), entity, new).await.unwrap()
    }

    fn stamp(&self) -> Stamp {
        (self.clock)()
    }

    /// Reads all that is new and does all that is due at `now`. Answers which invoices were told
    /// of.
    async fn work(&self, now: OffsetDateTime) -> Vec<String> {
        *self.now.lock().unwrap() = now;
        let store = &self.shop.store;
        let seen = self.told().await.len();
        let reader = OverdueReader { store: Arc::clone(store), stamp: Arc::clone(&self.clock) };
        let step = async || {
            read(&**store, reader.name(), 50, &self.stamp(), |entries| reader.handle(entries)).await
        };
        while let Step::Read { .. } = step().await.unwrap() {}
        let handler = OverdueHandler { store: Arc::clone(store), stamp: Arc::clone(&self.clock) };
        let kinds = [JobKind::InvoiceOverdue];
        for job in jobs::claim(&**store, &kinds, &self.stamp(), 100).await.unwrap() {
            let clock = || self.stamp();
            jobs::perform(&**store, &handler, &job, &clock).await.unwrap();
        }
        self.told().await.split_off(seen)
    }

    async fn told(&self) -> Vec<String> {
        let all = self.shop.logged(0).await;
        let overdue = all.into_iter().filter(|one| one.activity.kind == "invoice.overdue");
        overdue
            .map(|logged| {
                let invoice: Document = serde_json::from_str(&logged.snapshot.unwrap()).unwrap();
                assert_eq!(invoice.id.to_string(), logged.activity.resource_id);
                logged.activity.resource_id
            })
            .collect()
    }

    async fn jobs(&self) -> i64 {
        let query = ListQuery::first_page(&JOBS);
        self.shop.store.list(&JOBS, &Tenant::directory(), &query).await.unwrap().1
    }
}

#[tokio::test]
async fn an_unpaid_invoice_is_reported_once_after_its_due_day() {
    let world = World::open().await;
    let invoice = world.invoice(date!(2026 - 11 - 25)).await;
    let paid = world.invoice(date!(2026 - 11 - 25)).await;
    world.pay(&paid).await;
    assert_eq!(world.work(PASSED - time::Duration::SECOND).await, [""; 0]);
    assert_eq!(world.work(PASSED).await, [invoice.id.to_string()]);
    for days in [0, 1, 30] {
        assert_eq!(world.work(PASSED + time::Duration::days(days)).await, [""; 0]);
    }
    assert_eq!(world.jobs().await, 0);
}

#[tokio::test]
async fn an_invoice_with_a_later_due_day_is_reported_later() {
    let world = World::open().await;
    let invoice = world.invoice(date!(2026 - 11 - 25)).await;
    let later = DocumentRequest {
        date_due: Patch::Value(date!(2026 - 12 - 25)),
        ..DocumentRequest::default()
    };
    let Shop { store, scope, entity, stamp } = &world.shop;
    let edit = Edit::default();
    update(Context::new(&**store, scope, stamp), entity, invoice.id, later, edit).await.unwrap();
    assert_eq!(world.work(PASSED).await, [""; 0]);
    let then = PASSED + time::Duration::days(30);
    assert_eq!(world.work(then - time::Duration::SECOND).await, [""; 0]);
    assert_eq!(world.work(then).await, [invoice.id.to_string()]);
    assert_eq!(world.work(then).await, [""; 0]);
}

#[tokio::test]
async fn an_invoice_whose_payment_goes_is_overdue_after_all() {
    let world = World::open().await;
    let invoice = world.invoice(date!(2026 - 11 - 25)).await;
    let payment = world.pay(&invoice).await;
    assert_eq!(world.work(PASSED).await, [""; 0]);
    let Shop { store, scope, entity, stamp } = &world.shop;
    payments::trash(Context::new(&**store, scope, stamp), entity, payment.id).await.unwrap();
    assert_eq!(world.work(PASSED).await, [invoice.id.to_string()]);
    assert_eq!(world.work(PASSED).await, [""; 0]);
}
