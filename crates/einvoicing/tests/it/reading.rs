//! What we write is read back.

use racun_einvoicing::{Specification, Syntax, read, write};
use racun_store::testing::Random;

use crate::documents::random;
use crate::sample::{decimal, invoice};

#[test]
fn an_invoice_is_read_as_it_was_written() {
    for syntax in [Syntax::Ubl, Syntax::Cii] {
        let facts = invoice();
        let written = write(&facts, Specification::XRechnung, syntax).unwrap();
        let received = read(written.xml.as_bytes()).unwrap();
        assert!(received.verdict.is_valid(), "{:#?}", received.verdict);
        assert_eq!(received.syntax, syntax);
        assert_eq!(received.specification.as_deref(), Some(Specification::XRechnung.identifier()));
        let import = received.import;
        assert_eq!(import.number.as_deref(), Some("2026-0001"));
        assert_eq!(import.date, Some(facts.date));
        assert_eq!(import.date_due, facts.date_due);
        assert_eq!(import.currency.as_deref(), Some("EUR"));
        assert_eq!(import.supplier.name, facts.issuer.name);
        assert_eq!(import.supplier.tax_number, facts.issuer.tax_number);
        assert_eq!(import.supplier.city, facts.issuer.city);
        assert_eq!(import.buyer.name, facts.customer.unwrap().name);
        assert_eq!(import.accounts[0].number, "SI56263300012039086");
        assert_eq!(import.reference, facts.reference);
        assert_eq!(import.lines.len(), 2);
        assert_eq!(import.lines[1].name, "Zvonec");
        assert_eq!(import.lines[1].price, decimal("12.5"));
        assert_eq!(import.taxes[0].amount, decimal("19"));
        assert_eq!(import.total, decimal("100"));
        assert_eq!(import.total_with_tax, decimal("119"));
        assert_eq!(import.due, decimal("119"));
    }
}

#[test]
fn random_documents_say_the_same_in_both_syntaxes() {
    let mut choices = Random::new(7);
    for n in 0..150 {
        let facts = random(&mut choices, n);
        let [ubl, cii] = [Syntax::Ubl, Syntax::Cii].map(|syntax| {
            let written = write(&facts, Specification::XRechnung, syntax).unwrap();
            let received = read(written.xml.as_bytes()).unwrap();
            assert!(received.verdict.is_valid(), "{facts:#?} {:#?}", received.verdict);
            received.import
        });
        assert_eq!(ubl, cii, "{facts:#?}");
        assert_eq!(ubl.total, facts.totals.total);
        assert_eq!(ubl.total_with_tax, facts.totals.total_with_tax);
    }
}

#[test]
fn arithmetic_that_does_not_add_up_names_its_rule() {
    let written = write(&invoice(), Specification::En16931, Syntax::Ubl).unwrap();
    let changed = written.xml.replace(
        "<cbc:LineExtensionAmount currencyID=\"EUR\">25.00<",
        "<cbc:LineExtensionAmount currencyID=\"EUR\">26.00<",
    );
    let received = read(changed.as_bytes()).unwrap();
    let rules: Vec<&str> = received.verdict.errors().map(|one| one.rule.as_str()).collect();
    assert!(rules.contains(&"BR-CO-10"), "{rules:?}");
}
