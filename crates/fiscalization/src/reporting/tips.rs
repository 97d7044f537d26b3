//! Tips that come with payments, reported to CIS: all of a receipt together, once CIS has the
//! receipt, and again when they change.
//!
//! The unit that changes the tips of a document notes their sum on it and puts a job. The job
//! begins an attempt in a unit, sends it, and ends it in another unit, which compares what CIS
//! confirmed with the tips as they are then. An attempt has a lease, because several jobs may be
//! about one document: no two reports of one document run side by side. An attempt without an
//! answer is repeated with the same content, because CIS may hold it.
//!
//! A void changes nothing: CIS keeps or receives the tips of a void receipt, because the money
//! stays given. Credit notes have no tips, because their payments go to the customer.

use std::sync::Arc;

use async_trait::async_trait;
use racun_background::clock::Clock;
use racun_background::jobs::{
    Ending, Handler, Held, Job, JobKind, LeaseError, NewJob, Outcome, still_held,
};
use racun_documents::{
    Document, DocumentId, FiscalRecord, FiscalStatus, Fiscalization, TipOutcome, TipReport, Tips,
};
use racun_fiscal::{
    Authority, EXCHANGES, ErrorClass, Exchange, Header, LEASE, Message, MessageId, Patience, Reply,
    ReportContent, fina,
};
use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Environment, Stamp, Tenant};
use racun_settlement::Payment;
use racun_store::{One, Put, Store, StoreError, UnitBuilder, Writes};
use time::{Duration, OffsetDateTime};

use super::Fiscal;
use super::error::FiscalizationError;
use super::later::settings;
use super::prepare::identity;
use super::sale::{in_euros, means_called, name_of};

/// The error of a report that is given up because CIS takes no tips of the receipt any more.
pub const TIP_WINDOW_EXPIRED: &str = "fina_tip_window_expired";

/// The first wait for the confirmation of a receipt, which mostly comes within seconds.
const FIRST_WAIT: Duration = Duration::seconds(2);

/// The sum of the tips of those `payments` that count on the document `id`, in its currency, and
/// CIS's code of their means; `O` for several codes.
pub fn of<'a>(
    id: DocumentId,
    payments: impl IntoIterator<Item = &'a Payment>,
) -> (Decimal, fina::PaymentMeans) {
    let mut amount = Decimal::zero();
    let mut kinds = Vec::new();
    for payment in payments {
        let counts =
            payment.deleted_at.is_none() && payment.document_ids().any(|named| named == id);
        if let Some(tip) = payment.tip.as_ref().filter(|tip| counts && tip.is_positive()) {
            amount = &amount + tip;
            kinds.push(payment.kind);
        }
    }
    (amount, fina::PaymentMeans::of(None, &kinds))
}

/// The document with its tips, and the job that reports them. `None` where CIS does not ask for
/// them, and while there never were any.
pub fn noted(
    document: &Document,
    (amount, means): (Decimal, fina::PaymentMeans),
    stamp: &Stamp,
) -> Option<(Document, Put)> {
    let fiscal = document.fiscal.as_deref().filter(|own| own.authority == Authority::Fina)?;
    fiscal.record.as_ref()?;
    let amount = in_euros(document, amount);
    let tips = Tips { amount, payment_type: name_of(means.shown()) };
    let before = fiscal.tips.as_deref().cloned();
    let report = TipReport::of(before.clone(), tips)?;
    if before.as_ref() == Some(&report) {
        return None;
    }
    let new = NewJob {
        kind: JobKind::FiscalTips,
        entity_id: Some(document.entity_id),
        subject: document.id.to_string(),
        payload: document.entity_id.to_string(),
    };
    let document = with_report(document.clone(), report, stamp);
    Some((document, Job::new(new, stamp).put()))
}

fn with_report(document: Document, report: TipReport, stamp: &Stamp) -> Document {
    let Some(fiscal) = document.fiscal.as_deref().cloned() else { return document };
    let fiscal = Fiscalization { tips: Some(Box::new(report)), ..fiscal };
    document.with_fiscalization(fiscal, stamp)
}

/// Reports tips to CIS.
pub struct TipsHandler {
    /// Where documents and exchanges are.
    pub store: Arc<dyn Store>,
    /// The authorities and the vault.
    pub fiscal: Fiscal,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for TipsHandler {
    fn kind(&self) -> JobKind {
        JobKind::FiscalTips
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.report(job).await {
            Ok(Left::Ended) | Err(LeaseError::Lost) => Outcome::Ended,
            Ok(Left::GivenUp(error)) => Outcome::Ends(Ending::Hopeless { error }),
            Err(LeaseError::Store(error)) => {
                Outcome::Ends(Ending::Failed { error: error.to_string(), wait: None })
            }
        }
    }
}

/// How a unit leaves the job.
enum Left {
    /// It is done, or waits.
    Ended,
    /// It is to be given up.
    GivenUp(String),
}

/// Where the first unit leaves a job.
enum Begun {
    /// Nothing is to be sent now.
    Not(Left),
    /// The attempt is stored, to be sent.
    Attempt(Box<Attempt>),
}

/// An attempt that is stored.
struct Attempt {
    id: MessageId,
    message: fina::Tip,
    environment: Environment,
}

/// What a job is about.
#[derive(Clone, Copy)]
struct Subject {
    entity: EntityId,
    document: DocumentId,
}

impl Subject {
    fn of(job: &Job) -> Result<Self, StoreError> {
        let ids = job.payload.parse().ok().zip(job.subject.parse().ok());
        let unreadable = || StoreError::Unavailable("a job names no document".to_owned());
        ids.map(|(entity, document)| Self { entity, document }).ok_or_else(unreadable)
    }

