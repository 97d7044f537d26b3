//! SAF-T of a random month of a shop in Lisbon, over HTTP: valid by the authority's schema, its
//! chains signed by the program, and its amounts those that the documents answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use encoding_rs::WINDOWS_1252;
use racun_kernel::Decimal;
use racun_tests::{
    Account, Client, Racun, Random, StoreKind, is_signed, on_both_stores, open_shop_in_lisbon,
};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

on_both_stores! {
    a_random_month_is_in_saft_as_its_documents_say,
}

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
    let mut shop = Shop {
        api,
        random: Random::new(seed),
        invoices: Vec::new(),
        paid: Vec::new(),
        voided: Vec::new(),
        invoiced: Vec::new(),
    };
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
    for encoding in ["windows-1252", "utf-8"] {
        let path = format!(
            "/fiscalization/pt/saf-t?from={year}-01-01&to={year}-12-31&encoding={encoding}"
        );
        let file = shop.api.file(&path).await;
        assert_valid(&file);
        let file = match encoding {
            "utf-8" => String::from_utf8(file).expect("UTF-8"),
            _ => WINDOWS_1252.decode(&file).0.into_owned(),
        };
        check(&file, &parts, &receipts, &invoiced);
    }
}

/// A shop on its way through the month.
struct Shop {
    api: Client,
    random: Random,
    /// Invoices that stand, and were not given back.
    invoices: Vec<Value>,
    /// Invoices that were paid, with a receipt.
    paid: Vec<Value>,
    /// Payments whose receipts were voided.
    voided: Vec<Value>,
    /// The numbers of estimates and delivery notes that were invoiced, and the invoices' ids.
    invoiced: Vec<(String, String)>,
}

