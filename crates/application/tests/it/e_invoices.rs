//! Documents made of random requests, as electronic invoices: the same figures, judged without a
//! panic, and valid by the official rules where ours say so.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use racun_access::EntityPatch;
use racun_application::entities::update_entity;
use racun_delivery::einvoice_files;
use racun_documents::calculation::{CalculationMode, Discount, DiscountKind};
use racun_documents::{Document, DocumentKind, EInvoiceForm, LineKind, PartyPatch, TextDefaults};
use racun_einvoicing::{Facts, FactsKind, Line, PaidBy, Preceding};
use racun_kernel::{Classification, Decimal, Patch, PaymentType};
use racun_records::get_document;
use racun_sales::documents::{
    Creation, CustomerRequest, DocumentRequest, ExchangeRateRequest, LineRequest, LineTaxRequest,
};
use racun_sales::einvoicing::{self, EInvoiceRefused};
use racun_settlement::NewPayment;
use racun_store::Store;
use racun_store::testing::{Random, stamp};
use racun_store_sqlite::SqliteStore;
use serde_json::json;

use crate::fixture::{NOW, Shop, decimal, line, request};
use crate::judge::judge;

/// Documents that are made in each country.
const DOCUMENTS: usize = 200;

const TEXTS: [&str; 5] =
    ["Kolo", "<b>& \"'", "Žaga 日本 😀", "a\u{b}\u{1}\u{fffe}b", "{entity_name} {document_number}"];

async fn shop(country: &str) -> Shop {
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let mut shop = Shop::open_in(country, store, stamp(NOW)).await;
    let is_german = country == "Germany";
    let text = |text: &str| Patch::Value(text.to_owned());
    let patch = EntityPatch {
        address: text("Weg 1"),
        post_code: text("10115"),
        city: text("Berlin"),
        phone: text("+49 30 123"),
        email: text("a@example.com"),
        company_number: text("HRB 1"),
        tax_number: text(if is_german { "DE136695976" } else { "SI10039856" }),
        ..EntityPatch::default()
    };
    shop.entity = update_entity(shop.cx(), patch).await.unwrap();
    let account = json!([{"type": "iban", "iban": "SI56263300012039086", "bic": "LJBASI2X"}]);
    shop.with_settings(json!({ "bank_accounts": account })).await
}

fn random_line(choices: &mut Random, kind: DocumentKind, rates: &[&str]) -> LineRequest {
    if choices.chance(8) {
        let name = Some(choices.pick(&TEXTS).to_owned());
        return LineRequest { kind: Some(LineKind::Separator), name, ..LineRequest::default() };
    }
    let price = decimal(choices.pick(&["9.99", "100", "0.017", "12.3456", "1499.95"]));
    let is_gross = choices.chance(40);
    let is_return = kind == DocumentKind::Invoice && choices.chance(5);
    let quantity = decimal(choices.pick(&["1", "3", "7", "0.333", "12.5"]));
    let tax = LineTaxRequest {
        rate: Some(decimal(choices.pick(rates))),
        reverse_charge: choices.chance(5).then_some(true),
        classification: choices.chance(5).then(|| "zero".to_owned()),
        ..LineTaxRequest::default()
    };
    let discount = |choices: &mut Random| Discount {
        value: decimal(choices.pick(&["10", "2.5", "0.01", "1"])),
        kind: choices.pick(&[DiscountKind::Percent, DiscountKind::Amount]),
    };
    LineRequest {
        name: Some(choices.pick(&TEXTS).to_owned()),
        description: choices.maybe(|choices| choices.pick(&TEXTS).to_owned()),
        classification: choices
            .maybe(|choices| choices.pick(&[Classification::Product, Classification::Service])),
        quantity: Some(if is_return { -&quantity } else { quantity }),
        price: (!is_gross).then(|| price.clone()),
        gross_price: is_gross.then_some(price),
        unit: choices.maybe(|choices| choices.pick(&["kos", "h", "m²"]).to_owned()),
        unit_code: choices.chance(20).then(|| "KGM".to_owned()),
        taxes: Some(if choices.chance(10) { Vec::new() } else { vec![tax] }),
        discounts: (0..choices.pick(&[0, 0, 1, 2])).map(|_| discount(choices)).collect(),
        ..LineRequest::default()
    }
}

