//! A change of a payment's type of which the tax authority may know more than we do.

use racun_kernel::id::PaymentId;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A change of the type of a payment on this document, which the tax authority was told, or was to
/// be told, and has not confirmed.
///
/// It is stored before the authority is told, so whatever happens then, it is known that the
/// authority may have taken the change. While it stands there is no other such change on the
/// document. The same change sent again ends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentChange {
    /// The payment.
    pub payment_id: PaymentId,
    /// Its type, as on the wire.
    pub from: String,
    /// Its type to be.
    pub to: String,
    /// When the authority was last to be told.
    #[serde(with = "time::serde::rfc3339")]
    pub attempted_at: OffsetDateTime,
}
