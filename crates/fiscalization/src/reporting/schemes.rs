//! What the taxes of a document's lines mean to an authority beyond their rates: Croatia's
//! consumption tax, margin schemes, and who may charge VAT at all.
//!
//! The classification of a tax says which of them it is: [`LineTaxDetail::CONSUMPTION`] or
//! [`LineTaxDetail::MARGIN`].

use racun_access::Entity;
use racun_documents::{Content, Document, Line, LineTaxDetail};
use racun_fiscal::{Authority, SaleTax};
use racun_kernel::{Decimal, Issue, Issues};

/// Whether `tax` is called the consumption tax, which `authority` knows in Croatia alone.
fn is_consumption(tax: &LineTaxDetail, authority: Authority) -> bool {
    authority == Authority::Fina && tax.is_called(LineTaxDetail::CONSUMPTION)
}

/// Each tax of the lines of `content`, with its line and where it stands.
fn taxes(content: &Content) -> impl Iterator<Item = ((usize, usize), &Line, &LineTaxDetail)> {
    content.lines.iter().enumerate().flat_map(|(n, line)| {
        line.taxes.iter().enumerate().map(move |(m, tax)| ((n, m), line, tax))
    })
}

fn at((line, tax): (usize, usize), issue: Issue) -> Issue {
    issue.at(tax).at("taxes").at(line).at("items")
}

/// The consumption tax of `content`, by rate, in the document's currency.
pub(super) fn consumption(content: &Content, authority: Authority) -> Vec<SaleTax> {
    let mut found: Vec<SaleTax> = Vec::new();
    for (_, line, tax) in taxes(content).filter(|(.., tax)| is_consumption(tax, authority)) {
        match found.iter_mut().find(|known| known.rate == tax.rate) {
            Some(known) => {
                known.base += &line.total;
                known.amount += &tax.amount;
            }
            None => found.push(SaleTax {
                rate: tax.rate.clone(),
                base: line.total.clone(),
                amount: tax.amount.clone(),
            }),
        }
    }
    found
}

/// What `content` sells by its margin, in the document's currency.
pub(super) fn margin(content: &Content) -> Decimal {
    taxes(content)
        .filter(|(.., tax)| tax.is_called(LineTaxDetail::MARGIN))
        .map(|(_, line, _)| &line.total)
        .sum()
}

/// Accepts the schemes that the lines of `content` name to `authority`.
///
/// # Errors
/// A consumption tax above 3 percent or in another currency than euros; a margin scheme with a
/// rate. Each with the path of its tax.
pub(super) fn check(content: &Content, authority: Authority) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (place, _, tax) in taxes(content) {
        if tax.is_called(LineTaxDetail::MARGIN) && !tax.rate.is_zero() {
            let message = "a margin scheme states no tax: send rate 0 with this classification";
            issues.push(at(place, Issue::new("invalid_value", message).at("rate")));
        }
        if !is_consumption(tax, authority) {
            continue;
        }
        if tax.rate > LineTaxDetail::most_consumption() {
            let message = "the consumption tax is 0 to 3 percent";
            issues.push(at(place, Issue::new("out_of_range", message).at("rate")));
        }
        if content.currency.code() != "EUR" {
            let message = "the consumption tax is charged on documents in euros only";
            issues.push(at(place, Issue::new("invalid_value", message).at("classification")));
        }
    }
    issues.into_result(())
}

/// The tax authority in whose country `entity` is outside the VAT system: Slovenia's or Croatia's.
/// `None` for an entity that may charge VAT.
pub fn outside_vat(entity: &Entity) -> Option<Authority> {
    match entity.country_code.as_deref() {
        Some("SI") if !entity.is_tax_subject => Some(Authority::Furs),
        Some("HR") if !entity.is_tax_subject => Some(Authority::Fina),
        _ => None,
    }
}

/// Refuses lines that charge VAT, for a taxpayer outside the VAT system of the country of
/// `authority`: a taxpayer that states VAT owes it (article 203 of directive 2006/112/EC), and CIS
/// takes no VAT of them (checks 142 to 145). Consumption tax is none, but only what can be one is:
/// in Croatia, up to 3 percent.
///
/// Taxed documents that were issued while the taxpayer was within the system are corrected and
/// credited as they are: lines that change or give back of one of `corrected` may charge VAT, if
/// that one does.
///
/// # Errors
/// `taxpayer_outside_vat` at the rate of each such tax.
pub fn check_outside_vat<'a>(
    content: &Content,
    authority: Authority,
    mut corrected: impl Iterator<Item = &'a Document>,
) -> Result<(), Issues> {
    if corrected.any(|document| charged(&document.content, authority).next().is_some()) {
        return Ok(());
    }
    let message = "this taxpayer is outside the VAT system and charges none: send \"taxes\": [], \
                   or say in the entity's settings that it is a taxable person";
    let mut found = Issues::default();
    for (place, ..) in charged(content, authority) {
        found.push(at(place, Issue::new("taxpayer_outside_vat", message).at("rate")));
    }
    found.into_result(())
}

/// The taxes of `content` that are VAT to be paid, in the country of `authority`.
fn charged(
    content: &Content,
    authority: Authority,
) -> impl Iterator<Item = ((usize, usize), &Line, &LineTaxDetail)> {
    let is_other = move |tax: &LineTaxDetail| {
        is_consumption(tax, authority) && tax.rate <= LineTaxDetail::most_consumption()
    };
    taxes(content)
        .filter(move |(.., tax)| !tax.reverse_charge && !tax.rate.is_zero() && !is_other(tax))
}
