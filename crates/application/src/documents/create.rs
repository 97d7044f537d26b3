//! Making documents, and issuing drafts.

use racun_access::Entity;
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::calculation::CalculationMode;
use racun_documents::{
    CreationSource, Document, DocumentError, DocumentId, DocumentKind, GivenTotals, InvoicedTab,
    NewDocument, NewLine, Refused, Relation,
};
use racun_fiscal::Means;
use racun_kernel::{Issue, Issues, Load, Principal, Scope, Stamp, Store, Stored, Tenant, Writes};
use racun_settlement::{NewPayment, PAYMENTS, Payment};
use serde_json::Value as Json;
use time::OffsetDateTime;

use super::compose::{all_told, compose, told_with};
use super::gather::{self, Gathered, gather};
use super::issue::{Before, Made, Plan, Shown, load_payments, payment_field, read_payments};
use super::numbers::numbering;
use super::request::{CustomTotals, DocumentRequest};
use super::save::Savings;
use super::{links, read};
use crate::billing::Meter;
use crate::error::Error;
use crate::fiscalization::{FiscalRequest, Occasion, Ports, Prepared, means, prepare, send_first};

/// How a new document starts.
#[derive(Debug, Clone, Default)]
pub struct Creation {
    /// As a draft, without a number.
    pub is_draft: bool,
    /// With totals that are kept as given.
    pub custom: Option<CustomTotals>,
    /// With payments; one without an amount takes what is left.
    pub payments: Vec<NewPayment>,
    /// As this says to the tax authority that is told of it.
    pub fiscal: FiscalRequest,
}

/// Makes a document: a draft, or issued at once with the next number of its sequence.
///
/// In the same commit its customer and lines are kept in the catalogue where the request says so,
/// its links are made, advances are applied, credit is given, and its payments are recorded. Where
/// the law requires it, the document is then sent to the tax authority. It stays issued when the
/// authority refuses it.
///
/// # Errors
/// All that is wrong with the request, a total too far from the expected one, links or payments
/// that are refused, what fiscalization lacks, or the store's failure. Nothing is then written.
pub async fn create<'a>(
    ports: impl Into<Ports<'a>>,
    scope: &Scope,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    creation: Creation,
    stamp: &Stamp,
) -> Result<Document, Error> {
    let ports = ports.into();
    check_draft(kind, &creation)?;
    let gathered = gather(ports.store, entity, &request, stamp).await?;
    let (tabs, beside) = (Vec::new(), Beside::nothing());
    let order = Order { kind, request, creation, tabs, beside };
    order.carry_out(ports, scope, gathered, stamp).await
}

/// A document to make, with what is written in its own commit besides it.
pub(super) struct Order {
    /// Its kind.
    pub kind: DocumentKind,
    /// What it says.
    pub request: DocumentRequest,
    /// How it starts.
    pub creation: Creation,
    /// The tabs of the point of sale that it is made of.
    pub tabs: Vec<InvoicedTab>,
    /// What is written besides it.
    pub beside: Beside,
}

impl Order {
    /// Makes the document of what was `gathered` for the request; see [`create`].
    pub async fn carry_out(
        self,
        ports: Ports<'_>,
        scope: &Scope,
        mut gathered: Gathered,
        stamp: &Stamp,
    ) -> Result<Document, Error> {
        let Self { kind, mut request, creation, tabs, beside } = self;
        let links = links::named(ports.store, scope, &request).await?.unwrap_or_default();
        let fiscal = match creation.is_draft {
            true => {
                creation.fiscal.refuse_paper(None, DRAFT_ON_PAPER)?;
                Prepared::Plain
            }
            false => {
                let kinds = creation.payments.iter().map(|payment| means(payment.kind)).collect();
                let occasion = Occasion::issue(kind, links.clone(), kinds, creation.fiscal);
                prepare(ports, scope, &gathered.entity, occasion, stamp).await?
            }
        };
        if let Some(day) = fiscal.day() {
            racun_documents::check_issue_day(request.date.unwrap_or(day), day)?;
            (request.date, gathered.today) = (Some(day), day);
        }
        let origin = Origin::Request(creation.custom);
        let (draft, savings) = draft(scope, kind, &request, &gathered, origin, stamp)?;
        let new = New {
            draft: draft.of_tabs(tabs),
            savings,
            is_draft: creation.is_draft,
            links,
            forced: request.force_linked_documents,
            payments: creation.payments,
            fiscal,
        };
        new.commit(ports, scope, &gathered, beside, stamp).await
    }
}

