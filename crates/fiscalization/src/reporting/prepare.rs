//! Before the unit: whether a document is fiscalized, where, by whom and with which certificate.

use std::sync::Arc;

use racun_access::Entity;
use racun_documents::{
    Document, DocumentError, DocumentId, DocumentKind, Fiscalization, Numbering,
};
use racun_fiscal::{
    Authority, BusinessPremise, Device, FISCAL_DEVICES, FISCAL_PREMISES, FISCAL_SETTINGS,
    FiscalSettings, Identity, PlaceOfIssue, Signer, may_skip,
};
use racun_kernel::{Issue, Issues, PaymentType, Stamp, Tenant};
use racun_records::get_documents;
use racun_store::{
    Clause, ListQuery, Operator as Is, Record, Store, StoreError, Table, UnitBuilder,
};
use time::{Date, OffsetDateTime};

use super::certified::{Certifying, FoundSeries, Sale, certifies, certifying};
use super::details::IssueDetails;
use super::error::{FiscalizationError, FiscalizationRefused};
use super::issue::{Facts, FoundPlace, HeldPlace, Issued, Issuing, numbering, start};
use super::operator::{Operator, inside};
use super::paper::Paper;
use super::request::{FiscalRequest, FiscalizeRequest};
use super::sale::{corrections, means_called};
use super::{Fiscal, Ports, of_country};

/// A document that is about to be issued.
pub struct IssueContext {
    /// Its kind.
    pub kind: DocumentKind,
    /// What it is linked to.
    pub links: Vec<DocumentId>,
    /// How it is paid, as far as that is known.
    pub means: Vec<PaymentType>,
    /// Whether that pays all of it with its issue.
    pub paid_at_once: bool,
    /// What the request says.
    intent: FiscalIntent,
}

enum FiscalIntent {
    /// A document is made or finalized.
    Issue(Box<FiscalRequest>),
    /// One that was skipped is fiscalized.
    Later(FiscalizeRequest),
    /// A credit note takes a fiscalized document back, where it was issued.
    Back(Box<Document>),
}

/// Why paper is not taken.
const NOT_TOLD: &str = "this tax authority is told of no such document of this entity, so none \
                        was written in a bound book; leave it out, or switch fiscalization on";

impl FiscalIntent {
    /// Refuses what is said of paper to any authority but `told`.
    fn refuse_paper(&self, told: Option<Authority>) -> Result<(), Issues> {
        match self {
            Self::Issue(request) => request.refuse_paper(told, NOT_TOLD),
            Self::Later(_) | Self::Back(_) => Ok(()),
        }
    }
}

impl IssueContext {
    /// A document of `kind` that is issued as `request` says.
    pub fn issue(
        kind: DocumentKind,
        links: Vec<DocumentId>,
        means: Vec<PaymentType>,
        request: FiscalRequest,
    ) -> Self {
        let intent = FiscalIntent::Issue(Box::new(request));
        Self { kind, links, means, paid_at_once: false, intent }
    }

    /// The same document, all of which is paid with its issue where `paid_at_once`.
    #[must_use]
    pub fn paid(self, paid_at_once: bool) -> Self {
        Self { paid_at_once, ..self }
    }

    /// A document of `kind` that was issued without being fiscalized.
    pub fn later(kind: DocumentKind, request: FiscalizeRequest) -> Self {
        let intent = FiscalIntent::Later(request);
        Self { kind, links: Vec::new(), means: Vec::new(), paid_at_once: false, intent }
    }

    /// The credit note by which `document` is taken back.
    pub fn back(document: Document) -> Self {
        let (kind, intent) = (DocumentKind::CreditNote, FiscalIntent::Back(Box::new(document)));
        Self { kind, links: Vec::new(), means: Vec::new(), paid_at_once: false, intent }
    }
}

/// How a document is going to be issued.
pub enum Prepared {
    /// No authority asks for it.
    Plain,
    /// The authority is not told, as is allowed.
    Skipped(Authority),
    /// The document is reported to the authority.
    Fiscal(Box<Issuing>),
    /// The document is certified, as those in Portugal are.
    Certified(Box<Certifying>),
}

impl Prepared {
    /// The day of issue in the authority's zone, which is the document's date; `None` when it may
    /// have any.
    pub fn day(&self) -> Option<Date> {
        self.issuing().map(Issuing::day)
    }

