//! Lines of a tab: what was ordered, and when two lines are one.

use std::collections::BTreeSet;

use racun_kernel::id::{ItemId, PosLineId, TaxId, UserId};
use racun_kernel::{Decimal, Id, InvalidId, Issue, Issues, Kind};
use racun_store::Actor;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::check::{not_blank, required, text};
use crate::references::References;

/// Lines that a tab may hold, and that one command may send.
pub const MAX_LINES: usize = 500;
/// Characters that a line's name and its note may hold.
pub const MAX_LINE_TEXT_CHARS: usize = 500;
/// Taxes that a line may name.
pub const MAX_LINE_TAXES: usize = 10;
/// The greatest quantity, and the greatest amount of a line either side of zero: what an invoice of
/// it can come to.
pub const MAX_AMOUNT: i64 = 140_737_488_355_327;

/// A tax that an order names instead of those of its item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabTax {
    /// The catalogue's tax; none for a bare rate.
    pub tax_id: Option<TaxId>,
    /// Percent, 0 to 100.
    pub rate: Decimal,
}

/// Something that was ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabLine {
    /// Its id.
    pub line_id: PosLineId,
    /// The catalogue's item; none for a line with a name and a price of its own.
    pub item_id: Option<ItemId>,
    /// Its name.
    pub name: String,
    /// How many, above zero.
    pub quantity: Decimal,
    /// What one costs with tax, in the entity's currency.
    pub unit_gross_price: Decimal,
    /// Percent off, 0 to 100.
    pub discount_percent: Option<Decimal>,
    /// The taxes on it: none at all when empty; when missing those of its item, and of a line
    /// without one the entity's default tax.
    pub tax_rates: Option<Vec<TabTax>>,
    /// What the guest wants: "no ice".
    pub note: Option<String>,
    /// Who ordered it first; none when a program did.
    pub added_by_user_id: Option<UserId>,
    /// When it was ordered first.
    #[serde(with = "time::serde::rfc3339")]
    pub added_at: OffsetDateTime,
}

impl TabLine {
    /// Whether `other` orders more of the same: the same item at the same price, with the same
    /// discount, taxes and note. No discount and one of 0 % are the same. Without an item the name
    /// tells what it is.
    #[must_use]
    pub fn is_same_order(&self, other: &Self) -> bool {
        let discount = |line: &Self| line.discount_percent.clone().unwrap_or_else(Decimal::zero);
        self.item_id == other.item_id
            && self.unit_gross_price == other.unit_gross_price
            && discount(self) == discount(other)
            && self.tax_rates == other.tax_rates
            && self.note == other.note
            && (self.item_id.is_some() || self.name == other.name)
    }

    /// Orders `more` of it.
    pub(crate) fn add(&mut self, more: &Decimal) -> Result<(), Issue> {
        let quantity = &self.quantity + more;
        check_amount(&quantity, &self.unit_gross_price)?;
        self.quantity = quantity;
        Ok(())
    }
}

/// A tax as it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxInput {
    /// The catalogue's tax, `tax_…`.
    pub tax_id: Option<String>,
    /// Percent, 0 to 100; needed.
    pub rate: Option<Decimal>,
}

/// A line as it is sent. It needs `item_id`, or a name and a price of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineInput {
    /// The tab's line that this one replaces; one that the tab does not have makes a new line.
    pub line_id: Option<String>,
    /// The catalogue's item, `item_…`.
    pub item_id: Option<String>,
    /// Its name; that of the line it replaces or of the item when missing.
    pub name: Option<String>,
    /// How many, above zero; 1 when missing.
    pub quantity: Option<Decimal>,
    /// What one costs with tax; as `name` when missing.
    pub unit_gross_price: Option<Decimal>,
    /// Percent off, 0 to 100.
    pub discount_percent: Option<Decimal>,
    /// The taxes on it, instead of those of the item.
    pub tax_rates: Option<Vec<TaxInput>>,
    /// What the guest wants.
    pub note: Option<String>,
}

impl LineInput {
    /// The line that this describes. `before` is the tab's line that it replaces: what is missing
    /// comes from there, when it is of the same item, so that an order outlives its item.
    pub(crate) fn into_line(
        self,
        before: Option<&TabLine>,
        references: &References,
        actor: &Actor,
    ) -> Result<TabLine, Issues> {
        let mut issues = Issues::default();
        let parsed = self.item_id.as_deref().map(parse_id).transpose().map_err(Issues::from);
        let item_id = issues.collect("item_id", parsed);
        let usual = item_id.and_then(|id| usual(id, before, references));
        match item_id {
            Some(Some(_)) if usual.is_none() => {
                let message = "there is no such item in this entity; create it first, or leave \
                               item_id out and send name and unit_gross_price";
                issues.push(Issue::new("not_found", message).at("item_id"));
            }
            Some(None) if usual.is_none() => {
                let lacks = (self.name.is_none(), self.unit_gross_price.is_none());
                issues.note(own_figures(lacks).map_err(Issues::from));
            }
            Some(_) | None => {}
        }
        let quantity = self.quantity.unwrap_or_else(|| 1.into());
        let price = self.unit_gross_price.as_ref().or(usual.map(|(_, price)| price));
        if let Some(price) = price {
            issues.note(check_amount(&quantity, price).map_err(Issues::from));
        }
        if self.discount_percent.as_ref().is_some_and(|percent| !is_percent(percent)) {
            let message = "a discount is from 0 to 100 percent; a surcharge is a line of its own";
            issues.push(Issue::new("out_of_range", message).at("discount_percent"));
        }
        let name = self.name.map(|name| not_blank(name, MAX_LINE_TEXT_CHARS)).transpose();
        let name = issues.collect("name", name).flatten();
        let note = self.note.map(|note| text(note, MAX_LINE_TEXT_CHARS)).transpose();
        let note = issues.collect("note", note).flatten();
        let taxes = self.tax_rates.map(|taxes| parse_taxes(taxes, references)).transpose();
        let tax_rates = issues.collect("tax_rates", taxes).flatten();
        let name = name.or_else(|| usual.map(|(name, _)| name.to_owned()));
        let (Some(item_id), Some(name), Some(price)) = (item_id, name, price) else {
            return Err(issues);
        };
        issues.into_result(TabLine {
            line_id: before.map_or_else(|| actor.stamp().id(), |line| line.line_id),
            item_id,
            name,
            quantity,
            unit_gross_price: price.clone(),
            discount_percent: self.discount_percent,
            tax_rates,
            note,
            added_by_user_id: before.map_or(actor.user_id(), |line| line.added_by_user_id),
            added_at: before.map_or_else(|| actor.now(), |line| line.added_at),
        })
    }
}

