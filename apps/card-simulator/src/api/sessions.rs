//! Pages on which a person pays, gives a card or manages cards.

use serde_json::{Value, json};

use super::{Found, accounts, customers, payments};
use crate::cards::Card;
use crate::desk::{Desk, Problem, new_id};
use crate::form::Form;

/// Seconds for which a page can be used.
const HOLDS: i64 = 24 * 60 * 60;

/// An address that a page leads to.
fn address(form: &Form, name: &str) -> Result<String, Problem> {
    let text = form.get(name).ok_or_else(|| Problem::lacks(name))?;
    let is_good = accounts::is_address(text);
    is_good.then(|| text.to_owned()).ok_or_else(|| Problem::wrong(name, "Not a valid URL"))
}

/// A new page.
pub fn make(desk: &mut Desk<'_>, form: &Form) -> Found {
    let success_url = address(form, "success_url")?;
    let cancel_url = address(form, "cancel_url")?;
    let mode = form.get("mode").ok_or_else(|| Problem::lacks("mode"))?;
    if let Some(customer) = form.get("customer") {
        desk.customer(customer, "customer")?;
    }
    let line = "line_items[0]";
    let field = |name: &str| format!("{line}{name}");
    let (amount, currency, of, place) = match mode {
        "payment" => {
            let amount = payments::amount(form, &field("[price_data][unit_amount]"))?;
            let currency = payments::currency(form, &field("[price_data][currency]"))?;
            let name = field("[price_data][product_data][name]");
            if form.get(&name).is_none() {
                return Err(Problem::lacks(&name));
            }
            (json!(amount), json!(currency), "payment_intent_data", "pay")
        }
        "setup" => (Value::Null, Value::Null, "setup_intent_data", "setup"),
        _ => return Err(Problem::wrong("mode", "Invalid mode: must be payment or setup")),
    };
    let id = new_id(if desk.is_live { "cs_live_" } else { "cs_test_" });
    let session = json!({
        "id": id, "object": "checkout.session", "created": desk.now, "livemode": desk.is_live,
        "url": format!("{}/{place}/{id}", desk.url), "expires_at": desk.now + HOLDS, "mode": mode,
        "status": "open", "amount_total": amount, "currency": currency,
        "payment_status": if mode == "payment" { "unpaid" } else { "no_payment_required" },
        "customer": form.value("customer"), "payment_intent": null, "setup_intent": null,
        "success_url": success_url, "cancel_url": cancel_url, "metadata": form.map("metadata"),
        "simulated": {
            "name": form.value(&field("[price_data][product_data][name]")),
            "description": form.value("payment_intent_data[description]"),
            "metadata": form.map(&format!("{of}[metadata]")),
        },
    });
    desk.put(&session);
    Ok(session)
}

/// A page as it is now.
pub fn look(desk: &mut Desk<'_>, id: &str) -> Found {
    let mut session = super::found(desk, "checkout.session", id)?;
    let is_late = session["expires_at"].as_i64().is_none_or(|at| at <= desk.now);
    if session["status"] == "open" && is_late {
        session["status"] = json!("expired");
        session["url"] = Value::Null;
        desk.put(&session);
    }
    Ok(session)
}

/// Ends a page.
pub fn expire(desk: &mut Desk<'_>, id: &str) -> Found {
    let mut session = look(desk, id)?;
    if session["status"] != "open" {
        let message = format!(
            "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout \
             Session has a status of {}.",
            session["status"]
        );
        return Err(Problem::wrong("session", &message));
    }
    session["status"] = json!("expired");
    session["url"] = Value::Null;
    desk.put(&session);
    desk.tell("checkout.session.expired", &session);
    Ok(session)
}

/// A page on which a customer manages cards.
pub fn portal(desk: &mut Desk<'_>, form: &Form) -> Found {
    let customer = form.get("customer").ok_or_else(|| Problem::lacks("customer"))?.to_owned();
    desk.customer(&customer, "customer")?;
    let return_url = address(form, "return_url")?;
    let id = new_id("bps_");
    let session = json!({
        "id": id, "object": "billing_portal.session", "created": desk.now,
        "livemode": desk.is_live, "customer": customer, "return_url": return_url,
        "url": format!("{}/portal/{id}", desk.url),
    });
    desk.put(&session);
    Ok(session)
}

/// The page `id`, of whichever account, as it is now; the desk is that account's from here on.
pub fn open(desk: &mut Desk<'_>, id: &str) -> Option<Value> {
    let stored = desk.ledger.objects.get(id)?;
    desk.account = stored.account.clone();
    desk.is_live = stored.value["livemode"] == true;
    look(desk, id).ok()
}

/// Gives `card` on a page for cards.
pub fn complete_setup(desk: &mut Desk<'_>, mut session: Value, card: Card) -> Found {
    let customer = session["customer"].as_str().map(str::to_owned);
    let metadata = session["simulated"]["metadata"].clone();
    let known = session["setup_intent"].as_str().map(str::to_owned);
    let intent = match known.and_then(|id| desk.find("setup_intent", &id)) {
        Some(known) => known,
        None => customers::setup_intent(desk, customer.as_deref(), &metadata),
    };
    session["setup_intent"] = intent["id"].clone();
    desk.put(&session);
    customers::succeed(desk, intent, card.confirmed())?;
    complete(desk, session)
}

/// Notes that a page is done.
pub fn complete(desk: &mut Desk<'_>, mut session: Value) -> Found {
    session["status"] = json!("complete");
    session["url"] = Value::Null;
    desk.put(&session);
    desk.tell("checkout.session.completed", &session);
    Ok(session)
}
