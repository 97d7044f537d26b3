//! What customers owe, beside invoices, credit notes, advances and money of all days at random.
//!
//! The law: of each customer and currency, what is open on a day comes to the closing balance of
//! the statement of that day.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_catalog::{CustomerInput, create_customer};
use racun_documents::{Document, DocumentId, DocumentKind};
use racun_kernel::{Currency, Decimal, Patch, Stamp};
use racun_reporting::receivables::{aging, statement};
use racun_sales::documents::{
    self, Creation, DocumentRequest, Edit, ExchangeRateRequest, LineTaxRequest, Voiding,
};
use racun_sales::payments;
use racun_settlement::{NewPayment, PaymentType};
use racun_store::testing::{Random, stamp};
use racun_store::{Context, Store};
use time::macros::datetime;
use time::{Date, Duration, OffsetDateTime};

use crate::fixture::{Shop, decimal, line, request};
use crate::takings::{on_postgres, on_sqlite};

/// The first day of the world.
const START: OffsetDateTime = datetime!(2026-02-01 10:00 UTC);
/// Things that happen in one world.
const STEPS: usize = 120;
/// Documents may be dated so many days before or after the day on which they are made.
const APART: usize = 25;

struct World {
    shop: Shop,
    now: OffsetDateTime,
    customers: Vec<String>,
    documents: Vec<DocumentId>,
    /// What happened, by what it was.
    happened: BTreeMap<&'static str, usize>,
}

impl World {
    async fn open(store: Arc<dyn Store>) -> Self {
        let shop = Shop::open_on(store, stamp(START)).await;
        let mut customers = Vec::new();
        for name in ["Bor", "Cene", "Dana"] {
            let name = Patch::Value(name.to_owned());
            let input = CustomerInput { name, ..CustomerInput::default() };
            customers.push(create_customer(shop.cx(), input).await.unwrap().id.to_string());
        }
        Self { shop, now: START, customers, documents: Vec::new(), happened: BTreeMap::new() }
    }

    fn stamp(&self) -> Stamp {
        self.shop.stamp.at(self.now)
    }

    /// A day near the present one, before or after it.
    fn near(&self, random: &mut Random) -> Date {
        let days = i64::try_from(random.below(APART)).unwrap();
        let ahead = if random.chance(20) { days } else { -days };
        self.now.date() + Duration::days(ahead)
    }

    fn any(&self, random: &mut Random, kind: DocumentKind) -> Option<DocumentId> {
        let of_kind = self.documents.iter().filter(|id| id.kind() == kind);
        let of_kind: Vec<DocumentId> = of_kind.copied().collect();
        (!of_kind.is_empty()).then(|| random.pick(&of_kind))
    }

    async fn get(&self, id: DocumentId) -> Document {
        racun_records::get_document(self.shop.cx(), id).await.unwrap()
    }

    /// A request of a customer, or of none, in some currency, of up to a hundred.
    fn request(&self, random: &mut Random, below_zero: bool) -> DocumentRequest {
        let cents = i64::try_from(1 + random.below(10_000)).unwrap();
        let price = Decimal::new(if below_zero { -cents } else { cents }, 2).to_string();
        let mut own = line("Blago", "1", &price);
        let rate = random.pick(&["0", "22"]);
        own.taxes =
            Some(vec![LineTaxRequest { rate: Some(decimal(rate)), ..LineTaxRequest::default() }]);
        let is_foreign = random.chance(25);
        DocumentRequest {
            date: Some(self.near(random)),
            date_due: Patch::Value(self.now.date() + Duration::days(26)),
            customer_id: match random.chance(90) {
                true => Patch::Value(self.customers[random.below(self.customers.len())].clone()),
                false => Patch::Absent,
            },
            currency_code: is_foreign.then(|| "USD".to_owned()),
            exchange_rate: match is_foreign {
                true => Patch::Value(ExchangeRateRequest {
                    rate: decimal("0.8637"),
                    source: None,
                    date: None,
                    quote_currency: None,
                }),
                false => Patch::Absent,
            },
            ..request(vec![own])
        }
    }

    fn done<T, E>(&mut self, what: &'static str, outcome: Result<T, E>) -> Option<T> {
        let done = outcome.ok();
        *self.happened.entry(what).or_default() += usize::from(done.is_some());
        done
    }

