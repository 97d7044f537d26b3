//! Changing documents.

use racun_access::Entity;
use racun_documents::events::Happening;
use racun_documents::{
    Content, Document, DocumentError, DocumentId, DocumentKind, Editor, Refused, Relation,
    Revision, Version, credit, link,
};
use racun_fiscalization::certified::is_portugal;
use racun_fiscalization::{Ports, check_outside_vat, outside_vat};
use racun_kernel::{Authority, Decimal, Issue, Issues};
use racun_portugal::{PortugalError, restrictions};
use racun_records::{
    Sourced, get_document, hold_document, hold_documents, hold_targeting, links_of, live_document,
};
use racun_settlement::{Payment, PaymentWrite, SettlementOutcome};
use racun_store::{Actor, Context, Decision, Held, Many, One, UnitBuilder, Writes};

use super::buyer::{buyer, find_out};
use super::compose::{all_told, has_dated_taxes, recompose, told_with};
use super::create::same_links;
use super::gather::gather;
use super::issue::{advances, relation_puts};
use super::line_records::taxes;
use super::links;
use super::rejudge::Rejudging;
use super::request::DocumentRequest;
use super::save::{CatalogueWrites, HeldCustomers};
use crate::error::Error;
use crate::recognition::HeldSpread;
use crate::settling::{WorkingSet, events, hold_allocations, left};
use crate::vat::HeldFinding;

/// Who updates a document, and why.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// The person; `None` for a key.
    pub editor: Option<Editor>,
    /// Why, at most [`Edit::MAX_REASON_CHARS`].
    pub change_reason: Option<String>,
}

impl Edit {
    /// Characters that a reason may hold.
    pub const MAX_REASON_CHARS: usize = 500;
}

/// What a unit holds for a change of a document.
pub(super) struct HeldChange {
    document: One<Document>,
    links: Sourced,
    targets: Many<Document>,
    others: Many<Relation>,
    allocations: Option<Many<Payment>>,
}

/// A stored document with all that a change of it may change: its links, the documents that they
/// name, and the advance money that it has.
pub(super) struct Found {
    pub document: Document,
    pub links: Vec<Relation>,
    pub allocations: Vec<Payment>,
    pub sheet: WorkingSet,
    /// The links of others to the documents that it is to be linked to.
    pub others: Vec<Relation>,
}

impl HeldChange {
    /// Holds what a change of the document `id` takes, whose links are `links`; `more` are
    /// documents that it is to be linked to.
    pub fn hold(
        unit: &mut UnitBuilder<'_>,
        id: DocumentId,
        links: &[Relation],
        more: &[DocumentId],
    ) -> Self {
        let targets = links.iter().map(|relation| relation.target_id);
        let mut targets: Vec<DocumentId> = targets.chain(more.iter().copied()).collect();
        targets.sort_unstable();
        targets.dedup();
        let is_invoice = id.kind() == DocumentKind::Invoice;
        Self {
            document: hold_document(unit, id),
            links: Sourced::hold(unit, id),
            targets: hold_documents(unit, targets),
            others: hold_targeting(unit, more.iter().copied()),
            allocations: is_invoice.then(|| hold_allocations(unit, id)),
        }
    }

