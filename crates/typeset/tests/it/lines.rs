//! Rows whose heights are known are set without being measured: they stand as all others do.

use racun_paper::{Paper, Row, Template};

use crate::sample::{line, plain_invoice};
use crate::set;
use crate::tools::{Word, words};

/// Parts of names: wide letters and narrow ones, pairs that stand closer, digits, other scripts.
const PARTS: [&str; 16] = [
    "WWW",
    "ili",
    "AVAVTo",
    "Čšž",
    "1111",
    "0000",
    "mmm",
    "Щука",
    "Ωμέγα",
    "ffi",
    "(f)",
    "„T.“",
    "—",
    "Straße",
    "L’été",
    "Ğüzel",
];

/// Figures that do not hang on a clock or on luck.
struct Figures(u64);

impl Figures {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// An invoice with `amount` in each row, whose names have one to `most` parts.
fn with_names(template: Template, amount: &str, most: usize, figures: &mut Figures) -> Paper {
    let mut paper = plain_invoice(template, 0);
    let name = |figures: &mut Figures| {
        let count = 1 + figures.below(most);
        let parts = (0..count).map(|_| PARTS[figures.below(PARTS.len())]);
        parts.collect::<Vec<_>>().join(" ")
    };
    paper.lines.rows = (0..30).map(|number| line(number, &name(figures), None)).collect();
    for row in &mut paper.lines.rows {
        if let Row::Cells { cells, .. } = row {
            *cells.last_mut().unwrap() = amount.to_owned();
        }
    }
    paper
}

/// The same, with descriptions that say nothing: such rows are measured by typst.
fn measured(mut paper: Paper) -> Paper {
    let taxes = paper.taxes.iter_mut().flat_map(|table| &mut table.rows);
    for row in paper.lines.rows.iter_mut().chain(taxes) {
        if let Row::Cells { description, .. } = row {
            *description = Some(String::new());
        }
    }
    paper
}

/// A text that stands higher or lower than another on the first line of their row, by more than the
/// letters of another font are higher.
fn first_askew(all: &[Word]) -> Option<(&Word, &Word)> {
    let units = all.iter().filter(|word| word.text == "kos");
    let pairs = units.flat_map(|unit| all.iter().map(move |word| (unit, word)));
    let mut beside = pairs.filter(|(unit, word)| {
        let middle = i64::midpoint(word.top, word.bottom);
        word.page == unit.page && (unit.top..unit.bottom).contains(&middle)
    });
    beside.find(|(unit, word)| word.text.is_ascii() && word.top.abs_diff(unit.top) > 700)
}

#[test]
fn rows_stand_where_typst_puts_them_when_it_measures_them() {
    let mut figures = Figures(1);
    let rolls = [Template::Receipt80, Template::Receipt58];
    for template in Template::ALL.into_iter().filter(|template| !rolls.contains(template)) {
        for amount in ["2.222,10 €", "123.456.789.012.345.678,99 EUR", "1"] {
            for most in [2, 4, 9] {
                let paper = with_names(template, amount, most, &mut figures);
                let places = [paper.clone(), measured(paper)].map(|paper| {
                    let words = words(&set(&paper));
                    let askew = first_askew(&words);
                    assert!(askew.is_none(), "{template:?}, {amount}, {most}: {askew:?}");
                    words.into_iter().map(|word| (word.text, word.page, word.left, word.top))
                });
                let [alone, measured] = places.map(Vec::from_iter);
                let first = alone.iter().zip(&measured).find(|(alone, measured)| alone != measured);
                assert_eq!(first, None, "{template:?}, {amount}, {most}");
                assert_eq!(alone.len(), measured.len(), "{template:?}, {amount}, {most}");
            }
        }
    }
}

/// An invoice whose names, and descriptions, have several lines of whole words each.
fn with_long_texts(template: Template, figures: &mut Figures) -> Paper {
    let words = [
        "dobava",
        "in",
        "montaža",
        "vrat,",
        "št.",
        "1207",
        "(bela)",
        "Щука",
        "Ωμέγα",
        "Überbau",
        "AVAV",
        "ili",
        "WWW",
        "z",
        "22%",
        "šivi;",
        "mmm",
        "okvir",
        "L'été",
    ];
    let mut text = |least: usize| -> String {
        let count = least + figures.below(14);
        let parts: Vec<_> = (0..count).map(|_| words[figures.below(words.len())]).collect();
        parts.join(" ")
    };
    let mut paper = plain_invoice(template, 0);
    paper.lines.rows = (0..40)
        .map(|number| {
            let (name, description) = (text(24), text(1));
            line(number, &name, (number % 2 == 0).then_some(&*description))
        })
        .collect();
    paper
}

/// The same, with another text than the name in two lines: such rows are measured by typst.
fn measured_with_lines(mut paper: Paper) -> Paper {
    for row in &mut paper.lines.rows {
        if let Row::Cells { cells, .. } = row {
            let of_two: String = cells[2].replace(' ', "\n");
            cells[2] = of_two;
        }
    }
    paper
}

#[test]
fn rows_of_several_lines_are_as_high_as_when_typst_measures_them() {
    let mut figures = Figures(7);
    for template in &Template::ALL[..6] {
        let paper = with_long_texts(*template, &mut figures);
        let places = [paper.clone(), measured_with_lines(paper)].map(|paper| {
            let words = words(&set(&paper)).into_iter();
            let others = words.filter(|word| word.text != "2" && word.text != "kos");
            let places = others.map(|word| (word.page, word.top, word.left, word.text));
            // Readers take narrow columns one after the other, or not.
            std::collections::BTreeSet::from_iter(places)
        });
        let [known, measured] = places;
        let first = known.iter().zip(&measured).find(|(known, measured)| known != measured);
        assert_eq!(first, None, "{template:?}");
        assert_eq!(known.len(), measured.len(), "{template:?}");
    }
}

/// The rows of `paper` and a last one, whose figure is eleven times `letter`; with `end` behind all
/// names and descriptions.
fn with_last_row(mut paper: Paper, letter: &str, end: &str) -> Paper {
    paper.lines.rows.push(line(99, "Konec", None));
    for row in &mut paper.lines.rows {
        if let Row::Cells { cells, description, .. } = row {
            if cells[1] == "Konec" {
                cells[2] = letter.repeat(11);
            }
            cells[1].push_str(end);
            description.iter_mut().for_each(|text| text.push_str(end));
        }
    }
    paper
}

#[test]
fn rows_of_receipts_stand_where_typst_puts_them_when_it_measures_them() {
    let mut figures = Figures(11);
    for template in [Template::Receipt80, Template::Receipt58] {
        let names = [1, 2, 4].map(|most| with_names(template, "2.222,10 €", most, &mut figures));
        for paper in names.into_iter().chain([with_long_texts(template, &mut figures)]) {
            // The Cyrillic letter is as wide as the Latin one, but no other font has it, so that
            // no widths of words are known. A column of the widest letters may need more lines.
            let places = [("i", " Q"), ("W", " Ԛ")].map(|(letter, end)| {
                let words = words(&set(&with_last_row(paper.clone(), letter, end)));
                let last = words.iter().find(|word| word.text == "Konec").unwrap().top;
                let above = words.into_iter().filter(|word| word.top < last);
                let mut places: Vec<_> =
                    above.map(|word| (word.text.replace('Ԛ', "Q"), word.left, word.top)).collect();
                places.sort();
                places
            });
            let [known, measured] = places;
            assert_eq!(known.len(), measured.len(), "{template:?}");
            // Thousandths of a point come from how readers round what they add up.
            let first = known.iter().zip(&measured).find(|(known, measured)| {
                known.0 != measured.0
                    || known.1.abs_diff(measured.1) > 2
                    || known.2.abs_diff(measured.2) > 2
            });
            assert_eq!(first, None, "{template:?}");
        }
    }
}
