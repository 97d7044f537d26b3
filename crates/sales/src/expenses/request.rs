//! What a caller asks of an expense, before anything that it names is looked up.

use racun_documents::calculation::CalculationMode;
use racun_documents::expense::{ExpenseSummaryTax, ExpenseSupplier};
use racun_kernel::{BankAccount, Classification, Decimal, Metadata, Patch};
use racun_settlement::NewPayment;
use time::Date;

use crate::documents::{ExchangeRateRequest, LineRequest};

/// An expense to make or to change. On update an absent field stays as it is.
#[derive(Debug, Clone, Default)]
pub struct ExpenseRequest {
    /// A catalogue supplier; its record becomes the expense's supplier.
    pub supplier_id: Patch<String>,
    /// The supplier, or what differs from the catalogue's.
    pub supplier: Patch<SupplierPatch>,
    /// Whether to keep the supplier in the catalogue: as a new one, or by refreshing the record of
    /// `supplier_id`.
    pub save_supplier: bool,
    /// The number that the supplier gave it.
    pub supplier_document_number: Patch<String>,
    /// The date that the supplier gave it.
    pub date: Patch<Date>,
    /// When it came in.
    pub date_received: Patch<Date>,
    /// Until when it is to be paid.
    pub date_due: Patch<Date>,
    /// Day of the service, or its first.
    pub date_service: Patch<Date>,
    /// Last day of the service.
    pub date_service_to: Patch<Date>,
    /// Code of the currency; the entity's when absent.
    pub currency_code: Option<String>,
    /// Rate of exchange into the entity's currency.
    pub exchange_rate: Patch<ExchangeRateRequest>,
    /// The kind of purchase, by the names of `racun_documents::TransactionType`.
    pub transaction_type: Patch<String>,
    /// How to calculate the items; the entity's setting when absent.
    pub calculation_mode: Option<CalculationMode>,
    /// What was bought, when only totals are known.
    pub summary_classification: Patch<Classification>,
    /// The caller's reference.
    pub reference: Patch<String>,
    /// The caller's note.
    pub note: Patch<String>,
    /// The caller's properties.
    pub metadata: Patch<Metadata>,
    /// Lines; an empty list leaves only totals.
    pub items: Option<Vec<ExpenseLineRequest>>,
    /// Totals as the supplier gave them.
    pub totals: TotalsRequest,
    /// The total that the caller expects its items to come to.
    pub expected_total_with_tax: Option<Decimal>,
}

/// A line as written into a request. Its taxes are those that it names, never a default.
#[derive(Debug, Clone, Default)]
pub struct ExpenseLineRequest {
    /// The line. `revenue_recognition` says when its cost is incurred.
    pub line: LineRequest,
    /// Its taxes, for custom expenses.
    pub total_tax: Option<Decimal>,
}

/// Totals as written into a request. They are kept when the expense has no items, or is custom.
#[derive(Debug, Clone, Default)]
pub struct TotalsRequest {
    /// Before tax.
    pub total: Patch<Decimal>,
    /// With tax. Of items that are calculated it is what they are expected to come to.
    pub total_with_tax: Patch<Decimal>,
    /// Discounts, before tax.
    pub total_discount: Patch<Decimal>,
    /// Taxes.
    pub taxes: Option<Vec<ExpenseSummaryTax>>,
}

/// How a new expense starts.
#[derive(Debug, Clone, Default)]
pub struct ExpenseCreation {
    /// As a draft, without a number.
    pub is_draft: bool,
    /// With totals that are kept as given, of items too.
    pub custom: bool,
    /// With payments; one without an amount takes what is left.
    pub payments: Vec<NewPayment>,
}

macro_rules! supplier_patch {
    ($($(#[$doc:meta])* $field:ident: $kind:ty,)*) => {
        /// A supplier as written into a request: what is absent comes from the record named.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct SupplierPatch {
            $($(#[$doc])* pub $field: Patch<$kind>,)*
        }

        impl SupplierPatch {
            /// `supplier` with what this says of it.
            pub(super) fn onto(self, mut supplier: ExpenseSupplier) -> ExpenseSupplier {
                $(self.$field.apply(&mut supplier.$field);)*
                supplier
            }
        }
    };
}

supplier_patch! {
    /// See [`ExpenseSupplier::name`]; so all below.
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
    /// All bank accounts.
    bank_accounts: Vec<BankAccount>,
}
