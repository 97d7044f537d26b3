//! Random documents as Racun issues them: their figures are calculated by crate `documents`.

use racun_documents::calculation::{
    self, Calculated, CalculationMode, DiscountKind, LineInput, PricedLine, UnitPrice,
};
use racun_einvoicing::{
    Account, Discount, Facts, FactsKind, Line, LineTax, PaidBy, Party, Preceding, Price, Priced,
    Sale, Sells, TaxTotal, Texts, Totals, eslog,
};
use racun_kernel::{Currency, Decimal};
use racun_store::testing::Random;
use time::macros::date;
use time::{Date, Duration};

use crate::sample::{buyer, decimal, seller, some};

/// Texts that XML has to escape, and that it cannot hold.
const TEXTS: [&str; 8] = [
    "Kolo",
    "<b>Kolo</b> & \"zvonec\" 'x' ]]>",
    "Žaga Đ ß 日本 😀 – é",
    "tab\tand\r\nline\u{b}\u{1}\u{0}end\u{fffe}",
    "  blanks  ",
    "#AAI#subject",
    "a very long text, a very long text, a very long text, a very long text, a very long text",
    "0",
];

/// How the lines of a document are taxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Charged,
    Exempt,
    Zero,
    Reverse,
    Goods,
    Services,
    Export,
    Outside,
}

/// What a document is made of beside figures: what senders and receivers take.
#[derive(Debug, Clone, Copy)]
struct Habits {
    /// Rates of charged tax.
    rates: &'static [&'static str],
    quantities: &'static [&'static str],
    /// Units as written; of others a line has none.
    units: &'static [Option<&'static str>],
    /// Of a hundred lines, how many are returns.
    returns: usize,
}

/// All that a document may be.
const ANY: Habits = Habits {
    rates: &["22", "9.5", "19", "7"],
    quantities: &["1", "3", "7", "0.333", "12.5", "1000", "2.0000001"],
    units: &[None, Some("kos"), Some("h"), Some("m²"), Some("šop")],
    returns: 10,
};

/// What a document in Slovenia mostly is: e-SLOG takes no more of it.
const SLOVENIAN: Habits = Habits {
    rates: &["22", "9.5", "5"],
    quantities: &["1", "3", "7", "0.333", "12.5", "1000"],
    units: &[Some("kos"), Some("h"), Some("m²")],
    returns: 0,
};

const SCHEMES: [Scheme; 12] = [
    Scheme::Charged,
    Scheme::Charged,
    Scheme::Charged,
    Scheme::Charged,
    Scheme::Charged,
    Scheme::Exempt,
    Scheme::Zero,
    Scheme::Reverse,
    Scheme::Goods,
    Scheme::Services,
    Scheme::Export,
    Scheme::Outside,
];

impl Scheme {
    /// How other lines of the same document may be taxed.
    const fn beside(self) -> &'static [Self] {
        match self {
            Self::Charged => &[Self::Exempt, Self::Reverse, Self::Zero],
            Self::Exempt | Self::Zero | Self::Reverse | Self::Export => &[Self::Charged],
            Self::Goods => &[Self::Services],
            Self::Services => &[Self::Goods],
            // It stands alone.
            Self::Outside => &[Self::Outside],
        }
    }
}

/// The document `n` of `choices`.
pub fn random(choices: &mut Random, n: usize) -> Facts {
    random_by(&ANY, choices, n)
}

/// The document `n` of `choices`, of an issuer in Slovenia: e-SLOG takes many of them.
pub fn issued_in_slovenia(choices: &mut Random, n: usize) -> Facts {
    let mut facts = random_by(&SLOVENIAN, choices, n);
    facts.issuer.country_code = some("SI");
    facts.issuer.tax_number = some("SI10039856");
    facts.customer.as_mut().unwrap().is_end_consumer = true;
    mended(facts)
}

