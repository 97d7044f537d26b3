//! Making and changing documents.

use racun_access::Entity;
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::calculation::CalculationMode;
use racun_documents::{
    CreationSource, Document, DocumentError, DocumentId, DocumentKind, Editor, GivenTotals,
    NewDocument, Numbering, Revision, Version, Voided,
};
use racun_kernel::{
    Decision, Issue, Issues, Load, Loaded, Put, Scope, Stamp, Store, StoreError, Tenant, Writes,
};
use serde_json::Value as Json;

use super::compose::{compose, has_dated_taxes, recompose};
use super::gather::{self, Gathered, gather};
use super::numbers::numbering;
use super::request::{CustomTotals, DocumentRequest};
use super::save::Savings;

/// How a new document starts.
#[derive(Debug, Clone, Default)]
pub struct Creation {
    /// As a draft, without a number.
    pub is_draft: bool,
    /// With totals that are kept as given.
    pub custom: Option<CustomTotals>,
}

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

/// Makes a document: a draft, or issued at once with the next number of its sequence.
///
/// Its customer and lines are kept in the catalogue in the same commit where the request says so.
///
/// # Errors
/// All that is wrong with the request, a total too far from the expected one, or the store's
/// failure. Nothing is then written.
pub async fn create(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    creation: Creation,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let gathered = gather(store, entity, &request, stamp).await?;
    let (draft, savings) = draft(scope, kind, &request, &gathered, creation.custom, stamp)?;
    let actor = scope.principal().id();
    if creation.is_draft {
        return store
            .decide(savings.loads(), None, move |loaded| {
                let events = draft.event("created", &actor, draft.created_at);
                let mut writes = saved(savings, loaded)?;
                writes.puts.insert(0, Put::insert(&draft));
                writes.events.extend(events);
                Ok((draft, writes))
            })
            .await;
    }
    let numbering = numbering(entity, kind, draft.content.date, gathered.unit.as_ref())?;
    let (today, stamp) = (gathered.today, stamp.clone());
    let series = Some(numbering.series.clone());
    store
        .decide(savings.loads(), series, move |loaded| {
            let sequence = number_of(&loaded)?;
            let document = draft.issue(&numbering, sequence, today, &stamp)?;
            let mut writes = saved(savings, loaded)?;
            writes.puts.insert(0, Put::insert(&document));
            writes.events.extend(document.event("created", &actor, stamp.now()));
            writes.events.extend(issue_event(&document, &actor, &stamp));
            writes.takes_number = true;
            Ok((document, writes))
        })
        .await
}

/// The draft that `request` asks for, not stored: what creation and calculation share.
pub(super) fn draft(
    scope: &Scope,
    kind: DocumentKind,
    request: &DocumentRequest,
    gathered: &Gathered,
    custom: Option<CustomTotals>,
    stamp: &Stamp,
) -> Result<(Document, Savings), DocumentError> {
    let (mut content, mut lines) = compose(kind, request, gathered, stamp)?;
    let savings = Savings::of(scope, request, gathered, &mut content, Some(&mut lines), stamp)?;
    let new = NewDocument {
        kind,
        entity_id: gathered.entity.id,
        source: if custom.is_some() { CreationSource::Custom } else { CreationSource::Api },
        mode: request.calculation_mode.unwrap_or_else(|| default_mode(&gathered.entity)),
        content,
        lines,
        expected_total_with_tax: request.expected_total_with_tax.clone(),
        given: custom.map(|totals| GivenTotals {
            total: totals.total,
            total_with_tax: totals.total_with_tax,
            total_discount: totals.total_discount.unwrap_or_else(racun_kernel::Decimal::zero),
            taxes: totals.taxes,
        }),
        today: gathered.today,
    };
    Ok((Document::draft(new, stamp)?, savings))
}

