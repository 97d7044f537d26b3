//! Lines in document bodies.

use std::collections::BTreeMap;

use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{
    self as documents, Document, DocumentId, DocumentKind, Line, LineTranslations,
    RevenueRecognition,
};
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Classification, Decimal, Issues, Metadata, RecognitionMethod};
use racun_sales::documents::{LineRequest, LineTaxRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::{Convert, names};
use crate::scalar::Day;
use crate::schema::{nullable_number, number};

names! {
    /// A heading row without amounts.
    LineKindBody as DocumentItemType of documents::LineKind { Separator }
}
names! {
    /// What a line sells.
    ClassificationBody as Classification of Classification { Product, Service, Advance }
}
names! {
    /// What a discount's value counts.
    DiscountKindBody as DiscountType of DiscountKind { Percent, Amount }
}
names! {
    /// How the revenue of a line is spread over time.
    RecognitionMethodBody as RecognitionMethod of RecognitionMethod {
        Immediate, ServicePeriodDaily
    }
}

/// What is taken off a line.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LineDiscount)]
pub struct DiscountBody {
    /// Percent or money, at least 0.
    #[schema(schema_with = number)]
    value: Decimal,
    /// What `value` counts; `percent` when absent.
    #[serde(default = "percent")]
    #[schema(required = false)]
    r#type: DiscountKindBody,
}

const fn percent() -> DiscountKindBody {
    DiscountKindBody::Percent
}

/// What e-invoices need to know of a line.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = LineEInvoicing)]
pub struct LineEInvoicingBody {
    /// Code of its unit in UN/ECE Recommendation 20.
    unit_code: Option<String>,
}

/// A line's name and description by locale.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = LineTranslations)]
pub struct LineTranslationsBody {
    /// Names, at most 500 characters each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<BTreeMap<String, String>>,
    /// Descriptions, at most 10,000 characters each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<BTreeMap<String, String>>,
}

/// When the revenue of a line is earned.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RevenueRecognitionInput)]
pub struct RecognitionInputBody {
    /// How; the entity's default when absent.
    method: Option<RecognitionMethodBody>,
    /// First day of the service, `YYYY-MM-DD`.
    #[schema(value_type = Option<String>)]
    date_from: Option<Day>,
    /// Last day of the service, `YYYY-MM-DD`.
    #[schema(value_type = Option<String>)]
    date_to: Option<Day>,
}

/// When the revenue of a line is earned.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RevenueRecognition)]
pub struct RecognitionBody {
    method: Option<RecognitionMethodBody>,
    date_from: Option<String>,
    date_to: Option<String>,
}

/// A tax of a line: chosen by `tax_id`, else by `rate`, else by `classification`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DocumentItemTaxInput)]
pub struct LineTaxInputBody {
    /// A tax; its rate on the document's date holds.
    tax_id: Option<String>,
    /// A rate in percent; it needs no tax record.
    #[schema(schema_with = nullable_number)]
    rate: Option<Decimal>,
    /// The classification of a tax. Beside a rate it says how the tax is reported:
    /// `pnp` is Croatia's consumption tax, `margin` a sale that a margin scheme taxes, at rate 0.
    classification: Option<String>,
    /// Whether the customer owes the tax.
    reverse_charge: Option<bool>,
    /// Its amount, for custom documents.
    #[schema(schema_with = nullable_number)]
    amount: Option<Decimal>,
    /// Whether the buyer may deduct it.
    is_deductible: Option<bool>,
    /// How much of it, in percent.
    #[schema(schema_with = nullable_number)]
    deductible_percentage: Option<Decimal>,
    /// Portuguese exemption code.
    pt_exemption_code: Option<String>,
    /// Portuguese exemption reason.
    pt_exemption_reason: Option<String>,
}

/// A tax of a line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentItemTax)]
pub struct LineTaxBody {
    tax_id: Option<String>,
    /// Percent.
    #[schema(schema_with = number)]
    rate: Decimal,
    classification: Option<String>,
    reverse_charge: bool,
    /// The line's tax, in the document's currency.
    #[schema(schema_with = number)]
    amount: Decimal,
    is_deductible: Option<bool>,
    #[schema(schema_with = nullable_number)]
    deductible_percentage: Option<Decimal>,
    pt_exemption_code: Option<String>,
    pt_exemption_reason: Option<String>,
}

/// A line to make. It takes no other properties.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CreateDocumentItem)]
pub struct LineInputBody {
    /// `separator` for a heading row without amounts.
    r#type: Option<LineKindBody>,
    /// Name; the item's when absent.
    name: Option<String>,
    /// Description; the item's when absent.
    description: Option<String>,
    /// Name and description by locale.
    translations: Option<LineTranslationsBody>,
    /// What it sells; the item's when absent.
    classification: Option<ClassificationBody>,
    /// How many; 1 when absent.
    #[schema(schema_with = nullable_number)]
    quantity: Option<Decimal>,
    /// Price of one before tax. This, `gross_price` or an item's price is needed.
    #[schema(schema_with = nullable_number)]
    price: Option<Decimal>,
    /// Price of one with tax.
    #[schema(schema_with = nullable_number)]
    gross_price: Option<Decimal>,
    /// Unit of measure.
    unit: Option<String>,
    /// What e-invoices need to know.
    e_invoicing: Option<LineEInvoicingBody>,
    /// Taxes. When absent the item's, else the entity's default tax; `[]` means untaxed.
    taxes: Option<Vec<LineTaxInputBody>>,
    /// Discounts, at most five.
    discounts: Option<Vec<DiscountBody>>,
    /// A catalogue item, whose fields fill in what is absent.
    item_id: Option<String>,
    /// Whether to keep the line as a new catalogue item.
    save_item: Option<bool>,
    /// Category for reports.
    financial_category_id: Option<String>,
    /// Up to 50 properties of at most 250 characters.
    metadata: Option<BTreeMap<String, String>>,
    /// When its revenue is earned.
    revenue_recognition: Option<RecognitionInputBody>,
    /// Total before tax, for custom documents only.
    #[schema(schema_with = nullable_number)]
    total: Option<Decimal>,
    /// Total with tax, for custom documents only.
    #[schema(schema_with = nullable_number)]
    total_with_tax: Option<Decimal>,
}

impl LineInputBody {
    /// The line as asked for.
    ///
    /// # Errors
    /// What is wrong with its metadata.
    pub(super) fn request(self) -> Result<LineRequest, Issues> {
        let mut issues = Issues::default();
        let metadata = Metadata::checked(self.metadata.unwrap_or_default());
        let metadata = issues.collect("metadata", metadata).unwrap_or_default();
        issues.into_result(LineRequest {
            kind: self.r#type.convert(),
            name: self.name,
            description: self.description,
            translations: self.translations.convert(),
            classification: self.classification.convert(),
            quantity: self.quantity,
            price: self.price,
            gross_price: self.gross_price,
            unit: self.unit,
            unit_code: self.e_invoicing.and_then(|e_invoicing| e_invoicing.unit_code),
            taxes: self.taxes.convert(),
            discounts: self.discounts.unwrap_or_default().convert(),
            item_id: self.item_id,
            save_item: self.save_item.unwrap_or(false),
            financial_category_id: self.financial_category_id,
            revenue_recognition: self.revenue_recognition.convert(),
            metadata,
            total: self.total,
            total_with_tax: self.total_with_tax,
        })
    }
}

impl Convert<Discount> for DiscountBody {
    fn convert(self) -> Discount {
        Discount { value: self.value, kind: self.r#type.convert() }
    }
}

impl Convert<DiscountBody> for Discount {
    fn convert(self) -> DiscountBody {
        DiscountBody { value: self.value, r#type: self.kind.convert() }
    }
}

impl Convert<LineTranslations> for LineTranslationsBody {
    fn convert(self) -> LineTranslations {
        LineTranslations { name: self.name, description: self.description }
    }
}

impl Convert<LineTranslationsBody> for LineTranslations {
    fn convert(self) -> LineTranslationsBody {
        LineTranslationsBody { name: self.name, description: self.description }
    }
}

impl Convert<RevenueRecognition> for RecognitionInputBody {
    fn convert(self) -> RevenueRecognition {
        RevenueRecognition {
            method: self.method.convert(),
            date_from: self.date_from.map(|day| day.0),
            date_to: self.date_to.map(|day| day.0),
        }
    }
}

impl Convert<RecognitionBody> for RevenueRecognition {
    fn convert(self) -> RecognitionBody {
        RecognitionBody {
            method: self.method.convert(),
            date_from: self.date_from.map(format_date),
            date_to: self.date_to.map(format_date),
        }
    }
}

impl Convert<LineTaxRequest> for LineTaxInputBody {
    fn convert(self) -> LineTaxRequest {
        LineTaxRequest {
            tax_id: self.tax_id,
            rate: self.rate,
            classification: self.classification,
            reverse_charge: self.reverse_charge,
            amount: self.amount,
            is_deductible: self.is_deductible,
            deductible_percentage: self.deductible_percentage,
            pt_exemption_code: self.pt_exemption_code,
            pt_exemption_reason: self.pt_exemption_reason,
        }
    }
}

impl Convert<LineTaxBody> for documents::LineTaxDetail {
    fn convert(self) -> LineTaxBody {
        LineTaxBody {
            tax_id: self.tax_id.convert(),
            rate: self.rate,
            classification: self.classification,
            reverse_charge: self.reverse_charge,
            amount: self.amount,
            is_deductible: self.is_deductible,
            deductible_percentage: self.deductible_percentage,
            pt_exemption_code: self.pt_exemption_code,
            pt_exemption_reason: self.pt_exemption_reason,
        }
    }
}

macro_rules! line_answer {
    ($body:ident as $name:ident under $parent:ident) => {
        /// A line.
        #[derive(Debug, Serialize, ToSchema)]
        #[schema(as = $name)]
        pub struct $body {
            id: String,
            /// The document that it is of.
            $parent: String,
            #[schema(required = true)]
            item_id: Option<String>,
            #[schema(required = true)]
            r#type: Option<LineKindBody>,
            name: String,
            #[schema(required = true)]
            description: Option<String>,
            translations: LineTranslationsBody,
            #[schema(required = true)]
            classification: Option<ClassificationBody>,
            #[schema(schema_with = number)]
            quantity: Decimal,
            /// Price of one before tax; null when priced with tax.
            #[schema(schema_with = nullable_number, required = true)]
            price: Option<Decimal>,
            /// Price of one with tax; null when priced before tax.
            #[schema(schema_with = nullable_number, required = true)]
            gross_price: Option<Decimal>,
            #[schema(required = true)]
            unit: Option<String>,
            #[schema(required = true)]
            e_invoicing: Option<LineEInvoicingBody>,
            taxes: Vec<LineTaxBody>,
            discounts: Vec<DiscountBody>,
            /// After discounts, before tax.
            #[schema(schema_with = number)]
            total: Decimal,
            /// After discounts, with tax.
            #[schema(schema_with = number)]
            total_with_tax: Decimal,
            #[schema(schema_with = nullable_number, required = true)]
            total_converted: Option<Decimal>,
            #[schema(schema_with = nullable_number, required = true)]
            total_with_tax_converted: Option<Decimal>,
            #[schema(required = true)]
            financial_category_id: Option<String>,
            #[schema(required = true)]
            revenue_recognition: Option<RecognitionBody>,
            metadata: BTreeMap<String, String>,
            created_at: String,
            updated_at: String,
        }

        impl $body {
            /// `line` of the document `id`, which was made and changed at these times.
            pub(super) fn of(
                line: Line,
                id: DocumentId,
                created_at: &str,
                updated_at: &str,
            ) -> Self {
                Self {
                    id: line.id,
                    $parent: id.to_string(),
                    item_id: line.item_id.convert(),
                    r#type: line.kind.convert(),
                    name: line.name,
                    description: line.description,
                    translations: line.translations.convert(),
                    classification: line.classification.convert(),
                    quantity: line.quantity,
                    price: line.price,
                    gross_price: line.gross_price,
                    unit: line.unit,
                    e_invoicing: line
                        .unit_code
                        .map(|unit_code| LineEInvoicingBody { unit_code: Some(unit_code) }),
                    taxes: line.taxes.convert(),
                    discounts: line.discounts.convert(),
                    total: line.total,
                    total_with_tax: line.total_with_tax,
                    total_converted: line.total_converted,
                    total_with_tax_converted: line.total_with_tax_converted,
                    financial_category_id: line.financial_category_id.convert(),
                    revenue_recognition: line.revenue_recognition.convert(),
                    metadata: line.metadata.convert(),
                    created_at: created_at.to_owned(),
                    updated_at: updated_at.to_owned(),
                }
            }
        }
    };
}
line_answer! { InvoiceItemBody as InvoiceItem under invoice_id }
line_answer! { EstimateItemBody as EstimateItem under estimate_id }
line_answer! { CreditNoteItemBody as CreditNoteItem under credit_note_id }
line_answer! { AdvanceInvoiceItemBody as AdvanceInvoiceItem under advance_invoice_id }
line_answer! { DeliveryNoteItemBody as DeliveryNoteItem under delivery_note_id }

/// A line of a document of any kind.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = DocumentItem)]
pub enum AnyLineBody {
    /// Of an invoice.
    Invoice(InvoiceItemBody),
    /// Of an estimate.
    Estimate(EstimateItemBody),
    /// Of a credit note.
    CreditNote(CreditNoteItemBody),
    /// Of an advance invoice.
    AdvanceInvoice(AdvanceInvoiceItemBody),
    /// Of a delivery note.
    DeliveryNote(DeliveryNoteItemBody),
}

impl AnyLineBody {
    /// All lines of `document`.
    pub(super) fn all(document: &Document) -> Vec<Self> {
        let created_at = format_instant(document.created_at);
        let updated_at = format_instant(document.updated_at);
        let lines = document.content.lines.iter().cloned();
        lines.map(|line| Self::of(line, document.id, &created_at, &updated_at)).collect()
    }

    /// The line `line_id` of `document`, when it has it.
    pub(super) fn one(document: &Document, line_id: &str) -> Option<Self> {
        let line = document.content.lines.iter().find(|line| line.id == line_id)?;
        let created_at = format_instant(document.created_at);
        let updated_at = format_instant(document.updated_at);
        Some(Self::of(line.clone(), document.id, &created_at, &updated_at))
    }

    /// `line` of the document `id`, which was made and changed at these times.
    pub(super) fn of(line: Line, id: DocumentId, created_at: &str, updated_at: &str) -> Self {
        let (created, updated) = (created_at, updated_at);
        match id.kind() {
            DocumentKind::Invoice => Self::Invoice(InvoiceItemBody::of(line, id, created, updated)),
            DocumentKind::Estimate => {
                Self::Estimate(EstimateItemBody::of(line, id, created, updated))
            }
            DocumentKind::CreditNote => {
                Self::CreditNote(CreditNoteItemBody::of(line, id, created, updated))
            }
            DocumentKind::AdvanceInvoice => {
                Self::AdvanceInvoice(AdvanceInvoiceItemBody::of(line, id, created, updated))
            }
            DocumentKind::DeliveryNote => {
                Self::DeliveryNote(DeliveryNoteItemBody::of(line, id, created, updated))
            }
        }
    }
}
