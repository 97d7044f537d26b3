//! The page and the receipt say what the model says.

use encoding_rs::{WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1257};
use racun_documents::{Document, DocumentKind, Fiscalization, Party};
use racun_kernel::Authority;
use racun_paper::page::{Around, Notice, Reply, Service, escape, gone};
use racun_paper::{CodeKind, Language, Modules, Paper, Picture, Roll, Row, Source};
use racun_store::testing::stamp;
use time::macros::datetime;

use crate::sample::{cash, content, draft, fiscal_record, invoice, issued, line, paid, source};

fn rich() -> Document {
    let mut content = content();
    content.texts.note = Some("Hvala & nasvidenje\n<b>ne</b>".to_owned());
    content.texts.footer = Some("Okrožno sodišče v Ljubljani".to_owned());
    content.texts.signature = Some("Ana \"Ančka\" Novak".to_owned());
    let mut first = line("Moka 'bela'", "2.5", "1.20", "9.5");
    first.description = Some("T 500\nvreča".to_owned());
    first.unit = Some("kg".to_owned());
    let mut owed = line("Ura dela", "1", "3", "0");
    owed.taxes[0].reverse_charge = true;
    let lines = vec![first, line("<script>alert(1)</script>", "1", "10", "22"), owed];
    paid(issued(draft(DocumentKind::Invoice, content, lines)), "5")
}

#[test]
fn the_page_says_every_text_of_the_model_and_escapes_it() {
    let document = rich();
    let payments = [cash("5")];
    for language in Language::ALL {
        let source = Source { payments: &payments, ..source(&document, language.code()) };
        let paper = Paper::of(&source);
        let page = paper.page(&Around::default());
        for text in paper.texts() {
            assert!(page.html.contains(&escape(text)), "{}: {text}", language.code());
        }
        assert!(!page.html.contains("<script") && !page.html.contains("<b>"), "escaped");
        assert!(page.html.contains(&format!("<html lang=\"{}\"", language.code())));
        assert_eq!(page.html.matches("<h1").count(), 1);
        assert!(paper.fragment().starts_with("<article>"));
    }
}

#[test]
fn the_page_takes_nothing_from_elsewhere() {
    let document = rich();
    let mut source = source(&document, "sl");
    source.logo = Some(Picture {
        bytes: b"\x89PNG".to_vec(),
        media_type: "image/png".to_owned(),
        scale_percent: 100,
        alt: "Logo".to_owned(),
    });
    source.look.primary_color = Some("#aabbcc".to_owned());
    let page = Paper::of(&source)
        .page(&Around { pdf: Some("x/pdf?language=sl".to_owned()), ..Around::default() });
    let without_names = page.html.replace("http://www.w3.org/2000/svg", "");
    for elsewhere in ["http:", "https:", "//", "@import", "url(", " on", "style=\""] {
        let found = without_names.find(elsewhere).map(|at| &without_names[at..at + 30]);
        let is_base64 = found.is_some_and(|found| found.contains("iVBOR"));
        assert!(found.is_none() || is_base64, "{found:?}");
    }
    assert!(page.html.contains("src=\"data:image/png;base64,iVBORw==\""));
    assert!(page.style.starts_with(":root{--main:#aabbcc;"));
    assert!(page.html.contains(&format!("<style>{}</style>", page.style)));
    let mut evil = source.clone();
    evil.look.primary_color = Some("#fff}body".to_owned());
    assert!(!Paper::of(&evil).page(&Around::default()).style.contains("}body{--"));
    assert!(!Paper::of(&evil).page(&Around::default()).style.starts_with(":root{--main:#fff}b"));
}

