//! The exchange with an authority about one document: what is said, how often it was, and what came
//! back.
//!
//! ```text
//!   open ──► sending ──► confirmed
//!               │ ▲ ╲
//!               ▼ │  ╲► blocked ──► sending, when a user orders it
//!             pending
//! ```
//!
//! An attempt is recorded before it is sent, under a lease: a worker that dies while sending leaves
//! it, and when the lease ends another worker begins the next attempt. What is sent never changes
//! but for the header and whether it is late. A confirmation counts whenever it comes.

mod due;

use std::time::Duration;

use racun_kernel::id::EntityId;
use racun_kernel::{DocumentId, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::{Authority, AuthorityError, Days, Message, MessageId, fina, furs};

pub use due::{DUE_EXCHANGES, DueExchange, due_by, due_put, leased_at};

/// For how long an attempt keeps others from beginning the next one: longer than any sending lasts.
pub const LEASE: Duration = Duration::from_secs(60);

/// Characters of an authority's answer that are kept.
const MAX_ANSWER_CHARS: usize = 300;
/// Errors of one answer that are kept.
const MAX_ERRORS: usize = 20;

/// What is said of a document, frozen when it was issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportContent {
    /// To FURS.
    Furs(Box<furs::Invoice>),
    /// To FURS: a form of a bound book.
    FursBook(Box<furs::BookInvoice>),
    /// To CIS.
    Fina(Box<fina::Receipt>),
}

impl ReportContent {
    /// Whom it is for.
    #[must_use]
    pub const fn authority(&self) -> Authority {
        match self {
            Self::Furs(_) | Self::FursBook(_) => Authority::Furs,
            Self::Fina(_) => Authority::Fina,
        }
    }

    /// The day of the issue, in the authority's zone.
    #[must_use]
    pub fn issued_on(&self) -> Date {
        match self {
            Self::Furs(invoice) => invoice.issued_at.date(),
            Self::FursBook(form) => form.issued_on,
            Self::Fina(receipt) => receipt.issued_at.date(),
        }
    }

    /// Whether the message of an attempt says that the document was handed out without a
    /// confirmation: those after the first do. What was written on paper was handed out before any;
    /// FURS has no field for that in a form of a bound book.
    #[must_use]
    pub const fn is_late(&self, is_first: bool) -> bool {
        match self {
            Self::Furs(_) => !is_first,
            Self::FursBook(_) => false,
            Self::Fina(receipt) => !is_first || receipt.paragon.is_some(),
        }
    }

    /// Within which days the law wants it reported, when it is not confirmed at once.
    #[must_use]
    pub const fn days(&self) -> Days {
        match self {
            Self::Furs(_) => Days::Connection,
            Self::Fina(receipt) if receipt.paragon.is_none() => Days::Connection,
            Self::FursBook(_) | Self::Fina(_) => Days::Paper,
        }
    }

    /// The message, `late` when the document was handed out without a confirmation.
    #[must_use]
    pub fn message(&self, late: bool) -> Message {
        match self.clone() {
            Self::Furs(invoice) => Message::FursInvoice { invoice, subsequent: late },
            Self::FursBook(form) => Message::FursBook(form),
            Self::Fina(receipt) => Message::FinaReceipt { receipt, late },
        }
    }
}

/// One sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The message's own id.
    pub message_id: MessageId,
    /// When it was recorded, just before it was sent.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Whether the message says that the document was handed out without a confirmation.
    pub is_late: bool,
    /// What came back, in a few words; `None` while that is not known.
    pub answer: Option<String>,
}

/// An id that the authority gave the document: EOR or JIR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// The id.
    pub id: String,
    /// Whether the message that it answers said that it was late.
    pub is_late: bool,
    /// When it came.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// Where an exchange stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The last attempt is under way, or the process that made it died.
    Sending {
        /// Until when no other process begins one.
        #[serde(with = "time::serde::rfc3339")]
        lease_until: OffsetDateTime,
    },
    /// The authority has the document.
    Confirmed,
    /// Whether it has is not known; the next attempt will tell.
    Pending {
        /// When that is due.
        #[serde(with = "time::serde::rfc3339")]
        next_at: OffsetDateTime,
    },
    /// It refused the document. Nothing happens until a user orders another attempt.
    Blocked {
        /// Its code.
        code: String,
        /// Its text.
        message: String,
    },
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeOutcome {
    /// The authority took the document and gave it this id.
    Confirmed(String),
    /// It answered an error.
    Refused {
        /// Its code.
        code: String,
        /// Its text.
        message: String,
        /// All its errors, as they are shown.
        errors: Vec<AuthorityError>,
        /// Whether the same message will be refused again.
        is_final: bool,
    },
    /// The outcome is not known.
    Unknown(
        /// Why.
        String,
    ),
}

