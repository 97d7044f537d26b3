//! How a document's taxes become those of a message.

use racun_kernel::Decimal;

use crate::message::cents;
use crate::{Sale, SaleKind};

/// A sale in the figures of a message: in cents, a credit note's negative, without parts that are
/// zero. The parts make the total.
pub(crate) struct Figures {
    pub(crate) total: Decimal,
    /// Rate, base and tax.
    pub(crate) vat: Vec<(Decimal, Decimal, Decimal)>,
    pub(crate) exempt: Option<Decimal>,
    pub(crate) reverse_charge: Option<Decimal>,
    /// What has no tax, and whatever lies between the other parts and the total.
    pub(crate) untaxed: Option<Decimal>,
}

impl Figures {
    pub(crate) fn of(sale: &Sale) -> Self {
        let figure = |amount: &Decimal| match sale.kind {
            SaleKind::Invoice | SaleKind::AdvanceInvoice => cents(amount),
            SaleKind::CreditNote => -&cents(amount),
        };
        let lines = sale.taxes.iter();
        let vat: Vec<_> = lines
            .map(|tax| (cents(&tax.rate), figure(&tax.base), figure(&tax.amount)))
            .filter(|(_, base, amount)| !base.is_zero() || !amount.is_zero())
            .collect();
        let total = figure(&sale.total);
        let exempt = figure(&sale.exempt);
        let reverse_charge = figure(&sale.reverse_charge);
        let mut untaxed = &(&total - &exempt) - &reverse_charge;
        for (_, base, amount) in &vat {
            untaxed -= base;
            untaxed -= amount;
        }
        let part = |amount: Decimal| (!amount.is_zero()).then_some(amount);
        Self {
            total,
            vat,
            exempt: part(exempt),
            reverse_charge: part(reverse_charge),
            untaxed: part(untaxed),
        }
    }

    /// What no tax is stated for: untaxed, and taxed at the buyer's.
    pub(crate) fn without_tax(&self) -> Option<Decimal> {
        let sum: Decimal = [&self.untaxed, &self.reverse_charge].into_iter().flatten().sum();
        (!sum.is_zero()).then_some(sum)
    }
}
