//! Exports: what they are, in which format, and of what they consist.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use actix_web::http::header::CONTENT_DISPOSITION;
use racun_application::Services;
use racun_exports::{Cell, Sheet, SheetWriter, Spreadsheets};
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use crate::harness::{Answer, Api, Who, text};
use crate::payment_lists::escaped;

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

fn invoice(name: &str, price: &str) -> Value {
    of_day("2026-11-20", name, price)
}

fn of_day(day: &str, name: &str, price: &str) -> Value {
    let price: Value = serde_json::from_str(price).unwrap();
    json!({
        "date": day,
        "customer": { "name": name },
        "items": [{ "name": "Delo", "unit": "ura", "quantity": 2, "price": price,
                    "taxes": [{ "rate": 22 }] }],
    })
}

async fn made(api: &Api, who: &Who, path: &str, body: Value) -> Value {
    api.post(path, who, body).await.with(201).json()
}

/// The rows of a CSV without line breaks in its cells, by heading.
fn rows(answer: &Answer, delimiter: char) -> Vec<Vec<(String, String)>> {
    let text = answer.text.trim_start_matches('\u{feff}');
    let cells = |line: &str| -> Vec<String> {
        let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
        for sign in line.chars() {
            match sign {
                '"' => quoted = !quoted,
                sign if sign == delimiter && !quoted => cells.push(std::mem::take(&mut cell)),
                sign => cell.push(sign),
            }
        }
        cells.push(cell);
        cells
    };
    let mut lines = text.split("\r\n").filter(|line| !line.is_empty());
    let heads = cells(lines.next().unwrap_or_default());
    lines.map(|line| heads.iter().cloned().zip(cells(line)).collect()).collect()
}

fn column(rows: &[Vec<(String, String)>], name: &str) -> Vec<String> {
    let cell = |row: &Vec<(String, String)>| {
        let found = row.iter().find(|(head, _)| head == name);
        found.unwrap_or_else(|| panic!("no column {name}: {row:?}")).1.clone()
    };
    rows.iter().map(cell).collect()
}

async fn csv(api: &Api, who: &Who, path: &str) -> Vec<Vec<(String, String)>> {
    let sign = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{sign}format=csv&locale=en-US");
    rows(&api.get(&path, who).await.with(200), ',')
}

#[actix_web::test]
async fn an_export_is_a_file_with_a_name() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    made(&api, &who, "/invoices", invoice("Žaga", "10")).await;
    let path = "/documents/export?type=invoice&date_from=2026-01-01&date_to=2026-12-31";
    for (format, media, ending) in
        [("", XLSX, "xlsx"), ("&format=csv", "text/csv; charset=utf-8", "csv")]
    {
        let answer = api.get(&format!("{path}{format}"), &who).await.with(200);
        assert_eq!(answer.headers.get("content-type").unwrap(), media);
        let disposition = answer.headers.get(CONTENT_DISPOSITION).unwrap().to_str().unwrap();
        let name = format!("documents_2026-01-01_2026-12-31.{ending}");
        let named = format!(
            "attachment; filename=\"{name}\"; filename*=UTF-8''{}",
            name.replace('-', "%2D")
        );
        assert_eq!(disposition, named);
    }
    for path in [
        "/documents/export/sales-per-item",
        "/documents/export/revenue-by-category",
        "/payments/export",
        "/customers/export",
        "/expenses/export",
    ] {
        let answer = api.get(path, &who).await.with(200);
        assert_eq!(answer.headers.get("content-type").unwrap(), XLSX, "{path}");
        assert!(answer.text.starts_with("PK"), "{path}");
    }
}

#[actix_web::test]
async fn csv_follows_the_locale() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    made(&api, &who, "/invoices", invoice("=cmd|'/C calc'!A0", "10.25")).await;
    let csv = "/documents/export?format=csv";
    // The entity is Slovenian.
    for (more, delimiter, net, head) in [
        ("", ';', "20,5", "Neto"),
        ("&locale=hr-HR", ';', "20,5", "Neto"),
        ("&language=de", ';', "20,5", "Netto"),
        ("&language=pt-PT", ';', "20,5", "Valor líquido"),
        ("&locale=en-US&language=sl", ',', "20.5", "Net"),
        ("&language=it", ',', "20.5", "Imponibile"),
    ] {
        let answer = api.get(&format!("{csv}{more}"), &who).await.with(200);
        assert!(answer.text.starts_with('\u{feff}'), "{more}");
        let rows = rows(&answer, delimiter);
        assert_eq!(column(&rows, head), [net], "{more}");
        assert!(answer.text.contains("\"'=cmd|'/C calc'!A0\""), "{}", answer.text);
        let bare = api.get(&format!("{csv}{more}&bom=false"), &who).await.with(200);
        assert_eq!(answer.text.trim_start_matches('\u{feff}'), bare.text);
    }
}

