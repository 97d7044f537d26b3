//! Who is reached in the network: an identifier of a party and the scheme that it is of.
//!
//! Sources: Peppol Policy for use of Identifiers 4.4, Peppol code list of participant identifier
//! schemes 9.4; CEF EAS code list (BR-CL-25). A scheme of the network has four digits.

use std::fmt;

use en16931::codes::guard;
use racun_kernel::Issue;
use racun_kernel::vat_number::VatNumber;
use serde::{Deserialize, Serialize};

use crate::leitweg;

/// The scheme of Leitweg-IDs.
const LEITWEG: &str = "0204";

/// Schemes of VAT numbers, by the letters that the numbers begin with.
const VAT_SCHEMES: [(&str, &str); 30] = [
    ("AT", "9914"),
    ("BE", "9925"),
    ("BG", "9926"),
    ("CH", "9927"),
    ("CY", "9928"),
    ("CZ", "9929"),
    ("DE", "9930"),
    ("EE", "9931"),
    ("EL", "9933"),
    ("ES", "9920"),
    ("FI", "0213"),
    ("FR", "9957"),
    ("GB", "9932"),
    ("HR", "9934"),
    ("HU", "9910"),
    ("IE", "9935"),
    ("IT", "0211"),
    ("LI", "9936"),
    ("LT", "9937"),
    ("LU", "9938"),
    ("LV", "9939"),
    ("ME", "9941"),
    ("MT", "9943"),
    ("NL", "9944"),
    ("PL", "9945"),
    ("PT", "9946"),
    ("RO", "9947"),
    ("RS", "9948"),
    ("SI", "9949"),
    ("SK", "9950"),
];

/// The scheme of the VAT numbers that begin with `letters`: `SI`, `EL` for Greece.
#[must_use]
pub fn vat_scheme(letters: &str) -> Option<&'static str> {
    VAT_SCHEMES.iter().find(|(state, _)| *state == letters).map(|(_, scheme)| *scheme)
}

/// The letters that numbers of a scheme begin with, where it is one of VAT numbers.
fn letters_of(scheme: &str) -> Option<&'static str> {
    VAT_SCHEMES.iter().find(|(_, own)| *own == scheme).map(|(state, _)| *state)
}

/// A party of the network.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Participant {
    scheme: String,
    id: String,
}

/// Why a text names no party of the network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParticipantFault {
    /// There is no identifier.
    #[error("expected an identifier of the network, as 9949:SI10039856")]
    Empty,
    /// It is longer than [`Participant::MAX_ID`], or has other signs than such have.
    #[error("expected an identifier of 1 to 50 letters, digits and signs, without spaces")]
    Form,
    /// Its scheme is not said.
    #[error("expected its scheme, ahead as in 9949:SI10039856 or in a field of its own")]
    NoScheme,
    /// There is no such scheme.
    #[error("there is no scheme {scheme} in the network: {hint}")]
    UnknownScheme {
        /// As written.
        scheme: String,
        /// What there is.
        hint: String,
    },
    /// Two schemes are named, and differ.
    #[error("the identifier says the scheme {ahead}, and the field beside it {beside}")]
    TwoSchemes {
        /// The one ahead of the identifier.
        ahead: String,
        /// The one in its own field.
        beside: String,
    },
    /// The scheme has no such identifiers.
    #[error("the scheme {scheme} has no such identifier: {reason}")]
    Value {
        /// The scheme.
        scheme: String,
        /// Why.
        reason: String,
    },
}

impl ParticipantFault {
    /// The stable code for programs.
    pub const CODE: &'static str = "participant_id";

    /// Whether the scheme has to change rather than the identifier.
    #[must_use]
    pub const fn is_of_scheme(&self) -> bool {
        matches!(self, Self::NoScheme | Self::UnknownScheme { .. } | Self::TwoSchemes { .. })
    }

    /// The fault as an issue of its field.
    #[must_use]
    pub fn issue(&self) -> Issue {
        Issue::new(Self::CODE, self.to_string())
    }
}

impl Participant {
    /// Characters that an identifier has at most.
    pub const MAX_ID: usize = 50;

    /// The scheme of participants in names of the network.
    pub const META_SCHEME: &'static str = "iso6523-actorid-upis";

