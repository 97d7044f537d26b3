//! Payments by card into the accounts of entities at the processor.
//!
//! | Module       | Owns                                                               |
//! | ------------ | ------------------------------------------------------------------ |
//! | `consent`    | a seller consents: what is asked for, and what comes back          |
//! | `connection` | the account of an entity, and its settings                         |
//! | `paying`     | a page of the processor on which a shared invoice is paid          |
//! | `recording`  | money that was paid there becomes a payment, once                  |
//! | `invoicing`  | other money of the account becomes an invoice, once                |
//! | `hearing`    | what the processor tells of the accounts of entities               |
//! | `error`      | why such a use case is refused                                     |
//!
//! **Invariants.** Each payment of the processor is one [`Charge`], which is written in the commit
//! of the payment or invoice that says it: so money is recorded once, however often and in
//! whichever order its events come. Money that cannot be recorded stays as a failed charge with its
//! reason: the sum of what is recorded and of what failed is the sum of what was taken. An event
//! counts only for the account that it happened at; what metadata says is a hint, never a right.
//!
//! It is here, and no crate of its own, for a payment and its charge are one decision of
//! [`crate::payments`].

mod connection;
mod consent;
mod error;
mod hearing;
mod invoicing;
mod paying;
mod recording;

use std::sync::Arc;

use racun_card_payments::{CARD_CHARGES, CardProcessor, Charge};
use racun_fiscalization::{OutsideServices, Ports, TaxAuthority};
use racun_store::{Context, ListQuery, Page, RawQuery};

use crate::error::Error;
use crate::payments::PaymentPorts;

pub use connection::{connect, disconnect, get, update};
pub use consent::{Authorized, BACK, Returned, authorize, consented};
pub use error::CardError;
pub use hearing::{Heard, hear};
pub use invoicing::invoice;
pub use paying::{Payer, can_be_paid, pay};

/// The services outside that payments by card may call.
#[derive(Clone, Copy)]
pub struct CardServices<'a> {
    /// The card processor.
    pub cards: &'a dyn CardProcessor,
    /// The authority that may have to hear how documents are paid.
    pub authority: &'a Arc<dyn TaxAuthority>,
    /// Those that making a document may call.
    pub outside: OutsideServices<'a>,
}

impl<'a> CardServices<'a> {
    fn payments(self, cx: Context<'a>) -> PaymentPorts<'a> {
        let (authority, portugal) = (Some(self.authority), self.outside.portugal);
        PaymentPorts { cx, authority, portugal }
    }

    fn documents(self, cx: Context<'a>) -> Ports<'a> {
        Ports::with_services(cx, self.outside)
    }
}

/// The page of money that the entity's accounts took, as `raw` asks for it.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn charges(cx: Context<'_>, raw: &RawQuery) -> Result<Page<Charge>, Error> {
    let query = ListQuery::parse(&CARD_CHARGES, raw)?;
    Ok(cx.page(&CARD_CHARGES, &query).await?)
}

/// The money `id`.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], or the store's failure.
pub async fn charge(cx: Context<'_>, id: &str) -> Result<Charge, Error> {
    Ok(cx.one(&CARD_CHARGES, id).await?)
}
