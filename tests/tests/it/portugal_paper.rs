//! What a shop in Portugal prints: the law's sentences as text, and the QR code as another program
//! reads it, field by field as the document has them.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use racun_tests::{
    Account, Client, Racun, StoreKind, on_both_stores, open_shop_in_lisbon, pdf_text, qr_codes,
};
use serde_json::{Value, json};

on_both_stores! {
    documents_and_receipts_print_their_marks_and_codes,
}

/// A field of `value` as text.
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// The fields of a code, by their letters (AT, technical specification of the QR code, 2020).
fn fields(payload: &str) -> BTreeMap<&str, &str> {
    payload.split('*').map(|field| field.split_once(':').expect("a letter and a value")).collect()
}

async fn documents_and_receipts_print_their_marks_and_codes(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let kinds = ["invoice", "credit_note", "delivery_note", "estimate", "payment"];
    let entity = open_shop_in_lisbon(&account, &kinds).await;
    let api = account.api.clone().with("x-entity-id", &entity);
    let sold = api.create("/invoices", &sale(json!({}))).await;
    let credit = sale(json!({ "linked_documents": [sold["id"]] }));
    let credit = api.create("/credit-notes", &credit).await;
    let estimate = api.create("/estimates", &sale(json!({}))).await;
    let delivery = api.create("/delivery-notes", &sale(json!({}))).await;
    let customer = json!({ "name": "Bor", "tax_number": "PT504030108", "country_code": "PT" });
    let named = api.create("/invoices", &all_rates(&customer, 2)).await;
    let foreign = json!({ "name": "Bor GmbH", "tax_number": "DE123456788", "country_code": "DE" });
    let long = api.create("/invoices", &all_rates(&foreign, 40)).await;
    for document in [&sold, &credit, &estimate, &delivery, &named, &long] {
        let paper = printed_document(&api, document).await;
        let pages: Vec<&str> =
            paper.split('\u{c}').filter(|page| !page.trim().is_empty()).collect();
        let is_long = document["id"] == long["id"];
        assert_eq!(pages.len() > 1, is_long, "{paper}");
        let has_exempt = document["id"] == named["id"] || is_long;
        let reason = words(&paper).contains("M07 - Isento artigo 9.º do CIVA");
        assert_eq!(reason, has_exempt, "why no tax is charged:\n{paper}");
        let unique = format!("ATCUD:{}", text(&document["pt"], "atcud"));
        for page in pages {
            assert!(page.contains(&unique), "{unique} is not on\n{page}");
            assert!(page.contains(text(document, "number")), "its number is not on\n{page}");
        }
    }
    let form = json!({ "manual": true, "manual_series_code": "V", "manual_sequential_number": 23 });
    let series = json!({
        "document_type": "invoice", "series_code": "M", "start_date": "2026-01-01",
        "is_manual": true,
    });
    api.create("/fiscalization/pt/atcud-series", &series).await;
    let recovered = api.create("/invoices", &sale(json!({ "pt": form }))).await;
    let voided = api.create("/invoices", &sale(json!({}))).await;
    let path = format!("/invoices/{}/void", text(&voided, "id"));
    api.post(&path, &json!({ "reason": "Erro" })).await.expect(200);
    let (copied, void) = ("Cópia do documento original - FTM V/23", "anulado");
    for (document, is_copied, is_void) in
        [(&recovered, true, false), (&voided, false, true), (&sold, false, false)]
    {
        let paper = words(&printed_document(&api, document).await);
        assert_eq!(paper.contains(copied), is_copied, "{paper}");
        assert_eq!(paper.to_lowercase().contains(void), is_void, "{paper}");
    }
    let third = api.create("/invoices", &sale(json!({}))).await;
    let paid = json!({ "invoice_id": third["id"], "type": "cash", "amount": 5 });
    let paid = api.create("/payments", &paid).await;
    let path = format!("/payments/{}/receipt", text(&paid, "id"));
    let pt = &paid["pt"];
    let said = format!("Emitido por programa certificado n.º {}/AT", certificate(pt));
    let pdf = api.file(&path).await;
    assert_printed(&pdf, pt, text(pt, "number"), &said);
    let read = fields(text(pt, "qr_payload"));
    assert_eq!((read["Q"], read["D"], read["O"]), ("0", "RG", "5.00"), "{read:?}");
    assert_eq!((read["A"], read["B"], read["I1"]), ("501442600", "999999990", "0"), "{read:?}");
}