    async fn make(
        &mut self,
        what: &'static str,
        kind: DocumentKind,
        sent: DocumentRequest,
        creation: Creation,
    ) {
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let made = documents::create(cx, &self.shop.entity, kind, sent, creation).await;
        let made = self.done(what, made);
        self.documents.extend(made.map(|document| document.id));
    }

    async fn invoice(&mut self, random: &mut Random) {
        let (below_zero, is_draft) = (random.chance(8), random.chance(8));
        let mut sent = self.request(random, below_zero);
        if let Some(advance) =
            self.any(random, DocumentKind::AdvanceInvoice).filter(|_| random.chance(40))
        {
            sent = self.like(advance, sent).await;
            sent.linked_documents = Some(vec![advance.to_string()]);
        }
        let payment = NewPayment {
            amount: random.chance(60).then(|| decimal("0.4")),
            date: Some(self.near(random)),
            ..NewPayment::new(PaymentType::Card)
        };
        let payments =
            if random.chance(30) && !is_draft && !below_zero { vec![payment] } else { Vec::new() };
        let creation = Creation { is_draft, payments, ..Creation::default() };
        self.make("invoice", DocumentKind::Invoice, sent, creation).await;
    }

    /// `sent` to the customer and in the currency of the document `id`; to another customer at
    /// times.
    async fn like(&self, id: DocumentId, sent: DocumentRequest) -> DocumentRequest {
        let content = self.get(id).await.content;
        let customer = content.customer_id.map(|id| id.to_string());
        let exchange_rate = content.exchange_rate.map_or(Patch::Absent, |rate| {
            let (rate, source, date, quote_currency) = (rate.rate, None, None, None);
            Patch::Value(ExchangeRateRequest { rate, source, date, quote_currency })
        });
        DocumentRequest {
            customer_id: customer.map_or(Patch::Absent, Patch::Value),
            currency_code: Some(content.currency.code().to_owned()),
            exchange_rate,
            ..sent
        }
    }

    async fn advance(&mut self, random: &mut Random) {
        let sent = self.request(random, false);
        let date = Some(self.near(random));
        let payments = vec![NewPayment { date, ..NewPayment::new(PaymentType::BankTransfer) }];
        let creation = Creation { payments, ..Creation::default() };
        self.make("advance", DocumentKind::AdvanceInvoice, sent, creation).await;
    }

    async fn credit(&mut self, random: &mut Random) {
        let mut sent = self.request(random, false);
        if let Some(invoice) = self.any(random, DocumentKind::Invoice) {
            sent = self.like(invoice, sent).await;
            sent.linked_documents = random.chance(70).then(|| vec![invoice.to_string()]);
            sent.date = Some(self.near(random));
        }
        self.make("credit", DocumentKind::CreditNote, sent, Creation::default()).await;
    }

    async fn record(&mut self, what: &'static str, new: NewPayment, trashes: bool) {
        let stamp = self.stamp();
        let entity = self.shop.entity.clone();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let made = payments::record(cx, &entity, new).await;
        if let Some(payment) = self.done(what, made).filter(|_| trashes) {
            let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
            let _ = payments::trash(cx, &entity, payment.id).await;
        }
    }

    /// All that is left of a document, or a little of it.
    async fn pay(&mut self, random: &mut Random) {
        let kind = random.pick(&[DocumentKind::Invoice, DocumentKind::CreditNote]);
        let Some(id) = self.any(random, kind) else { return };
        let due = self.get(id).await.total_due();
        let new = NewPayment {
            document_id: Some(id.to_string()),
            amount: Some(if random.chance(50) { due } else { decimal("0.3") }),
            date: Some(self.near(random)),
            ..NewPayment::new(PaymentType::Cash)
        };
        let trashes = random.chance(15);
        self.record("payment", new, trashes).await;
    }

    /// Sets a credit note against an invoice in its currency, which may be another customer's.
    async fn settle(&mut self, random: &mut Random) {
        let (mut invoices, mut credits) = (Vec::new(), Vec::new());
        for id in &self.documents {
            let document = self.get(*id).await;
            let is_open = document.voided_at().is_none() && document.total_due().is_positive();
            match id.kind() {
                DocumentKind::Invoice if is_open && !document.is_draft() => invoices.push(document),
                DocumentKind::CreditNote if is_open => credits.push(document),
                _ => {}
            }
        }
        let pairs = invoices.iter().flat_map(|one| credits.iter().map(move |other| (one, other)));
        let pairs = pairs.filter(|(one, other)| one.content.currency == other.content.currency);
        let pairs: Vec<(&Document, &Document)> = pairs.collect();
        if pairs.is_empty() {
            return;
        }
        let (invoice, credit) = random.pick(&pairs);
        let new = NewPayment {
            invoice_id: Some(invoice.id.to_string()),
            credit_note_id: Some(credit.id.to_string()),
            amount: Some(match random.chance(70) {
                true => invoice.total_due().min(credit.total_due()),
                false => decimal("0.2"),
            }),
            date: random.chance(50).then(|| self.near(random)),
            ..NewPayment::new(PaymentType::CreditNote)
        };
        self.record("settlement", new, false).await;
    }

