//! Expenses as they are answered.

use std::collections::BTreeMap;

use racun_documents::expense::{Expense, ExpenseItem, ExpenseSummaryTax, ExpenseSupplier};
use racun_documents::{LineTaxDetail, RevenueRecognition};
use racun_kernel::calendar::{format_date, format_instant, format_midnight};
use racun_kernel::{Decimal, Issues, RecognitionMethod};
use serde::Serialize;
use utoipa::ToSchema;

use super::input::{ExpenseBankAccountBody, ExpenseClassificationBody, ExpenseTypeBody};
use crate::body::{Convert, answer, names};
use crate::documents::input::CalculationModeBody;
use crate::documents::line::{DiscountBody, LineKindBody, LineTranslationsBody};
use crate::documents::output::{ExchangeRateBody, TransactionTypeBody};
use crate::schema::{nullable_number, number};
use crate::warning::WarningBody;

answer! {
    /// The supplier as frozen on an expense.
    ExpenseSupplierBody as ExpenseSupplier from ExpenseSupplier {
        /// Name of the business or person.
        name: Option<String>,
        /// E-mail address.
        email: Option<String>,
        /// First line of the address.
        address: Option<String>,
        /// Second line of the address.
        address_2: Option<String>,
        /// Post code.
        post_code: Option<String>,
        /// City.
        city: Option<String>,
        /// State or region.
        state: Option<String>,
        /// Country as written.
        country: Option<String>,
        /// ISO 3166-1 alpha-2 code, in capitals.
        country_code: Option<String>,
        /// Tax number.
        tax_number: Option<String>,
        /// Registration number.
        company_number: Option<String>,
        /// Telephone number.
        phone: Option<String>,
        /// Address in the Peppol network.
        peppol_id: Option<String>,
        /// Whether it is registered for VAT.
        is_tax_subject: Option<bool>,
        /// The accounts to pay to.
        bank_accounts: Option<Vec<ExpenseBankAccountBody>>,
    }
}

names! {
    /// How the cost of a line is spread over time.
    ExpenseRecognitionMethodBody as ExpenseRecognitionMethod
        of RecognitionMethod { Immediate, ServicePeriodDaily }
}

/// When the cost of a line is incurred.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExpenseRecognition)]
struct ExpenseRecognitionBody {
    #[schema(required = true)]
    method: Option<ExpenseRecognitionMethodBody>,
    /// First day of the service, `YYYY-MM-DD`.
    #[schema(required = true)]
    date_from: Option<String>,
    /// Last day of the service, `YYYY-MM-DD`.
    #[schema(required = true)]
    date_to: Option<String>,
}

impl Convert<ExpenseRecognitionBody> for RevenueRecognition {
    fn convert(self) -> ExpenseRecognitionBody {
        ExpenseRecognitionBody {
            method: self.method.convert(),
            date_from: self.date_from.map(format_date),
            date_to: self.date_to.map(format_date),
        }
    }
}

/// A tax of an item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExpenseItemTax)]
struct ExpenseItemTaxBody {
    /// The tax, when the line names one.
    #[schema(required = true)]
    tax_id: Option<String>,
    /// Percent.
    #[schema(schema_with = nullable_number, required = true)]
    rate: Option<Decimal>,
    /// Classification of the tax.
    #[schema(required = true)]
    classification: Option<String>,
    /// Whether the entity owes the tax instead of the supplier.
    reverse_charge: bool,
    /// The line's tax, in the expense's currency.
    #[schema(schema_with = nullable_number, required = true)]
    amount: Option<Decimal>,
    /// Whether the entity may deduct it.
    #[schema(required = true)]
    is_deductible: Option<bool>,
    /// How much of it, in percent.
    #[schema(schema_with = nullable_number, required = true)]
    deductible_percentage: Option<Decimal>,
}

impl Convert<ExpenseItemTaxBody> for LineTaxDetail {
    fn convert(self) -> ExpenseItemTaxBody {
        ExpenseItemTaxBody {
            tax_id: self.tax_id.convert(),
            rate: Some(self.rate),
            classification: self.classification,
            reverse_charge: self.reverse_charge,
            amount: Some(self.amount),
            is_deductible: self.is_deductible,
            deductible_percentage: self.deductible_percentage,
        }
    }
}

