//! Routes of public data: rates of exchange, registers of companies, estimated rates of tax.

use actix_web::web;
use racun_access::Permission::ReadRecords;
use racun_billing::Feature;
use racun_kernel::calendar::{format_date, local_date, parse_date};
use racun_kernel::{Currency, Decimal, Issue, Issues};
use racun_lookups::{
    Company, CompanySearch, CurrencyCode, KeptTaxRate, LookupError, Question, Rate,
};
use serde::Serialize;
use time::Date;
use utoipa::ToSchema;

use crate::answer::Json;
use crate::body::{AllBody, Convert, answer};
use crate::call::{Call, EntityCall};
use crate::error::{ApiError, Kind};
use crate::request::Query;
use crate::route::{Gate, Parameter, Route};
use crate::schema::number;

const GATE: Gate = Gate::Entity(ReadRecords);
const CURRENCY: &str = "Currency";
const REGISTRY: &str = "Company registry";

/// What the rate's route does, in full.
const RATE_DETAIL: &str = "The reference rate of the European Central Bank of the last business \
                           day on or before the date; rates between two other currencies go \
                           through the euro and have ten decimals at most. `date` answers the day \
                           of the rate. A currency that the bank does not quote, or no longer, a \
                           date to come and one before 1999 are refused by name; a server that \
                           has not fetched the rates of the day answers 503. The sandbox has \
                           rates of its own that stand still: 1.25 USD, 0.8 GBP and 0.95 CHF for \
                           one euro, none of ILS, 10 of most others.";

/// Routes of public data.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/currency/exchange-rate", "getExchangeRate", GATE, || web::to(exchange_rate))
        .about(CURRENCY, "Answers the rate of exchange for a date.")
        .explained(RATE_DETAIL)
        .reads(&[
            Parameter::text("from", "Code of the currency of which one unit is exchanged."),
            Parameter::text("to", "Code of the other one; the entity's when absent."),
            Parameter::day("date", "The date; today when absent."),
        ])
        .answers::<RateBody>(),
    Route::get("/currency/currencies", "listCurrencies", GATE, || web::to(currencies))
        .about(CURRENCY, "Lists the currencies of which there are rates.")
        .answers::<AllBody<QuotedBody>>(),
    Route::get("/company-registry", "listCompanyRegistries", GATE, || web::to(countries))
        .about(REGISTRY, "Lists the countries whose registers this server has.")
        .answers::<CountriesBody>(),
    Route::get("/company-registry/search", "searchCompanyRegistry", GATE, || web::to(search))
        .about(REGISTRY, "Searches companies by name or number.")
        .explained(
            "Looks into the registers that the operator imported (`racun registry import`). All \
             words have to be in the name or the city, capitals and accents aside; a number may be \
             written with blanks, dots or its country.",
        )
        .reads(&[
            Parameter::text("q", "A part of the name or of a number, at least 2 characters."),
            Parameter::text("country_code", "Two letters; all registers when absent."),
            Parameter::integer("limit", "How many at most, up to 50; 10 when absent."),
        ])
        .answers::<AllBody<CompanyBody>>(),
    Route::get("/tax-rate-estimates/us", "listUsTaxRateEstimates", GATE, || web::to(estimates))
        .about("Tax rate estimates", "Lists estimated rates of sales tax of a zip code.")
        .explained(
            "For entities in the United States; others are answered 422 `feature_not_available`. \
             For information only: what a sale owes follows from the exact address and from what \
             is sold. The operator imports the rates (`racun tax-rates import`).",
        )
        .needs(Feature::UsTaxRateLookup)
        .reads(&[
            Parameter::text("zip_code", "Five digits."),
            Parameter::text("state", "Two letters of the state; all when absent."),
        ])
        .answers::<AllBody<EstimateBody>>(),
];

