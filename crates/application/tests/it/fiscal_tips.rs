//! Tips on Croatian receipts: reported once CIS has the receipt, all of a receipt together, and
//! again when they change.

use std::sync::{Arc, Mutex};

use racun_background::jobs::{self, Ending, JOBS, Job, JobKind};
use racun_documents::{Document, DocumentKind, TipReport};
use racun_fiscal::fina::PaymentMeans::{self, G, K, O};
use racun_fiscal::{Authority, LEASE, Message, Patience, Retry};
use racun_fiscalization::{NoAuthority, TaxAuthority};
use racun_fiscalization::{TIP_WINDOW_EXPIRED, TipsHandler};
use racun_kernel::{Decimal, Patch, Tenant};
use racun_sales::Error;
use racun_sales::documents::Creation;
use racun_sales::payments;
use racun_settlement::PaymentType::{self, Card, Cash};
use racun_settlement::{NewPayment, Payment, PaymentPatch, Tender};
use racun_store::{Context, ListQuery};
use racun_test_postgres::Database;
use time::{Duration, OffsetDateTime};

use crate::fiscal::stamp_on;
use crate::fixture::decimal;
use crate::jobs::stores;
use crate::office::{Fiscalizing, fiscal, worth_100};

/// A shop in Croatia that reports its tips.
struct Till {
    own: Fiscalizing,
    /// The time of the test; on PostgreSQL the time is its server's.
    now: Option<Arc<Mutex<OffsetDateTime>>>,
}

/// A tip as reported to CIS.
type Told = (Decimal, PaymentMeans);

fn told(amount: &str, means: PaymentMeans) -> Told {
    (decimal(amount), means)
}

impl Till {
    async fn open(postgres: bool, store: Arc<dyn racun_store::Store>, age: Duration) -> Self {
        let stamp = stamp_on(postgres);
        let stamp = stamp.at(stamp.now() - age);
        let mut own = Fiscalizing::open(Authority::Fina, store, stamp).await;
        // Nothing waits, for the time on PostgreSQL is its own.
        let zero = std::time::Duration::ZERO;
        own.fiscal.retry = Retry { initial: zero, max: zero };
        let now = own.shop.stamp.now() + age;
        Self { own, now: (!postgres).then(|| Arc::new(Mutex::new(now))) }
    }

    /// One on each store, whose receipts are `age` old.
    async fn everywhere(age: Duration) -> Vec<(Self, Option<Database>)> {
        let mut all = Vec::new();
        for (store, database) in stores().await {
            all.push((Self::open(database.is_some(), store, age).await, database));
        }
        all
    }

    fn now(&self) -> OffsetDateTime {
        match &self.now {
            Some(now) => *now.lock().unwrap(),
            None => OffsetDateTime::from(std::time::SystemTime::now()),
        }
    }

    fn passes(&self, time: Duration) {
        if let Some(now) = &self.now {
            *now.lock().unwrap() += time;
        }
    }

    fn handler(&self) -> TipsHandler {
        let (stamp, now) = (self.own.shop.stamp.clone(), self.now.clone());
        let at = move || match &now {
            Some(now) => *now.lock().unwrap(),
            None => OffsetDateTime::from(std::time::SystemTime::now()),
        };
        TipsHandler {
            store: Arc::clone(&self.own.shop.store),
            fiscal: self.own.fiscal.clone(),
            stamp: Arc::new(move || stamp.at(at())),
        }
    }

    async fn claim(&self) -> Vec<Job> {
        let (store, stamp) = (&*self.own.shop.store, self.own.at(self.now()));
        jobs::claim(store, &[JobKind::FiscalTips], &stamp, 10).await.unwrap()
    }

    async fn perform(&self, job: &Job) -> Option<Ending> {
        let (store, handler) = (&*self.own.shop.store, self.handler());
        jobs::perform(store, &handler, job, &|| self.own.at(self.now())).await.unwrap()
    }

    /// Does all that is due, once; answers how what was given up ended.
    async fn step(&self) -> Vec<Ending> {
        let mut ended = Vec::new();
        for job in self.claim().await {
            ended.extend(self.perform(&job).await);
        }
        ended
    }

