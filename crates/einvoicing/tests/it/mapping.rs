//! What a document becomes, and which field a refusal names.

use racun_einvoicing::{
    Discount, Facts, FactsKind, Level, Line, Party, Price, Sale, Sells, Specification, Syntax,
    TaxTotal, judge, write,
};

use crate::sample::{decimal, invoice, priced, some, tax};

/// Rule and field of each error.
fn errors(facts: &Facts, specification: Specification) -> Vec<String> {
    let verdict = judge(facts, specification);
    let place = |finding: &racun_einvoicing::Finding| {
        let text = finding.to_string();
        let (path, _) = text.split_once(": ").unwrap();
        format!("{} {path}", finding.rule)
    };
    verdict.errors().map(place).collect()
}

/// The facts with a change.
fn with(change: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = invoice();
    change(&mut facts);
    facts
}

fn customer(facts: &mut Facts) -> &mut Party {
    facts.customer.as_mut().unwrap()
}

#[test]
fn a_whole_invoice_is_valid_everywhere() {
    for specification in Specification::ALL {
        assert_eq!(errors(&invoice(), specification), Vec::<String>::new(), "{specification:?}");
    }
}

#[test]
fn all_that_is_missing_is_named_at_once() {
    let bare = with(|facts| {
        facts.accounts.clear();
        facts.issuer = Party {
            name: some("Testni obrat d.o.o."),
            country_code: some("SI"),
            tax_number: some("SI10039856"),
            ..Party::default()
        };
        facts.customer = Some(Party { name: some("Kupec"), ..Party::default() });
    });
    let found = errors(&bare, Specification::XRechnung);
    for expected in [
        "BR-11 customer.country_code",
        "BR-DE-1 issuer.bank_accounts",
        "BR-DE-3 issuer.city",
        "BR-DE-4 issuer.post_code",
        "BR-DE-6 issuer.phone",
        "BR-DE-7 issuer.email",
        "BR-DE-8 customer.city",
        "BR-DE-9 customer.post_code",
        "BR-DE-15 customer.e_invoicing.buyer_reference",
        "PEPPOL-EN16931-R010 customer.peppol_id",
    ] {
        assert!(found.iter().any(|one| one == expected), "{expected} is not in {found:#?}");
    }
}

#[test]
fn a_refusal_names_the_field_that_mends_it() {
    use Specification::{En16931, Peppol, XRechnung};
    let cases: [(&str, Specification, Facts); 13] = [
        ("BR-07 customer.name", En16931, with(|facts| customer(facts).name = some(" "))),
        ("BR-07 customer.name", En16931, with(|facts| facts.customer = None)),
        ("BR-09 issuer.country_code", En16931, with(|facts| facts.issuer.country_code = None)),
        (
            "BR-CL-14 issuer.country_code",
            En16931,
            with(|facts| {
                facts.issuer.country_code = some("XX");
            }),
        ),
        ("BR-25 items[1].name", En16931, with(|facts| priced(facts, 1).name = String::new())),
        (
            "BR-CL-23 items[0].e_invoicing.unit_code",
            XRechnung,
            with(|facts| {
                priced(facts, 0).unit_code = some("kos");
            }),
        ),
        (
            "BR-CO-04 items[1].taxes",
            En16931,
            with(|facts| {
                priced(facts, 1).taxes.push(tax("3"));
            }),
        ),
        (
            "BR-CO-04 items[0].classification",
            En16931,
            with(|facts| {
                facts.sale = Sale::IntraEuB2b;
                priced(facts, 0).taxes.clear();
                priced(facts, 0).sells = None;
            }),
        ),
        ("BR-E-10 tax_clause", En16931, with(|facts| priced(facts, 1).taxes.clear())),
        (
            "BR-AE-02 customer.tax_number",
            En16931,
            with(|facts| {
                priced(facts, 1).taxes[0].reverse_charge = true;
                customer(facts).tax_number = None;
            }),
        ),
        (
            "BR-IC-11 date_service",
            En16931,
            with(|facts| {
                facts.sale = Sale::IntraEuB2b;
                facts.date_service = None;
                priced(facts, 1).taxes.clear();
            }),
        ),
        (
            "BR-DEC-23 currency_code",
            En16931,
            with(|facts| {
                priced(facts, 1).total = decimal("25.001");
            }),
        ),
        (
            "PEPPOL-EN16931-R003 customer.e_invoicing.buyer_reference",
            Peppol,
            with(|facts| {
                customer(facts).buyer_reference = None;
            }),
        ),
    ];
    for (expected, specification, facts) in cases {
        let found = errors(&facts, specification);
        assert!(found.iter().any(|one| one == expected), "{expected} is not in {found:#?}");
    }
}

