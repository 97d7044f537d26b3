//! An entity's place in the network: whether it may send, and what is in the way.
//!
//! ```text
//! not_enabled ─► missing_entity_data ─► enrollment_pending ─► verification_required
//!                                          │   ▲                    │
//!                                          ▼   │                    ▼
//!                                    provider_error     verification_in_progress ◄─┐
//!                                                           │        │             │
//!                                                           ▼        ▼             │
//!                                                       rejected  verified         │
//!                                                                    │             │
//!                                                                    ▼             │
//!                                                         reverification_required ─┘
//! ```
//!
//! Where the provider says nothing of a verification, `enrollment_pending` is followed by
//! `verified`.

use racun_kernel::id::EntityId;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::Participant;

/// Characters of a provider's text that are kept.
const MAX_TEXT_CHARS: usize = 500;
/// For how long one may be about opening an account before another tries: longer than the calls
/// between two records of it take.
const OPENING: Duration = Duration::minutes(1);

/// Where an enrollment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnrollmentState {
    /// The settings do not want it.
    NotEnabled,
    /// The entity lacks what the provider has to know.
    MissingEntityData,
    /// The provider is yet to be told.
    EnrollmentPending,
    /// The provider wants a person to verify the company.
    VerificationRequired,
    /// The provider is looking at it.
    VerificationInProgress,
    /// The entity may send.
    Verified,
    /// It may send no more until it is verified again.
    ReverificationRequired,
    /// The provider does not take the company.
    Rejected,
    /// The provider could not be told.
    ProviderError,
}

impl EnrollmentState {
    /// All of them, in the order of the interface.
    pub const ALL: [Self; 9] = [
        Self::NotEnabled,
        Self::MissingEntityData,
        Self::EnrollmentPending,
        Self::VerificationRequired,
        Self::VerificationInProgress,
        Self::Verified,
        Self::ReverificationRequired,
        Self::Rejected,
        Self::ProviderError,
    ];

    /// Its name, on the wire and in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotEnabled => "not_enabled",
            Self::MissingEntityData => "missing_entity_data",
            Self::EnrollmentPending => "enrollment_pending",
            Self::VerificationRequired => "verification_required",
            Self::VerificationInProgress => "verification_in_progress",
            Self::Verified => "verified",
            Self::ReverificationRequired => "reverification_required",
            Self::Rejected => "rejected",
            Self::ProviderError => "provider_error",
        }
    }

    /// Whether the entity may send.
    #[must_use]
    pub const fn allows_sending(self) -> bool {
        matches!(self, Self::Verified)
    }

    /// Whether the provider is asked how it stands: it was told, or is to be told again.
    #[must_use]
    pub const fn is_with_provider(self) -> bool {
        !matches!(self, Self::NotEnabled | Self::MissingEntityData)
    }
}

/// What the provider says of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is looking at the company.
    InProgress,
    /// A person has to verify the company, by this page where there is one.
    NeedsVerification(Option<String>),
    /// The company may send.
    Verified,
    /// The company is not taken.
    Rejected(String),
}

/// What happens to an enrollment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnrollmentEvent {
    /// The settings want it: the identifier to send as, and what the entity lacks.
    Wanted {
        /// Whom it sends as; `None` when that cannot be told.
        sender: Option<Participant>,
        /// The fields that it lacks, as the interface names them.
        missing: Vec<String>,
    },
    /// The settings do not want it.
    Unwanted,
    /// Someone begins to open the account, or goes on with that.
    Opening,
    /// The provider gave the entity an account.
    Registered(
        /// The provider's name for it.
        String,
    ),
    /// The provider says how it stands.
    Told(Standing),
    /// The provider could not be asked, or its answer cannot be used.
    Unreachable(
        /// Why.
        String,
    ),
}

