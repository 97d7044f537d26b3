//! The pages for people: plain HTML without scripts.

use serde_json::{Value, json};
use url::Url;

use crate::Payer;
use crate::api::{self, Attempt};
use crate::cards::{Card, NOT_CONFIRMED};
use crate::desk::{Desk, Problem};
use crate::form::{Form, escaped};
use crate::state::{Answer, Asked, State};

/// What a page does with what a person entered.
enum Turn {
    /// It sends them on.
    To(String),
    /// It says why not, and lets them try again.
    Says(String),
    /// It asks them in the bank's name.
    Asks,
    /// There is no page (any more).
    Gone,
}

/// Answers a request of a person; `None` where there is no page.
pub fn answer(state: &State, asked: &Asked) -> Option<Answer> {
    let segments: Vec<&str> = asked.path.trim_matches('/').split('/').collect();
    let form = Form::read(&asked.body);
    Some(match (asked.method.as_str(), segments.as_slice()) {
        ("GET", ["pay" | "setup", id]) => checkout(state, id, &form, ""),
        ("POST", ["pay" | "setup", id]) => match submit(state, id, &form) {
            Turn::To(url) => Answer::to(url),
            Turn::Says(message) => checkout(state, id, &form, &message),
            Turn::Asks => bank(&form),
            Turn::Gone => gone(),
        },
        ("GET", ["portal", id]) => portal(state, id, ""),
        ("POST", ["portal", id]) => {
            let message = add_card(state, id, &form);
            portal(state, id, &message)
        }
        ("GET", ["oauth", "authorize"]) => consent_page(&asked.query),
        ("POST", ["oauth", "authorize"]) => {
            let name = form.get("name").filter(|_| form.text("decision") == "connect");
            match consent_to(state, &asked.query, name) {
                Ok(url) => Answer::to(url),
                Err(message) => wrong(&message),
            }
        }
        _ => return None,
    })
}

/// Where a person is sent who pays on the page at `url`.
pub fn pay(state: &State, url: &str, payer: &Payer) -> Result<String, String> {
    let id = url.rsplit('/').next().unwrap_or_default();
    let form = Form::default()
        .with("number", &payer.number)
        .with("expiry", "12/99")
        .with("cvc", "123")
        .with("name", &payer.name)
        .with("email", &payer.email)
        .with("country", &payer.country);
    let turn = match submit(state, id, &form) {
        Turn::Asks => {
            let word = if payer.confirms { "yes" } else { "no" };
            submit(state, id, &form.with("confirmed", word))
        }
        turn => turn,
    };
    match turn {
        Turn::To(url) => Ok(url),
        Turn::Says(message) => Err(message),
        Turn::Asks => Err("the bank asks again".to_owned()),
        Turn::Gone => Err("the page is not there any more".to_owned()),
    }
}

/// The card that a person entered, or what is wrong with it.
fn entered(state: &State, form: &Form) -> Result<Card, String> {
    let number = form.text("number");
    let card = Card::numbered(number);
    let card = card.ok_or("This is the number of no test card: take 4242 4242 4242 4242.")?;
    let cvc = form.text("cvc");
    if !(3..=4).contains(&cvc.len()) || !cvc.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err("The security code has three or four digits.".to_owned());
    }
    match is_future(form.text("expiry"), state.now()) {
        true => Ok(card),
        false => Err("The card has expired: enter a month to come, as 12/34.".to_owned()),
    }
}

/// Whether a month such as 12/34 is not over at `now`, in seconds since 1970.
fn is_future(month: &str, now: i64) -> bool {
    let parts = month.split_once('/').map(|(month, year)| (month.trim(), year.trim()));
    let Some((month, year)) = parts else { return false };
    let number = |text: &str| text.parse::<i64>().ok();
    let (Some(month @ 1..=12), Some(year)) = (number(month), number(year)) else { return false };
    let year = if (0..=99).contains(&year) { 2_000 + year } else { year };
    // Months have 30.4 days and years 365.2, which is near enough for tests.
    let months_now = now / 2_629_746;
    (year - 1_970) * 12 + month > months_now && year < 3_000
}

/// Does what a person asked for on the page `id`.
fn submit(state: &State, id: &str, form: &Form) -> Turn {
    let card = entered(state, form);
    state.at_desk(None, false, |desk| {
        let Some(session) = api::open(desk, id) else { return Turn::Gone };
        let success = session["success_url"].as_str().unwrap_or_default();
        let success = success.replace("{CHECKOUT_SESSION_ID}", id);
        if session["status"] == "complete" {
            return Turn::To(success);
        }
        if session["status"] != "open" {
            return Turn::Gone;
        }
        let card = match card {
            Ok(card) => card,
            Err(message) => return Turn::Says(message),
        };
        if card.asks() && form.get("confirmed").is_none() {
            return Turn::Asks;
        }
        match complete(desk, session, card, form) {
            Ok(_) => Turn::To(success),
            Err(problem) => Turn::Says(problem.message()),
        }
    })
}

