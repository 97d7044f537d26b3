//! The merged write set of a batch.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use racun_kernel::Tenant;
use racun_store::{Put, PutKind, Unique};

use crate::group::Decided;

/// What one transaction writes.
pub(crate) struct WriteSet<'a> {
    /// Rows, each as it is at the end.
    pub(crate) puts: Vec<Cow<'a, Put>>,
    /// What goes into the log, with what its records look like.
    pub(crate) entries: Vec<(Put, Option<&'a str>)>,
    /// The last used number of each series.
    pub(crate) used: BTreeMap<(&'a Tenant, &'a str), i64>,
    /// Whether all rows that are replaced or deleted are certain to be there.
    pub(crate) is_sure: bool,
    /// Whether it is of one unit. Writes of several units go in the quickest order; when the
    /// transaction fails, each unit is tried alone.
    pub(crate) is_of_one: bool,
}

impl<'a> WriteSet<'a> {
    pub(crate) fn of(group: &'a [Decided], is_sure: bool) -> Self {
        let used = group.iter().filter_map(Decided::used);
        let events = group.iter().flat_map(|decided| &decided.writes.events);
        Self {
            puts: merged(group.iter().flat_map(|decided| &decided.writes.puts)),
            entries: events.map(|event| (event.entry(), event.snapshot.as_deref())).collect(),
            used: used.map(|(series, last)| ((&series.tenant, &*series.key), last)).collect(),
            is_sure,
            is_of_one: group.len() == 1,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.puts.is_empty() && self.entries.is_empty() && self.used.is_empty()
    }

    /// The rows that change, those of the log among them.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &Put> {
        let puts = self.puts.iter().map(AsRef::as_ref);
        puts.chain(self.entries.iter().map(|(entry, _)| entry))
    }

    pub(crate) fn tenants(&self) -> impl Iterator<Item = &Tenant> {
        self.changed().map(|put| &put.tenant)
    }
}

/// Merges writes of the same row: sixteen payments on an invoice replace it once.
fn merged<'a>(puts: impl Iterator<Item = &'a Put>) -> Vec<Cow<'a, Put>> {
    let mut merged: Vec<Cow<'a, Put>> = Vec::new();
    let mut places: HashMap<(&'static str, &'a Tenant, &'a str), usize> = HashMap::new();
    for put in puts {
        let key = (put.table.name, &put.tenant, &*put.id);
        let before = places.get(&key).and_then(|place| merged.get_mut(*place));
        match before {
            Some(before) if follows(before, put) => {
                let before = before.to_mut();
                let (kind, live, trash) = (before.kind, before.live_delta, before.trash_delta);
                *before = put.clone();
                before.kind = kind;
                before.live_delta += live;
                before.trash_delta += trash;
            }
            _ => {
                places.insert(key, merged.len());
                merged.push(Cow::Borrowed(put));
            }
        }
    }
    merged
}

/// Whether `put` can take the place of `before`, which comes earlier: it merely replaces the row,
/// and takes or gives up no unique value, for which the order of writes counts.
fn follows(before: &Put, put: &Put) -> bool {
    let keeps_unique = || {
        put.table.fields.iter().enumerate().all(|(place, field)| {
            field.unique == Unique::No || before.values.get(place) == put.values.get(place)
        })
    };
    put.kind == PutKind::Update && before.kind != PutKind::Delete && keeps_unique()
}
