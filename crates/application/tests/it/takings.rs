//! Daily takings: what a store adds up is what the fold over the day's documents comes to.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use racun_access::EntityPatch;
use racun_application::entities::update_entity;
use racun_catalog::{
    BusinessUnitInput, FinancialCategoryInput, create_business_unit, create_financial_category,
};
use racun_documents::calculation::SummaryTax;
use racun_documents::{
    Document, DocumentId, DocumentKind, LineKind, RELATIONS, Relation, RelationType, Stage,
};
use racun_kernel::{Decimal, Patch, Person, Principal, Role, Scope, Stamp};
use racun_pos::NewClosing;
use racun_pos::takings::{Day, Facts, PaymentTakings, Takings, is_money, takings};
use racun_sales::documents::{
    self, Creation, CustomTotals, DocumentRequest, ExchangeRateRequest, LineRequest,
    LineTaxRequest, Voiding,
};
use racun_sales::payments;
use racun_settlement::{NewPayment, PAYMENTS, Payment, PaymentType, Tender};
use racun_store::testing::{Random, stamp};
use racun_store::{Context, ListQuery, Record, Store, Table};
use racun_store_postgres::{Options, PgStore, migrate};
use racun_store_sqlite::SqliteStore;
use racun_test_postgres::Database;
use racun_till::takings::Filter;
use time::macros::{date, datetime};
use time::{Date, Duration, OffsetDateTime};

use crate::fixture::{NOW, Shop, decimal, line, request};
use crate::takings_facts::*;

const DAYS: [Date; 3] = [date!(2026 - 11 - 18), date!(2026 - 11 - 19), date!(2026 - 11 - 20)];
/// The second of the days was closed at this moment.
const CLOSED_AT: OffsetDateTime = datetime!(2026-11-19 13:00 UTC);
/// Currencies and rates into the euro; the last one has no known rate.
const MONEY: [(&str, Option<&str>); 4] =
    [("EUR", None), ("USD", Some("0.8637")), ("JPY", Some("0.00613")), ("GBP", None)];

/// A store on a migrated database of its own.
pub async fn on_postgres() -> (Arc<dyn Store>, Database) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("up.sql"))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    files.into_iter().for_each(|file| fs::read(file).unwrap().hash(&mut hasher));
    let template = format!("application_{:016x}", hasher.finish());
    let database = racun_test_postgres::database(&template, |url| {
        tokio::runtime::Runtime::new()?.block_on(migrate(url))?;
        Ok(())
    })
    .unwrap();
    let store = PgStore::connect(&database.url, Options::default()).await.unwrap();
    (Arc::new(store), database)
}

pub fn on_sqlite() -> Arc<dyn Store> {
    Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap())
}

/// A right to sell in `shop`, of a person or of a key.
#[expect(clippy::disallowed_methods, reason = "a test lets itself in")]
fn used_by(shop: &Shop, person: Option<Person>) -> Scope {
    let (account, entity) = (shop.scope.account(), shop.entity.id);
    let principal = match &person {
        Some(person) => Principal::Operator(person.user_id),
        None => Principal::EntityKey(shop.stamp.id()),
    };
    let scope = Scope::grant(account, entity, shop.scope.environment(), principal, Role::Admin);
    match person {
        Some(person) => scope.used_by(person),
        None => scope,
    }
}

/// A shop in which there is something to sell.
pub struct Market {
    pub shop: Shop,
    /// What others sell in the same shop with: two have one name, one has none, one is a program.
    others: Vec<Scope>,
    /// Names of the categories, by id.
    names: BTreeMap<String, String>,
    /// Ids of the business units.
    units: Vec<String>,
}

/// An instant of one of the days from the one numbered `from` on, and its number.
fn moment(random: &mut Random, from: usize) -> (usize, OffsetDateTime) {
    let day = from + random.below(DAYS.len() - from);
    let hours = i64::try_from(8 + random.below(12)).unwrap();
    (day, DAYS[day].midnight().assume_utc() + Duration::hours(hours))
}

impl Market {
    pub async fn open(store: Arc<dyn Store>) -> Self {
        Self::open_at(store, stamp(NOW)).await
    }

