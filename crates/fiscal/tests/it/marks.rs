//! ZOI and ZKI, and what the printed codes of both countries hold.

use racun_fiscal::{
    Authority, CodedFacts, Numbering, ProtectiveCode, SaleKind, SigningFailed, fina, furs,
};
use racun_kernel::Decimal;
use serde_json::Value;

use crate::world::{
    Broken, Key, decimal, group, instant, invoice, invoice_arguments, place_of, read, receipt,
    receipt_arguments, sale, text, wall_clock,
};

#[test]
fn zoi_is_the_known_one_and_so_is_the_text_that_is_signed() {
    let file = read("furs.json");
    for vector in group(&file, "vectors", "zoi") {
        let (input, expect) = (&vector["input"], &vector["expect"]);
        let tax_number = input["tax_number"].to_string();
        let premise = text(input, "business_premise_id");
        let place = place_of(premise, text(input, "electronic_device_id"), Numbering::PerDevice);
        let facts = CodedFacts {
            taxpayer: &tax_number,
            issued_at: Authority::Furs.local(instant(input, "issue_instant_utc")),
            number: text(input, "invoice_number"),
            place: &place,
            total: &decimal(text(input, "invoice_amount_in")),
        };
        assert_eq!(facts.text(), text(expect, "signed_content"), "{vector}");
        let zoi = facts.sign(&Key::of(&file, text(vector, "key"))).unwrap();
        assert_eq!(zoi.to_string(), text(expect, "zoi"), "{vector}");
    }
}

#[test]
fn the_code_of_sixty_digits_is_the_known_one() {
    let file = read("furs.json");
    for vector in group(&file, "vectors", "qr") {
        let input = &vector["input"];
        let invoice = furs::Invoice {
            tax_number: input["tax_number"].to_string(),
            issued_at: wall_clock(text(input, "issue_local")),
            zoi: text(input, "zoi").parse().unwrap(),
            ..invoice(&sale(SaleKind::Invoice, "1.00"))
        };
        assert_eq!(invoice.qr(), text(&vector["expect"], "qr60"), "{vector}");
    }
}

#[test]
fn zki_is_the_known_one_and_so_is_the_text_that_is_signed() {
    let file = read("fina.json");
    for vector in group(&file, "public", "zki") {
        let premise = text(vector, "ozn_pos_pr");
        let place = place_of(premise, text(vector, "ozn_nap_ur"), Numbering::PerDevice);
        let facts = CodedFacts {
            taxpayer: text(vector, "oib"),
            issued_at: wall_clock(text(vector, "issued_local")),
            number: text(vector, "br_ozn_rac"),
            place: &place,
            total: &cents(vector, "total_cents"),
        };
        assert_eq!(facts.text(), text(vector, "payload"));
        let zki = facts.sign(&Key::of(&file, text(vector, "key"))).unwrap();
        assert_eq!(zki.to_string(), text(vector, "zki_rsa_sha256"), "{vector}");
    }
}

#[test]
fn the_croatian_address_is_the_known_one_by_jir_and_by_zki() {
    let file = read("fina.json");
    for vector in group(&file, "public", "qr") {
        let value = text(vector, "value");
        let is_jir = text(vector, "kind") == "jir";
        let known = receipt(&sale(SaleKind::Invoice, "1.00"));
        let receipt = fina::Receipt {
            issued_at: wall_clock(text(vector, "issued_local")),
            total: cents(vector, "total_cents"),
            zki: if is_jir { known.zki.clone() } else { value.parse().unwrap() },
            ..known
        };
        assert_eq!(receipt.qr(is_jir.then_some(value)), text(vector, "url"), "{vector}");
    }
}

#[test]
fn amounts_and_times_are_written_alike_in_message_mark_and_code() {
    let file = read("fina.json");
    for vector in group(&file, "public", "amount") {
        let total = cents(vector, "cents");
        let kind = if total.is_negative() { SaleKind::CreditNote } else { SaleKind::Invoice };
        let receipt = receipt(&sale(kind, &total.abs().to_string()));
        let xml = receipt.xml(&crate::world::header(), false);
        let expected = text(vector, "xml");
        assert!(xml.contains(&format!("<tns:IznosUkupno>{expected}</tns:IznosUkupno>")), "{xml}");
        assert!(receipt.qr(None).ends_with(&format!("&izn={}", text(vector, "qr"))), "{vector}");
        // The signer of this test answers what it is given, so the mark is that of the text.
        let signed = format!("1234567890320.11.2026 12:00:0017PREM11{expected}");
        assert_eq!(receipt.zki, ProtectiveCode::of(signed.as_bytes()));
    }
    for vector in group(&file, "public", "datetime") {
        let sold = sale(SaleKind::Invoice, "1.00");
        let issued_at = instant(vector, "utc");
        let arguments = fina::IssueArguments { issued_at, ..receipt_arguments(&sold) };
        let receipt = fina::Receipt::issue(arguments, &crate::world::Echo).unwrap();
        let (xml, time) = (receipt.xml(&crate::world::header(), false), text(vector, "xml"));
        assert!(xml.contains(&format!("<tns:DatVrijeme>{time}</tns:DatVrijeme>")), "{xml}");
        assert!(receipt.qr(None).contains(&format!("&datv={}&", text(vector, "qr"))), "{vector}");
        let signed = format!("12345678903{}17PREM111.00", text(vector, "zki"));
        assert_eq!(receipt.zki, ProtectiveCode::of(signed.as_bytes()));
        assert_eq!(receipt.issued_at.date(), crate::world::date(vector, "local_date"));
    }
}

#[test]
fn a_key_that_cannot_sign_issues_nothing() {
    let sold = sale(SaleKind::Invoice, "1.00");
    let refused = furs::Invoice::issue(invoice_arguments(&sold), &Broken);
    assert_eq!(refused, Err(SigningFailed));
    assert_eq!(fina::Receipt::issue(receipt_arguments(&sold), &Broken), Err(SigningFailed));
}

fn cents(vector: &Value, name: &str) -> Decimal {
    Decimal::new(vector[name].as_i64().unwrap(), 2)
}
