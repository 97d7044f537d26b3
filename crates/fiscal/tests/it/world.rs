//! Known answers, keys that sign, and what tests issue.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use racun_fiscal::{
    Authority, Header, MessageId, Numbering, PlaceOfIssue, Sale, SaleKind, SaleTax, Signer,
    SigningFailed, fina, furs,
};
use racun_kernel::Decimal;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::Value;
use time::macros::{datetime, format_description, offset};
use time::{Date, OffsetDateTime, PrimitiveDateTime};

/// Where the vectors and schemas are.
pub fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/fiscal")
}

/// A file of vectors: `furs.json` or `fina.json`.
pub fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(vectors().join(name)).unwrap()).unwrap()
}

/// The entries of a group, which must have some.
pub fn group<'a>(file: &'a Value, part: &str, name: &str) -> &'a [Value] {
    let entries = file[part][name].as_array().unwrap();
    assert!(!entries.is_empty(), "{name}");
    entries
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is no text in {value}"))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub fn date(value: &Value, name: &str) -> Date {
    racun_kernel::calendar::parse_date(text(value, name)).unwrap()
}

pub fn instant(value: &Value, name: &str) -> OffsetDateTime {
    racun_kernel::calendar::parse_instant(text(value, name)).unwrap()
}

/// `2026-11-20T16:04:25` as an instant whose offset does not count.
pub fn wall_clock(text: &str) -> OffsetDateTime {
    let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
    PrimitiveDateTime::parse(text, form).unwrap().assume_utc()
}

/// A key of the vectors.
pub struct Key(RsaKeyPair);

impl Key {
    pub fn of(file: &Value, name: &str) -> Self {
        let pem = text(&file["keys"][name], "private_key_pkcs8_pem");
        let base64: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let der = STANDARD.decode(base64).unwrap();
        Self(RsaKeyPair::from_pkcs8(&der).unwrap())
    }
}

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| SigningFailed)?;
        Ok(signature)
    }
}

/// Signs with nothing, at once: for tests of what is not the mark.
pub struct Echo;

impl Signer for Echo {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        Ok(message.to_vec())
    }
}

/// A key that is of no use.
pub struct Broken;

impl Signer for Broken {
    fn sign(&self, _message: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        Err(SigningFailed)
    }
}

pub const NOON: OffsetDateTime = datetime!(2026-11-20 12:00:00.75 +1);

pub fn header() -> Header {
    let message_id = MessageId::from("24be947e-8d46-4918-8e87-65f27781fd9d".to_owned());
    Header { message_id, sent_at: NOON }
}

pub fn place() -> PlaceOfIssue {
    place_of("PREM1", "1", Numbering::PerPremise)
}

pub fn place_of(premise: &str, device: &str, numbering: Numbering) -> PlaceOfIssue {
    PlaceOfIssue { premise: premise.to_owned(), device: device.to_owned(), numbering }
}

/// A sale of `total` of which nothing is taxed.
pub fn sale(kind: SaleKind, total: &str) -> Sale {
    Sale::new(kind, decimal(total), Vec::new())
}

pub fn tax(rate: &str, base: &str, amount: &str) -> SaleTax {
    SaleTax { rate: decimal(rate), base: decimal(base), amount: decimal(amount) }
}

pub fn invoice(sale: &Sale) -> furs::Invoice {
    furs::Invoice::issue(invoice_arguments(sale), &Echo).unwrap()
}

pub fn invoice_arguments(sale: &Sale) -> furs::IssueArguments<'_> {
    furs::IssueArguments {
        sale,
        tax_number: "10039856".to_owned(),
        place: place(),
        number: 17,
        issued_at: NOON,
        operator: furs::Operator::TaxNumber("12345678".to_owned()),
        special_notes: None,
    }
}

pub fn receipt(sale: &Sale) -> fina::Receipt {
    fina::Receipt::issue(receipt_arguments(sale), &Echo).unwrap()
}

pub fn receipt_arguments(sale: &Sale) -> fina::IssueArguments<'_> {
    fina::IssueArguments {
        sale,
        payment_type: None,
        oib: "12345678903".to_owned(),
        in_vat_system: true,
        place: place(),
        number: 17,
        issued_at: NOON,
        operator_oib: "11122233343".to_owned(),
        certificate: "84447379132272517894834195923371485962".to_owned(),
        paragon: None,
    }
}

/// `2026-11-20T16:04:25` on the clocks of the authority.
pub fn local(authority: Authority, text: &str) -> OffsetDateTime {
    let wall_clock = wall_clock(text);
    let guesses = [offset!(+1), offset!(+2)].map(|offset| wall_clock.replace_offset(offset));
    guesses.into_iter().find(|guess| authority.local(*guess).offset() == guess.offset()).unwrap()
}

/// `text` without `part`, which must be in it once.
pub fn without(text: &str, part: &str) -> String {
    replaced(text, part, "")
}

/// `text` with `other` in the place of `part`, which must be in it once.
pub fn replaced(text: &str, part: &str, other: &str) -> String {
    assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    text.replace(part, other)
}