fn complete(
    desk: &mut Desk<'_>,
    mut session: Value,
    card: Card,
    form: &Form,
) -> Result<Value, Problem> {
    let is_refused = card.asks() && form.text("confirmed") != "yes";
    if session["mode"] == "setup" {
        return match is_refused {
            true => Err(Problem::declined(NOT_CONFIRMED, None)),
            false => api::complete_setup(desk, session, card),
        };
    }
    let known = session["payment_intent"].as_str().map(str::to_owned);
    let intent = match known.and_then(|id| desk.find("payment_intent", &id)) {
        Some(known) => known,
        None => api::intent(
            desk,
            session["amount_total"].as_i64().unwrap_or_default(),
            session["currency"].as_str().unwrap_or_default(),
            session["customer"].clone(),
            session["simulated"]["description"].clone(),
            session["simulated"]["metadata"].clone(),
        ),
    };
    session["payment_intent"] = intent["id"].clone();
    desk.put(&session);
    let attempt = Attempt {
        card,
        method: None,
        is_present: true,
        refusal: is_refused.then_some(NOT_CONFIRMED),
        billing: json!({
            "name": form.value("name"), "email": form.value("email"),
            "address": { "country": form.value("country") },
        }),
    };
    api::pay(desk, intent, &attempt)?;
    session["payment_status"] = json!("paid");
    api::complete(desk, session)
}

/// Decimals of currencies that have not two.
fn decimals(currency: &str) -> usize {
    match currency {
        "jpy" | "krw" | "clp" | "vnd" | "xaf" | "xof" | "xpf" | "pyg" | "rwf" | "mga" => 0,
        "bhd" | "jod" | "kwd" | "omr" | "tnd" => 3,
        _ => 2,
    }
}

fn money(session: &Value) -> String {
    let currency = session["currency"].as_str().unwrap_or_default();
    let digits = session["amount_total"].as_i64().unwrap_or_default().to_string();
    let decimals = decimals(currency);
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{whole}{dot}{rest} {}", currency.to_uppercase())
}

fn html(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
         <h1>{title}</h1>{body}<p>A simulator: no money moves.</p></html>"
    )
}

fn gone() -> Answer {
    Answer::page(404, html("This page is over", "<p>Go back and begin again.</p>"))
}

fn wrong(message: &str) -> Answer {
    Answer::page(400, html("That does not work", &format!("<p>{}</p>", escaped(message))))
}

fn alert(message: &str) -> String {
    match message {
        "" => String::new(),
        message => format!("<p role=\"alert\">{}</p>", escaped(message)),
    }
}

fn field(form: &Form, name: &str, label: &str, usual: &str) -> String {
    let value = escaped(form.get(name).unwrap_or(usual));
    format!("<p><label>{label} <input name=\"{name}\" value=\"{value}\"></label></p>")
}

fn card_fields(form: &Form) -> String {
    [
        field(form, "number", "Card number", ""),
        field(form, "expiry", "Valid until (12/34)", ""),
        field(form, "cvc", "Security code", ""),
    ]
    .concat()
}

fn link(url: &Value, text: &str) -> String {
    let url = escaped(url.as_str().unwrap_or_default());
    format!("<p><a href=\"{url}\">{text}</a></p>")
}

/// The page on which a person pays or gives a card.
fn checkout(state: &State, id: &str, form: &Form, message: &str) -> Answer {
    let session = state.at_desk(None, false, |desk| api::open(desk, id));
    let Some(session) = session.filter(|session| session["status"] == "open") else {
        return gone();
    };
    let (title, button) = match session["mode"].as_str() {
        Some("payment") => {
            let name = session["simulated"]["name"].as_str().unwrap_or_default();
            let money = money(&session);
            (format!("{name}: {money}"), format!("Pay {money}"))
        }
        _ => ("Save a card".to_owned(), "Save".to_owned()),
    };
    let body = [
        alert(message),
        "<form method=\"post\">".to_owned(),
        card_fields(form),
        field(form, "name", "Name", ""),
        field(form, "email", "E-mail", ""),
        field(form, "country", "Country (SI)", ""),
        format!("<button>{}</button></form>", escaped(&button)),
        link(&session["cancel_url"], "Back"),
    ];
    Answer::page(200, html(&title, &body.concat()))
}

/// The page on which the bank asks.
fn bank(form: &Form) -> Answer {
    let hidden = |(name, value): (&str, &str)| {
        let (name, value) = (escaped(name), escaped(value));
        format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
    };
    let fields: String = form.fields().map(hidden).collect();
    let body = format!(
        "<p>Is it you who pays?</p><form method=\"post\">{fields}\
         <button name=\"confirmed\" value=\"yes\">Yes, it is me</button> \
         <button name=\"confirmed\" value=\"no\">No</button></form>"
    );
    Answer::page(200, html("Your bank asks", &body))
}