    /// A market beside another one in `store`: it goes on with the other's `stamp`.
    pub async fn open_at(store: Arc<dyn Store>, stamp: Stamp) -> Self {
        let shop = Shop::open_on(store, stamp).await;
        let mut names = BTreeMap::new();
        for name in ["Pijača", "Hrana", "Hrana"] {
            let name = Patch::Value(name.to_owned());
            let input = FinancialCategoryInput { name, ..FinancialCategoryInput::default() };
            let (store, stamp) = (&*shop.store, &shop.stamp);
            let made = create_financial_category(Context::new(store, &shop.scope, stamp), input)
                .await
                .unwrap();
            names.insert(made.id.to_string(), made.name);
        }
        let mut units = Vec::new();
        for name in ["Trgovina", "Splet"] {
            let name = Patch::Value(name.to_owned());
            let input = BusinessUnitInput { name, ..BusinessUnitInput::default() };
            let (store, stamp) = (&*shop.store, &shop.stamp);
            let made =
                create_business_unit(Context::new(store, &shop.scope, stamp), input).await.unwrap();
            units.push(made.id.to_string());
        }
        let person = |name: Option<&str>| {
            let user_id = shop.stamp.id();
            let email = format!("{user_id}@klas.example");
            let name = name.map(str::to_owned);
            Some(Person { user_id, name, email, furs: None, fina: None })
        };
        let others = [person(Some("Eva")), person(Some("Eva")), person(None), None];
        let others = others.into_iter().map(|person| used_by(&shop, person)).collect();
        Self { shop, others, names, units }
    }

    /// A request of some day with a currency and lines of its own.
    fn request(&self, random: &mut Random, date: Date) -> DocumentRequest {
        let (code, rate) = random.pick(&MONEY);
        DocumentRequest {
            date: Some(date),
            currency_code: Some(code.to_owned()),
            exchange_rate: rate.map_or(Patch::Absent, |rate| {
                let (rate, source, date, quote_currency) = (decimal(rate), None, None, None);
                Patch::Value(ExchangeRateRequest { rate, source, date, quote_currency })
            }),
            business_unit_id: random
                .maybe(|random| self.units[random.below(self.units.len())].clone())
                .map_or(Patch::Absent, Patch::Value),
            ..request((0..=random.below(4)).map(|_| self.line(random)).collect())
        }
    }

    /// A random invoice with whatever happens to it on that day and on later ones.
    pub async fn trade(&self, random: &mut Random) {
        // Some are dated back.
        let (day, at) = moment(random, 0);
        let date = DAYS[if random.chance(20) { random.below(day + 1) } else { day }];
        let stamp = &self.shop.stamp.at(at);
        let mut request = self.request(random, date);
        if random.chance(20) {
            let advance = self.pay_ahead(random, day, &request).await;
            request.linked_documents = advance.map(|advance| vec![advance.to_string()]);
        }
        let custom = random.chance(10).then(|| CustomTotals {
            total: decimal("10.01"),
            total_with_tax: decimal("12.21"),
            total_discount: None,
            taxes: vec![SummaryTax {
                tax_id: None,
                rate: decimal("22"),
                reverse_charge: false,
                base: decimal("10.01"),
                amount: decimal("2.2"),
            }],
        });
        let creation = Creation { is_draft: random.chance(20), custom, ..Creation::default() };
        let (store, shop, kind) = (&*self.shop.store, &self.shop, DocumentKind::Invoice);
        let nth = random.below(self.others.len() + 1);
        let scope = self.others.get(nth).unwrap_or(&shop.scope);
        let entity = &shop.entity;
        let document =
            documents::create(Context::new(store, scope, stamp), entity, kind, request, creation)
                .await
                .unwrap();
        if document.stage == Stage::Draft {
            if random.chance(50) {
                documents::delete(Context::new(store, &shop.scope, stamp), document.id)
                    .await
                    .unwrap();
            }
            return;
        }
        for _ in 0..random.below(4) {
            self.pay(random, document.id, &document, day).await;
        }
        if random.chance(25) {
            self.credit(random, &document, day).await;
        }
        if random.chance(30) {
            self.void(random, document.id, day).await;
        }
    }

    /// Voids the document on that day or a later one, if it may be.
    async fn void(&self, random: &mut Random, id: DocumentId, from: usize) {
        let (store, shop) = (&*self.shop.store, &self.shop);
        let stamp = shop.stamp.at(moment(random, from).1);
        let how = Voiding::default();
        let _ =
            documents::void(Context::new(store, &shop.scope, &stamp), &shop.entity, id, how).await;
    }

