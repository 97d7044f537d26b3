//! The description of the interface: the same from the server and from the command line, and true
//! of every answer.

use std::collections::{BTreeMap, BTreeSet};

use racun_tests::{Account, Answer, Client, Racun, StoreKind, on_both_stores, with_query};
use serde_json::{Value, json};

on_both_stores! {
    every_answer_is_as_described,
    the_server_and_the_command_print_one_description,
}

/// A client whose answers are all checked against the description.
struct Checked<'a> {
    client: Client,
    description: &'a Value,
    /// How often each operation was answered with each status.
    seen: BTreeMap<String, usize>,
    /// What is not as described.
    wrong: BTreeSet<String>,
}

impl Checked<'_> {
    async fn ask(&mut self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = match &body {
            Some(body) => self.client.json(method, path, body.to_string()).await,
            None => self.client.send(method, path, None).await,
        };
        self.check(method, path, &answer);
        answer.body()
    }

    async fn post(&mut self, path: &str, body: Value) -> Value {
        self.ask("POST", path, Some(body)).await
    }

    async fn get(&mut self, path: &str) -> Value {
        self.ask("GET", path, None).await
    }

    /// Finds what the description says of this answer, and checks the answer's body against it.
    fn check(&mut self, method: &str, path: &str, answer: &Answer) {
        let template = template(self.description, path.split('?').next().unwrap_or_default());
        let operation = &self.description["paths"][template][method.to_lowercase()];
        assert!(operation.is_object(), "{method} {template} is not described");
        let responses = &operation["responses"];
        let status = answer.status.to_string();
        let range = format!("{}XX", &status[..1]);
        let response = responses.get(&status).or_else(|| responses.get(&range));
        let response = resolved(self.description, response.unwrap_or(&Value::Null));
        assert!(response.is_object(), "{method} {template}: {status} is not described");
        *self.seen.entry(format!("{method} {template} {status}")).or_default() += 1;
        assert!(!answer.request_id.is_empty(), "{method} {path}: no request id");
        let schema = &response["content"]["application/json"]["schema"];
        if schema.is_null() {
            assert_eq!(answer.text, "", "{method} {template}: a body that is not described");
            return;
        }
        assert_eq!(answer.content_type, "application/json", "{method} {template}");
        let document = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": self.description["components"],
            "allOf": [schema],
        });
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&document).expect("a JSON schema");
        let body = answer.body();
        self.wrong.extend(validator.iter_errors(&body).take(3).map(|error| {
            let place = error.instance_path();
            format!("{method} {template} {status} at {place}: {error}")
        }));
    }
}

/// What a reference to a component leads to.
fn resolved<'a>(description: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    target.and_then(|target| description.pointer(target)).unwrap_or(value)
}

/// The described path that `path` is one of. A literal step goes before a parameter.
fn template<'a>(description: &'a Value, path: &str) -> &'a str {
    let fits = |template: &&String| {
        let (mut steps, mut given) = (template.split('/'), path.split('/'));
        loop {
            match (steps.next(), given.next()) {
                (None, None) => return true,
                (Some(step), Some(given)) if step == given || step.starts_with('{') => {}
                _ => return false,
            }
        }
    };
    let parameters = |template: &&String| template.matches('{').count();
    let paths = description["paths"].as_object().expect("paths");
    let found = paths.keys().filter(fits).min_by_key(parameters);
    found.unwrap_or_else(|| panic!("{path} is not described"))
}

async fn every_answer_is_as_described(store: StoreKind) {
    let racun = Racun::start(store).await;
    let description = racun.client().read("/openapi.json").await;
    let account = Account::sign_up(&racun).await;
    let client = account.user.clone();
    let mut checked = Checked {
        client,
        description: &description,
        seen: BTreeMap::new(),
        wrong: BTreeSet::new(),
    };
    access(&mut checked, &account).await;
    catalog(&mut checked).await;
    documents(&mut checked).await;
    kinds(&mut checked).await;
    settlement(&mut checked).await;
    recurring(&mut checked).await;
    point_of_sale(&mut checked).await;
    fiscalization(&mut checked).await;
    refusals(&mut checked, &racun).await;
    println!("{} operations and statuses: {:#?}", checked.seen.len(), checked.seen);
    assert!(checked.wrong.is_empty(), "{:#?}", checked.wrong);
    assert!(checked.seen.len() > 125, "only {} operations and statuses", checked.seen.len());
}

