//! What all connections share, and what they take and give: requests and answers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use crate::Options;
use crate::desk::Desk;
use crate::fault::Faults;
use crate::ledger::{Event, Ledger};

/// What all connections share.
pub struct State {
    pub faults: Faults,
    pub options: Options,
    pub url: String,
    ledger: Mutex<Ledger>,
    courier: Sender<Event>,
}

impl State {
    pub fn new(options: &Options, url: String, courier: Sender<Event>) -> Self {
        let ledger = Mutex::new(Ledger::new(options.most_kept));
        Self { faults: Faults::default(), options: options.clone(), url, ledger, courier }
    }

    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // No code that can panic runs under the lock.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn now(&self) -> i64 {
        (self.options.clock)()
    }

    /// Does something with the ledger, and posts what it tells.
    pub fn at_desk<T>(
        &self,
        account: Option<String>,
        is_live: bool,
        act: impl FnOnce(&mut Desk<'_>) -> T,
    ) -> T {
        let now = self.now();
        let mut ledger = self.ledger();
        let told = Vec::new();
        let mut desk = Desk { ledger: &mut ledger, url: &self.url, account, is_live, now, told };
        let done = act(&mut desk);
        for event in std::mem::take(&mut desk.told) {
            self.send(event);
        }
        done
    }

    /// Posts the event `id` again.
    pub fn replay(&self, id: &str) -> bool {
        let known = self.ledger().events.get(id).cloned();
        known.map(|event| self.send(event)).is_some()
    }

    fn send(&self, event: Event) {
        if self.courier.try_send(event).is_err() {
            eprintln!("too many webhooks wait, so one is not posted");
        }
    }
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub media_type: &'static str,
    pub location: Option<String>,
    pub body: String,
}

impl Answer {
    pub fn json(status: u16, body: &Value) -> Self {
        let body = body.to_string();
        Self { status, media_type: "application/json", location: None, body }
    }

    pub fn page(status: u16, body: String) -> Self {
        Self { status, media_type: "text/html; charset=utf-8", location: None, body }
    }

    /// Sends the person on.
    pub fn to(location: String) -> Self {
        Self { location: Some(location), ..Self::page(303, String::new()) }
    }

    /// That there is nothing.
    pub fn nothing() -> Self {
        Self::json(404, &json!({ "error": { "message": "there is nothing here" } }))
    }
}

/// A request, read.
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub body: Bytes,
    /// The secret key that it came with.
    pub key: Option<String>,
    pub account: Option<String>,
    pub idempotency_key: Option<String>,
}
