//! Tables of the point of sale.

use racun_access::{ENTITIES, Entity};
use racun_kernel::Tenant;
use racun_kernel::id::PosTableId;
use racun_pos::{POS_TABLES, PosError, PosTable, PosTableInput, TABS, Tab};
use racun_store::{
    Clause, Context, Decision, Held, ListQuery, Many, One, Operator, Order, Put, UnitBuilder,
    Value, Writes,
};

use super::ALL_ROWS;

/// Adds a table.
///
/// # Errors
/// All that is wrong with the input; [`racun_pos::TableRefusal::TooMany`]; the store's failure.
pub async fn create(cx: Context<'_>, input: PosTableInput) -> Result<PosTable, PosError> {
    // Adding a table holds the entity, so that no other request adds one after the count.
    let mut unit = cx.unit();
    let account = Tenant::account(cx.scope.account());
    let _entity: One<Entity> = unit.hold_of(account, &ENTITIES, cx.scope.entity());
    let live: Many<PosTable> = unit.hold_where(&POS_TABLES, "live_of", cx.scope.entity());
    unit.decide(move |held| {
        let (table, events) = input.into_table(held.count(&live), &held.actor_by_clock())?;
        let writes = Writes::default().insert(&table).events(events);
        Ok((table, writes))
    })
    .await
}

/// All tables that are not deleted, by `sort_order` and label; those that are not active only when
/// asked for.
///
/// # Errors
/// When the store fails.
pub async fn list(cx: Context<'_>, include_inactive: bool) -> Result<Vec<PosTable>, PosError> {
    let active = Clause::on(&POS_TABLES, "is_active", Operator::Equals(Value::Bool(true)));
    let order = ["sort_order", "label", "id"].map(|name| Order::on(&POS_TABLES, name, false));
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        order: order.to_vec(),
        clauses: if include_inactive { Vec::new() } else { vec![active] },
        ..ListQuery::first_page(&POS_TABLES)
    };
    Ok(cx.page(&POS_TABLES, &query).await?.rows)
}

/// Changes a table.
///
/// # Errors
/// [`PosError::NotFound`]; all that is wrong with the input; the store's failure.
pub async fn update(
    cx: Context<'_>,
    id: PosTableId,
    input: PosTableInput,
) -> Result<PosTable, PosError> {
    let mut unit = cx.unit();
    let table = unit.hold(&POS_TABLES, id);
    amend(unit, table, move |table, held| table.update(input, &held.actor_by_clock())).await
}

/// Deletes a table, for good.
///
/// # Errors
/// [`PosError::NotFound`]; [`racun_pos::TableRefusal::InUse`] while a tab is open on it; the
/// store's failure.
pub async fn delete(cx: Context<'_>, id: PosTableId) -> Result<PosTable, PosError> {
    let mut unit = cx.unit();
    let table = unit.hold(&POS_TABLES, id);
    let tabs: Many<Tab> = unit.hold_where(&TABS, "occupied_table_id", id);
    let decide = move |table: PosTable, held: &Held| {
        table.delete(held.count(&tabs) > 0, &held.actor_by_clock())
    };
    amend(unit, table, decide).await
}

/// Writes what `decide` makes of `table`, which `unit` holds.
async fn amend(
    unit: UnitBuilder<'_>,
    table: One<PosTable>,
    decide: impl FnOnce(PosTable, &Held) -> Result<Decision<PosTable>, PosError> + Send + 'static,
) -> Result<PosTable, PosError> {
    unit.decide(move |held| {
        let before = held.one(table)?;
        Ok(decide(before.clone(), held)?.written(|after| Put::update(&before, after)))
    })
    .await
}
