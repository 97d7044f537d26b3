//! The exchanges of all tenants that are due: each is sent once more.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use racun_access::enter_as_system;
use racun_background::jobs::{self, DueWork, Limits, Setback};
use racun_documents::DocumentId;
use racun_fiscal::{
    Authority, DUE_EXCHANGES, DueExchange, Exchange, ExchangeOutcome, Identity, MessageId,
    Patience, State, alarm_at, due_by, leased_at,
};
use racun_kernel::{Scope, Stamp, Tenant};
use racun_store::{Context, Store, StoreError, Table, Walk};
use time::{Duration, OffsetDateTime};

use super::Fiscal;
use super::deliver::{self, Delivered, Sending};
use super::error::{FiscalizationError, FiscalizationRefused};

use super::later::{begin, exchange_of, settings};
use super::prepare::identity;

/// How much one run usually does at most: it looks at 200 exchanges.
pub const LIMITS: Limits = Limits { rows: 200, each: 1 };

/// What a run did: messages that it sent, documents that were confirmed.
pub type Report = jobs::Report<Alarm>;

/// Messages in a row of which an authority says nothing that can be believed, before it is left
/// alone for the rest of the run.
const MAX_SILENCES: usize = 3;
/// How long a document waits whose certificate cannot be used.
const CERTIFICATE_WAIT: Duration = Duration::minutes(15);
/// How long one waits whose entity cannot be entered.
const ENTITY_WAIT: Duration = Duration::hours(1);

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
    let worker = Worker { store, fiscal, stamp, silences: Mutex::default() };
    jobs::run_due(store, worker, due_by(stamp().now()), limits).await
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
    let leased = leased_at(stamp.now());
    let mut walk = Walk::through(&DUE_EXCHANGES, Tenant::directory(), leased);
    let mut ended = 0;
    while let Some(rows) = walk.next::<DueExchange>(store).await? {
        for row in rows {
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
    }
    Ok(ended)
}

struct Worker<'a> {
    store: &'a dyn Store,
    fiscal: &'a Fiscal,
    stamp: &'a (dyn Fn() -> Stamp + Sync),
    /// Consecutive exchanges without a trustworthy answer, by system.
    silences: Mutex<BTreeMap<(Authority, &'static str), usize>>,
}

#[async_trait]
impl DueWork for Worker<'_> {
    /// What an authority does not answer tells whether the next message is sent.
    const AT_ONCE: usize = 1;

    type Row = DueExchange;
    type Alarm = Alarm;

    fn table(&self) -> &'static Table {
        &DUE_EXCHANGES
    }

    async fn attempt(&self, row: &DueExchange, report: &mut Report) -> Result<(), Setback> {
        let stamp = (self.stamp)();
        let (scope, _) = enter_as_system(self.store, row.account_id, row.entity_id).await?;
        let cx = Context::new(self.store, &scope, &stamp);
        let stuck = || Setback::Stuck("there is no such document".to_owned());
        let id = row.document_id;
        let seen = exchange_of(cx, id).await?.ok_or_else(stuck)?;
        // Before all else: a long backlog behind a silent system shall not wait for its alarms.
        report.alarms.extend(alarm(cx, id, &seen).await?);
        let system = (row.authority, row.environment.name());
        if self.silences().get(&system).is_some_and(|silences| *silences >= MAX_SILENCES) {
            report.has_more = true;
            return Ok(());
        }
        let identity = match self.identity(&scope, row.authority, stamp.now()).await? {
            Ok(identity) => identity,
            Err(refused) => {
                wait(cx, id, refused).await?;
                report.note(row, refused.to_string());
                return Ok(());
            }
        };
        let message_id = MessageId::new(&stamp);
        let is_due: fn(&Exchange, OffsetDateTime) -> bool = Exchange::is_due;
        let begun = begin(cx, id, message_id.clone(), is_due).await?;
        let Some((_, exchange)) = begun else { return Ok(()) };
        let content = exchange.content;
        let is_late = content.is_late(false);
        let sending = Sending { document_id: id, content, message_id, is_late, identity };
        report.attempts += 1;
        let patience = Patience::Background;
        let delivered = deliver::deliver(cx, self.fiscal, sending, patience).await?;
        self.count(row, system, delivered, report);
        Ok(())
    }

    fn put_off(&self, row: &DueExchange) -> DueExchange {
        DueExchange { due_at: (self.stamp)().now() + ENTITY_WAIT, ..row.clone() }
    }
}

impl Worker<'_> {
    fn silences(&self) -> MutexGuard<'_, BTreeMap<(Authority, &'static str), usize>> {
        self.silences.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(
        &self,
        row: &DueExchange,
        system: (Authority, &'static str),
        delivered: Delivered,
        report: &mut Report,
    ) {
        let is_silent = matches!(delivered.outcome, ExchangeOutcome::Unknown(_));
        let mut silences = self.silences();
        let silences = silences.entry(system).or_default();
        *silences = if is_silent { *silences + 1 } else { 0 };
        match (delivered.outcome, delivered.exchange.state) {
            (ExchangeOutcome::Confirmed(_), _) => report.done += 1,
            (_, State::Blocked { code, message }) => {
                report.note(row, format!("refused, {code}: {message}"));
            }
            (ExchangeOutcome::Refused { code, message, .. }, _) => {
                report.note(row, format!("not taken yet, {code}: {message}"));
            }
            (ExchangeOutcome::Unknown(reason), _) => report.note(row, reason),
        }
    }

    async fn identity(
        &self,
        scope: &Scope,
        authority: Authority,
        now: OffsetDateTime,
    ) -> Result<Result<Identity, FiscalizationRefused>, Setback> {
        let settings = match settings(self.store, scope.entity(), authority).await {
            Ok(settings) => settings,
            Err(FiscalizationError::Refused(refused)) => return Ok(Err(refused)),
            Err(FiscalizationError::Document(racun_documents::DocumentError::Store(error))) => {
                return Err(error.into());
            }
            Err(other) => return Err(Setback::Stuck(other.to_string())),
        };
        Ok(identity(Some(self.fiscal), &settings, now).map(|(identity, _)| identity))
    }
}

/// Raises the alarm once when the document's last day begins.
async fn alarm(
    cx: Context<'_>,
    id: DocumentId,
    seen: &Exchange,
) -> Result<Option<Alarm>, StoreError> {
    let authority = seen.content.authority();
    let lost_on = seen.lost_on.unwrap_or_else(|| seen.content.issued_on());
    let alarm = alarm_at(authority, seen.content.days(), lost_on);
    let is_near = seen.due_at().is_some() && alarm <= cx.now();
    if seen.alarmed_at.is_some() || !is_near {
        return Ok(None);
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
    Ok(Some(Alarm { document_id: seen.document_id, authority, deadline, error }))
}

/// Lets the document wait for a certificate that can be used.
async fn wait(
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
