//! What the provider's answers and notices say. Only what has the form of an answer is one.

use racun_einvoicing::network::{Notice, Progress, Receipt, Standing};
use serde::Deserialize;
use serde_json::Value;

/// Characters of a text that are kept.
const MAX_TEXT_CHARS: usize = 500;
/// Characters of a name that the provider gives.
const MAX_ID_CHARS: usize = 100;
/// Errors of one answer that are kept.
const MAX_ERRORS: usize = 10;

/// One error of an answer of status 422.
#[derive(Deserialize)]
struct ErrorModel {
    source: Option<String>,
    details: Option<String>,
}

/// The errors of an answer: what each is about, and in words.
fn errors(body: &[u8]) -> Vec<(String, String)> {
    let read: Vec<ErrorModel> = serde_json::from_slice(body).unwrap_or_default();
    let errors = read.into_iter().take(MAX_ERRORS);
    errors
        .map(|one| {
            let source = clipped(one.source.as_deref().unwrap_or("document"));
            (source, clipped(one.details.as_deref().unwrap_or("it is refused")))
        })
        .collect()
}

/// What the provider refuses, in words.
pub fn refusal(status: u16, body: &[u8]) -> String {
    let errors = errors(body);
    if errors.is_empty() {
        return format!("it answered {status}");
    }
    let words: Vec<String> =
        errors.into_iter().map(|(source, details)| format!("{source}: {details}")).collect();
    clipped(&words.join("; "))
}

/// What an answer to a dispatch says; `None` when it says nothing of the document.
pub fn receipt(status: u16, body: &[u8]) -> Option<Receipt> {
    #[derive(Deserialize)]
    struct Body {
        guid: String,
    }
    match status {
        200 | 201 => {
            let Body { guid } = serde_json::from_slice(body).ok()?;
            Some(Receipt::Taken(id(&guid)?))
        }
        422 => {
            let errors = errors(body);
            // It has had a document with this key: that is the one that is asked about.
            let is_known = |(source, details): &(String, String)| {
                let text = format!("{source} {details}").to_ascii_lowercase();
                text.contains("idempotency")
            };
            if errors.iter().any(is_known) {
                return Some(Receipt::TakenBefore);
            }
            let code = errors.first().map_or("refused", |(source, _)| source);
            Some(Receipt::Refused { code: code.to_owned(), message: refusal(status, body) })
        }
        // What is not there, or not like this, may be so for a proxy on the way (404, 405, 406,
        // 415): nothing is known then.
        400 | 413 => {
            let code = format!("http_{status}");
            Some(Receipt::Refused { code, message: refusal(status, body) })
        }
        _ => None,
    }
}

/// The account that an answer names.
pub fn account(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        id: Value,
    }
    let Body { id: name } = serde_json::from_slice(body).ok()?;
    match name {
        Value::Number(number) => id(&number.to_string()),
        Value::String(text) => id(&text),
        _ => None,
    }
}

/// Whether an account has `identifier` in the network.
pub fn has_identifier(body: &[u8], identifier: &str) -> bool {
    #[derive(Deserialize)]
    struct Body {
        #[serde(default)]
        peppol_identifiers: Vec<Own>,
    }
    #[derive(Deserialize)]
    struct Own {
        identifier: Option<String>,
    }
    let read: Option<Body> = serde_json::from_slice(body).ok();
    let is_it = |own: &Own| {
        own.identifier.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(identifier))
    };
    read.is_some_and(|body| body.peppol_identifiers.iter().any(is_it))
}

