//! A document that is sent over the network: stored first, sent once, followed to its end.
//!
//! ```text
//!   created ──► sending ──► submitted ──► delivered
//!     ▲            │  │         │
//!     └────────────┘  └──► failed ◄┘
//! ```
//!
//! The submission's id is the provider's idempotency key, so a sending whose answer was lost is
//! repeated with the same key and bytes: what the provider took already it does not take again. A
//! failure is an answer, or the end of all attempts. While one sending had no answer it stays open
//! whether the provider took the document, whatever it says to later ones, so another order to send
//! it goes on with the same key.

use racun_kernel::id::{EInvoiceSubmissionId, EntityId};
use racun_kernel::{DocumentId, Environment};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use ulid::Ulid;

use super::Participant;

/// Characters of a provider's text that are kept.
const MAX_TEXT_CHARS: usize = 500;
/// Sendings without an answer after which it is given up: within three days.
const MAX_SENDINGS: u32 = 24;
/// For how long a provider is asked what became of a document.
const MAX_FOLLOWED: Duration = Duration::days(14);
/// The longest wait between two looks or sendings.
const MAX_WAIT: Duration = Duration::hours(6);

/// The error of a submission that was given up without an answer to its sendings.
pub const NO_ANSWER: &str = "no_answer";
/// The error of a submission of which the provider never said what became of it.
pub const NO_OUTCOME: &str = "no_outcome";

/// Which document of the network it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkDocument {
    /// An invoice.
    Invoice,
    /// A credit note.
    CreditNote,
}

impl NetworkDocument {
    /// Its name in the interface.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::CreditNote => "credit_note",
        }
    }
}

/// Where a submission stands, as the interface names it. `sending` is `created` there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionState {
    /// It is to be sent.
    Created,
    /// It is being sent; whether the provider has it is not known.
    Sending,
    /// The provider has it.
    Submitted,
    /// The receiver has it.
    Delivered,
    /// It was not delivered.
    Failed,
}

impl SubmissionState {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Created, Self::Sending, Self::Submitted, Self::Delivered, Self::Failed];

    /// Its name, on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created | Self::Sending => "created",
            Self::Submitted => "submitted",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    /// Whether nothing follows of itself.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Delivered | Self::Failed)
    }
}

/// Why a submission failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmissionError {
    /// For programs.
    pub code: String,
    /// For people.
    pub message: String,
    /// Whether it is sure that the receiver does not get the document.
    pub is_certain: bool,
}

/// What happens to a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmissionEvent {
    /// A worker begins to send it.
    Begun,
    /// The provider took it, now or at an earlier attempt whose answer was lost. `None` when it
    /// does not say under which reference.
    Taken(Option<String>),
    /// The provider refused it; it never goes out.
    Refused {
        /// For programs.
        code: String,
        /// For people.
        message: String,
    },
    /// Nothing is known of the sending.
    Unanswered(
        /// Why.
        String,
    ),
    /// The receiver has it.
    Delivered,
    /// The provider could not deliver it.
    Undelivered {
        /// For programs.
        code: String,
        /// For people.
        message: String,
    },
    /// The provider says that it is still under way, or does not answer.
    UnderWay,
}

/// A document on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Its id, which is the provider's idempotency key.
    pub id: EInvoiceSubmissionId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Whose network it goes over.
    pub environment: Environment,
    /// What is sent.
    pub document_id: DocumentId,
    /// As what.
    pub document: NetworkDocument,
    /// Who sends it.
    pub sender: Participant,
    /// The provider's name for the sender.
    pub account: String,
    /// Who gets it; `None` when that could not be told, and it failed.
    pub recipient: Option<Participant>,
    /// The name of who gets it.
    pub recipient_name: Option<String>,
    /// The XML, frozen when the submission was made, so that all sendings are of the same bytes.
    pub xml: String,
    /// Where it stands.
    pub state: SubmissionState,
    /// Sendings that were begun since it was last ordered.
    pub sendings: u32,
    /// Whether a sending had no answer, of which the provider may have the document.
    #[serde(default)]
    pub was_unanswered: bool,
    /// Looks for what became of it.
    pub looks: u32,
    /// When it is next sent or looked after; `None` when it is over.
    #[serde(with = "time::serde::rfc3339::option")]
    pub due_at: Option<OffsetDateTime>,
    /// The provider's name for it.
    pub provider_reference: Option<String>,
    /// Why it failed, or what came in the way last.
    pub error: Option<SubmissionError>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// When the provider took it.
    #[serde(with = "time::serde::rfc3339::option")]
    pub submitted_at: Option<OffsetDateTime>,
    /// When the receiver had it, or it failed.
    #[serde(with = "time::serde::rfc3339::option")]
    pub ended_at: Option<OffsetDateTime>,
}

