//! What was read lately and has not changed since, for a store that knows of every change.
//!
//! A store knows of every change when one process writes: the one that has the file, or the one
//! that holds the database's lease. What every request needs (the key's owner, the account's
//! entities) is then read once and cached until it changes. A writer invalidates the affected rows
//! before it sends the commit, and reports the commit's end before any caller is answered. Between
//! the two, these rows are neither cached nor answered from the cache, so that no caller reads an
//! old value after another has read the new one.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{ListQuery, Put, Stored, Table, Tenant};

/// Parts of tables that are told apart, at most; beyond, all is forgotten.
const MAX_PARTS: usize = 10_000;
/// Answers that are kept of a part, at most.
const MAX_ANSWERS: usize = 1_000;
/// Bytes of bodies that an answer may have to be kept.
const MAX_BYTES: usize = 512 * 1024;
/// Bytes that all answers may have together; beyond, all are forgotten.
const MAX_TOTAL: usize = 32 * 1024 * 1024;
/// Bytes that an answer and a row of it take beside the rows' bodies, about.
const OVERHEAD: usize = 256;

/// The rows of a tenant in a table, or all rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part(&'static str, Option<Tenant>);

impl Part {
    /// All rows of `table`.
    #[must_use]
    pub const fn all(table: &'static Table) -> Self {
        Self(table.name, None)
    }

    /// The rows of `tenant` in `table`.
    #[must_use]
    pub fn of(table: &'static Table, tenant: &Tenant) -> Self {
        Self(table.name, Some(tenant.clone()))
    }

    /// What `put` changes.
    #[must_use]
    pub fn changed_by(put: &Put) -> [Self; 2] {
        [Self::all(put.table), Self::of(put.table, &put.tenant)]
    }
}

/// What is asked of a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Asked {
    /// The rows with these ids.
    Ids(Vec<String>),
    /// The rows whose column has this value.
    Value(&'static str, String),
    /// A page.
    Page(ListQuery),
}

/// Rows, and the number of all that match.
pub type Answer = (Vec<Stored>, i64);

/// When a read began. One that began while its part was being written keeps nothing.
#[derive(Debug, Clone, Copy)]
pub struct Began(Option<u64>);

/// What was read lately.
pub struct Recent(Mutex<State>);

struct State {
    /// Whether anything is kept and answered.
    is_open: bool,
    /// Counts the beginnings and ends of groups.
    now: u64,
    /// What is forgotten may have changed until then.
    forgotten: u64,
    parts: HashMap<Part, Known>,
    /// What groups that are being committed change, and how many of them.
    writing: HashMap<Part, usize>,
    /// Bytes of all answers.
    bytes: usize,
}

#[derive(Default)]
struct Known {
    /// When it changed last.
    changed: u64,
    answers: HashMap<Asked, Arc<Answer>>,
    /// Bytes of these answers.
    bytes: usize,
}

impl Known {
    /// Drops the answers, and says how many bytes they had.
    fn clear(&mut self) -> usize {
        self.answers.clear();
        std::mem::take(&mut self.bytes)
    }
}

impl State {
    fn changed(&self, part: &Part) -> u64 {
        self.parts.get(part).map_or(self.forgotten, |known| known.changed)
    }

    fn known(&mut self, part: Part) -> &mut Known {
        if self.parts.len() >= MAX_PARTS && !self.parts.contains_key(&part) {
            self.forget();
        }
        let changed = self.forgotten;
        self.parts.entry(part).or_insert_with(|| Known { changed, ..Known::default() })
    }

    fn forget(&mut self) {
        self.parts.clear();
        self.bytes = 0;
        self.forgotten = self.now;
    }

    /// Drops all answers; when their parts changed stays known.
    fn make_room(&mut self) {
        for known in self.parts.values_mut() {
            known.clear();
        }
        self.bytes = 0;
    }
}

impl Recent {
    /// Nothing yet; `is_open` says whether the store knows of every change from the start.
    #[must_use]
    pub fn new(is_open: bool) -> Self {
        Self(Mutex::new(State {
            is_open,
            now: 0,
            forgotten: 0,
            parts: HashMap::new(),
            writing: HashMap::new(),
            bytes: 0,
        }))
    }

    /// Begins to keep: from now on the store knows of every change. What was read before is not
    /// kept.
    pub fn open(&self) {
        let mut state = self.state();
        state.now += 1;
        state.forget();
        state.is_open = true;
    }

    /// Ends to keep and to answer: others may change rows.
    pub fn close(&self) {
        let mut state = self.state();
        state.now += 1;
        state.forget();
        state.is_open = false;
    }

