//! Statistics and reports: what a store counts is what the fold over its rows comes to, and no
//! tenant sees another's rows.

use std::sync::Arc;

use racun_documents::{Document, DocumentKind, table_of};
use racun_insights::{StatQuery, StatRow, StatValue, TaxPeriod, parse_queries};
use racun_kernel::{Decimal, Patch};
use racun_records::get_document;
use racun_reporting::stats::{StatsError, Way, answer, answer_within};
use racun_reporting::tax;
use racun_sales::documents::{Creation, DocumentRequest};
use racun_sales::expenses::{
    self, ExpenseCreation, ExpenseLineRequest, ExpenseRequest, SupplierPatch,
};
use racun_store::testing::Random;
use racun_store::{Context, Store, Walk};
use serde_json::{Value as Json, json};
use time::Date;
use time::macros::date;

use crate::fixture::{NOW, Shop, line, request};
use crate::stats_random::{LATER, issue_of_all_ages};
use crate::takings::{Market, on_postgres, on_sqlite};

/// Invoices in a shop with random money, drafts, voids and credit notes.
const TRADES: usize = 40;

async fn market(store: Arc<dyn Store>, random: &mut Random) -> Market {
    let market = Market::open(store).await;
    for _ in 0..TRADES {
        market.trade(random).await;
    }
    issue_of_all_ages(&market, random).await;
    market
}

/// Queries that a store counts, and others that it cannot.
fn queries() -> Vec<Json> {
    let metrics = json!([
        {"type": "count"},
        {"type": "sum", "field": "total_with_tax_converted"},
        {"type": "sum", "field": "total"},
    ]);
    let of = |table: &str, groups: Json, filters: Json| {
        let (metrics, group_by) = (&metrics, groups);
        json!({"table": table, "metrics": metrics, "group_by": group_by, "filters": filters})
    };
    let mut queries = vec![
        of("invoices", json!([]), json!({})),
        of("invoices", json!(["month"]), json!({"is_draft": false})),
        of("invoices", json!(["year", "currency_code"]), json!({"voided_at": null})),
        of("invoices", json!(["overdue_bucket"]), json!({"paid_in_full": false})),
        of("invoices", json!(["overdue_bucket"]), json!({})),
        of("invoices", json!(["currency_code", "overdue_bucket"]), json!({"voided_at": null})),
        of("invoices", json!(["overdue_bucket", "month"]), json!({"is_draft": true})),
        of("credit_notes", json!(["overdue_bucket"]), json!({"paid_in_full": [true, false]})),
        of("invoices", json!(["quote_currency"]), json!({})),
        of("invoices", json!(["paid_in_full", "is_draft"]), json!({})),
        of("invoices", json!(["customer_id"]), json!({"currency_code": ["EUR", "USD"]})),
        of("credit_notes", json!(["month"]), json!({"total": {"gt": 1}})),
        of("advance_invoices", json!(["currency_code"]), json!({})),
        of("estimates", json!(["month"]), json!({})),
    ];
    for query in [
        json!({"table": "invoices", "metrics": [{"type": "avg", "field": "total"},
            {"type": "max", "field": "date"}, {"type": "min", "field": "total_due"}],
            "group_by": ["date"]}),
        json!({"table": "invoice_taxes", "group_by": ["rate"],
            "metrics": [{"type": "sum", "field": "tax_total"}, {"type": "sum", "field": "base"},
                {"type": "sum", "field": "tax_total_converted"}, {"type": "count"}]}),
        json!({"table": "invoice_taxes", "group_by": ["month", "rate", "reverse_charge"],
            "metrics": [{"type": "sum", "field": "base_converted"}]}),
        json!({"table": "invoice_taxes", "group_by": ["overdue_bucket", "rate"],
            "metrics": [{"type": "sum", "field": "base"}, {"type": "count"}]}),
        json!({"table": "payments", "group_by": ["type"],
            "metrics": [{"type": "sum", "field": "amount"}, {"type": "count"}]}),
        json!({"table": "payments", "group_by": ["month", "type"],
            "metrics": [{"type": "sum", "field": "amount_converted"}]}),
        json!({"table": "payments", "group_by": ["currency_code", "quote_currency"],
            "metrics": [{"type": "sum", "field": "amount"}, {"type": "count"}]}),
        json!({"table": "payments", "filters": {"currency_code": "EUR"},
            "metrics": [{"type": "count"}]}),
        json!({"table": "customers", "metrics": [{"type": "count"}], "group_by": ["contact_type"]}),
        json!({"table": "items", "metrics": [{"type": "count"},
            {"type": "avg", "field": "price"}], "group_by": ["classification"]}),
    ] {
        queries.push(query);
    }
    for (from, to) in [
        ("2026-11-19", "2026-11-19"),
        ("2026-10-01", "2026-12-31"),
        ("2025-12-31", "2026-01-01"),
        ("2026-08-31", "2026-11-18"),
    ] {
        let mut dated = of("invoices", json!(["month", "currency_code"]), json!({}));
        dated["date_from"] = json!(from);
        dated["date_to"] = json!(to);
        queries.push(dated);
    }
    queries
}