    /// Holds the job, the document and its exchange.
    fn hold<'a>(self, store: &'a dyn Store, job: &Job) -> (UnitBuilder<'a, ()>, HeldReport) {
        let mut unit = store.unit(Tenant::entity(self.entity));
        let job = job.hold(&mut unit);
        let document = unit.hold(racun_documents::table_of(self.document.kind()), self.document);
        let exchange = unit.hold(&EXCHANGES, self.document);
        (unit, HeldReport { job, document, exchange })
    }
}

/// The records of a report, as a unit holds them.
struct HeldReport {
    job: One<Job>,
    document: One<Document>,
    exchange: One<Exchange>,
}

/// What a unit holds of a report.
struct Open {
    document: Document,
    fiscal: Fiscalization,
    record: FiscalRecord,
    report: TipReport,
}

impl Open {
    /// `None` for a document without a report of tips.
    fn of(document: Document) -> Option<Self> {
        let fiscal = document.fiscal.as_deref().cloned()?;
        let (record, report) = (fiscal.record.clone()?, fiscal.tips.as_deref().cloned()?);
        Some(Self { document, fiscal, record, report })
    }

    fn put(&self, report: TipReport, stamp: &Stamp) -> Put {
        Put::update(&self.document, &with_report(self.document.clone(), report, stamp))
    }
}

impl TipsHandler {
    async fn report(&self, job: &Job) -> Result<Left, LeaseError> {
        let subject = Subject::of(job)?;
        let attempt = match self.begin(job, subject).await? {
            Begun::Not(left) => return Ok(left),
            Begun::Attempt(attempt) => *attempt,
        };
        let (outcome, reason) = self.send(subject, &attempt).await;
        self.finish(job, subject, attempt.id, outcome, reason).await
    }

    /// Begins the next attempt, unless CIS holds the tips, has no receipt yet, or takes none any
    /// more.
    async fn begin(&self, job: &Job, subject: Subject) -> Result<Begun, LeaseError> {
        let (job, stamp, waits) = (job.clone(), (self.stamp)(), self.waits());
        let id = MessageId::new(&stamp);
        let (unit, records) = subject.hold(&*self.store, &job);
        unit.decide(move |unit| {
            let now = unit.now().unwrap_or_else(|| stamp.now());
            let held = still_held(&job, unit.find(records.job)?)?;
            let document = unit.find(records.document)?;
            let ended = |puts| Ok((Begun::Not(Left::Ended), writes(puts)));
            let open = document.and_then(Open::of);
            let Some(open) = open.filter(|open| !open.report.is_confirmed()) else {
                return ended(vec![held.done()]);
            };
            if let Some(until) = open.report.leased_until(now) {
                return ended(vec![held.later(until, now)]);
            }
            if !fina::takes_tips(open.record.issued_at, now) {
                let report = open.report.clone().give_up(TIP_WINDOW_EXPIRED);
                let left = Left::GivenUp(expired(&open));
                return Ok((Begun::Not(left), writes(vec![open.put(report, &stamp)])));
            }
            let exchange = unit.find(records.exchange)?;
            let taken = exchange.filter(|_| open.fiscal.status == FiscalStatus::Success);
            let Some((receipt, late)) = taken.and_then(taken_receipt) else {
                return ended(vec![held.later(now + waits.of(&job, FIRST_WAIT, now), now)]);
            };
            let lease_until = now + LEASE;
            let report = open.report.clone().begin(id.to_string(), now, lease_until);
            let message = message(&receipt, &report, late);
            let environment = open.record.environment;
            let attempt = Attempt { id, message, environment };
            let put = open.put(report, &stamp);
            Ok((Begun::Attempt(Box::new(attempt)), writes(vec![put])))
        })
        .await
    }

