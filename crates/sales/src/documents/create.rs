//! Making documents.

use racun_access::{Entity, setting};
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::calculation::CalculationMode;
use racun_documents::recognition::RecognitionSide;
use racun_documents::{
    CreationSource, Document, DocumentError, DocumentId, DocumentKind, GivenTotals, InvoicedTab,
    NewDocument, NewLine, Relation,
};
use racun_fiscalization::certified;
use racun_fiscalization::{
    FiscalRequest, FiscalizationError, IssueContext, Ports, Prepared, outside_vat, prepare,
    send_first,
};
use racun_kernel::{Decimal, Issue, Issues, Principal, Stamp, Tenant};
use racun_settlement::NewPayment;
use racun_store::{Actor, Held, Store, UnitBuilder, Writes};
use serde_json::Value as Json;

use super::buyer::{buyer, find_out};
use super::compose::{all_told, compose, told_with};
use super::gather::{ResolvedReferences, gather};
use super::issue::{Before, Made, Plan};
use super::links;
use super::numbers::numbering;
use super::request::{CustomTotals, DocumentRequest};
use super::save::CatalogueWrites;
use crate::billing::Meter;
use crate::einvoicing::Judging;
use crate::error::Error;
use crate::recognition::default_of;
use crate::vat::HeldFinding;

/// How a new document starts.
#[derive(Debug, Clone, Default)]
pub struct Creation {
    /// As a draft, without a number.
    pub is_draft: bool,
    /// With totals that are kept as given.
    pub custom: Option<CustomTotals>,
    /// With payments; one without an amount takes what is left.
    pub payments: Vec<NewPayment>,
    /// How the document is reported to the tax authority.
    pub fiscal: FiscalRequest,
    /// Where it comes from, when that is not who asks for it. Totals that are kept as given say it
    /// themselves.
    pub source: Option<CreationSource>,
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
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    creation: Creation,
) -> Result<Document, Error> {
    create_beside(ports.into(), entity, kind, request, creation, Beside::nothing()).await
}

/// Makes a document as [`create`] does, and writes what is decided `beside` it in the same commit.
///
/// # Errors
/// As [`create`], and what `beside` refuses. Nothing is then written.
pub async fn create_beside(
    ports: Ports<'_>,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    creation: Creation,
    beside: Beside,
) -> Result<Document, Error> {
    check_draft(kind, &creation)?;
    certified::check_draft(ports, entity, creation.is_draft).map_err(Issues::from)?;
    let gathered = gather(ports.cx.store, entity, &request, None, ports.cx.stamp).await?;
    let order = Order { kind, request, creation, tabs: Vec::new(), beside };
    // On the heap: its future is too long for the stacks of a chain of unoptimized callers.
    Box::pin(order.carry_out(ports, gathered)).await
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
        mut gathered: ResolvedReferences,
    ) -> Result<Document, Error> {
        let Self { kind, mut request, creation, tabs, beside } = self;
        // The document as it would be made now.
        let made = |gathered: &ResolvedReferences| {
            let origin = Origin::Request(creation.custom.clone());
            draft(&ports.cx.actor(), kind, &request, gathered, origin).map(|(document, _)| document)
        };
        let customer = buyer(&request, &gathered, None);
        // VIES is not asked for what is refused anyway.
        let check = || made(&gathered).map(drop).map_err(Error::from);
        gathered.finding = find_out(ports, &gathered.entity, customer.as_ref(), check).await?;
        let paid_at_once = kind == DocumentKind::Invoice
            && certified::certifies(ports, &gathered.entity)
            && is_paid_at_once(&creation.payments, || made(&gathered).ok());
        let links = links::named(ports.cx, &request).await?.unwrap_or_default();
        let fiscal = match creation.is_draft {
            true => {
                creation.fiscal.refuse_paper(None, DRAFT_ON_PAPER)?;
                Prepared::Plain
            }
            false => {
                let kinds = creation.payments.iter().map(|payment| payment.kind).collect();
                let context = IssueContext::issue(kind, links.clone(), kinds, creation.fiscal)
                    .paid(paid_at_once);
                let prepared = prepare(ports, &gathered.entity, context).await;
                // Issues of fields come before a rule without a field.
                prepared.or_else(|refused| match refused {
                    FiscalizationError::Refused(_) | FiscalizationError::Portugal(_) => {
                        made(&gathered)?;
                        Err(refused)
                    }
                    _ => Err(refused),
                })?
            }
        };
        if let Some(day) = fiscal.day() {
            racun_documents::check_issue_day(request.date.unwrap_or(day), day)?;
            gathered.redate(ports.cx.store, &mut request, day, day).await?;
        }
        let source = creation.source.filter(|_| creation.custom.is_none());
        let origin = Origin::Request(creation.custom);
        let (draft, catalogue) = draft(&ports.cx.actor(), kind, &request, &gathered, origin)?;
        let source = source.unwrap_or(draft.source);
        let new = New {
            draft: Document { source, ..draft.of_tabs(tabs) },
            catalogue,
            is_draft: creation.is_draft,
            links,
            forced: request.force_linked_documents,
            payments: creation.payments,
            fiscal,
        };
        new.commit(ports, &gathered, beside).await
    }
}

