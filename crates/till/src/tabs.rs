//! Tabs: every command on one is one unit that holds it, so commands on a tab take turns.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_kernel::id::PosTabId;
use racun_kernel::{Decimal, Issues};
use racun_pos::{
    APPENDS, AcceptedAppend, Actor, AppendId, DeviceId, LineInput, Naming, POS_TABLES, PosError,
    References, TABS, Tab, TabPatch, TabStatus, TabTotals,
};
use racun_sales::documents::Newest;
use racun_store::{
    Clause, Context, Decision, Held, ListQuery, Many, One, Operator, Order, Page, PageSize, Part,
    Tally, TallyRow, UnitBuilder, Value, Writes,
};

use super::orders::{Orders, TabView, shown};
use super::{ALL_ROWS, gather};

/// Bytes of tabs, as they are stored, that a list has at most: thousands of usual ones.
pub const MAX_LIST_BYTES: usize = 2 * ListQuery::MAX_PAGE_BYTES;

/// Opens a tab, on a table or on none.
///
/// # Errors
/// A table that is not there or not active; the store's failure.
pub async fn open(cx: Context<'_>, table_id: Option<String>) -> Result<TabView, PosError> {
    let mut unit = cx.unit();
    let table = table_id.as_ref().map(|id| unit.hold(&POS_TABLES, id));
    let tab = unit.decide(move |held| {
        let references = References { table: held.find(table)?, ..References::default() };
        let (tab, events) = Tab::open(table_id.as_deref(), &references, &held.actor_by_clock())?;
        let writes = Writes::default().insert(&tab).events(events);
        Ok::<_, PosError>((tab, writes))
    });
    let tab = tab.await?;
    Ok(TabView { tab, totals: Some(TabTotals::nothing()), warnings: Issues::default() })
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
    Ok(cx.one(&TABS, id).await?)
}

/// The tabs in any of `statuses`, newest first: all, unless they are longer than
/// [`MAX_LIST_BYTES`].
///
/// # Errors
/// When the store fails.
pub async fn list(
    cx: Context<'_>,
    entity: &Entity,
    statuses: &BTreeSet<TabStatus>,
) -> Result<Newest<TabView>, PosError> {
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        order: vec![Order::on(&TABS, "id", true)],
        clauses: vec![Clause::on(&TABS, "status", any_of(statuses))],
        size: PageSize::Json(MAX_LIST_BYTES),
        ..ListQuery::first_page(&TABS)
    };
    let Page { rows: tabs, pagination } = cx.page::<Tab>(&TABS, &query).await?;
    let mut orders = Orders::of(cx, entity, tabs.iter()).await?;
    let rows = tabs.into_iter().map(|tab| orders.view(tab)).collect();
    Ok(Newest { rows, has_more: pagination.has_more })
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
    let references = gather::lines(cx, entity, &lines).await?;
    let mut unit = cx.unit();
    let tab = unit.hold(&TABS, id);
    // By a field, not by its id: what a field finds is read after the tab is held.
    let accepted: Option<Many<AcceptedAppend>> =
        name.as_ref().map(|name| unit.hold_where(&APPENDS, "key", name.key(id)));
    let changed = amend(unit, tab, move |tab, held, actor| {
        let is_accepted = accepted.is_some_and(|accepted| held.count(&accepted) > 0);
        let naming = match name {
            None => Naming::Unnamed,
            Some(_) if is_accepted => Naming::Accepted,
            Some(name) => Naming::New(name),
        };
        tab.append(lines, naming, &references, actor)
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
    let mut references = gather::lines(cx, entity, lines).await?;
    let customer = gather::customer(cx, patch.customer_id.value()).await?;
    references.customer = customer.map(|customer| customer.id);
    let mut unit = cx.unit();
    let tab = unit.hold(&TABS, id);
    let table = patch.table_id.value().map(|id| unit.hold(&POS_TABLES, id));
    let changed = amend(unit, tab, move |tab, held, actor| {
        references.table = held.find(table)?;
        tab.replace(patch, &references, actor)
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
    let changed = on_tab(cx, id, move |tab, actor| tab.claim(device, actor));
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
    let changed = on_tab(cx, id, move |tab, actor| tab.release(&device, actor));
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
    let changed = on_tab(cx, id, move |tab, actor| tab.cancel(expected_version, actor));
    shown(cx, entity, changed.await).await
}

/// Writes what `decide` makes of the tab `id`.
async fn on_tab(
    cx: Context<'_>,
    id: PosTabId,
    decide: impl FnOnce(Tab, &Actor) -> Result<Decision<Tab>, PosError> + Send + 'static,
) -> Result<Tab, PosError> {
    let mut unit = cx.unit();
    let tab = unit.hold(&TABS, id);
    amend(unit, tab, move |tab, _, actor| decide(tab, actor)).await
}

/// Writes what `decide` makes of `tab`, which `unit` holds. The time is the store's, where it has a
/// clock of its own, so that claims run out at one moment for all processes.
pub(super) async fn amend(
    unit: UnitBuilder<'_>,
    tab: One<Tab>,
    decide: impl FnOnce(Tab, &Held, &Actor) -> Result<Decision<Tab>, PosError> + Send + 'static,
) -> Result<Tab, PosError> {
    unit.decide(move |held| {
        let decision = decide(held.one(tab)?, held, &held.actor_by_clock())?;
        Ok(decision.written(Tab::put))
    })
    .await
}