    /// Sends the attempt; answers its outcome, also in words.
    async fn send(&self, subject: Subject, attempt: &Attempt) -> (TipOutcome, String) {
        let refused = |code: &str, is_final, errors, reason| {
            (TipOutcome::Refused { code: code.to_owned(), errors, is_final }, reason)
        };
        let stamp = (self.stamp)();
        let identity = match settings(&*self.store, subject.entity, Authority::Fina).await {
            Ok(settings) => identity(Some(&self.fiscal), &settings, stamp.now())
                .map_err(FiscalizationError::from),
            Err(error) => Err(error),
        };
        let identity = match identity {
            Ok((identity, _)) => identity,
            Err(FiscalizationError::Refused(why)) => {
                return refused(why.code(), false, Vec::new(), why.to_string());
            }
            Err(error) => return (TipOutcome::Unknown, error.to_string()),
        };
        let sent_at = Authority::Fina.local(stamp.now());
        let header = Header { message_id: attempt.id.clone(), sent_at };
        let message = Message::FinaTip(Box::new(attempt.message.clone()));
        let (authorities, patience) = (&self.fiscal.authorities, Patience::Background);
        let environment = attempt.environment;
        match authorities.send(environment, &identity, &header, &message, patience).await {
            Ok(Reply::Confirmed(_)) => (TipOutcome::Taken, String::new()),
            // A certificate may be mended while the window is open.
            Ok(Reply::Refused { code, message, errors }) => {
                let is_final = fina::class(&code) == ErrorClass::Permanent;
                let reason = format!("{code}: {message}");
                refused(&code, is_final, fina::explained(errors), reason)
            }
            Err(unknown) => (TipOutcome::Unknown, unknown.reason),
        }
    }

    /// Ends the attempt `id`, and begins another report when the tips are others by now.
    async fn finish(
        &self,
        job: &Job,
        subject: Subject,
        id: MessageId,
        outcome: TipOutcome,
        reason: String,
    ) -> Result<Left, LeaseError> {
        let (job, stamp, waits) = (job.clone(), (self.stamp)(), self.waits());
        let (unit, records) = subject.hold(&*self.store, &job);
        unit.decide(move |unit| {
            let now = unit.now().unwrap_or_else(|| stamp.now());
            let held = still_held(&job, unit.find(records.job)?)?;
            let document = unit.find(records.document)?;
            let Some(open) = document.and_then(Open::of) else {
                return Ok((Left::Ended, writes(vec![held.done()])));
            };
            let told = open.report.attempt.as_ref().map(|attempt| attempt.tips.clone());
            let is_news = told.as_ref() != Some(&open.report.tips);
            let report = open.report.clone().settle(&id.to_string(), outcome.clone(), now);
            let Some(report) = report else {
                // Another job took the attempt over, and ends it.
                return Ok((Left::Ended, writes(vec![held.later(now, now)])));
            };
            let put = open.put(report.clone(), &stamp);
            let (left, job) = match outcome {
                TipOutcome::Taken => (Left::Ended, Some(next(&held, &report, now))),
                TipOutcome::Refused { is_final: true, .. } if is_news => {
                    (Left::Ended, Some(held.later(now, now)))
                }
                TipOutcome::Refused { is_final: true, .. } => (Left::GivenUp(reason), None),
                TipOutcome::Refused { .. } | TipOutcome::Unknown => {
                    let wait = waits.of(&job, waits.first, now);
                    (Left::Ended, Some(held.later(now + wait, now)))
                }
            };
            Ok((left, writes([Some(put), job].into_iter().flatten().collect())))
        })
        .await
    }

    fn waits(&self) -> Waits {
        let length = |wait: std::time::Duration| Duration::try_from(wait).unwrap_or(Duration::HOUR);
        let retry = self.fiscal.retry;
        Waits { first: length(retry.initial), most: length(retry.max) }
    }
}

/// How long a job waits for its next attempt: as long as it is old, so each wait doubles its age.
#[derive(Clone, Copy)]
struct Waits {
    first: Duration,
    most: Duration,
}

impl Waits {
    fn of(self, job: &Job, first: Duration, now: OffsetDateTime) -> Duration {
        (now - job.created_at).max(first).min(self.most)
    }
}

/// The job of a report that CIS took: done, unless the tips are others by now.
fn next(held: &Held, report: &TipReport, now: OffsetDateTime) -> Put {
    if report.is_confirmed() { held.done() } else { held.later(now, now) }
}

/// The receipt that CIS took, and what was `NakDost` of it.
fn taken_receipt(exchange: Exchange) -> Option<(fina::Receipt, bool)> {
    let late = exchange.confirmations.first()?.is_late;
    match exchange.content {
        ReportContent::Fina(receipt) => Some((*receipt, late)),
        ReportContent::Furs(_) | ReportContent::FursBook(_) => None,
    }
}

/// The message of the attempt that `report` begins.
fn message(receipt: &fina::Receipt, report: &TipReport, late: bool) -> fina::Tip {
    let tips = report.attempt.as_ref().map_or(&report.tips, |attempt| &attempt.tips);
    let means = means_called(&tips.payment_type).map_or(fina::PaymentMeans::O, Into::into);
    receipt.tip(tips.amount.clone(), means, late)
}

fn expired(open: &Open) -> String {
    let (number, amount) = (open.document.number(), &open.report.tips.amount);
    format!(
        "CIS takes no tips of {number} any more, two days after its issue: {amount} is not \
         reported"
    )
}

fn writes(puts: Vec<Put>) -> Writes {
    Writes::default().puts(puts)
}
