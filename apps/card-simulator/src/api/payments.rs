//! Payments and invoices.

use serde_json::{Value, json};

use super::{Found, customers};
use crate::PaidInvoice;
use crate::cards::{Card, Decline};
use crate::desk::{Desk, Problem, error_of, new_id};
use crate::form::Form;

/// The smallest and the largest payment.
const AMOUNTS: std::ops::RangeInclusive<i64> = 50..=99_999_999;

/// What is paid with, and by whom.
pub struct Attempt<'a> {
    /// The card, and its id where it has one.
    pub card: Card,
    pub method: Option<&'a str>,
    /// Whether the person is there.
    pub is_present: bool,
    /// Whether the person could confirm it to the bank.
    pub refusal: Option<Decline>,
    /// Who pays: name, address and country.
    pub billing: Value,
}

/// An amount of money that can be paid.
pub fn amount(form: &Form, name: &str) -> Result<i64, Problem> {
    let text = form.get(name).ok_or_else(|| Problem::lacks(name))?;
    let invalid = || Problem::wrong(name, &format!("Invalid integer: {text}"));
    let amount: i64 = text.parse().map_err(|_| invalid())?;
    match AMOUNTS.contains(&amount) {
        true => Ok(amount),
        false => {
            let message = "Amount must convert to at least 50 cents and to 8 digits at most.";
            Err(Problem::of(400, "invalid_request_error", "amount_too_small", name, message))
        }
    }
}

/// A currency.
pub fn currency(form: &Form, name: &str) -> Result<String, Problem> {
    let text = form.get(name).ok_or_else(|| Problem::lacks(name))?;
    let is_code = text.len() == 3 && text.bytes().all(|letter| letter.is_ascii_lowercase());
    let invalid = || Problem::wrong(name, &format!("Invalid currency: {text}"));
    is_code.then(|| text.to_owned()).ok_or_else(invalid)
}

/// A new payment intent that nothing was paid on.
pub fn intent(
    desk: &mut Desk<'_>,
    amount: i64,
    currency: &str,
    customer: Value,
    description: Value,
    metadata: Value,
) -> Value {
    let id = new_id("pi_");
    let intent = json!({
        "id": id, "object": "payment_intent", "created": desk.now, "livemode": desk.is_live,
        "amount": amount, "amount_received": 0, "currency": currency, "customer": customer,
        "client_secret": new_id(&format!("{id}_secret_")), "description": description,
        "metadata": metadata, "latest_charge": null, "last_payment_error": null,
        "payment_method": null, "payment_method_types": ["card"], "receipt_email": null,
        "status": "requires_payment_method",
    });
    desk.put(&intent);
    intent
}

/// Takes a payment without the person.
pub fn make(desk: &mut Desk<'_>, form: &Form) -> Found {
    let (amount, currency) = (amount(form, "amount")?, currency(form, "currency")?);
    let customer = form.get("customer").map(str::to_owned);
    if let Some(customer) = &customer {
        desk.customer(customer, "customer")?;
    }
    let card = match (form.get("payment_method"), &customer) {
        (Some(id), Some(customer)) => {
            Some(customers::own_card(desk, customer, id, "payment_method")?)
        }
        (Some(id), None) => Some(desk.card(id, "payment_method")?),
        (None, _) => None,
    };
    let (description, metadata) = (form.value("description"), form.map("metadata"));
    let intent = intent(desk, amount, &currency, json!(customer), description, metadata);
    if form.text("confirm") != "true" {
        return Ok(intent);
    }
    let Some((card, object)) = card else { return Err(Problem::lacks("payment_method")) };
    let attempt = Attempt {
        card,
        method: object["id"].as_str(),
        is_present: form.text("off_session") != "true",
        refusal: None,
        billing: json!({ "name": null, "email": null, "address": { "country": null } }),
    };
    pay(desk, intent, &attempt)
}

/// Tries to take `intent`, and tells what became of it.
pub fn pay(desk: &mut Desk<'_>, mut intent: Value, attempt: &Attempt<'_>) -> Found {
    let charged = match attempt.refusal {
        Some(decline) => Err(decline),
        None => attempt.card.charge(attempt.is_present),
    };
    match charged {
        Ok(()) => {
            let charge = json!({
                "id": new_id("ch_"), "object": "charge", "amount": intent["amount"],
                "currency": intent["currency"], "paid": true, "status": "succeeded",
                "billing_details": attempt.billing, "payment_intent": intent["id"],
                "payment_method_details": { "type": "card", "card": attempt.card.object() },
            });
            desk.put(&charge);
            intent["status"] = json!("succeeded");
            intent["amount_received"] = intent["amount"].clone();
            intent["latest_charge"] = charge["id"].clone();
            intent["payment_method"] = json!(attempt.method);
            intent["last_payment_error"] = Value::Null;
            desk.put(&intent);
            desk.tell("payment_intent.succeeded", &intent);
            Ok(intent)
        }
        Err(decline) => {
            intent["last_payment_error"] = error_of(decline);
            desk.put(&intent);
            desk.tell("payment_intent.payment_failed", &intent);
            Err(Problem::declined(decline, Some(&intent)))
        }
    }
}

/// A payment, with the objects that `query` wants whole.
pub fn look(desk: &Desk<'_>, id: &str, query: &str) -> Found {
    let mut intent = super::found(desk, "payment_intent", id)?;
    let form = Form::read(query.as_bytes());
    let wants =
        |name: &str| form.fields().any(|(key, value)| key.starts_with("expand") && value == name);
    for (name, what) in [("customer", "customer"), ("latest_charge", "charge")] {
        let named = intent[name].as_str().filter(|_| wants(name)).map(str::to_owned);
        if let Some(whole) = named.and_then(|id| desk.find(what, &id)) {
            intent[name] = whole;
        }
    }
    Ok(intent)
}

/// Notes an invoice that was paid.
pub fn invoice(desk: &mut Desk<'_>, invoice: &PaidInvoice) -> String {
    let id = new_id("in_");
    let object = json!({
        "id": id, "object": "invoice", "created": desk.now, "livemode": desk.is_live,
        "status": "paid", "total": invoice.total, "amount_due": invoice.total,
        "amount_paid": invoice.total, "currency": invoice.currency,
        "customer_name": invoice.name, "customer_email": invoice.email,
        "customer_address": { "country": invoice.country }, "description": null,
        "lines": { "object": "list", "data": [{ "description": invoice.description }] },
        "metadata": invoice.metadata,
    });
    desk.put(&object);
    desk.tell("invoice.paid", &object);
    id
}
