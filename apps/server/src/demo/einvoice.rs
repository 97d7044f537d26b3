//! `racun demo einvoice`: a German, a Slovenian and a Peppol invoice, as files to look at; the last
//! one is sent over the sandbox's network.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use racun_access::enter_as_recipient;
use racun_documents::DocumentId;
use racun_einvoicing::{Specification, Syntax};
use racun_records::get_document;
use racun_sales::einvoicing;
use racun_store::{Context, Store};
use reqwest::Method;
use serde_json::{Value, json};

use super::open_account_of;
use super::player::Player;
use crate::{clock, print};

/// How long the network has to deliver.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at what became of something.
const LOOK: Duration = Duration::from_millis(500);

/// Issues the invoices on the server at `base`, which keeps its data in `store`, writes their files
/// into `folder`, or into a folder of its own, and says where.
///
/// # Errors
/// The first step that fails, with its answer's body; a file that cannot be written.
pub async fn write(folder: Option<&str>, base: &str, store: &dyn Store) -> anyhow::Result<()> {
    let folder = folder.map_or_else(|| PathBuf::from("racun-einvoice"), PathBuf::from);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("folder {} cannot be made", folder.display()))?;
    let mut player = Player::new(base)?;
    german(&mut player, &folder).await?;
    slovenian(&mut player, &folder, store).await?;
    let whole = folder.canonicalize().unwrap_or(folder);
    print::line(format_args!("Done: electronic invoices in {}", whole.display()));
    Ok(())
}

/// An authority in Germany, by XRechnung and by ZUGFeRD.
async fn german(player: &mut Player, folder: &Path) -> anyhow::Result<()> {
    let entity = json!({
        "name": "Beratung Demo GmbH", "address": "Lindenweg 1", "post_code": "10115",
        "city": "Berlin", "country": "Germany", "country_code": "DE", "environment": "sandbox",
        "tax_number": "DE136695976", "phone": "+49 30 1234567", "email": "demo@example.com",
    });
    let settings = json!({
        "xrechnung": { "enabled": true }, "zugferd": { "enabled": true },
        "bank_accounts": [{ "type": "iban", "iban": "DE89370400440532013000" }],
    });
    open_with(player, entity, settings).await?;
    let customer = json!({
        "name": "Stadt Bonn", "address": "Berliner Platz 2", "post_code": "53111", "city": "Bonn",
        "country_code": "DE", "email": "rechnung@example.org", "is_end_consumer": true,
        "e_invoicing": { "buyer_reference": "04011000-12345-03" },
    });
    let made = issue(player, customer, 19).await?;
    made.show(&["number", "total_with_tax"]);
    let id = made.text("id")?;
    let xrechnung = player.file("read XRechnung", &format!("/invoices/{id}/xrechnung")).await?;
    put(folder, "xrechnung.xml", &xrechnung)?;
    let zugferd = player.file("read ZUGFeRD", &format!("/invoices/{id}/zugferd")).await?;
    put(folder, "zugferd.pdf", &zugferd)
}

/// A budget user in Slovenia, by e-SLOG and in the package for UJP; and a company in Austria, as
/// Peppol BIS.
async fn slovenian(player: &mut Player, folder: &Path, store: &dyn Store) -> anyhow::Result<()> {
    let entity = json!({
        "name": "Studio Demo d.o.o.", "address": "Slovenska cesta 1", "post_code": "1000",
        "city": "Ljubljana", "country": "Slovenia", "country_code": "SI", "environment": "sandbox",
        "tax_number": "SI10039856", "company_number": "1234567000", "phone": "+386 1 2345678",
        "email": "demo@example.com",
    });
    let settings = json!({
        "eslog_validation_enabled": true, "ujp_validation_with_eslog_enabled": true,
        "bank_accounts": [
            { "type": "iban", "iban": "SI56263300012039086", "bic": "LJBASI2XXXX" },
        ],
    });
    let owner = open_with(player, entity, settings).await?;
    let enabled = json!({ "enabled": true });
    owner
        .send("join the network", Method::PUT, "/e-invoicing/settings", Some(enabled))
        .await?
        .show(&["enabled"]);
    let certificate = "/fiscalization/furs/settings/certificate/sandbox";
    player.post("get a certificate", certificate, json!({})).await?.show(&["certificate_status"]);
    let budget_user = json!({
        "name": "Mestna občina", "address": "Mestni trg 1", "post_code": "1000",
        "city": "Ljubljana", "country_code": "SI", "tax_number": "SI87654321",
        "company_number": "5874025000",
        "e_invoicing": { "buyer_reference": "N-2026/17" },
        "ujp": { "receiver_agent": "UJPLSI2DICL", "receiver_mailbox": "SI56011006370171132" },
    });
    let made = issue(player, budget_user, 22).await?;
    made.show(&["number", "total_with_tax"]);
    let id = made.text("id")?;
    let eslog = player.file("read e-SLOG", &format!("/eslog/{id}/download")).await?;
    put(folder, "eslog.xml", &eslog)?;
    let package = player.file("read UJP's package", &format!("/ujp/{id}/download")).await?;
    put(folder, "ujp.zip", &package)?;

    let company = json!({
        "name": "Handel Demo GmbH", "address": "Ring 1", "post_code": "1010", "city": "Wien",
        "country_code": "AT", "peppol_id": "ATU13585627", "peppol_scheme_id": "9914",
        "is_end_consumer": true, "e_invoicing": { "buyer_reference": "PO-17" },
    });
    let made = issue(player, company, 22).await?;
    made.show(&["number", "total_with_tax"]);
    let id = made.text("id")?;
    put(folder, "peppol.xml", peppol(store, player, &id).await?.as_bytes())?;
    deliver(player, &id).await
}

