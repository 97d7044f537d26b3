//! Values as both platforms write them.

use racun_kernel::{Decimal, Patch, calendar, check_address};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use time::OffsetDateTime;

use crate::check::MAX_TEXT_CHARS;

/// A number that may be written as text, be empty or missing: zero then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(pub Decimal);

impl Default for Number {
    fn default() -> Self {
        Self(Decimal::zero())
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Json::deserialize(deserializer)? {
            Json::Null => return Ok(Self::default()),
            Json::String(text) if text.trim().is_empty() => return Ok(Self::default()),
            Json::String(text) => text.trim().to_owned(),
            Json::Number(number) => number.to_string(),
            _ => return Err(serde::de::Error::custom("expected a number")),
        };
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

/// An id that is a number or a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceId(pub Option<String>);

impl<'de> Deserialize<'de> for SourceId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Json::deserialize(deserializer)? {
            Json::String(text) if !text.is_empty() => Some(text),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        }))
    }
}

/// An instant; one without a zone is in UTC. What cannot be read is none.
pub fn instant(text: Option<&str>) -> Option<OffsetDateTime> {
    let text = text?.trim();
    calendar::parse_instant(text).or_else(|_| calendar::parse_instant(&format!("{text}Z"))).ok()
}

/// A text without blanks around it, cut to what is kept; none where it is empty.
pub fn text(text: Option<&str>) -> Option<String> {
    let text = text?.trim();
    let kept: String = text.chars().filter(|c| *c != '\0').take(MAX_TEXT_CHARS).collect();
    (!kept.is_empty()).then_some(kept)
}

/// An e-mail address, unless it cannot be one: an order shall not fail for that.
pub fn email(address: Option<&str>) -> Patch<String> {
    text(address).filter(|address| check_address(address).is_ok()).into()
}

/// First and last name as one.
pub fn full_name(first: Option<&str>, last: Option<&str>) -> Option<String> {
    let parts: Vec<&str> = [first, last].into_iter().flatten().map(str::trim).collect();
    text(Some(parts.join(" ").trim()))
}

/// A country's code of two letters.
pub fn country_code(code: Option<&str>) -> Option<String> {
    let code = code?.trim();
    racun_kernel::check_country_code(code).is_ok().then(|| code.to_ascii_uppercase())
}

/// One of `quantity` that come to `total`.
pub fn price_of_one(total: &Decimal, quantity: &Decimal) -> Decimal {
    total.ratio(quantity).unwrap_or_else(|| total.clone())
}

/// Whether `name` is what shops call a field for the tax number of a company.
pub fn is_tax_number(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    ["vatnumber", "vatid", "taxnumber", "taxid", "billingvat", "billingvatnumber", "vat"]
        .contains(&name.as_str())
}