#[actix_web::test]
async fn heads_write_rates_as_the_locale_does_and_each_names_one_column() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    let mut body = invoice("Bor", "10");
    body["items"][0]["taxes"][0]["rate"] = json!(9.5);
    made(&api, &who, "/invoices", body).await;
    for (locale, delimiter, head) in
        [("sl-SI", ';', "Osnova 9,5 %"), ("en-US", ',', "Tax base 9.5 %")]
    {
        let path = format!("/documents/export?format=csv&locale={locale}");
        let rows = rows(&api.get(&path, &who).await.with(200), delimiter);
        let heads: Vec<&String> = rows[0].iter().map(|(head, _)| head).collect();
        assert!(heads.iter().any(|own| *own == head), "{heads:?}");
    }
    let customer = json!({"name": "Bor", "address": "Trg 1", "address_2": "2. nadstropje"});
    made(&api, &who, "/customers", customer).await;
    let rows = csv(&api, &who, "/customers/export").await;
    let heads: std::collections::BTreeSet<&String> = rows[0].iter().map(|(head, _)| head).collect();
    assert_eq!(heads.len(), rows[0].len(), "{:?}", rows[0]);
    assert!(column(&rows, "Address 2").contains(&"2. nadstropje".to_owned()));
}

#[actix_web::test]
async fn what_cannot_be_meant_is_refused_by_name() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    for (query, parameter, code) in [
        ("format=pdf", "format", "invalid_value"),
        ("type=receipt", "type", "invalid_value"),
        ("types=invoice,receipt", "types", "invalid_value"),
        ("type=invoice&types=estimate", "types", "conflicting"),
        ("date_from=2026-13-01", "date_from", "invalid_date"),
        ("date_from=2026-11-21&date_to=2026-11-20", "date_to", "invalid_period"),
        ("date_from=2025-01-01&date_to=2026-01-02", "date_to", "invalid_period"),
        ("locale=tlh", "locale", "unknown_locale"),
        ("language=xx-XX", "language", "unknown_locale"),
        ("query=%7B%22no%22%3A1%7D", "query", "unknown_field"),
        ("bom=yes", "bom", "invalid_type"),
        ("limit=5", "limit", "unknown_parameter"),
    ] {
        let answer = api.get(&format!("/documents/export?{query}"), &who).await.with(422);
        let (path, found) = answer.issue();
        assert!(path.contains(&format!("\"{parameter}\"")), "{query}: {}", answer.text);
        assert_eq!(found, code, "{query}: {}", answer.text);
    }
    // A year is not too long, nor is one that is open.
    for query in ["date_from=2025-01-01&date_to=2026-01-01", "date_from=2020-01-01"] {
        api.get(&format!("/documents/export?{query}"), &who).await.with(200);
    }
    for path in ["/payments/export", "/expenses/export", "/documents/export/sales-per-item"] {
        let reversed = format!("{path}?date_from=2026-11-21&date_to=2026-11-20");
        assert_eq!(api.get(&reversed, &who).await.with(422).issue().1, "invalid_period");
    }
    let dated = api.get("/customers/export?date_from=2026-01-01", &who).await.with(422);
    assert_eq!(dated.issue().1, "unknown_parameter");
}