#[test]
fn a_letter_shows_what_counts_in_the_issuers_colour_and_fetches_nothing() {
    let document = rich();
    let mut source = source(&document, "sl");
    let logo = |media_type: &str| Picture {
        bytes: b"\x89PNG".to_vec(),
        media_type: media_type.to_owned(),
        scale_percent: 100,
        alt: "Logo \"x\"".to_owned(),
    };
    source.logo = Some(logo("image/png"));
    source.look.primary_color = Some("#aabbcc".to_owned());
    let paper = Paper::of(&source);
    let text = "<p>Hello <strong>Bor</strong></p>\n";
    let letter = paper.letter(text, None);
    assert_eq!(letter.pictures, [("logo", paper.logo.as_ref().unwrap())]);
    let due = paper.totals.last().unwrap();
    let until = paper.facts.iter().find(|fact| fact.key == "date_due");
    let said = [paper.number.as_deref(), Some(&*paper.title), Some(&*due.text)];
    for part in said.into_iter().chain([until.map(|fact| &*fact.text), Some(&*paper.issuer.name)]) {
        assert!(letter.html.contains(&escape(part.unwrap())), "{part:?}: {}", letter.html);
    }
    assert!(letter.html.contains(text) && letter.html.contains("8px solid #aabbcc"));
    assert!(letter.html.contains("src=\"cid:logo\" alt=\"Logo &quot;x&quot;\""));
    for elsewhere in ["http:", "https:", "//", "@import", "url(", "<style", "<script", "data:"] {
        assert!(!letter.html.contains(elsewhere), "{elsewhere}: {}", letter.html);
    }
    source.look.primary_color = Some("red;}".to_owned());
    source.logo = Some(logo("image/svg+xml"));
    let paper = Paper::of(&source);
    let letter = paper.letter("", None);
    assert!(letter.pictures.is_empty() && !letter.html.contains("<img"), "{}", letter.html);
    assert!(!letter.html.contains("red"), "{}", letter.html);
}

#[test]
fn who_serves_the_issuer_is_named_and_lends_its_colour_where_there_is_none() {
    let document = issued(draft(DocumentKind::Invoice, content(), vec![line("x", "1", "1", "22")]));
    let color = Some("#1a7f37".to_owned());
    let service = Service { name: "Acme <&>".to_owned(), color, logo: None };
    let around = Around { service: Some(service.clone()), ..Around::default() };
    let mut source = source(&document, "sl");
    for (own, expected) in [(None, "#1a7f37"), (Some("#aabbcc"), "#aabbcc")] {
        source.look.primary_color = own.map(str::to_owned);
        let paper = Paper::of(&source);
        let page = paper.page(&around).html;
        let letter = paper.letter("", Some(&service));
        for html in [&page, &letter.html] {
            assert!(html.contains(expected) && html.contains("Acme &lt;&amp;&gt;"), "{html}");
            let outside = html.replace("http://www.w3.org/2000/svg", "");
            assert!(!outside.contains("<img") && !outside.contains("http"), "{html}");
        }
    }
    let color = Some("red;}".to_owned());
    let odd = Service { name: "Acme".to_owned(), color, logo: None };
    source.look.primary_color = None;
    assert!(!Paper::of(&source).letter("", Some(&odd)).html.contains("red"));
    // Its logo stands for its name, below the document, and goes along.
    let logo = Picture {
        bytes: b"\x89PNG".to_vec(),
        media_type: "image/png".to_owned(),
        scale_percent: 100,
        alt: service.name.clone(),
    };
    let service = Service { logo: Some(logo.clone()), ..service };
    let paper = Paper::of(&source);
    let page = paper.page(&Around { service: Some(service.clone()), ..Around::default() }).html;
    let shown =
        "<img class=\"service\" alt=\"Acme &lt;&amp;&gt;\" src=\"data:image/png;base64,iVBORw==\"";
    let (above, footer) = page.split_once("<footer>").unwrap();
    assert!(footer.contains(shown) && !above.contains("<img"), "{page}");
    let letter = paper.letter("", Some(&service));
    assert_eq!(letter.pictures, [("service", &logo)]);
    let shown = "<img src=\"cid:service\" alt=\"Acme &lt;&amp;&gt;\"";
    assert!(letter.html.contains(shown), "{}", letter.html);
}

