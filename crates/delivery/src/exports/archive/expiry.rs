//! Removing an export after its time.

use std::sync::Arc;

use async_trait::async_trait;
use racun_background::jobs::{Ending, Handler, Job, JobKind, LeaseError, Outcome, still_held};
use racun_catalog::FileStorage;
use racun_kernel::Stamp;
use racun_store::{Store, Writes};

use super::archivist::account_of;
use super::job::{EXPORT_JOBS, ExportJob};

/// Removes exports whose time is over, with their archives: the handler of the jobs that wait for
/// that.
pub struct ExportSweeper {
    /// Where exports are.
    pub store: Arc<dyn Store>,
    /// Where archives are.
    pub files: Arc<dyn FileStorage>,
    /// Time.
    pub stamp: Arc<dyn Fn() -> Stamp + Send + Sync>,
}

#[async_trait]
impl Handler for ExportSweeper {
    fn kind(&self) -> JobKind {
        JobKind::ExportExpiry
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.sweep(job).await {
            Ok(()) | Err(LeaseError::Lost) => Outcome::Ended,
            Err(LeaseError::Store(error)) => {
                Outcome::Ends(Ending::Failed { error: error.to_string(), wait: None })
            }
        }
    }
}

impl ExportSweeper {
    /// Removes the export; a worker that still puts it together finds nothing to go on with. Bytes
    /// go after the commit.
    async fn sweep(&self, job: &Job) -> Result<(), LeaseError> {
        let job = job.clone();
        let mut unit = self.store.unit(account_of(&job)?);
        let (own, record) = (job.hold(&mut unit), unit.hold(&EXPORT_JOBS, &job.subject));
        let removed = unit.decide(move |unit| {
            let held = still_held(&job, unit.find(own)?)?;
            let export: Option<ExportJob> = unit.find(record)?;
            let writes = Writes::default().put(held.done());
            let writes = match &export {
                Some(export) => writes.delete(export),
                None => writes,
            };
            Ok::<_, LeaseError>((export, writes))
        });
        for key in removed.await?.iter().flat_map(ExportJob::keys) {
            let _ = self.files.delete(&key).await;
        }
        Ok(())
    }
}
