//! A VAT number that there can be.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Fault, compact, prefix_of, split, states};

/// A VAT number whose form and check digits are those of its state. Whether it is registered only
/// VIES knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VatNumber {
    state: String,
    number: String,
}

impl VatNumber {
    /// Reads a number of a holder in `country` (two letters), with the prefix of a state or
    /// without.
    ///
    /// # Errors
    /// [`Fault::Form`] also for national numbers that VAT numbers are not made of.
    pub fn read(country: Option<&str>, number: &str) -> Result<Self, Fault> {
        let number = compact(number);
        let bare = country.and_then(prefix_of).map(|state| (state, number.as_str()));
        let mut fault = Fault::Form;
        for (state, rest) in bare.into_iter().chain(split(&number)) {
            match states::judge(state, rest) {
                Some(true) => return Ok(Self { state: state.to_owned(), number: rest.to_owned() }),
                Some(false) => fault = Fault::CheckDigits,
                None => {}
            }
        }
        Err(fault)
    }

    /// The prefix of its state: `EL` for Greece, `XI` for Northern Ireland.
    #[must_use]
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The number without the prefix.
    #[must_use]
    pub fn number(&self) -> &str {
        &self.number
    }
}

impl fmt::Display for VatNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.state, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(country: Option<&str>, number: &str) -> Result<String, Fault> {
        VatNumber::read(country, number).map(|number| number.to_string())
    }

    #[test]
    fn a_number_is_read_with_its_prefix_and_without() {
        for (country, number) in [
            (Some("DE"), "DE136695976"),
            (Some("de"), "136 695 976"),
            (Some("FR"), "DE-136695976"),
            (None, "de136695976"),
        ] {
            assert_eq!(read(country, number), Ok("DE136695976".to_owned()), "{number}");
        }
        assert_eq!(read(Some("GR"), "094259216"), Ok("EL094259216".to_owned()));
    }

    #[test]
    fn invalid_vat_numbers_are_rejected() {
        for (country, number, fault) in [
            (Some("DE"), "DE136695978", Fault::CheckDigits),
            (Some("DE"), "12/345/67890", Fault::Form),
            (Some("DE"), "", Fault::Form),
            (Some("US"), "12-3456789", Fault::Form),
            (None, "136695976", Fault::Form),
        ] {
            assert_eq!(read(country, number), Err(fault), "{number}");
        }
    }
}
