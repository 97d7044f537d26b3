//! Daily takings: what a store adds up is what the fold over the day's documents comes to.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use racun_access::EntityPatch;
use racun_application::documents::{
    self, Creation, CustomTotals, DocumentRequest, ExchangeRateRequest, LineRequest,
    LineTaxRequest, Voiding,
};
use racun_application::entities::update_entity;
use racun_application::{payments, pos};
use racun_catalog::{FinancialCategoryInput, create_financial_category};
use racun_documents::calculation::SummaryTax;
use racun_documents::{Document, DocumentKind, Line, LineKind, Stage};
use racun_kernel::testing::{Random, stamp};
use racun_kernel::{
    Currency, Decimal, ListQuery, Patch, Person, Principal, Record, Role, Scope, Store, Table,
};
use racun_pos::takings::{Exchange, Paid, Sale, SaleLine, SaleTax, Seller, Takings, takings};
use racun_settlement::{NewPayment, PAYMENTS, Payment, PaymentType};
use racun_store_postgres::{Options, PgStore, migrate};
use racun_store_sqlite::SqliteStore;
use racun_test_postgres::Database;
use time::Date;
use time::macros::{date, datetime};

use crate::fixture::{NOW, Shop, decimal, line, request};

const DAYS: [Date; 3] = [date!(2026 - 11 - 18), date!(2026 - 11 - 19), date!(2026 - 11 - 20)];
/// Currencies and rates into the euro; of the last one nobody knows.
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

