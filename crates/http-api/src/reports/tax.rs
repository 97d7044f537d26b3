//! Tax reports.

use actix_web::web;
use racun_access::Permission::{ManageFiscal, ReadRecords};
use racun_insights::{LedgerFormat, TaxPeriod, VatOverview};
use racun_kernel::calendar::format_date;
use racun_kernel::{Decimal, Issue};
use racun_reporting::profile::{Profile, change_profile};
use racun_reporting::tax::{self, FiledBook, ReportFile, SaidValues};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;
use validator::{Validate, ValidationErrors};

use super::days;
use super::findings::FindingBody;
use super::normirani::ReviewBody;
use crate::answer::{self, File};
use crate::body::Convert;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, Query};
use crate::route::{Gate, Parameter, Route};
use crate::scalar::Day;
use crate::schema::number;

const TAG: &str = "Tax reports";
const ZIP: &str = "application/zip";
const XML: &str = "application/xml";

const READ: Gate = Gate::Entity(ReadRecords);

const PERIOD: &[Parameter] = &[
    Parameter::integer("year", "The year. Required."),
    Parameter::integer("month", "The month, 1 to 12; this or `quarter`."),
    Parameter::integer("quarter", "The quarter, 1 to 4."),
];

const DAYS: &[Parameter] = &[
    Parameter::day("date_from", "The first day. Required."),
    Parameter::day("date_to", "The last day. Required; a year after the first at most."),
];

/// What both books do.
const BOOK: &str = "The archive holds the authority's electronic form (`DDV_KIR_KPR`, version \
                    1.3), which applies from July 2025 on. Amounts are in euros. What was left \
                    out, and what to look at, is in comments of the form, and in the summary: \
                    by reason, with the documents. KIR goes by the dates of documents, and names \
                    invoices whose supply lies outside the period; KPR leaves out what is dated \
                    after today. Of entities in Slovenia.";

const fn ledger(
    path: &'static str,
    operation: &'static str,
    to: fn() -> actix_web::Route,
) -> Route {
    Route::post(path, operation, READ, to)
        .explained(
            "Invoices and credit notes of the days, posted to the accounts of the profile. A \
             credit note changes sides. Comments in the file say which documents were left out, \
             and why. Days of which nothing is posted have no file: 422. Of entities in Slovenia.",
        )
        .takes_with::<DaysBody>(&["date_from", "date_to"])
        .answers_file(XML)
}

/// Routes of tax reports.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/tax-reports/kir", "exportKir", READ, || web::to(kir))
        .about(TAG, "Answers the book of issued invoices (KIR) of a month or a quarter.")
        .explained(BOOK)
        .reads(PERIOD)
        .answers_file(ZIP),
    Route::get("/tax-reports/kir", "getKirSummary", READ, || web::to(kir_summary))
        .about(TAG, "Answers the sums of KIR and what it leaves out.")
        .long()
        .reads(PERIOD)
        .answers::<BookBody>(),
    Route::post("/tax-reports/kpr", "exportKpr", READ, || web::to(kpr))
        .about(TAG, "Answers the book of received invoices (KPR) of a month or a quarter.")
        .explained(BOOK)
        .reads(PERIOD)
        .answers_file(ZIP),
    Route::get("/tax-reports/kpr", "getKprSummary", READ, || web::to(kpr_summary))
        .about(TAG, "Answers the sums of KPR and what it leaves out.")
        .long()
        .reads(PERIOD)
        .answers::<BookBody>(),
    Route::get("/tax-reports/vat", "getVatOverview", READ, || web::to(vat))
        .about(TAG, "Answers base and tax by rate, VAT category and kind of sale.")
        .explained(
            "Issued invoices less credit notes of the days, in the entity's currency; of any \
             country. `recapitulative` has the sales to businesses in other member states by \
             their VAT numbers, but for what is taxed by the margin.",
        )
        .long()
        .reads(DAYS)
        .answers::<VatBody>(),
    Route::get("/tax-reports/si/profile", "getSiTaxProfile", READ, || web::to(profile))
        .about(TAG, "Answers what the entity says of its taxes in Slovenia.")
        .answers::<ProfileBody>(),
    Route::patch(
        "/tax-reports/si/profile",
        "updateSiTaxProfile",
        Gate::Entity(ManageFiscal),
        || web::to(update_profile),
    )
    .about(TAG, "Changes what is sent of the profile; null removes.")
    .read_by(&["getSiTaxProfile"])
    .takes::<ProfileInput>()
    .answers::<ProfileBody>(),
    Route::post("/tax-reports/si/yearly/normirani/review", "reviewNormirani", READ, || {
        web::to(review)
    })
    .about(TAG, "Answers the yearly figures of a sole trader with flat-rate expenses.")
    .explained(
        "The brackets are those that other programs apply in 2026; they were not compared with an \
         official text, and a warning says so. Of entities in Slovenia.",
    )
    .takes_with::<YearBody>(&["year"])
    .answers::<ReviewBody>(),
    Route::post("/tax-reports/si/yearly/normirani/export", "exportNormirani", READ, || {
        web::to(export)
    })
    .about(TAG, "Answers the yearly figures as a file: `DDD-DDD_<year>.xml`.")
    .explained(
        "The authority's schema of this form could not be found: the file has a shape of its own, \
         in the namespace `urn:racun:ddd-ddd:1`, and says so. Its figures are to be entered at \
         eDavki. For resident sole traders with flat-rate expenses, by the profile.",
    )
    .takes_with::<YearExportBody>(&["year"])
    .answers_file(XML),
    ledger("/tax-reports/si/vod-xml", "exportVod", || web::to(vod))
        .about(TAG, "Answers issued documents as postings in the format VOD."),
    ledger("/tax-reports/si/vasco-xml", "exportVasco", || web::to(vasco))
        .about(TAG, "Answers issued documents as postings for Vasco."),
    ledger("/tax-reports/si/minimax-xml", "exportMinimax", || web::to(minimax))
        .about(TAG, "Answers issued documents as postings for Minimax."),
];

