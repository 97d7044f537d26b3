//! Changes of how documents are paid, as the authorities that fiscalize ask for them.

use std::sync::Arc;

use async_trait::async_trait;
use racun_documents::{Document, FiscalRecord, FiscalStatus, Fiscalization, PaymentChange};
use racun_fiscal::{
    Authority, EXCHANGES, Exchange, Header, Message, MessageId, Patience, Reply, ReportContent,
    fina, may_skip,
};
use racun_kernel::Stamp;
use racun_settlement::{PaymentType, ProviderError, ReportError, TypeChangeRule};
use racun_store::{Store, StoreError};
use time::OffsetDateTime;

use super::Fiscal;
use super::authority::{Concern, Matter, TaxAuthority};
use super::later::settings;
use super::prepare::identity;
use super::sale::{buyer, means_called, name_of};

/// The authorities that fiscalize documents.
#[derive(Clone)]
pub struct FiscalAuthority {
    /// Where documents and exchanges are.
    pub store: Arc<dyn Store>,
    /// The way to the authorities; `None` where private keys cannot be kept and nothing is
    /// reported.
    pub fiscal: Option<Fiscal>,
    /// Since when this process alone uses the store: a process that began an attempt earlier is
    /// gone. `None` where others may work beside it.
    pub alone_since: Option<OffsetDateTime>,
}

#[async_trait]
impl TaxAuthority for FiscalAuthority {
    fn concern(&self, matter: &Matter) -> Concern {
        let Some(fiscal) = matter.document.fiscal.as_deref() else { return Concern::NotConcerned };
        match (fiscal.authority, fiscal.status, &fiscal.record) {
            (Authority::Furs, FiscalStatus::Skipped, _) => skipped(matter),
            (Authority::Furs, _, _) => Concern::NotConcerned,
            (Authority::Fina, status, record) => {
                fiscalized(matter, status, record.as_ref(), matter.at)
            }
        }
    }

    fn may_live(&self, attempt: &PaymentChange) -> bool {
        self.alone_since.is_none_or(|since| attempt.attempted_at >= since)
    }

    async fn report(&self, matter: &Matter, stamp: &Stamp) -> Result<(), ReportError> {
        let unavailable = ReportError::Refused(TypeChangeRule::RecordUnavailable);
        let Some(exchange) = self.exchange(&matter.document).await.map_err(lost)? else {
            return Err(unavailable);
        };
        let ReportContent::Fina(receipt) = &exchange.content else { return Err(unavailable) };
        if fina::change_window(receipt.issued_at, stamp.now()).is_err() {
            return Err(ReportError::Refused(TypeChangeRule::WindowExpired));
        }
        let late = exchange.confirmations.first().is_some_and(|first| first.is_late);
        let buyer = buyer(&matter.document);
        let change = receipt.change(code(&matter.after), buyer.as_ref(), late);
        self.tell(matter, Message::FinaChange(Box::new(change)), stamp).await
    }
}

/// Whether `document` may be paid in this way: what was issued under a skip only as a skip allows.
pub fn may_be_paid_by(document: &Document, kind: PaymentType, now: OffsetDateTime) -> bool {
    let skipped = |fiscal: &&Fiscalization| fiscal.status == FiscalStatus::Skipped;
    let Some(fiscal) = document.fiscal.as_deref().filter(skipped) else { return true };
    let authority = fiscal.authority;
    may_skip(authority, authority.local(now).date(), &[kind], false)
}

/// The document with how it is paid as CIS was told last, that is by payments of the types `after`.
pub fn told(document: Document, after: &[PaymentType], stamp: &Stamp) -> Document {
    let Some(fiscal) = document.fiscal.as_deref() else { return document };
    let (Authority::Fina, Some(record)) = (fiscal.authority, &fiscal.record) else {
        return document;
    };
    let payment_type = Some(name_of(code(after).shown()));
    let record = Some(FiscalRecord { payment_type, ..record.clone() });
    let fiscal = Fiscalization { record, ..fiscal.clone() };
    document.with_fiscalization(fiscal, stamp)
}

fn skipped(matter: &Matter) -> Concern {
    let is_legal = |kind| may_be_paid_by(&matter.document, kind, matter.at);
    if matter.change.to.is_none_or(is_legal) {
        Concern::NotConcerned
    } else {
        Concern::Refused(TypeChangeRule::FiscalizationRequired)
    }
}

/// CIS hears of every change of what it holds as the means, on the day of the issue, once it has
/// the receipt.
fn fiscalized(
    matter: &Matter,
    status: FiscalStatus,
    record: Option<&FiscalRecord>,
    now: OffsetDateTime,
) -> Concern {
    let shown = record.and_then(|record| record.payment_type.as_deref()).and_then(means_called);
    let held = shown.map_or_else(|| code(&matter.before), fina::PaymentMeans::from);
    // While the outcome of an earlier attempt is unknown, so is what CIS holds.
    let is_known = matter.document.payment_change_unconfirmed.is_none();
    let news = fina::news(held, &matter.before, &matter.after);
    if is_known && news.is_none() {
        return Concern::NotConcerned;
    }
    let Some(record) = record else { return Concern::Refused(TypeChangeRule::RecordUnavailable) };
    if fina::change_window(record.issued_at, now).is_err() {
        Concern::Refused(TypeChangeRule::WindowExpired)
    } else if status != FiscalStatus::Success {
        Concern::Refused(TypeChangeRule::NotConfirmedYet)
    } else {
        Concern::MustReport
    }
}

/// What CIS calls payments of these types together.
fn code(kinds: &[PaymentType]) -> fina::PaymentMeans {
    fina::PaymentMeans::of(None, kinds)
}

impl FiscalAuthority {
    async fn exchange(&self, document: &Document) -> Result<Option<Exchange>, StoreError> {
        let tenant = racun_kernel::Tenant::entity(document.entity_id);
        self.store.get(&EXCHANGES, &tenant, &document.id.to_string()).await
    }

    async fn tell(
        &self,
        matter: &Matter,
        message: Message,
        stamp: &Stamp,
    ) -> Result<(), ReportError> {
        let unusable = |reason: String| ReportError::Unreachable(reason);
        let authority = Authority::Fina;
        let settings = settings(&*self.store, matter.document.entity_id, authority).await;
        let settings = settings.map_err(|error| unusable(error.to_string()))?;
        let (identity, _) = identity(self.fiscal.as_ref(), &settings, stamp.now())
            .map_err(|refused| unusable(refused.to_string()))?;
        let header =
            Header { message_id: MessageId::new(stamp), sent_at: authority.local(stamp.now()) };
        let environment = matter.entity.environment;
        let no_vault = || unusable("the server has no key to open certificates with".to_owned());
        let authorities = &self.fiscal.as_ref().ok_or_else(no_vault)?.authorities;
        let patience = Patience::Interactive;
        match authorities.send(environment, &identity, &header, &message, patience).await {
            Ok(Reply::Confirmed(_)) => Ok(()),
            Ok(Reply::Refused { code, message, .. }) => {
                Err(ReportError::Provider(ProviderError { code, message }))
            }
            Err(unknown) => Err(ReportError::Unreachable(unknown.reason)),
        }
    }
}

fn lost(error: StoreError) -> ReportError {
    ReportError::Unreachable(error.to_string())
}
