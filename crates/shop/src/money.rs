//! The money of an order: what the shop took is on its invoice once, also when that is made again.

use racun_access::Entity;
use racun_documents::{
    Document, DocumentId, DocumentKind, RELATIONS, Relation, RelationType, Stage,
};
use racun_kernel::{Decimal, PaymentType};
use racun_orders::{Moved, Order};
use racun_records::{all_of, by_field, get_document, payment_field};
use racun_sales::documents::ends_by_credit;
use racun_sales::payments::{self, PaymentPorts};
use racun_settlement::{NewPayment, PAYMENTS, Payment};
use racun_store::Context;

use crate::document::ORDER;
use crate::error::ShopError;

/// Whether `document` is in effect.
fn is_live(document: &Document) -> bool {
    !matches!(document.stage, Stage::Voided(..)) && document.deleted_at.is_none()
}

/// How an invoice ends that is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It did: it is voided, or credit notes gave all of it back.
    Ended,
    /// It is voided.
    Voided,
    /// It is voided, for which the law wants a credit note.
    VoidedByCredit,
    /// A credit note gives back what is left of it.
    GivenBack,
}

/// How `old` ends, of which `moved` goes to the next invoice. Where more was paid than that, a
/// credit note says what the customer is to be given back.
///
/// # Errors
/// When the store fails.
pub async fn ending(
    cx: Context<'_>,
    entity: &Entity,
    old: &Document,
    moved: &[Moved],
) -> Result<Ending, ShopError> {
    let credited = &old.amounts.total_credited;
    if !is_live(old) || (credited.is_positive() && *credited >= old.amounts.total_with_tax) {
        return Ok(Ending::Ended);
    }
    if ends_by_credit(entity, old) {
        return Ok(Ending::VoidedByCredit);
    }
    let goes: Decimal = moved.iter().map(|one| &one.amount).sum();
    let paid: Decimal = by_hand(cx, old.id).await?.iter().map(|payment| &payment.amount).sum();
    let has_more = goes.is_positive() && paid > goes;
    Ok(if credited.is_positive() || has_more { Ending::GivenBack } else { Ending::Voided })
}

/// What of the payments on `invoice` goes with `order` to its next invoice: what a person recorded
/// there, up to what the order comes to. What the shop took before goes nowhere, for the shop says
/// by now that it is not paid.
///
/// # Errors
/// When the store fails.
pub async fn moved(
    cx: Context<'_>,
    order: &Order,
    invoice: &Document,
) -> Result<Vec<Moved>, ShopError> {
    if !order.moving.is_empty() {
        return Ok(order.moving.clone());
    }
    let is_by_shop = order.paid_invoice_id.is_some() && order.paid_invoice_id == order.invoice_id;
    if is_by_shop || !is_live(invoice) {
        return Ok(Vec::new());
    }
    let mut open = order.content.total_with_tax.clone();
    let mut moved = Vec::new();
    for payment in kept(cx, invoice.id).await?.0 {
        let amount = payment.amount.min(open.clone());
        open -= &amount;
        moved.extend(amount.is_positive().then_some(Moved { payment: payment.id, amount }));
    }
    Ok(moved)
}

/// The payments of the next invoice, which comes to `total`, that are `moved` there.
///
/// # Errors
/// When the store fails.
pub async fn again(
    cx: Context<'_>,
    moved: &[Moved],
    total: &Decimal,
) -> Result<Vec<NewPayment>, ShopError> {
    let mut open = total.clone();
    let mut payments = Vec::new();
    for one in moved {
        let found: Option<Payment> = cx.get(&PAYMENTS, one.payment).await?;
        let amount = one.amount.clone().min(open.clone());
        // One that was removed for good by now is nowhere.
        let Some(payment) = found.filter(|_| amount.is_positive()) else { continue };
        open -= &amount;
        payments.push(NewPayment {
            amount: Some(amount),
            date: Some(payment.date),
            reference: payment.reference,
            tag: payment.tag,
            note: payment.note,
            metadata: payment.metadata.entries().clone(),
            ..NewPayment::new(payment.kind)
        });
    }
    Ok(payments)
}

