//! What is looked up in public data: reference rates of the European Central Bank, registers of
//! companies, and estimated rates of sales tax in the United States.
//!
//! | Module       | Owns                                                                    |
//! | ------------ | ----------------------------------------------------------------------- |
//! | `code`       | codes of currencies, those that are no longer money included            |
//! | `target`     | the days on which the European Central Bank publishes rates             |
//! | `rates`      | rates of a day, the rate for a document's date, cross rates             |
//! | `sandbox`    | the rates of the sandbox, which stand still                             |
//! | `ecb`        | the files of the European Central Bank: XML and CSV                     |
//! | `csv_reader` | CSV files that an operator imports: head, rows, what is wrong with them |
//! | `company`    | companies of an imported register                                       |
//! | `tax_rate`   | estimated rates of sales tax by zip code                                |
//! | `kept`       | how all of it is kept, found and brought up to date                     |
//! | `port`       | the port to the publisher of rates                                      |
//! | `contract`   | what every publisher of rates must keep (feature `testing`)             |
//!
//! **Invariants.** A rate is never guessed: without the rate of the last business day before a date
//! there is none, and [`NoRate`] says why. A file is read whole or refused with its line; what is
//! read of strangers is bounded.

mod code;
mod company;
#[cfg(feature = "testing")]
pub mod contract;
mod csv_reader;
pub mod ecb;
mod kept;
mod port;
mod rates;
pub mod sandbox;
mod target;
mod tax_rate;

pub use code::CurrencyCode;
pub use company::{Company, read_companies};
pub use csv_reader::BadFile;
pub use kept::{
    COMPANIES, CompanySearch, ImportError, Imported, KeptCompany, KeptDay, KeptTaxRate,
    LookupError, RATE_DAYS, Rate, Refreshed, TAX_RATE_ESTIMATES, companies, countries,
    import_companies, import_rates, import_tax_rates, is_outdated, quoted, rate, reference_rate,
    refresh, tax_rates,
};
pub use port::{RateSource, SourceSilent, Span};
pub use rates::{
    DayRates, FIRST_DAY, Found, KNOWN_CURRENCIES, Kept, NoRate, Question, ended_on, source_name,
};
pub use target::{is_business_day, last_business_day};
pub use tax_rate::{TaxRateEstimate, is_state, is_zip_code, read_tax_rates};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 3] = [&RATE_DAYS, &COMPANIES, &TAX_RATE_ESTIMATES];
