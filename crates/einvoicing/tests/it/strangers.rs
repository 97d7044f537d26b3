//! Bytes of strangers: each ends in a verdict or in a refusal.

use racun_einvoicing::{MAX_BYTES, Specification, Syntax, Unreadable, read, write};
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
    assert_eq!(read(&[0xff, 0xfe, b'<', 0]), Err(Unreadable::Encoding));
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
