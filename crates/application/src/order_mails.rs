//! Mails about the documents of orders, where the rules of the integration want them.
//!
//! A reader of the log leaves a job for each document that an order became. The job sends as a
//! person would, within the same limits. The mail is keyed by its document, so a job that is done
//! twice sends it once.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{ACCOUNTS, Account, Entity, enter_as_recipient};
use racun_background::clock::Clock;
use racun_background::consumer::LogConsumer;
use racun_background::jobs::{Ending, Handler, Job, JobKind, NewJob, Outcome};
use racun_delivery::mailing::{LetterRequest, MailingError, SendRequest};
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::id::OrderId;
use racun_kernel::{Environment, Scope, Stamp, Tenant};
use racun_mail::MailLimits;
use racun_orders::events::order::PROCESSED;
use racun_orders::{INTEGRATIONS, Integration, ORDERS, Order};
use racun_store::{Context, Entry, Logged, Put, Store, StoreError};

use crate::document_mails::{Letters, ending};

/// Leaves a job for each document that an order became.
pub struct OrderMailReader {
    /// Where orders are as they were left.
    pub store: Arc<dyn Store>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl LogConsumer for OrderMailReader {
    fn name(&self) -> &'static str {
        "order_mails"
    }

    async fn handle(&self, mut entries: Vec<Entry>) -> Result<Vec<Put>, StoreError> {
        entries.retain(|entry| PROCESSED == entry.activity.kind.as_str());
        let stamp = (self.stamp)();
        let job = |logged: &Logged| {
            let order: Order = serde_json::from_str(logged.snapshot.as_deref()?).ok()?;
            order.content.customer_email.as_ref()?;
            let document = order.invoice_id.or(order.estimate_id)?;
            let new = NewJob {
                kind: JobKind::OrderMail,
                entity_id: Some(order.entity_id),
                subject: document.to_string(),
                payload: order.id.to_string(),
            };
            Some(Job::new(new, &stamp).put())
        };
        Ok(self.store.recall(entries).await?.iter().filter_map(job).collect())
    }
}

/// Mails documents of orders to who ordered.
pub struct OrderMailHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The base of links in mails.
    pub base: Arc<str>,
    /// How much may be sent.
    pub limits: MailLimits,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for OrderMailHandler {
    fn kind(&self) -> JobKind {
        JobKind::OrderMail
    }

    async fn run(&self, job: &Job) -> Outcome {
        let ids = (job.entity_id, job.payload.parse(), job.subject.parse());
        let (Some(entity), Ok(order), Ok(document)) = ids else {
            return Outcome::Ends(Ending::Done);
        };
        let ended = match enter_as_recipient(&*self.store, entity).await {
            Ok(Some(place)) => self.mail(&place, order, document).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error.into()),
        };
        Outcome::Ends(match ended {
            Ok(()) => Ending::Done,
            Err(error) => ending(&error),
        })
    }
}

impl OrderMailHandler {
    async fn mail(
        &self,
        place: &(Scope, Entity),
        order: OrderId,
        document: DocumentId,
    ) -> Result<(), MailingError> {
        let (stamp, (scope, entity)): (Stamp, _) = ((self.stamp)(), place);
        let cx = Context::new(&*self.store, scope, &stamp);
        let Some(order) = cx.get::<Order>(&ORDERS, order).await? else { return Ok(()) };
        let rules: Option<Integration> = cx.get(&INTEGRATIONS, order.order_integration_id).await?;
        let Some(rules) = rules.filter(|rules| rules.deleted_at.is_none()) else { return Ok(()) };
        let is_wanted = match document.kind() {
            DocumentKind::Invoice => rules.send_invoice_email,
            DocumentKind::Estimate => rules.send_estimate_email,
            DocumentKind::CreditNote
            | DocumentKind::AdvanceInvoice
            | DocumentKind::DeliveryNote => false,
        };
        let Some(to) = order.content.customer_email.filter(|_| is_wanted) else { return Ok(()) };
        if !self.may_send(entity).await? {
            return Ok(());
        }
        let request = SendRequest {
            to,
            document_id: Some(document),
            letter: LetterRequest {
                locale: rules.locale,
                // Who ordered is no user of the account, to whom alone the sandbox sends.
                sandbox_skip_delivery: entity.environment == Environment::Sandbox,
                ..LetterRequest::default()
            },
            attach_pdf: rules.attach_pdf_to_email,
            attach_eslog: false,
        };
        let letters = Letters { store: &self.store, base: &self.base, limits: self.limits };
        letters.mail_once(place, format!("order_mail/{document}"), request, &stamp).await
    }

    /// Whether the account may send mail to strangers: one of its users has verified an address.
    async fn may_send(&self, entity: &Entity) -> Result<bool, StoreError> {
        let id = entity.account_id.to_string();
        let account: Option<Account> = self.store.get(&ACCOUNTS, &Tenant::directory(), &id).await?;
        Ok(account.is_some_and(|account| account.has_verified_user))
    }
}
