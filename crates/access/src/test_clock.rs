//! The test clock of an account's sandbox: what its jobs take for now.

use racun_kernel::calendar::format_instant;
use racun_kernel::id::AccountId;
use racun_kernel::{Environment, Issue, Stamp, Tenant};
use racun_store::{Field, Put, Store, StoreError, Writes};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::{AccessError, AccountScope};

/// A clock that an account moves ahead for the jobs of its sandbox entities.
///
/// Requests go on in real time. Once real time has passed it, it has no effect any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestClock {
    /// Whose it is: an account has at most one.
    pub account_id: AccountId,
    /// What it shows.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// When it was first moved, in real time.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it was last moved, in real time.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where test clocks are kept: in the directory, where workers find those of all accounts.
    pub static TEST_CLOCKS: TestClock = "test_clocks";
    |clock|
    id: clock.account_id,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => clock.account_id,
        Field::instant("now").indexed() => clock.now,
        Field::instant("created_at") => clock.created_at,
        Field::instant("updated_at") => clock.updated_at,
    }
}

impl TestClock {
    /// The farthest that one call moves it: two years, one of which may be a leap year.
    pub const MAX_ADVANCE: Duration = Duration::days(731);
}

/// What jobs for the sandbox entities of `account` take for now: the later of real time and the
/// account's test clock.
///
/// # Errors
/// The store's failure.
pub async fn sandbox_now(
    store: &dyn Store,
    account: AccountId,
    stamp: &Stamp,
) -> Result<OffsetDateTime, StoreError> {
    let directory = Tenant::directory();
    let clock: Option<TestClock> =
        store.get(&TEST_CLOCKS, &directory, &account.to_string()).await?;
    Ok(clock.map_or(stamp.now(), |clock| clock.now.max(stamp.now())))
}

/// What the test clock of the caller's account shows.
///
/// # Errors
/// [`AccessError::NotFound`] for a caller without access to the sandbox, or the store's failure.
pub async fn get_test_clock(
    store: &dyn Store,
    scope: &AccountScope,
    stamp: &Stamp,
) -> Result<OffsetDateTime, AccessError> {
    if !scope.reaches(Environment::Sandbox) {
        return Err(AccessError::NotFound { id: "sandbox".to_owned() });
    }
    Ok(sandbox_now(store, scope.account, stamp).await?)
}

/// Accepts a move of a clock from `now` to `to`. The same instant again is no mistake: an answer
/// may have been lost.
///
/// # Errors
/// An issue at `advance_to` for the past, and for more than [`TestClock::MAX_ADVANCE`] at once.
pub fn check_advance(now: OffsetDateTime, to: OffsetDateTime) -> Result<(), AccessError> {
    let farthest = now.saturating_add(TestClock::MAX_ADVANCE);
    let (code, message) = if to < now {
        ("not_forward", format!("the clock shows {} and only goes on", format_instant(now)))
    } else if to > farthest {
        let farthest = format_instant(farthest);
        ("too_far", format!("at most two years at once, so up to {farthest}; then call again"))
    } else {
        return Ok(());
    };
    Err(Issue::new(code, message).at("advance_to").into())
}

/// Lets the test clock of the caller's account show `to`, or what it shows when that is later.
/// [`check_advance`] comes first, and what jobs do until then.
///
/// # Errors
/// The store's failure.
pub async fn move_test_clock(
    store: &dyn Store,
    scope: &AccountScope,
    to: OffsetDateTime,
    stamp: &Stamp,
) -> Result<OffsetDateTime, AccessError> {
    match move_once(store, scope.account, to, stamp).await {
        // Another call made the clock first: now there is one to move.
        Err(AccessError::Store(StoreError::Duplicate { .. })) => {
            move_once(store, scope.account, to, stamp).await
        }
        moved => moved,
    }
}

async fn move_once(
    store: &dyn Store,
    account_id: AccountId,
    to: OffsetDateTime,
    stamp: &Stamp,
) -> Result<OffsetDateTime, AccessError> {
    let now = stamp.now();
    let mut unit = store.unit(Tenant::directory());
    let clock = unit.hold(&TEST_CLOCKS, account_id);
    unit.decide(move |held| {
        let before: Option<TestClock> = held.find(clock)?;
        let shown = before.as_ref().map_or(to, |clock| clock.now.max(to));
        let created_at = before.as_ref().map_or(now, |clock| clock.created_at);
        let after = TestClock { account_id, now: shown, created_at, updated_at: now };
        Ok((shown, Writes::default().put(Put::write(before.as_ref(), &after))))
    })
    .await
}
