//! Archives of PDFs: complete and the same however often their worker dies, bounded, and gone after
//! their time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::future::join_all;
use racun_background::budget::StorageLimits;
use racun_background::jobs::{self, Handler, JOBS, Job, JobKind};
use racun_catalog::{FileStorage, StorageError};
use racun_delivery::exports::archive::{
    self, ArchiveRequest, Archivist, EXPORT_JOBS, ExportJob, ExportState, ExportSweeper,
    MOST_AT_ONCE, MOST_IDS,
};
use racun_delivery::exports::{ExportError, Span};
use racun_delivery::printing::{CannotPrint, PrintPdf};
use racun_documents::Document;
use racun_kernel::Tenant;
use racun_paper::{Modules, Paper, Picture};
use racun_render::Text;
use racun_sales::documents;
use racun_store::{ListQuery, StoreError};
use racun_test_postgres::Database;
use tokio::sync::Notify;

use crate::fiscal::stamp_on;
use crate::fixture::{Shop, line, request};
use crate::jobs::{run_out, stores};

/// What no press sets.
const UNPRINTABLE: &str = "cannot be set";

/// Keeps bytes as long as the test lasts, or says that it is away.
#[derive(Default)]
struct Files {
    kept: Mutex<BTreeMap<String, Vec<u8>>>,
    is_away: AtomicBool,
}

impl Files {
    fn count(&self) -> usize {
        self.kept.lock().unwrap().len()
    }

