//! What a certified program refuses.
//!
//! Each rule is one function. What is wrong with an input is an issue that names its field; what
//! the state of a document does not allow is a [`PortugalRefusal`].
//!
//! Names and numbers of customers and items stay, too (3.3.3 to 3.3.5): the catalogue sees to that,
//! where a document marked them.
//!
//! Source: Despacho 8632/2014, 1.10, 1.11, 2.2.1, 3.2.6 to 3.2.8 and 3.3; Decreto-Lei 28/2019.

use std::collections::BTreeMap;

use racun_kernel::{Decimal, Issue, Issues, PaymentType};
use time::Date;

use crate::{Code, Level, Number, PortugalRefusal, Region, check_zero_rate, rate_on};

/// The only template of documents in Portugal.
pub const TEMPLATE: &str = "classic";
/// The only locale of documents in Portugal.
pub const LOCALE: &str = "pt-PT";
/// The longest reason of a voided document: `Reason` of SAF-T.
pub const MAX_REASON_CHARS: usize = 50;

fn refused(at: &str, message: &str) -> Issue {
    Issue::new("not_in_portugal", message).at(at)
}

/// Accepts entities of Portugal.
///
/// # Errors
/// [`PortugalRefusal::OtherCountry`].
pub fn check_country(country_code: Option<&str>) -> Result<(), PortugalRefusal> {
    let is_own = country_code.is_some_and(|code| code.eq_ignore_ascii_case("PT"));
    if is_own { Ok(()) } else { Err(PortugalRefusal::OtherCountry) }
}

/// Refuses a draft: what is not issued is not signed, and is not printed.
///
/// # Errors
/// `not_in_portugal`, for `is_draft`.
pub fn check_draft(is_draft: bool) -> Result<(), Issue> {
    if !is_draft {
        return Ok(());
    }
    Err(refused("is_draft", "there are no drafts in Portugal: leave is_draft out or send false"))
}

/// Refuses another template than the only one, for `field`.
///
/// # Errors
/// `not_in_portugal`.
pub fn check_template(template: Option<&str>, field: &str) -> Result<(), Issue> {
    match template {
        None | Some(TEMPLATE) => Ok(()),
        Some(_) => Err(refused(field, "documents in Portugal have the template classic")),
    }
}

/// Refuses another language than Portuguese (Despacho 8632/2014, 3.2.11), for `field`.
///
/// # Errors
/// `not_in_portugal`.
pub fn check_locale(locale: Option<&str>, field: &str) -> Result<(), Issue> {
    match locale {
        None | Some(LOCALE | "pt") => Ok(()),
        Some(_) => Err(refused(field, "documents in Portugal are in pt-PT")),
    }
}

/// Refuses payments on credit notes.
///
/// # Errors
/// `not_in_portugal`, for `payments`.
pub fn check_payments(code: Code, payments: &[PaymentType]) -> Result<(), Issue> {
    if code != Code::Nc || payments.is_empty() {
        return Ok(());
    }
    Err(refused("payments", "a credit note in Portugal takes no payments: leave payments out"))
}

/// Refuses to print or send what is not signed.
///
/// # Errors
/// [`PortugalRefusal::NotSigned`].
pub const fn check_output(is_certified: bool) -> Result<(), PortugalRefusal> {
    if is_certified { Ok(()) } else { Err(PortugalRefusal::NotSigned) }
}

/// A change of a document that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is changed.
    Edit,
    /// It is deleted.
    Delete,
}

/// Refuses changes of issued documents.
///
/// # Errors
/// [`PortugalRefusal::Immutable`], [`PortugalRefusal::NotDeleted`].
pub const fn check_change(change: Change, is_issued: bool) -> Result<(), PortugalRefusal> {
    match (change, is_issued) {
        (_, false) => Ok(()),
        (Change::Edit, true) => Err(PortugalRefusal::Immutable),
        (Change::Delete, true) => Err(PortugalRefusal::NotDeleted),
    }
}

/// Accepts the period of a file of SAF-T: days of one year, in their order.
///
/// # Errors
/// `invalid_value`, for `to`.
pub fn check_period(from: Date, to: Date) -> Result<(), Issue> {
    if from <= to && from.year() == to.year() {
        return Ok(());
    }
    let message = "expected a day that is not before from, and of the same year";
    Err(Issue::new("invalid_value", message).at("to"))
}

/// A line, as far as a rule looks at it.
#[derive(Debug, Clone)]
pub struct RuledLine<'a> {
    /// How much of it.
    pub quantity: &'a Decimal,
    /// What one costs before tax and discount.
    pub price: &'a Decimal,
    /// Discounts, in percent where they are.
    pub discount_percents: Vec<&'a Decimal>,
    /// What it comes to before tax.
    pub total: &'a Decimal,
    /// Its taxes.
    pub taxes: Vec<RuledTax<'a>>,
}