/// The document with the total that is to be asked for, where its taxes, each rounded by itself,
/// are not the rate's to the cent: issuing moves the difference into the largest tax.
fn mended(mut facts: Facts) -> Facts {
    let verdict = eslog::judge(&facts);
    let found: Vec<String> = verdict.errors().map(ToString::to_string).collect();
    let [error] = found.as_slice() else { return facts };
    let Some((_, total)) = error.rsplit_once("ask for a total of ") else { return facts };
    let total = decimal(total);
    let totals = &mut facts.totals;
    let difference = &total - &totals.total_with_tax;
    let largest = totals
        .taxes
        .iter_mut()
        .filter(|tax| !tax.reverse_charge)
        .reduce(|one, other| if other.amount.abs() > one.amount.abs() { other } else { one });
    largest.unwrap().amount += &difference;
    if totals.paid == totals.total_with_tax {
        totals.paid.clone_from(&total);
    }
    totals.total_with_tax = total;
    facts
}

/// The document `n` of `choices`, by `habits`.
fn random_by(habits: &Habits, choices: &mut Random, n: usize) -> Facts {
    let scheme = choices.pick(&SCHEMES);
    let beside = if choices.chance(60) { choices.pick(scheme.beside()) } else { scheme };
    let schemes = [scheme, beside];
    let kind = choices.pick(&[
        FactsKind::Invoice,
        FactsKind::Invoice,
        FactsKind::Invoice,
        FactsKind::CreditNote,
        FactsKind::AdvanceInvoice,
    ]);
    let currency = choices.pick(&["EUR", "EUR", "EUR", "USD", "CHF", "JPY"]).parse().unwrap();
    let date = date!(2026 - 01 - 31) + Duration::days(i64::try_from(choices.below(300)).unwrap());
    let sale = match scheme {
        Scheme::Goods | Scheme::Services => Sale::IntraEuB2b,
        Scheme::Export | Scheme::Outside => Sale::ThirdCountry,
        Scheme::Charged => choices.pick(&[Sale::Domestic, Sale::IntraEuB2c]),
        _ => Sale::Domestic,
    };
    let (lines, figures) = lines(habits, choices, schemes, kind, currency);
    let totals = totals(choices, &figures, currency);
    let service = choices.maybe(|choices| date - Duration::days(i64::from(choices.chance(50))));
    let is_paid = totals.paid == totals.total_with_tax;
    let preceding = Preceding { number: "2026-0007".to_owned(), date: Some(date) };
    let refers = kind == FactsKind::CreditNote || choices.chance(10);
    Facts {
        kind,
        number: format!("{}-{n}", choices.pick(&["2026", "A&B", "R/2026/1"])),
        date,
        date_due: choices.maybe(|_| date + Duration::days(30)),
        date_service: service.or(schemes.contains(&Scheme::Goods).then_some(date)),
        date_service_to: choices.chance(20).then(|| last_day(date)),
        currency,
        issuer_currency: Currency::EUR,
        sale,
        issuer: issuer(choices),
        customer: Some(customer(choices, schemes)),
        texts: texts(choices, schemes),
        reference: choices.maybe(|_| "RF18 5390 0754 7034".to_owned()),
        accounts: accounts(choices, is_paid),
        paid_by: is_paid
            .then(|| choices.pick(&[PaidBy::Cash, PaidBy::Card, PaidBy::Online, PaidBy::Other])),
        preceding: if refers { vec![preceding] } else { Vec::new() },
        delivery_note: choices.maybe(|_| "D-12".to_owned()),
        lines,
        totals,
    }
}

fn last_day(date: Date) -> Date {
    date + Duration::days(14)
}

fn issuer(choices: &mut Random) -> Party {
    let (country, tax_number) =
        choices.pick(&[("SI", "10039856"), ("DE", "DE136695976"), ("AT", "ATU13585627")]);
    Party {
        country_code: some(country),
        tax_number: some(tax_number),
        state: choices.maybe(|choices| choices.pick(&TEXTS).to_owned()),
        address_2: choices.maybe(|_| "2. nadstropje".to_owned()),
        ..seller()
    }
}