async fn access(checked: &mut Checked<'_>, account: &Account) {
    let person = json!({ "email": "s@example.com", "password": "correct horse 1", "name": "S" });
    checked.post("/users/signup", person.clone()).await;
    checked.post("/users/login", person).await;
    checked.get("/users/me").await;
    checked.ask("PATCH", "/users/me", Some(json!({ "name": "T", "locale": "sl" }))).await;
    let entity = json!({ "name": "HR", "country": "Croatia", "environment": "live" });
    let entity = checked.post("/entities", entity).await;
    let path = format!("/entities/{}", entity["id"].as_str().unwrap_or_default());
    checked.get(&path).await;
    let settings = json!({ "settings": { "default_invoice_due_days": 8, "document_footer": "f" } });
    checked.ask("PATCH", &path, Some(settings)).await;
    checked.get("/entities?limit=1").await;
    let sender = format!("{path}/email-sender");
    checked.get(&sender).await;
    for email in [json!("sales@example.com"), json!(null)] {
        checked.ask("PUT", &sender, Some(json!({ "email": email }))).await;
        checked.ask("POST", &format!("{sender}/recheck"), None).await;
    }
    checked.client = checked.client.clone().with("x-entity-id", &account.entity);
    for path in ["/entities/api-keys", "/account/api-keys"] {
        let key = json!({ "name": "k", "environment": "sandbox", "ttl": 3600 });
        checked.post(path, key).await;
        checked.get(path).await;
    }
    for email in ["s@example.com", "unknown@example.com"] {
        let invited = json!({ "email": email, "role": "editor", "send_invite": false });
        checked.post("/entities/users", invited).await;
    }
    checked.get("/entities/users").await;
    checked.get("/entities/invitations").await;
    let operator = json!({ "operator_first_name": "Ana", "operator_tax_number": "123456789" });
    checked.ask("PUT", "/users/me/settings/pt", Some(operator)).await;
}

async fn catalog(checked: &mut Checked<'_>) {
    let party = json!({
        "name": "Kupec", "city": "Celje", "country_code": "si", "tax_number": "SI12345678",
        "bank_accounts": [{ "iban": "SI56192001234567892", "bic": "SZKBSI2X" }],
        "metadata": { "a": "b" },
    });
    let item = json!({
        "name": "Ura", "gross_price": 29.90, "unit": "h", "e_invoicing": { "unit_code": "HUR" },
        "translations": { "name": { "en-US": "Hour" } }, "classification": "service",
    });
    let tax = json!({ "tax_rates": [{ "rate": 9.5 }, { "rate": 10, "valid_from": "2026-01-01" }],
        "is_default": true, "classification": "reduced" });
    for (path, body, change) in [
        ("/customers", party.clone(), json!({ "email": "k@example.com" })),
        ("/suppliers", json!({ "name": "Dobavitelj" }), json!({ "city": "Kranj" })),
        ("/items", item, json!({ "price": 5 })),
        ("/taxes", tax, json!({ "tax_rates": [{ "rate": 5 }] })),
        ("/business-units", json!({ "name": "Enota" }), json!({ "city": "Koper" })),
    ] {
        let made = checked.post(path, body).await;
        let one = format!("{path}/{}", made["id"].as_str().unwrap_or_default());
        checked.get(&one).await;
        checked.ask("PATCH", &one, Some(change)).await;
        checked.get(&with_query(path, &[("limit", "2"), ("order_by", "-created_at")])).await;
    }
    let category = checked.post("/financial-categories", json!({ "name": "Prodaja" })).await;
    let one = format!("/financial-categories/{}", category["id"].as_str().unwrap_or_default());
    checked.get(&one).await;
    checked.get("/financial-categories").await;
    checked.ask("DELETE", &one, None).await;
    let gone = checked.post("/customers", party).await;
    let one = format!("/customers/{}", gone["id"].as_str().unwrap_or_default());
    checked.ask("DELETE", &one, None).await;
    checked.get("/customers?deleted=true").await;
    checked.ask("POST", &format!("{one}/restore"), None).await;
}

