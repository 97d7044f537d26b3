//! SAF-T (PT) of a longer period, which a worker writes: one file in place of an archive.
//!
//! The file is written from its front to its end in one attempt, and stored in parts while it is.
//! An attempt that dies is begun again, for what documents say may have changed since: what it
//! stored is removed.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use racun_access::Entity;
use racun_background::jobs::{Job, LeaseError, Outcome, still_held};
use racun_fiscalization::certified::{
    LOOKS, SaftPeriod, SaftWatch, check_saft, count_saft, write_saft,
};
use racun_fiscalization::{OutsideServices, Ports};
use racun_kernel::{Scope, Tenant};
use racun_portugal::PortugalError;
use racun_portugal::saft::Encoding;
use racun_store::{Context, StoreError, Writes};
use time::OffsetDateTime;

use super::super::ExportError;
use super::archivist::{Archivist, PART, Stopped, TIME};
use super::job::{ArchiveFormat, EXPORT_JOBS, ExportJob, Progress, Selection, SelectionCursor};
use super::request::{pending, start};

/// Begins the file of `period`: a worker writes it.
///
/// # Errors
/// [`PortugalError`] for another country, and for a period that no file has;
/// [`ExportError::TooManyAtOnce`]; the store's failure.
pub async fn begin_saft(
    cx: Context<'_>,
    entity: &Entity,
    period: SaftPeriod,
) -> Result<ExportJob, ExportError> {
    check_saft(entity, period)?;
    let total = count_saft(cx, period).await?;
    let SaftPeriod { from, to, encoding } = period;
    let selection = Selection::Certified { from, to, encoding: encoding.name().to_owned() };
    start(cx, pending(cx, entity, ArchiveFormat::SaftPt, selection, total)).await
}

/// The period of an export, when it is one of SAF-T.
pub(super) fn period_of(selection: &Selection) -> Option<SaftPeriod> {
    let Selection::Certified { from, to, encoding } = selection else { return None };
    let encoding = Encoding::from_name(encoding).unwrap_or_default();
    Some(SaftPeriod { from: *from, to: *to, encoding })
}

/// What was written and is not stored yet.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Stores parts of the file while it is written.
struct Storing<'a> {
    archivist: &'a Archivist,
    job: &'a Job,
    export: ExportJob,
    written: Written,
    stored_at: OffsetDateTime,
    /// Why the attempt ends.
    stopped: Option<Stopped>,
}

impl Storing<'_> {
    /// Stores what was written, and that `done` documents are.
    async fn store(&mut self, done: usize) -> Result<(), Stopped> {
        let content = std::mem::take(&mut *self.written.bytes());
        let part = (!content.is_empty()).then_some((content, Vec::new()));
        let exported = done.saturating_sub(self.export.exported);
        let (place, skipped) = (SelectionCursor::default(), Vec::new());
        let progress = Progress { part: None, place, exported, skipped };
        let export = self.export.clone();
        self.export = self.archivist.keep_bytes(self.job, export, part, progress).await?;
        self.stored_at = (self.archivist.stamp)().now();
        Ok(())
    }
}

#[async_trait]
impl SaftWatch for Storing<'_> {
    async fn reached(&mut self, rows: usize) -> Result<(), PortugalError> {
        let is_late = (self.archivist.stamp)().now() - self.stored_at >= TIME;
        if self.written.bytes().len() < PART && !is_late {
            return Ok(());
        }
        let stored = self.store(rows / LOOKS).await;
        stored.map_err(|stopped| {
            let said = stopped.to_string();
            self.stopped = Some(stopped);
            StoreError::Unavailable(said).into()
        })
    }
}

impl Archivist {
    /// Writes the file of `period` to its end.
    pub(super) async fn write_saft(
        &self,
        job: &Job,
        scope: &Scope,
        entity: &Entity,
        export: ExportJob,
        period: SaftPeriod,
    ) -> Result<Outcome, Stopped> {
        let stamp = (self.stamp)();
        let cx = Context::new(&*self.store, scope, &stamp);
        let total = export.total_docs;
        let (written, stored_at) = (Written::default(), stamp.now());
        let export = self.begin_again(job, export).await?;
        let mut storing = Storing {
            archivist: self,
            job,
            export,
            written: written.clone(),
            stored_at,
            stopped: None,
        };
        let portugal = self.portugal.as_deref();
        let outside = OutsideServices { portugal, ..OutsideServices::default() };
        let ports = Ports::with_services(cx, outside);
        if let Err(error) = write_saft(ports, entity, period, written, &mut storing).await {
            return Err(storing.stopped.take().unwrap_or_else(|| of_file(error)));
        }
        storing.store(total).await?;
        let export = storing.export;
        self.complete(cx, job, entity, export).await
    }

    /// Removes what an attempt before this one has stored.
    async fn begin_again(&self, job: &Job, export: ExportJob) -> Result<ExportJob, Stopped> {
        let keys = export.keys();
        if keys.is_empty() {
            return Ok(export);
        }
        let (stamp, job) = ((self.stamp)(), job.clone());
        let mut unit = self.store.unit(Tenant::account(export.account_id));
        let (own, record) = (job.hold(&mut unit), unit.hold(&EXPORT_JOBS, export.id));
        let emptied = unit.decide(move |unit| {
            let now = unit.now().unwrap_or_else(|| stamp.now());
            let held = still_held(&job, unit.find(own)?)?;
            let before: ExportJob = unit.one(record)?;
            let after = before.clone().emptied(stamp.now());
            let writes = Writes::default().update(&before, &after).put(held.prolonged(now));
            Ok::<_, LeaseError>((after, writes))
        });
        let export = emptied.await?;
        self.forget(keys).await;
        Ok(export)
    }
}

/// What keeps a file from being written lasts, but for failures of the store.
fn of_file(error: PortugalError) -> Stopped {
    match error {
        PortugalError::Store(error) => error.into(),
        lasting => Stopped::Hopeless(lasting.to_string()),
    }
}
