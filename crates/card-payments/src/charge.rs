//! Money that an account took, or did not get, and what became of it here.

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
/// Events of declines that are reported for one payment; later ones are left out.
const MAX_DECLINES: usize = 50;

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
    /// The card was declined, so there is no money; `error` says why. Another card may pay.
    Declined,
}

impl ChargeState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Recorded, Self::Failed, Self::Declined];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Recorded => "recorded",
            Self::Failed => "failed",
            Self::Declined => "declined",
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
    /// Why it was not recorded, or not taken.
    pub error: Option<String>,
    /// The processor's events that told of a decline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declines: Vec<String>,
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
            declines: Vec::new(),
            created_at: now,
            updated_at: now,
        }
    }

    /// A payment for which a card was declined, before any [`Charge::declined`] says why.
    #[must_use]
    pub fn not_taken(new: NewCharge, now: OffsetDateTime) -> Self {
        Self { state: ChargeState::Declined, ..Self::new(new, now) }
    }

    /// The same, for which a card was declined, as the processor's `event` tells. What it tells
    /// again changes nothing, and money that was taken stays so.
    #[must_use]
    pub fn declined(mut self, why: &str, event: &str, now: OffsetDateTime) -> Self {
        let is_known = self.declines.iter().any(|known| known == event);
        let is_over = self.state != ChargeState::Declined || self.declines.len() >= MAX_DECLINES;
        if !is_known && !is_over {
            self.declines.push(event.to_owned());
            (self.error, self.updated_at) = (Some(reason(why)), now);
        }
        self
    }

    /// The same, once money was taken after all, as `new` says.
    #[must_use]
    pub fn taken(self, new: NewCharge, now: OffsetDateTime) -> Self {
        if self.state != ChargeState::Declined {
            return self;
        }
        let (created_at, declines) = (self.created_at, self.declines);
        Self { created_at, declines, ..Self::new(new, now) }
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
        Self { state: ChargeState::Failed, error: Some(reason(why)), updated_at: now, ..self }
    }
}

/// A reason as it is kept: PostgreSQL's texts hold no NUL.
fn reason(why: &str) -> String {
    why.chars().filter(|sign| *sign != '\0').take(MAX_ERROR_CHARS).collect()
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

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);

    fn new(amount: i64) -> NewCharge {
        NewCharge {
            id: "pi_1".to_owned(),
            entity_id: EntityId::new(1_u128.into()),
            account: "acct_1".to_owned(),
            paid: None,
            amount,
            currency: Currency::EUR,
        }
    }

    #[test]
    fn a_decline_is_known_by_its_event_and_ends_where_money_is_taken() {
        let first = Charge::not_taken(new(100), NOW).declined("no money", "evt_1", NOW);
        assert_eq!(first.clone().declined("no money", "evt_1", NOW + Duration::HOUR), first);
        let second = first.clone().declined("expired", "evt_2", NOW);
        assert_eq!((second.error.as_deref(), second.declines.len()), (Some("expired"), 2));
        let taken = second.taken(new(90), NOW);
        assert_eq!((taken.state, taken.amount, &taken.error), (ChargeState::Waiting, 90, &None));
        assert_eq!(taken.clone().declined("late", "evt_3", NOW), taken);
        assert_eq!(taken.clone().taken(new(1), NOW), taken, "money is taken once");
        let many = |charge: Charge, n| charge.declined("no", &format!("evt_{n}"), NOW);
        let all = (0..2 * MAX_DECLINES).fold(first, many);
        assert_eq!(all.declines.len(), MAX_DECLINES);
    }
}