#[test]
fn a_message_says_what_is_wrong_and_how_to_mend_it() {
    let facts = with(|facts| customer(facts).buyer_reference = None);
    let verdict = judge(&facts, Specification::XRechnung);
    let finding = verdict.errors().next().unwrap();
    assert_eq!(
        finding.to_string(),
        "customer.e_invoicing.buyer_reference: BR-DE-15: Buyer reference (BT-10) shall be present. \
         Ask the customer for the Leitweg-ID, or another reference, and send it."
    );
}

#[test]
fn a_doubtful_leitweg_id_only_warns() {
    let facts = with(|facts| customer(facts).buyer_reference = some("991-01234-56"));
    let verdict = judge(&facts, Specification::XRechnung);
    assert!(verdict.is_valid());
    let warned: Vec<(&str, Level)> =
        verdict.warnings().map(|finding| (finding.rule.as_str(), finding.level)).collect();
    assert!(warned.contains(&("LEITWEG-ID", Level::Warning)), "{warned:?}");
}

#[test]
fn early_payment_that_is_not_written_as_xrechnung_wants_is_refused_at_the_terms() {
    let terms = |terms: &str| with(|facts| facts.texts.payment_terms = some(terms));
    let at_the_terms = vec!["BR-DE-18 payment_terms".to_owned()];
    for wrong in [
        "#SKONTO#TAGE=14#PROZENT=2#",
        "#SKONTO#TAGE=14#PROZENT=2,25#",
        "#SKONTO#TAGE=14#",
        "#skonto#TAGE=14#PROZENT=2.25#",
        "#SKONTO#TAGE=vierzehn#PROZENT=2.25#",
        "#SKONTO#PROZENT=2.25#TAGE=14#",
        "#SKONTO#TAGE=14#PROZENT=2.25",
        "Zahlbar in 30 Tagen\n#SKONTO#TAGE=14#PROZENT=2.25# danke",
        "#SKONTO#TAGE=14#PROZENT=2.25#BASISBETRAG=100#",
        "#VERZUG#TAGE=1#PROZENT=1.00#",
    ] {
        let facts = terms(wrong);
        assert_eq!(errors(&facts, Specification::XRechnung), at_the_terms, "{wrong}");
        assert!(write(&facts, Specification::XRechnung, Syntax::Ubl).is_err(), "{wrong}");
        for other in [Specification::En16931, Specification::Peppol] {
            assert_eq!(errors(&facts, other), Vec::<String>::new(), "{wrong} by {other:?}");
        }
    }
    let facts = terms("#SKONTO#TAGE=14#PROZENT=2#");
    let verdict = judge(&facts, Specification::XRechnung);
    let message = verdict.errors().next().unwrap().to_string();
    assert!(message.ends_with("#SKONTO#TAGE=14#PROZENT=2.00#, on a line of its own."), "{message}");
    for right in [
        "#SKONTO#TAGE=14#PROZENT=2.25#",
        "#SKONTO#TAGE=14#PROZENT=2.00#\n#SKONTO#TAGE=7#PROZENT=3.00#",
        "#SKONTO#TAGE=14#PROZENT=2.25#BASISBETRAG=100.00#",
        "2 % Skonto bei 14 Tagen",
    ] {
        let found = errors(&terms(right), Specification::XRechnung);
        assert_eq!(found, Vec::<String>::new(), "{right}");
    }
}

/// The UBL of `facts`.
fn ubl(facts: &Facts) -> String {
    let written = write(facts, Specification::En16931, Syntax::Ubl);
    written.unwrap_or_else(|verdict| panic!("{:#?}", verdict.findings())).xml
}

