//! What a request says of an expense.

use std::collections::BTreeMap;

use racun_documents::expense::ExpenseSummaryTax;
use racun_kernel::{
    BankAccount, Classification, Decimal, InvalidId, Issue, Issues, Metadata, Patch,
};
use racun_sales::documents::LineRequest;
use racun_sales::expenses::{
    self as application, ExpenseCreation, ExpenseLineRequest, ExpenseRequest, TotalsRequest,
};
use racun_settlement::NewPayment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::body::{Convert, input, names};
use crate::documents::input::{CalculationModeBody, ExchangeRateInputBody};
use crate::documents::line::{
    ClassificationBody, DiscountBody, LineKindBody, LineTaxInputBody, LineTranslationsBody,
    RecognitionInputBody,
};
use crate::documents::output::TransactionTypeBody;
use crate::payments::PaymentInputBody;
use crate::scalar::{DocumentDate, date_schema};
use crate::schema::{nullable_number, number};

/// What an expense is: so far always an invoice of a supplier.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExpenseType)]
pub enum ExpenseTypeBody {
    /// An invoice.
    Invoice,
}

names! {
    /// What was bought.
    ExpenseClassificationBody as ExpenseClassification of Classification {
        Product, Service, Advance
    }
}

/// A bank account of a supplier.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ExpenseBankAccount)]
pub struct ExpenseBankAccountBody {
    /// Display name.
    name: Option<String>,
    /// Name of the bank.
    bank_name: Option<String>,
    /// IBAN.
    iban: Option<String>,
    /// Account number, where there is no IBAN.
    account_number: Option<String>,
    /// Routing number or sort code, where there is no IBAN.
    routing_number: Option<String>,
    /// BIC or SWIFT code.
    bic: Option<String>,
}

impl Convert<BankAccount> for ExpenseBankAccountBody {
    fn convert(self) -> BankAccount {
        let Self { name, bank_name, iban, account_number, routing_number, bic } = self;
        BankAccount {
            name,
            bank_name,
            iban,
            account_number,
            routing_number,
            bic,
            ..BankAccount::default()
        }
    }
}

impl Convert<ExpenseBankAccountBody> for BankAccount {
    fn convert(self) -> ExpenseBankAccountBody {
        let Self { name, bank_name, iban, account_number, routing_number, bic, .. } = self;
        ExpenseBankAccountBody { name, bank_name, iban, account_number, routing_number, bic }
    }
}

input! {
    /// A supplier as sent: what is absent comes from the record of `supplier_id`.
    SupplierInputBody as ExpenseSupplierInput into application::SupplierPatch {
        /// Name of the business or person.
        name: String,
        /// E-mail address.
        email: String,
        /// First line of the address.
        address: String,
        /// Second line of the address.
        address_2: String,
        /// Post code.
        post_code: String,
        /// City.
        city: String,
        /// State or region.
        state: String,
        /// Country as written.
        country: String,
        /// Two letters, in either case.
        country_code: String,
        /// Tax number.
        tax_number: String,
        /// Registration number.
        company_number: String,
        /// Telephone number.
        phone: String,
        /// Address in the Peppol network.
        peppol_id: String,
        /// Whether it is registered for VAT.
        is_tax_subject: bool,
        /// All bank accounts. The catalogue keeps none of suppliers.
        bank_accounts: Vec<ExpenseBankAccountBody>,
    }
}

/// An item of an expense.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CreateExpenseItem)]
struct ItemInputBody {
    /// `separator` for a heading row without amounts.
    r#type: Option<LineKindBody>,
    /// A catalogue item, whose fields fill in what is absent.
    item_id: Option<String>,
    /// Whether to keep the line as a new catalogue item.
    save_item: Option<bool>,
    /// Name; the item's when absent.
    name: Option<String>,
    /// Description; the item's when absent.
    description: Option<String>,
    /// Name and description by locale.
    translations: Option<LineTranslationsBody>,
    /// How many; 1 when absent.
    #[schema(schema_with = nullable_number)]
    quantity: Option<Decimal>,
    /// Unit of measure.
    unit: Option<String>,
    /// What was bought; the item's when absent.
    classification: Option<ClassificationBody>,
    /// Category for reports.
    financial_category_id: Option<String>,
    /// When its cost is incurred.
    expense_recognition: Option<RecognitionInputBody>,
    /// Price of one before tax. This, `gross_price` or an item's price is needed, but for custom
    /// expenses.
    #[schema(schema_with = nullable_number)]
    price: Option<Decimal>,
    /// Price of one with tax.
    #[schema(schema_with = nullable_number)]
    gross_price: Option<Decimal>,
    /// Discounts, at most five.
    discounts: Option<Vec<DiscountBody>>,
    /// Taxes; none when absent.
    taxes: Option<Vec<LineTaxInputBody>>,
    /// Total before tax, kept for custom expenses only.
    #[schema(schema_with = nullable_number)]
    total: Option<Decimal>,
    /// Total with tax, kept for custom expenses only.
    #[schema(schema_with = nullable_number)]
    total_with_tax: Option<Decimal>,
    /// Taxes, kept for custom expenses only; what lies between both totals when absent.
    #[schema(schema_with = nullable_number)]
    total_tax: Option<Decimal>,
    /// Up to 50 properties of at most 250 characters.
    metadata: Option<BTreeMap<String, String>>,
}

