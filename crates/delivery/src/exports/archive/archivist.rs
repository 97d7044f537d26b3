//! The worker's tools, and what it stores: parts of an archive, its end, and how an attempt ends.

use std::sync::Arc;

use racun_access::{AccessError, Entity, find_insider};
use racun_background::budget::{Budget, StorageLimits};
use racun_background::jobs::{Job, LeaseError, Outcome, still_held};
use racun_catalog::{FileStorage, StorageError};
use racun_documents::DocumentError;
use racun_exports::{ArchiveFull, archive_end};
use racun_fiscalization::Fiscal;
use racun_kernel::id::AccountId;
use racun_kernel::{Stamp, Tenant};
use racun_portugal::Portugal;
use racun_store::{Context, Event, EventKind, Put, Store, StoreError, Writes};
use time::Duration;

use super::events::export_job;
use super::job::{ArchiveFormat, EXPORT_JOBS, ExportJob, Progress, StoredPart};
use super::link::letter;
use crate::printing::PrintPdf;

/// Bytes of files after which a part is stored: so many are in memory, and one document more.
pub(super) const PART: usize = 4 * 1024 * 1024;
/// How long a part may take before it is stored: well within the lease of a job.
pub(super) const TIME: Duration = Duration::seconds(15);

/// Puts archives together: the handler of their jobs.
///
/// It stores a part, commits that and goes on. Documents are set one after the other through the
/// port, so that an archive of thousands takes the turns of one.
pub struct Archivist {
    /// Where exports and documents are.
    pub store: Arc<dyn Store>,
    /// Where logos are, and archives.
    pub files: Arc<dyn FileStorage>,
    /// Who sets documents.
    pub press: Arc<dyn PrintPdf>,
    /// Who signs e-SLOG files; `None` where private keys cannot be kept.
    pub fiscal: Option<Fiscal>,
    /// The certified program of Portugal, whose number SAF-T has.
    pub portugal: Option<Arc<dyn Portugal>>,
    /// How much accounts may store.
    pub limits: StorageLimits,
    /// The base of links in mails.
    pub base: Arc<str>,
    /// Time and randomness.
    pub stamp: Arc<dyn Fn() -> Stamp + Send + Sync>,
}

/// Why an attempt ends before the archive is complete.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stopped {
    /// Another worker has the export, or the store failed.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// Another attempt may succeed.
    #[error("{0}")]
    Passing(String),
    /// No attempt can succeed. What it carries is for people.
    #[error("{0}")]
    Hopeless(String),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Passing(error.to_string())
    }
}

impl From<StorageError> for Stopped {
    fn from(error: StorageError) -> Self {
        Self::Passing(error.to_string())
    }
}

impl From<DocumentError> for Stopped {
    fn from(error: DocumentError) -> Self {
        Self::Passing(error.to_string())
    }
}

impl From<ArchiveFull> for Stopped {
    fn from(_: ArchiveFull) -> Self {
        Self::Hopeless(
            "the documents are more than an archive holds, 2 GiB; export fewer of them at once"
                .to_owned(),
        )
    }
}

/// The account whose export a job is about.
pub(super) fn account_of(job: &Job) -> Result<Tenant, StoreError> {
    let account = job.payload.parse::<AccountId>();
    let unreadable = |_| StoreError::Unavailable("a job names no account".to_owned());
    account.map(Tenant::account).map_err(unreadable)
}

impl Archivist {
    /// Stores the bytes of a part, its content, and its directory if it has one, and notes it with
    /// the place behind it; the lease begins again.
    pub(super) async fn keep_bytes(
        &self,
        job: &Job,
        export: ExportJob,
        part: Option<(Vec<u8>, Vec<u8>)>,
        progress: Progress,
    ) -> Result<ExportJob, Stopped> {
        let (stamp, job) = ((self.stamp)(), job.clone());
        let part = match part {
            Some(bytes) => Some(self.put(&export, bytes, &stamp).await?),
            None => None,
        };
        let stored = part.clone();
        let progress = Progress { part, ..progress };
        let mut unit = self.store.unit(Tenant::account(export.account_id));
        let (own, record) = (job.hold(&mut unit), unit.hold(&EXPORT_JOBS, export.id));
        let kept = unit.decide(move |unit| {
            let now = unit.now().unwrap_or_else(|| stamp.now());
            let held = still_held(&job, unit.find(own)?)?;
            let before: ExportJob = unit.one(record)?;
            let after = before.clone().advanced(progress, stamp.now());
            let writes = Writes::default().update(&before, &after).put(held.prolonged(now));
            Ok::<_, LeaseError>((after, writes))
        });
        match kept.await {
            // The worker that has the lease stores these documents again.
            Err(LeaseError::Lost) => {
                if let Some(part) = stored {
                    self.forget([export.content_key(&part.name), export.directory_key(&part.name)])
                        .await;
                }
                Err(LeaseError::Lost.into())
            }
            kept => Ok(kept?),
        }
    }

