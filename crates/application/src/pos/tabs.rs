//! Tabs: every command on one is one unit that holds it, so commands on a tab take turns.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_kernel::id::PosTabId;
use racun_kernel::{
    Clause, Context, Decimal, Decision, Issues, ListQuery, Load, Loaded, Operator, Order, Part,
    Put, StoreError, Tally, TallyRow, Value, Writes,
};
use racun_pos::{
    APPENDS, Actor, AppendId, DeviceId, Known, LineInput, Naming, POS_TABLES, PosError, TABS, Tab,
    TabPatch, TabStatus, TabTotals,
};

use super::orders::{Orders, TabView, shown};
use super::{ALL_ROWS, actor, found, gather, load, read};

/// Opens a tab, on a table or on none.
///
/// # Errors
/// A table that is not there or not active; the store's failure.
pub async fn open(cx: Context<'_>, table_id: Option<String>) -> Result<TabView, PosError> {
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let loads = table_id.iter().map(|id| load(&POS_TABLES, &scope, id)).collect();
    let tab = cx
        .store
        .decide(loads, None, move |loaded| {
            let known = Known { table: read(&loaded, 0, &POS_TABLES)?, ..Known::default() };
            let actor = actor(&scope, &loaded, &stamp);
            let (tab, events) = Tab::open(table_id.as_deref(), &known, &actor)?;
            let puts = vec![Put::insert(&tab)];
            Ok::<_, PosError>((tab, Writes { puts, events, takes_number: false }))
        })
        .await?;
    Ok(TabView { tab, totals: Some(TabTotals::nothing()) })
}

/// The tab `id`, in whatever state, with what it comes to.
///
/// # Errors
/// [`PosError::NotFound`], and when the store fails.
pub async fn view(cx: Context<'_>, entity: &Entity, id: PosTabId) -> Result<TabView, PosError> {
    shown(cx, entity, get(cx, id).await).await
}

/// The tab `id`, in whatever state.
///
/// # Errors
/// [`PosError::NotFound`], and when the store fails.
pub(super) async fn get(cx: Context<'_>, id: PosTabId) -> Result<Tab, PosError> {
    let id = id.to_string();
    let found = cx.store.get(&TABS, &cx.tenant(), &id).await?;
    found.ok_or(PosError::NotFound { id })
}

/// All tabs in any of `statuses`, in the order in which they were opened.
///
/// # Errors
/// When the store fails.
pub async fn list(
    cx: Context<'_>,
    entity: &Entity,
    statuses: &BTreeSet<TabStatus>,
) -> Result<Vec<TabView>, PosError> {
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        order: vec![Order::on(&TABS, "id", false)],
        clauses: vec![Clause::on(&TABS, "status", any_of(statuses))],
        ..ListQuery::first_page(&TABS)
    };
    let tabs: Vec<Tab> = cx.store.page(&TABS, &cx.tenant(), &query).await?.rows;
    let mut orders = Orders::of(cx, entity, tabs.iter()).await?;
    Ok(tabs.into_iter().map(|tab| orders.view(tab)).collect())
}

/// The ids and versions of the tabs in any of `statuses`, without reading what is on them.
///
/// # Errors
/// When the store fails.
pub async fn versions(
    cx: Context<'_>,
    statuses: &BTreeSet<TabStatus>,
) -> Result<Vec<(String, Decimal)>, PosError> {
    let tally = Tally {
        by: ["id", "version"].map(|name| Part::field(&TABS, name)).into(),
        figures: Vec::new(),
        ..Tally::of(&TABS).only("status", any_of(statuses))
    };
    let rows = cx.store.tally(&cx.tenant(), tally).await?;
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
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    lines: Vec<LineInput>,
    append_id: Option<String>,
) -> Result<TabView, PosError> {
    let name = append_id.map(AppendId::parse).transpose();
    let name = name.map_err(|issue| Issues::from(issue.at("append_id")))?;
    let known = gather::lines(cx.store, cx.scope, entity, &lines, cx.stamp).await?;
    // By a field, not by its id: what a field finds is read after the tab is held.
    let accepted = name.as_ref().map(|name| Load::Where {
        table: &APPENDS,
        tenant: cx.tenant(),
        field: "key",
        value: name.key(id),
    });
    let changed = amend(cx, id, accepted, move |tab, loaded, actor| {
        let naming = match name {
            None => Naming::Unnamed,
            Some(_) if found(loaded, 1) > 0 => Naming::Accepted,
            Some(name) => Naming::New(name),
        };
        tab.append(lines, naming, &known, actor)
    });
    shown(cx, entity, changed.await).await
}

/// Replaces what is sent of a tab.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::replace`]; the store's failure.
pub async fn replace(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    patch: TabPatch,
) -> Result<TabView, PosError> {
    let lines = patch.items.value().map_or(&[][..], Vec::as_slice);
    let mut known = gather::lines(cx.store, cx.scope, entity, lines, cx.stamp).await?;
    let customer = gather::customer(cx.store, cx.scope, patch.customer_id.value()).await?;
    known.customer = customer.map(|customer| customer.id);
    let table = patch.table_id.value().map(|id| load(&POS_TABLES, cx.scope, id));
    let changed = amend(cx, id, table, move |tab, loaded, actor| {
        known.table = read(loaded, 1, &POS_TABLES)?;
        tab.replace(patch, &known, actor)
    });
    shown(cx, entity, changed.await).await
}

/// Gives the payment of a tab to a device.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::claim`]; the store's failure.
pub async fn claim(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    device: String,
) -> Result<TabView, PosError> {
    let device = DeviceId::parse(device)?;
    let changed = amend(cx, id, None, move |tab, _, actor| tab.claim(device, actor));
    shown(cx, entity, changed.await).await
}

/// Gives a device's claim back.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::release`]; the store's failure.
pub async fn release(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    device: String,
) -> Result<TabView, PosError> {
    let device = DeviceId::parse(device)?;
    let changed = amend(cx, id, None, move |tab, _, actor| tab.release(&device, actor));
    shown(cx, entity, changed.await).await
}

/// Ends a tab without an invoice.
///
/// # Errors
/// [`PosError::NotFound`]; as [`Tab::cancel`]; the store's failure.
pub async fn cancel(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    expected_version: Option<i64>,
) -> Result<TabView, PosError> {
    let changed = amend(cx, id, None, move |tab, _, actor| tab.cancel(expected_version, actor));
    shown(cx, entity, changed.await).await
}

/// Writes what `decide` makes of the tab `id`, which is held with what is loaded `beside` it.
pub(super) async fn amend(
    cx: Context<'_>,
    id: PosTabId,
    beside: Option<Load>,
    decide: impl FnOnce(Tab, &Loaded, &Actor) -> Result<Decision<Tab>, PosError> + Send + 'static,
) -> Result<Tab, PosError> {
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let loads = [load(&TABS, &scope, id)].into_iter().chain(beside).collect();
    cx.store
        .decide(loads, None, move |loaded| {
            let missing = || StoreError::NotFound { id: id.to_string() };
            let tab: Tab = read(&loaded, 0, &TABS)?.ok_or_else(missing)?;
            match decide(tab, &loaded, &actor(&scope, &loaded, &stamp))? {
                Decision::Unchanged(tab) => Ok((tab, Writes::default())),
                Decision::Changed { record, mut beside, events } => {
                    beside.push(record.put());
                    Ok((record, Writes { puts: beside, events, takes_number: false }))
                }
            }
        })
        .await
}
