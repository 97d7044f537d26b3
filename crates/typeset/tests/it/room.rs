//! Where there is little room: two codes, the rolls of tills, long amounts. Nothing overlaps, and
//! no amount and no word of a label is broken.

use racun_paper::{Align, Language, Paper, Row, Table, Template, Word};

use crate::sample::{epc, upn};
use crate::set;
use crate::texts::misplaced;
use crate::tools::{codes, text, text_as_it_stands};
use crate::translated::{Words, cells, fact, translated};

const ROLLS: [(Template, i64); 2] =
    [(Template::Receipt80, 227_000), (Template::Receipt58, 165_000)];
/// The width of A4, in thousandths of a point.
const A4: i64 = 595_500;

/// The words of labels and of figures, none of which is broken. Fixed blanks are no ends of words.
fn unbroken(paper: &Paper) -> Vec<String> {
    let mut all: Vec<&str> = Vec::new();
    let payment = paper.payment.iter().flat_map(|payment| &payment.facts);
    let facts = paper.issuer.facts.iter().chain(&paper.facts).chain(payment);
    all.extend(facts.map(|fact| fact.label.as_str()));
    for total in &paper.totals {
        all.extend([total.label.as_str(), &total.text]);
    }
    let tables = [&paper.taxes, &paper.advances, &paper.payments].into_iter().flatten();
    for table in tables.chain([&paper.lines]) {
        all.extend(table.columns.iter().map(|column| column.label.as_str()));
        all.extend(figures(table));
    }
    let parts = all.into_iter().flat_map(|text| text.split([' ', '\n']));
    parts.map(|part| part.replace('\u{a0}', " ")).collect()
}

fn figures(table: &Table) -> impl Iterator<Item = &str> {
    table.rows.iter().flat_map(|row| {
        let cells = if let Row::Cells { cells, .. } = row { cells.as_slice() } else { &[] };
        let columns = table.columns.iter().zip(cells);
        columns.filter(|(column, _)| column.align == Align::End).map(|(_, cell)| cell.as_str())
    })
}

/// Sets `paper`, looks where its words stand, and answers the file.
fn check(paper: &Paper, width: i64, what: &str) -> Vec<u8> {
    let file = set(paper);
    assert_eq!(misplaced(&file, width), None, "{what}");
    let found = text(&file).replace('\u{a0}', " ");
    let lines: Vec<&str> = found.lines().collect();
    let is_there = |part: &&String| lines.iter().any(|line| line.contains(part.as_str()));
    let all = unbroken(paper);
    let broken = all.iter().find(|part| !is_there(part));
    assert_eq!(broken, None, "{what}:\n{found}");
    file
}

/// An invoice with two codes, what there is to know of the payment, and no more.
fn with_codes(template: Template, language: Language) -> Paper {
    let words = Words(language);
    let mut paper = translated(template, language, 3);
    (paper.advances, paper.payments, paper.converted) = (None, None, None);
    paper.marks.clear();
    paper.signature = None;
    let payment = paper.payment.as_mut().unwrap();
    payment.facts = [
        (Word::TotalDue, words.money("15061.72")),
        (Word::Payee, "Podjetje za inženiring in svetovanje pri gradnjah d.o.o.".to_owned()),
        (Word::Iban, "SI56 0201 7001 4356 205".to_owned()),
        (Word::Bic, "LJBASI2X".to_owned()),
        (Word::Bank, "NLB".to_owned()),
        (Word::Reference, "SI00 2026-00001".to_owned()),
        (Word::Purpose, format!("{} 2026-00001", words.of(Word::Invoice))),
    ]
    .map(|(word, text)| fact(&words, word, &text))
    .to_vec();
    payment.codes = vec![upn(), epc()];
    for (code, name) in payment.codes.iter_mut().zip(["UPN QR", "EPC QR"]) {
        code.label = format!("{name}: {}", words.of(Word::Scan));
    }
    paper
}

/// The first word of a label of `paper` that is not in `found`.
fn unread<'a>(paper: &'a Paper, found: &str) -> Option<&'a str> {
    let labels = [&paper.title, &paper.issuer.label]
        .into_iter()
        .chain(paper.facts.iter().map(|fact| &fact.label))
        .chain(paper.notes.iter().map(|note| &note.label));
    labels.flat_map(|label| label.split(' ')).find(|word| !found.contains(word))
}

#[test]
fn two_codes_and_the_payment_beside_them_leave_each_other_room() {
    for template in &Template::ALL[..6] {
        for language in Language::ALL {
            let mut paper = with_codes(*template, language);
            let what = format!("two codes in {} as {template:?}", language.code());
            let file = check(&paper, A4, &what);
            let unread = unread(&paper, &text_as_it_stands(&file));
            assert_eq!(unread, None, "{what}, by where its letters stand");
            // Reading takes a second for each page: languages with long words speak for all.
            if !["es", "bg"].contains(&language.code()) {
                continue;
            }
            let Some(mut read) = codes(&file) else { continue };
            let mut expected = [upn().payload, epc().payload];
            read.sort_by(|a, b| a.1.cmp(&b.1));
            expected.sort();
            assert_eq!(read.len(), 2, "{what}: {read:?}");
            assert!(read.iter().zip(&expected).all(|(read, own)| read.1 == *own), "{what}");
            // A wider code beside another one.
            paper.payment.as_mut().unwrap().codes[0] = crate::sample::hub3();
            check(&paper, A4, &format!("a bar code beside {what}"));
        }
    }
}

/// Five discounts on the first line.
fn discounted(paper: &mut Paper, words: &Words) {
    if let Some(Row::Cells { cells, .. }) = paper.lines.rows.get_mut(1) {
        let Words(language) = words;
        let percent = |rate: &str| language.percent(&rate.parse().unwrap());
        let all = [percent("10"), percent("5"), words.money("1234.56"), percent("1"), percent("2")];
        cells[4] = all.join(" + ");
    }
}

#[test]
fn rolls_of_tills_have_room_for_all_columns_in_every_language() {
    for (template, width) in ROLLS {
        for language in Language::ALL {
            let words = Words(language);
            let whole = translated(template, language, 2);
            let mut plain = whole.clone();
            (plain.advances, plain.payments, plain.converted) = (None, None, None);
            let mut five = plain.clone();
            discounted(&mut five, &words);
            for (paper, which) in
                [(&plain, "plain"), (&five, "five discounts"), (&whole, "an advance")]
            {
                let what = format!("{which} in {} as {template:?}", language.code());
                check(paper, width, &what);
            }
        }
    }
}

#[test]
fn amounts_of_many_digits_are_never_broken() {
    let a4 = Template::ALL[..6].iter().map(|template| (*template, A4));
    for (template, width) in a4.chain(ROLLS) {
        for language in ["en", "sl", "fr", "bg"] {
            let language = Language::from_code(language).unwrap();
            let words = Words(language);
            for amount in ["15061702.26", "10948329588.66", "-10948329588.66"] {
                let mut paper = with_codes(template, language);
                for row in &mut paper.lines.rows {
                    let Row::Cells { cells, .. } = row else { continue };
                    cells[3] = words.number(amount);
                    cells[6] = words.number(amount);
                }
                for total in &mut paper.totals {
                    total.text = words.money(amount);
                }
                let taxes = paper.taxes.as_mut().unwrap();
                let rate = language.percent(&"9.5".parse().unwrap());
                taxes.rows = vec![cells(vec![rate, words.money(amount), words.money(amount)])];
                check(&paper, width, &format!("{amount} in {} as {template:?}", language.code()));
            }
        }
    }
}
