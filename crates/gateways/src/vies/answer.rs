//! What an answer of VIES says. Errors come with status 200, too, and with a flag that says "not
//! valid": only what has the whole form of a verdict is one.

use racun_catalog::VatAnswer;
use racun_kernel::vat_number::{VatNumber, compact};
use serde::Deserialize;

/// The error of a requester's number that VIES does not know.
pub(super) const BAD_REQUESTER: &str = "INVALID_REQUESTER_INFO";

/// Characters of a code, a name and an address that are kept.
const MAX_CODE_CHARS: usize = 60;
const MAX_TEXT_CHARS: usize = 1_000;

/// What VIES said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// Whether the number is valid.
    Verdict(VatAnswer),
    /// Nothing of the number: the code of its error.
    Nothing(String),
}

/// The answers of its operations in one: `POST check-vat-number` has `valid` and lists errors,
/// `GET ms/…/vat/…` has `isValid` and `userError`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    action_succeed: Option<bool>,
    error_wrappers: Option<Vec<ErrorWrapper>>,
    valid: Option<bool>,
    is_valid: Option<bool>,
    user_error: Option<String>,
    country_code: Option<String>,
    vat_number: Option<String>,
    name: Option<String>,
    address: Option<String>,
    request_identifier: Option<String>,
}

#[derive(Deserialize)]
struct ErrorWrapper {
    error: Option<String>,
}

/// Reads an answer about `number`; `None` when it is nonsense.
pub(super) fn read(status: u16, body: &[u8], number: &VatNumber) -> Option<Said> {
    let body: Body = serde_json::from_slice(body).ok()?;
    let is_about = |own: &str, said: &Option<String>| {
        said.as_ref().is_none_or(|said| compact(said).ends_with(own))
    };
    let is_of_number =
        is_about(number.state(), &body.country_code) && is_about(number.number(), &body.vat_number);
    match said(status, body)? {
        Said::Verdict(_) if !is_of_number => None,
        said => Some(said),
    }
}

fn said(status: u16, body: Body) -> Option<Said> {
    let error = body.error_wrappers.into_iter().flatten().find_map(|wrapper| wrapper.error);
    let user_error = body.user_error.filter(|code| !matches!(code.as_str(), "VALID" | "INVALID"));
    if let Some(code) = error.or(user_error) {
        return Some(Said::Nothing(code_of(&code)?));
    }
    let valid = match (body.valid, body.is_valid) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other)?,
    };
    if status != 200 || body.action_succeed == Some(false) {
        return None;
    }
    Some(Said::Verdict(VatAnswer {
        valid,
        name: told(body.name),
        address: told(body.address),
        consultation_number: told(body.request_identifier),
    }))
}

/// A code as VIES writes them: anything else is no code.
fn code_of(text: &str) -> Option<String> {
    let is_code = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
    let is_good = !text.is_empty() && text.len() <= MAX_CODE_CHARS && text.chars().all(is_code);
    is_good.then(|| text.to_owned())
}

/// A text, unless the state withholds it.
fn told(text: Option<String>) -> Option<String> {
    let text = text?;
    let text = text.trim();
    // PostgreSQL's texts hold no NUL.
    let kept = text.chars().filter(|sign| *sign != '\0').take(MAX_TEXT_CHARS).collect();
    (!matches!(text, "" | "---")).then_some(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The number that is asked for.
    fn number() -> VatNumber {
        VatNumber::read(Some("DE"), "136695976").unwrap()
    }

    fn read_json(status: u16, body: &Value) -> Option<Said> {
        read(status, body.to_string().as_bytes(), &number())
    }

    #[test]
    fn data_that_member_states_withhold_are_missing() {
        let answer = |name: Value| {
            let body = json!({"valid": true, "name": name, "address": "---",
                              "requestIdentifier": "WAPIAAAAY1"});
            match read_json(200, &body) {
                Some(Said::Verdict(answer)) => answer,
                other => panic!("{other:?}"),
            }
        };
        for withheld in [json!("---"), json!(""), json!(null), json!(" --- ")] {
            assert_eq!(answer(withheld).name, None);
        }
        let told = answer(json!(" Bäckerei GmbH "));
        assert_eq!(told.name.as_deref(), Some("Bäckerei GmbH"));
        assert_eq!((told.address, told.consultation_number), (None, Some("WAPIAAAAY1".into())));
    }

    #[test]
    fn a_verdict_of_another_number_or_with_a_bad_status_is_none() {
        let about = |country: &str, number: &str| {
            read_json(200, &json!({"valid": true, "countryCode": country, "vatNumber": number}))
        };
        assert!(matches!(about("DE", "136695976"), Some(Said::Verdict(_))));
        assert!(matches!(about("de", "DE 136695976"), Some(Said::Verdict(_))));
        assert_eq!(about("AT", "136695976"), None);
        assert_eq!(about("DE", "136695977"), None);
        assert_eq!(read_json(500, &json!({"valid": false})), None);
        assert_eq!(read_json(200, &json!({"valid": false, "actionSucceed": false})), None);
        assert_eq!(read_json(200, &json!({"valid": false, "isValid": true})), None);
        assert_eq!(read_json(200, &json!({"valid": "false"})), None);
    }

    #[test]
    fn strangers_end_in_a_verdict_a_code_or_nothing() {
        let whole = json!({"valid": true, "name": "A\u{0}B", "countryCode": "DE"}).to_string();
        for end in 0..=whole.len() {
            for start in 0..end {
                let Some(said) = read(200, &whole.as_bytes()[start..end], &number()) else {
                    continue;
                };
                let Said::Verdict(answer) = said else { panic!("{said:?}") };
                assert_eq!(answer.name.as_deref(), Some("AB"), "only the whole is a verdict");
            }
        }
        for bytes in [&b"\xff\xfe"[..], b"[]", b"null", b"{}", b"<html>", b"{\"valid\":1}"] {
            assert_eq!(read(200, bytes, &number()), None, "{bytes:?}");
        }
        let long = "A".repeat(100);
        for code in ["", "<script>", "ms_unavailable", long.as_str()] {
            let body = json!({"errorWrappers": [{"error": code}]});
            assert_eq!(read_json(200, &body), None, "{code}");
        }
    }
}
