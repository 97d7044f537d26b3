//! A read cache for stores that see every write: SQLite, and PostgreSQL while this process is the
//! only writer.
//!
//! What every request needs (the key's owner, the account's entities) is read once and cached until
//! it changes. A writer invalidates the affected rows
//! before it sends the commit, and reports the commit's end before any caller is answered. Between
//! the two, these rows are neither cached nor answered from the cache, so that no caller reads an
//! old value after another has read the new one.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use racun_kernel::Tenant;

use crate::{ListQuery, Put, Stored, Table};

/// Scopes, at most; beyond, the cache is cleared.
const MAX_SCOPES: usize = 10_000;
/// Cached answers of a scope, at most.
const MAX_ANSWERS: usize = 1_000;
/// Bytes of bodies of a cached answer, at most.
const MAX_BYTES: usize = 512 * 1024;
/// Bytes of all answers, at most; beyond, the cache is cleared.
const MAX_TOTAL: usize = 32 * 1024 * 1024;
/// Bytes of an answer, and of each of its rows, beside the bodies, about.
const OVERHEAD: usize = 256;

/// The rows of a tenant in a table, or all rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheScope(&'static str, Option<Tenant>);

impl CacheScope {
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

/// A read within a scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CacheKey {
    /// The rows with these ids.
    Ids(Vec<String>),
    /// The rows whose column has this value.
    Value(&'static str, String),
    /// A page.
    Page(ListQuery),
}

/// Rows, and the number of all that match.
pub type CachedRows = (Vec<Stored>, i64);

/// When a read began. A read that began while its scope was being written is not cached.
#[derive(Debug, Clone, Copy)]
pub struct ReadTicket(Option<u64>);

/// The cache.
pub struct ReadCache(Mutex<State>);

struct State {
    /// Whether anything is cached.
    is_open: bool,
    /// Counts the begins and ends of writes.
    now: u64,
    /// Scopes without an entry may have changed until then.
    forgotten: u64,
    scopes: HashMap<CacheScope, CachedScope>,
    /// Scopes that commits in flight change, and by how many commits.
    writing: HashMap<CacheScope, usize>,
    /// Bytes of all answers.
    bytes: usize,
}

#[derive(Default)]
struct CachedScope {
    /// When the scope changed last.
    changed: u64,
    answers: HashMap<CacheKey, Arc<CachedRows>>,
    /// Bytes of these answers.
    bytes: usize,
}

impl CachedScope {
    /// Drops the answers; says how many bytes they had.
    fn clear(&mut self) -> usize {
        self.answers.clear();
        std::mem::take(&mut self.bytes)
    }
}

impl State {
    fn changed(&self, scope: &CacheScope) -> u64 {
        self.scopes.get(scope).map_or(self.forgotten, |known| known.changed)
    }

    fn known(&mut self, scope: CacheScope) -> &mut CachedScope {
        if self.scopes.len() >= MAX_SCOPES && !self.scopes.contains_key(&scope) {
            self.forget();
        }
        let changed = self.forgotten;
        self.scopes
            .entry(scope)
            .or_insert_with(|| CachedScope { changed, ..CachedScope::default() })
    }

    fn forget(&mut self) {
        self.scopes.clear();
        self.bytes = 0;
        self.forgotten = self.now;
    }

    /// Drops all answers, but not when their scopes changed.
    fn make_room(&mut self) {
        for known in self.scopes.values_mut() {
            known.clear();
        }
        self.bytes = 0;
    }
}

impl ReadCache {
    /// An empty cache; `is_open` says whether the store sees every write from the start.
    #[must_use]
    pub fn new(is_open: bool) -> Self {
        Self(Mutex::new(State {
            is_open,
            now: 0,
            forgotten: 0,
            scopes: HashMap::new(),
            writing: HashMap::new(),
            bytes: 0,
        }))
    }

    /// Opens the cache: from now on the store sees every write. Reads that began before are not
    /// cached.
    pub fn open(&self) {
        let mut state = self.state();
        state.now += 1;
        state.forget();
        state.is_open = true;
    }

    /// Closes and clears the cache: other processes may change rows.
    pub fn close(&self) {
        let mut state = self.state();
        state.now += 1;
        state.forget();
        state.is_open = false;
    }

    /// Whether anything is cached.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state().is_open
    }

    /// The cached answer.
    ///
    /// # Errors
    /// When there is none: the ticket of the read that follows.
    pub fn get(&self, scope: &CacheScope, key: &CacheKey) -> Result<Arc<CachedRows>, ReadTicket> {
        let state = self.state();
        if !state.is_open || state.writing.contains_key(scope) {
            return Err(ReadTicket(None));
        }
        let kept = state.scopes.get(scope).and_then(|known| known.answers.get(key));
        kept.cloned().ok_or(ReadTicket(Some(state.now)))
    }

