//! The same rules once more, on fractions of big integers: another arithmetic, and magnitudes with
//! a sign put back at the end where the crate carries the sign through.

use std::collections::BTreeMap;

use bigdecimal::Signed;
use bigdecimal::num_bigint::BigInt;
use racun_documents::calculation::{CalculationMode, DiscountKind, LineTax, PricedLine, UnitPrice};
use racun_kernel::Decimal;

/// `n / d`, with `d` above 0; not reduced.
#[derive(Clone)]
pub struct Ratio {
    n: BigInt,
    d: BigInt,
}

impl Ratio {
    fn of(n: i64, d: i64) -> Self {
        Self { n: n.into(), d: d.into() }
    }

    /// Reads the decimal's digits rather than its inner number.
    pub fn read(decimal: &Decimal) -> Self {
        let text = decimal.to_string();
        let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        Self { n: text.replace('.', "").parse().unwrap(), d: ten_to(decimals) }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { n: &self.n * &other.d + &other.n * &self.d, d: &self.d * &other.d }
    }

    fn minus(&self, other: &Self) -> Self {
        Self { n: &self.n * &other.d - &other.n * &self.d, d: &self.d * &other.d }
    }

    fn times(&self, other: &Self) -> Self {
        Self { n: &self.n * &other.n, d: &self.d * &other.d }
    }

    /// `other` is above 0.
    fn over(&self, other: &Self) -> Self {
        Self { n: &self.n * &other.d, d: &self.d * &other.n }
    }

    /// In units of the last of `decimals` decimals, halves away from zero.
    pub fn round(&self, decimals: u8) -> BigInt {
        let doubled = self.n.abs() * ten_to(decimals.into()) * 2 + &self.d;
        let magnitude: BigInt = doubled / (&self.d * 2);
        if self.n.is_negative() { -magnitude } else { magnitude }
    }
}

fn ten_to(exponent: usize) -> BigInt {
    BigInt::from(10).pow(exponent.try_into().unwrap())
}

/// An amount of money in minor units; every figure of the crate must be a whole number of them.
pub fn minor_units(amount: &Decimal, decimals: u8) -> BigInt {
    let ratio = Ratio::read(amount);
    let units = ratio.round(decimals);
    assert_eq!(&units * &ratio.d, &ratio.n * ten_to(decimals.into()), "{amount} is no money");
    units
}

/// A line's figures in minor units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub total: BigInt,
    pub total_with_tax: BigInt,
    pub discount: BigInt,
    pub taxes: Vec<BigInt>,
}

/// `None` when the discounts are above the line.
pub fn line(line: &PricedLine, mode: CalculationMode, decimals: u8) -> Option<Line> {
    let unit = Ratio { n: 1.into(), d: ten_to(decimals.into()) };
    let rates: Vec<Ratio> = line.taxes.iter().map(charged_rate).collect();
    let rate = rates.iter().fold(Ratio::of(0, 1), |sum, rate| sum.plus(rate));
    let factor = Ratio::of(1, 1).plus(&rate);
    let (price, is_net) = match &line.price {
        UnitPrice::Net(price) => (price, true),
        UnitPrice::Gross(price) => (price, false),
    };
    let net_first = is_net && mode == CalculationMode::B2bStandard;
    let mut full = Ratio::read(&line.quantity).times(&Ratio::read(price));
    let sign = if full.n.is_negative() { -1 } else { 1 };
    full.n = full.n.abs();
    if is_net && !net_first {
        full = full.times(&factor);
    }
    let left = left_over(&full, line, mode)?;
    let off = full.minus(&left);
    let figures = if net_first {
        let total = left.round(decimals);
        let exact = Ratio { n: total.clone(), d: 1.into() }.times(&unit);
        let taxes: Vec<BigInt> =
            rates.iter().map(|rate| exact.times(rate).round(decimals)).collect();
        let total_with_tax = taxes.iter().fold(total.clone(), |sum, tax| sum + tax);
        Line { total, total_with_tax, discount: off.round(decimals), taxes }
    } else {
        let total_with_tax = left.round(decimals);
        let exact = Ratio { n: total_with_tax.clone(), d: 1.into() }.times(&unit);
        let total = exact.over(&factor).round(decimals);
        let taxes = shares(&(&total_with_tax - &total), &rates, &rate);
        Line { total, total_with_tax, discount: off.over(&factor).round(decimals), taxes }
    };
    Some(Line {
        total: figures.total * sign,
        total_with_tax: figures.total_with_tax * sign,
        discount: figures.discount * sign,
        taxes: figures.taxes.into_iter().map(|tax| tax * sign).collect(),
    })
}

fn charged_rate(tax: &LineTax) -> Ratio {
    if tax.reverse_charge {
        return Ratio::of(0, 1);
    }
    Ratio::read(&tax.rate).times(&Ratio::of(1, 100))
}

/// What the discounts leave of the magnitude `full`.
fn left_over(full: &Ratio, line: &PricedLine, mode: CalculationMode) -> Option<Ratio> {
    let mut left = full.clone();
    for discount in &line.discounts {
        let value = Ratio::read(&discount.value);
        let part = value.times(&Ratio::of(1, 100));
        left = match (discount.kind, mode) {
            (DiscountKind::Amount, _) => left.minus(&value),
            (DiscountKind::Percent, CalculationMode::B2bStandard) => left.minus(&full.times(&part)),
            (DiscountKind::Percent, CalculationMode::B2cGrossDiscount) => {
                left.times(&Ratio::of(1, 1).minus(&part))
            }
        };
        if left.n.is_negative() {
            return None;
        }
    }
    Some(left)
}

/// `tax` minor units by rate; the last rate above 0 takes the rest.
fn shares(tax: &BigInt, rates: &[Ratio], sum: &Ratio) -> Vec<BigInt> {
    let mut shares: Vec<BigInt> = rates
        .iter()
        .map(|rate| match rate.n.is_positive() {
            true => Ratio { n: tax.clone(), d: 1.into() }.times(rate).over(sum).round(0),
            false => 0.into(),
        })
        .collect();
    if let Some(last) = rates.iter().rposition(|rate| rate.n.is_positive()) {
        let others = shares.iter().sum::<BigInt>() - &shares[last];
        shares[last] = tax - others;
    }
    shares
}

/// Base and amount by tax id, rate and reverse charge, as text.
pub fn groups<'a>(
    lines: impl Iterator<Item = (&'a PricedLine, &'a Line)>,
) -> BTreeMap<String, (BigInt, BigInt)> {
    let mut groups = BTreeMap::<String, (BigInt, BigInt)>::new();
    for (input, figures) in lines {
        for (tax, amount) in input.taxes.iter().zip(&figures.taxes) {
            let group = groups.entry(format!("{tax:?}")).or_default();
            group.0 += &figures.total;
            group.1 += amount;
        }
    }
    groups
}
