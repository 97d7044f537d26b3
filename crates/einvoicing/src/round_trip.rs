//! What is written is read back as the same terms: each specification, each syntax, and e-SLOG.

use en16931::Invoice;
use en16931::invoice::{Delivery, Party};
use racun_store::testing::Random;
use roxmltree::Document;

use crate::documents::{issued_in_slovenia, random};
use crate::facts::Texts;
use crate::finding::Level;
use crate::model::Model;
use crate::{Specification, Syntax, eslog, write};

/// Random documents.
const DOCUMENTS: usize = 400;
/// Random documents as e-SLOG, and of how many at most: it refuses the others.
const OF_ESLOG: usize = 250;
const TRIED: usize = 2_000;

/// The terms that a file says.
fn read(xml: &str) -> Invoice {
    en16931_formats::read(xml.as_bytes()).unwrap().invoice
}

#[test]
fn what_is_written_is_read_as_the_same_terms() {
    let mut choices = Random::new(2);
    for n in 0..DOCUMENTS {
        let facts = random(&mut choices, n);
        for specification in Specification::ALL {
            let terms = Model::of(&facts, specification).invoice;
            for syntax in [Syntax::Ubl, Syntax::Cii] {
                if !specification.takes(syntax) {
                    continue;
                }
                let written = write(&facts, specification, syntax).unwrap();
                let what = format!("{n} by {specification:?} in {syntax:?}");
                assert_eq!(read(&written.xml), terms, "{what}: {}", written.xml);
            }
        }
    }
}

/// The terms as an e-SLOG carries them. Parties, where goods went and how to pay it says in its own
/// way, the process is always the same, and texts lose how they are divided into lines.
fn carried(mut invoice: Invoice) -> Invoice {
    (invoice.seller, invoice.buyer) = (Party::default(), Party::default());
    (invoice.payment, invoice.business_process) = (None, None);
    let day = invoice.delivery.take().and_then(|delivery| delivery.date);
    invoice.delivery = day.map(|day| Delivery { date: Some(day), ..Delivery::default() });
    for note in &mut invoice.notes {
        plain(&mut note.note);
    }
    plain(&mut invoice.payment_terms);
    for group in &mut invoice.vat_breakdown {
        plain(&mut group.exemption_reason);
    }
    for line in &mut invoice.lines {
        plain(&mut line.item.name);
        plain(&mut line.item.description);
        plain(&mut line.note);
    }
    invoice
}

/// The words of a text.
fn plain(text: &mut Option<String>) {
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    *text = text.take().map(words);
}

/// Texts that are longer than one segment of an e-SLOG.
fn long() -> Texts {
    let text = Some("beseda ".repeat(600));
    Texts { note: text.clone(), payment_terms: text.clone(), tax_clause: text }
}

#[test]
fn what_is_written_as_e_slog_is_read_as_the_same_terms() {
    let mut choices = Random::new(3);
    let (mut same, mut percentages, mut exempt_twice, mut long_twice) = (0, 0, 0, 0);
    for n in 0..TRIED {
        if same == OF_ESLOG {
            break;
        }
        let mut facts = issued_in_slovenia(&mut choices, n);
        match n % 3 {
            0 => facts.texts.tax_clause = None,
            1 => facts.texts = long(),
            _ => {}
        }
        let Ok(written) = eslog::write(&facts) else { continue };
        let terms = carried(Model::of(&facts, Specification::En16931).invoice);
        let tree = Document::parse(&written.xml).unwrap();
        let read = eslog::read(&tree).unwrap();
        let fatal = read.found.iter().find(|one| one.level == Level::Fatal);
        assert_eq!(fatal, None, "{n}: {}", written.xml);
        assert_eq!(carried(read.invoice), terms, "{n}: {}", written.xml);
        same += 1;
        let discounts = terms.lines.iter().flat_map(|line| &line.allowances);
        percentages += discounts.filter(|one| one.percentage.is_some()).count();
        let codes = terms.vat_breakdown.iter().filter_map(|it| it.exemption_reason_code.as_ref());
        let is_exempt_twice = codes.count() > 1;
        exempt_twice += usize::from(is_exempt_twice);
        long_twice += usize::from(is_exempt_twice && n % 3 == 1);
    }
    println!("{percentages} percentages, {exempt_twice} exempt twice, {long_twice} of these long");
    assert_eq!(same, OF_ESLOG);
    assert!(percentages > 0 && exempt_twice > 0 && long_twice > 0);
}