    /// The date of a document that was planned for `planned`, and is issued now, maybe later: the
    /// day of issue where that is its date; in Portugal, where dates of a series do not run back,
    /// none before the last one of the series.
    pub fn date_for(&self, planned: Date) -> Date {
        match self {
            Self::Fiscal(issuing) => issuing.day(),
            Self::Certified(certifying) => certifying.date_for(planned),
            Self::Plain | Self::Skipped(_) => planned,
        }
    }

    /// The place and keys of issue, for a document that is reported to an authority.
    pub fn issuing(&self) -> Option<&Issuing> {
        match self {
            Self::Fiscal(issuing) => Some(issuing),
            Self::Plain | Self::Skipped(_) | Self::Certified(_) => None,
        }
    }

    /// Which number the document takes; `None` when its entity says so.
    pub fn numbering(&self) -> Option<Numbering> {
        match self {
            Self::Fiscal(issuing) => Some(issuing.numbering()),
            Self::Certified(certifying) => Some(certifying.numbering()),
            Self::Plain | Self::Skipped(_) => None,
        }
    }

    /// Holds where the document is issued.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> Option<HeldPlace> {
        match self {
            Self::Fiscal(issuing) => Some(issuing.hold(unit)),
            Self::Certified(certifying) => Some(HeldPlace::Series(certifying.hold(unit))),
            Self::Plain | Self::Skipped(_) => None,
        }
    }

    /// `document`, which was just given its number, with the content of its report to the
    /// authority.
    ///
    /// # Errors
    /// A skip that is not allowed any more; a premise or device that has been closed; amounts
    /// that are in no currency that the authority takes.
    pub fn issue(self, document: Document, facts: Facts<'_>) -> Result<Issued, FiscalizationError> {
        match self {
            Self::Plain => Ok(Issued { document, puts: Vec::new(), sending: None }),
            Self::Skipped(authority) => {
                let on = authority.local(document.updated_at).date();
                let corrects = !corrections(&document, facts.targets.iter(), authority).is_empty();
                if !may_skip(authority, on, &facts.means, corrects) {
                    return Err(FiscalizationRefused::SkipNotAllowed.into());
                }
                let fiscal = Fiscalization::skipped(authority);
                let document = Document { fiscal: Some(Box::new(fiscal)), ..document };
                Ok(Issued { document, puts: Vec::new(), sending: None })
            }
            Self::Fiscal(issuing) => issuing.issue(document, facts),
            Self::Certified(certifying) => {
                let found = match facts.place {
                    Some(FoundPlace::Series(found)) => found,
                    Some(FoundPlace::Premise(..)) | None => FoundSeries::default(),
                };
                if found.is_changed() {
                    return Err(DocumentError::ChangedMeanwhile.into());
                }
                let (document, puts) =
                    certifying.issue(document, found, &facts.means, facts.targets)?;
                Ok(Issued { document, puts, sending: None })
            }
        }
    }
}

