//! The texts that are sent to FURS are the known ones, made from what a document says.

use racun_fiscal::{
    Authority, Buyer, CorrectedInvoice, Correction, Header, MessageId, Numbering, Sale, SaleKind,
    SaleTax, furs,
};
use racun_kernel::{Decimal, calendar};
use serde_json::Value;

use crate::world::{Key, decimal, group, local, place_of, read, text, without};

/// Messages of what our documents never say: sellers for others, flat rates, returns; vending
/// machines.
const NOT_OURS: [&str; 2] = ["pub-msg-05-all-tax-categories", "pub-msg-11-premise-vending"];

/// What the known messages hold and ours never do.
const NOTE_JSON: &str = ",\"SpecialNotes\":\"Primer prijave poslovnega prostora\"";
const NOTE_XML: &str = "<fu:SpecialNotes>Primer prijave poslovnega prostora</fu:SpecialNotes>";

#[test]
fn messages_are_the_known_ones_as_json_and_as_xml() {
    let file = read("furs.json");
    for vector in group(&file, "vectors", "messages") {
        let id = text(vector, "id");
        if NOT_OURS.contains(&id) {
            continue;
        }
        let written = text(vector, "payload_json");
        let payload: Value = serde_json::from_str(written).unwrap();
        let key = Key::of(&file, text(vector, "key"));
        let (json, xml) = ours(&payload, &key);
        let expected = match id {
            "pub-msg-08-premise-real-estate" => without(written, NOTE_JSON),
            _ => written.to_owned(),
        };
        assert_eq!(json, expected, "{id}");
        for vector in known_xml(&file, id) {
            let written = text(vector, "reference_c14n");
            let expected = match id {
                "pub-msg-08-premise-real-estate" => without(written, NOTE_XML),
                _ => written.to_owned(),
            };
            assert_eq!(xml, expected, "{}", text(vector, "id"));
            assert_eq!(text(vector, "element_id"), "data");
        }
    }
}

fn known_xml<'a>(file: &'a Value, message: &str) -> Vec<&'a Value> {
    let all = group(file, "vectors", "xml").iter();
    let found: Vec<&Value> = all.filter(|vector| text(vector, "message") == message).collect();
    assert!(!found.is_empty(), "{message}");
    found
}

/// What we send for what a known message says.
fn ours(payload: &Value, key: &Key) -> (String, String) {
    if let Value::Object(_) = payload["BusinessPremiseRequest"] {
        let request = &payload["BusinessPremiseRequest"];
        let (header, premise) = (header(request), premise(&request["BusinessPremise"]));
        return (premise.json(&header), premise.xml(&header));
    }
    let request = &payload["InvoiceRequest"];
    if let Value::Object(_) = request["SalesBookInvoice"] {
        let (header, written) = (header(request), book(&request["SalesBookInvoice"]));
        return (written.json(&header), written.xml(&header));
    }
    let invoice = invoice(&request["Invoice"], key);
    let subsequent = request["Invoice"]["SubsequentSubmit"].as_bool().unwrap_or_default();
    let header = header(request);
    (invoice.json(&header, subsequent), invoice.xml(&header, subsequent))
}

fn header(request: &Value) -> Header {
    let header = &request["Header"];
    Header {
        message_id: MessageId::from(text(header, "MessageID").to_owned()),
        sent_at: local(Authority::Furs, text(header, "DateTime")),
    }
}

fn invoice(known: &Value, key: &Key) -> furs::Invoice {
    let identifier = &known["InvoiceIdentifier"];
    let numbering = match text(known, "NumberingStructure") {
        "C" => Numbering::PerPremise,
        _ => Numbering::PerDevice,
    };
    let operator = match &known["OperatorTaxNumber"] {
        Value::Number(number) => furs::Operator::TaxNumber(number.to_string()),
        _ => furs::Operator::Foreign,
    };
    let sale = sale(known);
    let arguments = furs::IssueArguments {
        sale: &sale,
        tax_number: known["TaxNumber"].to_string(),
        place: place_of(
            text(identifier, "BusinessPremiseID"),
            text(identifier, "ElectronicDeviceID"),
            numbering,
        ),
        number: text(identifier, "InvoiceNumber").parse().unwrap(),
        issued_at: local(Authority::Furs, text(known, "IssueDateTime")),
        operator,
        special_notes: known["SpecialNotes"].as_str().map(str::to_owned),
    };
    furs::Invoice::issue(arguments, key).unwrap()
}

