//! VAT numbers of the member states of the European Union, and of Northern Ireland: whether there
//! can be such a number. Whether it is registered only VIES knows.
//!
//! | Module   | Owns                                            |
//! | -------- | ----------------------------------------------- |
//! | `digits` | digits, and what is commonly made of them       |
//! | `number` | a number whose form and check digits are right  |
//! | `states` | the form and the check digits of each state     |

mod digits;
mod number;
mod states;

use crate::Issue;

pub use number::VatNumber;

/// The prefixes of VAT numbers: those of the member states, of which Greece has its own, and XI.
const STATES: [&str; 28] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "HR", "HU", "IE", "IT",
    "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI",
];

/// What is odd about a tax number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The state has no numbers of this form.
    Form,
    /// The check digits do not fit the others: a digit is wrong, or two changed places.
    CheckDigits,
}

impl Fault {
    /// The fault as an issue at the number.
    #[must_use]
    pub fn issue(self, country: Option<&str>) -> Issue {
        let place = country.map(|code| format!(" in {code}")).unwrap_or_default();
        match self {
            Self::Form => Issue::new(
                "tax_number_form",
                format!("no tax number{place} has this form: look at its length and its letters"),
            ),
            Self::CheckDigits => Issue::new(
                "tax_number_check_digits",
                "the check digits of this tax number do not fit the others: a digit is wrong",
            ),
        }
    }
}

/// `number` in capitals, without what people write between its signs.
#[must_use]
pub fn compact(number: &str) -> String {
    let kept = |sign: &char| !sign.is_whitespace() && !matches!(sign, '.' | '-' | '/');
    number.chars().filter(kept).map(|sign| sign.to_ascii_uppercase()).collect()
}

/// The state whose prefix `number`, which is compact, bears, and the rest.
fn split(number: &str) -> Option<(&'static str, &str)> {
    STATES.iter().find_map(|state| Some((*state, number.strip_prefix(state)?)))
}

/// The prefix of the numbers of `country` (two letters, in either case): `EL` for Greece, which `GR`
/// names, too. `None` outside the Union, but for Northern Ireland.
#[must_use]
pub fn prefix_of(country: &str) -> Option<&'static str> {
    let wanted = if country.eq_ignore_ascii_case("GR") { "EL" } else { country };
    STATES.iter().find(|state| state.eq_ignore_ascii_case(wanted)).copied()
}

/// Looks at a tax number of `country` (two letters), with the prefix of a member state
/// or without. Numbers of other countries, and national numbers that VAT numbers are not made of,
/// are not looked at.
///
/// # Errors
/// What is odd about it.
pub fn check(country: Option<&str>, number: &str) -> Result<(), Fault> {
    let number = compact(number);
    let home = country.and_then(prefix_of);
    let judged: Vec<bool> = home
        .and_then(|state| states::judge(state, &number))
        .into_iter()
        .chain(split(&number).and_then(|(state, rest)| states::judge(state, rest)))
        .collect();
    match (judged.contains(&true), judged.is_empty()) {
        (true, _) => Ok(()),
        (false, false) => Err(Fault::CheckDigits),
        (false, true) if number.is_empty() => Ok(()),
        (false, true) => match (home, split(&number)) {
            (Some(state), _) if states::is_national(state, &number) => Ok(()),
            // Of a company elsewhere that wrote its own country's prefix: nothing to say without
            // one.
            (None, None) => Ok(()),
            (Some(_), None) | (_, Some(_)) => Err(Fault::Form),
        },
    }
}

/// What is odd about the tax number of a party in `country`, when it has one.
#[must_use]
pub fn warning(country: Option<&str>, number: Option<&str>) -> Option<Issue> {
    let country = country.filter(|code| !code.is_empty());
    check(country, number?).err().map(|fault| fault.issue(country))
}

/// What two ways of writing one number have in common: compact, and without a state's prefix.
#[must_use]
pub fn key(number: &str) -> String {
    let number = compact(number);
    let bare = split(&number).filter(|(state, rest)| states::judge(state, rest).is_some());
    bare.map_or(number.clone(), |(_, rest)| rest.to_owned())
}

