//! Every text of the model is on the page, in its order, and nothing overlaps.

use racun_paper::{Display, Paper, Row, Template};
use racun_render::{Block, Table, Text};

use crate::sample::{hub3, invoice, plain_invoice};
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

/// Two words that overlap by more than letters may, or a word outside of its page.
pub fn misplaced(words: &[Word], width: i64) -> Option<String> {
    for (number, word) in words.iter().enumerate() {
        if word.left < 0 || word.right > width {
            return Some(format!("{} leaves the page: {word:?}", word.text));
        }
        let others = words[number + 1..].iter().take_while(|other| other.page == word.page);
        for other in others {
            let across = word.right.min(other.right) - word.left.max(other.left);
            let down = word.bottom.min(other.bottom) - word.top.max(other.top);
            let height = (word.bottom - word.top).min(other.bottom - other.top);
            // Boxes are as high as letters may be, with what stands above and below them.
            if across > 600 && 2 * down > height {
                return Some(format!("{} and {}: {word:?} and {other:?}", word.text, other.text));
            }
        }
    }
    None
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
        assert_eq!(misplaced(&words(&file), 595_500), None, "{template:?}");
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
        let width = match template {
            Template::Receipt80 => 227_000,
            Template::Receipt58 => 165_000,
            _ => 595_500,
        };
        assert_eq!(misplaced(&words(&file), width), None, "{template:?}");
        assert_eq!(first_missing(&paper, &text(&file)), None, "{template:?}");
    }
}

#[test]
fn a_text_with_tables_has_every_word() {
    let long = (0..1_500).map(|n| format!("beseda{n}")).collect::<Vec<_>>().join(" ");
    let table = Table {
        columns: vec![("Oznaka".to_owned(), 1), ("Naslov & opis".to_owned(), 3)],
        rows: vec![
            vec!["A1".to_owned(), "Čopova <ulica> \"1\"\u{0}\u{b}, Žužemberk".to_owned()],
            vec!["B".to_owned()],
            vec!["y".repeat(4_000), "konec".to_owned()],
        ],
    };
    let blocks = vec![
        Block::heading("1. Šifrant #strong[ni]"),
        Block::Table(table),
        Block::paragraph(&*long),
    ];
    let act = Text { title: "Interni akt".to_owned(), language: "sl-SI".to_owned(), blocks };
    let file = TYPESETTER.text(&act).unwrap();
    assert_eq!(file, TYPESETTER.text(&act).unwrap());
    let found = squeezed(&text(&file));
    let parts = ["Interniakt", "1.Šifrant#strong[ni]", "Čopova<ulica>\"1\",Žužemberk", "konec"];
    for part in parts {
        assert!(found.contains(part), "{part}");
    }
    assert_eq!(found.matches('y').count(), 4_000);
    assert_eq!(found.matches("beseda").count(), 1_500);
    assert_eq!(misplaced(&words(&file), 595_500), None);
}
