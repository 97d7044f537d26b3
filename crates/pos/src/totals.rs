//! What the lines of a tab come to, and how that is split into equal shares.

use racun_kernel::{Currency, Decimal};
use serde::{Deserialize, Serialize};

/// The greatest number of equal shares that a tab is split into.
pub const MAX_SHARES: u32 = 50;

/// What lines come to on an invoice of today: calculated as documents are, never by this crate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabTotals {
    /// Before tax.
    pub net: Decimal,
    /// All taxes.
    pub tax: Decimal,
    /// With tax: what the guest pays.
    pub gross: Decimal,
    /// What discounts took off, before tax.
    pub discount: Decimal,
    /// By rate, in the order of first appearance.
    pub taxes: Vec<TabTaxTotal>,
}

/// What is taxed at one rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabTaxTotal {
    /// Percent.
    pub rate: Decimal,
    /// Before tax.
    pub base: Decimal,
    /// The tax on it.
    pub amount: Decimal,
}

impl TabTotals {
    /// What a tab without lines comes to.
    #[must_use]
    pub fn nothing() -> Self {
        let [net, tax, gross, discount] = [(); 4].map(|()| Decimal::zero());
        Self { net, tax, gross, discount, taxes: Vec::new() }
    }

    /// Counts `base` and its tax of `amount` at `rate`.
    pub fn add_tax(&mut self, rate: &Decimal, base: &Decimal, amount: &Decimal) {
        self.tax += amount;
        match self.taxes.iter_mut().find(|tax| tax.rate == *rate) {
            Some(tax) => {
                tax.base += base;
                tax.amount += amount;
            }
            None => self.taxes.push(TabTaxTotal {
                rate: rate.clone(),
                base: base.clone(),
                amount: amount.clone(),
            }),
        }
    }
}

/// Deals amounts out in `of` equal shares: the answer holds, for each of `amounts`, what each share
/// gets of it.
///
/// Each amount is dealt out whole. Minor units that do not divide go to one share after the other,
/// over all amounts, so the sums of any two shares differ by one minor unit at most.
#[must_use]
pub fn deal(amounts: &[Decimal], of: u32, currency: Currency) -> Vec<Vec<Decimal>> {
    let count = usize::try_from(of).unwrap_or(usize::MAX).max(1);
    let (divisor, unit) = (Decimal::from(i64::from(of.max(1))), currency.minor_unit());
    let mut next = 0;
    let mut dealt = Vec::with_capacity(amounts.len());
    for amount in amounts {
        // A divisor is never 0 here; an amount that could not be divided would all be dealt below.
        let even = currency.divide(amount, &divisor).unwrap_or_else(Decimal::zero);
        let mut shares = vec![even.clone(); count];
        let mut rest = amount - &(&even * &divisor);
        while rest.is_positive() {
            shares[next] += &unit;
            rest -= &unit;
            next = (next + 1) % count;
        }
        // Rounding gave out too much: it is taken back from those who were served last.
        while rest.is_negative() {
            next = (next + count - 1) % count;
            shares[next] -= &unit;
            rest += &unit;
        }
        dealt.push(shares);
    }
    dealt
}
