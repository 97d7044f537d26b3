//! The stages of an expense.

use racun_kernel::{Classification, Currency, Issues, Metadata};
use racun_settlement::{
    Expense, ExpenseAmounts, ExpenseContent, ExpenseItem, ExpenseItemTranslations,
    ExpenseSummaryTax, ExpenseSupplier, MAX_EXPENSE_ITEMS, MAX_EXPENSE_NOTE_CHARS,
    MAX_EXPENSE_TAXES, MAX_EXPENSE_TEXT_CHARS, Refusal, SettleableStage, SettlementError,
};
use time::macros::date;

use crate::world::{World, decimal, entity};

/// A complete expense of which only totals are known.
pub fn content() -> ExpenseContent {
    let tax = ExpenseSummaryTax {
        tax_id: None,
        rate: Some(decimal("22")),
        base: decimal("100"),
        amount: decimal("22"),
        base_converted: None,
        amount_converted: None,
        reverse_charge: false,
        is_deductible: Some(true),
        deductible_percentage: None,
    };
    ExpenseContent {
        supplier_id: None,
        supplier: Some(ExpenseSupplier {
            name: Some("Mlin d.o.o.".to_owned()),
            tax_number: Some("SI12345678".to_owned()),
            ..ExpenseSupplier::default()
        }),
        supplier_document_number: Some("2026-118".to_owned()),
        date: Some(date!(2026 - 11 - 10)),
        date_received: Some(date!(2026 - 11 - 12)),
        date_due: Some(date!(2026 - 12 - 10)),
        date_service: None,
        date_service_to: None,
        currency: Currency::EUR,
        exchange_rate: None,
        transaction_type: Some("domestic".to_owned()),
        calculation_mode: None,
        summary_classification: Some(Classification::Product),
        reference: None,
        note: None,
        metadata: Metadata::default(),
        items: Vec::new(),
        amounts: ExpenseAmounts {
            total: Some(decimal("100")),
            total_with_tax: Some(decimal("122")),
            taxes: vec![tax],
            ..ExpenseAmounts::default()
        },
    }
}

fn draft(content: ExpenseContent) -> Expense {
    Expense::draft(entity(), content, &World::new().stamp).unwrap()
}

fn codes(issues: &Issues) -> Vec<String> {
    let code = |issue: &racun_kernel::Issue| {
        let at = racun_kernel::Issue { message: String::new(), ..issue.clone() };
        format!("{at}{}", issue.code)
    };
    issues.iter().map(code).collect()
}

fn refusal(decided: Result<Expense, SettlementError>) -> &'static str {
    match decided {
        Err(SettlementError::Refused(refusal)) => refusal.code(),
        Err(SettlementError::NotFound { .. }) => "not_found",
        other => panic!("expected a refusal, not {other:?}"),
    }
}

#[test]
fn a_draft_may_lack_what_a_finalized_expense_needs() {
    let stamp = World::new().stamp;
    let mut empty = content();
    empty.supplier = None;
    empty.date = None;
    empty.date_due = None;
    empty.amounts = ExpenseAmounts::default();
    let draft = draft(empty.clone());
    assert_eq!((draft.total_due(), draft.paid_in_full(), draft.number()), (None, false, None));
    let Err(SettlementError::Invalid(issues)) = draft.clone().finalize(None, &stamp) else {
        panic!()
    };
    let missing = ["supplier: required", "date: required", "total_with_tax: required"];
    assert_eq!(codes(&issues), missing);
    let complete = draft.update(content(), &stamp).unwrap().finalize(None, &stamp).unwrap();
    assert!(!complete.is_draft());
    let Err(SettlementError::Invalid(issues)) = complete.update(empty, &stamp) else { panic!() };
    assert_eq!(codes(&issues), missing);
}

#[test]
fn stages_follow_one_another() {
    let stamp = World::new().stamp;
    let draft = draft(content());
    assert_eq!(draft.settleable().stage, SettleableStage::Draft);
    assert_eq!(refusal(draft.clone().void(&stamp)), "document_is_draft");
    let deleted = draft.clone().delete(&stamp).unwrap();
    assert_eq!(deleted.deleted_at, Some(stamp.now()));
    assert_eq!(refusal(deleted.clone().delete(&stamp)), "not_found");
    assert_eq!(refusal(deleted.finalize(None, &stamp)), "not_found");
    let issued = draft.finalize(Some("P-1".to_owned()), &stamp).unwrap();
    assert_eq!(issued.settleable().stage, SettleableStage::Issued);
    assert_eq!(issued.number().map(String::as_str), Some("P-1"));
    assert_eq!(refusal(issued.clone().finalize(None, &stamp)), "document_not_draft");
    assert_eq!(refusal(issued.clone().delete(&stamp)), "document_not_draft");
    let voided = issued.void(&stamp).unwrap();
    assert_eq!(voided.settleable().stage, SettleableStage::Voided);
    assert_eq!((voided.voided_at(), voided.number().is_some()), (Some(stamp.now()), true));
    assert_eq!(refusal(voided.clone().void(&stamp)), "document_voided");
    assert_eq!(refusal(voided.clone().update(content(), &stamp)), "document_voided");
    assert_eq!(refusal(voided.delete(&stamp)), "document_not_draft");
}