/// The state that a number says it is of, by its prefix or else by its holder's `country`.
#[must_use]
pub fn state(country: Option<&str>, number: &str) -> Option<String> {
    let number = compact(number);
    let written = split(&number).filter(|(state, rest)| states::judge(state, rest).is_some());
    let home = || country.map(|code| prefix_of(code).unwrap_or(code).to_ascii_uppercase());
    written.map(|(state, _)| state.to_owned()).or_else(home)
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    /// Numbers of every state; see the file's own `meta`.
    const VECTORS: &str = include_str!("vectors.json");

    fn vectors(part: &str) -> Vec<(String, String)> {
        let all: Json = serde_json::from_str(VECTORS).unwrap();
        let countries = all[part].as_object().unwrap().iter();
        let numbers = countries.flat_map(|(country, numbers)| {
            let numbers = numbers.as_array().unwrap().iter();
            numbers.map(|one| (country.clone(), one["number"].as_str().unwrap().to_owned()))
        });
        numbers.collect()
    }

    #[test]
    fn numbers_of_every_state_are_accepted_with_their_prefix_and_without() {
        for (country, number) in vectors("valid") {
            assert_eq!(check(None, &number), Ok(()), "{number}");
            assert_eq!(check(Some(&country), &number), Ok(()), "{number}");
            assert_eq!(check(Some(&country), &number[2..]), Ok(()), "{number}");
            assert_eq!(check(Some("US"), &number), Ok(()), "{number}");
            assert_eq!(key(&number), key(&number[2..]), "{number}");
        }
    }

    #[test]
    fn wrong_numbers_of_every_state_are_noticed() {
        for (country, number) in vectors("invalid") {
            assert!(check(None, &number).is_err(), "{number}");
            assert!(check(Some(&country), &number).is_err(), "{number}");
        }
    }

    #[test]
    fn warnings_about_a_number_follow_from_its_form() {
        for (country, number, expected) in [
            (Some("SI"), "SI10039856", Ok(())),
            (Some("si"), "10039856", Ok(())),
            (Some("SI"), "SI 100 398 56", Ok(())),
            (Some("SI"), "SI123", Err(Fault::Form)),
            (Some("SI"), "123", Err(Fault::Form)),
            (Some("SI"), "10039857", Err(Fault::CheckDigits)),
            (Some("HR"), "HR69435151530", Ok(())),
            (Some("HR"), "69435151531", Err(Fault::CheckDigits)),
            (Some("PT"), "500019720", Ok(())),
            (Some("PT"), "500019721", Err(Fault::CheckDigits)),
            (Some("DE"), "DE136695976", Ok(())),
            (Some("DE"), "136695978", Err(Fault::CheckDigits)),
            // A Steuernummer is no VAT number.
            (Some("DE"), "12/345/67890", Ok(())),
            (Some("DE"), "12", Err(Fault::Form)),
            (Some("AT"), "U12345", Err(Fault::Form)),
            // Elsewhere, and registered there.
            (Some("FR"), "DE136695976", Ok(())),
            (Some("US"), "12-3456789", Ok(())),
            (None, "12-3456789", Ok(())),
            (Some("GR"), "EL094259216", Ok(())),
            (Some("SI"), "", Ok(())),
        ] {
            assert_eq!(check(country, number), expected, "{country:?} {number}");
        }
    }

    #[test]
    fn one_number_has_one_key_however_it_is_written() {
        assert_eq!(key("si 100-398-56"), key("10039856"));
        assert_ne!(key("SI10039856"), key("10039857"));
        assert_eq!(key("CHE-123.456.789"), "CHE123456789");
        assert_eq!(state(Some("SI"), "10039856").as_deref(), Some("SI"));
        assert_eq!(state(None, "SI10039856").as_deref(), Some("SI"));
        assert_eq!(state(Some("gr"), "094259216").as_deref(), Some("EL"));
        assert_eq!(state(None, "10039856"), None);
    }
}
