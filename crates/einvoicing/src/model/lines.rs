//! Lines: BG-25 with their discounts (BG-27, BG-28), prices (BG-29) and items (BG-31).

use en16931::invoice::{Code, InvoiceLine, Item, LineAllowanceCharge, PriceDetails};
use en16931::{InvoiceAmount, Quantity, UnitPriceAmount};
use racun_kernel::{Currency, Decimal};

use super::text::{paragraphs, single};
use super::vat::{self, Treatment};
use super::{TOO_FINE, fatal, item_path};
use crate::decimals::{self, quotient};
use crate::facts::{Discount, Facts, Line, Price, Priced};
use crate::finding::Finding;
use crate::units;

/// Codes of UNTDID 5189 and 7161 are the reasons of discounts; a discount has 95.
const DISCOUNT_CODE: &str = "95";
const DISCOUNT: &str = "Discount";

/// By how much quantity × price may miss the line's amount: PEPPOL-EN16931-R120.
fn tolerance() -> Decimal {
    Decimal::new(2, 2)
}

/// A line of the terms and where it comes from.
pub struct Mapped {
    /// The line.
    pub term: InvoiceLine,
    /// Its index among `items`.
    pub place: usize,
    /// How it is taxed.
    pub treatment: Treatment,
    /// Its amount: BT-131.
    pub total: Decimal,
    /// Why it is exempt, as its tax says.
    pub reason: Option<String>,
}

/// The lines of `facts`. A heading becomes the note of the line after it.
pub fn lines(facts: &Facts, found: &mut Vec<Finding>) -> Vec<Mapped> {
    let mut heading = None;
    let mut mapped = Vec::with_capacity(facts.lines.len());
    for (place, line) in facts.lines.iter().enumerate() {
        match line {
            Line::Heading(text) => heading = single(Some(text)),
            Line::Priced(line) => {
                let treatment = vat::treatment(line, place, facts.sale, found);
                let mut draft = Draft { line, place, treatment, found: &mut *found };
                let mut term = draft.term(mapped.len() + 1);
                term.note = heading.take();
                let treatment = draft.treatment;
                let tax = line.taxes.first();
                let reason = tax.and_then(|tax| paragraphs(tax.exemption_reason.as_deref()));
                let total = line.total.clone();
                mapped.push(Mapped { term, place, treatment, total, reason });
            }
        }
    }
    mapped
}

/// What the price and the discounts of a line are in terms that do not know gross prices.
struct Pricing {
    /// BT-129.
    quantity: Decimal,
    /// BT-146, at least 0.
    price: Decimal,
    /// BT-149, where the price is for more than one.
    base: Option<Decimal>,
    /// BT-136 less BT-141: what quantity × price is above the line's amount.
    off: Decimal,
    /// Quantity × price as money: BT-137.
    subtotal: Decimal,
}

struct Draft<'a> {
    line: &'a Priced,
    place: usize,
    treatment: Treatment,
    found: &'a mut Vec<Finding>,
}

