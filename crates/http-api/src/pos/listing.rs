//! The list of tabs, and whether it changed since a caller read it.
//!
//! Every device of a shop asks for the list every few seconds, and mostly nothing changed. So the
//! answer has a tag, made of which tabs there are and at which versions: a caller that names it is
//! answered that the list is the one it has, and no tab is read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use actix_web::HttpRequest;
use actix_web::http::header::{EntityTag, Header as _, IfNoneMatch};
use racun_kernel::{Decimal, Issue, Tenant};
use racun_pos::{TABS, TabStatus};
use racun_sales::documents::Newest;
use racun_store::Context;
use racun_till::{TabView, tabs as application};
use ring::digest::SHA256;

use crate::call::EntityCall;
use crate::error::ApiError;
use crate::limits;
use crate::request::Query;

/// Bytes of a digest that a tag shows.
const TAG_BYTES: usize = 16;

/// What a caller is answered.
pub(super) enum Listing {
    /// Its list is the present one.
    Unchanged(EntityTag),
    /// The list, newest first.
    Tabs(EntityTag, Newest<TabView>),
}

/// The list of the tabs in any of `statuses`, unless `seen` says that the caller has it. A list
/// that is read is a heavy request; to find out that it is the same takes little.
pub(super) async fn read(
    call: &EntityCall,
    request: &HttpRequest,
    statuses: &BTreeSet<TabStatus>,
) -> Result<Listing, ApiError> {
    let (cx, seen) = (call.cx(), Seen::of(request));
    if seen.is_any() {
        let tags = request.app_data::<Tags>();
        let tags = tags.ok_or_else(|| ApiError::internal("the application keeps no tags"))?;
        let tag = present(cx, statuses, tags).await?;
        if seen.is(&tag) {
            return Ok(Listing::Unchanged(tag));
        }
    }
    limits::count_heavy(request).await?;
    let tabs = application::list(cx, call.entity(), statuses).await?;
    // Of these tabs: another may have been opened since the versions were read.
    let versions = tabs.rows.iter().map(|it| (it.tab.id.to_string(), it.tab.version.into()));
    Ok(Listing::Tabs(tag(statuses, versions), tabs))
}

/// The present tag: the kept one while no tab changed, or made of what is read.
async fn present(
    cx: Context<'_>,
    statuses: &BTreeSet<TabStatus>,
    tags: &Tags,
) -> Result<EntityTag, ApiError> {
    let changed = || cx.store.changed(&TABS, &cx.tenant());
    let key = (cx.tenant(), statuses.clone());
    let Some(before) = changed() else {
        let versions = application::versions(cx, statuses).await?;
        return Ok(tag(statuses, versions.into_iter()));
    };
    if let Some(kept) = tags.of(&key, before) {
        return Ok(kept);
    }
    let versions = application::versions(cx, statuses).await?;
    let tag = tag(statuses, versions.into_iter());
    if changed() == Some(before) {
        tags.keep(key, before, tag.clone());
    }
    Ok(tag)
}

/// A list: whose tabs, and in which states.
type Key = (Tenant, BTreeSet<TabStatus>);

/// Tags of lists, for stores that know without reading when a tab changed last. Each thread that
/// serves requests has its own.
#[derive(Default)]
pub(crate) struct Tags(RefCell<BTreeMap<Key, (u64, EntityTag)>>);

impl Tags {
    /// Lists whose tags are kept, at most; beyond, all are forgotten.
    const MOST: usize = 1_000;

    /// The tag of a list of tabs of which none changed since `changed`.
    fn of(&self, key: &Key, changed: u64) -> Option<EntityTag> {
        let tags = self.0.borrow();
        tags.get(key).filter(|(kept, _)| *kept == changed).map(|(_, tag)| tag.clone())
    }

    fn keep(&self, key: Key, changed: u64, tag: EntityTag) {
        let mut tags = self.0.borrow_mut();
        if tags.len() >= Self::MOST {
            tags.clear();
        }
        tags.insert(key, (changed, tag));
    }
}

/// The tag of the list of `tabs`, ids and versions in any order: a digest, so that two lists have
/// the same tag only when they are the same.
fn tag(statuses: &BTreeSet<TabStatus>, tabs: impl Iterator<Item = (String, Decimal)>) -> EntityTag {
    let mut digest = ring::digest::Context::new(&SHA256);
    for status in statuses {
        digest.update(status.name().as_bytes());
        digest.update(b",");
    }
    let tabs: BTreeSet<(String, Decimal)> = tabs.collect();
    for (id, version) in tabs {
        digest.update(format!("\n{id} {version}").as_bytes());
    }
    let shown = digest
        .finish()
        .as_ref()
        .iter()
        .take(TAG_BYTES)
        .fold(String::with_capacity(2 * TAG_BYTES), |text, byte| format!("{text}{byte:02x}"));
    EntityTag::new_strong(shown)
}

/// The lists that a caller has, by their tags: the header `If-None-Match`.
struct Seen(Option<IfNoneMatch>);

impl Seen {
    /// Reads the header. One that cannot be read names nothing.
    fn of(request: &HttpRequest) -> Self {
        let there = request.headers().contains_key(IfNoneMatch::name());
        Self(there.then(|| IfNoneMatch::parse(request).ok()).flatten())
    }

    /// Whether it names a list.
    const fn is_any(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the list of this `tag` is among them.
    fn is(&self, tag: &EntityTag) -> bool {
        match &self.0 {
            None => false,
            Some(IfNoneMatch::Any) => true,
            Some(IfNoneMatch::Items(tags)) => tags.iter().any(|seen| seen.weak_eq(tag)),
        }
    }
}

/// The states that `query` asks for; open and issuing when it asks for none.
pub(super) fn statuses(query: &Query) -> Result<BTreeSet<TabStatus>, ApiError> {
    let Some(names) = query.one("status")? else {
        return Ok(BTreeSet::from([TabStatus::Open, TabStatus::Issuing]));
    };
    let named = |name: &str| TabStatus::ALL.into_iter().find(|status| status.name() == name.trim());
    let statuses: Option<_> = names.split(',').map(named).collect();
    statuses.ok_or_else(|| {
        let all = TabStatus::ALL.map(TabStatus::name).join(", ");
        let message = format!("expected some of {all}, parted by commas");
        Issue::new("invalid_value", message).at("status").into()
    })
}
