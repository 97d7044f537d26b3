//! Bytes of strangers: each ends in a verdict or in a refusal.

use racun_einvoicing::{MAX_BYTES, Specification, Syntax, Unreadable, eslog, read, write};
use racun_store::testing::Random;

use crate::sample::invoice;

#[test]
fn bytes_that_are_no_invoice_are_refused() {
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>";
    let external = "<?xml version=\"1.0\"?><!DOCTYPE Invoice SYSTEM \"file:///etc/passwd\">\
                    <Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\"/>";
    for text in [bomb, external] {
        assert_eq!(read(text.as_bytes()), Err(Unreadable::Dtd), "{text}");
    }
    assert_eq!(read(&vec![b' '; MAX_BYTES + 1]), Err(Unreadable::TooLarge));
    let half_a_pair = [0xff, 0xfe, b'<', 0, 0x00, 0xd8];
    for bytes in [&[0xff, 0xfe, b'<'][..], &half_a_pair, b"<\0a\0", b"<a>\xe8</a>"] {
        let refused = read(bytes);
        assert!(matches!(refused, Err(Unreadable::Encoding | Unreadable::NotAnInvoice(_))));
    }
    assert_eq!(read(&half_a_pair), Err(Unreadable::Encoding));
    let hidden: Vec<u8> =
        format!("\u{feff}{bomb}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&hidden), Err(Unreadable::Dtd));
    let deep = "<a>".repeat(200_000);
    for text in ["", "no XML", "<html/>", "<Invoice/>", "%PDF-1.7", &deep] {
        let refused = read(text.as_bytes());
        assert!(matches!(refused, Err(Unreadable::NotAnInvoice(_))), "{refused:?}");
    }
}

#[test]
fn any_invoice_ends_in_a_verdict_or_a_refusal() {
    let written = write(&invoice(), Specification::XRechnung, Syntax::Cii).unwrap();
    let mut choices = Random::new(3);
    for _ in 0..2000 {
        let mut bytes = written.xml.clone().into_bytes();
        for _ in 0..=choices.below(4) {
            let place = choices.below(bytes.len());
            match choices.below(3) {
                0 => bytes[place] = choices.pick(b"<>&\"/ 0a\xff"),
                1 => bytes.truncate(place.max(1)),
                _ => drop(bytes.drain(place..(place + 5).min(bytes.len()))),
            }
        }
        let _ = read(&bytes);
    }
}

#[test]
fn any_e_slog_ends_in_a_verdict_or_a_refusal() {
    let deep = format!("<Invoice xmlns=\"urn:eslog:2.00\">{}", "<a>".repeat(200_000));
    assert!(matches!(read(deep.as_bytes()), Err(Unreadable::NotAnInvoice(_))));
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\">]><Invoice xmlns=\"urn:eslog:2.00\">&b;</Invoice>";
    assert_eq!(read(bomb.as_bytes()), Err(Unreadable::Dtd));
    let empty = "<Invoice xmlns=\"urn:eslog:2.00\"><M_INVOIC/></Invoice>";
    assert!(!read(empty.as_bytes()).unwrap().verdict.is_valid());
    let mut facts = invoice();
    facts.customer.as_mut().unwrap().is_end_consumer = true;
    for place in 0..2 {
        crate::sample::priced(&mut facts, place).taxes[0].rate = crate::sample::decimal("22");
    }
    facts.totals.taxes[0].rate = crate::sample::decimal("22");
    facts.totals.taxes[0].amount = crate::sample::decimal("22");
    facts.totals.total_with_tax = crate::sample::decimal("122");
    let written = eslog::write(&facts).unwrap();
    let mut choices = Random::new(5);
    for _ in 0..2000 {
        let mut bytes = written.xml.clone().into_bytes();
        for _ in 0..=choices.below(4) {
            let place = choices.below(bytes.len());
            match choices.below(3) {
                0 => bytes[place] = choices.pick(b"<>&\"/ 0a-.9\xff"),
                1 => bytes.truncate(place.max(1)),
                _ => drop(bytes.drain(place..(place + 5).min(bytes.len()))),
            }
        }
        let _ = read(&bytes);
    }
}

#[test]
fn any_pdf_ends_in_a_verdict_or_a_refusal() {
    let pdf = include_bytes!("vectors/samples/hybrid/invoice.pdf");
    let mut choices = Random::new(6);
    for _ in 0..60 {
        let mut bytes = pdf.to_vec();
        for _ in 0..=choices.below(6) {
            let place = choices.below(bytes.len());
            match choices.below(3) {
                0 => bytes[place] = choices.pick(b"<>[]() 0/R\xff"),
                1 => bytes.truncate(place.max(64)),
                _ => drop(bytes.drain(place..(place + 50).min(bytes.len()))),
            }
        }
        let _ = read(&bytes);
    }
}
