//! What a processor tells by a webhook.

use std::collections::BTreeMap;

use racun_kernel::Currency;

/// What a page of the processor is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionPurpose {
    /// A person gives a card, for payments to come.
    Setup,
    /// A person pays at once.
    Payment {
        /// How much, in the currency's smallest unit; above nothing.
        amount: i64,
        /// In which currency.
        currency: Currency,
        /// What for, as the page says it.
        description: String,
    },
}

/// An event of the processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessorEvent {
    /// Its id, the same when it comes again: `evt_…`.
    pub id: String,
    /// The connected account that it happened at; `None` for the operator's own.
    pub account: Option<String>,
    /// What happened.
    pub happened: Happened,
}

/// What happened at the processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// `checkout.session.completed` or `checkout.session.async_payment_succeeded`: a person paid,
    /// or gave a card.
    SessionCompleted {
        /// The session: `cs_…`.
        session: String,
        /// The payment that it made: `pi_…`.
        payment: Option<String>,
        /// The setup intent that it made, with the card: `seti_…`.
        setup_intent: Option<String>,
        /// Who: `cus_…`.
        customer: Option<String>,
        /// Whether the money was taken; false while a bank takes its time.
        is_paid: bool,
        /// How much, in the currency's smallest unit.
        amount: Option<i64>,
        /// In which currency.
        currency: Option<Currency>,
        /// What the session was made with.
        metadata: BTreeMap<String, String>,
    },
    /// `payment_intent.succeeded`: money was taken.
    PaymentSucceeded {
        /// The payment: `pi_…`.
        payment: String,
        /// How much was taken, in the currency's smallest unit.
        amount: i64,
        /// In which currency.
        currency: Currency,
        /// What the payment was made with.
        metadata: BTreeMap<String, String>,
    },
    /// `payment_intent.payment_failed`: it was declined.
    PaymentFailed {
        /// The payment: `pi_…`.
        payment: String,
        /// Its code: `card_declined`.
        code: String,
        /// What the processor said.
        message: String,
        /// What the payment was made with.
        metadata: BTreeMap<String, String>,
    },
    /// `setup_intent.succeeded`: a card can be used.
    CardReady {
        /// Who: `cus_…`.
        customer: Option<String>,
        /// The card: `pm_…`.
        payment_method: String,
        /// What the setup intent was made with.
        metadata: BTreeMap<String, String>,
    },
    /// `customer.updated`: a customer pays with a card that may be another one than before. Which
    /// one, [`crate::CardProcessor::chosen`] says: events come late.
    CardChosen {
        /// Who: `cus_…`.
        customer: String,
        /// What the customer was made with.
        metadata: BTreeMap<String, String>,
    },
    /// `invoice.paid`: an invoice at a connected account was paid.
    InvoicePaid {
        /// The invoice: `in_…`.
        invoice: String,
    },
    /// `account.application.deauthorized`: a connected account took its consent back.
    Disconnected,
    /// Anything else.
    Other,
}
