//! What the gate will read for a request, guessed from the last request like it.
//!
//! Who makes a request is found out step by step: the token's record, whose it is, their place in the
//! entity, the entity. On a database across a network each step is a flight there and back. The next
//! request with the same token and entity takes the same steps, so they are taken at once: all reads
//! of the last time begin together, and each step that asks what was guessed finds its answer there.
//! What was guessed wrong is read as ever. Nothing is believed from an earlier request but which
//! questions it asked.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use racun_access::ENTITIES;
use racun_kernel::{
    ListQuery, Logged, Read, Rows, Store, StoreError, Stored, Table, Tally, TallyRow, Tenant,
    TransactError, Unit,
};

/// Whether `store` has at hand what the gate reads, so that nothing is gained by asking ahead: it
/// knows of every change.
pub(crate) fn is_near(store: &dyn Store) -> bool {
    store.changed(&ENTITIES, &Tenant::directory()).is_some()
}

/// The questions of the last request of each sort. Each thread that serves requests has its own.
#[derive(Default)]
pub(crate) struct Foresight {
    questions: RefCell<HashMap<u64, Vec<Read>>>,
    /// Sorts are told apart by a hash: two of one hash only guess wrong.
    hasher: RandomState,
}

impl Foresight {
    /// Sorts of requests that are remembered, at most; beyond, all are forgotten.
    const MOST: usize = 10_000;

    /// The sort of a request with this `token`, which names this entity.
    pub fn sort(&self, token: &str, entity: Option<&[u8]>) -> u64 {
        self.hasher.hash_one((token, entity))
    }

    /// Whether a request of this sort was let in before.
    pub fn knows(&self, sort: u64) -> bool {
        self.questions.borrow().contains_key(&sort)
    }

    /// A view of `store` that has already read what a request of this sort read last.
    pub async fn look<'a>(&self, sort: u64, store: &'a dyn Store) -> Foreseen<'a> {
        let questions = self.questions.borrow().get(&sort).cloned().unwrap_or_default();
        let answers = match questions.is_empty() {
            true => Vec::new(),
            false => store.read_all(&questions).await,
        };
        let guesses = questions.into_iter().zip(answers).collect();
        Foreseen { store, guesses: Mutex::new(guesses), asked: Mutex::default() }
    }

    /// Remembers what was asked, for the next request of this sort.
    pub fn remember(&self, sort: u64, seen: Foreseen<'_>) {
        let asked = seen.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut questions = self.questions.borrow_mut();
        if questions.get(&sort) == Some(&asked) {
            return;
        }
        if questions.len() >= Self::MOST {
            questions.clear();
        }
        questions.insert(sort, asked);
    }
}

/// A store of which some was read ahead.
pub(crate) struct Foreseen<'a> {
    store: &'a dyn Store,
    guesses: Mutex<Vec<(Read, Rows)>>,
    asked: Mutex<Vec<Read>>,
}

impl Foreseen<'_> {
    async fn ask(&self, question: Read) -> Rows {
        let guessed = {
            let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
            let place = guesses.iter().position(|(guess, _)| *guess == question);
            place.map(|place| guesses.swap_remove(place).1)
        };
        let answer = match guessed {
            Some(answer) => answer,
            None => self.store.read_all(std::slice::from_ref(&question)).await.remove(0),
        };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(question);
        answer
    }
}

#[async_trait]
impl Store for Foreseen<'_> {
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        Ok(self.ask(Read::Find(table, tenant.clone(), ids.to_vec())).await?.0)
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        Ok(self.ask(Read::Lookup(table, field, value.to_owned())).await?.0)
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        self.ask(Read::List(table, tenant.clone(), query.clone())).await
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        self.store.tallies(tenant, tallies).await
    }

    fn changed(&self, table: &'static Table, tenant: &Tenant) -> Option<u64> {
        self.store.changed(table, tenant)
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        self.store.transact(unit).await
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Logged>, StoreError> {
        self.store.events_after(position, limit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        self.store.series(tenant).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }
}