/// What `document` says to the report.
fn sale(document: &Document, currency: Currency, names: &BTreeMap<String, String>) -> Sale {
    let (content, amounts) = (&document.content, &document.amounts);
    let exchange = match &content.exchange_rate {
        _ if content.currency == currency => Exchange::Same,
        Some(rate) if rate.quote_currency == currency => Exchange::At(rate.rate.clone()),
        _ => Exchange::Unknown,
    };
    let money = |own: &Decimal, converted: &Option<Decimal>| match exchange {
        Exchange::Same => own.clone(),
        Exchange::At(_) => converted.clone().unwrap(),
        Exchange::Unknown => Decimal::zero(),
    };
    let taxes = amounts.taxes.iter().map(|tax| SaleTax {
        rate: tax.tax.rate.clone(),
        base: money(&tax.tax.base, &tax.base_converted),
        amount: money(&tax.tax.amount, &tax.amount_converted),
    });
    let goods = content.lines.iter().filter(|line| line.kind.is_none());
    let line = |line: &Line| SaleLine {
        category: line.financial_category_id.map(|id| names[&id.to_string()].clone()),
        quantity: line.quantity.clone(),
        total: money(&line.total_with_tax, &line.total_with_tax_converted),
    };
    Sale {
        invoice: document.id.to_string(),
        is_voided: matches!(document.stage, Stage::Voided(..)),
        net: money(&amounts.total, &amounts.total_converted),
        gross: money(&amounts.total_with_tax, &amounts.total_with_tax_converted),
        taxes: taxes.collect(),
        lines: goods.map(line).collect(),
        seller: document.operator.as_ref().map(|operator| Seller {
            user: operator.user_id.to_string(),
            name: operator.name.clone(),
            email: operator.email.clone(),
        }),
        exchange,
    }
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
struct Market {
    shop: Shop,
    /// What others sell in the same shop with: two have one name, one has none, one is a program.
    others: Vec<Scope>,
    /// Names of the categories, by id.
    names: BTreeMap<String, String>,
}

impl Market {
    async fn open(store: Arc<dyn Store>) -> Self {
        let shop = Shop::open_on(store, stamp(NOW)).await;
        let mut names = BTreeMap::new();
        for name in ["Pijača", "Hrana", "Hrana"] {
            let name = Patch::Value(name.to_owned());
            let input = FinancialCategoryInput { name, ..FinancialCategoryInput::default() };
            let (store, stamp) = (&*shop.store, &shop.stamp);
            let made = create_financial_category(store, &shop.scope, input, stamp).await.unwrap();
            names.insert(made.id.to_string(), made.name);
        }
        let person = |name: Option<&str>| {
            let user_id = shop.stamp.id();
            let email = format!("{user_id}@klas.example");
            let name = name.map(str::to_owned);
            Some(Person { user_id, name, email, furs: None, fina: None })
        };
        let others = [person(Some("Eva")), person(Some("Eva")), person(None), None];
        let others = others.into_iter().map(|person| used_by(&shop, person)).collect();
        Self { shop, others, names }
    }

    /// A random invoice with whatever happens to it afterwards.
    async fn trade(&self, random: &mut Random) {
        let (code, rate) = random.pick(&MONEY);
        let request = DocumentRequest {
            date: Some(random.pick(&DAYS)),
            currency_code: Some(code.to_owned()),
            exchange_rate: rate.map_or(Patch::Absent, |rate| {
                let (rate, source, date, quote_currency) = (decimal(rate), None, None, None);
                Patch::Value(ExchangeRateRequest { rate, source, date, quote_currency })
            }),
            ..request((0..=random.below(4)).map(|_| self.line(random)).collect())
        };
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
        let (entity, stamp) = (&shop.entity, &shop.stamp);
        let document =
            documents::create(store, scope, entity, kind, request, creation, stamp).await.unwrap();
        if document.stage == Stage::Draft {
            if random.chance(50) {
                documents::delete(store, &shop.scope, document.id, stamp).await.unwrap();
            }
            return;
        }
        for _ in 0..random.below(4) {
            self.pay(random, &document).await;
        }
        if random.chance(20) {
            let how = Voiding::default();
            // One with payments may not be voided; then it stands.
            let _ = documents::void(store, &shop.scope, entity, document.id, how, stamp).await;
        }
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

    async fn pay(&self, random: &mut Random, document: &Document) {
        let kinds = [PaymentType::Cash, PaymentType::Card, PaymentType::Check, PaymentType::Other];
        let amount = Decimal::new(1 + i64::try_from(random.below(200)).unwrap(), 2);
        let decimals = document.content.currency.decimals();
        let amount = if decimals == 0 { &amount * &Decimal::from(100) } else { amount };
        let new = NewPayment {
            document_id: Some(document.id.to_string()),
            amount: Some(amount),
            ..NewPayment::new(random.pick(&kinds))
        };
        let (store, shop) = (&*self.shop.store, &self.shop);
        let (scope, entity, stamp) = (&shop.scope, &shop.entity, &shop.stamp);
        // More than is due is refused.
        let Ok(payment) = payments::record(store, scope, entity, new, stamp).await else { return };
        if random.chance(20) {
            payments::trash(store, scope, entity, payment.id, stamp).await.unwrap();
        }
    }

    async fn all<A: Record>(&self, table: &'static Table) -> Vec<A> {
        let query = ListQuery { limit: 10_000, ..ListQuery::first_page(table) };
        self.shop.store.page(table, &self.shop.scope.tenant(), &query).await.unwrap().rows
    }

    /// The report as it is defined: of documents that are read one by one.
    async fn defined(&self, day: Date) -> Takings {
        let currency = self.shop.entity.currency;
        let invoices: Vec<Document> = self.all(DocumentKind::Invoice.table()).await;
        let issued = invoices
            .iter()
            .filter(|document| document.stage != Stage::Draft && document.content.date == day);
        let sales: Vec<Sale> =
            issued.map(|document| sale(document, currency, &self.names)).collect();
        let payments: Vec<Payment> = self.all(&PAYMENTS).await;
        let payments = payments.into_iter().filter_map(|payment| {
            let kind = payment.kind.name().to_owned();
            Some(Paid { invoice: payment.invoice_id?, kind, amount: payment.amount })
        });
        takings(day, currency, &sales, &payments.collect::<Vec<_>>())
    }

    async fn reported(&self, day: Option<Date>) -> Takings {
        let (store, shop) = (&*self.shop.store, &self.shop);
        pos::takings::daily(store, &shop.scope, &shop.entity, day, &shop.stamp).await.unwrap()
    }

    async fn set_currency(&mut self, code: &str) {
        let currency_code = Patch::Value(code.to_owned());
        let patch = EntityPatch { currency_code, ..EntityPatch::default() };
        let (store, shop) = (&*self.shop.store, &self.shop);
        self.shop.entity = update_entity(store, &shop.scope, patch, &shop.stamp).await.unwrap();
    }
}

/// Sells in two shops of one store, and compares every report of the first.
async fn check(store: Arc<dyn Store>, seed: u64, invoices: usize) {
    let mut random = Random::new(seed);
    let mut market = Market::open(Arc::clone(&store)).await;
    let shop = Shop::open_on(store, market.shop.stamp.clone()).await;
    let stranger = Market { shop, others: Vec::new(), names: BTreeMap::new() };
    for _ in 0..invoices {
        market.trade(&mut random).await;
    }
    stranger.shop.create(request(vec![line("Tuje", "1", "1000000")])).await.unwrap();

    for code in ["EUR", "USD"] {
        market.set_currency(code).await;
        for day in DAYS {
            let reported = market.reported(Some(day)).await;
            assert_eq!(reported, market.defined(day).await, "seed {seed}, {code}, {day}");
            // A report without figures would be equal to another one.
            assert_eq!(reported.currency.code(), code);
            assert!(!reported.totals.invoices.is_zero() && !reported.totals.voided.is_zero());
            assert!(reported.by_payment_type.len() == 4 && reported.by_category.len() == 3);
            assert_eq!((reported.by_tax_rate.len(), reported.by_operator.len()), (3, 5));
            let total = |row: &racun_pos::takings::PaymentTakings| !row.total.is_zero();
            assert!(code != "EUR" || reported.by_payment_type.iter().all(total));
        }
    }
    assert_eq!(market.reported(None).await, market.defined(DAYS[2]).await, "today");
    let before = date!(2026 - 01 - 01);
    assert_eq!(
        market.reported(Some(before)).await,
        takings(before, market.shop.entity.currency, &[], &[])
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
    let market = Market { shop, others: Vec::new(), names: BTreeMap::new() };
    let report = market.reported(None).await;
    assert_eq!((report.date, report.totals.invoices), (date!(2026 - 11 - 21), 1.into()));
}
