//! Issuing drafts.

use racun_access::Entity;
use racun_documents::recognition::RecognitionSide;
use racun_documents::{Document, DocumentError, DocumentId, EInvoiceOptions, Refused};
use racun_fiscalization::{
    FiscalRequest, IssueContext, Ports, outside_vat, prepare, rate_on, same_rate, send_first,
};
use racun_kernel::PaymentType;
use racun_records::{
    Sourced, all_of, by_field, get_document, hold_document, hold_payments, links_of, live_document,
    live_payments, payment_field,
};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::Context;

use super::buyer::{find_out, rechecked};
use super::create::{same_links, unit_of};
use super::gather;
use super::issue::{Before, Made, Plan};
use super::numbers::numbering;
use crate::billing::Meter;
use crate::einvoicing::{Judging, Policy};
use crate::error::Error;
use crate::recognition::default_of;
use crate::vat::HeldFinding;

/// What a caller says of a draft that it finalizes.
#[derive(Debug, Clone, Default)]
pub struct Finalizing {
    /// How it is reported to the tax authority.
    pub fiscal: FiscalRequest,
    /// What is wanted of its electronic invoices, over what the draft says.
    pub e_invoices: EInvoiceOptions,
}

impl From<FiscalRequest> for Finalizing {
    fn from(fiscal: FiscalRequest) -> Self {
        Self { fiscal, ..Self::default() }
    }
}

/// Issues a draft: gives it the next number of its sequence, and settles it. Where its issue sets
/// its date, and no caller gave its rate of exchange, it is converted at the rate of that date.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], [`racun_documents::Refused::NotDraft`], a date in the
/// future, or another than the day of issue of a fiscalized document, links that no longer
/// fit, an advance invoice that is not paid in full, or [`DocumentError::ChangedMeanwhile`] when
/// another request moved the draft to another sequence, or changed its links or its rate. What
/// fiscalization lacks, when the document is fiscalized.
pub async fn finalize<'a>(
    ports: impl Into<Ports<'a>>,
    entity: &Entity,
    id: DocumentId,
    request: impl Into<Finalizing>,
) -> Result<Document, Error> {
    let ports = ports.into();
    let cx = ports.cx;
    let Finalizing { fiscal: request, e_invoices } = request.into();
    Policy::of(entity).refused(id.kind(), &e_invoices).into_result(())?;
    let seen = get_document(cx, id).await?;
    if !seen.is_draft() {
        return Err(Refused::NotDraft.into());
    }
    let relations = links_of(cx, id).await?;
    let links: Vec<DocumentId> = relations.iter().map(|relation| relation.target_id).collect();
    let paid = paid_on(cx, id).await?;
    let context = IssueContext::issue(id.kind(), links.clone(), paid, request);
    let fiscal = prepare(ports, entity, context).await?;
    let customer = seen.content.customer.as_ref();
    let found = find_out(ports, entity, customer, || Ok(())).await?;
    let (day, today) = (fiscal.day(), gather::today(entity, cx.stamp));
    let made_on = gather::today(entity, &cx.stamp.at(seen.created_at));
    let (dated, now) = (day.unwrap_or(seen.content.date), day.unwrap_or(today));
    let rate = rate_on(cx.store, entity, &seen.content, dated, now).await?;
    let numbering = match fiscal.numbering() {
        Some(numbering) => numbering,
        None => {
            let unit = unit_of(cx.store, &seen).await?;
            numbering(entity, id.kind(), seen.content.date, unit.as_ref())?
        }
    };
    let plan = Plan {
        kind: id.kind(),
        links,
        forced: false,
        payments: Vec::new(),
        numbering: Some(numbering),
        fiscal,
        outside_vat: outside_vat(entity),
        judging: Judging::of(entity),
        recognition: default_of(entity, RecognitionSide::Revenue),
        today: now,
    };
    let mut unit = cx.unit();
    let (draft, present) = (hold_document(&mut unit, id), Sourced::hold(&mut unit, id));
    let payments = hold_payments(&mut unit, id);
    let plan = plan.hold(&mut unit);
    let meter = Meter::hold(&mut unit, entity, false);
    let checked = HeldFinding::of(found.as_ref(), &mut unit);
    let found = found.map(|finding| (finding, entity.clone()));
    let made = unit.decide(move |held| {
        let payments = live_payments(held.all(payments)?);
        let (draft, present) = (live_document(held.one(draft)?)?, present.read(held)?);
        let is_same = same_sequence(&seen, &draft) && same_rate(&seen, &draft);
        if !is_same || !same_links(&relations, &present) {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let before = Before::Draft(Box::new(draft.clone()), present, payments);
        let draft = match day {
            Some(day) => draft.issued_on(day, made_on)?,
            None => draft,
        };
        let draft = draft.wanting(e_invoices);
        let draft = match rate {
            Some(rate) => draft.exchanged_at(rate)?,
            None => draft,
        };
        let draft = match found {
            Some((finding, entity)) => {
                let stamp = held.actor().stamp();
                let content = rechecked(id.kind(), &entity, draft.content, &finding, stamp);
                Document { content, ..draft }
            }
            None => draft,
        };
        let (made, writes) = plan.decide(draft, before, held)?;
        let counted = meter.count(id.kind(), held)?.and(checked.writes(held)?);
        Ok::<_, Error>((made, writes.and(counted)))
    });
    let Made { document, sending, .. } = made.await?;
    Ok(send_first(ports, document, sending).await)
}

/// How what is paid on the document `id` is paid.
async fn paid_on(cx: Context<'_>, id: DocumentId) -> Result<Vec<PaymentType>, Error> {
    let clause = by_field(&PAYMENTS, payment_field(id), &id.to_string());
    let paid: Vec<Payment> = all_of(cx.store, &cx.tenant(), &PAYMENTS, clause).await?;
    let live = paid.iter().filter(|payment| payment.deleted_at.is_none());
    Ok(live.map(|payment| payment.kind).collect())
}

fn same_sequence(seen: &Document, held: &Document) -> bool {
    seen.content.date == held.content.date
        && seen.content.business_unit_id == held.content.business_unit_id
}
