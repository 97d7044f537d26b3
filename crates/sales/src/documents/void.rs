//! Taking an issued document out of effect, where the law asks for it by a credit note.

use racun_access::Entity;
use racun_documents::events::Happening;
use racun_documents::{
    Content, CreationSource, Document, DocumentError, DocumentId, DocumentKind, Line, NewDocument,
    Numbering, Refused, Relation, Stage, Voided, credit, link, recognition, rest,
};
use racun_fiscalization::certified::{self, HeldForm};
use racun_fiscalization::{
    Facts, FoundPlace, IssueContext, Ports, Prepared, Sending, deliver_first, prepare,
};
use racun_kernel::Decimal;
use racun_records::{get_document, links_of};
use racun_settlement::{PaymentWrite, SettleableId, SettleableKind};
use racun_store::{Put, Writes};
use time::{Date, OffsetDateTime};

use super::around::{Around, FoundAround};
use super::issue::advances;
use super::numbers::numbering;
use super::write::{Change, Found, HeldChange};
use super::{create, gather};
use crate::billing::Meter;
use crate::einvoicing::Judging;
use crate::error::Error;
use crate::recognition::HeldEntries;
use crate::settling::{events, left};

/// How a document is voided.
#[derive(Debug, Clone, Default)]
pub struct Voiding {
    /// Why.
    pub reason: Option<String>,
    /// Whether the paper original was recovered.
    pub has_original_document: Option<bool>,
}

/// Declares an issued document void. Its number stays taken.
///
/// Advance money that an invoice had goes back to its advances, and credit that had settled it to
/// the credit notes; what a credit note gave back no longer counts. While a credit note gives back
/// of a document, it is not voided; neither is one in Portugal while a receipt says that it was
/// paid.
///
/// Where an invoice may not simply end (in Portugal, and once it is fiscalized), a
/// credit note over all that others have not given back is issued in the same commit, linked to it,
/// and with them settles what was open of it. That note is fiscalized at the premise
/// and device of the invoice.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], what the document's stage refuses, an advance invoice
/// that is applied, a document that credit notes stand on, a credit note that was paid back or
/// settles another invoice than the one that it gives back of, a fiscalized document that is no
/// plain invoice, or what fiscalization lacks.
pub async fn void<'a>(
    ports: impl Into<Ports<'a>>,
    entity: &Entity,
    id: DocumentId,
    voiding: Voiding,
) -> Result<Document, Error> {
    // On the heap: its future is too long for the stacks of a chain of unoptimized callers.
    Box::pin(end(ports.into(), entity, id, Some(voiding))).await
}

/// Issues a credit note over all of an invoice that others have not given back, linked to it, and
/// with them settles what was open of it. The invoice stays in effect, given back in full.
///
/// # Errors
/// As [`void`], for an invoice that ends by a credit note; [`Refused::Credited`] for a certified
/// one, whose credit note says more than the law alone can.
pub async fn give_back(
    ports: Ports<'_>,
    entity: &Entity,
    id: DocumentId,
) -> Result<Document, Error> {
    Box::pin(end(ports, entity, id, None)).await
}