impl Draft<'_> {
    fn term(&mut self, number: usize) -> InvoiceLine {
        let pricing = self.pricing();
        let (allowances, charges) = self.discounts(&pricing);
        let unit = self.unit();
        InvoiceLine {
            id: number.to_string(),
            note: None,
            order_line_reference: None,
            accounting_reference: None,
            object_identifier: None,
            quantity: self.fit(decimals::quantity(&pricing.quantity), "quantity"),
            unit_code: unit.clone(),
            net_amount: self.money(&self.line.total),
            period: None,
            allowances,
            charges,
            price: PriceDetails {
                net_price: self.fit::<UnitPriceAmount>(decimals::price(&pricing.price), "price"),
                base_quantity: pricing
                    .base
                    .as_ref()
                    .map(|base| self.fit::<Quantity>(decimals::quantity(base), "quantity")),
                base_quantity_code: pricing.base.map(|_| unit),
                ..PriceDetails::default()
            },
            vat: self.treatment.term(),
            item: Item {
                name: single(Some(&self.line.name)),
                description: paragraphs(self.line.description.as_deref()),
                ..Item::default()
            },
        }
    }

    /// The code of the line's unit: its own, else that of the unit as written, else `C62`.
    fn unit(&self) -> Code {
        let own = single(self.line.unit_code.as_deref());
        let written = || self.line.unit.as_deref().and_then(units::unit_code);
        Code::new(own.unwrap_or_else(|| written().unwrap_or(units::ONE).to_owned()))
    }

    /// The price without tax, and what discounts take off. A price below 0 is a return: the sign
    /// goes to the quantity, for prices are at least 0 (BR-27).
    fn pricing(&self) -> Pricing {
        let line = self.line;
        let (Price::Net(price) | Price::Gross(price)) = &line.price;
        let is_return = price.is_negative();
        let quantity = if is_return { -&line.quantity } else { line.quantity.clone() };
        let price = price.abs();
        let net = match &line.price {
            Price::Net(_) => Some(price.clone()),
            Price::Gross(_) => None,
        };
        // To two decimals in every currency: yen of a term may have them, and then nothing is lost.
        let subtotal = match &net {
            Some(net) => Currency::EUR.round(&(&quantity * net)),
            None if line.discounts.is_empty() => line.total.clone(),
            None => self.without_tax(&(&quantity * &price)),
        };
        let off = &subtotal - &line.total;
        if let Some(price) = net
            && (!line.discounts.is_empty() || off.abs() <= tolerance())
        {
            // What rounding alone makes of it is within the tolerance of the rule.
            let off = if line.discounts.is_empty() { Decimal::zero() } else { off };
            return Pricing { quantity, price, base: None, off, subtotal };
        }
        let (subtotal, off) = match line.discounts.is_empty() {
            true => (line.total.clone(), Decimal::zero()),
            false => (subtotal, off),
        };
        let (price, base) = Self::fitted(&subtotal, &quantity);
        Pricing { quantity, price, base, off, subtotal }
    }

    /// `gross` without the tax of the line, as money.
    fn without_tax(&self, gross: &Decimal) -> Decimal {
        let hundred = Decimal::from(100);
        let factor = &hundred + &self.treatment.rate;
        let net = Currency::EUR.divide(&(gross * &hundred), &factor);
        net.unwrap_or_else(Decimal::zero)
    }

    /// The price with the fewest decimals that makes `subtotal` of `quantity`; where none of up to
    /// six does, the price of the whole quantity, with the quantity as its base.
    fn fitted(subtotal: &Decimal, quantity: &Decimal) -> (Decimal, Option<Decimal>) {
        let makes_it = |price: &Decimal| {
            !price.is_negative() && Currency::EUR.round(&(quantity * price)) == *subtotal
        };
        let mut prices = (0..3).filter_map(|pairs| quotient(subtotal, quantity, pairs));
        match prices.find(makes_it) {
            Some(price) => (price, None),
            None if quantity.is_zero() => (Decimal::zero(), None),
            None => (subtotal.abs(), Some(quantity.abs())),
        }
    }

    /// What is taken off as one allowance. On a return, where less comes back, it is a charge.
    fn discounts(
        &mut self,
        pricing: &Pricing,
    ) -> (Vec<LineAllowanceCharge>, Vec<LineAllowanceCharge>) {
        if pricing.off.is_zero() {
            return (Vec::new(), Vec::new());
        }
        let amount = pricing.off.abs();
        let base = pricing.subtotal.abs();
        let percent = match self.line.discounts.as_slice() {
            [Discount::Percent(percent)] => Some(percent),
            _ => None,
        };
        // With a percentage the rules calculate the amount again (PEPPOL-EN16931-R040).
        let percent = percent
            .filter(|percent| (&(&base * *percent).percent() - &amount).abs() <= tolerance())
            .and_then(decimals::percentage);
        let is_allowance = pricing.off.is_positive();
        let one = LineAllowanceCharge {
            amount: self.money(&amount),
            base_amount: percent.map(|_| self.money(&base)),
            percentage: percent,
            reason: Some(DISCOUNT.to_owned()),
            reason_code: is_allowance.then(|| Code::new(DISCOUNT_CODE)),
        };
        if is_allowance { (vec![one], Vec::new()) } else { (Vec::new(), vec![one]) }
    }

    fn money(&mut self, money: &Decimal) -> InvoiceAmount {
        decimals::amount(money).unwrap_or_else(|| {
            let path = vec!["currency_code".into()];
            self.found.push(fatal("BR-DEC-23", path, TOO_FINE));
            InvoiceAmount::ZERO
        })
    }

    /// `value`, or a finding that `field` has more digits than a term.
    fn fit<T: Default>(&mut self, value: Option<T>, field: &str) -> T {
        value.unwrap_or_else(|| {
            let message = "a number of an electronic invoice has at most 28 digits: round it";
            self.found.push(fatal("BR-CO-04", item_path(self.place, field), message));
            T::default()
        })
    }
}
