//! Accounts, and documents with what became of them.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// Looks after which a late document is delivered.
const LATE_LOOKS: usize = 3;

/// What becomes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// The receiver has it at once.
    Delivered,
    /// The receiver has it at the third look.
    Late,
    /// The receiver does not take it.
    Fails,
}

impl Fate {
    const fn mark(self) -> &'static str {
        match self {
            Self::Delivered => "d",
            Self::Late => "l",
            Self::Fails => "f",
        }
    }
}

/// A document that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// The key that it came under.
    pub key: String,
    /// What it is called here.
    pub reference: String,
    /// The number of the invoice: BT-1.
    pub number: String,
    /// The account that sent it.
    pub account: String,
    /// The provider's name of the receiver's scheme, and the receiver.
    pub recipient: (String, String),
    /// What becomes of it.
    pub fate: Fate,
    /// How often it was asked what became of it.
    pub looks: usize,
}

/// What became of a document so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The receiver has it.
    Delivered,
    /// The receiver does not take it.
    Failed,
    /// It is under way.
    UnderWay,
    /// It was never taken.
    Nothing,
}

#[derive(Default)]
struct Books {
    accounts: BTreeMap<u64, (String, bool)>,
    by_key: HashMap<String, Delivery>,
    order: VecDeque<String>,
    repeats: usize,
}

/// The ledger.
pub struct Ledger {
    books: Mutex<Books>,
    most_kept: usize,
}

impl Ledger {
    pub fn new(most_kept: usize) -> Self {
        Self { books: Mutex::default(), most_kept }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // No code that can panic runs under the lock.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The account of a company; the one that it has when it comes again.
    pub fn account(&self, tenant: &str) -> u64 {
        let mut books = self.books();
        if let Some((id, _)) = books.accounts.iter().find(|(_, (own, _))| own == tenant) {
            return *id;
        }
        let id = u64::try_from(books.accounts.len()).unwrap_or(u64::MAX).saturating_add(1);
        books.accounts.insert(id, (tenant.to_owned(), true));
        id
    }

    /// Notes that the company of an account is not taken.
    pub fn reject(&self, account: u64) {
        if let Some((_, is_taken)) = self.books().accounts.get_mut(&account) {
            *is_taken = false;
        }
    }

    /// Whether the company of an account is taken. One that is not known was of a simulator that
    /// ended, and is believed.
    pub fn is_taken(&self, account: u64) -> bool {
        self.books().accounts.get(&account).is_none_or(|(_, is_taken)| *is_taken)
    }

    /// Takes a document; `None` when one came under its key before.
    pub fn take(&self, new: Delivery) -> Option<String> {
        let mut books = self.books();
        if books.by_key.contains_key(&new.key) {
            books.repeats += 1;
            return None;
        }
        let reference = format!("{}-{}", new.key, new.fate.mark());
        let taken = Delivery { reference: reference.clone(), ..new };
        books.order.push_back(taken.key.clone());
        books.by_key.insert(taken.key.clone(), taken);
        if books.order.len() > self.most_kept
            && let Some(oldest) = books.order.pop_front()
        {
            books.by_key.remove(&oldest);
        }
        Some(reference)
    }

    /// What became of a document. Of one that is not known its reference says it.
    pub fn look(&self, reference: &str) -> Found {
        let Some((key, mark)) = reference.rsplit_once('-') else { return Found::Nothing };
        let mut books = self.books();
        if let Some(known) = books.by_key.get_mut(key) {
            known.looks += 1;
            if known.fate == Fate::Late && known.looks < LATE_LOOKS {
                return Found::UnderWay;
            }
        }
        match mark {
            "d" | "l" => Found::Delivered,
            "f" => Found::Failed,
            _ => Found::Nothing,
        }
    }

    pub fn deliveries(&self) -> Vec<Delivery> {
        let books = self.books();
        books.order.iter().filter_map(|key| books.by_key.get(key).cloned()).collect()
    }

    pub fn repeats(&self) -> usize {
        self.books().repeats
    }
}
