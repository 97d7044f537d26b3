//! The exchanges of all tenants that are due: each is sent once more.

use std::collections::BTreeMap;

use racun_access::{AccessError, enter_as_system};
use racun_documents::DocumentId;
use racun_fiscal::{
    Authority, DUE_EXCHANGES, DueExchange, Exchange, ExchangeOutcome, Identity, MessageId,
    Patience, State, alarm_at, due_by, leased_at,
};
use racun_kernel::{Scope, Stamp, Tenant};
use racun_store::{Context, Decision, Store, StoreError};
use time::{Duration, OffsetDateTime};

use super::Fiscal;
use super::deliver::{self, Delivered, Sending};
use super::error::{FiscalizationError, FiscalizationRefused};

use super::later::{begin, exchange_of, settings};
use super::prepare::identity;

/// How much one run does at most. What is left is done by the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Exchanges that are looked at.
    pub exchanges: usize,
    /// Messages in a row of which an authority says nothing that can be believed, before it is left
    /// alone for the rest of the run.
    pub silences: usize,
}

impl Default for Limits {
    /// 200 exchanges, three silences.
    fn default() -> Self {
        Self { exchanges: 200, silences: 3 }
    }
}

/// How long a document waits whose certificate cannot be used.
const CERTIFICATE_WAIT: Duration = Duration::minutes(15);
/// How long one waits whose entity cannot be entered.
const ENTITY_WAIT: Duration = Duration::hours(1);
/// Units that may fail for want of the store in one run before it ends.
const MAX_INTERRUPTIONS: usize = 3;

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Messages sent.
    pub sent: usize,
    /// Documents that were confirmed.
    pub confirmed: usize,
    /// What was left alone or refused, for the log.
    pub problems: Vec<Problem>,
    /// Documents whose last day begins, or has passed, without a confirmation: an
    /// operator has to look at them.
    pub alarms: Vec<Alarm>,
    /// How often the store did not answer.
    pub interruptions: usize,
    /// Whether a limit ended the run before all was done.
    pub has_more: bool,
}

/// A document that is not fiscalized, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub document_id: DocumentId,
    /// Why.
    pub reason: String,
}

/// A document whose legal deadline comes near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// Which.
    pub document_id: DocumentId,
    /// Whom it is to be reported to.
    pub authority: Authority,
    /// The last day on which that may be done, in the authority's zone.
    pub deadline: time::Date,
    /// What last came in the way: a code, else in words; `None` before anybody said anything.
    pub error: Option<String>,
}

/// Sends all documents whose next attempt is due, of all tenants, also of those that have
/// switched fiscalization off.
///
/// `stamp` answers a stamp of the time it is called at. Any number of workers may run at once: an
/// attempt is begun by one of them, which the others leave alone for [`racun_fiscal::LEASE`]. When
/// this is dropped at any moment, what was begun is begun again when the lease has expired.
///
/// # Errors
/// When what is due cannot be read.
pub async fn run_due(
    store: &dyn Store,
    fiscal: &Fiscal,
    stamp: &(dyn Fn() -> Stamp + Sync),
    limits: Limits,
) -> Result<Report, StoreError> {
    let silences = BTreeMap::new();
    let mut worker = Worker { store, fiscal, limits, silences, report: Report::default() };
    let mut query = due_by(stamp().now());
    query.limit = limits.exchanges.min(query.limit);
    let page = store.page(&DUE_EXCHANGES, &Tenant::directory(), &query).await?;
    worker.report.has_more = page.pagination.has_more;
    for row in &page.rows {
        if worker.report.interruptions >= MAX_INTERRUPTIONS {
            break;
        }
        worker.visit(row, &stamp()).await;
    }
    Ok(worker.report)
}