/// Finds out how the document of `context` is going to be issued.
///
/// # Errors
/// What is wrong with the request; a skip that is not allowed; premises, devices, operators and
/// certificates that are missing or unusable; the store's failure.
pub async fn prepare(
    ports: Ports<'_>,
    entity: &Entity,
    context: IssueContext,
) -> Result<Prepared, FiscalizationError> {
    let cx = ports.cx;
    let IssueContext { kind, links, means, paid_at_once, intent } = context;
    if certifies(ports, entity) {
        return match intent {
            FiscalIntent::Issue(request) => {
                let sale = Sale { kind, means: &means, paid_at_once, links: &links };
                let own = certifying(ports, entity, sale, request.pt).await?;
                Ok(Prepared::Certified(Box::new(own)))
            }
            FiscalIntent::Later(_) | FiscalIntent::Back(_) => Ok(Prepared::Plain),
        };
    }
    let authority = match &intent {
        FiscalIntent::Back(document) => document.fiscal.as_ref().map(|fiscal| fiscal.authority),
        FiscalIntent::Issue(_) | FiscalIntent::Later(_) => {
            of_country(entity.country_code.as_deref())
        }
    };
    let Some(authority) = authority.filter(|_| kind.is_fiscal()) else {
        intent.refuse_paper(None)?;
        return Ok(Prepared::Plain);
    };
    let settings: Option<FiscalSettings> =
        cx.store.get(&FISCAL_SETTINGS, &cx.tenant(), authority.name()).await?;
    let details = match (intent, &settings) {
        (FiscalIntent::Back(document), Some(_)) => again(&document),
        (FiscalIntent::Back(_), None) => {
            return Err(FiscalizationRefused::SettingsMissing(authority).into());
        }
        (intent, settings) if !settings.as_ref().is_some_and(|settings| settings.enabled) => {
            intent.refuse_paper(None)?;
            return Ok(Prepared::Plain);
        }
        (FiscalIntent::Issue(request), _) => {
            request.refuse_paper(Some(authority), NOT_TOLD)?;
            IssueDetails::to(authority, *request, cx.now())?
        }
        (FiscalIntent::Later(request), _) => request.into(),
    };
    let Some(settings) = settings else { return Ok(Prepared::Plain) };
    let corrects = kind == DocumentKind::CreditNote
        && get_documents(cx.store, cx.scope, links.iter().copied())
            .await?
            .iter()
            .any(Document::is_fiscalized);
    if skips(&details, &settings, &means, corrects, cx.now())? {
        return Ok(Prepared::Skipped(authority));
    }
    let operator = Operator::of(&details, cx.scope.person(), &settings)?;
    let tenant = cx.tenant();
    let premise = premise_of(cx.store, &tenant, authority, &details).await?;
    let device = match details.paper {
        Some(Paper::Form { .. }) => None,
        Some(Paper::Paragon { .. }) | None => {
            Some(device_of(cx.store, &tenant, &premise, &details).await?)
        }
    };
    let (identity, signer) = identity(ports.fiscal, &settings, cx.now())?;
    Ok(Prepared::Fiscal(Box::new(Issuing {
        settings,
        premise,
        device,
        operator,
        payment_type: details.payment_type,
        paper: details.paper,
        takes_back: details.takes_back,
        identity,
        signer,
        scope: cx.scope.clone(),
        stamp: cx.stamp.clone(),
    })))
}

/// How a credit note is issued that takes `document` back: where that was.
fn again(document: &Document) -> IssueDetails {
    let record = document.fiscal_record();
    let payment_type = record.and_then(|record| record.payment_type.clone());
    IssueDetails {
        premise: record.map(|record| record.premise.clone()),
        device: record.and_then(|record| record.device.clone()),
        payment_type: payment_type.and_then(|name| means_called(&name)),
        skip: Some(false),
        takes_back: true,
        inside: document.fiscal.as_ref().map(|fiscal| fiscal.authority.name()),
        ..IssueDetails::default()
    }
}

/// Whether the document is not fiscalized.
fn skips(
    details: &IssueDetails,
    settings: &FiscalSettings,
    means: &[PaymentType],
    corrects_fiscalized: bool,
    now: OffsetDateTime,
) -> Result<bool, FiscalizationRefused> {
    let authority = settings.authority;
    if details.paper.is_some() && authority == Authority::Furs {
        return Ok(false);
    }
    let on = authority.local(now).date();
    let may = may_skip(authority, on, means, corrects_fiscalized);
    match (authority, details.skip) {
        (Authority::Fina, Some(true)) => Err(FiscalizationRefused::CannotSkip),
        (Authority::Furs, Some(true)) if !may => Err(FiscalizationRefused::SkipNotAllowed),
        (Authority::Furs, skip) => Ok(skip.unwrap_or(settings.default_skip) && may),
        (Authority::Fina, _) => Ok(false),
    }
}

/// Where the next document of an entity would be issued, and how it would be numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextPlace {
    /// Whom it would be reported to.
    pub authority: Authority,
    /// Name of the business premise.
    pub premise: String,
    /// Name of the electronic device.
    pub device: String,
}

/// Where a document of `kind` would be issued next, with its numbering: of the premise and the
/// device that are named, or the only ones. `None` when no authority is involved; an error when the
/// place cannot be decided.
///
/// # Errors
/// Issues at the names; the store's failure.
pub async fn next_place(
    store: &dyn Store,
    entity: &Entity,
    kind: DocumentKind,
    named: [Option<&str>; 2],
    stamp: &Stamp,
) -> Result<Option<(NextPlace, Numbering)>, FiscalizationError> {
    let tenant = Tenant::entity(entity.id);
    let authority = of_country(entity.country_code.as_deref()).filter(|_| kind.is_fiscal());
    let Some(authority) = authority else { return Ok(None) };
    let settings: Option<FiscalSettings> =
        store.get(&FISCAL_SETTINGS, &tenant, authority.name()).await?;
    let Some(settings) = settings.filter(|settings| settings.enabled) else { return Ok(None) };
    let [premise, device] = named.map(|name| name.map(str::to_owned));
    let details = IssueDetails { premise, device, ..IssueDetails::default() };
    let premise = premise_of(store, &tenant, authority, &details).await?;
    let device = device_of(store, &tenant, &premise, &details).await?;
    let per = settings.numbering;
    let start = start(per, &premise, Some(&device));
    let at =
        PlaceOfIssue { premise: premise.name.clone(), device: device.name.clone(), numbering: per };
    let numbering = numbering(tenant, authority, at, start, stamp.now());
    let place = NextPlace { authority, premise: premise.name, device: device.name };
    Ok(Some((place, numbering)))
}

