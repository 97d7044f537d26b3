//! The worker that puts archives together.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{AccessError, Entity, enter_as_system, find_insider};
use racun_background::budget::{Budget, StorageLimits};
use racun_background::jobs::{Ending, Handler, Job, JobKind, LeaseError, Outcome, still_held};
use racun_catalog::{FileStorage, StorageError};
use racun_documents::{Document, DocumentError};
use racun_exports::{ArchiveFull, ArchiveNames, ArchivePart, archive_end};
use racun_fiscalization::Fiscal;
use racun_kernel::calendar::format_date;
use racun_kernel::id::AccountId;
use racun_kernel::{Stamp, Tenant};
use racun_paper::Language;
use racun_portugal::Portugal;
use racun_store::{Context, Event, EventKind, Put, Store, StoreError, Writes};
use time::Duration;

use super::eslog::Made;
use super::events::export_job;
use super::job::{ArchiveFormat, EXPORT_JOBS, ExportJob, Progress, Skipped, StoredPart};
use super::link::letter;
use super::saft::period_of;
use super::share::next;
use crate::printing::{CannotPrint, PrintPdf, PrintingError, Wanted, paper_of};

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

#[async_trait]
impl Handler for Archivist {
    fn kind(&self) -> JobKind {
        JobKind::DocumentExport
    }

    async fn run(&self, job: &Job) -> Outcome {
        let stopped = match self.archive(job).await {
            Ok(outcome) => return outcome,
            Err(Stopped::Hopeless(reason)) => match self.give_up(job, reason).await {
                Ok(outcome) => return outcome,
                Err(stopped) => stopped,
            },
            Err(stopped) => stopped,
        };
        match stopped {
            // The worker that has the lease now says how it ends.
            Stopped::Lease(LeaseError::Lost) => Outcome::Ended,
            stopped => Outcome::Ends(Ending::Failed { error: stopped.to_string(), wait: None }),
        }
    }
}

impl Archivist {
    /// Goes on with the export until its archive is complete.
    async fn archive(&self, job: &Job) -> Result<Outcome, Stopped> {
        let Some(mut export) = self.export(job).await? else {
            return Ok(Outcome::Ends(Ending::Done));
        };
        if job.attempts >= job.max_attempts {
            // The last attempt is there to say so.
            let last = job.last_error.as_deref().unwrap_or("the server stopped each time");
            let tried = job.max_attempts.saturating_sub(1);
            return Err(Stopped::Hopeless(format!(
                "it was tried {tried} times without success: {last}; export the documents again"
            )));
        }
        let (account, entity) = (export.account_id, export.entity_id);
        let (scope, entity) = match enter_as_system(&*self.store, account, entity).await {
            Ok(entered) => entered,
            Err(AccessError::Store(error)) => return Err(error.into()),
            Err(_) => return Err(Stopped::Hopeless("the entity is closed".to_owned())),
        };
        if let Some(period) = period_of(&export.selection) {
            return self.write_saft(job, &scope, &entity, export, period).await;
        }
        let mut names = self.names(&export).await?;
        loop {
            let stamp = (self.stamp)();
            let cx = Context::new(&*self.store, &scope, &stamp);
            match self.step(cx, &entity, &export, &mut names).await? {
                Some((part, progress)) => export = self.keep(job, export, part, progress).await?,
                None => return self.complete(cx, job, &entity, export).await,
            }
        }
    }

    /// The export that `job` is about; `None` when it is over or gone.
    async fn export(&self, job: &Job) -> Result<Option<ExportJob>, StoreError> {
        let account = account_of(job)?;
        let found = self.store.get::<ExportJob>(&EXPORT_JOBS, &account, &job.subject).await?;
        Ok(found.filter(ExportJob::is_active))
    }

    /// The names in the archive so far.
    async fn names(&self, export: &ExportJob) -> Result<ArchiveNames, Stopped> {
        let mut names = ArchiveNames::default();
        for key in export.directory_keys() {
            let missing = || Stopped::Passing(format!("the bytes of {key} are not there"));
            names.note(&self.files.get(&key).await?.ok_or_else(missing)?);
        }
        Ok(names)
    }

