//! Payments' changes of type, as the authorities that fiscalize ask for them.

use std::sync::Arc;

use async_trait::async_trait;
use racun_documents::{Document, FiscalRecord, FiscalStatus, Fiscalization};
use racun_fiscal::{
    Authority, Content, EXCHANGES, Exchange, Header, Means, Message, MessageId, Patience, Reply,
    fina, may_skip,
};
use racun_kernel::{Stamp, Store, StoreError};
use racun_settlement::{
    PAYMENTS, Payment, PaymentType, ProviderError, ReportError, TypeChangeRule,
};
use time::OffsetDateTime;

use super::later::settings;
use super::prepare::identity;
use super::sale::{buyer, means};
use super::{Fiscal, Ports};
use crate::documents::by_field;
use crate::payments::{Concern, Matter, TaxAuthority};

/// The authorities that fiscalize documents.
#[derive(Clone)]
pub struct FiscalAuthority {
    /// Where documents and exchanges are.
    pub store: Arc<dyn Store>,
    /// How authorities are told; `None` where private keys cannot be kept, and nobody is told.
    pub fiscal: Option<Fiscal>,
}

#[async_trait]
impl TaxAuthority for FiscalAuthority {
    fn concern(&self, matter: &Matter) -> Concern {
        let Some(fiscal) = matter.document.fiscal.as_deref() else { return Concern::NotConcerned };
        match (fiscal.authority, fiscal.status, &fiscal.record) {
            (Authority::Furs, FiscalStatus::Skipped, _) => skipped(matter),
            (Authority::Furs, _, _) => Concern::NotConcerned,
            (Authority::Fina, _, None) => Concern::Refused(TypeChangeRule::RecordUnavailable),
            (Authority::Fina, status, Some(record)) => {
                fiscalized(matter, status, record, matter.at)
            }
        }
    }

    async fn report(&self, matter: &Matter, stamp: &Stamp) -> Result<(), ReportError> {
        let unavailable = ReportError::Refused(TypeChangeRule::RecordUnavailable);
        let Some(exchange) = self.exchange(&matter.document).await.map_err(lost)? else {
            return Err(unavailable);
        };
        let Content::Fina(receipt) = &exchange.content else { return Err(unavailable) };
        if fina::change_window(receipt.issued_at, stamp.now()).is_err() {
            return Err(ReportError::Refused(TypeChangeRule::WindowExpired));
        }
        let means = self.means(matter).await.map_err(lost)?;
        let late = exchange.confirmations.first().is_some_and(|first| first.is_late);
        let buyer = buyer(&matter.document);
        let change = receipt.change(fina::PaymentMeans::of(None, &means), buyer.as_ref(), late);
        self.tell(matter, Message::FinaChange(Box::new(change)), stamp).await
    }
}

/// Whether `document` may be paid in this way: what was issued under a skip only as a skip allows.
pub(crate) fn may_be_paid_by(document: &Document, kind: PaymentType, now: OffsetDateTime) -> bool {
    let skipped = |fiscal: &&Fiscalization| fiscal.status == FiscalStatus::Skipped;
    let Some(fiscal) = document.fiscal.as_deref().filter(skipped) else { return true };
    let authority = fiscal.authority;
    may_skip(authority, authority.local(now).date(), &[means(kind)], false)
}

fn skipped(matter: &Matter) -> Concern {
    if may_be_paid_by(&matter.document, matter.change.to, matter.at) {
        Concern::NotConcerned
    } else {
        Concern::Refused(TypeChangeRule::FiscalizationRequired)
    }
}

/// CIS hears of every change of what it calls the means, on the day of the issue, once it has the
/// receipt.
fn fiscalized(
    matter: &Matter,
    status: FiscalStatus,
    record: &FiscalRecord,
    now: OffsetDateTime,
) -> Concern {
    let code = |kind| fina::PaymentMeans::from(means(kind));
    if code(matter.change.from) == code(matter.change.to) {
        Concern::NotConcerned
    } else if fina::change_window(record.issued_at, now).is_err() {
        Concern::Refused(TypeChangeRule::WindowExpired)
    } else if status != FiscalStatus::Success {
        Concern::Refused(TypeChangeRule::NotConfirmedYet)
    } else {
        Concern::MustReport
    }
}

impl FiscalAuthority {
    async fn exchange(&self, document: &Document) -> Result<Option<Exchange>, StoreError> {
        let tenant = racun_kernel::Tenant::entity(document.entity_id);
        self.store.get(&EXCHANGES, &tenant, &document.id.to_string()).await
    }

    /// How the document is going to be paid, all in all.
    async fn means(&self, matter: &Matter) -> Result<Vec<Means>, StoreError> {
        let tenant = racun_kernel::Tenant::entity(matter.document.entity_id);
        let field = crate::documents::payment_field(matter.document.id);
        let clause = by_field(&PAYMENTS, field, &matter.document.id.to_string());
        let payments: Vec<Payment> =
            crate::documents::all_of(&*self.store, &tenant, &PAYMENTS, clause).await?;
        let kinds = payments.iter().filter(|payment| payment.deleted_at.is_none()).map(|payment| {
            let is_changed = payment.id == matter.change.payment_id;
            if is_changed { matter.change.to } else { payment.kind }
        });
        Ok(kinds.map(means).collect())
    }

    async fn tell(
        &self,
        matter: &Matter,
        message: Message,
        stamp: &Stamp,
    ) -> Result<(), ReportError> {
        let unusable = |reason: String| ReportError::Unreachable(reason);
        let ports = Ports::new(&*self.store, self.fiscal.as_ref());
        let authority = Authority::Fina;
        let settings = settings(ports, matter.document.entity_id, authority).await;
        let settings = settings.map_err(|error| unusable(error.to_string()))?;
        let (identity, _) = identity(ports.fiscal, &settings, stamp.now())
            .map_err(|refused| unusable(refused.to_string()))?;
        let header =
            Header { message_id: MessageId::new(stamp), sent_at: authority.local(stamp.now()) };
        let environment = matter.entity.environment;
        let nobody = || unusable("the server has no key to open certificates with".to_owned());
        let authorities = &self.fiscal.as_ref().ok_or_else(nobody)?.authorities;
        let patience = Patience::Interactive;
        match authorities.send(environment, &identity, &header, &message, patience).await {
            Ok(Reply::Confirmed(_)) => Ok(()),
            Ok(Reply::Refused { code, message }) => {
                Err(ReportError::Provider(ProviderError { code, message }))
            }
            Err(unknown) => Err(ReportError::Unreachable(unknown.reason)),
        }
    }
}

fn lost(error: StoreError) -> ReportError {
    ReportError::Unreachable(error.to_string())
}