impl ItemInputBody {
    fn request(self) -> Result<ExpenseLineRequest, Issues> {
        let mut issues = Issues::default();
        let metadata = Metadata::checked(self.metadata.unwrap_or_default());
        let metadata = issues.collect("metadata", metadata).unwrap_or_default();
        let line = LineRequest {
            kind: self.r#type.convert(),
            name: self.name,
            description: self.description,
            translations: self.translations.convert(),
            classification: self.classification.convert(),
            quantity: self.quantity,
            price: self.price,
            gross_price: self.gross_price,
            unit: self.unit,
            taxes: Some(self.taxes.unwrap_or_default().convert()),
            discounts: self.discounts.unwrap_or_default().convert(),
            item_id: self.item_id,
            save_item: self.save_item.unwrap_or(false),
            financial_category_id: self.financial_category_id,
            revenue_recognition: self.expense_recognition.convert(),
            metadata,
            total: self.total,
            total_with_tax: self.total_with_tax,
            ..LineRequest::default()
        };
        issues.into_result(ExpenseLineRequest { line, total_tax: self.total_tax })
    }
}

/// A tax of an expense's summary.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ExpenseSummaryTaxInput)]
struct SummaryTaxInputBody {
    /// A tax of the catalogue.
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
    /// In the entity's currency; kept while no rate of exchange says otherwise.
    #[schema(schema_with = nullable_number)]
    base_converted: Option<Decimal>,
    /// The same of the amount.
    #[schema(schema_with = nullable_number)]
    amount_converted: Option<Decimal>,
    /// Whether the entity owes the tax instead of the supplier; then it is no part of the total.
    reverse_charge: Option<bool>,
    /// Whether the entity may deduct it.
    is_deductible: Option<bool>,
    /// How much of it, in percent.
    #[schema(schema_with = nullable_number)]
    deductible_percentage: Option<Decimal>,
}

impl SummaryTaxInputBody {
    fn tax(self) -> Result<ExpenseSummaryTax, Issues> {
        let tax_id = self.tax_id.map(|id| id.parse()).transpose();
        let tax_id = tax_id
            .map_err(|error: InvalidId| Issue::new("invalid_id", error.to_string()).at("tax_id"))?;
        Ok(ExpenseSummaryTax {
            tax_id,
            rate: self.rate,
            base: self.base,
            amount: self.amount,
            base_converted: self.base_converted,
            amount_converted: self.amount_converted,
            reverse_charge: self.reverse_charge.unwrap_or(false),
            is_deductible: self.is_deductible,
            deductible_percentage: self.deductible_percentage,
        })
    }
}

/// Each of `sent` by `read`, with what is wrong with it at its index.
fn each<A, B>(sent: Vec<A>, read: fn(A) -> Result<B, Issues>) -> Result<Vec<B>, Issues> {
    let mut issues = Issues::default();
    let sent = sent.into_iter().enumerate();
    let all = sent.filter_map(|(n, one)| issues.collect(n, read(one))).collect();
    issues.into_result(all)
}

