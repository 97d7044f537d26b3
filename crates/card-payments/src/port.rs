//! The port to a card processor.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use racun_kernel::{Currency, Environment};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{ProcessorEvent, SessionPurpose};

/// What a request to a processor came to when it was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessorError {
    /// This server has no account at the processor.
    #[error("this server has no account at a card processor; its operator can give it one")]
    NotConnected,
    /// The processor refused the request, with its reason.
    #[error("the card processor refused it: {message}")]
    Refused {
        /// Its code, where it gave one: `resource_missing`.
        code: Option<String>,
        /// What it said.
        message: String,
    },
    /// Nothing is known: repeat it with the same idempotency key.
    #[error("the card processor does not answer: {0}")]
    NoAnswer(String),
}

/// The code of a refusal of less than [`CardProcessor::minimum`].
pub const AMOUNT_TOO_SMALL: &str = "amount_too_small";

/// A webhook whose signature is not the processor's, or too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signature is not the card processor's, or older than five minutes")]
pub struct ForgedWebhook;

/// A card, as far as anybody but the processor knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// The processor's id of the payment method: `pm_…`.
    pub id: String,
    /// The scheme: `visa`.
    pub brand: String,
    /// The last four digits of its number.
    pub last4: String,
}

/// What a client gives a person's card to the processor with.
#[derive(Clone, PartialEq, Eq)]
pub struct SetupIntent {
    /// The processor's id of who pays: `cus_…`.
    pub customer: String,
    /// What the client's page needs. It is answered once and kept nowhere.
    pub client_secret: String,
}

impl fmt::Debug for SetupIntent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetupIntent").field("customer", &self.customer).finish_non_exhaustive()
    }
}

/// A page of the processor on which a person pays, or gives a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutOrder {
    /// What the page is for.
    pub purpose: SessionPurpose,
    /// Who pays: `cus_…`; `None` for anybody.
    pub customer: Option<String>,
    /// On behalf of whom: the connected account; `None` for the operator's own.
    pub account: Option<String>,
    /// Where the person goes who paid.
    pub success_url: String,
    /// Where who did not.
    pub cancel_url: String,
    /// Comes back with each event of the session, and of the payment that it makes.
    pub metadata: BTreeMap<String, String>,
    /// The same key makes no second session.
    pub idempotency_key: String,
}

/// A page that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutSession {
    /// The processor's id: `cs_…`.
    pub id: String,
    /// Its address.
    pub url: String,
    /// Until when it can be used.
    pub expires_at: OffsetDateTime,
}

/// A payment with a card that is on file, without the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentOrder {
    /// Who pays: `cus_…`.
    pub customer: String,
    /// With what: `pm_…`.
    pub payment_method: String,
    /// How much, in the currency's smallest unit; above nothing.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
    /// What for, as the statement of the person says it.
    pub description: String,
    /// Comes back with each event of the payment.
    pub metadata: BTreeMap<String, String>,
    /// The same key takes no second payment.
    pub idempotency_key: String,
}

/// What became of a payment without the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken.
    Succeeded {
        /// The processor's id: `pi_…`.
        payment: String,
    },
    /// The bank takes its time; an event tells the end.
    Processing {
        /// The processor's id.
        payment: String,
    },
    /// The bank declined it, or wants the person to confirm it.
    Declined {
        /// The processor's id, where it has one.
        payment: Option<String>,
        /// Its code: `card_declined`, `authentication_required`.
        code: String,
        /// What it said.
        message: String,
    },
}

/// A seller's account at the processor, which consented to be served by this server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectedAccount {
    /// The processor's id: `acct_…`.
    pub id: String,
    /// What the processor calls it, where it says so.
    pub name: Option<String>,
}

