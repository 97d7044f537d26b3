//! What we write is read back.

use racun_einvoicing::{
    Facts, Form, Import, Specification, Syntax, Unreadable, eslog, read, write,
};
use racun_store::testing::Random;

use crate::documents::{issued_in_slovenia, random};
use crate::sample::{decimal, invoice};

#[test]
fn an_invoice_is_read_as_it_was_written() {
    for syntax in [Syntax::Ubl, Syntax::Cii] {
        let facts = invoice();
        let written = write(&facts, Specification::XRechnung, syntax).unwrap();
        let received = read(written.xml.as_bytes()).unwrap();
        assert!(received.verdict.is_valid(), "{:#?}", received.verdict);
        let form = if syntax == Syntax::Ubl { Form::Ubl } else { Form::Cii };
        assert_eq!(received.form, form);
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

/// The sample at a Slovenian rate.
fn slovenian() -> Facts {
    let mut facts = invoice();
    for place in 0..2 {
        let line = crate::sample::priced(&mut facts, place);
        line.taxes[0].rate = decimal("22");
    }
    facts.totals.taxes[0].rate = decimal("22");
    facts.totals.taxes[0].amount = decimal("22");
    facts.totals.total_with_tax = decimal("122");
    facts
}

#[test]
fn an_e_slog_is_read_as_it_was_written() {
    let facts = slovenian();
    let written = eslog::write(&facts).unwrap();
    let received = read(written.xml.as_bytes()).unwrap();
    assert!(received.verdict.is_valid(), "{:#?}", received.verdict);
    assert_eq!((received.form, &received.sums), (Form::Eslog, &Vec::new()));
    let import = received.import;
    assert_eq!(import.number.as_deref(), Some("2026-0001"));
    assert_eq!(import.date, Some(facts.date));
    assert_eq!(import.date_due, facts.date_due);
    assert_eq!(import.currency.as_deref(), Some("EUR"));
    assert_eq!(import.supplier.name, facts.issuer.name);
    assert_eq!(import.supplier.tax_number, facts.issuer.tax_number);
    assert_eq!(import.supplier.company_number, facts.issuer.company_number);
    assert_eq!(import.supplier.email, facts.issuer.email);
    assert_eq!(import.supplier.address, facts.issuer.address);
    assert_eq!(import.accounts[0].number, "SI56263300012039086");
    assert_eq!(import.reference.as_deref(), Some("SI002026-0001"));
    assert_eq!(import.lines.len(), 2);
    assert_eq!((import.lines[1].name.as_str(), &import.lines[1].rate), ("Zvonec", &decimal("22")));
    assert_eq!(import.taxes[0].amount, decimal("22"));
    assert_eq!((import.total, import.due), (decimal("100"), decimal("122")));
}

/// What an e-SLOG carries of an invoice: one account, always a reference, which is written without
/// blanks, no identifiers in the network, and texts that segments may cut at their blanks.
fn carried(mut import: Import) -> Import {
    import.accounts.truncate(1);
    import.reference = import.reference.take().map(|text| text.replace(' ', ""));
    let plain = |text: &mut Option<String>| {
        *text = text.take().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    };
    for party in [&mut import.supplier, &mut import.buyer] {
        (party.peppol_id, party.peppol_scheme_id) = (None, None);
        // The street is cut into lines of one address.
        let street = [party.address.take(), party.address_2.take()];
        let street: Vec<String> = street.into_iter().flatten().collect();
        party.address = (!street.is_empty()).then(|| street.join(" "));
        for text in [&mut party.name, &mut party.address, &mut party.state] {
            plain(text);
        }
    }
    for line in &mut import.lines {
        let mut name = Some(line.name.clone());
        plain(&mut name);
        line.name = name.unwrap_or_default();
        plain(&mut line.description);
    }
    for tax in &mut import.taxes {
        plain(&mut tax.exemption_reason);
    }
    import
}

/// Random documents that are compared, and of how many at most: e-SLOG refuses the others.
const COMPARED: usize = 250;
const TRIED: usize = 2_000;

/// Why the document charges no tax of a category, when it has lines of that.
fn reason(import: &Import, category: &str) -> Option<Option<String>> {
    let group = import.taxes.iter().find(|tax| tax.category == category);
    group.map(|tax| tax.exemption_reason.clone())
}

#[test]
fn random_documents_say_the_same_as_e_slog_and_as_ubl() {
    let (mut choices, mut compared, mut of_two_reasons) = (Random::new(11), 0, 0);
    for n in 0..TRIED {
        if compared == COMPARED {
            break;
        }
        let mut facts = issued_in_slovenia(&mut choices, n);
        if n % 2 == 0 {
            // Without a clause each category says its own reason.
            facts.texts.tax_clause = None;
        }
        let Ok(of_eslog) = eslog::write(&facts) else { continue };
        let of_ubl = write(&facts, Specification::En16931, Syntax::Ubl).unwrap();
        let [eslog, ubl] = [of_eslog, of_ubl].map(|written| read(written.xml.as_bytes()).unwrap());
        assert!(eslog.sums.is_empty() && ubl.sums.is_empty(), "{:#?} {:#?}", eslog.sums, ubl.sums);
        let (eslog, ubl) = (eslog.import, ubl.import);
        let (mut eslog, ubl) = (carried(eslog), carried(ubl));
        if ubl.reference.is_none()
            && let Some(own) = eslog.reference.take()
        {
            assert!(own.starts_with("SI00") || own == "SI99", "{own}");
        }
        if ubl.accounts.is_empty() {
            // An e-SLOG names the account also where another way of payment is named.
            eslog.accounts.clear();
        }
        assert_eq!(eslog, ubl, "{facts:#?}");
        compared += 1;
        let reasons = reason(&eslog, "K").zip(reason(&eslog, "AE"));
        of_two_reasons += usize::from(reasons.is_some_and(|(goods, services)| goods != services));
    }
    println!("{compared} documents, {of_two_reasons} with goods (K) and services (AE) by reasons");
    assert_eq!(compared, COMPARED);
    assert!(of_two_reasons > 0);
}

#[test]
fn what_does_not_add_up_is_reported_by_the_number_of_its_rule() {
    let ubl = write(&invoice(), Specification::En16931, Syntax::Ubl).unwrap().xml;
    let peppol = write(&invoice(), Specification::Peppol, Syntax::Ubl).unwrap().xml;
    let eslog = eslog::write(&slovenian()).unwrap().xml;
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (
            &ubl,
            ">75.00</cbc:LineExtensionAmount>",
            ">76.00</cbc:LineExtensionAmount>",
            &["BR-CO-10"],
        ),
        (
            &ubl,
            ">119.00</cbc:TaxInclusiveAmount>",
            ">120.00</cbc:TaxInclusiveAmount>",
            &["BR-CO-15", "BR-CO-16"],
        ),
        (&ubl, ">119.00</cbc:PayableAmount>", ">118.00</cbc:PayableAmount>", &["BR-CO-16"]),
        (&peppol, ">25</cbc:PriceAmount>", ">26</cbc:PriceAmount>", &["PEPPOL-EN16931-R120"]),
        (
            &eslog,
            "<D_5025>9</D_5025><D_5004>122.00<",
            "<D_5025>9</D_5025><D_5004>121.00<",
            &["BR-CO-16"],
        ),
        (
            &eslog,
            "<D_5025>203</D_5025><D_5004>75.00<",
            "<D_5025>203</D_5025><D_5004>74.00<",
            &["BR-CO-10"],
        ),
    ];
    for (xml, from, to, expected) in cases {
        assert!(xml.contains(from), "{from} is not in\n{xml}");
        let received = read(xml.replacen(from, to, 1).as_bytes()).unwrap();
        let rules: Vec<&str> = received.sums.iter().map(|one| one.rule.as_str()).collect();
        for rule in *expected {
            assert!(rules.contains(rule), "{to}: {rule} is not in {rules:?}");
        }
    }
}

#[test]
fn lines_that_do_not_multiply_are_peppols_alone_to_refuse() {
    for (specification, rules) in [
        (Specification::En16931, &[][..]),
        (Specification::XRechnung, &[]),
        (Specification::Peppol, &["PEPPOL-EN16931-R120"]),
    ] {
        let ubl = write(&invoice(), specification, Syntax::Ubl).unwrap().xml;
        let odd = ubl.replacen(">25</cbc:PriceAmount>", ">26</cbc:PriceAmount>", 1);
        let received = read(odd.as_bytes()).unwrap();
        let found: Vec<&str> = received.sums.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(found, rules, "{specification:?}");
        let lines = &received.import.lines;
        assert_eq!([lines[0].comes_to_total(), lines[1].comes_to_total()], [false, true]);
    }
}

#[test]
fn utf_16_is_read_by_its_mark() {
    let ubl = write(&invoice(), Specification::XRechnung, Syntax::Ubl).unwrap().xml;
    let plain = read(ubl.as_bytes()).unwrap();
    let eslog = eslog::write(&slovenian()).unwrap().xml;
    let units = |text: &str| format!("\u{feff}{text}").encode_utf16().collect::<Vec<u16>>();
    for xml in [ubl.as_str(), &eslog, &ubl.replace("encoding=\"UTF-8\"", "encoding=\"utf-16\"")] {
        let is_declared = xml.contains("encoding=\"UTF-8\"");
        let little: Vec<u8> = units(xml).into_iter().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units(xml).into_iter().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            let received = read(&bytes);
            if is_declared && xml == ubl {
                // The declaration and the mark disagree.
                assert_eq!(received, Err(Unreadable::Encoding));
                continue;
            }
            let received = received.unwrap();
            assert!(received.verdict.is_valid(), "{:#?}", received.verdict);
            if xml != eslog {
                assert_eq!(received, plain);
            }
        }
    }
    let marked = read(format!("\u{feff}{ubl}").as_bytes()).unwrap();
    assert_eq!(marked, plain);
}