/// Ends the leases that a process left which is gone, so that what it was sending is sent at once.
/// Answers how many there were.
///
/// Only for a process that is alone with its store, before it sends anything: the lease of one who
/// lives is not to be ended. An authority that heard of it hears of it again, which it bears.
///
/// # Errors
/// When the store does not answer.
pub async fn end_leases(store: &dyn Store, stamp: &Stamp) -> Result<usize, StoreError> {
    let query = leased_at(stamp.now());
    let page = store.page::<DueExchange>(&DUE_EXCHANGES, &Tenant::directory(), &query).await?;
    let mut ended = 0;
    for row in page.rows {
        let entered = enter_as_system(store, row.account_id, row.entity_id).await;
        // Who cannot be entered waits for the worker.
        let Ok((scope, _)) = entered else { continue };
        let id = row.document_id;
        let left = |exchange: Exchange, now| Ok::<_, StoreError>(exchange.left(now));
        match deliver::amend(Context::new(store, &scope, stamp), id, left).await {
            Ok((_, exchange)) => ended += usize::from(exchange.is_due(stamp.now())),
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ended)
}

struct Worker<'a> {
    store: &'a dyn Store,
    fiscal: &'a Fiscal,
    limits: Limits,
    /// Consecutive exchanges without a trustworthy answer, by system.
    silences: BTreeMap<(Authority, &'static str), usize>,
    report: Report,
}

/// Why an exchange is left alone.
enum Aside {
    /// Its entity cannot be entered.
    Entity(String),
    /// The store did not answer.
    Interrupted(String),
    /// Something is wrong with it that no time mends.
    Stuck(String),
}

impl From<StoreError> for Aside {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => Self::Interrupted(reason),
            other => Self::Stuck(other.to_string()),
        }
    }
}

impl From<AccessError> for Aside {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Store(error) => error.into(),
            other => Self::Entity(other.to_string()),
        }
    }
}

