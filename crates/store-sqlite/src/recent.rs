//! What was read lately and has not changed since.
//!
//! One process has the file, and one thread of it writes, so that this process knows of every change.
//! What stands before every request (whose key it is, which entities an account has) is therefore
//! read once and kept until its table changes. The thread says what it is about to change before its
//! commit, and that it has, after it and before it answers anybody: between the two nothing is kept or
//! answered from here, so that nobody is answered what was before after somebody saw what is now.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use racun_kernel::{ListQuery, Put, Stored, Table, Tenant};

/// Parts of tables that are told apart, at most; beyond, all is forgotten.
const MAX_PARTS: usize = 10_000;
/// Answers that are kept of a part, at most.
const MAX_ANSWERS: usize = 1_000;
/// Bytes of bodies that an answer may have to be kept.
const MAX_BYTES: usize = 64 * 1024;

/// The rows of a tenant in a table, or all rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Part(&'static str, Option<Tenant>);

impl Part {
    /// All rows of `table`.
    pub(crate) const fn all(table: &'static Table) -> Self {
        Self(table.name, None)
    }

    /// The rows of `tenant` in `table`.
    pub(crate) fn of(table: &'static Table, tenant: &Tenant) -> Self {
        Self(table.name, Some(tenant.clone()))
    }

    /// What `put` changes.
    pub(crate) fn changed_by(put: &Put) -> [Self; 2] {
        [Self::all(put.table), Self::of(put.table, &put.tenant)]
    }
}

/// What is asked of a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// The rows with these ids.
    Ids(Vec<String>),
    /// The rows whose column has this value.
    Value(&'static str, String),
    /// A page.
    Page(ListQuery),
}

/// Rows, and the number of all that match.
pub(crate) type Answer = (Vec<Stored>, i64);

/// When a read began. One that began while its part was being written keeps nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Began(Option<u64>);

/// What was read lately.
#[derive(Default)]
pub(crate) struct Recent(Mutex<State>);

#[derive(Default)]
struct State {
    /// Counts the beginnings and ends of groups.
    now: u64,
    /// What is forgotten may have changed until then.
    forgotten: u64,
    parts: HashMap<Part, Known>,
    /// What the group that is being committed changes.
    writing: HashSet<Part>,
}

#[derive(Default)]
struct Known {
    /// When it changed last.
    changed: u64,
    answers: HashMap<Asked, Arc<Answer>>,
}

impl State {
    fn changed(&self, part: &Part) -> u64 {
        self.parts.get(part).map_or(self.forgotten, |known| known.changed)
    }

    fn known(&mut self, part: Part) -> &mut Known {
        if self.parts.len() >= MAX_PARTS && !self.parts.contains_key(&part) {
            self.parts.clear();
            self.forgotten = self.now;
        }
        let changed = self.forgotten;
        self.parts.entry(part).or_insert_with(|| Known { changed, ..Known::default() })
    }
}

impl Recent {
    /// The kept answer, or when the read that is now to be made began.
    pub(crate) fn answer(&self, part: &Part, asked: &Asked) -> Result<Arc<Answer>, Began> {
        let state = self.state();
        if state.writing.contains(part) {
            return Err(Began(None));
        }
        let kept = state.parts.get(part).and_then(|known| known.answers.get(asked));
        kept.cloned().ok_or(Began(Some(state.now)))
    }

    /// Keeps what a read answered, unless its part changed since it began.
    pub(crate) fn keep(&self, part: Part, asked: Asked, began: Began, answer: &Arc<Answer>) {
        let bytes: usize = answer.0.iter().map(|row| row.body.len()).sum();
        let Began(Some(began)) = began else { return };
        let mut state = self.state();
        let is_current = !state.writing.contains(&part) && state.changed(&part) <= began;
        if !is_current || bytes > MAX_BYTES {
            return;
        }
        let known = state.known(part);
        if known.answers.len() >= MAX_ANSWERS {
            known.answers.clear();
        }
        known.answers.insert(asked, Arc::clone(answer));
    }

    /// When the part changed last; `None` while it does.
    pub(crate) fn changed(&self, part: &Part) -> Option<u64> {
        let state = self.state();
        (!state.writing.contains(part)).then(|| state.changed(part))
    }

    /// Says that these parts are about to change, until the answer is dropped.
    pub(crate) fn writing(&self, changed: HashSet<Part>) -> Writing<'_> {
        let mut state = self.state();
        state.now += 1;
        state.writing = changed;
        Writing(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A group that is being committed.
pub(crate) struct Writing<'a>(&'a Recent);

impl Drop for Writing<'_> {
    /// The commit is done, or failed: whatever was kept may be old.
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.now += 1;
        let now = state.now;
        for part in std::mem::take(&mut state.writing) {
            *state.known(part) = Known { changed: now, answers: HashMap::new() };
        }
    }
}
