//! What Portuguese law asks of an issuer: a complete identity, in a form that SAF-T (PT) holds.

use racun_kernel::{Issue, Issues};

use crate::{Entity, setting};

/// The only template of documents.
const TEMPLATE: &str = "classic";

/// First digits of a tax number (NIF) by kind of taxpayer.
const NIF_PREFIXES: [&str; 18] = [
    "1", "2", "3", "5", "6", "8", "45", "70", "71", "72", "74", "75", "77", "79", "90", "91", "98",
    "99",
];

/// Country calling codes of ITU-T E.164 by number of digits. Of three digits those that are
/// assigned to countries.
const CALLING_CODES: [&str; 3] = [
    "1 7",
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 \
     65 66 81 82 84 86 90 91 92 93 94 95 98",
    "211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 \
     238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 \
     262 263 264 265 266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 \
     370 371 372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 420 421 423 500 501 \
     502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670 672 673 674 675 \
     676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 850 852 853 855 856 880 886 \
     960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 992 993 994 995 996 998",
];

/// What is wrong with `entity` as a Portuguese issuer.
pub(crate) fn check(entity: &Entity) -> Issues {
    let mut issues = Issues::default();
    let texts = [
        ("tax_number", &entity.tax_number),
        ("company_number", &entity.company_number),
        ("phone", &entity.phone),
        ("email", &entity.email),
        ("address", &entity.address),
        ("city", &entity.city),
        ("post_code", &entity.post_code),
        ("state", &entity.state),
    ];
    let is_blank = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().is_empty();
    let mut missing: Vec<&str> =
        texts.iter().filter(|(_, text)| is_blank(text)).map(|(name, _)| *name).collect();
    if entity.starting_capital.is_none() {
        missing.push("starting_capital");
    }
    for name in &missing {
        let message = format!("a Portuguese entity needs these too: {}", missing.join(", "));
        issues.push(Issue::new("required", message).at(*name));
    }
    let name = Some(entity.name.clone());
    let second = [("name", &name), ("address_2", &entity.address_2)];
    for (path, text) in texts.into_iter().chain(second) {
        let is_latin = |c: char| ('\u{20}'..='\u{24f}').contains(&c);
        if text.as_deref().is_some_and(|text| !text.chars().all(is_latin)) {
            let message = "Latin letters, digits and signs only (U+0020 to U+024F)";
            issues.push(Issue::new("invalid_characters", message).at(path));
        }
    }
    if entity.settings.get(setting::PDF_TEMPLATE).is_some_and(|template| template != TEMPLATE) {
        let message = "documents in Portugal have the template classic";
        issues.push(Issue::new("not_in_portugal", message).at("pdf_template").at("settings"));
    }
    let mut form = |path, text: &Option<String>, is_formed: fn(&str) -> bool, expected| {
        let given = text.as_deref().filter(|text| !text.trim().is_empty());
        if given.is_some_and(|text| !is_formed(text)) {
            issues.push(Issue::new("invalid_value", format!("expected {expected}")).at(path));
        }
    };
    form("tax_number", &entity.tax_number, is_nif, "a NIF: nine digits that check");
    form("post_code", &entity.post_code, is_post_code, "NNNN-NNN, such as 1100-148");
    form("phone", &entity.phone, is_phone, "an E.164 number, such as +351211234567");
    issues
}

/// Whether `text` is a Portuguese tax number: nine digits, a known prefix, and the check digit by
/// modulo 11 with weights 9 to 2.
fn is_nif(text: &str) -> bool {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(10)).collect();
    let Some(digits) = digits.filter(|digits| digits.len() == 9) else { return false };
    let has_prefix = NIF_PREFIXES.iter().any(|prefix| text.starts_with(prefix));
    let sum: u32 = digits.iter().zip((2..=9).rev()).map(|(digit, weight)| digit * weight).sum();
    let expected = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
    has_prefix && digits.last() == Some(&expected)
}

fn is_post_code(text: &str) -> bool {
    text.len() == 8
        && text
            .bytes()
            .enumerate()
            .all(|(n, b)| if n == 4 { b == b'-' } else { b.is_ascii_digit() })
}

/// Whether `text` is an international phone number: a plus sign, a country's calling code, and 7 to
/// 15 digits in all. Spaces may part them.
fn is_phone(text: &str) -> bool {
    let Some(digits) = text.replace(' ', "").strip_prefix('+').map(str::to_owned) else {
        return false;
    };
    let is_number = (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let mut codes = CALLING_CODES.iter().flat_map(|codes| codes.split(' '));
    is_number && codes.any(|code| digits.starts_with(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_numbers_check() {
        // Computed from the rule; the well-known placeholder 123456789 satisfies it.
        for text in ["123456789", "500100144", "501964843", "980405319", "999999990", "500000000"] {
            assert!(is_nif(text), "{text}");
        }
        for text in [
            "",
            "12345678",
            "1234567890",
            "123456788",
            "504426291",
            "400000000",
            "12345678a",
            "١٢٣",
        ] {
            assert!(!is_nif(text), "{text}");
        }
    }

    #[test]
    fn post_codes_and_phones_have_their_form() {
        assert!(is_post_code("1100-148"));
        for text in ["1100148", "1100-14", "1100 148", "110-0148", "1100-1488"] {
            assert!(!is_post_code(text), "{text}");
        }
        for text in ["+351211234567", "+351 21 123 4567", "+38612345678", "+12025550123"] {
            assert!(is_phone(text), "{text}");
        }
        for text in
            ["211234567", "+", "+351", "+2100000000", "+3512112345678901", "+351-21-1234567"]
        {
            assert!(!is_phone(text), "{text}");
        }
    }
}
