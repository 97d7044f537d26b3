//! Revenue over time, beside documents that are issued, changed, credited and voided at random.
//!
//! The law: at the end of every day, what is recognised and deferred comes to what was invoiced, of
//! the lines that are spread; where a service began before its document, to that and what is
//! accrued. What was invoiced is read from the documents, not from the entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_access::Entity;
use racun_background::jobs::{self, Ending, JOBS, Job, JobKind};
use racun_documents::recognition::{
    RECOGNITION_ENTRIES, RecognitionDefault, RecognitionEntry, RecognitionSide,
};
use racun_documents::{Document, DocumentId, DocumentKind, RevenueRecognition, Stage, table_of};
use racun_kernel::{Decimal, Patch, RecognitionMethod, Stamp};
use racun_reporting::recognition::{RecognitionQuery, recognition, spread};
use racun_sales::documents::{
    self, Creation, DocumentRequest, Edit, Finalizing, LineRequest, Voiding,
};
use racun_sales::recognition::{BackfillHandler, FilledDays, begin, change_default};
use racun_store::testing::{Random, stamp};
use racun_store::{Context, ListQuery, Record, Store, Table, Walk};
use racun_store_sqlite::SqliteStore;
use time::macros::datetime;
use time::{Date, Duration, OffsetDateTime};

use crate::fixture::{Shop, decimal, line, request};
use crate::flaky::Flaky;
use crate::takings::{on_postgres, on_sqlite};

/// The first day of the world; all documents are of it or later.
const START: OffsetDateTime = datetime!(2026-01-10 10:00 UTC);
/// Things that happen in one world.
const STEPS: usize = 60;

/// A shop, and the day on which it acts.
struct World {
    shop: Shop,
    now: OffsetDateTime,
    issued: Vec<DocumentId>,
    drafts: Vec<DocumentId>,
    /// When documents were voided.
    voided: BTreeMap<String, Date>,
}

impl World {
    async fn open(store: Arc<dyn Store>) -> Self {
        let shop = Shop::open_on(store, stamp(START)).await;
        let (issued, drafts, voided) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { shop, now: START, issued, drafts, voided }
    }

    fn stamp(&self) -> Stamp {
        self.shop.stamp.at(self.now)
    }

    /// Some days later, or none.
    fn pass(&mut self, random: &mut Random) {
        self.now += Duration::days(i64::try_from(random.below(9)).unwrap());
    }

    /// A line of a random price, spread over a service that begins up to a month before the day or
    /// after it, recognised at once, or silent.
    fn line(&self, random: &mut Random) -> LineRequest {
        let price = format!("{}.{:02}", random.below(900), random.below(100));
        let names = ["Najem", "Vzdrževanje", "Gostovanje"];
        let name = names[random.below(names.len())];
        let quantity = (1 + random.below(3)).to_string();
        let from = self.now.date() + Duration::days(days(random, 60) - 30);
        let to = from + Duration::days(days(random, 200));
        let method = match random.below(4) {
            0 => None,
            1 => Some(RecognitionMethod::Immediate),
            _ => Some(RecognitionMethod::ServicePeriodDaily),
        };
        let own = method.map(|method| RevenueRecognition {
            method: Some(method),
            date_from: Some(from),
            date_to: Some(to),
        });
        LineRequest { revenue_recognition: own, ..line(name, &quantity, &price) }
    }

    fn lines(&self, random: &mut Random) -> Vec<LineRequest> {
        (0..=random.below(3)).map(|_| self.line(random)).collect()
    }

    /// Lets something happen.
    async fn step(&mut self, random: &mut Random) {
        self.pass(random);
        match random.below(8) {
            0..=2 => self.invoice(random).await,
            3 => self.finalize(random).await,
            4 | 5 => self.credit(random).await,
            6 => self.change(random).await,
            _ => self.void(random).await,
        }
    }

    async fn invoice(&mut self, random: &mut Random) {
        let is_draft = random.below(4) == 0;
        let mut sent = request(self.lines(random));
        if random.below(3) == 0 {
            let from = self.now.date();
            sent.date_service = Patch::Value(from);
            sent.date_service_to = Patch::Value(from + Duration::days(days(random, 90)));
        }
        let creation = Creation { is_draft, ..Creation::default() };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let kind = DocumentKind::Invoice;
        let made = documents::create(cx, &self.shop.entity, kind, sent, creation).await.unwrap();
        if is_draft { self.drafts.push(made.id) } else { self.issued.push(made.id) }
    }

