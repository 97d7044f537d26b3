//! Bytes of strangers: each ends in a verdict or in a refusal.

use racun_einvoicing::{Form, MAX_BYTES, Specification, Syntax, Unreadable, eslog, read, write};
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

/// A PDF of these objects, of which the first is the catalogue.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut places = String::new();
    for (n, object) in objects.iter().enumerate() {
        places += &format!("{:010} 00000 n \n", bytes.len());
        let begin = format!("{} 0 obj\n", n + 1);
        bytes.extend([begin.as_bytes(), object.as_slice(), b"\nendobj\n"].concat());
    }
    let (start, count) = (bytes.len(), objects.len() + 1);
    let end = format!(
        "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R >>\n\
         startxref\n{start}\n%%EOF\n"
    );
    bytes.extend(end.into_bytes());
    bytes
}

/// A stream, with `more` in its dictionary.
fn stream(more: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {}{more} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// A PDF whose invoice, metadata and other object are these streams.
fn hybrid(invoice: &[u8], metadata: &[u8], other: &[u8]) -> Vec<u8> {
    let catalogue = "<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R /AF [3 0 R] \
                     /Names << /EmbeddedFiles << /Names [(factur-x.xml) 3 0 R] >> >> >>";
    let pages = "<< /Type /Pages /Kids [] /Count 0 >>";
    let file = "<< /Type /Filespec /F (factur-x.xml) /UF (factur-x.xml) \
                /AFRelationship /Alternative /EF << /F 4 0 R >> >>";
    let parts = [catalogue.as_bytes(), pages.as_bytes(), file.as_bytes(), invoice, metadata, other];
    pdf(&parts.map(<[u8]>::to_vec))
}

/// Bytes that inflate to `times` 258 blanks and one, RFC 1950 and 1951: a block of the fixed codes
/// with a blank, and with 258 more, each the one before, as often as it takes.
fn inflating(times: usize) -> Vec<u8> {
    let again = "1100010100000".repeat(times);
    let bits = ["110", "01010000", &again, "0000000"].concat();
    let byte = |bits: &[u8]| bits.iter().rev().fold(0_u8, |byte, bit| (byte << 1) | (bit - b'0'));
    let block: Vec<u8> = bits.as_bytes().chunks(8).map(byte).collect();
    [&[0x78_u8, 0x9c][..], &block, &[0; 4]].concat()
}

#[test]
fn bombs_and_declarations_in_a_pdf_are_refused() {
    let xml = write(&invoice(), Specification::En16931, Syntax::Cii).unwrap().xml;
    let (xml, nothing) = (stream("", xml.as_bytes()), stream("", b"<x/>"));
    let received = read(&hybrid(&xml, &nothing, &nothing)).unwrap();
    assert_eq!((received.form, received.import.lines.len()), (Form::Hybrid, 2));
    let found: Vec<&str> = received.verdict.errors().map(|one| one.rule.as_str()).collect();
    assert_eq!(found, ["FXP-FX"], "the metadata say nothing");

    let packed = inflating(MAX_BYTES / 258 + 1);
    assert!(packed.len() < 100_000, "{}", packed.len());
    let bomb = stream(" /Filter /FlateDecode", &packed);
    let objects = stream(" /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", &packed);
    for (what, hostile) in [
        ("the invoice", hybrid(&bomb, &nothing, &nothing)),
        ("the metadata", hybrid(&xml, &bomb, &nothing)),
        ("the objects", hybrid(&xml, &nothing, &objects)),
    ] {
        let refused = read(&hostile).map(|received| received.form);
        assert_eq!(refused, Err(Unreadable::TooLarge), "{what}");
    }

    let namespace = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100";
    for declared in ["[<!ENTITY b \"bb\">]", "SYSTEM \"file:///etc/passwd\""] {
        let xml =
            format!("<!DOCTYPE a {declared}><a:CrossIndustryInvoice xmlns:a=\"{namespace}\"/>");
        let refused = read(&hybrid(&stream("", xml.as_bytes()), &nothing, &nothing));
        assert_eq!(refused, Err(Unreadable::Dtd), "{declared}");
    }
}
