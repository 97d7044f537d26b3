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
    /// The document, where files are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xml: Option<String>,
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

/// A company's account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Whose it is, as its owner calls it.
    pub tenant: String,
    /// What it may send as.
    pub identifiers: Vec<String>,
    /// Whether the company is not taken.
    pub is_rejected: bool,
}

#[derive(Default)]
struct Entries {
    accounts: BTreeMap<u64, Account>,
    by_key: HashMap<String, Delivery>,
    order: VecDeque<String>,
    repeats: usize,
}

/// The ledger.
pub struct Ledger {
    entries: Mutex<Entries>,
    most_kept: usize,
}

impl Ledger {
    pub fn new(most_kept: usize) -> Self {
        Self { entries: Mutex::default(), most_kept }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // No code that can panic runs under the lock.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens an account, another each time.
    pub fn open(&self, tenant: &str) -> u64 {
        let mut entries = self.entries();
        let last = entries.accounts.last_key_value().map_or(0, |(id, _)| *id);
        let id = last.saturating_add(1);
        entries.accounts.insert(id, Account { tenant: tenant.to_owned(), ..Account::default() });
        id
    }

    /// Gives an account an identifier. `false` when it is taken: by that account, or by another of
    /// the same company. Companies of a sandbox are made up, so two of them may send as one. An
    /// account that is not known was of a simulator that ended, and is believed.
    pub fn announce(&self, account: u64, identifier: &str) -> bool {
        let mut entries = self.entries();
        let tenant = entries.accounts.entry(account).or_default().tenant.clone();
        let is_own =
            |id: u64, one: &Account| id == account || (one.tenant == tenant && !tenant.is_empty());
        let own = entries.accounts.iter().filter(|(id, one)| is_own(**id, one));
        if own.flat_map(|(_, one)| &one.identifiers).any(|own| own == identifier) {
            return false;
        }
        let account = entries.accounts.entry(account).or_default();
        account.identifiers.push(identifier.to_owned());
        true
    }

    /// Notes that the company of an account is not taken.
    pub fn reject(&self, account: u64) {
        self.entries().accounts.entry(account).or_default().is_rejected = true;
    }

    /// An account. One that is not known was of a simulator that ended, and is believed to have the
    /// identifier that it is asked for.
    pub fn account(&self, account: u64) -> Account {
        let believed = || Account { identifiers: vec!["known".to_owned()], ..Account::default() };
        self.entries().accounts.get(&account).cloned().unwrap_or_else(believed)
    }

    /// All accounts.
    pub fn accounts(&self) -> Vec<Account> {
        self.entries().accounts.values().cloned().collect()
    }

    /// Takes a document; `None` when one came under its key before.
    pub fn take(&self, new: Delivery) -> Option<String> {
        let mut entries = self.entries();
        if entries.by_key.contains_key(&new.key) {
            entries.repeats += 1;
            return None;
        }
        let reference = format!("{}-{}", new.key, new.fate.mark());
        let taken = Delivery { reference: reference.clone(), ..new };
        entries.order.push_back(taken.key.clone());
        entries.by_key.insert(taken.key.clone(), taken);
        if entries.order.len() > self.most_kept
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.by_key.remove(&oldest);
        }
        Some(reference)
    }

    /// What became of a document. Of one that is not known its reference says it.
    pub fn look(&self, reference: &str) -> Found {
        let Some((key, mark)) = reference.rsplit_once('-') else { return Found::Nothing };
        let mut entries = self.entries();
        if let Some(known) = entries.by_key.get_mut(key) {
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
        let entries = self.entries();
        entries.order.iter().filter_map(|key| entries.by_key.get(key).cloned()).collect()
    }

    pub fn repeats(&self) -> usize {
        self.entries().repeats
    }
}
