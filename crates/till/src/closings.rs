//! Closings of days: the report is drawn up, and then frozen under the next number of its place.

use racun_access::Entity;
use racun_kernel::id::PosClosingId;
use racun_pos::takings::Takings;
use racun_pos::{CLOSINGS, CarriedOver, Closing, Count, NewClosing, PosError};
use racun_sales::documents::today;
use racun_store::{Context, ListQuery, Many, Page, RawQuery, StoreError, Writes};

use super::takings::{Filter, late, must_be_known, of_day};

/// How often a report is rebuilt because another caller closed the same place at the same time.
const ATTEMPTS: usize = 3;

/// Closes a day of the entity, of a premise or of a device.
///
/// The report is drawn up outside the unit, at one moment. What is sold between that moment and the
/// commit is in the place's next closing, as all that comes later; so are changes of any day that
/// the place closed. The cost grows by one report for each closed day that may have changed.
///
/// # Errors
/// All that is wrong with the input; [`PosError::DayClosed`] with the closing that there is;
/// [`PosError::ClosedMeanwhile`]; the store's failure.
pub async fn close(cx: Context<'_>, entity: &Entity, new: NewClosing) -> Result<Closing, PosError> {
    let count = new.check(today(entity, cx.stamp), entity.currency)?;
    let filter = Filter { place: count.place.clone(), ..Filter::default() };
    must_be_known(cx, &filter).await?;
    for _ in 0..ATTEMPTS {
        let last = late::last(cx, &count.place).await?;
        let report = of_day(cx, entity, count.date, &filter, Some(cx.now())).await?;
        let carried_over = match &last {
            None => None,
            Some(last) => CarriedOver::since(last, &late::days(cx, entity, last).await?),
        };
        let next = last.map_or(0, |last| last.number) + 1;
        let drawn = Drawn { count: count.clone(), report, carried_over, next };
        match freeze(cx, drawn).await {
            // The next attempt finds the other closing.
            Err(PosError::ClosedMeanwhile | PosError::Store(StoreError::Duplicate { .. })) => {}
            done => return done,
        }
    }
    Err(PosError::ClosedMeanwhile)
}

/// What is to be frozen, as the closing of number `next`.
struct Drawn {
    count: Count,
    report: Takings,
    carried_over: Option<CarriedOver>,
    next: i64,
}

async fn freeze(cx: Context<'_>, drawn: Drawn) -> Result<Closing, PosError> {
    let Drawn { count, report, carried_over, next } = drawn;
    let mut unit = cx.unit();
    let same_day: Many<Closing> =
        unit.hold_where(&CLOSINGS, "day_key", count.place.day_key(count.date));
    let number = unit.number(count.place.series(cx.tenant()));
    unit.decide(move |held| {
        if let Some(closing) = held.all(same_day)?.into_iter().next() {
            return Err(PosError::DayClosed(Box::new(closing)));
        }
        if held.number(&number)? != next {
            return Err(PosError::ClosedMeanwhile);
        }
        let (actor, person) = (held.actor(), held.actor().scope().person());
        let (closing, events) = Closing::draw_up(count, report, carried_over, next, person, actor);
        let writes = Writes::default().insert(&closing).events(events).taking_number();
        Ok((closing, writes))
    })
    .await
}

/// A page of closings.
///
/// # Errors
/// What is wrong with `raw`; the store's failure.
pub async fn list(cx: Context<'_>, raw: &RawQuery) -> Result<Page<Closing>, PosError> {
    let query = ListQuery::parse(&CLOSINGS, raw)?;
    Ok(cx.page(&CLOSINGS, &query).await?)
}

/// A closing.
///
/// # Errors
/// [`PosError::NotFound`]; the store's failure.
pub async fn get(cx: Context<'_>, id: PosClosingId) -> Result<Closing, PosError> {
    Ok(cx.one(&CLOSINGS, id).await?)
}
