//! What becomes of a document: signs, parts, buyers, means.

use racun_fiscal::fina::PaymentMeans;
use racun_fiscal::{
    Authority, Buyer, CorrectedForm, CorrectedInvoice, Correction, Means, Sale, SaleKind, fina,
    furs,
};
use racun_kernel::PaymentType;
use time::macros::{date, datetime};

use crate::world::{
    Echo, NOON, decimal, header, invoice, invoice_arguments, receipt, receipt_arguments, sale, tax,
};

/// 100 net at 22 and 9.5 percent, something of each other part, and a cent that rounding left.
fn mixed(kind: SaleKind) -> Sale {
    Sale {
        taxes: vec![tax("22", "60", "13.2"), tax("9.5", "40", "3.8")],
        exempt: decimal("7"),
        reverse_charge: decimal("20"),
        untaxed: decimal("5"),
        ..sale(kind, "149.01")
    }
}

#[test]
fn slovenia_hears_of_every_part_and_of_what_rounding_left() {
    let taxes = |kind| {
        let taxes = invoice(&mixed(kind)).taxes;
        let vat = taxes.vat.into_iter().flat_map(|line| [line.rate, line.base, line.amount]);
        let rest = [taxes.exempt, taxes.reverse_charge, taxes.untaxed];
        vat.chain(rest.into_iter().flatten()).map(|part| part.to_string()).collect::<Vec<_>>()
    };
    let positive = ["22", "60", "13.2", "9.5", "40", "3.8", "7", "20", "5.01"];
    assert_eq!(taxes(SaleKind::Invoice), positive);
    assert_eq!(taxes(SaleKind::AdvanceInvoice), positive);
    let negative = ["22", "-60", "-13.2", "9.5", "-40", "-3.8", "-7", "-20", "-5.01"];
    assert_eq!(taxes(SaleKind::CreditNote), negative);
}

#[test]
fn croatia_hears_of_reverse_charge_as_not_subject_to_tax() {
    let receipt = receipt(&mixed(SaleKind::CreditNote));
    assert_eq!(receipt.exempt, Some(decimal("-7")));
    assert_eq!(receipt.untaxed, Some(decimal("-25.01")));
    assert_eq!(receipt.total, decimal("-149.01"));
    let kept =
        fina::TaxLine { rate: decimal("9.5"), base: decimal("-40"), amount: decimal("-3.8") };
    assert_eq!(receipt.vat[1], kept);
}

#[test]
fn an_issuer_outside_the_vat_system_states_no_tax_rows() {
    let sold = mixed(SaleKind::Invoice);
    let arguments = fina::IssueArguments { in_vat_system: false, ..receipt_arguments(&sold) };
    let receipt = fina::Receipt::issue(arguments, &Echo).unwrap();
    assert_eq!((receipt.vat.len(), &receipt.exempt, &receipt.untaxed), (0, &None, &None));
    let xml = receipt.xml(&header(), false);
    assert!(xml.contains("<tns:USustPdv>false</tns:USustPdv>"), "{xml}");
    assert!(xml.contains("</tns:BrRac><tns:IznosUkupno>149.01</tns:IznosUkupno>"), "{xml}");
}

#[test]
fn a_credit_note_names_the_form_of_a_bound_book_that_it_corrects() {
    let [invoice_number, set_number, serial_number] =
        ["612", "03", "5001-0001018"].map(str::to_owned);
    let book = furs::SalesBook { invoice_number, set_number, serial_number };
    let form = CorrectedForm { book, issued_on: date!(2026 - 05 - 04) };
    let corrects = vec![Correction::Form(form)];
    let invoice = invoice(&Sale { corrects, ..sale(SaleKind::CreditNote, "66.7") });
    let json = invoice.json(&header(), false);
    let named = concat!(
        r#","ReferenceSalesBook":[{"ReferenceSalesBookIdentifier":{"InvoiceNumber":"612","#,
        r#""SetNumber":"03","SerialNumber":"5001-0001018"},"#,
        r#""ReferenceSalesBookIssueDate":"2026-05-04"}]}"#,
    );
    assert!(json.contains(named) && !json.contains("ReferenceInvoice"), "{json}");
    let stored = serde_json::to_value(&invoice).unwrap();
    assert_eq!(serde_json::from_value::<furs::Invoice>(stored).unwrap(), invoice);
}

