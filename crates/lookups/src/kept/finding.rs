//! The rate for a date, companies by text, estimates by zip code.

use racun_kernel::{
    Currency, Environment, ExchangeRate, Issue, Issues, Tenant, check_country_code, text,
    vat_number,
};
use racun_store::{Clause, ListQuery, Operator, Order, Part, Store, StoreError, Tally};
use time::Date;

use super::records::{COMPANIES, KeptCompany, KeptDay, KeptTaxRate, RATE_DAYS, TAX_RATE_ESTIMATES};
use crate::code::CurrencyCode;
use crate::company::Company;
use crate::rates::{DayRates, Found, Kept, NoRate, Question, source_name};
use crate::sandbox;
use crate::tax_rate::{is_state, is_zip_code};

/// Companies that one search answers.
const MAX_COMPANIES: usize = 50;
/// Characters of a search.
const MIN_SEARCH_CHARS: usize = 2;
/// Estimates that one answer holds: a zip code lies in a few regions.
const MAX_ESTIMATES: usize = 100;

/// Why nothing is found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// The question breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// There is no rate for the date.
    #[error(transparent)]
    NoRate(#[from] NoRate),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A rate, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    /// The rate, and its day.
    pub found: Found,
    /// Who published it.
    pub source: &'static str,
}

/// The answer to `question`: of what is kept, or in the sandbox of rates that stand still.
///
/// # Errors
/// [`LookupError::NoRate`], and when the store fails.
pub async fn rate(
    store: &dyn Store,
    environment: Environment,
    question: &Question,
) -> Result<Rate, LookupError> {
    if environment == Environment::Sandbox {
        return Ok(Rate { found: sandbox::answer(question)?, source: sandbox::SOURCE });
    }
    let found = match question.alone()? {
        Some(found) => found,
        None => question.answer(&kept_around(store, question).await?)?,
    };
    Ok(Rate { found, source: source_name() })
}

/// The reference rate at which a record in `currency` that is dated `date` is converted into
/// `into`; `None` where both are the same, or there is none for that date.
///
/// # Errors
/// When the store fails.
pub async fn reference_rate(
    store: &dyn Store,
    environment: Environment,
    [currency, into]: [Currency; 2],
    date: Date,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    if currency == into {
        return Ok(None);
    }
    let (from, to) = (CurrencyCode::from(currency), CurrencyCode::from(into));
    match rate(store, environment, &Question { from, to, date, today }).await {
        Ok(Rate { found, source }) => Ok(Some(ExchangeRate {
            rate: found.rate,
            source: source.to_owned(),
            date: found.date,
            quote_currency: into,
        })),
        Err(LookupError::Store(error)) => Err(error),
        Err(LookupError::NoRate(_) | LookupError::Invalid(_)) => Ok(None),
    }
}

/// Whether a record with `rate` takes the rate of `to` as its date moves there from `from`: a
/// reference rate that was found does, one that a caller gave stays.
#[must_use]
pub fn is_outdated(rate: &ExchangeRate, from: Date, to: Date) -> bool {
    from != to && [source_name(), sandbox::SOURCE].contains(&rate.source.as_str())
}

async fn kept_around(store: &dyn Store, question: &Question) -> Result<Kept, StoreError> {
    let date = question.date.into();
    let day = first(store, Some(Operator::Lte(date)), true).await?;
    let later = Operator::Gt(question.date.into());
    let goes_on = day.is_some() && first(store, Some(later), false).await?.is_some();
    Ok(Kept { day, goes_on })
}

/// The newest or oldest kept day of those that `operator` lets through.
pub(super) async fn first(
    store: &dyn Store,
    operator: Option<Operator>,
    newest: bool,
) -> Result<Option<DayRates>, StoreError> {
    let query = ListQuery {
        limit: 1,
        count: false,
        order: vec![Order::on(&RATE_DAYS, "date", newest)],
        clauses: operator
            .map(|operator| Clause::on(&RATE_DAYS, "date", operator))
            .into_iter()
            .collect(),
        ..ListQuery::first_page(&RATE_DAYS)
    };
    let page = store.page::<KeptDay>(&RATE_DAYS, &Tenant::directory(), &query).await?;
    Ok(page.rows.into_iter().next().map(|day| day.rates))
}

/// The last rates that there are for a sandbox or live entity; none where the server has none.
///
/// # Errors
/// When the store fails.
pub async fn quoted(
    store: &dyn Store,
    environment: Environment,
    today: time::Date,
) -> Result<Option<DayRates>, StoreError> {
    match environment {
        Environment::Sandbox => Ok(Some(sandbox::day(today))),
        Environment::Live => first(store, None, true).await,
    }
}

