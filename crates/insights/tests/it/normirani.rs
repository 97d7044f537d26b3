//! The yearly figures of flat-rate sole traders.

use racun_insights::{
    Basis, ManualValues, RevenueDocument, Rules, SoldKind, YearFacts, YearInput, YearlyReport,
    review, yearly_file_name, yearly_report,
};
use racun_kernel::Decimal;
use serde_json::Value;

use crate::world::{date, decimal, group, read, text};

fn basis(input: &Value) -> Basis {
    Basis::from_name(text(input, "insurance_basis")).unwrap()
}

#[test]
fn the_figures_are_those_that_are_known() {
    let file = read("normirani_vectors.json");
    for vector in group(&file, "vectors") {
        let input = &vector["input"];
        let year = input["year"].as_i64().unwrap();
        let rules = Rules::of(i32::try_from(year).unwrap(), basis(input));
        let values = rules.apply(&YearInput {
            invoices: decimal(text(input, "invoices")),
            credit_notes: decimal(text(input, "credit_notes")),
            increase: decimal(text(input, "revenue_adjustment_increase")),
            decrease: decimal(text(input, "revenue_adjustment_decrease")),
            months: input["months_active"].as_i64().unwrap(),
        });
        let expected = &vector["expected"];
        for (name, value) in [
            ("total_invoice_revenue", &values.total_invoice_revenue),
            ("total_credit_note_reduction", &values.total_credit_note_reduction),
            ("adjusted_revenue", &values.adjusted_revenue),
            ("normative_expenses", &values.normative_expenses),
            ("tax_base", &values.tax_base),
            ("income_tax_amount", &values.income_tax_amount),
            ("advance_tax_amount", &values.advance_tax_amount),
            ("monthly_installment_amount", &values.monthly_installment_amount),
            ("quarterly_installment_amount", &values.quarterly_installment_amount),
        ] {
            assert_eq!(*value, decimal(text(expected, name)), "{name} of {}", vector["id"]);
        }
        let paid = if values.is_paid_monthly() { "monthly" } else { "quarterly" };
        assert_eq!(paid, text(expected, "instalments"), "{}", vector["id"]);
    }
}

fn document(number: &str, kind: SoldKind, total: Option<&str>) -> RevenueDocument {
    RevenueDocument {
        id: number.to_owned(),
        kind,
        number: number.to_owned(),
        date: date("2026-05-01"),
        is_voided: false,
        customer_name: None,
        customer_country_code: None,
        customer_tax_number: None,
        currency_code: "EUR".to_owned(),
        total: decimal(total.unwrap_or("1")),
        total_converted: total.map(decimal),
        is_paid: true,
    }
}

fn year() -> YearFacts {
    YearFacts {
        year: 2026,
        basis: None,
        first_document: Some(date("2026-07-15")),
        increase: Decimal::zero(),
        decrease: decimal("100"),
        today: date("2026-11-26"),
        documents: vec![
            document("1", SoldKind::Invoice, Some("1000")),
            RevenueDocument { is_paid: false, ..document("2", SoldKind::Invoice, Some("200")) },
            document("3", SoldKind::Invoice, None),
            RevenueDocument { is_voided: true, ..document("4", SoldKind::Invoice, Some("400")) },
            document("5", SoldKind::CreditNote, Some("50")),
            document("6", SoldKind::Advance, Some("60")),
            RevenueDocument {
                date: date("2025-12-31"),
                ..document("7", SoldKind::Invoice, Some("7000"))
            },
        ],
    }
}