/// Name and price when a line says nothing else: those of the line that it replaces when that is of
/// the same item, or of none as well; else the catalogue's. `None` when there is no such item.
fn usual<'a>(
    id: Option<ItemId>,
    before: Option<&'a TabLine>,
    references: &'a References,
) -> Option<(&'a str, &'a Decimal)> {
    match before.filter(|line| line.item_id == id) {
        Some(line) => Some((&line.name, &line.unit_gross_price)),
        None => references.items.get(&id?).map(|item| (item.name.as_str(), &item.unit_gross_price)),
    }
}

/// Accepts a line without an item that has a name and a price of its own.
fn own_figures((lacks_name, lacks_price): (bool, bool)) -> Result<(), Issue> {
    match (lacks_name, lacks_price) {
        (false, false) => Ok(()),
        (true, true) => {
            let message = "a line needs the id of an item, or name and unit_gross_price";
            Err(required(message).at("item_id"))
        }
        (true, false) => Err(required("a line without an item needs a name").at("name")),
        (false, true) => {
            Err(required("a line without an item needs a price").at("unit_gross_price"))
        }
    }
}

/// # Errors
/// `invalid_id`.
pub fn parse_id<K: Kind>(text: &str) -> Result<Id<K>, Issue> {
    text.parse().map_err(|error: InvalidId| Issue::new("invalid_id", error.to_string()))
}

fn parse_taxes(sent: Vec<TaxInput>, references: &References) -> Result<Vec<TabTax>, Issues> {
    if sent.len() > MAX_LINE_TAXES {
        let message = format!("a line names at most {MAX_LINE_TAXES} taxes");
        return Err(Issue::new("too_many", message).into());
    }
    let mut issues = Issues::default();
    let mut taxes: Vec<TabTax> = Vec::with_capacity(sent.len());
    for (n, tax) in sent.into_iter().enumerate() {
        let Some(tax) = issues.collect(n, parse_tax(tax, references).map_err(Issues::from)) else {
            continue;
        };
        if taxes.contains(&tax) {
            let message = "the line has this tax with this rate already: name it once";
            issues.push(Issue::new("duplicate_tax", message).at(n));
        }
        taxes.push(tax);
    }
    issues.into_result(taxes)
}

fn parse_tax(sent: TaxInput, references: &References) -> Result<TabTax, Issue> {
    let at_id = |issue: Issue| issue.at("tax_id");
    let tax_id = sent.tax_id.map(|id| parse_id(&id)).transpose().map_err(at_id)?;
    if tax_id.is_some_and(|id| !references.taxes.contains(&id)) {
        let message = "there is no such tax in this entity; leave it out for a bare rate";
        return Err(at_id(Issue::new("not_found", message)));
    }
    let rate = sent.rate.ok_or_else(|| required("a tax needs its rate, in percent").at("rate"))?;
    if !is_percent(&rate) {
        return Err(Issue::new("out_of_range", "a tax rate is from 0 to 100 percent").at("rate"));
    }
    Ok(TabTax { tax_id, rate })
}

fn is_percent(value: &Decimal) -> bool {
    (Decimal::zero()..=Decimal::from(100)).contains(value)
}

/// Accepts `quantity` at `price` when an invoice can hold it.
fn check_amount(quantity: &Decimal, price: &Decimal) -> Result<(), Issue> {
    let max = Decimal::from(MAX_AMOUNT);
    if !quantity.is_positive() || *quantity > max {
        let message =
            format!("expected more than 0 and at most {max}; leave out what is not wanted");
        return Err(Issue::new("out_of_range", message).at("quantity"));
    }
    if price.abs() > max || (quantity * price).abs() > max {
        let message = format!("quantity and price come to more than {max}; lower them");
        return Err(Issue::new("out_of_range", message).at("unit_gross_price"));
    }
    Ok(())
}

/// The ids of `lines` that can be read: what has to be looked up for them.
#[must_use]
pub fn named_items(lines: &[LineInput]) -> BTreeSet<ItemId> {
    lines.iter().filter_map(|line| line.item_id.as_deref()?.parse().ok()).collect()
}

/// The taxes of `lines` that can be read: what has to be looked up for them.
#[must_use]
pub fn named_taxes(lines: &[LineInput]) -> BTreeSet<TaxId> {
    let taxes = lines.iter().flat_map(|line| line.tax_rates.iter().flatten());
    taxes.filter_map(|tax| tax.tax_id.as_deref()?.parse().ok()).collect()
}
