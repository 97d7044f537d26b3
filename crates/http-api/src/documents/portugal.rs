//! What a document in Portugal has, both ways.

use racun_documents::{Document, PtManual, PtOperatorSnapshot, PtRecord, PtReport, PtReportStatus};
use racun_fiscalization::certified::PtRequest;
use racun_kernel::calendar::format_instant;
use racun_kernel::id::PtSeriesId;
use racun_kernel::{Issue, Issues};
use racun_portugal::OperatorInput;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::{Convert, names};

/// In which series and by whom a document in Portugal is issued. What is absent is taken from the
/// caller or the entity's settings, or is the only active series of its type.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PtDocumentInput)]
pub struct PtInputBody {
    /// The series; the active one of the document's type when absent. Where several manual ones are
    /// open, one is named. An invoice in a series of the type `invoice_receipt` is a fatura-recibo,
    /// and is paid in full by its `payments`: one whose `payments` come to its total is in that
    /// series, where one is active and none is named.
    series_id: Option<String>,
    /// Whether the document is recovered from a form that was filled in by hand while the program
    /// could not be used. Its `date` is that of the form.
    manual: Option<bool>,
    /// The series printed on that form.
    #[schema(min_length = 1, max_length = 35)]
    manual_series_code: Option<String>,
    /// The number printed on that form.
    #[schema(minimum = 1)]
    manual_sequential_number: Option<i64>,
    /// First name of who issues.
    #[schema(max_length = 100)]
    operator_first_name: Option<String>,
    /// Their last name.
    #[schema(max_length = 100)]
    operator_last_name: Option<String>,
    /// Their tax number: nine digits.
    operator_tax_number: Option<String>,
    /// The same as `operator_first_name`.
    account_first_name: Option<String>,
    /// The same as `operator_last_name`.
    account_last_name: Option<String>,
    /// The same as `operator_tax_number`.
    account_tax_number: Option<String>,
}

impl PtInputBody {
    /// What is said of a document by what a body holds.
    ///
    /// # Errors
    /// An id of another form; two names of one property that differ.
    pub(crate) fn parse(self) -> Result<PtRequest, Issues> {
        let mut issues = Issues::default();
        let mut either = |name: &str, said: Option<String>, alias: Option<String>| {
            if said.is_some() && alias.is_some() && said != alias {
                let message = format!(
                    "this is another name of operator_{name}, which says otherwise; send one of \
                     them"
                );
                issues.push(Issue::new("invalid_value", message).at(format!("account_{name}")));
            }
            said.or(alias)
        };
        let operator = OperatorInput {
            first_name: either("first_name", self.operator_first_name, self.account_first_name),
            last_name: either("last_name", self.operator_last_name, self.account_last_name),
            tax_number: either("tax_number", self.operator_tax_number, self.account_tax_number),
        };
        let series_id = self.series_id.map(|id| id.parse::<PtSeriesId>()).transpose();
        let no_id = |_| Issue::new("invalid_id", "expected the id of a series: pt_series_…");
        let series_id = issues.collect("series_id", series_id.map_err(|e| no_id(e).into()));
        issues.into_result(PtRequest {
            series_id: series_id.flatten(),
            manual: self.manual.unwrap_or(false),
            manual_series_code: self.manual_series_code,
            manual_sequential_number: self.manual_sequential_number,
            operator,
        })
    }
}

names! {
    /// How far the report of a document to the authority has come.
    PtReportStatusBody as PtReportStatus of PtReportStatus { Pending, Success, Failed }
}

/// Who issued a document in Portugal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PtOperatorSnapshot)]
struct PtOperatorSnapshotBody {
    /// First name.
    first_name: String,
    /// Last name.
    last_name: String,
    /// Their tax number: nine digits.
    tax_number: String,
}

/// The form that a document was recovered from.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PtManualForm)]
struct PtManualBody {
    /// The series printed on it.
    series: String,
    /// The number printed on it.
    number: i64,
}

/// What the authority was told of a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PtData)]
struct PtDataBody {
    /// How far the report has come.
    status: PtReportStatusBody,
    /// How often it was sent.
    attempts: u32,
    /// The authority's code, when it last answered an error.
    #[schema(required = true)]
    code: Option<String>,
    /// What last came in the way.
    #[schema(required = true)]
    error: Option<String>,
    /// When the authority took it.
    #[schema(required = true)]
    reported_at: Option<String>,
}

/// What a document in Portugal has by being certified.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PtDocument)]
pub struct PtBody {
    /// The series that it is numbered in.
    series_id: String,
    /// What that is called.
    series_code: String,
    /// The authority's code for it.
    validation_code: String,
    /// The unique code, without `ATCUD:` before it.
    atcud: String,
    /// Its place in the series.
    sequential_number: i64,
    /// Its signature, Base64; null of receipts.
    #[schema(required = true)]
    hash: Option<String>,
    /// The version of the program's key; of a recovered document with its form: `1-FTM V/23`.
    hash_control: String,
    /// The four characters of the signature that paper has; null of receipts.
    #[schema(required = true)]
    hash_excerpt: Option<String>,
    /// What the QR code says.
    qr_payload: String,
    /// The number of the program's certificate.
    certificate_number: u16,
    /// Its type: `FT`, `FR`, `NC`, `OR` or `GT`.
    document_code: String,
    /// When it entered the system, as clocks at the establishment showed it.
    system_entry_date: String,
    /// The region whose rates of VAT it has: `PT`, `PT-AC` or `PT-MA`.
    region: String,
    /// Whether it was recovered from a form.
    manual: bool,
    /// That form; null for what the program issued.
    #[schema(required = true)]
    form: Option<PtManualBody>,
    /// Who issued it.
    operator: PtOperatorSnapshotBody,
    /// What the authority was told of it; null where it is not told document by document.
    #[schema(required = true)]
    data: Option<PtDataBody>,
}

impl PtBody {
    pub(super) fn of(document: &Document) -> Option<Self> {
        document.pt.as_deref().map(Self::from)
    }
}

impl From<&PtRecord> for PtBody {
    fn from(record: &PtRecord) -> Self {
        let PtOperatorSnapshot { first_name, last_name, tax_number } = record.operator.clone();
        let form = |manual: &PtManual| PtManualBody {
            series: manual.series.clone(),
            number: manual.number,
        };
        let data = |report: &PtReport| PtDataBody {
            status: report.status.convert(),
            attempts: report.attempts,
            code: report.code.clone(),
            error: report.error.clone(),
            reported_at: report.reported_at.map(format_instant),
        };
        Self {
            series_id: record.series_id.to_string(),
            series_code: record.series_code.clone(),
            validation_code: record.validation_code.clone(),
            atcud: record.atcud.clone(),
            sequential_number: record.number,
            hash: record.hash.clone(),
            hash_control: record.hash_control.clone(),
            hash_excerpt: record.excerpt(),
            qr_payload: record.qr.clone(),
            certificate_number: record.certificate,
            document_code: record.code.clone(),
            system_entry_date: record.entered_at.clone(),
            region: record.region.clone(),
            manual: record.manual.is_some(),
            form: record.manual.as_ref().map(form),
            operator: PtOperatorSnapshotBody { first_name, last_name, tax_number },
            data: record.report.as_deref().map(data),
        }
    }
}