fn random_request(choices: &mut Random, kind: DocumentKind, rates: &[&str]) -> DocumentRequest {
    let text = |text: &str| Patch::Value(text.to_owned());
    let lacks = |choices: &mut Random| choices.chance(5);
    let mut party = PartyPatch {
        name: text(choices.pick(&TEXTS)),
        address: text("Pot 2"),
        post_code: text("53113"),
        city: text("Bonn"),
        country_code: text(choices.pick(&["DE", "SI", "FR", "US"])),
        email: text("kupec@example.com"),
        is_end_consumer: Patch::Value(choices.chance(60)),
        buyer_reference: text(choices.pick(&["04011000-12345-03", "991-01234-56", "N-1"])),
        ..PartyPatch::default()
    };
    if lacks(choices) {
        party.city = Patch::Null;
    }
    if lacks(choices) {
        party.buyer_reference = Patch::Null;
    }
    let customer = CustomerRequest { party, save_customer: Some(false) };
    let is_foreign = choices.chance(15);
    let count = 1 + choices.below(6);
    DocumentRequest {
        customer: if lacks(choices) { Patch::Absent } else { Patch::Value(customer) },
        items: Some((0..count).map(|_| random_line(choices, kind, rates)).collect()),
        calculation_mode: Some(
            choices.pick(&[CalculationMode::B2bStandard, CalculationMode::B2cGrossDiscount]),
        ),
        currency_code: is_foreign.then(|| "USD".to_owned()),
        exchange_rate: match is_foreign && choices.chance(80) {
            true => Patch::Value(ExchangeRateRequest {
                rate: decimal("0.9137"),
                source: None,
                date: None,
                quote_currency: None,
            }),
            false => Patch::Absent,
        },
        texts: TextDefaults {
            note: choices.maybe(|choices| text(choices.pick(&TEXTS))).unwrap_or_default(),
            tax_clause: choices.maybe(|_| text("Ohne USt, {entity_name}")).unwrap_or_default(),
            ..TextDefaults::default()
        },
        ..DocumentRequest::default()
    }
}

/// The facts say what the document says.
fn check_same(document: &Document, facts: &Facts) {
    let (totals, amounts) = (&facts.totals, &document.amounts);
    assert_eq!(totals.total, amounts.total);
    assert_eq!(totals.total_with_tax, amounts.total_with_tax);
    assert_eq!(totals.paid, amounts.total_paid);
    let tax: Decimal = totals.taxes.iter().map(|tax| &tax.amount).sum();
    assert_eq!(tax, amounts.taxes.iter().map(|taxes| &taxes.tax.amount).sum());
    assert_eq!(facts.lines.len(), document.content.lines.len());
    for (fact, line) in facts.lines.iter().zip(&document.content.lines) {
        match fact {
            Line::Heading(name) => {
                assert_eq!((name, line.kind), (&line.name, Some(LineKind::Separator)))
            }
            Line::Priced(priced) => assert_eq!(
                (&priced.name, &priced.quantity, &priced.total),
                (&line.name, &line.quantity, &line.total)
            ),
        }
    }
    assert_eq!((&facts.number, facts.date), (&document.number(), document.content.date));
    let note = facts.texts.note.as_deref().unwrap_or_default();
    assert!(!note.contains("{entity_name}"), "{note}");
}