    async fn finalize(&mut self, random: &mut Random) {
        if self.drafts.is_empty() {
            return;
        }
        let id = self.drafts.swap_remove(random.below(self.drafts.len()));
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        documents::finalize(cx, &self.shop.entity, id, Finalizing::default()).await.unwrap();
        self.issued.push(id);
    }

    /// A credit note over a line of an invoice, which says nothing itself, or something else.
    async fn credit(&mut self, random: &mut Random) {
        let invoices: Vec<DocumentId> =
            self.issued.iter().filter(|id| id.kind() == DocumentKind::Invoice).copied().collect();
        if invoices.is_empty() {
            return;
        }
        let id = invoices[random.below(invoices.len())];
        let invoice = self.document(id).await;
        let own = &invoice.content.lines[random.below(invoice.content.lines.len())];
        let price = (&own.total * &Decimal::new(5, 1)).to_string();
        let mut back = line(&own.name, "1", &price);
        if random.below(5) == 0 {
            back.revenue_recognition = self.line(random).revenue_recognition;
        }
        let sent =
            DocumentRequest { linked_documents: Some(vec![id.to_string()]), ..request(vec![back]) };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let kind = DocumentKind::CreditNote;
        let creation = Creation::default();
        // What is voided, or credited in full, is refused; nothing is written then.
        if let Ok(note) = documents::create(cx, &self.shop.entity, kind, sent, creation).await {
            self.issued.push(note.id);
        }
    }

    async fn change(&mut self, random: &mut Random) {
        if self.issued.is_empty() {
            return;
        }
        let id = self.issued[random.below(self.issued.len())];
        let items = (id.kind() == DocumentKind::Invoice).then(|| self.lines(random));
        let reference = Patch::Value(format!("R{}", random.below(1_000)));
        let sent = DocumentRequest { items, reference, ..DocumentRequest::default() };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        // A voided one is refused, and one that would be below its credit notes.
        let _ = documents::update(cx, &self.shop.entity, id, sent, Edit::default()).await;
    }

    async fn void(&mut self, random: &mut Random) {
        if self.issued.is_empty() {
            return;
        }
        let id = self.issued[random.below(self.issued.len())];
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        if documents::void(cx, &self.shop.entity, id, Voiding::default()).await.is_ok() {
            self.voided.insert(id.to_string(), self.now.date());
        }
    }

    async fn document(&self, id: DocumentId) -> Document {
        self.shop.cx().one(table_of(id.kind()), id).await.unwrap()
    }

    async fn all<A: Record>(&self, table: &'static Table) -> Vec<A> {
        let mut walk = Walk::of(table, self.shop.scope.tenant());
        let mut found = Vec::new();
        while let Some(page) = walk.next::<A>(&*self.shop.store).await.unwrap() {
            found.extend(page);
        }
        found
    }

    async fn entries(&self) -> Vec<RecognitionEntry> {
        self.all(&RECOGNITION_ENTRIES).await
    }

    /// What is invoiced by the end of `day` of the lines that have entries.
    async fn invoiced(&self, entries: &[RecognitionEntry], day: Date) -> Decimal {
        let mut sum = Decimal::zero();
        for kind in [DocumentKind::Invoice, DocumentKind::CreditNote] {
            for document in self.all::<Document>(table_of(kind)).await {
                let voided = self.voided.get(&document.id.to_string());
                let is_out = document.is_draft()
                    || document.content.date > day
                    || voided.is_some_and(|voided| *voided <= day);
                for line in document.content.lines.iter().filter(|_| !is_out) {
                    let is_spread =
                        entries.iter().any(|entry| entry.line_id.as_ref() == Some(&line.id));
                    if is_spread && kind == DocumentKind::CreditNote {
                        sum = &sum - &line.total;
                    } else if is_spread {
                        sum = &sum + &line.total;
                    }
                }
            }
        }
        sum
    }

