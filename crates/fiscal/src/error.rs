//! Why a command on fiscal settings is refused.

use racun_kernel::{CannotOpen, Issue, Issues};
use racun_store::StoreError;

use crate::{Authority, ErrorClass, Unknown, fina, furs};

/// Why a command on settings, certificates, premises or devices is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FiscalError {
    /// The input breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such premise or device.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// A rule does not allow it.
    #[error(transparent)]
    Refused(#[from] FiscalRefusal),
    /// Something else is in the way.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The certificate that was sent cannot be used.
    #[error("{}", .0.issue)]
    Certificate(CertificateFault),
    /// The authority refused what was reported to it.
    #[error(transparent)]
    Provider(#[from] ProviderRefusal),
    /// The authority did not answer, or what answered cannot be believed.
    #[error("{} did not answer, or not so that it can be believed; nothing was changed, try again",
        .authority.title())]
    Unreachable {
        /// Which one.
        authority: Authority,
        /// What was seen.
        unknown: Unknown,
    },
    /// The stored private key cannot be opened.
    #[error(
        "the stored certificate cannot be opened with the server's master key; upload it again, or \
         give the server the key it was stored under"
    )]
    Sealed(#[from] CannotOpen),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// A rule that does not allow a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FiscalRefusal {
    /// The entity is of another country than the authority.
    #[error(
        "{} fiscalizes entities with the country_code {} only; this entity has another one",
        .0.title(),
        .0.country()
    )]
    OtherCountry(
        /// The authority.
        Authority,
    ),
    /// There is no certificate.
    #[error("there is no certificate; upload one first")]
    CertificateMissing,
    /// The certificate has expired.
    #[error("the certificate has expired; upload a new one")]
    CertificateExpired,
    /// Numbers of the sequence were issued.
    #[error(
        "numbers of this year's sequence were issued, so where it starts can no longer be changed"
    )]
    StartingNumberLocked,
    /// Numbers were issued in a premise that is open.
    #[error(
        "documents were numbered in open premises this year, and another numbering would repeat \
         their numbers; close those premises first, or change it before the first document of a \
         year"
    )]
    NumberingLocked,
    /// The premise is closed, for good.
    #[error("the premise is closed, for good; make one with another name")]
    PremiseClosed,
    /// The device is deactivated, for good.
    #[error("the device is deactivated, for good; make one with another name")]
    DeviceInactive,
    /// There are as many premises as there may be.
    #[error("an entity has at most {} premises, closed ones included", crate::MAX_PREMISES)]
    TooManyPremises,
    /// There are as many devices as there may be.
    #[error("a premise has at most {} devices, deactivated ones included", crate::MAX_DEVICES)]
    TooManyDevices,
    /// The internal act needs an open premise.
    #[error("there is no open premise; register one first")]
    PremiseMissing,
    /// The internal act needs an active device.
    #[error("there is no active device in an open premise; make one first")]
    DeviceMissing,
}

impl FiscalRefusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::OtherCountry(_) => "country_not_supported",
            Self::CertificateMissing => "certificate_missing",
            Self::CertificateExpired => "certificate_expired",
            Self::StartingNumberLocked => "starting_number_locked",
            Self::NumberingLocked => "numbering_locked",
            Self::PremiseClosed => "premise_closed",
            Self::DeviceInactive => "device_inactive",
            Self::TooManyPremises => "too_many_premises",
            Self::TooManyDevices => "too_many_devices",
            Self::PremiseMissing => "premise_missing",
            Self::DeviceMissing => "device_missing",
        }
    }
}

/// The state that refuses a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The entity has, or had, a premise of this name.
    #[error("there is a premise with this name, or there was one; choose another name")]
    PremiseName,
    /// The premise has, or had, a device of this name.
    #[error("the premise has a device with this name, or had one; choose another name")]
    DeviceName,
    /// A premise of this name is being registered by another request.
    #[error("another request registers a premise with this name; wait a minute and look again")]
    Registering,
}

impl Conflict {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::PremiseName | Self::DeviceName => "duplicate",
            Self::Registering => "registration_in_progress",
        }
    }
}

/// What is wrong with a certificate that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFault {
    /// The stable code for programs.
    pub code: &'static str,
    /// At the part of the form that is at fault: `file` or `passphrase`.
    pub issue: Issue,
}

/// The authority's refusal of what was reported to it, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} refused it: {code} {message}", .authority.title())]
pub struct ProviderRefusal {
    /// Which one.
    pub authority: Authority,
    /// Its code, as it wrote it.
    pub code: String,
    /// Its text.
    pub message: String,
}

impl ProviderRefusal {
    /// What can be done about it.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self.authority {
            Authority::Furs => furs::class(&self.code),
            Authority::Fina => fina::class(&self.code),
        }
    }
}

impl From<StoreError> for FiscalError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            StoreError::Duplicate { table: "fiscal_premises", field: "key" } => {
                Conflict::PremiseName.into()
            }
            StoreError::Duplicate { table: "fiscal_devices", field: "key" } => {
                Conflict::DeviceName.into()
            }
            other => Self::Store(other),
        }
    }
}
