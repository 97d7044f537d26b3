//! What Stripe tells by webhooks, and whether it was Stripe.
//!
//! By <https://docs.stripe.com/webhooks#verify-manually>: `Stripe-Signature` has the time as `t`
//! and, for each secret in use, an HMAC-SHA256 of time, dot and body as `v1`.

use racun_card_payments::{Happened, ProcessorEvent};
use ring::hmac;
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use super::{amount, answer};

/// Bytes of an event.
const MAX_BODY_BYTES: usize = 512 * 1_024;
/// Bytes of a signature.
const MAX_HEADER_BYTES: usize = 2_048;
/// Signatures of one event: while a secret is changed there are two.
const MAX_SIGNATURES: usize = 5;
/// How far the time of a signature may be off.
const TOLERANCE_SECONDS: u64 = 5 * 60;

/// The key that `secret` is.
pub fn key(secret: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes())
}

/// Whether `header` signs `body` by `key`, not longer ago than five minutes at `now`, and not later
/// than in five minutes.
pub fn is_signed(key: &hmac::Key, header: &str, body: &[u8], now: OffsetDateTime) -> bool {
    if header.len() > MAX_HEADER_BYTES || body.len() > MAX_BODY_BYTES {
        return false;
    }
    let (mut times, mut signatures) = (Vec::new(), Vec::new());
    for part in header.split(',') {
        match part.trim().split_once('=') {
            Some(("t", time)) => times.push(time),
            Some(("v1", signature)) => signatures.push(signature),
            // Other schemes, which Stripe adds to events of its test mode.
            _ => {}
        }
    }
    let [time] = times.as_slice() else { return false };
    if !is_near(time, now) || signatures.len() > MAX_SIGNATURES {
        return false;
    }
    let signed = [time.as_bytes(), b".", body].concat();
    let is_tag = |tag: &[u8]| hmac::verify(key, &signed, tag).is_ok();
    signatures.into_iter().filter_map(decoded).any(|tag| is_tag(&tag))
}

fn is_near(time: &str, now: OffsetDateTime) -> bool {
    let is_number = !time.is_empty() && time.bytes().all(|digit| digit.is_ascii_digit());
    let Some(seconds) = time.parse::<i64>().ok().filter(|_| is_number) else { return false };
    now.unix_timestamp().abs_diff(seconds) <= TOLERANCE_SECONDS
}

fn decoded(hex: &str) -> Option<Vec<u8>> {
    let is_hex = hex.len() == 64 && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
    let pair = |start: usize| u8::from_str_radix(hex.get(start..start + 2)?, 16).ok();
    is_hex.then(|| (0..hex.len()).step_by(2).map(pair).collect::<Option<_>>())?
}

/// An event, and whether it is of real payments.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    pub is_live: bool,
    pub event: ProcessorEvent,
}

