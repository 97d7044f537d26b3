//! The report of a document's tips to a tax authority.

use racun_kernel::{AuthorityError, Decimal};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Tips that are reported together: all that came with one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tips {
    /// Their sum, in the currency of the authority; zero or more.
    pub amount: Decimal,
    /// How they were paid, as on the wire; `other` for several ways.
    pub payment_type: String,
}

impl Tips {
    /// Whether `other` is no news to an authority that holds these tips. Tips of zero were paid in
    /// no way.
    fn says(&self, other: &Self) -> bool {
        self.amount == other.amount
            && (self.amount.is_zero() || self.payment_type == other.payment_type)
    }
}

/// A report that was begun and has no outcome yet.
///
/// It is stored before it is sent. Until its outcome is known, the authority may hold these tips,
/// and nothing else is reported: the same report is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TipAttempt {
    /// Names the attempt: only the last one may end the report.
    pub id: String,
    /// What is reported.
    pub tips: Tips,
    /// When it was begun.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Until when no other attempt begins; none when this one ended without an answer.
    #[serde(with = "time::serde::rfc3339::option")]
    pub lease_until: Option<OffsetDateTime>,
    /// Whether an earlier attempt at the same report had no known outcome.
    pub is_repeated: bool,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TipOutcome {
    /// The authority took the report.
    Taken,
    /// The authority did not take it, or it could not be sent.
    Refused {
        /// Why: a code of the authority or of this service.
        code: String,
        /// All errors of the authority, in its words.
        errors: Vec<AuthorityError>,
        /// Whether the same report will be refused again.
        is_final: bool,
    },
    /// No answer came that can be believed.
    Unknown,
}

/// How far the report of a document's tips has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TipReport {
    /// The tips of all payments that count on the document.
    pub tips: Tips,
    /// What the authority confirmed last.
    pub confirmed: Option<Tips>,
    /// When it did.
    #[serde(with = "time::serde::rfc3339::option")]
    pub confirmed_at: Option<OffsetDateTime>,
    /// The attempt without an outcome.
    pub attempt: Option<TipAttempt>,
    /// Why the last attempt failed, or why the report was given up.
    pub error: Option<String>,
    /// All errors that the authority answered to the last attempt.
    pub errors: Vec<AuthorityError>,
}

impl TipReport {
    /// The report after the document's tips became `tips`. `None` while there never were any.
    #[must_use]
    pub fn of(before: Option<Self>, tips: Tips) -> Option<Self> {
        match before {
            None if tips.amount.is_zero() => None,
            None => Some(Self {
                tips,
                confirmed: None,
                confirmed_at: None,
                attempt: None,
                error: None,
                errors: Vec::new(),
            }),
            Some(report) if report.tips.says(&tips) => Some(report),
            Some(mut report) => {
                // Tips of zero are reported by the means that they had.
                report.tips.amount = tips.amount;
                if !report.tips.amount.is_zero() {
                    report.tips.payment_type = tips.payment_type;
                }
                report.error = None;
                report.errors = Vec::new();
                Some(report)
            }
        }
    }

    /// Whether the authority holds the document's tips as they are.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        let holds = match &self.confirmed {
            Some(confirmed) => confirmed.says(&self.tips),
            None => self.tips.amount.is_zero(),
        };
        holds && self.attempt.is_none()
    }

    /// Until when another attempt is under way; `None` when none is at `now`.
    #[must_use]
    pub fn leased_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        self.attempt.as_ref()?.lease_until.filter(|until| *until > now)
    }

    /// The report with the attempt `id` begun: of what is in doubt, else of the tips as they are.
    #[must_use]
    pub fn begin(self, id: String, now: OffsetDateTime, lease_until: OffsetDateTime) -> Self {
        let is_repeated = self.attempt.is_some();
        let tips = self.attempt.map_or_else(|| self.tips.clone(), |attempt| attempt.tips);
        let attempt = TipAttempt { id, tips, at: now, lease_until: Some(lease_until), is_repeated };
        Self { attempt: Some(attempt), ..self }
    }

    /// The report after the attempt `id` came to `outcome` at `now`; `None` when another attempt
    /// has begun.
    #[must_use]
    pub fn settle(self, id: &str, outcome: TipOutcome, now: OffsetDateTime) -> Option<Self> {
        let attempt = self.attempt.clone().filter(|attempt| attempt.id == id)?;
        let kept = Some(TipAttempt { lease_until: None, ..attempt.clone() });
        Some(match outcome {
            TipOutcome::Taken => Self {
                confirmed: Some(attempt.tips),
                confirmed_at: Some(now),
                attempt: None,
                error: None,
                errors: Vec::new(),
                ..self
            },
            TipOutcome::Refused { code, errors, is_final } => Self {
                // A fault that passes says nothing of the attempt before.
                attempt: kept.filter(|attempt| attempt.is_repeated && !is_final),
                error: Some(code),
                errors,
                ..self
            },
            TipOutcome::Unknown => Self { attempt: kept, error: None, errors: Vec::new(), ..self },
        })
    }

    /// The report that is given up because of what `code` says.
    #[must_use]
    pub fn give_up(self, code: &str) -> Self {
        Self { attempt: None, error: Some(code.to_owned()), ..self }
    }
}
