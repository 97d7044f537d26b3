//! Numbers of taxpayers: NIF.

use racun_kernel::Issue;
use racun_kernel::vat_number::VatNumber;

/// The number of a buyer who gave none.
///
/// Source: Despacho 8632/2014, 2.2; Portaria 302/2016, field 2.2.3.
pub const CONSUMER: &str = "999999990";
/// The number of examples, whose check digit is right. No taxpayer has it.
pub const PLACEHOLDER: &str = "123456789";
/// What such a buyer is called on paper and in SAF-T.
pub const CONSUMER_NAME: &str = "Consumidor final";
/// What stands where something is not known.
pub const UNKNOWN: &str = "Desconhecido";

/// What numbers begin with, by the kind of taxpayer.
const PREFIXES: [&str; 18] = [
    "1", "2", "3", "5", "6", "8", "45", "70", "71", "72", "74", "75", "77", "79", "90", "91", "98",
    "99",
];

/// Whether `text` is a number of a taxpayer: nine digits that begin as such numbers do, the last of
/// them the check digit.
#[must_use]
pub fn is_nif(text: &str) -> bool {
    text.len() == 9
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && PREFIXES.iter().any(|prefix| text.starts_with(prefix))
        && VatNumber::read(Some("PT"), text).is_ok()
}

/// Accepts the number of a buyer of `country`: one of Portugal is a NIF, with or without `PT`.
/// Where no country is named, what begins with `PT` or has nine digits is one of Portugal.
///
/// # Errors
/// `invalid_value`.
pub fn check_buyer_number(number: &str, country: Option<&str>) -> Result<(), Issue> {
    let number = number.trim();
    let is_own = match country {
        Some(country) if country.eq_ignore_ascii_case("PT") => true,
        Some(_) => number.starts_with("PT"),
        None => looks_portuguese(number),
    };
    if !is_own || is_nif(buyer_number(Some(number))) {
        return Ok(());
    }
    Err(Issue::new(
        "invalid_value",
        "expected a Portuguese tax number (NIF): nine digits, the last of them the check digit; \
         send the country of a customer whose number is of another one",
    ))
}

/// Whether `number`, of a buyer whose country is not known, is written as those of Portugal are.
fn looks_portuguese(number: &str) -> bool {
    let begins = number.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("PT"));
    let mut signs = number.chars().filter(|sign| ![' ', '.', '-'].contains(sign));
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    begins || (digits == 9 && signs.all(|sign| sign.is_ascii_digit()))
}

/// The number of a buyer as SAF-T and the QR code have it: without `PT`, others as they are, and
/// [`CONSUMER`] for none.
#[must_use]
pub fn buyer_number(number: Option<&str>) -> &str {
    let number = number.map(str::trim).filter(|number| !number.is_empty()).unwrap_or(CONSUMER);
    number.strip_prefix("PT").filter(|rest| is_nif(rest)).unwrap_or(number)
}
