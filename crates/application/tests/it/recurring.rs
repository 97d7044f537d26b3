//! Recurring invoices: what is made when, once, and what stays when something fails.

use std::sync::Arc;

use racun_access::AccountScope;
use racun_background::jobs::{Limits, Report};
use racun_documents::recurrence::{
    DUE_SCHEDULES, Frequency, RECURRING_RUNS, RecurrenceError, RecurringInput, RecurringInvoice,
    Status,
};
use racun_documents::{Document, DocumentId, DocumentKind};
use racun_fiscalization::OutsideServices;
use racun_kernel::{Patch, Stamp, Tenant};
use racun_sales::documents;
use racun_sales::recurring::{self, LIMITS, advance_clock, run_due};
use racun_store::{Context, ListQuery};
use racun_store_sqlite::SqliteStore;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};

use crate::fixture::{Shop, line, request};
use crate::flaky::Flaky;

impl Shop {
    /// A stamp of another instant.
    fn at(&self, now: OffsetDateTime) -> Stamp {
        self.stamp.at(now)
    }

    /// An invoice over one line, to copy.
    pub async fn template(&self) -> Document {
        self.create(request(vec![line("Najem", "1", "100")])).await.unwrap()
    }

    /// Monthly on the day of `start`.
    pub async fn monthly(&self, template: &Document, start: Date) -> RecurringInvoice {
        self.recurring(monthly(template.id, start)).await.unwrap()
    }

    pub async fn recurring(
        &self,
        input: RecurringInput,
    ) -> Result<RecurringInvoice, RecurrenceError> {
        recurring::create(self.cx(), input).await
    }

    pub async fn run(&self, now: OffsetDateTime) -> Report {
        run_due(&*self.store, OutsideServices::default(), &self.at(now), LIMITS).await.unwrap()
    }

    async fn look_again(&self, recurring: &RecurringInvoice) -> RecurringInvoice {
        recurring::get(self.cx(), recurring.id).await.unwrap()
    }

    /// What was made, in the order of dates.
    pub async fn made(&self) -> Vec<Document> {
        let table = racun_documents::table_of(DocumentKind::Invoice);
        let query = ListQuery { limit: 1000, ..ListQuery::first_page(table) };
        let page = self.store.page::<Document>(table, &self.scope.tenant(), &query).await.unwrap();
        let mut made: Vec<Document> =
            page.rows.into_iter().filter(|one| one.source.name() == "recurring").collect();
        made.sort_by_key(|invoice| invoice.content.date);
        made
    }

    async fn dates(&self) -> Vec<Date> {
        self.made().await.iter().map(|invoice| invoice.content.date).collect()
    }

    /// The days on which the directory says that something is due.
    async fn due_days(&self) -> Vec<Date> {
        let query = ListQuery::first_page(&DUE_SCHEDULES);
        let directory = Tenant::directory();
        let page = self.store.page(&DUE_SCHEDULES, &directory, &query).await.unwrap();
        page.rows.iter().map(|row: &racun_documents::recurrence::DueSchedule| row.run_on).collect()
    }

    fn account(&self) -> AccountScope {
        AccountScope {
            account: self.scope.account(),
            environment: None,
            principal: self.scope.principal(),
            session: self.scope.session(),
        }
    }
}

pub fn monthly(template: DocumentId, start: Date) -> RecurringInput {
    RecurringInput {
        document_id: Patch::Value(template),
        name: Patch::Value("Najemnina".to_owned()),
        frequency: Patch::Value(Frequency::Monthly),
        start_date: Patch::Value(start),
        ..RecurringInput::default()
    }
}

/// The last days of the months from January 2028, a leap year, on.
const MONTH_ENDS: [Date; 4] =
    [date!(2028 - 01 - 31), date!(2028 - 02 - 29), date!(2028 - 03 - 31), date!(2028 - 04 - 30)];

