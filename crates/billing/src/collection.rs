//! How a bill is collected by card: attempts, each stored before it is made, and when the next one
//! is due.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// How many days pass after the first decline, the second, and so on.
const WAITS: [i64; 4] = [1, 3, 5, 7];
/// Attempts that one bill has at most, whatever cards are given.
const MOST_ATTEMPTS: u32 = 30;
/// For how long an attempt without an answer is made again: processors remember keys for a day.
const REPEATED_FOR: Duration = Duration::hours(20);
/// The shortest and the longest time from one repetition to the next.
const PAUSES: (Duration, Duration) = (Duration::minutes(1), Duration::hours(1));
/// When an attempt is begun again that could not be sent.
const UNSENT: Duration = Duration::hours(1);
/// How often one looks whether an event told the end of an attempt that is not made again.
const LOOK: Duration = Duration::hours(6);

/// How far the collection of a bill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollectionState {
    /// It is to be collected.
    Open,
    /// The money was taken.
    Paid,
    /// All attempts were declined; another card makes a new one.
    Failed,
    /// It is too small for a card: it is a line of the next bill, and is not collected by itself.
    Carried,
}

/// Who pays, and with what, as the card processor knows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payer {
    /// Who.
    pub customer: String,
    /// With which card.
    pub payment_method: String,
}

/// How much is to be collected, in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// What the bill comes to.
    pub cents: i64,
    /// The least that a card can be charged.
    pub minimum: i64,
}

/// An attempt that was begun and has no end yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Which one: the first is 1.
    pub number: u32,
    /// Who pays: the same whenever it is repeated.
    pub payer: Payer,
    /// The processor's id of the payment, once the bank takes its time with it.
    pub payment: Option<String>,
    /// When it was begun.
    #[serde(with = "time::serde::rfc3339")]
    pub begun_at: OffsetDateTime,
}

/// How a bill is collected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    /// How far it is.
    pub state: CollectionState,
    /// Attempts that were begun.
    pub attempts: u32,
    /// Attempts that were declined.
    pub declines: u32,
    /// The attempt whose end is not known.
    pub in_flight: Option<Attempt>,
    /// When the next attempt is due; `None` where there is none by itself.
    #[serde(with = "time::serde::rfc3339::option")]
    pub due_at: Option<OffsetDateTime>,
    /// Why the last attempt was declined.
    pub failure: Option<String>,
    /// The processor's id of the payment that paid it.
    pub payment: Option<String>,
    /// When it was paid.
    #[serde(with = "time::serde::rfc3339::option")]
    pub paid_at: Option<OffsetDateTime>,
}

/// What is to be done for a collection now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Nothing more, by itself.
    Over,
    /// Nothing before then.
    Waits(OffsetDateTime),
    /// To make the attempt that is in flight: for the first time, or again.
    Charge(Box<Collection>, Attempt),
    /// To carry it to the next bill ([`Turn::Carried`]): no card can be charged so little.
    Carried(Box<Collection>),
}

/// How an attempt went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The money was taken, by this payment.
    Paid(String),
    /// The bank takes its time with this payment.
    Processing(String),
    /// It was declined, for this reason.
    Declined(String),
    /// Nothing is known.
    Unknown,
    /// Nothing was sent to the processor, now or before: the attempt is none.
    NotSent,
    /// The processor takes no payment that small: the attempt is none.
    TooSmall,
}

/// What an attempt's end changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The bill is paid now.
    Paid,
    /// An attempt was declined.
    Declined,
    /// The bill is carried to the next one.
    Carried,
}

impl Collection {
    /// One that is due at `now`.
    #[must_use]
    pub const fn open(now: OffsetDateTime) -> Self {
        Self {
            state: CollectionState::Open,
            attempts: 0,
            declines: 0,
            in_flight: None,
            due_at: Some(now),
            failure: None,
            payment: None,
            paid_at: None,
        }
    }

    /// One of a bill that is paid by bank: no card is tried.
    #[must_use]
    pub fn by_bank(now: OffsetDateTime) -> Self {
        Self { due_at: None, ..Self::open(now) }
    }

