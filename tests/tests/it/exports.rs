//! Exports of random documents: what they say and sum is what the interface says, to the cent.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use racun_kernel::Decimal;
use racun_tests::{Account, Client, Racun, Random, StoreKind, on_both_stores};
use serde_json::{Value, json};

on_both_stores! {
    sums_of_exports_are_those_of_the_interface,
    hostile_texts_stay_texts,
}

/// The kinds of documents: their lists, names in the interface, and names of sheets.
const KINDS: [(&str, &str, &str); 5] = [
    ("/invoices", "invoice", "Invoices"),
    ("/estimates", "estimate", "Estimates"),
    ("/credit-notes", "credit_note", "Credit notes"),
    ("/advance-invoices", "advance_invoice", "Advance invoices"),
    ("/delivery-notes", "delivery_note", "Delivery notes"),
];

/// Documents of one run: more than a page.
const DOCUMENTS: u64 = 130;

/// Net, gross, paid and due by kind and currency.
type Sums = BTreeMap<(String, String), [Decimal; 4]>;

/// The sheets of a workbook, read by Python: each cell is null, or its kind and its text.
async fn workbook(client: &Client, path: &str) -> BTreeMap<String, Vec<Vec<Value>>> {
    let bytes = client.file(path).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("export.xlsx");
    std::fs::write(&file, bytes).expect("a file");
    let script = "../crates/spreadsheet/tests/it/read.py";
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new("python3").arg(script).arg(&file).output().expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("sheets")
}

/// A CSV without line breaks in its cells, read by Python.
async fn csv(client: &Client, path: &str) -> Vec<Vec<String>> {
    let text = client.get(path).await.text;
    let program = "import csv, io, json, sys\n\
                   text = sys.argv[1].lstrip('\\ufeff')\n\
                   print(json.dumps(list(csv.reader(io.StringIO(text, newline='')))))";
    let python = Command::new("python3").args(["-c", program, &text]).output();
    let output = python.expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("rows")
}

fn decimal(value: &Value) -> Decimal {
    value.to_string().parse().unwrap_or_else(|_| panic!("no number: {value}"))
}

/// The text of a cell; empty of an empty one.
fn said(cell: &Value) -> String {
    cell[1].as_str().unwrap_or_default().to_owned()
}

fn place(heads: &[String], name: &str) -> usize {
    let place = heads.iter().position(|head| head == name);
    place.unwrap_or_else(|| panic!("no column {name}: {heads:?}"))
}

async fn some_documents(account: &Account, random: &mut Random) {
    let api = &account.api;
    for n in 0..DOCUMENTS {
        let (path, ..) = KINDS[usize::try_from(random.below(5)).unwrap_or_default()];
        let lines: Vec<Value> = (0..1 + random.below(4)).map(|_| line(random)).collect();
        let mut body = json!({
            "date": format!("2025-{:02}-{:02}", 1 + random.below(12), 1 + random.below(28)),
            "customer": { "name": format!("Kupec {n}") },
            "items": lines,
            "is_draft": path == "/advance-invoices" || random.below(5) == 0,
        });
        if random.below(4) == 0 {
            body["currency_code"] = json!("USD");
            body["exchange_rate"] = json!({ "rate": 0.8731, "source": "ECB" });
        }
        let made = api.create(path, &body).await;
        let id = made["id"].as_str().unwrap_or_default().to_owned();
        let due = made["total_due"].clone();
        match (path, random.below(3)) {
            // An advance is issued once it is paid.
            ("/advance-invoices", 0 | 1) => {
                pay(api, &id, due).await;
                api.post(&format!("/documents/{id}/finalize"), &json!({})).await.expect(200);
            }
            _ if body["is_draft"] == true => {}
            ("/invoices", 0) => pay(api, &id, due).await,
            ("/invoices", 1) => pay(api, &id, json!(1)).await,
            ("/invoices" | "/credit-notes" | "/delivery-notes", _) if random.below(2) == 0 => {
                api.post(&format!("{path}/{id}/void"), &json!({})).await.expect(200);
            }
            _ => {}
        }
    }
}