#[tokio::test]
async fn months_that_are_too_short_end_the_run_on_their_last_day() {
    let shop = Shop::open().await;
    let rent = shop.monthly(&shop.template().await, MONTH_ENDS[0]).await;
    for day in MONTH_ENDS {
        let report = shop.run(day.midnight().assume_utc()).await;
        assert_eq!((report.done, report.problems), (1, Vec::new()), "{day}");
        assert_eq!(shop.run(day.midnight().assume_utc()).await, Report::default(), "{day}");
    }
    assert_eq!(shop.dates().await, MONTH_ENDS);
    let rent = shop.look_again(&rent).await;
    assert_eq!((rent.invoices_generated, rent.next_run_date), (4, Some(date!(2028 - 05 - 31))));
    assert_eq!(shop.due_days().await, [date!(2028 - 05 - 31)]);
    let numbers: Vec<String> = shop.made().await.iter().map(Document::number).collect();
    assert_eq!(numbers, ["2028-00001", "2028-00002", "2028-00003", "2028-00004"]);
}

#[tokio::test]
async fn a_run_is_due_as_soon_as_its_day_begins_where_the_entity_is() {
    let shop = Shop::open().await;
    shop.monthly(&shop.template().await, date!(2027 - 01 - 01)).await;
    assert_eq!(shop.run(datetime!(2026-12-31 22:59:59 UTC)).await, Report::default());
    assert_eq!(shop.run(datetime!(2026-12-31 23:00 UTC)).await.done, 1);
    assert_eq!(shop.dates().await, [date!(2027 - 01 - 01)]);
}

#[tokio::test]
async fn missed_periods_get_an_invoice_each_within_the_limit_of_a_run() {
    let shop = Shop::open().await;
    let rent = shop.monthly(&shop.template().await, date!(2026 - 08 - 01)).await;
    let limits = Limits { each: 3, ..LIMITS };
    let first =
        run_due(&*shop.store, OutsideServices::default(), &shop.stamp, limits).await.unwrap();
    assert_eq!((first.done, first.has_more), (3, true));
    let second =
        run_due(&*shop.store, OutsideServices::default(), &shop.stamp, limits).await.unwrap();
    assert_eq!((second.done, second.has_more), (1, false));
    let months = [8, 9, 10, 11].map(|month| {
        Date::from_calendar_date(2026, time::Month::try_from(month).unwrap(), 1).unwrap()
    });
    assert_eq!(shop.dates().await, months);
    let made = shop.made().await;
    let rent = shop.look_again(&rent).await;
    assert_eq!(rent.last_generated_invoice_id, made.last().map(|invoice| invoice.id));
    assert_eq!(rent.last_run_date, Some(date!(2026 - 11 - 01)));
}

#[tokio::test]
async fn drafts_are_made_when_drafts_are_asked_for() {
    let shop = Shop::open().await;
    let draft = shop.draft(request(vec![line("Najem", "1", "100")])).await.unwrap();
    let input = RecurringInput {
        create_as_draft: Patch::Value(true),
        ..monthly(draft.id, date!(2026 - 11 - 20))
    };
    shop.recurring(input).await.unwrap();
    assert_eq!(shop.run(shop.stamp.now()).await.done, 1);
    assert!(shop.made().await[0].is_draft());
    let next = shop.template().await;
    assert_eq!(next.number(), "2026-00001", "a draft takes no number");
}

#[tokio::test]
async fn a_template_must_be_there_and_not_voided() {
    let shop = Shop::open().await;
    let template = shop.template().await;
    let (store, stamp) = (&*shop.store, &shop.stamp);
    documents::void(
        Context::new(store, &shop.scope, stamp),
        &shop.entity,
        template.id,
        documents::Voiding::default(),
    )
    .await
    .unwrap();
    let other = DocumentId::new(DocumentKind::Invoice, shop.stamp.ulid());
    for id in [template.id, other] {
        match shop.recurring(monthly(id, date!(2027 - 01 - 01))).await {
            Err(RecurrenceError::Invalid(issues)) => {
                assert!(issues.to_string().starts_with("document_id: "), "{issues}");
            }
            made => panic!("{made:?}"),
        }
    }
    assert_eq!(shop.due_days().await, []);
}

