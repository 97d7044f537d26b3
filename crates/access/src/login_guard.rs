//! How wrong passwords slow down guessing, and hardly a user who logs in from a known place.
//!
//! Failures are counted under a digest of the address, whether a user has it or not, and in the
//! store, so that several processes count together and a restart forgets none. Where a user
//! logged in rightly within 90 days, by network, failures are counted apart: guesses from elsewhere
//! lock no user out there. The mail that sets a new password does the same for where it was read.
//!
//! Failures come in runs of a quarter of an hour. A lock ends with its run at the latest, and then
//! some attempts are free again, so guesses that go on do not prolong a lock for ever.

use std::collections::BTreeSet;

use racun_kernel::{Stamp, Tenant};
use racun_store::{
    Clause, Field, ListQuery, Many, One, Operator, Put, Store, StoreError, UnitBuilder, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::email::fold_email;
use crate::network::neighbourhood;
use crate::{AccessError, Digest, Session, USERS, User};

/// Failures that cost no waiting but for the last.
const FREE_FAILURES: u32 = 10;
/// How long the last free failure, and each one after it, locks; the last holds for all that
/// follow.
const LOCKS: [Duration; 5] = [
    Duration::seconds(30),
    Duration::minutes(1),
    Duration::minutes(2),
    Duration::minutes(5),
    LONGEST,
];
/// How long a run of failures lasts, and with it the locks in it.
const LONGEST: Duration = Duration::minutes(15);
/// Failures of each further run within a day, the last of which locks until the run ends. By these
/// an attacker has about three hundred guesses a day, from however many addresses.
const LATER_FAILURES: u32 = 3;
/// How long failures are remembered.
const REMEMBERED: Duration = Duration::hours(24);
/// Rows of the past that each failure clears away at most.
const SWEPT: usize = 20;
/// The id of a user who is not there.
pub(crate) const UNKNOWN_USER: &str = "nobody";
/// How often counting is tried when others count the first failure at the same moment.
const TRIES: usize = 5;

/// Failures with one e-mail address, and at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginGuard {
    /// A digest of both.
    id: String,
    /// Failures since the last success, in the present run.
    failures: u32,
    /// Until when nothing is tried.
    #[serde(with = "time::serde::rfc3339::option")]
    locked_until: Option<OffsetDateTime>,
    /// When the first of them was.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When the present run began; `None` for with the first failure.
    #[serde(default, with = "time::serde::rfc3339::option")]
    run_began_at: Option<OffsetDateTime>,
}

racun_store::record! {
    /// Where failures are kept: in the directory, for a day.
    pub static LOGIN_GUARDS: LoginGuard = "login_guards";
    |guard|
    id: guard.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => guard.created_at,
    }
}

impl LoginGuard {
    /// The guard after another failure at `now`.
    fn failed(before: Option<&Self>, id: String, now: OffsetDateTime) -> Self {
        let before = before.filter(|guard| guard.created_at > now - REMEMBERED);
        let created_at = before.map_or(now, |guard| guard.created_at);
        let run = before.filter(|guard| now < guard.run_began_at() + LONGEST);
        let failures = run.map_or(0, |guard| guard.failures).saturating_add(1);
        let began = run.map_or(now, Self::run_began_at);
        let lock = match began == created_at {
            true => lock_after(failures),
            false => (failures >= LATER_FAILURES).then_some(LONGEST),
        };
        let locked_until = lock.map(|lock| (now + lock).min(began + LONGEST));
        Self { id, failures, locked_until, created_at, run_began_at: Some(began) }
    }

    fn run_began_at(&self) -> OffsetDateTime {
        self.run_began_at.unwrap_or(self.created_at)
    }
}

/// How long the `failures`-th failure of the first run locks.
fn lock_after(failures: u32) -> Option<Duration> {
    let place = usize::try_from(failures.checked_sub(FREE_FAILURES)?).unwrap_or(usize::MAX);
    LOCKS.get(place).or(LOCKS.last()).copied()
}