    /// Begins what is due at `now`, paid by `payer`. An attempt whose end is not known is made
    /// again as it was: no other one begins before its end. What is below the least that a card
    /// can be charged is carried to the next bill.
    #[must_use]
    pub fn begin(mut self, payer: Option<Payer>, sum: Sum, now: OffsetDateTime) -> Begun {
        if self.is_settled() {
            return Begun::Over;
        }
        if let Some(attempt) = self.in_flight.clone() {
            let is_repeated = now - attempt.begun_at < REPEATED_FOR;
            return match attempt.payment.is_none() && is_repeated {
                true => Begun::Charge(Box::new(self), attempt),
                // Only an event tells its end.
                false => Begun::Waits(now + LOOK),
            };
        }
        let (Some(due), Some(payer)) = (self.due_at, payer) else { return Begun::Over };
        if due > now {
            return Begun::Waits(due);
        }
        if sum.cents < sum.minimum {
            return Begun::Carried(Box::new(self.carried()));
        }
        if self.attempts >= MOST_ATTEMPTS {
            return Begun::Over;
        }
        self.attempts += 1;
        let attempt = Attempt { number: self.attempts, payer, payment: None, begun_at: now };
        self.in_flight = Some(attempt.clone());
        Begun::Charge(Box::new(self), attempt)
    }

    /// Notes how the attempt `number` went, and what that changed. What comes again changes
    /// nothing. Where `payer` has another card by now, that one is tried next, at once.
    #[must_use]
    pub fn settle(
        mut self,
        number: u32,
        taken: Taken,
        payer: Option<&Payer>,
        now: OffsetDateTime,
    ) -> (Self, Option<Turn>) {
        let own = self.in_flight.take_if(|attempt| attempt.number == number);
        match (taken, own) {
            (Taken::Paid(payment), _) if !self.is_settled() => {
                self.state = CollectionState::Paid;
                (self.payment, self.paid_at) = (Some(payment), Some(now));
                (self.due_at, self.failure, self.in_flight) = (None, None, None);
                (self, Some(Turn::Paid))
            }
            (Taken::Declined(reason), Some(attempt)) => {
                self.declines += 1;
                self.failure = Some(reason);
                let is_new = payer.is_some_and(|payer| *payer != attempt.payer);
                self.due_at = match is_new {
                    true => Some(now),
                    false => wait_after(self.declines).map(|wait| now + wait),
                };
                self.due_at = self.due_at.filter(|_| self.attempts < MOST_ATTEMPTS);
                if self.due_at.is_none() {
                    self.state = CollectionState::Failed;
                }
                (self, Some(Turn::Declined))
            }
            (Taken::NotSent, Some(attempt)) => {
                self.attempts = attempt.number.saturating_sub(1);
                self.due_at = Some(now + UNSENT);
                (self, None)
            }
            (Taken::TooSmall, Some(attempt)) => {
                self.attempts = attempt.number.saturating_sub(1);
                (self.carried(), Some(Turn::Carried))
            }
            (Taken::Processing(payment), Some(attempt)) => {
                self.in_flight = Some(Attempt { payment: Some(payment), ..attempt });
                (self, None)
            }
            (_, own) => {
                self.in_flight = self.in_flight.or(own);
                (self, None)
            }
        }
    }

    /// Whether it is paid, or goes with the next bill: no card is charged for it any more.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        match self.state {
            CollectionState::Paid | CollectionState::Carried => true,
            CollectionState::Open | CollectionState::Failed => false,
        }
    }

    /// The same, which goes with the next bill.
    fn carried(mut self) -> Self {
        self.state = CollectionState::Carried;
        (self.due_at, self.failure) = (None, None);
        self
    }

    /// When to look at it again after an attempt: at the next one, or soon where nothing is known
    /// of the last one. `None` where nothing more happens by itself.
    #[must_use]
    pub fn next_look(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        match &self.in_flight {
            Some(attempt) if attempt.payment.is_some() => Some(now + LOOK),
            Some(attempt) => Some(now + (now - attempt.begun_at).clamp(PAUSES.0, PAUSES.1)),
            None => self.due_at.filter(|_| !self.is_settled()),
        }
    }

    /// The attempt whose end is not known, or the last one.
    #[must_use]
    pub fn last_attempt(&self) -> u32 {
        self.in_flight.as_ref().map_or(self.attempts, |attempt| attempt.number)
    }

    /// The same, tried at once with another card.
    #[must_use]
    pub fn hurried(mut self, now: OffsetDateTime) -> Self {
        if !self.is_settled() && self.attempts < MOST_ATTEMPTS {
            self.state = CollectionState::Open;
            self.due_at = Some(now);
        }
        self
    }
}

/// How long to wait after the decline that made `declines`; `None` after the last attempt.
fn wait_after(declines: u32) -> Option<Duration> {
    let place = usize::try_from(declines.saturating_sub(1)).unwrap_or(usize::MAX);
    WAITS.get(place).copied().map(Duration::days)
}
