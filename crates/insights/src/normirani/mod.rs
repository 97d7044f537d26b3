//! The yearly report of sole traders in Slovenia whose expenses are a share of their revenue
//! (normirani odhodki): the figures, what to look at, and a file of them.
//!
//! | Module   | Owns                                                         |
//! | -------- | ------------------------------------------------------------ |
//! | `rules`  | brackets by year and basis of insurance                      |
//! | `review` | figures, warnings and issues of a year                       |
//! | `export` | the file `DDD-DDD_<year>.xml`                                |
//!
//! Sources: ZDoh-2, articles 48, 59 and 135.a, as two open-source programs for this tax apply them
//! in 2026; no official text or schema was at hand, and the answers say so.

mod export;
mod review;
mod rules;

pub use export::{ManualValues, YearlyReport, yearly_file_name, yearly_report};
pub use review::{
    AffectedDocument, IssueDetail, OfficialSource, RevenueDocument, Review, Severity, Warning,
    YearFacts, review,
};
pub use rules::{AutoValues, Basis, RuleSummary, Rules, YearInput};
