//! What an expense holds.

use std::collections::BTreeMap;

use racun_kernel::id::{FinancialCategoryId, ItemId, TaxId};
use racun_kernel::{BankAccount, Classification, Decimal, Metadata, RecognitionMethod};
use serde::{Deserialize, Serialize};
use time::Date;

/// The supplier as frozen on an expense.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpenseSupplier {
    /// Name of the business or person.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// First line of the address.
    pub address: Option<String>,
    /// Second line of the address.
    pub address_2: Option<String>,
    /// Post code.
    pub post_code: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or region.
    pub state: Option<String>,
    /// Country as written.
    pub country: Option<String>,
    /// ISO 3166-1 alpha-2 code, in capitals.
    pub country_code: Option<String>,
    /// Tax number.
    pub tax_number: Option<String>,
    /// Registration number.
    pub company_number: Option<String>,
    /// Telephone number.
    pub phone: Option<String>,
    /// Address in the Peppol network.
    pub peppol_id: Option<String>,
    /// Whether it is registered for VAT.
    pub is_tax_subject: Option<bool>,
    /// The accounts to pay to.
    pub bank_accounts: Option<Vec<BankAccount>>,
}

/// When a line's cost is incurred.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpenseRecognition {
    /// How; the entity's default when missing.
    pub method: Option<RecognitionMethod>,
    /// First day of the service.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_from: Option<Date>,
    /// Last day of the service.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_to: Option<Date>,
}

/// How a discount is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpenseDiscountType {
    /// Of the line, in hundredths.
    Percent,
    /// In the expense's currency.
    Amount,
}

/// What is taken off a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseDiscount {
    /// How much, at least 0.
    pub value: Decimal,
    /// Of what.
    #[serde(rename = "type")]
    pub kind: ExpenseDiscountType,
}

/// A tax of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseLineTax {
    /// The tax, when the line names one.
    pub tax_id: Option<TaxId>,
    /// Rate in percent.
    pub rate: Option<Decimal>,
    /// Classification of the tax.
    pub classification: Option<String>,
    /// Whether the entity owes the tax instead of the supplier.
    pub reverse_charge: bool,
    /// The line's tax, in the expense's currency.
    pub amount: Option<Decimal>,
    /// Whether the entity may deduct it.
    pub is_deductible: Option<bool>,
    /// How much of it, in percent.
    pub deductible_percentage: Option<Decimal>,
}

/// The texts of a line by locale, as BCP 47 writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpenseItemTranslations {
    /// Names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<BTreeMap<String, String>>,
    /// Descriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<BTreeMap<String, String>>,
}

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
    pub translations: ExpenseItemTranslations,
    /// How many.
    pub quantity: Option<Decimal>,
    /// Unit of measure as written.
    pub unit: Option<String>,
    /// What was bought.
    pub classification: Option<Classification>,
    /// Category for reports.
    pub financial_category_id: Option<FinancialCategoryId>,
    /// When its cost is incurred.
    pub expense_recognition: Option<ExpenseRecognition>,
    /// Price of one before tax, when priced so.
    pub price: Option<Decimal>,
    /// Price of one with tax, when priced so.
    pub gross_price: Option<Decimal>,
    /// Discounts.
    pub discounts: Vec<ExpenseDiscount>,
    /// Taxes.
    pub taxes: Vec<ExpenseLineTax>,
    /// After discounts, before tax.
    pub total: Option<Decimal>,
    /// After discounts, with tax.
    pub total_with_tax: Option<Decimal>,
    /// The taxes.
    pub total_tax: Option<Decimal>,
    /// The caller's properties.
    pub metadata: Metadata,
}

/// A tax of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseSummaryTax {
    /// The tax, when it names one.
    pub tax_id: Option<TaxId>,
    /// Rate in percent.
    pub rate: Option<Decimal>,
    /// What the tax is on.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
    /// The base in the entity's currency, when the expense has another.
    pub base_converted: Option<Decimal>,
    /// The amount in the entity's currency.
    pub amount_converted: Option<Decimal>,
    /// Whether the entity owes the tax instead of the supplier.
    pub reverse_charge: bool,
    /// Whether the entity may deduct it.
    pub is_deductible: Option<bool>,
    /// How much of it, in percent.
    pub deductible_percentage: Option<Decimal>,
}

/// What an expense comes to, calculated of its items or given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseAmounts {
    /// Before tax.
    pub total: Option<Decimal>,
    /// With tax; needed once it is finalized.
    pub total_with_tax: Option<Decimal>,
    /// Discounts, before tax.
    pub total_discount: Option<Decimal>,
    /// Taxes, by tax, rate and reverse charge.
    pub taxes: Vec<ExpenseSummaryTax>,
    /// `total` in the entity's currency, when the expense has another.
    pub total_converted: Option<Decimal>,
    /// `total_with_tax` in the entity's currency.
    pub total_with_tax_converted: Option<Decimal>,
    /// Expected less calculated total, when a total was expected.
    pub rounding_correction: Option<Decimal>,
}
