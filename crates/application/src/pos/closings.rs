//! Closings of days: the report is drawn up, and then frozen under the next number of its place.

use racun_access::Entity;
use racun_kernel::id::PosClosingId;
use racun_kernel::{
    Act, Clause, ListQuery, Load, Operator, Page, Put, RawQuery, Scope, Stamp, Store, StoreError,
    Writes,
};
use racun_pos::takings::Takings;
use racun_pos::{CLOSINGS, CarriedOver, Closing, Count, NewClosing, Place, PosError};

use super::takings::{Filter, must_be_known, of_day};
use super::{ALL_ROWS, read};
use crate::documents::today;

/// How often a report is rebuilt because another caller closed the same place meanwhile.
const ATTEMPTS: usize = 3;

/// Closes a day of the entity, of a premise or of a device.
///
/// The report is drawn up outside the unit, at one moment. What is sold between that moment and the
/// commit is in the place's next closing, as all that comes later; so are changes of any day that
/// the place closed. The cost grows by one report for each day that it closed.
///
/// # Errors
/// All that is wrong with the input; [`PosError::DayClosed`] with the closing that there is;
/// [`PosError::ClosedMeanwhile`]; the store's failure.
pub async fn close(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    new: NewClosing,
    stamp: &Stamp,
) -> Result<Closing, PosError> {
    let count = new.check(today(entity, stamp), entity.currency)?;
    let filter = Filter { place: count.place.clone(), ..Filter::default() };
    must_be_known(store, scope, &filter).await?;
    for _ in 0..ATTEMPTS {
        let closings = closings(store, scope, &count.place).await?;
        let report = of_day(store, scope, entity, count.date, &filter).await?;
        // A change of a closed day leaves no trace that names the day, so all days are asked.
        let mut now = Vec::with_capacity(closings.len());
        for closing in &closings {
            now.push(of_day(store, scope, entity, closing.date, &filter).await?);
        }
        let carried_over = CarriedOver::since(&closings, &now);
        let next = closings.iter().map(|closing| closing.number).max().unwrap_or_default() + 1;
        let drawn = Drawn { count: count.clone(), report, carried_over, next };
        match freeze(store, scope, drawn, stamp).await {
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

async fn freeze(
    store: &dyn Store,
    scope: &Scope,
    drawn: Drawn,
    stamp: &Stamp,
) -> Result<Closing, PosError> {
    let Drawn { count, report, carried_over, next } = drawn;
    let same_day = Load::Where {
        table: &CLOSINGS,
        tenant: scope.tenant(),
        field: "day_key",
        value: count.place.day_key(count.date),
    };
    let series = count.place.series(scope.tenant());
    let (scope, stamp) = (scope.clone(), stamp.clone());
    store
        .decide(vec![same_day], Some(series), move |loaded| {
            if let Some(closing) = read::<Closing>(&loaded, 0, &CLOSINGS)? {
                return Err(PosError::DayClosed(Box::new(closing)));
            }
            if loaded.number != Some(next) {
                return Err(PosError::ClosedMeanwhile);
            }
            let act = Act::of(&scope, stamp);
            let person = scope.person();
            let (closing, events) =
                Closing::draw_up(count, report, carried_over, next, person, &act);
            let puts = vec![Put::insert(&closing)];
            Ok((closing, Writes { puts, events, takes_number: true }))
        })
        .await
}

/// All closings of `place`.
async fn closings(
    store: &dyn Store,
    scope: &Scope,
    place: &Place,
) -> Result<Vec<Closing>, StoreError> {
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        clauses: vec![Clause::on(&CLOSINGS, "place_key", Operator::Equals(place.key().into()))],
        ..ListQuery::first_page(&CLOSINGS)
    };
    Ok(store.page(&CLOSINGS, &scope.tenant(), &query).await?.rows)
}

/// A page of closings.
///
/// # Errors
/// What is wrong with `raw`; the store's failure.
pub async fn list(
    store: &dyn Store,
    scope: &Scope,
    raw: &RawQuery,
) -> Result<Page<Closing>, PosError> {
    let query = ListQuery::parse(&CLOSINGS, raw)?;
    Ok(store.page(&CLOSINGS, &scope.tenant(), &query).await?)
}

/// A closing.
///
/// # Errors
/// [`PosError::NotFound`]; the store's failure.
pub async fn get(store: &dyn Store, scope: &Scope, id: PosClosingId) -> Result<Closing, PosError> {
    let id = id.to_string();
    let found = store.get(&CLOSINGS, &scope.tenant(), &id).await?;
    found.ok_or(PosError::NotFound { id })
}