/// A tax of a line.
#[derive(Debug, Clone)]
pub struct RuledTax<'a> {
    /// In percent.
    pub percent: &'a Decimal,
    /// `pt_exemption_code`.
    pub exemption_code: Option<&'a str>,
    /// `pt_exemption_reason`.
    pub exemption_reason: Option<&'a str>,
}

/// Accepts the lines of a document of `day` in `region`, each with its place among `items`: none is
/// below zero, each has one tax whose rate the region has on that day, or 0 % with its reason.
///
/// # Errors
/// All that is wrong, by the path inside `items`.
pub fn check_lines<'a>(
    lines: impl IntoIterator<Item = (usize, RuledLine<'a>)>,
    region: Region,
    day: Date,
) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (place, line) in lines {
        issues.collect(place, check_line(&line, region, day));
    }
    issues.into_result(()).map_err(|issues| issues.at("items"))
}

fn check_line(line: &RuledLine<'_>, region: Region, day: Date) -> Result<(), Issues> {
    let mut issues = Issues::default();
    let below = "a document in Portugal has no values below zero; give back by a credit note";
    for (at, amount) in [("quantity", line.quantity), ("price", line.price)] {
        if amount.is_negative() {
            issues.push(refused(at, below));
        }
    }
    if line.total.is_negative() && !line.quantity.is_negative() && !line.price.is_negative() {
        issues.push(refused("discounts", below));
    }
    let hundred = Decimal::from(100);
    for (place, percent) in line.discount_percents.iter().enumerate() {
        if percent.is_negative() || **percent > hundred {
            let issue = Issue::new("invalid_value", "expected a discount from 0 to 100 %");
            issues.push(issue.at("amount").at(place).at("discounts"));
        }
    }
    match line.taxes.as_slice() {
        [] => issues.push(refused(
            "taxes",
            "each line in Portugal has a tax: send one of 0 % with pt_exemption_code where none \
             is charged",
        )),
        [_] => {}
        [_, ..] => issues.push(refused("taxes", "a line in Portugal has one tax of VAT")),
    }
    for (place, tax) in line.taxes.iter().enumerate() {
        let found = check_tax(tax, region, day).map_err(|issues| issues.at(place));
        issues.collect("taxes", found);
    }
    issues.into_result(())
}

fn check_tax(tax: &RuledTax<'_>, region: Region, day: Date) -> Result<(), Issues> {
    let (code, reason) = (tax.exemption_code, tax.exemption_reason);
    check_zero_rate(tax.percent, code, reason, day)?;
    if Level::of(region, tax.percent, day) != Level::Out {
        return Ok(());
    }
    let rates: Vec<String> = [Level::Nor, Level::Int, Level::Red]
        .into_iter()
        .filter_map(|level| rate_on(region, level, day))
        .map(|rate| rate.to_string())
        .collect();
    let message = format!(
        "{} has no rate of {} % on {}; it has {} and 0",
        region.code(),
        tax.percent,
        racun_kernel::calendar::format_date(day),
        rates.join(", ")
    );
    Err(Issue::new("unknown_tax_rate", message).at("rate").into())
}

/// What is asked about a document that a credit note gives back of.
#[derive(Debug, Clone, Copy)]
pub struct GivenBack<'a> {
    /// Its number.
    pub number: &'a Number,
    /// Whether it is voided.
    pub is_voided: bool,
    /// Its value.
    pub total: &'a Decimal,
    /// What earlier credit notes that hold gave back of the value.
    pub given: &'a Decimal,
}

/// Accepts a credit note on `original` (Despacho 8632/2014, 3.3.7). What is left of it the linking
/// of documents decides.
///
/// # Errors
/// `required` for `linked_documents` when there is none, `credit_exceeds_remaining` when all of it
/// was given back; [`PortugalRefusal::Voided`].
pub fn check_credit(original: Option<&GivenBack<'_>>) -> Result<(), crate::PortugalError> {
    let Some(GivenBack { number, is_voided, total, given }) = original else {
        let message = "a credit note in Portugal names the invoice that it gives back of";
        return Err(Issue::new("required", message).at("linked_documents").into());
    };
    if *is_voided {
        return Err(PortugalRefusal::Voided { number: (*number).clone() }.into());
    }
    if total.is_positive() && given >= total {
        let message = format!("all of {number} was given back; leave it out");
        let issue = Issue::new("credit_exceeds_remaining", message);
        return Err(issue.at("linked_documents").into());
    }
    Ok(())
}