async fn both_ways_agree(store: Arc<dyn Store>, seed: u64) {
    let mut random = Random::new(seed);
    let market = market(Arc::clone(&store), &mut random).await;
    let other = Market::open_at(store, market.shop.stamp.clone()).await;
    let shop = &market.shop;
    let later = shop.stamp.at(NOW + LATER);
    let cx = Context::new(&*shop.store, &shop.scope, &later);
    let (mut queries, mut counted) = (Vec::new(), Vec::new());
    // As many at once as one request has.
    for some in self::queries().chunks(25) {
        let some = parse_queries(&Json::Array(some.to_vec())).unwrap();
        counted.extend(answer(cx, &shop.entity, &some, Way::Counted).await.unwrap());
        let walked = answer(cx, &shop.entity, &some, Way::Walked).await.unwrap();
        let counted = &counted[queries.len()..];
        for ((counted, walked), query) in counted.iter().zip(&walked).zip(&some) {
            assert_eq!(counted, walked, "{query:?}");
        }
        queries.extend(some);
    }
    assert!(counted[0] != [StatRow(vec![])] && !counted[1].is_empty(), "something was sold");
    let (months, ages) = (&counted[1], &counted[4]);
    assert!(months.len() > 2, "rows of several months: {months:?}");
    assert_eq!(ages.len(), 5, "rows of every age: {ages:?}");

    let id = counted[0].len();
    assert_eq!(id, 1, "without groups there is one row");
    let (shop, queries) = (&other.shop, &queries[..25]);
    let others = answer(shop.cx(), &shop.entity, queries, Way::Counted).await.unwrap();
    let zero = StatValue::Number(Decimal::zero());
    assert_eq!(others[0][0].0[0], zero, "another tenant's invoices are not counted");
    assert!(others[1].is_empty() && others[12].is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sqlite_counts_is_what_its_rows_come_to() {
    for seed in [1, 2] {
        both_ways_agree(on_sqlite(), seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_postgres_counts_is_what_its_rows_come_to() {
    let (store, _database) = on_postgres().await;
    both_ways_agree(store, 3).await;
}

fn read(queries: Json) -> Vec<StatQuery> {
    parse_queries(&queries).unwrap()
}

/// The number that a query without groups comes to.
fn number(rows: &[StatRow]) -> Decimal {
    let StatValue::Number(number) = &rows[0].0[0] else { panic!("no number: {rows:?}") };
    number.clone()
}

/// What is looked at row by row is bounded for all queries of a request together; what the store
/// counts takes nothing of it. The first query that is beyond is named.
#[tokio::test(flavor = "multi_thread")]
async fn queries_of_a_request_share_the_records_that_they_look_at() {
    let mut random = Random::new(9);
    let market = market(on_sqlite(), &mut random).await;
    let shop = &market.shop;
    let count = json!({"table": "payments", "metrics": [{"type": "count"}]});
    let mut walked = count.clone();
    walked["group_by"] = json!(["currency_code"]);
    let queries = read(json!([walked, count, walked, walked]));
    let answers = answer(shop.cx(), &shop.entity, &queries, Way::Counted).await.unwrap();
    let payments: usize = number(&answers[1]).to_string().parse().unwrap();
    assert!(payments > 10, "{payments} payments");
    for (most, refused) in [
        (3 * payments, None),
        (3 * payments - 1, Some(3)),
        (2 * payments, Some(3)),
        (2 * payments - 1, Some(2)),
        (payments - 1, Some(0)),
    ] {
        let answers = answer_within(shop.cx(), &shop.entity, &queries, Way::Counted, most).await;
        assert_eq!(answers.err(), refused.map(StatsError::TooExpensive), "{most} records");
    }
}

/// The tax of a document in the currency of the books.
fn tax_of(document: &Document) -> Decimal {
    let taxes = document.amounts.taxes.iter();
    taxes.map(|own| own.amount_converted.as_ref().unwrap_or(&own.tax.amount)).sum()
}

/// The tax of the credit notes of these days.
async fn given_back(shop: &Shop, days: (Date, Date)) -> Decimal {
    let mut back = Decimal::zero();
    let mut notes = Walk::of(table_of(DocumentKind::CreditNote), shop.scope.tenant());
    while let Some(page) = notes.next::<Document>(&*shop.store).await.unwrap() {
        let counts = |note: &&Document| {
            let is_of_days = (days.0..=days.1).contains(&note.content.date);
            is_of_days && !note.is_draft() && note.voided_at().is_none()
        };
        for note in page.iter().filter(counts) {
            back += &tax_of(note);
        }
    }
    back
}

/// The tax of the VAT overview is that of statistics over the same documents, and KIR has it in its
/// columns, or names the documents that have it.
async fn reports_come_to_statistics(store: Arc<dyn Store>, seed: u64) {
    let mut random = Random::new(seed);
    let market = market(store, &mut random).await;
    let shop = &market.shop;
    let bread = shop.create(request(vec![line("Kruh", "2", "10")])).await.unwrap();
    let links = Some(vec![bread.id.to_string()]);
    let lines = request(vec![line("Kruh", "1", "10")]);
    let back = DocumentRequest { linked_documents: links, ..lines };
    shop.make_of(DocumentKind::CreditNote, back, Creation::default()).await.unwrap();
    let entity =
        racun_access::Entity { tax_number: Some("SI10039856".to_owned()), ..shop.entity.clone() };
    let days = (date!(2026 - 11 - 01), date!(2026 - 11 - 30));
    let overview = tax::vat_overview(shop.cx(), &entity, days.0, days.1).await.unwrap();
    assert!(overview.left_out.iter().all(|one| one.code == "advance_invoice"));
    let asked = read(json!({"table": "invoice_taxes", "date_from": "2026-11-01",
        "date_to": "2026-11-30", "filters": {"is_draft": false, "voided_at": null},
        "metrics": [{"type": "sum", "field": "tax_total_converted"}]}));
    let answers = answer(shop.cx(), &entity, &asked, Way::Counted).await.unwrap();
    let (sold, back) = (number(&answers[0]), given_back(shop, days).await);
    assert!(sold.is_positive() && back.is_positive(), "{sold} less {back}");
    assert_eq!(&sold - &back, overview.tax, "{sold} less {back}");

    let period = TaxPeriod::new(2026, Some(11), None).unwrap();
    let filed = tax::issued_book(shop.cx(), &entity, period).await.unwrap();
    let archive = filed.archive().unwrap();
    assert_eq!(archive.name, "KIR_2026_M11.zip");
    assert!(archive.bytes.starts_with(b"PK\x03\x04"));
    let listed: usize = filed.book.left_out.iter().map(|one| one.documents.len()).sum();
    let rows = filed.book.rows.len();
    assert!(rows > 10, "{rows} rows");
    let of_overview: usize = overview.left_out.iter().map(|one| one.documents.len()).sum();
    assert_eq!(listed + rows, overview.documents + overview.voided + of_overview);
    let taxed: Decimal = [14, 15, 16].map(|column| filed.book.total(column)).iter().sum();
    let left_out = filed.book.left_out.iter();
    let others = left_out.filter(|one| one.code == "rate_without_column");
    let mut beside = Decimal::zero();
    for named in others.flat_map(|one| &one.documents) {
        let document = get_document(shop.cx(), named.id.parse().unwrap()).await.unwrap();
        let tax = tax_of(&document);
        let is_credit = document.id.kind() == DocumentKind::CreditNote;
        beside = if is_credit { &beside - &tax } else { &beside + &tax };
    }
    assert_eq!(&taxed + &beside, overview.tax, "{beside} of it beside the columns");
    what_was_received(shop, &entity, period).await;
}

/// Enters a supplier's document over 100 and 22 of tax.
async fn buy(shop: &Shop, number: &str, date: Date, received: Option<Date>) {
    let supplier = SupplierPatch {
        name: Patch::Value("Mlin".to_owned()),
        country_code: Patch::Value("SI".to_owned()),
        tax_number: Patch::Value("SI87654326".to_owned()),
        ..SupplierPatch::default()
    };
    let sent = ExpenseRequest {
        supplier: Patch::Value(supplier),
        supplier_document_number: Patch::Value(number.to_owned()),
        date: Patch::Value(date),
        date_received: received.map_or(Patch::Absent, Patch::Value),
        items: Some(vec![ExpenseLineRequest { line: line("Moka", "1", "100"), total_tax: None }]),
        ..ExpenseRequest::default()
    };
    expenses::create(shop.cx(), &shop.entity, sent, ExpenseCreation::default()).await.unwrap();
}

/// KPR of November has what came in then: by the day of its receipt, or where that is not said by
/// its date. What is dated ahead of today is left out.
async fn what_was_received(shop: &Shop, entity: &racun_access::Entity, november: TaxPeriod) {
    let (came, dated) = (date!(2026 - 11 - 03), date!(2026 - 11 - 10));
    buy(shop, "came", date!(2026 - 10 - 28), Some(came)).await;
    buy(shop, "dated", dated, None).await;
    buy(shop, "later", date!(2026 - 11 - 05), Some(date!(2026 - 12 - 01))).await;
    buy(shop, "earlier", date!(2026 - 10 - 31), None).await;
    buy(shop, "ahead", date!(2026 - 11 - 21), None).await;
    let book = tax::received_book(shop.cx(), entity, november).await.unwrap().book;
    let rows = book.rows.iter().map(|row| (&*row.document.number, row.booked_on));
    assert_eq!(rows.collect::<Vec<_>>(), [("came", came), ("dated", dated)]);
    assert_eq!([8, 18].map(|column| book.total(column).to_string()), ["200", "44"]);
    let left_out = book.left_out.iter();
    let left_out = left_out.map(|one| (one.code, &*one.documents[0].number));
    assert_eq!(left_out.collect::<Vec<_>>(), [("date_in_future", "ahead")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_agree_with_statistics_on_sqlite() {
    reports_come_to_statistics(on_sqlite(), 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_agree_with_statistics_on_postgres() {
    let (store, _database) = on_postgres().await;
    reports_come_to_statistics(store, 8).await;
}
