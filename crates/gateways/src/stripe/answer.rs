//! What Stripe's answers say. Only what has the form of an answer is one.

use std::collections::BTreeMap;

use racun_card_payments::{
    Card, CheckoutSession, Outcome, ProcessorError, ProcessorObject, SetupIntent,
};
use racun_kernel::Currency;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::amount;

/// Characters of a text that are kept.
const MAX_TEXT_CHARS: usize = 500;
/// Characters of an id.
const MAX_ID_CHARS: usize = 255;

/// What a refusal says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Problem {
    kind: Option<String>,
    code: Option<String>,
    message: String,
    payment: Option<String>,
}

impl Problem {
    /// What `body` says; `None` when it is no refusal.
    pub fn read(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let text = |value: &Value| value.as_str().map(clipped).filter(|text| !text.is_empty());
        let error = &body["error"];
        if let Some(code) = text(error) {
            // OAuth (RFC 6749) says it beside the code.
            let message = text(&body["error_description"]).unwrap_or_else(|| code.clone());
            return Some(Self { code: Some(code), message, ..Self::default() });
        }
        error.as_object()?;
        let kind = text(&error["type"]);
        let code = text(&error["code"]).or_else(|| kind.clone());
        let message = text(&error["message"]).or_else(|| code.clone())?;
        let payment = error["payment_intent"]["id"].as_str().and_then(id);
        Some(Self { kind, code, message, payment })
    }

    /// Whether a bank declined a card.
    pub fn is_decline(&self) -> bool {
        self.kind.as_deref() == Some("card_error")
    }

    /// A decline as an outcome.
    pub fn into_outcome(self) -> Outcome {
        let code = self.code.unwrap_or_else(|| "card_declined".to_owned());
        Outcome::Declined { payment: self.payment, code, message: self.message }
    }

    /// Whether it says that an account is not connected (any more).
    pub fn is_no_connection(&self) -> bool {
        self.code.as_deref() == Some("invalid_client") && self.message.contains("not connected")
    }
}

/// What an answer of `status` that is no success comes to.
pub fn failure(status: u16, body: &[u8]) -> ProcessorError {
    match (status, Problem::read(body)) {
        // Another request with the key is under way; too many requests; a conflict of locks.
        (408 | 409 | 425 | 429, _) => silent(status),
        // It says nothing of what was asked: a card is not declined because the key is wrong.
        (401, Some(problem)) if problem.kind.is_some() => {
            ProcessorError::NoAnswer("it does not take the key of this server".to_owned())
        }
        (400..=499, Some(problem)) => refused(problem),
        _ => silent(status),
    }
}

/// A refusal, as people may read it: nothing of this server's key is in it.
pub fn refused(problem: Problem) -> ProcessorError {
    let is_about_key = ["sk_", "rk_"].iter().any(|mark| problem.message.contains(mark));
    let message = match is_about_key {
        true => "the key of this server may not do that".to_owned(),
        false => problem.message,
    };
    ProcessorError::Refused { code: problem.code, message }
}

/// What is not there, without a call.
pub fn missing(name: &str) -> ProcessorError {
    let code = Some("resource_missing".to_owned());
    ProcessorError::Refused { code, message: format!("No such object: '{}'", clipped(name)) }
}

/// Nothing is known.
pub fn silent(status: u16) -> ProcessorError {
    ProcessorError::NoAnswer(format!("it answered {status}"))
}

/// The key of this server may not do that.
pub fn forbidden() -> ProcessorError {
    ProcessorError::NoAnswer("the key of this server may not do that".to_owned())
}

/// Nothing is known: it is no answer.
pub fn nonsense() -> ProcessorError {
    ProcessorError::NoAnswer("what it answered is no answer".to_owned())
}

/// An id of Stripe's: of few signs that cannot be mistaken.
pub fn id(text: &str) -> Option<String> {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let is_good = !text.is_empty() && text.len() <= MAX_ID_CHARS && text.chars().all(is_sign);
    is_good.then(|| text.to_owned())
}

/// The id of an object that is there, or named only.
pub fn id_of(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value["id"].as_str()).and_then(id)
}

pub fn clipped(text: &str) -> String {
    // PostgreSQL's texts hold no NUL.
    text.chars().filter(|sign| *sign != '\0').take(MAX_TEXT_CHARS).collect()
}

/// What was given to an object; what is no text is left out.
pub fn metadata(value: &Value) -> BTreeMap<String, String> {
    let none = Map::new();
    let given = value.as_object().unwrap_or(&none).iter();
    given.filter_map(|(key, value)| Some((clipped(key), clipped(value.as_str()?)))).collect()
}

/// The currency of an object.
pub fn currency(value: &Value) -> Option<Currency> {
    value.as_str()?.parse().ok()
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

/// The id of what was made.
pub fn made(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        id: String,
    }
    parsed::<Body>(body).and_then(|body| id(&body.id))
}