    /// Caches what a read answered, unless its scope changed since it began.
    pub fn insert(
        &self,
        scope: CacheScope,
        key: CacheKey,
        ticket: ReadTicket,
        answer: &Arc<CachedRows>,
    ) {
        let bodies: usize = answer.0.iter().map(|row| row.body.len()).sum();
        let ReadTicket(Some(began)) = ticket else { return };
        let mut state = self.state();
        let is_current =
            state.is_open && !state.writing.contains_key(&scope) && state.changed(&scope) <= began;
        if !is_current || bodies > MAX_BYTES {
            return;
        }
        let bytes = bodies + OVERHEAD * (1 + answer.0.len());
        if state.bytes + bytes > MAX_TOTAL {
            state.make_room();
        }
        let known = state.known(scope);
        let cleared = if known.answers.len() >= MAX_ANSWERS { known.clear() } else { 0 };
        // Another read of the same key may have cached it already, and then it is counted.
        let added = match known.answers.insert(key, Arc::clone(answer)) {
            None => bytes,
            Some(_) => 0,
        };
        known.bytes += added;
        state.bytes = (state.bytes + added).saturating_sub(cleared);
    }

    /// When the scope changed last; `None` while it is written, or the cache is closed.
    #[must_use]
    pub fn changed(&self, scope: &CacheScope) -> Option<u64> {
        let state = self.state();
        (state.is_open && !state.writing.contains_key(scope)).then(|| state.changed(scope))
    }

    /// Marks these scopes as being written, until the answer is dropped.
    #[must_use]
    pub fn writing(&self, changed: HashSet<CacheScope>) -> Writing<'_> {
        let mut state = self.state();
        state.now += 1;
        for scope in &changed {
            *state.writing.entry(scope.clone()).or_default() += 1;
        }
        Writing { cache: self, changed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A commit in flight.
pub struct Writing<'a> {
    cache: &'a ReadCache,
    changed: HashSet<CacheScope>,
}

impl Drop for Writing<'_> {
    /// The commit is done, or failed: what was cached may be old.
    fn drop(&mut self) {
        let mut state = self.cache.state();
        state.now += 1;
        let now = state.now;
        for scope in std::mem::take(&mut self.changed) {
            let others = state.writing.get_mut(&scope).map_or(0, |writers| {
                *writers -= 1;
                *writers
            });
            if others == 0 {
                state.writing.remove(&scope);
            }
            let known = state.known(scope);
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

    fn scope() -> CacheScope {
        CacheScope::all(table())
    }

    fn asked() -> CacheKey {
        CacheKey::Value("code", "A".to_owned())
    }

    fn answer(body: &str) -> Arc<CachedRows> {
        Arc::new((vec![Stored { id: "smp_1".to_owned(), body: body.to_owned() }], 1))
    }

    /// Reads, and keeps what was read.
    fn read(cache: &ReadCache, body: &str) {
        let began = cache.get(&scope(), &asked()).expect_err("nothing is kept");
        cache.insert(scope(), asked(), began, &answer(body));
    }

    fn kept(cache: &ReadCache) -> Option<String> {
        let answer = cache.get(&scope(), &asked()).ok()?;
        Some(answer.0[0].body.clone())
    }

    #[test]
    fn a_scope_is_not_cached_until_its_last_writer_is_done() {
        let cache = ReadCache::new(true);
        read(&cache, "1");
        assert_eq!(kept(&cache).as_deref(), Some("1"));
        let before = cache.changed(&scope());
        let first = cache.writing(HashSet::from([scope()]));
        let second = cache.writing(HashSet::from([scope()]));
        for writing in [first, second] {
            assert_eq!((kept(&cache), cache.changed(&scope())), (None, None));
            read(&cache, "2");
            drop(writing);
            assert_eq!(kept(&cache), None, "it was read while it was written");
        }
        assert!(cache.changed(&scope()) > before);
        read(&cache, "3");
        assert_eq!(kept(&cache).as_deref(), Some("3"));
    }

    #[test]
    fn a_closed_cache_opens_empty() {
        let cache = ReadCache::new(true);
        read(&cache, "1");
        let before = cache.changed(&scope());
        let began = cache.get(&scope(), &CacheKey::Ids(Vec::new())).expect_err("not asked before");
        cache.close();
        assert_eq!((kept(&cache), cache.changed(&scope())), (None, None));
        read(&cache, "2");
        cache.open();
        cache.insert(scope(), CacheKey::Ids(Vec::new()), began, &answer("1"));
        assert!(cache.get(&scope(), &CacheKey::Ids(Vec::new())).is_err(), "read before");
        assert_eq!(kept(&cache), None);
        assert!(cache.changed(&scope()) > before, "a moment has one name");
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = ReadCache::new(true);
        let large = answer(&"x".repeat(MAX_BYTES));
        for n in 0..2 * MAX_TOTAL / MAX_BYTES {
            let asked = CacheKey::Value("code", n.to_string());
            let began = cache.get(&scope(), &asked).expect_err("another each time");
            cache.insert(scope(), asked.clone(), began, &large);
            assert!(cache.get(&scope(), &asked).is_ok(), "the last one is kept");
            let state = cache.state();
            assert!(state.bytes <= MAX_TOTAL);
            let bodies = state.scopes.values().flat_map(|known| known.answers.values());
            let bodies: usize = bodies.map(|answer| answer.0[0].body.len()).sum();
            assert!(bodies <= state.bytes, "{bodies} of {}", state.bytes);
        }
        read(&cache, &"x".repeat(MAX_BYTES + 1));
        assert_eq!(kept(&cache), None, "too large");
    }
}
