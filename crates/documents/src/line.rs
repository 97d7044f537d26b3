//! A document's lines: what a request says of them and what is calculated.

use racun_kernel::id::{FinancialCategoryId, ItemId, TaxId};
use racun_kernel::text::{check_field, check_localized};
use racun_kernel::{Classification, Decimal, Issue, Issues, Metadata, RecognitionMethod};
use serde::{Deserialize, Serialize};
use time::Date;

use crate::DocumentKind;
use crate::calculation::{CalculatedLine, Discount, LineInput, LineTax, PricedLine, UnitPrice};
use crate::text::Localized;

/// What a line is, when it is not goods or services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// A heading row without amounts.
    Separator,
}

/// A line's name and description by locale.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LineTranslations {
    /// Names, at most 500 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Localized>,
    /// Descriptions, at most [`Line::MAX_DESCRIPTION_CHARS`] characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Localized>,
}

/// A tax of a line, with the rate of the document's date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTaxDetail {
    /// The tax, when the line names one.
    pub tax_id: Option<TaxId>,
    /// Rate in percent.
    pub rate: Decimal,
    /// Classification of the tax.
    pub classification: Option<String>,
    /// Whether the customer owes the tax.
    pub reverse_charge: bool,
    /// The line's tax, in the document's currency.
    pub amount: Decimal,
    /// Whether the buyer may deduct it.
    pub is_deductible: Option<bool>,
    /// How much of it, in percent.
    pub deductible_percentage: Option<Decimal>,
    /// Portuguese exemption code.
    pub pt_exemption_code: Option<String>,
    /// Portuguese exemption reason.
    pub pt_exemption_reason: Option<String>,
}

impl LineTaxDetail {
    /// Croatia's consumption tax (porez na potrošnju) on drinks in cafés: 0 to 3 percent of the
    /// price without VAT, which each municipality sets.
    pub const CONSUMPTION: &str = "pnp";

    /// A line that is taxed by its margin: articles 97 and 101 of ZDDV-1, articles 91 and 95 of the
    /// Croatian VAT act. It states no tax, so its rate is 0.
    pub const MARGIN: &str = "margin";

    /// A tax of `rate` percent that no catalogue names. Its amount is calculated.
    #[must_use]
    pub fn at(rate: Decimal) -> Self {
        Self {
            tax_id: None,
            rate,
            classification: None,
            reverse_charge: false,
            amount: Decimal::zero(),
            is_deductible: None,
            deductible_percentage: None,
            pt_exemption_code: None,
            pt_exemption_reason: None,
        }
    }

    /// The highest consumption tax in percent (checks 117 and 118 of CIS).
    #[must_use]
    pub fn most_consumption() -> Decimal {
        Decimal::from(3)
    }

    /// Whether the tax has the classification `name`, in whichever case.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.classification.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
    }
}

/// When the revenue of a line is earned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevenueRecognition {
    /// How; the entity's default when missing.
    pub method: Option<RecognitionMethod>,
    /// First day of the service.
    #[serde(with = "racun_kernel::calendar::date::option", default)]
    pub date_from: Option<Date>,
    /// Last day of the service.
    #[serde(with = "racun_kernel::calendar::date::option", default)]
    pub date_to: Option<Date>,
}

/// The first and the last day of a service.
pub(crate) type Service = (Date, Date);

/// The days of a service, where both are named, in their order and not too far apart.
pub(crate) fn service(from: Option<Date>, to: Option<Date>) -> Option<Service> {
    from.zip(to).filter(|(from, to)| from <= to && days(*from, *to) <= MAX_SERVICE_DAYS)
}

/// How many days there are from `from` to `to`, both included.
fn days(from: Date, to: Date) -> i64 {
    (to - from).whole_days() + 1
}

/// Days that a service may last: ten years.
const MAX_SERVICE_DAYS: i64 = 3_653;

impl RevenueRecognition {
    /// Checks the days of its service, as far as both are named.
    ///
    /// # Errors
    /// At `date_to`: `invalid_period` when they end before they begin, `out_of_range` when they
    /// are too many.
    pub(crate) fn check(&self) -> Result<(), Issue> {
        let Some((from, to)) = self.date_from.zip(self.date_to) else { return Ok(()) };
        if to < from {
            return Err(Issue::new("invalid_period", "must not be before date_from").at("date_to"));
        }
        if days(from, to) > MAX_SERVICE_DAYS {
            let message = format!("a service lasts at most {MAX_SERVICE_DAYS} days");
            return Err(Issue::new("out_of_range", message).at("date_to"));
        }
        Ok(())
    }