    /// Whether anything is kept and answered.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state().is_open
    }

    /// The kept answer.
    ///
    /// # Errors
    /// When there is none: when the read that is now to be made began.
    pub fn answer(&self, part: &Part, asked: &Asked) -> Result<Arc<Answer>, Began> {
        let state = self.state();
        if !state.is_open || state.writing.contains_key(part) {
            return Err(Began(None));
        }
        let kept = state.parts.get(part).and_then(|known| known.answers.get(asked));
        kept.cloned().ok_or(Began(Some(state.now)))
    }

    /// Keeps what a read answered, unless its part changed since it began.
    pub fn keep(&self, part: Part, asked: Asked, began: Began, answer: &Arc<Answer>) {
        let bodies: usize = answer.0.iter().map(|row| row.body.len()).sum();
        let Began(Some(began)) = began else { return };
        let mut state = self.state();
        let is_current =
            state.is_open && !state.writing.contains_key(&part) && state.changed(&part) <= began;
        if !is_current || bodies > MAX_BYTES {
            return;
        }
        let bytes = bodies + OVERHEAD * (1 + answer.0.len());
        if state.bytes + bytes > MAX_TOTAL {
            state.make_room();
        }
        let known = state.known(part);
        let cleared = if known.answers.len() >= MAX_ANSWERS { known.clear() } else { 0 };
        // Another read of the same may have kept it meanwhile, and is counted already.
        let added = match known.answers.insert(asked, Arc::clone(answer)) {
            None => bytes,
            Some(_) => 0,
        };
        known.bytes += added;
        state.bytes = (state.bytes + added).saturating_sub(cleared);
    }

    /// When the part changed last; `None` while it does, or nothing is known.
    #[must_use]
    pub fn changed(&self, part: &Part) -> Option<u64> {
        let state = self.state();
        (state.is_open && !state.writing.contains_key(part)).then(|| state.changed(part))
    }

    /// Says that these parts are about to change, until the answer is dropped.
    #[must_use]
    pub fn writing(&self, changed: HashSet<Part>) -> Writing<'_> {
        let mut state = self.state();
        state.now += 1;
        for part in &changed {
            *state.writing.entry(part.clone()).or_default() += 1;
        }
        Writing { recent: self, changed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A group that is being committed.
pub struct Writing<'a> {
    recent: &'a Recent,
    changed: HashSet<Part>,
}

impl Drop for Writing<'_> {
    /// The commit is done, or failed: whatever was kept may be old.
    fn drop(&mut self) {
        let mut state = self.recent.state();
        state.now += 1;
        let now = state.now;
        for part in std::mem::take(&mut self.changed) {
            let others = state.writing.get_mut(&part).map_or(0, |writers| {
                *writers -= 1;
                *writers
            });
            if others == 0 {
                state.writing.remove(&part);
            }
            let known = state.known(part);
            known.changed = now;
            let cleared = known.clear();
            state.bytes = state.bytes.saturating_sub(cleared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn table() -> &'static Table {
        static TABLE: Table = Table::new::<crate::Activity>("samples", &[]);
        &TABLE
    }

    fn part() -> Part {
        Part::all(table())
    }

    fn asked() -> Asked {
        Asked::Value("code", "A".to_owned())
    }

    fn answer(body: &str) -> Arc<Answer> {
        Arc::new((vec![Stored { id: "smp_1".to_owned(), body: body.to_owned() }], 1))
    }

    /// Reads, and keeps what was read.
    fn read(recent: &Recent, body: &str) {
        let began = recent.answer(&part(), &asked()).expect_err("nothing is kept");
        recent.keep(part(), asked(), began, &answer(body));
    }

    fn kept(recent: &Recent) -> Option<String> {
        let answer = recent.answer(&part(), &asked()).ok()?;
        Some(answer.0[0].body.clone())
    }

    #[test]
    fn a_part_is_silent_until_the_last_of_its_writers_is_done() {
        let recent = Recent::new(true);
        read(&recent, "1");
        assert_eq!(kept(&recent).as_deref(), Some("1"));
        let before = recent.changed(&part());
        let first = recent.writing(HashSet::from([part()]));
        let second = recent.writing(HashSet::from([part()]));
        for writing in [first, second] {
            assert_eq!((kept(&recent), recent.changed(&part())), (None, None));
            read(&recent, "2");
            drop(writing);
            assert_eq!(kept(&recent), None, "it was read while it was written");
        }
        assert!(recent.changed(&part()) > before);
        read(&recent, "3");
        assert_eq!(kept(&recent).as_deref(), Some("3"));
    }

    #[test]
    fn nothing_of_before_is_kept_after_it_was_closed_and_opened() {
        let recent = Recent::new(true);
        read(&recent, "1");
        let before = recent.changed(&part());
        let began = recent.answer(&part(), &Asked::Ids(Vec::new())).expect_err("not asked before");
        recent.close();
        assert_eq!((kept(&recent), recent.changed(&part())), (None, None));
        read(&recent, "2");
        recent.open();
        recent.keep(part(), Asked::Ids(Vec::new()), began, &answer("1"));
        assert!(recent.answer(&part(), &Asked::Ids(Vec::new())).is_err(), "read before");
        assert_eq!(kept(&recent), None);
        assert!(recent.changed(&part()) > before, "a moment has one name");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let recent = Recent::new(true);
        let large = answer(&"x".repeat(MAX_BYTES));
        for n in 0..2 * MAX_TOTAL / MAX_BYTES {
            let asked = Asked::Value("code", n.to_string());
            let began = recent.answer(&part(), &asked).expect_err("another each time");
            recent.keep(part(), asked.clone(), began, &large);
            assert!(recent.answer(&part(), &asked).is_ok(), "the last one is kept");
            let state = recent.state();
            assert!(state.bytes <= MAX_TOTAL);
            let bodies = state.parts.values().flat_map(|known| known.answers.values());
            let bodies: usize = bodies.map(|answer| answer.0[0].body.len()).sum();
            assert!(bodies <= state.bytes, "{bodies} of {}", state.bytes);
        }
        read(&recent, &"x".repeat(MAX_BYTES + 1));
        assert_eq!(kept(&recent), None, "too large");
    }
}
