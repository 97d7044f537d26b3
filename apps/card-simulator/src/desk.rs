//! One request with the ledger: what it finds, makes and tells.

use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value, json};

use crate::cards::{Card, Decline};
use crate::ledger::{Event, Ledger, Stored};

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub status: u16,
    pub body: Value,
}

impl Problem {
    /// A request that is wrong in the parameter `name`.
    pub fn wrong(name: &str, message: &str) -> Self {
        Self::of(400, "invalid_request_error", "parameter_invalid", name, message)
    }

    /// A parameter that has to be there.
    pub fn lacks(name: &str) -> Self {
        let message = format!("Missing required param: {name}.");
        Self::of(400, "invalid_request_error", "parameter_missing", name, &message)
    }

    /// An object that is not there.
    pub fn no_such(what: &str, id: &str, name: &str) -> Self {
        let message = format!("No such {what}: '{id}'");
        let status = if name == "id" { 404 } else { 400 };
        Self::of(status, "invalid_request_error", "resource_missing", name, &message)
    }

    /// A card that does not pay; `payment` is what it should have paid.
    pub fn declined(decline: Decline, payment: Option<&Value>) -> Self {
        let mut error = error_of(decline);
        if let Some(payment) = payment {
            error["payment_intent"] = payment.clone();
        }
        Self { status: 402, body: json!({ "error": error }) }
    }

    pub fn of(status: u16, kind: &str, code: &str, name: &str, message: &str) -> Self {
        let error = json!({ "type": kind, "code": code, "param": name, "message": message });
        Self { status, body: json!({ "error": error }) }
    }

    /// What it says.
    pub fn message(&self) -> String {
        self.body["error"]["message"].as_str().unwrap_or("it does not work").to_owned()
    }
}

/// A decline as objects say it.
pub fn error_of(decline: Decline) -> Value {
    json!({
        "type": "card_error", "code": decline.code, "decline_code": decline.reason,
        "message": decline.message,
    })
}

/// One request with the ledger.
pub struct Desk<'a> {
    pub ledger: &'a mut Ledger,
    /// The base of the interface.
    pub url: &'a str,
    /// The connected account that it is on behalf of.
    pub account: Option<String>,
    /// Whether the key is of real payments.
    pub is_live: bool,
    pub now: i64,
    /// What it tells, to be posted.
    pub told: Vec<Event>,
}

/// Signs of ids.
const SIGNS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A new id that begins with `begin`. The process of another day makes no id twice.
pub fn new_id(begin: &str) -> String {
    let mut bytes = [0_u8; 20];
    if SystemRandom::new().fill(&mut bytes).is_err() {
        eprintln!("the system has no random numbers");
    }
    let sign = |byte: u8| char::from(SIGNS[usize::from(byte % 32)]);
    format!("{begin}{}", bytes.into_iter().map(sign).collect::<String>())
}

impl Desk<'_> {
    /// Keeps an object under its id.
    pub fn put(&mut self, value: &Value) {
        let id = value["id"].as_str().unwrap_or_default().to_owned();
        let account = self.account.clone();
        self.ledger.objects.put(&id, Stored { account, value: value.clone() });
    }

    /// The object `id` of the kind `what`, when it is whose the request is.
    pub fn find(&self, what: &str, id: &str) -> Option<Value> {
        let stored = self.ledger.objects.get(id)?;
        let is_own = stored.account == self.account && stored.value["object"] == what;
        is_own.then(|| stored.value.clone())
    }

    /// The customer `id`; one of an earlier simulator is made again.
    pub fn customer(&mut self, id: &str, name: &str) -> Result<Value, Problem> {
        if let Some(known) = self.find("customer", id) {
            return Ok(known);
        }
        if !id.starts_with("cus_sim") || self.ledger.objects.get(id).is_some() {
            return Err(Problem::no_such("customer", id, name));
        }
        let again = self.customer_object(id, Value::Null);
        self.put(&again);
        Ok(again)
    }

    pub fn customer_object(&self, id: &str, name: Value) -> Value {
        json!({
            "id": id, "object": "customer", "created": self.now, "livemode": self.is_live,
            "name": name, "email": null, "address": null, "metadata": {},
            "invoice_settings": { "default_payment_method": null },
        })
    }

    /// The card that `id` is, and its object; one of an earlier simulator is made again.
    pub fn card(&mut self, id: &str, name: &str) -> Result<(Card, Value), Problem> {
        if let Some(card) = Card::named(id) {
            return Ok((card, self.card_object(id, card)));
        }
        let missing = || Problem::no_such("PaymentMethod", id, name);
        let card = Card::of_id(id).ok_or_else(missing)?;
        if let Some(known) = self.find("payment_method", id) {
            return Ok((card, known));
        }
        if self.ledger.objects.get(id).is_some() {
            return Err(missing());
        }
        let again = self.card_object(id, card);
        self.put(&again);
        Ok((card, again))
    }

    fn card_object(&self, id: &str, card: Card) -> Value {
        json!({
            "id": id, "object": "payment_method", "created": self.now, "livemode": self.is_live,
            "type": "card", "card": card.object(), "customer": null, "metadata": {},
        })
    }

    /// A new object of `card`, which `customer` has.
    pub fn new_card(&mut self, card: Card, customer: Option<&str>) -> Value {
        let mut made = self.card_object(&new_id(&card.begin()), card);
        made["customer"] = json!(customer);
        self.put(&made);
        made
    }

    /// Tells that `kind` happened to `object`.
    pub fn tell(&mut self, kind: &str, object: &Value) {
        let id = new_id("evt_");
        let mut body = json!({
            "id": id, "object": "event", "api_version": "2024-06-20", "created": self.now,
            "livemode": self.is_live, "pending_webhooks": 1, "type": kind,
            "request": { "id": null, "idempotency_key": null }, "data": { "object": object },
        });
        if let Some(account) = &self.account {
            body["account"] = json!(account);
        }
        let event = Event { id: id.clone(), kind: kind.to_owned(), body: body.to_string() };
        self.ledger.events.put(&id, event.clone());
        self.told.push(event);
    }
}