/// What a submission is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubmission {
    /// Its id.
    pub id: EInvoiceSubmissionId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Whose network it goes over.
    pub environment: Environment,
    /// What is sent.
    pub document_id: DocumentId,
    /// As what.
    pub document: NetworkDocument,
    /// Who sends it.
    pub sender: Participant,
    /// The provider's name for the sender.
    pub account: String,
    /// Who gets it; `None` when that could not be told, and it failed.
    pub recipient: Option<Participant>,
    /// The name of who gets it.
    pub recipient_name: Option<String>,
    /// The XML.
    pub xml: String,
}

impl Submission {
    /// A submission that is due at once.
    #[must_use]
    pub fn new(new: NewSubmission, now: OffsetDateTime) -> Self {
        Self {
            id: new.id,
            entity_id: new.entity_id,
            environment: new.environment,
            document_id: new.document_id,
            document: new.document,
            sender: new.sender,
            account: new.account,
            recipient: new.recipient,
            recipient_name: new.recipient_name,
            xml: new.xml,
            state: SubmissionState::Created,
            sendings: 0,
            was_unanswered: false,
            looks: 0,
            due_at: Some(now),
            provider_reference: None,
            error: None,
            created_at: now,
            updated_at: now,
            submitted_at: None,
            ended_at: None,
        }
    }

    /// The idempotency key, as the UUID that the id's bits are.
    #[must_use]
    pub fn key(&self) -> String {
        key_of(self.id)
    }

    /// What keeps a document from being sent twice: each has one submission that did not fail for
    /// certain. Unique within a tenant.
    #[must_use]
    pub fn document_key(&self) -> Option<String> {
        (!self.may_be_replaced()).then(|| self.document_id.to_string())
    }

    /// Whether it is sure that the document did not go out, so that another submission may take its
    /// place.
    #[must_use]
    pub fn may_be_replaced(&self) -> bool {
        self.state == SubmissionState::Failed
            && self.error.as_ref().is_some_and(|error| error.is_certain)
    }

    /// The submission after `event`.
    ///
    /// Once it was delivered nothing changes it. What is heard of a submission that failed for want
    /// of an answer still counts, and one that was refused does not come back. A refusal is certain
    /// when no sending before it was left without an answer.
    #[must_use]
    pub fn after(self, event: SubmissionEvent, now: OffsetDateTime) -> Self {
        use SubmissionEvent as Event;
        use SubmissionState as State;
        let before = self.state;
        let is_closed = before == State::Delivered || self.may_be_replaced();
        let mut next = self;
        match (before, event) {
            _ if is_closed => return next,
            (State::Created | State::Sending, Event::Begun) => {
                // One who begins again had no answer to the sending before: its worker died.
                next.was_unanswered |= next.sendings > 0;
                next.state = State::Sending;
                next.sendings = next.sendings.saturating_add(1);
                next.due_at = Some(now + wait_after(next.sendings));
            }
            (_, Event::Taken(reference)) => next.take(reference, now),
            (_, Event::Delivered) => {
                next.submitted_at.get_or_insert(now);
                next.end(State::Delivered, None, now);
            }
            (_, Event::Undelivered { code, message }) => {
                next.end(State::Failed, Some(error(&code, &message, true)), now);
            }
            (State::Created | State::Sending, Event::Refused { code, message }) => {
                let is_certain = !next.was_unanswered;
                next.end(State::Failed, Some(error(&code, &message, is_certain)), now);
            }
            (State::Created | State::Sending, Event::Unanswered(reason)) => {
                next.was_unanswered = true;
                let error = error(NO_ANSWER, &reason, false);
                if next.sendings >= MAX_SENDINGS {
                    next.end(State::Failed, Some(error), now);
                } else {
                    next.state = State::Sending;
                    next.due_at = Some(now + wait_after(next.sendings));
                    next.error = Some(error);
                }
            }
            (State::Submitted, Event::UnderWay) => next.look(now),
            // An answer to an earlier sending, or a look that came late.
            (_, Event::Begun | Event::Refused { .. } | Event::Unanswered(_) | Event::UnderWay) => {
                return next;
            }
        }
        next.updated_at = now;
        next
    }