/// Declares a body that says what expenses say, and fields of its own.
macro_rules! expense_input {
    (
        $(#[$doc:meta])* $body:ident as $name:ident {
            $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize, ToSchema, Validate)]
        #[schema(as = $name)]
        pub struct $body {
            $($(#[$field_doc])* $field: $kind,)*
            /// A catalogue supplier.
            #[schema(value_type = Option<String>)]
            #[serde(default)]
            supplier_id: Patch<String>,
            /// The supplier, or what differs from the catalogue's.
            #[schema(value_type = Option<SupplierInputBody>)]
            #[serde(default)]
            supplier: Patch<SupplierInputBody>,
            /// Whether to keep the supplier in the catalogue; false when absent.
            save_supplier: Option<bool>,
            /// The number that the supplier gave it.
            #[schema(value_type = Option<String>)]
            #[serde(default)]
            supplier_document_number: Patch<String>,
            /// The date that the supplier gave it.
            #[schema(schema_with = date_schema)]
            #[serde(default)]
            date: Patch<DocumentDate>,
            /// When it came in.
            #[schema(schema_with = date_schema)]
            #[serde(default)]
            date_received: Patch<DocumentDate>,
            /// Until when it is to be paid.
            #[schema(schema_with = date_schema)]
            #[serde(default)]
            date_due: Patch<DocumentDate>,
            /// Day of the service, or its first.
            #[schema(schema_with = date_schema)]
            #[serde(default)]
            date_service: Patch<DocumentDate>,
            /// Last day of the service.
            #[schema(schema_with = date_schema)]
            #[serde(default)]
            date_service_to: Patch<DocumentDate>,
            /// ISO 4217 code; the entity's currency when absent.
            currency_code: Option<String>,
            /// Rate into the entity's currency, when the expense has another.
            #[schema(value_type = Option<ExchangeRateInputBody>)]
            #[serde(default)]
            exchange_rate: Patch<ExchangeRateInputBody>,
            /// The kind of purchase.
            #[schema(value_type = Option<TransactionTypeBody>)]
            #[serde(default)]
            transaction_type: Patch<String>,
            /// How to calculate the items; the entity's setting when absent.
            calculation_mode: Option<CalculationModeBody>,
            /// What was bought, when only totals are known: `product` or `service`.
            #[schema(value_type = Option<ExpenseClassificationBody>)]
            #[serde(default)]
            summary_classification: Patch<ExpenseClassificationBody>,
            /// The caller's reference.
            #[schema(value_type = Option<String>)]
            #[serde(default)]
            reference: Patch<String>,
            /// The caller's note.
            #[schema(value_type = Option<String>)]
            #[serde(default)]
            note: Patch<String>,
            /// Up to 50 properties of at most 250 characters.
            #[schema(value_type = Option<BTreeMap<String, String>>)]
            #[serde(default)]
            metadata: Patch<BTreeMap<String, String>>,
            /// Lines; without any, the totals below are kept as given.
            items: Option<Vec<ItemInputBody>>,
            /// Taxes, of expenses without items and custom ones.
            taxes: Option<Vec<SummaryTaxInputBody>>,
            /// Before tax, of expenses without items and custom ones.
            #[schema(schema_with = nullable_number)]
            #[serde(default)]
            total: Patch<Decimal>,
            /// With tax. Beside items that are calculated: what they are expected to come to.
            #[schema(schema_with = nullable_number)]
            #[serde(default)]
            total_with_tax: Patch<Decimal>,
            /// Discounts before tax, of expenses without items and custom ones.
            #[schema(schema_with = nullable_number)]
            #[serde(default)]
            total_discount: Patch<Decimal>,
            /// The total that the caller expects its items to come to; a rounding difference is
            /// reconciled.
            #[schema(schema_with = nullable_number)]
            expected_total_with_tax: Option<Decimal>,
        }

        impl $body {
            /// What it says of the expense.
            ///
            /// # Errors
            /// All that is wrong with the body itself, by path.
            pub(super) fn request(self) -> Result<ExpenseRequest, Issues> {
                let mut issues = Issues::default();
                let metadata = issues.collect("metadata", self.metadata.try_map(Metadata::checked));
                let items = self.items.map(|items| each(items, ItemInputBody::request));
                let items = issues.collect("items", items.transpose());
                let taxes = self.taxes.map(|taxes| each(taxes, SummaryTaxInputBody::tax));
                let taxes = issues.collect("taxes", taxes.transpose());
                let day = |date: DocumentDate| date.0;
                issues.into_result(ExpenseRequest {
                    supplier_id: self.supplier_id,
                    supplier: self.supplier.convert(),
                    save_supplier: self.save_supplier.unwrap_or(false),
                    supplier_document_number: self.supplier_document_number,
                    date: self.date.map(day),
                    date_received: self.date_received.map(day),
                    date_due: self.date_due.map(day),
                    date_service: self.date_service.map(day),
                    date_service_to: self.date_service_to.map(day),
                    currency_code: self.currency_code,
                    exchange_rate: self.exchange_rate.convert(),
                    transaction_type: self.transaction_type,
                    calculation_mode: self.calculation_mode.convert(),
                    summary_classification: self.summary_classification.convert(),
                    reference: self.reference,
                    note: self.note,
                    metadata: metadata.unwrap_or_default(),
                    items: items.flatten(),
                    totals: TotalsRequest {
                        total: self.total,
                        total_with_tax: self.total_with_tax,
                        total_discount: self.total_discount,
                        taxes: taxes.flatten(),
                    },
                    expected_total_with_tax: self.expected_total_with_tax,
                })
            }
        }
    };
}

expense_input! {
    /// An expense to make.
    NewExpenseBody as CreateExpense {
        /// What it is; `invoice` when absent.
        #[expect(dead_code, reason = "the reader refuses other types")]
        r#type: Option<ExpenseTypeBody>,
        /// Whether to make a draft, which may lack supplier, date and total; false when absent.
        is_draft: Option<bool>,
        /// Payments, at most 100: recorded with the expense, or not at all.
        #[schema(max_items = 100)]
        payments: Option<Vec<PaymentInputBody>>,
    }
}

expense_input! {
    /// What to change of an expense. Items that are sent replace all there were.
    ExpensePatchBody as UpdateExpense {}
}

impl NewExpenseBody {
    /// The expense to make, and how it starts; with totals that are kept as given when it is
    /// `custom`.
    ///
    /// # Errors
    /// All that is wrong with the body itself, by path.
    pub(super) fn creation(
        mut self,
        custom: bool,
    ) -> Result<(ExpenseRequest, ExpenseCreation), Issues> {
        let payments: Vec<NewPayment> = self.payments.take().unwrap_or_default().convert();
        let is_draft = self.is_draft.unwrap_or(false);
        Ok((self.request()?, ExpenseCreation { is_draft, custom, payments }))
    }
}