/// Sends the invoice `id` as soon as the entity may, and waits until the company has it.
async fn deliver(player: &Player, id: &str) -> anyhow::Result<()> {
    let settings = "/e-invoicing/settings";
    let enrolled = until(player, "ask the network who we are", settings, |body| {
        let enrollment = &body["enrollment"];
        enrollment["sending_allowed"].as_bool().unwrap_or_default().then(|| enrollment.clone())
    });
    let enrollment = enrolled.await?;
    print::line(format_args!("     we are {}", enrollment["participant_id"]));
    let path = format!("/e-invoicing/documents/{id}");
    let sent = player.post("send it", &format!("{path}/send"), json!({})).await?;
    sent.show(&["status", "recipient_peppol_id"]);
    let submissions = format!("{path}/submissions");
    let over = until(player, "look what became of it", &submissions, |body| {
        let submission = &body["data"][0];
        let is_over = matches!(submission["status"].as_str(), Some("delivered" | "failed"));
        is_over.then(|| submission.clone())
    });
    let submission = over.await?;
    if submission["status"] != "delivered" {
        bail!("the network did not deliver the invoice: {submission}");
    }
    print::line(format_args!("     delivered as {}", submission["provider_reference"]));
    Ok(())
}

/// Asks `path` until `found` sees in the answer what it waits for.
async fn until(
    player: &Player,
    what: &'static str,
    path: &str,
    found: impl Fn(&Value) -> Option<Value>,
) -> anyhow::Result<Value> {
    let started = Instant::now();
    loop {
        let answer = player.ask(what, Method::GET, path, None).await?;
        if let Some(found) = found(&answer.body) {
            answer.show(&[]);
            return Ok(found);
        }
        if started.elapsed() > PATIENCE {
            bail!("{what}: {path} still answers {}", answer.body);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The invoice `id` of the player's entity as a provider of the network gets it.
async fn peppol(store: &dyn Store, player: &Player, id: &str) -> anyhow::Result<String> {
    let id: DocumentId = id.parse().map_err(|_| anyhow!("{id} is no document"))?;
    let entity = player.entity.as_deref().unwrap_or_default();
    let entity = entity.parse().map_err(|_| anyhow!("{entity} is no entity"))?;
    let (scope, entity) = enter_as_recipient(store, entity).await?.context("no such entity")?;
    let stamp = clock::stamp();
    let cx = Context::new(store, &scope, &stamp);
    let document = get_document(cx, id).await?;
    let facts = einvoicing::facts(cx, &entity, &document).await?.context("it is no invoice")?;
    match racun_einvoicing::write(&facts, Specification::Peppol, Syntax::Ubl) {
        Ok(written) => Ok(written.xml),
        Err(verdict) => {
            let errors: Vec<String> = verdict.errors().map(ToString::to_string).collect();
            bail!("the invoice is not valid for Peppol: {}", errors.join("; "))
        }
    }
}

/// Makes a sandbox entity with `settings`, and goes on with its account's key; answers its owner.
async fn open_with(player: &mut Player, entity: Value, settings: Value) -> anyhow::Result<Player> {
    player.token = None;
    player.entity = None;
    let (session, _) = open_account_of(player, entity).await?;
    let path = format!("/entities/{}", player.entity.as_deref().unwrap_or_default());
    let body = json!({ "settings": settings });
    let owner = player.with(session);
    owner.send("set it up", Method::PATCH, &path, Some(body)).await?.show(&["id"]);
    Ok(owner)
}

async fn issue(
    player: &Player,
    mut customer: Value,
    rate: u8,
) -> anyhow::Result<super::player::StepResult> {
    customer["save_customer"] = json!(false);
    let invoice = json!({
        "date_service": "2026-01-15",
        "customer": customer,
        "items": [
            { "name": "Consulting", "quantity": 12, "unit": "h", "price": 80,
              "taxes": [{ "rate": rate }] },
            { "name": "Catalogue", "quantity": 1, "unit": "kos", "price": 1250,
              "taxes": [{ "rate": rate }] },
        ],
    });
    player.post("issue an invoice", "/invoices", invoice).await
}

fn put(folder: &Path, name: &str, file: &[u8]) -> anyhow::Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, file).with_context(|| format!("{} cannot be written", path.display()))?;
    print::line(path.display());
    Ok(())
}
