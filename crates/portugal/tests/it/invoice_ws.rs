//! Texts to and from the authority's service of invoices.

use racun_portugal::invoice_ws::{
    InvoiceReply, Meaning, NAMESPACE, Parties, change_status, register, takes,
};
use racun_portugal::saft::SaftDocument;
use roxmltree::{Document, Node};

use crate::key::Key;
use crate::saft_judge::assert_valid_as;
use crate::sample::{month, voided};

const PARTIES: Parties<'static> = Parties {
    issuer: "508025338",
    certificate: 9999,
    buyer: Some("PT504030108"),
    buyer_country: Some("PT"),
};

fn sales() -> Vec<SaftDocument> {
    month(&Key::read("test_a")).0.into_iter().filter(takes).collect()
}

fn leaf(text: &str, name: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let is_it = |node: &Node<'_, '_>| node.tag_name().name() == name;
    let text = |node: Node<'_, '_>| node.text().unwrap_or_default().to_owned();
    document.descendants().filter(is_it).map(text).collect()
}

#[test]
fn requests_are_valid_against_the_schema_of_the_service() {
    let documents = sales();
    assert!(documents.len() > 3);
    let mut texts: Vec<String> = documents.iter().map(|own| register(own, &PARTIES)).collect();
    let foreign = Parties { buyer: Some("HR69435151530"), buyer_country: None, ..PARTIES };
    let unknown = Parties { buyer: None, buyer_country: Some("x"), ..PARTIES };
    texts.extend([foreign, unknown].map(|parties| register(&documents[0], &parties)));
    texts.push(change_status(&voided(documents[0].clone()), &PARTIES));
    let files: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    assert_valid_as("fatcorews.xsd", &files);
    let buyers = ["CustomerTaxID", "CustomerTaxIDCountry"];
    assert_eq!(buyers.map(|name| leaf(&texts[0], name).concat()), ["504030108", "PT"]);
    let [.., foreign, unknown, _] = texts.as_slice() else { panic!("{texts:?}") };
    assert_eq!(buyers.map(|name| leaf(foreign, name).concat()), ["HR69435151530", "Desconhecido"]);
    assert_eq!(buyers.map(|name| leaf(unknown, name).concat()), ["999999990", "PT"]);
}

#[test]
fn an_invoice_is_reported_rate_by_rate_with_four_characters() {
    let invoice = &sales()[0];
    let mut twice = invoice.clone();
    twice.lines.push(invoice.lines[3].clone());
    let text = register(&twice, &PARTIES);
    assert_eq!(leaf(&text, "HashCharacters"), [invoice.hash.excerpt()]);
    assert_eq!(leaf(&text, "ATCUD"), [invoice.atcud.as_ref().unwrap().to_string()]);
    assert_eq!(leaf(&text, "SystemEntryDate"), [invoice.entered_at.to_string()]);
    let mut codes = leaf(&text, "TaxCode");
    codes.sort();
    assert_eq!(codes, ["INT", "ISE", "NOR", "RED"], "lines of one rate are one row");
    assert_eq!(leaf(&text, "TaxExemptionCode"), ["M07"]);
    let mut amounts = leaf(&text, "Amount");
    amounts.sort();
    assert_eq!(amounts, ["273.81", "273.81", "273.81", "547.62"]);
    assert_eq!(leaf(&text, "DebitCreditIndicator"), ["C"; 4]);
    assert_eq!(leaf(&text, "WithholdingTaxAmount"), ["25.50"]);
}

#[test]
fn a_credit_note_names_what_it_rectifies_and_a_void_its_state() {
    let documents = sales();
    let is_credit = |own: &&SaftDocument| own.code.is_debit();
    let credit = documents.iter().find(is_credit).unwrap();
    let text = register(credit, &PARTIES);
    assert_eq!(leaf(&text, "Reference"), [documents[0].number.to_string()]);
    assert_eq!(leaf(&text, "DebitCreditIndicator"), ["D"]);
    let text = change_status(&voided(documents[0].clone()), &PARTIES);
    let root = Document::parse(&text).unwrap();
    assert!(root.root_element().has_tag_name((NAMESPACE, "ChangeInvoiceStatusRequest")));
    assert_eq!(leaf(&text, "InvoiceStatus").concat(), "A");
    assert_eq!(leaf(&text, "InvoiceNo"), [documents[0].number.to_string()]);
}

fn answer(operation: &str, code: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\">\
         <S:Body><n:{operation}Response xmlns:n=\"{NAMESPACE}\"><n:Response>\
         <n:CodigoResposta>{code}</n:CodigoResposta><n:Mensagem>Operação</n:Mensagem>\
         <n:DataOperacao>2026-11-26T10:00:00</n:DataOperacao></n:Response>\
         </n:{operation}Response></S:Body></S:Envelope>"
    )
}

#[test]
fn answers_are_read_with_what_they_mean() {
    for (code, meaning) in [
        ("0", Meaning::Done),
        ("1", Meaning::Denied),
        ("33", Meaning::Denied),
        ("99", Meaning::Failed),
        ("-99", Meaning::Failed),
        ("-3", Meaning::Wrong),
        ("-50", Meaning::Wrong),
    ] {
        for operation in ["RegisterInvoice", "ChangeInvoiceStatus"] {
            let read = InvoiceReply::read(&answer(operation, code)).unwrap();
            assert_eq!((read.meaning(), read.message.as_str()), (meaning, "Operação"), "{code}");
        }
    }
}

#[test]
fn what_is_no_answer_is_not_read() {
    let good = answer("RegisterInvoice", "0");
    for wrong in [
        String::new(),
        "<html/>".to_owned(),
        answer("DeleteInvoice", "0"),
        good.replace("CodigoResposta", "Codigo"),
        good.replace(">0<", ">zero<"),
        good.replace(NAMESPACE, "http://example.pt"),
        format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{good}"),
        format!("{good}{}", " ".repeat(1024 * 1024)),
    ] {
        assert!(InvoiceReply::read(&wrong).is_err(), "{}", &wrong[..wrong.len().min(200)]);
    }
}