#[test]
fn a_credit_note_is_negative_in_all_figures_and_names_what_it_corrects() {
    let corrected = CorrectedInvoice {
        premise: "BP1".to_owned(),
        device: "B1".to_owned(),
        number: 11,
        issued_at: datetime!(2026-04-25 08:30:00 UTC),
    };
    let corrects = vec![Correction::Invoice(corrected)];
    let sold = Sale { corrects, ..sale(SaleKind::CreditNote, "66.7") };
    let invoice = invoice(&sold);
    assert_eq!((&invoice.total, &invoice.payment), (&decimal("-66.70"), &decimal("-66.70")));
    let json = invoice.json(&header(), false);
    for part in [
        r#""InvoiceAmount":-66.70,"PaymentAmount":-66.70,"#,
        r#""TaxesPerSeller":[{"NontaxableAmount":-66.70}]"#,
        concat!(
            r#""ReferenceInvoice":[{"ReferenceInvoiceIdentifier":{"BusinessPremiseID":"BP1","#,
            r#""ElectronicDeviceID":"B1","InvoiceNumber":"11"},"#,
            r#""ReferenceInvoiceIssueDateTime":"2026-04-25T10:30:00"}]"#,
        ),
    ] {
        assert!(json.contains(part), "{part} in {json}");
    }
    // The mark is of the amount with its sign.
    let signed = "1003985620.11.2026 12:00:0017PREM11-66.70";
    assert_eq!(invoice.zoi, racun_fiscal::ProtectiveCode::of(signed.as_bytes()));
}

#[test]
fn a_correction_of_nothing_known_has_no_reference() {
    let json = invoice(&sale(SaleKind::CreditNote, "1")).json(&header(), false);
    assert!(!json.contains("Reference"), "{json}");
}

#[test]
fn nothing_to_pay_is_zero_without_empty_parts() {
    for kind in [SaleKind::Invoice, SaleKind::CreditNote] {
        let sold = Sale { taxes: vec![tax("22", "0", "0")], ..sale(kind, "0") };
        let json = invoice(&sold).json(&header(), false);
        let amounts = r#""InvoiceAmount":0.00,"PaymentAmount":0.00,"TaxesPerSeller":[{}]"#;
        assert!(json.contains(amounts), "{json}");
        let receipt = receipt(&sold);
        let xml = receipt.xml(&header(), false);
        assert!(xml.contains("</tns:BrRac><tns:IznosUkupno>0.00</tns:IznosUkupno>"), "{xml}");
        assert!(receipt.qr(None).ends_with("&izn=0"));
    }
}

#[test]
fn a_full_discount_of_one_rate_leaves_the_others() {
    // Parts that cancel each other: a line given back and one sold.
    let sold = Sale {
        taxes: vec![tax("22", "10", "2.2"), tax("9.5", "-10", "-0.95")],
        ..sale(SaleKind::Invoice, "1.25")
    };
    let invoice = invoice(&sold);
    assert_eq!(invoice.taxes.vat.len(), 2);
    assert_eq!(invoice.taxes.untaxed, None);
}

