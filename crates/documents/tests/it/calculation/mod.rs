//! Calculation: the worked examples, what is refused, the expected total, and laws against an
//! independent way to compute.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod examples;
mod laws;
mod oracle;
mod refusals;

use racun_documents::calculation::{
    Calculated, CalculationError, CalculationMode, Discount, DiscountKind, LineInput, LineTax,
    PricedLine, UnitPrice, calculate,
};
use racun_kernel::id::TaxId;
use racun_kernel::{Currency, Decimal};

const B2B: CalculationMode = CalculationMode::B2bStandard;
const B2C: CalculationMode = CalculationMode::B2cGrossDiscount;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// The id of the `n`-th tax of a catalogue.
fn tax_id(n: u8) -> Option<TaxId> {
    Some(format!("tax_{n:026}").parse().unwrap())
}

fn currency(code: &str) -> Currency {
    code.parse().unwrap()
}

fn net(quantity: &str, price: &str) -> PricedLine {
    let (quantity, price) = (decimal(quantity), UnitPrice::Net(decimal(price)));
    PricedLine { quantity, price, discounts: Vec::new(), taxes: Vec::new() }
}

fn gross(quantity: &str, price: &str) -> PricedLine {
    PricedLine { price: UnitPrice::Gross(decimal(price)), ..net(quantity, "0") }
}

/// What a test says of a line, one after the other.
trait Say: Sized {
    fn percent(self, value: &str) -> Self;
    fn amount(self, value: &str) -> Self;
    fn tax(self, rate: &str) -> Self;
    fn reverse(self, rate: &str) -> Self;
}

impl Say for PricedLine {
    fn percent(mut self, value: &str) -> Self {
        self.discounts.push(Discount { value: decimal(value), kind: DiscountKind::Percent });
        self
    }

    fn amount(mut self, value: &str) -> Self {
        self.discounts.push(Discount { value: decimal(value), kind: DiscountKind::Amount });
        self
    }

    fn tax(mut self, rate: &str) -> Self {
        self.taxes.push(LineTax { tax_id: None, rate: decimal(rate), reverse_charge: false });
        self
    }

    fn reverse(mut self, rate: &str) -> Self {
        self.taxes.push(LineTax { tax_id: None, rate: decimal(rate), reverse_charge: true });
        self
    }
}

fn priced(lines: impl IntoIterator<Item = PricedLine>) -> Vec<LineInput> {
    lines.into_iter().map(LineInput::Priced).collect()
}

/// Calculates `lines` in euros, without an expected total.
fn in_euros(
    mode: CalculationMode,
    lines: impl IntoIterator<Item = PricedLine>,
) -> Result<Calculated, CalculationError> {
    calculate(&priced(lines), mode, Currency::EUR, None)
}
