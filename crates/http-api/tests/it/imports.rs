//! Received electronic invoices become drafts of expenses.

use std::fs;
use std::path::Path;

use futures_util::future::join_all;
use racun_einvoicing::{
    Account, Facts, FactsKind, Line, LineTax, Party, Price, Priced, Sale, Sells, Specification,
    Syntax, TaxTotal, Texts, Totals, eslog, write,
};
use racun_kernel::{Currency, Decimal};
use serde_json::{Value, json};
use time::macros::date;

use crate::files::{Sent, form};
use crate::harness::{Answer, Api, Who, text};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn line(name: &str, quantity: &str, price: &str, total: &str) -> Line {
    let tax = LineTax {
        rate: decimal("22"),
        reverse_charge: false,
        classification: None,
        exemption_reason: None,
        amount: Decimal::zero(),
    };
    Line::Priced(Box::new(Priced {
        name: name.to_owned(),
        description: some("as ordered"),
        sells: Some(Sells::Goods),
        quantity: decimal(quantity),
        unit: some("kos"),
        unit_code: None,
        price: Price::Net(decimal(price)),
        discounts: Vec::new(),
        taxes: vec![tax],
        total: decimal(total),
    }))
}

/// An invoice of a supplier in Slovenia.
fn facts(kind: FactsKind) -> Facts {
    Facts {
        kind,
        number: "D-2026-17".to_owned(),
        date: date!(2026 - 11 - 18),
        date_due: Some(date!(2026 - 12 - 18)),
        date_service: Some(date!(2026 - 11 - 17)),
        date_service_to: None,
        currency: Currency::EUR,
        issuer_currency: Currency::EUR,
        sale: Sale::Domestic,
        issuer: Party {
            name: some("Dobavitelj d.o.o."),
            email: some("racuni@example.com"),
            phone: some("+386 1 234 56 78"),
            address: some("Slovenska cesta 1"),
            post_code: some("1000"),
            city: some("Ljubljana"),
            country_code: some("SI"),
            tax_number: some("SI10039856"),
            company_number: some("1234567000"),
            ..Party::default()
        },
        customer: Some(Party {
            name: some("Pri Ani"),
            address: some("Pot 2"),
            post_code: some("2000"),
            city: some("Maribor"),
            country_code: some("SI"),
            tax_number: some("SI50000004"),
            ..Party::default()
        }),
        texts: Texts::default(),
        reference: some("SI00 17"),
        accounts: vec![Account { number: "SI56263300012039086".to_owned(), bic: None }],
        paid_by: None,
        preceding: Vec::new(),
        delivery_note: None,
        lines: vec![line("Kolo", "3", "25", "75"), line("Zvonec", "2", "12.5", "25")],
        totals: Totals {
            total: decimal("100"),
            total_with_tax: decimal("122"),
            taxes: vec![TaxTotal {
                rate: decimal("22"),
                reverse_charge: false,
                amount: decimal("22"),
            }],
            paid: Decimal::zero(),
            converted_tax: None,
        },
    }
}

fn ubl(kind: FactsKind) -> String {
    write(&facts(kind), Specification::En16931, Syntax::Ubl).unwrap().xml
}

/// The invoice by Peppol BIS, whose receiver has an address and a reference.
fn peppol() -> String {
    let mut facts = facts(FactsKind::Invoice);
    let customer = facts.customer.as_mut().unwrap();
    customer.peppol_id = some("9949:SI50000004");
    customer.buyer_reference = some("PO-1");
    write(&facts, Specification::Peppol, Syntax::Ubl).unwrap().xml
}

async fn import(api: &Api, who: &Who, name: &str, kind: &str, content: &[u8]) -> Answer {
    let file = Sent(content, name, kind);
    api.call(who.sign(form("/expenses/import", &file, &[]))).await
}

async fn import_xml(api: &Api, who: &Who, xml: &str) -> Answer {
    import(api, who, "invoice.xml", "application/xml", xml.as_bytes()).await
}