#[actix_web::test]
async fn drafts_and_voided_documents_are_listed_and_not_summed() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    let kept = made(&api, &who, "/invoices", of_day("2026-11-17", "A", "10")).await;
    let mut draft = of_day("2026-11-18", "B", "20");
    draft["is_draft"] = json!(true);
    made(&api, &who, "/invoices", draft).await;
    let voided = made(&api, &who, "/invoices", of_day("2026-11-19", "C", "40")).await;
    api.post(&format!("/invoices/{}/void", text(&voided["id"])), &who, json!({})).await.with(200);
    let mut credit = invoice("A", "3");
    credit["linked_documents"] = json!([kept["id"]]);
    made(&api, &who, "/credit-notes", credit).await;
    let rows = csv(&api, &who, "/documents/export?types=invoice,credit_note").await;
    let all = |name: &str| column(&rows, name);
    assert_eq!(all("Type"), ["invoice", "invoice", "invoice", "credit_note"]);
    assert_eq!(all("Status"), ["issued", "draft", "voided", "issued"]);
    assert_eq!(all("In sums"), ["true", "false", "false", "true"]);
    assert_eq!(all("Net"), ["20", "40", "80", "-6"]);
    assert_eq!(all("Tax base 22 %"), ["20", "40", "80", "-6"]);
    assert_eq!(all("Tax 22 %"), ["4.4", "8.8", "17.6", "-1.32"]);
    assert_eq!(all("Gross"), ["24.4", "48.8", "97.6", "-7.32"]);
    let sales = csv(&api, &who, "/documents/export/sales-per-item").await;
    assert_eq!(column(&sales, "Item"), ["Delo"]);
    assert_eq!(column(&sales, "Quantity"), ["0"]);
    assert_eq!(column(&sales, "Net"), ["14"]);
    assert_eq!(column(&sales, "Gross"), ["17.08"]);
    assert_eq!(column(&sales, "Documents"), ["2"]);
    let revenue = csv(&api, &who, "/documents/export/revenue-by-category").await;
    assert_eq!(column(&revenue, "Month"), ["2026-11"]);
    assert_eq!(column(&revenue, "Net"), ["14"]);
    let none = csv(&api, &who, "/documents/export?date_to=2026-11-16").await;
    assert!(none.is_empty());
}

#[actix_web::test]
async fn an_invoice_that_ended_by_credit_cancels_out() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    let wanted = json!({
        "name": "Loja", "country": "Portugal", "environment": "sandbox",
        "tax_number": "501442600", "company_number": "501442600", "phone": "+351 210000000",
        "email": "loja@example.com", "address": "Rua 1", "city": "Lisboa", "state": "Lisboa",
        "post_code": "1000-001", "starting_capital": 5000,
    });
    let entity = made(&api, &who, "/entities", wanted).await;
    let who = who.in_entity(&text(&entity["id"]));
    let made_one = made(&api, &who, "/invoices", invoice("A", "10")).await;
    api.post(&format!("/invoices/{}/void", text(&made_one["id"])), &who, json!({})).await.with(200);
    let rows = csv(&api, &who, "/documents/export?types=invoice,credit_note").await;
    assert_eq!(column(&rows, "Status"), ["voided", "issued"]);
    assert_eq!(column(&rows, "In sums"), ["true", "true"]);
    assert_eq!(column(&rows, "Gross"), ["24.4", "-24.4"]);
    let sales = csv(&api, &who, "/documents/export/sales-per-item").await;
    assert_eq!(column(&sales, "Gross"), ["0"]);
}

#[actix_web::test]
async fn payments_customers_and_expenses_are_rows_too() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    let customer = json!({ "name": "+Kupec", "tax_number": "SI12345678", "country_code": "SI" });
    made(&api, &who, "/customers", customer).await;
    let sold = made(&api, &who, "/invoices", invoice("A", "10")).await;
    let paid = json!({ "document_id": sold["id"], "amount": 24.4, "type": "card",
                       "date": "2026-11-20", "note": "@note" });
    made(&api, &who, "/payments", paid).await;
    let expense = json!({
        "supplier": { "name": "Dobavitelj" }, "date": "2026-11-19", "is_draft": false,
        "items": [{ "name": "Moka", "price": 100, "taxes": [{ "rate": 22 }] }],
    });
    made(&api, &who, "/expenses", expense).await;
    let payments = csv(&api, &who, "/payments/export?date_from=2026-11-20").await;
    for (name, value) in [
        ("Date", "2026-11-20"),
        ("Direction", "in"),
        ("Payment method", "card"),
        ("Amount", "24.4"),
        ("Currency", "EUR"),
        ("Document", &text(&sold["number"])),
        ("Note", "'@note"),
    ] {
        assert_eq!(column(&payments, name), [value], "{name}");
    }
    let customers = csv(&api, &who, "/customers/export").await;
    assert!(column(&customers, "Name").contains(&"'+Kupec".to_owned()), "{customers:?}");
    let filter = "/customers/export?query=%7B%22name%22%3A%22Nobody%22%7D";
    assert!(csv(&api, &who, filter).await.is_empty());
    let expenses = csv(&api, &who, "/expenses/export?date_to=2026-11-19").await;
    assert_eq!(column(&expenses, "Supplier"), ["Dobavitelj"]);
    assert_eq!(column(&expenses, "Gross"), ["122"]);
    assert_eq!(column(&expenses, "Tax"), ["22"]);
}

