//! Money that an account took, and what became of it here.

use racun_kernel::id::{CardSessionId, EntityId, PaymentId};
use racun_kernel::{Currency, DocumentId, Issue, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::amount_of;

/// Characters of a reason that are kept.
const MAX_ERROR_CHARS: usize = 500;
/// Characters of a processor's id.
const MAX_ID_CHARS: usize = 255;

/// What became of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeState {
    /// It is to be recorded.
    Waiting,
    /// A payment or an invoice says it.
    Recorded,
    /// It could not be recorded; `error` says why.
    Failed,
}

impl ChargeState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Recorded, Self::Failed];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Recorded => "recorded",
            Self::Failed => "failed",
        }
    }
}

/// Money that an account took. There is one for each payment and invoice of the processor, so each
/// is recorded once, from whichever event and however often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// The processor's id: `pi_…`, `in_…`.
    pub id: String,
    /// Whose.
    pub entity_id: EntityId,
    /// The account that took it.
    pub account: String,
    /// The page on which it was paid; none for what makes an invoice.
    pub session_id: Option<CardSessionId>,
    /// The document that was paid, or that was made of it.
    pub document_id: Option<DocumentId>,
    /// The payment that says it, where a document was paid.
    pub payment_id: Option<PaymentId>,
    /// How much, in the currency's smallest unit.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
    /// What became of it.
    pub state: ChargeState,
    /// Why it was not recorded.
    pub error: Option<String>,
    /// When it was heard of.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// Money that is heard of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCharge {
    /// The processor's id.
    pub id: String,
    /// Whose.
    pub entity_id: EntityId,
    /// The account that took it.
    pub account: String,
    /// The page on which it was paid, and the document that was.
    pub paid: Option<(CardSessionId, DocumentId)>,
    /// How much, in the currency's smallest unit.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
}

impl Charge {
    /// Money that is to be recorded.
    #[must_use]
    pub fn new(new: NewCharge, now: OffsetDateTime) -> Self {
        Self {
            id: new.id,
            entity_id: new.entity_id,
            account: new.account,
            session_id: new.paid.map(|(session, _)| session),
            document_id: new.paid.map(|(_, document)| document),
            payment_id: None,
            amount: new.amount,
            currency: new.currency,
            state: ChargeState::Waiting,
            error: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// The same, which the payment `payment` on its document says.
    #[must_use]
    pub fn recorded(self, payment: PaymentId, now: OffsetDateTime) -> Self {
        Self { payment_id: Some(payment), ..self.done(now) }
    }

    /// The same, of which `invoice` was made.
    #[must_use]
    pub fn invoiced(self, invoice: DocumentId, now: OffsetDateTime) -> Self {
        Self { document_id: Some(invoice), ..self.done(now) }
    }

    fn done(self, now: OffsetDateTime) -> Self {
        Self { state: ChargeState::Recorded, error: None, updated_at: now, ..self }
    }

    /// The same, which could not be recorded; what is recorded stays so.
    #[must_use]
    pub fn failed(self, why: &str, now: OffsetDateTime) -> Self {
        if self.state == ChargeState::Recorded {
            return self;
        }
        // PostgreSQL's texts hold no NUL.
        let why = why.chars().filter(|sign| *sign != '\0').take(MAX_ERROR_CHARS).collect();
        Self { state: ChargeState::Failed, error: Some(why), updated_at: now, ..self }
    }
}

/// Refuses what is no id of a payment or invoice of the processor.
///
/// # Errors
/// `invalid_value`.
pub fn check_object_id(id: &str) -> Result<(), Issue> {
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'_';
    let is_known = id.starts_with("pi_") || id.starts_with("in_");
    if is_known && id.len() <= MAX_ID_CHARS && id.bytes().all(is_sign) {
        return Ok(());
    }
    let message = "the id of a payment (pi_…) or of an invoice (in_…) at the card processor";
    Err(Issue::new("invalid_value", message))
}

racun_store::record! {
    /// Where money is kept that accounts took.
    pub static CARD_CHARGES: Charge = "card_charges";
    |charge|
    id: charge.id,
    tenant: Tenant::entity(charge.entity_id),
    fields: {
        Field::id() => charge.id,
        Field::text("account_id") => charge.account,
        Field::text("document_id").indexed() => charge.document_id,
        Field::number("amount") => amount_of(charge.amount, charge.currency),
        Field::text("currency_code") => charge.currency,
        Field::text("status") => charge.state.name(),
        Field::instant("created_at") => charge.created_at,
        Field::instant("updated_at") => charge.updated_at,
    }
}
