//! The money of an order: what the shop took is on its invoice once, also when that is made again.

use racun_access::Entity;
use racun_documents::{
    Document, DocumentId, DocumentKind, RELATIONS, Relation, RelationType, Stage,
};
use racun_kernel::PaymentType;
use racun_orders::Order;
use racun_records::{all_of, by_field, get_document};
use racun_sales::payments::{self, PaymentPorts};
use racun_settlement::{NewPayment, PAYMENTS, Payment};
use racun_store::Context;

use crate::document::ORDER;
use crate::error::ShopError;

/// Whether `document` is in effect.
pub fn is_live(document: &Document) -> bool {
    !matches!(document.stage, Stage::Voided(..)) && document.deleted_at.is_none()
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

/// Takes back what was paid on `invoice`, which is voided next without a credit note: its money is
/// on the one that is made again.
///
/// # Errors
/// What refuses that; the store's failure.
pub async fn take_back(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    invoice: DocumentId,
) -> Result<(), ShopError> {
    for payment in by_hand(ports.cx, invoice).await? {
        payments::trash(ports, entity, payment.id).await?;
    }
    Ok(())
}

/// Pays back, by the credit notes over the voided `invoice`, what was paid on it, in the way in
/// which that came: its money is on the one that is made again.
///
/// # Errors
/// What refuses that; the store's failure.
pub async fn pay_back(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    invoice: DocumentId,
) -> Result<(), ShopError> {
    let cx = ports.cx;
    let to_it = by_field(&RELATIONS, "target_id", &invoice.to_string());
    let links: Vec<Relation> = all_of(cx.store, &cx.tenant(), &RELATIONS, to_it).await?;
    let notes = links.into_iter().filter(|link| {
        link.relation_type == RelationType::CreditFor
            && link.source_id.kind() == DocumentKind::CreditNote
    });
    for note in notes.map(|link| link.source_id) {
        for payment in by_hand(cx, invoice).await? {
            let found = get_document(cx, note).await.map_err(racun_sales::Error::from)?;
            let amount = found.total_due().min(payment.amount.clone());
            if !is_live(&found) || !amount.is_positive() {
                continue;
            }
            let new = NewPayment {
                credit_note_id: Some(note.to_string()),
                amount: Some(amount),
                ..NewPayment::new(payment.kind)
            };
            payments::record(ports, entity, new).await?;
        }
    }
    Ok(())
}

/// The payments of money on `invoice`.
async fn by_hand(cx: Context<'_>, invoice: DocumentId) -> Result<Vec<Payment>, ShopError> {
    let clause = by_field(&PAYMENTS, "invoice_id", &invoice.to_string());
    let mut found: Vec<Payment> = all_of(cx.store, &cx.tenant(), &PAYMENTS, clause).await?;
    found.retain(|payment| payment.deleted_at.is_none() && !payment.kind.is_settlement());
    Ok(found)
}
