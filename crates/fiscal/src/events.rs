//! What happens to what an entity has at a tax authority.

use crate::{FISCAL_DEVICES, FISCAL_PREMISES, FISCAL_SETTINGS};

racun_store::events! {
    /// What happens to settings and to the certificate among them.
    pub mod fiscal_settings on FISCAL_SETTINGS {
        UPDATED = "fiscal_settings.updated",
        CERTIFICATE_UPLOADED = "fiscal_certificate.uploaded",
        CERTIFICATE_DELETED = "fiscal_certificate.deleted",
    }
    /// What happens to business premises.
    pub mod fiscal_premise on FISCAL_PREMISES {
        REGISTERED = "fiscal_premise.registered",
        UPDATED = "fiscal_premise.updated",
        CLOSED = "fiscal_premise.closed",
    }
    /// What happens to electronic devices.
    pub mod fiscal_device on FISCAL_DEVICES {
        CREATED = "fiscal_device.created",
        UPDATED = "fiscal_device.updated",
        DEACTIVATED = "fiscal_device.deactivated",
    }
}

/// All of them.
pub static ALL: [&[racun_store::EventKind]; 3] =
    [fiscal_settings::ALL, fiscal_premise::ALL, fiscal_device::ALL];