async fn documents(checked: &mut Checked<'_>) {
    let invoice = json!({
        "customer": { "name": "Kupec", "country_code": "DE", "tax_number": "DE123456789",
            "e_invoicing": { "buyer_reference": "R" },
            "bank_account": { "iban": "DE89370400440532013000" } },
        "currency_code": "USD", "exchange_rate": { "rate": 0.91 }, "note": "n", "reference": "r",
        "date_service": "2026-01-01", "date_service_to": "2026-01-31",
        "translations": { "note": { "en-US": "note" } }, "metadata": { "a": "b" },
        "items": [
            { "type": "separator", "name": "Part one" },
            { "name": "A", "price": 29.90, "quantity": 0.1, "taxes": [{ "rate": 22 }],
              "discounts": [{ "value": 5 }, { "value": 0.5, "type": "amount" }],
              "translations": { "name": { "en-US": "A" } }, "classification": "product",
              "e_invoicing": { "unit_code": "H87" }, "metadata": { "c": "d" },
              "revenue_recognition": { "method": "immediate", "date_from": "2026-01-01" } },
            { "name": "B", "gross_price": 1, "taxes": [] },
        ],
    });
    let issued = checked.post("/invoices", invoice.clone()).await;
    let path = format!("/invoices/{}", issued["id"].as_str().unwrap_or_default());
    assert!(issued["number"].is_string(), "{issued}");
    checked.get(&path).await;
    checked.ask("PATCH", &path, Some(json!({ "note": "m", "change_reason": "w" }))).await;
    checked.get(&format!("{path}/versions")).await;
    checked.get("/invoices?limit=1").await;
    checked.get("/invoices?include_total_count=false").await;
    checked.post(&format!("{path}/void"), json!({})).await;
    checked.post("/documents/calculate?type=invoice", invoice.clone()).await;
    checked.get("/documents/next-number?type=estimate").await;
    let custom = json!({ "items": [{ "name": "A", "price": 1, "total": 1, "total_with_tax": 1 }],
        "total": 1, "total_with_tax": 1 });
    checked.post("/invoices/custom", custom).await;
    let mut draft = invoice;
    draft["is_draft"] = json!(true);
    for keep in [true, false] {
        let draft = checked.post("/invoices", draft.clone()).await;
        let one = format!("/documents/{}", draft["id"].as_str().unwrap_or_default());
        if keep {
            checked.post(&format!("{one}/finalize"), json!({})).await;
        } else {
            checked.ask("DELETE", &one, None).await;
            checked.ask("POST", &format!("{one}/restore"), None).await;
        }
    }
}

async fn kinds(checked: &mut Checked<'_>) {
    let body = json!({
        "items": [{ "name": "A", "price": 10, "taxes": [{ "rate": 22 }] }],
        "payments": [{ "type": "bank_transfer" }],
    });
    let unpaid = json!({ "items": body["items"] });
    for kind in ["estimates", "advance-invoices", "credit-notes", "delivery-notes"] {
        let path = format!("/{kind}");
        let body = if kind == "advance-invoices" { &body } else { &unpaid };
        let made = checked.post(&path, body.clone()).await;
        let one = format!("{path}/{}", made["id"].as_str().unwrap_or_default());
        assert!(made["number"].is_string(), "{made}");
        checked.get(&one).await;
        checked.ask("PATCH", &one, Some(json!({ "note": "n", "change_reason": "w" }))).await;
        checked.get(&format!("{one}/versions")).await;
        checked.get(&with_query(&path, &[("limit", "1"), ("order_by", "-total_with_tax")])).await;
        let again = checked.post(&path, body.clone()).await;
        let again = format!("{path}/{}", again["id"].as_str().unwrap_or_default());
        let end = if kind == "estimates" { "reject" } else { "void" };
        checked.ask("POST", &format!("{again}/{end}"), None).await;
        checked.post(&format!("{path}/custom"), json!({ "items": [] })).await;
    }
    let estimate = checked.post("/estimates", unpaid.clone()).await;
    let id = estimate["id"].as_str().unwrap_or_default();
    checked.ask("POST", &format!("/estimates/{id}/accept"), None).await;
    let linked = json!({ "items": unpaid["items"], "linked_documents": [id] });
    let invoice = checked.post("/invoices", linked).await;
    assert_eq!(invoice["document_relations"].as_array().map(Vec::len), Some(1), "{invoice}");
}