/// What guards a log-in with `email` by a client at `place`, a network address; `user` is who has
/// the address, and `sessions` are theirs. Where they logged in before, it is one of that network.
pub(crate) fn guard_of(
    email: &str,
    place: Option<&str>,
    user: Option<&User>,
    sessions: &[Session],
    now: OffsetDateTime,
) -> String {
    let network = place.map(neighbourhood);
    let known = network.filter(|network| {
        let is_here = |place: Option<&str>| place.is_some_and(|one| neighbourhood(one) == *network);
        let is_known = |user: &User| {
            let digest = KnownPlace::digest(user, network);
            let mut places = user.known_places.iter().filter(|place| !place.is_over(now));
            is_here(user.password_set_from.as_deref()) || places.any(|one| one.digest == digest)
        };
        user.is_some_and(is_known) || sessions.iter().any(|one| is_here(one.address.as_deref()))
    });
    guard_id(email, known)
}

/// What guards log-ins with `email` where no user logged in before, and what does at `place`, as
/// when they did: both are forgotten by a new password that was set there.
pub(crate) fn guards_of(email: &str, place: Option<&str>) -> [String; 2] {
    [None, place.map(neighbourhood)].map(|network| guard_id(email, network))
}

fn guard_id(email: &str, network: Option<String>) -> String {
    let text = format!("{}\n{}", fold_email(email), network.unwrap_or_default());
    Digest::of(&text).as_str().to_owned()
}

/// A network where a user logged in rightly: by a digest, for it is only compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownPlace {
    digest: Digest,
    /// When they did last, to the day.
    #[serde(with = "time::serde::rfc3339")]
    seen_at: OffsetDateTime,
}

impl KnownPlace {
    fn digest(user: &User, network: &str) -> Digest {
        Digest::of(&format!("{}\n{network}", user.id))
    }

    fn is_over(&self, now: OffsetDateTime) -> bool {
        self.seen_at <= now - KNOWN
    }
}

/// How long a network is known after the last right log-in there.
const KNOWN: Duration = Duration::days(90);
/// Networks of a user that are known.
const MOST_KNOWN: usize = 5;

/// `user` with `place` among where they logged in; `None` where it was noted within a day.
pub(crate) fn remember(user: &User, place: Option<&str>, now: OffsetDateTime) -> Option<User> {
    let digest = KnownPlace::digest(user, &neighbourhood(place?));
    let is_noted = |one: &KnownPlace| one.digest == digest && one.seen_at > now - Duration::days(1);
    if user.known_places.iter().any(is_noted) {
        return None;
    }
    let mut after = user.clone();
    after.known_places.retain(|one| one.digest != digest && !one.is_over(now));
    after.known_places.insert(0, KnownPlace { digest, seen_at: now });
    after.known_places.truncate(MOST_KNOWN);
    Some(after)
}

/// Counts a failure under `id` before anything is tried: attempts at one moment take turns, and
/// those that the lock refuses are never evaluated.
///
/// # Errors
/// [`AccessError::PasswordLocked`] while it is locked, in which case nothing is counted; or the
/// store's failure.
pub(crate) async fn count_failure(
    store: &dyn Store,
    id: &str,
    user: Option<&User>,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    for _ in 1..TRIES {
        match try_count(store, id, user, stamp).await {
            // Another request counted the first failure at this moment.
            Err(AccessError::Store(StoreError::Duplicate { table: "login_guards", .. })) => {}
            done => return done,
        }
    }
    try_count(store, id, user, stamp).await
}

async fn try_count(
    store: &dyn Store,
    id: &str,
    user: Option<&User>,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let mut unit = store.unit(Tenant::directory());
    let before = hold(&mut unit, id);
    // As much work where there is no user.
    let user = user.map_or_else(|| UNKNOWN_USER.to_owned(), |user| user.id.to_string());
    let _: One<User> = unit.hold(&USERS, user);
    let swept = past(store, stamp.now()).await?;
    let swept = swept.iter().filter(|guard| guard.id != id);
    let swept = unit.hold_each(swept.map(|guard| (&LOGIN_GUARDS, guard.id.clone())));
    let (id, stamp) = (id.to_owned(), stamp.clone());
    unit.decide(move |held| {
        let now = held.now().unwrap_or(stamp.now());
        let before = held.find(before)?;
        let end = before.as_ref().and_then(|guard: &LoginGuard| guard.locked_until);
        if let Some(retry_after) = crate::switch::seconds_until(end, now) {
            return Err(AccessError::PasswordLocked { retry_after });
        }
        let after = LoginGuard::failed(before.as_ref(), id, now);
        let mut past: Vec<LoginGuard> = held.all(swept)?;
        past.retain(|guard| guard.created_at <= now - REMEMBERED);
        let put = Put::write(before.as_ref(), &after);
        Ok(((), Writes::default().put(put).puts(past.iter().map(Put::delete))))
    })
    .await
}

