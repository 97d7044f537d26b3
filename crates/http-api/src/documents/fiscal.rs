//! Fiscal data of documents, both ways.

use racun_documents::{
    Document, FiscalRecord, FiscalStatus, Fiscalization, PaymentChange, TipReport,
};
use racun_fiscal::Means;
use racun_fiscalization::{FinaRequest, FiscalRequest, FiscalizeRequest, FursRequest};
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Authority, AuthorityError, Decimal, Issues, SalesBook};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::ToSchema;
use validator::Validate;

use super::portugal::PtInputBody;
use crate::body::{Convert, names};
use crate::fiscal::FiscalEnvironmentBody;
use crate::scalar::{Day, Instant};
use crate::schema::{nullable_number, number};

/// A form of a bound book (vezana knjiga računov, VKR), as its set and its book are printed on it.
/// Each form is entered once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SalesBookIdentifierInput)]
pub struct SalesBookInputBody {
    /// The number of the invoice on the form: 1 to 18 digits without leading zeros.
    #[schema(pattern = "^[1-9][0-9]{0,17}$")]
    invoice_number: String,
    /// The set of copies in the book: two digits, `01` to `99`.
    #[schema(pattern = "^[0-9]{2}$")]
    set_number: String,
    /// The serial number of the book, as in `5001-0001018`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{7}$")]
    serial_number: String,
}

impl Convert<SalesBook> for SalesBookInputBody {
    fn convert(self) -> SalesBook {
        let Self { invoice_number, set_number, serial_number } = self;
        SalesBook { invoice_number, set_number, serial_number }
    }
}

/// Where and by whom a document reported to FURS is issued. What is absent is taken from the caller
/// or the entity's settings, or is the only one there is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FursDocumentInput)]
pub struct FursInputBody {
    /// Name of the business premise.
    business_premise_name: Option<String>,
    /// Name of the electronic device.
    electronic_device_name: Option<String>,
    /// Tax number of who issues.
    operator_tax_number: Option<String>,
    /// Their mark on the document.
    operator_label: Option<String>,
    /// Issues without being fiscalized, as is allowed for what is paid by bank transfer or not
    /// paid.
    skip: Option<bool>,
    /// The form of a bound book that the document was written on while the device did not work. It
    /// has neither a device nor a ZOI; its number is serial number, set and invoice number, as in
    /// `5001-0001018-03-612`, and its date is `issue_date`.
    sales_book_identifier: Option<SalesBookInputBody>,
    /// The day on that form, `YYYY-MM-DD`, not in the future. Needed with it.
    #[schema(value_type = Option<String>)]
    issue_date: Option<Day>,
}

/// How a receipt is paid, in Croatia.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FinaPaymentType)]
pub enum FinaPaymentTypeBody {
    Cash,
    Card,
    Online,
    BankTransfer,
    OnlineWallet,
    Crypto,
    Coupon,
    Other,
}

impl Convert<Means> for FinaPaymentTypeBody {
    fn convert(self) -> Means {
        match self {
            Self::Cash => Means::Cash,
            Self::Card => Means::Card,
            Self::Online => Means::Online,
            Self::BankTransfer => Means::BankTransfer,
            Self::OnlineWallet => Means::OnlineWallet,
            Self::Crypto => Means::Crypto,
            Self::Coupon => Means::Coupon,
            Self::Other => Means::Other,
        }
    }
}

/// The place, the operator and the payment of a document that is reported to the Croatian
/// authority.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FinaDocumentInput)]
pub struct FinaInputBody {
    /// Name of the business premise.
    business_premise_name: Option<String>,
    /// Name of the electronic device.
    electronic_device_name: Option<String>,
    /// OIB of who issues.
    operator_oib: Option<String>,
    /// Their mark on the document.
    operator_label: Option<String>,
    /// How it is paid; as its payments say when absent, else by bank transfer.
    payment_type: Option<FinaPaymentTypeBody>,
    /// True is refused: fiscalization cannot be skipped in Croatia.
    skip: Option<bool>,
    /// The number of the receipt of a bound book (paragon) that the document was written on while
    /// the device did not work: 1 to 100 characters. The document takes the next number of its
    /// sequence, in the year of `issued_at`.
    #[schema(min_length = 1, max_length = 100)]
    paragon_br_rac: Option<String>,
    /// The time on that receipt, with `Z` or an offset: not in the future, at most 30 days ago.
    /// Needed with it. The document's date is that day in Croatia.
    #[schema(value_type = Option<String>, format = DateTime)]
    issued_at: Option<Instant>,
}

