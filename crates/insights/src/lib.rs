//! Figures: what documents, payments and expenses come to, for people and for authorities.
//!
//! Each figure is one fold over plain facts that the caller gives, so that what a store answers
//! can be compared with it.
//!
//! | Module       | Owns                                                                       |
//! | ------------ | -------------------------------------------------------------------------- |
//! | `facts`      | documents as reports look at them; what is left out or odd                  |
//! | `period`     | months and quarters of tax                                                 |
//! | `categories` | revenue by the financial categories of lines                               |
//! | `category`   | VAT categories of what was sold                                            |
//! | `vat`        | VAT by rate, category and kind of sale; the recapitulative figures         |
//! | `vat_book`   | the VAT books of Slovenia, KIR and KPR, in the authority's form            |
//! | `normirani`  | the yearly figures of flat-rate sole traders in Slovenia                   |
//! | `ledger`     | issued documents as postings: VOD, Vasco, Minimax                          |
//! | `stats`      | statistics: queries, and what they mean                                    |
//! | `recognition` | when revenue is earned and cost incurred                                  |
//! | `receivables` | what customers owe, by age and as statements                              |
//! | `xml`        | elements                                                                   |
//! | `amounts`    | amounts with two decimals                                                  |
//!
//! **Invariants.** A report names every document that it leaves out, and why. Sums are exact.
//! Nothing here reads a clock, a store or the network.

mod amounts;
mod categories;
mod category;
mod facts;
mod ledger;
mod normirani;
mod period;
mod receivables;
mod recognition;
mod stats;
mod vat;
mod vat_book;
mod xml;

pub use categories::{CategoryLine, CategoryRevenue, RevenueByCategory};
pub use category::Category;
pub use facts::{
    Bought, Finding, Findings, Named, Partner, Said, Sale, Sold, SoldKind, TaxPart, UnionNumber,
};
pub use ledger::{
    ACCOUNTS, Account, Accounts, Ledger, LedgerFormat, Posting, Role, Side, postings,
};
pub use normirani::{
    AffectedDocument, AutoValues, Basis, IssueDetail, ManualValues, OfficialSource,
    RevenueDocument, Review, RuleSummary, Rules, Severity, Warning, YearFacts, YearInput,
    YearlyReport, review, yearly_file_name, yearly_report,
};
pub use period::TaxPeriod;
pub use receivables::{
    AgedCustomer, Aging, AgingFold, Buckets, Movement, MovementKind, OpenItem, Statement,
};
pub use recognition::{
    MAX_REPORT_MONTHS, RecognitionReport, RecognitionRow, Slice, Spread, Standing, check_report,
};
pub use stats::{
    Derived, Group, MAX_QUERIES, MAX_ROWS, Measure, Metric, Partial, StatCondition, StatField,
    StatFilter, StatFold, StatKind, StatOrder, StatQuery, StatRow, StatTable, StatValue,
    overdue_bucket, parse_queries,
};
pub use vat::{UnionBuyer, VatOverview, VatRow};
pub use vat_book::{BookKind, BookRow, FORM_NAMESPACE, VatBook, tax_payer};