/// Whether `payments` come to the total of the document that is `made`; one without an amount takes
/// what is left.
fn is_paid_at_once(payments: &[NewPayment], made: impl FnOnce() -> Option<Document>) -> bool {
    if payments.is_empty() {
        return false;
    }
    let paid: Option<Decimal> = payments.iter().map(|payment| payment.amount.as_ref()).sum();
    let Some(paid) = paid else { return true };
    made().is_some_and(|document| paid >= document.amounts.total_with_tax)
}

/// Why a draft names no paper.
const DRAFT_ON_PAPER: &str =
    "a draft is in no bound book; send this when it is finalized, or leave is_draft out";

/// Refuses payments of a draft, but of an advance invoice, which they issue.
pub(super) fn check_draft(kind: DocumentKind, creation: &Creation) -> Result<(), Issues> {
    let takes = kind == DocumentKind::AdvanceInvoice || !creation.is_draft;
    if takes || creation.payments.is_empty() {
        return Ok(());
    }
    let message = "a draft takes no payments; leave payments out and record them by POST /payments \
                   when it is finalized, or leave is_draft out";
    Err(Issue::new("document_is_draft", message).at("payments").into())
}

/// Decides what is written besides a document.
type DecideBeside = Box<dyn FnOnce(&Document, &Held) -> Result<Writes, Error> + Send>;