async fn judged(country: &str, rates: &[&str], forms: &[(EInvoiceForm, &str)]) {
    let shop = shop(country).await;
    let mut choices = Random::new(17);
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    let kinds = [
        DocumentKind::Invoice,
        DocumentKind::Invoice,
        DocumentKind::CreditNote,
        DocumentKind::AdvanceInvoice,
        DocumentKind::Estimate,
    ];
    let (mut made, mut refused) = (0, 0);
    for n in 0..DOCUMENTS {
        let kind = choices.pick(&kinds);
        let request = random_request(&mut choices, kind, rates);
        let creation = Creation {
            is_draft: kind == DocumentKind::AdvanceInvoice || choices.chance(5),
            ..Creation::default()
        };
        // Discounts above the line, totals below zero.
        let Ok(document) = shop.make_of(kind, request, creation).await else { continue };
        made += 1;
        let facts = einvoicing::facts(shop.cx(), &shop.entity, &document).await.unwrap().unwrap();
        check_same(&document, &facts);
        for (form, rules) in forms {
            match einvoice_files::xml_of(&facts, *form) {
                Ok(xml) => {
                    let file = folder.path().join(format!("{n}-{}.xml", form.name()));
                    fs::write(&file, xml).unwrap();
                    files.push((rules, file));
                }
                Err(EInvoiceRefused::Invalid { issues, .. }) => {
                    assert!(!issues.is_empty());
                    let unplaced = issues.iter().find(|issue| issue.path.is_empty());
                    assert_eq!(unplaced, None, "{form:?} of {n}");
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(made > DOCUMENTS / 2, "{made} of {DOCUMENTS}");
    assert!(files.len() > 40, "{} files, {refused} refused", files.len());
    let Some(said) = judge(&files) else { return };
    for (file, said) in said {
        let fatal: Vec<_> = said.iter().filter(|one| one.level == "fatal").collect();
        assert!(fatal.is_empty(), "{}: {fatal:#?}", file.display());
    }
}

#[tokio::test]
async fn links_and_payments_of_a_document_are_in_its_facts() {
    let shop = shop("Slovenija").await;
    let make = async |kind, links: &[&Document], payments: Vec<NewPayment>| {
        let linked = links.iter().map(|document| document.id.to_string()).collect();
        let request = DocumentRequest {
            linked_documents: Some(linked),
            ..request(vec![line("Kolo", "1", "100")])
        };
        shop.make_of(kind, request, Creation { payments, ..Creation::default() }).await.unwrap()
    };
    let facts = async |document: &Document| {
        let document = get_document(shop.cx(), document.id).await.unwrap();
        einvoicing::facts(shop.cx(), &shop.entity, &document).await.unwrap()
    };
    let advance =
        make(DocumentKind::AdvanceInvoice, &[], vec![NewPayment::new(PaymentType::BankTransfer)])
            .await;
    let note = make(DocumentKind::DeliveryNote, &[], Vec::new()).await;
    let invoice = make(DocumentKind::Invoice, &[&advance, &note], Vec::new()).await;
    let said = facts(&invoice).await.unwrap();
    let earlier = Preceding { number: advance.number(), date: Some(advance.content.date) };
    assert_eq!(said.preceding, [earlier]);
    assert_eq!(said.delivery_note, Some(note.number()));
    assert_eq!((said.totals.paid.clone(), said.paid_by), (decimal("122"), None));
    assert_eq!(said.accounts[0].number, "SI56263300012039086");
    assert_eq!(facts(&note).await, None);

    let sold = make(DocumentKind::Invoice, &[], vec![NewPayment::new(PaymentType::Cash)]).await;
    let said = facts(&sold).await.unwrap();
    assert_eq!((said.totals.paid.clone(), said.paid_by), (decimal("122"), Some(PaidBy::Cash)));
    assert_eq!((said.delivery_note.clone(), said.preceding.len()), (None, 0));
    let later = make(DocumentKind::DeliveryNote, &[&sold], Vec::new()).await;
    assert_eq!(facts(&sold).await.unwrap().delivery_note, Some(later.number()));
    let credit = make(DocumentKind::CreditNote, &[&sold], Vec::new()).await;
    let said = facts(&credit).await.unwrap();
    assert_eq!(
        (said.kind, said.preceding[0].number.clone()),
        (FactsKind::CreditNote, sold.number())
    );
}

#[tokio::test]
async fn random_documents_of_a_german_entity_are_judged_as_the_official_rules_do() {
    let forms = [(EInvoiceForm::XRechnung, "xrechnung"), (EInvoiceForm::Zugferd, "facturx")];
    judged("Germany", &["19", "7", "0"], &forms).await;
}

#[tokio::test]
async fn random_documents_of_a_slovenian_entity_are_judged_as_the_schema_does() {
    judged("Slovenija", &["22", "9.5", "5", "0"], &[(EInvoiceForm::Eslog, "eslog")]).await;
}
