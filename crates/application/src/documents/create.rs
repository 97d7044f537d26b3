//! Making documents, and issuing drafts.

use racun_access::Entity;
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::calculation::CalculationMode;
use racun_documents::{
    CreationSource, Document, DocumentError, DocumentId, DocumentKind, GivenTotals, NewDocument,
    Relation,
};
use racun_kernel::{Scope, Stamp, Store, Tenant};
use racun_settlement::NewPayment;
use serde_json::Value as Json;

use super::compose::compose;
use super::gather::{self, Gathered, gather};
use super::issue::{Before, Plan};
use super::numbers::numbering;
use super::request::{CustomTotals, DocumentRequest};
use super::save::Savings;
use super::{links, read};
use crate::error::Error;

/// How a new document starts.
#[derive(Debug, Clone, Default)]
pub struct Creation {
    /// As a draft, without a number.
    pub is_draft: bool,
    /// With totals that are kept as given.
    pub custom: Option<CustomTotals>,
    /// With payments; one without an amount takes what is left.
    pub payments: Vec<NewPayment>,
}

/// Makes a document: a draft, or issued at once with the next number of its sequence.
///
/// In the same commit its customer and lines are kept in the catalogue where the request says so, its
/// links are made, advances are applied, credit is given, and its payments are recorded.
///
/// # Errors
/// All that is wrong with the request, a total too far from the expected one, links or payments that
/// are refused, or the store's failure. Nothing is then written.
pub async fn create(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    creation: Creation,
    stamp: &Stamp,
) -> Result<Document, Error> {
    let gathered = gather(store, entity, &request, stamp).await?;
    let links = links::named(store, scope, &request).await?.unwrap_or_default();
    let (draft, savings) = draft(scope, kind, &request, &gathered, creation.custom, stamp)?;
    let unit = gathered.unit.as_ref();
    let numbering = match creation.is_draft {
        true => None,
        false => Some(numbering(entity, kind, draft.content.date, unit)?),
    };
    let plan = Plan {
        links,
        forced: request.force_linked_documents,
        payments: creation.payments,
        numbering,
        today: gathered.today,
        scope: scope.clone(),
        stamp: stamp.clone(),
    };
    let series = plan.numbering.as_ref().map(|numbering| numbering.series.clone());
    let mut loads = savings.loads();
    let saved = loads.len();
    loads.extend(plan.loads());
    store
        .decide(loads, series, move |mut loaded| {
            let linked = loaded.rows.split_off(saved);
            let (document, mut writes) = plan.decide(draft, Before::New, &linked, loaded.number)?;
            let (puts, events) = savings.writes(loaded.rows.into_iter().flatten().collect())?;
            writes.puts.extend(puts);
            writes.events.extend(events);
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
pub(crate) fn default_mode(entity: &Entity) -> CalculationMode {
    let name = entity.settings.calculation_default_mode();
    name.and_then(|name| serde_json::from_value(Json::String(name)).ok()).unwrap_or_default()
}

/// Issues a draft: gives it the next number of its sequence, and settles it.
///
/// # Errors
/// [`racun_kernel::StoreError::NotFound`], [`racun_documents::Refused::NotDraft`], a date in the
/// future, links that no longer fit, an advance invoice that is not paid in full, or
/// [`DocumentError::ChangedMeanwhile`] when somebody moved the draft to another sequence or changed
/// its links.
pub async fn finalize(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: DocumentId,
    stamp: &Stamp,
) -> Result<Document, Error> {
    let seen = read::get(store, scope, id).await?;
    let relations = read::links_of(store, scope, id).await?;
    let unit = unit_of(store, &seen).await?;
    let numbering = numbering(entity, id.kind(), seen.content.date, unit.as_ref())?;
    let series = Some(numbering.series.clone());
    let plan = Plan {
        links: relations.iter().map(|relation| relation.target_id).collect(),
        // Whether the links may be was decided when they were made.
        forced: true,
        payments: Vec::new(),
        numbering: Some(numbering),
        today: gather::today(entity, stamp),
        scope: scope.clone(),
        stamp: stamp.clone(),
    };
    let mut loads = vec![links::load(scope, id), links::load_sourced(scope, id)];
    loads.extend(plan.loads());
    store
        .decide(loads, series, move |mut loaded| {
            let linked = loaded.rows.split_off(2);
            let draft = held(&loaded.rows, id)?;
            let present = links::of_source(&loaded.rows, id)?;
            if !same_sequence(&seen, &draft) || !same_links(&relations, &present) {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            let before = Before::Draft(Box::new(draft.clone()), present);
            plan.decide(draft, before, &linked, loaded.number)
        })
        .await
}

/// The document `id` among held rows, unless it is deleted.
pub(super) fn held(
    rows: &[Vec<racun_kernel::Stored>],
    id: DocumentId,
) -> Result<Document, DocumentError> {
    let found = links::documents(rows)?;
    let live = |document: &Document| document.id == id && document.deleted_at.is_none();
    let gone = || racun_kernel::StoreError::NotFound { id: id.to_string() };
    Ok(found.into_iter().find(live).ok_or_else(gone)?)
}

fn same_sequence(seen: &Document, held: &Document) -> bool {
    seen.content.date == held.content.date
        && seen.content.business_unit_id == held.content.business_unit_id
}

pub(super) fn same_links(seen: &[Relation], held: &[Relation]) -> bool {
    seen.iter().map(|relation| relation.id).eq(held.iter().map(|relation| relation.id))
}

async fn unit_of(
    store: &dyn Store,
    document: &Document,
) -> Result<Option<BusinessUnit>, DocumentError> {
    let Some(id) = document.content.business_unit_id else { return Ok(None) };
    let tenant = Tenant::entity(document.entity_id);
    Ok(store.get(&BUSINESS_UNITS, &tenant, &id.to_string()).await?)
}