fn sale(mut more: Value) -> Value {
    more["items"] = json!([{ "name": "Pão", "price": 10, "taxes": [{ "rate": 23 }] }]);
    more
}

/// A sale of each rate to `customer`, `times` over.
fn all_rates(customer: &Value, times: usize) -> Value {
    let exempt = json!({
        "rate": 0, "pt_exemption_code": "M07",
        "pt_exemption_reason": "Isento artigo 9.º do CIVA",
    });
    let line = |name: &str, tax: Value| json!({ "name": name, "price": 1.15, "taxes": [tax] });
    let lines = [
        line("Pão", json!({ "rate": 23 })),
        line("Bolo", json!({ "rate": 13 })),
        line("Livro", json!({ "rate": 6 })),
        line("Aula", exempt),
    ];
    let lines: Vec<&Value> = std::iter::repeat_n(&lines, times).flatten().collect();
    json!({ "customer": customer, "items": lines })
}

/// The words of `paper`, with a blank between two.
fn words(paper: &str) -> String {
    paper.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn certificate(pt: &Value) -> u64 {
    pt["certificate_number"].as_u64().expect("a number")
}

/// The text of the paper of `document`, which has what the law asks for; its code says what the
/// document does, field by field.
async fn printed_document(api: &Client, document: &Value) -> String {
    let pt = &document["pt"];
    let said = format!(
        "{}-Processado por programa certificado n.º {}/AT",
        text(pt, "hash_excerpt"),
        certificate(pt)
    );
    let pdf = api.file(&format!("/documents/{}/pdf", text(document, "id"))).await;
    let paper = assert_printed(&pdf, pt, text(document, "number"), &said);
    let payload = text(pt, "qr_payload");
    let read = fields(payload);
    let read: BTreeMap<&str, String> =
        read.into_iter().map(|(key, value)| (key, value.to_owned())).collect();
    assert_eq!(read, expected(document), "{payload}");
    paper
}

/// The fields that the code of `document` has, by what the interface answers of it.
fn expected(document: &Value) -> BTreeMap<&'static str, String> {
    let pt = &document["pt"];
    let customer = &document["customer"];
    let own = |value: &str| value.to_owned();
    let number = customer["tax_number"].as_str().map(|own| own.trim_start_matches("PT"));
    let day = text(document, "date").get(..10).expect("a day").replace('-', "");
    let (net, gross) = (decimal(&document["total"]), decimal(&document["total_with_tax"]));
    let mut fields = BTreeMap::from([
        ("A", own("501442600")),
        ("B", own(number.unwrap_or("999999990"))),
        ("C", own(customer["country_code"].as_str().unwrap_or("PT"))),
        ("D", own(text(pt, "document_code"))),
        ("E", own("N")),
        ("F", day),
        ("G", own(text(document, "number"))),
        ("H", own(text(pt, "atcud"))),
        ("I1", own(text(pt, "region"))),
        ("N", (&gross - &net).padded(2)),
        ("O", gross.padded(2)),
        ("Q", own(text(pt, "hash_excerpt"))),
        ("R", certificate(pt).to_string()),
    ]);
    for tax in document["taxes"].as_array().expect("taxes") {
        let (base, amount) = match tax["rate"].to_string().as_str() {
            "6" => ("I3", Some("I4")),
            "13" => ("I5", Some("I6")),
            "23" => ("I7", Some("I8")),
            _ => ("I2", None),
        };
        fields.insert(base, decimal(&tax["base"]).padded(2));
        fields.extend(amount.map(|key| (key, decimal(&tax["amount"]).padded(2))));
    }
    fields
}

fn decimal(number: &Value) -> Decimal {
    number.to_string().parse().unwrap_or_else(|_| panic!("{number} is no number"))
}

/// Asserts that the paper has the unique code, `number` and `said` as text, and one QR code, which
/// says what `pt` does where a program reads it; answers its text.
fn assert_printed(pdf: &[u8], pt: &Value, number: &str, said: &str) -> String {
    let paper = pdf_text(pdf);
    let words = words(&paper);
    for wanted in [&format!("ATCUD:{}", text(pt, "atcud")), number, said] {
        assert!(words.contains(wanted), "{number}: {wanted} is not in\n{words}");
    }
    // The text is compared also where nothing reads codes, which is said in one line.
    if let Some(codes) = qr_codes(pdf) {
        assert_eq!(codes, [text(pt, "qr_payload")], "{number}");
    }
    paper
}