async fn pay(api: &Client, id: &str, amount: Value) {
    let payment = json!({ "document_id": id, "amount": amount, "type": "cash" });
    api.create("/payments", &payment).await;
}

fn line(random: &mut Random) -> Value {
    let rates =
        [json!([]), json!([{ "rate": 22 }]), json!([{ "rate": 9.5 }]), json!([{ "rate": 7 }])];
    let price = format!("{}.{:03}", 3 + random.below(500), random.below(1000));
    let quantity = format!("{}.{}", 1 + random.below(9), random.below(10));
    let number = |text: &str| serde_json::from_str::<Value>(text).expect("a number");
    let mut line = json!({
        "name": format!("Artikel {}", random.below(7)),
        "quantity": number(&quantity),
        "price": number(&price),
        "taxes": rates[usize::try_from(random.below(4)).unwrap_or_default()],
    });
    if random.below(4) == 0 {
        line["discounts"] = json!([{ "type": "percent", "value": random.below(60) }]);
    }
    line
}

fn is_counted(document: &Value) -> bool {
    document["is_draft"] == false && document["voided_at"].is_null()
}

fn add(sums: &mut Sums, kind: &str, currency: &str, amounts: [Decimal; 4]) {
    let nothing = || [(); 4].map(|()| Decimal::zero());
    let sum = sums.entry((kind.to_owned(), currency.to_owned())).or_insert_with(nothing);
    for (total, part) in sum.iter_mut().zip(&amounts) {
        *total += part;
    }
}

async fn sums_of_exports_are_those_of_the_interface(store: StoreKind) {
    let seed = Random::any_seed();
    eprintln!("seed {seed}");
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    some_documents(&account, &mut Random::new(seed)).await;
    let api = &account.api;
    let (mut expected, mut numbers) = (Sums::new(), BTreeMap::new());
    for (path, kind, _) in KINDS {
        let documents = api.all(path).await;
        let sign = if kind == "credit_note" { Decimal::from(-1) } else { Decimal::from(1) };
        for document in documents.iter().filter(|document| is_counted(document)) {
            // Estimates and delivery notes are not paid.
            let amounts = ["total", "total_with_tax", "total_paid", "total_due"].map(|name| {
                let amount = &document[name];
                if amount.is_null() { Decimal::zero() } else { &decimal(amount) * &sign }
            });
            add(&mut expected, kind, document["currency_code"].as_str().unwrap_or("?"), amounts);
        }
        numbers.insert(kind, documents.len());
    }
    let path = "/documents/export?types=invoice,estimate,credit_note,advance_invoice,delivery_note\
                &locale=en-US&date_from=2025-01-01&date_to=2025-12-31";
    let sheets = workbook(api, path).await;
    let mut of_rows = Sums::new();
    for (_, kind, name) in KINDS {
        let rows = &sheets[name];
        assert_eq!(rows.len() - 1, numbers[kind], "{name}: every document is listed");
        let heads: Vec<String> = rows[0].iter().map(said).collect();
        let mut last = String::new();
        for row in &rows[1..] {
            let cell = |name: &str| row[place(&heads, name)].clone();
            assert_eq!(cell("Date")[0], "date", "{row:?}");
            assert!(said(&cell("Date")) >= last, "in the order of their dates");
            last = said(&cell("Date"));
            let amounts = ["Net", "Gross", "Paid", "Due"].map(|name| of_cell(&cell(name)));
            let bases = heads.iter().zip(row).filter(|(head, _)| head.starts_with("Tax base"));
            let bases: Decimal = bases.map(|(_, cell)| of_cell(cell)).fold(Decimal::zero(), plus);
            assert_eq!(&plus(bases, of_cell(&cell("Untaxed"))), &amounts[0], "{row:?}");
            if said(&cell("In sums")) == "true" {
                add(&mut of_rows, kind, &said(&cell("Currency")), amounts);
            }
        }
    }
    assert_eq!(of_rows, expected);
    assert_eq!(of_sheet(&sheets["Sums"]), expected);
    let mut of_csv = Sums::new();
    let rows = csv(api, &format!("{path}&format=csv")).await;
    for row in &rows[1..] {
        let cell = |name: &str| &row[place(&rows[0], name)];
        let amounts = ["Net", "Gross", "Paid", "Due"];
        let amounts = amounts.map(|name| of_text(cell(name)));
        if cell("In sums") == "true" {
            add(&mut of_csv, cell("Type"), cell("Currency"), amounts);
        }
    }
    assert_eq!(of_csv, expected);
    lines_come_to_the_same(api).await;
}