/// The days of a report.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = TaxReportDays)]
struct DaysBody {
    /// The first day.
    #[schema(value_type = String)]
    date_from: Option<Day>,
    /// The last day; a year after the first at most.
    #[schema(value_type = String)]
    date_to: Option<Day>,
}

/// A year.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = TaxReportYear)]
struct YearBody {
    /// The year, 2025 to 2100.
    year: i32,
}

/// A year, and what only the trader knows of it.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = NormiraniExport)]
struct YearExportBody {
    /// The year, 2025 to 2100.
    year: i32,
    /// Amounts that only the trader knows.
    manual_values: Option<ManualBody>,
}

/// Amounts that only the trader knows. One that is absent or null is 0, but tax that was withheld
/// or paid abroad is that of the profile (`default_withholding_tax_amount`,
/// `default_foreign_tax_credit_amount`).
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NormiraniManualValues)]
struct ManualBody {
    /// Tax that was withheld.
    #[schema(schema_with = number)]
    withholding_tax_amount: Option<Decimal>,
    /// Tax that was paid abroad.
    #[schema(schema_with = number)]
    foreign_tax_credit_amount: Option<Decimal>,
    /// Advances that were paid.
    #[schema(schema_with = number)]
    prior_advance_income_tax_amount: Option<Decimal>,
    /// What is taken off the revenue.
    #[schema(schema_with = number)]
    revenue_adjustment_decrease: Option<Decimal>,
    /// What is added to it.
    #[schema(schema_with = number)]
    revenue_adjustment_increase: Option<Decimal>,
}

impl Convert<SaidValues> for ManualBody {
    fn convert(self) -> SaidValues {
        SaidValues {
            withholding_tax: self.withholding_tax_amount,
            foreign_tax_credit: self.foreign_tax_credit_amount,
            prior_advance: self.prior_advance_income_tax_amount,
            decrease: self.revenue_adjustment_decrease,
            increase: self.revenue_adjustment_increase,
        }
    }
}

/// A VAT book in short.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VatBookSummary)]
struct BookBody {
    /// `KIR` or `KPR`.
    book: String,
    /// The first day.
    date_from: String,
    /// The last day.
    date_to: String,
    /// How many rows the form has.
    rows: usize,
    /// What the columns come to, by their names in the form: `P7`.
    totals: Map<String, Json>,
    /// Documents that are no row, by reason.
    left_out: Vec<FindingBody>,
    /// What is odd about rows.
    warnings: Vec<FindingBody>,
}

impl Convert<BookBody> for &FiledBook {
    fn convert(self) -> BookBody {
        let book = &self.book;
        let columns = (7..=27).map(|column| (format!("P{column}"), book.total(column)));
        let columns = columns.filter(|(_, total)| !total.is_zero());
        BookBody {
            book: book.kind.name().to_owned(),
            date_from: format_date(book.period.from()),
            date_to: format_date(book.period.to()),
            rows: book.rows.len(),
            totals: columns.map(|(name, total)| (name, json!(total))).collect(),
            left_out: (&book.left_out).convert(),
            warnings: (&book.warnings).convert(),
        }
    }
}

