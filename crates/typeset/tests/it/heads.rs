//! Titles and carried sums stand clear of what is beside them, and in line with it.

use racun_paper::Template;

use crate::sample::{invoice, plain_invoice};
use crate::set;
use crate::tools::{Word, words};

/// By how much texts that end or begin in line may differ, in thousandths of a point.
const IN_LINE: u64 = 100;

/// The words of each line of `title`, as `first`, the first words of a page, show them.
fn title_lines<'a>(title: &str, first: &'a [Word]) -> Vec<Vec<&'a Word>> {
    let mut lines: Vec<Vec<&Word>> = Vec::new();
    for (part, word) in title.split(' ').zip(first) {
        assert_eq!(part, word.text);
        match lines.last_mut() {
            Some(line) if line[0].top == word.top => line.push(word),
            _ => lines.push(vec![word]),
        }
    }
    lines
}

#[test]
fn titles_touch_neither_the_number_below_them_nor_themselves() {
    // With descenders in each word, and marks above capitals.
    let long = "Žagarski predračun podjetja Čebelje žgoče pogače gospodarskega Šegajočega žarga";
    for template in Template::ALL {
        let mut counts = Vec::new();
        for title in ["Gýpsjęg", long] {
            let mut paper = invoice(template, 1);
            paper.title = title.to_owned();
            // Right at the head of the page, in every template.
            paper.logo = None;
            let all = words(&set(&paper));
            let lines = title_lines(title, &all);
            let number = all.iter().find(|word| word.text == "PP1-EN1-2026-17").unwrap();
            // A word's box holds all that its letters may have above and below them.
            let tops = lines.iter().skip(1).map(|line| line[0].top).chain([number.top]);
            for (line, below) in lines.iter().zip(tops) {
                let bottom = line[0].bottom;
                assert!(bottom <= below, "{template:?}: {line:?} touches what is at {below}");
            }
            counts.push(lines.len());
        }
        assert!(counts[0] == 1 && counts[1] > 1, "{template:?} has titles of {counts:?} lines");
    }
}

/// The words of `all` on the line of `word`.
fn beside<'a>(word: &'a Word, all: &'a [Word]) -> impl Iterator<Item = &'a Word> {
    all.iter().filter(|other| {
        let middle = i64::midpoint(other.top, other.bottom);
        other.page == word.page && (word.top..word.bottom).contains(&middle)
    })
}

#[test]
fn carried_sums_stand_under_the_amounts_and_their_labels_under_the_names() {
    for template in &Template::ALL[..6] {
        let all = words(&set(&plain_invoice(*template, 120)));
        let labels: Vec<&Word> = all.iter().filter(|word| word.text == "Prenos").collect();
        let last = labels.last().unwrap().page;
        assert!(last > 2, "{template:?} has sums on {last} pages");
        for page in 1..=last {
            let of_page: Vec<&&Word> = labels.iter().filter(|word| word.page == page).collect();
            // Over from each page but the last, and brought to each but the first.
            let expected = if page == 1 || page == last { 1 } else { 2 };
            assert_eq!(of_page.len(), expected, "{template:?}, page {page}");
            let on_page = |text: &str| {
                let found = all.iter().find(|word| word.page == page && word.text == text);
                found.unwrap_or_else(|| panic!("{template:?} has no {text} on page {page}"))
            };
            let names = on_page("Opis").left;
            // Each line ends in an amount.
            let amounts = beside(on_page("Svetovanje"), &all).map(|word| word.right).max().unwrap();
            for label in of_page {
                let sum = beside(label, &all).max_by_key(|word| word.right).unwrap();
                assert_eq!(sum.text, "€", "{template:?}, page {page}");
                let is_in_line = |a: i64, b: i64| a.abs_diff(b) <= IN_LINE;
                assert!(is_in_line(sum.right, amounts), "{template:?}: {sum:?}, not at {amounts}");
                assert!(is_in_line(label.left, names), "{template:?}: {label:?}, not at {names}");
            }
        }
    }
}