impl Worker<'_> {
    async fn visit(&mut self, row: &DueExchange, stamp: &Stamp) {
        let system = (row.authority, row.environment.name());
        let reason = match self.try_visit(row, system, stamp).await {
            Ok(()) => return,
            Err(Aside::Interrupted(reason)) => {
                self.report.interruptions += 1;
                reason
            }
            Err(Aside::Entity(reason) | Aside::Stuck(reason)) => {
                if self.put_row_off(row, stamp).await.is_err() {
                    self.report.interruptions += 1;
                }
                reason
            }
        };
        self.problem(row, reason);
    }

    fn problem(&mut self, row: &DueExchange, reason: String) {
        self.report.problems.push(Problem { document_id: row.document_id, reason });
    }

    async fn try_visit(
        &mut self,
        row: &DueExchange,
        system: (Authority, &'static str),
        stamp: &Stamp,
    ) -> Result<(), Aside> {
        let entered = enter_as_system(self.store, row.account_id, row.entity_id).await;
        let (scope, _) = entered?;
        let cx = Context::new(self.store, &scope, stamp);
        let stuck = || Aside::Stuck("there is no such document".to_owned());
        let id = row.document_id;
        let seen = exchange_of(cx, id).await?.ok_or_else(stuck)?;
        // Before all else: a long backlog behind a silent system shall not wait for its alarms.
        self.alarm(cx, id, &seen).await?;
        if self.silences.get(&system).is_some_and(|silences| *silences >= self.limits.silences) {
            self.report.has_more = true;
            return Ok(());
        }
        let identity = match self.identity(&scope, row.authority, stamp.now()).await? {
            Ok(identity) => identity,
            Err(refused) => {
                self.wait(cx, id, refused).await?;
                self.problem(row, refused.to_string());
                return Ok(());
            }
        };
        let message_id = MessageId::new(stamp);
        let is_due: fn(&Exchange, OffsetDateTime) -> bool = Exchange::is_due;
        let begun = begin(cx, id, message_id.clone(), is_due).await?;
        let Some((_, exchange)) = begun else { return Ok(()) };
        let content = exchange.content;
        let is_late = content.is_late(false);
        let sending = Sending { document_id: id, content, message_id, is_late, identity };
        self.report.sent += 1;
        let patience = Patience::Background;
        let delivered = deliver::deliver(cx, self.fiscal, sending, patience).await?;
        self.note(row, system, delivered);
        Ok(())
    }

    fn note(&mut self, row: &DueExchange, system: (Authority, &'static str), delivered: Delivered) {
        let silences = self.silences.entry(system).or_default();
        *silences = match delivered.outcome {
            ExchangeOutcome::Unknown(_) => *silences + 1,
            ExchangeOutcome::Confirmed(_) | ExchangeOutcome::Refused { .. } => 0,
        };
        match (delivered.outcome, delivered.exchange.state) {
            (ExchangeOutcome::Confirmed(_), _) => self.report.confirmed += 1,
            (_, State::Blocked { code, message }) => {
                self.problem(row, format!("refused, {code}: {message}"));
            }
            (ExchangeOutcome::Refused { code, message, .. }, _) => {
                self.problem(row, format!("not taken yet, {code}: {message}"));
            }
            (ExchangeOutcome::Unknown(reason), _) => self.problem(row, reason),
        }
    }

    /// Raises the alarm once when the document's last day begins.
    async fn alarm(
        &mut self,
        cx: Context<'_>,
        id: DocumentId,
        seen: &Exchange,
    ) -> Result<(), StoreError> {
        let authority = seen.content.authority();
        let lost_on = seen.lost_on.unwrap_or_else(|| seen.content.issued_on());
        let alarm = alarm_at(authority, seen.content.days(), lost_on);
        let is_near = seen.due_at().is_some() && alarm <= cx.now();
        if seen.alarmed_at.is_some() || !is_near {
            return Ok(());
        }
        let (_, exchange) = deliver::amend(cx, id, |exchange, now| {
            Ok::<_, StoreError>(match exchange.alarmed_at {
                None => exchange.alarmed(now),
                Some(_) => exchange,
            })
        })
        .await?;
        let deadline = racun_fiscal::deadline(authority, seen.content.days(), lost_on);
        let said = exchange.attempts.into_iter().rev().find_map(|attempt| attempt.answer);
        let error = exchange.error.or(said);
        self.report.alarms.push(Alarm {
            document_id: seen.document_id,
            authority,
            deadline,
            error,
        });
        Ok(())
    }

    async fn identity(
        &self,
        scope: &Scope,
        authority: Authority,
        now: OffsetDateTime,
    ) -> Result<Result<Identity, FiscalizationRefused>, Aside> {
        let settings = match settings(self.store, scope.entity(), authority).await {
            Ok(settings) => settings,
            Err(FiscalizationError::Refused(refused)) => return Ok(Err(refused)),
            Err(FiscalizationError::Document(racun_documents::DocumentError::Store(error))) => {
                return Err(error.into());
            }
            Err(other) => return Err(Aside::Stuck(other.to_string())),
        };
        Ok(identity(Some(self.fiscal), &settings, now).map(|(identity, _)| identity))
    }

    /// Lets the document wait for a certificate that can be used.
    async fn wait(
        &self,
        cx: Context<'_>,
        id: DocumentId,
        refused: FiscalizationRefused,
    ) -> Result<(), StoreError> {
        let waits = deliver::amend(cx, id, move |exchange, now| {
            Ok::<_, StoreError>(match exchange.is_due(now) {
                true => exchange.put_off(refused.code(), now + CERTIFICATE_WAIT, now),
                false => exchange,
            })
        });
        waits.await.map(drop)
    }

    /// Puts `row` off to a later run, unless it has changed since it was read.
    async fn put_row_off(&self, row: &DueExchange, stamp: &Stamp) -> Result<(), StoreError> {
        let (seen, due_at) = (row.clone(), stamp.now() + ENTITY_WAIT);
        let (id, tenant) = (row.document_id.to_string(), Tenant::directory());
        let put_off = self.store.amend(&DUE_EXCHANGES, &tenant, id, move |held: DueExchange| {
            Ok(if held == seen {
                Decision::changed(DueExchange { due_at, ..held }, Vec::new())
            } else {
                Decision::Unchanged(held)
            })
        });
        match put_off.await {
            Ok(_) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