#[actix_web::test]
async fn filters_and_searches_choose_payments_and_expenses_too() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    for (supplier, price, amount, kind, note) in
        [("Mlin", 100, 20, "card", "predujem"), ("Kos s.p.", 50, 5, "cash", "ostanek")]
    {
        let expense = json!({
            "supplier": { "name": supplier }, "date": "2026-11-19", "is_draft": false,
            "items": [{ "name": "Moka", "price": price, "taxes": [{ "rate": 22 }] }],
        });
        let expense = made(&api, &who, "/expenses", expense).await;
        let paid = json!({ "document_id": expense["id"], "amount": amount, "type": kind,
                           "date": "2026-11-20", "note": note });
        made(&api, &who, "/payments", paid).await;
    }
    for (of, filter, name, expected) in [
        ("payments", r#"query={"type":"card"}"#, "Amount", &["20"][..]),
        ("payments", r#"query={"amount":{"lt":10}}"#, "Amount", &["5"]),
        ("payments", "search=OSTAN", "Amount", &["5"]),
        ("payments", r#"search=ostan&query={"type":"card"}"#, "Amount", &[]),
        ("expenses", r#"query={"supplier.name":"Mlin"}"#, "Supplier", &["Mlin"]),
        ("expenses", r#"query={"total":{"lt":100}}"#, "Supplier", &["Kos s.p."]),
        ("expenses", "search=KOS", "Supplier", &["Kos s.p."]),
        ("expenses", "search=kos&date_to=2026-11-18", "Supplier", &[]),
    ] {
        let path = format!("/{of}/export?{}", parameters(filter));
        assert_eq!(column(&csv(&api, &who, &path).await, name), expected, "{path}");
    }
    for path in ["/payments/export", "/expenses/export"] {
        let wrong = format!("{path}?{}", parameters(r#"query={"no":1}"#));
        let refused = api.get(&wrong, &who).await.with(422);
        assert_eq!(refused.issue().1, "unknown_field", "{path}");
    }
}

#[actix_web::test]
async fn filters_and_searches_of_lists_choose_the_rows() {
    let api = Api::new().await;
    let who = api.owner("ana@example.com").await;
    for (day, name, price) in [
        ("2026-11-17", "Žaga d.o.o.", "10"),
        ("2026-11-18", "Žaga d.o.o.", "100"),
        ("2026-11-19", "Kos s.p.", "500"),
    ] {
        made(&api, &who, "/invoices", of_day(day, name, price)).await;
    }
    made(&api, &who, "/estimates", of_day("2026-11-20", "Žaga d.o.o.", "60")).await;
    made(&api, &who, "/credit-notes", of_day("2026-11-20", "Kos s.p.", "70")).await;
    for (filter, expected) in [
        (r#"type=invoice&query={"customer.name":"Žaga d.o.o."}"#, &["20", "200"][..]),
        (r#"type=invoice&query={"customer.name":{"contains":"kos"}}"#, &["1000"]),
        (r#"type=invoice&query={"total":{"gt":20}}"#, &["200", "1000"]),
        (r#"query={"total":{"gt":20,"lt":1000},"customer.name":"Žaga d.o.o."}"#, &["200"]),
        (r#"types=invoice,estimate&query={"customer.name":"Žaga d.o.o."}"#, &["20", "200", "120"]),
        (r#"types=invoice,estimate,credit_note&query={"total":{"gt":100}}"#, ALL_ABOVE),
        (r#"types=invoice,credit_note&query={"customer.name":"Kos s.p."}"#, &["1000", "-140"]),
        ("search=žaga", &["20", "200"]),
        ("types=invoice,estimate&search=ŽAGA", &["20", "200", "120"]),
        ("types=invoice,credit_note&search=kos&date_to=2026-11-19", &["1000"]),
        ("search=nothing", &[]),
    ] {
        let found = csv(&api, &who, &format!("/documents/export?{}", parameters(filter))).await;
        assert_eq!(column(&found, "Net"), expected, "{filter}");
    }
}

/// What is above a hundred, kind by kind.
const ALL_ABOVE: &[&str] = &["200", "1000", "120", "-140"];

/// A query string of parameters whose values hold what addresses do not.
fn parameters(query: &str) -> String {
    let parameter = |text: &str| {
        let (name, value) = text.split_once('=').unwrap();
        format!("{name}={}", escaped(value))
    };
    query.split('&').map(parameter).collect::<Vec<_>>().join("&")
}

/// Writers of which a test knows how many there are, and what became of each. Each stops at its
/// first heading until it is let go.
struct Held {
    /// Writers that are there, and the most that ever were.
    present: AtomicUsize,
    most: AtomicUsize,
    began: Notify,
    let_go: Semaphore,
    /// Of each that ended: its rows, and whether it was finished.
    ended: Mutex<Vec<(usize, bool)>>,
    ends: Notify,
}

impl Held {
    fn new() -> Self {
        Self {
            present: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            began: Notify::new(),
            let_go: Semaphore::new(0),
            ended: Mutex::default(),
            ends: Notify::new(),
        }
    }
}

/// Its rows so far, and whether it was finished.
struct HeldWriter(Arc<Held>, usize, bool);

struct SharedHeld(Arc<Held>);

impl Spreadsheets for SharedHeld {
    fn workbook(&self, _: Box<dyn Write + Send>) -> Box<dyn SheetWriter> {
        let present = self.0.present.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.most.fetch_max(present, Ordering::SeqCst);
        Box::new(HeldWriter(Arc::clone(&self.0), 0, false))
    }
}

impl SheetWriter for HeldWriter {
    fn has_sheets(&self) -> bool {
        false
    }

    fn begin(&mut self, _: &Sheet) -> io::Result<()> {
        self.0.began.notify_one();
        while self.0.let_go.try_acquire().map(SemaphorePermit::forget).is_err() {
            std::thread::yield_now();
        }
        Ok(())
    }

    fn row(&mut self, _: &[Cell]) -> io::Result<()> {
        self.1 += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.2 = true;
        Ok(())
    }
}

impl Drop for HeldWriter {
    fn drop(&mut self) {
        self.0.present.fetch_sub(1, Ordering::SeqCst);
        self.0.ended.lock().unwrap().push((self.1, self.2));
        self.0.ends.notify_one();
    }
}

async fn held_api() -> (Arc<Held>, Api) {
    let held = Arc::new(Held::new());
    let own = Arc::new(SharedHeld(Arc::clone(&held)));
    let api = Api::with(move |services| Services { spreadsheets: own, ..services }).await;
    (held, api)
}

#[actix_web::test]
async fn an_account_has_one_export_put_together_at_once() {
    let (held, api) = held_api().await;
    let who = api.owner("ana@example.com").await;
    made(&api, &who, "/invoices", invoice("A", "10")).await;
    held.let_go.add_permits(3);
    let path = "/documents/export";
    let (first, second, third) =
        tokio::join!(api.get(path, &who), api.get(path, &who), api.get(path, &who));
    assert_eq!([first.status, second.status, third.status], [200; 3]);
    assert_eq!(held.most.load(Ordering::SeqCst), 1);
    assert_eq!(*held.ended.lock().unwrap(), [(1, true); 3]);
}

#[actix_web::test]
async fn a_client_that_hangs_up_ends_the_export() {
    let (held, api) = held_api().await;
    let who = api.owner("ana@example.com").await;
    made(&api, &who, "/invoices", invoice("A", "10")).await;
    tokio::select! {
        answer = api.get("/documents/export", &who) => panic!("{answer:?}"),
        () = held.began.notified() => {}
    }
    // The caller is gone; the writer goes on, and gets no row.
    held.let_go.add_permits(1);
    held.ends.notified().await;
    assert_eq!(*held.ended.lock().unwrap(), [(0, false)]);
    held.let_go.add_permits(1);
    api.get("/documents/export", &who).await.with(200);
}