    /// The same submission, sent again by a user's order after it was given up without an answer,
    /// or refused after a sending without one: with its key, so that it goes out once.
    #[must_use]
    pub fn ordered_again(mut self, now: OffsetDateTime) -> Self {
        if self.state != SubmissionState::Failed || self.may_be_replaced() {
            return self;
        }
        let was_taken = self.submitted_at.is_some();
        self.was_unanswered |= !was_taken;
        self.state = if was_taken { SubmissionState::Submitted } else { SubmissionState::Created };
        (self.sendings, self.looks, self.ended_at) = (0, 0, None);
        self.due_at = Some(now);
        self.updated_at = now;
        self
    }

    fn take(&mut self, reference: Option<String>, now: OffsetDateTime) {
        self.provider_reference = reference.or(self.provider_reference.take());
        self.submitted_at.get_or_insert(now);
        if self.state != SubmissionState::Submitted {
            self.state = SubmissionState::Submitted;
            self.looks = 0;
            self.due_at = Some(now + wait_after(1));
        }
        self.error = None;
        self.ended_at = None;
    }

    fn look(&mut self, now: OffsetDateTime) {
        self.looks = self.looks.saturating_add(1);
        let since = self.submitted_at.unwrap_or(self.created_at);
        if now - since > MAX_FOLLOWED {
            let message = "the provider has the document, and never said what became of it";
            self.end(SubmissionState::Failed, Some(error(NO_OUTCOME, message, false)), now);
        } else {
            self.due_at = Some(now + wait_after(self.looks));
        }
    }

    fn end(&mut self, state: SubmissionState, error: Option<SubmissionError>, now: OffsetDateTime) {
        (self.state, self.error, self.due_at) = (state, error, None);
        self.ended_at = Some(now);
    }
}

/// The key that a provider tells submissions apart by: the id's 128 bits as a UUID.
#[must_use]
pub fn key_of(id: EInvoiceSubmissionId) -> String {
    let hex: String = id.ulid().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |range: std::ops::Range<usize>| &hex[range];
    format!("{}-{}-{}-{}-{}", part(0..8), part(8..12), part(12..16), part(16..20), part(20..32))
}

/// The id whose key this is; `None` when it is no such key.
#[must_use]
pub fn id_of_key(key: &str) -> Option<EInvoiceSubmissionId> {
    let hex: String = key.split('-').collect();
    let bits = u128::from_str_radix(&hex, 16).ok().filter(|_| hex.len() == 32)?;
    Some(EInvoiceSubmissionId::new(Ulid::from(bits)))
}

/// How long to wait after the `count`-th sending or look: 2 seconds, doubled with each further one.
fn wait_after(count: u32) -> Duration {
    let doubled = 2_i64.checked_pow(count.clamp(1, 20)).unwrap_or(i64::MAX);
    Duration::seconds(doubled).min(MAX_WAIT)
}

fn error(code: &str, message: &str, is_certain: bool) -> SubmissionError {
    let clipped = |text: &str| {
        let kept = text.chars().filter(|sign| *sign != '\0');
        kept.take(MAX_TEXT_CHARS).collect()
    };
    SubmissionError { code: clipped(code), message: clipped(message), is_certain }
}
