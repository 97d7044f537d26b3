//! Reports over stored records: [`racun_insights`] says what each figure means, and here are the
//! facts that it is made of.
//!
//! | Module        | Owns                                                                  |
//! | ------------- | --------------------------------------------------------------------- |
//! | `categories`  | revenue by financial category                                         |
//! | `facts`       | documents and expenses as reports look at them                        |
//! | `days`        | the documents and expenses of some days                               |
//! | `profile`     | what an entity in Slovenia says of its taxes and its bookkeeping      |
//! | `receivables` | what customers owe                                                    |
//! | `recognition` | revenue and cost over time                                            |
//! | `stats`       | statistics: counted by the store where it can, otherwise row by row   |
//! | `tax`         | VAT books, the VAT overview, yearly figures, ledgers                  |
//! | `error`       | why there is no report                                                |
//!
//! **Invariants.** Nothing is written here, but for the profile. A report reads one page of records
//! at a time, and a bounded number of them.

pub mod categories;
mod days;
mod error;
pub mod facts;
pub mod profile;
pub mod receivables;
pub mod recognition;
pub mod stats;
pub mod tax;

pub use days::MAX_RECORDS;
pub use error::ReportError;