/// The entity's calculation mode.
fn default_mode(entity: &Entity) -> CalculationMode {
    let name = entity.settings.calculation_default_mode();
    name.and_then(|name| serde_json::from_value(Json::String(name)).ok()).unwrap_or_default()
}

/// Issues a draft: gives it the next number of its sequence.
///
/// # Errors
/// [`StoreError::NotFound`], [`racun_documents::Refused::NotDraft`], a date in the future, or
/// [`DocumentError::ChangedMeanwhile`] when somebody moved the draft to another sequence.
pub async fn finalize(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: DocumentId,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let seen = super::read::get(store, scope, id).await?;
    let unit = unit_of(store, &seen).await?;
    let plan = numbering(entity, id.kind(), seen.content.date, unit.as_ref())?;
    let (today, stamp) = (gather::today(entity, stamp), stamp.clone());
    let actor = scope.principal().id();
    let loads =
        vec![Load::One { table: id.kind().table(), tenant: scope.tenant(), id: id.to_string() }];
    store
        .decide(loads, Some(plan.series.clone()), move |loaded| {
            let sequence = number_of(&loaded)?;
            let draft = held(&loaded, id)?;
            if !same_sequence(&seen, &draft) {
                return Err(DocumentError::ChangedMeanwhile);
            }
            issued(draft, &plan, sequence, today, &actor, &stamp)
        })
        .await
}

fn issued(
    draft: Document,
    plan: &Numbering,
    sequence: i64,
    today: time::Date,
    actor: &str,
    stamp: &Stamp,
) -> Result<(Document, Writes), DocumentError> {
    let document = draft.clone().issue(plan, sequence, today, stamp)?;
    let puts = vec![Put::update(&draft, &document)];
    let events = issue_event(&document, actor, stamp).into_iter().collect();
    Ok((document, Writes { puts, events, takes_number: true }))
}

fn issue_event(document: &Document, actor: &str, stamp: &Stamp) -> Option<racun_kernel::Event> {
    let what = if document.id.kind() == DocumentKind::CreditNote { "issued" } else { "finalized" };
    document.event(what, actor, stamp.now())
}

fn same_sequence(seen: &Document, held: &Document) -> bool {
    seen.content.date == held.content.date
        && seen.content.business_unit_id == held.content.business_unit_id
}

async fn unit_of(
    store: &dyn Store,
    document: &Document,
) -> Result<Option<BusinessUnit>, DocumentError> {
    let Some(id) = document.content.business_unit_id else { return Ok(None) };
    let tenant = Tenant::entity(document.entity_id);
    Ok(store.get(&BUSINESS_UNITS, &tenant, &id.to_string()).await?)
}

/// Changes a draft, or an issued document that may still be edited, and keeps a version of it.
///
/// # Errors
/// [`StoreError::NotFound`], what the document's stage refuses, or what is wrong with the request.
pub async fn update(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: DocumentId,
    request: DocumentRequest,
    edit: Edit,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    check_reason(&edit)?;
    let seen = super::read::get(store, scope, id).await?;
    let mut gathered = gather(store, entity, &request, stamp).await?;
    if request.date.is_some() && has_dated_taxes(&seen.content) && gathered.taxes.is_empty() {
        gathered.taxes = gather::taxes(store, &scope.tenant()).await?;
    }
    let may_edit_issued = entity.country_code.as_deref().is_none_or(|code| code != "PT");
    let (scope, stamp) = (scope.clone(), stamp.clone());
    let load = Load::One { table: id.kind().table(), tenant: scope.tenant(), id: id.to_string() };
    let customer = seen.content.customer_id.filter(|_| request.customer_id.is_absent());
    let mut loads = vec![load];
    loads.extend(customer_load(&scope, &request, customer));
    store
        .decide(loads, None, move |mut loaded| {
            let before = held(&loaded, id)?;
            loaded.rows.remove(0);
            let (mut content, mut lines) = recompose(&before.content, &request, &gathered, &stamp)?;
            let savings =
                Savings::of(&scope, &request, &gathered, &mut content, lines.as_mut(), &stamp)?;
            let revision = Revision {
                content,
                lines,
                may_edit_issued,
                today: gathered.today,
                editor: edit.editor,
                change_reason: edit.change_reason,
            };
            let (document, version) = before.clone().update(revision, &stamp)?;
            let Some(version) = version else { return Ok((document, Writes::default())) };
            let mut writes = saved(savings, loaded)?;
            writes.puts.insert(0, Put::update(&before, &document));
            writes.puts.push(Put::insert::<Version>(&version));
            writes.events.extend(document.event("updated", &scope.principal().id(), stamp.now()));
            Ok((document, writes))
        })
        .await
}