/// Some guards whose time is over.
async fn past(store: &dyn Store, now: OffsetDateTime) -> Result<Vec<LoginGuard>, AccessError> {
    let mut query = ListQuery::first_page(&LOGIN_GUARDS);
    (query.limit, query.count) = (SWEPT, false);
    let (place, field) =
        LOGIN_GUARDS.field("created_at").expect("the table declares when its rows began");
    let operator = Operator::Lte((now - REMEMBERED).into());
    query.clauses.push(Clause { field, place, key: None, operator });
    Ok(store.page(&LOGIN_GUARDS, &Tenant::directory(), &query).await?.rows)
}

/// Holds the guard `id`.
pub(crate) fn hold<By>(unit: &mut UnitBuilder<'_, By>, id: &str) -> One<LoginGuard> {
    unit.hold_of(Tenant::directory(), &LOGIN_GUARDS, id)
}

/// Holds the guards `ids`, which may be the same.
pub(crate) fn hold_all(unit: &mut UnitBuilder<'_, ()>, ids: [String; 2]) -> Many<LoginGuard> {
    unit.hold_each(BTreeSet::from(ids).into_iter().map(|id| (&LOGIN_GUARDS, id)))
}

/// Forgets the failures of `guards`.
pub(crate) fn forgive<'a>(guards: impl IntoIterator<Item = &'a LoginGuard>) -> Writes {
    Writes::default().puts(guards.into_iter().map(Put::delete))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    #[test]
    fn failures_lock_as_the_table_says() {
        let seconds = |failures| lock_after(failures).map_or(0, Duration::whole_seconds);
        assert_eq!((0..10).map(seconds).sum::<i64>(), 0);
        assert_eq!((10..17).map(seconds).collect::<Vec<_>>(), [30, 60, 120, 300, 900, 900, 900]);
        assert_eq!(seconds(u32::MAX), 900);
    }

    #[test]
    fn a_day_has_about_three_hundred_guesses() {
        let (mut now, mut guesses, mut guard) = (START, 0, None::<LoginGuard>);
        while now < START + Duration::days(1) {
            let after = LoginGuard::failed(guard.as_ref(), "id".to_owned(), now);
            guesses += 1;
            now = after.locked_until.unwrap_or(now);
            guard = Some(after);
        }
        assert!((280..=310).contains(&guesses), "{guesses}");
    }

    #[test]
    fn no_lock_lasts_longer_than_a_quarter_of_an_hour_however_many_guesses_follow() {
        let (mut now, mut guard) = (START, None::<LoginGuard>);
        let (mut since, mut free, mut runs) = (START, 0, 0);
        while now < START + Duration::hours(3) {
            let after = LoginGuard::failed(guard.as_ref(), String::new(), now);
            if after.failures == 1 {
                (since, free, runs) = (now, 0, runs + 1);
            }
            free += u32::from(after.locked_until.is_none());
            assert!(after.locked_until.is_none_or(|end| end <= since + LONGEST), "{now}");
            // Of each further run two are free, so who waited is not behind a single guess.
            let is_last = after.locked_until == Some(since + LONGEST);
            assert!(!is_last || free == if runs == 1 { 9 } else { 2 }, "{now}: {free}");
            now = after.locked_until.unwrap_or(now);
            guard = Some(after);
        }
        assert_eq!(runs, 12);
    }

    #[test]
    fn failures_are_forgotten_after_a_day() {
        let count = |guard: &LoginGuard, now| LoginGuard::failed(Some(guard), String::new(), now);
        let first = LoginGuard::failed(None, String::new(), START);
        assert_eq!(count(&first, START + LONGEST - Duration::seconds(1)).failures, 2);
        let last = count(&first, START + REMEMBERED - Duration::seconds(1));
        assert_eq!((last.failures, last.created_at), (1, START), "a further run");
        let later = count(&first, START + REMEMBERED);
        assert_eq!((later.failures, later.created_at), (1, START + REMEMBERED));
    }
}
