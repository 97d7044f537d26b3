//! Statistics of any kind: what a store answers to a random query is what the fold over its rows
//! comes to, and ids of another tenant find nothing in any table.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_catalog::{CustomerInput, ItemInput, ItemRules, create_customer, create_item};
use racun_insights::{Derived, StatKind, StatRow, StatTable, StatValue, parse_queries};
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Decimal, Patch};
use racun_reporting::stats::{Way, answer};
use racun_store::Store;
use racun_store::testing::Random;
use serde_json::{Map, Value as Json, json};

use crate::fixture::{NOW, decimal, line, request};
use crate::takings::{Market, on_postgres, on_sqlite};

/// Invoices in a shop with random money, drafts, voids and credit notes.
const TRADES: usize = 16;
/// Queries of one request, and requests of one world.
const AT_ONCE: usize = 25;
const ROUNDS: usize = 5;

/// A market in which every table has rows.
async fn market(store: Arc<dyn Store>, random: &mut Random) -> Market {
    fill(Market::open(store).await, random).await
}

async fn fill(market: Market, random: &mut Random) -> Market {
    for _ in 0..TRADES {
        market.trade(random).await;
    }
    let shop = &market.shop;
    let rules = ItemRules { max_taxes_per_item: 1, today: NOW.date() };
    for name in ["Bor", "Cene", "Dana"] {
        let customer = CustomerInput {
            name: Patch::Value(name.to_owned()),
            city: random.maybe(|_| "Kranj".to_owned()).map_or(Patch::Absent, Patch::Value),
            ..CustomerInput::default()
        };
        let customer = create_customer(shop.cx(), customer).await.unwrap();
        let price = Patch::Value(decimal(random.pick(&["1", "2.50", "10.99"])));
        let name = Patch::Value(name.to_owned());
        let item = ItemInput { name, price, ..ItemInput::default() };
        create_item(shop.cx(), item, &rules).await.unwrap();
        let mut sent = request(vec![line("Blago", "1", "12.30")]);
        sent.customer_id = Patch::Value(customer.id.to_string());
        shop.create(sent.clone()).await.unwrap();
        let estimate = racun_documents::DocumentKind::Estimate;
        shop.make_of(estimate, sent, racun_sales::documents::Creation::default()).await.unwrap();
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
    answer(market.shop.cx(), &market.shop.entity, &queries, way).await.unwrap()
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
        query["date_from"] = json!(random.pick(&["2026-11-01", "2026-11-18", "2026-11-19"]));
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
