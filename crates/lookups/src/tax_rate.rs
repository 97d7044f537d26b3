//! Estimated rates of sales tax in the United States, by zip code. For information only: the rate
//! that a sale owes follows from the exact address and what is sold.

use std::io::Read;

use racun_kernel::{Decimal, calendar};
use serde::{Deserialize, Serialize};

use crate::csv_reader::{BadFile, CsvReader, Row};

/// Names of the columns: those of the interface's answer.
const COLUMNS: &[&str] = &[
    "country_code",
    "state",
    "zip_code",
    "tax_region_name",
    "estimated_combined_rate",
    "state_rate",
    "county_rate",
    "city_rate",
    "special_rate",
    "risk_level",
    "source",
    "source_month",
];
const REQUIRED: &[&str] = &["state", "zip_code", "estimated_combined_rate", "source_month"];

const MAX_TEXT_CHARS: usize = 200;

/// An estimate for a zip code, or the part of one that is in a tax region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxRateEstimate {
    /// Two capital letters of the state.
    pub state: String,
    /// Five digits.
    pub zip_code: String,
    /// The region that collects the tax.
    pub tax_region_name: String,
    /// All rates together, as a fraction: 0.095 is 9.5 %.
    pub estimated_combined_rate: Decimal,
    /// The state's share.
    pub state_rate: Decimal,
    /// The county's.
    pub county_rate: Decimal,
    /// The city's.
    pub city_rate: Decimal,
    /// Those of other districts.
    pub special_rate: Decimal,
    /// How far the estimate may be off, as the source says.
    pub risk_level: i64,
    /// Who publishes it.
    pub source: String,
    /// The month that it is of: `YYYY-MM`.
    pub source_month: String,
}

impl TaxRateEstimate {
    /// What is the same of two rows about one region.
    #[must_use]
    pub fn key(&self) -> String {
        format!("US/{}/{}/{}", self.zip_code, self.state, self.tax_region_name)
    }

    fn of(row: &Row<'_>) -> Result<Self, BadFile> {
        if row.text("country_code", 2)?.is_some_and(|code| code != "US") {
            return Err(row.bad("country_code", "only US is known"));
        }
        let state = row.required("state", 2)?;
        let zip_code = row.required("zip_code", 5)?;
        if !is_state(&state) {
            return Err(row.bad("state", "expected two capital letters, such as CA"));
        }
        if !is_zip_code(&zip_code) {
            return Err(row.bad("zip_code", "expected five digits, such as 90210"));
        }
        let source_month = row.required("source_month", 7)?;
        if calendar::parse_date(&format!("{source_month}-01")).is_err() {
            return Err(row.bad("source_month", "expected a month such as 2026-11"));
        }
        let risk_level = row.text("risk_level", 3)?.unwrap_or_else(|| "0".to_owned());
        let risk_level: u8 = risk_level
            .parse()
            .map_err(|_| row.bad("risk_level", "expected a whole number up to 255"))?;
        let part = |column| Ok::<_, BadFile>(rate(row, column)?.unwrap_or_else(Decimal::zero));
        Ok(Self {
            state,
            zip_code,
            tax_region_name: row.text("tax_region_name", MAX_TEXT_CHARS)?.unwrap_or_default(),
            estimated_combined_rate: rate(row, "estimated_combined_rate")?
                .ok_or_else(|| row.bad("estimated_combined_rate", "must not be empty"))?,
            state_rate: part("state_rate")?,
            county_rate: part("county_rate")?,
            city_rate: part("city_rate")?,
            special_rate: part("special_rate")?,
            risk_level: i64::from(risk_level),
            source: row.text("source", MAX_TEXT_CHARS)?.unwrap_or_else(|| "imported".to_owned()),
            source_month,
        })
    }
}

/// Whether `text` is how a state is written: two capital letters.
#[must_use]
pub fn is_state(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether `text` is how a zip code is written: five digits.
#[must_use]
pub fn is_zip_code(text: &str) -> bool {
    text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A fraction from 0 up to, and without, 1.
fn rate(row: &Row<'_>, column: &str) -> Result<Option<Decimal>, BadFile> {
    let Some(text) = row.text(column, 20)? else { return Ok(None) };
    let fraction: Option<Decimal> = text.parse().ok();
    let fraction = fraction.filter(|rate| !rate.is_negative() && *rate < Decimal::from(1));
    match fraction {
        Some(fraction) => Ok(Some(fraction)),
        None => Err(row.bad(column, "expected a fraction such as 0.095 for 9.5 %")),
    }
}

/// Reads a file of estimates row by row and hands each to `take`. The columns are those of the
/// interface's answer, in any order.
///
/// # Errors
/// [`BadFile`] at the first line that cannot be read, and whatever `take` answers.
pub fn read_tax_rates<E: From<BadFile>>(
    from: impl Read,
    mut take: impl FnMut(TaxRateEstimate) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = CsvReader::open(from, COLUMNS, REQUIRED)?;
    while let Some(row) = reader.next_row()? {
        take(TaxRateEstimate::of(&row)?)?;
    }
    Ok(())
}
