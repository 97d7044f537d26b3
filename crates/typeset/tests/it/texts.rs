//! Every text of the model is on the page, in its order, and nothing overlaps.

use std::slice::from_ref;

use racun_paper::{Code, Display, Paper, Picture, Row, Template};

use crate::figures::{Figure, figures};
use crate::sample::{act, hub3, invoice, picture, plain_invoice, upn};
use crate::tools::{Word, pages, squeezed, text, words};
use crate::{TYPESETTER, set};

/// How far back a text may stand: the description of a line is printed before its figures.
const BACK: usize = 600;

/// The first text of `paper` that is not in `found`, where texts are in their order.
pub fn first_missing<'a>(paper: &'a Paper, found: &str) -> Option<&'a str> {
    let (found, mut from) = (squeezed(found), 0_usize);
    paper.texts().into_iter().find(|text| {
        let mut start = from.saturating_sub(BACK);
        while !found.is_char_boundary(start) {
            start -= 1;
        }
        let place = found[start..].find(&squeezed(text));
        from = place.map_or(from, |place| from.max(start + place));
        place.is_none()
    })
}

/// Two words that overlap by more than letters may, a word outside of its page, or one over a logo,
/// a signature or a code.
pub fn misplaced(file: &[u8], width: i64) -> Option<String> {
    out_of_place(&words(file), &figures(file), width)
}

fn out_of_place(words: &[Word], figures: &[Figure], width: i64) -> Option<String> {
    for (number, word) in words.iter().enumerate() {
        let is_across = word.left < 0 || word.right > width;
        if is_across || word.top < 0 || word.bottom > word.page_height {
            return Some(format!("{} leaves the page: {word:?}", word.text));
        }
        let others = words[number + 1..].iter().take_while(|other| other.page == word.page);
        for other in others {
            if overlap(word, [other.left, other.top, other.right, other.bottom]) {
                return Some(format!("{} and {}: {word:?} and {other:?}", word.text, other.text));
            }
        }
        for figure in figures.iter().filter(|figure| figure.page == word.page) {
            let [top, bottom] = [figure.head, figure.foot].map(|up| word.page_height - up);
            if overlap(word, [figure.left, top, figure.right, bottom]) {
                return Some(format!("{} is over a figure: {word:?} and {figure:?}", word.text));
            }
        }
    }
    None
}

/// Whether `word` and what is from left and top to right and bottom are over each other.
fn overlap(word: &Word, [left, top, right, bottom]: [i64; 4]) -> bool {
    let across = word.right.min(right) - word.left.max(left);
    let down = word.bottom.min(bottom) - word.top.max(top);
    let height = (word.bottom - word.top).min(bottom - top);
    // Boxes are as high as letters may be, with what stands above and below them.
    across > 600 && 2 * down > height
}

#[test]
fn words_past_an_edge_of_the_page_and_over_a_figure_are_found() {
    let word = |left: i64, top: i64| Word {
        page: 1,
        text: "beseda".to_owned(),
        left,
        top,
        right: left + 30_000,
        bottom: top + 10_000,
        page_height: 842_000,
    };
    let code = Figure { page: 1, left: 400_000, foot: 100_000, right: 480_000, head: 180_000 };
    let is_found =
        |word: Word, code: &Figure| out_of_place(&[word], from_ref(code), 595_500).is_some();
    for (left, top) in [(-1, 50_000), (566_000, 50_000), (50_000, -1), (50_000, 832_500)] {
        assert!(is_found(word(left, top), &code), "{left}, {top}");
    }
    for (left, top, is_over) in [
        (380_000, 700_000, true),
        (420_000, 656_000, false),
        (420_000, 658_000, true),
        (480_000, 700_000, false),
        (420_000, 743_000, false),
    ] {
        assert_eq!(is_found(word(left, top), &code), is_over, "{left}, {top}");
    }
    assert!(!is_found(word(420_000, 700_000), &Figure { page: 2, ..code }), "on another page");
}

#[test]
fn figures_are_found_where_they_stand() {
    for template in Template::ALL {
        let mut paper = invoice(template, 5);
        let found = figures(&set(&paper));
        // A logo, a signature, the code of the payment and that of the fiscal office.
        assert_eq!(found.len(), 4, "{template:?}: {found:#?}");
        for figure in &found {
            let sides = [figure.right - figure.left, figure.head - figure.foot];
            assert!(sides.into_iter().all(|side| side > 8_000), "{template:?}: {figure:?}");
        }
        paper.payment.as_mut().unwrap().codes.push(hub3());
        let file = set(&paper);
        assert_eq!(figures(&file).len(), 5, "{template:?}");
        assert_eq!(misplaced(&file, width(template)), None, "{template:?}");
    }
}

#[test]
fn a_logo_is_printed_in_its_part_of_the_size() {
    for template in Template::ALL {
        let sizes = [30, 100].map(|percent| {
            let mut paper = plain_invoice(template, 2);
            paper.logo = Some(Picture { scale_percent: percent, ..picture() });
            let found = figures(&set(&paper));
            let [logo] = &found[..] else { panic!("{template:?}: {found:#?}") };
            [logo.right - logo.left, logo.head - logo.foot]
        });
        let [small, whole] = sizes;
        for (small, whole) in small.into_iter().zip(whole) {
            // In thousandths of a point, which are rounded.
            let apart = (small * 100 - whole * 30).abs();
            assert!(whole > 10_000 && apart < 1_000, "{template:?}: {small} of {whole}");
        }
    }
}

