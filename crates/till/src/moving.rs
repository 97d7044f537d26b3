//! Lines that go from one tab to another: one unit holds both.

use racun_access::Entity;
use racun_kernel::id::PosTabId;
use racun_kernel::{Issue, Issues};
use racun_pos::{
    APPENDS, AcceptedAppend, AppendId, LineChoice, Moved, Moving, Naming, PosError, TABS, Tab,
};
use racun_store::{Context, Many, Writes};

use super::orders::{TabView, shown};

/// What is to be moved where.
#[derive(Debug, Clone)]
pub struct MoveOrder {
    /// The tab that the lines come to, `ptab_…`.
    pub to_tab_id: String,
    /// The lines.
    pub lines: Vec<LineChoice>,
    /// The version of the tab that they leave, as the caller saw it.
    pub expected_version: Option<i64>,
    /// The version of the tab that they come to.
    pub to_expected_version: Option<i64>,
    /// Names the move, so that it is made once however often it is sent.
    pub move_id: Option<String>,
}

/// Moves lines from the tab `id` to another one, and answers the tab that they left.
///
/// # Errors
/// [`PosError::NotFound`]; another tab that is not there, at `to_tab_id`; as [`Tab::move_lines`];
/// the store's failure.
pub async fn move_lines(
    cx: Context<'_>,
    entity: &Entity,
    id: PosTabId,
    order: MoveOrder,
) -> Result<TabView, PosError> {
    let moved = moved(cx, id, order).await;
    shown(cx, entity, moved).await
}

async fn moved(cx: Context<'_>, id: PosTabId, order: MoveOrder) -> Result<Tab, PosError> {
    let name = order.move_id.clone().map(AppendId::parse).transpose();
    let name = name.map_err(|issue| Issues::from(issue.at("move_id")))?;
    let to = other(id, &order.to_tab_id).map_err(|issue| Issues::from(issue.at("to_tab_id")))?;
    let mut unit = cx.unit();
    let (from, to) = (unit.hold(&TABS, id), unit.hold(&TABS, to));
    // By a field, not by its id: what a field finds is read after the tabs are held.
    let accepted: Option<Many<AcceptedAppend>> =
        name.as_ref().map(|name| unit.hold_where(&APPENDS, "key", name.move_key(id)));
    unit.decide(move |held| {
        let (from, to): (Tab, Option<Tab>) = (held.one(from)?, held.find(to)?);
        let is_accepted = accepted.is_some_and(|accepted| held.count(&accepted) > 0);
        let to = to.ok_or_else(|| {
            let message = "there is no such tab in this entity; open it first";
            Issues::from(Issue::new("not_found", message).at("to_tab_id"))
        })?;
        let naming = match name {
            None => Naming::Unnamed,
            Some(_) if is_accepted => Naming::Accepted,
            Some(name) => Naming::New(name),
        };
        let moving = Moving {
            lines: order.lines,
            expected_version: order.expected_version,
            to_expected_version: order.to_expected_version,
            naming,
        };
        match from.move_lines(to, moving, &held.actor_by_clock())? {
            Moved::Before(from) => Ok((*from, Writes::default())),
            Moved::Now { from, to, beside, events } => {
                let puts = beside.into_iter().chain([from.put(), to.put()]);
                Ok((*from, Writes::default().puts(puts).events(events)))
            }
        }
    })
    .await
}

/// The tab `text`, which is another one than `id`.
fn other(id: PosTabId, text: &str) -> Result<PosTabId, Issue> {
    let to: PosTabId = text
        .parse()
        .map_err(|error: racun_kernel::InvalidId| Issue::new("invalid_id", error.to_string()))?;
    if to == id {
        let message = "the lines are on this tab already; name another one";
        return Err(Issue::new("conflicting", message));
    }
    Ok(to)
}
