//! What a caller asks of a document, before anything that it names is looked up.

use racun_documents::calculation::{CalculationMode, SummaryTax};
use racun_documents::{
    EInvoiceOptions, PartyPatch, TextDefaults, TitleType, Translations, UnitSnapshot,
};
use racun_kernel::{Decimal, Metadata, Patch};
use time::Date;

use super::lines::{CategoryAssignment, LineRequest};

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
