//! Closing a tab with an invoice that was issued elsewhere.

use racun_access::Entity;
use racun_documents::{Document, DocumentId, DocumentKind, InvoicedTab, Stage};
use racun_kernel::id::PosTabId;
use racun_kernel::{Currency, Decimal, Issue, Issues};
use racun_pos::{InvoiceStage, PosError, Reckoning, TABS, Tab, TabTotals};
use racun_store::{Context, Decision, Put};

use super::orders::{Orders, TabView, shown};
use super::tabs::{amend, get};

/// Ends a tab in an invoice that was issued for it, and notes it on the invoice. What the invoice
/// comes to is held against what the tabs come to that it closes.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::close`]; the store's failure.
pub async fn close(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    invoice_id: String,
) -> Result<TabView, PosError> {
    let closed = closed(cx, entity, id, invoice_id).await;
    shown(cx, entity, closed).await
}

async fn closed(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    invoice_id: String,
) -> Result<Tab, PosError> {
    let parsed: Option<DocumentId> = invoice_id.parse().ok();
    let Some(invoice) = parsed.filter(|id| id.kind() == DocumentKind::Invoice) else {
        let message = "expected the id of an invoice, such as inv_…";
        let issue = Issue::new("invalid_id", message).at("invoice_id");
        return Err(Issues::from(issue).into());
    };
    let table = racun_documents::table_of(invoice.kind());
    let seen = get(cx, id).await?;
    let mut orders = Orders::of(cx, entity, std::iter::once(&seen)).await?;
    let (totals, currency) = (orders.totals(&seen), entity.currency);
    let mut unit = cx.unit();
    let (tab, document) = (unit.hold(&TABS, id), unit.hold::<Document>(table, invoice));
    amend(unit, tab, move |tab, held, actor| {
        let document = held.find(document)?;
        // What another till changed since is not what was calculated.
        let is_as_seen = tab.lines == seen.lines && tab.customer_id == seen.customer_id;
        let totals = totals.filter(|_| is_as_seen);
        let reckoning = reckon(document.as_ref(), totals.clone(), currency);
        let closed = tab.close(invoice, stage(document.as_ref()), reckoning, actor)?;
        Ok(match (closed, document) {
            (Decision::Changed { record, mut beside, events }, Some(before)) => {
                let gross = totals.map(|totals| totals.gross);
                let closing = InvoicedTab { tab_id: record.id, gross };
                let after = before.clone().closing_tab(closing, actor.stamp());
                beside.push(Put::update(&before, &after));
                Decision::Changed { record, beside, events }
            }
            (closed, _) => closed,
        })
    })
    .await
}

fn reckon(invoice: Option<&Document>, totals: Option<TabTotals>, currency: Currency) -> Reckoning {
    let own = |invoice: &Document| {
        let amounts = &invoice.amounts;
        if invoice.content.currency == currency {
            return Some(amounts.total_with_tax.clone());
        }
        amounts.total_with_tax_converted.clone()
    };
    Reckoning {
        totals,
        invoice_total: invoice.and_then(own),
        closed_before: invoice.map_or_else(Decimal::zero, Document::tabs_gross),
    }
}

fn stage(invoice: Option<&Document>) -> InvoiceStage {
    let live = invoice.filter(|invoice| invoice.deleted_at.is_none());
    match live.map(|invoice| &invoice.stage) {
        None => InvoiceStage::Missing,
        Some(Stage::Draft) => InvoiceStage::Draft,
        Some(Stage::Issued(_)) => InvoiceStage::Issued,
        Some(Stage::Voided(..)) => InvoiceStage::Voided,
    }
}