/// The event in `body`; `None` when it is none.
pub fn read(body: &[u8]) -> Option<Told> {
    #[derive(Deserialize)]
    struct Body {
        id: String,
        #[serde(rename = "type")]
        kind: String,
        account: Option<String>,
        #[serde(default)]
        livemode: bool,
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        object: Value,
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    let account = match &body.account {
        Some(account) => Some(answer::id(account)?),
        None => None,
    };
    let happened = happened(&body.kind, account.is_some(), &body.data.object)?;
    let event = ProcessorEvent { id: answer::id(&body.id)?, account, happened };
    Some(Told { is_live: body.livemode, event })
}

/// What happened; `None` when an event of that kind does not look like this.
fn happened(kind: &str, has_account: bool, object: &Value) -> Option<Happened> {
    let metadata = || answer::metadata(&object["metadata"]);
    Some(match kind {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            let currency = answer::currency(&object["currency"]);
            let total = object["amount_total"].as_i64().zip(currency);
            Happened::SessionCompleted {
                session: answer::id_of(object)?,
                payment: answer::id_of(&object["payment_intent"]),
                setup_intent: answer::id_of(&object["setup_intent"]),
                customer: answer::id_of(&object["customer"]),
                is_paid: object["payment_status"].as_str()? == "paid",
                amount: total.and_then(|(total, currency)| amount::read(total, currency)),
                currency,
                metadata: metadata(),
            }
        }
        "payment_intent.succeeded" => {
            // A currency that no document of ours can have.
            let Some(currency) = answer::currency(&object["currency"]) else {
                return Some(Happened::Other);
            };
            Happened::PaymentSucceeded {
                payment: answer::id_of(object)?,
                amount: amount::read(object["amount_received"].as_i64()?, currency)?,
                currency,
                metadata: metadata(),
            }
        }
        "payment_intent.payment_failed" => {
            let error = &object["last_payment_error"];
            let text =
                |name: &str, usual: &str| answer::clipped(error[name].as_str().unwrap_or(usual));
            Happened::PaymentFailed {
                payment: answer::id_of(object)?,
                code: text("code", "card_declined"),
                message: text("message", "The card was declined."),
                metadata: metadata(),
            }
        }
        "setup_intent.succeeded" => Happened::CardReady {
            customer: answer::id_of(&object["customer"]),
            payment_method: answer::id_of(&object["payment_method"])?,
            metadata: metadata(),
        },
        "customer.updated" => match &object["invoice_settings"]["default_payment_method"] {
            // The name or the address changed, or the last card went.
            Value::Null => Happened::Other,
            _ => Happened::CardChosen { customer: answer::id_of(object)?, metadata: metadata() },
        },
        "invoice.paid" => Happened::InvoicePaid { invoice: answer::id_of(object)? },
        "account.application.deauthorized" if has_account => Happened::Disconnected,
        _ => Happened::Other,
    })
}