#[test]
fn an_estimate_is_answered_by_forms_and_a_link_that_leads_nowhere_has_a_page() {
    let estimate =
        issued(draft(DocumentKind::Estimate, content(), vec![line("x", "1", "1", "22")]));
    let reply = Reply { accept: "e/accept".to_owned(), reject: "e/reject".to_owned() };
    let around =
        Around { reply: Some(reply), notice: Some(Notice::ReplyRefused), ..Around::default() };
    let page = Paper::of(&source(&estimate, "sl")).page(&around).html;
    assert!(page.contains("<form method=\"post\" action=\"e/accept\">"));
    assert!(page.contains(">Sprejmi</button>") && page.contains("role=\"alert\""));
    for language in Language::ALL {
        let page = gone(language).html;
        assert!(page.contains("noindex") && page.contains("<h1>"), "{}", language.code());
    }
}

#[test]
fn long_words_and_many_lines_stay_in_the_page() {
    let mut content = content();
    content.customer = Some(Party { name: Some("W".repeat(500)), ..Party::default() });
    let lines = (0..200).map(|n| line(&format!("{n} {}", "X".repeat(90)), "1", "1", "22"));
    let document = issued(draft(DocumentKind::Invoice, content, lines.collect()));
    let page = Paper::of(&source(&document, "sl")).page(&Around::default());
    assert!(page.style.contains("tbody th,.long{overflow-wrap:anywhere}"), "names alone");
    assert_eq!(page.html.matches("<tr role=\"row\">").count(), 200 + 1 + 1 + 1);
}

/// What comes out of a printer.
#[derive(Default)]
struct Printed {
    /// Its letters, as people read them.
    text: String,
    /// Dots across each picture, in whole bytes.
    pictures: Vec<usize>,
}

fn printed(bytes: &[u8]) -> Printed {
    let mut printed = Printed::default();
    let (mut rest, mut page) = (bytes, WINDOWS_1250);
    while let Some((first, more)) = rest.split_first() {
        let skip = match (first, more) {
            (0x1b, [b'@', ..]) => 1,
            (0x1b, [b't', number, ..]) => {
                page = match number {
                    16 => WINDOWS_1252,
                    45 => WINDOWS_1250,
                    46 => WINDOWS_1251,
                    51 => WINDOWS_1257,
                    other => panic!("an unknown page of letters: {other}"),
                };
                2
            }
            (0x1b, [b'a' | b'E', ..]) => 2,
            (0x1d, [b'V', ..]) => 3,
            (0x1d, [b'v', b'0', _, x, x2, y, y2, ..]) => {
                let number = |low: u8, high: u8| usize::from(low) + 256 * usize::from(high);
                printed.pictures.push(8 * number(*x, *x2));
                7 + number(*x, *x2) * number(*y, *y2)
            }
            (0x1b | 0x1d, _) => panic!("an unknown command: {more:?}"),
            (letter, _) => {
                printed.text.push_str(&page.decode_without_bom_handling(&[*letter]).0);
                0
            }
        };
        rest = &more[skip..];
    }
    printed
}

/// `text` without blanks and line ends: lines are broken as there is room.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_receipt_has_its_lines_in_the_paper_and_no_command_from_texts() {
    let mut content = content();
    let evil = "A\u{1b}@B\u{1d}V\u{0}";
    content.issuer.name = Some(evil.replace('\0', ""));
    let lines = vec![line("Kava", "2", "1.5", "22"), line(&"Z".repeat(90), "1", "3", "9.5")];
    let document = paid(issued(draft(DocumentKind::Invoice, content, lines)), "1");
    let mut paper = Paper::of(&source(&document, "en"));
    // A text that went past the cleaning, too.
    paper.title = evil.to_owned();
    for (roll, width) in [(Roll::Wide, 48), (Roll::Narrow, 32)] {
        let bytes = paper.escpos(roll, None);
        let text = printed(&bytes).text;
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        assert!(text.contains("A@BV"), "{text}");
        let joined = squeezed(&text);
        for row in &paper.lines.rows {
            let Row::Cells { cells, .. } = row else { continue };
            for cell in &cells[1..] {
                let cell = squeezed(cell);
                assert!(joined.contains(&cell), "{cell} in {joined}");
            }
        }
        assert_eq!(bytes, paper.escpos(roll, None), "the same bytes again");
    }
}