/// A rate of exchange.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReferenceRate)]
struct RateBody {
    /// The currency of which one unit is exchanged.
    from: String,
    /// The currency that it is exchanged into.
    to: String,
    /// One unit of the first in the second.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// The business day that the rate is of.
    #[schema(format = Date)]
    date: String,
    /// Who published it: `ecb`, or `sandbox`.
    source: String,
}

/// A currency of which there are rates.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuotedCurrency)]
struct QuotedBody {
    /// Its code of ISO 4217.
    code: String,
    /// Decimals of its amounts.
    decimals: i32,
    /// Units for one euro.
    #[schema(schema_with = number)]
    per_euro: Decimal,
    /// The business day of that rate.
    #[schema(format = Date)]
    date: String,
}

/// The countries whose registers there are.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CompanyRegistries)]
struct CountriesBody {
    /// Their codes, two letters each.
    data: Vec<String>,
}

answer! {
    /// A company of a public register.
    CompanyBody as RegisteredCompany from Company {
        /// What the register calls it.
        id: String,
        /// Its name.
        name: String,
        /// Street and number.
        address: Option<String>,
        /// City.
        city: Option<String>,
        /// Post code.
        post_code: Option<String>,
        /// The register's country.
        country_code: String,
        /// Tax number.
        tax_number: Option<String>,
        /// Number in the register.
        registration_number: Option<String>,
        /// Legal form, as the register writes it.
        legal_form: Option<String>,
        /// Numbers of its bank accounts.
        bank_accounts: Vec<String>,
    }
}

/// An estimated rate of sales tax.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaxRateEstimate)]
struct EstimateBody {
    /// Its id.
    id: String,
    /// `US`.
    country_code: String,
    /// Two letters of the state.
    state: String,
    /// Five digits.
    zip_code: String,
    /// The region that collects the tax.
    tax_region_name: String,
    /// All rates together, as a fraction: 0.095 is 9.5 %.
    #[schema(schema_with = number)]
    estimated_combined_rate: Decimal,
    /// The state's share.
    #[schema(schema_with = number)]
    state_rate: Decimal,
    /// The county's.
    #[schema(schema_with = number)]
    county_rate: Decimal,
    /// The city's.
    #[schema(schema_with = number)]
    city_rate: Decimal,
    /// Those of other districts.
    #[schema(schema_with = number)]
    special_rate: Decimal,
    /// How far the estimate may be off, as the source says.
    risk_level: i64,
    /// Who publishes it.
    source: String,
    /// The month that it is of, `YYYY-MM`.
    source_month: String,
    /// When it was imported.
    imported_at: String,
}

impl Convert<EstimateBody> for KeptTaxRate {
    fn convert(self) -> EstimateBody {
        let id = self.id().convert();
        let estimate = self.estimate;
        EstimateBody {
            id,
            country_code: "US".to_owned(),
            state: estimate.state,
            zip_code: estimate.zip_code,
            tax_region_name: estimate.tax_region_name,
            estimated_combined_rate: estimate.estimated_combined_rate,
            state_rate: estimate.state_rate,
            county_rate: estimate.county_rate,
            city_rate: estimate.city_rate,
            special_rate: estimate.special_rate,
            risk_level: estimate.risk_level,
            source: estimate.source,
            source_month: estimate.source_month,
            imported_at: self.imported_at.convert(),
        }
    }
}

/// What a request of a rate asks.
fn question(call: &EntityCall, query: &Query) -> Result<Question, ApiError> {
    let mut issues = Issues::default();
    let today = today(call);
    let code = |name: &str, text: &str| {
        text.parse::<CurrencyCode>().map_err(|wrong| {
            Issues::from(Issue::new("unknown_currency", wrong.to_string()).at(name))
        })
    };
    let from = match query.one("from")? {
        Some(text) => issues.note(code("from", text)),
        None => {
            let message = "say which currency is exchanged: a code such as USD";
            issues.push(Issue::new("required", message).at("from"));
            None
        }
    };
    let own = CurrencyCode::from(call.entity().currency);
    let to = match query.one("to")? {
        Some(text) => issues.note(code("to", text)),
        None => Some(own),
    };
    let date = match query.one("date")? {
        Some(text) => issues.note(parse_date(text).map_err(|issue| Issues::from(issue.at("date")))),
        None => Some(today),
    };
    issues.into_result(())?;
    let (from, to) = (from.unwrap_or(own), to.unwrap_or(own));
    Ok(Question { from, to, date: date.unwrap_or(today), today })
}

