//! Statistics and reports: what a store counts is what the fold over its rows comes to, and no
//! tenant sees another's rows.

use std::sync::Arc;

use racun_documents::DocumentKind;
use racun_insights::{StatRow, StatValue, TaxPeriod, parse_queries};
use racun_kernel::Decimal;
use racun_records::get_document;
use racun_reporting::stats::{Way, answer};
use racun_reporting::tax;
use racun_store::Store;
use racun_store::testing::Random;
use serde_json::{Value as Json, json};
use time::macros::date;

use crate::takings::{Market, on_postgres, on_sqlite};

/// Invoices in a shop with random money, drafts, voids and credit notes.
const TRADES: usize = 40;

async fn market(store: Arc<dyn Store>, random: &mut Random) -> Market {
    let market = Market::open(store).await;
    for _ in 0..TRADES {
        market.trade(random).await;
    }
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
    for (from, to) in [("2026-11-19", "2026-11-19"), ("2026-10-01", "2026-12-31")] {
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
    let (mut queries, mut counted) = (Vec::new(), Vec::new());
    // As many at once as one request has.
    for some in self::queries().chunks(25) {
        let some = parse_queries(&Json::Array(some.to_vec())).unwrap();
        counted.extend(answer(shop.cx(), &shop.entity, &some, Way::Counted).await.unwrap());
        let walked = answer(shop.cx(), &shop.entity, &some, Way::Walked).await.unwrap();
        let counted = &counted[queries.len()..];
        for ((counted, walked), query) in counted.iter().zip(&walked).zip(&some) {
            assert_eq!(counted, walked, "{query:?}");
        }
        queries.extend(some);
    }
    assert!(counted[0] != [StatRow(vec![])] && !counted[1].is_empty(), "something was sold");

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

/// The sums of KIR and of the VAT overview are those of statistics over the same documents.
#[tokio::test(flavor = "multi_thread")]
async fn reports_agree_with_statistics() {
    let mut random = Random::new(7);
    let market = market(on_sqlite(), &mut random).await;
    let shop = &market.shop;
    let entity =
        racun_access::Entity { tax_number: Some("SI10039856".to_owned()), ..shop.entity.clone() };
    let period = TaxPeriod::new(2026, Some(11), None).unwrap();
    let filed = tax::issued_book(shop.cx(), &entity, period).await.unwrap();
    let archive = filed.archive().unwrap();
    assert_eq!(archive.name, "KIR_2026_M11.zip");
    assert!(archive.bytes.starts_with(b"PK\x03\x04"));
    let days = (date!(2026 - 11 - 01), date!(2026 - 11 - 30));
    let overview = tax::vat_overview(shop.cx(), &entity, days.0, days.1).await.unwrap();
    let listed: usize = filed.book.left_out.iter().map(|one| one.documents.len()).sum();
    let rows = filed.book.rows.len();
    assert!(rows > 10, "{rows} rows");
    let of_overview: usize = overview.left_out.iter().map(|one| one.documents.len()).sum();
    let voided_advances = listed + rows - overview.documents - overview.voided - of_overview;
    assert_eq!(voided_advances, 0);
    let taxed: Decimal = [14, 15, 16].map(|column| filed.book.total(column)).iter().sum();
    let left_out = filed.book.left_out.iter();
    let others = left_out.filter(|one| one.code == "rate_without_column");
    let mut beside = Decimal::zero();
    for named in others.flat_map(|one| &one.documents) {
        let document = get_document(shop.cx(), named.id.parse().unwrap()).await.unwrap();
        let is_credit = document.id.kind() == DocumentKind::CreditNote;
        for own in &document.amounts.taxes {
            let tax = own.amount_converted.as_ref().unwrap_or(&own.tax.amount);
            beside = if is_credit { &beside - tax } else { &beside + tax };
        }
    }
    assert_eq!(&taxed + &beside, overview.tax, "{beside} of it beside the columns");
}