/// A payment or an invoice at the processor, as far as an invoice of ours needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessorObject {
    /// Its id: `pi_…` or `in_…`.
    pub id: String,
    /// Whether the money was taken.
    pub is_paid: bool,
    /// How much, in the currency's smallest unit, with tax.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
    /// What for.
    pub description: Option<String>,
    /// Who paid.
    pub name: Option<String>,
    /// Their address for mail.
    pub email: Option<String>,
    /// The country of who paid: ISO 3166-1 alpha-2, in capitals.
    pub country: Option<String>,
    /// The payment that paid this invoice, or the invoice that this payment paid, where the
    /// processor says so: both tell of the same money.
    pub counterpart: Option<String>,
    /// When it was made there.
    pub created_at: OffsetDateTime,
    /// What its maker gave it there.
    pub metadata: BTreeMap<String, String>,
}

/// A card processor. Each call ends within a time limit; repeats with the same key do nothing.
#[async_trait]
pub trait CardProcessor: Send + Sync {
    /// Whether entities of `environment` can be served. Asked inside decisions: starts nothing.
    fn serves(&self, environment: Environment) -> bool;

    /// The least that a card is charged in `currency`, in its smallest unit; 1 where the processor
    /// names none. Less is refused with [`AMOUNT_TOO_SMALL`], and so may more be where the money
    /// is changed into another currency. Asked inside decisions: starts nothing.
    fn minimum(&self, currency: Currency) -> i64;

    /// Begins to take a card of `customer`; of a new one, called `name`, where there is none.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn set_up(
        &self,
        environment: Environment,
        customer: Option<&str>,
        name: &str,
        idempotency_key: &str,
    ) -> Result<SetupIntent, ProcessorError>;

    /// Makes the card `payment_method` the one that `customer` pays with.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn attach(
        &self,
        environment: Environment,
        customer: &str,
        payment_method: &str,
    ) -> Result<Card, ProcessorError>;

    /// The card that `customer` pays with, as it was attached or chosen on the processor's page;
    /// `None` where there is none.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn chosen(
        &self,
        environment: Environment,
        customer: &str,
    ) -> Result<Option<Card>, ProcessorError>;

    /// Makes a page on which a person pays, or gives a card.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn checkout(
        &self,
        environment: Environment,
        order: &CheckoutOrder,
    ) -> Result<CheckoutSession, ProcessorError>;

    /// Ends a page that was not used: no person can pay there any more. One that is done stays.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn expire(
        &self,
        environment: Environment,
        account: Option<&str>,
        session: &str,
    ) -> Result<(), ProcessorError>;

    /// The page on which `customer` manages cards, and which leads back to `return_url`.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn portal(
        &self,
        environment: Environment,
        customer: &str,
        return_url: &str,
    ) -> Result<String, ProcessorError>;

    /// Takes a payment with a card that is on file.
    ///
    /// # Errors
    /// [`ProcessorError`]; a decline is an [`Outcome`].
    async fn charge(
        &self,
        environment: Environment,
        order: &PaymentOrder,
    ) -> Result<Outcome, ProcessorError>;

    /// The page on which a seller consents, and which leads back to `back` with `state`.
    ///
    /// # Errors
    /// [`ProcessorError::NotConnected`].
    async fn consent_page(
        &self,
        environment: Environment,
        state: &str,
        back: &str,
    ) -> Result<String, ProcessorError>;

    /// The account of the seller who came back with `code`.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn connect(
        &self,
        environment: Environment,
        code: &str,
    ) -> Result<ConnectedAccount, ProcessorError>;

    /// Gives up the consent of `account`.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn disconnect(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<(), ProcessorError>;

    /// The payment `pi_…` or the invoice `in_…` of `account`.
    ///
    /// # Errors
    /// [`ProcessorError`].
    async fn object(
        &self,
        environment: Environment,
        account: &str,
        id: &str,
    ) -> Result<ProcessorObject, ProcessorError>;

    /// Reads a webhook: its event, and the environment whose secret signed it. An event of a kind
    /// that says nothing to us is [`crate::Happened::Other`].
    ///
    /// # Errors
    /// [`ForgedWebhook`] where `signature` is not the processor's, older than five minutes at
    /// `now`, or the body is no event.
    fn read_webhook(
        &self,
        signature: Option<&str>,
        body: &[u8],
        now: OffsetDateTime,
    ) -> Result<(Environment, ProcessorEvent), ForgedWebhook>;
}
