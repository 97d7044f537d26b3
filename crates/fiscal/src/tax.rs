//! How a document's taxes become those of a message.

use racun_kernel::Decimal;

use crate::message::cents;
use crate::{Sale, SaleKind, SaleTax};

/// A sale in the figures of a message: in cents, a credit note's negative, without parts that are
/// zero. The parts make the total.
pub(crate) struct Figures {
    pub(crate) total: Decimal,
    /// Rate, base and tax.
    pub(crate) vat: Vec<(Decimal, Decimal, Decimal)>,
    /// The same of the consumption tax.
    pub(crate) consumption: Vec<(Decimal, Decimal, Decimal)>,
    pub(crate) exempt: Option<Decimal>,
    pub(crate) reverse_charge: Option<Decimal>,
    pub(crate) margin: Option<Decimal>,
    /// What has no tax, and whatever lies between the other parts and the total.
    pub(crate) untaxed: Option<Decimal>,
    /// What is left to pay of the total after settled advances.
    pub(crate) payment: Decimal,
}

impl Figures {
    pub(crate) fn of(sale: &Sale) -> Self {
        let figure = |amount: &Decimal| match sale.kind {
            SaleKind::Invoice | SaleKind::AdvanceInvoice => cents(amount),
            SaleKind::CreditNote => -&cents(amount),
        };
        let lines = |taxes: &[SaleTax]| -> Vec<_> {
            let figures =
                taxes.iter().map(|tax| (cents(&tax.rate), figure(&tax.base), figure(&tax.amount)));
            figures.filter(|(_, base, amount)| !base.is_zero() || !amount.is_zero()).collect()
        };
        let (vat, consumption) = (lines(&sale.taxes), lines(&sale.consumption));
        let total = figure(&sale.total);
        let exempt = figure(&sale.exempt);
        let reverse_charge = figure(&sale.reverse_charge);
        let margin = figure(&sale.margin);
        let mut untaxed = &(&(&total - &exempt) - &reverse_charge) - &margin;
        for (_, base, amount) in &vat {
            untaxed -= base;
            untaxed -= amount;
        }
        // Its base is the base of the VAT, too.
        consumption.iter().for_each(|(_, _, amount)| untaxed -= amount);
        let payment = &total - &figure(&sale.settled);
        let part = |amount: Decimal| (!amount.is_zero()).then_some(amount);
        Self {
            total,
            vat,
            consumption,
            exempt: part(exempt),
            reverse_charge: part(reverse_charge),
            margin: part(margin),
            untaxed: part(untaxed),
            payment,
        }
    }

    /// What no tax is stated for: untaxed, taxed at the buyer's, or by its margin.
    pub(crate) fn without_tax(&self) -> Option<Decimal> {
        let parts = [&self.untaxed, &self.reverse_charge, &self.margin];
        let sum: Decimal = parts.into_iter().flatten().sum();
        (!sum.is_zero()).then_some(sum)
    }
}
