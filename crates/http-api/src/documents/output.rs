//! Documents as they are answered.

use std::collections::BTreeMap;

use racun_documents::{Document, ExchangeRate, TaxAmounts, TransactionType, Version, ViesData};
use racun_kernel::Decimal;
use racun_kernel::calendar::{format_date, format_instant, format_midnight};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::input::{CalculationModeBody, TranslationsBody};
use super::line::LineBody;
use super::party::{PartyBody, UnitBody};
use crate::body::{Convert, names};
use crate::openapi::{nullable_number, number};

names! {
    /// Where a document comes from.
    CreationSourceBody as CreationSource of racun_documents::CreationSource { Api, Custom }
}

/// A tax of the document's summary.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentSummaryTax)]
pub struct SummaryTaxBody {
    #[schema(required = true)]
    tax_id: Option<String>,
    /// Percent.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// Net total of the lines with this tax.
    #[schema(schema_with = number)]
    base: Decimal,
    #[schema(schema_with = number)]
    amount: Decimal,
    /// In the entity's currency, when the document has another.
    #[schema(schema_with = nullable_number, required = true)]
    base_converted: Option<Decimal>,
    #[schema(schema_with = nullable_number, required = true)]
    amount_converted: Option<Decimal>,
    /// Whether the customer owes the tax; then `amount` is 0.
    reverse_charge: bool,
}

impl Convert<SummaryTaxBody> for TaxAmounts {
    fn convert(self) -> SummaryTaxBody {
        SummaryTaxBody {
            tax_id: self.tax.tax_id.convert(),
            rate: self.tax.rate,
            base: self.tax.base,
            amount: self.tax.amount,
            base_converted: self.base_converted,
            amount_converted: self.amount_converted,
            reverse_charge: self.tax.reverse_charge,
        }
    }
}

/// A rate of exchange into the entity's currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExchangeRate)]
pub struct ExchangeRateBody {
    #[schema(schema_with = number)]
    rate: Decimal,
    source: String,
    date: String,
    quote_currency: String,
}

impl Convert<ExchangeRateBody> for ExchangeRate {
    fn convert(self) -> ExchangeRateBody {
        ExchangeRateBody {
            rate: self.rate,
            source: self.source,
            date: format_midnight(self.date),
            quote_currency: self.quote_currency.to_string(),
        }
    }
}

/// The kinds of sale.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = TransactionType)]
pub enum TransactionTypeBody {
    /// Both sides in one country.
    #[serde(rename = "domestic")]
    Domestic,
    /// To a business in another country of the Union.
    #[serde(rename = "intra_eu_b2b")]
    IntraEuB2b,
    /// To a consumer in another country of the Union.
    #[serde(rename = "intra_eu_b2c")]
    IntraEuB2c,
    /// To a business outside the Union.
    #[serde(rename = "3w_b2b")]
    ThirdCountryB2b,
    /// To a consumer outside the Union.
    #[serde(rename = "3w_b2c")]
    ThirdCountryB2c,
    /// Former name of sales outside the Union.
    #[serde(rename = "export")]
    Export,
}

impl Convert<TransactionTypeBody> for TransactionType {
    fn convert(self) -> TransactionTypeBody {
        match self {
            Self::Domestic => TransactionTypeBody::Domestic,
            Self::IntraEuB2b => TransactionTypeBody::IntraEuB2b,
            Self::IntraEuB2c => TransactionTypeBody::IntraEuB2c,
            Self::ThirdCountryB2b => TransactionTypeBody::ThirdCountryB2b,
            Self::ThirdCountryB2c => TransactionTypeBody::ThirdCountryB2c,
            Self::Export => TransactionTypeBody::Export,
        }
    }
}

crate::body::answer! {
    /// What VIES had to say of the customer's tax number.
    DocumentViesBody as ViesDocumentData from ViesData {
        /// The kind of sale that follows.
        transaction_type: TransactionTypeBody,
        /// Whether the customer owes the tax.
        reverse_charge_applies: bool,
        /// Whether the number is valid; null when nobody could be asked.
        vies_valid: Option<bool>,
        /// Why the answer is not certain.
        warning: Option<String>,
        /// Whether the number was not checked.
        skipped: bool,
        /// When.
        checked_at: String,
        /// The customer's country.
        country_code: Option<String>,
        /// The customer's tax number.
        tax_number: Option<String>,
    }
}

