//! International bank account numbers.

use serde_json::{Map, Value as Json};

use crate::{Issue, Issues};

/// Characters of an IBAN by country. Source: the IBAN registry of ISO 13616-2, release of 2024.
const LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 \
                       CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 \
                       GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 \
                       LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 \
                       NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 \
                       SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// Accepts an IBAN as people write it: capitals or not, with blanks or without.
///
/// # Errors
/// `invalid_iban`: no country that has IBANs, another length than the country's, or check digits
/// that the rest does not make (ISO 13616-1: the number with its first four signs behind it,
/// letters as 10 to 35, leaves 1 by 97).
pub fn check(text: &str) -> Result<(), Issue> {
    let wrong = |message: String| Err(Issue::new("invalid_iban", message));
    let signs = text.chars().filter(|sign| !sign.is_whitespace());
    let iban: String = signs.map(|sign| sign.to_ascii_uppercase()).collect();
    let bytes = iban.as_bytes();
    let country = iban.get(..2).filter(|code| code.bytes().all(|b| b.is_ascii_uppercase()));
    let has_form = bytes.iter().all(u8::is_ascii_alphanumeric)
        && bytes.iter().skip(2).take(2).all(u8::is_ascii_digit);
    let (Some(country), true) = (country, has_form) else {
        let message =
            "expected an IBAN: a country's two letters, two check digits, and the account";
        return wrong(message.to_owned());
    };
    let Some(length) = length(country) else {
        return wrong(format!("no country {country} has IBANs"));
    };
    if iban.len() != length {
        let found = iban.len();
        return wrong(format!("an IBAN of {country} has {length} characters, this one {found}"));
    }
    let (head, tail) = iban.split_at(4);
    let rest = tail.chars().chain(head.chars()).fold(0, |rest, sign| {
        let value = sign.to_digit(36).unwrap_or_default();
        (rest * if value < 10 { 10 } else { 100 } + value) % 97
    });
    match rest {
        1 => Ok(()),
        _ => {
            wrong("the check digits of this IBAN do not fit the rest: a digit is wrong".to_owned())
        }
    }
}

/// What is wrong with an account number that is to be an IBAN, when there is one.
#[must_use]
pub fn warning(text: Option<&str>) -> Option<Issue> {
    check(text.filter(|text| !text.trim().is_empty())?).err()
}

/// What settings call bank accounts: those of an entity and of its units alike.
pub const BANK_ACCOUNTS: &str = "bank_accounts";

/// What is wrong with the IBANs of the bank accounts in `settings`. An account without `type` is
/// named by its IBAN.
#[must_use]
pub fn warnings(settings: &Map<String, Json>) -> Issues {
    let mut found = Issues::default();
    let accounts = settings.get(BANK_ACCOUNTS).and_then(Json::as_array).into_iter().flatten();
    for (n, account) in accounts.enumerate() {
        let of = |key: &str| account.get(key).and_then(Json::as_str);
        let is_iban = of("type").is_none_or(|kind| kind == "iban");
        if let Some(issue) = warning(of("iban").filter(|_| is_iban)) {
            found.push(issue.at("iban").at(n).at(BANK_ACCOUNTS));
        }
    }
    found
}

fn length(country: &str) -> Option<usize> {
    let mut entries = LENGTHS.split_ascii_whitespace();
    entries.find_map(|entry| entry.strip_prefix(country))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_of_the_registry_are_accepted_however_they_are_written() {
        // The registry's own examples.
        for iban in [
            "SI56263300012039086",
            "SI56 2633 0001 2039 086",
            "hr12 1001 0051 8630 0016 0",
            "DE89370400440532013000",
            "AT611904300234573201",
            "GB29NWBK60161331926819",
            "MT84MALT011000012345MTLCAST001S",
            "NO9386011117947",
            "PT50000201231234567890154",
            "FR1420041010050500013M02606",
        ] {
            assert_eq!(check(iban), Ok(()), "{iban}");
        }
    }

    #[test]
    fn a_wrong_one_says_what_is_wrong() {
        for (iban, reason) in [
            ("", "expected an IBAN"),
            ("12", "expected an IBAN"),
            ("SI", "an IBAN of SI has 19 characters"),
            ("SI00", "an IBAN of SI has 19 characters, this one 4"),
            ("SI56192001234567893", "check digits"),
            ("SI5626330001203908", "has 19 characters, this one 18"),
            ("US56263300012039086", "no country US has IBANs"),
            ("SIXX263300012039086", "expected an IBAN"),
            ("SI56-2633-0001-2039-086", "expected an IBAN"),
            ("ŠI56263300012039086", "expected an IBAN"),
        ] {
            let issue = check(iban).unwrap_err();
            assert_eq!(issue.code, "invalid_iban");
            assert!(issue.message.contains(reason), "{iban}: {}", issue.message);
        }
    }

    #[test]
    fn every_wrong_digit_and_every_swap_of_neighbours_is_noticed() {
        let good = "SI56263300012039086";
        for place in 2..good.len() {
            for digit in '0'..='9' {
                let mut signs: Vec<char> = good.chars().collect();
                signs[place] = digit;
                let text: String = signs.into_iter().collect();
                assert_eq!(check(&text).is_ok(), text == good, "{text}");
            }
            let mut signs: Vec<char> = good.chars().collect();
            if place > 2 {
                signs.swap(place - 1, place);
                let text: String = signs.into_iter().collect();
                assert_eq!(check(&text).is_ok(), text == good, "{text}");
            }
        }
    }
}
