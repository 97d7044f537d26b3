//! Errors of electronic invoices.

use racun_sales::einvoicing::EInvoiceRefused;

use super::{ApiError, Kind};

impl From<EInvoiceRefused> for ApiError {
    fn from(refused: EInvoiceRefused) -> Self {
        let code = refused.code();
        match refused {
            EInvoiceRefused::Invalid { issues, .. } => Self::from(issues).caused_by(code),
            EInvoiceRefused::NotValid(_) | EInvoiceRefused::OtherCountry(_) => {
                Self::new(Kind::Unprocessable, refused.to_string()).caused_by(code)
            }
        }
    }
}
