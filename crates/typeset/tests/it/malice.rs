//! Texts and pictures that want to be more than that.

use racun_paper::{Row, Template};

use crate::sample::{invoice, picture, plain_invoice};
use crate::set;
use crate::texts::misplaced;
use crate::tools::{pages, squeezed, text};

#[test]
fn sources_and_formulas_in_texts_are_texts() {
    let texts = [
        "#{panic(\"no\")}",
        "#read(\"/data.json\") $x^2$ *bold* _it_ `code` <label> @ref \\ // no /* no */",
        "=cmd|' /C calc'!A0",
        "<script>alert(1)</script> & &amp;",
        "{{ 7 * 7 }} ${7*7} %n%s",
        "- list\n= heading\n+ one",
    ];
    for template in Template::ALL {
        let mut paper = plain_invoice(template, 1);
        paper.customer.as_mut().unwrap().name = texts[0].to_owned();
        paper.issuer.name = texts[1].to_owned();
        paper.customer.as_mut().unwrap().address = texts[2..].iter().map(|&s| s.into()).collect();
        paper.title = texts[0].to_owned();
        paper.primary_color = Some("#ffff00".to_owned());
        let found = squeezed(&text(&set(&paper)));
        for text in texts {
            assert!(found.contains(&squeezed(text)), "{text} in {template:?}");
        }
    }
}

#[test]
fn direction_marks_and_missing_glyphs_are_harmless() {
    let mut paper = plain_invoice(Template::Classic, 1);
    let customer = paper.customer.as_mut().unwrap();
    customer.name = "ab\u{202e}cd\u{0}\u{7}ef\u{feff}g\u{200b}h".to_owned();
    customer.address = vec![
        "日本語 한국어 🦀 \u{e000}\u{10ffff}".to_owned(),
        "שלום עולם مرحبا नमस्ते".to_owned(),
        "e\u{301}\u{327}\u{20dd} a\u{300}\u{301}\u{302}\u{303}".repeat(20),
    ];
    let found = text(&set(&paper));
    assert!(found.contains("abcdefgh"), "{found}");
    assert!(!found.contains(['\u{202e}', '\u{0}', '\u{e000}']), "{found}");
}

#[test]
fn ten_thousand_letters_without_a_blank_are_broken_and_all_there() {
    for template in [Template::Modern, Template::Condensed, Template::Receipt58] {
        let mut paper = plain_invoice(template, 1);
        let long = "Ž".repeat(10_000);
        for row in &mut paper.lines.rows {
            if let Row::Cells { cells, description, .. } = row {
                cells[1].clone_from(&long);
                *description = Some("q".repeat(10_000));
            }
        }
        paper.notes[0].text = "ф".repeat(10_000);
        let file = set(&paper);
        let found = text(&file);
        for letter in ['Ž', 'q', 'ф'] {
            let count = found.matches(letter).count();
            assert!(count >= 10_000, "{template:?}: {count} {letter}");
        }
        let width = if template.is_receipt() { 165_000 } else { 595_500 };
        assert_eq!(misplaced(&file, width), None, "{template:?}");
        assert!(pages(&file) < 40);
    }
}

#[test]
fn a_picture_that_does_not_decode_is_left_out() {
    let mut paper = invoice(Template::Modern, 1);
    let whole = set(&paper);
    let images = |file: &[u8]| file.windows(14).filter(|part| part == b"/Subtype/Image").count();
    assert!(images(&whole) > 0);
    for bytes in [Vec::new(), b"<svg/>".to_vec(), picture().bytes[..40].to_vec(), vec![0xff; 999]] {
        paper.logo.as_mut().unwrap().bytes.clone_from(&bytes);
        paper.signature.as_mut().unwrap().picture.as_mut().unwrap().bytes = bytes;
        let file = set(&paper);
        assert_eq!(images(&file), 0);
        assert!(squeezed(&text(&file)).contains("Podjetjezavsed.o.o."));
    }
}
