//! References of payments: by which the payee knows what was paid.
//!
//! | Kind | What it is                                                                   |
//! | ---- | ---------------------------------------------------------------------------- |
//! | `SI` | Slovenia: a model of two digits, and up to three parts of digits             |
//! | `HR` | Croatia: the same form, up to 22 characters                                  |
//! | `RF` | ISO 11649: two check digits, and up to 21 letters and digits                 |
//!
//! Both countries have their models from the same former system, and number 01 to 10 alike. A
//! model says which parts end with a check digit, and over which parts it is made.

use std::fmt;

use crate::Issue;
use crate::text::in_fours;

/// Digits of an SI reference, and characters of it with its hyphens.
const MAX_SI: (usize, usize) = (20, 22);
/// Characters of an HR reference with its hyphens.
const MAX_HR: usize = 22;
/// Digits of a part of an HR reference that is made (FINA's overview of the models, as others cite
/// it).
const MAX_HR_PART: usize = 12;
/// Characters of an RF reference with its head.
const MAX_RF: usize = 25;
/// Parts that a reference of a model has at most.
const MAX_PARTS: usize = 3;

/// A reference that checks, without blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentReference {
    /// `SI12`, `HR00`, or `RF` with the check digits.
    head: String,
    /// What follows; empty for models without a reference.
    rest: String,
}

impl PaymentReference {
    /// `SI` and model, `HR` and model, or `RF` and check digits.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// What follows the head.
    #[must_use]
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// Whether it is of the kind `SI`, `HR` or `RF`.
    #[must_use]
    pub fn is_of(&self, kind: &str) -> bool {
        self.head.starts_with(kind)
    }

    /// As people read it: RF in groups of four, others with a blank behind the model.
    #[must_use]
    pub fn readable(&self) -> String {
        if !self.is_of("RF") {
            return format!("{} {}", self.head, self.rest).trim_end().to_owned();
        }
        in_fours(&self.to_string())
    }

    /// The Slovenian reference for the document number `number`: model 00 with the digits of the
    /// number, its parts kept apart; model 99, which has no reference, where there are no digits
    /// or too many.
    #[must_use]
    pub fn slovenian(number: &str) -> Self {
        let rest = parts_of(number);
        let digits = rest.bytes().filter(u8::is_ascii_digit).count();
        let fits = digits > 0 && digits <= MAX_SI.0 && rest.len() <= MAX_SI.1;
        let (head, rest) = if fits { ("SI00", rest) } else { ("SI99", String::new()) };
        Self { head: head.to_owned(), rest }
    }

    /// The models of Croatian references that are made: without check digits, with some, and
    /// without a reference.
    pub const CROATIAN_MODELS: [&str; 12] = [
        "HR00", "HR01", "HR02", "HR03", "HR04", "HR05", "HR06", "HR07", "HR08", "HR09", "HR10",
        "HR99",
    ];

    /// The Croatian reference for the document number `number` by `model`, one of
    /// [`Self::CROATIAN_MODELS`], with its check digits. Model 00, which has none, where the number
    /// has fewer parts than `model` wants or no room for them, and by another model; model 99,
    /// which has no reference, where there are no digits or too many.
    #[must_use]
    pub fn croatian(number: &str, model: &str) -> Self {
        let parts = parts_of(number);
        let of_model = model.strip_prefix("HR").and_then(common_model);
        let checked = of_model.and_then(|of_model| with_check_digits(of_model, &parts));
        let plain = Some(parts).filter(|_| model != "HR99");
        let made = [checked.map(|rest| (model, rest)), plain.map(|rest| ("HR00", rest))];
        let fitting = made.into_iter().flatten().find(|(_, rest)| fits_croatian(rest));
        let (head, rest) = fitting.unwrap_or(("HR99", String::new()));
        Self { head: head.to_owned(), rest }
    }

    /// The RF reference for `text`: of its letters and digits the last 21.
    #[must_use]
    pub fn international(text: &str) -> Option<Self> {
        let signs = text.bytes().filter(u8::is_ascii_alphanumeric);
        let signs: Vec<char> = signs.map(|sign| char::from(sign.to_ascii_uppercase())).collect();
        let rest: String = signs.iter().skip(signs.len().saturating_sub(MAX_RF - 4)).collect();
        let check = 98 - remainder_97(&format!("{rest}RF00"));
        (!rest.is_empty()).then(|| Self { head: format!("RF{check:02}"), rest })
    }

