//! Prefetches the authentication reads: in one round trip, the reads that the previous request with
//! the same token and entity made.
//!
//! A request is authenticated step by step: the token's record, its user, their membership, the
//! entity. On a database across a network each step is a round trip. The next request with the same
//! token and entity takes the same steps, so all reads of the last time are sent together, and each
//! step finds its answer there. A read that was not prefetched is sent as usual. No answer of an
//! earlier request is used, only which reads it made.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use racun_background::idempotency::KEYED_REQUESTS;
use racun_kernel::Tenant;
use racun_store::{Read, Rows, Store, StoreDecorator};

use crate::idempotency::Key;

/// The reads of the last request of each sort, for each worker thread.
#[derive(Default)]
pub(crate) struct Prefetch {
    questions: RefCell<HashMap<u64, ReadPattern>>,
    /// Sorts are distinguished by a hash: two of one hash only guess wrong.
    hasher: RandomState,
}

/// The reads of a sort of requests.
#[derive(Clone, PartialEq)]
struct ReadPattern {
    questions: Vec<Read>,
    /// Whose keys of requests they use.
    keys: Option<Tenant>,
}

impl Prefetch {
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
    ) -> Prefetched<'a> {
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
        Prefetched { store, guesses: Mutex::new(guesses), asked: Mutex::default() }
    }

    /// Remembers what was asked, and whose keys the request uses, for the next one of this sort.
    pub fn remember(&self, sort: u64, keys: Option<Tenant>, seen: Prefetched<'_>) {
        let mut questions = seen.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Every request has a key of its own.
        questions
            .retain(|read| !matches!(read, Read::Find(table, ..) if *table == &KEYED_REQUESTS));
        let asked = ReadPattern { questions, keys };
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
pub(crate) struct Prefetched<'a> {
    store: &'a dyn Store,
    guesses: Mutex<Vec<(Read, Rows)>>,
    asked: Mutex<Vec<Read>>,
}

#[async_trait]
impl StoreDecorator for Prefetched<'_> {
    fn inner(&self) -> &dyn Store {
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