answer! {
    /// A tax of an expense's summary.
    ExpenseSummaryTaxBody as ExpenseSummaryTax from ExpenseSummaryTax {
        /// The tax, when it names one.
        tax_id: Option<String>,
        /// Percent.
        #[schema(schema_with = nullable_number)]
        rate: Option<Decimal>,
        /// What the tax is on.
        #[schema(schema_with = number)]
        base: Decimal,
        /// The tax.
        #[schema(schema_with = number)]
        amount: Decimal,
        /// In the entity's currency, when the expense has another.
        #[schema(schema_with = nullable_number)]
        base_converted: Option<Decimal>,
        /// The same of the amount.
        #[schema(schema_with = nullable_number)]
        amount_converted: Option<Decimal>,
        /// Whether the entity owes the tax instead of the supplier.
        reverse_charge: bool,
        /// Whether the entity may deduct it; null when its items differ.
        is_deductible: Option<bool>,
        /// How much of it, in percent.
        #[schema(schema_with = nullable_number)]
        deductible_percentage: Option<Decimal>,
    }
}

/// An item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExpenseItem)]
struct ExpenseItemBody {
    id: String,
    /// The expense that it is of.
    expense_id: String,
    #[schema(required = true)]
    item_id: Option<String>,
    #[schema(required = true)]
    r#type: Option<LineKindBody>,
    #[schema(required = true)]
    name: Option<String>,
    #[schema(required = true)]
    description: Option<String>,
    /// Name and description by locale.
    translations: LineTranslationsBody,
    #[schema(required = true)]
    classification: Option<ExpenseClassificationBody>,
    #[schema(schema_with = nullable_number, required = true)]
    quantity: Option<Decimal>,
    #[schema(required = true)]
    unit: Option<String>,
    /// Price of one before tax; null when priced with tax.
    #[schema(schema_with = nullable_number, required = true)]
    price: Option<Decimal>,
    /// Price of one with tax; null when priced before tax.
    #[schema(schema_with = nullable_number, required = true)]
    gross_price: Option<Decimal>,
    discounts: Vec<DiscountBody>,
    taxes: Vec<ExpenseItemTaxBody>,
    /// After discounts, before tax.
    #[schema(schema_with = nullable_number, required = true)]
    total: Option<Decimal>,
    /// After discounts, with tax.
    #[schema(schema_with = nullable_number, required = true)]
    total_with_tax: Option<Decimal>,
    /// The taxes.
    #[schema(schema_with = nullable_number, required = true)]
    total_tax: Option<Decimal>,
    #[schema(required = true)]
    financial_category_id: Option<String>,
    #[schema(required = true)]
    expense_recognition: Option<ExpenseRecognitionBody>,
    metadata: BTreeMap<String, String>,
}

impl ExpenseItemBody {
    /// `item` of the expense `expense_id`.
    fn of(item: ExpenseItem, expense_id: &str) -> Self {
        Self {
            id: item.id,
            expense_id: expense_id.to_owned(),
            item_id: item.item_id.convert(),
            r#type: item.is_separator.then_some(LineKindBody::Separator),
            name: item.name,
            description: item.description,
            translations: item.translations.convert(),
            classification: item.classification.convert(),
            quantity: item.quantity,
            unit: item.unit,
            price: item.price,
            gross_price: item.gross_price,
            discounts: item.discounts.convert(),
            taxes: item.taxes.convert(),
            total: item.total,
            total_with_tax: item.total_with_tax,
            total_tax: item.total_tax,
            financial_category_id: item.financial_category_id.convert(),
            expense_recognition: item.expense_recognition.convert(),
            metadata: item.metadata.convert(),
        }
    }
}

