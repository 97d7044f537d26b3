//! What documents are to one another: links, and in money advances with their tax, credit, and what
//! credit notes leave.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod advances;
mod credits;
mod links;
mod rests;

use racun_documents::calculation::CalculationMode;
use racun_documents::number_format::{FormatKind, NumberFormat};
use racun_documents::{
    Content, CreationSource, Document, DocumentKind, GivenTotals, LineTaxDetail, NewDocument,
    NewLine, NumberFormats, Numbering,
};
use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Stamp};
use racun_store::Record;
use time::Date;
use time::macros::date;
use ulid::Ulid;

use crate::life_cycle::content;

const TODAY: Date = date!(2026 - 11 - 20);

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// A line after `name quantity price rate…`: net prices, percent, an `r` before a rate for reverse
/// charge.
fn line(text: &str) -> NewLine {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [name, quantity, price, rates @ ..] = &words[..] else { panic!("{text}") };
    let tax = |rate: &&str| LineTaxDetail {
        tax_id: None,
        rate: decimal(rate.trim_start_matches('r')),
        classification: None,
        reverse_charge: rate.starts_with('r'),
        amount: Decimal::zero(),
        is_deductible: None,
        deductible_percentage: None,
        pt_exemption_code: None,
        pt_exemption_reason: None,
    };
    NewLine {
        name: Some((*name).to_owned()),
        quantity: Some(decimal(quantity)),
        price: Some(decimal(price)),
        taxes: rates.iter().map(tax).collect(),
        ..NewLine::default()
    }
}

/// An issued document of `lines`, with `given` totals or calculated ones.
fn issued(
    kind: DocumentKind,
    lines: Vec<NewLine>,
    given: Option<GivenTotals>,
    stamp: &Stamp,
) -> Document {
    let content = Content { date: TODAY, date_due: None, ..content() };
    let new = NewDocument {
        kind,
        entity_id: EntityId::new(Ulid::from_parts(1, 1)),
        source: CreationSource::Api,
        mode: CalculationMode::B2bStandard,
        content,
        lines,
        expected_total_with_tax: None,
        given,
        today: TODAY,
    };
    let draft = Document::draft(new, stamp).unwrap();
    let format = |text| NumberFormat::parse(text, FormatKind::Main).unwrap();
    let formats = NumberFormats {
        main: format("{yyyy}-{nnnnn}"),
        unit: NumberFormat::parse("{yyyy}-{u}-{nnnnn}", FormatKind::Unit).unwrap(),
        start: 1,
    };
    let numbering = Numbering::of(kind, draft.tenant(), TODAY, &formats, None);
    draft.issue(&numbering, 7, None, TODAY, stamp).unwrap()
}

/// What `document` has left, as settlement says: total less credited less applied, once issued.
fn left(document: &Document) -> Decimal {
    let amounts = &document.amounts;
    let given_out = &amounts.total_credited + &amounts.total_applied;
    (&amounts.total_with_tax - &given_out).max(Decimal::zero())
}

/// A document of the lines that `text` has, apart by `;`.
fn document(kind: DocumentKind, text: &str, stamp: &Stamp) -> Document {
    issued(kind, text.split(';').map(line).collect(), None, stamp)
}