fn plus(one: Decimal, other: Decimal) -> Decimal {
    &one + &other
}

/// The number in a cell; zero in an empty one.
fn of_cell(cell: &Value) -> Decimal {
    assert!(cell.is_null() || cell[0] == "number", "{cell}");
    of_text(&said(cell))
}

fn of_text(text: &str) -> Decimal {
    let text = if text.is_empty() { "0" } else { text };
    text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

/// What the sheet of sums says.
fn of_sheet(rows: &[Vec<Value>]) -> Sums {
    let heads: Vec<String> = rows[0].iter().map(said).collect();
    let mut sums = Sums::new();
    for row in &rows[1..] {
        let cell = |name: &str| &row[place(&heads, name)];
        let amounts = ["Net", "Gross", "Paid", "Due"].map(|name| of_cell(cell(name)));
        add(&mut sums, &said(cell("Type")), &said(cell("Currency")), amounts);
    }
    sums
}

/// Sales per item and revenue by category are invoices less credit notes, in the entity's currency.
async fn lines_come_to_the_same(api: &Client) {
    let (mut net, mut gross) = (Decimal::zero(), Decimal::zero());
    for (path, is_credit) in [("/invoices", false), ("/credit-notes", true)] {
        for document in api.all(path).await.iter().filter(|document| is_counted(document)) {
            for line in document["items"].as_array().expect("lines") {
                let amount = |name: &str| {
                    let converted = &line[&format!("{name}_converted")];
                    decimal(if converted.is_null() { &line[name] } else { converted })
                };
                let (one, other) = (amount("total"), amount("total_with_tax"));
                net = if is_credit { &net - &one } else { &net + &one };
                gross = if is_credit { &gross - &other } else { &gross + &other };
            }
        }
    }
    for path in ["sales-per-item", "revenue-by-category"] {
        let rows = csv(api, &format!("/documents/export/{path}?locale=en-US&format=csv")).await;
        let sum = |name: &str| {
            let cells = rows[1..].iter().map(|row| row[place(&rows[0], name)].parse::<Decimal>());
            cells.map(|cell| cell.expect("a number")).fold(Decimal::zero(), plus)
        };
        assert_eq!((sum("Net"), sum("Gross")), (net.clone(), gross.clone()), "{path}");
    }
}

async fn hostile_texts_stay_texts(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let long = "x".repeat(500);
    let turned = "\u{202e}=fdp";
    let names = ["=cmd|' /C calc'!A0", "<script>alert(1)</script>", "#{panic()}", turned, &long];
    for name in names {
        let line = json!({ "name": name, "price": 1, "taxes": [] });
        let body = json!({ "customer": { "name": name }, "items": [line] });
        account.api.create("/invoices", &body).await;
    }
    let sheets = workbook(&account.api, "/documents/export?locale=en-US").await;
    let rows = &sheets["Invoices"];
    let heads: Vec<String> = rows[0].iter().map(said).collect();
    let customers: Vec<Value> =
        rows[1..].iter().map(|row| row[place(&heads, "Customer")].clone()).collect();
    for name in names {
        // What turns the direction of writing is left out.
        let name = if name == turned { "=fdp" } else { name };
        assert!(customers.contains(&json!(["text", name])), "{name}: {customers:?}");
    }
    let rows = csv(&account.api, "/documents/export/sales-per-item?locale=en-US&format=csv").await;
    let items: Vec<&String> = rows[1..].iter().map(|row| &row[0]).collect();
    for item in ["'=cmd|' /C calc'!A0", "'=fdp"] {
        assert!(items.contains(&&item.to_owned()), "{items:?}");
    }
    assert!(items.iter().all(|item| !item.starts_with('=')), "{items:?}");
}