async fn settlement(checked: &mut Checked<'_>) {
    let body = json!({ "items": [{ "name": "A", "price": 10 }],
        "payments": [{ "type": "cash", "amount": 4, "date": "2026-01-31" }] });
    let invoice = checked.post("/invoices", body).await;
    let id = invoice["id"].as_str().unwrap_or_default();
    let payment = json!({ "type": "bank_transfer", "amount": 6,
        "date": "2026-01-31", "document_id": id, "tag": "t" });
    let paid = checked.post("/payments", payment.clone()).await;
    checked.post("/payments", payment).await;
    let one = format!("/payments/{}", paid["id"].as_str().unwrap_or_default());
    checked.get(&one).await;
    checked.ask("PATCH", &one, Some(json!({ "amount": 5, "note": "n" }))).await;
    checked.get("/payments?limit=1&include=Invoice").await;
    checked.ask("DELETE", &one, None).await;
    checked.ask("POST", &format!("{one}/restore"), None).await;
    checked.get(&format!("/invoices/{id}")).await;
    let expense = json!({
        "supplier": { "name": "Dobavitelj", "country_code": "SI" }, "date": "2026-01-31",
        "items": [{ "name": "A", "price": 10, "taxes": [{ "rate": 22, "is_deductible": true }] }],
        "payments": [{ "type": "credit_card", "amount": 2, "date": "2026-01-31" }],
    });
    let made = checked.post("/expenses", expense).await;
    let one = format!("/expenses/{}", made["id"].as_str().unwrap_or_default());
    assert!(made["number"].is_string(), "{made}");
    checked.get(&one).await;
    checked.ask("PATCH", &one, Some(json!({ "note": "n" }))).await;
    checked.get("/expenses?limit=1").await;
    checked.post("/expenses", json!({ "items": [] })).await;
    checked.post(&format!("{one}/void"), json!({})).await;
}

async fn recurring(checked: &mut Checked<'_>) {
    let body = json!({ "items": [{ "name": "A", "price": 10, "taxes": [{ "rate": 22 }] }] });
    let invoice = checked.post("/invoices", body).await;
    let recurrence = json!({ "name": "r", "document_id": invoice["id"], "frequency": "monthly",
        "interval": 1, "day_of_month": 31, "start_date": "2026-12-31" });
    let made = checked.post("/recurring-invoices", recurrence.clone()).await;
    checked.post("/recurring-invoices", recurrence).await;
    let one = format!("/recurring-invoices/{}", made["id"].as_str().unwrap_or_default());
    checked.get(&one).await;
    checked.get("/recurring-invoices").await;
    checked.get("/pos/reports/daily").await;
    checked.ask("PATCH", &one, Some(json!({ "name": "s" }))).await;
    for step in ["pause", "resume"] {
        checked.ask("POST", &format!("{one}/{step}"), None).await;
    }
    checked.get("/sandbox/clock").await;
    checked.ask("DELETE", &one, None).await;
    checked.ask("POST", &format!("{one}/restore"), None).await;
}

async fn point_of_sale(checked: &mut Checked<'_>) {
    let count = json!({ "counted_cash": 1, "note": "n" });
    let closing = checked.post("/pos/reports/closings", count.clone()).await;
    checked.post("/pos/reports/closings", count).await;
    checked.get("/pos/reports/closings").await;
    let closing = closing["id"].as_str().unwrap_or_default();
    checked.get(&format!("/pos/reports/closings/{closing}")).await;
    let table = json!({ "label": "1", "sort_order": 1 });
    let table = checked.post("/pos/tables", table).await;
    checked.get("/pos/tables?include_inactive=true").await;
    let one_table = format!("/pos/tables/{}", table["id"].as_str().unwrap_or_default());
    checked.ask("PATCH", &one_table, Some(json!({ "is_active": true }))).await;
    let item = checked.post("/items", json!({ "name": "K", "gross_price": 3.2 })).await;
    let tab = checked.post("/pos/tabs", json!({ "table_id": table["id"] })).await;
    let one = format!("/pos/tabs/{}", tab["id"].as_str().unwrap_or_default());
    let line = json!({ "item_id": item["id"], "tax_rates": [{ "rate": 22 }], "note": "n" });
    let append = json!({ "items": [line], "append_id": "a" });
    checked.post(&format!("{one}/items"), append.clone()).await;
    checked.get(&one).await;
    checked.ask("PATCH", &one, Some(json!({ "expected_version": 2, "note": "n" }))).await;
    let device = json!({ "device_id": "till" });
    for step in ["claim", "release", "claim"] {
        checked.post(&format!("{one}/{step}"), device.clone()).await;
    }
    let claimed = checked.post(&format!("{one}/items"), json!({ "items": append["items"] })).await;
    assert_eq!((&claimed["code"], claimed["tab"].is_object()), (&json!("already_claimed"), true));
    checked.ask("DELETE", &one_table, None).await;
    checked.get("/pos/tabs").await;
    let client = checked.client.clone();
    checked.client = client.clone().with("if-none-match", "*");
    checked.get("/pos/tabs").await;
    checked.client = client;
    let body = json!({ "items": [{ "name": "K", "gross_price": 3.2 }] });
    let invoice = checked.post("/invoices", body).await;
    checked.post(&format!("{one}/close"), json!({ "invoice_id": invoice["id"] })).await;
    checked.ask("DELETE", &one, None).await;
    checked.ask("DELETE", &one_table, None).await;
    let tab = checked.post("/pos/tabs", json!({})).await;
    let one = format!("/pos/tabs/{}", tab["id"].as_str().unwrap_or_default());
    checked.ask("DELETE", &format!("{one}?expected_version=1"), None).await;
    checked.get("/pos/tabs?status=open,issuing,issued,cancelled").await;
}