    /// The law, on every day, and that a report agrees with the entries.
    async fn holds(&self) {
        let entries = self.entries().await;
        let last = entries.iter().map(RecognitionEntry::settled_on).max();
        let last = last.unwrap_or(START.date()).max(self.now.date());
        let first = START.date() - Duration::days(40);
        let mut day = first;
        while day <= last + Duration::days(4) {
            let (mut earned, mut accrued) = (Decimal::zero(), Decimal::zero());
            for entry in &entries {
                let at = spread(entry).at(day);
                earned = &(&earned + &at.recognized) + &at.deferred;
                accrued = &accrued + &at.accrued;
            }
            let invoiced = self.invoiced(&entries, day).await;
            assert_eq!(earned, &invoiced + &accrued, "{day}");
            day += Duration::DAY;
        }
        let (from, to) = (first, last + Duration::days(1));
        let query = RecognitionQuery {
            side: RecognitionSide::Revenue,
            from,
            to,
            basis: None,
            group_by: Some("document_id".to_owned()),
        };
        let rows = recognition(self.shop.cx(), &query).await.unwrap();
        let reported: Decimal = rows.iter().map(|row| &row.recognized).sum();
        let all: Vec<Decimal> = entries
            .iter()
            .map(|entry| {
                let (before, after) =
                    (spread(entry).at(from.previous_day().unwrap()), spread(entry).at(to));
                &after.recognized - &before.recognized
            })
            .collect();
        assert_eq!(reported, all.iter().sum::<Decimal>());
        assert_eq!(reported, self.invoiced(&entries, to).await, "all is recognised at the end");
    }
}

fn days(random: &mut Random, most: usize) -> i64 {
    i64::try_from(random.below(most)).unwrap()
}

async fn a_world(store: Arc<dyn Store>, seed: u64) {
    let mut random = Random::new(seed);
    let mut world = World::open(store).await;
    for n in 0..STEPS {
        if n == STEPS / 2 {
            // From here on silent lines follow their documents.
            let cx = world.shop.cx();
            let side = RecognitionSide::Revenue;
            let daily = RecognitionDefault::ServicePeriodDaily;
            change_default(cx, side, Some(daily)).await.unwrap();
            world.shop.entity = entity(&world.shop).await;
        }
        world.step(&mut random).await;
    }
    world.holds().await;
    let entries = world.entries().await;
    let (notes, others): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.takes_back());
    assert!(!notes.is_empty() && others.len() > 10, "{} and {}", notes.len(), others.len());
    assert!(entries.iter().any(|entry| entry.voided_on.is_some()), "something was voided");
}