#[tokio::test]
async fn a_failure_is_kept_and_tried_again_the_next_day_until_it_is_paused() {
    let shop = Shop::open().await;
    let (bad, good) = (shop.template().await, shop.template().await);
    let rent = shop.monthly(&bad, date!(2026 - 12 - 01)).await;
    shop.monthly(&good, date!(2026 - 12 - 01)).await;
    let (store, stamp) = (&*shop.store, &shop.stamp);
    documents::void(
        Context::new(store, &shop.scope, stamp),
        &shop.entity,
        bad.id,
        documents::Voiding::default(),
    )
    .await
    .unwrap();
    let first = shop.run(datetime!(2026-12-01 08:00 UTC)).await;
    assert_eq!((first.done, first.failed()), (1, 1), "one failure stops nothing else");
    let failed = shop.look_again(&rent).await;
    assert!(failed.last_error.as_ref().unwrap().contains("voided"), "{failed:?}");
    assert_eq!(failed.last_error_at, Some(datetime!(2026-12-01 08:00 UTC)));
    assert_eq!(failed.next_run_date, Some(date!(2026 - 12 - 01)));
    assert_eq!(shop.run(datetime!(2026-12-01 20:00 UTC)).await, Report::default());
    for day in 2..=7 {
        let now = Date::from_calendar_date(2026, time::Month::December, day).unwrap();
        assert_eq!(shop.run(now.midnight().assume_utc()).await.failed(), 1, "{now}");
    }
    assert_eq!(shop.look_again(&rent).await.status, Status::Paused);
    assert_eq!(shop.due_days().await, [date!(2027 - 01 - 01)], "of the other one");
    assert_eq!(shop.dates().await, [date!(2026 - 12 - 01)]);
}

#[tokio::test]
async fn paused_trashed_and_completed_ones_are_not_due() {
    let shop = Shop::open().await;
    let template = shop.template().await;
    let (store, scope, entity, stamp) = (&*shop.store, &shop.scope, &shop.entity, &shop.stamp);
    let id = shop.monthly(&template, date!(2026 - 11 - 20)).await.id;
    recurring::pause(Context::new(store, scope, stamp), entity, id).await.unwrap();
    assert_eq!(shop.due_days().await, []);
    assert_eq!(shop.run(shop.stamp.now()).await, Report::default());
    recurring::resume(Context::new(store, scope, stamp), entity, id).await.unwrap();
    assert_eq!(shop.due_days().await, [date!(2026 - 11 - 20)]);
    recurring::trash(Context::new(store, scope, stamp), entity, id).await.unwrap();
    assert_eq!(shop.due_days().await, []);
    recurring::restore(Context::new(store, scope, stamp), entity, id).await.unwrap();
    let input = RecurringInput {
        end_date: Patch::Value(date!(2026 - 12 - 19)),
        ..RecurringInput::default()
    };
    recurring::update(Context::new(store, scope, stamp), entity, id, input).await.unwrap();
    assert_eq!(shop.run(shop.stamp.now()).await.done, 1);
    let last = recurring::get(Context::new(store, scope, stamp), id).await.unwrap();
    assert_eq!((last.status, last.next_run_date), (Status::Completed, None));
    assert_eq!(shop.due_days().await, []);
    recurring::trash(Context::new(store, scope, stamp), entity, id).await.unwrap();
    recurring::erase(Context::new(store, scope, stamp), id).await.unwrap();
    assert!(matches!(
        recurring::get(Context::new(store, scope, stamp), id).await,
        Err(RecurrenceError::NotFound { .. })
    ));
    assert_eq!(shop.dates().await, [date!(2026 - 11 - 20)], "what it made stays");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_at_once_make_every_period_once() {
    let shop = Arc::new(Shop::open().await);
    let template = shop.template().await;
    for _ in 0..5 {
        shop.monthly(&template, date!(2026 - 01 - 15)).await;
    }
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move { shop.run(shop.stamp.now()).await })
        })
        .collect();
    let mut invoices = 0;
    for worker in workers {
        let report = worker.await.unwrap();
        assert_eq!((report.failed(), report.problems), (0, Vec::new()));
        invoices += report.done;
    }
    // A worker that loses too often leaves the rest to the next run.
    invoices += shop.run(shop.stamp.now()).await.done;
    assert_eq!(invoices, 5 * 11);
    assert_eq!(shop.made().await.len(), 5 * 11);
    let runs = ListQuery::first_page(&RECURRING_RUNS);
    let (_, count) = shop.store.list(&RECURRING_RUNS, &shop.scope.tenant(), &runs).await.unwrap();
    assert_eq!(count, 5 * 11);
}