/// An invoice.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Invoice)]
pub struct InvoiceBody {
    id: String,
    /// The number as written; a placeholder that begins with `draft-` for drafts.
    number: String,
    is_draft: bool,
    /// Midnight UTC.
    date: String,
    issuer: PartyBody,
    #[schema(required = true)]
    business_unit_id: Option<String>,
    #[schema(required = true)]
    business_unit: Option<UnitBody>,
    #[schema(required = true)]
    customer_id: Option<String>,
    #[schema(required = true)]
    customer: Option<PartyBody>,
    #[schema(required = true)]
    note: Option<String>,
    #[schema(required = true)]
    payment_terms: Option<String>,
    #[schema(required = true)]
    tax_clause: Option<String>,
    #[schema(required = true)]
    footer: Option<String>,
    #[schema(required = true)]
    signature: Option<String>,
    translations: TranslationsBody,
    /// Before tax.
    #[schema(schema_with = number)]
    total: Decimal,
    /// With tax.
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    /// Discounts, before tax.
    #[schema(schema_with = number)]
    total_discount: Decimal,
    creation_source: CreationSourceBody,
    calculation_mode: CalculationModeBody,
    taxes: Vec<SummaryTaxBody>,
    currency_code: String,
    entity_id: String,
    date_year: i32,
    #[schema(required = true)]
    shareable_id: Option<String>,
    #[schema(required = true)]
    voided_at: Option<String>,
    #[schema(required = true)]
    transaction_type: Option<TransactionTypeBody>,
    metadata: BTreeMap<String, String>,
    #[schema(required = true)]
    exchange_rate: Option<ExchangeRateBody>,
    #[schema(schema_with = nullable_number, required = true)]
    total_converted: Option<Decimal>,
    #[schema(schema_with = nullable_number, required = true)]
    total_with_tax_converted: Option<Decimal>,
    /// Expected less calculated total; null unless a total was expected.
    #[schema(schema_with = nullable_number, required = true)]
    rounding_correction: Option<Decimal>,
    /// Null: e-SLOG validation is not part of this version.
    #[schema(required = true, value_type = Option<Object>)]
    eslog: Option<Json>,
    #[schema(required = true)]
    reference: Option<String>,
    #[schema(required = true)]
    vies: Option<DocumentViesBody>,
    #[schema(required = true)]
    deleted_at: Option<String>,
    created_at: String,
    updated_at: String,
    /// Midnight UTC.
    #[schema(required = true)]
    date_due: Option<String>,
    #[schema(schema_with = number)]
    total_paid: Decimal,
    #[schema(schema_with = number)]
    total_due: Decimal,
    paid_in_full: bool,
    /// Null: fiscalization is not part of this version.
    #[schema(required = true, value_type = Option<Object>)]
    furs: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    fina: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    pt: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    xrechnung: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    zugferd: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    ujp: Option<Json>,
    /// `YYYY-MM-DD`.
    #[schema(required = true)]
    date_service: Option<String>,
    /// `YYYY-MM-DD`.
    #[schema(required = true)]
    date_service_to: Option<String>,
    items: Vec<LineBody>,
    /// Empty: documents are not linked in this version.
    #[schema(value_type = Vec<Object>)]
    document_relations: Vec<Json>,
}