/// An entity's enrollment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrollment {
    /// The entity, and the record's id.
    pub entity_id: EntityId,
    /// Where it stands.
    pub state: EnrollmentState,
    /// Whom it sends as.
    pub sender: Option<Participant>,
    /// The scheme of recipients' identifiers that say none.
    #[serde(default)]
    pub default_scheme_id: Option<String>,
    /// The provider's name for the entity.
    pub account: Option<String>,
    /// Whether the account is yet to get the identifier that the entity sends as.
    #[serde(default)]
    pub lacks_identifier: bool,
    /// Whether the provider said last that it does not take the company of the account.
    #[serde(default)]
    pub is_refused: bool,
    /// Until when the account is leased to the one that opens it.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub opening_until: Option<OffsetDateTime>,
    /// The fields that the entity lacks.
    pub missing_fields: Vec<String>,
    /// The page on which a person verifies the company.
    pub verification_url: Option<String>,
    /// What the provider said last that is in the way.
    pub provider_error: Option<String>,
    /// When the provider answered last.
    #[serde(with = "time::serde::rfc3339::option")]
    pub refreshed_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl Enrollment {
    /// The enrollment of an entity that never wanted any.
    #[must_use]
    pub const fn none(entity_id: EntityId, now: OffsetDateTime) -> Self {
        Self {
            entity_id,
            state: EnrollmentState::NotEnabled,
            sender: None,
            default_scheme_id: None,
            account: None,
            lacks_identifier: false,
            is_refused: false,
            opening_until: None,
            missing_fields: Vec::new(),
            verification_url: None,
            provider_error: None,
            refreshed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether the provider is yet to give the entity an account with its identifier.
    #[must_use]
    pub const fn is_to_open(&self) -> bool {
        self.state.is_with_provider() && (self.account.is_none() || self.lacks_identifier)
    }

    /// Whether someone is about opening the account at `now`.
    #[must_use]
    pub fn is_being_opened(&self, now: OffsetDateTime) -> bool {
        self.opening_until.is_some_and(|until| now < until)
    }

    /// The enrollment after `event`.
    ///
    /// A provider's answer counts only while the entity is with the provider, so one that comes
    /// after the settings were turned off changes nothing. A provider that cannot be reached takes
    /// no verification away.
    #[must_use]
    pub fn after(self, event: EnrollmentEvent, now: OffsetDateTime) -> Self {
        use EnrollmentState as State;
        let (before, mut next) = (self.state, Self { updated_at: now, ..self });
        match event {
            EnrollmentEvent::Unwanted => {
                next.state = State::NotEnabled;
                next.missing_fields = Vec::new();
                next.verification_url = None;
                next.provider_error = None;
            }
            EnrollmentEvent::Wanted { sender, missing } => {
                let is_same = next.sender == sender && before.is_with_provider();
                if next.sender != sender {
                    next.sends_otherwise();
                }
                next.sender = sender;
                next.state = match (missing.is_empty(), is_same) {
                    (false, _) => State::MissingEntityData,
                    (true, true) => before,
                    (true, false) => State::EnrollmentPending,
                };
                next.missing_fields = missing;
            }
            EnrollmentEvent::Opening => next.opening_until = Some(now + OPENING),
            EnrollmentEvent::Registered(account) => {
                // Whatever the settings say by now: it is the only trace of the account. Of two
                // the first stays.
                if next.account.is_none() {
                    (next.account, next.lacks_identifier) = (Some(account), true);
                }
                next.opening_until = Some(now + OPENING);
            }
            EnrollmentEvent::Told(standing) if before.is_with_provider() => {
                next.refreshed_at = Some(now);
                next.opening_until = None;
                next.is_refused = matches!(standing, Standing::Rejected(_));
                // One that is refused may be offered again: it may have become free.
                next.lacks_identifier &= next.is_refused;
                next.told(before, standing);
            }
            EnrollmentEvent::Unreachable(reason) if before.is_with_provider() => {
                next.opening_until = None;
                next.provider_error = Some(clipped(&reason));
                if !matches!(before, State::Verified | State::Rejected) {
                    next.state = State::ProviderError;
                }
            }
            EnrollmentEvent::Told(_) | EnrollmentEvent::Unreachable(_) => {
                next.opening_until = None;
            }
        }
        next
    }

    /// What becomes of the account of an entity that sends as another party from now on.
    ///
    /// The account is the entity's, by every number: a second one could not take an identifier
    /// that the first has had. But one whose company is refused may stay so whatever it learns
    /// later, so the other party gets an account of its own.
    fn sends_otherwise(&mut self) {
        if self.is_refused || self.state == EnrollmentState::Rejected {
            (self.account, self.is_refused) = (None, false);
        }
        self.lacks_identifier = self.account.is_some();
    }

    fn told(&mut self, before: EnrollmentState, standing: Standing) {
        use EnrollmentState as State;
        self.verification_url = None;
        self.provider_error = None;
        let was_verified = matches!(before, State::Verified | State::ReverificationRequired);
        self.state = match standing {
            Standing::Verified => State::Verified,
            Standing::InProgress => State::VerificationInProgress,
            Standing::NeedsVerification(url) => {
                self.verification_url = url;
                if was_verified {
                    State::ReverificationRequired
                } else {
                    State::VerificationRequired
                }
            }
            Standing::Rejected(reason) => {
                self.provider_error = Some(clipped(&reason));
                State::Rejected
            }
        };
    }
}

fn clipped(text: &str) -> String {
    // PostgreSQL's texts hold no NUL.
    text.chars().filter(|sign| *sign != '\0').take(MAX_TEXT_CHARS).collect()
}

/// The fields of an entity that a provider has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderFacts<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its street.
    pub address: Option<&'a str>,
    /// Its post code.
    pub post_code: Option<&'a str>,
    /// Its city.
    pub city: Option<&'a str>,
    /// Its country, two letters.
    pub country_code: Option<&'a str>,
    /// Whether the provider takes companies of that country.
    pub is_supported: bool,
    /// Whether it is known whom it sends as.
    pub has_sender: bool,
}

/// What the entity lacks, as the interface names the fields.
#[must_use]
pub fn missing_fields(facts: &SenderFacts<'_>) -> Vec<String> {
    let is_there = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    let has_country = is_there(facts.country_code);
    [
        ("name", is_there(facts.name)),
        ("address", is_there(facts.address)),
        ("post_code", is_there(facts.post_code)),
        ("city", is_there(facts.city)),
        ("country_code", has_country),
        ("provider_supported_country", facts.is_supported || !has_country),
        ("e_invoicing.sender_identifier", facts.has_sender),
    ]
    .into_iter()
    .filter(|(_, is_there)| !is_there)
    .map(|(field, _)| field.to_owned())
    .collect()
}
