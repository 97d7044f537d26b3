//! What a caller asks of a document, before anything that it names is looked up.

use racun_documents::calculation::{CalculationMode, Discount, SummaryTax};
use racun_documents::{
    EInvoiceOptions, LineKind, LineTranslations, PartyPatch, RevenueRecognition, TextDefaults,
    TitleType, Translations, UnitSnapshot,
};
use racun_kernel::{Classification, Decimal, Metadata, Patch};
use time::Date;

/// A document to make or to change. On update an absent field stays as it is.
#[derive(Debug, Clone, Default)]
pub struct DocumentRequest {
    /// Date of the document; today in the entity's zone when absent.
    pub date: Option<Date>,
    /// Due date; the date and the entity's due days when absent, none when null.
    pub date_due: Patch<Date>,
    /// Last day on which an estimate is valid; the date and the entity's days when absent.
    pub date_valid_till: Patch<Date>,
    /// What an estimate calls itself.
    pub title_type: Option<TitleType>,
    /// Whether a delivery note hides prices; the setting when absent.
    pub hide_prices: Option<bool>,
    /// Source documents of the new one: see `racun_documents::RelationType`.
    pub linked_documents: Option<Vec<String>>,
    /// Links even documents that were converted or credited before, or belong to another customer.
    pub force_linked_documents: bool,
    /// Day of the service, or its first.
    pub date_service: Patch<Date>,
    /// Last day of the service.
    pub date_service_to: Patch<Date>,
    /// What differs from the issuer that the entity's record gives.
    pub issuer: Option<PartyPatch>,
    /// A catalogue customer; its record becomes the document's customer.
    pub customer_id: Patch<String>,
    /// The customer, or what differs from the catalogue's.
    pub customer: Patch<CustomerRequest>,
    /// Whether the e-mail address of a new customer tells that the catalogue knows them, as with
    /// the orders of a shop.
    pub finds_customer_by_email: bool,
    /// A business unit; its record becomes the document's unit.
    pub business_unit_id: Patch<String>,
    /// What differs from the unit's record.
    pub business_unit: Option<UnitRequest>,
    /// Texts.
    pub texts: TextDefaults,
    /// Texts by locale.
    pub translations: Option<Translations>,
    /// How to calculate; the entity's setting when absent. Fixed once a document is made.
    pub calculation_mode: Option<CalculationMode>,
    /// Code of the currency; the entity's when absent.
    pub currency_code: Option<String>,
    /// The caller's properties.
    pub metadata: Patch<Metadata>,
    /// The caller's reference.
    pub reference: Patch<String>,
    /// Rate of exchange into the entity's currency.
    pub exchange_rate: Patch<ExchangeRateRequest>,
    /// Lines.
    pub items: Option<Vec<LineRequest>>,
    /// Financial categories by index of the line.
    pub category_assignments: Vec<CategoryAssignment>,
    /// What is wanted of its electronic invoices; an update changes what it names.
    pub e_invoices: EInvoiceOptions,
    /// The total that the caller expects.
    pub expected_total_with_tax: Option<Decimal>,
}

/// What makes a document custom: totals that are kept as given.
#[derive(Debug, Clone)]
pub struct CustomTotals {
    /// Before tax.
    pub total: Decimal,
    /// With tax.
    pub total_with_tax: Decimal,
    /// Discounts before tax; 0 when absent.
    pub total_discount: Option<Decimal>,
    /// Taxes.
    pub taxes: Vec<SummaryTax>,
}

/// A customer as written into a request.
#[derive(Debug, Clone, Default)]
pub struct CustomerRequest {
    /// The fields.
    pub party: PartyPatch,
    /// Whether to keep it in the catalogue. A new customer with a name is kept unless this is
    /// false; the record of `customer_id` is refreshed only when this is true.
    pub save_customer: Option<bool>,
}

/// A business unit as written into a request.
#[derive(Debug, Clone, Default)]
pub struct UnitRequest {
    /// The unit, when `business_unit_id` does not name it.
    pub id: Option<String>,
    /// Fields to write over those of its record; settings key by key.
    pub fields: UnitSnapshot,
}

/// A rate of exchange as written into a request.
#[derive(Debug, Clone)]
pub struct ExchangeRateRequest {
    /// One unit of the document's currency in the entity's.
    pub rate: Decimal,
    /// Who published it; `manual` when absent.
    pub source: Option<String>,
    /// The day it is of; the document's date when absent.
    pub date: Option<Date>,
    /// The entity's currency, when it is said at all.
    pub quote_currency: Option<String>,
}

/// A line as written into a request.
#[derive(Debug, Clone, Default)]
pub struct LineRequest {
    /// A heading, or goods and services when absent.
    pub kind: Option<LineKind>,
    /// Name; the item's when absent.
    pub name: Option<String>,
    /// Description; the item's when absent.
    pub description: Option<String>,
    /// Name and description by locale; the item's when absent.
    pub translations: Option<LineTranslations>,
    /// What it sells; the item's when absent.
    pub classification: Option<Classification>,
    /// How many; 1 when absent.
    pub quantity: Option<Decimal>,
    /// Price of one before tax; the item's when both prices are absent.
    pub price: Option<Decimal>,
    /// Price of one with tax.
    pub gross_price: Option<Decimal>,
    /// Unit of measure; the item's when absent.
    pub unit: Option<String>,
    /// Unit of measure by UN/ECE Recommendation 20.
    pub unit_code: Option<String>,
    /// Taxes. When absent the item's, else the entity's default tax; an empty list means untaxed.
    pub taxes: Option<Vec<LineTaxRequest>>,
    /// Discounts.
    pub discounts: Vec<Discount>,
    /// A catalogue item, whose fields fill in what is absent.
    pub item_id: Option<String>,
    /// Whether to keep the line as a new catalogue item.
    pub save_item: bool,
    /// Category for reports; the item's when absent.
    pub financial_category_id: Option<String>,
    /// When its revenue is earned.
    pub revenue_recognition: Option<RevenueRecognition>,
    /// The caller's properties.
    pub metadata: Metadata,
    /// Total before tax, for custom documents.
    pub total: Option<Decimal>,
    /// Total with tax, for custom documents.
    pub total_with_tax: Option<Decimal>,
}

/// A tax as written into a line: by id, else by rate, else by classification.
#[derive(Debug, Clone, Default)]
pub struct LineTaxRequest {
    /// The tax; its rate on the document's date holds.
    pub tax_id: Option<String>,
    /// A rate in percent; it needs no tax record.
    pub rate: Option<Decimal>,
    /// The classification of a tax.
    pub classification: Option<String>,
    /// Whether the customer owes the tax.
    pub reverse_charge: Option<bool>,
    /// Its amount, for custom documents.
    pub amount: Option<Decimal>,
    /// Whether the buyer may deduct it.
    pub is_deductible: Option<bool>,
    /// How much of it, in percent.
    pub deductible_percentage: Option<Decimal>,
    /// Portuguese exemption code; the tax's when absent.
    pub pt_exemption_code: Option<String>,
    /// Portuguese exemption reason; the tax's when absent.
    pub pt_exemption_reason: Option<String>,
}

/// A line's financial category, said beside the lines.
#[derive(Debug, Clone)]
pub struct CategoryAssignment {
    /// Zero-based index into the request's lines.
    pub item_index: usize,
    /// The category; `None` for none.
    pub financial_category_id: Option<String>,
}