impl Convert<InvoiceBody> for Document {
    fn convert(self) -> InvoiceBody {
        let (number, is_draft) = (self.number(), self.is_draft());
        let (total_due, paid_in_full) = (self.total_due(), self.paid_in_full());
        let voided_at = self.voided_at().convert();
        let (created_at, updated_at) =
            (format_instant(self.created_at), format_instant(self.updated_at));
        let (content, amounts) = (self.content, self.amounts);
        let lines = content.lines.into_iter();
        let items =
            lines.map(|line| LineBody::of(line, self.id, &created_at, &updated_at)).collect();
        InvoiceBody {
            id: self.id.to_string(),
            number,
            is_draft,
            date: format_midnight(content.date),
            issuer: content.issuer.convert(),
            business_unit_id: content.business_unit_id.convert(),
            business_unit: content.business_unit.convert(),
            customer_id: content.customer_id.convert(),
            customer: content.customer.convert(),
            note: content.texts.note,
            payment_terms: content.texts.payment_terms,
            tax_clause: content.texts.tax_clause,
            footer: content.texts.footer,
            signature: content.texts.signature,
            translations: content.translations.convert(),
            total: amounts.total,
            total_with_tax: amounts.total_with_tax,
            total_discount: amounts.total_discount,
            creation_source: self.source.convert(),
            calculation_mode: self.mode.convert(),
            taxes: amounts.taxes.convert(),
            currency_code: content.currency.to_string(),
            entity_id: self.entity_id.to_string(),
            date_year: content.date.year(),
            shareable_id: self.shareable_id,
            voided_at,
            transaction_type: Some(content.transaction_type.convert()),
            metadata: content.metadata.convert(),
            exchange_rate: content.exchange_rate.convert(),
            total_converted: amounts.total_converted,
            total_with_tax_converted: amounts.total_with_tax_converted,
            rounding_correction: amounts.rounding_correction,
            eslog: None,
            reference: content.reference,
            vies: content.vies.convert(),
            deleted_at: self.deleted_at.convert(),
            created_at,
            updated_at,
            date_due: content.date_due.map(format_midnight),
            total_paid: amounts.total_paid,
            total_due,
            paid_in_full,
            furs: None,
            fina: None,
            pt: None,
            xrechnung: None,
            zugferd: None,
            ujp: None,
            date_service: content.date_service.map(format_date),
            date_service_to: content.date_service_to.map(format_date),
            items,
            document_relations: Vec::new(),
        }
    }
}

/// What a document would come to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Calculation)]
pub struct CalculationBody {
    items: Vec<LineBody>,
    #[schema(schema_with = number)]
    total: Decimal,
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    #[schema(schema_with = number)]
    total_discount: Decimal,
    taxes: Vec<SummaryTaxBody>,
    calculation_mode: CalculationModeBody,
    #[schema(schema_with = nullable_number, required = true)]
    rounding_correction: Option<Decimal>,
    currency_code: String,
}

impl Convert<CalculationBody> for Document {
    fn convert(self) -> CalculationBody {
        let body: InvoiceBody = self.convert();
        CalculationBody {
            items: body.items,
            total: body.total,
            total_with_tax: body.total_with_tax,
            total_discount: body.total_discount,
            taxes: body.taxes,
            calculation_mode: body.calculation_mode,
            rounding_correction: body.rounding_correction,
            currency_code: body.currency_code,
        }
    }
}

/// The number that the next document would get.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NextNumber)]
pub struct NextNumberBody {
    #[schema(required = true)]
    number: Option<String>,
    #[schema(required = true, value_type = Option<Object>)]
    furs: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    fina: Option<Json>,
    #[schema(required = true, value_type = Option<Object>)]
    pt: Option<Json>,
}

impl NextNumberBody {
    pub(super) const fn of(number: String) -> Self {
        Self { number: Some(number), furs: None, fina: None, pt: None }
    }
}

/// Who changed a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VersionUser)]
struct EditorBody {
    #[schema(required = true)]
    name: Option<String>,
    email: String,
}

/// One update of a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentVersion)]
struct VersionBody {
    /// 1 for the first update, and so on.
    version: i64,
    changed_fields: Vec<String>,
    /// Null when a key changed it.
    #[schema(required = true)]
    user: Option<EditorBody>,
    #[schema(required = true)]
    change_reason: Option<String>,
    created_at: String,
}

/// The updates of a document, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentVersions)]
pub struct VersionsBody {
    versions: Vec<VersionBody>,
}

impl Convert<VersionsBody> for Vec<Version> {
    fn convert(self) -> VersionsBody {
        let version = |version: Version| VersionBody {
            version: version.version,
            changed_fields: version.changed_fields,
            user: version.user.map(|user| EditorBody { name: user.name, email: user.email }),
            change_reason: version.change_reason,
            created_at: format_instant(version.created_at),
        };
        VersionsBody { versions: self.into_iter().map(version).collect() }
    }
}
