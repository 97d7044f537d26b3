//! The Leitweg-ID: which authority in Germany an invoice goes to.
//!
//! Source: KoSIT, Formatspezifikation Leitweg-ID 2.0.2: a coarse part of 2 to 12 digits, a fine
//! part of at most 30 letters and digits where there is one, and two check digits by ISO 7064
//! MOD 97-10, with hyphens between them, at most 46 characters.

use racun_kernel::Issue;

/// Characters that a Leitweg-ID has at most.
const MAX_CHARS: usize = 46;

/// Whether `text` has the form of a Leitweg-ID: buyer references of businesses have not.
#[must_use]
pub fn has_form(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let (coarse, fine, check) = match parts.as_slice() {
        [coarse, check] => (*coarse, None, *check),
        [coarse, fine, check] => (*coarse, Some(*fine), *check),
        _ => return false,
    };
    let digits = |part: &str| part.bytes().all(|sign| sign.is_ascii_digit());
    let is_fine = |part: &str| {
        (1..=30).contains(&part.len()) && part.bytes().all(|sign| sign.is_ascii_alphanumeric())
    };
    text.len() <= MAX_CHARS
        && (2..=12).contains(&coarse.len())
        && digits(coarse)
        && fine.is_none_or(is_fine)
        && check.len() == 2
        && digits(check)
}

/// What is odd about a buyer reference that has the form of a Leitweg-ID. It only warns: many that
/// authorities have published do not check.
#[must_use]
pub fn warning(text: &str) -> Option<Issue> {
    if !has_form(text) {
        return None;
    }
    let rest = text.chars().filter_map(|sign| sign.to_digit(36)).fold(0, |rest, value| {
        let shift = if value < 10 { 10 } else { 100 };
        (rest * shift + value) % 97
    });
    (rest != 1).then(|| {
        let message = "the check digits of this Leitweg-ID do not fit the rest: compare it with \
                       what the authority gave you";
        Issue::new("leitweg_id_check_digits", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_those_of_iso_7064() {
        for (text, form, checks) in [
            ("992-90009-96", true, true),
            ("05711-06001-79", true, true),
            ("04011000-12345-03", true, true),
            ("04011000-12345-34", true, false),
            ("991-01234-56", true, false),
            ("PO-4711", false, true),
            ("", false, true),
            ("1-2-03", false, true),
            ("04011000-1234512345-12345-34", false, true),
        ] {
            assert_eq!(has_form(text), form, "{text}");
            assert_eq!(warning(text).is_none(), checks, "{text}");
        }
    }
}
