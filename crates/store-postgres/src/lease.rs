//! Whether this process is the only writer: then it sees every change, and may cache what it reads.
//!
//! The row of the table `lease` counts epochs. A transaction that writes names the epoch that its
//! process knows, and the server refuses it in any other; no epoch ends while a transaction writes
//! in it. There are three kinds, each ended by the process that begins the next:
//!
//! - **crowd**: every process that knows its number writes, and none caches anything.
//! - **alone**: the process that began it writes and caches what it reads. It asks four times a
//!   second whether the epoch goes on; an answer is valid for [`VALID_FOR`] from when it asked.
//! - **leaving**: no process writes. Another one has ended the epoch of the one that was alone,
//!   which may not know it yet. When it learns of it, it begins a crowd; when it is silent for
//!   [`WAIT`], another process does.
//!
//! So before another process writes, the one that was alone has either cleared its cache, or its
//! lease has run out on its own clock. Each process also holds a shared advisory lock, from
//! which a process sees whether others are there before it tries to be alone. Correctness does not
//! depend on that lock. ADR 0014 has the whole argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;
use racun_store::StoreError;
use racun_store::read_cache::ReadCache;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::pool;
use crate::statement::{EpochRow, NumberRow, Statement, batch};

/// How often a process asks whether the epoch goes on.
const BEAT: Duration = Duration::from_millis(250);
/// The same while it must not write.
const HASTE: Duration = Duration::from_millis(20);
/// How long the answer is valid, from when it was asked for.
const VALID_FOR: Duration = Duration::from_secs(1);
/// How long a process that was alone may be silent before others write: longer than [`VALID_FOR`]
/// by any clock that is off by less than a fifth.
const WAIT: Duration = Duration::from_millis(1_250);
/// How long a write waits until its process may write.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long the server has for an answer here, and how long after a failure it is asked again.
const ANSWER: Duration = Duration::from_secs(3);
const AGAIN: Duration = Duration::from_millis(100);

/// Every process holds it together with the others. The number is that of the migrations' lock and
/// two.
const JOIN: &str = "SET application_name = 'racun lease'; \
                    SELECT pg_advisory_lock_shared(491260798320)";
/// Whether no other process holds it.
const IS_ONLY_ONE: &str = "SELECT pg_try_advisory_lock(491260798320)::integer::bigint AS number";
/// Lets others hold it again.
const LET_JOIN: &str = "SELECT pg_advisory_unlock(491260798320)";

/// What this process knows of the epoch, for those who read and write.
pub(crate) struct Lease(Arc<LeaseState>);

struct LeaseState {
    /// The epoch to write in, or why there is none.
    epoch: watch::Sender<Result<i64, String>>,
    /// Until when this process is certain to be alone, in microseconds since it was opened.
    valid_until: AtomicU64,
    opened: Instant,
    cache: ReadCache,
    /// Wakes the task that asks the server.
    nudge: Notify,
    has_ended: AtomicBool,
}

/// That this process is alone, as it was known when a read of the cache began.
#[derive(Clone, Copy)]
pub(crate) struct LeaseValidity<'a> {
    shared: &'a LeaseState,
    until: u64,
}

impl LeaseValidity<'_> {
    /// Whether it still holds: then it held when the cache was read. Ask after the read, for a
    /// process may be suspended in between for any time.
    pub(crate) fn held(self) -> bool {
        self.shared.now() < self.until
    }
}

impl Lease {
    /// Begins to ask the database at `url`. Where others are said to write too, never alone.
    pub(crate) fn of(url: &str, others_write: bool, runtime: &Handle) -> Self {
        let (epoch, _) = watch::channel(Err("nothing was heard of the lease yet".to_owned()));
        let shared = Arc::new(LeaseState {
            epoch,
            valid_until: AtomicU64::new(0),
            opened: Instant::now(),
            cache: ReadCache::new(false),
            nudge: Notify::new(),
            has_ended: AtomicBool::new(false),
        });
        let keeper = Keeper { shared: Arc::clone(&shared), others_write, own: None, leaving: None };
        runtime.spawn(keeper.keep(url.to_owned()));
        Self(shared)
    }

    /// The epoch to write in.
    ///
    /// # Errors
    /// When others do not give it up, or the server does not answer.
    pub(crate) async fn epoch(&self) -> Result<i64, StoreError> {
        if let Ok(epoch) = &*self.0.epoch.borrow() {
            return Ok(*epoch);
        }
        let mut heard = self.0.epoch.subscribe();
        let found = timeout(PATIENCE, heard.wait_for(Result::is_ok)).await;
        let found = found.map(|heard| heard.map(|epoch| epoch.clone()));
        let reason = match found {
            Ok(Ok(epoch)) => epoch,
            Ok(Err(_)) | Err(_) => self.0.epoch.borrow().clone(),
        };
        reason
            .map_err(|reason| StoreError::Unavailable(format!("nothing can be written: {reason}")))
    }