/// Voids a document or, without `voiding`, gives back what is left of it.
async fn end(
    ports: Ports<'_>,
    entity: &Entity,
    id: DocumentId,
    voiding: Option<Voiding>,
) -> Result<Document, Error> {
    let cx = ports.cx;
    let seen = get_document(cx, id).await?;
    let seen_links = links_of(cx, id).await?;
    let around = Around::of(cx, &seen, &seen_links).await?;
    let today = gather::today(entity, cx.stamp);
    if voiding.is_none() && seen.pt.is_some() {
        return Err(Refused::Credited.into());
    }
    let by_credit_note = voiding.is_none() || ends_by_credit(entity, &seen);
    if seen.is_fiscalized() && !by_credit_note && matches!(seen.stage, Stage::Issued(_)) {
        return Err(Refused::FiscalizedNotVoidable.into());
    }
    let fiscal = match seen.is_fiscalized() && matches!(seen.stage, Stage::Issued(_)) {
        true => prepare(ports, entity, IssueContext::back(seen.clone())).await?,
        false => Prepared::Plain,
    };
    let today = fiscal.day().unwrap_or(today);
    let numbering = match (by_credit_note, fiscal.issuing()) {
        (true, Some(issuing)) => Some(issuing.numbering()),
        (true, None) => {
            let unit = create::unit_of(cx.store, &seen).await?;
            Some(numbering(entity, DocumentKind::CreditNote, today, unit.as_ref())?)
        }
        (false, _) => None,
    };
    let voids = voiding.is_some();
    let Voiding { reason, has_original_document } = voiding.unwrap_or_default();
    let voided = Voided { at: cx.now(), reason, has_original_document };
    let (was_fiscal, judging) = (seen.is_fiscalized(), Judging::of(entity));
    let mut unit = cx.unit();
    let change = HeldChange::hold(&mut unit, id, &seen_links, &[]);
    let spread = [id].into_iter().chain(around.notes().iter().copied());
    let spread = HeldEntries::of(&mut unit, spread);
    let around = around.hold(&mut unit, &seen_links);
    let place = fiscal.hold(&mut unit);
    let form = HeldForm::hold(&mut unit, &seen);
    let certified_by = seen.pt.is_some().then(|| entity.clone());
    // A credit note that the law requires is counted, and no plan limit refuses it.
    let meter = Meter::hold(&mut unit, entity, !by_credit_note).by_law();
    let number = numbering.as_ref().map(|numbering| unit.number(numbering.series.clone()));
    let voiding = unit.decide(move |held| {
        let mut found = change.read(held, &seen_links)?;
        if found.document.is_fiscalized() != was_fiscal {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let around = around.read(held, &mut found.sheet)?;
        let actor = held.actor();
        // Where a credit note takes back the rest, the document and all of them end together.
        let mut over = vec![id.to_string()];
        over.extend(around.credits.iter().map(|link| link.source_id.to_string()));
        let mut spread = spread.read(held)?;
        spread.retain(|entry| over.contains(&entry.document_id));
        let spread = recognition::ended(&spread, today, actor.stamp());
        let change = Change { actor, today, outside_vat: None, rejudging: None };
        let (document, sending, writes) = match (numbering, number) {
            (Some(numbering), Some(number)) => {
                let number = held.number(&number)?;
                let place = place.map(|place| place.read(held)).transpose()?;
                let now = held.now();
                let crediting = Crediting { voids, numbering, number, fiscal, place, judging, now };
                by_credit(found, around, voided, &change, crediting)?
            }
            _ => {
                let (document, writes) =
                    simply(found, around, voided, &change, certified_by.as_ref())?;
                let freed = form.map(|form| form.freed(held)).transpose()?.flatten();
                (document, None, writes.puts(freed))
            }
        };
        let counted = meter.count(DocumentKind::CreditNote, held)?;
        let told = [Happening::Voided, Happening::Cancelled].into_iter();
        let told = told
            .filter(|_| voids)
            .filter_map(|what| document.event(what, &actor.id(), actor.stamp()));
        let writes = writes.and(counted).puts(spread).events(told);
        Ok::<_, Error>(((document, sending), writes))
    });
    let (document, sending) = voiding.await?;
    deliver_first(ports, sending).await;
    Ok(document)
}

/// Whether voiding this document issues a credit note. Returns stay out: a credit note holds
/// positive values only.
#[must_use]
pub fn ends_by_credit(entity: &Entity, document: &Document) -> bool {
    let negative = |line: &Line| {
        [Some(&line.quantity), line.price.as_ref(), line.gross_price.as_ref()]
            .into_iter()
            .flatten()
            .any(racun_kernel::Decimal::is_negative)
    };
    document.id.kind() == DocumentKind::Invoice
        && ((entity.country_code.as_deref() == Some("PT") && document.pt.is_none())
            || document.is_fiscalized())
        && document.amounts.total_with_tax.is_positive()
        && !document.content.lines.iter().any(negative)
}

fn simply(
    found: Found,
    around: FoundAround,
    voided: Voided,
    change: &Change<'_>,
    certified_by: Option<&Entity>,
) -> Result<(Document, Writes), Error> {
    let Found { document: before, links: old, allocations, mut sheet, .. } = found;
    let id = before.id;
    let mut report = None;
    let document = match certified_by {
        None => before.clone().void(voided)?,
        Some(entity) => {
            let FoundAround { is_rectified, receipt, .. } = &around;
            certified::check_void(&before, &voided, *is_rectified, receipt.as_deref())?;
            let document = before.clone().void(voided)?;
            let document = certified::voided(document, entity, change.actor);
            let (document, job) = certified::reported_void(document, entity, change.actor);
            report = job;
            document
        }
    };
    match id.kind() {
        DocumentKind::AdvanceInvoice if before.amounts.total_applied.is_positive() => {
            return Err(Refused::Applied.into());
        }
        DocumentKind::CreditNote => around.check_note(&before, &old, &sheet)?,
        _ if before.amounts.total_credited.is_positive() => return Err(Refused::Credited.into()),
        _ => {}
    }
    let mut new = old.clone();
    let mut targets: Vec<Document> = sheet.documents().cloned().collect();
    credit::take_back(&mut new, &mut targets, change.actor.stamp());
    targets.into_iter().for_each(|target| sheet.replace(target));
    let sheet = sheet.with(Some(before), document);
    let freeing = match around.own {
        Some(own) => Some((own.id, own.allocations, own.advances)),
        None if id.kind() == DocumentKind::Invoice => Some((id, allocations, advances(&old))),
        None => None,
    };
    let outcome = freeing.map(|(invoice, allocations, links)| {
        let mut settlement = sheet.settlement(change.actor, change.today, allocations, links);
        // Of all invoices that are held only this one is resettled.
        settlement.documents.retain(|document| {
            document.kind != SettleableKind::Invoice || document.id == SettleableId::from(invoice)
        });
        settlement.end(around.settlements, change.actor.stamp())
    });
    let (document, writes) = change.written(sheet, id, outcome.transpose()?, (&old, &new))?;
    Ok((document, writes.puts(report)))
}

/// The credit note by which an invoice ends.
struct Crediting {
    /// Whether the invoice is voided, too.
    voids: bool,
    numbering: Numbering,
    number: i64,
    fiscal: Prepared,
    place: Option<FoundPlace>,
    judging: Judging,
    now: Option<OffsetDateTime>,
}

/// Ends an invoice by a credit note over what others have not given back. Together they settle all
/// that payments by hand have left open; advance money and credit from elsewhere go back by that.
fn by_credit(
    found: Found,
    around: FoundAround,
    voided: Voided,
    change: &Change<'_>,
    crediting: Crediting,
) -> Result<(Document, Option<Sending>, Writes), Error> {
    let Crediting { voids, numbering, number, fiscal, place, judging, now } = crediting;
    let Found { document: before, links: old, allocations, sheet, .. } = found;
    let (id, stamp) = (before.id, change.actor.stamp());
    // The stage is asked first: a voided invoice is refused as such, not for its credit.
    before.clone().void(voided.clone())?;
    let notes = around.credited(&sheet)?;
    let credit = Document::draft(credit_of(&before, &notes, change.today)?, stamp)?;
    let operator = change.actor.scope().person().cloned();
    let credit = credit.issue(&numbering, number, operator, change.today, stamp)?;
    let mut relations: Vec<Relation> = link::links(&credit, &[id], false, stamp);
    let mut credited = vec![before.clone()];
    credit::spread(&credit.amounts.total_with_tax, &mut relations, &mut credited, left, stamp)?;
    let invoice = credited.into_iter().next().unwrap_or_else(|| before.clone());
    let mut sheet = sheet.with(Some(before.clone()), invoice).with_new(credit.clone());
    let what = if voids { "voided invoice" } else { "invoice" };
    let note = format!("Auto-applied credit note for {what} {}", before.number());
    let settlement = sheet.settlement(change.actor, change.today, allocations, advances(&old));
    let paying: Vec<DocumentId> = notes.iter().chain([&credit]).map(|note| note.id).collect();
    let mut released = around.settlements;
    released.retain(|payment| payment.credit_note_id.is_none_or(|note| !paying.contains(&note)));
    let outcome = settlement.settle_by_credit(id, &paying, released, &note, stamp)?;
    sheet.take_over(&outcome, stamp);
    let gone = || racun_store::StoreError::NotFound { id: id.to_string() };
    let document = sheet.document(id).cloned().ok_or_else(gone)?;
    let document = if voids { document.void(voided)? } else { document };
    sheet.replace(document.clone());
    let credit = sheet.document(credit.id).cloned().unwrap_or(credit);
    let credit = judging.judged(credit, std::slice::from_ref(&before), &[], stamp.now())?;
    // No money moves by it but what is given back later, so nothing says how it is paid.
    let facts = Facts {
        means: Vec::new(),
        settled: Decimal::zero(),
        targets: std::slice::from_ref(&before),
        place,
        now,
    };
    let issued = fiscal.issue(credit, facts)?;
    let credit = issued.document;
    sheet.replace(credit.clone());
    let mut writes = Writes { puts: sheet.puts(), takes_number: true, ..Writes::default() };
    writes.puts.extend(issued.puts);
    writes.puts.extend(relations.iter().map(Put::insert));
    writes.puts.extend(outcome.writes.iter().map(PaymentWrite::put));
    let actor = change.actor.id();
    let told = [Happening::Created, Happening::Issued].into_iter();
    writes.events.extend(told.filter_map(|what| credit.event(what, &actor, stamp)));
    writes.events.extend(events(&outcome, change.actor));
    Ok((document, issued.sending, writes))
}

/// A credit note over all of `invoice` that `notes` have not given back: the same amounts to the
/// cent, also of custom documents and of corrected totals.
fn credit_of(invoice: &Document, notes: &[Document], today: Date) -> Result<NewDocument, Refused> {
    let (lines, given) = rest(invoice, notes)?;
    Ok(NewDocument {
        kind: DocumentKind::CreditNote,
        entity_id: invoice.entity_id,
        source: CreationSource::Api,
        mode: invoice.mode,
        content: Content {
            date: today,
            date_due: None,
            lines: Vec::new(),
            e_invoices: invoice.content.e_invoices.clone().by_law(),
            ..invoice.content.clone()
        },
        lines,
        expected_total_with_tax: None,
        given: Some(given),
        today,
    })
}