/// How long to wait between attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// After the first attempt; it doubles with each further one.
    pub initial: Duration,
    /// At most.
    pub max: Duration,
}

impl Default for Retry {
    /// 30 seconds, at most an hour.
    fn default() -> Self {
        Self { initial: Duration::from_secs(30), max: Duration::from_secs(3600) }
    }
}

impl Retry {
    /// The wait after `attempts` attempts.
    #[must_use]
    pub fn after(&self, attempts: usize) -> Duration {
        let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
        let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
        self.initial.saturating_mul(factor).min(self.max)
    }
}

/// The exchange about one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The document, and the record's id.
    pub document_id: DocumentId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// What is said.
    pub content: ReportContent,
    /// Where it stands.
    pub state: State,
    /// All sendings, in their order.
    pub attempts: Vec<Attempt>,
    /// All ids that the authority gave it, in the order in which they came.
    pub confirmations: Vec<Confirmation>,
    /// The code of what last came in the way: the authority's own, or ours for a certificate that
    /// cannot be used.
    pub error: Option<String>,
    /// All errors that the authority answered last, when it refused the document.
    #[serde(default)]
    pub errors: Vec<AuthorityError>,
    /// The day, in the authority's zone, on which it should have been confirmed and was not.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub lost_on: Option<Date>,
    /// When the alarm was raised that its legal deadline comes near.
    #[serde(with = "time::serde::rfc3339::option")]
    pub alarmed_at: Option<OffsetDateTime>,
    /// When the document was issued.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl Exchange {
    /// The exchange about a document that is issued now. Its first attempt is recorded with it, and
    /// is to be sent as soon as that is stored, before anybody is handed the document.
    #[must_use]
    pub fn open(
        document_id: DocumentId,
        entity_id: EntityId,
        content: ReportContent,
        message_id: MessageId,
        now: OffsetDateTime,
    ) -> Self {
        let is_late = content.is_late(true);
        let first = Attempt { message_id, at: now, is_late, answer: None };
        Self {
            document_id,
            entity_id,
            content,
            state: State::Sending { lease_until: now + LEASE },
            attempts: vec![first],
            confirmations: Vec::new(),
            error: None,
            errors: Vec::new(),
            lost_on: None,
            alarmed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// When the next attempt is due; `None` when none is.
    #[must_use]
    pub const fn due_at(&self) -> Option<OffsetDateTime> {
        match self.state {
            State::Sending { lease_until } => Some(lease_until),
            State::Pending { next_at } => Some(next_at),
            State::Confirmed | State::Blocked { .. } => None,
        }
    }

    /// Whether the next attempt is due at `now`.
    #[must_use]
    pub fn is_due(&self, now: OffsetDateTime) -> bool {
        self.due_at().is_some_and(|due| due <= now)
    }

    /// Whether an attempt may begin at `now` on a user's order: none is under way, and the
    /// authority has not confirmed the document.
    #[must_use]
    pub fn may_be_sent(&self, now: OffsetDateTime) -> bool {
        match self.state {
            State::Sending { lease_until } => lease_until <= now,
            State::Confirmed => false,
            State::Pending { .. } | State::Blocked { .. } => true,
        }
    }

    /// The exchange with the next attempt recorded.
    #[must_use]
    pub fn begin(mut self, message_id: MessageId, now: OffsetDateTime) -> Self {
        self.lost_on.get_or_insert_with(|| self.content.issued_on());
        let is_late = self.content.is_late(false);
        self.attempts.push(Attempt { message_id, at: now, is_late, answer: None });
        self.state = State::Sending { lease_until: now + LEASE };
        self.updated_at = now;
        self
    }

    /// The exchange after the attempt `message_id` came to `outcome` at `now`.
    ///
    /// When it is confirmed, or another attempt is under way, only a confirmation changes its
    /// state.
    #[must_use]
    pub fn settle(
        mut self,
        message_id: &MessageId,
        outcome: ExchangeOutcome,
        retry: &Retry,
        now: OffsetDateTime,
    ) -> Self {
        let is_last = self.attempts.last().is_some_and(|last| last.message_id == *message_id);
        let attempt = self.attempts.iter_mut().find(|attempt| attempt.message_id == *message_id);
        let Some(attempt) = attempt else { return self };
        attempt.answer = Some(outcome.in_words());
        let is_late = attempt.is_late;
        self.updated_at = now;
        let is_open = self.state != State::Confirmed && is_last;
        if is_open {
            self.error = outcome.code().cloned();
            self.errors = outcome.errors();
        }
        match outcome {
            ExchangeOutcome::Confirmed(id) => {
                if self.confirmations.iter().all(|known| known.id != id) {
                    self.confirmations.push(Confirmation { id, is_late, at: now });
                }
                self.error = None;
                self.errors = Vec::new();
                self.state = State::Confirmed;
            }
            ExchangeOutcome::Refused { code, message, is_final: true, .. } if is_open => {
                self.state = State::Blocked { code, message: clipped(&message) };
            }
            ExchangeOutcome::Refused { is_final: false, .. } | ExchangeOutcome::Unknown(_)
                if is_open =>
            {
                self.lost_on.get_or_insert_with(|| self.content.issued_on());
                self.state = State::Pending { next_at: now + retry.after(self.attempts.len()) };
            }
            ExchangeOutcome::Refused { .. } | ExchangeOutcome::Unknown(_) => {}
        }
        self
    }

    /// The exchange whose next attempt is put off to `until`, because of what `error` says.
    #[must_use]
    pub fn put_off(mut self, error: &str, until: OffsetDateTime, now: OffsetDateTime) -> Self {
        self.lost_on.get_or_insert_with(|| self.content.issued_on());
        self.error = Some(error.to_owned());
        self.errors = Vec::new();
        self.state = State::Pending { next_at: until };
        self.updated_at = now;
        self
    }

    /// The exchange whose attempt was abandoned because its process is dead: the next one
    /// may begin `now`.
    #[must_use]
    pub fn left(mut self, now: OffsetDateTime) -> Self {
        if matches!(self.state, State::Sending { lease_until } if lease_until > now) {
            self.state = State::Sending { lease_until: now };
        }
        self
    }

    /// The exchange with the alarm raised.
    #[must_use]
    pub const fn alarmed(mut self, now: OffsetDateTime) -> Self {
        self.alarmed_at = Some(now);
        self
    }
}

impl ExchangeOutcome {
    const fn code(&self) -> Option<&String> {
        match self {
            Self::Refused { code, .. } => Some(code),
            Self::Confirmed(_) | Self::Unknown(_) => None,
        }
    }

    /// Its errors, at a length that is kept.
    fn errors(&self) -> Vec<AuthorityError> {
        let Self::Refused { errors, .. } = self else { return Vec::new() };
        let kept = errors.iter().take(MAX_ERRORS);
        kept.map(|own| AuthorityError { code: clipped(&own.code), message: clipped(&own.message) })
            .collect()
    }

    fn in_words(&self) -> String {
        match self {
            Self::Confirmed(id) => format!("confirmed as {id}"),
            Self::Refused { code, message, .. } => clipped(&format!("{code}: {message}")),
            Self::Unknown(reason) => clipped(reason),
        }
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(MAX_ANSWER_CHARS).collect()
}

racun_store::record! {
    /// Where exchanges are kept.
    pub static EXCHANGES: Exchange = "fiscal_exchanges";
    |exchange|
    id: exchange.document_id,
    tenant: Tenant::entity(exchange.entity_id),
    where {
        let state = match exchange.state {
            State::Sending { .. } => "sending",
            State::Confirmed => "confirmed",
            State::Pending { .. } => "pending",
            State::Blocked { .. } => "blocked",
        };
    }
    fields: {
        Field::id() => exchange.document_id,
        Field::text("authority") => exchange.content.authority().name(),
        Field::text("state") => state,
        Field::number("attempts") => i64::try_from(exchange.attempts.len()).unwrap_or(i64::MAX),
        Field::instant("next_attempt_at") => exchange.due_at(),
        Field::date("lost_on") => exchange.lost_on,
        Field::instant("created_at") => exchange.created_at,
        Field::instant("updated_at") => exchange.updated_at,
    }
}