async fn entity(shop: &Shop) -> Entity {
    let tenant = racun_kernel::Tenant::account(shop.scope.account());
    let id = shop.entity.id.to_string();
    shop.store.get(&racun_access::ENTITIES, &tenant, &id).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_over_time_on_sqlite() {
    for seed in [11, 12, 13] {
        a_world(on_sqlite(), seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_over_time_on_postgres() {
    let (store, _database) = on_postgres().await;
    a_world(store, 14).await;
}

/// The store takes the unit that issues, or the one that voids, and fails at any other: what is
/// spread does not wait for one.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_made_by_the_unit_that_issues_and_ended_by_the_one_that_voids() {
    let flaky = Arc::new(Flaky::new(SqliteStore::in_memory(&racun_application::tables()).unwrap()));
    let shop = Shop::open_on(Arc::<Flaky<SqliteStore>>::clone(&flaky), stamp(START)).await;
    let mut own = line("Najem", "1", "90");
    own.revenue_recognition = Some(RevenueRecognition {
        method: Some(RecognitionMethod::ServicePeriodDaily),
        date_from: Some(START.date()),
        date_to: Some(START.date() + Duration::days(89)),
    });
    flaky.fail_after(1, false);
    let invoice = shop.create(request(vec![own])).await.unwrap();
    flaky.heal();
    let query = ListQuery::first_page(&RECOGNITION_ENTRIES);
    let made = shop.cx().page::<RecognitionEntry>(&RECOGNITION_ENTRIES, &query).await.unwrap().rows;
    let [entry] = &made[..] else { panic!("{made:?}") };
    assert_eq!((&entry.document_id, &entry.amount), (&invoice.id.to_string(), &decimal("90")));
    assert_eq!(entry.voided_on, None);

    flaky.fail_after(1, false);
    let how = Voiding::default();
    documents::void(shop.cx(), &shop.entity, invoice.id, how).await.unwrap();
    flaky.heal();
    let left = shop.cx().page::<RecognitionEntry>(&RECOGNITION_ENTRIES, &query).await.unwrap().rows;
    let [ended] = &left[..] else { panic!("{left:?}") };
    assert_eq!((&ended.id, ended.voided_on), (&entry.id, Some(START.date())));
}

/// An invoice over 90 for 90 days, before the default is set; a credit note over 30 of it.
async fn before_the_default() -> (Shop, DocumentId) {
    let shop = Shop::open_on(on_sqlite(), stamp(START)).await;
    let (from, to) = (START.date(), START.date() + Duration::days(89));
    let sent = DocumentRequest {
        date_service: Patch::Value(from),
        date_service_to: Patch::Value(to),
        ..request(vec![line("Najem", "1", "90")])
    };
    let invoice = shop.create(sent).await.unwrap();
    let back = DocumentRequest {
        linked_documents: Some(vec![invoice.id.to_string()]),
        ..request(vec![line("Najem", "1", "30")])
    };
    let kind = DocumentKind::CreditNote;
    shop.make_of(kind, back, Creation::default()).await.unwrap();
    shop.create(request(vec![line("Kruh", "1", "5")])).await.unwrap();
    (shop, invoice.id)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_counts_and_then_makes_what_is_missing_once() {
    let (mut shop, invoice) = before_the_default().await;
    let days = FilledDays::default();
    let (none, job) = begin(shop.cx(), &shop.entity, days, false).await.unwrap();
    assert_eq!((none.documents, none.entries, job), (3, 0, None), "the default is off");

    let daily = Some(RecognitionDefault::ServicePeriodDaily);
    change_default(shop.cx(), RecognitionSide::Revenue, daily).await.unwrap();
    shop.entity = entity(&shop).await;
    let (counted, job) = begin(shop.cx(), &shop.entity, days, true).await.unwrap();
    assert_eq!((counted.documents, counted.entries, job), (3, 2, None));
    let query = ListQuery::first_page(&RECOGNITION_ENTRIES);
    let present = shop.cx().page::<RecognitionEntry>(&RECOGNITION_ENTRIES, &query).await.unwrap();
    assert!(present.rows.is_empty(), "a dry run writes nothing");
    let later = FilledDays { from: Some(START.date() + Duration::DAY), to: None };
    let (later, _) = begin(shop.cx(), &shop.entity, later, true).await.unwrap();
    assert_eq!((later.documents, later.entries), (0, 0), "documents count by their dates");

    let (begun, job) = begin(shop.cx(), &shop.entity, days, false).await.unwrap();
    assert_eq!((begun.entries, job.is_some()), (2, true));
    perform(&shop).await;
    let made = shop.cx().page::<RecognitionEntry>(&RECOGNITION_ENTRIES, &query).await.unwrap().rows;
    let mut amounts: Vec<String> = made.iter().map(|entry| entry.amount.to_string()).collect();
    amounts.sort();
    assert_eq!(amounts, ["-30", "90"]);
    assert!(made.iter().all(|entry| (entry.to - entry.from).whole_days() == 89));
    let (again, job) = begin(shop.cx(), &shop.entity, days, false).await.unwrap();
    assert_eq!((again.entries, job), (0, None), "what has entries stays");

    let day_one = made.iter().map(|entry| spread(entry).at(START.date()));
    let earned: Vec<Decimal> = day_one.map(|at| at.recognized).collect();
    assert_eq!(earned.iter().sum::<Decimal>(), decimal("0.67"), "1.00 and -0.33: one of 22 days");
    assert!(matches!(document(&shop, invoice).await.stage, Stage::Issued(_)));
}

async fn document(shop: &Shop, id: DocumentId) -> Document {
    shop.cx().one(table_of(id.kind()), id).await.unwrap()
}

/// Performs all jobs that make entries.
async fn perform(shop: &Shop) {
    let (store, own) = (Arc::clone(&shop.store), shop.stamp.clone());
    let handler = BackfillHandler { store, stamp: Arc::new(move || own.clone()) };
    let kinds = [JobKind::RecognitionBackfill];
    let jobs = jobs::claim(&*shop.store, &kinds, &shop.stamp, 10).await.unwrap();
    assert_eq!(jobs.len(), 1);
    for job in jobs {
        let own = shop.stamp.clone();
        let ending = jobs::perform(&*shop.store, &handler, &job, &move || own.clone()).await;
        assert_eq!(ending.unwrap(), Some(Ending::Done));
    }
    let left: Vec<Job> = {
        let query = ListQuery::first_page(&JOBS);
        shop.store.page(&JOBS, &racun_kernel::Tenant::directory(), &query).await.unwrap().rows
    };
    assert!(left.iter().all(|job| job.kind != JobKind::RecognitionBackfill));
}