/// What is said of fiscalization by what a body holds.
///
/// # Errors
/// What is wrong with the properties of Portugal themselves, by path.
pub(crate) fn fiscal_request(
    furs: Option<FursInputBody>,
    fina: Option<FinaInputBody>,
    pt: Option<PtInputBody>,
) -> Result<FiscalRequest, Issues> {
    let furs = furs.map_or_else(FursRequest::default, |furs| FursRequest {
        business_premise_name: furs.business_premise_name,
        electronic_device_name: furs.electronic_device_name,
        operator_tax_number: furs.operator_tax_number,
        operator_label: furs.operator_label,
        skip: furs.skip,
        sales_book: furs.sales_book_identifier.convert(),
        issue_date: furs.issue_date.map(|date| date.0),
    });
    let fina = fina.map_or_else(FinaRequest::default, |fina| FinaRequest {
        business_premise_name: fina.business_premise_name,
        electronic_device_name: fina.electronic_device_name,
        operator_oib: fina.operator_oib,
        operator_label: fina.operator_label,
        payment_type: fina.payment_type.convert(),
        skip: fina.skip,
        paragon: fina.paragon_br_rac,
        issued_at: fina.issued_at.map(|instant| instant.0),
    });
    let pt = pt.map(PtInputBody::parse).transpose().map_err(|issues| issues.at("pt"))?;
    Ok(FiscalRequest { furs, fina, pt: pt.unwrap_or_default() })
}

/// Where and by whom a document is fiscalized that was skipped. What was refused keeps its number,
/// and all that it was issued with.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = FiscalizeDocument)]
pub struct FiscalizeBody {
    /// Name of the business premise.
    business_premise_name: Option<String>,
    /// Name of the electronic device.
    electronic_device_name: Option<String>,
    /// Tax number of who issues.
    operator_tax_number: Option<String>,
    /// Their mark on the document.
    operator_label: Option<String>,
    /// Whether they have no Slovenian tax number.
    foreign_operator: Option<bool>,
}

impl Convert<FiscalizeRequest> for FiscalizeBody {
    fn convert(self) -> FiscalizeRequest {
        FiscalizeRequest {
            business_premise_name: self.business_premise_name,
            electronic_device_name: self.electronic_device_name,
            operator_number: self.operator_tax_number,
            operator_label: self.operator_label,
            foreign_operator: self.foreign_operator,
        }
    }
}

names! {
    /// How far the report of a document has come.
    FiscalStatusBody as FiscalizationStatus of FiscalStatus { Pending, Success, Failed, Skipped }
}

/// A form of a bound book.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SalesBookIdentifier)]
struct SalesBookBody {
    /// The number of the invoice on the form.
    invoice_number: String,
    /// The set of copies in the book.
    set_number: String,
    /// The serial number of the book.
    serial_number: String,
}

impl From<&SalesBook> for SalesBookBody {
    fn from(book: &SalesBook) -> Self {
        let SalesBook { invoice_number, set_number, serial_number } = book.clone();
        Self { invoice_number, set_number, serial_number }
    }
}

/// A document's report to FURS. A form of a bound book has neither device nor mark nor code.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FursData)]
struct FursDataBody {
    business_premise_name: String,
    /// Null for a form of a bound book.
    #[schema(required = true)]
    electronic_device_name: Option<String>,
    /// Its place in the sequence of its premise or device, or the number on its form.
    invoice_number: i64,
    /// The issuer's mark; null for a form of a bound book.
    #[schema(required = true)]
    zoi: Option<String>,
    /// The mark as messages call it: `ProtectedID`; null for a form of a bound book.
    #[schema(required = true)]
    protected_id: Option<String>,
    /// The authority's id; null while it has not confirmed the document.
    #[schema(required = true)]
    eor: Option<String>,
    /// The 60 digits of the code to print; null for a form of a bound book.
    #[schema(required = true)]
    qr: Option<String>,
    /// Null for a foreigner.
    #[schema(required = true)]
    operator_tax_number: Option<String>,
    #[schema(required = true)]
    operator_label: Option<String>,
    environment: FiscalEnvironmentBody,
    /// Id of the last message.
    message_id: String,
    #[schema(required = true)]
    special_notes: Option<String>,
    /// Whether the last message said that the document was handed out before.
    subsequent_submit: bool,
    /// The form of a bound book that it was written on; null for what a device issued.
    #[schema(required = true)]
    sales_book_identifier: Option<SalesBookBody>,
    /// The day on that form.
    #[schema(required = true)]
    issue_date: Option<String>,
    /// All errors that the authority answered last, in its words; empty when it refused nothing.
    errors: Vec<AuthorityErrorBody>,
}

