//! Tables of the point of sale.

use racun_access::ENTITIES;
use racun_kernel::id::PosTableId;
use racun_kernel::{
    Clause, Decision, ListQuery, Load, Loaded, Operator, Order, Put, Scope, Stamp, Store,
    StoreError, Tenant, Value, Writes,
};
use racun_pos::{Actor, POS_TABLES, PosError, PosTable, PosTableInput, TABS};

use super::{ALL_ROWS, actor, found, load, read};

/// Adds a table.
///
/// # Errors
/// All that is wrong with the input; [`racun_pos::TableRefusal::TooMany`]; the store's failure.
pub async fn create(
    store: &dyn Store,
    scope: &Scope,
    input: PosTableInput,
    stamp: &Stamp,
) -> Result<PosTable, PosError> {
    let (scope, stamp) = (scope.clone(), stamp.clone());
    // Whoever adds a table holds the entity, so that nobody adds another one after the count.
    let tenant = Tenant::account(scope.account());
    let entity = Load::One { table: &ENTITIES, tenant, id: scope.entity().to_string() };
    let live = Load::Where {
        table: &POS_TABLES,
        tenant: scope.tenant(),
        field: "live_of",
        value: scope.entity().to_string(),
    };
    store
        .decide(vec![entity, live], None, move |loaded| {
            let actor = actor(&scope, &loaded, &stamp);
            let (table, events) = input.into_table(found(&loaded, 1), &actor)?;
            let puts = vec![Put::insert(&table)];
            Ok((table, Writes { puts, events, takes_number: false }))
        })
        .await
}

/// All tables that are not deleted, by `sort_order` and label; those that are not active only when
/// asked for.
///
/// # Errors
/// When the store fails.
pub async fn list(
    store: &dyn Store,
    scope: &Scope,
    include_inactive: bool,
) -> Result<Vec<PosTable>, PosError> {
    let active = Clause::on(&POS_TABLES, "is_active", Operator::Equals(Value::Bool(true)));
    let order = ["sort_order", "label", "id"].map(|name| Order::on(&POS_TABLES, name, false));
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        order: order.to_vec(),
        clauses: if include_inactive { Vec::new() } else { vec![active] },
        ..ListQuery::first_page(&POS_TABLES)
    };
    Ok(store.page(&POS_TABLES, &scope.tenant(), &query).await?.rows)
}

/// Changes a table.
///
/// # Errors
/// [`PosError::NotFound`]; all that is wrong with the input; the store's failure.
pub async fn update(
    store: &dyn Store,
    scope: &Scope,
    id: PosTableId,
    input: PosTableInput,
    stamp: &Stamp,
) -> Result<PosTable, PosError> {
    amend(store, scope, id, None, stamp, move |table, _, actor| table.update(input, actor)).await
}

/// Deletes a table, for good.
///
/// # Errors
/// [`PosError::NotFound`]; [`racun_pos::TableRefusal::InUse`] while a tab is open on it; the store's
/// failure.
pub async fn delete(
    store: &dyn Store,
    scope: &Scope,
    id: PosTableId,
    stamp: &Stamp,
) -> Result<PosTable, PosError> {
    let tabs = Load::Where {
        table: &TABS,
        tenant: scope.tenant(),
        field: "occupied_table_id",
        value: id.to_string(),
    };
    let decide =
        |table: PosTable, loaded: &Loaded, actor: &Actor| table.delete(found(loaded, 1) > 0, actor);
    amend(store, scope, id, Some(tabs), stamp, decide).await
}

/// Writes what `decide` makes of the table `id`, which is held with what is loaded `beside` it.
async fn amend(
    store: &dyn Store,
    scope: &Scope,
    id: PosTableId,
    beside: Option<Load>,
    stamp: &Stamp,
    decide: impl FnOnce(PosTable, &Loaded, &Actor) -> Result<Decision<PosTable>, PosError>
    + Send
    + 'static,
) -> Result<PosTable, PosError> {
    let (scope, stamp) = (scope.clone(), stamp.clone());
    let loads = [load(&POS_TABLES, &scope, id)].into_iter().chain(beside).collect();
    store
        .decide(loads, None, move |loaded| {
            let missing = || StoreError::NotFound { id: id.to_string() };
            let before: PosTable = read(&loaded, 0, &POS_TABLES)?.ok_or_else(missing)?;
            match decide(before.clone(), &loaded, &actor(&scope, &loaded, &stamp))? {
                Decision::Unchanged(table) => Ok((table, Writes::default())),
                Decision::Changed { record, mut beside, events } => {
                    beside.push(Put::update(&before, &record));
                    Ok((record, Writes { puts: beside, events, takes_number: false }))
                }
            }
        })
        .await
}
