//! Errors of the network of electronic invoices.

use racun_sales::network::NetworkRefused;

use super::{ApiError, Kind};

/// When to come back to a network that does not answer.
const RETRY_SECONDS: u32 = 5;

impl From<NetworkRefused> for ApiError {
    fn from(refused: NetworkRefused) -> Self {
        let (code, message) = (refused.code(), refused.to_string());
        match refused {
            NetworkRefused::Invalid(issues) => Self::from(issues).caused_by(code),
            NetworkRefused::Enrolled => Self::new(Kind::Conflict, message).caused_by(code),
            NetworkRefused::NotEnrolled(_)
            | NetworkRefused::NotEnabled
            | NetworkRefused::NotToSend
            | NetworkRefused::NothingToVerify
            | NetworkRefused::Provider(_) => {
                Self::new(Kind::Unprocessable, message).caused_by(code)
            }
            NetworkRefused::NotConnected(_) => {
                Self::new(Kind::Unavailable, message).caused_by(code)
            }
            NetworkRefused::NoAnswer(_) => {
                Self::new(Kind::Unavailable, message).caused_by(code).retry_after(RETRY_SECONDS)
            }
        }
    }
}
