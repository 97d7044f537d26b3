//! Parts of documents as they are answered, and answers that are not documents.

use racun_documents::{
    AdvanceTax, AppliedAdvance, Document, TaxAmounts, TransactionType, Version, ViesData,
};
use racun_kernel::calendar::{format_instant, format_midnight};
use racun_kernel::{Authority, Decimal, ExchangeRate};
use racun_sales::documents::{Newest, NextNumber};
use serde::Serialize;
use utoipa::ToSchema;

use super::input::CalculationModeBody;
use super::line::AnyLineBody;
use crate::body::{Convert, names};
use crate::schema::{nullable_number, number};

names! {
    /// Where a document comes from.
    CreationSourceBody as CreationSource of racun_documents::CreationSource {
        Api, Custom, Recurring, Pos, Order, PaymentApp
    }
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

/// A tax that money of an advance bore.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppliedAdvanceTax)]
pub struct AdvanceTaxBody {
    /// Percent.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// Before tax.
    #[schema(schema_with = number)]
    base: Decimal,
    #[schema(schema_with = number)]
    amount: Decimal,
    /// Whether the customer owes the tax; then `amount` is 0.
    reverse_charge: bool,
}

/// What an invoice has of an advance invoice, with the base and tax that it bore there: what the
/// final invoice deducts. Where it has a part of the advance, each rate is in proportion to what
/// the advance had left, rounded by the largest remainder; the parts of an advance come to the
/// advance.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppliedAdvance)]
pub struct AppliedAdvanceBody {
    /// The advance invoice.
    document_id: String,
    /// Its number.
    number: String,
    /// Its date: midnight UTC.
    date: String,
    /// With tax. `total_paid` holds it already.
    #[schema(schema_with = number)]
    amount: Decimal,
    /// Before tax.
    #[schema(schema_with = number)]
    total: Decimal,
    /// One for each rate.
    taxes: Vec<AdvanceTaxBody>,
}

impl Convert<AdvanceTaxBody> for AdvanceTax {
    fn convert(self) -> AdvanceTaxBody {
        let Self { rate, reverse_charge, base, amount } = self;
        AdvanceTaxBody { rate, base, amount, reverse_charge }
    }
}

impl Convert<AppliedAdvanceBody> for AppliedAdvance {
    fn convert(self) -> AppliedAdvanceBody {
        AppliedAdvanceBody {
            document_id: self.advance_id.to_string(),
            number: self.number,
            date: format_midnight(self.date),
            amount: self.share.amount,
            total: self.share.total,
            taxes: self.share.taxes.convert(),
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
    /// What VIES, the Union's register, had to say of the customer's VAT number.
    DocumentViesBody as ViesDocumentData from ViesData {
        /// The kind of sale that follows.
        transaction_type: TransactionTypeBody,
        /// Whether the customer owes the tax.
        reverse_charge_applies: bool,
        /// Whether the number is valid; null when VIES gave no answer.
        vies_valid: Option<bool>,
        /// Why the answer is not certain, or why the sale is none to a business.
        warning: Option<String>,
        /// Whether the number was not checked; the sale then counts as one to a business.
        skipped: bool,
        /// When VIES gave its answer, or the number was looked at.
        checked_at: String,
        /// The customer's country.
        country_code: Option<String>,
        /// The customer's tax number.
        tax_number: Option<String>,
        /// The number by which VIES remembers that it was asked: proof of the check. VIES gives one
        /// when the entity has a VAT number of its own.
        consultation_number: Option<String>,
    }
}

/// What a document would come to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Calculation)]
pub struct CalculationBody {
    items: Vec<AnyLineBody>,
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
        CalculationBody {
            items: AnyLineBody::all(&self),
            total: self.amounts.total,
            total_with_tax: self.amounts.total_with_tax,
            total_discount: self.amounts.total_discount,
            taxes: self.amounts.taxes.convert(),
            calculation_mode: self.mode.convert(),
            rounding_correction: self.amounts.rounding_correction,
            currency_code: self.content.currency.to_string(),
        }
    }
}

/// The number that the next document would get.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NextNumber)]
pub struct NextNumberBody {
    /// Null when the place of issue is not known, or in Portugal no series is active.
    #[schema(required = true)]
    number: Option<String>,
    /// The place of issue, when it is reported to FURS.
    #[schema(required = true)]
    furs: Option<FiscalPlaceBody>,
    /// The same in Croatia.
    #[schema(required = true)]
    fina: Option<FiscalPlaceBody>,
    /// The series, when it is certified in Portugal.
    #[schema(required = true)]
    pt: Option<NextSeriesBody>,
}

/// The series of a document that is certified in Portugal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NextNumberSeries)]
struct NextSeriesBody {
    series_id: String,
    series_code: String,
    /// The authority's code for the series.
    validation_code: String,
    /// Whether documents are recovered in it that were written by hand.
    manual: bool,
}

/// Where a document is issued.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FiscalPlace)]
struct FiscalPlaceBody {
    business_premise_name: String,
    electronic_device_name: String,
}

impl Convert<NextNumberBody> for NextNumber {
    fn convert(self) -> NextNumberBody {
        let place = |wanted: Authority| {
            let place = self.place.as_ref().filter(|place| place.authority == wanted)?;
            Some(FiscalPlaceBody {
                business_premise_name: place.premise.clone(),
                electronic_device_name: place.device.clone(),
            })
        };
        let (furs, fina) = (place(Authority::Furs), place(Authority::Fina));
        let pt = self.series.map(|series| NextSeriesBody {
            series_id: series.id.to_string(),
            series_code: series.series_code.as_str().to_owned(),
            validation_code: series.validation_code.as_str().to_owned(),
            manual: series.is_manual,
        });
        NextNumberBody { furs, fina, number: self.number, pt }
    }
}

/// Who changed a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VersionUser)]
pub(super) struct EditorBody {
    #[schema(required = true)]
    name: Option<String>,
    email: String,
}

/// One update of a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentVersion)]
pub(super) struct VersionBody {
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
    /// Whether there are older ones: a thousand are answered at most.
    has_more: bool,
}

impl VersionBody {
    pub(super) fn of(version: Version) -> Self {
        Self {
            version: version.version,
            changed_fields: version.changed_fields,
            user: version.user.map(|user| EditorBody { name: user.name, email: user.email }),
            change_reason: version.change_reason,
            created_at: format_instant(version.created_at),
        }
    }
}

impl VersionsBody {
    pub(super) fn of(newest: Newest<VersionBody>) -> Self {
        Self { versions: newest.rows, has_more: newest.has_more }
    }
}