    /// The server says that `epoch` has ended.
    pub(crate) fn ended(&self, epoch: i64) {
        self.0.end(epoch, "another epoch begins");
        self.0.nudge.notify_one();
    }

    /// Called when the outcome of a commit is unknown. Reads are not cached from then on, and the
    /// next epoch begins after that commit.
    pub(crate) fn lose(&self) {
        self.0.suspend();
        self.0.nudge.notify_one();
    }

    /// That this process is alone, if it is.
    pub(crate) fn validity(&self) -> Option<LeaseValidity<'_>> {
        let validity =
            LeaseValidity { shared: &self.0, until: self.0.valid_until.load(Ordering::SeqCst) };
        validity.held().then_some(validity)
    }

    /// What is kept while this process is alone.
    pub(crate) fn cache(&self) -> &ReadCache {
        &self.0.cache
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.suspend();
        self.0.has_ended.store(true, Ordering::SeqCst);
        self.0.nudge.notify_one();
    }
}

impl LeaseState {
    fn now(&self) -> u64 {
        self.microseconds(Instant::now())
    }

    fn microseconds(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.opened).as_micros()).unwrap_or(u64::MAX)
    }

    fn extend(&self, since: Instant) {
        self.valid_until.store(self.microseconds(since + VALID_FOR), Ordering::SeqCst);
    }

    /// Keeps nothing any more.
    fn suspend(&self) {
        self.valid_until.store(0, Ordering::SeqCst);
        self.cache.close();
    }

    fn begin(&self, epoch: i64) {
        self.epoch.send_if_modified(|known| {
            let is_new = known.as_ref() != Ok(&epoch);
            *known = Ok(epoch);
            is_new
        });
    }

    /// Ends writes of this process in `epoch`.
    fn end(&self, epoch: i64, reason: &str) {
        self.epoch.send_if_modified(|known| {
            let is_it = known.as_ref() == Ok(&epoch);
            if is_it {
                *known = Err(reason.to_owned());
            }
            is_it
        });
    }

    /// Says why there is no epoch to write in, if there is none.
    fn explain(&self, reason: &str) {
        self.epoch.send_if_modified(|known| {
            if let Err(known) = known {
                reason.clone_into(known);
            }
            false
        });
    }
}

/// What the row says.
struct Seen {
    epoch: i64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Crowd,
    Alone,
    Leaving,
}

impl State {
    const ALL: [Self; 3] = [Self::Crowd, Self::Alone, Self::Leaving];

    const fn name(self) -> &'static str {
        match self {
            Self::Crowd => "crowd",
            Self::Alone => "alone",
            Self::Leaving => "leaving",
        }
    }
}

/// Asks the server, as long as the store is there.
struct Keeper {
    shared: Arc<LeaseState>,
    others_write: bool,
    /// The epoch in which this process is alone.
    own: Option<i64>,
    leaving: Option<(i64, Instant)>,
}