fn customer(choices: &mut Random, schemes: [Scheme; 2]) -> Party {
    let country = match schemes[0] {
        Scheme::Export | Scheme::Outside => choices.pick(&["US", "CH", "GB"]),
        _ => choices.pick(&["DE", "FR", "SI"]),
    };
    let number = match country {
        "DE" => some("DE136695976"),
        "FR" => some("FR40303265045"),
        "SI" => some("SI10039856"),
        _ => None,
    };
    let is_known =
        |scheme: &Scheme| matches!(scheme, Scheme::Goods | Scheme::Services | Scheme::Reverse);
    let needs_number = schemes.iter().any(is_known);
    let peppol = choices.chance(40).then(|| "0088:4012345000009".to_owned());
    Party {
        country_code: some(country),
        tax_number: number.filter(|_| needs_number || choices.chance(50)),
        peppol_id: peppol,
        company_number: choices.maybe(|_| "HRB 1234".to_owned()),
        ..buyer()
    }
}

fn texts(choices: &mut Random, schemes: [Scheme; 2]) -> Texts {
    let clause = schemes.contains(&Scheme::Exempt).then(|| "DDV ni obračunan".to_owned());
    let skonto = "Zahlbar in 30 Tagen\n#SKONTO#TAGE=14#PROZENT=2.25#";
    Texts {
        note: choices.maybe(|choices| choices.pick(&TEXTS).to_owned()),
        payment_terms: choices.maybe(|choices| choices.pick(&["30 dni", skonto]).to_owned()),
        tax_clause: clause.or_else(|| choices.maybe(|_| "76.a člen ZDDV-1".to_owned())),
    }
}

fn accounts(choices: &mut Random, is_paid: bool) -> Vec<Account> {
    let iban = |bic: Option<&str>| Account {
        number: "SI56 2633 0001 2039 086".to_owned(),
        bic: bic.map(str::to_owned),
    };
    let mut accounts = vec![iban(choices.chance(50).then_some("LJBASI2X"))];
    if choices.chance(20) {
        let number = "DE89370400440532013000".to_owned();
        accounts.push(Account { number, bic: None });
    }
    if is_paid && choices.chance(50) { Vec::new() } else { accounts }
}

/// Lines and what they come to; fewer, should they not come to anything.
fn lines(
    habits: &Habits,
    choices: &mut Random,
    schemes: [Scheme; 2],
    kind: FactsKind,
    currency: Currency,
) -> (Vec<Line>, Calculated) {
    let mode = choices.pick(&[CalculationMode::B2bStandard, CalculationMode::B2cGrossDiscount]);
    // The tax of a line in yen is rounded by up to half a yen, and BR-CO-17 allows one for all.
    let most = if currency.decimals() == 0 { 1 } else { 8 };
    loop {
        let count = 1 + choices.below(most);
        let mut inputs = Vec::new();
        let mut lines = Vec::new();
        for _ in 0..count {
            if choices.chance(10) {
                inputs.push(LineInput::Separator);
                lines.push(Line::Heading(choices.pick(&TEXTS).to_owned()));
            }
            let scheme = choices.pick(&schemes);
            let (input, line) = line(habits, choices, scheme, kind);
            inputs.push(LineInput::Priced(input));
            lines.push(Line::Priced(Box::new(line)));
        }
        let Ok(figures) = calculation::calculate(&inputs, mode, currency, None) else { continue };
        let expected = choices.chance(15).then(|| {
            let cents = i64::try_from(choices.below(7)).unwrap() - 3;
            &figures.total_with_tax + &(&Decimal::from(cents) * &currency.minor_unit())
        });
        let expected = expected.as_ref().filter(|_| currency.decimals() == 2);
        let figures = calculation::calculate(&inputs, mode, currency, expected).unwrap();
        if figures.total_with_tax.is_negative() {
            continue;
        }
        for (line, figures) in lines.iter_mut().zip(&figures.lines) {
            if let (Line::Priced(line), Some(figures)) = (line, figures) {
                line.total = figures.total.clone();
            }
        }
        return (lines, figures);
    }
}