    /// Does all that is due until nothing is.
    async fn work(&self) {
        for _ in 0..10 {
            let due = self.claim().await;
            if due.is_empty() {
                return;
            }
            for job in due {
                self.perform(&job).await;
            }
        }
        panic!("something is always due");
    }

    async fn jobs(&self) -> Vec<Job> {
        let store = &*self.own.shop.store;
        let query = ListQuery::first_page(&JOBS);
        store.page(&JOBS, &Tenant::directory(), &query).await.unwrap().rows
    }

    /// A receipt of 122 that is paid in cash, with `tip`.
    async fn sell(&self, tip: &str) -> Document {
        let creation = Creation { payments: vec![with_tip(Cash, tip)], ..Creation::default() };
        let stamp = &self.own.shop.stamp;
        self.own.make(DocumentKind::Invoice, worth_100(), creation, stamp).await.unwrap()
    }

    async fn pay(&self, invoice: &Document, kind: PaymentType, amount: &str, tip: &str) -> Payment {
        let new = NewPayment {
            document_id: Some(invoice.id.to_string()),
            amount: Some(decimal(amount)),
            ..with_tip(kind, tip)
        };
        let shop = &self.own.shop;
        payments::record(shop.cx(), &shop.entity, new).await.unwrap()
    }

    async fn change(&self, payment: &Payment, patch: PaymentPatch) -> Result<Payment, Error> {
        let shop = &self.own.shop;
        let authority: Arc<dyn TaxAuthority> = Arc::new(NoAuthority);
        let (scope, entity, stamp) = (&shop.scope, &shop.entity, &shop.stamp);
        payments::change(
            Context::new(&*shop.store, scope, stamp),
            &authority,
            entity,
            payment.id,
            patch,
        )
        .await
    }

    async fn tip(&self, payment: &Payment, tip: &str) {
        let patch = PaymentPatch { tip: Patch::Value(decimal(tip)), ..PaymentPatch::default() };
        self.change(payment, patch).await.unwrap();
    }

    async fn trash(&self, payment: &Payment) {
        let shop = &self.own.shop;
        let (store, stamp) = (&*shop.store, &shop.stamp);
        payments::trash(Context::new(store, &shop.scope, stamp), &shop.entity, payment.id)
            .await
            .unwrap();
    }

    async fn payment(&self, invoice: &Document) -> Payment {
        let all = self.own.payments_of(invoice).await;
        all.into_iter().find(|payment| payment.kind == Cash).unwrap()
    }

    /// The tips reported to CIS since the last call.
    fn told(&self) -> Vec<Told> {
        let tips = self.own.office.heard().into_iter().filter_map(|heard| match heard.message {
            Message::FinaTip(tip) => {
                assert_eq!(heard.patience, Patience::Background);
                Some((tip.amount, tip.means))
            }
            _ => None,
        });
        tips.collect()
    }

    async fn report(&self, invoice: &Document) -> TipReport {
        *fiscal(&self.own.reread(invoice).await).tips.clone().unwrap()
    }
}

fn with_tip(kind: PaymentType, tip: &str) -> NewPayment {
    let tender = Tender { tip: Some(decimal(tip)), ..Tender::default() };
    NewPayment { tender, ..NewPayment::new(kind) }
}

