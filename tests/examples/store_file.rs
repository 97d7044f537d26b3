//! Makes both stores of one version, small and with something of everything, and what the server
//! answers about them: the files of a folder in `tests/stores`, which later versions upgrade.
//!
//! `cargo run -p racun-tests --example store_file -- 0.1.0` makes that of the sources as they are;
//! `RACUN_BINARY` names another binary. See `tests/stores/README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use racun_fiscal::Authority;
use racun_tests::{
    Account, Client, Data, Offices, Profile, Racun, Retries, StoreKind, Taxpayer, Transport, fiscal,
};
use serde_json::{Value, json};

/// When nothing of the story is due, as long as its files are read.
const FAR: &str = "2099-12-31";

/// What is asked of the server.
const QUESTIONS: &[&str] = &[
    "/entities",
    "/customers",
    "/suppliers",
    "/items",
    "/taxes",
    "/financial-categories",
    "/business-units",
    "/invoices",
    "/invoices?order_by=-total",
    "/invoices?order_by=customer.name",
    "/invoices?search=bor",
    "/estimates",
    "/credit-notes",
    "/advance-invoices",
    "/delivery-notes",
    "/recurring-invoices",
    "/expenses",
    "/payments",
    "/pos/tabs",
    "/pos/tables",
    "/webhooks",
    "/activities?limit=100",
    "/files",
    "/fiscalization/furs/settings",
    "/fiscalization/furs/premises",
    "/fiscalization/fina/settings",
    "/fiscalization/fina/premises",
];

/// Lists whose rows are asked for one by one as well.
const WITH_ROWS: &[&str] = &[
    "/customers",
    "/items",
    "/taxes",
    "/invoices",
    "/estimates",
    "/credit-notes",
    "/advance-invoices",
    "/delivery-notes",
    "/recurring-invoices",
    "/expenses",
    "/payments",
    "/pos/tabs",
];

/// Someone who asks, by the headers of a request.
struct Asker {
    name: &'static str,
    entity: String,
    client: Client,
}

#[tokio::main]
async fn main() {
    let name = std::env::args().nth(1).expect("the name of the version");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("stores").join(name);
    make(StoreKind::Embedded, &folder.join("embedded")).await;
    make(StoreKind::Postgres, &folder.join("postgres")).await;
}

/// Makes a store and packs it into `folder`.
async fn make(store: StoreKind, folder: &Path) {
    fs::create_dir_all(folder).expect("the folder of the version");
    let offices = Offices::open();
    let settings = offices.settings(Transport::Json, Retries { initial: 3600, max: 3600 });
    // The database outlives the server.
    let database = Data::fresh(store);
    let data = match &database {
        Data::Database(database) => Data::Url(database.url.clone()),
        _ => Data::Folder,
    };
    let mut racun = Racun::start_with(Profile::Debug, data, settings).await;
    let told = story(&racun, &offices).await;
    racun.terminate();
    let told = serde_json::to_string_pretty(&told).expect("JSON");
    pack(&folder.join("answers.json.gz"), told.as_bytes());
    if let Data::Database(database) = database {
        pack(&folder.join("database.sql.gz"), dump(&database.url).as_bytes());
        return;
    }
    let data = racun.folder().join("data");
    // A server of an earlier version leaves some of the data in the log beside the file.
    for file in ["racun.db", "racun.db-wal", "master.key"] {
        if let Ok(bytes) = fs::read(data.join(file)) {
            pack(&folder.join(format!("{file}.gz")), &bytes);
        }
    }
}