async fn suppliers(api: &Api, who: &Who) -> Vec<Value> {
    let page = api.get("/suppliers?limit=100", who).await.with(200).json();
    page["data"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn an_invoice_in_each_form_becomes_a_draft() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let cii = write(&facts(FactsKind::Invoice), Specification::En16931, Syntax::Cii).unwrap().xml;
    let of_eslog = eslog::write(&facts(FactsKind::Invoice)).unwrap().xml;
    for xml in [ubl(FactsKind::Invoice), cii, of_eslog] {
        let made = import_xml(&api, &owner, &xml).await.with(201).json();
        let expected = json!({
            "is_draft": true, "supplier_document_number": "D-2026-17", "currency_code": "EUR",
            "total": 100, "total_with_tax": 122,
        });
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&made[field], value, "{field} of {made}");
        }
        assert!(text(&made["date"]).starts_with("2026-11-18"));
        assert!(text(&made["date_due"]).starts_with("2026-12-18"));
        assert_eq!(made["supplier"]["name"], "Dobavitelj d.o.o.");
        assert_eq!(made["supplier"]["tax_number"], "SI10039856");
        assert_eq!(made["supplier"]["bank_accounts"][0]["iban"], "SI56263300012039086");
        let items = made["items"].as_array().unwrap();
        assert_eq!(items.len(), 2);
        assert_eq!((&items[0]["name"], &items[0]["total"]), (&json!("Kolo"), &json!(75)));
        assert_eq!((&items[1]["price"], &items[1]["quantity"]), (&json!(12.5), &json!(2)));
        assert_eq!(items[0]["taxes"][0]["rate"], 22);
        assert_eq!(made["taxes"][0]["amount"], 22);
        let id = text(&made["id"]);
        let kept = api.get(&format!("/expenses/{id}/attachments"), &owner).await.with(200).json();
        assert_eq!(kept["data"][0]["filename"], "invoice.xml");
        let file = text(&kept["data"][0]["id"]);
        let bytes = api.get(&format!("/files/{file}/download"), &owner).await.with(200).text;
        assert_eq!(bytes, xml, "the file is kept as it came");
        api.post(&format!("/expenses/{id}/finalize"), &owner, json!({})).await.with(200);
    }
    assert_eq!(suppliers(&api, &owner).await.len(), 1, "it is the same supplier each time");
}

#[actix_web::test]
async fn a_pdf_is_read_by_the_invoice_in_it() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let pdf = include_bytes!("../../../einvoicing/tests/it/vectors/samples/hybrid/invoice.pdf");
    let made = import(&api, &owner, "invoice.pdf", "application/pdf", pdf).await;
    let made = made.with(201).json();
    assert_eq!(made["is_draft"], true);
    assert!(!made["items"].as_array().unwrap().is_empty());
}

#[actix_web::test]
async fn what_does_not_add_up_is_refused_with_the_numbers_of_its_rules() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (from, to, rule) in [
        (">75.00</cbc:LineExtensionAmount>", ">76.00</cbc:LineExtensionAmount>", "BR-CO-10"),
        (">122.00</cbc:TaxInclusiveAmount>", ">123.00</cbc:TaxInclusiveAmount>", "BR-CO-15"),
        (">122.00</cbc:PayableAmount>", ">121.00</cbc:PayableAmount>", "BR-CO-16"),
        (">25</cbc:PriceAmount>", ">24</cbc:PriceAmount>", "PEPPOL-EN16931-R120"),
    ] {
        let xml = if rule.starts_with("PEPPOL") { peppol() } else { ubl(FactsKind::Invoice) };
        assert!(xml.contains(from), "{from} is not in\n{xml}");
        let refused = import_xml(&api, &owner, &xml.replacen(from, to, 1)).await.with(422);
        assert!(refused.text.contains(&format!("{rule}:")), "{rule}: {refused:?}");
        assert_eq!(refused.issue(), (r#"["file"]"#.to_owned(), "e_invoice_rule".to_owned()));
    }
    let note = import_xml(&api, &owner, &ubl(FactsKind::CreditNote)).await.with(422);
    assert_eq!(note.issue().1, "credit_note_not_supported");
    let nothing = api.get("/expenses", &owner).await.with(200).json();
    assert_eq!(nothing["data"], json!([]));
    assert_eq!(api.get("/files", &owner).await.with(200).json()["data"], json!([]));
    assert!(suppliers(&api, &owner).await.is_empty());
}

#[actix_web::test]
async fn a_line_that_does_not_multiply_is_entered_as_one_of_its_amount() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let xml = ubl(FactsKind::Invoice).replacen(">25</cbc:PriceAmount>", ">24</cbc:PriceAmount>", 1);
    let made = import_xml(&api, &owner, &xml).await.with(201).json();
    let item = &made["items"][0];
    let figures = (&item["quantity"], &item["price"], &item["total"]);
    assert_eq!(figures, (&json!(1), &json!(75), &json!(75)), "{item}");
    assert_eq!((&item["unit"], &item["name"]), (&json!(null), &json!("Kolo")));
    assert_eq!(item["description"], "as ordered\n3 H87 × 24");
    assert_eq!((&made["items"][1]["quantity"], &made["total"]), (&json!(2), &json!(100)));
}

