//! How pages and mails look: their templates, the logo's part of its size, and codes on paper.

use std::collections::BTreeSet;

use racun_documents::{Document, DocumentKind};
use racun_kernel::BankAccount;
use racun_paper::page::{Around, escape};
use racun_paper::{Code, CodeKind, Paper, Picture, Template, modules};

use crate::sample::{content, draft, invoice, issued, line, paper, source};

fn logo(scale_percent: u8) -> Picture {
    Picture {
        bytes: b"\x89PNG".to_vec(),
        media_type: "image/png".to_owned(),
        scale_percent,
        alt: "Logo".to_owned(),
    }
}

/// An invoice that is paid in Croatia.
fn croatian() -> Document {
    let mut content = content();
    content.issuer.country_code = Some("HR".to_owned());
    content.issuer.bank_account = Some(BankAccount {
        iban: Some("HR1210010051863000160".to_owned()),
        ..BankAccount::default()
    });
    issued(draft(DocumentKind::Invoice, content, vec![line("Rad", "1", "50", "25")]))
}

#[test]
fn pages_of_the_six_templates_differ_and_say_the_same() {
    let document = invoice();
    let mut looks = BTreeSet::new();
    let mut bodies = BTreeSet::new();
    for template in Template::ALL.into_iter().filter(|template| !template.is_receipt()) {
        let mut source = source(&document, "sl");
        source.look.template = template;
        source.logo = Some(logo(100));
        let paper = Paper::of(&source);
        let page = paper.page(&Around::default());
        for text in paper.texts() {
            assert!(page.html.contains(&escape(text)), "{template:?}: {text}");
        }
        let codes = paper.payment.as_ref().unwrap().codes.len();
        assert_eq!((codes, page.html.matches("<svg").count()), (2, 2), "{template:?}");
        // What is more than in the sheet of all is small, and nothing is hidden or fetched by it.
        let (_, own) = page.style.split_once("padding:0}}").unwrap();
        let (own, _) = own.split_once("@media(max-width:50rem)").unwrap();
        assert!((50..1_000).contains(&own.len()), "{template:?}: {own}");
        for word in ["display", "url(", "@import", "color:var(", "background:var(", "</"] {
            assert!(!own.contains(word), "{word} of {template:?}: {own}");
        }
        assert!(own.contains("var(--main)") || own.contains("border-top-width"), "{own}");
        looks.insert(own.to_owned());
        bodies.insert(page.html.replace(&page.style, ""));
        // In the issuer's colour, where there is one.
        source.look.primary_color = Some("#aabbcc".to_owned());
        let colored = Paper::of(&source).page(&Around::default()).style;
        assert!(colored.starts_with(":root{--main:#aabbcc;"), "{template:?}");
        assert!(!page.style.contains("#aabbcc"), "{template:?}");
    }
    assert_eq!((looks.len(), bodies.len()), (6, 1), "a look of each, and one document");
}

#[test]
fn a_logo_has_its_part_of_the_size_on_pages_and_in_mails() {
    let document = invoice();
    let mut source = source(&document, "sl");
    for (percent, part, pixels) in [(30, "0.30", 24), (55, "0.55", 44), (100, "1.00", 80)] {
        source.logo = Some(logo(percent));
        // A signature is as large as it always is.
        source.signature = Some(logo(100));
        let paper = Paper::of(&source);
        let page = paper.page(&Around::default());
        assert!(page.style.contains(&format!(";--logo:{part}}}")), "{}", page.style);
        let rule = ".logo{max-width:calc(100%*var(--logo));height:auto;\
                    max-height:calc(6rem*var(--logo))}";
        assert!(page.style.contains(rule), "{}", page.style);
        assert_eq!(page.html.matches("<img class=\"logo\"").count(), 1);
        assert_eq!(page.html.matches("<img class=\"signature\"").count(), 1);
        let style = format!("style=\"max-width:{percent}%;max-height:{pixels}px;");
        let letter = paper.letter("", None).html;
        assert!(letter.contains(&style), "{style} in {letter}");
    }
}

/// How wide the image of each code of `html` is where nothing else says so, in micrometres.
fn widths(html: &str) -> Vec<usize> {
    let images = html.split("<svg").skip(1);
    let width = |image: &str| {
        let (_, rest) = image.split_once(" width=\"").expect("a width");
        let (millimetres, _) = rest.split_once("mm\"").expect("millimetres");
        millimetres.replace('.', "").parse().expect("a number")
    };
    images.map(width).collect()
}

#[test]
fn codes_on_a_printed_page_are_as_wide_as_banks_want_them() {
    let mut seen = BTreeSet::new();
    for document in [invoice(), croatian()] {
        let paper = paper(&document);
        let page = paper.page(&Around::default());
        let codes: Vec<&Code> = paper.payment.iter().flat_map(|payment| &payment.codes).collect();
        let found = widths(&page.html);
        assert_eq!(found.len(), codes.len(), "{found:?}");
        for (code, width) in codes.into_iter().zip(found) {
            let drawn = modules(code.symbol, &code.payload).unwrap();
            let alone = width * drawn.width / drawn.width_with_quiet();
            let (least, most) = code.width_mm;
            let is_wanted = usize::from(least) * 1000 <= alone && alone <= usize::from(most) * 1000;
            assert!(is_wanted, "{:?}: {alone} micrometres", code.kind);
            if code.kind == CodeKind::UpnQr {
                assert_eq!((least, most), (30, 36));
            }
            seen.insert(format!("{:?}", code.kind));
        }
        // Only screens draw it in another size.
        let (before, rest) = page.style.split_once("@media screen{").unwrap();
        let (_, after) = rest.split_once("}}").unwrap();
        for outside in [before, after] {
            for rule in outside.split("svg{").skip(1) {
                let (rule, _) = rule.split_once('}').unwrap();
                assert!(!rule.contains("width") && !rule.contains("height"), "{rule}");
            }
        }
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}