/// An error that a tax authority answered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuthorityError)]
struct AuthorityErrorBody {
    /// Its code: `S006` of FURS, `s013` of CIS, or a number that the text of `s013` lists.
    code: String,
    /// Its text; of a number what it means.
    message: String,
}

impl From<&AuthorityError> for AuthorityErrorBody {
    fn from(error: &AuthorityError) -> Self {
        Self { code: error.code.clone(), message: error.message.clone() }
    }
}

/// What FURS knows of a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FursFiscalization)]
pub struct FursFiscalizationBody {
    status: FiscalStatusBody,
    /// When the authority first confirmed it.
    #[schema(required = true)]
    fiscalized_at: Option<String>,
    /// The authority's code, when it last answered an error.
    #[schema(required = true)]
    error: Option<String>,
    /// Null when it is skipped.
    #[schema(required = true)]
    data: Option<FursDataBody>,
}

impl FursFiscalizationBody {
    /// What FURS knows of `document`.
    pub(super) fn of(document: &Document) -> Option<Self> {
        let fiscal = of_authority(document, Authority::Furs)?;
        let data = |record: &FiscalRecord| FursDataBody {
            business_premise_name: record.premise.clone(),
            electronic_device_name: record.device.clone(),
            invoice_number: record.number,
            zoi: written(&record.mark),
            protected_id: written(&record.mark),
            eor: fiscal.confirmation().cloned(),
            qr: written(&record.qr),
            operator_tax_number: record.operator_number.clone(),
            operator_label: record.operator_label.clone(),
            environment: record.environment.convert(),
            message_id: record.message_id.clone(),
            special_notes: record.special_notes.clone(),
            subsequent_submit: record.is_late,
            sales_book_identifier: record.book.as_ref().map(SalesBookBody::from),
            issue_date: record.book.as_ref().map(|_| format_date(record.issued_at.date())),
            errors: fiscal.errors.iter().map(AuthorityErrorBody::from).collect(),
        };
        Some(Self {
            status: fiscal.status.convert(),
            fiscalized_at: fiscal.fiscalized_at.map(format_instant),
            error: fiscal.error.clone(),
            data: fiscal.record.as_ref().map(data),
        })
    }
}

/// A change of a payment that the authority has not confirmed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnconfirmedPaymentChange)]
struct PaymentChangeBody {
    /// Its type until then; `none` for a payment that is recorded, or comes back from the trash.
    from: String,
    /// Its type to be; `none` for a payment that is deleted.
    to: String,
    attempted_at: String,
}

impl From<&PaymentChange> for PaymentChangeBody {
    fn from(change: &PaymentChange) -> Self {
        let attempted_at = format_instant(change.attempted_at);
        Self { from: change.from.clone(), to: change.to.clone(), attempted_at }
    }
}

/// The tips on a document, which the authority of Croatia receives within two days of its issue.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FinaTips)]
struct FinaTipsBody {
    /// The sum of the tips of all its payments, in euros.
    #[schema(schema_with = number)]
    amount: Decimal,
    /// How they were paid; `other` for several ways.
    payment_type: String,
    /// Whether the authority holds them as they are.
    confirmed: bool,
    /// The sum that the authority confirmed last.
    #[schema(schema_with = nullable_number, required = true)]
    confirmed_amount: Option<Decimal>,
    /// When it did.
    #[schema(required = true)]
    confirmed_at: Option<String>,
    /// Why the last report failed: the authority's code, or `fina_tip_window_expired` when the two
    /// days passed and the report was given up.
    #[schema(required = true)]
    error: Option<String>,
    /// All errors that the authority answered to the last report, in its words.
    errors: Vec<AuthorityErrorBody>,
}