    /// The reference that `text` is, as people write it; `None` when it is a text of another form,
    /// of which nothing can be checked.
    ///
    /// # Errors
    /// `invalid_reference`: it begins as a reference does and is none, for a digit was mistyped.
    pub fn parse(text: &str) -> Result<Option<Self>, Issue> {
        let signs = text.chars().filter(|sign| !sign.is_whitespace());
        let bare: String = signs.map(|sign| sign.to_ascii_uppercase()).collect();
        let has_head = bare.is_ascii()
            && bare.len() >= 4
            && bare.as_bytes()[2..4].iter().all(u8::is_ascii_digit);
        let kind = bare.get(..2).filter(|_| has_head);
        let (head, rest) = bare.split_at(if has_head { 4 } else { 0 });
        let checked = match kind {
            Some("SI") => check_slovenian(&head[2..], rest),
            Some("HR") => check_croatian(&head[2..], rest),
            Some("RF") => check_international(head, rest),
            _ => return Ok(None),
        };
        let reference = Self { head: head.to_owned(), rest: rest.to_owned() };
        checked.map(|()| Some(reference)).map_err(|why| Issue::new("invalid_reference", why))
    }
}

impl fmt::Display for PaymentReference {
    /// Without blanks, as codes carry it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.head, self.rest)
    }
}

/// The digits of `number` in at most three parts, as a document number has them.
fn parts_of(number: &str) -> String {
    let parts: Vec<&str> =
        number.split(|sign: char| !sign.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let (first, others) = parts.split_at(parts.len().min(MAX_PARTS - 1));
    let mut parts: Vec<String> = first.iter().map(|part| (*part).to_owned()).collect();
    parts.extend(Some(others.concat()).filter(|part| !part.is_empty()));
    parts.join("-")
}

/// `text`, digits in parts, with the check digits that a model has; `None` where there are no
/// digits, or another number of parts.
fn with_check_digits(((least, most), checks): Model, text: &str) -> Option<String> {
    let mut parts: Vec<String> = text.split('-').map(str::to_owned).collect();
    if text.is_empty() || !(least..=most).contains(&parts.len()) {
        return None;
    }
    for (from, to) in checks {
        let last = (*to).min(parts.len() - 1);
        let digit = check_digit(&parts[*from..=last].concat());
        parts[last].push(digit);
    }
    Some(parts.join("-"))
}

/// Whether `rest`, digits in parts, is no longer than banks in Croatia take it.
fn fits_croatian(rest: &str) -> bool {
    let is_part = |part: &str| (1..=MAX_HR_PART).contains(&part.len());
    rest.len() <= MAX_HR && rest.split('-').all(is_part)
}

/// By model 11 over the digits of `text`: weights 2, 3, 4 … from the right; 10 and 11 become 0.
fn check_digit(text: &str) -> char {
    let digits = text.bytes().rev().filter(u8::is_ascii_digit).map(|digit| u32::from(digit - b'0'));
    let sum: u32 = digits.zip(2..).map(|(digit, weight)| digit * weight).sum();
    char::from_digit(11 - sum % 11, 10).unwrap_or('0')
}

/// Of a model: how many parts it has, the least and the most; and over which parts its check digits
/// are made, each being the last digit of the last of them.
type Model = ((usize, usize), &'static [(usize, usize)]);

/// The models that both countries have alike.
fn common_model(model: &str) -> Option<Model> {
    Some(match model {
        "01" => ((1, 3), &[(0, 2)]),
        "02" => ((3, 3), &[(1, 1), (2, 2)]),
        "03" => ((3, 3), &[(0, 0), (1, 1), (2, 2)]),
        "04" => ((3, 3), &[(0, 0), (2, 2)]),
        "05" => ((1, 3), &[(0, 0)]),
        "06" => ((2, 3), &[(1, 2)]),
        "07" => ((2, 3), &[(1, 1)]),
        "08" => ((3, 3), &[(0, 1), (2, 2)]),
        "09" => ((2, 3), &[(0, 1)]),
        "10" => ((2, 3), &[(0, 0), (1, 2)]),
        _ => return None,
    })
}

fn slovenian_model(model: &str) -> Option<Model> {
    Some(match model {
        "00" => ((1, 3), &[]),
        "12" => ((1, 1), &[(0, 0)]),
        "21" | "31" => ((1, 2), &[(0, 0)]),
        "55" => ((1, 3), &[(0, 0)]),
        "11" | "18" | "19" | "28" | "38" | "40" | "41" | "48" | "49" | "51" | "58" => {
            ((2, 3), &[(0, 0), (1, 1)])
        }
        other => return common_model(other),
    })
}

fn check_slovenian(model: &str, rest: &str) -> Result<(), &'static str> {
    if model == "99" {
        return if rest.is_empty() { Ok(()) } else { Err("model SI99 has no reference") };
    }
    let model_12 = model == "12";
    let Some(model) = slovenian_model(model) else { return Err("there is no such model") };
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    if digits > MAX_SI.0 || rest.len() > MAX_SI.1 {
        return Err("an SI reference has at most 20 digits and two hyphens");
    }
    if model_12 && digits > 13 {
        return Err("a reference of model SI12 has at most 13 digits");
    }
    check_parts(model, rest)
}

fn check_croatian(model: &str, rest: &str) -> Result<(), &'static str> {
    if model == "99" {
        return if rest.is_empty() { Ok(()) } else { Err("model HR99 has no reference") };
    }
    if rest.len() > MAX_HR {
        return Err("an HR reference has at most 22 characters");
    }
    // Other models than these have rules of their own, which only the payee knows.
    check_parts(common_model(model).unwrap_or(((1, 4), &[])), rest)
}

