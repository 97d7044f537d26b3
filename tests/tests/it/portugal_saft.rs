//! SAF-T of a random month of a shop in Lisbon, over HTTP: valid by the authority's schema with its
//! assertions, its chains signed by the program, its amounts those that the documents answer, and
//! its customers and products those that documents name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use encoding_rs::{UTF_8, WINDOWS_1252};
use racun_kernel::Decimal;
use racun_test_postgres::{program, python_with};
use racun_tests::{
    Account, Racun, Random, StoreKind, is_signed, on_both_stores, open_shop_in_lisbon,
};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::portugal_shop::{Shop, decimal, text};

on_both_stores! {
    a_random_month_is_in_saft_as_its_documents_say,
}

/// Prints what the assertions of a schema refuse of files.
const ASSERTED: &str = include_str!("../../../crates/portugal/tests/it/saft_asserted.py");

/// What a shop does in the month.
const STEPS: u64 = 75;
/// What it has series for.
const TYPES: &str =
    "invoice invoice_receipt advance_invoice credit_note delivery_note estimate payment";
/// The kinds of documents, and the parts of the file that they stand in.
const KINDS: [(&str, &str); 5] = [
    ("/invoices", "SalesInvoices"),
    ("/advance-invoices", "SalesInvoices"),
    ("/credit-notes", "SalesInvoices"),
    ("/delivery-notes", "MovementOfGoods"),
    ("/estimates", "WorkingDocuments"),
];

async fn a_random_month_is_in_saft_as_its_documents_say(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let types: Vec<&str> = TYPES.split(' ').collect();
    let entity = open_shop_in_lisbon(&account, &types).await;
    let api = account.api.clone().with("x-entity-id", &entity);
    let series = json!({
        "document_type": "invoice", "series_code": "M", "start_date": "2026-01-01",
        "is_manual": true,
    });
    api.create("/fiscalization/pt/atcud-series", &series).await;
    let mut shop = Shop::new(api, Random::new(seed));
    let first = shop.sell(json!({})).await;
    let year = text(&first, "date").get(..4).expect("a year").to_owned();
    for _ in 0..STEPS {
        shop.step().await;
    }
    let mut parts: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (path, part) in KINDS {
        parts.entry(part).or_default().extend(shop.api.all(path).await);
    }
    let receipts = shop.receipts(&parts["SalesInvoices"]).await;
    let holds = |id: &str| {
        let own = parts["SalesInvoices"].iter().find(|own| text(own, "id") == id);
        own.expect("the invoice")["voided_at"].is_null()
    };
    let invoiced = shop.invoiced.iter().filter(|(_, invoice)| holds(invoice));
    let invoiced: BTreeSet<&str> = invoiced.map(|(number, _)| number.as_str()).collect();
    let mut files = Vec::new();
    for encoding in ["windows-1252", "utf-8"] {
        let path = format!(
            "/fiscalization/pt/saf-t?from={year}-01-01&to={year}-12-31&encoding={encoding}"
        );
        files.push(shop.api.file(&path).await);
    }
    assert_valid(&files);
    for (file, encoding) in files.iter().zip([WINDOWS_1252, UTF_8]) {
        let (file, _, has_faults) = encoding.decode(file);
        assert!(!has_faults, "{}", encoding.name());
        check(&file, &parts, &receipts, &invoiced);
    }
}

/// An amount of `document` in euros.
fn euros(document: &Value, name: &str) -> Decimal {
    match &document[&format!("{name}_converted")] {
        Value::Null => decimal(&document[name]),
        converted => decimal(converted),
    }
}

/// Asserts that `files` are valid by the authority's schema, and that its assertions hold, which
/// xmllint does not know; a line says so where Python lacks xmlschema.
fn assert_valid(files: &[Vec<u8>]) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = files.iter().enumerate().map(|(place, file)| {
        let path = folder.path().join(format!("{place}.xml"));
        fs::write(&path, file).expect("a file");
        path
    });
    let paths: Vec<PathBuf> = paths.collect();
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/portugal/schemas");
    let output = program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(schemas.join("SAFTPT_1_04_01_xsd10.xsd"))
        .args(&paths)
        .output()
        .expect("xmllint");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&files.concat()));
    let Some(python) = python_with("xmlschema", "the assertions of SAF-T") else { return };
    let mut command = Command::new(python);
    command.args(["-c", ASSERTED]).arg(schemas.join("SAFTPT_1_04_01.xsd"));
    let output = command.args(&paths).output().expect("Python");
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}{failed}");
}

fn child<'a, 'b>(node: Node<'a, 'b>, path: &str) -> Option<Node<'a, 'b>> {
    path.split('/')
        .try_fold(node, |node, name| node.children().find(|child| child.has_tag_name(name)))
}

fn said<'a>(node: Node<'a, '_>, path: &str) -> &'a str {
    child(node, path).and_then(|node| node.text()).unwrap_or_default()
}

