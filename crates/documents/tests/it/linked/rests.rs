//! What credit notes leave of an invoice.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use racun_documents::{Document, DocumentKind, GivenTotals, NewLine, Refused, rest};
use racun_kernel::Decimal;
use racun_store::testing::stamp;
use time::macros::datetime;

use super::{document, issued};

const NOW: time::OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

/// Lines as `name quantity net gross; …`, then totals as `net gross | rate base tax | …`.
fn said((lines, totals): &(Vec<NewLine>, GivenTotals)) -> (String, String) {
    let line = |line: &NewLine| {
        let (total, gross) = line.given.as_ref().unwrap();
        let (name, quantity) = (line.name.as_ref().unwrap(), line.quantity.as_ref().unwrap());
        format!("{name} {quantity} {total} {gross}")
    };
    let taxes =
        totals.taxes.iter().map(|tax| format!(" | {} {} {}", tax.rate, tax.base, tax.amount));
    let totals = format!("{} {}{}", totals.total, totals.total_with_tax, taxes.collect::<String>());
    (lines.iter().map(line).collect::<Vec<_>>().join("; "), totals)
}

fn rest_of(invoice: &str, credits: &[&str]) -> Result<(Vec<NewLine>, GivenTotals), Refused> {
    let stamp = stamp(NOW);
    let credits: Vec<Document> =
        credits.iter().map(|lines| document(DocumentKind::CreditNote, lines, &stamp)).collect();
    rest(&document(DocumentKind::Invoice, invoice, &stamp), &credits)
}

#[test]
fn the_rest_is_what_was_not_given_back() {
    for (invoice, credits, lines, totals) in [
        (
            "a 2 5 22; b 1 10 9.5",
            vec![],
            "a 2 10 12.2; b 1 10 10.95",
            "20 23.15 | 22 10 2.2 | 9.5 10 0.95",
        ),
        // A line, and pieces of one.
        ("a 2 5 22; b 1 10 9.5", vec!["b 1 10 9.5"], "a 2 10 12.2", "10 12.2 | 22 10 2.2"),
        ("a 3 0.35 22", vec!["a 1 0.35 22"], "a 2 0.7 0.85", "0.7 0.85 | 22 0.7 0.15"),
        ("a 3 5 22", vec!["a 1 5 22", "a 1 5 22"], "a 1 5 6.1", "5 6.1 | 22 5 1.1"),
        // Money off, called otherwise: lines of that rate are one, others stay.
        (
            "a 2 5 22; c 1 5 22; b 1 10 9.5",
            vec!["discount 1 3 22"],
            "b 1 10 10.95; 2026-00007 1 12 14.64",
            "22 25.59 | 22 12 2.64 | 9.5 10 0.95",
        ),
        ("a 1 100", vec!["b 1 60"], "2026-00007 1 40 40", "40 40"),
        // Another price is another thing, and so is more than there was.
        ("a 2 5 22", vec!["a 1 4 22"], "2026-00007 1 6 7.32", "6 7.32 | 22 6 1.32"),
        ("a 2 5 22; b 2 5 22", vec!["a 3 5 22"], "2026-00007 1 5 6.1", "5 6.1 | 22 5 1.1"),
    ] {
        let found = rest_of(invoice, &credits).unwrap();
        assert_eq!(said(&found), (lines.to_owned(), totals.to_owned()), "{invoice}: {credits:?}");
    }
}

#[test]
fn a_rest_that_cannot_be_known_is_refused() {
    for (invoice, credits, refused) in [
        ("a 1 100 22", vec!["a 1 100 22"], Refused::CreditedInFull),
        ("a 1 100", vec!["b 1 60", "b 1 40"], Refused::CreditedInFull),
        // Untaxed, or at another rate.
        ("a 1 100 22", vec!["a 1 61"], Refused::CreditUnclear),
        ("a 1 100 22", vec!["a 1 50 9.5"], Refused::CreditUnclear),
        ("a 1 100 22; b 1 10 9.5", vec!["b 1 20 9.5"], Refused::CreditUnclear),
    ] {
        assert_eq!(rest_of(invoice, &credits).unwrap_err(), refused, "{invoice}: {credits:?}");
    }
}

/// Base and tax by rate, and the total with tax.
fn figures(documents: &[Document]) -> (BTreeMap<Decimal, (Decimal, Decimal)>, Decimal) {
    let mut rates: BTreeMap<Decimal, (Decimal, Decimal)> = BTreeMap::new();
    for tax in documents.iter().flat_map(|document| &document.amounts.taxes).map(|tax| &tax.tax) {
        let zero = || (Decimal::zero(), Decimal::zero());
        let (base, amount) = rates.entry(tax.rate.clone()).or_insert_with(zero);
        *base += &tax.base;
        *amount += &tax.amount;
    }
    (rates, documents.iter().map(|document| &document.amounts.total_with_tax).sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Credit notes and the one over the rest come to the invoice, rate by rate.
    #[test]
    fn credit_notes_and_the_rest_come_to_the_invoice(
        lines in vec((1..=5_i64, 1..=2000_i64, prop::sample::select(vec!["", "9.5", "22"])), 1..5),
        // Which line, how many of it, whether it is called otherwise.
        back in vec((0..5_usize, 1..=5_i64, any::<bool>()), 0..4),
    ) {
        let stamp = stamp(NOW);
        let text = |name: &str, quantity: i64, cents: i64, rate: &str| {
            format!("{name} {quantity} {} {rate}", Decimal::new(cents, 2))
        };
        let named: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(n, (quantity, cents, rate))| text(&format!("n{n}"), *quantity, *cents, rate))
            .collect();
        let invoice = document(DocumentKind::Invoice, &named.join(";"), &stamp);
        let credits: Vec<Document> = back
            .iter()
            .map(|(n, quantity, renamed)| {
                let n = n % lines.len();
                let (_, cents, rate) = lines[n];
                let name = if *renamed { "other".to_owned() } else { format!("n{n}") };
                document(DocumentKind::CreditNote, &text(&name, *quantity, cents, rate), &stamp)
            })
            .collect();
        match rest(&invoice, &credits) {
            Ok((lines, totals)) => {
                let gross: Decimal =
                    lines.iter().map(|line| &line.given.as_ref().unwrap().1).sum();
                prop_assert_eq!(&gross, &totals.total_with_tax, "lines come to the total");
                let note = issued(DocumentKind::CreditNote, lines, Some(totals), &stamp);
                let all: Vec<Document> = credits.into_iter().chain([note]).collect();
                prop_assert_eq!(figures(&all), figures(&[invoice]));
            }
            Err(refused) => {
                let (had, gross) = figures(&[invoice]);
                let (given, credited) = figures(&credits);
                let too_much = given.iter().any(|(rate, (base, amount))| {
                    had.get(rate).is_none_or(|own| own.0 < *base || own.1 < *amount)
                });
                let is_full = credited >= gross;
                let untaxed = lines.iter().any(|(.., rate)| rate.is_empty());
                prop_assert!(is_full || too_much || untaxed, "{:?}", refused);
            }
        }
    }
}
