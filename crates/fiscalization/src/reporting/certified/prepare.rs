//! Before the unit: in which series a document is issued, by whom and with which program.

use racun_access::{Entity, USERS, User, setting};
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::{Issue, PaymentType, Tenant};
use racun_portugal::{
    CONSUMER, OperatorInput, PLACEHOLDER, PT_SERIES, PT_SETTINGS, PortugalError, PortugalRefusal,
    Program, PtOperator, PtSeries, PtSettings, Purpose, Region, SeriesStatus, WallTime, is_nif,
    last_entry, source_id,
};
use racun_records::{all_of, by_field};
use racun_store::{Context, Store, StoreError};

use super::super::Ports;
use super::credits::Credited;
use super::issue::Certifying;
use super::request::PtRequest;

/// What is known of a document before it is made.
#[derive(Debug, Clone, Copy)]
pub struct Sale<'a> {
    /// Its kind.
    pub kind: DocumentKind,
    /// How it is paid with its issue.
    pub means: &'a [PaymentType],
    /// Whether that pays all of it.
    pub paid_at_once: bool,
    /// What it is linked to.
    pub links: &'a [DocumentId],
}

/// Finds out how the document of `sale` in Portugal is going to be issued.
///
/// # Errors
/// What is wrong with the request, by its path; a series that is missing, closed or of another
/// type; a program that is not set up; the store's failure.
pub async fn certifying(
    ports: Ports<'_>,
    entity: &Entity,
    sale: Sale<'_>,
    said: PtRequest,
) -> Result<Certifying, PortugalError> {
    let cx = ports.cx;
    let program = program(ports)?;
    if !is_nif(nif(entity)) || [CONSUMER, PLACEHOLDER].contains(&nif(entity)) {
        let message = "the entity has no Portuguese tax number (NIF) that can be: send it by \
                       PATCH /entities/{id}";
        let issue = Issue::new("required", message);
        return Err(issue.at("tax_number").at("issuer").into());
    }
    let operator = operator(cx, entity, &said).await?;
    let Chosen { series, purpose, last_entry } = series_of(cx, sale, &said).await?;
    let found = said.form(purpose.code()).map_err(|issues| issues.at("pt"));
    let operator = operator.map_err(|issues| issues.at("pt"))?;
    let form = found?;
    racun_portugal::restrictions::check_payments(purpose.code(), sale.means)?;
    let credited = Credited::of(cx, sale.kind, sale.links).await?;
    let settings: Option<PtSettings> = cx.get(&PT_SETTINGS, entity.id).await?;
    let reports = settings.is_some_and(|settings| settings.communicate_invoices);
    Ok(Certifying {
        series,
        program,
        operator,
        source_id: source_id(&cx.scope.principal().id()),
        form,
        home: home(entity),
        nif: nif(entity).to_owned(),
        reports,
        credited,
        last_entry,
        scope: cx.scope.clone(),
        stamp: cx.stamp.clone(),
    })
}

/// The certified program.
pub(super) fn program(ports: Ports<'_>) -> Result<Program, PortugalError> {
    let program = ports.portugal.and_then(|own| own.program(ports.cx.scope.environment()));
    program.ok_or_else(|| PortugalRefusal::ProgramMissing.into())
}

/// The region in which `entity` is established.
#[must_use]
pub fn home(entity: &Entity) -> Region {
    let named = entity.fiscal_region_code.as_deref().and_then(|code| {
        let is_own = |own: &Region| own.subdivision() == Some(code);
        Region::ALL.into_iter().find(is_own).or_else(|| Region::from_code(code))
    });
    let by_post_code = || entity.post_code.as_deref().and_then(Region::of_post_code);
    named.or_else(by_post_code).unwrap_or(Region::Mainland)
}

/// The number of `entity` as a taxpayer.
pub(super) fn nif(entity: &Entity) -> &str {
    racun_portugal::buyer_number(entity.tax_number.as_deref())
}

/// The series in which a document is issued.
struct Chosen {
    series: PtSeries,
    /// As what.
    purpose: Purpose,
    /// When the last document entered, of any series.
    last_entry: Option<WallTime>,
}