/// The page on which a customer manages cards.
fn portal(state: &State, id: &str, message: &str) -> Answer {
    let found = state.at_desk(None, false, |desk| {
        let session = desk.find("billing_portal.session", id)?;
        let customer = desk.customer(session["customer"].as_str()?, "id").ok()?;
        let own = |stored: &&crate::ledger::Stored| {
            let value = &stored.value;
            value["object"] == "payment_method" && value["customer"] == customer["id"]
        };
        let cards: Vec<Value> =
            desk.ledger.objects.all().filter(own).map(|stored| stored.value.clone()).collect();
        Some((session, customer, cards))
    });
    let Some((session, customer, cards)) = found else { return gone() };
    let chosen = &customer["invoice_settings"]["default_payment_method"];
    let row = |card: &Value| {
        let text = |name: &str| escaped(card["card"][name].as_str().unwrap_or_default());
        let mark = if card["id"] == *chosen { ", which pays" } else { "" };
        format!("<li>{} ending in {}{mark}</li>", text("brand"), text("last4"))
    };
    let body = [
        alert(message),
        format!("<ul>{}</ul>", cards.iter().map(row).collect::<String>()),
        "<form method=\"post\">".to_owned(),
        card_fields(&Form::default()),
        "<button>Add a card, which pays from now on</button></form>".to_owned(),
        link(&session["return_url"], "Back"),
    ];
    Answer::page(200, html("Your cards", &body.concat()))
}

/// Adds a card on the portal's page; what it says.
fn add_card(state: &State, id: &str, form: &Form) -> String {
    let card = match entered(state, form) {
        Ok(card) => card.confirmed(),
        Err(message) => return message,
    };
    if let Err(decline) = card.attach() {
        return decline.message.to_owned();
    }
    let added = state.at_desk(None, false, |desk| {
        let session = desk.find("billing_portal.session", id)?;
        desk.is_live = session["livemode"] == true;
        let name = session["customer"].as_str()?;
        let mut customer = desk.customer(name, "id").ok()?;
        let made = desk.new_card(card, Some(name));
        customer["invoice_settings"]["default_payment_method"] = made["id"].clone();
        desk.put(&customer);
        desk.tell("payment_method.attached", &made);
        desk.tell("customer.updated", &customer);
        Some(())
    });
    added.map_or("The page is over.", |()| "The card was added.").to_owned()
}

/// The page on which a seller consents.
fn consent_page(query: &str) -> Answer {
    if let Err(message) = consent_query(query) {
        return wrong(&message);
    }
    let body = "<p>A program wants to read your payments, and to take some for you.</p>\
                <form method=\"post\"><p><label>Your shop's name <input name=\"name\" \
                value=\"A shop\"></label></p>\
                <button name=\"decision\" value=\"connect\">Connect</button> \
                <button name=\"decision\" value=\"refuse\">Refuse</button></form>";
    Answer::page(200, html("Connect your account", body))
}

/// Where a seller is sent who decides on the page at `url`.
pub fn consent(state: &State, url: &str, name: Option<&str>) -> Result<String, String> {
    let url = Url::parse(url).map_err(|error| error.to_string())?;
    consent_to(state, url.query().unwrap_or_default(), name)
}

/// What the page for consent was asked with: where it leads back to.
fn consent_query(query: &str) -> Result<Url, String> {
    let said = Form::read(query.as_bytes());
    for (name, expected) in [("response_type", "code"), ("scope", "read_write")] {
        if said.text(name) != expected {
            return Err(format!("{name} is {:?}, not {expected:?}", said.text(name)));
        }
    }
    if said.get("client_id").is_none() {
        return Err("client_id is missing".to_owned());
    }
    let back = said.text("redirect_uri");
    if !api::is_address(back) {
        return Err("redirect_uri is no address".to_owned());
    }
    let mut back = Url::parse(back).map_err(|error| error.to_string())?;
    if let Some(text) = said.get("state") {
        back.query_pairs_mut().append_pair("state", text);
    }
    Ok(back)
}

fn consent_to(state: &State, query: &str, name: Option<&str>) -> Result<String, String> {
    let mut back = consent_query(query)?;
    match name {
        Some(name) => {
            let code = state.at_desk(None, false, |desk| api::allow(desk, name));
            back.query_pairs_mut().append_pair("scope", "read_write").append_pair("code", &code);
        }
        None => {
            let message = "The user denied your request";
            back.query_pairs_mut()
                .append_pair("error", "access_denied")
                .append_pair("error_description", message);
        }
    }
    Ok(back.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_over_or_to_come() {
        let now = 1_795_000_000;
        for (month, expected) in [
            ("12/34", true),
            ("1/2099", true),
            ("12 / 99", true),
            ("12/20", false),
            ("13/34", false),
            ("0/34", false),
            ("1234", false),
            ("", false),
            ("12/99999999999999999999", false),
        ] {
            assert_eq!(is_future(month, now), expected, "{month}");
        }
    }

    #[test]
    fn amounts_are_written_with_the_decimals_of_their_currency() {
        for (amount, currency, expected) in
            [(1_900, "eur", "19.00 EUR"), (5, "eur", "0.05 EUR"), (500, "jpy", "500 JPY")]
        {
            assert_eq!(money(&json!({ "amount_total": amount, "currency": currency })), expected);
        }
    }
}
