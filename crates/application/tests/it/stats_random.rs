//! Statistics of any kind: what a store answers to a random query is what the fold over its rows
//! comes to, and ids of another tenant find nothing in any table.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_catalog::{CustomerInput, ItemInput, ItemRules, create_customer, create_item};
use racun_insights::{Derived, StatKind, StatRow, StatTable, StatValue, parse_queries};
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Decimal, Patch};
use racun_reporting::stats::{Way, answer};
use racun_sales::documents::{Creation, DocumentRequest};
use racun_sales::payments;
use racun_settlement::{NewPayment, PaymentType};
use racun_store::testing::Random;
use racun_store::{Context, Store};
use serde_json::{Map, Value as Json, json};
use time::macros::{date, datetime};
use time::{Date, Duration};

use crate::fixture::{NOW, decimal, line, request};
use crate::takings::{Market, on_postgres, on_sqlite};

/// Invoices in a shop with random money, drafts, voids and credit notes.
const TRADES: usize = 16;
/// Queries of one request, and requests of one world.
const AT_ONCE: usize = 25;
const ROUNDS: usize = 5;

/// So long after [`NOW`] it is asked: something is late by any number of days then.
pub const LATER: Duration = Duration::days(75);
/// Dates of documents beside those of a market: at the ends of months and of a year, too.
const DATES: [Date; 5] = [
    date!(2025 - 12 - 31),
    date!(2026 - 01 - 01),
    date!(2026 - 08 - 31),
    date!(2026 - 10 - 10),
    date!(2026 - 11 - 19),
];
/// Days from the date of a document to that on which it is due.
const TERMS: [i64; 4] = [0, 15, 40, 100];
/// How late something is at the edges of ages, in days.
const EDGES: [i64; 8] = [0, 1, 30, 31, 60, 61, 90, 91];

/// Issues invoices of some months and two years, which are of all ages [`LATER`]: every other one
/// is open, and the rest are drafts, paid, paid in part, or voided.
pub async fn issue_of_all_ages(market: &Market, random: &mut Random) {
    let asked_on = NOW.date() + LATER;
    let mut days: Vec<(Date, Date)> = Vec::new();
    for date in DATES {
        days.extend(TERMS.map(|term| (date, date + Duration::days(term))));
    }
    for late in EDGES {
        let due = asked_on - Duration::days(late);
        days.extend([(date!(2026 - 10 - 31), due); 2]);
    }
    for (n, (date, due)) in days.into_iter().enumerate() {
        let is_open = n.is_multiple_of(2);
        issue_one(market, random, (date, due), is_open).await;
    }
}

/// Issues an invoice of the first of two days, due on the second.
async fn issue_one(market: &Market, random: &mut Random, (date, due): (Date, Date), is_open: bool) {
    let shop = &market.shop;
    let fate = if is_open { 0 } else { 1 + random.below(4) };
    let cents = i64::try_from(100 + random.below(9_900)).unwrap();
    let price = Decimal::new(cents, 2).to_string();
    let sent = DocumentRequest {
        date: Some(date),
        date_due: Patch::Value(due),
        currency_code: random.chance(25).then(|| "USD".to_owned()),
        ..request(vec![line("Blago", "1", &price)])
    };
    let creation = Creation { is_draft: fate == 1, ..Creation::default() };
    let made = shop.make(sent, creation).await.unwrap();
    let pay = async |amount: Decimal| {
        let new = NewPayment {
            document_id: Some(made.id.to_string()),
            amount: Some(amount),
            date: Some(date),
            ..NewPayment::new(PaymentType::Card)
        };
        payments::record(shop.cx(), &shop.entity, new).await.unwrap();
    };
    match fate {
        2 => pay(made.total_due()).await,
        3 => pay(decimal("0.5")).await,
        4 => drop(shop.void(&made).await.unwrap()),
        _ => {}
    }
}

/// A market in which every table has rows.
async fn market(store: Arc<dyn Store>, random: &mut Random) -> Market {
    fill(Market::open(store).await, random).await
}