    /// A credit note over a line of `invoice`, refunded or set against it.
    async fn credit(&self, random: &mut Random, invoice: &Document, from: usize) {
        let (store, shop) = (&*self.shop.store, &self.shop);
        let (day, at) = moment(random, from);
        let request = DocumentRequest {
            date: Some(DAYS[day]),
            linked_documents: Some(vec![invoice.id.to_string()]),
            business_unit_id: random
                .maybe(|random| self.units[random.below(self.units.len())].clone())
                .map_or(Patch::Absent, Patch::Value),
            ..request(vec![LineRequest { price: Some(decimal("1.7")), ..line("Nazaj", "1", "1") }])
        };
        let content = &invoice.content;
        let request = DocumentRequest {
            currency_code: Some(content.currency.code().to_owned()),
            exchange_rate: content.exchange_rate.as_ref().map_or(Patch::Absent, |rate| {
                let (rate, source, date, quote_currency) = (rate.rate.clone(), None, None, None);
                Patch::Value(ExchangeRateRequest { rate, source, date, quote_currency })
            }),
            ..request
        };
        let (kind, creation) = (DocumentKind::CreditNote, Creation::default());
        let (scope, entity, stamp) = (&shop.scope, &shop.entity, &shop.stamp.at(at));
        // More than the invoice is worth is refused.
        let Ok(credit) =
            documents::create(Context::new(store, scope, stamp), entity, kind, request, creation)
                .await
        else {
            return;
        };
        if random.chance(30) {
            let new = NewPayment {
                invoice_id: Some(invoice.id.to_string()),
                credit_note_id: Some(credit.id.to_string()),
                amount: Some(decimal("1")),
                ..NewPayment::new(PaymentType::CreditNote)
            };
            let _ = payments::record(Context::new(store, scope, stamp), entity, new).await;
        }
        for _ in 0..random.below(3) {
            self.pay(random, credit.id, &credit, day).await;
        }
        if random.chance(30) {
            self.void(random, credit.id, day).await;
        }
    }

    /// An advance invoice in the currency of `request`: issued, or a draft that is paid in part.
    async fn pay_ahead(
        &self,
        random: &mut Random,
        day: usize,
        request: &DocumentRequest,
    ) -> Option<DocumentId> {
        let (store, shop) = (&*self.shop.store, &self.shop);
        let request = DocumentRequest {
            items: Some(vec![line("Ara", "1", "10")]),
            business_unit_id: Patch::Absent,
            ..request.clone()
        };
        let is_draft = random.chance(30);
        let mut payment = NewPayment::new(PaymentType::BankTransfer);
        payment.amount = is_draft.then(|| decimal("5"));
        let creation = Creation { is_draft, payments: vec![payment], ..Creation::default() };
        let (scope, entity, kind) = (&shop.scope, &shop.entity, DocumentKind::AdvanceInvoice);
        let stamp = &shop.stamp.at(DAYS[day].midnight().assume_utc() + Duration::hours(7));
        let made =
            documents::create(Context::new(store, scope, stamp), entity, kind, request, creation);
        let advance = made.await.unwrap().id;
        if random.chance(20) {
            self.void(random, advance, day).await;
            return None;
        }
        (!is_draft).then_some(advance)
    }

    fn line(&self, random: &mut Random) -> LineRequest {
        let cents =
            |random: &mut Random| Decimal::new(i64::try_from(random.below(9_999)).unwrap(), 2);
        if random.chance(15) {
            let kind = Some(LineKind::Separator);
            return LineRequest { kind, name: Some("Naslov".to_owned()), ..LineRequest::default() };
        }
        let rates = random.pick(&[&[][..], &["22"], &["9.5"], &["22.0"], &["0"]]);
        let reversed = random.chance(10);
        let tax = |rate: &&str| LineTaxRequest {
            rate: Some(decimal(rate)),
            reverse_charge: Some(reversed),
            ..LineTaxRequest::default()
        };
        let taxes = rates.iter().map(tax).collect();
        let ids: Vec<&String> = self.names.keys().collect();
        LineRequest {
            quantity: Some(&cents(random) - &Decimal::from(10)),
            price: Some(cents(random)),
            taxes: Some(taxes),
            financial_category_id: random.maybe(|random| random.pick(&ids).clone()),
            ..line("Blago", "1", "1")
        }
    }