/// The database at `url` as statements.
fn dump(url: &str) -> String {
    let options = ["--no-owner", "--inserts", "--dbname", url];
    let output = racun_test_postgres::program("pg_dump").args(options).output();
    let output = output.expect("pg_dump runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("statements");
    // Lines that only a psql of the same version understands.
    text.lines().filter(|line| !line.starts_with('\\')).map(|line| format!("{line}\n")).collect()
}

/// Fills a store; answers what its server says about it.
async fn story(racun: &Racun, offices: &Offices) -> Value {
    let account = Account::sign_up(racun).await;
    let office = account.api.clone().with("x-entity-id", &account.entity);
    let mut askers = vec![Asker { name: "office", entity: account.entity.clone(), client: office }];
    trade(&askers[0].client, &account).await;
    for (name, authority) in [("furs", Authority::Furs), ("fina", Authority::Fina)] {
        let taxpayer = Taxpayer::open(&account, offices, authority).await;
        taxpayer.place("P1", &["1"]).await;
        let sold = taxpayer.sell("P1", "1").await;
        assert!(!fiscal(&sold).is_null(), "{sold}");
        taxpayer.sell("P1", "1").await;
        askers.push(Asker { name, entity: taxpayer.entity, client: taxpayer.api });
    }
    let mut answers = Vec::new();
    for asker in &askers {
        ask(asker, &mut answers).await;
    }
    let entities = askers.iter().map(|asker| (asker.name, asker.entity.clone()));
    json!({
        "email": account.email,
        "key": account.key,
        "entities": entities.collect::<BTreeMap<_, _>>(),
        "answers": answers,
    })
}

/// Asks all questions of one entity.
async fn ask(asker: &Asker, answers: &mut Vec<Value>) {
    let mut paths: Vec<String> = QUESTIONS.iter().map(|path| (*path).to_owned()).collect();
    for list in WITH_ROWS {
        let answer = asker.client.send("GET", list, None).await;
        let body: Value = serde_json::from_str(&answer.text).expect("JSON");
        let rows = body["data"].as_array().expect("a list").clone();
        let ids = rows.iter().filter_map(|row| row["id"].as_str());
        paths.extend(ids.map(|id| format!("{list}/{id}")));
    }
    for path in paths {
        let answer = asker.client.send("GET", &path, None).await;
        let body: Value = serde_json::from_str(&answer.text).expect("JSON");
        let is_other_country = path.contains("fiscalization") && answer.status >= 400;
        assert!(answer.status == 200 || is_other_country, "{path}: {}", answer.text);
        if answer.status == 200 {
            answers.push(json!({ "entity": asker.name, "path": path, "body": body }));
        }
    }
}

/// What an office does that fiscalizes nothing.
async fn trade(office: &Client, account: &Account) {
    let tax = id(&office
        .create("/taxes", &json!({ "name": "DDV", "tax_rates": [{ "rate": 9.5 }] }))
        .await);
    let item = json!({ "name": "Čaj", "price": 2.5, "tax_ids": [tax], "metadata": { "sku": "7" } });
    let item = id(&office.create("/items", &item).await);
    office.create("/financial-categories", &json!({ "name": "Services" })).await;
    let unit = id(&office.create("/business-units", &json!({ "name": "Koper" })).await);
    let mut customers = Vec::new();
    for (name, number) in [("Bor d.o.o.", "SI10039856"), ("Žiga Čeh", ""), ("Miha", "")] {
        let number = Some(number).filter(|number| !number.is_empty());
        let customer = json!({ "name": name, "country_code": "SI", "tax_number": number,
            "address": "Slovenska 1", "post_code": "1000", "city": "Ljubljana" });
        customers.push(id(&office.create("/customers", &customer).await));
    }
    office.delete(&format!("/customers/{}", customers[2])).await;
    documents(office, &item, &unit, &customers).await;
    let supplier = json!({ "name": "Cveto d.o.o.", "city": "Kranj", "country_code": "SI" });
    let supplier = id(&office.create("/suppliers", &supplier).await);
    let expense = json!({ "supplier_id": supplier, "supplier_document_number": "2026-117",
        "date": "2026-11-20", "items": [{ "name": "Paper", "quantity": 10, "price": 5 }] });
    let expense = id(&office.create("/expenses", &expense).await);
    let paid = json!({ "type": "bank_transfer", "amount": 20, "date": "2026-11-20" });
    office.create(&format!("/expenses/{expense}/payments"), &paid).await;
    tabs(office, &item).await;
    let webhook = json!({ "url": "https://shop.example.com/racun", "active": false,
        "events": ["invoice.created", "payment.received"], "description": "The shop" });
    office.create("/webhooks", &webhook).await;
    let anonymous = office.clone().with("authorization", "");
    account.colleague(&anonymous, "c@example.com", "editor").await;
    done(&anonymous, "/users/password-reset", &json!({ "email": account.email })).await;
    let me = account.user.read("/users/me").await;
    let person = account.user.clone().with("x-entity-id", &account.entity);
    let pin = format!("/pos/operators/{}/pin", id(&me));
    assert!(person.put(&pin, &json!({ "pin": "042" })).await.status < 300, "{pin}");
    let parts = [("file", &b"%PDF-1.7\n%%EOF"[..]), ("category", &b"attachment"[..])];
    office.upload("/files", &parts).await.expect(201);
    let keyed = office.clone().with("idempotency-key", "once");
    keyed.create("/customers", &json!({ "name": "Once" })).await;
}

async fn documents(office: &Client, item: &str, unit: &str, customers: &[String]) {
    let line = |quantity: i64| json!({ "item_id": item, "quantity": quantity });
    let mut last = String::new();
    for (place, customer) in [0, 1, 0, 1].into_iter().enumerate() {
        let mut invoice = json!({ "customer_id": customers[customer], "date_due": FAR,
            "reference": format!("R{place}"), "items": [line(2), { "name": "Delo", "price": 50,
            "quantity": place + 1, "unit": "h", "taxes": [{ "rate": 22 }] }] });
        if place == 1 {
            invoice["business_unit_id"] = unit.into();
        }
        if place == 3 {
            invoice["note"] = "Hvala".into();
        }
        let made = office.create("/invoices", &invoice).await;
        if place == 0 {
            let paid = json!({ "type": "bank_transfer", "amount": 10, "date": "2026-11-20",
                "document_id": id(&made), "reference": "SI00 1" });
            office.create("/payments", &paid).await;
        }
        last = id(&made);
    }
    let draft = json!({ "items": [line(1)], "is_draft": true });
    office.create("/invoices", &draft).await;
    done(office, &format!("/invoices/{last}/void"), &json!({})).await;
    let customer = json!({ "name": "Bor d.o.o.", "country_code": "SI" });
    for path in ["/estimates", "/credit-notes", "/delivery-notes"] {
        let document = json!({ "customer": customer, "items": [line(3)] });
        office.create(path, &document).await;
    }
    let advance = json!({ "customer": customer, "items": [line(4)],
        "payments": [{ "type": "bank_transfer" }] });
    office.create("/advance-invoices", &advance).await;
    let template = json!({ "customer": customer, "items": [line(1)], "date_due": FAR });
    let template = id(&office.create("/invoices", &template).await);
    let recurring = json!({ "name": "Rent", "document_id": template, "frequency": "monthly",
        "interval": 1, "day_of_month": 1, "start_date": "2098-12-01" });
    office.create("/recurring-invoices", &recurring).await;
}

async fn tabs(office: &Client, item: &str) {
    let table = json!({ "label": "Terrace 1", "sort_order": 1 });
    let table = id(&office.create("/pos/tables", &table).await);
    let lines = json!({ "append_id": "till-1/1", "items": [{ "item_id": item, "quantity": 2 }] });
    let open = id(&office.create("/pos/tabs", &json!({ "table_id": table })).await);
    done(office, &format!("/pos/tabs/{open}/items"), &lines).await;
    let tab = id(&office.create("/pos/tabs", &json!({})).await);
    done(office, &format!("/pos/tabs/{tab}/items"), &lines).await;
    let invoice = json!({ "items": [{ "item_id": item, "quantity": 2 }],
        "payments": [{ "type": "card" }] });
    let invoice = id(&office.create("/invoices", &invoice).await);
    done(office, &format!("/pos/tabs/{tab}/claim"), &json!({ "device_id": "till-1" })).await;
    done(office, &format!("/pos/tabs/{tab}/close"), &json!({ "invoice_id": invoice })).await;
}

/// Sends a command that must be obeyed.
async fn done(office: &Client, path: &str, body: &Value) {
    let answer = office.post(path, body).await;
    assert!(answer.status < 300, "{path}: {}", answer.text);
}

fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap_or_else(|| panic!("no id in {answer}")).to_owned()
}

fn pack(path: &Path, bytes: &[u8]) {
    let file = fs::File::create(path).expect("a file of the version");
    let mut packed = GzEncoder::new(file, Compression::best());
    packed.write_all(bytes).expect("room on the disk");
    packed.finish().expect("room on the disk");
}