#[actix_web::test]
async fn what_is_legal_on_a_received_invoice_and_not_on_an_expense_is_left_out() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let xml = ubl(FactsKind::Invoice)
        .replacen("<cbc:DueDate>2026-12-18<", "<cbc:DueDate>2026-11-17<", 1)
        .replacen("racuni@example.com", "racuni@example", 2);
    let made = import_xml(&api, &owner, &xml).await.with(201).json();
    assert_eq!((&made["date_due"], &made["supplier"]["email"]), (&json!(null), &json!(null)));
    assert_eq!(suppliers(&api, &owner).await[0]["email"], json!(null));
}

#[actix_web::test]
async fn yen_with_a_discount_of_a_line_are_read_back() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let mut facts = facts(FactsKind::Invoice);
    facts.currency = "JPY".parse().unwrap();
    facts.lines = vec![line("Kolo", "3", "12.3456", "33")];
    if let Line::Priced(line) = &mut facts.lines[0] {
        line.discounts = vec![racun_einvoicing::Discount::Percent(decimal("10"))];
    }
    let tax = TaxTotal { rate: decimal("22"), reverse_charge: false, amount: decimal("7") };
    facts.totals = Totals {
        total: decimal("33"),
        total_with_tax: decimal("40"),
        taxes: vec![tax],
        paid: Decimal::zero(),
        converted_tax: Some((Currency::EUR, decimal("0.04"))),
    };
    for syntax in [Syntax::Ubl, Syntax::Cii] {
        let written = write(&facts, Specification::En16931, syntax).unwrap();
        let made = import_xml(&api, &owner, &written.xml).await.with(201).json();
        assert_eq!((&made["currency_code"], &made["total"]), (&json!("JPY"), &json!(33)));
        let figures = (&made["total_with_tax"], &made["total_discount"]);
        assert_eq!(figures, (&json!(40), &json!(4)), "{made}");
    }
}

/// Samples that are valid by the specification that they name, with their names.
fn valid_samples() -> Vec<(String, Vec<u8>)> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR"));
    let samples = place.join("../einvoicing/tests/it/vectors/samples");
    let folders = ["en16931", "eslog", "facturx", "facturx-pdf", "peppol", "xrechnung"];
    let files = folders.map(|folder| fs::read_dir(samples.join(folder).join("valid")).unwrap());
    let mut found: Vec<(String, Vec<u8>)> = files
        .into_iter()
        .flatten()
        .map(|file| file.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    found.sort();
    found
}