    /// Stores the bytes of a part under a name that no other worker takes.
    async fn put(
        &self,
        export: &ExportJob,
        (content, directory): (Vec<u8>, Vec<u8>),
        stamp: &Stamp,
    ) -> Result<StoredPart, Stopped> {
        let stored = StoredPart {
            name: stamp.ulid().to_string().to_lowercase(),
            content: size(&content),
            directory: size(&directory),
        };
        let bytes = i64::try_from(stored.content + stored.directory).unwrap_or(i64::MAX);
        let budget = Budget::of(&*self.store, self.limits, export.account_id).await?;
        if !budget.has_room(bytes) {
            return Err(Stopped::Hopeless(format!(
                "the account stores {} of {} bytes, and the archive needs more; delete files, or \
                 export fewer documents at once",
                budget.used, budget.limit
            )));
        }
        self.files.put(&export.content_key(&stored.name), content).await?;
        if !directory.is_empty() {
            self.files.put(&export.directory_key(&stored.name), directory).await?;
        }
        Ok(stored)
    }

    /// Stores the archive's end, and tells the person who waits for it.
    pub(super) async fn complete(
        &self,
        cx: Context<'_>,
        job: &Job,
        entity: &Entity,
        export: ExportJob,
    ) -> Result<Outcome, Stopped> {
        let end = match export.format {
            ArchiveFormat::SaftPt => None,
            ArchiveFormat::Pdf | ArchiveFormat::Eslog => Some(self.put_end(cx, &export).await?),
        };
        let user = match export.requested_by {
            Some(user) => find_insider(cx, user).await.map_err(passing)?,
            None => None,
        };
        let mail = user.map(|user| letter(&self.base, entity, &export, &user, cx.stamp));
        let change = move |before: ExportJob, stamp: &Stamp| {
            let after = before.completed(end, stamp.now());
            (after, export_job::COMPLETED, mail.unwrap_or_default())
        };
        self.end(job, export, change).await.map(|_| Outcome::Ended)
    }

    /// Stores the archive's end; answers its name and its bytes.
    async fn put_end(&self, cx: Context<'_>, export: &ExportJob) -> Result<(String, u64), Stopped> {
        let files = u32::try_from(export.exported).map_err(|_| ArchiveFull)?;
        let end = archive_end(files, export.content_bytes(), export.directory_bytes())?;
        let (name, bytes) = (cx.stamp.ulid().to_string().to_lowercase(), size(&end));
        self.files.put(&export.content_key(&name), end).await?;
        Ok((name, bytes))
    }

    /// Ends the export as `change` says, and its job with it; answers what it was.
    pub(super) async fn end(
        &self,
        job: &Job,
        export: ExportJob,
        change: impl FnOnce(ExportJob, &Stamp) -> (ExportJob, EventKind, Vec<Put>) + Send + 'static,
    ) -> Result<ExportJob, Stopped> {
        let (stamp, job) = ((self.stamp)(), job.clone());
        let mut unit = self.store.unit(Tenant::account(export.account_id));
        let (own, record) = (job.hold(&mut unit), unit.hold(&EXPORT_JOBS, export.id));
        let ended = unit.decide(move |unit| {
            let held = still_held(&job, unit.find(own)?)?;
            let before: ExportJob = unit.one(record)?;
            let (after, kind, beside) = change(before.clone(), &stamp);
            let (tenant, subject) = (Tenant::entity(after.entity_id), after.id.to_string());
            let event = Event::new(tenant, kind, subject, "system".to_owned(), &stamp);
            let writes = Writes::default().update(&before, &after).put(held.done());
            Ok::<_, LeaseError>((before, writes.puts(beside).events([event])))
        });
        Ok(ended.await?)
    }

    /// Removes bytes that nothing names any more. Should it fail, they are left, as those of files.
    pub(super) async fn forget(&self, keys: impl IntoIterator<Item = String>) {
        for key in keys {
            let _ = self.files.delete(&key).await;
        }
    }
}

fn passing(error: AccessError) -> Stopped {
    Stopped::Passing(error.to_string())
}

fn size(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
