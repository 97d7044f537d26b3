//! Making documents, and issuing drafts.

use racun_access::Entity;
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::calculation::CalculationMode;
use racun_documents::{
    CreationSource, Document, DocumentError, DocumentId, DocumentKind, GivenTotals, NewDocument,
    NewLine, Relation,
};
use racun_kernel::{Load, Principal, Scope, Stamp, Store, Stored, Tenant, Writes};
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
    let origin = Origin::Request(creation.custom);
    let (draft, savings) = draft(scope, kind, &request, &gathered, origin, stamp)?;
    let new = New {
        draft,
        savings,
        is_draft: creation.is_draft,
        links,
        forced: request.force_linked_documents,
        payments: creation.payments,
    };
    new.commit(store, scope, &gathered, Beside::nothing(), stamp).await
}

/// Decides what is written besides a document, given the rows of each load.
type DecideBeside = dyn FnOnce(&Document, &[Vec<Stored>]) -> Result<Writes, Error> + Send;

/// What is written in a new document's own commit besides it.
pub(crate) struct Beside {
    /// Rows to hold.
    pub loads: Vec<Load>,
    /// What to write, given the document and those rows.
    pub decide: Box<DecideBeside>,
}

impl Beside {
    fn nothing() -> Self {
        Self { loads: Vec::new(), decide: Box::new(|_, _| Ok(Writes::default())) }
    }
}

/// A new document on its way into the store.
pub(super) struct New {
    /// What is stored or issued.
    pub draft: Document,
    /// What is kept of it in the catalogue.
    pub savings: Savings,
    /// Whether it stays a draft.
    pub is_draft: bool,
    /// The documents that it is linked to.
    pub links: Vec<DocumentId>,
    /// Whether links are made that would be refused otherwise.
    pub forced: bool,
    /// What is paid with it.
    pub payments: Vec<NewPayment>,
}

impl New {
    /// Stores the document, and all that goes with it, in one unit.
    pub(super) async fn commit(
        self,
        store: &dyn Store,
        scope: &Scope,
        gathered: &Gathered,
        beside: Beside,
        stamp: &Stamp,
    ) -> Result<Document, Error> {
        let Self { draft, savings, is_draft, links, forced, payments } = self;
        let (kind, date, unit) = (draft.id.kind(), draft.content.date, gathered.unit.as_ref());
        let numbering = match is_draft {
            true => None,
            false => Some(numbering(&gathered.entity, kind, date, unit)?),
        };
        let series = numbering.as_ref().map(|numbering| numbering.series.clone());
        let plan = Plan {
            links,
            forced,
            payments,
            numbering,
            today: gathered.today,
            scope: scope.clone(),
            stamp: stamp.clone(),
        };
        let mut loads = savings.loads();
        let saved = loads.len();
        loads.extend(plan.loads());
        let planned = loads.len();
        loads.extend(beside.loads);
        store
            .decide(loads, series, move |mut loaded| {
                let held = loaded.rows.split_off(planned);
                let linked = loaded.rows.split_off(saved);
                let (document, mut writes) =
                    plan.decide(draft, Before::New, &linked, loaded.number)?;
                let (puts, events) = savings.writes(loaded.rows.into_iter().flatten().collect())?;
                let more = (beside.decide)(&document, &held)?;
                writes.puts.extend(puts.into_iter().chain(more.puts));
                writes.events.extend(events.into_iter().chain(more.events));
                Ok((document, writes))
            })
            .await
    }
}

/// What a document is made of besides the fields of its request.
pub(super) enum Origin {
    /// The request's lines, and totals that are kept as given.
    Request(Option<CustomTotals>),
    /// The lines of another document, and its totals when they were given.
    Template(Vec<NewLine>, Option<GivenTotals>),
}

/// The draft that `request` asks for, not stored: what creation and calculation share.
pub(super) fn draft(
    scope: &Scope,
    kind: DocumentKind,
    request: &DocumentRequest,
    gathered: &Gathered,
    origin: Origin,
    stamp: &Stamp,
) -> Result<(Document, Savings), DocumentError> {
    let (mut content, mut lines) = compose(kind, request, gathered, stamp)?;
    let (source, given) = match origin {
        Origin::Request(None) => match scope.principal() {
            Principal::Operator(_) => (CreationSource::Pos, None),
            _ => (CreationSource::Api, None),
        },
        // Given totals are told by this name, whoever gives them: they are not calculated anew.
        Origin::Request(Some(totals)) => (CreationSource::Custom, Some(given(totals))),
        Origin::Template(copied, given) => {
            lines = copied;
            (CreationSource::Recurring, given)
        }
    };
    let savings = Savings::of(scope, request, gathered, &mut content, Some(&mut lines), stamp)?;
    let new = NewDocument {
        kind,
        entity_id: gathered.entity.id,
        source,
        mode: request.calculation_mode.unwrap_or_else(|| default_mode(&gathered.entity)),
        content,
        lines,
        expected_total_with_tax: request.expected_total_with_tax.clone(),
        given,
        today: gathered.today,
    };
    Ok((Document::draft(new, stamp)?, savings))
}

fn given(totals: CustomTotals) -> GivenTotals {
    GivenTotals {
        total: totals.total,
        total_with_tax: totals.total_with_tax,
        total_discount: totals.total_discount.unwrap_or_else(racun_kernel::Decimal::zero),
        taxes: totals.taxes,
    }
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

pub(super) async fn unit_of(
    store: &dyn Store,
    document: &Document,
) -> Result<Option<BusinessUnit>, DocumentError> {
    let Some(id) = document.content.business_unit_id else { return Ok(None) };
    let tenant = Tenant::entity(document.entity_id);
    Ok(store.get(&BUSINESS_UNITS, &tenant, &id.to_string()).await?)
}