#[test]
fn a_hybrid_is_read_by_the_xml_in_it() {
    let pdf = include_bytes!("vectors/samples/hybrid/invoice.pdf");
    let received = read(pdf).unwrap();
    assert_eq!(received.form, Form::Hybrid);
    assert!(received.import.number.is_some() && !received.import.lines.is_empty());
    let without =
        b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF";
    assert!(matches!(read(without), Err(Unreadable::NotAnInvoice(_))));
}

#[test]
fn e_slog_of_others_is_judged() {
    let folder = crate::judge::vectors().join("samples/eslog");
    let read_all = |verdict: &str| {
        let files = std::fs::read_dir(folder.join(verdict)).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let all: Vec<_> = paths
            .map(|path| {
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                (name, read(&std::fs::read(&path).unwrap()).unwrap())
            })
            .collect();
        assert!(!all.is_empty());
        all
    };
    for (name, received) in read_all("valid") {
        assert_eq!(received.form, Form::Eslog);
        assert!(received.sums.is_empty(), "{name}: {:#?}", received.sums);
        assert!(received.verdict.is_valid(), "{name}: {:#?}", received.verdict);
    }
    for (name, received) in read_all("invalid") {
        let rule = name.rsplit_once("__").unwrap().1;
        let verdict = &received.verdict;
        assert!(verdict.errors().any(|one| one.rule == rule), "{name}: {verdict:#?}");
    }
}
