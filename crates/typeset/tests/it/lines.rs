//! Rows whose texts are lines alone are set without being measured: they stand as all others do.

use racun_paper::{Paper, Row, Template};

use crate::sample::{line, plain_invoice};
use crate::set;
use crate::tools::words;

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
