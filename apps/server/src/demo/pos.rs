//! An evening at the point of sale: two operators, two devices, two tabs, one race for a claim.

use anyhow::{Context as _, ensure};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::player::{Player, StepResult, plain};
use super::{PASSWORD, new_email, open_account};
use crate::print;

/// Plays the evening.
///
/// # Errors
/// The first step that goes otherwise than it should, with its answer's body.
pub(super) async fn play(player: &mut Player) -> anyhow::Result<()> {
    let owner = open_account(player).await?;
    let [coffee, cake] = fill_menu(player).await?;
    let tables = set_tables(player).await?;
    let devices = sign_in(player, owner).await?;
    let tab = order(&devices, &tables, &coffee, &cake).await?;
    let winner = race(&devices, &tab).await?;
    pay(&devices[winner], &tab).await?;
    cancel(&devices[0], &tables, &cake).await?;
    takings(player).await
}

/// Makes what is sold; answers the ids.
async fn fill_menu(player: &Player) -> anyhow::Result<[String; 2]> {
    let mut ids = Vec::new();
    let menu = [("Drinks", "Coffee", "2.20", "22"), ("Food", "Cake", "4.80", "9.5")];
    for (category, name, gross_price, rate) in menu {
        let category = json!({ "name": category });
        let category = player.post("make a category", "/financial-categories", category).await?;
        category.show(&["id", "name"]);
        let item = json!({
            "name": name, "gross_price": number(gross_price)?,
            "taxes": [{ "rate": number(rate)? }], "financial_category_id": category.text("id")?,
        });
        let item = player.post("make an item", "/items", item).await?;
        item.show(&["id", "name", "gross_price"]);
        ids.push(item.text("id")?);
    }
    ids.try_into().ok().context("two items were made")
}

/// An exact number, from its digits.
fn number(digits: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(digits)?)
}

async fn set_tables(player: &Player) -> anyhow::Result<[String; 2]> {
    let mut ids = Vec::new();
    for (place, label) in ["Window", "Terrace"].iter().enumerate() {
        let table = json!({ "label": label, "sort_order": place });
        let table = player.post("make a table", "/pos/tables", table).await?;
        table.show(&["id", "label"]);
        ids.push(table.text("id")?);
    }
    ids.try_into().ok().context("two tables were made")
}

/// Signs two operators in, each on a device of their own. Both devices hold the owner's session.
async fn sign_in(player: &Player, owner: (String, String)) -> anyhow::Result<[Player; 2]> {
    let (session, owner) = owner;
    let till = player.with(session);
    let waiter = invite_waiter(&till).await?;
    let mut devices = Vec::new();
    for (user, pin) in [(owner, "407"), (waiter, "882")] {
        let path = format!("/pos/operators/{user}/pin");
        let set = till.send("set a PIN", Method::PUT, &path, Some(json!({ "pin": pin }))).await?;
        set.print(&user);
        let switch = json!({ "user_id": user, "pin": pin });
        let token = till.post("switch operator", "/pos/operators/switch", switch).await?;
        token.show(&["user_id", "scope", "ttl"]);
        devices.push(till.with(token.text("id")?));
    }
    devices.try_into().ok().context("two operators signed in")
}

/// Invites a waiter, who accepts; answers their user's id.
async fn invite_waiter(till: &Player) -> anyhow::Result<String> {
    let invited = json!({ "email": new_email(), "role": "editor", "send_invite": false });
    let invited = till.post("invite a waiter", "/entities/users", invited).await?;
    invited.show(&["email", "role"]);
    let path = format!("/invitations/accept?token={}", invited.text("token")?);
    let accepted = json!({ "password": PASSWORD, "name": "Bine" });
    let accepted = till.post("accept", &path, accepted).await?;
    accepted.show(&["user_id"]);
    accepted.text("user_id")
}

/// Both devices add to one tab; an answer is lost, and its append is sent again.
async fn order(
    [first, second]: &[Player; 2],
    [window, _]: &[String; 2],
    coffee: &str,
    cake: &str,
) -> anyhow::Result<String> {
    let tab = first.post("open a tab", "/pos/tabs", json!({ "table_id": window })).await?;
    tab.show(&["id", "status", "version"]);
    let tab = tab.text("id")?;
    let path = format!("/pos/tabs/{tab}/items");
    let two_coffees =
        json!({ "append_id": "first-1", "items": [{ "item_id": coffee, "quantity": 2 }] });
    let added = first.post("order two coffees", &path, two_coffees.clone()).await?;
    show_lines(&added);
    let again = first.post("send that again", &path, two_coffees).await?;
    show_lines(&again);
    ensure!(again.body == added.body, "an append that was sent twice was added twice");
    let more = json!({ "append_id": "second-1", "items": [
        { "item_id": cake, "quantity": 1, "note": "no cream" },
        { "item_id": coffee, "quantity": 1 },
    ] });
    show_lines(&second.post("order elsewhere", &path, more).await?);
    Ok(tab)
}