/// Why a draft names no paper.
const DRAFT_ON_PAPER: &str =
    "a draft is in no bound book; send this when it is finalized, or leave is_draft out";

/// Refuses payments of a draft, but of an advance invoice, which they issue.
fn check_draft(kind: DocumentKind, creation: &Creation) -> Result<(), Issues> {
    let takes = kind == DocumentKind::AdvanceInvoice || !creation.is_draft;
    if takes || creation.payments.is_empty() {
        return Ok(());
    }
    let message = "a draft takes no payments; leave payments out and record them by POST /payments \
                   when it is finalized, or leave is_draft out";
    Err(Issue::new("document_is_draft", message).at("payments").into())
}

/// Decides what is written besides a document, given what is held for that.
type DecideBeside = dyn FnOnce(&Document, &HeldBeside) -> Result<Writes, Error> + Send;

/// What is held besides a document.
pub(crate) struct HeldBeside {
    /// The rows of each load.
    pub rows: Vec<Vec<Stored>>,
    /// The time on the store's clock, where it has one.
    pub now: Option<OffsetDateTime>,
}

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
    /// Whether and how a tax authority is told of it.
    pub fiscal: Prepared,
}

impl New {
    /// Stores the document, and all that goes with it, in one unit; then tells the tax authority.
    pub(super) async fn commit(
        self,
        ports: Ports<'_>,
        scope: &Scope,
        gathered: &Gathered,
        beside: Beside,
        stamp: &Stamp,
    ) -> Result<Document, Error> {
        let Self { mut draft, mut savings, is_draft, links, forced, payments, fiscal } = self;
        let (kind, date, unit) = (draft.id.kind(), draft.content.date, gathered.unit.as_ref());
        let numbering = match (is_draft, fiscal.issuing()) {
            (true, _) => None,
            (false, Some(issuing)) => Some(issuing.numbering()),
            (false, None) => Some(numbering(&gathered.entity, kind, date, unit)?),
        };
        let plan = Plan {
            links,
            forced,
            payments,
            numbering,
            fiscal,
            charges_vat: charges_vat(&gathered.entity),
            today: gathered.today,
            scope: scope.clone(),
            stamp: stamp.clone(),
        };
        let mut loads = savings.loads();
        let saved = loads.len();
        loads.extend(plan.loads());
        let planned = loads.len();
        loads.extend(plan.places());
        let placed = loads.len();
        let meter = Meter::of(&gathered.entity, is_draft, scope, stamp);
        loads.extend(meter.loads());
        let metered = loads.len();
        loads.extend(beside.loads);
        let made = ports
            .store
            .decide(loads, plan.series(), move |mut loaded| {
                let held = HeldBeside { rows: loaded.rows.split_off(metered), now: loaded.now };
                let counted = loaded.rows.split_off(placed);
                let places = loaded.rows.split_off(planned);
                let linked = loaded.rows.split_off(saved);
                let shown = Shown { linked, places, number: loaded.number, now: loaded.now };
                if let Some(known) = savings.recognise(&loaded.rows)? {
                    draft.content.customer_id = Some(known);
                }
                let (made, mut writes) = plan.decide(draft, Before::New, shown)?;
                let (puts, events) = savings.writes(&loaded.rows)?;
                let more = (beside.decide)(&made.document, &held)?;
                let used = meter.count(kind, &counted)?;
                writes.puts.extend(puts.into_iter().chain(more.puts).chain(used.puts));
                writes.events.extend(events.into_iter().chain(more.events).chain(used.events));
                Ok::<_, Error>((made, writes))
            })
            .await?;
        let Made { document, sending } = made;
        Ok(send_first(ports, scope, document, sending, stamp).await)
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
    let mut issues = Issues::default();
    let (mut content, mut lines) = compose(kind, request, gathered, stamp, &mut issues);
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
    let savings = Savings::of(scope, request, gathered, &mut content, Some(&mut lines), stamp);
    let savings = match savings {
        Ok(savings) => savings,
        Err(wrong) => return Err(told_with(issues, wrong.into())),
    };
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
    let made = all_told(issues, Document::draft(new, stamp))?;
    Ok((made, savings))
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
/// future, or another than the day of issue of a fiscalized document, links that no longer
/// fit, an advance invoice that is not paid in full, or [`DocumentError::ChangedMeanwhile`] when
/// another request moved the draft to another sequence or changed its links. What fiscalization
/// lacks, when the document is fiscalized.
pub async fn finalize<'a>(
    ports: impl Into<Ports<'a>>,
    scope: &Scope,
    entity: &Entity,
    id: DocumentId,
    request: FiscalRequest,
    stamp: &Stamp,
) -> Result<Document, Error> {
    let ports = ports.into();
    let store = ports.store;
    let seen = read::get(store, scope, id).await?;
    if !seen.is_draft() {
        return Err(Refused::NotDraft.into());
    }
    let relations = read::links_of(store, scope, id).await?;
    let links: Vec<DocumentId> = relations.iter().map(|relation| relation.target_id).collect();
    let paid = paid_on(store, scope, id).await?;
    let occasion = Occasion::issue(id.kind(), links.clone(), paid, request);
    let fiscal = prepare(ports, scope, entity, occasion, stamp).await?;
    let numbering = match fiscal.issuing() {
        Some(issuing) => issuing.numbering(),
        None => {
            let unit = unit_of(store, &seen).await?;
            numbering(entity, id.kind(), seen.content.date, unit.as_ref())?
        }
    };
    let day = fiscal.day();
    let today = gather::today(entity, stamp);
    let made_on = gather::today(entity, &stamp.at(seen.created_at));
    let plan = Plan {
        links,
        forced: false,
        payments: Vec::new(),
        numbering: Some(numbering),
        fiscal,
        charges_vat: charges_vat(entity),
        today: day.unwrap_or(today),
        scope: scope.clone(),
        stamp: stamp.clone(),
    };
    let own = [links::load(scope, id), links::load_sourced(scope, id), load_payments(scope, id)];
    let mut loads = Vec::from(own);
    loads.extend(plan.loads());
    let planned = loads.len();
    loads.extend(plan.places());
    let placed = loads.len();
    let meter = Meter::of(entity, false, scope, stamp);
    loads.extend(meter.loads());
    let made = store
        .decide(loads, plan.series(), move |mut loaded| {
            let counted = loaded.rows.split_off(placed);
            let places = loaded.rows.split_off(planned);
            let linked = loaded.rows.split_off(3);
            let payments = read_payments(&loaded.rows)?;
            let draft = held(&loaded.rows, id)?;
            let present = links::of_source(&loaded.rows, id)?;
            if !same_sequence(&seen, &draft) || !same_links(&relations, &present) {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            let before = Before::Draft(Box::new(draft.clone()), present, payments);
            let draft = match day {
                Some(day) => draft.issued_on(day, made_on)?,
                None => draft,
            };
            let shown = Shown { linked, places, number: loaded.number, now: loaded.now };
            let (made, mut writes) = plan.decide(draft, before, shown)?;
            let used = meter.count(id.kind(), &counted)?;
            writes.puts.extend(used.puts);
            writes.events.extend(used.events);
            Ok::<_, Error>((made, writes))
        })
        .await?;
    let Made { document, sending } = made;
    Ok(send_first(ports, scope, document, sending, stamp).await)
}

/// How what is paid on the document `id` is paid.
async fn paid_on(store: &dyn Store, scope: &Scope, id: DocumentId) -> Result<Vec<Means>, Error> {
    let clause = read::by_field(&PAYMENTS, payment_field(id), &id.to_string());
    let paid: Vec<Payment> = read::all_of(store, &scope.tenant(), &PAYMENTS, clause).await?;
    let live = paid.iter().filter(|payment| payment.deleted_at.is_none());
    Ok(live.map(|payment| means(payment.kind)).collect())
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

/// Whether `entity` may charge VAT: who is outside the VAT system of Slovenia or Croatia may not.
pub(super) fn charges_vat(entity: &Entity) -> bool {
    entity.is_tax_subject || !matches!(entity.country_code.as_deref(), Some("SI" | "HR"))
}
