//! Expenses: received supplier invoices.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod amounts;
mod records;
mod stages;

use racun_documents::LineTranslations;
use racun_documents::TransactionType;
use racun_documents::expense::{
    Expense, ExpenseAmounts, ExpenseContent, ExpenseItem, ExpenseSummaryTax, ExpenseSupplier,
};
use racun_kernel::id::EntityId;
use racun_kernel::{Classification, Currency, Decimal, Metadata, Stamp};
use racun_store::testing::stamp;
use time::macros::{date, datetime};
use ulid::Ulid;

fn now() -> Stamp {
    stamp(datetime!(2026-11-20 10:00 UTC))
}

fn entity() -> EntityId {
    EntityId::new(Ulid::from_parts(1, 1))
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// A complete expense of which only totals are known.
fn content() -> ExpenseContent {
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
        supplier: Some(ExpenseSupplier {
            name: Some("Mlin d.o.o.".to_owned()),
            tax_number: Some("SI12345678".to_owned()),
            ..ExpenseSupplier::default()
        }),
        supplier_document_number: Some("2026-118".to_owned()),
        date: Some(date!(2026 - 11 - 10)),
        date_received: Some(date!(2026 - 11 - 12)),
        date_due: Some(date!(2026 - 12 - 10)),
        transaction_type: Some(TransactionType::Domestic),
        summary_classification: Some(Classification::Product),
        amounts: ExpenseAmounts {
            total: Some(decimal("100")),
            total_with_tax: Some(decimal("122")),
            taxes: vec![tax],
            ..ExpenseAmounts::default()
        },
        ..ExpenseContent::blank(Currency::EUR)
    }
}

fn draft(content: ExpenseContent) -> Expense {
    Expense::draft(entity(), content, &now()).unwrap()
}

fn item() -> ExpenseItem {
    ExpenseItem {
        id: "exp_item_1".to_owned(),
        is_separator: false,
        item_id: None,
        name: Some("Moka".to_owned()),
        description: None,
        translations: LineTranslations::default(),
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
