//! What bodies from which documents are made and changed can hold; `allowed_properties` says which
//! holds what.

use std::collections::BTreeMap;

use racun_documents::calculation::{CalculationMode, SummaryTax};
use racun_documents::{TextDefaults, Translations};
use racun_kernel::{Decimal, Issue, Issues, Metadata, Patch};
use racun_sales::documents::{
    CategoryAssignment, Creation, CustomTotals, DocumentRequest, ExchangeRateRequest, LineRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::e_invoice::{EInvoiceInput, SendingInputBody, ValidationInputBody};
use super::fiscal::{FinaInputBody, FursInputBody, fiscal_request};
use super::line::LineInputBody;
use super::party::{PartyInputBody, UnitInputBody};
use super::portugal::PtInputBody;
use crate::body::{Convert, names};
use crate::payments::PaymentInputBody;
use crate::scalar::{DocumentDate, date_schema};
use crate::schema::{nullable_number, number};

/// How discounts and rounding work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CalculationMode)]
pub enum CalculationModeBody {
    /// Net is rounded first where prices are net.
    #[serde(rename = "b2b_standard")]
    B2bStandard,
    /// Gross is rounded first; discounts are gross and apply one after the other.
    #[serde(rename = "b2c_gross_discount")]
    B2cGrossDiscount,
}

impl Convert<CalculationMode> for CalculationModeBody {
    fn convert(self) -> CalculationMode {
        match self {
            Self::B2bStandard => CalculationMode::B2bStandard,
            Self::B2cGrossDiscount => CalculationMode::B2cGrossDiscount,
        }
    }
}

impl Convert<CalculationModeBody> for CalculationMode {
    fn convert(self) -> CalculationModeBody {
        match self {
            Self::B2bStandard => CalculationModeBody::B2bStandard,
            Self::B2cGrossDiscount => CalculationModeBody::B2cGrossDiscount,
        }
    }
}

type Localized = BTreeMap<String, String>;

/// Texts by locale.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DocumentTranslations)]
pub struct TranslationsBody {
    /// Notes, at most 10,000 characters each.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Localized>,
    /// Payment terms, at most 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_terms: Option<Localized>,
    /// Tax clauses, at most 2,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    tax_clause: Option<Localized>,
    /// Footers, at most 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    footer: Option<Localized>,
    /// Signatures, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Localized>,
}

impl Convert<Translations> for TranslationsBody {
    fn convert(self) -> Translations {
        let Self { note, payment_terms, tax_clause, footer, signature } = self;
        Translations { note, payment_terms, tax_clause, footer, signature }
    }
}

impl Convert<TranslationsBody> for Translations {
    fn convert(self) -> TranslationsBody {
        let Self { note, payment_terms, tax_clause, footer, signature } = self;
        TranslationsBody { note, payment_terms, tax_clause, footer, signature }
    }
}

/// A rate of exchange from the document's currency into the entity's.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExchangeRateInput)]
pub struct ExchangeRateInputBody {
    /// One unit of the document's currency in the entity's; above zero.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// Who published it; `manual` when absent.
    source: Option<String>,
    /// The day it is of; the document's date when absent.
    #[schema(schema_with = date_schema)]
    date: Option<DocumentDate>,
    /// The entity's currency; another is refused.
    quote_currency: Option<String>,
}

/// A line's financial category, said beside the lines.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CategoryAssignment)]
pub struct CategoryAssignmentBody {
    /// Zero-based index into `items`.
    item_index: u32,
    /// The category; null for none.
    financial_category_id: Option<String>,
}

/// A tax of a custom document's summary.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SummaryTaxInput)]
pub struct SummaryTaxInputBody {
    tax_id: Option<String>,
    #[schema(schema_with = number)]
    rate: Decimal,
    #[schema(schema_with = number)]
    base: Decimal,
    #[schema(schema_with = number)]
    amount: Decimal,
    reverse_charge: Option<bool>,
}

names! {
    /// What a document is.
    DocumentKindBody as DocumentType of racun_documents::DocumentKind {
        Invoice, Estimate, CreditNote, AdvanceInvoice, DeliveryNote
    }
}
names! {
    /// What an estimate calls itself.
    TitleTypeBody as TitleType of racun_documents::TitleType { Estimate, ProformaInvoice }
}

/// Declares a struct, and the names of its fields.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub struct $body:ident { $($(#[$field_meta:meta])* $field:ident: $kind:ty,)* }
    ) => {
        $(#[$meta])*
        pub struct $body {
            $($(#[$field_meta])* $field: $kind,)*
        }

        impl $body {
            /// Names of all properties.
            pub(super) const NAMES: &[&str] = &[$(stringify!($field)),*];
        }
    };
}

named! {
    /// Absent properties get their defaults, or stay when a document is changed.
    #[derive(Debug, Deserialize, ToSchema, Validate)]
    #[serde(deny_unknown_fields)]
    pub struct DocumentProperties {
        /// Whether to make a draft, without a number; false when absent.
        is_draft: Option<bool>,
        /// Date of the document; today in the entity's zone when absent. Not in the future.
        #[schema(schema_with = date_schema)]
        date: Option<DocumentDate>,
        /// Due date. Of invoices the date and the entity's due days when absent, none when null.
        #[schema(schema_with = date_schema)]
        #[serde(default)]
        date_due: Patch<DocumentDate>,
        /// Last day on which it is valid; the date and the entity's days when absent.
        #[schema(schema_with = date_schema)]
        #[serde(default)]
        date_valid_till: Patch<DocumentDate>,
        /// Day of the service, or its first.
        #[schema(schema_with = date_schema)]
        #[serde(default)]
        date_service: Patch<DocumentDate>,
        /// Last day of the service.
        #[schema(schema_with = date_schema)]
        #[serde(default)]
        date_service_to: Patch<DocumentDate>,
        /// What it calls itself; `estimate` when absent.
        title_type: Option<TitleTypeBody>,
        /// Whether it shows no prices; the setting when absent.
        hide_prices: Option<bool>,
        /// What differs from the issuer that the entity's record gives.
        issuer: Option<PartyInputBody>,
        /// A catalogue customer.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        customer_id: Patch<String>,
        /// The customer, or what differs from the catalogue's.
        #[schema(value_type = Option<PartyInputBody>)]
        #[serde(default)]
        customer: Patch<PartyInputBody>,
        /// A business unit.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        business_unit_id: Patch<String>,
        /// What differs from the unit's record.
        business_unit: Option<UnitInputBody>,
        /// Its source documents, by id. They must be issued and not voided.
        linked_documents: Option<Vec<String>>,
        /// Links also what was converted or used up before, or is of another customer.
        force_linked_documents: Option<bool>,
        /// Note; the default when absent, none when empty. So all texts.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        note: Patch<String>,
        /// Payment terms.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        payment_terms: Patch<String>,
        /// Tax clause.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        tax_clause: Patch<String>,
        /// Footer, at most 500 characters.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        footer: Patch<String>,
        /// Signature.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        signature: Patch<String>,
        /// Texts by locale.
        translations: Option<TranslationsBody>,
        /// How to calculate, also when lines change later; the entity's setting when absent.
        calculation_mode: Option<CalculationModeBody>,
        /// ISO 4217 code; the entity's currency when absent.
        currency_code: Option<String>,
        /// Rate into the entity's currency, when the document has another.
        #[schema(value_type = Option<ExchangeRateInputBody>)]
        #[serde(default)]
        exchange_rate: Patch<ExchangeRateInputBody>,
        /// The caller's reference.
        #[schema(value_type = Option<String>)]
        #[serde(default)]
        reference: Patch<String>,
        /// Up to 50 properties of at most 250 characters.
        #[schema(value_type = Option<BTreeMap<String, String>>)]
        #[serde(default)]
        metadata: Patch<BTreeMap<String, String>>,
        /// Lines. An update replaces them as a whole.
        items: Option<Vec<LineInputBody>>,
        /// Payments, at most 100: recorded with the document, or not at all.
        #[schema(max_items = 100)]
        payments: Option<Vec<PaymentInputBody>>,
        /// Where and by whom it is issued, if FURS receives it; ignored otherwise, but for the form
        /// of a bound book, which is then refused.
        furs: Option<FursInputBody>,
        /// The same in Croatia.
        fina: Option<FinaInputBody>,
        /// In which series and by whom it is issued, in Portugal; ignored otherwise.
        pt: Option<PtInputBody>,
        /// Whether it is checked for e-SLOG, of entities in Slovenia.
        eslog: Option<ValidationInputBody>,
        /// Whether it is checked for UJP, of entities in Slovenia.
        ujp: Option<ValidationInputBody>,
        /// Whether it is checked for XRechnung, of entities in Germany.
        xrechnung: Option<ValidationInputBody>,
        /// Whether it is checked for ZUGFeRD, of entities in Germany.
        zugferd: Option<ValidationInputBody>,
        /// Whether it is sent as an electronic invoice.
        e_invoicing: Option<SendingInputBody>,
        /// Financial categories by index of the line.
        category_assignments: Option<Vec<CategoryAssignmentBody>>,
        /// The total that the caller expects; a rounding difference is reconciled.
        #[schema(schema_with = nullable_number)]
        expected_total_with_tax: Option<Decimal>,
        /// Before tax; needed.
        #[schema(schema_with = nullable_number)]
        total: Option<Decimal>,
        /// With tax; needed. Total and taxes must come to it, within 0.01 per line.
        #[schema(schema_with = nullable_number)]
        total_with_tax: Option<Decimal>,
        /// Discounts before tax; 0 when absent.
        #[schema(schema_with = nullable_number)]
        total_discount: Option<Decimal>,
        /// Taxes.
        taxes: Option<Vec<SummaryTaxInputBody>>,
        /// Why, at most 500 characters; kept with the version.
        change_reason: Option<String>,
    }
}

impl DocumentProperties {
    /// The document to make, and how it starts; with totals of its own when it is `custom`.
    ///
    /// # Errors
    /// All that is wrong with the body itself, by path.
    pub(super) fn creation(mut self, custom: bool) -> Result<(DocumentRequest, Creation), Issues> {
        let mut issues = Issues::default();
        let custom = custom.then(|| self.totals(&mut issues));
        let payments = self.payments.take().unwrap_or_default().convert();
        let is_draft = self.is_draft.unwrap_or(false);
        let fiscal = fiscal_request(self.furs.take(), self.fina.take(), self.pt.take());
        let fiscal = issues.note(fiscal).unwrap_or_default();
        let creation = Creation { is_draft, custom, payments, fiscal, source: None };
        let request = self.request(&mut issues);
        issues.into_result((request, creation))
    }

    /// What to change, and why.
    ///
    /// # Errors
    /// All that is wrong with the body itself, by path.
    pub(super) fn change(mut self) -> Result<(DocumentRequest, Option<String>), Issues> {
        let mut issues = Issues::default();
        let change_reason = self.change_reason.take();
        let request = self.request(&mut issues);
        issues.into_result((request, change_reason))
    }

    fn totals(&mut self, issues: &mut Issues) -> CustomTotals {
        let mut needed = |field: &'static str, number: Option<Decimal>| {
            if number.is_none() {
                issues.push(Issue::new("required", "is required").at(field));
            }
            number.unwrap_or_else(Decimal::zero)
        };
        let total = needed("total", self.total.take());
        let total_with_tax = needed("total_with_tax", self.total_with_tax.take());
        CustomTotals {
            total,
            total_with_tax,
            total_discount: self.total_discount.take(),
            taxes: summary_taxes(self.taxes.take().unwrap_or_default(), issues),
        }
    }

    fn request(self, issues: &mut Issues) -> DocumentRequest {
        let unit = self.business_unit.as_ref().map_or(Ok(()), UnitInputBody::check);
        issues.collect("business_unit", unit);
        DocumentRequest {
            finds_customer_by_email: false,
            date: self.date.map(|date| date.0),
            date_due: self.date_due.map(|date| date.0),
            date_valid_till: self.date_valid_till.map(|date| date.0),
            title_type: self.title_type.convert(),
            hide_prices: self.hide_prices,
            linked_documents: self.linked_documents,
            force_linked_documents: self.force_linked_documents.unwrap_or(false),
            date_service: self.date_service.map(|date| date.0),
            date_service_to: self.date_service_to.map(|date| date.0),
            issuer: self.issuer.convert(),
            customer_id: self.customer_id,
            customer: self.customer.convert(),
            business_unit_id: self.business_unit_id,
            business_unit: self.business_unit.convert(),
            texts: TextDefaults {
                note: self.note,
                payment_terms: self.payment_terms,
                tax_clause: self.tax_clause,
                footer: self.footer,
                signature: self.signature,
            },
            translations: self.translations.convert(),
            calculation_mode: self.calculation_mode.convert(),
            currency_code: self.currency_code,
            metadata: issues
                .collect("metadata", self.metadata.try_map(Metadata::checked))
                .unwrap_or_default(),
            reference: self.reference,
            exchange_rate: self.exchange_rate.convert(),
            items: lines(self.items, issues),
            category_assignments: self.category_assignments.unwrap_or_default().convert(),
            e_invoices: EInvoiceInput {
                eslog: self.eslog,
                ujp: self.ujp,
                xrechnung: self.xrechnung,
                zugferd: self.zugferd,
                e_invoicing: self.e_invoicing,
            }
            .convert(),
            expected_total_with_tax: self.expected_total_with_tax,
        }
    }
}

fn lines(sent: Option<Vec<LineInputBody>>, issues: &mut Issues) -> Option<Vec<LineRequest>> {
    let mut inner = Issues::default();
    let lines = sent.map(|lines| {
        let lines = lines.into_iter().enumerate();
        lines.filter_map(|(n, line)| inner.collect(n, line.request())).collect()
    });
    issues.extend_at("items", inner);
    lines
}

fn summary_taxes(sent: Vec<SummaryTaxInputBody>, issues: &mut Issues) -> Vec<SummaryTax> {
    let mut inner = Issues::default();
    let mut taxes = Vec::with_capacity(sent.len());
    for (n, tax) in sent.into_iter().enumerate() {
        let tax_id = tax.tax_id.map(|id| id.parse()).transpose();
        let tax_id = tax_id.map_err(|error: racun_kernel::InvalidId| {
            Issues::from(Issue::new("invalid_id", error.to_string()).at("tax_id"))
        });
        taxes.extend(inner.collect(n, tax_id).map(|tax_id| SummaryTax {
            tax_id,
            rate: tax.rate,
            reverse_charge: tax.reverse_charge.unwrap_or(false),
            base: tax.base,
            amount: tax.amount,
        }));
    }
    issues.extend_at("taxes", inner);
    taxes
}

impl Convert<ExchangeRateRequest> for ExchangeRateInputBody {
    fn convert(self) -> ExchangeRateRequest {
        ExchangeRateRequest {
            rate: self.rate,
            source: self.source,
            date: self.date.map(|date| date.0),
            quote_currency: self.quote_currency,
        }
    }
}

impl Convert<CategoryAssignment> for CategoryAssignmentBody {
    fn convert(self) -> CategoryAssignment {
        CategoryAssignment {
            item_index: usize::try_from(self.item_index).unwrap_or(usize::MAX),
            financial_category_id: self.financial_category_id,
        }
    }
}
