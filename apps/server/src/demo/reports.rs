//! A quarter of a shop in Ljubljana, and the reports that are made of it.

use reqwest::Method;
use serde_json::{Value, json};

use super::open_account_of;
use super::player::{Player, StepResult, plain};
use crate::print;

/// The days of the reports.
const DAYS: &str = "date_from=2026-01-01&date_to=2026-03-31";

/// Issues what is sold and bought in a quarter, and asks for its reports.
///
/// # Errors
/// The first step that fails, with its answer's body.
pub(super) async fn play(player: &mut Player) -> anyhow::Result<()> {
    let owner = open_account_of(player, entity()).await?;
    let customer = trade(player).await?;
    statistics(player).await?;
    vat(player).await?;
    over_time(player).await?;
    receivables(player, &customer).await?;
    // The log of requests is for people who manage the entity.
    let log = player.with(owner.0);
    log.send("read the request log", Method::GET, "/request-logs?limit=3", None)
        .await?
        .show_list("path")
}

fn entity() -> Value {
    json!({
        "name": "Demo d.o.o.", "address": "Slovenska cesta 1", "post_code": "1000",
        "city": "Ljubljana", "country": "Slovenia", "country_code": "SI",
        "tax_number": "SI10039856", "environment": "sandbox",
    })
}

/// Sells, takes back and buys; answers the customer.
async fn trade(player: &Player) -> anyhow::Result<String> {
    let customer = json!({
        "name": "Kupec d.o.o.", "country_code": "SI", "tax_number": "SI87654326",
    });
    let customer = player.post("add a customer", "/customers", customer).await?;
    customer.show(&["name"]);
    let id = customer.text("id")?;
    let rent = json!({
        "customer_id": id, "date": "2026-01-05", "date_due": "2026-01-20",
        "items": [{
            "name": "Gostovanje", "price": 3650, "taxes": [{ "rate": 22 }],
            "revenue_recognition": {
                "method": "service_period_daily", "date_from": "2026-01-01",
                "date_to": "2026-12-31",
            },
        }],
    });
    let rent = issue(player, "sell a year", "/invoices", rent).await?;
    let books = json!({
        "customer_id": id, "date": "2026-02-10", "date_due": "2026-02-25",
        "items": [{ "name": "Knjige", "price": 200, "taxes": [{ "rate": 5 }] }],
        "payments": [{ "type": "bank_transfer", "date": "2026-02-20" }],
    });
    issue(player, "sell books", "/invoices", books).await?;
    let abroad = json!({
        "date": "2026-02-11",
        "customer": { "name": "Muster AG", "country_code": "CH", "save_customer": false },
        "items": [{
            "name": "Stroj", "price": 1000, "classification": "product",
            "taxes": [{ "rate": 0 }],
        }],
    });
    issue(player, "export a machine", "/invoices", abroad).await?;
    let back = json!({
        "customer_id": id, "date": "2026-03-01", "linked_documents": [rent.text("id")?],
        "items": [{ "name": "Gostovanje", "price": 365, "taxes": [{ "rate": 22 }] }],
    });
    issue(player, "give back a tenth", "/credit-notes", back).await?;
    let bought = json!({
        "supplier": { "name": "Papirnica d.o.o.", "tax_number": "SI12345679" },
        "date": "2026-02-03", "date_received": "2026-02-05", "supplier_document_number": "P-17",
        "items": [{ "name": "Papir", "price": 50, "taxes": [{ "rate": 22 }] }],
    });
    let bought = player.post("enter an expense", "/expenses", bought).await?;
    bought.show(&["number", "total_with_tax"]);
    Ok(id)
}

async fn issue(
    player: &Player,
    what: &'static str,
    path: &str,
    body: Value,
) -> anyhow::Result<StepResult> {
    let issued = player.post(what, path, body).await?;
    issued.show(&["number", "total", "total_with_tax"]);
    Ok(issued)
}

async fn statistics(player: &Player) -> anyhow::Result<()> {
    let query = json!([{
        "table": "invoices", "date_from": "2026-01-01", "date_to": "2026-12-31",
        "metrics": [
            { "type": "sum", "field": "total_with_tax_converted", "alias": "revenue" },
            { "type": "count" },
        ],
        "filters": { "is_draft": false, "voided_at": null }, "group_by": ["month"],
    }]);
    let answer = player.post("sum up by month", "/stats/query", query).await?;
    answer.print("");
    rows(&answer.body[0]["data"], &["month", "revenue", "count"]);
    Ok(())
}

async fn vat(player: &Player) -> anyhow::Result<()> {
    let path = format!("/tax-reports/vat?{DAYS}");
    let answer = player.send("VAT of the quarter", Method::GET, &path, None).await?;
    answer.show(&["documents", "voided"]);
    rows(&answer.body["rates"], &["kind", "category", "rate", "base", "tax"]);
    for book in ["kir", "kpr"] {
        let path = format!("/tax-reports/{book}?year=2026&quarter=1");
        let sums = player.send("add up a VAT book", Method::GET, &path, None).await?;
        sums.show(&["book", "rows", "totals"]);
        player.download("write it as XML", Method::POST, &path, Some(json!({}))).await?;
    }
    Ok(())
}

async fn over_time(player: &Player) -> anyhow::Result<()> {
    let path = format!("/revenue-recognition/report?{DAYS}");
    let answer = player.send("revenue over time", Method::GET, &path, None).await?;
    answer.print("");
    rows(&answer.body["periods"], &["period", "recognized", "deferred", "accrued"]);
    Ok(())
}

async fn receivables(player: &Player, customer: &str) -> anyhow::Result<()> {
    let path = "/reports/aging?date=2026-03-31";
    let aging = player.send("who owes how long", Method::GET, path, None).await?;
    aging.print("");
    rows(&aging.body["customers"], &["name", "current", "31-60", "61-90", "total"]);
    let path = format!("/customers/{customer}/statement?{DAYS}");
    let statement = player.send("a customer's account", Method::GET, &path, None).await?;
    statement.show(&["opening_balance", "closing_balance"]);
    for format in ["csv", "pdf"] {
        player.file("write it down", &format!("{path}&format={format}")).await?;
    }
    Ok(())
}

/// Prints `fields` of each of the rows.
fn rows(rows: &Value, fields: &[&str]) {
    for row in rows.as_array().into_iter().flatten() {
        let shown: Vec<String> =
            fields.iter().map(|field| format!("{field} {}", plain(&row[field]))).collect();
        print::line(format_args!("      {}", shown.join(", ")));
    }
}
