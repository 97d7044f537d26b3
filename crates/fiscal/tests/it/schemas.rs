//! Whatever is sold, the messages are what the authorities' schemas allow, and their figures agree.

use std::fs;

use jsonschema::{Draft, Validator};
use proptest::prelude::*;
use racun_fiscal::{
    Buyer, CorrectedForm, CorrectedInvoice, Correction, Sale, SaleKind, SaleTax, fina, furs,
};
use racun_kernel::{Decimal, PaymentType};
use serde_json::Value;
use time::macros::date;

use crate::world::{
    Echo, NOON, decimal, group, header, invoice, invoice_arguments, read, receipt,
    receipt_arguments, text, vectors,
};

/// The JSON schema of FURS. Its `id`s are short and repeated, so that a validator would take them
/// for addresses; what it calls a date with time has no zone, or no time.
fn json_schema() -> Validator {
    let path = vectors().join("schemas/furs/FiscalVerificationSchema.v3.2.json");
    let mut schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    strip(&mut schema);
    jsonschema::options().with_draft(Draft::Draft4).build(&schema).unwrap()
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.retain(|key, value| !(matches!(&**key, "id" | "format") && value.is_string()));
            map.values_mut().for_each(strip);
        }
        Value::Array(entries) => entries.iter_mut().for_each(strip),
        _ => {}
    }
}

fn assert_json(schema: &Validator, payload: &str) {
    let value: Value = serde_json::from_str(payload).unwrap();
    let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {payload}");
}

/// Asserts that each document is valid against an XML schema.
fn assert_xml(schema: &str, documents: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let paths = documents.iter().enumerate().map(|(n, document)| {
        let path = folder.path().join(format!("{n}.xml"));
        fs::write(&path, document).unwrap();
        path
    });
    let output = racun_test_postgres::program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(vectors().join("schemas").join(schema))
        .args(paths)
        .output()
        .expect("these tests need xmllint (Debian: libxml2-utils)");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{documents:#?}");
    assert_eq!(said.matches(" validates").count(), documents.len(), "{said}");
}

/// A request to FURS as its schema wants it: with a signature, which we take from a known one.
fn signed(request: &str) -> String {
    let file = read("furs.json");
    let envelope = text(&group(&file, "vectors", "xml")[0], "signed_envelope");
    let start = envelope.find("<Signature").unwrap();
    let end = envelope.find("</fu:InvoiceRequest>").unwrap();
    let place = request.rfind("</fu:").unwrap();
    format!("{}{}{}", &request[..place], &envelope[start..end], &request[place..])
}

const FURS: &str = "furs/FiscalVerificationSchema.local.xsd";
const FINA: &str = "fina/FiskalizacijaSchema.xsd";

#[test]
fn the_json_schema_takes_known_messages_and_refuses_known_faults() {
    let (file, schema) = (read("furs.json"), json_schema());
    for vector in group(&file, "vectors", "messages") {
        assert_json(&schema, text(vector, "payload_json"));
    }
    for vector in group(&file, "vectors", "schema_invalid") {
        let payload: Value = serde_json::from_str(text(vector, "payload_json")).unwrap();
        assert!(!schema.is_valid(&payload), "{}", text(vector, "description"));
    }
}

#[test]
fn the_xml_schemas_refuse_what_is_wrong() {
    let sold = crate::world::sale(SaleKind::Invoice, "1.00");
    let receipt = receipt(&sold).xml(&header(), false).replace("1.00<", "1.0<");
    assert!(std::panic::catch_unwind(|| assert_xml(FINA, &[receipt])).is_err());
    let invoice = signed(&invoice(&sold).xml(&header(), false).replace("PREM1", "PREM-1"));
    assert!(std::panic::catch_unwind(|| assert_xml(FURS, &[invoice])).is_err());
}

#[test]
fn premises_of_every_kind_are_allowed() {
    let building = furs::RealEstate {
        cadastral_number: "0001".to_owned(),
        building_number: "00000".to_owned(),
        building_section: "7".to_owned(),
        street: "Ulica <A> & \"B\"".to_owned(),
        house_number: "1".to_owned(),
        house_number_additional: None,
        community: "Žalec".to_owned(),
        city: "Č".repeat(100),
        postal_code: "3310".to_owned(),
    };
    assert_eq!(building.check(), Ok(()));
    let kinds = [
        furs::PremiseKind::RealEstate(Box::new(building)),
        furs::PremiseKind::Movable(furs::MovableKind::A),
        furs::PremiseKind::Movable(furs::MovableKind::B),
        furs::PremiseKind::Movable(furs::MovableKind::C),
    ];
    let (schema, mut documents) = (json_schema(), Vec::new());
    for kind in kinds {
        for is_closing in [false, true] {
            let premise = furs::Premise {
                tax_number: "10039856".to_owned(),
                name: "BP1".to_owned(),
                kind: kind.clone(),
                valid_from: date!(2026 - 11 - 20),
                is_closing,
                software_maker: match is_closing {
                    true => furs::SoftwareMaker::TaxNumber("24564444".to_owned()),
                    false => furs::SoftwareMaker::default(),
                },
            };
            assert_json(&schema, &premise.json(&header()));
            documents.push(signed(&premise.xml(&header())));
        }
    }
    assert_xml(FURS, &documents);
}

/// The checks of CIS that concern figures: 166, parts and total; 161, a tax and its base. Their
/// numbers.
fn faults(figures: &Figures) -> Vec<&'static str> {
    let mut found = Vec::new();
    if !figures.in_vat_system {
        return found;
    }
    let off = |tax: &(Decimal, Decimal, Decimal)| {
        (&tax.2 - &(&tax.1 * &tax.0.percent())).abs() > decimal("0.10")
    };
    if figures.vat.iter().any(off) {
        found.push("161");
    }
    let parts: Decimal = figures.vat.iter().flat_map(|tax| [&tax.1, &tax.2]).sum();
    let sum = &parts + &figures.others.iter().sum();
    if (&sum - &figures.total).abs() > decimal("0.01") {
        found.push("166");
    }
    found
}

