//! Documents that are sent when they are issued.
//!
//! A reader of the log leaves a job for each issued document whose customer is in the network,
//! where the entity wants it. The job sends as a person would.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{Entity, enter_as_recipient, setting};
use racun_background::clock::Clock;
use racun_background::consumer::LogConsumer;
use racun_background::jobs::{Ending, Handler, Job, JobKind, NewJob, Outcome};
use racun_documents::events::{credit_note, invoice};
use racun_documents::{Document, DocumentId, Stage};
use racun_kernel::Tenant;
use racun_store::{Context, Entry, EventKind, Logged, Put, Store, StoreError};

use super::recipient;
use super::sending::{SendRequest, note_failure, send};

/// Leaves a job for each issued document that may be sent.
pub struct AutoSendReader {
    /// Where documents are as they were left.
    pub store: Arc<dyn Store>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

/// What says that a document was issued.
const ISSUED: [EventKind; 2] = [invoice::FINALIZED, credit_note::ISSUED];

fn is_issuing(kind: &str) -> bool {
    ISSUED.iter().any(|known| *known == kind)
}

/// Whether an issued document may be sent by itself: its customer is in the network, and its
/// request does not say no.
fn may_be_sent(document: &Document) -> bool {
    let is_issued = matches!(document.stage, Stage::Issued(_));
    let is_wanted = document.content.e_invoices.send_enabled != Some(false);
    // The scheme may come from the settings.
    let recipient = recipient::of_customer(document.content.customer.as_ref(), Some("9949"));
    is_issued && is_wanted && !matches!(recipient, Ok(None))
}

#[async_trait]
impl LogConsumer for AutoSendReader {
    fn name(&self) -> &'static str {
        "e_invoicing"
    }

    async fn handle(&self, mut entries: Vec<Entry>) -> Result<Vec<Put>, StoreError> {
        entries.retain(|entry| is_issuing(&entry.activity.kind));
        // Snapshots are long, and most entities send nothing: so who does is found first.
        let mut senders = BTreeMap::new();
        for tenant in entries.iter().map(|entry| &entry.activity.tenant) {
            if !senders.contains_key(tenant) {
                senders.insert(tenant.clone(), self.is_sender(tenant).await?);
            }
        }
        entries.retain(|entry| senders.get(&entry.activity.tenant) == Some(&true));
        let stamp = (self.stamp)();
        let job = |logged: &Logged| {
            let document: Document = serde_json::from_str(logged.snapshot.as_deref()?).ok()?;
            let new = NewJob {
                kind: JobKind::EInvoiceAutoSend,
                entity_id: Some(document.entity_id),
                subject: document.id.to_string(),
                payload: document.entity_id.to_string(),
            };
            may_be_sent(&document).then(|| Job::new(new, &stamp).put())
        };
        Ok(self.store.recall(entries).await?.iter().filter_map(job).collect())
    }
}

impl AutoSendReader {
    /// Whether the entity of `tenant` wants its documents to be sent by themselves.
    async fn is_sender(&self, tenant: &Tenant) -> Result<bool, StoreError> {
        let Ok(entity) = tenant.as_str().parse() else { return Ok(false) };
        let place = enter_as_recipient(&*self.store, entity).await?;
        Ok(place.is_some_and(|(_, entity)| wants_sending(&entity)))
    }
}

/// Whether the settings of `entity` want documents to be sent by themselves.
fn wants_sending(entity: &Entity) -> bool {
    let is_on = |key| entity.settings.get(key).unwrap_or(false);
    is_on(setting::E_INVOICING_ENABLED) && is_on(setting::E_INVOICING_AUTO_SEND)
}

/// Sends documents of entities whose settings want it.
pub struct AutoSendHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for AutoSendHandler {
    fn kind(&self) -> JobKind {
        JobKind::EInvoiceAutoSend
    }

    async fn run(&self, job: &Job) -> Outcome {
        let ids = job.payload.parse().ok().zip(job.subject.parse::<DocumentId>().ok());
        let Some((entity, id)) = ids else { return Outcome::Ends(Ending::Done) };
        let failed = |error: String| Outcome::Ends(Ending::Failed { error, wait: None });
        let (scope, entity) = match enter_as_recipient(&*self.store, entity).await {
            Ok(Some(place)) => place,
            Ok(None) => return Outcome::Ends(Ending::Done),
            Err(error) => return failed(error.to_string()),
        };
        if !wants_sending(&entity) {
            return Outcome::Ends(Ending::Done);
        }
        let stamp = (self.stamp)();
        let cx = Context::new(&*self.store, &scope, &stamp);
        // Being done twice finds the first submission. What is in the way may be mended, as an
        // enrollment that is not done yet; at last admins see it among the jobs. What is wrong with
        // the document itself stays so, and its submission says it.
        let refused = match send(cx, &entity, id, SendRequest::default()).await {
            Ok(_) => return Outcome::Ends(Ending::Done),
            Err(error) => error,
        };
        match note_failure(cx, &entity, id, &refused).await {
            Ok(true) => Outcome::Ends(Ending::Done),
            Ok(false) => failed(refused.to_string()),
            Err(error) => failed(error.to_string()),
        }
    }
}
