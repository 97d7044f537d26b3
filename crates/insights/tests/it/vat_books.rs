//! The VAT books: rows as known, files as the schema and the rules want them, laws.

use proptest::prelude::*;
use racun_insights::{
    Bought, FORM_NAMESPACE, Partner, Sale, Sold, SoldKind, TaxPart, TaxPeriod, VatBook, tax_payer,
};
use racun_kernel::{Classification, Decimal};
use roxmltree::Document;
use serde_json::Value;
use time::Date;

use crate::judge::{amounts, broken, rows};
use crate::world::{any_sold, assert_valid, date, decimal, group, read, text, validity};

const SCHEMA: &str = "DDV_KIR_KPR_1.xsd";

fn october() -> TaxPeriod {
    TaxPeriod::new(2026, Some(10), None).unwrap()
}

/// A day after all documents here.
fn later() -> Date {
    date("2026-12-31")
}

/// The document of a vector.
fn sold(case: &Value) -> Sold {
    let document = &case["document"];
    let rate = document["rate_usd_per_eur"].as_str().map(decimal);
    let converted = |amount: &Decimal| match &rate {
        Some(rate) => racun_kernel::Currency::EUR.divide(amount, rate).unwrap(),
        None => amount.clone(),
    };
    let parts = group(document, "lines").iter().map(|line| {
        let base = converted(&decimal(text(line, "net")));
        let tax = converted(&decimal(text(line, "vat")));
        let sells = match line["note"].as_str() {
            Some("goods") => Some(Classification::Product),
            Some("service") => Some(Classification::Service),
            _ => None,
        };
        TaxPart::of(decimal(text(line, "rate")), base.clone(), tax).sold_as([(sells, &base)])
    });
    let sale = match document["transaction_type"].as_str() {
        None => Sale::Domestic,
        Some("intra_eu_b2b") => Sale::UnionBusiness,
        Some("intra_eu_b2c") => Sale::UnionConsumer,
        Some(_) => Sale::Abroad,
    };
    let customer = &document["customer"];
    let of_it = |name: &str| customer[name].as_str().map(str::to_owned);
    let partner = customer.is_object().then(|| Partner {
        code: None,
        name: of_it("name"),
        address: of_it("address"),
        post_code: of_it("post_code"),
        city: of_it("city"),
        country: of_it("country"),
        tax_number: of_it("tax_number"),
        is_business: true,
    });
    let is_credit = text(document, "kind") == "credit_note";
    Sold {
        kind: if is_credit { SoldKind::CreditNote } else { SoldKind::Invoice },
        is_voided: document["voided"].as_bool().unwrap_or_default(),
        partner,
        ..crate::world::sold(
            text(document, "number"),
            text(document, "date"),
            sale,
            parts.collect(),
        )
    }
}

/// The elements of a row with their texts, without its place and zeros.
fn written(row: roxmltree::Node<'_, '_>) -> Vec<(String, String)> {
    let elements = row.children().filter(roxmltree::Node::is_element);
    let pairs = elements.map(|node| {
        (node.tag_name().name().to_owned(), node.text().unwrap_or_default().to_owned())
    });
    pairs.filter(|(name, text)| name != "ZAPST" && text != "0.00").collect()
}

#[test]
fn each_document_makes_the_row_that_it_is_known_to_make() {
    let file = read("kir_vectors.json");
    for case in group(&file, "cases") {
        let document = sold(case);
        let book = VatBook::issued(october(), [&document]);
        let form = book.form("12345679");
        let read = Document::parse(&form).unwrap();
        let mut made = written(rows(&read, "Lista_KIR")[0]);
        let expected = case["expected"].as_object().unwrap();
        let mut expected: Vec<(String, String)> = expected
            .iter()
            .map(|(name, text)| (name.clone(), text.as_str().unwrap().to_owned()))
            .filter(|(name, text)| name != "ZAPST" && text != "0.00")
            .collect();
        made.sort();
        expected.sort();
        assert_eq!(made, expected, "{}", text(case, "id"));
        assert_valid(SCHEMA, &[form]);
    }
}

#[test]
fn all_of_them_make_one_file_whose_rows_follow_each_other() {
    let file = read("kir_vectors.json");
    let documents: Vec<Sold> = group(&file, "cases").iter().map(sold).collect();
    let book = VatBook::issued(october(), &documents);
    assert_eq!((book.rows.len(), book.left_out.is_empty()), (documents.len(), true));
    let form = book.form("12345679");
    assert_eq!(broken(&form, later()), Vec::<String>::new());
    assert!(form.contains(FORM_NAMESPACE));
    assert_valid(SCHEMA, &[form]);
}

