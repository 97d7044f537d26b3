//! An invoice that every specification takes.

use racun_einvoicing::{
    Account, Facts, FactsKind, Line, LineTax, Party, Price, Priced, Sale, Sells, TaxTotal, Texts,
    Totals,
};
use racun_kernel::{Currency, Decimal};
use time::macros::date;

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub fn tax(rate: &str) -> LineTax {
    LineTax {
        rate: decimal(rate),
        reverse_charge: false,
        classification: None,
        exemption_reason: None,
        amount: Decimal::zero(),
    }
}

pub fn line(name: &str, quantity: &str, price: &str, total: &str) -> Priced {
    Priced {
        name: name.to_owned(),
        description: None,
        sells: Some(Sells::Goods),
        quantity: decimal(quantity),
        unit: some("kos"),
        unit_code: None,
        price: Price::Net(decimal(price)),
        discounts: Vec::new(),
        taxes: vec![tax("19")],
        total: decimal(total),
    }
}

pub fn seller() -> Party {
    Party {
        name: some("Testni obrat d.o.o."),
        email: some("racuni@example.com"),
        phone: some("+386 1 234 56 78"),
        address: some("Slovenska cesta 1"),
        post_code: some("1000"),
        city: some("Ljubljana"),
        country_code: some("SI"),
        tax_number: some("SI10039856"),
        company_number: some("1234567000"),
        ..Party::default()
    }
}

pub fn buyer() -> Party {
    Party {
        name: some("Beispielstadt"),
        email: some("rechnung@example.org"),
        address: some("Marktplatz 2"),
        post_code: some("54321"),
        city: some("Beispielstadt"),
        country_code: some("DE"),
        tax_number: some("DE136695976"),
        buyer_reference: some("992-90009-96"),
        ..Party::default()
    }
}

/// Two lines at 19 %, 100 before tax.
pub fn invoice() -> Facts {
    Facts {
        kind: FactsKind::Invoice,
        number: "2026-0001".to_owned(),
        date: date!(2026 - 11 - 20),
        date_due: Some(date!(2026 - 12 - 20)),
        date_service: Some(date!(2026 - 11 - 19)),
        date_service_to: None,
        currency: Currency::EUR,
        issuer_currency: Currency::EUR,
        sale: Sale::Domestic,
        issuer: seller(),
        customer: Some(buyer()),
        texts: Texts::default(),
        reference: some("SI00 2026-0001"),
        accounts: vec![Account { number: "SI56 2633 0001 2039 086".to_owned(), bic: None }],
        paid_by: None,
        preceding: Vec::new(),
        delivery_note: None,
        lines: vec![
            Line::Priced(Box::new(line("Kolo", "3", "25", "75"))),
            Line::Priced(Box::new(line("Zvonec", "2", "12.5", "25"))),
        ],
        totals: Totals {
            total: decimal("100"),
            total_with_tax: decimal("119"),
            taxes: vec![TaxTotal {
                rate: decimal("19"),
                reverse_charge: false,
                amount: decimal("19"),
            }],
            paid: Decimal::zero(),
            converted_tax: None,
        },
    }
}

/// The priced line at `place`.
pub fn priced(facts: &mut Facts, place: usize) -> &mut Priced {
    match &mut facts.lines[place] {
        Line::Priced(line) => line,
        Line::Heading(text) => panic!("{text} is a heading"),
    }
}
