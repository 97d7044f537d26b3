//! Tabs: every command on one is one unit that holds it, so commands on a tab take turns.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_kernel::id::PosTabId;
use racun_kernel::{
    Clause, Decimal, Decision, Issues, ListQuery, Load, Loaded, Operator, Order, Part, Put, Scope,
    Stamp, Store, StoreError, Tally, TallyRow, Value, Writes,
};
use racun_pos::{
    APPENDS, Act, AppendId, DeviceId, Known, LineInput, Naming, POS_TABLES, PosError, TABS, Tab,
    TabPatch, TabStatus, TabTotals,
};

use super::orders::{Orders, TabView, shown};
use super::{ALL_ROWS, act, found, gather, load, read};

/// Opens a tab, on a table or on none.
///
/// # Errors
/// A table that is not there or not active; the store's failure.
pub async fn open(
    store: &dyn Store,
    scope: &Scope,
    table_id: Option<String>,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    let (scope, stamp) = (scope.clone(), stamp.clone());
    let loads = table_id.iter().map(|id| load(&POS_TABLES, &scope, id)).collect();
    let tab = store
        .decide(loads, None, move |loaded| {
            let known = Known { table: read(&loaded, 0, &POS_TABLES)?, ..Known::default() };
            let act = act(&scope, &loaded, &stamp);
            let (tab, events) = Tab::open(table_id.as_deref(), &known, &act)?;
            let puts = vec![Put::insert(&tab)];
            Ok::<_, PosError>((tab, Writes { puts, events, takes_number: false }))
        })
        .await?;
    Ok(TabView { tab, totals: Some(TabTotals::nothing()), warnings: Issues::default() })
}

/// The tab `id`, in whatever state, with what it comes to.
///
/// # Errors
/// [`PosError::NotFound`], and when the store fails.
pub async fn view(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PosTabId,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    shown(store, scope, entity, get(store, scope, id).await, stamp).await
}

/// The tab `id`, in whatever state.
///
/// # Errors
/// [`PosError::NotFound`], and when the store fails.
pub(super) async fn get(store: &dyn Store, scope: &Scope, id: PosTabId) -> Result<Tab, PosError> {
    let id = id.to_string();
    let found = store.get(&TABS, &scope.tenant(), &id).await?;
    found.ok_or(PosError::NotFound { id })
}

/// All tabs in any of `statuses`, in the order in which they were opened.
///
/// # Errors
/// When the store fails.
pub async fn list(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    statuses: &BTreeSet<TabStatus>,
    stamp: &Stamp,
) -> Result<Vec<TabView>, PosError> {
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        order: vec![Order::on(&TABS, "id", false)],
        clauses: vec![Clause::on(&TABS, "status", any_of(statuses))],
        ..ListQuery::first_page(&TABS)
    };
    let tabs: Vec<Tab> = store.page(&TABS, &scope.tenant(), &query).await?.rows;
    let mut orders = Orders::of(store, scope, entity, tabs.iter(), stamp).await?;
    Ok(tabs.into_iter().map(|tab| orders.view(tab)).collect())
}

