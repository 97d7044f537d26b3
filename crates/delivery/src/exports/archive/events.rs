//! What happens to exports, for the log.

use super::job::EXPORT_JOBS;

racun_store::events! {
    /// What happens to exports that a worker puts together.
    pub mod export_job on EXPORT_JOBS {
        CREATED = "export_job.created",
        COMPLETED = "export_job.completed",
        FAILED = "export_job.failed",
    }
}