impl Keeper {
    async fn keep(mut self, url: String) {
        while !self.shared.has_ended.load(Ordering::SeqCst) {
            if let Err(reason) = self.attend(&url).await {
                // A server that comes back may have forgotten what it said: see the ADR.
                self.shared.suspend();
                self.shared.explain(&reason);
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    /// Asks in one session until that is lost, or the store is gone.
    async fn attend(&mut self, url: &str) -> Result<(), String> {
        let session = answered(join(url)).await?;
        loop {
            let is_settled = answered(self.step(&session)).await?;
            if self.shared.has_ended.load(Ordering::SeqCst) && self.own.is_none() {
                return Ok(());
            }
            let pause = if is_settled { BEAT } else { HASTE };
            // Woken or not, it is time.
            let _: Result<(), _> = timeout(pause, self.shared.nudge.notified()).await;
        }
    }

    /// Looks at the row and does what follows. Answers whether this process may write as it is.
    async fn step(&mut self, session: &AsyncPgConnection) -> Result<bool, String> {
        let asked = Instant::now();
        let seen = look(session).await?;
        let is_own = seen.state == State::Alone && self.own == Some(seen.epoch);
        if is_own && self.shared.cache.is_open() {
            self.shared.extend(asked);
            self.shared.begin(seen.epoch);
            return Ok(true);
        }
        self.shared.suspend();
        let was_own = seen.state == State::Leaving && self.own == Some(seen.epoch - 1);
        if is_own || was_own {
            // Nothing is kept here any more: others may write.
            self.shared
                .end(if is_own { seen.epoch } else { seen.epoch - 1 }, "another epoch begins");
            end_epoch(session, seen.epoch, State::Crowd).await?;
            self.own = None;
            return Ok(false);
        }
        self.own = None;
        if !is_crowd(session, &seen, &mut self.leaving).await? {
            self.shared
                .explain("another process was alone on the database and has not left it yet");
            return Ok(false);
        }
        self.shared.begin(seen.epoch);
        if !self.others_write && !self.shared.has_ended.load(Ordering::SeqCst) {
            self.try_to_be_alone(session, seen.epoch).await?;
        }
        Ok(true)
    }

    /// Begins an epoch alone when no other process is there.
    async fn try_to_be_alone(
        &mut self,
        session: &AsyncPgConnection,
        crowd: i64,
    ) -> Result<(), String> {
        if number(session, Statement::new(IS_ONLY_ONE)).await? != Some(1) {
            return Ok(());
        }
        let asked = Instant::now();
        let begun = end_epoch(session, crowd, State::Alone).await;
        batch(session, LET_JOIN).await.map_err(|error| error.to_string())?;
        if let Some(epoch) = begun? {
            self.own = Some(epoch);
            self.shared.cache.open();
            self.shared.begin(epoch);
            self.shared.extend(asked);
        }
        Ok(())
    }
}

/// Whether a process works on the database at `url` at this moment.
///
/// # Errors
/// [`StoreError::Unavailable`] when the server does not answer.
pub(crate) async fn is_in_use(url: &str) -> Result<bool, StoreError> {
    let asked = async {
        let session = pool::session(url).await?;
        // The lock ends with the session.
        Ok(number(&session, Statement::new(IS_ONLY_ONE)).await? != Some(1))
    };
    asked.await.map_err(StoreError::Unavailable)
}

/// Keeps every process from being alone on the database at `url` until the returned session ends.
/// Returns none where there is no lease yet.
pub(crate) async fn crowd(url: &str) -> Result<Option<AsyncPgConnection>, String> {
    let session = join(url).await?;
    let is_there = Statement::new("SELECT to_regclass('lease')::oid::bigint AS number");
    if number(&session, is_there).await?.is_none() {
        return Ok(None);
    }
    let mut leaving = None;
    while !is_crowd(&session, &look(&session).await?, &mut leaving).await? {
        tokio::time::sleep(HASTE).await;
    }
    Ok(Some(session))
}

/// Whether all may write. If not, it takes the next step towards that; `leaving` is since when the
/// process that was alone has known of the end of its epoch.
async fn is_crowd(
    session: &AsyncPgConnection,
    seen: &Seen,
    leaving: &mut Option<(i64, Instant)>,
) -> Result<bool, String> {
    match seen.state {
        State::Crowd => return Ok(true),
        State::Alone => {
            end_epoch(session, seen.epoch, State::Leaving).await?;
        }
        State::Leaving => match leaving {
            Some((epoch, since)) if *epoch == seen.epoch => {
                if since.elapsed() >= WAIT {
                    end_epoch(session, seen.epoch, State::Crowd).await?;
                }
            }
            _ => *leaving = Some((seen.epoch, Instant::now())),
        },
    }
    Ok(false)
}

async fn join(url: &str) -> Result<AsyncPgConnection, String> {
    let session = pool::session(url).await?;
    batch(&session, JOIN).await.map_err(|error| error.to_string())?;
    Ok(session)
}

async fn look(session: &AsyncPgConnection) -> Result<Seen, String> {
    let rows = Statement::new("SELECT epoch, state FROM lease").rows::<EpochRow>(session).await;
    let rows = rows.map_err(|error| error.to_string())?;
    let seen = rows.first().and_then(|row| {
        let state = State::ALL.into_iter().find(|state| state.name() == row.state)?;
        Some(Seen { epoch: row.epoch, state })
    });
    seen.ok_or_else(|| "the table lease has no row".to_owned())
}

/// Ends the epoch `known` and answers the next one, unless another process has ended it.
async fn end_epoch(
    session: &AsyncPgConnection,
    known: i64,
    next: State,
) -> Result<Option<i64>, String> {
    let end = Statement::new("SELECT racun_end_epoch($1, $2) AS number");
    number(session, end.bind(crate::statement::Bind::Int(known)).bind(next.name())).await
}

pub(crate) async fn number(
    session: &AsyncPgConnection,
    statement: Statement,
) -> Result<Option<i64>, String> {
    let rows = statement.rows::<NumberRow>(session).await.map_err(|error| error.to_string())?;
    Ok(rows.first().and_then(|row| row.number))
}

/// What `asked` answers, unless that takes too long.
async fn answered<T>(asked: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let late = |_| Err("the server does not answer".to_owned());
    timeout(ANSWER, asked).await.unwrap_or_else(late)
}