/// The ids and versions of the tabs in any of `statuses`, without reading what is on them.
///
/// # Errors
/// When the store fails.
pub async fn versions(
    store: &dyn Store,
    scope: &Scope,
    statuses: &BTreeSet<TabStatus>,
) -> Result<Vec<(String, Decimal)>, PosError> {
    let tally = Tally {
        by: ["id", "version"].map(|name| Part::field(&TABS, name)).into(),
        figures: Vec::new(),
        ..Tally::of(&TABS).only("status", any_of(statuses))
    };
    let rows = store.tally(&scope.tenant(), tally).await?;
    let read = |row: TallyRow| match <[Value; 2]>::try_from(row.by) {
        Ok([Value::Text(id), Value::Number(version)]) => Some((id, version)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

fn any_of(statuses: &BTreeSet<TabStatus>) -> Operator {
    Operator::In(statuses.iter().map(|status| Value::from(status.name())).collect())
}

/// Adds lines to a tab. An append whose `append_id` was accepted before adds nothing.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::append`]; the store's failure.
pub async fn append(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PosTabId,
    lines: Vec<LineInput>,
    append_id: Option<String>,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    let name = append_id.map(AppendId::parse).transpose();
    let name = name.map_err(|issue| Issues::from(issue.at("append_id")))?;
    let known = gather::lines(store, scope, entity, &lines, stamp).await?;
    // By a field, not by its id: what a field finds is read after the tab is held.
    let accepted = name.as_ref().map(|name| Load::Where {
        table: &APPENDS,
        tenant: scope.tenant(),
        field: "key",
        value: name.key(id),
    });
    let changed = amend(store, scope, id, accepted, stamp, move |tab, loaded, act| {
        let naming = match name {
            None => Naming::Unnamed,
            Some(_) if found(loaded, 1) > 0 => Naming::Accepted,
            Some(name) => Naming::New(name),
        };
        tab.append(lines, naming, &known, act)
    });
    shown(store, scope, entity, changed.await, stamp).await
}

/// Replaces what is sent of a tab.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::replace`]; the store's failure.
pub async fn replace(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PosTabId,
    patch: TabPatch,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    let lines = patch.items.value().map_or(&[][..], Vec::as_slice);
    let mut known = gather::lines(store, scope, entity, lines, stamp).await?;
    let customer = gather::customer(store, scope, patch.customer_id.value()).await?;
    known.customer = customer.map(|customer| customer.id);
    let table = patch.table_id.value().map(|id| load(&POS_TABLES, scope, id));
    let changed = amend(store, scope, id, table, stamp, move |tab, loaded, act| {
        known.table = read(loaded, 1, &POS_TABLES)?;
        tab.replace(patch, &known, act)
    });
    shown(store, scope, entity, changed.await, stamp).await
}

/// Gives the payment of a tab to a device.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::claim`]; the store's failure.
pub async fn claim(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PosTabId,
    device: String,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    let device = DeviceId::parse(device)?;
    let changed = amend(store, scope, id, None, stamp, move |tab, _, act| tab.claim(device, act));
    shown(store, scope, entity, changed.await, stamp).await
}

/// Gives a device's claim back.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::release`]; the store's failure.
pub async fn release(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PosTabId,
    device: String,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    let device = DeviceId::parse(device)?;
    let changed =
        amend(store, scope, id, None, stamp, move |tab, _, act| tab.release(&device, act));
    shown(store, scope, entity, changed.await, stamp).await
}

/// Ends a tab without an invoice.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::cancel`]; the store's failure.
pub async fn cancel(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PosTabId,
    expected_version: Option<i64>,
    stamp: &Stamp,
) -> Result<TabView, PosError> {
    let changed =
        amend(store, scope, id, None, stamp, move |tab, _, act| tab.cancel(expected_version, act));
    shown(store, scope, entity, changed.await, stamp).await
}

/// Writes what `decide` makes of the tab `id`, which is held with what is loaded `beside` it.
pub(super) async fn amend(
    store: &dyn Store,
    scope: &Scope,
    id: PosTabId,
    beside: Option<Load>,
    stamp: &Stamp,
    decide: impl FnOnce(Tab, &Loaded, &Act) -> Result<Decision<Tab>, PosError> + Send + 'static,
) -> Result<Tab, PosError> {
    let (scope, stamp) = (scope.clone(), stamp.clone());
    let loads = [load(&TABS, &scope, id)].into_iter().chain(beside).collect();
    store
        .decide(loads, None, move |loaded| {
            let missing = || StoreError::NotFound { id: id.to_string() };
            let tab: Tab = read(&loaded, 0, &TABS)?.ok_or_else(missing)?;
            match decide(tab, &loaded, &act(&scope, &loaded, &stamp))? {
                Decision::Unchanged(tab) => Ok((tab, Writes::default())),
                Decision::Changed { record, mut beside, events } => {
                    beside.push(record.put());
                    Ok((record, Writes { puts: beside, events, takes_number: false }))
                }
            }
        })
        .await
}