/// A setup intent of `customer`.
pub fn setup_intent(body: &[u8], customer: String) -> Option<SetupIntent> {
    #[derive(Deserialize)]
    struct Body {
        client_secret: String,
    }
    let Body { client_secret } = parsed(body)?;
    id(&client_secret)?;
    Some(SetupIntent { customer, client_secret })
}

/// A payment method that is a card, and whose it is.
pub fn card(body: &[u8]) -> Option<(Card, Option<String>)> {
    #[derive(Deserialize)]
    struct Body {
        id: String,
        card: Inner,
        #[serde(default)]
        customer: Value,
    }
    #[derive(Deserialize)]
    struct Inner {
        brand: String,
        last4: String,
    }
    let body: Body = parsed(body)?;
    let Inner { brand, last4 } = body.card;
    let is_good = last4.len() <= 4 && last4.bytes().all(|digit| digit.is_ascii_digit());
    let card = Card { id: id(&body.id)?, brand: clipped(&brand), last4 };
    is_good.then(|| (card, id_of(&body.customer)))
}

/// The card; `Some(None)` for a way to pay that is none.
pub fn card_at_most(body: &[u8]) -> Option<Option<Card>> {
    #[derive(Deserialize)]
    struct Body {
        #[serde(rename = "type")]
        kind: String,
    }
    match parsed::<Body>(body)?.kind.as_str() {
        "card" => card(body).map(|(card, _)| Some(card)),
        _ => Some(None),
    }
}

/// What a customer pays with; `Some(None)` where nothing was chosen.
pub fn default_method(body: &[u8]) -> Option<Option<String>> {
    #[derive(Deserialize)]
    struct Body {
        id: String,
        #[serde(default)]
        invoice_settings: Value,
    }
    let body: Body = parsed(body)?;
    id(&body.id)?;
    match &body.invoice_settings["default_payment_method"] {
        Value::Null => Some(None),
        method => id_of(method).map(Some),
    }
}

/// A page on which a person pays.
pub fn session(body: &[u8]) -> Option<CheckoutSession> {
    #[derive(Deserialize)]
    struct Body {
        id: String,
        url: String,
        expires_at: i64,
    }
    let Body { id: name, url, expires_at } = parsed(body)?;
    let expires_at = OffsetDateTime::from_unix_timestamp(expires_at).ok()?;
    Some(CheckoutSession { id: id(&name)?, url: page(&url)?, expires_at })
}

/// Whether a page is done, or ended.
pub fn is_over(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Body {
        status: String,
    }
    let status = parsed::<Body>(body).map(|body| body.status);
    matches!(status.as_deref(), Some("complete" | "expired"))
}

/// The address of the page that was made.
pub fn portal(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        url: String,
    }
    parsed::<Body>(body).and_then(|body| page(&body.url))
}

/// An address that people may be sent to.
fn page(url: &str) -> Option<String> {
    let is_page = url.starts_with("https://") || url.starts_with("http://");
    (is_page && url.len() <= 4_096).then(|| url.to_owned())
}

/// What became of a payment; `None` when the answer does not say it.
pub fn outcome(body: &[u8]) -> Option<Outcome> {
    let body: Value = parsed(body)?;
    let payment = id_of(&body)?;
    let declined = |code: &str, message: &str| Outcome::Declined {
        payment: Some(payment.clone()),
        code: code.to_owned(),
        message: message.to_owned(),
    };
    Some(match body["status"].as_str()? {
        "succeeded" => Outcome::Succeeded { payment },
        "processing" => Outcome::Processing { payment },
        "requires_action" => {
            declined("authentication_required", "The bank wants the person to confirm it.")
        }
        "requires_payment_method" => declined("card_declined", "The card was declined."),
        "canceled" => declined("payment_canceled", "The payment was canceled."),
        _ => return None,
    })
}

/// The account that consented.
pub fn connected(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        stripe_user_id: String,
    }
    parsed::<Body>(body).and_then(|body| id(&body.stripe_user_id))
}

/// What an account is called.
pub fn account_name(body: &[u8]) -> Option<String> {
    let body: Value = parsed(body)?;
    let names = [
        &body["business_profile"]["name"],
        &body["settings"]["dashboard"]["display_name"],
        &body["company"]["name"],
    ];
    names.into_iter().find_map(text)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(|text| clipped(text.trim())).filter(|text| !text.is_empty())
}

fn country(value: &Value) -> Option<String> {
    let code = value.as_str()?.to_ascii_uppercase();
    (code.len() == 2 && code.bytes().all(|letter| letter.is_ascii_uppercase())).then_some(code)
}

/// A payment, with its customer and its last charge.
pub fn payment(body: &[u8]) -> Option<ProcessorObject> {
    let body: Value = parsed(body)?;
    let is_paid = body["status"].as_str()? == "succeeded";
    let taken = if is_paid { &body["amount_received"] } else { &body["amount"] };
    let (customer, charge) = (&body["customer"], &body["latest_charge"]);
    let billing = &charge["billing_details"];
    let name = [&billing["name"], &customer["name"]].into_iter().find_map(text);
    let emails = [&body["receipt_email"], &billing["email"], &customer["email"]];
    let countries = [&billing["address"]["country"], &customer["address"]["country"]];
    let lead = Lead {
        is_paid,
        amount: taken,
        description: text(&body["description"]),
        counterpart: id_of(&body["invoice"]),
    };
    let about = About {
        name,
        email: emails.into_iter().find_map(text),
        country: countries.into_iter().find_map(country),
    };
    object(&body, lead, about)
}

