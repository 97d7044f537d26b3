//! The figures of one line.

use racun_kernel::{Currency, Decimal, Issue, Issues};

use super::input::{
    Discount, DiscountKind, LineInput, LineTax, PricedLine, UnitPrice, check_range,
};
use super::{CalculatedLine, CalculationMode};

/// The figures of each of `lines`; `None` for separators and for lines whose issues it adds.
pub(super) fn figures_of_all(
    lines: &[LineInput],
    mode: CalculationMode,
    currency: Currency,
    issues: &mut Issues,
) -> Vec<Option<CalculatedLine>> {
    let mut found = Issues::default();
    let figures = lines
        .iter()
        .enumerate()
        .map(|(n, line)| match line {
            LineInput::Separator => None,
            LineInput::Priced(line) => found.collect(n, checked_figures(line, mode, currency)),
        })
        .collect();
    issues.extend_at("items", found);
    figures
}

fn checked_figures(
    line: &PricedLine,
    mode: CalculationMode,
    currency: Currency,
) -> Result<CalculatedLine, Issues> {
    let mut issues = Issues::default();
    line.check(&mut issues);
    issues.into_result(())?;
    let figures = figures(line, mode, currency)?;
    let amounts = [&figures.total, &figures.total_with_tax, &figures.discount];
    check_range(amounts, "lower the line's quantity or price")?;
    Ok(figures)
}

/// Which of the two ways of the module's rules a line goes.
fn figures(
    line: &PricedLine,
    mode: CalculationMode,
    currency: Currency,
) -> Result<CalculatedLine, Issue> {
    let charged = line.taxes.iter().filter(|tax| tax.is_charged()).map(|tax| &tax.rate).sum();
    let (UnitPrice::Net(price) | UnitPrice::Gross(price)) = &line.price;
    let subtotal = &line.quantity * price;
    match (&line.price, mode) {
        (UnitPrice::Net(_), CalculationMode::B2bStandard) => net_first(line, subtotal, currency),
        (UnitPrice::Net(_), CalculationMode::B2cGrossDiscount) => {
            let gross = (&subtotal * &with_tax_factor(&charged)).percent();
            gross_first(line, gross, &charged, mode, currency)
        }
        (UnitPrice::Gross(_), _) => gross_first(line, subtotal, &charged, mode, currency),
    }
}

/// Rounds the net and computes each tax of it.
fn net_first(
    line: &PricedLine,
    subtotal: Decimal,
    currency: Currency,
) -> Result<CalculatedLine, Issue> {
    let left = discounted(&subtotal, &line.discounts, CalculationMode::B2bStandard)?;
    let total = currency.round(&left);
    let taxes: Vec<Decimal> = line
        .taxes
        .iter()
        .map(|tax| match tax.is_charged() {
            true => currency.round(&(&total * &tax.rate).percent()),
            false => Decimal::zero(),
        })
        .collect();
    let total_with_tax = &total + &taxes.iter().sum();
    Ok(CalculatedLine {
        total,
        total_with_tax,
        discount: currency.round(&(&subtotal - &left)),
        taxes,
    })
}

/// Rounds the gross and takes the net out of it; `charged` is the sum of the charged rates.
fn gross_first(
    line: &PricedLine,
    subtotal: Decimal,
    charged: &Decimal,
    mode: CalculationMode,
    currency: Currency,
) -> Result<CalculatedLine, Issue> {
    let left = discounted(&subtotal, &line.discounts, mode)?;
    let total_with_tax = currency.round(&left);
    let total = net_of(&total_with_tax, charged, currency);
    let taxes = split(&(&total_with_tax - &total), charged, &line.taxes, currency);
    let discount = net_of(&(&subtotal - &left), charged, currency);
    Ok(CalculatedLine { total, total_with_tax, discount, taxes })
}

/// What `discounts` leave of `subtotal`, unrounded.
fn discounted(
    subtotal: &Decimal,
    discounts: &[Discount],
    mode: CalculationMode,
) -> Result<Decimal, Issue> {
    let is_return = subtotal.is_negative();
    let mut left = subtotal.clone();
    for discount in discounts {
        let off = match (discount.kind, mode) {
            (DiscountKind::Percent, CalculationMode::B2bStandard) => {
                (subtotal * &discount.value).percent()
            }
            (DiscountKind::Percent, CalculationMode::B2cGrossDiscount) => {
                (&left * &discount.value).percent()
            }
            (DiscountKind::Amount, _) if is_return => -&discount.value,
            (DiscountKind::Amount, _) => discount.value.clone(),
        };
        left -= &off;
        let exceeded = if is_return { left.is_positive() } else { left.is_negative() };
        if exceeded {
            let message = format!(
                "the discounts are more than the line's {}: lower them or the line's other figures",
                subtotal.abs()
            );
            return Err(Issue::new("discount_exceeds_line_total", message).at("discounts"));
        }
    }
    Ok(left)
}

/// Hundred and `charged` percent: a hundred times what a net amount is multiplied with.
fn with_tax_factor(charged: &Decimal) -> Decimal {
    &Decimal::from(100) + charged
}

/// The net of `gross`, rounded once.
fn net_of(gross: &Decimal, charged: &Decimal, currency: Currency) -> Decimal {
    if charged.is_zero() {
        return currency.round(gross);
    }
    currency
        .divide(&(gross * &Decimal::from(100)), &with_tax_factor(charged))
        .expect("rates are 0 or more, so the divisor is at least 100")
}

/// `tax` split over the charged ones of `taxes` in proportion to their rates, whose sum is
/// `charged`. The last of them takes what rounding leaves.
fn split(tax: &Decimal, charged: &Decimal, taxes: &[LineTax], currency: Currency) -> Vec<Decimal> {
    let last = taxes.iter().rposition(LineTax::is_charged);
    let mut rest = tax.clone();
    let mut amounts: Vec<Decimal> = taxes
        .iter()
        .enumerate()
        .map(|(n, one)| {
            if !one.is_charged() || Some(n) == last {
                return Decimal::zero();
            }
            let share = currency
                .divide(&(tax * &one.rate), charged)
                .expect("a charged tax has a rate above 0, and none is below");
            rest -= &share;
            share
        })
        .collect();
    if let Some(last) = last {
        amounts[last] = rest;
    }
    amounts
}