fn amount(node: Node<'_, '_>, path: &str) -> Decimal {
    match said(node, path) {
        "" => Decimal::zero(),
        number => number.parse().unwrap_or_else(|_| panic!("{path}: {number}")),
    }
}

fn sum(amounts: impl Iterator<Item = Decimal>) -> Decimal {
    let amounts: Vec<Decimal> = amounts.collect();
    amounts.iter().sum()
}

/// Compares the file with what was answered.
fn check(
    file: &str,
    parts: &BTreeMap<&str, Vec<Value>>,
    receipts: &BTreeMap<String, (Decimal, bool)>,
    invoiced: &BTreeSet<&str>,
) {
    let xml = Document::parse(file).unwrap_or_else(|error| panic!("{error}"));
    check_masters(xml.root_element());
    let sources = child(xml.root_element(), "SourceDocuments").expect("documents");
    for (part, documents) in parts {
        let Some(section) = child(sources, part) else {
            assert!(documents.is_empty(), "{part} is missing");
            continue;
        };
        let nodes: Vec<Node<'_, '_>> =
            section.children().filter(|node| child(*node, "Hash").is_some()).collect();
        assert_eq!(nodes.len(), documents.len(), "{part}");
        check_part(section, part, documents);
        for document in documents {
            let number = text(document, "number");
            let of = |node: &&Node<'_, '_>| number_of(**node) == number;
            let node = nodes.iter().find(of).unwrap_or_else(|| panic!("{number} is missing"));
            check_document(*node, document, invoiced.contains(number));
        }
        check_chains(&nodes);
    }
    let section = child(sources, "Payments");
    let nodes: Vec<Node<'_, '_>> = section
        .into_iter()
        .flat_map(|section| section.children())
        .filter(|node| node.has_tag_name("Payment"))
        .collect();
    assert_eq!(nodes.len(), receipts.len());
    for node in nodes {
        let (euros, holds) = &receipts[said(node, "PaymentRefNo")];
        assert_eq!(amount(node, "DocumentTotals/GrossTotal"), *euros);
        assert_eq!(amount(node, "PaymentMethod/PaymentAmount"), *euros);
        assert_eq!(said(node, "DocumentStatus/PaymentStatus") == "N", *holds);
        let settled = said(node, "Line/SourceDocumentID/OriginatingON");
        let sold = parts["SalesInvoices"].iter().find(|own| referred_number(own) == settled);
        let is_void = !sold.expect("what it settles")["voided_at"].is_null();
        assert!(!(*holds && is_void), "a receipt settles {settled}, which is void");
    }
    let held = receipts.values().filter(|(_, holds)| *holds).map(|(euros, _)| euros.clone());
    let stated = section.map_or_else(Decimal::zero, |section| amount(section, "TotalCredit"));
    assert_eq!(stated, sum(held), "receipts");
}

/// Checks that the customers and products of the file are those that its documents name, each once.
fn check_masters(root: Node<'_, '_>) {
    let part = |name: &str| child(root, name).expect("a part");
    for (row, field) in [("Customer", "CustomerID"), ("Product", "ProductCode")] {
        let rows = part("MasterFiles").children().filter(|node| node.has_tag_name(row));
        let mut rows: Vec<&str> = rows.map(|node| said(node, field)).collect();
        rows.sort_unstable();
        let named = part("SourceDocuments").descendants();
        let named = named.filter(|node| node.has_tag_name(field)).filter_map(|node| node.text());
        let named: BTreeSet<&str> = named.collect();
        assert_eq!(rows, named.into_iter().collect::<Vec<_>>(), "{row}");
    }
}

/// What others call `document` by: its number, or that of the form that it was recovered from.
fn referred_number(document: &Value) -> String {
    let pt = &document["pt"];
    let number = text(document, "number").to_owned();
    pt["form"]["series"].as_str().map_or(number, |series| {
        format!("{}M {series}/{}", text(pt, "document_code"), pt["form"]["number"])
    })
}

/// Compares what a part states with what its documents come to.
fn check_part(section: Node<'_, '_>, part: &str, documents: &[Value]) {
    let standing = || documents.iter().filter(|own| own["voided_at"].is_null());
    let is_debit = |own: &&Value| own["pt"]["document_code"] == "NC";
    if part == "MovementOfGoods" {
        let lines = |own: &Value| own["items"].as_array().expect("lines").clone();
        let count: usize = documents.iter().map(|own| lines(own).len()).sum();
        assert_eq!(said(section, "NumberOfMovementLines"), count.to_string());
        let moved = standing().flat_map(lines).map(|line| decimal(&line["quantity"]));
        assert_eq!(amount(section, "TotalQuantityIssued"), sum(moved));
        return;
    }
    assert_eq!(said(section, "NumberOfEntries"), documents.len().to_string());
    let net = |own: &Value| euros(own, "total");
    assert_eq!(amount(section, "TotalDebit"), sum(standing().filter(is_debit).map(net)), "{part}");
    let credits = standing().filter(|own| !is_debit(own)).map(net);
    assert_eq!(amount(section, "TotalCredit"), sum(credits), "{part}");
}