/// An invoice.
pub fn invoice(body: &[u8]) -> Option<ProcessorObject> {
    let body: Value = parsed(body)?;
    let is_paid = body["status"].as_str()? == "paid";
    let texts = [&body["description"], &body["lines"]["data"][0]["description"]];
    let description = texts.into_iter().find_map(text);
    let counterpart = id_of(&body["payment_intent"]);
    let lead = Lead { is_paid, amount: &body["total"], description, counterpart };
    let about = About {
        name: text(&body["customer_name"]),
        email: text(&body["customer_email"]),
        country: country(&body["customer_address"]["country"]),
    };
    object(&body, lead, about)
}

/// What an object says of itself.
struct Lead<'a> {
    is_paid: bool,
    amount: &'a Value,
    description: Option<String>,
    counterpart: Option<String>,
}

/// Who paid.
struct About {
    name: Option<String>,
    email: Option<String>,
    country: Option<String>,
}

fn object(body: &Value, lead: Lead<'_>, about: About) -> Option<ProcessorObject> {
    let currency = currency(&body["currency"])?;
    Some(ProcessorObject {
        id: id_of(body)?,
        is_paid: lead.is_paid,
        amount: amount::read(lead.amount.as_i64()?, currency)?,
        currency,
        description: lead.description,
        name: about.name,
        email: about.email,
        country: about.country,
        counterpart: lead.counterpart,
        created_at: OffsetDateTime::from_unix_timestamp(body["created"].as_i64()?).ok()?,
        metadata: metadata(&body["metadata"]),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(body: &Value) -> Vec<u8> {
        body.to_string().into_bytes()
    }

    #[test]
    fn statuses_say_whether_it_was_refused_or_nothing_is_known() {
        let error = json!({ "error": {
            "type": "invalid_request_error", "code": "resource_missing", "message": "No such",
        } });
        let is_refused =
            |status| matches!(failure(status, &of(&error)), ProcessorError::Refused { .. });
        for status in [400, 402, 403, 404, 422] {
            assert!(is_refused(status), "{status}");
        }
        for status in [301, 401, 408, 409, 429, 500, 502, 503] {
            assert!(!is_refused(status), "{status}");
        }
        let page = failure(404, b"<html>no such host</html>");
        assert!(matches!(page, ProcessorError::NoAnswer(_)), "a page of another server");
    }

    #[test]
    fn refusals_say_nothing_of_the_key() {
        for (status, message) in [
            (401, "Invalid API Key provided: sk_test_*********1234"),
            (403, "The provided key 'rk_live_*****abcd' does not have access to account 'acct_1'"),
        ] {
            let body = json!({ "error": { "type": "invalid_request_error", "message": message } });
            let told = failure(status, &of(&body)).to_string();
            assert!(!told.contains("1234") && !told.contains("abcd"), "{told}");
        }
    }

    #[test]
    fn a_payment_that_is_not_over_says_what_it_waits_for() {
        for (status, expected) in [
            ("succeeded", Some("taken")),
            ("processing", Some("processing")),
            ("requires_action", Some("authentication_required")),
            ("requires_payment_method", Some("card_declined")),
            ("canceled", Some("payment_canceled")),
            ("requires_capture", None),
            ("what", None),
        ] {
            let found = outcome(&of(&json!({ "id": "pi_1", "status": status })));
            let found = found.map(|outcome| match outcome {
                Outcome::Succeeded { .. } => "taken".to_owned(),
                Outcome::Processing { .. } => "processing".to_owned(),
                Outcome::Declined { code, .. } => code,
            });
            assert_eq!(found.as_deref(), expected, "{status}");
        }
    }

    #[test]
    fn strangers_end_in_an_answer_or_nothing() {
        let texts: [&[u8]; 8] = [
            b"",
            b"null",
            b"[]",
            b"\"pi\"",
            b"{\"id\":7}",
            b"{\"id\":\"a b\"}",
            b"{\"id\":\"pi\"}",
            b"\xff\xfe{",
        ];
        for text in texts {
            assert!(card(text).is_none() && session(text).is_none() && portal(text).is_none());
            assert!(outcome(text).is_none() && payment(text).is_none() && invoice(text).is_none());
            assert!(connected(text).is_none() && account_name(text).is_none());
            assert!(Problem::read(text).is_none() && !is_over(text));
        }
        let script = json!({ "id": "cs_1", "url": "javascript:alert(1)", "expires_at": 1 });
        assert_eq!(session(&of(&script)), None);
        let ever = json!({ "id": "cs_1", "url": "https://a.example", "expires_at": i64::MAX });
        assert_eq!(session(&of(&ever)), None);
    }
}
