//! Customers and their cards.

use serde_json::{Value, json};

use super::Found;
use crate::cards::Card;
use crate::desk::{Desk, Problem, new_id};
use crate::form::Form;

/// A new customer.
pub fn make(desk: &mut Desk<'_>, form: &Form) -> Value {
    let mut made = desk.customer_object(&new_id("cus_sim"), form.value("name"));
    made["email"] = form.value("email");
    made["metadata"] = form.map("metadata");
    desk.put(&made);
    made
}

/// Makes a card the one that a customer pays with.
pub fn change(desk: &mut Desk<'_>, id: &str, form: &Form) -> Found {
    let mut customer = desk.customer(id, "id")?;
    let name = "invoice_settings[default_payment_method]";
    if let Some(card) = form.get(name) {
        own_card(desk, id, card, name)?;
        customer["invoice_settings"]["default_payment_method"] = json!(card);
    }
    if form.get("name").is_some() {
        customer["name"] = form.value("name");
    }
    desk.put(&customer);
    desk.tell("customer.updated", &customer);
    Ok(customer)
}

/// A card that `customer` has.
pub fn own_card(
    desk: &mut Desk<'_>,
    customer: &str,
    id: &str,
    name: &str,
) -> Result<(Card, Value), Problem> {
    let (card, mut object) = desk.card(id, name)?;
    if Card::named(id).is_some() {
        return Ok((card, object));
    }
    // One of an earlier simulator is whose it is said to be.
    if object["customer"].is_null() {
        object["customer"] = json!(customer);
        desk.put(&object);
    }
    match object["customer"] == customer {
        true => Ok((card, object)),
        false => {
            let message = "The payment method you provided is attached to another customer.";
            Err(Problem::wrong(name, message))
        }
    }
}

/// Gives a customer a card.
pub fn attach(desk: &mut Desk<'_>, id: &str, form: &Form) -> Found {
    let customer = form.get("customer").ok_or_else(|| Problem::lacks("customer"))?.to_owned();
    desk.customer(&customer, "customer")?;
    let (card, object) = desk.card(id, "id")?;
    card.attach().map_err(|decline| Problem::declined(decline, None))?;
    if Card::named(id).is_some() {
        return Ok(desk.new_card(card, Some(&customer)));
    }
    match object["customer"].is_null() || object["customer"] == customer.as_str() {
        true => Ok(own_card(desk, &customer, id, "id")?.1),
        false => {
            let message =
                "The payment method you provided has already been attached to a customer.";
            Err(Problem::wrong("id", message))
        }
    }
}

/// Begins to take a card.
pub fn set_up(desk: &mut Desk<'_>, form: &Form) -> Found {
    if let Some(customer) = form.get("customer") {
        desk.customer(customer, "customer")?;
    }
    let intent = setup_intent(desk, form.get("customer"), &form.map("metadata"));
    Ok(intent)
}

/// A new setup intent.
pub fn setup_intent(desk: &mut Desk<'_>, customer: Option<&str>, metadata: &Value) -> Value {
    let id = new_id("seti_");
    let intent = json!({
        "id": id, "object": "setup_intent", "created": desk.now, "livemode": desk.is_live,
        "client_secret": new_id(&format!("{id}_secret_")), "customer": customer,
        "metadata": metadata, "payment_method": null, "payment_method_types": ["card"],
        "status": "requires_payment_method", "usage": "off_session",
    });
    desk.put(&intent);
    intent
}

/// Gives a card by a setup intent, as a client's page does.
pub fn confirm(desk: &mut Desk<'_>, id: &str, form: &Form) -> Found {
    let intent = super::found(desk, "setup_intent", id)?;
    let method = form.get("payment_method").ok_or_else(|| Problem::lacks("payment_method"))?;
    let (card, _) = desk.card(method, "payment_method")?;
    succeed(desk, intent, card)
}

/// Gives `card` by a setup intent.
pub fn succeed(desk: &mut Desk<'_>, mut intent: Value, card: Card) -> Found {
    if intent["status"] == "succeeded" {
        return Ok(intent);
    }
    card.attach().map_err(|decline| Problem::declined(decline, None))?;
    let customer = intent["customer"].as_str().map(str::to_owned);
    let made = desk.new_card(card, customer.as_deref());
    intent["payment_method"] = made["id"].clone();
    intent["status"] = json!("succeeded");
    desk.put(&intent);
    desk.tell("setup_intent.succeeded", &intent);
    Ok(intent)
}