#[tokio::test]
async fn the_tips_of_a_receipt_are_reported_once_together_and_again_when_they_change() {
    for (till, _database) in Till::everywhere(Duration::ZERO).await {
        let invoice = till.sell("3").await;
        let before = till.report(&invoice).await;
        assert!(!before.is_confirmed(), "noted by the unit that sells");
        assert_eq!(till.jobs().await[0].subject, invoice.id.to_string());
        till.work().await;
        assert_eq!(till.told(), [told("3.00", G)]);
        let report = till.report(&invoice).await;
        assert!(report.is_confirmed() && report.confirmed_at.is_some());
        till.work().await;
        assert_eq!((till.told(), till.jobs().await), (Vec::new(), Vec::new()), "told once");

        let cash = till.payment(&invoice).await;
        let half = PaymentPatch { amount: Patch::Value(decimal("61")), ..PaymentPatch::default() };
        till.change(&cash, half).await.unwrap();
        assert_eq!(till.jobs().await, [], "the tip is the same");
        till.tip(&cash, "5").await;
        assert!(!till.report(&invoice).await.is_confirmed());
        till.work().await;
        assert_eq!(till.told(), [told("5.00", G)]);
        // Two that change it before anybody looks are one report.
        let card = till.pay(&invoice, Card, "30", "2").await;
        till.pay(&invoice, Card, "1", "0").await;
        till.tip(&card, "2.5").await;
        till.work().await;
        assert_eq!(till.told(), [told("7.50", O)]);
        till.trash(&cash).await;
        till.work().await;
        assert_eq!(till.told(), [told("2.50", K)]);
        till.trash(&card).await;
        till.work().await;
        assert_eq!(till.told(), [told("0.00", K)]);
        let shop = &till.own.shop;
        let (store, stamp) = (&*shop.store, &shop.stamp);
        payments::restore(Context::new(store, &shop.scope, stamp), &shop.entity, card.id)
            .await
            .unwrap();
        till.work().await;
        assert_eq!(till.told(), [told("2.50", K)]);
        assert!(till.report(&invoice).await.is_confirmed());
    }
}

#[tokio::test]
async fn tips_wait_until_cis_has_the_receipt_and_repeat_how_it_was_taken() {
    for (till, _database) in Till::everywhere(Duration::ZERO).await {
        till.own.office.then_is_silent();
        let invoice = till.sell("3").await;
        till.step().await;
        till.step().await;
        assert_eq!(till.told(), [], "CIS knows of no receipt");
        till.own.work(till.now()).await;
        till.own.office.heard();
        till.step().await;
        let heard = till.own.office.heard();
        let [Message::FinaTip(tip)] = &heard.iter().map(|own| &own.message).collect::<Vec<_>>()[..]
        else {
            panic!("{heard:?}")
        };
        assert!(tip.late, "as the receipt was taken");
        let exchange = till.own.exchange(&invoice).await.unwrap();
        let racun_fiscal::ReportContent::Fina(receipt) = exchange.content else { panic!() };
        assert_eq!(tip.receipt, *receipt);
        assert!(till.report(&invoice).await.is_confirmed());
    }
}

#[tokio::test]
async fn a_report_without_an_answer_is_repeated_with_the_same_content() {
    for (till, _database) in Till::everywhere(Duration::ZERO).await {
        let invoice = till.sell("3").await;
        till.own.office.then_is_silent();
        till.step().await;
        assert_eq!(till.told(), [told("3.00", G)]);
        let cash = till.payment(&invoice).await;
        till.tip(&cash, "5").await;
        till.own.office.then_refuses("s006");
        till.step().await;
        till.work().await;
        let told_then = till.told();
        let (last, repeated) = told_then.split_last().unwrap();
        assert_eq!(*last, told("5.00", G));
        assert!(repeated.len() >= 2, "after a fault that passes, too: {repeated:?}");
        assert!(repeated.iter().all(|own| *own == told("3.00", G)), "{repeated:?}");
        let report = till.report(&invoice).await;
        assert!(report.is_confirmed() && report.error.is_none(), "{report:?}");
        assert_eq!(till.jobs().await, []);
    }
}