/// The customer's record, when the update is to refresh it.
fn customer_load(
    scope: &Scope,
    request: &DocumentRequest,
    present: Option<racun_kernel::id::CustomerId>,
) -> Option<Load> {
    let refresh =
        request.customer.value().is_some_and(|customer| customer.save_customer == Some(true));
    let named = request.customer_id.value().cloned();
    let id = named.or_else(|| present.map(|id| id.to_string())).filter(|_| refresh)?;
    Some(Load::One { table: &racun_catalog::CUSTOMERS, tenant: scope.tenant(), id })
}

fn check_reason(edit: &Edit) -> Result<(), Issues> {
    let length = edit.change_reason.as_ref().map_or(0, |reason| reason.chars().count());
    if length > Edit::MAX_REASON_CHARS {
        let message = format!("at most {} characters", Edit::MAX_REASON_CHARS);
        return Err(Issue::new("too_long", message).at("change_reason").into());
    }
    Ok(())
}

/// Declares an issued document void. Its number stays taken.
///
/// # Errors
/// [`StoreError::NotFound`], or what the document's stage refuses.
pub async fn void(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
    reason: Option<String>,
    has_original_document: Option<bool>,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let void = Voided { at: stamp.now(), reason, has_original_document };
    change(store, scope, id, ["voided", "cancelled"], stamp, move |document| document.void(void))
        .await
}

/// Deletes a draft.
///
/// # Errors
/// [`StoreError::NotFound`], or [`racun_documents::Refused::NotDraft`].
pub async fn delete(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let at = stamp.clone();
    change(store, scope, id, ["deleted", ""], stamp, move |document| document.delete(&at)).await
}

async fn change(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
    happenings: [&'static str; 2],
    stamp: &Stamp,
    transition: impl FnOnce(Document) -> Result<Document, DocumentError> + Send + 'static,
) -> Result<Document, DocumentError> {
    let (actor, now) = (scope.principal().id(), stamp.now());
    let decide = move |document: Document| {
        if document.deleted_at.is_some() {
            return Err(StoreError::NotFound { id: id.to_string() }.into());
        }
        let document = transition(document)?;
        let events = happenings.into_iter().filter_map(|what| document.event(what, &actor, now));
        let events = events.collect();
        Ok(Decision::changed(document, events))
    };
    store.amend(id.kind().table(), &scope.tenant(), id.to_string(), decide).await
}

fn held(loaded: &Loaded, id: DocumentId) -> Result<Document, DocumentError> {
    let row = loaded.rows.first().and_then(|rows| rows.first());
    let document: Option<Document> = row.map(|row| row.read(id.kind().table())).transpose()?;
    let live = document.filter(|document| document.deleted_at.is_none());
    live.ok_or_else(|| StoreError::NotFound { id: id.to_string() }.into())
}

fn number_of(loaded: &Loaded) -> Result<i64, StoreError> {
    loaded.number.ok_or_else(|| StoreError::Unavailable("the store showed no number".to_owned()))
}

fn saved(savings: Savings, loaded: Loaded) -> Result<Writes, StoreError> {
    let (puts, events) = savings.writes(loaded.rows.into_iter().flatten().collect())?;
    Ok(Writes { puts, events, takes_number: false })
}
