//! The stages of an expense.

use racun_documents::DocumentError;
use racun_documents::expense::{
    Expense, ExpenseAmounts, ExpenseContent, ExpenseItem, MAX_EXPENSE_ITEMS,
    MAX_EXPENSE_NOTE_CHARS, MAX_EXPENSE_TAXES, MAX_EXPENSE_TEXT_CHARS,
};
use racun_kernel::{Classification, Issues};
use racun_store::StoreError;
use time::macros::date;

use super::{content, decimal, draft, entity, item, now};

fn codes(issues: &Issues) -> Vec<String> {
    let code = |issue: &racun_kernel::Issue| {
        let at = racun_kernel::Issue { message: String::new(), ..issue.clone() };
        format!("{at}{}", issue.code)
    };
    issues.iter().map(code).collect()
}

fn refusal(decided: Result<Expense, DocumentError>) -> &'static str {
    match decided {
        Err(DocumentError::Refused(refused)) => refused.code(),
        Err(DocumentError::Store(StoreError::NotFound { .. })) => "not_found",
        other => panic!("expected a refusal, not {other:?}"),
    }
}

#[test]
fn a_draft_may_lack_what_a_finalized_expense_needs() {
    let stamp = now();
    let mut empty = content();
    empty.supplier = None;
    empty.date = None;
    empty.date_due = None;
    empty.amounts = ExpenseAmounts::default();
    let draft = draft(empty.clone());
    assert_eq!((draft.total_due(), draft.paid_in_full(), draft.number()), (None, false, None));
    let Err(DocumentError::Invalid(issues)) = draft.clone().finalize(None, &stamp) else {
        panic!()
    };
    let missing = ["supplier: required", "date: required", "total_with_tax: required"];
    assert_eq!(codes(&issues), missing);
    let complete = draft.update(content(), &stamp).unwrap().finalize(None, &stamp).unwrap();
    assert!(!complete.is_draft());
    let Err(DocumentError::Invalid(issues)) = complete.update(empty, &stamp) else { panic!() };
    assert_eq!(codes(&issues), missing);
}

#[test]
fn stages_follow_one_another() {
    let stamp = now();
    let draft = draft(content());
    assert!(draft.is_draft());
    assert_eq!(refusal(draft.clone().void(&stamp)), "document_is_draft");
    let deleted = draft.clone().delete(&stamp).unwrap();
    assert_eq!(deleted.deleted_at, Some(stamp.now()));
    assert_eq!(refusal(deleted.clone().delete(&stamp)), "not_found");
    assert_eq!(refusal(deleted.finalize(None, &stamp)), "not_found");
    let issued = draft.finalize(Some("P-1".to_owned()), &stamp).unwrap();
    assert!(!issued.is_draft());
    assert_eq!(issued.number().map(String::as_str), Some("P-1"));
    assert_eq!(refusal(issued.clone().finalize(None, &stamp)), "document_not_draft");
    assert_eq!(refusal(issued.clone().delete(&stamp)), "document_not_draft");
    let voided = issued.void(&stamp).unwrap();
    assert_eq!((voided.voided_at(), voided.number().is_some()), (Some(stamp.now()), true));
    assert_eq!(refusal(voided.clone().void(&stamp)), "document_voided");
    assert_eq!(refusal(voided.clone().update(content(), &stamp)), "document_voided");
    assert_eq!(refusal(voided.delete(&stamp)), "document_not_draft");
}

#[test]
fn payments_keep_the_currency_that_they_were_made_in() {
    let stamp = now();
    let paid = draft(content()).finalize(None, &stamp).unwrap().paid(decimal("50"), &stamp);
    assert_eq!(paid.total_due(), Some(decimal("72")));
    let mut other = content();
    other.amounts.total_with_tax = Some(decimal("50"));
    assert!(paid.clone().update(other, &stamp).unwrap().paid_in_full());
    let dollars = ExpenseContent { currency: "USD".parse().unwrap(), ..content() };
    let Err(DocumentError::Invalid(issues)) = paid.update(dollars, &stamp) else { panic!() };
    assert_eq!(codes(&issues), ["currency_code: not_updatable"]);
}

#[test]
fn content_that_stays_changes_nothing() {
    let stamp = now();
    let draft = draft(content());
    assert_eq!(draft.clone().update(content(), &stamp), Ok(draft));
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
        Expense::draft(entity(), content, &now())
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
        Expense::draft(entity(), content, &now())
    };
    assert!(many(MAX_EXPENSE_ITEMS).is_ok());
    assert_eq!(codes(&many(MAX_EXPENSE_ITEMS + 1).unwrap_err()), ["items: too_many"]);
}

#[test]
fn amounts_and_dates_make_sense() {
    let wrong = |change: fn(&mut ExpenseContent)| {
        let mut content = content();
        change(&mut content);
        codes(&Expense::draft(entity(), content, &now()).unwrap_err())
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
