//! What the log tells of the network.

use racun_einvoicing::network::{ENROLLMENTS, SUBMISSIONS};

racun_store::events! {
    /// What happens to electronic invoices that are sent.
    pub mod e_invoicing on SUBMISSIONS {
        SUBMISSION_CREATED = "e_invoicing.submission.created" to Entity,
        SUBMISSION_DELIVERED = "e_invoicing.submission.delivered" to Entity,
        SUBMISSION_FAILED = "e_invoicing.submission.failed" to Entity,
    }
    /// What happens to entities that send them; the last two are the earlier names.
    pub mod e_invoicing_enrollment on ENROLLMENTS {
        ENROLLMENT_VERIFIED = "e_invoicing.enrollment.verified" to Entity,
        ENROLLMENT_REJECTED = "e_invoicing.enrollment.rejected" to Entity,
        SUPPLIER_ONBOARDED = "e_invoicing.supplier.onboarded" to Entity,
        SUPPLIER_REJECTED = "e_invoicing.supplier.rejected" to Entity,
    }
}