#[cfg(test)]
mod tests {
    use racun_kernel::Currency;
    use serde_json::json;
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);
    const SECRET: &str = "whsec_test_secret";

    fn tag(secret: &str, time: i64, body: &str) -> String {
        let tag = hmac::sign(&key(secret), format!("{time}.{body}").as_bytes());
        tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn is_good(header: &str, body: &str) -> bool {
        is_signed(&key(SECRET), header, body.as_bytes(), NOW)
    }

    #[test]
    fn a_signature_counts_for_its_body_its_secret_and_five_minutes() {
        let (time, body) = (NOW.unix_timestamp(), "{\"id\":\"evt_1\"}");
        let good = tag(SECRET, time, body);
        assert!(is_good(&format!("t={time},v1={good}"), body));
        assert!(is_good(&format!("t={time},v1={good},v0=6ffbb59b2300aae63f272406069a9788"), body));
        // While a secret is changed, there is a signature by each.
        let other = tag("whsec_other", time, body);
        assert!(is_good(&format!("t={time},v1={other},v1={good}"), body));
        for (seconds, expected) in [(-301, false), (-300, true), (300, true), (301, false)] {
            let time = (NOW + Duration::seconds(seconds)).unix_timestamp();
            let header = format!("t={time},v1={}", tag(SECRET, time, body));
            assert_eq!(is_good(&header, body), expected, "{seconds}");
        }
        assert!(!is_good(&format!("t={time},v1={good}"), &body.replace('1', "2")), "altered");
        for header in [
            String::new(),
            format!("v1={good}"),
            format!("t={time}"),
            format!("t={time},v1={other}"),
            format!("t={time},v0={good}"),
            format!("t={time},v1={}", &good[..63]),
            format!("t={time},v1={good}00"),
            format!("t={time},v1={}", &good[..32]),
            format!("t={},v1={good}", time + 1),
            format!("t={time},t={time},v1={good}"),
            format!("t=+{time},v1={good}"),
            format!("t=99999999999999999999,v1={good}"),
            format!("t={time},{}v1={good}", "v1=00,".repeat(MAX_SIGNATURES)),
            format!("t={time},v1={good},v0={}", "0".repeat(MAX_HEADER_BYTES)),
            format!("t={time},v1={}", "é".repeat(32)),
        ] {
            assert!(!is_good(&header, body), "{header}");
        }
    }

    #[test]
    fn what_is_longer_than_any_event_is_refused() {
        let (time, body) = (NOW.unix_timestamp(), " ".repeat(MAX_BODY_BYTES + 1));
        assert!(!is_good(&format!("t={time},v1={}", tag(SECRET, time, &body)), &body));
    }

    fn told(kind: &str, object: &Value) -> Option<Told> {
        let body = json!({
            "id": "evt_1", "object": "event", "type": kind, "livemode": true,
            "account": "acct_1", "data": { "object": object },
        });
        read(body.to_string().as_bytes())
    }

    #[test]
    fn events_say_what_happened() {
        let session = json!({
            "id": "cs_1", "payment_intent": "pi_1", "setup_intent": null, "customer": null,
            "payment_status": "paid", "amount_total": 50_000, "currency": "isk",
            "metadata": { "racun_invoice": "inv_1", "number": 7 },
        });
        let Some(Told { is_live: true, event }) = told("checkout.session.completed", &session)
        else {
            panic!("it is an event");
        };
        assert_eq!((event.id.as_str(), event.account.as_deref()), ("evt_1", Some("acct_1")));
        let expected = Happened::SessionCompleted {
            session: "cs_1".to_owned(),
            payment: Some("pi_1".to_owned()),
            setup_intent: None,
            customer: None,
            is_paid: true,
            amount: Some(500),
            currency: "ISK".parse().ok(),
            metadata: [("racun_invoice".to_owned(), "inv_1".to_owned())].into(),
        };
        assert_eq!(event.happened, expected);
        let failed = json!({ "id": "pi_1", "last_payment_error": { "code": "expired_card" } });
        let failed = told("payment_intent.payment_failed", &failed).unwrap().event.happened;
        assert!(matches!(failed, Happened::PaymentFailed { code, .. } if code == "expired_card"));
        let taken = json!({ "id": "pi_1", "amount_received": 1_900, "currency": "eur" });
        let taken = told("payment_intent.succeeded", &taken).unwrap().event.happened;
        let is_euro = matches!(taken, Happened::PaymentSucceeded { amount: 1_900, currency, .. }
            if currency == Currency::EUR);
        assert!(is_euro);
        for (kind, object, expected) in [
            (
                "invoice.paid",
                json!({ "id": "in_1" }),
                Happened::InvoicePaid { invoice: "in_1".to_owned() },
            ),
            ("account.application.deauthorized", json!({ "id": "ca_1" }), Happened::Disconnected),
            ("customer.created", json!({}), Happened::Other),
            ("customer.updated", json!({ "id": "cus_1" }), Happened::Other),
            (
                "customer.updated",
                json!({ "id": "cus_1", "metadata": { "order": "7" },
                    "invoice_settings": { "default_payment_method": "pm_1" } }),
                Happened::CardChosen {
                    customer: "cus_1".to_owned(),
                    metadata: [("order".to_owned(), "7".to_owned())].into(),
                },
            ),
            (
                "payment_intent.succeeded",
                json!({ "id": "pi_1", "currency": "xxx" }),
                Happened::Other,
            ),
        ] {
            assert_eq!(told(kind, &object).map(|told| told.event.happened), Some(expected));
        }
    }

    #[test]
    fn what_does_not_look_like_an_event_is_none() {
        for (kind, object) in [
            ("checkout.session.completed", json!({ "id": "cs_1" })),
            ("payment_intent.succeeded", json!({ "id": "pi_1", "currency": "eur" })),
            (
                "payment_intent.succeeded",
                json!({ "id": 7, "currency": "eur", "amount_received": 1 }),
            ),
            ("setup_intent.succeeded", json!({ "id": "seti_1" })),
            (
                "customer.updated",
                json!({ "invoice_settings": { "default_payment_method": "pm_1" } }),
            ),
            ("invoice.paid", json!("in_1 or another")),
        ] {
            assert_eq!(told(kind, &object), None, "{kind}: {object}");
        }
        for body in ["", "{}", "[]", "null", "{\"id\":\"evt\",\"type\":\"x\"}", "{\"id\":"] {
            assert_eq!(read(body.as_bytes()), None, "{body}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(deep.as_bytes()), None);
    }
}