    /// What was held, when the links are still those that were `seen`.
    pub fn read(self, held: &Held, seen: &[Relation]) -> Result<Found, Error> {
        let (document, links) = (live_document(held.one(self.document)?)?, self.links.read(held)?);
        if !same_links(seen, &links) {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let sheet = WorkingSet::of(vec![document.clone()]).with_held(held.all(self.targets)?);
        let (allocations, others) = (held.all(self.allocations)?, held.all(self.others)?);
        Ok(Found { document, links, allocations, sheet, others })
    }
}

/// Changes a draft, or an issued document that may still be edited, and keeps a version of it.
///
/// Payments must still fit the new total; advance money follows it, and so does the credit that a
/// credit note gives.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], what the document's stage refuses, what is wrong with
/// the request, or links and totals that settlement refuses.
pub async fn update<'a>(
    ports: impl Into<Ports<'a>>,
    entity: &Entity,
    id: DocumentId,
    request: DocumentRequest,
    edit: Edit,
) -> Result<Document, Error> {
    let ports = ports.into();
    let cx = ports.cx;
    check_reason(&edit)?;
    let seen = get_document(cx, id).await?;
    let seen_links = links_of(cx, id).await?;
    let named = links::named(cx, &request).await?;
    let mut gathered = gather(cx.store, entity, &request, Some(&seen.content), cx.stamp).await?;
    let present = seen.content.lines.iter().filter_map(|line| line.financial_category_id);
    gathered.records = gathered.records.keeping(present);
    if request.date.is_some() && has_dated_taxes(&seen.content) && gathered.records.taxes.is_empty()
    {
        gathered.records.taxes = taxes(cx.store, &cx.tenant()).await?;
    }
    let outside_vat = outside_vat(entity);
    let customer = buyer(&request, &gathered, Some(&seen.content));
    if customer != seen.content.customer {
        gathered.finding = find_out(ports, entity, customer.as_ref(), || Ok(())).await?;
    }
    let rejudging = Rejudging::of(cx, entity, id).await?;
    let may_edit_issued = !is_portugal(entity);
    let mut unit = cx.unit();
    let customers = hold_customers(&mut unit, &request, &seen.content);
    let more = named.as_deref().unwrap_or_default();
    let change = HeldChange::hold(&mut unit, id, &seen_links, more);
    let checked = HeldFinding::of(gathered.finding.as_ref(), &mut unit);
    let spread = HeldSpread::of(&mut unit, entity, id, &seen_links, more);
    unit.decide(move |held| {
        let (actor, stamp) = (held.actor(), held.actor().stamp());
        let (found, customers) = (change.read(held, &seen_links)?, customers.read(held)?);
        let before = found.document.clone();
        check_certified(restrictions::Change::Edit, &before)?;
        let mut issues = Issues::default();
        let (mut content, mut lines) =
            recompose(id.kind(), &before.content, &request, &gathered, stamp, &mut issues);
        let catalogue =
            CatalogueWrites::of(actor, &request, &gathered, &mut content, lines.as_mut());
        let mut catalogue = match catalogue {
            Ok(catalogue) => catalogue,
            Err(wrong) => return Err(told_with(issues, wrong.into()).into()),
        };
        if let Some(known) = catalogue.recognise(&customers)? {
            content.customer_id = Some(known);
        }
        let revision = Revision {
            content,
            lines,
            may_edit_issued,
            today: gathered.today,
            editor: edit.editor,
            change_reason: edit.change_reason,
        };
        let (document, version) = all_told(issues, before.update(revision, stamp))?;
        let relink = Relink { named, forced: request.force_linked_documents };
        let rejudging = Some(&rejudging);
        let change = Change { actor, today: gathered.today, outside_vat, rejudging };
        let (document, mut writes) = change.revise(found, document, relink)?;
        if let Some(version) = version {
            let updated = document.event(Happening::Updated, &actor.id(), stamp);
            writes = writes.insert::<Version>(&version).events(updated);
            writes = writes.and(catalogue.writes(&customers)?);
            writes = writes.puts(spread.followed(&document, held)?);
        }
        writes = writes.and(checked.writes(held)?);
        Ok((document, writes))
    })
    .await
}

/// Refuses changes of documents that are certified, as those of Portugal are.
fn check_certified(change: restrictions::Change, document: &Document) -> Result<(), Error> {
    let checked = restrictions::check_change(change, document.pt.is_some());
    Ok(checked.map_err(PortugalError::from)?)
}

/// What an update says of links.
struct Relink {
    /// The documents to be linked to; `None` keeps the links.
    named: Option<Vec<DocumentId>>,
    forced: bool,
}

/// Who changes a document, where and when.
pub(super) struct Change<'a> {
    pub actor: &'a Actor,
    pub today: time::Date,
    /// Whose country's VAT system the entity is outside of; `None` when it may charge VAT.
    pub outside_vat: Option<Authority>,
    /// What decides on its electronic invoices, where its content changes.
    pub rejudging: Option<&'a Rejudging>,
}

