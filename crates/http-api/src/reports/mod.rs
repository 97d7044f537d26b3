//! Reports: statistics, tax reports, and what customers owe.
//!
//! | Module        | Owns                                                       |
//! | ------------- | ---------------------------------------------------------- |
//! | `categories`  | revenue by financial category                              |
//! | `stats`       | statistics                                                 |
//! | `tax`         | VAT books, VAT, the profile, yearly figures, ledgers       |
//! | `normirani`   | the yearly figures of a sole trader, as they are answered  |
//! | `findings`    | what a report left out, and what is odd                    |
//! | `receivables` | ages of what is open, and statements                       |
//! | `recognition` | revenue and cost over time                                 |
//! | `aging`       | ages of what is open as CSV and PDF                        |
//! | `statement`   | a statement as CSV and PDF                                 |
//! | `files`       | what reports in several formats have in common             |

mod aging;
pub(crate) mod categories;
mod files;
mod findings;
mod normirani;
pub(crate) mod receivables;
pub(crate) mod recognition;
mod statement;
pub(crate) mod stats;
pub(crate) mod tax;

use racun_kernel::calendar::parse_date;
use racun_kernel::{Issue, Issues};
use time::Date;

use crate::error::ApiError;
use crate::request::Query;

/// The day `name` of `query`; what is wrong with it goes to `issues`.
fn day(query: &Query, name: &str, issues: &mut Issues) -> Result<Option<Date>, ApiError> {
    let Some(text) = query.one(name)? else { return Ok(None) };
    let read = parse_date(text).map_err(Issues::from);
    Ok(issues.collect(name, read))
}

/// The days `date_from` and `date_to` of `query`, which both have to be named.
fn days(query: &Query) -> Result<(Date, Date), ApiError> {
    let mut issues = Issues::default();
    let [from, to] = ["date_from", "date_to"].map(|name| {
        let read = day(query, name, &mut issues)?;
        if query.one(name)?.is_none() {
            issues.push(Issue::new("required", "name a day, YYYY-MM-DD").at(name));
        }
        Ok::<_, ApiError>(read)
    });
    let (from, to) = (from?, to?);
    issues.into_result(())?;
    let missing = || ApiError::internal("a day that is missing is an issue");
    Ok((from.ok_or_else(missing)?, to.ok_or_else(missing)?))
}