fn check_parts(((least, most), checks): Model, rest: &str) -> Result<(), &'static str> {
    let parts: Vec<&str> = rest.split('-').collect();
    let is_part = |part: &&str| !part.is_empty() && part.bytes().all(|sign| sign.is_ascii_digit());
    if !parts.iter().all(is_part) {
        return Err("expected digits in parts, with hyphens between them");
    }
    if parts.len() < least || parts.len() > most {
        return Err("the model has another number of parts");
    }
    for (from, to) in checks {
        let covered = parts[*from..=(*to).min(parts.len() - 1)].concat();
        let (data, digit) = covered.split_at(covered.len() - 1);
        if data.is_empty() || !digit.starts_with(check_digit(data)) {
            return Err("a check digit does not fit the rest: a digit is wrong");
        }
    }
    Ok(())
}

fn check_international(head: &str, rest: &str) -> Result<(), &'static str> {
    if rest.is_empty() || head.len() + rest.len() > MAX_RF {
        return Err("an RF reference has 5 to 25 characters");
    }
    if !rest.bytes().all(|sign| sign.is_ascii_alphanumeric()) {
        return Err("an RF reference has letters and digits only");
    }
    match remainder_97(&format!("{rest}{head}")) {
        1 => Ok(()),
        _ => Err("the check digits do not fit the rest: a digit is wrong"),
    }
}