fn number_of<'a>(node: Node<'a, '_>) -> &'a str {
    match said(node, "InvoiceNo") {
        "" => said(node, "DocumentNumber"),
        number => number,
    }
}

/// Compares one document with what was answered of it.
fn check_document(node: Node<'_, '_>, document: &Value, is_invoiced: bool) {
    let (pt, number) = (&document["pt"], text(document, "number"));
    for (element, field) in [
        ("ATCUD", "atcud"),
        ("Hash", "hash"),
        ("HashControl", "hash_control"),
        ("SystemEntryDate", "system_entry_date"),
    ] {
        assert_eq!(said(node, element), text(pt, field), "{number}");
    }
    let source = said(node, "DocumentStatus/SourceBilling");
    assert_eq!(source, if pt["manual"] == true { "M" } else { "P" }, "{number}");
    let status = child(node, "DocumentStatus").and_then(|node| node.first_element_child());
    let status = status.and_then(|node| node.text());
    let expected = match (document["voided_at"].is_null(), is_invoiced) {
        (false, _) => "A",
        (true, true) => "F",
        (true, false) => "N",
    };
    assert_eq!(status, Some(expected), "{number}");
    let [net, tax, gross] = ["NetTotal", "TaxPayable", "GrossTotal"]
        .map(|name| amount(node, &format!("DocumentTotals/{name}")));
    assert_eq!((&net, &gross), (&euros(document, "total"), &euros(document, "total_with_tax")));
    assert_eq!(&net + &tax, gross, "{number}");
    let lines: Vec<Node<'_, '_>> =
        node.children().filter(|node| node.has_tag_name("Line")).collect();
    let amounts =
        lines.iter().map(|line| &amount(*line, "CreditAmount") + &amount(*line, "DebitAmount"));
    assert_eq!(sum(amounts), net, "{number}");
    check_taxes(&lines, document);
    let fields: BTreeMap<&str, &str> =
        text(pt, "qr_payload").split('*').filter_map(|field| field.split_once(':')).collect();
    let of = |key: &str| fields[key].parse::<Decimal>().unwrap_or_else(|_| panic!("{key}"));
    assert_eq!((of("N"), of("O")), (tax, gross.clone()), "{number}");
    let is_foreign = document["currency_code"] != "EUR";
    let currency = child(node, "DocumentTotals/Currency");
    assert_eq!(currency.is_some(), is_foreign, "{number}");
    if let Some(currency) = currency {
        assert_eq!(amount(currency, "CurrencyAmount"), decimal(&document["total_with_tax"]));
    }
    if pt["document_code"] == "FR" {
        let totals = child(node, "DocumentTotals").expect("totals");
        let paid = totals.children().filter(|node| node.has_tag_name("Payment"));
        assert_eq!(sum(paid.map(|node| amount(node, "PaymentAmount"))), gross, "{number}");
    }
}

/// Compares the region of the lines, and why no tax is charged, with what was answered.
fn check_taxes(lines: &[Node<'_, '_>], document: &Value) {
    let (number, region) = (text(document, "number"), text(&document["pt"], "region"));
    let items = document["items"].as_array().expect("lines");
    assert_eq!(lines.len(), items.len(), "{number}");
    for (line, item) in lines.iter().zip(items) {
        assert_eq!(said(*line, "Tax/TaxCountryRegion"), region, "{number}");
        let tax = &item["taxes"][0];
        for (element, field) in [
            ("TaxExemptionCode", "pt_exemption_code"),
            ("TaxExemptionReason", "pt_exemption_reason"),
        ] {
            let answered = tax[field].as_str().unwrap_or_default();
            assert_eq!(said(*line, element), answered, "{number}");
        }
    }
}

/// Checks that the documents of each series are signed in a chain, in the order of the file.
fn check_chains(nodes: &[Node<'_, '_>]) {
    let mut last: BTreeMap<&str, &str> = BTreeMap::new();
    for node in nodes {
        let number = number_of(*node);
        let (series, _) = number.split_once('/').expect("a series");
        let dates = ["InvoiceDate", "MovementDate", "WorkDate"].map(|name| said(*node, name));
        let date = dates.into_iter().find(|date| !date.is_empty()).expect("a date");
        let content = format!(
            "{date};{};{number};{};{}",
            said(*node, "SystemEntryDate"),
            said(*node, "DocumentTotals/GrossTotal"),
            last.get(series).copied().unwrap_or_default(),
        );
        let hash = said(*node, "Hash");
        assert!(is_signed(&content, hash), "{number} is not in the chain");
        last.insert(series, hash);
    }
}