/// 1000 + 200 - 50 - 100 = 1050 of revenue, 840 of expenses, a base of 210, a tax of 42. If the
/// activity began in July, the base of a whole year is 420, its tax 84.
#[test]
fn a_review_counts_what_is_revenue_and_names_what_is_to_be_looked_at() {
    let review = review(&year());
    let values = &review.auto_values;
    assert_eq!(values.adjusted_revenue, decimal("1050"));
    assert_eq!(values.tax_base, decimal("210"));
    assert_eq!(values.income_tax_amount, decimal("42"));
    assert_eq!(values.advance_tax_amount, decimal("42"));
    let warnings: Vec<&str> = review.warnings.iter().map(|one| one.code).collect();
    assert_eq!(
        warnings,
        [
            "rules_not_confirmed",
            "insurance_basis_assumed",
            "year_not_over",
            "activity_began_in_year",
        ]
    );
    let says = &review.warnings[3].message;
    assert!(says.contains("2026-07-15") && says.contains("advance is 84 EUR, 7 EUR"), "{says}");
    assert!(!review.rule_summary.advance_rule.contains("scaled"), "{:?}", review.rule_summary);
    let issues: Vec<(&str, Vec<&str>)> = review
        .issues
        .iter()
        .map(|issue| {
            let documents = issue.affected_documents.iter();
            (issue.code, documents.map(|one| &*one.document.number).collect())
        })
        .collect();
    assert_eq!(
        issues,
        [
            ("missing_exchange_rate", vec!["3"]),
            ("unpaid_documents", vec!["2"]),
            ("advance_invoices", vec!["6"]),
            ("voided_documents", vec!["4"]),
        ]
    );
    assert!(review.issues.iter().all(|issue| !issue.official_sources.is_empty()));
}

#[test]
fn nothing_is_said_of_the_beginning_where_the_year_is_whole() {
    for first in [None, Some(date("2026-01-20"))] {
        let review = review(&YearFacts { first_document: first, ..year() });
        assert!(review.warnings.iter().all(|one| one.code != "activity_began_in_year"));
    }
}

#[test]
fn a_year_without_rules_says_whose_it_takes() {
    let review = review(&YearFacts { year: 2030, ..year() });
    assert!(review.warnings.iter().any(|one| one.code == "rules_of_another_year"));
    assert!(review.rule_summary.income_tax_rule.contains("2026"));
}

#[test]
fn the_file_holds_the_figures_and_what_is_to_be_paid() {
    let manual = ManualValues {
        withholding_tax_amount: decimal("10"),
        foreign_tax_credit_amount: decimal("5"),
        prior_advance_income_tax_amount: decimal("30"),
        revenue_adjustment_decrease: decimal("100"),
        revenue_adjustment_increase: decimal("0"),
    };
    manual.check().unwrap();
    let review = review(&year());
    let file = yearly_report(&YearlyReport {
        tax_payer: "12345679",
        name: "Ana & Bor s.p.",
        registration_number: None,
        activity_codes: &["62.010".to_owned()],
        basis: Basis::FullTime,
        review: &review,
        manual: &manual,
    });
    let read = roxmltree::Document::parse(&file).unwrap();
    let of = |name| read.descendants().find(|node| node.has_tag_name(name)).unwrap().text();
    let of = |name| of(("urn:racun:ddd-ddd:1", name)).unwrap();
    assert_eq!((of("AdjustedRevenue"), of("ToPay")), ("1050.00", "-3.00"));
    assert_eq!((of("Name"), of("Installments")), ("Ana & Bor s.p.", "quarterly"));
    let comments = read.root().children().filter(roxmltree::Node::is_comment);
    let comments: Vec<&str> = comments.filter_map(|node| node.text()).map(str::trim).collect();
    let said = [
        "left out (missing_exchange_rate): Some documents are in another currency and have no \
         amount in euros: 3",
        "look at (unpaid_documents): Some invoices of the year are not paid in full: 2",
        "left out (advance_invoices): Advance invoices are not counted as revenue: 6",
        "left out (voided_documents): Voided documents are not counted: 4",
    ];
    assert!(comments[0].contains("this is not the file that eDavki imports"), "{}", comments[0]);
    assert_eq!(comments[1..], said);
    assert_eq!(yearly_file_name(2026), "DDD-DDD_2026.xml");
    let wrong = ManualValues { withholding_tax_amount: decimal("-1"), ..manual };
    assert!(wrong.check().unwrap_err().to_string().starts_with("withholding_tax_amount"));
}