/// The entity's local day.
fn today(call: &EntityCall) -> Date {
    let now = call.stamp().now();
    local_date(now, &call.entity().timezone).unwrap_or_else(|| now.date())
}

async fn exchange_rate(call: EntityCall, query: Query) -> Result<Json<RateBody>, ApiError> {
    let question = question(&call, &query)?;
    let environment = call.scope().environment();
    let answered = racun_lookups::rate(call.store(), environment, &question).await;
    let Rate { found, source } = answered.map_err(|error| match error {
        LookupError::NoRate(none) => ApiError::no_rate(none, question.from),
        other => other.into(),
    })?;
    Ok(Json(RateBody {
        from: question.from.to_string(),
        to: question.to.to_string(),
        rate: found.rate,
        date: format_date(found.date),
        source: source.to_owned(),
    }))
}

async fn currencies(call: EntityCall) -> Result<Json<AllBody<QuotedBody>>, ApiError> {
    let environment = call.scope().environment();
    let day = racun_lookups::quoted(call.store(), environment, today(&call)).await?;
    let mut all = Vec::new();
    if let Some(day) = day {
        let date = format_date(day.date);
        let euro = std::iter::once((CurrencyCode::EUR, Decimal::from(1)));
        let mut quoted: Vec<_> = day.per_euro.into_iter().chain(euro).collect();
        quoted.sort_by_key(|(code, _)| *code);
        all.extend(quoted.into_iter().filter_map(|(code, per_euro)| {
            let currency: Currency = code.as_str().parse().ok()?;
            let (code, decimals) = (code.to_string(), i32::from(currency.decimals()));
            Some(QuotedBody { code, decimals, per_euro, date: date.clone() })
        }));
    }
    Ok(Json(AllBody::of(all)))
}

async fn countries(call: Call) -> Result<Json<CountriesBody>, ApiError> {
    Ok(Json(CountriesBody { data: racun_lookups::countries(call.store()).await? }))
}

async fn search(call: Call, query: Query) -> Result<Json<AllBody<CompanyBody>>, ApiError> {
    let limit = match query.one("limit")?.map(str::parse) {
        None => None,
        Some(Ok(limit)) => Some(limit),
        Some(Err(_)) => {
            let issue = Issue::new("invalid_type", "expected a whole number, such as 10");
            return Err(issue.at("limit").into());
        }
    };
    let search = CompanySearch {
        text: query.one("q")?.unwrap_or_default().to_owned(),
        country_code: query.one("country_code")?.map(str::to_owned),
        limit,
    };
    let found = racun_lookups::companies(call.store(), &search).await?;
    Ok(Json(found.convert()))
}

/// Accepts an entity whose country has such rates.
///
/// # Errors
/// 422 `feature_not_available`.
fn check_country(call: &EntityCall) -> Result<(), ApiError> {
    let feature = Feature::UsTaxRateLookup.slug();
    if call.entity().country_rules().features.contains(&feature) {
        return Ok(());
    }
    let message = "rates of sales tax are for entities in the United States";
    Err(ApiError::new(Kind::Unprocessable, message).caused_by("feature_not_available"))
}

async fn estimates(
    call: EntityCall,
    query: Query,
) -> Result<Json<AllBody<EstimateBody>>, ApiError> {
    check_country(&call)?;
    let zip_code = query.one("zip_code")?.unwrap_or_default();
    let found = racun_lookups::tax_rates(call.store(), zip_code, query.one("state")?).await?;
    Ok(Json(found.convert()))
}