    /// Links an advance invoice, which the invoice then takes from.
    async fn link(&mut self, random: &mut Random) {
        let invoice = self.any(random, DocumentKind::Invoice);
        let advance = self.any(random, DocumentKind::AdvanceInvoice);
        let Some((invoice, advance)) = invoice.zip(advance) else { return };
        let linked_documents = Some(vec![advance.to_string()]);
        let sent = DocumentRequest { linked_documents, ..DocumentRequest::default() };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let linked = documents::update(cx, &self.shop.entity, invoice, sent, Edit::default()).await;
        self.done("link", linked);
    }

    async fn void(&mut self, random: &mut Random) {
        let kind = random.pick(&[DocumentKind::Invoice, DocumentKind::CreditNote]);
        let Some(id) = self.any(random, kind) else { return };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let voided = documents::void(cx, &self.shop.entity, id, Voiding::default()).await;
        self.done("void", voided);
    }

    async fn step(&mut self, random: &mut Random) {
        self.now += Duration::hours(i64::try_from(random.below(60)).unwrap());
        match random.below(20) {
            0..=4 => self.invoice(random).await,
            5 | 6 => self.advance(random).await,
            7..=9 => self.credit(random).await,
            10..=13 => self.pay(random).await,
            14..=16 => self.settle(random).await,
            17 => self.link(random).await,
            _ => self.void(random).await,
        }
    }

    /// The law on `day`; how many customers and currencies owe something then, or are owed it.
    async fn holds(&self, day: Date) -> usize {
        let (cx, entity) = (self.shop.cx(), &self.shop.entity);
        let aging = aging(cx, entity, Some(day)).await.unwrap();
        assert_eq!(aging.not_converted, 0);
        let mut open = 0;
        for customer in &self.customers {
            for currency in [Currency::EUR, "USD".parse().unwrap()] {
                let account = statement(cx, entity, customer, (day, day), Some(currency));
                let owed = account.await.unwrap().statement.closing_balance;
                let own = aging.customers.iter().filter(|one| {
                    one.currency == currency && one.customer_id.as_ref() == Some(customer)
                });
                let totals: Vec<Decimal> = own.map(|one| one.buckets.total()).collect();
                assert!(totals.len() < 2, "a customer stands there once");
                let total: Decimal = totals.iter().sum();
                assert_eq!(total, owed, "{customer} in {currency} on {day}: {aging:#?}");
                open += usize::from(!owed.is_zero());
            }
        }
        let late = aging.customers.iter().flat_map(|one| &one.buckets.by_age[1..]);
        assert!(late.into_iter().all(|sum| !sum.is_negative()), "what is late is owed to us");
        open
    }
}

async fn a_world(store: Arc<dyn Store>, seed: u64) {
    let mut random = Random::new(seed);
    let mut world = World::open(store).await;
    for _ in 0..STEPS {
        world.step(&mut random).await;
    }
    let (mut day, mut open) = (START.date() - Duration::days(30), 0);
    while day < world.now.date() + Duration::days(30) {
        open += world.holds(day).await;
        day += Duration::days(i64::try_from(1 + random.below(9)).unwrap());
    }
    assert!(open > 30, "{open} open accounts");
    let often = |what: &str, least: usize| world.happened.get(what).is_some_and(|n| *n >= least);
    let seldom = [("invoice", 10), ("credit", 3), ("payment", 5), ("settlement", 1), ("void", 2)];
    assert!(seldom.iter().all(|(what, least)| often(what, *least)), "{:?}", world.happened);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_open_on_a_day_is_what_statements_come_to_on_sqlite() {
    for seed in [21, 22] {
        a_world(on_sqlite(), seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_open_on_a_day_is_what_statements_come_to_on_postgres() {
    let (store, _database) = on_postgres().await;
    a_world(store, 24).await;
}
