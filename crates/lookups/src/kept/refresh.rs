//! The job that fetches rates: it asks for the shortest file that closes the gap, and keeps what is
//! new.

use racun_kernel::{Stamp, Tenant, calendar};
use racun_store::{Clause, ListQuery, Operator, Put, Store, StoreError, Writes};
use time::{Date, Duration, OffsetDateTime, Time};

use super::finding::first;
use super::records::{KeptDay, RATE_DAYS};
use crate::port::{RateSource, SourceSilent, Span};
use crate::rates::DayRates;
use crate::target::{is_business_day, last_business_day};

/// Where the bank is.
const ZONE: &str = "Europe/Berlin";
/// When the rates of a day are there: about 16:00.
const PUBLISHED: Time = time::macros::time!(16:15);
/// Days of a gap that the file of 90 days closes for certain.
const RECENT: Duration = Duration::days(80);
/// Business days that a hole before those lacks at least.
const OLD_HOLE: i64 = 5;
/// Since when the bank publishes on the business days that we know.
const SAME_CALENDAR: Date = time::macros::date!(2002 - 01 - 02);
/// Days of rates that one commit writes.
const BATCH: usize = 200;

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    /// Nothing was to be fetched.
    UpToDate,
    /// So many days are new.
    Kept {
        /// How many.
        days: usize,
        /// The newest day that is kept now.
        newest: Date,
    },
    /// The publisher gave nothing.
    Silent(SourceSilent),
}

/// Fetches and keeps the rates that are published and not kept. Any number of processes may do so.
///
/// # Errors
/// When the store fails.
pub async fn refresh(
    store: &dyn Store,
    source: &dyn RateSource,
    stamp: &Stamp,
) -> Result<Refreshed, StoreError> {
    let newest = first(store, None, true).await?.map(|day| day.date);
    let hole = match newest {
        Some(newest) => hole(store, newest, stamp.now()).await?,
        None => None,
    };
    let span = missing(newest, stamp.now()).max(hole);
    let Some(span) = span else { return Ok(Refreshed::UpToDate) };
    let days = match source.fetch(span).await {
        Ok(days) => days,
        Err(silent) => return Ok(Refreshed::Silent(silent)),
    };
    let last = days.iter().map(|day| day.date).max().max(newest);
    match (keep_days(store, days, stamp).await?, last) {
        (0, _) | (_, None) => Ok(Refreshed::UpToDate),
        (days, Some(newest)) => Ok(Refreshed::Kept { days, newest }),
    }
}

/// The shortest file that closes a hole before `newest`, as the import of a file onto older days
/// leaves it: of the last days each one counts, and of those before a week in all, for the bank's
/// calendar was another one once.
async fn hole(
    store: &dyn Store,
    newest: Date,
    now: OffsetDateTime,
) -> Result<Option<Span>, StoreError> {
    let Some(oldest) = first(store, None, false).await?.map(|day| day.date) else {
        return Ok(None);
    };
    let recent = (now.date() - RECENT).max(oldest);
    let before = recent.previous_day().unwrap_or(recent);
    if lacking(store, oldest.max(SAME_CALENDAR), before).await? >= OLD_HOLE {
        return Ok(Some(Span::All));
    }
    Ok((lacking(store, recent, newest).await? > 0).then_some(Span::Recent))
}

/// How many business days from `from` to `to` are not kept.
async fn lacking(store: &dyn Store, from: Date, to: Date) -> Result<i64, StoreError> {
    let mut day = Some(from).filter(|from| *from <= to);
    let mut business_days = 0;
    while let Some(date) = day {
        business_days += i64::from(is_business_day(date));
        day = date.next_day().filter(|next| *next <= to);
    }
    if business_days == 0 {
        return Ok(0);
    }
    let between = Operator::Between(from.into(), to.into());
    let query = ListQuery {
        limit: 1,
        count: true,
        clauses: vec![Clause::on(&RATE_DAYS, "date", between)],
        ..ListQuery::first_page(&RATE_DAYS)
    };
    let page = store.page::<KeptDay>(&RATE_DAYS, &Tenant::directory(), &query).await?;
    Ok(business_days - page.pagination.total)
}

/// Keeps those of `days` that are not kept yet, and answers how many these are.
pub(super) async fn keep_days(
    store: &dyn Store,
    mut days: Vec<DayRates>,
    stamp: &Stamp,
) -> Result<usize, StoreError> {
    // Oldest first: a run that dies in between leaves no hole.
    days.sort_by_key(|day| day.date);
    let mut kept = 0;
    for batch in days.chunks(BATCH) {
        kept += keep(store, batch.to_vec(), stamp).await?;
    }
    Ok(kept)
}

/// The shortest file in which all is that `newest` lacks at `now`; `None` when it lacks nothing.
fn missing(newest: Option<Date>, now: OffsetDateTime) -> Option<Span> {
    let local = calendar::in_zone(now, ZONE);
    let local = local.unwrap_or(now);
    let day = match local.time() < PUBLISHED {
        true => local.date().previous_day().unwrap_or(local.date()),
        false => local.date(),
    };
    let published = last_business_day(day);
    let Some(newest) = newest else { return Some(Span::All) };
    if newest >= published {
        return None;
    }
    let before = published.previous_day().map_or(published, last_business_day);
    Some(if newest >= before {
        Span::Latest
    } else if published - newest < RECENT {
        Span::Recent
    } else {
        Span::All
    })
}

async fn keep(store: &dyn Store, days: Vec<DayRates>, stamp: &Stamp) -> Result<usize, StoreError> {
    let mut unit = store.unit(Tenant::directory());
    let ids = days.iter().map(|day| (&RATE_DAYS, KeptDay::id_of(day.date)));
    let before = unit.hold_each::<KeptDay>(ids);
    let now = stamp.now();
    unit.decide(move |held| {
        let known: Vec<KeptDay> = held.all(before)?;
        let is_new = |day: &DayRates| known.iter().all(|kept| kept.rates.date != day.date);
        let new: Vec<DayRates> = days.into_iter().filter(is_new).collect();
        let count = new.len();
        let puts = new.into_iter();
        let puts = puts.map(|rates| Put::insert(&KeptDay { rates, created_at: now }));
        Ok::<_, StoreError>((count, Writes::default().puts(puts)))
    })
    .await
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn the_shortest_file_that_closes_the_gap_is_asked_for() {
        // A Monday; summer and winter time.
        let (morning, evening) = (datetime!(2026-10-12 13:00 UTC), datetime!(2026-10-12 14:30 UTC));
        for (newest, now, expected) in [
            (None, morning, Some(Span::All)),
            (Some(date!(2026 - 10 - 09)), morning, None),
            (Some(date!(2026 - 10 - 09)), evening, Some(Span::Latest)),
            (Some(date!(2026 - 10 - 12)), evening, None),
            (Some(date!(2026 - 10 - 08)), morning, Some(Span::Latest)),
            (Some(date!(2026 - 10 - 08)), evening, Some(Span::Recent)),
            (Some(date!(2026 - 07 - 20)), evening, Some(Span::All)),
            (Some(date!(2026 - 11 - 19)), datetime!(2026-11-20 14:30 UTC), None),
            (Some(date!(2026 - 11 - 19)), datetime!(2026-11-20 15:30 UTC), Some(Span::Latest)),
        ] {
            assert_eq!(missing(newest, now), expected, "{newest:?} at {now}");
        }
    }
}