/// The series in which the document of `sale` is issued, and as what. An invoice that is paid at
/// once is a fatura-recibo where there is a series for those, unless another one is named.
async fn series_of(
    cx: Context<'_>,
    sale: Sale<'_>,
    said: &PtRequest,
) -> Result<Chosen, PortugalError> {
    let active = active_series(cx.store, &cx.tenant()).await?;
    let last_entry = last_entry(&active);
    let present: Vec<PtSeries> = match said.series_id {
        Some(id) => cx.get_all(&PT_SERIES, &[id.to_string()]).await?,
        None => active,
    };
    let (own, receipt) = (Purpose::from(sale.kind), Purpose::InvoiceReceipt);
    let takes_receipts = match said.series_id {
        Some(_) => present.iter().any(|series| series.document_type == receipt),
        None => sale.paid_at_once,
    };
    let (first, second) = match sale.kind {
        DocumentKind::Invoice if takes_receipts => (receipt, own),
        DocumentKind::Invoice => (own, receipt),
        _ => (own, own),
    };
    let choose = |purpose| PtSeries::choose(&present, said.series_id, purpose, said.manual);
    let chosen = match choose(first) {
        // Where the second kind has none either, the first is asked for.
        Err(PortugalError::Refused(refused)) => choose(second).map_err(|other| match other {
            PortugalError::Refused(_) => refused.into(),
            other => other,
        }),
        chosen => chosen,
    };
    match chosen {
        Ok(series) => {
            Ok(Chosen { series: series.clone(), purpose: series.document_type, last_entry })
        }
        Err(PortugalError::NotFound { .. }) => {
            let message = "there is no such series; see GET /fiscalization/pt/atcud-series";
            Err(Issue::new("not_found", message).at("series_id").at("pt").into())
        }
        Err(PortugalError::Refused(refused)) if said.series_id.is_some() => {
            let issue = Issue::new(refused.code(), refused.to_string());
            Err(issue.at("series_id").at("pt").into())
        }
        Err(PortugalError::Invalid(issues)) => Err(issues.at("pt").into()),
        Err(refused) => Err(refused),
    }
}

/// The series in which documents can be issued.
pub(super) async fn active_series(
    store: &dyn Store,
    tenant: &Tenant,
) -> Result<Vec<PtSeries>, StoreError> {
    let active = by_field(&PT_SERIES, "status", SeriesStatus::Active.name());
    all_of(store, tenant, &PT_SERIES, active).await
}

/// The series in which the next document of `kind` would be issued, and its number there; `None`
/// where no series is active for it.
///
/// # Errors
/// When the store fails.
pub async fn next_number(
    store: &dyn Store,
    tenant: &Tenant,
    kind: DocumentKind,
) -> Result<Option<(PtSeries, String)>, StoreError> {
    let present = active_series(store, tenant).await?;
    let found = PtSeries::choose(&present, None, Purpose::from(kind), false).ok();
    Ok(found.map(|series| {
        let last = series.head.as_ref().map(|head| head.sequence);
        let next = series.number(last.map_or(series.initial_sequence, |last| last + 1));
        (series.clone(), next.to_string())
    }))
}

/// Who issues: as the request says, else as the person keeps it, else as the entity does.
async fn operator(
    cx: Context<'_>,
    entity: &Entity,
    said: &PtRequest,
) -> Result<Result<PtOperator, racun_kernel::Issues>, StoreError> {
    let sources = [said.operator.clone(), own(cx).await?, of_entity(entity)];
    Ok(OperatorInput::resolve(sources))
}

/// What the acting person keeps for documents of this entity.
async fn own(cx: Context<'_>) -> Result<OperatorInput, StoreError> {
    let Some(person) = cx.scope.person() else { return Ok(OperatorInput::default()) };
    let user: Option<User> =
        cx.store.get(&USERS, &Tenant::directory(), &person.user_id.to_string()).await?;
    let kept = user.and_then(|user| racun_access::portuguese_operator(&user, cx.scope.entity()));
    Ok(kept.map_or_else(OperatorInput::default, |kept| OperatorInput {
        first_name: kept.first_name,
        last_name: kept.last_name,
        tax_number: kept.tax_number,
    }))
}

fn of_entity(entity: &Entity) -> OperatorInput {
    let text = |key| entity.settings.get(key).map(str::to_owned);
    OperatorInput {
        first_name: text(setting::PT_OPERATOR_FIRST_NAME),
        last_name: text(setting::PT_OPERATOR_LAST_NAME),
        tax_number: text(setting::PT_OPERATOR_TAX_NUMBER),
    }
}