#[test]
fn what_is_paid_fits_into_another_total() {
    let stamp = World::new().stamp;
    let issued = draft(content()).finalize(None, &stamp).unwrap();
    let paid = issued.paid(decimal("50"), &stamp);
    assert_eq!(paid.total_due(), Some(decimal("72")));
    let of = |total: &str| {
        let mut content = content();
        content.amounts.total_with_tax = Some(decimal(total));
        content
    };
    assert!(paid.clone().update(of("50"), &stamp).unwrap().paid_in_full());
    let Err(SettlementError::Refused(Refusal::PaymentExceedsTotal(figures))) =
        paid.clone().update(of("49.99"), &stamp)
    else {
        panic!()
    };
    assert_eq!((figures.amount, figures.maximum), (decimal("50"), decimal("49.99")));
    let dollars = ExpenseContent { currency: "USD".parse().unwrap(), ..content() };
    let Err(SettlementError::Invalid(issues)) = paid.update(dollars, &stamp) else { panic!() };
    assert_eq!(codes(&issues), ["currency_code: not_updatable"]);
}

#[test]
fn content_that_stays_changes_nothing() {
    let stamp = World::new().stamp;
    let draft = draft(content());
    assert_eq!(draft.clone().update(content(), &stamp), Ok(draft));
}

fn item() -> ExpenseItem {
    ExpenseItem {
        id: "exp_item_1".to_owned(),
        is_separator: false,
        item_id: None,
        name: Some("Moka".to_owned()),
        description: None,
        translations: ExpenseItemTranslations::default(),
        quantity: Some(decimal("2")),
        unit: None,
        classification: None,
        financial_category_id: None,
        expense_recognition: None,
        price: Some(decimal("50")),
        gross_price: None,
        discounts: Vec::new(),
        taxes: Vec::new(),
        total: Some(decimal("100")),
        total_with_tax: Some(decimal("122")),
        total_tax: Some(decimal("22")),
        metadata: Metadata::default(),
    }
}

#[test]
fn limits_hold_at_their_edge() {
    let at = |over: usize| {
        let mut content = content();
        content.note = Some("ž".repeat(MAX_EXPENSE_NOTE_CHARS + over));
        content.reference = Some("ž".repeat(MAX_EXPENSE_TEXT_CHARS + over));
        content.supplier_document_number = Some("ž".repeat(MAX_EXPENSE_TEXT_CHARS + over));
        content.supplier.as_mut().unwrap().city = Some("ž".repeat(MAX_EXPENSE_TEXT_CHARS + over));
        let named =
            ExpenseItem { name: Some("ž".repeat(MAX_EXPENSE_TEXT_CHARS + over)), ..item() };
        content.items = vec![item(), named];
        content.amounts.taxes = vec![content.amounts.taxes[0].clone(); MAX_EXPENSE_TAXES + over];
        Expense::draft(entity(), content, &World::new().stamp)
    };
    assert!(at(0).is_ok());
    let expected = [
        "note: too_long",
        "reference: too_long",
        "supplier_document_number: too_long",
        "supplier.city: too_long",
        "items[1].name: too_long",
        "taxes: too_many",
    ];
    assert_eq!(codes(&at(1).unwrap_err()), expected);
    let many = |count: usize| {
        let content = ExpenseContent { items: vec![item(); count], ..content() };
        Expense::draft(entity(), content, &World::new().stamp)
    };
    assert!(many(MAX_EXPENSE_ITEMS).is_ok());
    assert_eq!(codes(&many(MAX_EXPENSE_ITEMS + 1).unwrap_err()), ["items: too_many"]);
}

#[test]
fn amounts_and_dates_make_sense() {
    let wrong = |change: fn(&mut ExpenseContent)| {
        let mut content = content();
        change(&mut content);
        codes(&Expense::draft(entity(), content, &World::new().stamp).unwrap_err())
    };
    let decimals = wrong(|content| content.amounts.total = Some(decimal("1.005")));
    assert_eq!(decimals, ["total: too_many_decimals"]);
    let range = wrong(|c| c.amounts.total_with_tax = Some(decimal("-140737488355328")));
    assert_eq!(range, ["total_with_tax: out_of_range"]);
    let due = wrong(|content| content.date_due = Some(date!(2026 - 11 - 09)));
    assert_eq!(due, ["date_due: date_before_document"]);
    let service = wrong(|content| {
        content.date_service = Some(date!(2026 - 11 - 09));
        content.date_service_to = Some(date!(2026 - 11 - 08));
    });
    assert_eq!(service, ["date_service_to: date_before_service"]);
    let summary = wrong(|content| content.summary_classification = Some(Classification::Advance));
    assert_eq!(summary, ["summary_classification: invalid_value"]);
}