fn book(known: &Value) -> furs::BookInvoice {
    let identifier = &known["SalesBookIdentifier"];
    let form = furs::SalesBook {
        invoice_number: text(identifier, "InvoiceNumber").to_owned(),
        set_number: text(identifier, "SetNumber").to_owned(),
        serial_number: text(identifier, "SerialNumber").to_owned(),
    };
    assert_eq!(form.check(), Ok(()));
    let premise = text(known, "BusinessPremiseID").to_owned();
    let issued_on = calendar::parse_date(text(known, "IssueDate")).unwrap();
    furs::BookInvoice::of(&sale(known), known["TaxNumber"].to_string(), premise, form, issued_on)
}

/// The document behind a known invoice. A credit note's amounts are positive in it.
fn sale(known: &Value) -> Sale {
    let total = number(&known["InvoiceAmount"]);
    let taxes = &known["TaxesPerSeller"][0];
    let part = |name: &str| number(&taxes[name]).abs();
    let tax = |line: &Value| SaleTax {
        rate: number(&line["TaxRate"]),
        base: number(&line["TaxableAmount"]).abs(),
        amount: number(&line["TaxAmount"]).abs(),
    };
    let customer = known["CustomerVATNumber"].as_str().map(str::to_owned);
    Sale {
        kind: if total.is_negative() { SaleKind::CreditNote } else { SaleKind::Invoice },
        total: total.abs(),
        taxes: taxes["VAT"].as_array().into_iter().flatten().map(tax).collect(),
        exempt: part("ExemptVATTaxableAmount"),
        reverse_charge: part("ReverseVATTaxableAmount"),
        untaxed: part("NontaxableAmount"),
        consumption: Vec::new(),
        margin: Decimal::zero(),
        settled: Decimal::zero(),
        buyer: customer.map(|number| Buyer { tax_number: Some(number), ..Buyer::default() }),
        means: Vec::new(),
        corrects: known["ReferenceInvoice"]
            .as_array()
            .into_iter()
            .flatten()
            .map(corrected)
            .collect(),
    }
}

fn corrected(known: &Value) -> Correction {
    let identifier = &known["ReferenceInvoiceIdentifier"];
    Correction::Invoice(CorrectedInvoice {
        premise: text(identifier, "BusinessPremiseID").to_owned(),
        device: text(identifier, "ElectronicDeviceID").to_owned(),
        number: text(identifier, "InvoiceNumber").parse().unwrap(),
        issued_at: local(Authority::Furs, text(known, "ReferenceInvoiceIssueDateTime")),
    })
}

fn premise(known: &Value) -> furs::Premise {
    let identifier = &known["BPIdentifier"];
    let kind = match &identifier["PremiseType"] {
        Value::String(kind) if kind == "A" => furs::PremiseKind::Movable(furs::MovableKind::A),
        Value::String(_) => furs::PremiseKind::Movable(furs::MovableKind::C),
        _ => furs::PremiseKind::RealEstate(Box::new(real_estate(&identifier["RealEstateBP"]))),
    };
    let supplier = &known["SoftwareSupplier"][0];
    let maker = &supplier["TaxNumber"];
    furs::Premise {
        tax_number: known["TaxNumber"].to_string(),
        name: text(known, "BusinessPremiseID").to_owned(),
        kind,
        valid_from: calendar::parse_date(text(known, "ValidityDate")).unwrap(),
        is_closing: known["ClosingTag"] == "Z",
        software_maker: match maker.is_number() {
            true => furs::SoftwareMaker::TaxNumber(maker.to_string()),
            false => furs::SoftwareMaker::Foreign(text(supplier, "NameForeign").to_owned()),
        },
    }
}

fn real_estate(known: &Value) -> furs::RealEstate {
    let (property, address) = (&known["PropertyID"], &known["Address"]);
    let line = |name: &str| text(address, name).to_owned();
    furs::RealEstate {
        // As people write it; the message has no leading zeros.
        cadastral_number: format!("0{}", property["CadastralNumber"]),
        building_number: property["BuildingNumber"].to_string(),
        building_section: property["BuildingSectionNumber"].to_string(),
        street: line("Street"),
        house_number: line("HouseNumber"),
        house_number_additional: address["HouseNumberAdditional"].as_str().map(str::to_owned),
        community: line("Community"),
        city: line("City"),
        postal_code: line("PostalCode"),
    }
}

/// A number with its digits; zero when it is missing.
fn number(value: &Value) -> Decimal {
    match value {
        Value::Number(number) => decimal(&number.to_string()),
        _ => Decimal::zero(),
    }
}