/// What is in one or more lines of a receipt of `paper`.
fn said(paper: &Paper) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for total in &paper.totals {
        all.push(format!("{} {}", total.label, total.text));
    }
    let of_sides = [Some(&paper.issuer), paper.customer.as_ref()].into_iter().flatten();
    let payment = paper.payment.iter().flat_map(|payment| &payment.facts);
    let marks = paper.marks.iter().flat_map(|marks| &marks.facts);
    let facts = of_sides.flat_map(|side| &side.facts).chain(&paper.facts).chain(payment);
    all.extend(facts.chain(marks).map(|fact| format!("{}: {}", fact.label, fact.text)));
    let tables = [&paper.taxes, &paper.advances, &paper.payments, &paper.converted];
    for table in tables.into_iter().flatten() {
        all.extend(table.label.clone());
        for row in &table.rows {
            let Row::Cells { cells, .. } = row else { panic!("no cells: {row:?}") };
            all.push(cells.join(" "));
        }
    }
    all.extend(paper.notes.iter().map(|note| format!("{}: {}", note.label, note.text)));
    let texts = paper.clauses.iter().chain(&paper.footer);
    let signed = paper.signature.iter().filter_map(|signature| signature.text.as_ref());
    all.extend(texts.chain(signed).cloned());
    all.extend(paper.banners.iter().map(|banner| banner.text.clone()));
    all
}

#[test]
fn a_fiscal_receipt_says_what_its_model_says_in_every_language() {
    let document = rich();
    let told = Fiscalization::pending(Authority::Furs, fiscal_record());
    let fiscal = document.clone().with_fiscalization(told, &stamp(datetime!(2026-11-20 10:00 UTC)));
    let payments = [cash("5")];
    for language in Language::ALL {
        let of = |document: &Document| {
            Paper::of(&Source { payments: &payments, ..source(document, language.code()) })
        };
        let (paper, without) = (of(&fiscal), of(&document));
        let rows = paper.taxes.as_ref().unwrap().rows.len();
        assert_eq!((paper.clauses.len(), paper.marks[0].facts.len(), rows), (1, 2, 3));
        for roll in [Roll::Wide, Roll::Narrow] {
            let receipt = printed(&paper.escpos(roll, None));
            let joined = squeezed(&receipt.text);
            for part in said(&paper) {
                assert!(joined.contains(&squeezed(&part)), "{part} of\n{}", receipt.text);
            }
            let before = printed(&without.escpos(roll, None)).pictures;
            assert_eq!(receipt.pictures.len(), before.len() + 1, "the code of the office");
        }
    }
}

#[test]
fn payment_codes_are_pictures_on_receipts_as_wide_as_banks_want_them() {
    let paper = Paper::of(&source(&invoice(), "sl"));
    for roll in [Roll::Wide, Roll::Narrow] {
        let pictures = printed(&paper.escpos(roll, None)).pictures;
        // Eight dots are a millimetre: 30 to 36 of them for the UPN QR, which comes first.
        assert!(matches!(pictures[..], [240..=288, _]), "{pictures:?}");
    }
    let kinds: Vec<CodeKind> = paper.payment.unwrap().codes.iter().map(|code| code.kind).collect();
    assert_eq!(kinds, [CodeKind::UpnQr, CodeKind::EpcQr]);
}

#[test]
fn a_logo_is_the_first_picture_of_a_receipt() {
    let paper = Paper::of(&source(&invoice(), "sl"));
    // Two rows of ten dots: dark, then every second one.
    let dark = (0..20).map(|dot| dot < 10 || dot % 2 == 0).collect();
    let logo = Modules { width: 10, dark, quiet: 0, row: 1 };
    let bytes = paper.escpos(Roll::Narrow, Some(&logo));
    let picture = b"\x1dv0\x00\x02\x00\x02\x00\xff\xc0\xaa\x80\n";
    let at = bytes.windows(picture.len()).position(|part| part == picture);
    assert!(at.is_some_and(|at| at < 20), "{:?}", &bytes[..40]);
    let wide = Modules { width: 385, dark: vec![true; 385], ..logo };
    assert_eq!(paper.escpos(Roll::Narrow, Some(&wide)), paper.escpos(Roll::Narrow, None));
    assert_eq!(Roll::Wide.logo_dots(50), (201, 80));
}
