//! What happens to jobs, for the log.

use super::job::JOBS;

racun_store::events! {
    /// What happens to jobs.
    pub mod job on JOBS {
        RETRIED = "job.retried",
    }
}