    /// Records a payment on that day or a later one, dated on any.
    async fn pay(&self, random: &mut Random, id: DocumentId, of: &Document, from: usize) {
        let kinds = [PaymentType::Cash, PaymentType::Card, PaymentType::Check, PaymentType::Other];
        let amount = Decimal::new(1 + i64::try_from(random.below(200)).unwrap(), 2);
        let decimals = of.content.currency.decimals();
        let amount = if decimals == 0 { &amount * &Decimal::from(100) } else { amount };
        let (day, at) = moment(random, from);
        let date = if random.chance(20) { random.pick(&DAYS) } else { DAYS[day] };
        let is_received = id.kind() != DocumentKind::CreditNote;
        let tip = (is_received && random.chance(30)).then(|| decimal("2"));
        let new = NewPayment {
            document_id: Some(id.to_string()),
            amount: Some(amount),
            date: Some(date),
            tender: Tender { tip, ..Tender::default() },
            ..NewPayment::new(random.pick(&kinds))
        };
        let (store, shop) = (&*self.shop.store, &self.shop);
        let (scope, entity, stamp) = (&shop.scope, &shop.entity, &shop.stamp.at(at));
        // More than is due is refused.
        let Ok(payment) = payments::record(Context::new(store, scope, stamp), entity, new).await
        else {
            return;
        };
        if random.chance(20) {
            payments::trash(Context::new(store, scope, stamp), entity, payment.id).await.unwrap();
        }
    }

    async fn all<A: Record>(&self, table: &'static Table) -> Vec<A> {
        let query = ListQuery { limit: 10_000, ..ListQuery::first_page(table) };
        self.shop.store.page(table, &self.shop.scope.tenant(), &query).await.unwrap().rows
    }

    /// All that happened to documents of `unit`, or to all.
    async fn facts(&self, unit: Option<&String>) -> Facts {
        let currency = self.shop.entity.currency;
        let invoices: Vec<Document> =
            self.all(racun_documents::table_of(DocumentKind::Invoice)).await;
        let credit_notes: Vec<Document> =
            self.all(racun_documents::table_of(DocumentKind::CreditNote)).await;
        let advances: Vec<Document> =
            self.all(racun_documents::table_of(DocumentKind::AdvanceInvoice)).await;
        let relations: Vec<Relation> = self.all(&RELATIONS).await;
        let is_here = |document: &&Document| {
            let own = document.content.business_unit_id.map(|id| id.to_string());
            unit.is_none_or(|unit| own.as_ref() == Some(unit))
        };
        let issued = |document: &&Document| document.stage != Stage::Draft && is_here(document);
        let of = |credit: &Document| -> Vec<&Document> {
            let links = relations.iter().filter(|link| {
                link.source_id == credit.id && link.relation_type == RelationType::CreditFor
            });
            let targets = links.map(|link| link.target_id);
            targets.filter_map(|id| invoices.iter().find(|it| it.id == id)).collect()
        };
        let payments: Vec<Payment> = self.all(&PAYMENTS).await;
        Facts {
            sales: invoices
                .iter()
                .filter(issued)
                .map(|document| sale(document, currency, &self.names))
                .collect(),
            returns: credit_notes
                .iter()
                .filter(issued)
                .map(|document| back(document, &of(document), currency))
                .collect(),
            advances: advances.iter().filter(is_here).map(|it| advance(it, currency)).collect(),
            payments: payments.into_iter().filter_map(paid).collect(),
        }
    }

    /// The report as it is defined: of documents that are read one by one.
    async fn defined(&self, day: Date, unit: Option<&String>) -> Takings {
        let entity = &self.shop.entity;
        let closed_at = (day == DAYS[1]).then_some(CLOSED_AT);
        let day = Day::of(day, &entity.timezone, closed_at);
        takings(&day, entity.currency, &self.facts(unit).await)
    }

    async fn reported(&self, day: Option<Date>, unit: Option<&String>) -> Takings {
        let (store, shop) = (&*self.shop.store, &self.shop);
        let filter = Filter { business_unit: unit.cloned(), ..Filter::default() };
        let (scope, entity) = (&shop.scope, &shop.entity);
        racun_till::takings::daily(Context::new(store, scope, &shop.stamp), entity, day, &filter)
            .await
            .unwrap()
    }