impl Shop {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let count = u64::try_from(choices.len()).expect("few");
        choices[usize::try_from(self.random.below(count)).expect("few")]
    }

    async fn step(&mut self) {
        match self.random.below(15) {
            0..=4 => {
                let more = self.sale();
                let sold = self.sell(more).await;
                self.invoices.push(sold);
            }
            5 => {
                let estimate = self.sale();
                self.api.create("/estimates", &estimate).await;
            }
            6 => {
                let note = self.sale();
                let note = self.api.create("/delivery-notes", &note).await;
                if self.random.below(3) == 0 {
                    self.void("/delivery-notes", &note).await;
                }
            }
            7 | 8 => self.pay().await,
            9 => self.give_back().await,
            10 => {
                let Some(sold) = self.take(|_| true) else { return };
                self.void("/invoices", &sold).await;
            }
            11 => self.void_receipt().await,
            12 => self.void_paid().await,
            13 => self.invoice_what_was_agreed().await,
            _ => self.sell_in_advance().await,
        }
    }

    async fn sell(&mut self, more: Value) -> Value {
        let mut body = json!({"items": [{"name": "Pão", "price": 1, "taxes": [{"rate": 6}]}]});
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        self.api.create("/invoices", &body).await
    }

    /// What any document may say.
    fn sale(&mut self) -> Value {
        let items: Vec<Value> = (0..=self.random.below(4)).map(|_| self.line()).collect();
        let mut body = json!({ "items": items });
        if self.random.below(2) == 0 {
            let name = self.one_of(&["Ana São João", "Žiga Čuk & filhos", "Bor <Lda>"]);
            body["customer"] = json!({"name": name, "country_code": "PT", "address": "Rua 2"});
        }
        if self.random.below(3) == 0 {
            let rate = self.one_of(&["0.8637", "0.8645", "0.91", "1.07"]);
            let rate: Value = serde_json::from_str(rate).expect("a number");
            body["currency_code"] = json!("USD");
            body["exchange_rate"] = json!({ "rate": rate });
        }
        body
    }

    fn line(&mut self) -> Value {
        let rate = self.one_of(&[23, 13, 6, 0]);
        let mut tax = json!({ "rate": rate });
        if rate == 0 {
            tax["pt_exemption_code"] = json!("M07");
            tax["pt_exemption_reason"] = json!("Isento artigo 9.º do CIVA");
        }
        let price = format!("{}.{:02}", self.random.below(40), self.random.below(100));
        let price: Value = serde_json::from_str(&price).expect("a number");
        let mut line = json!({
            "name": self.one_of(&["Pão", "Café", "Livro «ž»", "Chá & bolo"]),
            "quantity": self.random.below(5) + 1, "price": price, "taxes": [tax],
        });
        if self.random.below(3) == 0 {
            line["discounts"] = json!([{"value": self.one_of(&[10, 33, 50])}]);
        }
        line
    }

    /// Receives some money, or all that is left, on an earlier invoice, or with a new one.
    async fn pay(&mut self) {
        if self.random.below(2) == 0 {
            let mut more = self.sale();
            let line = json!({"name": "Saco", "price": 1, "taxes": [{"rate": 23}]});
            more["items"].as_array_mut().expect("lines").push(line);
            more["payments"] = match self.random.below(2) {
                0 => json!([{"type": "cash"}]),
                _ => json!([{"type": "cash", "amount": 0.01}, {"type": "debit_card"}]),
            };
            self.sell(more).await;
            return;
        }
        let Some(sold) = self.take(|_| true) else { return };
        let due = sold["total_due"].clone();
        if !is_zero(&due) {
            let body = json!({"invoice_id": sold["id"], "type": "bank_transfer", "amount": due});
            self.api.create("/payments", &body).await;
            self.paid.push(sold);
        }
    }

    /// Voids an invoice that was paid, which takes its receipt first.
    async fn void_paid(&mut self) {
        let Some(sold) = self.paid.pop() else { return };
        let payments = self.api.all("/payments").await;
        let receipt = |own: &Value| own["invoice_id"] == sold["id"] && own["pt"].is_object();
        if let Some(payment) = payments.into_iter().find(receipt) {
            let path = format!("/invoices/{}/void", text(&sold, "id"));
            let refused = self.api.post(&path, &json!({"reason": "Erro"})).await.expect(422);
            assert_eq!(refused["cause"]["code"], "pt_receipt_holds");
            self.api.delete(&format!("/payments/{}", text(&payment, "id"))).await;
            self.voided.push(payment);
        }
        self.void("/invoices", &sold).await;
    }

    /// Invoices an estimate and a delivery note that were just made.
    async fn invoice_what_was_agreed(&mut self) {
        let mut body = self.sale();
        for own in ["customer", "currency_code", "exchange_rate"] {
            body.as_object_mut().expect("an object").remove(own);
        }
        let estimate = self.api.create("/estimates", &body).await;
        let note = self.api.create("/delivery-notes", &body).await;
        body["linked_documents"] = json!([estimate["id"], note["id"]]);
        let sold = self.sell(body).await;
        let pair = |own| (text(own, "number").to_owned(), text(&sold, "id").to_owned());
        self.invoiced.extend([&estimate, &note].map(pair));
        self.invoices.push(sold);
    }

    /// Is paid in advance, of which an invoice often takes some.
    async fn sell_in_advance(&mut self) {
        let line = self.line();
        let sign = json!({"name": "Sinal", "price": 1.35, "taxes": [{"rate": 23}]});
        let body = json!({"items": [line, sign], "payments": [{"type": "cash"}]});
        let advance = self.api.create("/advance-invoices", &body).await;
        if self.random.below(3) > 0 {
            let items: Vec<Value> = (0..=self.random.below(3)).map(|_| self.line()).collect();
            self.sell(json!({"items": items, "linked_documents": [advance["id"]]})).await;
        }
    }

    /// Gives an earlier invoice back, all of it.
    async fn give_back(&mut self) {
        let Some(sold) = self.take(|sold| !is_zero(&sold["total_with_tax"])) else { return };
        let field = |line: &Value, name: &str| line[name].clone();
        let items = sold["items"].as_array().expect("lines").iter();
        let items: Vec<Value> = items
            .map(|line| {
                let tax = &line["taxes"][0];
                let mut own = json!({ "rate": tax["rate"] });
                for name in ["pt_exemption_code", "pt_exemption_reason"] {
                    if tax[name].is_string() {
                        own[name] = tax[name].clone();
                    }
                }
                json!({
                    "name": field(line, "name"), "quantity": field(line, "quantity"),
                    "price": field(line, "price"), "discounts": field(line, "discounts"),
                    "taxes": [own],
                })
            })
            .collect();
        let mut body = json!({ "items": items, "linked_documents": [sold["id"]] });
        if sold["exchange_rate"].is_object() {
            body["currency_code"] = sold["currency_code"].clone();
            body["exchange_rate"] = json!({ "rate": sold["exchange_rate"]["rate"] });
        }
        self.api.create("/credit-notes", &body).await;
    }

    async fn void(&self, path: &str, document: &Value) {
        let path = format!("{path}/{}/void", text(document, "id"));
        let body = json!({ "reason": "Erro" });
        self.api.json("POST", &path, body.to_string()).await.expect(200);
    }

    async fn void_receipt(&mut self) {
        let paid = self.api.all("/payments").await;
        let receipt = paid.into_iter().find(|payment| payment["pt"].is_object());
        let Some(payment) = receipt else { return };
        self.api.delete(&format!("/payments/{}", text(&payment, "id"))).await;
        self.voided.push(payment);
    }

    /// Takes one of the invoices that stand, if it is as it has to be.
    fn take(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let place = self.invoices.iter().position(fits)?;
        Some(self.invoices.remove(place))
    }

    /// Number, euros and whether it holds of each receipt, of the payments of `sales`.
    async fn receipts(&self, sales: &[Value]) -> BTreeMap<String, (Decimal, bool)> {
        let live = self.api.all("/payments").await;
        let live = live.iter().map(|payment| (payment, true));
        let all = live.chain(self.voided.iter().map(|payment| (payment, false)));
        all.filter(|(payment, _)| payment["pt"].is_object())
            .map(|(payment, holds)| {
                let sold = sales.iter().find(|sold| sold["id"] == payment["invoice_id"]);
                let rate = &sold.expect("its invoice")["exchange_rate"]["rate"];
                let amount = decimal(&payment["amount"]);
                let euros = match rate {
                    Value::Null => amount,
                    rate => racun_kernel::Currency::EUR.round(&(&amount * &decimal(rate))),
                };
                (text(&payment["pt"], "number").to_owned(), (euros, holds))
            })
            .collect()
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

fn decimal(number: &Value) -> Decimal {
    number.to_string().parse().unwrap_or_else(|_| panic!("{number} is no number"))
}

fn is_zero(number: &Value) -> bool {
    decimal(number).is_zero()
}

/// An amount of `document` in euros.
fn euros(document: &Value, name: &str) -> Decimal {
    match &document[&format!("{name}_converted")] {
        Value::Null => decimal(&document[name]),
        converted => decimal(converted),
    }
}

/// Asserts that `file` is valid by the authority's schema, but for its assertions.
fn assert_valid(file: &[u8]) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("saft.xml");
    std::fs::write(&path, file).unwrap_or_else(|error| panic!("{error}"));
    let schema = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors/portugal/schemas/SAFTPT_1_04_01_xsd10.xsd");
    let output = racun_test_postgres::program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .args([&schema, &path])
        .output()
        .unwrap_or_else(|error| panic!("xmllint: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(file));
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
        let sold = parts["SalesInvoices"].iter().find(|own| text(own, "number") == settled);
        let is_void = !sold.expect("what it settles")["voided_at"].is_null();
        assert!(!(*holds && is_void), "a receipt settles {settled}, which is void");
    }
    let held = receipts.values().filter(|(_, holds)| *holds).map(|(euros, _)| euros.clone());
    let stated = section.map_or_else(Decimal::zero, |section| amount(section, "TotalCredit"));
    assert_eq!(stated, sum(held), "receipts");
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
    for (element, field) in
        [("ATCUD", "atcud"), ("Hash", "hash"), ("SystemEntryDate", "system_entry_date")]
    {
        assert_eq!(said(node, element), text(pt, field), "{number}");
    }
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
    let lines = node.children().filter(|node| node.has_tag_name("Line"));
    let lines = lines.map(|line| &amount(line, "CreditAmount") + &amount(line, "DebitAmount"));
    assert_eq!(sum(lines), net, "{number}");
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