/// What is written in a new document's own commit besides it: what its unit holds for that, and the
/// decision.
pub struct Beside(Box<dyn FnOnce(&mut UnitBuilder<'_>) -> DecideBeside + Send>);

impl Beside {
    /// What `hold` holds, and the decision that it answers.
    pub fn new<D>(hold: impl FnOnce(&mut UnitBuilder<'_>) -> D + Send + 'static) -> Self
    where
        D: FnOnce(&Document, &Held) -> Result<Writes, Error> + Send + 'static,
    {
        Self(Box::new(|unit| Box::new(hold(unit))))
    }

    fn nothing() -> Self {
        Self::new(|_| |_: &Document, _: &Held| Ok(Writes::default()))
    }
}

/// A new document on its way into the store.
pub(super) struct New {
    /// What is stored or issued.
    pub draft: Document,
    /// What is kept of it in the catalogue.
    pub catalogue: CatalogueWrites,
    /// Whether it stays a draft.
    pub is_draft: bool,
    /// The documents that it is linked to.
    pub links: Vec<DocumentId>,
    /// Whether links are made that would be refused otherwise.
    pub forced: bool,
    /// What is paid with it.
    pub payments: Vec<NewPayment>,
    /// Whether and how it is reported to a tax authority.
    pub fiscal: Prepared,
}

impl New {
    /// Stores the document, and all that goes with it, in one unit; then tells the tax authority.
    pub(super) async fn commit(
        self,
        ports: Ports<'_>,
        gathered: &ResolvedReferences,
        beside: Beside,
    ) -> Result<Document, Error> {
        let Self { mut draft, mut catalogue, is_draft, links, forced, payments, fiscal } = self;
        let (kind, date, unit) = (draft.id.kind(), draft.content.date, gathered.unit.as_ref());
        let numbering = match (is_draft, fiscal.numbering()) {
            (true, _) => None,
            (false, Some(numbering)) => Some(numbering),
            (false, None) => Some(numbering(&gathered.entity, kind, date, unit)?),
        };
        let plan = Plan {
            kind,
            links,
            forced,
            payments,
            numbering,
            fiscal,
            outside_vat: outside_vat(&gathered.entity),
            judging: Judging::of(&gathered.entity),
            recognition: default_of(&gathered.entity, RecognitionSide::Revenue),
            today: gathered.today,
        };
        let mut unit = ports.cx.unit();
        let customers = catalogue.hold(&mut unit);
        let plan = plan.hold(&mut unit);
        let meter = Meter::hold(&mut unit, &gathered.entity, is_draft);
        let checked = HeldFinding::of(gathered.finding.as_ref(), &mut unit);
        let beside = (beside.0)(&mut unit);
        let made = unit.decide(move |held| {
            let customers = customers.read(held)?;
            if let Some(known) = catalogue.recognise(&customers)? {
                draft.content.customer_id = Some(known);
            }
            let (made, writes) = plan.decide(draft, Before::New, held)?;
            let saved = catalogue.writes(&customers)?;
            let more = beside(&made.document, held)?;
            let counted = meter.count(kind, held)?.and(checked.writes(held)?);
            Ok::<_, Error>((made, writes.and(saved).and(more).and(counted)))
        });
        let Made { document, sending, .. } = made.await?;
        Ok(send_first(ports, document, sending).await)
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
    actor: &Actor,
    kind: DocumentKind,
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    origin: Origin,
) -> Result<(Document, CatalogueWrites), DocumentError> {
    drafted(actor, kind, request, gathered, origin, Document::draft)
}

/// The same by `make`: [`Document::draft`], or [`Document::priced`] for what is not to be stored.
pub(super) fn drafted(
    actor: &Actor,
    kind: DocumentKind,
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    origin: Origin,
    make: fn(NewDocument, &Stamp) -> Result<Document, DocumentError>,
) -> Result<(Document, CatalogueWrites), DocumentError> {
    let mut issues = Issues::default();
    let (mut content, mut lines) = compose(kind, request, gathered, actor.stamp(), &mut issues);
    let (source, given) = match origin {
        Origin::Request(None) => match actor.scope().principal() {
            Principal::Operator(_) => (CreationSource::Pos, None),
            _ => (CreationSource::Api, None),
        },
        // This source marks given totals, from any caller: they are not recalculated.
        Origin::Request(Some(totals)) => (CreationSource::Custom, Some(given(totals))),
        Origin::Template(copied, given) => {
            lines = copied;
            (CreationSource::Recurring, given)
        }
    };
    let catalogue = CatalogueWrites::of(actor, request, gathered, &mut content, Some(&mut lines));
    let catalogue = match catalogue {
        Ok(catalogue) => catalogue,
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
    let made = all_told(issues, make(new, actor.stamp()))?;
    Ok((made, catalogue))
}

fn given(totals: CustomTotals) -> GivenTotals {
    GivenTotals {
        total: totals.total,
        total_with_tax: totals.total_with_tax,
        total_discount: totals.total_discount.unwrap_or_else(Decimal::zero),
        taxes: totals.taxes,
    }
}

/// The entity's calculation mode.
pub(crate) fn default_mode(entity: &Entity) -> CalculationMode {
    let name = entity.settings.get(setting::CALCULATION_DEFAULT_MODE).map(str::to_owned);
    name.and_then(|name| serde_json::from_value(Json::String(name)).ok()).unwrap_or_default()
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