/// An expense: an invoice that a supplier sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Expense)]
pub struct ExpenseBody {
    id: String,
    entity_id: String,
    r#type: ExpenseTypeBody,
    /// The entity's own number; null for drafts.
    #[schema(required = true)]
    number: Option<String>,
    is_draft: bool,
    #[schema(required = true)]
    supplier_id: Option<String>,
    #[schema(required = true)]
    supplier: Option<ExpenseSupplierBody>,
    #[schema(required = true)]
    supplier_document_number: Option<String>,
    /// Midnight UTC, as the two below.
    #[schema(required = true)]
    date: Option<String>,
    #[schema(required = true)]
    date_received: Option<String>,
    #[schema(required = true)]
    date_due: Option<String>,
    /// `YYYY-MM-DD`.
    #[schema(required = true)]
    date_service: Option<String>,
    /// `YYYY-MM-DD`.
    #[schema(required = true)]
    date_service_to: Option<String>,
    currency_code: String,
    #[schema(required = true)]
    exchange_rate: Option<ExchangeRateBody>,
    #[schema(value_type = Option<TransactionTypeBody>, required = true)]
    transaction_type: Option<String>,
    /// How its items came to its totals; null when those are kept as given.
    #[schema(value_type = Option<CalculationModeBody>, required = true)]
    calculation_mode: Option<String>,
    #[schema(required = true)]
    summary_classification: Option<ExpenseClassificationBody>,
    #[schema(required = true)]
    reference: Option<String>,
    #[schema(required = true)]
    note: Option<String>,
    /// Before tax.
    #[schema(schema_with = nullable_number, required = true)]
    total: Option<Decimal>,
    /// With tax.
    #[schema(schema_with = nullable_number, required = true)]
    total_with_tax: Option<Decimal>,
    /// Discounts, before tax.
    #[schema(schema_with = nullable_number, required = true)]
    total_discount: Option<Decimal>,
    #[schema(schema_with = nullable_number, required = true)]
    total_converted: Option<Decimal>,
    #[schema(schema_with = nullable_number, required = true)]
    total_with_tax_converted: Option<Decimal>,
    /// Expected less calculated total; null unless a total was expected.
    #[schema(schema_with = nullable_number, required = true)]
    rounding_correction: Option<Decimal>,
    taxes: Vec<ExpenseSummaryTaxBody>,
    items: Vec<ExpenseItemBody>,
    /// Payments that count.
    #[schema(schema_with = number)]
    total_paid: Decimal,
    /// What is left to pay; null while the total is missing.
    #[schema(schema_with = nullable_number, required = true)]
    total_due: Option<Decimal>,
    /// Whether it is finalized and nothing is left to pay.
    paid_in_full: bool,
    metadata: BTreeMap<String, String>,
    #[schema(required = true)]
    voided_at: Option<String>,
    #[schema(required = true)]
    deleted_at: Option<String>,
    created_at: String,
    updated_at: String,
    /// What is odd about it: numbers that cannot be, rates that the supplier's country does not
    /// have; in answers to one expense also that the supplier's document is in the books already.
    warnings: Vec<WarningBody>,
}

impl ExpenseBody {
    /// The same with `more` to warn of.
    pub(super) fn warned(mut self, more: Issues) -> Self {
        self.warnings.extend(more.convert());
        self
    }
}

impl Convert<ExpenseBody> for Expense {
    fn convert(self) -> ExpenseBody {
        let id = self.id.to_string();
        let (number, is_draft, voided_at) =
            (self.number().cloned(), self.is_draft(), self.voided_at());
        let (total_due, paid_in_full) = (self.total_due(), self.paid_in_full());
        let warnings = self.warnings().convert();
        let content = self.content;
        let amounts = content.amounts;
        let items = content.items.into_iter().map(|item| ExpenseItemBody::of(item, &id)).collect();
        ExpenseBody {
            entity_id: self.entity_id.to_string(),
            r#type: ExpenseTypeBody::Invoice,
            number,
            is_draft,
            supplier_id: content.supplier_id.convert(),
            supplier: content.supplier.convert(),
            supplier_document_number: content.supplier_document_number,
            date: content.date.map(format_midnight),
            date_received: content.date_received.map(format_midnight),
            date_due: content.date_due.map(format_midnight),
            date_service: content.date_service.map(format_date),
            date_service_to: content.date_service_to.map(format_date),
            currency_code: content.currency.to_string(),
            exchange_rate: content.exchange_rate.convert(),
            transaction_type: content.transaction_type.map(|kind| kind.name().to_owned()),
            calculation_mode: content.calculation_mode.map(|mode| mode.name().to_owned()),
            summary_classification: content.summary_classification.convert(),
            reference: content.reference,
            note: content.note,
            total: amounts.total,
            total_with_tax: amounts.total_with_tax,
            total_discount: amounts.total_discount,
            total_converted: amounts.total_converted,
            total_with_tax_converted: amounts.total_with_tax_converted,
            rounding_correction: amounts.rounding_correction,
            taxes: amounts.taxes.convert(),
            items,
            total_paid: self.total_paid,
            total_due,
            paid_in_full,
            metadata: content.metadata.convert(),
            voided_at: voided_at.map(format_instant),
            deleted_at: self.deleted_at.convert(),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
            warnings,
            id,
        }
    }
}