    /// That a line is to be spread, and neither says over which days nor does its document, which
    /// names the days of service `from` and `to`.
    pub(crate) fn warning(&self, (from, to): (Option<Date>, Option<Date>)) -> Option<Issue> {
        let is_spread = self.method == Some(RecognitionMethod::ServicePeriodDaily);
        let is_known = service(self.date_from.or(from), self.date_to.or(to)).is_some();
        let message = "no days of service are known, so the line is recognised on the document's \
                       date; send date_from and date_to, or the document's date_service and \
                       date_service_to";
        let issue = || Issue::new("service_period_missing", message).at("date_from");
        (is_spread && !is_known).then(issue)
    }
}

/// A line as asked for, with all that it names looked up: catalogue item, taxes, category.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewLine {
    /// The id to keep; a fresh one when missing.
    pub id: Option<String>,
    /// A heading, or goods and services when missing.
    pub kind: Option<LineKind>,
    /// Name; needed.
    pub name: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Name and description by locale.
    pub translations: LineTranslations,
    /// What it sells.
    pub classification: Option<Classification>,
    /// How many; 1 when missing.
    pub quantity: Option<Decimal>,
    /// Price of one before tax. This or `gross_price` is needed.
    pub price: Option<Decimal>,
    /// Price of one with tax.
    pub gross_price: Option<Decimal>,
    /// Unit of measure as written.
    pub unit: Option<String>,
    /// Unit of measure by UN/ECE Recommendation 20.
    pub unit_code: Option<String>,
    /// Taxes; their amounts are calculated.
    pub taxes: Vec<LineTaxDetail>,
    /// Discounts, at most five.
    pub discounts: Vec<Discount>,
    /// The catalogue item.
    pub item_id: Option<ItemId>,
    /// Category for reports.
    pub financial_category_id: Option<FinancialCategoryId>,
    /// When its revenue is earned.
    pub revenue_recognition: Option<RevenueRecognition>,
    /// The caller's properties.
    pub metadata: Metadata,
    /// Totals before and with tax, for custom documents.
    pub given: Option<(Decimal, Decimal)>,
}

/// A line of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// The catalogue item.
    pub item_id: Option<ItemId>,
    /// A heading, or goods and services when missing.
    pub kind: Option<LineKind>,
    /// Name.
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// Name and description by locale.
    #[serde(default)]
    pub translations: LineTranslations,
    /// What it sells.
    pub classification: Option<Classification>,
    /// How many; 0 for headings.
    pub quantity: Decimal,
    /// Price of one before tax, when priced so.
    pub price: Option<Decimal>,
    /// Price of one with tax, when priced so.
    pub gross_price: Option<Decimal>,
    /// Unit of measure as written.
    pub unit: Option<String>,
    /// Unit of measure by UN/ECE Recommendation 20.
    pub unit_code: Option<String>,
    /// Taxes with their amounts.
    pub taxes: Vec<LineTaxDetail>,
    /// Discounts.
    pub discounts: Vec<Discount>,
    /// After discounts, before tax.
    pub total: Decimal,
    /// After discounts, with tax.
    pub total_with_tax: Decimal,
    /// `total` in the entity's currency, when the document has another.
    pub total_converted: Option<Decimal>,
    /// `total_with_tax` in the entity's currency.
    pub total_with_tax_converted: Option<Decimal>,
    /// Category for reports.
    pub financial_category_id: Option<FinancialCategoryId>,
    /// When its revenue is earned.
    pub revenue_recognition: Option<RevenueRecognition>,
    /// The caller's properties.
    pub metadata: Metadata,
}

impl Line {
    /// Characters that a line's name may hold.
    pub const MAX_NAME_CHARS: usize = 500;
    /// Characters that a line's description may hold.
    pub const MAX_DESCRIPTION_CHARS: usize = 10_000;
    /// Characters that a unit of measure may hold.
    pub const MAX_UNIT_CHARS: usize = 50;

