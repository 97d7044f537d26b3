//! What payment codes say.
//!
//! | Module | Owns                                                           |
//! | ------ | -------------------------------------------------------------- |
//! | `upn`  | UPN QR, Slovenia                                               |
//! | `epc`  | EPC QR: a SEPA credit transfer                                 |
//! | `hub3` | HUB3, Croatia                                                  |
//! | `text` | texts cut and spelled so that a code can carry them            |
//!
//! A code asks for euros, above zero, on an account whose IBAN checks; else there is none.

mod epc;
mod hub3;
mod text;
mod upn;

pub use epc::epc;
pub use hub3::hub3;
pub use upn::{upn, upn_slip};

use racun_kernel::{Currency, Money, PaymentReference, iban};
use time::Date;

/// A payment that a code asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// How much.
    pub money: Money,
    /// Until when.
    pub due: Option<Date>,
    /// Who pays.
    pub payer: Side,
    /// Who is paid.
    pub payee: Side,
    /// The payee's account.
    pub iban: String,
    /// The payee's bank.
    pub bic: Option<String>,
    /// By which the payee knows what was paid.
    pub reference: Option<PaymentReference>,
    /// What is paid, in words.
    pub purpose: String,
    /// What kind of payment it is: four capitals of ISO 20022, such as `OTHR`.
    pub purpose_code: String,
}

/// One side of a payment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// Name.
    pub name: String,
    /// Street and number.
    pub street: String,
    /// Post code and town.
    pub town: String,
}

impl Transfer {
    /// The amount in cents, when a code of `digits` digits can ask for it.
    fn cents(&self, digits: usize) -> Option<String> {
        let Money { amount, currency } = &self.money;
        if *currency != Currency::EUR || !amount.is_positive() || !self.money.is_exact() {
            return None;
        }
        let text = amount.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let cents = format!("{whole}{fraction:0<2}");
        let cents = cents.trim_start_matches('0');
        (cents.len() <= digits).then(|| format!("{cents:0>digits$}"))
    }

    /// The IBAN without blanks, when it checks.
    fn account(&self) -> Option<String> {
        iban::check(&self.iban).ok()?;
        let signs = self.iban.chars().filter(|sign| !sign.is_whitespace());
        Some(signs.map(|sign| sign.to_ascii_uppercase()).collect())
    }

    /// The purpose code; `OTHR` in place of one that is none.
    fn code(&self) -> &str {
        let code = self.purpose_code.as_str();
        let is_code = code.len() == 4 && code.bytes().all(|sign| sign.is_ascii_uppercase());
        if is_code { code } else { "OTHR" }
    }
}