    fn check(&self) -> Result<(), StorageError> {
        match self.is_away.load(Ordering::SeqCst) {
            true => Err(StorageError::Unavailable("it is away".to_owned())),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl FileStorage for Files {
    async fn put(&self, key: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.check()?;
        let before = self.kept.lock().unwrap().insert(key.to_owned(), content);
        assert_eq!(before, None, "{key} is written once");
        Ok(())
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.check()?;
        Ok(self.kept.lock().unwrap().get(key).cloned())
    }

    async fn delete(&self, key: &str) -> Result<(), StorageError> {
        self.kept.lock().unwrap().remove(key);
        Ok(())
    }
}

/// Sets what documents say as bytes, and stops for ever at one of them.
#[derive(Default)]
struct Press {
    set: AtomicUsize,
    /// How many more are set.
    left: Mutex<Option<usize>>,
    stopped: Notify,
}

impl Press {
    fn stop_after(&self, documents: usize) {
        *self.left.lock().unwrap() = Some(documents);
    }

    fn is_to_stop(&self) -> bool {
        match &mut *self.left.lock().unwrap() {
            None => false,
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
        }
    }
}

#[async_trait]
impl PrintPdf for Press {
    async fn print(&self, paper: Paper) -> Result<Vec<u8>, CannotPrint> {
        let texts = paper.texts().join("\n");
        if texts.contains(UNPRINTABLE) {
            return Err(CannotPrint("it cannot".to_owned()));
        }
        if self.is_to_stop() {
            self.stopped.notify_one();
            std::future::pending::<()>().await;
        }
        self.set.fetch_add(1, Ordering::SeqCst);
        Ok(format!("%PDF-\n{texts}\n%%EOF\n").into_bytes())
    }

    async fn print_hybrid(&self, _: Paper, _: String) -> Result<Vec<u8>, CannotPrint> {
        Err(CannotPrint("no hybrids".to_owned()))
    }

    async fn print_text(&self, _: Text) -> Result<Vec<u8>, CannotPrint> {
        Err(CannotPrint("no texts".to_owned()))
    }

    async fn small(&self, picture: Picture) -> Option<Picture> {
        Some(picture)
    }

    async fn dots(&self, _: Picture, _: (u32, u32)) -> Option<Modules> {
        None
    }
}

struct World {
    shop: Shop,
    files: Arc<Files>,
    press: Arc<Press>,
    limits: StorageLimits,
    _database: Option<Database>,
}

impl World {
    /// One on each store, with so many invoices.
    async fn everywhere(invoices: usize) -> Vec<Self> {
        let mut all = Vec::new();
        for (store, database) in stores().await {
            let shop = Shop::open_on(store, stamp_on(database.is_some())).await;
            let (files, press) = (Arc::default(), Arc::default());
            let limits = StorageLimits::default();
            let world = Self { shop, files, press, limits, _database: database };
            for n in 0..invoices {
                world.sell(&format!("Delo {n}")).await;
            }
            all.push(world);
        }
        all
    }

    async fn sell(&self, name: &str) -> Document {
        self.shop.create(request(vec![line(name, "2", "10.50")])).await.unwrap()
    }

    fn archivist(&self) -> Archivist {
        let stamp = self.shop.stamp.clone();
        Archivist {
            store: Arc::clone(&self.shop.store),
            files: Arc::<Files>::clone(&self.files),
            press: Arc::<Press>::clone(&self.press),
            fiscal: None,
            portugal: None,
            limits: self.limits,
            base: "https://racun.example".into(),
            stamp: Arc::new(move || stamp.clone()),
        }
    }

    fn sweeper(&self) -> ExportSweeper {
        let stamp = self.shop.stamp.clone();
        ExportSweeper {
            store: Arc::clone(&self.shop.store),
            files: Arc::<Files>::clone(&self.files),
            stamp: Arc::new(move || stamp.clone()),
        }
    }

    async fn begin(&self, request: ArchiveRequest) -> Result<ExportJob, ExportError> {
        archive::begin(self.shop.cx(), &self.shop.entity, request).await
    }

    async fn invoices(&self) -> ExportJob {
        self.begin(of_types(&["invoice"])).await.unwrap()
    }

    /// The jobs of `kind`, also those that wait.
    async fn claim(&self, kind: JobKind) -> Vec<Job> {
        run_out(&*self.shop.store).await;
        jobs::claim(&*self.shop.store, &[kind], &self.shop.stamp, 10).await.unwrap()
    }

    async fn perform(&self, handler: &dyn Handler, job: &Job) {
        let stamp = || self.shop.stamp.clone();
        jobs::perform(&*self.shop.store, handler, job, &stamp).await.unwrap();
    }

    /// Makes one attempt at each export.
    async fn work(&self) {
        for job in self.claim(JobKind::DocumentExport).await {
            self.perform(&self.archivist(), &job).await;
        }
    }

    /// Makes an attempt whose worker dies.
    async fn work_and_die(&self) {
        let due = self.claim(JobKind::DocumentExport).await;
        let [job] = &due[..] else { panic!("{due:?}") };
        let archivist = self.archivist();
        tokio::select! {
            () = self.press.stopped.notified() => {}
            () = self.perform(&archivist, job) => panic!("the worker lives"),
        }
    }

    async fn read(&self, export: &ExportJob) -> ExportJob {
        archive::get(self.shop.cx(), export.id).await.unwrap()
    }

    fn bytes(&self, export: &ExportJob) -> Vec<u8> {
        let kept = self.files.kept.lock().unwrap();
        export.keys().iter().flat_map(|key| kept[key].clone()).collect()
    }
}

fn of_types(types: &[&str]) -> ArchiveRequest {
    let types = types.iter().map(|&name| name.to_owned()).collect();
    ArchiveRequest { types: Some(types), ..ArchiveRequest::default() }
}

fn of_ids(ids: Vec<String>) -> ArchiveRequest {
    ArchiveRequest { document_ids: Some(ids), ..ArchiveRequest::default() }
}

#[tokio::test]
async fn an_archive_is_the_same_however_often_its_worker_dies() {
    for world in World::everywhere(130).await {
        let whole = world.invoices().await;
        assert_eq!((whole.state, whole.progress()), (ExportState::Pending, 0));
        assert_eq!(whole.total_docs, 130);
        world.work().await;
        let whole = world.read(&whole).await;
        assert_eq!((whole.state, whole.progress()), (ExportState::Completed, 100));
        assert_eq!((whole.exported, whole.skipped), (130, 0));
        let expected = world.bytes(&whole);
        assert_eq!(i64::try_from(expected.len()).unwrap(), whole.bytes());

        let often = world.invoices().await;
        // What comes later is in no archive of before.
        let later = world.shop.stamp.now() + time::Duration::seconds(1);
        let shop = &world.shop;
        let later = Shop {
            store: Arc::clone(&shop.store),
            scope: shop.scope.clone(),
            entity: shop.entity.clone(),
            stamp: shop.stamp.at(later),
        };
        later.create(request(vec![line("Later", "1", "1")])).await.unwrap();
        let (mut last, set) = (0, world.press.set.load(Ordering::SeqCst));
        for documents in [0, 30, 60, 5, 70] {
            world.press.stop_after(documents);
            world.work_and_die().await;
            let export = world.read(&often).await;
            assert!(export.is_active());
            assert!(export.progress() >= last && export.progress() < 100, "{export:?}");
            last = export.progress();
        }
        assert!(last > 70, "what is done is kept: {last}");
        *world.press.left.lock().unwrap() = None;
        world.work().await;
        let often = world.read(&often).await;
        assert_eq!(often.state, ExportState::Completed);
        assert!(world.bytes(&often) == expected, "the archives differ");
        // Each death costs what was not stored yet.
        let again = world.press.set.load(Ordering::SeqCst) - set;
        assert!(again <= 130 + 5 * 50, "{again}");
        assert!(world.claim(JobKind::DocumentExport).await.is_empty());
    }
}

#[tokio::test]
async fn unprintable_and_deleted_documents_are_left_out_and_named() {
    for world in World::everywhere(1).await {
        let bad = world.sell(UNPRINTABLE).await;
        let draft = world.shop.draft(request(vec![line("Draft", "1", "1")])).await.unwrap();
        let good = world.sell("Good").await;
        let ids = [&bad, &draft, &good, &good].map(|document| document.id.to_string());
        let export = world.begin(of_ids(ids.to_vec())).await.unwrap();
        documents::delete(world.shop.cx(), draft.id).await.unwrap();
        world.work().await;
        let export = world.read(&export).await;
        assert_eq!(export.state, ExportState::Completed);
        assert_eq!((export.total_docs, export.exported, export.skipped), (3, 1, 2));
        let named: Vec<_> =
            export.named.iter().map(|skipped| (skipped.document_id, &*skipped.reason)).collect();
        assert_eq!(
            named,
            [(bad.id, "it cannot be set as PDF"), (draft.id, "it was deleted meanwhile")]
        );
        assert_eq!(export.named[0].number.as_deref(), Some(&*bad.number()));
        let text = String::from_utf8_lossy(&world.bytes(&export)).into_owned();
        assert!(text.contains("Good") && !text.contains("Delo 0"), "{text}");
        // Nothing is an archive, too.
        let empty = world.begin(of_types(&["estimate"])).await.unwrap();
        world.work().await;
        let empty = world.read(&empty).await;
        assert_eq!(
            (empty.state, empty.progress(), empty.total_docs),
            (ExportState::Completed, 100, 0)
        );
        assert_eq!(world.bytes(&empty).len(), 22);
    }
}

#[tokio::test]
async fn a_permanent_failure_ends_an_export_and_leaves_nothing() {
    for mut world in World::everywhere(60).await {
        let export = world.invoices().await;
        world.press.stop_after(55);
        world.work_and_die().await;
        assert!(world.files.count() > 0);
        *world.press.left.lock().unwrap() = None;
        world.files.is_away.store(true, Ordering::SeqCst);
        for _ in 0..20 {
            world.work().await;
        }
        world.files.is_away.store(false, Ordering::SeqCst);
        let export = world.read(&export).await;
        assert_eq!((export.state, export.bytes()), (ExportState::Failed, 0));
        let error = export.error.unwrap();
        assert!(error.contains("5 times") && error.contains("not available"), "{error}");
        assert_eq!(world.files.count(), 0, "its parts are removed");
        let query = ListQuery::first_page(&JOBS);
        let jobs: Vec<Job> =
            world.shop.store.page(&JOBS, &Tenant::directory(), &query).await.unwrap().rows;
        assert!(jobs.iter().all(|job| job.kind != JobKind::DocumentExport), "{jobs:?}");

        world.limits = StorageLimits { verified: 1_000, unverified: 1_000 };
        let export = world.invoices().await;
        world.work().await;
        let export = world.read(&export).await;
        assert_eq!(export.state, ExportState::Failed);
        let error = export.error.unwrap();
        assert!(error.contains("delete files, or export fewer documents"), "{error}");
        assert_eq!(world.files.count(), 0);
    }
}

#[tokio::test]
async fn an_account_has_few_exports_at_once_and_keeps_none_for_ever() {
    for world in World::everywhere(2).await {
        let asked = join_all((0..8).map(|_| world.begin(of_types(&["invoice"])))).await;
        let begun: Vec<ExportJob> =
            asked.iter().filter_map(|asked| asked.as_ref().ok()).cloned().collect();
        assert_eq!(begun.len(), MOST_AT_ONCE, "{asked:?}");
        let refused = asked.into_iter().find_map(Result::err).unwrap();
        assert!(matches!(refused, ExportError::TooManyAtOnce), "{refused:?}");
        world.work().await;
        let before = world.shop.store.stored_bytes(&[tenant(&world)]).await.unwrap();
        let mut archives = 0;
        for export in &begun {
            let export = world.read(export).await;
            assert_eq!(export.state, ExportState::Completed);
            archives += export.bytes();
        }
        // One that is over makes room for another, which is removed while it waits.
        let waiting = world.invoices().await;
        for job in world.claim(JobKind::ExportExpiry).await {
            world.perform(&world.sweeper(), &job).await;
        }
        for export in begun.iter().chain([&waiting]) {
            let gone = archive::get(world.shop.cx(), export.id).await;
            assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
        }
        assert_eq!(world.files.count(), 0);
        world.work().await;
        assert_eq!(world.files.count(), 0, "a removed export is not continued");
        let rows = ListQuery::first_page(&EXPORT_JOBS);
        let left = world.shop.store.list(&EXPORT_JOBS, &tenant(&world), &rows).await.unwrap();
        assert!(left.0.is_empty());
        let after = world.shop.store.stored_bytes(&[tenant(&world)]).await.unwrap();
        assert!(archives > 1_000 && before - after >= archives, "{before} {after} {archives}");
    }
}

fn tenant(world: &World) -> Tenant {
    Tenant::account(world.shop.entity.account_id)
}

#[tokio::test]
async fn an_export_ends_at_its_time_also_before_it_is_removed() {
    let world = World::everywhere(1).await.remove(0);
    let export = world.invoices().await;
    world.work().await;
    let over = world.shop.stamp.at(export.expires_at);
    let cx = racun_store::Context::new(&*world.shop.store, &world.shop.scope, &over);
    assert!(archive::get(cx, export.id).await.is_err());
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_by_field() {
    let world = World::everywhere(1).await.remove(0);
    let day = |day| time::macros::date!(2026 - 11 - 20).replace_day(day).unwrap();
    let span = |from, to| Span { from: Some(day(from)), to: Some(day(to)) };
    let id = "inv_01jd6m000000000000000000zz".to_owned();
    let known = world.sell("Delo").await.id.to_string();
    let types = of_types(&["invoice"]);
    for (request, place, code) in [
        (ArchiveRequest::default(), "document_ids", "required"),
        (of_ids(Vec::new()), "document_ids", "out_of_range"),
        (of_ids(vec![id.clone(); MOST_IDS + 1]), "document_ids", "out_of_range"),
        (of_ids(vec!["cus_1".to_owned()]), "document_ids[0]", "invalid_id"),
        (of_ids(vec![known.clone(), id]), "document_ids[1]", "not_found"),
        (of_types(&[]), "types", "out_of_range"),
        (of_types(&["invoice", "receipt"]), "types[1]", "invalid_value"),
        (ArchiveRequest { span: span(20, 19), ..types.clone() }, "date_to", "invalid_period"),
        (
            ArchiveRequest { span: span(1, 2), ..of_ids(vec![known.clone()]) },
            "document_ids",
            "conflicting",
        ),
        (
            ArchiveRequest { document_ids: Some(vec![known]), ..types.clone() },
            "types",
            "conflicting",
        ),
        (
            ArchiveRequest { locale: Some("tlh".to_owned()), ..types.clone() },
            "locale",
            "unknown_locale",
        ),
        (ArchiveRequest { language: Some("xx".to_owned()), ..types }, "language", "unknown_locale"),
    ] {
        let refused = world.begin(request).await;
        let Err(ExportError::Invalid(issues)) = refused else { panic!("{place}: {refused:?}") };
        let issue = issues.iter().next().unwrap();
        let said = issue.to_string();
        assert!(said.starts_with(&format!("{place}:")) && issue.code == code, "{said}");
    }
    assert!(world.claim(JobKind::DocumentExport).await.is_empty(), "nothing was begun");
}