#[tokio::test]
async fn an_interruption_between_periods_loses_and_doubles_nothing() {
    let flaky = Arc::new(Flaky::new(SqliteStore::in_memory(&racun_application::tables()).unwrap()));
    let shop = Shop::open_on(
        Arc::<Flaky<SqliteStore>>::clone(&flaky),
        racun_store::testing::stamp(crate::fixture::NOW),
    )
    .await;
    let template = shop.template().await;
    let rent = shop.monthly(&template, date!(2026 - 01 - 15)).await;
    let (mut runs, mut interruptions) = (0, 0);
    while shop.look_again(&rent).await.next_run_date < Some(date!(2026 - 11 - 20)) {
        // Two units are written, and the outcome of the third varies by run: written or not.
        flaky.fail_after(2, runs % 2 == 0);
        let report = shop.run(shop.stamp.now()).await;
        assert!(report.done <= 2, "{report:?}");
        assert_eq!(report.failed(), 0, "a failing store counts as no failure of an invoice");
        interruptions += report.interruptions;
        runs += 1;
    }
    flaky.heal();
    assert_eq!(shop.look_again(&rent).await.last_error, None);
    let months: Vec<Date> = (1..=11)
        .map(|month| {
            Date::from_calendar_date(2026, time::Month::try_from(month).unwrap(), 15).unwrap()
        })
        .collect();
    assert_eq!(shop.dates().await, months);
    assert_eq!((runs, interruptions), (5, 4));
    let next = shop.template().await;
    assert_eq!(next.number(), "2026-00013", "no number is lost");
}

#[tokio::test]
async fn a_disabled_entitys_invoices_wait_and_hold_up_no_others() {
    let shop = Shop::open().await;
    let rent = shop.monthly(&shop.template().await, date!(2026 - 11 - 20)).await;
    let (store, scope, stamp) = (&*shop.store, &shop.scope, &shop.stamp);
    racun_access::disable_entity(Context::new(store, scope, stamp)).await.unwrap();
    let report = shop.run(shop.stamp.now()).await;
    assert_eq!((report.done, report.failed()), (0, 0));
    assert_eq!(report.problems[0].id, rent.id.to_string());
    assert_eq!(shop.run(shop.stamp.now()).await, Report::default(), "put off");
    assert_eq!(shop.look_again(&rent).await, rent, "nothing is written to the entity");
    let patch = racun_access::EntityPatch {
        is_enabled: Patch::Value(true),
        ..racun_access::EntityPatch::default()
    };
    racun_access::update_entity(Context::new(store, scope, stamp), patch).await.unwrap();
    assert_eq!(shop.run(datetime!(2026-11-22 10:00 UTC)).await.done, 1);
    // By a clock that is ahead it is put off as far, not found again by every run.
    advance_clock(
        store,
        OutsideServices::default(),
        &shop.account(),
        datetime!(2026-12-10 12:00 UTC),
        stamp,
    )
    .await
    .unwrap();
    shop.monthly(&shop.template().await, date!(2026 - 12 - 05)).await;
    racun_access::disable_entity(Context::new(store, scope, stamp)).await.unwrap();
    assert_eq!(shop.run(shop.stamp.now()).await.problems.len(), 1);
    assert_eq!(shop.run(shop.stamp.now()).await, Report::default());
}

