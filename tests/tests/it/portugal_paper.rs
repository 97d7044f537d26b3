//! What a shop in Portugal prints: the law's sentences as text, and the QR code as another program
//! reads it, field by field as the document has them.

use std::collections::BTreeMap;

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
    for document in [&sold, &credit, &estimate, &delivery] {
        let path = format!("/documents/{}/pdf", text(document, "id"));
        let pt = &document["pt"];
        let said = format!(
            "{}-Processado por programa certificado n.º {}/AT",
            text(pt, "hash_excerpt"),
            certificate(pt)
        );
        let read = printed(&api, &path, pt, text(document, "number"), &said).await;
        let Some(read) = read else { return };
        let read = fields(&read);
        assert_eq!(read["Q"], text(pt, "hash_excerpt"));
        assert_eq!(read["D"], text(pt, "document_code"));
        assert_eq!(read["F"], text(document, "date").get(..10).expect("a day").replace('-', ""));
        assert_eq!((read["O"], read["N"]), ("12.30", "2.30"), "{read:?}");
    }
    let third = api.create("/invoices", &sale(json!({}))).await;
    let paid = json!({ "invoice_id": third["id"], "type": "cash", "amount": 5 });
    let paid = api.create("/payments", &paid).await;
    let path = format!("/payments/{}/receipt", text(&paid, "id"));
    let pt = &paid["pt"];
    let said = format!("Emitido por programa certificado n.º {}/AT", certificate(pt));
    let Some(read) = printed(&api, &path, pt, text(pt, "number"), &said).await else { return };
    let read = fields(&read);
    assert_eq!((read["Q"], read["D"], read["O"]), ("0", "RG", "5.00"), "{read:?}");
}

fn sale(mut more: Value) -> Value {
    more["items"] = json!([{ "name": "Pão", "price": 10, "taxes": [{ "rate": 23 }] }]);
    more
}

fn certificate(pt: &Value) -> u64 {
    pt["certificate_number"].as_u64().expect("a number")
}

/// What the code of the paper at `path` says, which is what `pt` says. The paper has the unique
/// code, `number` and `said` as text.
async fn printed(api: &Client, path: &str, pt: &Value, number: &str, said: &str) -> Option<String> {
    let pdf = api.file(path).await;
    let text_of = pdf_text(&pdf).split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [&format!("ATCUD:{}", text(pt, "atcud")), number, said] {
        assert!(text_of.contains(wanted), "{path}: {wanted} is not in\n{text_of}");
    }
    let codes = qr_codes(&pdf)?;
    assert_eq!(codes, [text(pt, "qr_payload")], "{path}");
    let read = fields(&codes[0]);
    assert_eq!((read["G"], read["H"]), (number, text(pt, "atcud")));
    assert_eq!(read["R"], certificate(pt).to_string());
    codes.into_iter().next()
}
