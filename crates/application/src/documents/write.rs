//! Changing documents.

use racun_access::Entity;
use racun_documents::{
    Content, Document, DocumentError, DocumentId, DocumentKind, Editor, Refused, Relation,
    Revision, Version,
};
use racun_kernel::{
    Decimal, Decision, Issue, Issues, Load, Put, Scope, Stamp, Store, Stored, Writes,
};
use racun_settlement::{Outcome, Payment, PaymentWrite};

use super::compose::{all_told, has_dated_taxes, recompose, told_with};
use super::create::{charges_vat, held, same_links};
use super::gather::{self, gather};
use super::issue::{advances, relation_puts};
use super::request::DocumentRequest;
use super::save::{Savings, newcomer_loads};
use super::{links, read};
use crate::error::Error;
use crate::fiscalization::check_outside_vat;
use crate::settling::{Sheet, events, load_allocations, payments};

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

/// A stored document with all that a change of it may change: its links, the documents that they
/// name, and the advance money that it has.
pub(super) struct Held {
    pub document: Document,
    pub links: Vec<Relation>,
    pub allocations: Vec<Payment>,
    pub sheet: Sheet,
    /// All that was held.
    pub rows: Vec<Vec<Stored>>,
}

/// What has to be held for a change of the document `id`, whose links are `links`; `more` are
/// documents that it is to be linked to.
pub(super) fn loads(
    scope: &Scope,
    id: DocumentId,
    links: &[Relation],
    more: &[DocumentId],
) -> Vec<Load> {
    let mut loads = vec![links::load(scope, id), links::load_sourced(scope, id)];
    let targets = links.iter().map(|relation| relation.target_id);
    let mut targets: Vec<DocumentId> = targets.chain(more.iter().copied()).collect();
    targets.sort_unstable();
    targets.dedup();
    loads.extend(targets.iter().map(|target| links::load(scope, *target)));
    loads.extend(more.iter().map(|target| links::load_targeting(scope, *target)));
    loads.extend((id.kind() == DocumentKind::Invoice).then(|| load_allocations(scope, id)));
    loads
}