    /// Sets the next documents; `None` when there are no more.
    async fn step(
        &self,
        cx: Context<'_>,
        entity: &Entity,
        export: &ExportJob,
        names: &mut ArchiveNames,
    ) -> Result<Option<(ArchivePart, Progress)>, Stopped> {
        let share = next(cx, export).await?;
        if share.is_empty() {
            return Ok(None);
        }
        let mut part = ArchivePart::behind(export.content_bytes());
        let (mut place, mut exported, mut skipped) = (export.place.clone(), 0, Vec::new());
        for next in share {
            let leave_out = |number: Option<String>, reason: &str| {
                let (document_id, reason) = (next.id, reason.to_owned());
                Skipped { document_id, number, reason }
            };
            match next.document {
                None => skipped.push(leave_out(None, "it was deleted meanwhile")),
                Some(document) => match self.make(cx, entity, export, &document).await? {
                    Ok((name, file)) => {
                        let name = names.take(&name, export.format.ending());
                        part.add(&name, document.content.date, &file)?;
                        exported += 1;
                    }
                    Err(reason) => {
                        let number = (!document.is_draft()).then(|| document.number());
                        skipped.push(leave_out(number, &reason));
                    }
                },
            }
            place = next.behind;
            if part.len() >= PART || (self.stamp)().now() - cx.now() >= TIME {
                break;
            }
        }
        Ok(Some((part, Progress { part: None, place, exported, skipped })))
    }

    /// The document as a file in the export's format.
    async fn make(
        &self,
        cx: Context<'_>,
        entity: &Entity,
        export: &ExportJob,
        document: &Document,
    ) -> Result<Made, Stopped> {
        match export.format {
            ArchiveFormat::Pdf => self.set(cx, entity, export, document).await,
            ArchiveFormat::Eslog => self.write_eslog(cx, entity, document).await,
            ArchiveFormat::SaftPt => Ok(Err("it is in the file of its period".to_owned())),
        }
    }

    /// The document as PDF.
    async fn set(
        &self,
        cx: Context<'_>,
        entity: &Entity,
        export: &ExportJob,
        document: &Document,
    ) -> Result<Made, Stopped> {
        let unprintable = |CannotPrint(_): CannotPrint| "it cannot be set as PDF".to_owned();
        let read = |locale: &Option<String>| locale.as_deref().and_then(Language::from_code);
        let (language, locale) = (read(&export.language), read(&export.locale));
        let wanted = Wanted { language, locale, ..Wanted::default() };
        let paper = match paper_of(cx, &*self.files, entity, document, &wanted).await {
            Ok(paper) => paper,
            Err(PrintingError::Document(error)) => return Err(error.into()),
            Err(PrintingError::NotMade(error)) => return Err(Stopped::Passing(error.to_string())),
            Err(PrintingError::Storage(error)) => return Err(error.into()),
            Err(PrintingError::Print(refused)) => return Ok(Err(unprintable(refused))),
            Err(PrintingError::Refused(refused)) => return Ok(Err(refused.to_string())),
        };
        let name = format!("{}_{}", format_date(document.content.date), paper.file_name());
        Ok(self.press.print(paper).await.map(|file| (name, file)).map_err(unprintable))
    }

    /// Stores a part, and notes it with the place behind it; the lease begins again.
    async fn keep(
        &self,
        job: &Job,
        export: ExportJob,
        part: ArchivePart,
        progress: Progress,
    ) -> Result<ExportJob, Stopped> {
        let part = (!part.is_empty()).then(|| part.into_bytes());
        self.keep_bytes(job, export, part, progress).await
    }

    /// The same with the bytes of a part: its content, and its directory if it has one.
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

    /// Ends the export of `job` without an archive.
    async fn give_up(&self, job: &Job, reason: String) -> Result<Outcome, Stopped> {
        let Some(export) = self.export(job).await? else {
            return Ok(Outcome::Ends(Ending::Done));
        };
        let change = move |before: ExportJob, stamp: &Stamp| {
            (before.failed(&reason, stamp.now()), export_job::FAILED, Vec::new())
        };
        let before = self.end(job, export, change).await?;
        self.forget(before.keys()).await;
        Ok(Outcome::Ended)
    }

    /// Ends the export as `change` says, and its job with it; answers what it was.
    async fn end(
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