/// Letters as 10 to 35, the whole by 97 (ISO 7064).
fn remainder_97(text: &str) -> u32 {
    text.chars().fold(0, |rest, sign| {
        let value = sign.to_digit(36).unwrap_or_default();
        (rest * if value < 10 { 10 } else { 100 } + value) % 97
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_good(text: &str) -> bool {
        matches!(PaymentReference::parse(text), Ok(Some(_)))
    }

    #[test]
    fn references_that_check_are_taken_with_blanks_and_without() {
        // Source: the guide of the Bank Association of Slovenia, ISO 11649, and own ones.
        for good in [
            "SI121234567890120",
            "SI121033842574531",
            "RF18539007547034",
            "SI00123",
            "SI00123-456-789",
            "SI122026000018",
            "SI120000000000019",
            "SI1251",
            "SI12311220266",
            "SI12990",
            "SI12140",
            "SI99",
            "SI12 2026 000018",
            "rf18 5390 0754 7034",
            "RF81352ADD05899",
            "HR00 2026-15",
            "HR99",
            "HR67123-4-5",
        ] {
            assert!(is_good(good), "{good}");
        }
    }

    #[test]
    fn references_that_do_not_check_are_refused() {
        for wrong in [
            "SI121234567890121",
            "SI1211111111111111",
            "SI12123-456",
            "SI00123-456-789-1",
            "SI00111111111111111111111",
            "SI00",
            "SI0012A",
            "SI97123",
            "RF82352ADD05899",
            "RF81AAAAAAAAAAAAAAAAAAAAAA",
            "SI991",
            "HR991",
            "HR00",
            "HR0111111111111111111111112",
            "HR01123",
        ] {
            let found = PaymentReference::parse(wrong);
            assert_eq!(found.unwrap_err().code, "invalid_reference", "{wrong}");
        }
        for other in ["PO-4711", "S", "", "Šifra 12", "SIX", "DE12345"] {
            assert_eq!(PaymentReference::parse(other), Ok(None), "{other}");
        }
    }

    #[test]
    fn references_that_are_made_check() {
        let slovenian = |number: &str| PaymentReference::slovenian(number).to_string();
        assert_eq!(slovenian("2026-00018"), "SI002026-00018");
        assert_eq!(slovenian("PE1-B2-18"), "SI001-2-18");
        assert_eq!(slovenian("A/1-2-3-4"), "SI001-2-34");
        assert_eq!(slovenian("osnutek"), "SI99");
        assert_eq!(slovenian(&"1".repeat(21)), "SI99");
        let croatian = |number, model| PaymentReference::croatian(number, model).readable();
        assert_eq!(croatian("15/P1/1", "HR00"), "HR00 15-1-1");
        // The digit 9 is from tests of others, by the rules of FINA.
        assert_eq!(croatian("334445-5-5666", "HR01"), "HR01 334445-5-56669");
        assert_eq!(croatian("15/P1/1", "HR02"), "HR02 15-19-19");
        assert_eq!(croatian("15/P1/1", "HR99"), "HR99");
        assert_eq!(croatian("osnutek", "HR01"), "HR99");
        assert_eq!(croatian("15/P1", "HR02"), "HR00 15-1", "it has three parts");
        assert_eq!(croatian("15/P1/1", "HR67"), "HR00 15-1-1", "the payee alone knows it");
        let rf = PaymentReference::international("539007547034").unwrap();
        assert_eq!(rf.readable(), "RF18 5390 0754 7034");
        for made in [slovenian("7-1-1"), croatian("1226/P1/1", "HR01"), rf.to_string()] {
            assert!(is_good(&made), "{made}");
        }
    }

    /// The models as banks write them, each with the parts that it has at least. Behind what stands
    /// in brackets comes its check digit.
    const FORMS: [(&str, &str, usize); 11] = [
        ("HR00", "1-2-3", 1),
        ("HR01", "(1-2-3)", 1),
        ("HR02", "1-(2)-(3)", 3),
        ("HR03", "(1)-(2)-(3)", 3),
        ("HR04", "(1)-2-(3)", 3),
        ("HR05", "(1)-2-3", 1),
        ("HR06", "1-(2-3)", 2),
        ("HR07", "1-(2)-3", 2),
        ("HR08", "(1-2)-(3)", 3),
        ("HR09", "(1-2)-3", 2),
        ("HR10", "(1)-(2-3)", 2),
    ];

    /// `parts` in `form`. With its check digit at weight 1, digits make a multiple of 11; where no
    /// digit does so, it is 0.
    fn in_form(form: &str, parts: &[String]) -> String {
        let (mut text, mut covered) = (String::new(), String::new());
        let form = ["-2", "-3"][parts.len() - 1..]
            .iter()
            .fold(form.to_owned(), |form, lacking| form.replace(lacking, ""));
        for sign in form.chars() {
            match sign {
                '(' => covered.clear(),
                ')' => {
                    let weights = (2..covered.len() + 2).rev();
                    let digits = covered.bytes().map(|digit| usize::from(digit - b'0'));
                    let sum: usize = digits.zip(weights).map(|(digit, by)| digit * by).sum();
                    let check = (0..10).find(|check| (sum + check).is_multiple_of(11)).unwrap_or(0);
                    text.push_str(&check.to_string());
                }
                '-' => text.push('-'),
                place => {
                    let place = usize::try_from(place.to_digit(10).unwrap()).unwrap();
                    text.push_str(&parts[place - 1]);
                    covered.push_str(&parts[place - 1]);
                }
            }
        }
        text
    }

    proptest! {
        #[test]
        fn croatian_references_that_are_made_check_and_are_in_the_form_of_their_model(
            parts in proptest::collection::vec("[0-9]{1,13}", 1..=3),
            model in 0..FORMS.len(),
        ) {
            let fits = |rest: &String| {
                rest.len() <= 22 && rest.split('-').all(|part| part.len() <= 12)
            };
            let (head, form, least) = FORMS[model];
            let made = PaymentReference::croatian(&parts.join("/P"), head);
            let of_model = (parts.len() >= least).then(|| in_form(form, &parts));
            let plain = (in_form("1-2-3", &parts), "HR00");
            let expected = of_model.map(|rest| (rest, head)).into_iter().chain([plain]);
            let expected = expected.into_iter().find(|(rest, _)| fits(rest));
            let (rest, head) = expected.unwrap_or((String::new(), "HR99"));
            prop_assert_eq!((made.head(), made.rest()), (head, rest.as_str()));
            prop_assert_eq!(PaymentReference::parse(&made.to_string()), Ok(Some(made)));
        }
    }

    #[test]
    fn every_model_of_croatia_that_is_made_has_a_form_or_no_reference() {
        let forms: Vec<&str> = FORMS.iter().map(|(head, ..)| *head).chain(["HR99"]).collect();
        assert_eq!(PaymentReference::CROATIAN_MODELS.to_vec(), forms);
        for head in forms {
            assert_eq!(PaymentReference::croatian("1-2-3", head).head(), head);
        }
    }
}
