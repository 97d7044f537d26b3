//! What credit notes leave of an invoice: the lines and totals of the credit note that takes back
//! the rest of it.

use racun_kernel::Decimal;

use crate::calculation::{DiscountKind, SummaryTax};
use crate::line::{Line, LineKind, LineTaxDetail, NewLine};
use crate::{Document, GivenTotals, Refused};

/// A line of an invoice, as far as nothing gives it back.
struct Open<'a> {
    line: &'a Line,
    quantity: Decimal,
    total: Decimal,
    total_with_tax: Decimal,
    taxes: Vec<Decimal>,
}

/// What is given back of lines of some rates, but of none of them in particular.
struct Loose<'a> {
    of: &'a Line,
    total: Decimal,
    total_with_tax: Decimal,
    taxes: Vec<Decimal>,
}

/// What `credited`, credit notes over nothing but `invoice`, leave of it: lines, and totals that
/// are those of the invoice less theirs, rate by rate, to the minor unit.
///
/// A line that is given back again, by name, price and taxes, lessens its quantity. What is given
/// back otherwise lessens the lines of the same rates together, which then are one, called by the
/// invoice's number.
///
/// # Errors
/// [`Refused::CreditedInFull`] when nothing is left; [`Refused::CreditUnclear`] when more is given
/// back at some rate than was charged.
pub fn rest(
    invoice: &Document,
    credited: &[Document],
) -> Result<(Vec<NewLine>, GivenTotals), Refused> {
    let totals = totals(invoice, credited)?;
    if credited.is_empty() {
        let lines = invoice.content.lines.iter();
        let line = |line: &Line| {
            let given = Some((line.total.clone(), line.total_with_tax.clone()));
            NewLine { id: None, given, ..line.again() }
        };
        return Ok((lines.map(line).collect(), totals));
    }
    let priced = |line: &&Line| line.kind != Some(LineKind::Separator);
    let mut open: Vec<Open<'_>> =
        invoice.content.lines.iter().filter(priced).map(Open::of).collect();
    let mut loose: Vec<Loose<'_>> = Vec::new();
    for line in credited.iter().flat_map(|note| &note.content.lines).filter(priced) {
        match open.iter_mut().find(|open| open.holds(line)) {
            Some(open) => open.give_back(line),
            None => give_back_loosely(&mut loose, line),
        }
    }
    let mut lines = Vec::new();
    for loose in &loose {
        let (of_rates, others) =
            open.into_iter().partition(|open| have_equal_rates(open.line, loose.of));
        open = others;
        lines.extend(loose.joined(of_rates, invoice)?);
    }
    let whole = open.into_iter().filter(|open| !open.is_empty()).map(Open::again);
    let lines: Vec<NewLine> = whole.chain(lines).collect();
    if lines.is_empty() { Err(Refused::CreditUnclear) } else { Ok((lines, totals)) }
}

/// The totals of `invoice` less those of `credited`.
fn totals(invoice: &Document, credited: &[Document]) -> Result<GivenTotals, Refused> {
    let less =
        |of: fn(&Document) -> &Decimal| -> Decimal { of(invoice) - &credited.iter().map(of).sum() };
    let total_with_tax = less(|document| &document.amounts.total_with_tax);
    if !total_with_tax.is_positive() {
        return Err(Refused::CreditedInFull);
    }
    let mut taxes: Vec<SummaryTax> =
        invoice.amounts.taxes.iter().map(|tax| tax.tax.clone()).collect();
    for back in credited.iter().flat_map(|note| &note.amounts.taxes).map(|tax| &tax.tax) {
        let fits = |tax: &SummaryTax| {
            tax.rate == back.rate
                && tax.reverse_charge == back.reverse_charge
                && tax.base >= back.base
                && tax.amount >= back.amount
        };
        // The same tax when there is one; a credit note may name the rate alone.
        let same = taxes.iter().position(|tax| fits(tax) && tax.tax_id == back.tax_id);
        let place = same.or_else(|| taxes.iter().position(fits)).ok_or(Refused::CreditUnclear)?;
        taxes[place].base -= &back.base;
        taxes[place].amount -= &back.amount;
    }
    taxes.retain(|tax| !(tax.base.is_zero() && tax.amount.is_zero()));
    let total = less(|document| &document.amounts.total);
    if total.is_negative() {
        return Err(Refused::CreditUnclear);
    }
    let total_discount = less(|document| &document.amounts.total_discount).max(Decimal::zero());
    Ok(GivenTotals { total, total_with_tax, total_discount, taxes })
}

/// Whether both lines are taxed alike.
fn have_equal_rates(one: &Line, other: &Line) -> bool {
    let rates = |line: &Line| -> Vec<(Decimal, bool)> {
        let mut rates: Vec<_> =
            line.taxes.iter().map(|tax| (tax.rate.clone(), tax.reverse_charge)).collect();
        rates.sort();
        rates
    };
    rates(one) == rates(other)
}