/// The premise that is named, or the only one that there is.
async fn premise_of(
    store: &dyn Store,
    tenant: &Tenant,
    authority: Authority,
    details: &IssueDetails,
) -> Result<BusinessPremise, FiscalizationError> {
    let premises = Active {
        table: &FISCAL_PREMISES,
        within: ("authority", authority.name().to_owned()),
        field: "business_premise_name",
        what: "open business premise",
    };
    premises.one(store, tenant, details, details.premise.as_deref()).await
}

/// The device in `premise` that is named, or the only one that there is.
async fn device_of(
    store: &dyn Store,
    tenant: &Tenant,
    premise: &BusinessPremise,
    details: &IssueDetails,
) -> Result<Device, FiscalizationError> {
    let devices = Active {
        table: &FISCAL_DEVICES,
        within: ("premise_id", premise.id.to_string()),
        field: "electronic_device_name",
        what: "active electronic device in the business premise",
    };
    devices.one(store, tenant, details, details.device.as_deref()).await
}

/// Premises or devices that documents can be issued on.
struct Active {
    table: &'static Table,
    within: (&'static str, String),
    /// Where a request names one.
    field: &'static str,
    /// What they are.
    what: &'static str,
}

impl Active {
    /// The one called `name`, or the only one.
    async fn one<A: Record>(
        &self,
        store: &dyn Store,
        tenant: &Tenant,
        details: &IssueDetails,
        name: Option<&str>,
    ) -> Result<A, FiscalizationError> {
        let mut clauses = vec![
            Clause::on(self.table, self.within.0, Is::Equals(self.within.1.clone().into())),
            Clause::on(self.table, "is_active", Is::Equals(true.into())),
        ];
        clauses.extend(name.map(|name| Clause::on(self.table, "name", Is::Equals(name.into()))));
        let query =
            ListQuery { limit: 2, count: false, clauses, ..ListQuery::first_page(self.table) };
        let mut rows = store.page(self.table, tenant, &query).await?.rows;
        let what = self.what;
        let (code, message) = match (rows.len(), name) {
            (1, _) => return rows.pop().ok_or_else(|| gone().into()),
            (0, Some(name)) => ("not_found", format!("there is no {what} called {name} here")),
            (0, None) => ("required", format!("there is no {what}; make one first")),
            // A form of a bound book was issued on no device.
            _ if details.takes_back => {
                let way_out = "make a credit note that names one instead of voiding";
                ("required", format!("there is more than one {what}; {way_out}"))
            }
            _ => ("required", format!("there is more than one {what}; say which")),
        };
        let issues = Issues::from(Issue::new(code, message).at(self.field));
        Err(inside(details, issues).into())
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("a row went between two looks".to_owned())
}

/// The certificate to sign with, opened, and what signs with it.
///
/// # Errors
/// A certificate that is missing, has expired, or whose key cannot be used here.
pub fn identity(
    fiscal: Option<&Fiscal>,
    settings: &FiscalSettings,
    now: OffsetDateTime,
) -> Result<(Identity, Arc<dyn Signer>), FiscalizationRefused> {
    if let Some(refused) = FiscalizationRefused::of(settings.certificate_status(now)) {
        return Err(refused);
    }
    let certificate = settings.certificate.as_ref();
    let certificate = certificate.ok_or(FiscalizationRefused::CertificateMissing)?;
    let unusable = FiscalizationRefused::CertificateUnusable;
    let fiscal = fiscal.ok_or(unusable)?;
    let identity = certificate
        .identity(&*fiscal.vault, settings.entity_id, settings.authority)
        .map_err(|_| unusable)?;
    let signer = fiscal.authorities.signer(&identity).map_err(|_| unusable)?;
    Ok((identity, signer))
}
