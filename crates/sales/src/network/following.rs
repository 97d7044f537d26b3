//! The job of a submission: sending it, and asking what became of it.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::enter_as_recipient;
use racun_background::clock::Clock;
use racun_background::jobs::{
    Ending, Handler, Held, Job, JobKind, LeaseError, Outcome, still_held,
};
use racun_einvoicing::network::{
    Dispatch, EInvoicingNetwork, NetworkError, Progress, Receipt, SUBMISSIONS, Submission,
    SubmissionEvent, SubmissionState,
};
use racun_kernel::Scope;
use racun_kernel::id::{EInvoiceSubmissionId, EntityId};
use racun_store::{Actor, Context, Event, Store, StoreError, Writes};

use super::events::e_invoicing as events;
use super::sending::NO_RECIPIENT;

/// Sends submissions, and follows them to their end.
pub struct SubmissionHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The network.
    pub network: Arc<dyn EInvoicingNetwork>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for SubmissionHandler {
    fn kind(&self) -> JobKind {
        JobKind::EInvoiceSubmission
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.follow(job).await {
            Ok(()) | Err(LeaseError::Lost) => Outcome::Ended,
            Err(LeaseError::Store(error)) => {
                Outcome::Ends(Ending::Failed { error: error.to_string(), wait: None })
            }
        }
    }
}

impl SubmissionHandler {
    async fn follow(&self, job: &Job) -> Result<(), LeaseError> {
        let ids = job.payload.parse::<EntityId>().ok().zip(job.subject.parse().ok());
        let unreadable = || StoreError::Unavailable("a job names no submission".to_owned());
        let (entity, id): (_, EInvoiceSubmissionId) = ids.ok_or_else(unreadable)?;
        let found = enter_as_recipient(&*self.store, entity).await?;
        let Some((scope, _)) = found else {
            // The entity is disabled: nothing is sent for it. It may be enabled again.
            let silent = "the entity is disabled".to_owned();
            return Err(StoreError::Unavailable(silent).into());
        };
        let Some(submission) = self.begin(job, &scope, id).await? else { return Ok(()) };
        let happened = self.ask(&submission).await;
        self.settle(job, &scope, id, happened).await
    }

    /// Begins what is due: a sending is stored before it is made. `None` when nothing is due, and
    /// the job has been ended or put off.
    async fn begin(
        &self,
        job: &Job,
        scope: &Scope,
        id: EInvoiceSubmissionId,
    ) -> Result<Option<Submission>, LeaseError> {
        let (job, stamp) = (job.clone(), (self.stamp)());
        let cx = Context::new(&*self.store, scope, &stamp);
        let mut unit = cx.unit();
        let (own, submission) = (job.hold(&mut unit), unit.hold(&SUBMISSIONS, id));
        unit.decide(move |held| {
            let now = held.now().unwrap_or_else(|| held.actor().now());
            let job = still_held(&job, held.find(own)?)?;
            let found: Option<Submission> = held.find(submission)?;
            let Some((before, due)) = found.and_then(|one| one.due_at.map(|due| (one, due))) else {
                return Ok((None, Writes::default().put(job.done())));
            };
            if due > now {
                return Ok((None, Writes::default().put(job.later(due, now))));
            }
            let is_to_send = before.state != SubmissionState::Submitted;
            if !is_to_send {
                return Ok((Some(before), Writes::default()));
            }
            let after = before.clone().after(SubmissionEvent::Begun, now);
            Ok((Some(after.clone()), Writes::default().update(&before, &after)))
        })
        .await
    }

    /// Sends it, or asks what became of it.
    async fn ask(&self, submission: &Submission) -> SubmissionEvent {
        let environment = submission.environment;
        if submission.state == SubmissionState::Submitted {
            let Some(reference) = &submission.provider_reference else {
                // Only a notice will say what became of it.
                return SubmissionEvent::UnderWay;
            };
            return match self.network.progress(environment, reference).await {
                Ok(progress) => told(progress),
                Err(_) => SubmissionEvent::UnderWay,
            };
        }
        let Some(recipient) = submission.recipient.clone() else {
            let message = "it is not known who gets it".to_owned();
            return SubmissionEvent::Refused { code: NO_RECIPIENT.to_owned(), message };
        };
        let dispatch = Dispatch {
            key: submission.key(),
            account: submission.account.clone(),
            recipient,
            document: submission.document,
            xml: submission.xml.clone(),
        };
        match self.network.send(environment, &dispatch).await {
            Ok(Receipt::Taken(reference)) => SubmissionEvent::Taken(Some(reference)),
            Ok(Receipt::TakenBefore) => SubmissionEvent::Taken(None),
            Ok(Receipt::Refused { code, message }) => SubmissionEvent::Refused { code, message },
            Err(NetworkError::Refused(reason)) => SubmissionEvent::Unanswered(reason),
            Err(error) => SubmissionEvent::Unanswered(error.to_string()),
        }
    }

    /// Stores what happened; the job ends with the submission, or waits for what is next.
    async fn settle(
        &self,
        job: &Job,
        scope: &Scope,
        id: EInvoiceSubmissionId,
        happened: SubmissionEvent,
    ) -> Result<(), LeaseError> {
        let (job, stamp) = (job.clone(), (self.stamp)());
        let cx = Context::new(&*self.store, scope, &stamp);
        let mut unit = cx.unit();
        let (own, submission) = (job.hold(&mut unit), unit.hold(&SUBMISSIONS, id));
        unit.decide(move |held| {
            let now = held.now().unwrap_or_else(|| held.actor().now());
            let job: Held = still_held(&job, held.find(own)?)?;
            let found: Option<Submission> = held.find(submission)?;
            let Some(before) = found else {
                return Ok(((), Writes::default().put(job.done())));
            };
            let after = before.clone().after(happened, now);
            let next = match after.due_at {
                Some(due) => job.later(due, now),
                None => job.done(),
            };
            Ok(((), written(&before, &after, held.actor()).put(next)))
        })
        .await
    }
}

/// What a look says.
pub(super) fn told(progress: Progress) -> SubmissionEvent {
    match progress {
        Progress::UnderWay => SubmissionEvent::UnderWay,
        Progress::Delivered => SubmissionEvent::Delivered,
        Progress::Failed { code, message } => SubmissionEvent::Undelivered { code, message },
    }
}

/// The submission as it becomes, and what receivers are told of it.
pub(super) fn written(before: &Submission, after: &Submission, actor: &Actor) -> Writes {
    if before == after {
        return Writes::default();
    }
    Writes::default().update(before, after).events(news(before, after, actor))
}

fn news(before: &Submission, after: &Submission, actor: &Actor) -> Option<Event> {
    let kind = match after.state {
        _ if before.state == after.state => return None,
        SubmissionState::Delivered => events::SUBMISSION_DELIVERED,
        SubmissionState::Failed => events::SUBMISSION_FAILED,
        _ => return None,
    };
    Some(actor.event(kind, after.id))
}
