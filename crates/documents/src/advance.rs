//! What invoices have of an advance invoice, with the tax that the advance had.
//!
//! The tax on an advance is owed when the money comes in, so the invoice that it pays of deducts it
//! again, rate by rate (Directive 2006/112/EC, Articles 65 and 226; EN 16931 has the amount alone,
//! as the prepaid amount BT-113). Where an invoice has a part of an advance only, the part is
//! divided:
//!
//! - It takes of each rate in proportion to what the advance has left there, with tax. Each is cut
//!   to the minor unit; the units that are missing go one by one to the largest remainders, the
//!   first of equals first.
//! - Within a rate the tax is rounded in proportion, and the base is what lies between.
//! - Parts are taken of what the parts before them left, so parts that come to the whole advance
//!   also come to its base and tax, rate by rate, to the minor unit.
//!
//! A part stays as it was taken until its own amount changes: what an invoice said of its advance
//! does not depend on other invoices.

use racun_kernel::{Currency, Decimal};
use serde::{Deserialize, Serialize};
use time::Date;

use crate::{Document, DocumentId};

/// A tax within money of an advance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvanceTax {
    /// Percent.
    pub rate: Decimal,
    /// Whether the customer owes the tax; then `amount` is 0.
    pub reverse_charge: bool,
    /// Before tax.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
}

impl AdvanceTax {
    fn is_of(&self, other: &Self) -> bool {
        self.rate == other.rate && self.reverse_charge == other.reverse_charge
    }

    fn with_tax(&self) -> Decimal {
        &self.base + &self.amount
    }
}

/// An amount of money of an advance, with its taxes; in the currency of the advance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvanceShare {
    /// With tax.
    pub amount: Decimal,
    /// Before tax: `amount` less all taxes.
    pub total: Decimal,
    /// One for each rate, in the order of the advance invoice.
    pub taxes: Vec<AdvanceTax>,
}

impl AdvanceShare {
    /// All of `advance`.
    #[must_use]
    pub fn of(advance: &Document) -> Self {
        let mut taxes: Vec<AdvanceTax> = Vec::new();
        for tax in advance.amounts.taxes.iter().map(|tax| tax.tax.clone()) {
            let tax = AdvanceTax {
                rate: tax.rate,
                reverse_charge: tax.reverse_charge,
                base: tax.base,
                amount: tax.amount,
            };
            match taxes.iter_mut().find(|same| same.is_of(&tax)) {
                Some(same) => {
                    same.base += &tax.base;
                    same.amount += &tax.amount;
                }
                None => taxes.push(tax),
            }
        }
        Self::made(advance.amounts.total_with_tax.clone(), taxes)
    }

    fn made(amount: Decimal, taxes: Vec<AdvanceTax>) -> Self {
        let total = &amount - &taxes.iter().map(|tax| &tax.amount).sum();
        Self { amount, total, taxes }
    }

    /// The part of it that comes to `amount`, which is at most its own, by the module's rules.
    #[must_use]
    pub fn part(&self, amount: &Decimal, currency: Currency) -> Self {
        if *amount >= self.amount {
            return self.clone();
        }
        let grosses: Vec<Decimal> = self.taxes.iter().map(AdvanceTax::with_tax).collect();
        let untaxed = &self.amount - &grosses.iter().sum();
        let taxes = if untaxed.is_negative() {
            // Some lines have more than one tax, so the rates do not add up to the amount.
            self.taxes.iter().map(|tax| self.scaled(tax, amount, currency)).collect()
        } else {
            let cells: Vec<Decimal> = grosses.iter().cloned().chain([untaxed]).collect();
            let parts = apportion(&cells, amount, &self.amount, currency);
            let rates = self.taxes.iter().zip(&grosses).zip(parts);
            rates.map(|((tax, gross), part)| split(tax, gross, &part, currency)).collect()
        };
        Self::made(amount.clone(), taxes)
    }

