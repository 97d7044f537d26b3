//! What goes wrong on command.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;

/// Something that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The request is taken, and the connection closed without an answer.
    LoseAnswer,
    /// The connection is closed without an answer, and nothing taken.
    Reset,
    /// The request is read and never answered.
    Hang,
    /// 500 with HTML; nothing is taken.
    ServerError,
    /// 429; nothing is taken.
    TooMany,
    /// 404 with HTML, as of a proxy on the way; nothing is taken.
    NotFound,
    /// 200 with HTML; the request is taken.
    Html,
    /// 422: the provider refuses what it is sent.
    Refuse,
    /// The answer comes after 300 milliseconds; the request is taken at once.
    Delay,
}

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Accounts: opening one, and how it stands.
    Account,
    /// The identifier of an account.
    Identifier,
    /// Whether a party receives.
    Discovery,
    /// A document.
    Submit,
    /// What became of a document.
    Evidence,
}

/// When a fault happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// To which requests; to all when missing.
    #[serde(default)]
    pub operation: Option<Operation>,
    /// How often at most.
    #[serde(default)]
    pub times: Option<u64>,
    /// Each how many-th time; each time when missing.
    #[serde(default)]
    pub every: Option<u64>,
}

struct Planned {
    fault: Fault,
    when: When,
    seen: u64,
    happened: u64,
}

impl Planned {
    /// Counts a request that it concerns, and says whether it happens to this one.
    fn happens(&mut self) -> bool {
        if self.when.times.is_some_and(|times| self.happened >= times) {
            return false;
        }
        self.seen += 1;
        let happens = self.when.every.is_none_or(|every| self.seen.is_multiple_of(every.max(1)));
        self.happened += u64::from(happens);
        happens
    }
}

/// The faults that are planned.
#[derive(Default)]
pub struct Faults(Mutex<Vec<Planned>>);

impl Faults {
    fn lock(&self) -> MutexGuard<'_, Vec<Planned>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, fault: Fault, when: When) {
        self.lock().push(Planned { fault, when, seen: 0, happened: 0 });
    }

    pub fn clear(&self) {
        self.lock().clear();
    }

    /// What happens to a request.
    pub fn of(&self, operation: Operation) -> Option<Fault> {
        let mut planned = self.lock();
        let mut those = planned
            .iter_mut()
            .filter(|it| it.when.operation.is_none_or(|asked| asked == operation));
        those.find_map(|it| it.happens().then_some(it.fault))
    }
}