impl<'a> Open<'a> {
    fn of(line: &'a Line) -> Self {
        Self {
            line,
            quantity: line.quantity.clone(),
            total: line.total.clone(),
            total_with_tax: line.total_with_tax.clone(),
            taxes: line.taxes.iter().map(|tax| tax.amount.clone()).collect(),
        }
    }

    /// Whether `back` gives back some of it and can be taken off piece by piece.
    fn holds(&self, back: &Line) -> bool {
        let line = self.line;
        let is_same = line.name == back.name
            && (&line.price, &line.gross_price) == (&back.price, &back.gross_price)
            && line.discounts == back.discounts
            && line.taxes.len() == back.taxes.len()
            && line.taxes.iter().zip(&back.taxes).all(|(own, other)| {
                own.rate == other.rate && own.reverse_charge == other.reverse_charge
            });
        // An amount that is taken off the line as a whole cannot be split by the piece.
        let is_whole = self.quantity == back.quantity;
        let by_piece = line.discounts.iter().all(|own| own.kind == DiscountKind::Percent);
        let fits = self.less(back).all(|figure| !figure.is_negative());
        is_same
            && (is_whole || by_piece)
            && back.quantity.is_positive()
            && fits
            && (!is_whole || self.less(back).all(|figure| figure.is_zero()))
    }

    /// What `back` leaves of its figures.
    fn less(&self, back: &Line) -> impl Iterator<Item = Decimal> {
        let own = [&self.quantity, &self.total, &self.total_with_tax].into_iter();
        let other = [&back.quantity, &back.total, &back.total_with_tax].into_iter();
        let taxes = self.taxes.iter().zip(back.taxes.iter().map(|tax| &tax.amount));
        let figures: Vec<Decimal> =
            own.zip(other).chain(taxes).map(|(own, other)| own - other).collect();
        figures.into_iter()
    }

    fn give_back(&mut self, back: &Line) {
        self.quantity -= &back.quantity;
        self.total -= &back.total;
        self.total_with_tax -= &back.total_with_tax;
        for (own, other) in self.taxes.iter_mut().zip(&back.taxes) {
            *own -= &other.amount;
        }
    }

    fn is_empty(&self) -> bool {
        self.quantity.is_zero()
    }

    fn again(self) -> NewLine {
        let taxes = self.line.taxes.iter().zip(self.taxes);
        let taxes = taxes.map(|(tax, amount)| LineTaxDetail { amount, ..tax.clone() });
        NewLine {
            id: None,
            quantity: Some(self.quantity),
            taxes: taxes.collect(),
            given: Some((self.total, self.total_with_tax)),
            ..self.line.again()
        }
    }
}

fn give_back_loosely<'a>(loose: &mut Vec<Loose<'a>>, line: &'a Line) {
    let taxes = || line.taxes.iter().map(|tax| &tax.amount);
    match loose.iter_mut().find(|loose| have_equal_rates(loose.of, line)) {
        Some(loose) => {
            loose.total += &line.total;
            loose.total_with_tax += &line.total_with_tax;
            for (own, other) in loose.taxes.iter_mut().zip(taxes()) {
                *own += other;
            }
        }
        None => loose.push(Loose {
            of: line,
            total: line.total.clone(),
            total_with_tax: line.total_with_tax.clone(),
            taxes: taxes().cloned().collect(),
        }),
    }
}

impl Loose<'_> {
    /// The one line that is left of `lines`; `None` when that is nothing.
    fn joined(&self, lines: Vec<Open<'_>>, invoice: &Document) -> Result<Option<NewLine>, Refused> {
        let first = lines.first().ok_or(Refused::CreditUnclear)?;
        let sum = |of: &dyn Fn(&Open<'_>) -> Decimal| -> Decimal {
            let figures: Vec<Decimal> = lines.iter().map(of).collect();
            figures.iter().sum()
        };
        let total = &sum(&|open| open.total.clone()) - &self.total;
        let total_with_tax = &sum(&|open| open.total_with_tax.clone()) - &self.total_with_tax;
        if total.is_negative() || total_with_tax.is_negative() {
            return Err(Refused::CreditUnclear);
        }
        if total.is_zero() && total_with_tax.is_zero() {
            return Ok(None);
        }
        let taxes = first.line.taxes.iter().enumerate().map(|(n, tax)| {
            let had = sum(&|open| open.taxes.get(n).cloned().unwrap_or_else(Decimal::zero));
            let back = self.taxes.get(n).cloned().unwrap_or_else(Decimal::zero);
            LineTaxDetail { amount: &had - &back, ..tax.clone() }
        });
        Ok(Some(NewLine {
            name: Some(invoice.number()),
            classification: first.line.classification,
            quantity: Some(1.into()),
            price: Some(total.clone()),
            taxes: taxes.collect(),
            given: Some((total, total_with_tax)),
            ..NewLine::default()
        }))
    }
}
