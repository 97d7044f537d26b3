//! Accounts of sellers.

use serde_json::json;

use super::Found;
use crate::desk::{Desk, Problem, new_id};
use crate::form::Form;

/// What ids of accounts begin with that were made here.
const BEGIN: &str = "acct_sim";

/// Whether the account is connected. One of an earlier simulator is believed.
fn is_connected(desk: &Desk<'_>, account: &str) -> bool {
    account.starts_with(BEGIN) && desk.ledger.given_up.get(account).is_none()
}

/// Refuses a request on behalf of an account that is not connected.
pub fn check(desk: &Desk<'_>) -> Result<(), Problem> {
    match &desk.account {
        Some(account) if !is_connected(desk, account) => {
            let message = format!(
                "The provided key does not have access to account '{account}' (or that account \
                 does not exist). Application access may have been revoked."
            );
            Err(Problem::of(403, "invalid_request_error", "account_invalid", "", &message))
        }
        _ => Ok(()),
    }
}

/// Connects a new account called `name`, and gives out a code for it.
pub fn allow(desk: &mut Desk<'_>, name: &str) -> String {
    let id = new_id(BEGIN);
    let account = json!({
        "id": id, "object": "account", "business_profile": { "name": name }, "country": "SI",
        "created": desk.now, "type": "standard",
    });
    desk.put(&account);
    let code = new_id("ac_");
    desk.ledger.codes.put(&code, id);
    code
}

/// What an account is called.
pub fn look(desk: &Desk<'_>, id: &str) -> Found {
    if !is_connected(desk, id) {
        return Err(Problem::no_such("account", id, "id"));
    }
    let unnamed = || json!({ "id": id, "object": "account", "business_profile": { "name": null } });
    Ok(desk.find("account", id).unwrap_or_else(unnamed))
}

/// A refusal as OAuth has it.
fn refused(status: u16, code: &str, message: &str) -> Problem {
    Problem { status, body: json!({ "error": code, "error_description": message }) }
}

/// The account that a code connects, once.
pub fn token(desk: &mut Desk<'_>, form: &Form) -> Found {
    if form.text("grant_type") != "authorization_code" {
        let message = "Grant type must be authorization_code";
        return Err(refused(400, "unsupported_grant_type", message));
    }
    let code = form.text("code").to_owned();
    let Some(account) = desk.ledger.codes.take(&code) else {
        let message = format!("Authorization code does not exist: {code}");
        return Err(refused(400, "invalid_grant", &message));
    };
    if let Some(known) = desk.ledger.objects.get_mut(&account) {
        known.value["livemode"] = json!(desk.is_live);
    }
    Ok(json!({
        "token_type": "bearer", "scope": "read_write", "livemode": desk.is_live,
        "stripe_user_id": account, "stripe_publishable_key": "pk_simulated",
    }))
}

/// Whether the account was connected by a key for real payments.
pub fn is_live(desk: &Desk<'_>, account: &str) -> bool {
    let known = desk.ledger.objects.get(account);
    known.is_some_and(|known| known.value["livemode"] == true)
}

/// Gives an account up.
pub fn give_up(desk: &mut Desk<'_>, form: &Form) -> Found {
    if form.get("client_id").is_none() {
        return Err(refused(401, "invalid_client", "No client_id was provided"));
    }
    let account = form.text("stripe_user_id").to_owned();
    if !is_connected(desk, &account) {
        let message = format!(
            "This application is not connected to stripe account {account}, or that account does \
             not exist."
        );
        return Err(refused(401, "invalid_client", &message));
    }
    end(desk, &account);
    Ok(json!({ "stripe_user_id": account }))
}

/// Ends the connection of an account, and tells it.
pub fn end(desk: &mut Desk<'_>, account: &str) {
    desk.ledger.given_up.put(account, ());
    desk.account = Some(account.to_owned());
    let application = json!({ "id": "ca_simulated", "object": "application" });
    desk.tell("account.application.deauthorized", &application);
}

/// Whether people may be sent to an address.
pub fn is_address(address: &str) -> bool {
    url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}