impl Change<'_> {
    /// Recalculates what depends on the document's total and links.
    fn revise(
        &self,
        found: Found,
        document: Document,
        relink: Relink,
    ) -> Result<(Document, Writes), Error> {
        let mut new = self.relinked(&document, &found, relink)?;
        let Found { document: before, links: old, allocations, mut sheet, .. } = found;
        let stamp = self.actor.stamp();
        if document.content.currency != before.content.currency {
            let named = |target: &&Document| new.iter().any(|link| link.target_id == target.id);
            let targets: Vec<Document> = sheet.documents().filter(named).cloned().collect();
            link::check_currency(&document, &targets)?;
        }
        let total = &document.amounts.total_with_tax;
        let is_note = document.id.kind() == DocumentKind::CreditNote && !document.is_draft();
        if is_note && (new != old || *total != before.amounts.total_with_tax) {
            let mut targets: Vec<Document> = sheet.documents().cloned().collect();
            credit::check_redrawn(&old, &new, &targets)?;
            credit::take_back(&mut old.clone(), &mut targets, stamp);
            credit::spread(total, &mut new, &mut targets, left, stamp)?;
            targets.into_iter().for_each(|target| sheet.replace(target));
        }
        if let Some(authority) = self.outside_vat.filter(|_| !document.is_draft()) {
            let targets = credit::credited(document.id, &new, sheet.documents());
            check_outside_vat(&document.content, authority, targets.chain([&before]))?;
        }
        let settles = crate::settling::settleable(&document).is_some();
        let outcome = if settles {
            let settlement = sheet.settlement(self.actor, self.today, allocations, advances(&new));
            let (total, currency) =
                (document.amounts.total_with_tax.clone(), document.content.currency);
            Some(settlement.revise(document.id.into(), total, currency, stamp)?)
        } else {
            None
        };
        let id = document.id;
        self.written(sheet.with(Some(before), document), id, outcome, (&old, &new))
    }

    /// The links as they are to be: those that stay, and new ones, in the order of the request.
    fn relinked(
        &self,
        document: &Document,
        found: &Found,
        relink: Relink,
    ) -> Result<Vec<Relation>, Error> {
        let old = &found.links;
        let Some(named) = relink.named else { return Ok(old.clone()) };
        let is_new = |id: &DocumentId| old.iter().all(|relation| relation.target_id != *id);
        let mut targets: Vec<Document> = found.sheet.documents().cloned().collect();
        targets.retain(|target| named.contains(&target.id) && is_new(&target.id));
        targets.sort_by_key(|target| named.iter().position(|id| *id == target.id));
        link::check(document, &targets, &found.others, relink.forced, left)?;
        let fresh = link::links(document, &named, relink.forced, self.actor.stamp());
        let kept = |fresh: Relation| {
            let same = old.iter().find(|relation| relation.target_id == fresh.target_id);
            same.map_or(fresh.clone(), |same| Relation {
                position: fresh.position,
                is_forced: same.is_forced || relink.forced,
                ..same.clone()
            })
        };
        Ok(fresh.into_iter().map(kept).collect())
    }

    /// The document of `sheet` as it becomes, and all that is written; its `links` are those before
    /// and after.
    pub fn written(
        &self,
        mut sheet: WorkingSet,
        id: DocumentId,
        outcome: Option<SettlementOutcome>,
        links: (&[Relation], &[Relation]),
    ) -> Result<(Document, Writes), Error> {
        let mut writes = Writes::default();
        if let Some(outcome) = outcome {
            sheet.take_over(&outcome, self.actor.stamp());
            writes.puts.extend(outcome.writes.iter().map(PaymentWrite::put));
            writes.events.extend(events(&outcome, self.actor));
        }
        if let Some(rejudging) = self.rejudging {
            rejudging.judge(&mut sheet, id, links.1, self.actor.stamp())?;
        }
        writes.puts.extend(relation_puts(links.0, links.1));
        writes.puts.extend(sheet.puts());
        let gone = || racun_store::StoreError::NotFound { id: id.to_string() };
        let document = sheet.document(id).cloned().ok_or_else(gone)?;
        Ok((document, writes))
    }
}

/// Holds the customer's record, when the update of a document with `content` is to refresh it; or
/// the records that a new one may equal.
fn hold_customers(
    unit: &mut UnitBuilder<'_>,
    request: &DocumentRequest,
    content: &Content,
) -> HeldCustomers {
    let Some(asked) = request.customer.value() else { return HeldCustomers::default() };
    let present = content.customer_id.filter(|_| request.customer_id.is_absent());
    let named = request.customer_id.value().cloned();
    let id = named.or_else(|| present.map(|id| id.to_string()));
    match (id, asked.save_customer) {
        (_, Some(false)) | (Some(_), None) => HeldCustomers::default(),
        (Some(id), Some(true)) => HeldCustomers::own(unit, id),
        (None, _) => {
            let base = content.customer.clone().filter(|_| request.customer_id.is_absent());
            HeldCustomers::same_as(unit, &asked.party.clone().onto(base.unwrap_or_default()))
        }
    }
}

fn check_reason(edit: &Edit) -> Result<(), Issues> {
    let length = edit.change_reason.as_ref().map_or(0, |reason| reason.chars().count());
    if length > Edit::MAX_REASON_CHARS {
        let message = format!("at most {} characters", Edit::MAX_REASON_CHARS);
        return Err(Issue::new("too_long", message).at("change_reason").into());
    }
    Ok(())
}

/// Deletes a draft, with its links.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], [`Refused::NotDraft`], or [`Refused::Settled`] for an
/// advance invoice that something is paid on.
pub async fn delete(cx: Context<'_>, id: DocumentId) -> Result<Document, Error> {
    let seen = links_of(cx, id).await?;
    let mut unit = cx.unit();
    let change = HeldChange::hold(&mut unit, id, &seen, &[]);
    unit.decide(move |held| {
        let Found { document: before, links, sheet, .. } = change.read(held, &seen)?;
        let actor = held.actor();
        check_certified(restrictions::Change::Delete, &before)?;
        let document = before.clone().delete(actor.stamp())?;
        if before.amounts.total_paid != Decimal::zero() {
            return Err(Refused::Settled.into());
        }
        let change =
            Change { actor, today: actor.now().date(), outside_vat: None, rejudging: None };
        let sheet = sheet.with(Some(before), document);
        let (document, writes) = change.written(sheet, id, None, (&links, &[]))?;
        let deleted = document.event(Happening::Deleted, &actor.id(), actor.stamp());
        Ok((document, writes.events(deleted)))
    })
    .await
}

/// Makes a deleted draft a draft again. Its links ended with it; an update links it again.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], or [`Refused::NotInTrash`].
pub async fn restore(cx: Context<'_>, id: DocumentId) -> Result<Document, DocumentError> {
    let decide = |before: Document, actor: &Actor| {
        let after = before.restore(actor.stamp())?;
        let restored = after.event(Happening::Restored, &actor.id(), actor.stamp());
        Ok(Decision::changed(after, restored.into_iter().collect()))
    };
    cx.amend(racun_documents::table_of(id.kind()), id, decide).await
}
