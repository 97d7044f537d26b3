//! Tables of the point of sale.

use racun_access::ENTITIES;
use racun_kernel::id::PosTableId;
use racun_kernel::{
    Clause, Context, Decision, ListQuery, Load, Loaded, Operator, Order, Put, StoreError, Tenant,
    Value, Writes,
};
use racun_pos::{Actor, POS_TABLES, PosError, PosTable, PosTableInput, TABS};

use super::{ALL_ROWS, actor, found, load, read};

/// Adds a table.
///
/// # Errors
/// All that is wrong with the input; [`racun_pos::TableRefusal::TooMany`]; the store's failure.
pub async fn create(cx: Context<'_>, input: PosTableInput) -> Result<PosTable, PosError> {
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    // Whoever adds a table holds the entity, so that nobody adds another one after the count.
    let tenant = Tenant::account(scope.account());
    let entity = Load::One { table: &ENTITIES, tenant, id: scope.entity().to_string() };
    let live = Load::Where {
        table: &POS_TABLES,
        tenant: scope.tenant(),
        field: "live_of",
        value: scope.entity().to_string(),
    };
    cx.store
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
    Ok(cx.store.page(&POS_TABLES, &cx.tenant(), &query).await?.rows)
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
    amend(cx, id, None, move |table, _, actor| table.update(input, actor)).await
}

/// Deletes a table, for good.
///
/// # Errors
/// [`PosError::NotFound`]; [`racun_pos::TableRefusal::InUse`] while a tab is open on it; the store's
/// failure.
pub async fn delete(cx: Context<'_>, id: PosTableId) -> Result<PosTable, PosError> {
    let tabs = Load::Where {
        table: &TABS,
        tenant: cx.tenant(),
        field: "occupied_table_id",
        value: id.to_string(),
    };
    let decide =
        |table: PosTable, loaded: &Loaded, actor: &Actor| table.delete(found(loaded, 1) > 0, actor);
    amend(cx, id, Some(tabs), decide).await
}

/// Writes what `decide` makes of the table `id`, which is held with what is loaded `beside` it.
async fn amend(
    cx: Context<'_>,
    id: PosTableId,
    beside: Option<Load>,
    decide: impl FnOnce(PosTable, &Loaded, &Actor) -> Result<Decision<PosTable>, PosError>
    + Send
    + 'static,
) -> Result<PosTable, PosError> {
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let loads = [load(&POS_TABLES, &scope, id)].into_iter().chain(beside).collect();
    cx.store
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
