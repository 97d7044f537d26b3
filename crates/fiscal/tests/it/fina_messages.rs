//! The texts that are sent to CIS are the known ones, made from what a document says.

use racun_fiscal::{Authority, Buyer, Header, MessageId, Numbering, Sale, SaleKind, SaleTax, fina};
use racun_kernel::{Decimal, PaymentType};
use serde_json::Value;

use crate::world::{Key, decimal, group, local, place_of, read, sale, text, without};

/// A part of a known receipt that none of ours has: a deposit on bottles.
const FEE: &str = "<tns:Naknade><tns:Naknada><tns:NazivN>Povratna naknada</tns:NazivN>\
                   <tns:IznosN>1.00</tns:IznosN></tns:Naknada></tns:Naknade>";

#[test]
fn requests_are_the_known_ones() {
    let file = read("fina.json");
    let mut names = Vec::new();
    for vector in group(&file, "public", "requests") {
        let (name, written) = (text(vector, "name"), text(vector, "unsigned_canonical_xml"));
        let header = Header {
            message_id: MessageId::from(text(vector, "id_poruke").to_owned()),
            sent_at: local(Authority::Fina, &iso(text(vector, "datum_vrijeme"))),
        };
        let known = receipt(&vector["racun"], &Key::of(&file, text(vector, "key")));
        let late = vector["racun"]["nak_dost"].as_bool().unwrap();
        let (xml, expected) = match name {
            "receipt" => {
                // The fee would be what the receipt's parts leave of its total.
                let known = fina::Receipt { untaxed: None, ..known };
                (known.xml(&header, late), without(written, FEE))
            }
            "b2b card with buyer OIB" => (known.xml(&header, late), written.to_owned()),
            "change payment+OIB" => {
                let change = known.change(fina::PaymentMeans::G, None, late);
                (change.xml(&header), written.to_owned())
            }
            "tip" => {
                let known = fina::Receipt { untaxed: None, ..known };
                let said = &vector["change"];
                assert_eq!(text(said, "nacin_placanja_napojnice"), "K");
                let amount = decimal(text(said, "iznos_napojnice"));
                let tip = known.tip(amount, fina::PaymentMeans::K, late);
                (tip.xml(&header), without(written, FEE))
            }
            _ => continue,
        };
        assert_eq!(xml, expected, "{name}");
        names.push(name);
    }
    assert_eq!(names, ["receipt", "b2b card with buyer OIB", "change payment+OIB", "tip"]);
}

/// `20.11.2026T16:04:26` as `2026-11-20T16:04:26`.
fn iso(known: &str) -> String {
    let (date, time) = known.split_once('T').unwrap();
    let parts: Vec<&str> = date.split('.').rev().collect();
    format!("{}T{time}", parts.join("-"))
}

/// The receipt that we issue for what a known one says.
fn receipt(known: &Value, key: &Key) -> fina::Receipt {
    let part = |name: &str| known[name].as_str().map_or_else(Decimal::zero, decimal);
    let tax = |line: &Value| SaleTax {
        rate: decimal(text(line, "stopa")),
        base: decimal(text(line, "osnovica")),
        amount: decimal(text(line, "iznos")),
    };
    let means = match text(known, "nacin_plac") {
        "G" => PaymentType::Cash,
        _ => PaymentType::DebitCard,
    };
    let sold = Sale {
        taxes: known["pdv"].as_array().unwrap().iter().map(tax).collect(),
        exempt: part("iznos_oslob_pdv"),
        buyer: known["oib_primatelja_racuna"].as_str().map(|oib| Buyer {
            tax_number: Some(oib.to_owned()),
            country_code: Some("HR".to_owned()),
            is_end_consumer: false,
        }),
        means: vec![means],
        ..sale(SaleKind::Invoice, text(known, "iznos_ukupno"))
    };
    let numbering = match text(known, "ozn_slijed") {
        "P" => Numbering::PerPremise,
        _ => Numbering::PerDevice,
    };
    let arguments = fina::IssueArguments {
        sale: &sold,
        payment_type: None,
        oib: text(known, "oib").to_owned(),
        in_vat_system: known["u_sust_pdv"].as_bool().unwrap(),
        place: place_of(text(known, "ozn_pos_pr"), text(known, "ozn_nap_ur"), numbering),
        number: text(known, "br_ozn_rac").parse().unwrap(),
        issued_at: local(Authority::Fina, &iso(text(known, "dat_vrijeme"))),
        operator_oib: text(known, "oib_oper").to_owned(),
        certificate: "1".to_owned(),
        paragon: None,
    };
    fina::Receipt::issue(arguments, key).unwrap()
}