fn line(
    habits: &Habits,
    choices: &mut Random,
    scheme: Scheme,
    kind: FactsKind,
) -> (PricedLine, Priced) {
    let quantity = decimal(choices.pick(habits.quantities));
    let is_return = kind != FactsKind::CreditNote && choices.chance(habits.returns);
    let quantity = if is_return { -&quantity } else { quantity };
    let price = decimal(choices.pick(&["9.99", "100", "0.017", "12.3456", "0", "1499.95"]));
    let is_gross = choices.chance(40);
    let discounts = discounts(choices);
    let tax = line_tax(habits, choices, scheme);
    let taxes = tax.iter().map(|tax| calculation::LineTax {
        tax_id: None,
        rate: tax.rate.clone(),
        reverse_charge: tax.reverse_charge,
    });
    let input = PricedLine {
        quantity: quantity.clone(),
        price: if is_gross {
            UnitPrice::Gross(price.clone())
        } else {
            UnitPrice::Net(price.clone())
        },
        discounts: discounts.iter().map(calculated).collect(),
        taxes: taxes.collect(),
    };
    let sells = match scheme {
        Scheme::Goods | Scheme::Export => Some(Sells::Goods),
        Scheme::Services | Scheme::Outside => Some(Sells::Services),
        _ => choices.pick(&[None, Some(Sells::Goods), Some(Sells::Services)]),
    };
    let line = Priced {
        name: choices.pick(&TEXTS).to_owned(),
        description: choices.maybe(|choices| choices.pick(&TEXTS).to_owned()),
        sells,
        quantity,
        unit: choices.pick(habits.units).map(str::to_owned),
        unit_code: choices.chance(20).then(|| "KGM".to_owned()),
        price: if is_gross { Price::Gross(price) } else { Price::Net(price) },
        discounts,
        taxes: tax.into_iter().collect(),
        total: Decimal::zero(),
    };
    (input, line)
}

fn discounts(choices: &mut Random) -> Vec<Discount> {
    let one = |choices: &mut Random| match choices.chance(70) {
        true => Discount::Percent(decimal(choices.pick(&["10", "2.5", "33.33", "100"]))),
        false => Discount::Amount(decimal(choices.pick(&["0.01", "5", "1.5"]))),
    };
    (0..choices.pick(&[0, 0, 0, 1, 1, 2, 3])).map(|_| one(choices)).collect()
}

fn calculated(discount: &Discount) -> calculation::Discount {
    let (value, kind) = match discount {
        Discount::Percent(value) => (value, DiscountKind::Percent),
        Discount::Amount(value) => (value, DiscountKind::Amount),
    };
    calculation::Discount { value: value.clone(), kind }
}

fn line_tax(habits: &Habits, choices: &mut Random, scheme: Scheme) -> Option<LineTax> {
    let tax = |rate: &str, reverse_charge: bool, classification: Option<&str>| LineTax {
        rate: decimal(rate),
        reverse_charge,
        classification: classification.map(str::to_owned),
        exemption_reason: None,
        amount: Decimal::zero(),
    };
    match scheme {
        Scheme::Charged => Some(tax(choices.pick(habits.rates), false, None)),
        Scheme::Zero => Some(tax("0", false, Some("zero"))),
        Scheme::Reverse => Some(tax("22", true, None)),
        _ => choices.chance(50).then(|| tax("0", false, None)),
    }
}

fn totals(choices: &mut Random, figures: &Calculated, currency: Currency) -> Totals {
    let total_with_tax = figures.total_with_tax.clone();
    let half = currency.divide(&total_with_tax, &Decimal::from(2)).unwrap();
    let taxes = figures.taxes.iter().map(|tax| TaxTotal {
        rate: tax.rate.clone(),
        reverse_charge: tax.reverse_charge,
        amount: tax.amount.clone(),
    });
    let tax: Decimal = figures.taxes.iter().map(|tax| &tax.amount).sum();
    let converted = (Currency::EUR, Currency::EUR.round(&(&tax * &decimal("0.9137"))));
    Totals {
        total: figures.total.clone(),
        taxes: taxes.collect(),
        paid: match choices.below(4) {
            0 => half,
            1 => total_with_tax.clone(),
            _ => Decimal::zero(),
        },
        total_with_tax,
        converted_tax: (currency != Currency::EUR).then_some(converted),
    }
}
