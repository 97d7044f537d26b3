//! Where enrollments and submissions are kept.

use racun_kernel::Tenant;
use racun_store::{Field, Table, Unique};

use super::{Enrollment, Submission};

racun_store::record! {
    /// Where enrollments are kept.
    pub static ENROLLMENTS: Enrollment = "e_invoice_enrollments";
    |enrollment|
    id: enrollment.entity_id,
    tenant: Tenant::entity(enrollment.entity_id),
    fields: {
        Field::id() => enrollment.entity_id,
        Field::text("state") => enrollment.state.name(),
        Field::instant("created_at") => enrollment.created_at,
        Field::instant("updated_at") => enrollment.updated_at,
    }
}

racun_store::record! {
    /// Where submissions are kept. A notice of the provider finds one of whichever entity by its
    /// own id, or by the provider's name for it.
    pub static SUBMISSIONS: Submission = "e_invoice_submissions";
    |submission|
    id: submission.id,
    tenant: Tenant::entity(submission.entity_id),
    fields: {
        Field::id() => submission.id.to_string(),
        Field::text("document_id").indexed() => submission.document_id.to_string(),
        Field::text("document_key").unique(Unique::Tenant).hidden() => submission.document_key(),
        Field::text("status") => submission.state.name(),
        Field::instant("created_at") => submission.created_at,
        Field::instant("updated_at") => submission.updated_at,
        Field::text("own_id").indexed().hidden() => submission.id.to_string(),
        Field::text("provider_reference").indexed().hidden() =>
            submission.provider_reference.clone(),
    }
}

/// Both tables.
pub static TABLES: [&Table; 2] = [&ENROLLMENTS, &SUBMISSIONS];
