//! How expenses are stored.

use racun_documents::LineTaxDetail;
use racun_documents::calculation::{CalculationMode, Discount, DiscountKind};
use racun_documents::expense::{EXPENSES, Expense, ExpenseContent, ExpenseItem};
use racun_kernel::{BankAccount, Tenant};
use racun_store::testing::assert_stored_as_declared;
use racun_store::{Record, Value};
use serde_json::json;

use super::{content, decimal, draft, entity, item, now};

fn check(expense: &Expense) {
    assert_eq!(expense.table(), &EXPENSES);
    assert_eq!(expense.tenant(), Tenant::entity(entity()));
    assert_stored_as_declared(expense);
}

#[test]
fn expenses_are_stored_as_declared() {
    let stamp = now();
    let draft = draft(content());
    check(&draft);
    let issued = draft.finalize(Some("P-7".to_owned()), &stamp).unwrap();
    check(&issued);
    assert_eq!(issued.value("number"), Value::from("P-7"));
    assert_eq!(issued.value("supplier.name"), Value::from("Mlin d.o.o."));
    assert_eq!(issued.value("transaction_type"), Value::from("domestic"));
    let voided = issued.void(&stamp).unwrap();
    check(&voided);
    assert_eq!(voided.value("voided_at"), Value::from(stamp.now()));
}

#[test]
fn fields_inside_bodies_are_where_the_table_says() {
    let draft = draft(content());
    let body = serde_json::to_value(&draft).unwrap();
    for field in EXPENSES.fields {
        if let racun_store::Source::Body(path) = field.source {
            let found = path.iter().fold(&body, |value, key| &value[*key]);
            assert_eq!(Value::from(found.as_str()), draft.value(field.name), "{}", field.name);
        }
    }
}

#[test]
fn an_expense_that_an_earlier_version_stored_is_read() {
    let discounts = vec![Discount { value: decimal("10"), kind: DiscountKind::Amount }];
    let tax = LineTaxDetail {
        tax_id: None,
        rate: decimal("22"),
        classification: None,
        reverse_charge: false,
        amount: decimal("22"),
        is_deductible: Some(true),
        deductible_percentage: None,
        pt_exemption_code: None,
        pt_exemption_reason: None,
    };
    let mut content = ExpenseContent {
        items: vec![ExpenseItem { discounts, taxes: vec![tax], ..item() }],
        calculation_mode: Some(CalculationMode::B2bStandard),
        ..content()
    };
    let account = BankAccount { iban: Some("SI56".to_owned()), ..BankAccount::default() };
    content.supplier.as_mut().unwrap().bank_accounts = Some(vec![account]);
    let expense = draft(content);
    let mut body = serde_json::to_value(&expense).unwrap();
    let stored = &mut body["content"];
    assert_eq!(stored["calculation_mode"], "b2b_standard");
    assert_eq!(stored["items"][0]["discounts"], json!([{"value": 10, "type": "amount"}]));
    stored["supplier"]["bank_accounts"] = json!([{
        "name": null, "bank_name": null, "iban": "SI56", "account_number": null,
        "routing_number": null, "bic": null,
    }]);
    stored["items"][0]["taxes"] = json!([{
        "tax_id": null, "rate": 22, "classification": null, "reverse_charge": false,
        "amount": 22, "is_deductible": true, "deductible_percentage": null,
    }]);
    assert_eq!(serde_json::from_value::<Expense>(body).unwrap(), expense);
}
