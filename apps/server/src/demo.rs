//! Racun's main job, played over HTTP as a customer's program would do it.

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::{clock, print};

/// The sandbox account's password: it guards nothing.
const PASSWORD: &str = "only a demo, 1 of many";

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(30);

/// Plays the main job on the server at `base` and prints a line per step.
///
/// # Errors
/// The first step that fails, with its answer's body.
pub async fn play(base: &str) -> anyhow::Result<()> {
    let mut player = Player::new(base)?;
    let email = format!("demo-{}@example.com", clock::stamp().ulid()).to_lowercase();
    print::line(format_args!("Racun's main job on {base}"));
    open_account(&mut player, &email).await?;
    let (customer, items) = fill_catalogue(&mut player).await?;
    issue_and_void(&mut player, &customer, &items).await?;
    print::line(format_args!("Done: {} requests.", player.steps));
    Ok(())
}

/// Signs up, logs in, makes a sandbox entity, and goes on with its account's key.
async fn open_account(player: &mut Player, email: &str) -> anyhow::Result<()> {
    let signup = json!({ "email": email, "password": PASSWORD, "company_name": "Demo d.o.o." });
    player.post("sign up", "/users/signup", signup).await?.show(&["email"]);
    let login = json!({ "email": email, "password": PASSWORD });
    let session = player.post("log in", "/users/login", login).await?;
    session.show(&["user_id"]);
    player.token = Some(session.text("id")?);
    let entity = json!({
        "name": "Demo d.o.o.", "address": "Slovenska cesta 1", "post_code": "1000",
        "city": "Ljubljana", "country": "Slovenia", "country_code": "SI", "environment": "sandbox",
    });
    let entity = player.post("make an entity", "/entities", entity).await?;
    entity.show(&["id", "name", "environment"]);
    player.entity = Some(entity.text("id")?);
    let key = json!({ "name": "demo", "environment": "sandbox" });
    let key = player.post("make an account key", "/account/api-keys", key).await?;
    key.show(&["prefix_hint"]);
    player.token = Some(key.text("id")?);
    Ok(())
}

/// Makes a customer and two items; answers their ids.
async fn fill_catalogue(player: &mut Player) -> anyhow::Result<(String, [String; 2])> {
    let customer = json!({
        "name": "Kupec d.o.o.", "address": "Glavni trg 2", "post_code": "2000",
        "city": "Maribor", "country": "Slovenia", "country_code": "SI",
    });
    let customer = player.post("make a customer", "/customers", customer).await?;
    customer.show(&["id", "name"]);
    let consulting =
        json!({ "name": "Consulting", "price": 80, "unit": "h", "taxes": [{ "rate": 22 }] });
    let consulting = player.post("make an item", "/items", consulting).await?;
    consulting.show(&["id", "name", "price"]);
    let book = json!({ "name": "Book", "price": 29.90, "taxes": [{ "rate": 5 }] });
    let book = player.post("make an item", "/items", book).await?;
    book.show(&["id", "name", "price"]);
    Ok((customer.text("id")?, [consulting.text("id")?, book.text("id")?]))
}

/// Drafts an invoice, issues it, looks at it in the list and voids it.
async fn issue_and_void(
    player: &mut Player,
    customer: &str,
    [consulting, book]: &[String; 2],
) -> anyhow::Result<()> {
    let draft = json!({
        "is_draft": true,
        "customer_id": customer,
        "items": [
            { "item_id": consulting, "quantity": 1.5 },
            { "item_id": book, "quantity": 2 },
        ],
    });
    let draft = player.post("draft an invoice", "/invoices", draft).await?;
    draft.show(&["id", "total", "total_with_tax"]);
    let id = draft.text("id")?;
    let path = format!("/documents/{id}/finalize");
    let issued = player.post("issue it", &path, json!({})).await?;
    issued.show(&["number", "total_with_tax"]);
    let list = player.send("list invoices", Method::GET, "/invoices", None).await?;
    list.show_list("number")?;
    let path = format!("/invoices/{id}/void");
    let voided = player.post("void it", &path, json!({ "reason": "A demo" })).await?;
    voided.show(&["number", "voided_at"]);
    Ok(())
}

/// Who sends the requests, and as whom.
struct Player {
    client: Client,
    base: String,
    token: Option<String>,
    entity: Option<String>,
    steps: u32,
}

impl Player {
    fn new(base: &str) -> anyhow::Result<Self> {
        // The server is this machine's or the caller's own: no proxy is asked.
        let client = Client::builder().no_proxy().timeout(PATIENCE).build()?;
        let base = base.trim_end_matches('/').to_owned();
        Ok(Self { client, base, token: None, entity: None, steps: 0 })
    }

    async fn post(
        &mut self,
        what: &'static str,
        path: &str,
        body: Value,
    ) -> anyhow::Result<Answer> {
        self.send(what, Method::POST, path, Some(body)).await
    }

    async fn send(
        &mut self,
        what: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Answer> {
        self.steps += 1;
        let url = format!("{}{path}", self.base);
        let mut request = self.client.request(method.clone(), url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(entity) = &self.entity {
            request = request.header("x-entity-id", entity);
        }
        if let Some(body) = &body {
            request = request.json(body);
        }
        let started = Instant::now();
        let reached = || format!("{what}: {method} {path} got no answer");
        let answer = request.send().await.with_context(reached)?;
        let status = answer.status();
        let text = answer.text().await.with_context(reached)?;
        let millis = started.elapsed().as_millis();
        if !status.is_success() {
            bail!("{what}: {method} {path} answered {status}: {text}");
        }
        let body = serde_json::from_str(&text)
            .with_context(|| format!("{what}: {method} {path} answered no JSON: {text}"))?;
        Ok(Answer { step: self.steps, what, status, millis, body })
    }
}

/// What a step was answered.
struct Answer {
    step: u32,
    what: &'static str,
    status: StatusCode,
    millis: u128,
    body: Value,
}

impl Answer {
    /// A text field, which a later step needs.
    fn text(&self, field: &str) -> anyhow::Result<String> {
        let text = self.body.get(field).and_then(Value::as_str).map(str::to_owned);
        text.with_context(|| format!("{}: the answer has no {field}: {}", self.what, self.body))
    }

    /// Prints the step's line with the named fields.
    fn show(&self, fields: &[&str]) {
        let shown = fields.iter().filter_map(|field| Some((*field, self.body.get(field)?)));
        let shown: Vec<_> =
            shown.map(|(field, value)| format!("{field} {}", plain(value))).collect();
        self.print(&shown.join(", "));
    }

    /// Prints the step's line with the list's total and one field of each row.
    fn show_list(&self, field: &str) -> anyhow::Result<()> {
        let rows = self.body.get("data").and_then(Value::as_array);
        let rows = rows.with_context(|| format!("{}: no data in {}", self.what, self.body))?;
        let named: Vec<_> = rows.iter().filter_map(|row| row.get(field)).map(plain).collect();
        self.print(&format!(
            "{} of {}",
            named.join(", "),
            plain(&self.body["pagination"]["total"])
        ));
        Ok(())
    }

    fn print(&self, details: &str) {
        let Self { step, what, status, millis, .. } = self;
        print::line(format_args!(
            "{step:>2}. {what:<20} {:>3} {millis:>5} ms  {details}",
            status.as_u16()
        ));
    }
}

/// A value without JSON's quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