/// Both devices want to take the money; answers which one may.
async fn race(devices: &[Player; 2], tab: &str) -> anyhow::Result<usize> {
    let path = format!("/pos/tabs/{tab}/claim");
    let claim = |device: usize| {
        let body = json!({ "device_id": format!("till-{device}") });
        devices[device].ask("claim the tab", Method::POST, &path, Some(body))
    };
    let (first, second) = tokio::try_join!(claim(0), claim(1))?;
    let answers = [first, second];
    for answer in &answers {
        answer.show(&["status", "claimed_by_device", "code"]);
    }
    let winner = answers.iter().position(|answer| answer.status == StatusCode::OK);
    let winner = winner.context("no till got the claim")?;
    ensure!(answers[1 - winner].status == StatusCode::CONFLICT, "both got the claim");
    Ok(winner)
}

/// Issues the tab's invoice, paid in cash, and closes the tab; closing it again changes nothing.
async fn pay(device: &Player, tab: &str) -> anyhow::Result<()> {
    let read = device.send("read the tab", Method::GET, &format!("/pos/tabs/{tab}"), None).await?;
    show_lines(&read);
    let lines = read.body["items"].as_array().context("a tab has lines")?;
    let items: Vec<Value> = lines
        .iter()
        .map(|line| {
            json!({
                "item_id": line["item_id"], "quantity": line["quantity"],
                "gross_price": line["unit_gross_price"],
            })
        })
        .collect();
    let body = json!({
        "items": items, "calculation_mode": "b2c_gross_discount",
        "payments": [{ "type": "cash", "amount": number("11.40")? }],
    });
    let invoice = device.post("issue its invoice", "/invoices", body).await?;
    invoice.show(&["number", "total_with_tax", "total_paid"]);
    let close = json!({ "invoice_id": invoice.text("id")? });
    let path = format!("/pos/tabs/{tab}/close");
    for what in ["close the tab", "close it again"] {
        let closed = device.post(what, &path, close.clone()).await?;
        closed.show(&["status", "version", "invoice_id"]);
    }
    Ok(())
}

/// Someone orders and leaves.
async fn cancel(device: &Player, [_, terrace]: &[String; 2], cake: &str) -> anyhow::Result<()> {
    let tab = device.post("open a tab", "/pos/tabs", json!({ "table_id": terrace })).await?;
    tab.show(&["id", "status", "version"]);
    let path = format!("/pos/tabs/{}", tab.text("id")?);
    let items = json!({ "items": [{ "item_id": cake, "quantity": 3 }] });
    show_lines(&device.post("order three cakes", &format!("{path}/items"), items).await?);
    let cancelled = device.send("cancel the tab", Method::DELETE, &path, None).await?;
    cancelled.show(&["status", "version"]);
    let list = device.send("list open tabs", Method::GET, "/pos/tabs", None).await?;
    list.print(&format!("{} open", list.body["data"].as_array().map_or(0, Vec::len)));
    Ok(())
}

async fn takings(player: &Player) -> anyhow::Result<()> {
    let report = player.send("daily takings", Method::GET, "/pos/reports/daily", None).await?;
    report.show(&["date", "currency_code"]);
    let parts = [
        "totals",
        "by_payment_type",
        "by_tax_rate",
        "by_category",
        "by_operator",
        "net_by_payment_type",
    ];
    for part in parts {
        print::line(format_args!("    {part}: {}", plain(&report.body[part])));
    }
    Ok(())
}

/// Prints a tab's lines.
fn show_lines(answer: &StepResult) {
    let lines = answer.body["items"].as_array();
    let shown = lines
        .into_iter()
        .flatten()
        .map(|line| format!("{} × {}", plain(&line["quantity"]), plain(&line["name"])));
    let shown: Vec<String> = shown.collect();
    answer.print(&format!("version {}: {}", plain(&answer.body["version"]), shown.join(", ")));
}
