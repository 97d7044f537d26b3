//! Customers, cards, sessions, payments and accounts, as the interface shows them; answers by key;
//! and what was told.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Serialize;
use serde_json::Value;

/// Things by their ids. The oldest one is forgotten when there are too many.
pub struct Kept<T> {
    by_id: HashMap<String, T>,
    order: VecDeque<String>,
    most: usize,
}

impl<T> Kept<T> {
    fn new(most: usize) -> Self {
        Self { by_id: HashMap::new(), order: VecDeque::new(), most: most.max(1) }
    }

    pub fn get(&self, id: &str) -> Option<&T> {
        self.by_id.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.by_id.get_mut(id)
    }

    pub fn put(&mut self, id: &str, thing: T) {
        if self.by_id.insert(id.to_owned(), thing).is_some() {
            return;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
    }

    /// Removes one.
    pub fn take(&mut self, id: &str) -> Option<T> {
        let taken = self.by_id.remove(id)?;
        self.order.retain(|known| known != id);
        Some(taken)
    }

    /// All of them, the oldest first.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.order.iter().filter_map(|id| self.by_id.get(id))
    }
}

/// An object, and whose it is.
pub struct Stored {
    /// The connected account; `None` for the platform's own.
    pub account: Option<String>,
    pub value: Value,
}

/// What was answered to a request with a key.
#[derive(Clone)]
pub struct Reply {
    /// What was asked.
    pub asked: Vec<u8>,
    pub status: u16,
    pub body: Value,
}

/// A payment that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Payment {
    /// Its id: `pi_…`.
    pub id: String,
    /// The connected account that it is of; `None` for the platform's own.
    pub account: Option<String>,
    /// Who pays: `cus_…`; `None` for a person without a customer.
    pub customer: Option<String>,
    /// How much, in the currency's smallest unit.
    pub amount: i64,
    /// In which currency: `eur`.
    pub currency: String,
    /// What became of it: `succeeded`, `requires_payment_method`.
    pub status: String,
    /// What it was made with.
    pub metadata: BTreeMap<String, String>,
}

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Its id: `evt_…`.
    pub id: String,
    /// What happened: `payment_intent.succeeded`.
    pub kind: String,
    /// The body of its webhook.
    pub body: String,
}

/// What is kept.
pub struct Ledger {
    pub objects: Kept<Stored>,
    /// By account and key.
    pub replies: Kept<Reply>,
    /// What a code that was given out connects: an account, and what it is called.
    pub codes: Kept<String>,
    /// Accounts that are connected no more.
    pub given_up: Kept<()>,
    pub events: Kept<Event>,
}

impl Ledger {
    pub fn new(most: usize) -> Self {
        Self {
            objects: Kept::new(most.saturating_mul(4)),
            replies: Kept::new(most),
            codes: Kept::new(most),
            given_up: Kept::new(most),
            events: Kept::new(most),
        }
    }

    pub fn events(&self) -> Vec<Event> {
        self.events.all().cloned().collect()
    }

    pub fn payments(&self) -> Vec<Payment> {
        let is_payment = |stored: &&Stored| stored.value["object"] == "payment_intent";
        self.objects.all().filter(is_payment).map(payment).collect()
    }
}

fn payment(stored: &Stored) -> Payment {
    let text = |name: &str| stored.value[name].as_str().unwrap_or_default().to_owned();
    Payment {
        id: text("id"),
        account: stored.account.clone(),
        customer: stored.value["customer"].as_str().map(str::to_owned),
        amount: stored.value["amount"].as_i64().unwrap_or_default(),
        currency: text("currency"),
        status: text("status"),
        metadata: serde_json::from_value(stored.value["metadata"].clone()).unwrap_or_default(),
    }
}