#[test]
fn a_foreign_operator_has_no_number() {
    let sold = sale(SaleKind::Invoice, "1");
    let operator = furs::Operator::Foreign;
    let arguments = furs::IssueArguments { operator, ..invoice_arguments(&sold) };
    let json = furs::Invoice::issue(arguments, &Echo).unwrap().json(&header(), true);
    assert!(!json.contains("OperatorTaxNumber"), "{json}");
    assert!(json.contains(r#""ForeignOperator":true,"#), "{json}");
    assert!(json.contains(r#","SubsequentSubmit":true}"#), "{json}");
}

#[test]
fn the_time_of_issue_is_the_authoritys_wall_clock_to_the_second() {
    let sold = sale(SaleKind::Invoice, "1");
    let issued_at = datetime!(2026-12-31 23:59:59.999 UTC);
    let arguments = furs::IssueArguments { issued_at, ..invoice_arguments(&sold) };
    let invoice = furs::Invoice::issue(arguments, &Echo).unwrap();
    assert_eq!(invoice.issued_at, datetime!(2027-01-01 00:59:59 +1));
    assert_eq!(invoice.issued_at.offset().whole_hours(), 1);
    assert_eq!(Authority::Fina.local(NOON).nanosecond(), 0);
    // What is kept says the same.
    let kept = serde_json::to_string(&invoice).unwrap();
    let kept: furs::Invoice = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept.json(&header(), false), invoice.json(&header(), false));
    assert_eq!(kept, invoice);
}

#[test]
fn sending_again_changes_the_head_and_the_flag_alone() {
    let invoice = invoice(&mixed(SaleKind::Invoice));
    let (first, again) = (invoice.json(&header(), false), invoice.json(&header(), true));
    assert_eq!(crate::world::without(&again, r#","SubsequentSubmit":true"#), first);
    let receipt = receipt(&mixed(SaleKind::Invoice));
    let (first, again) = (receipt.xml(&header(), false), receipt.xml(&header(), true));
    let flag = |flag| format!("<tns:NakDost>{flag}</tns:NakDost>");
    assert_eq!(crate::world::replaced(&again, &flag(true), &flag(false)), first);
}

#[test]
fn the_means_of_a_receipt_are_chosen_or_those_of_its_payments() {
    use PaymentMeans::{G, K, O, T};
    use PaymentType::{
        Advance, BankTransfer, Card, Cash, Check, Coupon, CreditCard, CreditNote, DebitCard,
        OnlineWallet, Other,
    };
    for (chosen, made, expected) in [
        (None, &[][..], T),
        (None, &[Cash], G),
        (None, &[Cash, Cash], G),
        (None, &[Card, CreditCard, DebitCard], K),
        (None, &[BankTransfer], T),
        (None, &[Cash, Card], O),
        (None, &[BankTransfer, Cash], O),
        (None, &[Check], O),
        (None, &[OnlineWallet], O),
        (None, &[Coupon], O),
        (None, &[Other], O),
        (None, &[CreditNote], O),
        (None, &[Advance], O),
        (Some(Means::Cash), &[Card], G),
        (Some(Means::Card), &[Cash], K),
        (Some(Means::BankTransfer), &[Cash, Card], T),
        (Some(Means::Online), &[], O),
        (Some(Means::Crypto), &[], O),
    ] {
        assert_eq!(PaymentMeans::of(chosen, made), expected, "{chosen:?} {made:?}");
    }
}

#[test]
fn a_buyers_oib_is_sent_for_a_croatian_business_that_pays_in_cash_or_by_card() {
    let oib = "55544433328";
    for (number, country, is_end_consumer, means, sent) in [
        (Some(oib), Some("HR"), false, PaymentType::Cash, true),
        (Some(oib), Some("HR"), false, PaymentType::DebitCard, true),
        (Some("HR55544433328"), Some("HR"), false, PaymentType::Cash, true),
        (Some(oib), Some("HR"), false, PaymentType::BankTransfer, false),
        (Some(oib), Some("HR"), false, PaymentType::Check, false),
        (Some(oib), Some("HR"), true, PaymentType::Cash, false),
        (Some(oib), Some("SI"), false, PaymentType::Cash, false),
        (Some(oib), None, false, PaymentType::Cash, false),
        (Some("55544433329"), Some("HR"), false, PaymentType::Cash, false),
        (None, Some("HR"), false, PaymentType::Cash, false),
    ] {
        let buyer = Buyer {
            tax_number: number.map(str::to_owned),
            country_code: country.map(str::to_owned),
            is_end_consumer,
        };
        let sold = Sale { means: vec![means], buyer: Some(buyer), ..sale(SaleKind::Invoice, "1") };
        let expected = sent.then(|| oib.to_owned());
        assert_eq!(receipt(&sold).buyer_oib, expected, "{number:?} {country:?} {means:?}");
    }
    assert_eq!(receipt(&sale(SaleKind::Invoice, "1")).buyer_oib, None);
}

#[test]
fn a_buyers_number_is_printed_as_it_is_or_left_out() {
    for (number, sent) in [
        ("SI12345678", Some("SI12345678")),
        (" ATU12345678 ", Some("ATU12345678")),
        ("A&B <1>", Some("A&B <1>")),
        ("  ", None),
        ("123456789012345678901", None),
        ("1\u{2}", None),
    ] {
        let buyer = Buyer { tax_number: Some(number.to_owned()), ..Buyer::default() };
        let sold = Sale { buyer: Some(buyer), ..sale(SaleKind::Invoice, "1") };
        assert_eq!(invoice(&sold).customer_vat_number.as_deref(), sent, "{number:?}");
    }
}

#[test]
fn finer_fractions_than_cents_are_rounded_before_the_parts_are_added() {
    let sold = Sale {
        taxes: vec![tax("22", "10.004", "2.2009")],
        exempt: decimal("0.004"),
        ..sale(SaleKind::Invoice, "12.205")
    };
    let invoice = invoice(&sold);
    assert_eq!((&invoice.total, &invoice.taxes.exempt), (&decimal("12.21"), &None));
    assert_eq!(invoice.taxes.untaxed, Some(decimal("0.01")));
    assert_eq!(invoice.taxes.vat[0].amount, decimal("2.20"));
}
