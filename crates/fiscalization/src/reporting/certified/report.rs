//! Telling the authority of one document: the text is stored with the document, and a job sends it.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{AccessError, enter_as_system};
use racun_documents::{Document, DocumentId, PtRecord, PtReport, PtReportStatus, table_of};
use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{Stamp, Tenant, Vault};
use racun_portugal::invoice_ws::{self, Meaning, Parties};
use racun_portugal::{PT_SETTINGS, Patience, Portugal, PtSettings, SubUser};
use racun_store::{Put, Store, Writes};
use time::OffsetDateTime;

use super::facts::{Beside, country, saft_document};
use racun_background::clock::Clock;
use racun_background::jobs::{
    Ending, Handler, Job, JobKind, LeaseError, NewJob, Outcome, still_held,
};

/// The message that reports `document`; `None` of what the authority is not told.
pub(super) fn message(document: &Document, nif: &str) -> Option<String> {
    told(document, nif, invoice_ws::register)
}

/// The message that says that `document` was voided.
pub(super) fn void_message(document: &Document, nif: &str) -> Option<String> {
    told(document, nif, invoice_ws::change_status)
}

fn told(
    document: &Document,
    nif: &str,
    write: fn(&racun_portugal::saft::SaftDocument, &Parties<'_>) -> String,
) -> Option<String> {
    let own = saft_document(document, Beside::default()).filter(invoice_ws::takes)?;
    let customer = document.content.customer.as_ref();
    let country = customer.and_then(country);
    let parties = Parties {
        issuer: nif,
        certificate: document.pt.as_ref()?.certificate,
        buyer: customer.and_then(|party| party.tax_number.as_deref()),
        buyer_country: country.as_deref(),
    };
    Some(write(&own, &parties))
}

/// The job that sends what `document` has to report.
pub(super) fn job(document: &Document, account: AccountId, stamp: &Stamp) -> Put {
    let new = NewJob {
        kind: JobKind::PtReport,
        entity_id: Some(document.entity_id),
        subject: document.id.to_string(),
        payload: format!("{account} {}", document.entity_id),
    };
    Job::new(new, stamp).put()
}

/// Tells the authority of documents.
pub struct PtReportHandler {
    /// Where documents are.
    pub store: Arc<dyn Store>,
    /// The authority.
    pub portugal: Arc<dyn Portugal>,
    /// Who opens passwords; `None` where the process was given no master key.
    pub vault: Option<Arc<dyn Vault>>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for PtReportHandler {
    fn kind(&self) -> JobKind {
        JobKind::PtReport
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.report(job).await {
            Ok(ending) => Outcome::Ends(ending),
            Err(Stopped::Ended) => Outcome::Ended,
            Err(Stopped::Failed(error)) => Outcome::Ends(Ending::Failed { error, wait: None }),
        }
    }
}

/// Why no message was sent, or nothing of it was stored.
enum Stopped {
    /// There is nothing to send, or another worker has the job.
    Ended,
    /// The store or the authority failed.
    Failed(String),
}

impl From<racun_store::StoreError> for Stopped {
    fn from(error: racun_store::StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<LeaseError> for Stopped {
    fn from(error: LeaseError) -> Self {
        match error {
            LeaseError::Lost => Self::Ended,
            LeaseError::Store(error) => error.into(),
        }
    }
}

impl PtReportHandler {
    /// Sends all that `job`'s document has to report, one message after the other.
    async fn report(&self, job: &Job) -> Result<Ending, Stopped> {
        let broken = || Stopped::Failed("the job names no document".to_owned());
        let (account, entity) = job.payload.split_once(' ').ok_or_else(broken)?;
        let account: AccountId = account.parse().map_err(|_| broken())?;
        let entity: EntityId = entity.parse().map_err(|_| broken())?;
        let id: DocumentId = job.subject.parse().map_err(|_| broken())?;
        let tenant = Tenant::entity(entity);
        loop {
            let found: Option<Document> =
                self.store.get(table_of(id.kind()), &tenant, &job.subject).await?;
            let message = found.as_ref().and_then(|own| own.pt.as_deref()?.report.as_deref());
            let message = message.map(|own| own.message.clone()).filter(|text| !text.is_empty());
            let Some(message) = message else { return Ok(Ending::Done) };
            let outcome = self.send(account, entity, first(&message)).await?;
            let ending = outcome.ending();
            self.store_outcome(job, id, tenant.clone(), message, outcome).await?;
            if ending != Ending::Done {
                return Ok(ending);
            }
        }
    }

    /// Sends `message`, as the sub-user of `entity`.
    async fn send(
        &self,
        account: AccountId,
        entity: EntityId,
        message: &str,
    ) -> Result<Answered, Stopped> {
        let entered = enter_as_system(&*self.store, account, entity).await;
        let (scope, entity) = match entered {
            Ok(found) => found,
            Err(AccessError::Store(error)) => return Err(error.into()),
            Err(refused) => return Ok(Answered::denied(&refused.to_string())),
        };
        let settings: Option<PtSettings> =
            self.store.get(&PT_SETTINGS, &scope.tenant(), &entity.id.to_string()).await?;
        let own = match (settings, &self.vault) {
            (Some(settings), Some(vault)) => settings.sub_user(&**vault),
            (Some(_) | None, _) => Ok(None),
        };
        let nif = racun_portugal::buyer_number(entity.tax_number.as_deref());
        let user: Option<SubUser> = match own {
            Ok(user) => user.or_else(|| self.portugal.test_user(entity.environment, nif)),
            Err(closed) => return Ok(Answered::denied(&closed.to_string())),
        };
        let Some(user) = user else {
            return Ok(Answered::denied("no sub-user is stored in /fiscalization/pt/settings"));
        };
        let asked =
            self.portugal.invoice(entity.environment, &user, message, Patience::Background).await;
        Ok(match asked {
            Ok(answer) => Answered {
                meaning: answer.meaning(),
                code: Some(answer.code.to_string()),
                text: answer.message,
            },
            Err(error) => Answered { meaning: Meaning::Failed, code: None, text: error.reason },
        })
    }

    /// Notes on the document what came of `sent`.
    async fn store_outcome(
        &self,
        job: &Job,
        id: DocumentId,
        tenant: Tenant,
        sent: String,
        outcome: Answered,
    ) -> Result<(), Stopped> {
        let now = (self.stamp)().now();
        let job = job.clone();
        let mut unit = self.store.unit(tenant);
        let document = unit.hold(table_of(id.kind()), id);
        let held_job = job.hold(&mut unit);
        let noted = unit.decide(move |held| {
            let job_held = still_held(&job, held.find(held_job)?)?;
            let before: Option<Document> = held.find(document)?;
            let after = before.as_ref().and_then(|before| {
                noted(before.clone(), &sent, &outcome, job_held.is_last_attempt(), now)
            });
            let put = before.zip(after).map(|(before, after)| Put::update(&before, &after));
            // What is left to send is no further attempt at what was taken.
            let prolonged = (outcome.meaning == Meaning::Done).then(|| job_held.prolonged(now));
            Ok::<_, LeaseError>(((), Writes::default().puts(put.into_iter().chain(prolonged))))
        });
        Ok(noted.await?)
    }
}

/// What came of a message.
struct Answered {
    meaning: Meaning,
    code: Option<String>,
    text: String,
}

impl Answered {
    fn denied(text: &str) -> Self {
        Self { meaning: Meaning::Denied, code: None, text: text.to_owned() }
    }

    fn ending(&self) -> Ending {
        match self.meaning {
            Meaning::Done => Ending::Done,
            Meaning::Wrong => Ending::Hopeless { error: self.said() },
            // Who calls can be mended, and the service may come back.
            Meaning::Denied | Meaning::Failed => Ending::Failed { error: self.said(), wait: None },
        }
    }

    fn said(&self) -> String {
        let code = self.code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default();
        format!("{code}{}", self.text)
    }
}

/// The first message of those that are to be sent, one a line.
fn first(messages: &str) -> &str {
    messages.split('\n').next().unwrap_or_default()
}

/// `document` after `sent` was answered, by the last attempt where `is_last`; `None` where others
/// were sent since.
fn noted(
    document: Document,
    sent: &str,
    outcome: &Answered,
    is_last: bool,
    now: OffsetDateTime,
) -> Option<Document> {
    let record = document.pt.as_deref().cloned()?;
    let before = record.report.as_deref().cloned()?;
    let left = before.message.strip_prefix(first(sent))?.trim_start_matches('\n').to_owned();
    let attempts = before.attempts.saturating_add(1);
    let report = match outcome.meaning {
        Meaning::Done => PtReport {
            status: match left.is_empty() {
                true => PtReportStatus::Success,
                false => PtReportStatus::Pending,
            },
            message: left,
            attempts,
            code: None,
            error: None,
            reported_at: before.reported_at.or(Some(now)),
        },
        Meaning::Wrong | Meaning::Denied | Meaning::Failed => PtReport {
            status: match outcome.meaning == Meaning::Wrong || is_last {
                true => PtReportStatus::Failed,
                false => PtReportStatus::Pending,
            },
            attempts,
            code: outcome.code.clone(),
            error: Some(outcome.text.clone()),
            ..before
        },
    };
    let record = PtRecord { report: Some(Box::new(report)), ..record };
    Some(Document { pt: Some(Box::new(record)), updated_at: now, ..document })
}