#[test]
fn a_upn_code_is_30_to_36_millimetres_wide() {
    for template in Template::ALL {
        for display in [Display::CodeOnly, Display::FullSlip] {
            let mut paper = plain_invoice(template, 2);
            let payment = paper.payment.as_mut().unwrap();
            let slip = payment.facts.clone();
            payment.codes = vec![Code { display, slip, ..upn() }];
            let found = figures(&set(&paper));
            let [code] = &found[..] else { panic!("{template:?}: {found:#?}") };
            // A point is 25.4 of 72 millimetres, and 77 of 85 modules are the code.
            for side in [code.right - code.left, code.head - code.foot] {
                let micrometres = side * 254 / 720 * 77 / 85;
                let is_wanted = (30_000..=36_000).contains(&micrometres);
                assert!(is_wanted, "{template:?}, {display:?}: {micrometres} of {code:?}");
            }
        }
    }
}

/// The width of a page, in thousandths of a point.
fn width(template: Template) -> i64 {
    match template {
        Template::Receipt80 => 227_000,
        Template::Receipt58 => 165_000,
        _ => 595_500,
    }
}

#[test]
fn a_page_has_every_text_of_its_model_in_order() {
    for template in Template::ALL {
        let mut paper = invoice(template, 5);
        if let Some(payment) = &mut paper.payment {
            payment.codes.push(hub3());
        }
        let found = text(&set(&paper));
        let missing = first_missing(&paper, &found);
        assert_eq!(missing, None, "{template:?} of\n{found}");
    }
}

#[test]
fn a_slip_has_its_fields() {
    let mut paper = invoice(Template::Modern, 2);
    let payment = paper.payment.as_mut().unwrap();
    let code = payment.codes.first_mut().unwrap();
    code.display = Display::FullSlip;
    code.slip = payment.facts.clone();
    let found = text(&set(&paper));
    assert_eq!(first_missing(&paper, &found), None, "{found}");
    assert_eq!(squeezed(&found).matches("Novabankad.d.").count(), 2);
}

#[test]
fn a_long_table_repeats_its_head_and_carries_its_sum() {
    for template in [Template::Modern, Template::Condensed] {
        let paper = plain_invoice(template, 120);
        let file = set(&paper);
        let found = text(&file);
        let count = pages(&file);
        assert!(count >= 3, "{count} pages");
        let all: Vec<&str> = found.split('\u{c}').collect();
        for (number, page) in all[..count].iter().enumerate() {
            let page_words = format!("Stran {} od {count}", number + 1);
            assert!(page.contains(&page_words), "{page_words} of\n{page}");
        }
        let sums = |page: &str| page.lines().filter(|line| line.contains("Prenos")).count();
        assert_eq!(sums(all[0]), 1, "{}", all[0]);
        assert_eq!(sums(all[1]), 2, "{}", all[1]);
        assert!(all[1].contains("Količina"), "{}", all[1]);
        let carried = |page: &str, last: bool| {
            let mut lines = page.lines().filter(|line| line.contains("Prenos"));
            if last {
                lines.next_back().map(str::to_owned)
            } else {
                lines.next().map(str::to_owned)
            }
        };
        assert_eq!(carried(all[0], true), carried(all[1], false), "what goes over comes over");
        assert_eq!(misplaced(&file, 595_500), None, "{template:?}");
    }
}

#[test]
fn notes_stand_below_clauses_where_there_is_nothing_to_pay_between_them() {
    for template in Template::ALL {
        let mut paper = plain_invoice(template, 2);
        paper.payment = None;
        let words = words(&set(&paper));
        let place = |text: &str| words.iter().position(|word| word.text.to_lowercase() == text);
        let [clause, note] = ["zddv-1.", "opomba"].map(|text| &words[place(text).unwrap()]);
        assert!(note.top >= clause.bottom, "{template:?}: {clause:?} {note:?}");
    }
}

#[test]
fn a_short_table_carries_nothing() {
    let found = text(&set(&plain_invoice(Template::Modern, 4)));
    assert!(!found.contains("Prenos"), "{found}");
}

#[test]
fn names_of_ninety_letters_and_large_amounts_never_overlap() {
    let name =
        "Družba za inženiring, svetovanje, posredovanje in Überwachungsgesellschaft d.o.o. Žalec";
    for template in Template::ALL {
        let mut paper = plain_invoice(template, 3);
        paper.issuer.name = name.to_owned();
        if let Some(customer) = &mut paper.customer {
            customer.name = "W".repeat(90);
            customer.address = vec!["Q".repeat(90), name.to_owned()];
        }
        paper.title = "Avansni račun in predračun".to_owned();
        paper.number = Some("PP1-EN1-".repeat(8));
        for row in &mut paper.lines.rows {
            if let Row::Cells { cells, .. } = row {
                cells[1] = "M".repeat(90);
                cells[2] = "140.737.488.355.328,5 kilogramov".to_owned();
                cells[3] = "-140.737.488.355.328,00 €".to_owned();
                cells[6] = "-140.737.488.355.328,00 €".to_owned();
            }
        }
        for total in &mut paper.totals {
            total.text = "-140.737.488.355.328,00 €".to_owned();
        }
        let file = set(&paper);
        assert_eq!(misplaced(&file, width(template)), None, "{template:?}");
        assert_eq!(first_missing(&paper, &text(&file)), None, "{template:?}");
    }
}

#[test]
fn a_text_with_tables_has_every_word() {
    let act = act();
    let file = TYPESETTER.text(&act).unwrap();
    assert_eq!(file, TYPESETTER.text(&act).unwrap());
    let found = squeezed(&text(&file));
    let parts = ["Interniakt", "1.Šifrant#strong[ni]", "Čopova<ulica>\"1\",Žužemberk", "konec"];
    for part in parts {
        assert!(found.contains(part), "{part}");
    }
    assert_eq!(found.matches('y').count(), 4_000);
    assert_eq!(found.matches("beseda").count(), 1_500);
    assert_eq!(misplaced(&file, 595_500), None);
}