/// VAT of some days.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VatOverview)]
struct VatBody {
    /// The first day.
    #[schema(format = Date)]
    date_from: String,
    /// The last day.
    #[schema(format = Date)]
    date_to: String,
    /// The entity's currency, in which all amounts are.
    currency_code: String,
    /// Base and tax, by kind of sale, category and rate.
    rates: Vec<VatRateBody>,
    /// What all of them come to.
    total: VatTotalBody,
    /// Sales to businesses in other member states, but for what is taxed by the margin.
    recapitulative: Vec<UnionBuyerBody>,
    /// Documents that count.
    documents: usize,
    /// Voided documents of these days, which do not.
    voided: usize,
    /// Documents that do not count, by reason.
    left_out: Vec<FindingBody>,
    /// What is odd about those that do.
    warnings: Vec<FindingBody>,
}

/// What was sold at one rate.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VatRate)]
struct VatRateBody {
    /// Percent; 0 where the documents charge no tax.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// Before tax.
    #[schema(schema_with = number)]
    base: Decimal,
    /// The tax.
    #[schema(schema_with = number)]
    tax: Decimal,
    /// The VAT category, UNCL 5305: S, AE, K, G, O or E.
    category: String,
    /// The kind of sale: `domestic`, `intra_eu_b2b`, `intra_eu_b2c` or `third_country`.
    kind: String,
}

/// What all rates come to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VatTotal)]
struct VatTotalBody {
    /// Before tax.
    #[schema(schema_with = number)]
    base: Decimal,
    /// The tax.
    #[schema(schema_with = number)]
    tax: Decimal,
}

/// A business in another member state.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnionBuyer)]
struct UnionBuyerBody {
    /// The prefix of its VAT number: `EL` for Greece.
    country_code: String,
    /// The number behind the prefix.
    tax_number: String,
    /// Its name on the last document.
    #[schema(required = true)]
    name: Option<String>,
    /// Goods that it bought, before tax.
    #[schema(schema_with = number)]
    goods: Decimal,
    /// Services.
    #[schema(schema_with = number)]
    services: Decimal,
    /// What lines do not say to be either.
    #[schema(schema_with = number)]
    unclassified: Decimal,
}

fn overview(overview: VatOverview, currency: String) -> VatBody {
    let rate = |row: racun_insights::VatRow| VatRateBody {
        rate: row.rate,
        base: row.base,
        tax: row.tax,
        category: row.category.code().to_owned(),
        kind: row.kind.name().to_owned(),
    };
    let buyer = |buyer: racun_insights::UnionBuyer| UnionBuyerBody {
        country_code: buyer.number.state,
        tax_number: buyer.number.number,
        name: buyer.name,
        goods: buyer.goods,
        services: buyer.services,
        unclassified: buyer.unknown,
    };
    VatBody {
        date_from: format_date(overview.from),
        date_to: format_date(overview.to),
        currency_code: currency,
        rates: overview.rates.into_iter().map(rate).collect(),
        total: VatTotalBody { base: overview.base, tax: overview.tax },
        recapitulative: overview.recapitulative.into_iter().map(buyer).collect(),
        documents: overview.documents,
        voided: overview.voided,
        left_out: (&overview.left_out).convert(),
        warnings: (&overview.warnings).convert(),
    }
}

/// What an entity says of its taxes in Slovenia.
#[derive(Debug, ToSchema)]
#[schema(as = SiTaxProfileInput)]
#[expect(dead_code, reason = "it describes what is sent")]
struct ProfileInput {
    /// `sp`, `doo`, `dno` or `club`.
    business_form: Option<String>,
    /// `normirani` or `dejanski`.
    income_tax_regime: Option<String>,
    /// `standard`, `special_vat_identified` or `non_vat_subject`.
    vat_profile: Option<String>,
    /// `resident` or `non_resident`.
    tax_residency: Option<String>,
    /// `activity_codes` (`62.010`), `registration_number`, `accounting_type` (`records`,
    /// `single_entry`, `double_entry`), `normiranec_insurance_basis` (`full_time_self_employed`,
    /// `other`), `default_withholding_tax_amount`, `default_foreign_tax_credit_amount`.
    yearly_reporting: Option<Map<String, Json>>,
    /// `preferred_format` (`vod_xml`, `vasco_xml`, `minimax_xml`), which is kept for programs that
    /// ask: each format has a path of its own; and `konto_mappings`, an object of purposes and
    /// accounts.
    accounting_exports: Option<Map<String, Json>>,
}

/// What was sent of a profile: its properties are checked where they are known.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct SentProfile(Map<String, Json>);

impl Validate for SentProfile {
    fn validate(&self) -> Result<(), ValidationErrors> {
        Ok(())
    }
}