#[actix_web::test]
async fn officially_valid_invoices_are_taken_and_credit_notes_refused_as_such() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let (mut taken, mut refused) = (0, Vec::new());
    for (name, content) in valid_samples() {
        // Lines in lines of EXTENDED, which EN 16931 does not have and adds up twice.
        if String::from_utf8_lossy(&content).contains("LineStatusReasonCode>GROUP<") {
            import(&api, &owner, "a", "application/xml", &content).await.with(422);
            continue;
        }
        let kind = if name.ends_with("pdf") { "application/pdf" } else { "application/xml" };
        let answer = import(&api, &owner, "a", kind, &content).await;
        if answer.status == 201 {
            taken += 1;
        } else if !answer.text.contains("credit_note_not_supported") {
            refused.push(format!("{name}: {}", answer.text));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(taken > 60, "{taken}");
}

#[actix_web::test]
async fn what_is_added_to_a_line_is_a_line_behind_it() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    // Three for 25 and 5 for freight come to 80, and the rest is as it was.
    let charge = "<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator>\
                  <cbc:AllowanceChargeReason>Freight</cbc:AllowanceChargeReason>\
                  <cbc:Amount currencyID=\"EUR\">5.00</cbc:Amount></cac:AllowanceCharge><cac:Item>";
    let mut xml = ubl(FactsKind::Invoice).replacen("<cac:Item>", charge, 1);
    for (from, to) in [
        (">75.00</cbc:LineExtensionAmount>", ">80.00</cbc:LineExtensionAmount>"),
        (">100.00</cbc:LineExtensionAmount>", ">105.00</cbc:LineExtensionAmount>"),
        (">100.00</cbc:TaxExclusiveAmount>", ">105.00</cbc:TaxExclusiveAmount>"),
        (">100.00</cbc:TaxableAmount>", ">105.00</cbc:TaxableAmount>"),
        (">122.00</cbc:TaxInclusiveAmount>", ">128.10</cbc:TaxInclusiveAmount>"),
        (">122.00</cbc:PayableAmount>", ">128.10</cbc:PayableAmount>"),
    ] {
        assert!(xml.contains(from), "{from} is not in\n{xml}");
        xml = xml.replacen(from, to, 1);
    }
    let xml = xml.replace(">22.00</cbc:TaxAmount>", ">23.10</cbc:TaxAmount>");
    let made = import_xml(&api, &owner, &xml).await.with(201).json();
    let items = made["items"].as_array().unwrap();
    assert_eq!(items.len(), 3, "{made}");
    for item in items {
        let of = |field: &str| item[field].to_string().parse::<Decimal>().unwrap();
        assert_eq!(&of("quantity") * &of("price"), of("total"), "{item}");
    }
    assert_eq!((&items[0]["total"], &items[1]["total"]), (&json!(75), &json!(5)));
    assert_eq!(items[1]["name"], "Freight: Kolo");
    assert_eq!(made["total"], 105);
}

#[actix_web::test]
async fn files_that_attack_or_are_no_invoice_are_refused_and_nothing_is_kept() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
    let external = "<?xml version=\"1.0\"?><!DOCTYPE Invoice SYSTEM \"file:///etc/passwd\">\
                    <Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\"/>";
    for xml in [bomb, external] {
        let refused = import_xml(&api, &owner, xml).await.with(422);
        assert_eq!(refused.issue(), (r#"["file"]"#.to_owned(), "dtd_not_allowed".to_owned()));
        assert!(!refused.text.contains("root:"));
    }
    let empty = import_xml(&api, &owner, "").await.with(422);
    assert_eq!(empty.issue(), (r#"["file"]"#.to_owned(), "required".to_owned()));
    for other in ["hello", "<html/>", "%PDF-1.7 nothing"] {
        let refused = import_xml(&api, &owner, other).await.with(422);
        assert_eq!(refused.issue().1, "not_an_invoice", "{other}");
    }
    let latin = import(&api, &owner, "a.xml", "application/xml", b"<a>\xe8</a>").await.with(422);
    assert_eq!(latin.issue().1, "invalid_encoding");
    let large = vec![b' '; racun_einvoicing::MAX_BYTES + 128 * 1024];
    import(&api, &owner, "large.xml", "application/xml", &large).await.with(413);
    let larger = vec![b' '; 50 * 1024 * 1024];
    import(&api, &owner, "larger.xml", "application/xml", &larger).await.with(413);
    for path in ["/files", "/expenses", "/suppliers"] {
        let page = api.get(path, &owner).await.with(200).json();
        assert_eq!(page["data"], json!([]), "{path}");
    }
    let viewer = api.member(&owner, "viewer@example.com", "viewer").await;
    import_xml(&api, &viewer, &ubl(FactsKind::Invoice)).await.with(403);
}

#[actix_web::test]
async fn twenty_invoices_of_a_new_supplier_at_once_make_one_supplier() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let imports = (0..20).map(|n| {
        let xml = ubl(FactsKind::Invoice).replace("D-2026-17", &format!("D-2026-{n}"));
        let (api, owner) = (&api, &owner);
        async move { import_xml(api, owner, &xml).await }
    });
    let made: Vec<Value> =
        join_all(imports).await.into_iter().map(|answer| answer.with(201).json()).collect();
    let supplier = suppliers(&api, &owner).await;
    assert_eq!(supplier.len(), 1, "{supplier:?}");
    for expense in &made {
        assert_eq!(expense["supplier_id"], supplier[0]["id"]);
    }
    // One that is written otherwise is the same, and one of another number is not.
    let other = ubl(FactsKind::Invoice).replace("SI10039856", "10039856");
    let same = import_xml(&api, &owner, &other).await.with(201).json();
    assert_eq!(same["supplier_id"], supplier[0]["id"]);
}
