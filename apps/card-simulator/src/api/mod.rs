//! The interface for programs.

mod accounts;
mod customers;
mod payments;
mod sessions;

use serde_json::{Value, json};

use crate::PaidInvoice;
use crate::cards::Card;
use crate::desk::{Desk, Problem};
use crate::form::Form;
use crate::ledger::Reply;
use crate::state::{Answer, Asked, State};

pub use accounts::{allow, is_address};
pub use payments::{Attempt, intent, pay};
pub use sessions::{complete, complete_setup, open};

/// What an operation answers: an object.
type Found = Result<Value, Problem>;

/// Answers a request of a program.
pub fn answer(state: &State, asked: &Asked) -> Answer {
    let Some(key) = asked.key.as_deref().filter(|key| !key.is_empty()) else {
        let message = "You did not provide an API key.";
        let kind = "invalid_request_error";
        let body = json!({ "error": { "type": kind, "message": message } });
        return Answer::json(401, &body);
    };
    let is_live = key.starts_with("sk_live_") || key.starts_with("rk_live_");
    let (status, body) = state.at_desk(asked.account.clone(), is_live, |desk| once(desk, asked));
    Answer::json(status, &body)
}

/// Does what is asked, once for each key.
fn once(desk: &mut Desk<'_>, asked: &Asked) -> (u16, Value) {
    let key = asked.idempotency_key.as_deref().filter(|_| asked.method == "POST");
    let Some(key) = key else { return act(desk, asked) };
    let key = format!("{}/{key}", desk.account.as_deref().unwrap_or_default());
    let request = [asked.path.as_bytes(), b"\n", &asked.body].concat();
    if let Some(known) = desk.ledger.replies.get(&key).cloned() {
        if known.asked == request {
            return (known.status, known.body);
        }
        let message = "Keys for idempotent requests can only be used with the same parameters they \
                       were first used with.";
        return (400, json!({ "error": { "type": "idempotency_error", "message": message } }));
    }
    let (status, body) = act(desk, asked);
    // What was refused for its form was not begun.
    if matches!(status, 200 | 402) {
        let reply = Reply { asked: request, status, body: body.clone() };
        desk.ledger.replies.put(&key, reply);
    }
    (status, body)
}

fn act(desk: &mut Desk<'_>, asked: &Asked) -> (u16, Value) {
    match accounts::check(desk).and_then(|()| route(desk, asked)) {
        Ok(body) => (200, body),
        Err(Problem { status, body }) => (status, body),
    }
}

fn route(desk: &mut Desk<'_>, asked: &Asked) -> Found {
    let form = Form::read(&asked.body);
    let segments: Vec<&str> = asked.path.trim_matches('/').split('/').collect();
    match (asked.method.as_str(), segments.as_slice()) {
        ("POST", ["v1", "customers"]) => Ok(customers::make(desk, &form)),
        ("GET", ["v1", "customers", id]) => desk.customer(id, "id"),
        ("POST", ["v1", "customers", id]) => customers::change(desk, id, &form),
        ("POST", ["v1", "setup_intents"]) => customers::set_up(desk, &form),
        ("GET", ["v1", "setup_intents", id]) => found(desk, "setup_intent", id),
        ("POST", ["v1", "setup_intents", id, "confirm"]) => customers::confirm(desk, id, &form),
        ("GET", ["v1", "payment_methods", id]) => Ok(desk.card(id, "id")?.1),
        ("POST", ["v1", "payment_methods", id, "attach"]) => customers::attach(desk, id, &form),
        ("POST", ["v1", "checkout", "sessions"]) => sessions::make(desk, &form),
        ("GET", ["v1", "checkout", "sessions", id]) => sessions::look(desk, id),
        ("POST", ["v1", "checkout", "sessions", id, "expire"]) => sessions::expire(desk, id),
        ("POST", ["v1", "billing_portal", "sessions"]) => sessions::portal(desk, &form),
        ("POST", ["v1", "payment_intents"]) => payments::make(desk, &form),
        ("GET", ["v1", "payment_intents", id]) => payments::look(desk, id, &asked.query),
        ("GET", ["v1", "invoices", id]) => found(desk, "invoice", id),
        ("GET", ["v1", "accounts", id]) => accounts::look(desk, id),
        ("POST", ["oauth", "token"]) => accounts::token(desk, &form),
        ("POST", ["oauth", "deauthorize"]) => accounts::give_up(desk, &form),
        (method, _) => {
            let message = format!("Unrecognized request URL ({method}: {}).", asked.path);
            Err(Problem::of(404, "invalid_request_error", "url_invalid", "", &message))
        }
    }
}

fn found(desk: &Desk<'_>, what: &str, id: &str) -> Found {
    desk.find(what, id).ok_or_else(|| Problem::no_such(what, id, "id"))
}

/// Gives the card `number` by the secret of a setup intent.
pub fn give_card(state: &State, client_secret: &str, number: &str) -> Result<String, String> {
    let card = Card::numbered(number).ok_or("it is the number of no test card")?;
    let (id, _) = client_secret.split_once("_secret_").ok_or("it is no secret")?;
    state.at_desk(None, false, |desk| {
        let intent = desk.find("setup_intent", id).ok_or("there is no such setup intent")?;
        if intent["client_secret"] != client_secret {
            return Err("it is another secret".to_owned());
        }
        desk.is_live = intent["livemode"] == true;
        let done = customers::succeed(desk, intent, card.confirmed());
        let done = done.map_err(|problem| problem.message())?;
        Ok(done["payment_method"].as_str().unwrap_or_default().to_owned())
    })
}

/// Notes an invoice that a connected account made.
pub fn add_invoice(state: &State, invoice: &PaidInvoice) -> String {
    state.at_desk(Some(invoice.account.clone()), false, |desk| {
        desk.is_live = accounts::is_live(desk, &invoice.account);
        payments::invoice(desk, invoice)
    })
}

/// Lets a connected account take its consent back.
pub fn take_back(state: &State, account: &str) {
    state.at_desk(Some(account.to_owned()), false, |desk| {
        desk.is_live = accounts::is_live(desk, account);
        accounts::end(desk, account);
    });
}