async fn fill(market: Market, random: &mut Random) -> Market {
    for _ in 0..TRADES {
        market.trade(random).await;
    }
    issue_of_all_ages(&market, random).await;
    let shop = &market.shop;
    let rules = ItemRules { max_taxes_per_item: 1, today: NOW.date() };
    // Where the shop is, the last one is of another year than in UTC.
    for (name, at, date) in [
        ("Bor", NOW, NOW.date()),
        ("Cene", datetime!(2026-08-31 08:00 UTC), date!(2026 - 08 - 31)),
        ("Dana", datetime!(2025-12-31 23:30 UTC), date!(2026 - 01 - 01)),
    ] {
        let stamp = shop.stamp.at(at);
        let cx = Context::new(&*shop.store, &shop.scope, &stamp);
        let customer = CustomerInput {
            name: Patch::Value(name.to_owned()),
            city: random.maybe(|_| "Kranj".to_owned()).map_or(Patch::Absent, Patch::Value),
            ..CustomerInput::default()
        };
        let customer = create_customer(cx, customer).await.unwrap();
        let price = Patch::Value(decimal(random.pick(&["1", "2.50", "10.99"])));
        let name = Patch::Value(name.to_owned());
        let item = ItemInput { name, price, ..ItemInput::default() };
        create_item(cx, item, &rules).await.unwrap();
        let mut sent = request(vec![line("Blago", "1", "12.30")]);
        sent.date = Some(date);
        sent.customer_id = Patch::Value(customer.id.to_string());
        shop.create(sent.clone()).await.unwrap();
        let estimate = racun_documents::DocumentKind::Estimate;
        shop.make_of(estimate, sent, Creation::default()).await.unwrap();
    }
    market
}

fn json_of(value: &StatValue) -> Json {
    match value {
        StatValue::Null => Json::Null,
        StatValue::Text(text) => json!(text),
        StatValue::Number(number) => json!(number),
        StatValue::Bool(flag) => json!(flag),
        StatValue::Date(day) => json!(format_date(*day)),
        StatValue::Instant(instant) => json!(format_instant(*instant)),
    }
}

/// What the rows of each field of each table have.
type Values = BTreeMap<(&'static str, &'static str), Vec<Json>>;

async fn ask(market: &Market, queries: Vec<Json>, way: Way) -> Vec<Vec<StatRow>> {
    let queries = parse_queries(&Json::Array(queries)).unwrap();
    let shop = &market.shop;
    let later = shop.stamp.at(NOW + LATER);
    let cx = Context::new(&*shop.store, &shop.scope, &later);
    answer(cx, &shop.entity, &queries, way).await.unwrap()
}

async fn values(market: &Market) -> Values {
    let mut values = Values::new();
    for table in StatTable::ALL {
        for field in table.fields() {
            let query = json!({"table": table.name(), "metrics": [{"type": "count"}],
                "group_by": [field.name]});
            let rows = ask(market, vec![query], Way::Walked).await.remove(0);
            let found = rows.iter().map(|row| json_of(&row.0[0])).collect();
            values.insert((table.name(), field.name), found);
        }
    }
    values
}

/// A value of a field, or null.
fn any(random: &mut Random, found: &[Json], may_be_null: bool) -> Json {
    let found: Vec<&Json> = found.iter().filter(|one| may_be_null || !one.is_null()).collect();
    if found.is_empty() { Json::Null } else { found[random.below(found.len())].clone() }
}

fn condition(random: &mut Random, found: &[Json]) -> Json {
    let bound = |random: &mut Random, name: &str| match any(random, found, false) {
        Json::Null => json!({"not": null}),
        value => json!({ name: value }),
    };
    let some = |random: &mut Random| -> Vec<Json> {
        (0..random.below(4)).map(|_| any(random, found, true)).collect()
    };
    match random.below(8) {
        0 => any(random, found, true),
        1 => json!({"not": any(random, found, true)}),
        2 => Json::Array(some(random)),
        3 => json!({"notIn": some(random)}),
        4 => bound(random, "gte"),
        5 => bound(random, "lt"),
        6 => bound(random, "lte"),
        _ => {
            let mut both = bound(random, "gt");
            both["notIn"] = json!(some(random));
            both
        }
    }
}