/// A search for companies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompanySearch {
    /// A part of the name or of a number, at least two characters.
    pub text: String,
    /// Two letters of the register's country; all registers when absent.
    pub country_code: Option<String>,
    /// How many at most; 10 when absent.
    pub limit: Option<usize>,
}

/// The companies that `search` finds: those in whose name, city or numbers each of its words
/// stands, whatever the capitals and accents, in the order of their names. A number may be written
/// with blanks, dots or its country.
///
/// # Errors
/// [`LookupError::Invalid`], and when the store fails.
pub async fn companies(
    store: &dyn Store,
    search: &CompanySearch,
) -> Result<Vec<Company>, LookupError> {
    let mut issues = Issues::default();
    let sought = search.text.trim();
    if sought.chars().count() < MIN_SEARCH_CHARS {
        let message = format!("at least {MIN_SEARCH_CHARS} characters");
        issues.push(Issue::new("too_short", message).at("q"));
    }
    text::check_field(&mut issues, "q", Some(sought), ListQuery::MAX_SEARCH_CHARS);
    if let Some(Err(issue)) = search.country_code.as_deref().map(check_country_code) {
        issues.push(issue.at("country_code"));
    }
    let limit = search.limit.unwrap_or(ListQuery::DEFAULT_LIMIT);
    if !(1..=MAX_COMPANIES).contains(&limit) {
        let message = format!("a number from 1 to {MAX_COMPANIES}");
        issues.push(Issue::new("out_of_range", message).at("limit"));
    }
    issues.into_result(())?;
    let mut query = ListQuery {
        limit,
        count: false,
        order: vec![Order::on(&COMPANIES, "name", false)],
        ..ListQuery::first_page(&COMPANIES)
    };
    if let Some(code) = &search.country_code {
        let code = Operator::Equals(code.to_ascii_uppercase().into());
        query.clauses.push(Clause::on(&COMPANIES, "country_code", code));
    }
    query.clauses.extend(
        words(sought).map(|word| Clause::on(&COMPANIES, "words", Operator::Contains(word))),
    );
    let page = store.page::<KeptCompany>(&COMPANIES, &Tenant::directory(), &query).await?;
    Ok(page.rows.into_iter().map(|kept| kept.company).collect())
}

/// The words of a search, folded; a number is one word without what parts its digits.
fn words(sought: &str) -> impl Iterator<Item = String> {
    let digits = sought.chars().filter(char::is_ascii_digit).count();
    let letters = sought.chars().filter(|sign| sign.is_alphabetic()).count();
    let is_number = digits > letters.max(2);
    let words: Vec<String> = match is_number {
        true => vec![vat_number::compact(sought)],
        false => sought.split_whitespace().map(str::to_owned).collect(),
    };
    words.into_iter().map(|word| text::fold(&word))
}

/// The countries of which a register was imported.
///
/// # Errors
/// When the store fails.
pub async fn countries(store: &dyn Store) -> Result<Vec<String>, StoreError> {
    let part = Part::field(&COMPANIES, "country_code");
    let by_country = Tally { by: vec![part], ..Tally::of(&COMPANIES) };
    let rows = store.tally(&Tenant::directory(), by_country).await?;
    let countries = rows.into_iter().flat_map(|row| row.by);
    Ok(countries.filter_map(|country| country.as_text()).collect())
}

/// The estimates of `zip_code`, of `state` only where it is named.
///
/// # Errors
/// [`LookupError::Invalid`], and when the store fails.
pub async fn tax_rates(
    store: &dyn Store,
    zip_code: &str,
    state: Option<&str>,
) -> Result<Vec<KeptTaxRate>, LookupError> {
    let mut issues = Issues::default();
    if !is_zip_code(zip_code) {
        let message = "expected five digits, such as 90210";
        issues.push(Issue::new("invalid_value", message).at("zip_code"));
    }
    let state = state.map(str::to_ascii_uppercase);
    if state.as_deref().is_some_and(|state| !is_state(state)) {
        let message = "expected two letters, such as CA";
        issues.push(Issue::new("invalid_value", message).at("state"));
    }
    issues.into_result(())?;
    let on =
        |name, value: String| Clause::on(&TAX_RATE_ESTIMATES, name, Operator::Equals(value.into()));
    let mut clauses = vec![on("zip_code", zip_code.to_owned())];
    clauses.extend(state.map(|state| on("state", state)));
    let query = ListQuery {
        limit: MAX_ESTIMATES,
        count: false,
        order: vec![Order::on(&TAX_RATE_ESTIMATES, "tax_region_name", false)],
        clauses,
        ..ListQuery::first_page(&TAX_RATE_ESTIMATES)
    };
    Ok(store.page(&TAX_RATE_ESTIMATES, &Tenant::directory(), &query).await?.rows)
}