async fn fiscalization(checked: &mut Checked<'_>) {
    let furs = json!({ "enabled": true, "numbering_strategy": "B", "operator_label": "A" });
    checked.ask("PUT", "/fiscalization/furs/settings", Some(furs)).await;
    checked.ask("PUT", "/fiscalization/furs/settings", Some(json!({ "operator_label": "" }))).await;
    for path in ["settings", "settings/certificate", "premises", "internal-act/pdf"] {
        checked.get(&format!("/fiscalization/furs/{path}")).await;
    }
    let premise =
        json!({ "business_premise_name": "A1", "movable_premise": { "premise_type": "A" } });
    checked.post("/fiscalization/furs/premises/movable", premise).await;
    let croatian = json!({ "name": "HR", "country": "Croatia", "environment": "sandbox" });
    let croatian = checked.post("/entities", croatian).await;
    let client = checked.client.clone();
    let id = croatian["id"].as_str().unwrap_or_default();
    checked.client = client.clone().with("x-entity-id", id);
    let fina = json!({ "operator_oib": "69435151530", "numbering_sequence": "P" });
    checked.ask("PUT", "/fiscalization/fina/settings", Some(fina)).await;
    checked.get("/fiscalization/fina/settings").await;
    let premise = json!({ "business_premise_name": "A1", "starting_number": 7 });
    let premise = checked.post("/fiscalization/fina/premises", premise).await;
    checked.post("/fiscalization/fina/premises", json!({ "business_premise_name": "A1" })).await;
    let id = premise["id"].as_str().unwrap_or_default();
    let premise = format!("/fiscalization/fina/premises/{id}");
    let device = json!({ "electronic_device_name": "1" });
    let device = checked.post(&format!("{premise}/devices"), device).await;
    let device =
        format!("/fiscalization/fina/devices/{}", device["id"].as_str().unwrap_or_default());
    checked.get("/fiscalization/fina/premises").await;
    checked.get(&format!("{premise}/devices")).await;
    for one in [premise, device] {
        checked.get(&one).await;
        checked.ask("PATCH", &one, Some(json!({ "starting_number": null }))).await;
        checked.ask("DELETE", &one, None).await;
    }
    checked.client = client;
}

async fn refusals(checked: &mut Checked<'_>, racun: &Racun) {
    checked.post("/invoices", json!({})).await;
    checked.post("/invoices", json!({ "unknown": 1 })).await;
    checked.get("/invoices/inv_00000000000000000000000001").await;
    checked.get("/invoices?limit=0").await;
    checked.ask("PATCH", "/entities/ent_00000000000000000000000001", Some(json!({}))).await;
    checked.client = racun.client();
    checked.get("/invoices").await;
    checked.post("/users/login", json!({ "email": "x@example.com", "password": "y" })).await;
    for path in ["/health", "/health/live", "/health/ready"] {
        checked.get(path).await;
    }
}

async fn the_server_and_the_command_print_one_description(store: StoreKind) {
    let racun = Racun::start(store).await;
    let served = racun.client().read("/openapi.json").await;
    let printed: Value =
        serde_json::from_str(&racun.run("openapi")).expect("the command prints JSON");
    assert_eq!(printed, served);
    assert!(served["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")));
    let meta = json!({ "components": served["components"] });
    jsonschema::validator_for(&meta).expect("schemas without dangling references");
    let docs = racun.client().get("/docs").await;
    assert!(docs.status == 200 && docs.text.contains("<html"), "{} {}", docs.status, docs.text);
}