/// Records on the invoice of `order` what is open of it, which the shop took by `paid`. When
/// nothing is open, another run recorded it, or a person.
///
/// # Errors
/// What refuses the payment; the store's failure.
pub async fn pay(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    order: &Order,
    invoice: DocumentId,
    paid: PaymentType,
) -> Result<(), ShopError> {
    let open = async || {
        let found = get_document(ports.cx, invoice).await.map_err(racun_sales::Error::from)?;
        let open = found.total_due();
        Ok::<_, ShopError>(Some(open).filter(|open| is_live(&found) && open.is_positive()))
    };
    let Some(amount) = open().await? else { return Ok(()) };
    let new = NewPayment {
        invoice_id: Some(invoice.to_string()),
        amount: Some(amount),
        metadata: [(ORDER.to_owned(), order.id.to_string())].into(),
        ..NewPayment::new(paid)
    };
    match payments::record(ports, entity, new).await {
        // Another run may have recorded it after this one looked.
        Err(refused) if open().await?.is_some() => Err(refused.into()),
        _ => Ok(()),
    }
}

/// Takes back what was paid on `invoice`, which is voided next without a credit note: all of it
/// where its money is on the one that is made again, else what receipts say, for they would keep it
/// from being voided.
///
/// # Errors
/// What refuses that; the store's failure.
pub async fn take_back(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    invoice: DocumentId,
    all: bool,
) -> Result<(), ShopError> {
    let has_receipt =
        |payment: &Payment| payment.receipt.as_ref().is_some_and(|receipt| receipt.holds());
    for payment in by_hand(ports.cx, invoice).await? {
        if !all && !has_receipt(&payment) {
            continue;
        }
        payments::trash(ports, entity, payment.id).await?;
    }
    Ok(())
}

/// Pays back, by the credit notes over `invoice`, what was paid on it, in the way in which that
/// came, `most` at most: its money is on the one that is made again.
///
/// # Errors
/// What refuses that; the store's failure.
pub async fn pay_back(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    order: &Order,
    invoice: DocumentId,
    most: Option<Decimal>,
) -> Result<(), ShopError> {
    let cx = ports.cx;
    let (mut open, returned) = kept(cx, invoice).await?;
    let own = (ORDER.to_owned(), order.id.to_string());
    let is_own = |payment: &&Payment| payment.metadata.get(&own.0) == Some(own.1.as_str());
    let given: Decimal = returned.iter().filter(is_own).map(|payment| &payment.amount).sum();
    let mut most = most.map(|most| &most - &given);
    for note in notes(cx, invoice).await? {
        let found = get_document(cx, note).await.map_err(racun_sales::Error::from)?;
        let mut due = if is_live(&found) { found.total_due() } else { Decimal::zero() };
        for payment in &mut open {
            let amount = due.clone().min(payment.amount.clone());
            let amount = most.iter().cloned().fold(amount, Decimal::min);
            if !amount.is_positive() {
                continue;
            }
            let new = NewPayment {
                credit_note_id: Some(note.to_string()),
                amount: Some(amount.clone()),
                metadata: [own.clone()].into(),
                ..NewPayment::new(payment.kind)
            };
            payments::record(ports, entity, new).await?;
            due -= &amount;
            payment.amount -= &amount;
            most = most.map(|most| &most - &amount);
        }
    }
    Ok(())
}

/// The credit notes over `invoice`.
async fn notes(cx: Context<'_>, invoice: DocumentId) -> Result<Vec<DocumentId>, ShopError> {
    let to_it = by_field(&RELATIONS, "target_id", &invoice.to_string());
    let mut links: Vec<Relation> = all_of(cx.store, &cx.tenant(), &RELATIONS, to_it).await?;
    links.retain(|link| {
        link.relation_type == RelationType::CreditFor
            && link.source_id.kind() == DocumentKind::CreditNote
    });
    Ok(links.into_iter().map(|link| link.source_id).collect())
}

/// What is kept of the payments of money on `invoice`, less what its credit notes gave back; and
/// the payments by which they did.
async fn kept(
    cx: Context<'_>,
    invoice: DocumentId,
) -> Result<(Vec<Payment>, Vec<Payment>), ShopError> {
    let mut open = by_hand(cx, invoice).await?;
    let mut returned = Vec::new();
    for note in notes(cx, invoice).await? {
        returned.extend(by_hand(cx, note).await?);
    }
    let mut given: Decimal = returned.iter().map(|payment| &payment.amount).sum();
    for payment in &mut open {
        let part = payment.amount.clone().min(given.clone());
        payment.amount -= &part;
        given -= &part;
    }
    Ok((open, returned))
}

/// The payments of money on the invoice or credit note `id`.
async fn by_hand(cx: Context<'_>, id: DocumentId) -> Result<Vec<Payment>, ShopError> {
    let clause = by_field(&PAYMENTS, payment_field(id), &id.to_string());
    let mut found: Vec<Payment> = all_of(cx.store, &cx.tenant(), &PAYMENTS, clause).await?;
    found.retain(|payment| payment.deleted_at.is_none() && !payment.kind.is_settlement());
    Ok(found)
}
