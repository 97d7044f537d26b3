//! Taxes and the numbers of those who owe them.
//!
//! | Module      | Owns                                                    |
//! | ----------- | ------------------------------------------------------- |
//! | `nif`       | numbers of taxpayers                                    |
//! | `rate`      | regions, levels of rates, and the rates of each by date |
//! | `exemption` | why no tax is charged, in the words of the law          |

mod exemption;
mod nif;
mod rate;

pub use exemption::{Exemption, check_zero_rate, exemptions};
pub use nif::{
    CONSUMER, CONSUMER_NAME, PLACEHOLDER, UNKNOWN, buyer_number, check_buyer_number, is_nif,
};
pub use rate::{Level, Region, rate_on, region_of};
