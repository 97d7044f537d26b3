//! The items of an expense.

use racun_kernel::id::{FinancialCategoryId, ItemId, format_ulid};
use racun_kernel::{Classification, Decimal, Issue, Issues, Metadata, Stamp};
use serde::{Deserialize, Serialize};

use crate::calculation::{Discount, LineInput, LineTax, MAX_DISCOUNTS, PricedLine, UnitPrice};
use crate::{LineKind, LineTaxDetail, LineTranslations, NewLine, RevenueRecognition};

/// The text before the ULID in ids of items.
const PREFIX: &str = "exp_item_";

/// A line of an expense, its totals calculated or given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseItem {
    /// Its id.
    pub id: String,
    /// Whether it is a heading without amounts.
    pub is_separator: bool,
    /// The catalogue item.
    pub item_id: Option<ItemId>,
    /// Name.
    pub name: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Name and description by locale.
    #[serde(default)]
    pub translations: LineTranslations,
    /// How many.
    pub quantity: Option<Decimal>,
    /// Unit of measure as written.
    pub unit: Option<String>,
    /// What was bought.
    pub classification: Option<Classification>,
    /// Category for reports.
    pub financial_category_id: Option<FinancialCategoryId>,
    /// When its cost is incurred.
    pub expense_recognition: Option<RevenueRecognition>,
    /// Price of one before tax, when priced so.
    pub price: Option<Decimal>,
    /// Price of one with tax, when priced so.
    pub gross_price: Option<Decimal>,
    /// Discounts.
    #[serde(with = "stored_discounts")]
    pub discounts: Vec<Discount>,
    /// Taxes, with their amounts.
    pub taxes: Vec<LineTaxDetail>,
    /// After discounts, before tax.
    pub total: Option<Decimal>,
    /// After discounts, with tax.
    pub total_with_tax: Option<Decimal>,
    /// The taxes.
    pub total_tax: Option<Decimal>,
    /// The caller's properties.
    pub metadata: Metadata,
}

impl ExpenseItem {
    /// Checks a line by itself. Prices of `custom` expenses, whose totals are given, may be
    /// missing.
    ///
    /// # Errors
    /// All that is wrong with it, by path.
    pub fn check(line: &NewLine, custom: bool) -> Result<(), Issues> {
        let mut issues = Issues::default();
        check(line, custom, &mut issues);
        issues.into_result(())
    }

    /// `line` as an expense keeps it, its totals still missing.
    #[must_use]
    pub fn of(line: NewLine, stamp: &Stamp) -> Self {
        let is_separator = line.kind == Some(LineKind::Separator);
        let quantity = line.quantity.unwrap_or_else(|| 1.into());
        Self {
            id: format_ulid(PREFIX, stamp.ulid()),
            is_separator,
            item_id: line.item_id,
            name: line.name,
            description: line.description,
            translations: line.translations,
            quantity: (!is_separator).then_some(quantity),
            unit: line.unit,
            classification: line.classification,
            financial_category_id: line.financial_category_id,
            expense_recognition: line.revenue_recognition,
            price: line.price,
            gross_price: line.gross_price,
            discounts: line.discounts,
            taxes: line.taxes,
            total: None,
            total_with_tax: None,
            total_tax: None,
            metadata: line.metadata,
        }
    }

    /// The item with totals as they are given; its taxes are what lies between them when they are
    /// not given.
    #[must_use]
    pub fn with_totals(
        self,
        total: Option<Decimal>,
        total_with_tax: Option<Decimal>,
        total_tax: Option<Decimal>,
    ) -> Self {
        let between = total.as_ref().zip(total_with_tax.as_ref()).map(|(net, gross)| gross - net);
        Self { total, total_with_tax, total_tax: total_tax.or(between), ..self }
    }

    /// What its figures depend on. What has no price is left out.
    pub(super) fn input(&self) -> LineInput {
        let price = match (&self.price, &self.gross_price) {
            (Some(price), _) => UnitPrice::Net(price.clone()),
            (None, Some(gross)) => UnitPrice::Gross(gross.clone()),
            (None, None) => return LineInput::Separator,
        };
        let taxes = self.taxes.iter().map(|tax| LineTax {
            tax_id: tax.tax_id,
            rate: tax.rate.clone(),
            reverse_charge: tax.reverse_charge,
        });
        LineInput::Priced(PricedLine {
            quantity: self.quantity.clone().unwrap_or_else(|| 1.into()),
            price,
            discounts: self.discounts.clone(),
            taxes: taxes.collect(),
        })
    }
}

/// Adds what is wrong with a line by itself.
fn check(line: &NewLine, custom: bool, issues: &mut Issues) {
    let is_separator = line.kind == Some(LineKind::Separator);
    let amounts = [
        ("price", line.price.is_some()),
        ("gross_price", line.gross_price.is_some()),
        ("taxes", !line.taxes.is_empty()),
        ("discounts", !line.discounts.is_empty()),
    ];
    for (field, _) in amounts.into_iter().filter(|(_, present)| is_separator && *present) {
        let message = "a separator is a heading and has no amounts; leave it out";
        issues.push(Issue::new("not_allowed", message).at(field));
    }
    match (&line.price, &line.gross_price) {
        (Some(_), Some(_)) if !is_separator => {
            let message = "send price or gross_price, not both";
            issues.push(Issue::new("conflicting", message).at("gross_price"));
        }
        (None, None) if !is_separator && !custom => {
            let message = "an item needs price (before tax) or gross_price (with tax)";
            issues.push(Issue::new("required", message).at("price"));
        }
        _ => {}
    }
    if custom && line.discounts.len() > MAX_DISCOUNTS {
        let message = format!("a line holds at most {MAX_DISCOUNTS} discounts");
        issues.push(Issue::new("too_many", message).at("discounts"));
    }
    for (n, tax) in line.taxes.iter().enumerate() {
        if let Err(issue) = check_percentage(tax.deductible_percentage.as_ref()) {
            issues.push(issue.at(n).at("taxes"));
        }
    }
    if let Some(own) = &line.revenue_recognition
        && let Err(issue) = own.check()
    {
        issues.push(issue.at("expense_recognition"));
    }
}

/// Refuses a deductible share that is none.
pub(super) fn check_percentage(share: Option<&Decimal>) -> Result<(), Issue> {
    let most = Decimal::from(100);
    if share.is_none_or(|share| !share.is_negative() && *share <= most) {
        return Ok(());
    }
    let issue = Issue::new("out_of_range", "a share is from 0 to 100 percent");
    Err(issue.at("deductible_percentage"))
}

/// How discounts of items are stored: what the value counts is called `type`, unlike on documents.
mod stored_discounts {
    use racun_kernel::Decimal;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::calculation::{Discount, DiscountKind};

    #[derive(Serialize, Deserialize)]
    struct Stored {
        value: Decimal,
        #[serde(rename = "type")]
        kind: DiscountKind,
    }

    pub fn serialize<S: Serializer>(
        discounts: &[Discount],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let stored = |discount: &Discount| {
            let Discount { value, kind } = discount.clone();
            Stored { value, kind }
        };
        serializer.collect_seq(discounts.iter().map(stored))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Discount>, D::Error> {
        let stored = Vec::<Stored>::deserialize(deserializer)?;
        Ok(stored.into_iter().map(|Stored { value, kind }| Discount { value, kind }).collect())
    }
}
