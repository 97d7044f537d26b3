//! Documents in Portugal: series, a chain of signatures, a voided invoice, invoices that the server
//! tells the authority of, a credit note, the receipt of a payment, and the file that the authority
//! takes each month.

use anyhow::{Context as _, anyhow, ensure};
use racun_authority_simulator::Running;
use reqwest::Method;
use serde_json::{Value, json};

use super::open_account_of;
use super::player::{Player, StepResult, plain};
use crate::print;

/// Plays a morning of a shop in Lisbon.
///
/// # Errors
/// The first step that goes otherwise than it should, with its answer's body.
pub(super) async fn play(player: &mut Player, simulator: Option<&Running>) -> anyhow::Result<()> {
    open_account_of(player, entity()).await?;
    for kind in ["invoice", "credit_note", "estimate", "payment"] {
        let body = json!({
            "document_type": kind, "series_code": "2026A", "start_date": "2026-01-01",
        });
        let path = "/fiscalization/pt/atcud-series";
        let series = player.post("register a series", path, body).await?;
        series.show(&["document_type", "series_code", "validation_code", "is_registered"]);
    }
    let settings = json!({ "communicate_invoices": true });
    let path = "/fiscalization/pt/settings";
    let settings = player.send("report each invoice", Method::PUT, path, Some(settings)).await?;
    settings.show(&["communicate_invoices"]);
    issue(player, "give an estimate", "/estimates", sale(json!({}))).await?;
    let sold = issue(player, "sell a coffee", "/invoices", sale(json!({}))).await?;
    let second = issue(player, "sell another one", "/invoices", sale(json!({}))).await?;
    let path = format!("/invoices/{}/void", second.text("id")?);
    let voided = player.post("void it", &path, json!({ "reason": "Erro na quantidade" })).await?;
    voided.show(&["number", "voided_at"]);
    reported(player, simulator, [(&sold, "N"), (&second, "A")]).await?;
    let body = sale(json!({ "linked_documents": [sold.text("id")?] }));
    issue(player, "give the first one back", "/credit-notes", body).await?;
    let third = issue(player, "sell a third one", "/invoices", sale(json!({}))).await?;
    let body = json!({ "invoice_id": third.text("id")?, "type": "bank_transfer", "amount": 1 });
    let paid = player.post("receive the money", "/payments", body).await?;
    let receipt = &paid.body["pt"];
    let said = |name: &str| receipt[name].as_str().unwrap_or_default().to_owned();
    paid.print(&format!("{}, ATCUD {}", said("number"), said("atcud")));
    saf_t(player, &sold, simulator).await
}

fn entity() -> Value {
    json!({
        "name": "Café da Ana, Lda.", "address": "Rua Augusta 1", "post_code": "1100-048",
        "city": "Lisboa", "state": "Lisboa", "country": "Portugal", "country_code": "PT",
        "tax_number": "501442600", "company_number": "501442600", "phone": "+351 210000000",
        "email": "ana@example.com", "starting_capital": 5000, "environment": "sandbox",
        "settings": { "pt": {
            "operator_first_name": "Ana", "operator_last_name": "Silva",
            "operator_tax_number": "123456789",
        } },
    })
}

fn sale(mut more: Value) -> Value {
    more["items"] = json!([{ "name": "Café", "price": 1.5, "taxes": [{ "rate": 13 }] }]);
    more
}

async fn issue(
    player: &Player,
    what: &'static str,
    path: &str,
    body: Value,
) -> anyhow::Result<StepResult> {
    let issued = player.post(what, path, body).await?;
    let pt = &issued.body["pt"];
    let said = |name: &str| pt[name].as_str().unwrap_or_default().to_owned();
    let number = issued.text("number")?;
    issued.print(&format!("{number}, ATCUD {}, hash {}", said("atcud"), said("hash_excerpt")));
    Ok(issued)
}

/// Waits until the server has told the authority of each invoice by itself, and asks the authority,
/// when it is ours, whether it knows the invoice in this status: N of one that holds, A of one that
/// is voided.
async fn reported(
    player: &Player,
    simulator: Option<&Running>,
    invoices: [(&StepResult, &str); 2],
) -> anyhow::Result<()> {
    for (invoice, status) in invoices {
        let (number, path) =
            (invoice.text("number")?, format!("/invoices/{}", invoice.text("id")?));
        let told = player.read_until("read it later", &path, is_reported).await?;
        told.print(&format!("{number}, {}", plain(&told.body["pt"]["data"]["status"])));
        let Some(simulator) = simulator else { continue };
        let known = simulator.reported().into_iter().find(|own| own.number == number);
        let known = known.with_context(|| format!("the authority does not know {number}"))?;
        ensure!(known.status == status, "the authority has {number} in status {}", known.status);
        print::line(format_args!("    The authority knows {number} in status {status}."));
    }
    Ok(())
}

/// Whether the authority took all that it was to be told of `invoice`.
fn is_reported(invoice: &Value) -> anyhow::Result<bool> {
    let data = &invoice["pt"]["data"];
    ensure!(data["status"] != "failed", "the authority did not take the invoice: {data}");
    Ok(data["status"] == "success")
}

/// Has the file of the sale's month checked by the authority, when it is ours.
async fn saf_t(
    player: &Player,
    sold: &StepResult,
    simulator: Option<&Running>,
) -> anyhow::Result<()> {
    let date = sold.text("date")?;
    let year = date.get(..4).context("a date without a year")?;
    let path = format!("/fiscalization/pt/saf-t?from={year}-01-01&to={year}-12-31");
    let file = player.file("write SAF-T", &path).await?;
    let Some(simulator) = simulator else {
        print::line("    The authority that this server tells is not ours to ask.");
        return Ok(());
    };
    let checked = simulator.check_saft(&file).map_err(|reason| anyhow!(reason))?;
    ensure!(checked.faults.is_empty(), "the chains do not hold: {:?}", checked.faults);
    let series: Vec<String> =
        checked.series.iter().map(|(series, count)| format!("{series}: {count}")).collect();
    print::line(format_args!("    The chains hold with the public key: {}.", series.join(", ")));
    Ok(())
}