#[tokio::test]
async fn two_reports_of_one_receipt_never_run_side_by_side() {
    let till = Till::open(false, crate::takings::on_sqlite(), Duration::ZERO).await;
    let invoice = till.sell("3").await;
    let cash = till.payment(&invoice).await;
    // Another process dies while it reports.
    let dying = till.claim().await.remove(0);
    till.own.office.dies_sending(till.perform(&dying)).await;
    assert_eq!(till.told(), [told("3.00", G)]);
    till.tip(&cash, "5").await;
    till.step().await;
    assert_eq!(till.told(), [], "the attempt that is under way may be alive");
    till.passes(Duration::try_from(LEASE).unwrap());
    till.work().await;
    assert_eq!(till.told(), [told("3.00", G), told("5.00", G)]);
    // The job of the dead process finds nothing to do when its lease has run out.
    till.passes(Duration::minutes(2));
    till.work().await;
    assert_eq!((till.told(), till.jobs().await), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn tips_that_come_too_late_are_given_up_and_that_is_shown() {
    for (till, _database) in Till::everywhere(Duration::days(3)).await {
        let invoice = till.sell("3").await;
        let ended = till.step().await;
        let [Ending::Hopeless { error }] = &ended[..] else { panic!("{ended:?}") };
        assert!(error.contains("1/P1/1") && error.contains('3'), "{error}");
        assert_eq!(till.told(), []);
        let report = till.report(&invoice).await;
        assert_eq!(report.error.as_deref(), Some(TIP_WINDOW_EXPIRED));
        assert!(!report.is_confirmed());
        assert!(till.step().await.is_empty(), "the job is dead");
        assert_eq!(till.jobs().await.len(), 1, "and somebody can see it");
    }
    // On the last day CIS still takes them.
    let till = Till::open(false, crate::takings::on_sqlite(), Duration::days(2)).await;
    till.sell("3").await;
    till.step().await;
    assert_eq!(till.told(), [told("3.00", G)]);
}

#[tokio::test]
async fn a_refusal_that_will_be_repeated_ends_the_report_until_the_tips_change() {
    for (till, _database) in Till::everywhere(Duration::ZERO).await {
        let invoice = till.sell("3").await;
        till.own.office.then_refuses("s010");
        let ended = till.step().await;
        assert!(matches!(&ended[..], [Ending::Hopeless { .. }]), "{ended:?}");
        till.work().await;
        assert_eq!(till.told(), [told("3.00", G)]);
        let report = till.report(&invoice).await;
        assert_eq!((report.error.as_deref(), report.errors.len()), (Some("s010"), 1));
        let cash = till.payment(&invoice).await;
        till.tip(&cash, "4").await;
        // The certificate is mended while there is time.
        till.own.office.then_refuses("s002");
        till.step().await;
        assert_eq!(till.report(&invoice).await.error.as_deref(), Some("s002"));
        till.work().await;
        assert_eq!(till.told(), [told("4.00", G), told("4.00", G)]);
        assert!(till.report(&invoice).await.is_confirmed());
    }
}

#[tokio::test]
async fn without_a_certificate_the_report_waits() {
    let till = Till::open(false, crate::takings::on_sqlite(), Duration::ZERO).await;
    let invoice = till.sell("3").await;
    let settings = till.own.settings();
    let without = racun_fiscal::FiscalSettings { certificate: None, ..settings.clone() };
    till.own.store_settings(&without).await;
    till.step().await;
    assert_eq!(till.told(), []);
    let report = till.report(&invoice).await;
    assert_eq!((report.error.as_deref(), report.attempt), (Some("certificate_missing"), None));
    till.own.store_settings(&settings).await;
    till.work().await;
    assert_eq!(till.told(), [told("3.00", G)]);
}

#[tokio::test]
async fn a_void_keeps_tips_and_unreported_documents_queue_no_job() {
    let till = Till::open(false, crate::takings::on_sqlite(), Duration::ZERO).await;
    let early = till.sell("3").await;
    till.work().await;
    assert_eq!(till.told(), [told("3.00", G)]);
    let late = till.sell("2").await;
    till.own.void(&early).await.unwrap();
    till.own.void(&late).await.unwrap();
    till.work().await;
    assert_eq!(till.told(), [told("2.00", G)], "it was given, with or without the sale");
    assert!(till.report(&early).await.is_confirmed());
    let cash = till.payment(&early).await;
    let patch = PaymentPatch { tip: Patch::Value(decimal("1")), ..PaymentPatch::default() };
    till.change(&cash, patch).await.unwrap_err();
    // FURS does not ask for tips, and a sale without one leaves nothing.
    let none = till.own.invoice().await;
    assert_eq!(fiscal(&none).tips, None);
    let stamp = stamp_on(false);
    let own = Fiscalizing::open(Authority::Furs, crate::takings::on_sqlite(), stamp).await;
    let till = Till { own, now: till.now };
    let invoice = till.sell("3").await;
    assert_eq!(fiscal(&invoice).tips, None);
    assert_eq!(till.jobs().await, []);
}
