//! Errors of look-ups.

use racun_lookups::{CurrencyCode, LookupError, NoRate};

use super::{ApiError, Kind};

/// Seconds after which rates that a server lacks may be there.
const RATES_IN: u32 = 300;

impl From<LookupError> for ApiError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Invalid(issues) => issues.into(),
            LookupError::NoRate(none) => Self::no_rate(none, CurrencyCode::EUR),
            LookupError::Store(error) => error.into(),
        }
    }
}

impl ApiError {
    /// That there is no rate of exchange, at the parameter that is wrong; `from` is the currency
    /// that is exchanged.
    pub(crate) fn no_rate(none: NoRate, from: CurrencyCode) -> Self {
        let at = |code: CurrencyCode| if code == from { "from" } else { "to" };
        match none {
            NoRate::Unknown { code }
            | NoRate::Ended { code, .. }
            | NoRate::NotQuoted { code, .. } => none.issue().at(at(code)).into(),
            NoRate::Future { .. } | NoRate::TooEarly { .. } => none.issue().at("date").into(),
            NoRate::NotKept { .. } => {
                let error = Self::new(Kind::Unavailable, none.to_string());
                Self { retry_after: Some(RATES_IN), ..error.caused_by("rate_unavailable") }
            }
        }
    }
}