/// What an entity says of its taxes in Slovenia; what it does not say is absent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(as = SiTaxProfile, value_type = Object)]
struct ProfileBody(Json);

/// The whole number `name` of `query`.
fn whole(query: &Query, name: &str) -> Result<Option<i64>, ApiError> {
    let Some(text) = query.one(name)? else { return Ok(None) };
    let refused = || Issue::new("invalid_type", "expected a whole number").at(name);
    Ok(Some(text.parse().map_err(|_| refused())?))
}

fn period(query: &Query) -> Result<TaxPeriod, ApiError> {
    let (month, quarter) = (whole(query, "month")?, whole(query, "quarter")?);
    let year = whole(query, "year")?;
    let missing = || Issue::new("required", "name a year").at("year");
    Ok(TaxPeriod::new(year.ok_or_else(missing)?, month, quarter)?)
}

fn file(file: ReportFile, media_type: &'static str) -> File {
    File { media_type, name: file.name, bytes: file.bytes }
}

async fn kir(call: EntityCall, query: Query) -> Result<File, ApiError> {
    let book = tax::issued_book(call.cx(), call.entity(), period(&query)?).await?;
    Ok(file(book.archive()?, ZIP))
}

async fn kir_summary(call: EntityCall, query: Query) -> Result<answer::Json<BookBody>, ApiError> {
    let book = tax::issued_book(call.cx(), call.entity(), period(&query)?).await?;
    Ok(answer::Json((&book).convert()))
}

async fn kpr(call: EntityCall, query: Query) -> Result<File, ApiError> {
    let book = tax::received_book(call.cx(), call.entity(), period(&query)?).await?;
    Ok(file(book.archive()?, ZIP))
}

async fn kpr_summary(call: EntityCall, query: Query) -> Result<answer::Json<BookBody>, ApiError> {
    let book = tax::received_book(call.cx(), call.entity(), period(&query)?).await?;
    Ok(answer::Json((&book).convert()))
}

async fn vat(call: EntityCall, query: Query) -> Result<answer::Json<VatBody>, ApiError> {
    let (from, to) = days(&query)?;
    let found = tax::vat_overview(call.cx(), call.entity(), from, to).await?;
    Ok(answer::Json(overview(found, call.entity().currency.to_string())))
}

async fn profile(call: EntityCall) -> answer::Json<ProfileBody> {
    answer::Json(ProfileBody(Profile::of(call.entity()).answered(call.entity())))
}

async fn update_profile(
    call: EntityCall,
    body: Body<SentProfile>,
) -> Result<answer::Json<ProfileBody>, ApiError> {
    let sent = body.0.0;
    let task = call.run(|call| async move {
        let changed = change_profile(call.cx(), sent).await?;
        Ok::<_, ApiError>(changed.answered(call.entity()))
    });
    Ok(answer::Json(ProfileBody(task.await?)))
}

async fn review(
    call: EntityCall,
    body: Body<YearBody>,
) -> Result<answer::Json<ReviewBody>, ApiError> {
    let zero = Decimal::zero;
    let found = tax::yearly_review(call.cx(), call.entity(), body.0.year, zero(), zero()).await?;
    Ok(answer::Json(found.convert()))
}

async fn export(call: EntityCall, body: Body<YearExportBody>) -> Result<File, ApiError> {
    let manual = body.0.manual_values.unwrap_or_default().convert();
    let made = tax::yearly_file(call.cx(), call.entity(), body.0.year, manual).await?;
    Ok(file(made, XML))
}

async fn vod(call: EntityCall, body: Body<DaysBody>) -> Result<File, ApiError> {
    posted(&call, body.0, LedgerFormat::Vod).await
}

async fn vasco(call: EntityCall, body: Body<DaysBody>) -> Result<File, ApiError> {
    posted(&call, body.0, LedgerFormat::Vasco).await
}

async fn minimax(call: EntityCall, body: Body<DaysBody>) -> Result<File, ApiError> {
    posted(&call, body.0, LedgerFormat::Minimax).await
}

async fn posted(call: &EntityCall, body: DaysBody, format: LedgerFormat) -> Result<File, ApiError> {
    let needed = |day: Option<Day>, name: &str| {
        let missing = || Issue::new("required", "name a day, YYYY-MM-DD").at(name);
        day.map(|day| day.0).ok_or_else(missing)
    };
    let from = needed(body.date_from, "date_from")?;
    let to = needed(body.date_to, "date_to")?;
    let version = call.process().version;
    let made = tax::ledger_file(call.cx(), call.entity(), format, from, to, version).await?;
    Ok(file(made, XML))
}
