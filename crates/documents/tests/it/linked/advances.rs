//! What an invoice says of its advances.

use proptest::collection::vec;
use proptest::prelude::*;
use racun_documents::{AdvanceShare, Document, DocumentKind};
use racun_kernel::{Currency, Decimal};
use racun_store::testing::stamp;
use time::macros::datetime;

use super::{decimal, document};

const NOW: time::OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

/// A share as `amount: total | rate base tax | …`.
fn said(share: &AdvanceShare) -> String {
    let taxes =
        share.taxes.iter().map(|tax| format!(" | {} {} {}", tax.rate, tax.base, tax.amount));
    format!("{}: {}{}", share.amount, share.total, taxes.collect::<String>())
}

fn apply(invoice: &mut Document, advance: &mut Document, amount: &Decimal) {
    let (one, other) = invoice.clone().with_advance(advance.clone(), amount);
    (*invoice, *advance) = (one, other);
}

#[test]
fn a_part_is_in_proportion_and_exact() {
    let stamp = stamp(NOW);
    let whole =
        |lines: &str| AdvanceShare::of(&document(DocumentKind::AdvanceInvoice, lines, &stamp));
    for (lines, amount, expected) in [
        ("a 1 100 22", "122", "122: 100 | 22 100 22"),
        ("a 1 100 22", "61", "61: 50 | 22 50 11"),
        ("a 1 100 22", "0.01", "0.01: 0.01 | 22 0.01 0"),
        ("a 1 100 22; b 1 100 9.5", "115.75", "115.75: 100 | 22 50 11 | 9.5 50 4.75"),
        ("a 1 10; b 1 10 22", "11.1", "11.1: 10 | 22 5 1.1"),
        ("a 1 30 r22", "10", "10: 10 | 22 10 0"),
        // Thirds: the missing cent goes to the largest remainder, the first of equals.
        ("a 1 1 0; b 1 1 5; c 1 1 10", "1", "1: 0.95 | 0 0.32 0 | 5 0.31 0.02 | 10 0.32 0.03"),
        ("a 1 1; b 1 1 0; c 1 1 r9", "1", "1: 1 | 0 0.34 0 | 9 0.33 0"),
        // Two taxes on one base.
        ("a 1 100 5 10", "57.5", "57.5: 50 | 5 50 2.5 | 10 50 5"),
        ("a 1 0.1 22; b 1 0.1 22", "0.12", "0.12: 0.1 | 22 0.1 0.02"),
    ] {
        let part = whole(lines).part(&decimal(amount), Currency::EUR);
        assert_eq!(said(&part), expected, "{amount} of {lines}");
    }
}

#[test]
fn an_invoice_says_what_it_has_of_each_advance() {
    let stamp = stamp(NOW);
    let mut invoice = document(DocumentKind::Invoice, "a 1 500 22", &stamp);
    let mut advance = document(DocumentKind::AdvanceInvoice, "a 1 100 22", &stamp);
    let mut other = document(DocumentKind::AdvanceInvoice, "a 1 100", &stamp);
    apply(&mut invoice, &mut advance, &decimal("122"));
    apply(&mut invoice, &mut other, &decimal("40"));
    let says = |invoice: &Document| -> Vec<String> {
        invoice.advances_applied.iter().map(|one| said(&one.share)).collect()
    };
    assert_eq!(says(&invoice), ["122: 100 | 22 100 22", "40: 40"]);
    let first = &invoice.advances_applied[0];
    assert_eq!((first.advance_id, &first.number), (advance.id, &advance.number()));
    assert_eq!(said(&other.share_applied.clone().unwrap()), "40: 40");
    // Another amount keeps its place; none is gone.
    apply(&mut invoice, &mut advance, &decimal("61"));
    assert_eq!(says(&invoice), ["61: 50 | 22 50 11", "40: 40"]);
    apply(&mut invoice, &mut advance, &Decimal::zero());
    assert_eq!((says(&invoice), advance.share_applied), (vec!["40: 40".to_owned()], None));
}

fn rates() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "0", "5", "9.5", "22", "25", "r22"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever invoices have and give back: parts add up to their amounts, no rate gives more than
    /// it has, and all of the advance is all of its base and tax.
    #[test]
    fn parts_of_an_advance_come_to_the_advance(
        lines in vec((1..=3_i64, 1..=4000_i64, rates()), 1..5),
        steps in vec((0..3_usize, 0..=9000_i64), 1..30),
    ) {
        let stamp = stamp(NOW);
        let lines: Vec<String> = lines
            .iter()
            .map(|(quantity, cents, rate)| {
                let price = Decimal::new(*cents, 2);
                format!("a {quantity} {price} {rate}")
            })
            .collect();
        let mut advance = document(DocumentKind::AdvanceInvoice, &lines.join(";"), &stamp);
        let whole = AdvanceShare::of(&advance);
        let mut invoices: Vec<Document> =
            (0..3).map(|_| document(DocumentKind::Invoice, "a 1 1", &stamp)).collect();
        let has = |invoice: &Document| -> Decimal {
            invoice.advances_applied.iter().map(|one| &one.share.amount).sum()
        };
        for (n, cents) in steps {
            let others: Decimal = {
                let others = invoices.iter().enumerate().filter(|(other, _)| *other != n);
                let amounts: Vec<Decimal> = others.map(|(_, invoice)| has(invoice)).collect();
                amounts.iter().sum()
            };
            let amount = Decimal::new(cents, 2).min(&whole.amount - &others);
            let before = invoices.clone();
            apply(&mut invoices[n], &mut advance, &amount);
            for (other, (was, is)) in before.iter().zip(&invoices).enumerate() {
                prop_assert!(other == n || was == is, "what others said stays");
            }
            prop_assert_eq!(has(&invoices[n]), amount);
            let shares: Vec<&AdvanceShare> = invoices
                .iter()
                .flat_map(|invoice| invoice.advances_applied.iter().map(|one| &one.share))
                .collect();
            let all: Decimal = shares.iter().map(|share| &share.amount).sum();
            for share in &shares {
                let taxes: Decimal = share.taxes.iter().map(|tax| &tax.amount).sum();
                prop_assert_eq!(&(&share.total + &taxes), &share.amount);
                let gross: Decimal = share.taxes.iter().map(|tax| &tax.base).sum();
                prop_assert!(gross <= share.total, "what is left of the total bears no tax");
            }
            for (n, tax) in whole.taxes.iter().enumerate() {
                let base: Decimal = shares.iter().map(|share| &share.taxes[n].base).sum();
                let amount: Decimal = shares.iter().map(|share| &share.taxes[n].amount).sum();
                prop_assert!(base <= tax.base && amount <= tax.amount);
                prop_assert!(!base.is_negative() && !amount.is_negative());
                if all == whole.amount {
                    prop_assert_eq!((&base, &amount), (&tax.base, &tax.amount));
                }
            }
        }
    }
}