    fn scaled(&self, tax: &AdvanceTax, amount: &Decimal, currency: Currency) -> AdvanceTax {
        let share = |of: &Decimal| portion(of, amount, &self.amount, currency);
        AdvanceTax { base: share(&tax.base), amount: share(&tax.amount), ..tax.clone() }
    }

    /// It without `other`.
    fn without(&self, other: &Self) -> Self {
        let less = |tax: &AdvanceTax| match other.taxes.iter().find(|same| same.is_of(tax)) {
            Some(same) => AdvanceTax {
                base: &tax.base - &same.base,
                amount: &tax.amount - &same.amount,
                ..tax.clone()
            },
            None => tax.clone(),
        };
        let taxes = self.taxes.iter().map(less).collect();
        Self::made(&self.amount - &other.amount, taxes)
    }
}

/// `of` × `amount` ÷ `whole` as money; 0 when there is no whole.
fn portion(of: &Decimal, amount: &Decimal, whole: &Decimal, currency: Currency) -> Decimal {
    currency.divide(&(of * amount), whole).unwrap_or_else(Decimal::zero)
}

/// A part of a rate that comes to `part` with tax.
fn split(tax: &AdvanceTax, gross: &Decimal, part: &Decimal, currency: Currency) -> AdvanceTax {
    let amount = portion(&tax.amount, part, gross, currency);
    AdvanceTax { base: part - &amount, amount, ..tax.clone() }
}

/// Divides `amount` over `cells`, which come to `whole`, in proportion, by the largest remainder.
fn apportion(
    cells: &[Decimal],
    amount: &Decimal,
    whole: &Decimal,
    currency: Currency,
) -> Vec<Decimal> {
    let unit = currency.minor_unit();
    let mut parts: Vec<(usize, Decimal, Decimal)> = Vec::with_capacity(cells.len());
    for (n, cell) in cells.iter().enumerate() {
        let exact = cell * amount;
        let mut part = portion(cell, amount, whole, currency);
        if &part * whole > exact {
            part -= &unit;
        }
        let remainder = &exact - &(&part * whole);
        parts.push((n, part, remainder));
    }
    let mut missing = amount - &parts.iter().map(|(_, part, _)| part).sum();
    parts.sort_by(|one, other| other.2.cmp(&one.2).then(one.0.cmp(&other.0)));
    for (_, part, _) in &mut parts {
        if !missing.is_positive() {
            break;
        }
        let more = unit.clone().min(missing.clone());
        *part += &more;
        missing -= &more;
    }
    parts.sort_by_key(|(n, ..)| *n);
    parts.into_iter().map(|(_, part, _)| part).collect()
}

/// What an invoice has of an advance invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedAdvance {
    /// The advance invoice.
    pub advance_id: DocumentId,
    /// Its number as written.
    pub number: String,
    /// Its date.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// How much, with the tax that it bore there.
    pub share: AdvanceShare,
}

impl Document {
    /// The invoice with `amount` of `advance`, 0 for none, and the advance as that leaves it.
    ///
    /// Whether there is as much is settlement's matter; here it is noted, with its tax.
    #[must_use]
    pub fn with_advance(mut self, mut advance: Self, amount: &Decimal) -> (Self, Self) {
        let place = self.advances_applied.iter().position(|own| own.advance_id == advance.id);
        let whole = AdvanceShare::of(&advance);
        let mut given = advance.share_applied.take().unwrap_or_else(|| whole.without(&whole));
        if let Some(place) = place {
            given = given.without(&self.advances_applied[place].share);
        }
        let left = whole.without(&given);
        let share = left.part(amount, advance.content.currency);
        given = whole.without(&left.without(&share));
        advance.share_applied = given.amount.is_positive().then_some(given);
        let applied = AppliedAdvance {
            advance_id: advance.id,
            number: advance.number(),
            date: advance.content.date,
            share,
        };
        match (place, amount.is_positive()) {
            (Some(place), true) => self.advances_applied[place] = applied,
            (Some(place), false) => {
                self.advances_applied.remove(place);
            }
            (None, true) => self.advances_applied.push(applied),
            (None, false) => {}
        }
        (self, advance)
    }
}
