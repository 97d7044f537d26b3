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
use racun_application::idempotency::KEYED_REQUESTS;
use racun_kernel::{Layer, Read, Rows, Store, Tenant};

use crate::idempotency::Key;

/// Whether `store` has at hand what the gate reads, so that nothing is gained by asking ahead: it
/// knows of every change.
pub(crate) fn is_near(store: &dyn Store) -> bool {
    store.changed(&ENTITIES, &Tenant::directory()).is_some()
}

/// The questions of the last request of each sort. Each thread that serves requests has its own.
#[derive(Default)]
pub(crate) struct Foresight {
    questions: RefCell<HashMap<u64, Known>>,
    /// Sorts are told apart by a hash: two of one hash only guess wrong.
    hasher: RandomState,
}

/// What is known of a sort of requests.
#[derive(Clone, PartialEq)]
struct Known {
    questions: Vec<Read>,
    /// Whose keys of requests they use.
    keys: Option<Tenant>,
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
    /// What is stored under the `key` of this request, if it has one, is read together with that.
    pub async fn look<'a>(
        &self,
        sort: u64,
        key: Option<&Key>,
        store: &'a dyn Store,
    ) -> Foreseen<'a> {
        let known = self.questions.borrow().get(&sort).cloned();
        let (mut questions, keys) =
            known.map(|known| (known.questions, known.keys)).unwrap_or_default();
        if let (Some(tenant), Some(key)) = (keys, key) {
            questions.push(Read::Find(&KEYED_REQUESTS, tenant, vec![key.as_str().to_owned()]));
        }
        let answers = match questions.is_empty() {
            true => Vec::new(),
            false => store.read_all(&questions).await,
        };
        let guesses = questions.into_iter().zip(answers).collect();
        Foreseen { store, guesses: Mutex::new(guesses), asked: Mutex::default() }
    }

    /// Remembers what was asked, and whose keys the request uses, for the next one of this sort.
    pub fn remember(&self, sort: u64, keys: Option<Tenant>, seen: Foreseen<'_>) {
        let mut questions = seen.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Every request has a key of its own.
        questions
            .retain(|read| !matches!(read, Read::Find(table, ..) if *table == &KEYED_REQUESTS));
        let asked = Known { questions, keys };
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

#[async_trait]
impl Layer for Foreseen<'_> {
    fn beneath(&self) -> &dyn Store {
        self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        let guessed = {
            let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
            let place = guesses.iter().position(|(guess, _)| guess == read);
            place.map(|place| guesses.swap_remove(place).1)
        };
        let answer = match guessed {
            Some(answer) => answer,
            None => self.store.read_all(std::slice::from_ref(read)).await.remove(0),
        };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(read.clone());
        answer
    }
}
