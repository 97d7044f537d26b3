//! What a document comes to: BG-22, BG-23, and BG-20 or BG-21 for a rounding of the whole.
//!
//! BT-109, BT-110 and BT-112 are the document's figures. Where a caller asked for a total that the
//! lines do not quite come to, and no tax took the difference, it is an allowance or a charge, for
//! BR-CO-13 adds up to the cent.

use en16931::invoice::{Code, DocumentAllowanceCharge, DocumentTotals, VatBreakdown};
use en16931::{Invoice, InvoiceAmount};
use racun_kernel::{Decimal, Step};

use super::lines::Mapped;
use super::vat::{self, Group, Treatment};
use super::{TOO_FINE, fatal};
use crate::decimals;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::specification::Specification;

/// Minor units by which a total may differ from the lines: the tolerance of
/// `expected_total_with_tax`.
const LEAST_TOLERANCE: usize = 5;

/// Adds what `lines` and `facts` come to.
pub fn fill(
    invoice: &mut Invoice,
    facts: &Facts,
    lines: &[Mapped],
    specification: Specification,
    found: &mut Vec<Finding>,
) {
    let mut groups = groups(lines);
    let of_lines: Decimal = lines.iter().map(|line| &line.total).sum();
    let difference = rounding(facts, &of_lines, lines.len());
    if let Some(difference) = &difference
        && let Some(largest) = largest(&mut groups)
    {
        largest.base += difference;
        let one = rounding_term(difference, &largest.treatment, found);
        match difference.is_negative() {
            true => invoice.allowances.push(one),
            false => invoice.charges.push(one),
        }
    }
    invoice.vat_breakdown = vat::breakdown(&groups, facts, specification, found);
    let totals = &facts.totals;
    let tax: Decimal = totals.taxes.iter().map(|tax| &tax.amount).sum();
    // More than everything cannot be paid: what is above is no matter of the document.
    let paid = totals.paid.clone().min(totals.total_with_tax.clone());
    let mut money = |money: &Decimal| amount(money, found);
    let sum = |own: &[DocumentAllowanceCharge]| own.first().map(|one| one.amount);
    invoice.totals = DocumentTotals {
        line_total: money(&of_lines),
        allowance_total: sum(&invoice.allowances),
        charge_total: sum(&invoice.charges),
        taxable_total: money(&totals.total),
        vat_total: Some(money(&tax)),
        vat_total_accounting: None,
        gross_total: money(&totals.total_with_tax),
        paid: paid.is_positive().then(|| money(&paid)),
        rounding: None,
        due: match paid.is_positive() {
            true => money(&(&totals.total_with_tax - &paid)),
            false => money(&totals.total_with_tax),
        },
    };
    if let Some((currency, tax)) = &totals.converted_tax
        && *currency != facts.currency
    {
        invoice.vat_accounting_currency = Some(Code::new(currency.code()));
        invoice.totals.vat_total_accounting = Some(money(tax));
    }
}

/// Lines by category and rate, in the order of their first line.
fn groups(lines: &[Mapped]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|group| group.treatment == line.treatment) {
            Some(group) => {
                group.base += &line.total;
                group.reason = group.reason.take().or_else(|| line.reason.clone());
            }
            None => groups.push(Group {
                treatment: line.treatment.clone(),
                base: line.total.clone(),
                reason: line.reason.clone(),
            }),
        }
    }
    groups
}

fn largest(groups: &mut [Group]) -> Option<&mut Group> {
    groups.iter_mut().reduce(
        |largest, group| {
            if group.base.abs() > largest.base.abs() { group } else { largest }
        },
    )
}

/// What the document's total is above its lines, when rounding explains it.
fn rounding(facts: &Facts, of_lines: &Decimal, lines: usize) -> Option<Decimal> {
    let difference = &facts.totals.total - of_lines;
    let units = i64::try_from(lines.max(LEAST_TOLERANCE)).unwrap_or(i64::MAX);
    let most = &Decimal::from(units) * &facts.currency.minor_unit();
    (!difference.is_zero() && difference.abs() <= most).then_some(difference)
}

fn rounding_term(
    difference: &Decimal,
    treatment: &Treatment,
    found: &mut Vec<Finding>,
) -> DocumentAllowanceCharge {
    DocumentAllowanceCharge {
        amount: amount(&difference.abs(), found),
        base_amount: None,
        percentage: None,
        vat: treatment.term(),
        reason: Some("Rounding".to_owned()),
        reason_code: None,
    }
}

fn amount(money: &Decimal, found: &mut Vec<Finding>) -> InvoiceAmount {
    decimals::amount(money).unwrap_or_else(|| {
        found.push(fatal("BR-DEC-14", vec![Step::from("currency_code")], TOO_FINE));
        InvoiceAmount::ZERO
    })
}

/// Of each group of the breakdown, the index among `items` of its first line.
pub fn places_of(breakdown: &[VatBreakdown], lines: &[Mapped]) -> Vec<usize> {
    let place = |group: &VatBreakdown| {
        let of_group = |line: &&Mapped| {
            line.term.vat.category == group.category
                && line.term.vat.rate.unwrap_or_default() == group.rate.unwrap_or_default()
        };
        lines.iter().find(of_group).map_or(0, |line| line.place)
    };
    breakdown.iter().map(place).collect()
}
