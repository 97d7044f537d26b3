//! The port to the register of VAT numbers of the Union (VIES), and its answers as they are kept.

use async_trait::async_trait;
use racun_kernel::id::EntityId;
use racun_kernel::vat_number::VatNumber;
use racun_kernel::{Environment, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::customer::Vies;

/// Whether a VAT number is registered: what is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatQuery {
    /// The number.
    pub number: VatNumber,
    /// The own number of who asks, where it has one: the answer then bears a consultation number.
    pub requester: Option<VatNumber>,
    /// The entity that asks.
    pub asker: EntityId,
    /// Its environment: a simulator answers the sandbox.
    pub environment: Environment,
}

/// What the register answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatAnswer {
    /// Whether the number is valid.
    pub valid: bool,
    /// The registered name, where the state tells it.
    pub name: Option<String>,
    /// The registered address, where the state tells it.
    pub address: Option<String>,
    /// The number by which the register remembers that it was asked.
    pub consultation_number: Option<String>,
}

/// The register gave no answer: it says nothing of the number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NoAnswer {
    /// Why, in words that callers may read: the register's own code, or that it is silent.
    pub reason: String,
}

/// The register of VAT numbers.
#[async_trait]
pub trait VatRegistry: Send + Sync {
    /// Asks it, and ends within 10 seconds also when the register is silent: a request has 15.
    ///
    /// # Errors
    /// [`NoAnswer`], which says nothing of the number.
    async fn ask(&self, query: &VatQuery) -> Result<VatAnswer, NoAnswer>;
}

racun_store::record! {
    /// Where [`VatCheck`]s are kept.
    pub static VAT_CHECKS: VatCheck = "vat_checks";
    |check|
    id: VatCheck::id_of(&check.number),
    tenant: Tenant::entity(check.entity_id),
    fields: {
        Field::id() => VatCheck::id_of(&check.number),
        Field::instant("created_at") => check.created_at,
    }
}

/// The last answer that an entity had of a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VatCheck {
    /// Who asked.
    pub entity_id: EntityId,
    /// The number.
    pub number: VatNumber,
    /// The number that it asked with.
    pub requester: Option<VatNumber>,
    /// See [`VatAnswer::valid`]; so all below.
    pub valid: bool,
    /// The registered name.
    pub name: Option<String>,
    /// The registered address.
    pub address: Option<String>,
    /// The consultation number.
    pub consultation_number: Option<String>,
    /// When it was asked last.
    #[serde(with = "time::serde::rfc3339")]
    pub checked_at: OffsetDateTime,
    /// When it was asked first.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl VatCheck {
    /// How long the answer that a number is valid is believed without asking again.
    pub const VALID_FOR: Duration = Duration::DAY;
    /// How long the answer that it is not is believed: who registers shall not wait for a day.
    pub const INVALID_FOR: Duration = Duration::HOUR;

    /// The id of what is kept of `number`.
    #[must_use]
    pub fn id_of(number: &VatNumber) -> String {
        format!("vat/{number}")
    }

    /// What is kept of an answer to `query`.
    #[must_use]
    pub fn new(query: VatQuery, answer: VatAnswer, now: OffsetDateTime) -> Self {
        let VatQuery { number, requester, asker, .. } = query;
        let VatAnswer { valid, name, address, consultation_number } = answer;
        Self {
            entity_id: asker,
            number,
            requester,
            valid,
            name,
            address,
            consultation_number,
            checked_at: now,
            created_at: now,
        }
    }

    /// Whether it answers `query` at `now` without asking again: it is young, and of the same
    /// requester, whose consultation number it bears.
    #[must_use]
    pub fn holds_for(&self, query: &VatQuery, now: OffsetDateTime) -> bool {
        let lasts = if self.valid { Self::VALID_FOR } else { Self::INVALID_FOR };
        self.number == query.number
            && self.requester == query.requester
            && now - self.checked_at < lasts
    }

    /// What a customer's record says of it.
    #[must_use]
    pub fn vies(&self) -> Vies {
        Vies {
            valid: self.valid,
            checked_at: self.checked_at,
            name: self.name.clone(),
            address: self.address.clone(),
        }
    }
}
