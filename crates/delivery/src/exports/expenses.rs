//! Expenses as rows, and what they come to together.

use std::collections::BTreeMap;

use racun_documents::TransactionType;
use racun_documents::expense::{Expense, ExpenseStage};
use racun_exports::ColumnKind::{Amount, Date, Instant, Number, Text, Whole};
use racun_exports::{Cell, Sheet, SheetWriter};
use racun_kernel::Decimal;
use racun_store::Context;

use super::{ExportError, ExportPlan, currency_cell, for_each_page, payment_state};

/// Expenses of one currency: how many, and net, tax, gross, paid and due of all.
type Sums = BTreeMap<&'static str, (i64, [Decimal; 5])>;

pub(super) async fn write(
    cx: Context<'_>,
    plan: &ExportPlan,
    locale: &str,
    to: &mut dyn SheetWriter,
) -> Result<(), ExportError> {
    let columns = [
        ("number", Text),
        ("supplier_number", Text),
        ("status", Text),
        ("counted", Text),
        ("date", Date),
        ("date_due", Date),
        ("supplier", Text),
        ("tax_number", Text),
        ("country", Text),
        ("transaction_type", Text),
        ("currency", Text),
        ("net", Amount),
        ("tax", Amount),
        ("gross", Amount),
        ("exchange_rate", Number),
        ("net_converted", Amount),
        ("gross_converted", Amount),
        ("paid", Amount),
        ("due", Amount),
        ("payment_state", Text),
        ("reference", Text),
        ("note", Text),
        ("voided_at", Instant),
        ("created_at", Instant),
        ("id", Text),
    ];
    to.begin(&Sheet::new("expenses", locale).with(locale, &columns))?;
    let mut sums = Sums::new();
    for source in &plan.sources {
        let each = |page: Vec<Expense>| {
            for expense in &page {
                to.row(&row(expense))?;
                count(&mut sums, expense);
            }
            Ok(())
        };
        for_each_page(cx, source, each).await?;
    }
    if !to.has_sheets() {
        return Ok(());
    }
    let columns = [
        ("currency", Text),
        ("documents", Whole),
        ("net", Amount),
        ("tax", Amount),
        ("gross", Amount),
        ("paid", Amount),
        ("due", Amount),
    ];
    to.begin(&Sheet::new("sums", locale).with(locale, &columns))?;
    for (currency, (count, amounts)) in sums {
        let mut cells = vec![currency.into(), count.into()];
        cells.extend(amounts.map(Cell::from));
        to.row(&cells)?;
    }
    Ok(())
}

/// Net, tax, gross, paid and due, as far as they are known.
fn amounts(expense: &Expense) -> [Option<Decimal>; 5] {
    let amounts = &expense.content.amounts;
    let (net, gross) = (amounts.total.clone(), amounts.total_with_tax.clone());
    let tax = net.as_ref().zip(gross.as_ref()).map(|(net, gross)| gross - net);
    [net, tax, gross, Some(expense.total_paid.clone()), expense.total_due()]
}

fn is_counted(expense: &Expense) -> bool {
    matches!(expense.stage, ExpenseStage::Issued(_))
}

fn count(sums: &mut Sums, expense: &Expense) {
    if !is_counted(expense) {
        return;
    }
    let nothing = || (0, [(); 5].map(|()| Decimal::zero()));
    let (count, sum) = sums.entry(expense.content.currency.code()).or_insert_with(nothing);
    *count += 1;
    for (total, part) in sum.iter_mut().zip(amounts(expense)) {
        if let Some(part) = part {
            *total += &part;
        }
    }
}

fn row(expense: &Expense) -> Vec<Cell> {
    let content = &expense.content;
    let supplier = content.supplier.as_ref();
    let status = match expense.stage {
        ExpenseStage::Draft => "draft",
        ExpenseStage::Issued(_) => "issued",
        ExpenseStage::Voided(..) => "voided",
    };
    let [net, tax, gross, paid, due] = amounts(expense).map(Cell::from);
    let state = payment_state(expense.paid_in_full(), &expense.total_paid);
    vec![
        expense.number().into(),
        content.supplier_document_number.as_ref().into(),
        status.into(),
        is_counted(expense).into(),
        content.date.into(),
        content.date_due.into(),
        supplier.and_then(|supplier| supplier.name.as_ref()).into(),
        supplier.and_then(|supplier| supplier.tax_number.as_ref()).into(),
        supplier.and_then(|supplier| supplier.country_code.as_ref()).into(),
        content.transaction_type.map(TransactionType::name).into(),
        currency_cell(content.currency),
        net,
        tax,
        gross,
        content.exchange_rate.as_ref().map(|exchange| &exchange.rate).into(),
        content.amounts.total_converted.as_ref().into(),
        content.amounts.total_with_tax_converted.as_ref().into(),
        paid,
        due,
        (!expense.is_draft()).then_some(state).into(),
        content.reference.as_ref().into(),
        content.note.as_ref().into(),
        expense.voided_at().into(),
        expense.created_at.into(),
        expense.id.to_string().into(),
    ]
}