#[tokio::test]
async fn a_test_clock_makes_what_it_passes_in_the_order_of_time() {
    let shop = Shop::open().await;
    let template = shop.template().await;
    shop.monthly(&template, date!(2026 - 12 - 31)).await;
    let weekly = RecurringInput {
        frequency: Patch::Value(Frequency::Weekly),
        ..monthly(template.id, date!(2026 - 12 - 24))
    };
    shop.recurring(weekly).await.unwrap();
    let (store, account) = (&*shop.store, shop.account());
    let to = datetime!(2027-01-31 12:00 UTC);
    let advanced =
        advance_clock(store, OutsideServices::default(), &account, to, &shop.stamp).await.unwrap();
    assert_eq!((advanced.now, advanced.report.done), (to, 8));
    let made = shop.made().await;
    let mut in_time = made.clone();
    in_time.sort_by_key(|invoice| (invoice.created_at, invoice.number()));
    let numbers = |of: &[Document]| of.iter().map(Document::number).collect::<Vec<_>>();
    let mut by_number = made.clone();
    by_number.sort_by_key(Document::number);
    assert_eq!(numbers(&in_time), numbers(&by_number), "numbers follow time");
    assert_eq!(made[0].created_at, datetime!(2026-12-23 23:00 UTC), "when its day begins");
    // Again, nothing; back, never; too far, not at once.
    let again =
        advance_clock(store, OutsideServices::default(), &account, to, &shop.stamp).await.unwrap();
    assert_eq!((again.now, again.report), (to, Report::default()));
    for wrong in [datetime!(2027-01-31 11:59 UTC), datetime!(2029-02-01 12:00 UTC)] {
        let refused =
            advance_clock(store, OutsideServices::default(), &account, wrong, &shop.stamp)
                .await
                .unwrap_err();
        assert!(refused.to_string().contains("advance_to"), "{refused}");
    }
    let live = AccountScope { environment: Some(racun_kernel::Environment::Live), ..account };
    let refused =
        advance_clock(store, OutsideServices::default(), &live, to, &shop.stamp).await.unwrap_err();
    assert!(matches!(refused, racun_access::AccessError::NotFound { .. }));
}

#[tokio::test]
async fn jobs_go_by_the_test_clock_until_real_time_has_passed_it() {
    let shop = Shop::open().await;
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    let to = datetime!(2027-03-10 12:00 UTC);
    advance_clock(store, OutsideServices::default(), &shop.account(), to, &shop.stamp)
        .await
        .unwrap();
    let template = shop.template().await;
    assert_eq!(template.content.date, date!(2026 - 11 - 20), "requests stay in real time");
    let rent = shop.monthly(&template, date!(2027 - 01 - 01)).await;
    assert_eq!(shop.run(shop.stamp.now()).await.done, 3, "January to March by the clock");
    recurring::pause(Context::new(store, scope, &shop.stamp), entity, rent.id).await.unwrap();
    let to = datetime!(2027-05-10 12:00 UTC);
    advance_clock(store, OutsideServices::default(), &shop.account(), to, &shop.stamp)
        .await
        .unwrap();
    let resumed =
        recurring::resume(Context::new(store, scope, &shop.stamp), entity, rent.id).await.unwrap();
    assert_eq!(resumed.next_run_date, Some(date!(2027 - 06 - 01)), "the pause was by the clock");
    assert_eq!(shop.run(datetime!(2027-06-01 10:00 UTC)).await.done, 1);
}
