//! Public data as they are kept, found and brought up to date.
//!
//! | Module    | Owns                                                            |
//! | --------- | --------------------------------------------------------------- |
//! | `records` | the tables                                                      |
//! | `finding` | the rate for a date, companies by text, estimates by zip code   |
//! | `refresh` | the job that fetches rates                                      |
//! | `import`  | taking a register or tax rates out of a file                    |

mod finding;
mod import;
mod records;
mod refresh;

pub use finding::{
    CompanySearch, LookupError, Rate, companies, countries, is_outdated, quoted, rate,
    reference_rate, tax_rates,
};
pub use import::{ImportError, Imported, import_companies, import_rates, import_tax_rates};
pub use records::{COMPANIES, KeptCompany, KeptDay, KeptTaxRate, RATE_DAYS, TAX_RATE_ESTIMATES};
pub use refresh::{Refreshed, refresh};
