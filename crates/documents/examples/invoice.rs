//! Makes an invoice without I/O and prints it as JSON: `cargo run -p racun-documents --example
//! invoice`.

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

use racun_documents::{
    Content, Document, DocumentKind, LineTaxDetail, NewDocument, NewLine, Party,
};
use racun_kernel::{Currency, Entropy, Stamp};
use time::macros::{date, datetime};

/// The same id each time. A program takes randomness of the operating system.
struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(1);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let stamp = Stamp::new(datetime!(2026-11-20 10:00 UTC), Arc::new(Fixed));
    let issuer = Party { name: Some("Ana s.p.".to_owned()), ..Party::default() };
    let line = NewLine {
        name: Some("Consulting".to_owned()),
        quantity: Some("1.5".parse()?),
        price: Some("50".parse()?),
        taxes: vec![LineTaxDetail::at("22".parse()?)],
        ..NewLine::default()
    };
    let content = Content::new(date!(2026 - 11 - 20), issuer, Currency::EUR);
    let new = NewDocument::new(DocumentKind::Invoice, stamp.id(), content, vec![line]);
    let draft = Document::draft(new, &stamp)?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&draft)?)?;
    Ok(())
}