#[test]
fn gross_prices_become_net_ones_that_come_to_the_line() {
    let gross = |quantity: &str, price: &str, total: &str, discounts: Vec<Discount>| {
        with(|facts| {
            facts.lines.truncate(1);
            let line = priced(facts, 0);
            line.quantity = decimal(quantity);
            line.price = Price::Gross(decimal(price));
            line.total = decimal(total);
            line.discounts = discounts;
            facts.totals.total = decimal(total);
            let tax = (&decimal(total) * &decimal("19")).percent();
            facts.totals.total_with_tax = &decimal(total) + &tax;
            facts.totals.taxes[0].amount = tax;
        })
    };
    let shows = |facts: &Facts, expected: &[&str]| {
        let xml = ubl(facts);
        for part in expected {
            assert!(xml.contains(part), "{part} is not in\n{xml}");
        }
    };
    shows(&gross("1", "119", "100", Vec::new()), &["PriceAmount currencyID=\"EUR\">100<"]);
    // 3 × 33.3333 is 100.00.
    shows(&gross("3", "39.67", "100", Vec::new()), &["PriceAmount currencyID=\"EUR\">33.3333<"]);
    // A tenth off 3 × 119: 300 before, 270 after.
    shows(
        &gross("3", "119", "270", vec![Discount::Percent(decimal("10"))]),
        &[
            "PriceAmount currencyID=\"EUR\">100<",
            "<cbc:MultiplierFactorNumeric>10<",
            "<cbc:Amount currencyID=\"EUR\">30.00<",
            "<cbc:BaseAmount currencyID=\"EUR\">300.00<",
        ],
    );
}

#[test]
fn a_return_has_a_negative_quantity_and_a_price_above_zero() {
    let facts = with(|facts| {
        let line = priced(facts, 1);
        line.price = Price::Net(decimal("-12.5"));
        line.discounts = vec![Discount::Amount(decimal("5"))];
        line.total = decimal("-20");
        facts.totals.total = decimal("55");
        facts.totals.taxes[0].amount = decimal("10.45");
        facts.totals.total_with_tax = decimal("65.45");
    });
    let xml = ubl(&facts);
    for part in [
        "<cbc:InvoicedQuantity unitCode=\"H87\">-2<",
        "PriceAmount currencyID=\"EUR\">12.5<",
        "<cbc:ChargeIndicator>true<",
        "<cbc:Amount currencyID=\"EUR\">5.00<",
        "<cbc:LineExtensionAmount currencyID=\"EUR\">-20.00<",
    ] {
        assert!(xml.contains(part), "{part} is not in\n{xml}");
    }
}

#[test]
fn a_rounding_without_tax_is_a_charge() {
    let facts = with(|facts| {
        for place in 0..2 {
            priced(facts, place).taxes.clear();
        }
        facts.texts.tax_clause = some("DDV ni obračunan");
        facts.totals.taxes.clear();
        facts.totals.total = decimal("100.02");
        facts.totals.total_with_tax = decimal("100.02");
    });
    let xml = ubl(&facts);
    for part in [
        "<cbc:AllowanceChargeReason>Rounding<",
        "<cbc:ChargeTotalAmount currencyID=\"EUR\">0.02<",
        "<cbc:TaxableAmount currencyID=\"EUR\">100.02<",
        "<cbc:TaxExemptionReason>DDV ni obračunan<",
    ] {
        assert!(xml.contains(part), "{part} is not in\n{xml}");
    }
}

#[test]
fn advances_are_prepaid_and_the_rest_is_due() {
    let xml = ubl(&with(|facts| facts.totals.paid = decimal("19.5")));
    assert!(xml.contains("<cbc:PrepaidAmount currencyID=\"EUR\">19.50<"), "{xml}");
    assert!(xml.contains("<cbc:PayableAmount currencyID=\"EUR\">99.50<"), "{xml}");
    let all = ubl(&with(|facts| facts.totals.paid = decimal("500")));
    assert!(all.contains("<cbc:PayableAmount currencyID=\"EUR\">0.00<"), "{all}");
}

