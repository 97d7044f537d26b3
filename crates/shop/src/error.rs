//! Why a use case of orders is refused.

use racun_documents::DocumentError;
use racun_kernel::Issues;
use racun_orders::{OrderError, OrderRefusal, PlatformError};
use racun_portugal::{PortugalError, PortugalRefusal};
use racun_store::StoreError;

/// Why a use case of orders is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShopError {
    /// A rule of orders, or the store.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// A rule of documents.
    #[error(transparent)]
    Sales(#[from] racun_sales::Error),
    /// The premise or device that the integration names is not there.
    #[error("the {field} of the integration names none that is there; name another, or none")]
    PlaceGone {
        /// The property that names it.
        field: &'static str,
    },
    /// A webhook is not signed with the integration's secret.
    #[error(
        "the signature is not that of this integration's secret; set webhook_secret to the one \
         that the shop shows"
    )]
    Unsigned,
    /// What a platform led back with is altered, late, or not signed by it.
    #[error(
        "this consent is none of this server, or came too late; ask for the page of consent again"
    )]
    BadConsent,
    /// Nothing opens the shop.
    #[error("nothing opens the shop: have its owner consent, or set shop_domain and access_token")]
    NotAuthorized,
    /// The platform did not do what it was asked.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// Secrets cannot be kept or read.
    #[error("this server keeps no secrets, so webhooks cannot be checked; set its master key")]
    NoVault,
}

impl From<StoreError> for ShopError {
    fn from(error: StoreError) -> Self {
        Self::Order(error.into())
    }
}

impl From<Issues> for ShopError {
    fn from(issues: Issues) -> Self {
        Self::Order(issues.into())
    }
}

impl From<OrderRefusal> for ShopError {
    fn from(refusal: OrderRefusal) -> Self {
        Self::Order(refusal.into())
    }
}

impl ShopError {
    /// Whether an invoice is not voided because a receipt says that it was paid.
    pub(crate) const fn is_for_a_receipt(&self) -> bool {
        matches!(
            self,
            Self::Sales(racun_sales::Error::Portugal(PortugalError::Refused(
                PortugalRefusal::Receipted { .. }
            )))
        )
    }

    /// Whether it says nothing of the order: the same command may succeed later.
    pub(crate) fn is_of_the_moment(&self) -> bool {
        match self {
            Self::Order(OrderError::Store(_)) | Self::NoVault => true,
            Self::Sales(racun_sales::Error::Document(error)) => {
                matches!(error, DocumentError::Store(_) | DocumentError::ChangedMeanwhile)
            }
            Self::Platform(PlatformError::NoAnswer(_)) => true,
            Self::Order(_)
            | Self::Sales(_)
            | Self::PlaceGone { .. }
            | Self::Unsigned
            | Self::BadConsent
            | Self::NotAuthorized
            | Self::Platform(_) => false,
        }
    }
}