    async fn set_currency(&mut self, code: &str) {
        let currency_code = Patch::Value(code.to_owned());
        let patch = EntityPatch { currency_code, ..EntityPatch::default() };
        let (store, shop) = (&*self.shop.store, &self.shop);
        self.shop.entity =
            update_entity(Context::new(store, &shop.scope, &shop.stamp), patch).await.unwrap();
    }

    /// Closes the second day in its middle.
    async fn close(&self) {
        let (store, shop) = (&*self.shop.store, &self.shop);
        let counted_cash = Patch::Value(decimal("100"));
        let new = NewClosing { counted_cash, ..NewClosing::default() };
        let stamp = shop.stamp.at(CLOSED_AT);
        racun_till::closings::close(Context::new(store, &shop.scope, &stamp), &shop.entity, new)
            .await
            .unwrap();
    }
}

/// Sells in two shops of one store, and compares every report of the first.
async fn check(store: Arc<dyn Store>, seed: u64, invoices: usize) {
    let mut random = Random::new(seed);
    let mut market = Market::open(Arc::clone(&store)).await;
    let shop = Shop::open_on(store, market.shop.stamp.clone()).await;
    let (others, names, units) = (Vec::new(), BTreeMap::new(), Vec::new());
    let stranger = Market { shop, others, names, units };
    for _ in 0..invoices {
        market.trade(&mut random).await;
    }
    market.close().await;
    stranger.shop.create(request(vec![line("Tuje", "1", "1000000")])).await.unwrap();

    for code in ["EUR", "USD"] {
        market.set_currency(code).await;
        for day in DAYS {
            let reported = market.reported(Some(day), None).await;
            assert_eq!(reported, market.defined(day, None).await, "seed {seed}, {code}, {day}");
            for law in reported.laws() {
                assert_eq!(law.left, law.right, "seed {seed}, {code}, {day}: {}", law.says);
            }
            // A report without figures would be equal to another one.
            assert_eq!(reported.currency.code(), code);
            assert!(!reported.totals.invoices.is_zero() && !reported.totals.voided.is_zero());
            assert!(reported.by_payment_type.len() >= 4 && reported.by_category.len() == 3);
            assert_eq!((reported.by_tax_rate.len(), reported.by_operator.len()), (3, 5));
            assert!(!reported.refunds.count.is_zero() && !reported.net_by_payment_type.is_empty());
            assert!(day == DAYS[0] || !reported.voided_later.count.is_zero());
            let total = |row: &PaymentTakings| !is_money(&row.kind) || !row.total.is_zero();
            assert!(code != "EUR" || reported.by_payment_type.iter().all(total));
            let unit = &market.units[0];
            let of_unit = market.reported(Some(day), Some(unit)).await;
            let expected = market.defined(day, Some(unit)).await;
            assert_eq!(of_unit, expected, "seed {seed}, {code}, {day}, {unit}");
            assert!(of_unit.totals.invoices < reported.totals.invoices);
        }
    }
    assert_eq!(market.reported(None, None).await, market.defined(DAYS[2], None).await, "today");
    let before = date!(2026 - 01 - 01);
    let nothing = Day::of(before, "UTC", None);
    assert_eq!(
        market.reported(Some(before), None).await,
        takings(&nothing, market.shop.entity.currency, &Facts::default())
    );
}

#[tokio::test]
async fn the_embedded_store_adds_up_what_the_fold_does() {
    for seed in 0..3 {
        check(on_sqlite(), seed, 150).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_adds_up_what_the_fold_does() {
    let (store, _database) = on_postgres().await;
    check(store, 3, 150).await;
}

#[tokio::test]
async fn today_is_the_entitys_day() {
    // Where the shop is, this is the next day already.
    let late = stamp(datetime!(2026-11-20 23:30 UTC));
    let shop = Shop::open_on(on_sqlite(), late).await;
    shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    let (others, names, units) = (Vec::new(), BTreeMap::new(), Vec::new());
    let market = Market { shop, others, names, units };
    let report = market.reported(None, None).await;
    assert_eq!((report.date, report.totals.invoices), (date!(2026 - 11 - 21), 1.into()));
}