impl Held {
    /// What was held by [`loads`], when the links are still those that were `seen`.
    pub fn of(rows: Vec<Vec<Stored>>, id: DocumentId, seen: &[Relation]) -> Result<Self, Error> {
        let document = held(&rows, id)?;
        let links = links::of_source(&rows, id)?;
        if !same_links(seen, &links) {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let sheet = Sheet::of(links::documents(&rows)?);
        Ok(Self { document, links, allocations: allocations_of(&rows, id)?, sheet, rows })
    }
}

/// The advance money that the invoice `id` has, among held rows.
fn allocations_of(rows: &[Vec<Stored>], id: DocumentId) -> Result<Vec<Payment>, Error> {
    let mut found = payments(rows)?;
    found.retain(|payment| {
        let is_its = payment.invoice_id.as_deref() == Some(&id.to_string());
        is_its && payment.is_allocation() && payment.deleted_at.is_none()
    });
    // What is held twice is one.
    found.sort_by_key(|payment| payment.id);
    found.dedup_by_key(|payment| payment.id);
    Ok(found)
}

/// Changes a draft, or an issued document that may still be edited, and keeps a version of it.
///
/// Payments must still fit the new total; advance money follows it, and so does the credit that a
/// credit note gives.
///
/// # Errors
/// [`racun_kernel::StoreError::NotFound`], what the document's stage refuses, what is wrong with
/// the request, or links and totals that settlement refuses.
pub async fn update(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: DocumentId,
    request: DocumentRequest,
    edit: Edit,
    stamp: &Stamp,
) -> Result<Document, Error> {
    check_reason(&edit)?;
    let seen = read::get(store, scope, id).await?;
    let seen_links = read::links_of(store, scope, id).await?;
    let named = links::named(store, scope, &request).await?;
    let mut gathered = gather(store, entity, &request, stamp).await?;
    let present = seen.content.lines.iter().filter_map(|line| line.financial_category_id);
    gathered.records = gathered.records.keeping(present);
    if request.date.is_some() && has_dated_taxes(&seen.content) && gathered.records.taxes.is_empty()
    {
        gathered.records.taxes = gather::taxes(store, &scope.tenant()).await?;
    }
    let charges_vat = charges_vat(entity);
    let may_edit_issued = entity.country_code.as_deref().is_none_or(|code| code != "PT");
    let (scope, stamp) = (scope.clone(), stamp.clone());
    let mut all_loads = customer_loads(&scope, &request, &seen.content, &stamp);
    let customers = all_loads.len();
    let more = named.as_deref().unwrap_or_default();
    all_loads.extend(loads(&scope, id, &seen_links, more));
    store
        .decide(all_loads, None, move |mut loaded| {
            let rows = loaded.rows.split_off(customers);
            let held = Held::of(rows, id, &seen_links)?;
            let before = held.document.clone();
            let mut issues = Issues::default();
            let (mut content, mut lines) =
                recompose(&before.content, &request, &gathered, &stamp, &mut issues);
            let savings =
                Savings::of(&scope, &request, &gathered, &mut content, lines.as_mut(), &stamp);
            let mut savings = match savings {
                Ok(savings) => savings,
                Err(wrong) => return Err(told_with(issues, wrong.into()).into()),
            };
            if let Some(known) = savings.recognise(&loaded.rows)? {
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
            let (document, version) = all_told(issues, before.update(revision, &stamp))?;
            let relink = Relink { named, forced: request.force_linked_documents };
            let change =
                Change { scope: &scope, today: gathered.today, charges_vat, stamp: &stamp };
            let (document, mut writes) = change.revise(held, document, relink)?;
            if let Some(version) = version {
                writes.puts.push(Put::insert::<Version>(&version));
                let actor = scope.principal().id();
                writes.events.extend(document.event("updated", &actor, &stamp));
                let (puts, events) = savings.writes(&loaded.rows)?;
                writes.puts.extend(puts);
                writes.events.extend(events);
            }
            Ok((document, writes))
        })
        .await
}

/// What an update says of links.
struct Relink {
    /// The documents to be linked to; `None` keeps the links.
    named: Option<Vec<DocumentId>>,
    forced: bool,
}

/// Who changes a document, where and when.
pub(super) struct Change<'a> {
    pub scope: &'a Scope,
    pub today: time::Date,
    /// Whether the entity may charge VAT.
    pub charges_vat: bool,
    pub stamp: &'a Stamp,
}

impl Change<'_> {
    /// Settles anew what depends on the document's total and links.
    fn revise(
        &self,
        held: Held,
        document: Document,
        relink: Relink,
    ) -> Result<(Document, Writes), Error> {
        let Held { document: before, links: old, allocations, sheet, rows } = held;
        let mut new = self.relinked(&document, &old, relink, &rows)?;
        let mut sheet = sheet;
        if document.content.currency != before.content.currency {
            let named = |target: &&Document| new.iter().any(|link| link.target_id == target.id);
            let targets: Vec<Document> = sheet.documents().filter(named).cloned().collect();
            links::check_currency(document.id, &document.content, &targets)?;
        }
        let total = &document.amounts.total_with_tax;
        let is_note = document.id.kind() == DocumentKind::CreditNote && !document.is_draft();
        if is_note && (new != old || *total != before.amounts.total_with_tax) {
            let mut targets: Vec<Document> = sheet.documents().cloned().collect();
            links::check_redrawn(&old, &new, &targets)?;
            links::uncredit(&mut old.clone(), &mut targets, self.stamp);
            links::credit(total, &mut new, &mut targets, self.stamp)?;
            targets.into_iter().for_each(|target| sheet.replace(target));
        }
        if !self.charges_vat && !document.is_draft() {
            let targets = links::credited(document.id, &new, sheet.documents());
            check_outside_vat(&document.content, targets.chain([&before]))?;
        }
        let settles = crate::settling::settleable(&document).is_some();
        let outcome = if settles {
            let settlement = sheet.settlement(self.scope, self.today, allocations, advances(&new));
            let (total, currency) =
                (document.amounts.total_with_tax.clone(), document.content.currency);
            Some(settlement.revise(&document.id.to_string(), total, currency, self.stamp)?)
        } else {
            None
        };
        let id = document.id;
        self.written(sheet.with(Some(before), document), id, outcome, relation_puts(&old, &new))
    }