    /// The line asked for, its amounts those given or still zero.
    pub(crate) fn of(new: NewLine, id: String, kind: DocumentKind) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let separator = new.kind == Some(LineKind::Separator);
        check_texts(&new, &mut issues);
        if new.name.as_deref().is_none_or(str::is_empty) {
            let message = "a line needs a name, of its own or from item_id";
            issues.push(Issue::new("required", message).at("name"));
        }
        if separator {
            check_separator(&new, &mut issues);
        } else {
            check_price(&new, kind, &mut issues);
        }
        let quantity =
            if separator { Decimal::zero() } else { new.quantity.unwrap_or_else(|| 1.into()) };
        let given = new.given.unwrap_or_else(|| (Decimal::zero(), Decimal::zero()));
        issues.into_result(Self {
            id,
            item_id: new.item_id,
            kind: new.kind,
            name: new.name.unwrap_or_default(),
            description: new.description,
            translations: new.translations,
            classification: new.classification,
            quantity,
            price: new.price,
            gross_price: new.gross_price,
            unit: new.unit,
            unit_code: new.unit_code,
            taxes: new.taxes,
            discounts: new.discounts,
            total: given.0,
            total_with_tax: given.1,
            total_converted: None,
            total_with_tax_converted: None,
            financial_category_id: new.financial_category_id,
            revenue_recognition: new.revenue_recognition,
            metadata: new.metadata,
        })
    }

    /// The line as calculation sees it.
    pub(crate) fn input(&self) -> LineInput {
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
            quantity: self.quantity.clone(),
            price,
            discounts: self.discounts.clone(),
            taxes: taxes.collect(),
        })
    }

    /// Takes over what was calculated of [`Line::input`].
    pub(crate) fn take_over(&mut self, figures: CalculatedLine) {
        self.total = figures.total;
        self.total_with_tax = figures.total_with_tax;
        for (tax, amount) in self.taxes.iter_mut().zip(figures.taxes) {
            tax.amount = amount;
        }
    }

    /// The line as it would be asked for again, under the same id.
    #[must_use]
    pub fn again(&self) -> NewLine {
        let separator = self.kind == Some(LineKind::Separator);
        NewLine {
            id: Some(self.id.clone()),
            kind: self.kind,
            name: Some(self.name.clone()),
            description: self.description.clone(),
            translations: self.translations.clone(),
            classification: self.classification,
            quantity: (!separator).then(|| self.quantity.clone()),
            price: self.price.clone(),
            gross_price: self.gross_price.clone(),
            unit: self.unit.clone(),
            unit_code: self.unit_code.clone(),
            taxes: self.taxes.clone(),
            discounts: self.discounts.clone(),
            item_id: self.item_id,
            financial_category_id: self.financial_category_id,
            revenue_recognition: self.revenue_recognition.clone(),
            metadata: self.metadata.clone(),
            given: None,
        }
    }
}

fn check_texts(new: &NewLine, issues: &mut Issues) {
    check_field(issues, "name", new.name.as_deref(), Line::MAX_NAME_CHARS);
    check_field(issues, "description", new.description.as_deref(), Line::MAX_DESCRIPTION_CHARS);
    check_field(issues, "unit", new.unit.as_deref(), Line::MAX_UNIT_CHARS);
    for (field, localized, max) in [
        ("name", &new.translations.name, Line::MAX_NAME_CHARS),
        ("description", &new.translations.description, Line::MAX_DESCRIPTION_CHARS),
    ] {
        let Some(localized) = localized else { continue };
        let mut inner = Issues::default();
        inner.collect(field, check_localized(localized, max));
        issues.extend_at("translations", inner);
    }
    if let Some(own) = &new.revenue_recognition
        && let Err(issue) = own.check()
    {
        issues.push(issue.at("revenue_recognition"));
    }
}

fn check_separator(new: &NewLine, issues: &mut Issues) {
    let present = [
        ("price", new.price.is_some()),
        ("gross_price", new.gross_price.is_some()),
        ("taxes", !new.taxes.is_empty()),
        ("discounts", !new.discounts.is_empty()),
    ];
    for (field, _) in present.into_iter().filter(|(_, present)| *present) {
        let message = "a separator is a heading and has no amounts; leave it out";
        issues.push(Issue::new("not_allowed", message).at(field));
    }
}

fn check_price(new: &NewLine, kind: DocumentKind, issues: &mut Issues) {
    match (&new.price, &new.gross_price) {
        (None, None) => {
            let message = "a line needs price (before tax) or gross_price (with tax)";
            issues.push(Issue::new("required", message).at("price"));
        }
        (Some(_), Some(_)) => {
            let message = "send price or gross_price, not both";
            issues.push(Issue::new("conflicting", message).at("gross_price"));
        }
        _ => {}
    }
    if kind != DocumentKind::CreditNote {
        return;
    }
    for (field, number) in
        [("quantity", &new.quantity), ("price", &new.price), ("gross_price", &new.gross_price)]
    {
        if number.as_ref().is_some_and(Decimal::is_negative) {
            let message = "values of a credit note are positive; the sign is applied automatically";
            issues.push(Issue::new("negative", message).at(field));
        }
    }
}