    /// Reads an identifier whose scheme is in `scheme`, or ahead of it: `9949:SI10039856`.
    ///
    /// # Errors
    /// When there is no such scheme, or no such identifier in it.
    pub fn read(scheme: Option<&str>, id: &str) -> Result<Self, ParticipantFault> {
        let (beside, id) = (scheme.map(str::trim).filter(|text| !text.is_empty()), id.trim());
        let ahead = id.split_once(':').filter(|(scheme, _)| is_code(scheme));
        let (scheme, id) = match (beside, ahead) {
            (Some(beside), Some((ahead, _))) if beside != ahead => {
                let (ahead, beside) = (ahead.to_owned(), beside.to_owned());
                return Err(ParticipantFault::TwoSchemes { ahead, beside });
            }
            (_, Some(both)) => both,
            (Some(beside), None) => (beside, id),
            (None, None) if id.is_empty() => return Err(ParticipantFault::Empty),
            (None, None) => return Err(ParticipantFault::NoScheme),
        };
        check_scheme(scheme)?;
        if id.is_empty() {
            return Err(ParticipantFault::Empty);
        }
        let is_sign = |sign: u8| sign.is_ascii_graphic() && sign != b':' && sign != b'/';
        if id.len() > Self::MAX_ID || !id.bytes().all(is_sign) {
            return Err(ParticipantFault::Form);
        }
        let id = value(scheme, id)
            .map_err(|reason| ParticipantFault::Value { scheme: scheme.to_owned(), reason })?;
        Ok(Self { scheme: scheme.to_owned(), id })
    }

    /// The party whose VAT number this is, in the scheme of its state.
    #[must_use]
    pub fn of_vat_number(country: Option<&str>, number: &str) -> Option<Self> {
        let number = VatNumber::read(country, number).ok()?;
        let scheme = vat_scheme(number.state())?.to_owned();
        Some(Self { scheme, id: number.to_string() })
    }

    /// The scheme, of four digits: `9949`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The identifier in it: `SI10039856`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The letters of the country whose VAT number the identifier is; `None` for other schemes.
    #[must_use]
    pub fn vat_letters(&self) -> Option<&'static str> {
        letters_of(&self.scheme)
    }
}

impl fmt::Display for Participant {
    /// `9949:SI10039856`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.id)
    }
}

fn is_code(scheme: &str) -> bool {
    scheme.len() == 4 && scheme.bytes().all(|sign| sign.is_ascii_digit())
}

fn check_scheme(scheme: &str) -> Result<(), ParticipantFault> {
    let unknown = |hint: String| {
        let scheme = scheme.to_owned();
        Err(ParticipantFault::UnknownScheme { scheme, hint })
    };
    if !is_code(scheme) {
        return unknown("schemes have four digits, as 9949 for VAT numbers of Slovenia".to_owned());
    }
    match guard::eas(scheme) {
        Ok(_) => Ok(()),
        Err(error) => unknown(error.to_string()),
    }
}

/// The identifier as the network writes it.
fn value(scheme: &str, id: &str) -> Result<String, String> {
    if let Some(letters) = letters_of(scheme) {
        let country = if letters == "EL" { "GR" } else { letters };
        return match VatNumber::read(Some(country), id) {
            Ok(number) if number.state() == letters => Ok(number.to_string()),
            Ok(number) => {
                Err(format!("it is a VAT number of {}, not of {letters}", number.state()))
            }
            // Countries outside the Union, whose numbers are not known here.
            Err(_) if matches!(letters, "CH" | "GB" | "LI" | "ME" | "RS") => Ok(id.to_owned()),
            Err(fault) => Err(fault.issue(Some(country)).message),
        };
    }
    let is_good = match scheme {
        LEITWEG => leitweg::has_form(id),
        // Numbers of Sweden's companies, and SIREN.
        "0007" => digits(id, 10) && luhn(id),
        "0002" => digits(id, 9) && luhn(id),
        "0009" => digits(id, 14) && luhn(id),
        "0060" => digits(id, 9),
        "0106" => digits(id, 8),
        "0184" => digits(id.strip_prefix("DK").unwrap_or(id), 8),
        "0190" => digits(id, 20),
        "0192" => digits(id, 9) && norwegian(id),
        "0208" => digits(id, 10) && belgian(id),
        _ => {
            return guard::eas_value(scheme, id).map(|()| id.to_owned()).map_err(|e| e.to_string());
        }
    };
    match is_good {
        true => Ok(id.to_owned()),
        false => Err("its length, its signs or its check digit do not fit".to_owned()),
    }
}

fn digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|sign| sign.is_ascii_digit())
}

fn values(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.chars().filter_map(|sign| sign.to_digit(10))
}

fn luhn(text: &str) -> bool {
    let sum: u32 = values(text)
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The last digit of a Norwegian number checks the others, modulo 11.
fn norwegian(text: &str) -> bool {
    let weights = [3, 2, 7, 6, 5, 4, 3, 2, 1];
    let sum: u32 = values(text).zip(weights).map(|(digit, weight)| digit * weight).sum();
    sum.is_multiple_of(11)
}

/// The last two digits of a Belgian number are 97 less the rest of the others.
fn belgian(text: &str) -> bool {
    let number = |part: &str| values(part).fold(0_u64, |sum, digit| sum * 10 + u64::from(digit));
    let (body, check) = text.split_at(8);
    97 - number(body) % 97 == number(check)
}