    /// The links as they are to be: those that stay, and new ones, in the order of the request.
    fn relinked(
        &self,
        document: &Document,
        old: &[Relation],
        relink: Relink,
        rows: &[Vec<Stored>],
    ) -> Result<Vec<Relation>, Error> {
        let Some(named) = relink.named else { return Ok(old.to_vec()) };
        let is_new = |id: &DocumentId| old.iter().all(|relation| relation.target_id != *id);
        let mut targets = links::documents(rows)?;
        targets.retain(|target| named.contains(&target.id) && is_new(&target.id));
        targets.sort_by_key(|target| named.iter().position(|id| *id == target.id));
        let others = links::relations(rows)?;
        links::check(document.id, &document.content, &targets, &others, relink.forced)?;
        let fresh = links::link(document, &named, relink.forced, self.stamp);
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

    /// The document of `sheet` as it becomes, and all that is written.
    pub fn written(
        &self,
        mut sheet: Sheet,
        id: DocumentId,
        outcome: Option<Outcome>,
        links: Vec<Put>,
    ) -> Result<(Document, Writes), Error> {
        let mut writes = Writes::default();
        if let Some(outcome) = outcome {
            sheet.take_over(&outcome, self.stamp);
            writes.puts.extend(outcome.writes.iter().map(PaymentWrite::put));
            writes.events.extend(events(&outcome, self.scope, self.stamp));
        }
        writes.puts.extend(links);
        writes.puts.extend(sheet.puts());
        let gone = || racun_kernel::StoreError::NotFound { id: id.to_string() };
        let document = sheet.document(id).cloned().ok_or_else(gone)?;
        Ok((document, writes))
    }
}

/// The customer's record, when the update of a document with `content` is to refresh it; or the
/// records that a new one may equal.
fn customer_loads(
    scope: &Scope,
    request: &DocumentRequest,
    content: &Content,
    stamp: &Stamp,
) -> Vec<Load> {
    let Some(asked) = request.customer.value() else { return Vec::new() };
    let present = content.customer_id.filter(|_| request.customer_id.is_absent());
    let named = request.customer_id.value().cloned();
    let id = named.or_else(|| present.map(|id| id.to_string()));
    match (id, asked.save_customer) {
        (_, Some(false)) | (Some(_), None) => Vec::new(),
        (Some(id), Some(true)) => {
            let (table, tenant) = (&racun_catalog::CUSTOMERS, scope.tenant());
            vec![Load::One { table, tenant, id }]
        }
        (None, _) => {
            let base = content.customer.clone().filter(|_| request.customer_id.is_absent());
            let party = asked.party.clone().onto(base.unwrap_or_default());
            newcomer_loads(scope, &party, stamp)
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
/// [`racun_kernel::StoreError::NotFound`], [`Refused::NotDraft`], or [`Refused::Settled`] for an
/// advance invoice that something is paid on.
pub async fn delete(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
    stamp: &Stamp,
) -> Result<Document, Error> {
    let seen = read::links_of(store, scope, id).await?;
    let (scope, stamp) = (scope.clone(), stamp.clone());
    store
        .decide(loads(&scope, id, &seen, &[]), None, move |loaded| {
            let Held { document: before, links, sheet, .. } = Held::of(loaded.rows, id, &seen)?;
            let document = before.clone().delete(&stamp)?;
            if before.amounts.total_paid != Decimal::zero() {
                return Err(Refused::Settled.into());
            }
            let today = stamp.now().date();
            let change = Change { scope: &scope, today, charges_vat: true, stamp: &stamp };
            let sheet = sheet.with(Some(before), document);
            let (document, mut writes) =
                change.written(sheet, id, None, relation_puts(&links, &[]))?;
            let actor = scope.principal().id();
            writes.events.extend(document.event("deleted", &actor, &stamp));
            Ok((document, writes))
        })
        .await
}

/// Makes a deleted draft a draft again. Its links ended with it; an update links it anew.
///
/// # Errors
/// [`racun_kernel::StoreError::NotFound`], or [`Refused::NotInTrash`].
pub async fn restore(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let (actor, stamp) = (scope.principal().id(), stamp.clone());
    let decide = move |before: Document| {
        let after = before.restore(&stamp)?;
        let events = after.event("restored", &actor, &stamp).into_iter().collect();
        Ok(Decision::changed(after, events))
    };
    store.amend(id.kind().table(), &scope.tenant(), id.to_string(), decide).await
}
