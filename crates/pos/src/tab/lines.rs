//! What changes on a tab while it runs: its lines, and what is noted on it.

use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::id::{CustomerId, PosTableId};
use racun_kernel::{Issue, Issues, Patch};
use racun_store::Actor;
use racun_store::{Decision, Put};

use super::{Tab, TabState};
use crate::append::{AcceptedAppend, Naming};
use crate::check::{apply_metadata, required, text};
use crate::error::{PosError, TabRefusal};
use crate::events;
use crate::line::{LineInput, MAX_LINES, TabLine, parse_id};
use crate::references::References;

/// Characters that a tab's note may hold.
pub const MAX_NOTE_CHARS: usize = 10_000;

/// What replaces parts of a tab. What is absent stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabPatch {
    /// The version that the caller saw; any other one refuses the change.
    pub expected_version: i64,
    /// All lines. Never null; an empty list removes them.
    pub items: Patch<Vec<LineInput>>,
    /// Staff's note, at most [`MAX_NOTE_CHARS`] characters.
    pub note: Patch<String>,
    /// A customer of the entity, `cus_…`.
    pub customer_id: Patch<String>,
    /// An active table of the entity, `ptbl_…`.
    pub table_id: Patch<String>,
    /// What the caller attaches; replaces all that was attached, null empties it.
    pub metadata: Patch<BTreeMap<String, String>>,
}

impl Tab {
    /// Adds `lines` to what other devices have added: the quantity to a line of the same order, all
    /// else as new lines. A claim that ran out ends here.
    ///
    /// An append that was accepted under its name before adds nothing, whatever became of the tab.
    ///
    /// # Errors
    /// [`TabRefusal::AlreadyClaimed`] under a live claim; for a tab that has ended;
    /// [`TabRefusal::SharesOutstanding`] once a share is invoiced; all that is wrong with the
    /// lines, and `too_many` when the tab would have more than [`MAX_LINES`]: then none is added.
    pub fn append(
        self,
        lines: Vec<LineInput>,
        naming: Naming,
        references: &References,
        actor: &Actor,
    ) -> Result<Decision<Self>, PosError> {
        let accepted = match naming {
            Naming::Accepted => return Ok(Decision::Unchanged(self)),
            Naming::New(name) => Some(AcceptedAppend {
                id: name.key(self.id),
                entity_id: self.entity_id,
                tab_id: self.id,
                created_at: actor.now(),
            }),
            Naming::Unnamed => None,
        };
        let (mut tab, was_claimed) = self.unclaimed(actor)?;
        tab.must_be_unshared()?;
        if lines.is_empty() {
            return Err(at_items(required("send at least one line")));
        }
        let added = read_lines(lines, |line| line.into_line(None, references, actor));
        let merged = added.and_then(|added| tab.merge(added));
        merged.map_err(|issues| issues.at("items"))?;
        let events: &[_] = if was_claimed { &[events::pos_tab::RELEASED] } else { &[] };
        Ok(with_beside(tab.changed(events, actor), accepted.iter().map(Put::insert)))
    }

    /// Replaces what `patch` says. What leaves the tab as it was changes nothing. A claim that ran
    /// out ends here.
    ///
    /// # Errors
    /// For a tab that has ended; [`TabRefusal::AlreadyClaimed`] under a live claim;
    /// [`TabRefusal::StaleVersion`]; [`TabRefusal::SharesOutstanding`] for other lines once a share
    /// is invoiced; all that is wrong with the input, by path.
    pub fn replace(
        self,
        patch: TabPatch,
        references: &References,
        actor: &Actor,
    ) -> Result<Decision<Self>, PosError> {
        let before = self.clone();
        let (mut tab, was_claimed) = self.unclaimed(actor)?;
        if patch.expected_version != tab.version {
            let expected = patch.expected_version;
            return Err(before.refuse(TabRefusal::StaleVersion { expected }));
        }
        if !patch.items.is_absent() {
            before.must_be_unshared()?;
        }
        tab.apply(patch, references, actor)?;
        if tab == before {
            return Ok(Decision::Unchanged(tab));
        }
        let events: &[_] = if was_claimed {
            &[events::pos_tab::RELEASED, events::pos_tab::UPDATED]
        } else {
            &[events::pos_tab::UPDATED]
        };
        Ok(tab.changed(events, actor))
    }

    /// The tab, open, and whether a claim that ran out stood in the way.
    pub(super) fn unclaimed(mut self, actor: &Actor) -> Result<(Self, bool), PosError> {
        match &self.state {
            TabState::Open => Ok((self, false)),
            TabState::Issuing(claim) if !claim.is_live(actor.now()) => {
                self.state = TabState::Open;
                Ok((self, true))
            }
            TabState::Issuing(_) => Err(self.refuse(TabRefusal::AlreadyClaimed)),
            TabState::Issued { .. } | TabState::Cancelled { .. } => Err(self.ended()),
        }
    }