/// How an account stands: with an identifier in the network it may send.
pub fn standing(body: &[u8]) -> Option<Standing> {
    #[derive(Deserialize)]
    struct Body {
        #[serde(default)]
        peppol_identifiers: Vec<Value>,
        verification_status: Option<String>,
        verification_url: Option<String>,
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    Some(match body.verification_status.as_deref() {
        Some("pending" | "in_progress") => Standing::InProgress,
        Some("required") => Standing::NeedsVerification(body.verification_url),
        Some("rejected") => Standing::Rejected("the provider does not take the company".to_owned()),
        _ if body.peppol_identifiers.is_empty() => Standing::NeedsVerification(None),
        _ => Standing::Verified,
    })
}

/// Whether the answer to a discovery says yes; `None` when it says neither.
pub fn discovered(body: &[u8]) -> Option<bool> {
    #[derive(Deserialize)]
    struct Body {
        code: String,
    }
    let Body { code } = serde_json::from_slice(body).ok()?;
    match code.to_ascii_uppercase().as_str() {
        "OK" | "TRUE" => Some(true),
        "NOK" | "FALSE" | "NOT_FOUND" => Some(false),
        _ => None,
    }
}

/// What the evidence of a document says; `None` when it is none.
pub fn evidence(body: &[u8]) -> Option<Progress> {
    #[derive(Deserialize)]
    struct Body {
        status: Option<String>,
        #[serde(default)]
        actions: Vec<Action>,
        evidence: Option<Value>,
        details: Option<String>,
    }
    #[derive(Deserialize)]
    struct Action {
        transmission_result: Option<String>,
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    let results = || body.actions.iter().filter_map(|action| action.transmission_result.as_deref());
    let failed = |code: &str| Progress::Failed {
        code: code.to_owned(),
        message: clipped(body.details.as_deref().unwrap_or("the receiver did not get it")),
    };
    if results().any(|result| result == "accepted") {
        return Some(Progress::Delivered);
    }
    if let Some(result) = results().find(|result| *result == "rejected") {
        return Some(failed(result));
    }
    match body.status.as_deref() {
        Some(status) => outcome(status, failed),
        // Evidence of the transmission is there once it is over.
        None if body.evidence.is_some_and(|evidence| !evidence.is_null()) => {
            Some(Progress::Delivered)
        }
        None => None,
    }
}

/// What the provider's word for an outcome means; `None` for a word that it does not have.
fn outcome(word: &str, failed: impl Fn(&str) -> Progress) -> Option<Progress> {
    Some(match word {
        "succeeded" | "delivered" | "accepted" | "conditionally_accepted" | "acknowledged" => {
            Progress::Delivered
        }
        "failed" | "error" | "rejected" | "no_action_taken" => failed(word),
        "processing" | "queued" | "sending" | "submitted" | "in_process" | "under_query"
        | "cleared" => Progress::UnderWay,
        _ => return None,
    })
}

/// What a notice tells; `None` when it is not of a document that was sent.
pub fn notice(body: &[u8]) -> Option<Notice> {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    struct Body {
        guid: Option<String>,
        #[serde(alias = "idempotencyGuid")]
        idempotency_guid: Option<String>,
        event: String,
        event_type: Option<String>,
        details: Option<String>,
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    if body.event_type.as_deref().is_some_and(|kind| kind != "document_submission") {
        return None;
    }
    let details = body.details.as_deref().unwrap_or("the receiver did not get it");
    let failed = |code: &str| Progress::Failed { code: code.to_owned(), message: clipped(details) };
    Some(Notice {
        key: body.idempotency_guid.as_deref().and_then(id),
        reference: body.guid.as_deref().and_then(id),
        progress: outcome(&body.event, failed)?,
    })
}

/// A name that the provider gives: of few signs that cannot be mistaken.
fn id(text: &str) -> Option<String> {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let is_good = !text.is_empty() && text.len() <= MAX_ID_CHARS && text.chars().all(is_sign);
    is_good.then(|| text.to_owned())
}

fn clipped(text: &str) -> String {
    // PostgreSQL's texts hold no NUL.
    text.chars().filter(|sign| *sign != '\0').take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(body: &Value) -> Vec<u8> {
        body.to_string().into_bytes()
    }

    #[test]
    fn receipts_say_whether_the_provider_has_the_document() {
        let taken = receipt(200, &of(&json!({"guid": "9b2e7c41-0d3a"})));
        assert_eq!(taken, Some(Receipt::Taken("9b2e7c41-0d3a".to_owned())));
        let before = json!([{"source": "idempotencyGuid", "details": "has already been taken"}]);
        assert_eq!(receipt(422, &of(&before)), Some(Receipt::TakenBefore));
        let refused = receipt(422, &of(&json!([{"source": "routing", "details": "no receiver"}])));
        let expected = Receipt::Refused {
            code: "routing".to_owned(),
            message: "routing: no receiver".to_owned(),
        };
        assert_eq!(refused, Some(expected));
        assert!(matches!(receipt(413, b""), Some(Receipt::Refused { .. })));
        for (status, body) in [
            (200, &b"{}"[..]),
            (200, b"<html>"),
            (200, b"{\"guid\": \"\"}"),
            (200, b"{\"guid\": \"a b\"}"),
            (401, b""),
            (403, b""),
            (404, b"<html>"),
            (405, b""),
            (406, b""),
            (415, b""),
            (429, b""),
            (500, b"{\"guid\": \"x\"}"),
            (301, b""),
        ] {
            assert_eq!(receipt(status, body), None, "{status}");
        }
    }

    #[test]
    fn evidence_says_what_became_of_it() {
        for (body, expected) in [
            (json!({"evidence": {"message_id": "m"}}), Some("delivered")),
            (json!({"status": "succeeded"}), Some("delivered")),
            (json!({"status": "failed", "details": "no"}), Some("failed")),
            (json!({"status": "processing"}), Some("under way")),
            (json!({"actions": [{"transmission_result": "accepted"}]}), Some("delivered")),
            (json!({"actions": [{"transmission_result": "rejected"}]}), Some("failed")),
            (json!({"status": "what"}), None),
            (json!({}), None),
            (json!([]), None),
        ] {
            let found = evidence(&of(&body)).map(|progress| match progress {
                Progress::Delivered => "delivered",
                Progress::UnderWay => "under way",
                Progress::Failed { .. } => "failed",
            });
            assert_eq!(found, expected, "{body}");
        }
    }

    #[test]
    fn notices_name_the_document_by_its_key_or_reference() {
        let body = json!({"guid": "g-1", "idempotencyGuid": "k-1", "event": "succeeded",
                          "event_type": "document_submission", "tenant_id": "ent_1"});
        let expected = Notice {
            key: Some("k-1".to_owned()),
            reference: Some("g-1".to_owned()),
            progress: Progress::Delivered,
        };
        assert_eq!(notice(&of(&body)), Some(expected));
        let failed = json!({"guid": "g-1", "event": "failed", "details": "x\u{0}y"});
        let found = notice(&of(&failed)).unwrap();
        assert_eq!(
            found.progress,
            Progress::Failed { code: "failed".to_owned(), message: "xy".to_owned() }
        );
        for body in [
            json!({"event": "succeeded", "event_type": "received_document"}),
            json!({"event": "nothing known"}),
            json!({"guid": "g"}),
            json!(null),
        ] {
            assert_eq!(notice(&of(&body)), None, "{body}");
        }
    }

    #[test]
    fn strangers_end_in_an_answer_or_nothing() {
        let whole = json!({"guid": "g", "event": "succeeded", "code": "OK", "id": 7,
                           "status": "failed"})
        .to_string();
        for end in 0..=whole.len() {
            for start in 0..end {
                let part = &whole.as_bytes()[start..end];
                let is_whole = start == 0 && end == whole.len();
                assert_eq!(notice(part).is_some(), is_whole, "{start} {end}");
                assert_eq!(discovered(part).is_some(), is_whole);
                assert_eq!(account(part).is_some(), is_whole);
                assert_eq!(evidence(part).is_some(), is_whole);
                assert_eq!(receipt(200, part).is_some(), is_whole);
            }
        }
        for bytes in [&b"\xff\xfe"[..], b"[]", b"null", b"<html>", b"{\"id\":{}}"] {
            assert_eq!(account(bytes), None);
            assert_eq!(standing(b"\xff"), None);
            assert!(!refusal(422, bytes).is_empty());
        }
    }
}
