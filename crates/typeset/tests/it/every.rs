//! Every template in every language: every text is there, no letter is missing, nothing overlaps.

use racun_paper::{Language, Paper, Row, Template};

use crate::sample::plain_invoice;
use crate::set;
use crate::texts::{first_missing, misplaced};
use crate::tools::text;
use crate::translated::{LONG_NAME, lengthened, translated};

/// The width of A4, in thousandths of a point.
const WIDTH: i64 = 595_500;

/// Sets `paper` and looks at the page; answers its text.
fn check(paper: &Paper, what: &str) -> String {
    let file = set(paper);
    let found = text(&file);
    assert_eq!(first_missing(paper, &found), None, "{what}:\n{found}");
    assert!(!found.contains('\u{fffd}'), "a letter is missing in {what}:\n{found}");
    assert_eq!(misplaced(&file, WIDTH), None, "{what}");
    found
}

/// Three documents in each language: with all that there is, with long names and figures, and over
/// two pages or more.
fn check_languages(template: Template) {
    for language in Language::ALL {
        let what = |which: &str| format!("{which} in {} as {template:?}", language.code());
        let whole = translated(template, language, 3);
        check(&whole, &what("the whole document"));
        check(&lengthened(translated(template, language, 2), language), &what("the long names"));
        let mut long = translated(template, language, 36);
        (long.advances, long.payments, long.converted) = (None, None, None);
        describe(&mut long, &UNDER.repeat(4));
        let found = check(&long, &what("the long table"));
        let carried = long.carried_label.as_deref().unwrap();
        let sums = found.lines().filter(|line| line.starts_with(carried)).count();
        assert!(sums >= 2, "{} is carried over in {}:\n{found}", carried, what("the long table"));
    }
}

macro_rules! in_every_language {
    ($($name:ident: $template:ident,)+) => {
        $(
            #[test]
            fn $name() {
                check_languages(Template::$template);
            }
        )+
    };
}

// One test for each template, so that they run beside each other.
in_every_language! {
    modern_is_whole_in_every_language: Modern,
    classic_is_whole_in_every_language: Classic,
    condensed_is_whole_in_every_language: Condensed,
    minimal_is_whole_in_every_language: Minimal,
    fashion_is_whole_in_every_language: Fashion,
    timeless_modern_full_data_is_whole_in_every_language: TimelessModernFullData,
}

/// What stands under the name of a line, over and over, so that few lines fill a page.
const UNDER: &str = "Z vsemi stroški prevoza, priprave opreme in odvoza odpadkov. ";

/// Describes each line of `paper`.
fn describe(paper: &mut Paper, under: &str) {
    for row in &mut paper.lines.rows {
        if let Row::Cells { description, .. } = row {
            *description = Some(under.to_owned()).filter(|under| !under.is_empty());
        }
    }
}

/// An invoice of so many lines, each with a number, a name of 90 letters, and a text under it.
fn numbered(template: Template, lines: usize, under: &str) -> Paper {
    let mut paper = plain_invoice(template, lines);
    describe(&mut paper, under);
    for (number, row) in paper.lines.rows.iter_mut().enumerate() {
        if let Row::Cells { cells, .. } = row {
            cells[1] = format!("{number:04}. {LONG_NAME}");
        }
    }
    paper
}

/// What is carried over from each page to the next is what its last line comes to.
fn check_carried(paper: &Paper, found: &str) {
    let all: Vec<&str> = found.split('\u{c}').filter(|page| !page.trim().is_empty()).collect();
    let row_sum = |row: &Row| match row {
        Row::Cells { carried, .. } => carried.clone(),
        Row::Heading { .. } => None,
    };
    let sums: Vec<_> = paper.lines.rows.iter().map(row_sum).collect();
    let last_of =
        |page: &str| (1..sums.len()).rev().find(|number| page.contains(&format!("{number:04}. ")));
    let carried = |page: &'_ str| -> Vec<String> {
        let lines = page.lines().filter_map(|line| line.strip_prefix("Prenos "));
        lines.map(|sum| sum.trim().replace('\u{a0}', " ")).collect()
    };
    for (number, pair) in all.windows(2).enumerate() {
        let Some(last) = last_of(pair[0]).filter(|last| *last + 1 < sums.len()) else { return };
        let (over, brought) = (carried(pair[0]), carried(pair[1]));
        assert_eq!(over.last(), sums[last].as_ref(), "over from page {}: {}", number + 1, pair[0]);
        assert_eq!(brought.first(), sums[last].as_ref(), "on page {}: {}", number + 2, pair[1]);
    }
}

#[test]
fn two_hundred_lines_are_all_there_on_pages_that_carry_their_sums() {
    for template in &Template::ALL[..6] {
        let paper = numbered(*template, 200, "");
        let found = check(&paper, &format!("two hundred lines as {template:?}"));
        assert!(found.matches('\u{c}').count() >= 5, "{template:?}");
        check_carried(&paper, &found);
    }
}

#[test]
fn a_document_has_one_page_or_two_or_thirty() {
    let under = UNDER.repeat(8);
    for (lines, under, least, most) in [(2, "", 1, 1), (14, "", 2, 2), (120, &*under, 30, 60)] {
        let paper = numbered(Template::Minimal, lines, under);
        let found = check(&paper, &format!("{lines} lines"));
        let count = found.matches('\u{c}').count();
        assert!((least..=most).contains(&count), "{lines} lines are on {count} pages");
        assert!(found.contains(&format!("Stran {count} od {count}")), "{found}");
        check_carried(&paper, &found);
    }
}