    /// Adds `added` line by line; issues are those of `items`.
    fn merge(&mut self, added: Vec<TabLine>) -> Result<(), Issues> {
        let mut issues = Issues::default();
        for (n, line) in added.into_iter().enumerate() {
            match self.lines.iter_mut().find(|present| present.is_same_order(&line)) {
                Some(present) => {
                    issues.collect(n, present.add(&line.quantity).map_err(Issues::from));
                }
                None => self.lines.push(line),
            }
        }
        if self.lines.len() > MAX_LINES {
            issues.push(too_many());
        }
        issues.into_result(())
    }

    fn apply(
        &mut self,
        patch: TabPatch,
        references: &References,
        actor: &Actor,
    ) -> Result<(), PosError> {
        let mut issues = Issues::default();
        match patch.items {
            Patch::Absent => {}
            Patch::Null => {
                let message = "cannot be null; leave it out to keep the lines, or send []";
                issues.push(required(message).at("items"));
            }
            Patch::Value(items) => {
                let lines = self.replaced(items, references, actor);
                self.lines = issues.collect("items", lines).unwrap_or_default();
            }
        }
        let note = patch.note.try_map(|note| text(note, MAX_NOTE_CHARS));
        if let Some(note) = issues.collect("note", note) {
            note.apply(&mut self.note);
        }
        let same = |id: &str, kept: Option<String>| kept.is_some_and(|kept| kept == id);
        let customer = patch.customer_id.try_map(|id| match self.customer_id {
            Some(kept) if same(&id, Some(kept.to_string())) => Ok(kept),
            _ => customer(&id, references).map_err(Issues::from),
        });
        if let Some(customer) = issues.collect("customer_id", customer) {
            customer.apply(&mut self.customer_id);
        }
        let table = patch.table_id.try_map(|id| match self.table_id {
            Some(kept) if same(&id, Some(kept.to_string())) => Ok(kept),
            _ => table(&id, references),
        });
        if let Some(table) = issues.note(table) {
            table.apply(&mut self.table_id);
        }
        apply_metadata(&mut issues, patch.metadata, &mut self.metadata);
        Ok(issues.into_result(())?)
    }

    /// The lines that `items` describe; those that name a line of this tab stay that line.
    fn replaced(
        &self,
        items: Vec<LineInput>,
        references: &References,
        actor: &Actor,
    ) -> Result<Vec<TabLine>, Issues> {
        let present: BTreeMap<String, &TabLine> =
            self.lines.iter().map(|line| (line.line_id.to_string(), line)).collect();
        let mut named = BTreeSet::new();
        read_lines(items, |line| {
            let before = line.line_id.as_ref().and_then(|id| present.get(id).copied());
            if let Some(before) = before
                && !named.insert(before.line_id)
            {
                let message = "another line has this id; leave it out for a new line";
                return Err(Issue::new("duplicate", message).at("line_id").into());
            }
            line.into_line(before, references, actor)
        })
    }
}

/// Reads all of `lines`; issues are those of `items`.
fn read_lines(
    lines: Vec<LineInput>,
    mut read: impl FnMut(LineInput) -> Result<TabLine, Issues>,
) -> Result<Vec<TabLine>, Issues> {
    if lines.len() > MAX_LINES {
        return Err(too_many().into());
    }
    let mut issues = Issues::default();
    let mut read_lines = Vec::with_capacity(lines.len());
    for (n, line) in lines.into_iter().enumerate() {
        read_lines.extend(issues.collect(n, read(line)));
    }
    issues.into_result(read_lines)
}

fn too_many() -> Issue {
    Issue::new("too_many", format!("a tab holds at most {MAX_LINES} lines; open another one"))
}

fn at_items(issue: Issue) -> PosError {
    Issues::from(issue.at("items")).into()
}

fn customer(id: &str, references: &References) -> Result<CustomerId, Issue> {
    let id = parse_id(id)?;
    let message = "there is no such customer in this entity; create it first";
    references
        .customer
        .filter(|customer| *customer == id)
        .ok_or_else(|| Issue::new("not_found", message))
}

/// The table `id`, when a tab can be opened on it; issues are at `table_id`.
pub(super) fn table(id: &str, references: &References) -> Result<PosTableId, Issues> {
    let at = |issue: Issue| Issues::from(issue.at("table_id"));
    let id = parse_id(id).map_err(at)?;
    let table =
        references.table.as_ref().filter(|table| table.id == id && table.deleted_at.is_none());
    match table {
        None => {
            let message = "there is no such table in this entity; create it first";
            Err(at(Issue::new("not_found", message)))
        }
        Some(table) if !table.is_active => {
            Err(at(Issue::new("table_inactive", "the table is not active; activate it first")))
        }
        Some(table) => Ok(table.id),
    }
}

fn with_beside(decision: Decision<Tab>, more: impl Iterator<Item = Put>) -> Decision<Tab> {
    match decision {
        Decision::Changed { record, mut beside, events } => {
            beside.extend(more);
            Decision::Changed { record, beside, events }
        }
        unchanged @ Decision::Unchanged(_) => unchanged,
    }
}