#[test]
fn the_schema_and_the_judge_refuse_what_is_known_to_be_wrong() {
    let file = read("kir_vectors.json");
    let cases = group(&file, "invalid_files");
    let files: Vec<String> = cases.iter().map(|case| text(case, "xml").to_owned()).collect();
    for ((case, judged), xml) in cases.iter().zip(validity(SCHEMA, &files)).zip(&files) {
        let refused = match text(case, "expected") {
            "xsd" => judged.is_err(),
            _ => judged.is_ok() && !broken(xml, later()).is_empty(),
        };
        assert!(refused, "{}", text(case, "id"));
    }
}

#[test]
fn the_taxpayer_is_named_by_eight_digits() {
    assert_eq!(tax_payer(Some("SI 1234 5679")).unwrap(), "12345679");
    assert_eq!(tax_payer(Some("12345679")).unwrap(), "12345679");
    for wrong in [None, Some(""), Some("HR12345679"), Some("1234567")] {
        assert_eq!(tax_payer(wrong).unwrap_err().code, "tax_number_form", "{wrong:?}");
    }
}

#[test]
fn an_empty_month_is_a_file_too() {
    let none: [Sold; 0] = [];
    let form = VatBook::issued(october(), &none).form("12345679");
    assert_eq!(broken(&form, later()), Vec::<String>::new());
    assert_valid(SCHEMA, &[form]);
}

/// `sold` as somebody else's document.
fn bought(sold: Sold) -> Bought {
    Bought {
        id: sold.id,
        number: Some(sold.number).filter(|number| !number.ends_with('7')),
        date: sold.date - time::Duration::days(3),
        received_on: Some(sold.date),
        is_voided: sold.is_voided,
        purchase: sold.sale,
        partner: sold.partner.unwrap_or_default(),
        parts: sold.parts,
        is_converted: sold.is_converted,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn books_of_any_documents_are_files_that_hold_them_or_name_them(
        documents in proptest::collection::vec(any_sold(), 0..12),
        quarter in any::<bool>(),
        made_in in 0_i64..70,
    ) {
        let period = if quarter { TaxPeriod::new(2026, None, Some(4)) } else { Ok(october()) };
        let period = period.unwrap();
        let issued = VatBook::issued(period, &documents);
        let of_period = documents.iter().filter(|one| period.contains(one.date)).count();
        let left_out: usize = issued.left_out.iter().map(|one| one.documents.len()).sum();
        prop_assert_eq!(issued.rows.len() + left_out, of_period);

        let received: Vec<Bought> = documents.iter().cloned().map(bought).collect();
        let made_on = date("2026-10-01") + time::Duration::days(made_in);
        let received = VatBook::received(period, made_on, &received);
        let named: usize = received.left_out.iter().map(|one| one.documents.len()).sum();
        prop_assert_eq!(received.rows.len() + named, of_period);

        let forms = [issued.form("12345679"), received.form("12345679")];
        let warned = |book: &VatBook, code| book.warnings.iter().any(|one| one.code == code);
        let books = [(&issued, later()), (&received, made_on)];
        for (form, (book, made_on)) in forms.iter().zip(books) {
            let told = |rule: &String| !(rule.contains("P10 with SI")
                && warned(book, "buyer_of_slovenia"));
            prop_assert_eq!(broken(form, made_on).into_iter().filter(told).collect::<Vec<_>>(),
                Vec::<String>::new());
        }
        assert_valid(SCHEMA, &forms);
    }

    /// What an invoice adds a credit note over the same takes away again.
    #[test]
    fn a_credit_note_takes_back_what_the_invoice_added(document in any_sold()) {
        let invoice = Sold { kind: SoldKind::Invoice, is_voided: false, date: date("2026-10-05"),
            ..document };
        let credit_note = Sold { kind: SoldKind::CreditNote, ..invoice.clone() };
        let book = VatBook::issued(october(), [&invoice, &credit_note]);
        for column in 7..=27 {
            prop_assert_eq!(book.total(column), Decimal::zero());
        }
        let voided = Sold { is_voided: true, ..invoice };
        let form = VatBook::issued(october(), [&voided]).form("12345679");
        let read = Document::parse(&form).unwrap();
        for row in rows(&read, "Lista_KIR") {
            prop_assert!(amounts(row).all(|amount| amount.is_zero()));
        }
    }
}