struct Figures {
    in_vat_system: bool,
    vat: Vec<(Decimal, Decimal, Decimal)>,
    others: Vec<Decimal>,
    total: Decimal,
}

impl Figures {
    fn of(receipt: &fina::Receipt) -> Self {
        let vat = receipt.vat.iter().cloned();
        Self {
            in_vat_system: receipt.in_vat_system,
            vat: vat.map(|line| (line.rate, line.base, line.amount)).collect(),
            others: {
                let parts = [&receipt.exempt, &receipt.untaxed].into_iter().flatten();
                parts.chain(receipt.consumption.iter().map(|line| &line.amount)).cloned().collect()
            },
            total: receipt.total.clone(),
        }
    }
}

#[test]
fn the_checks_of_figures_find_the_known_faults() {
    let file = read("fina.json");
    for vector in group(&file, "public", "totals") {
        let amount = |value: &Value| decimal(value.as_str().unwrap());
        let tax = |line: &Value| {
            (amount(&line["stopa"]), amount(&line["osnovica"]), amount(&line["iznos"]))
        };
        let fees = vector["naknade"].as_array().unwrap().iter();
        let parts = [&vector["iznos_oslob_pdv"], &vector["iznos_ne_podl_opor"]];
        let parts = parts.into_iter().filter(|part| !part.is_null());
        let figures = Figures {
            in_vat_system: vector["u_sust_pdv"].as_bool().unwrap(),
            vat: vector["pdv"].as_array().unwrap().iter().map(tax).collect(),
            others: fees.chain(parts).map(amount).collect(),
            total: amount(&vector["iznos_ukupno"]),
        };
        let expected: Vec<&str> =
            vector["expected_codes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(faults(&figures), expected, "{}", text(vector, "name"));
    }
}

fn amounts() -> impl Strategy<Value = Decimal> {
    prop_oneof![
        3 => (0_i64..1_000_000).prop_map(|cents| Decimal::new(cents, 2)),
        1 => Just(Decimal::zero()),
        1 => (-100_000_i64..100_000).prop_map(|units| Decimal::new(units, 4)),
    ]
}

prop_compose! {
    /// Some document of some shop: its figures need not agree.
    fn sales()(
        kind in prop_oneof![
            Just(SaleKind::Invoice), Just(SaleKind::CreditNote), Just(SaleKind::AdvanceInvoice)
        ],
        total in amounts(),
        taxes in prop::collection::vec((1_i64..10_000, amounts(), amounts()), 0..4),
        parts in (amounts(), amounts(), amounts(), amounts(), amounts()),
        consumption in prop::collection::vec((1_i64..=300, amounts(), amounts()), 0..3),
        buyer in prop::option::of((".{0,25}|55544433328", "(HR|SI)?", any::<bool>())),
        means in prop::collection::vec(prop::sample::select(PaymentType::ALL.to_vec()), 0..3),
        corrected in prop::collection::vec(1_i64..i64::MAX, 0..3),
    ) -> Sale {
        let tax = |(rate, base, amount)| SaleTax { rate: Decimal::new(rate, 2), base, amount };
        let buyer = buyer.map(|(number, country, is_end_consumer): (String, String, bool)| Buyer {
            tax_number: Some(number),
            country_code: Some(country),
            is_end_consumer,
        });
        let corrected = corrected.into_iter().map(|number| match number % 2 {
            0 => Correction::Form(CorrectedForm {
                book: form(), issued_on: date!(2026 - 11 - 20),
            }),
            _ => Correction::Invoice(CorrectedInvoice {
                premise: "BP1".to_owned(), device: "B1".to_owned(), number, issued_at: NOON,
            }),
        });
        Sale {
            kind,
            total,
            taxes: taxes.into_iter().map(tax).collect(),
            exempt: parts.0,
            reverse_charge: parts.1,
            untaxed: parts.2,
            consumption: consumption.into_iter().map(tax).collect(),
            margin: parts.3,
            settled: parts.4,
            buyer,
            means,
            corrects: corrected.collect(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn invoices_are_valid_and_their_parts_make_their_total(
        sales in prop::collection::vec(sales(), 8),
        notes in prop::option::of("[a-zč<>&\" ]{0,40}x"),
        subsequent in any::<bool>(),
        is_foreign in any::<bool>(),
    ) {
        let (schema, mut documents) = (json_schema(), Vec::new());
        for sale in &sales {
            let mut arguments = invoice_arguments(sale);
            if is_foreign {
                arguments.operator = furs::Operator::Foreign;
            }
            arguments.special_notes = notes.clone();
            let invoice = furs::Invoice::issue(arguments, &Echo).unwrap();
            let json = invoice.json(&header(), subsequent);
            assert_json(&schema, &json);
            documents.push(signed(&invoice.xml(&header(), subsequent)));
            let payload: Value = serde_json::from_str(&json).unwrap();
            assert_parts(&payload["InvoiceRequest"]["Invoice"], sale);
            let written = book_invoice(sale);
            let json = written.json(&header());
            assert_json(&schema, &json);
            documents.push(signed(&written.xml(&header())));
            let payload: Value = serde_json::from_str(&json).unwrap();
            assert_parts(&payload["InvoiceRequest"]["SalesBookInvoice"], sale);
        }
        assert_xml(FURS, &documents);
    }

    #[test]
    fn receipts_are_valid_and_their_parts_make_their_total(
        sales in prop::collection::vec(sales(), 8),
        in_vat_system in any::<bool>(),
        late in any::<bool>(),
    ) {
        let mut documents = Vec::new();
        for sale in &sales {
            let paragon = late.then(|| "<1>/2026".to_owned());
            let arguments =
                fina::IssueArguments { in_vat_system, paragon, ..receipt_arguments(sale) };
            let receipt = fina::Receipt::issue(arguments, &Echo).unwrap();
            let found = faults(&Figures::of(&receipt));
            prop_assert!(!found.contains(&"166"), "{:?}", receipt);
            prop_assert!(receipt.buyer_oib.is_none() || receipt.means != fina::PaymentMeans::T);
            documents.push(receipt.xml(&header(), late));
            let change = receipt.change(fina::PaymentMeans::G, sale.buyer.as_ref(), late);
            documents.push(change.xml(&header()));
            let tip = receipt.tip(sale.total.abs(), fina::PaymentMeans::K, late);
            documents.push(tip.xml(&header()));
        }
        assert_xml(FINA, &documents);
    }
}

/// The form of a bound book that says what `sale` says.
fn book_invoice(sale: &Sale) -> furs::BookInvoice {
    let (taxpayer, premise) = ("10039856".to_owned(), "PREM1".to_owned());
    furs::BookInvoice::of(sale, taxpayer, premise, form(), date!(2026 - 11 - 20))
}

fn form() -> furs::SalesBook {
    furs::SalesBook {
        invoice_number: "612".to_owned(),
        set_number: "03".to_owned(),
        serial_number: "5001-0001018".to_owned(),
    }
}

/// The figures of an invoice as they are sent: the parts make the total, none is zero, and what
/// advances do not settle is to be paid. A consumption tax is none of Slovenia's.
fn assert_parts(invoice: &Value, sale: &Sale) {
    let payload = invoice;
    let number = |value: &Value| decimal(&value.to_string());
    let mut sum = Decimal::zero();
    for (name, part) in invoice["TaxesPerSeller"][0].as_object().unwrap() {
        if name == "VAT" {
            for line in part.as_array().unwrap() {
                let (base, tax) = (number(&line["TaxableAmount"]), number(&line["TaxAmount"]));
                assert!(!base.is_zero() || !tax.is_zero(), "{payload}");
                sum = &(&sum + &base) + &tax;
            }
        } else {
            assert!(!number(part).is_zero(), "{payload}");
            sum += &number(part);
        }
    }
    let cents = |amount: &Decimal| racun_kernel::Currency::EUR.round(amount);
    let sign = |amount: Decimal| if sale.kind == SaleKind::CreditNote { -&amount } else { amount };
    for tax in &sale.consumption {
        sum += &sign(cents(&tax.amount));
    }
    let total = number(&invoice["InvoiceAmount"]);
    assert_eq!(sum, total, "{payload}");
    assert_eq!(&total - &number(&invoice["PaymentAmount"]), sign(cents(&sale.settled)));
}