#[test]
fn services_outside_the_scope_carry_no_vat_number() {
    let facts = with(|facts| {
        facts.sale = Sale::ThirdCountry;
        let buyer = customer(facts);
        (buyer.country_code, buyer.tax_number) = (some("US"), None);
        for place in 0..2 {
            priced(facts, place).taxes.clear();
            priced(facts, place).sells = Some(Sells::Services);
        }
        facts.totals.taxes.clear();
        facts.totals.total_with_tax = decimal("100");
    });
    let xml = ubl(&facts);
    assert!(xml.contains("<cbc:TaxExemptionReasonCode>VATEX-EU-O<"), "{xml}");
    let scheme = |id: &str| xml.contains(&format!("<cbc:CompanyID>{id}<"));
    assert!(scheme("SI10039856"), "{xml}");
    assert_eq!(errors(&facts, Specification::XRechnung), Vec::<String>::new());
    let mixed = with(|facts| {
        facts.sale = Sale::ThirdCountry;
        priced(facts, 1).taxes.clear();
        priced(facts, 1).sells = Some(Sells::Services);
    });
    let mut found = errors(&mixed, Specification::En16931);
    found.retain(|one| one.starts_with("BR-O-"));
    assert_eq!(found, ["BR-O-12 items[0].taxes"]);
}

#[test]
fn goods_beside_services_to_a_third_country_are_refused_at_the_goods_alone() {
    let mixed = with(|facts| {
        facts.sale = Sale::ThirdCountry;
        let buyer = customer(facts);
        (buyer.country_code, buyer.tax_number) = (some("US"), None);
        for (place, sells) in [(0, Sells::Services), (1, Sells::Goods)] {
            priced(facts, place).taxes.clear();
            priced(facts, place).sells = Some(sells);
        }
        facts.totals.taxes.clear();
        facts.totals.total_with_tax = decimal("100");
    });
    for specification in Specification::ALL {
        assert_eq!(errors(&mixed, specification), ["BR-O-12 items[1].taxes"], "{specification:?}");
    }
    let unknown = Facts { issuer: Party { tax_number: None, ..mixed.issuer.clone() }, ..mixed };
    let found = errors(&unknown, Specification::En16931);
    assert!(found.contains(&"BR-G-02 issuer.tax_number".to_owned()), "{found:#?}");
}

#[test]
fn credit_notes_name_what_they_give_back_of() {
    let facts = with(|facts| {
        facts.kind = FactsKind::CreditNote;
        facts.preceding =
            vec![racun_einvoicing::Preceding { number: "2026-0007".to_owned(), date: None }];
        facts.lines.insert(0, Line::Heading("Vračilo".to_owned()));
    });
    let xml = ubl(&facts);
    for part in [
        "<CreditNote ",
        "<cbc:CreditNoteTypeCode>381<",
        "<cbc:CreditedQuantity",
        "<cbc:ID>2026-0007<",
        "<cbc:Note>Vračilo<",
    ] {
        assert!(xml.contains(part), "{part} is not in\n{xml}");
    }
    assert!(!xml.contains("DueDate"), "{xml}");
}

#[test]
fn the_same_facts_become_the_same_bytes() {
    for syntax in [Syntax::Ubl, Syntax::Cii] {
        let one = write(&invoice(), Specification::XRechnung, syntax).unwrap();
        let other = write(&invoice(), Specification::XRechnung, syntax).unwrap();
        assert_eq!(one.xml, other.xml);
    }
}

#[test]
fn figures_are_the_documents_own() {
    // The tax is a cent beside what the rate makes, as rounding by lines has it.
    let facts = with(|facts| {
        facts.totals.taxes[0].amount = decimal("19.01");
        facts.totals.total_with_tax = decimal("119.01");
    });
    let xml = ubl(&facts);
    assert!(xml.contains("<cbc:TaxAmount currencyID=\"EUR\">19.01<"), "{xml}");
    let off = with(|facts| {
        let tax = TaxTotal { rate: decimal("19"), reverse_charge: false, amount: decimal("25") };
        facts.totals.taxes = vec![tax];
        facts.totals.total_with_tax = decimal("125");
    });
    let found = errors(&off, Specification::En16931);
    assert!(found.contains(&"BR-CO-17 items[0].taxes".to_owned()), "{found:#?}");
}