/// What is asked about the document that is to be voided.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// Its number.
    pub number: &'a Number,
    /// Whether it is voided.
    pub is_voided: bool,
    /// Whether a credit or debit note that holds rectifies it.
    pub is_rectified: bool,
    /// A receipt that holds of a payment on it.
    pub receipt: Option<&'a str>,
}

/// A line of a sale or of a credit note, as far as the rules on giving back look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// What.
    pub name: &'a str,
    /// The rate of its tax in percent; zero where none is charged.
    pub percent: &'a Decimal,
    /// How much of it.
    pub quantity: &'a Decimal,
}

/// Accepts the lines of a credit note, each with its place among `items`: at each rate they give
/// back no more of what was `sold` than `earlier` notes that hold have left of it, and no rate at
/// which it was not sold (Despacho 8632/2014, 3.2.7). What was not sold by that name, such as a
/// discount granted later, has a rate of the sale, and is bounded by the value, at which the
/// linking of documents looks.
///
/// # Errors
/// `quantity_exceeds_original` at the quantity with which it is too much; `rate_not_sold` at the
/// rate.
pub fn check_credited<'a>(
    credited: impl IntoIterator<Item = (usize, Piece<'a>)>,
    earlier: &[Piece<'a>],
    sold: &[Piece<'_>],
) -> Result<(), Issues> {
    let mut issues = Issues::default();
    let mut given: BTreeMap<(&str, &Decimal), Decimal> = BTreeMap::new();
    for Piece { name, percent, quantity } in earlier {
        *given.entry((*name, *percent)).or_insert_with(Decimal::zero) += *quantity;
    }
    for (place, Piece { name, percent, quantity }) in credited {
        let is_sold = sold.iter().any(|own| own.name == name);
        let at_rate = || sold.iter().filter(|own| own.percent == percent);
        if !at_rate().any(|own| own.name == name || !is_sold) {
            let message = match is_sold {
                true => format!("{name} was sold at another rate than {percent} %; send that rate"),
                false => format!("nothing was sold at {percent} %; send a rate of the sale"),
            };
            let issue = Issue::new("rate_not_sold", message).at("rate").at(0);
            issues.push(issue.at("taxes").at(place).at("items"));
            continue;
        }
        let given = given.entry((name, percent)).or_insert_with(Decimal::zero);
        let had: Decimal = at_rate().filter(|own| own.name == name).map(|own| own.quantity).sum();
        let left = &had - &*given;
        *given += quantity;
        if is_sold && *quantity > left {
            let left = left.max(Decimal::zero());
            let message = format!(
                "{had} of {name} were sold at {percent} %, of which {left} can still be given back"
            );
            let issue = Issue::new("quantity_exceeds_original", message);
            issues.push(issue.at("quantity").at(place).at("items"));
        }
    }
    issues.into_result(())
}

/// How a document in Portugal ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is voided: status A, the number and the hash stay.
    Voided,
    /// Only a credit note ends it: the buyer has the original.
    Credited,
}

/// Accepts that `document` is voided for `reason`: with it, as the issuer has the original back, or
/// by a credit note, as the buyer keeps it. Never both (Despacho 8632/2014, 3.3.7 and 3.3.8). While
/// a receipt says that it was paid it is not voided: the receipt would settle what is not owed.
///
/// # Errors
/// `required` or `too_long` for `reason`; [`PortugalRefusal::Rectified`];
/// [`PortugalRefusal::VoidedBefore`]; [`PortugalRefusal::Receipted`].
pub fn check_void(
    document: &Original<'_>,
    reason: Option<&str>,
    has_original: bool,
) -> Result<Ending, crate::PortugalError> {
    match reason.map(|text| text.trim().chars().count()) {
        None | Some(0) => {
            let message = "a document in Portugal is voided for a reason, of up to 50 characters";
            return Err(Issue::new("required", message).at("reason").into());
        }
        Some(length) if length > MAX_REASON_CHARS => {
            return Err(Issue::new("too_long", "at most 50 characters").at("reason").into());
        }
        Some(_) => {}
    }
    let number = document.number.clone();
    if document.is_voided {
        return Err(PortugalRefusal::VoidedBefore { number }.into());
    }
    if document.is_rectified {
        return Err(PortugalRefusal::Rectified { number }.into());
    }
    if let Some(receipt) = document.receipt.filter(|_| has_original) {
        let receipt = receipt.to_owned();
        return Err(PortugalRefusal::Receipted { number, receipt }.into());
    }
    Ok(if has_original { Ending::Voided } else { Ending::Credited })
}