impl From<&TipReport> for FinaTipsBody {
    fn from(report: &TipReport) -> Self {
        Self {
            amount: report.tips.amount.clone(),
            payment_type: report.tips.payment_type.clone(),
            confirmed: report.is_confirmed(),
            confirmed_amount: report.confirmed.as_ref().map(|tips| tips.amount.clone()),
            confirmed_at: report.confirmed_at.map(format_instant),
            error: report.error.clone(),
            errors: report.errors.iter().map(AuthorityErrorBody::from).collect(),
        }
    }
}

/// The data of a document that is reported to the authority of Croatia.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FinaData)]
struct FinaDataBody {
    business_premise_name: String,
    electronic_device_name: String,
    /// Its place in the sequence of its premise or device.
    invoice_number: i64,
    /// The issuer's mark.
    zki: String,
    /// The authority's id; null while it has not confirmed the document.
    #[schema(required = true)]
    jir: Option<String>,
    /// The address of the code to print.
    qr: String,
    /// The means of payment in the last report to the authority.
    #[schema(required = true)]
    payment_type: Option<String>,
    #[schema(required = true)]
    operator_oib: Option<String>,
    #[schema(required = true)]
    operator_label: Option<String>,
    environment: FiscalEnvironmentBody,
    /// Id of the last message.
    message_id: String,
    /// When it was issued, with the offset of Europe/Zagreb.
    issued_at: String,
    /// Whether the last message said that the document was handed out before.
    subsequent_submit: bool,
    /// The number of the receipt of a bound book that it was written on; null for what a device
    /// issued.
    #[schema(required = true)]
    paragon_br_rac: Option<String>,
    /// All errors that the authority answered last, in its words; empty when it refused nothing.
    errors: Vec<AuthorityErrorBody>,
    /// Null while there is none.
    #[schema(required = true)]
    payment_change_unconfirmed: Option<PaymentChangeBody>,
    /// The report of its tips; null while there never were any.
    #[schema(required = true)]
    tips: Option<FinaTipsBody>,
}

/// What the authority of Croatia knows of a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FinaFiscalization)]
pub struct FinaFiscalizationBody {
    status: FiscalStatusBody,
    /// When the authority first confirmed it.
    #[schema(required = true)]
    fiscalized_at: Option<String>,
    /// The authority's code, when it last answered an error.
    #[schema(required = true)]
    error: Option<String>,
    #[schema(required = true)]
    data: Option<FinaDataBody>,
}

impl FinaFiscalizationBody {
    /// What the authority knows of `document`.
    pub(super) fn of(document: &Document) -> Option<Self> {
        let fiscal = of_authority(document, Authority::Fina)?;
        let unconfirmed = document.payment_change_unconfirmed.as_ref();
        let data = |record: &FiscalRecord| FinaDataBody {
            business_premise_name: record.premise.clone(),
            electronic_device_name: record.device.clone().unwrap_or_default(),
            invoice_number: record.number,
            zki: record.mark.clone(),
            jir: fiscal.confirmation().cloned(),
            qr: record.qr.clone(),
            payment_type: record.payment_type.clone(),
            operator_oib: record.operator_number.clone(),
            operator_label: record.operator_label.clone(),
            environment: record.environment.convert(),
            message_id: record.message_id.clone(),
            issued_at: with_offset(record.issued_at),
            subsequent_submit: record.is_late,
            paragon_br_rac: record.paragon.clone(),
            errors: fiscal.errors.iter().map(AuthorityErrorBody::from).collect(),
            payment_change_unconfirmed: unconfirmed.map(PaymentChangeBody::from),
            tips: fiscal.tips.as_deref().map(FinaTipsBody::from),
        };
        Some(Self {
            status: fiscal.status.convert(),
            fiscalized_at: fiscal.fiscalized_at.map(format_instant),
            error: fiscal.error.clone(),
            data: fiscal.record.as_ref().map(data),
        })
    }
}

fn of_authority(document: &Document, authority: Authority) -> Option<&Fiscalization> {
    document.fiscal.as_deref().filter(|fiscal| fiscal.authority == authority)
}

/// `text`; none when it is empty.
fn written(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// `instant` with the offset that it has.
fn with_offset(instant: OffsetDateTime) -> String {
    instant.format(&Rfc3339).unwrap_or_default()
}
