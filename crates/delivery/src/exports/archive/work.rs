//! What the worker does: documents to parts of the archive, one after the other.

use async_trait::async_trait;
use racun_access::{AccessError, Entity, enter_as_system};
use racun_background::jobs::{Ending, Handler, Job, JobKind, LeaseError, Outcome};
use racun_documents::Document;
use racun_exports::{ArchiveNames, ArchivePart};
use racun_kernel::Stamp;
use racun_kernel::calendar::format_date;
use racun_paper::Language;
use racun_store::{Context, StoreError};

use super::archivist::{Archivist, PART, Stopped, TIME, account_of};
use super::eslog::Made;
use super::events::export_job;
use super::job::{ArchiveFormat, EXPORT_JOBS, ExportJob, Progress, Skipped};
use super::saft::period_of;
use super::share::next;
use crate::printing::{CannotPrint, PrintingError, Wanted, paper_of};

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
}