/// A query of whatever the language has.
fn query(random: &mut Random, values: &Values) -> Json {
    let table = random.pick(&StatTable::ALL);
    let fields = table.fields();
    let mut columns = Vec::new();
    let mut group_by: Vec<&str> = Vec::new();
    for _ in 0..random.below(4) {
        let derived: Vec<&str> = Derived::ALL
            .into_iter()
            .filter(|derived| derived.of(table).is_some())
            .map(Derived::name)
            .collect();
        let name = match random.chance(30) {
            true => random.pick(&derived),
            false => random.pick(fields).name,
        };
        if !group_by.contains(&name) {
            group_by.push(name);
            columns.push(name.to_owned());
        }
    }
    let mut metrics = Vec::new();
    for n in 0..=random.below(4) {
        let kind = random.pick(&["count", "sum", "avg", "min", "max"]);
        let fits = |kinds: &[StatKind]| -> Vec<&str> {
            let fits = fields.iter().filter(|field| kinds.contains(&field.kind));
            fits.map(|field| field.name).collect()
        };
        let fields = match kind {
            "count" => Vec::new(),
            "sum" | "avg" => fits(&[StatKind::Number]),
            _ => fits(&[StatKind::Number, StatKind::Date, StatKind::Instant]),
        };
        let alias = format!("figure_{n}");
        columns.push(alias.clone());
        metrics.push(match fields.is_empty() {
            true => json!({"type": "count", "alias": alias}),
            false => json!({"type": kind, "field": random.pick(&fields), "alias": alias}),
        });
    }
    let mut filters = Map::new();
    for _ in 0..random.below(4) {
        let field = random.pick(fields);
        let condition = condition(random, &values[&(table.name(), field.name)]);
        filters.insert(field.name.to_owned(), condition);
    }
    let mut order_by: Vec<Json> = Vec::new();
    for _ in 0..random.below(3) {
        let field = columns[random.below(columns.len())].clone();
        order_by.push(json!({"field": field, "direction": random.pick(&["asc", "desc"])}));
    }
    let mut query = json!({"table": table.name(), "metrics": metrics, "group_by": group_by,
        "filters": filters, "order_by": order_by});
    if random.chance(30) {
        query["limit"] = json!(1 + random.below(5));
    }
    if random.chance(30) {
        query["date_from"] = json!(random.pick(&["2025-12-31", "2026-01-01", "2026-11-19"]));
        query["date_to"] = json!(random.pick(&["2026-11-19", "2026-11-20", "2026-12-31"]));
    }
    query
}

async fn any_query_is_counted_as_it_is_defined(store: Arc<dyn Store>, seed: u64) {
    let mut random = Random::new(seed);
    let own = market(Arc::clone(&store), &mut random).await;
    let other = Market::open_at(store, own.shop.stamp.clone()).await;
    let other = fill(other, &mut random).await;
    let values = values(&own).await;
    for (group, least) in [("overdue_bucket", 5), ("month", 5), ("year", 2)] {
        let query = json!({"table": "invoices", "metrics": [{"type": "count"}],
            "group_by": [group]});
        let found = ask(&own, vec![query], Way::Counted).await.remove(0);
        assert!(found.len() >= least, "{group}: {found:?}");
    }
    let mut rows = 0;
    for round in 0..ROUNDS {
        let queries: Vec<Json> = (0..AT_ONCE).map(|_| query(&mut random, &values)).collect();
        let counted = ask(&own, queries.clone(), Way::Counted).await;
        let walked = ask(&own, queries.clone(), Way::Walked).await;
        for ((counted, walked), query) in counted.iter().zip(&walked).zip(&queries) {
            assert_eq!(counted, walked, "seed {seed}, round {round}: {query}");
            rows += counted.len();
        }
    }
    assert!(rows > AT_ONCE * ROUNDS, "{rows} rows");
    for table in StatTable::ALL {
        foreign_ids_find_nothing(&own, &other, table).await;
    }
}

/// The other tenant's ids, in every field of `table` that holds ids, find no row of ours.
async fn foreign_ids_find_nothing(own: &Market, other: &Market, table: StatTable) {
    let foreign = values(other).await;
    let ids = table.fields().iter().filter(|one| one.name == "id" || one.name.ends_with("_id"));
    let mut asked = 0;
    for field in ids {
        let found = &foreign[&(table.name(), field.name)];
        let found: Vec<&Json> = found.iter().filter(|id| !id.is_null()).take(100).collect();
        asked += found.len();
        let query = |group_by: Json| {
            json!({"table": table.name(), "metrics": [{"type": "count"}], "group_by": group_by,
                "filters": {field.name: found}})
        };
        let queries = vec![query(json!([])), query(json!([field.name]))];
        for way in [Way::Counted, Way::Walked] {
            let answers = ask(own, queries.clone(), way).await;
            let none = StatRow(vec![StatValue::Number(Decimal::zero())]);
            assert_eq!(answers, [vec![none], vec![]], "{} by {}", table.name(), field.name);
        }
        let theirs = ask(other, queries, Way::Counted).await;
        assert_eq!(theirs[1].len(), found.len(), "{} by {}", table.name(), field.name);
    }
    assert!(asked > 0, "{} has ids", table.name());
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_answers_any_query_as_it_is_defined() {
    any_query_is_counted_as_it_is_defined(on_sqlite(), 31).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_answers_any_query_as_it_is_defined() {
    let (store, _database) = on_postgres().await;
    any_query_is_counted_as_it_is_defined(store, 33).await;
}
