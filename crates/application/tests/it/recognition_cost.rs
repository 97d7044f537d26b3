//! Cost over time, beside expenses that are entered, changed and voided at random.
//!
//! The law is that of revenue: at the end of every day, what is recognised and deferred comes to
//! what was entered, of the items that are spread, and what is accrued. And lines come to the same
//! by whatever they are grouped.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_documents::expense::{EXPENSES, Expense};
use racun_documents::recognition::{
    RECOGNITION_ENTRIES, RecognitionDefault, RecognitionEntry, RecognitionSide,
};
use racun_documents::{DocumentKind, RevenueRecognition};
use racun_insights::RecognitionRow;
use racun_kernel::id::ExpenseId;
use racun_kernel::{Decimal, Patch, RecognitionMethod, Stamp};
use racun_reporting::recognition::{RecognitionQuery, groups, recognition, spread};
use racun_sales::documents::Creation;
use racun_sales::expenses::{
    self, ExpenseCreation, ExpenseLineRequest, ExpenseRequest, SupplierPatch, TotalsRequest,
};
use racun_sales::recognition::change_default;
use racun_store::testing::{Random, stamp};
use racun_store::{Context, Record, Store, Table, Walk};
use time::macros::datetime;
use time::{Date, Duration, OffsetDateTime};

use crate::fixture::{Shop, decimal, line, request};
use crate::takings::{on_postgres, on_sqlite};

/// The first day of the world; all expenses are of it or later.
const START: OffsetDateTime = datetime!(2026-01-10 10:00 UTC);
/// Things that happen in one world.
const STEPS: usize = 50;

/// A shop, and the day on which it acts.
struct World {
    shop: Shop,
    now: OffsetDateTime,
    entered: Vec<ExpenseId>,
    drafts: Vec<ExpenseId>,
    /// When expenses were voided.
    voided: BTreeMap<String, Date>,
}

fn days(random: &mut Random, most: usize) -> i64 {
    i64::try_from(random.below(most)).unwrap()
}

impl World {
    fn stamp(&self) -> Stamp {
        self.shop.stamp.at(self.now)
    }

    /// An item of a random price, spread over a service that begins up to a month before the day or
    /// after it, incurred at once, or silent.
    fn item(&self, random: &mut Random) -> ExpenseLineRequest {
        let price = format!("{}.{:02}", random.below(900), random.below(100));
        let name = random.pick(&["Pisarna", "Zavarovanje", "Gostovanje"]);
        let from = self.now.date() + Duration::days(days(random, 60) - 30);
        let to = from + Duration::days(days(random, 200));
        let method = match random.below(4) {
            0 => None,
            1 => Some(RecognitionMethod::Immediate),
            _ => Some(RecognitionMethod::ServicePeriodDaily),
        };
        let mut own = line(name, &(1 + random.below(3)).to_string(), &price);
        own.revenue_recognition = method.map(|method| RevenueRecognition {
            method: Some(method),
            date_from: Some(from),
            date_to: Some(to),
        });
        ExpenseLineRequest { line: own, total_tax: None }
    }

    fn items(&self, random: &mut Random) -> Option<Vec<ExpenseLineRequest>> {
        Some((0..=random.below(3)).map(|_| self.item(random)).collect())
    }

    async fn step(&mut self, random: &mut Random) {
        self.now += Duration::days(days(random, 9));
        match random.below(7) {
            0..=3 => self.enter(random).await,
            4 => self.finalize(random).await,
            5 => self.change(random).await,
            _ => self.void(random).await,
        }
    }

    async fn enter(&mut self, random: &mut Random) {
        let name = Patch::Value(random.pick(&["Mlin", "Kmet"]).to_owned());
        let from = self.now.date();
        let is_silent = random.below(3) == 0;
        let mut sent = ExpenseRequest {
            supplier: Patch::Value(SupplierPatch { name, ..SupplierPatch::default() }),
            save_supplier: random.chance(50),
            date: Patch::Value(from),
            items: self.items(random),
            ..ExpenseRequest::default()
        };
        if is_silent {
            sent.date_service = Patch::Value(from);
            sent.date_service_to = Patch::Value(from + Duration::days(days(random, 90)));
        }
        if random.chance(20) {
            // Of totals only.
            sent.items = None;
            sent.totals = TotalsRequest {
                total: Patch::Value(decimal("100")),
                total_with_tax: Patch::Value(decimal("100")),
                ..TotalsRequest::default()
            };
        }
        let is_draft = random.below(4) == 0;
        let creation = ExpenseCreation { is_draft, ..ExpenseCreation::default() };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        let made = expenses::create(cx, &self.shop.entity, sent, creation).await.unwrap();
        if is_draft { self.drafts.push(made.id) } else { self.entered.push(made.id) }
    }

    async fn finalize(&mut self, random: &mut Random) {
        if self.drafts.is_empty() {
            return;
        }
        let id = self.drafts.swap_remove(random.below(self.drafts.len()));
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        expenses::finalize(cx, &self.shop.entity, id).await.unwrap();
        self.entered.push(id);
    }

    async fn change(&mut self, random: &mut Random) {
        if self.entered.is_empty() {
            return;
        }
        let id = random.pick(&self.entered);
        let sent = ExpenseRequest { items: self.items(random), ..ExpenseRequest::default() };
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        // A voided one is refused.
        let _ = expenses::update(cx, &self.shop.entity, id, sent).await;
    }

    async fn void(&mut self, random: &mut Random) {
        if self.entered.is_empty() {
            return;
        }
        let id = random.pick(&self.entered);
        let stamp = self.stamp();
        let cx = Context::new(&*self.shop.store, &self.shop.scope, &stamp);
        if expenses::void(cx, &self.shop.entity, id).await.is_ok() {
            self.voided.insert(id.to_string(), self.now.date());
        }
    }

    async fn all<A: Record>(&self, table: &'static Table) -> Vec<A> {
        let mut walk = Walk::of(table, self.shop.scope.tenant());
        let mut found = Vec::new();
        while let Some(page) = walk.next::<A>(&*self.shop.store).await.unwrap() {
            found.extend(page);
        }
        found
    }

    async fn report(&self, range: (Date, Date), group_by: Option<&str>) -> Vec<RecognitionRow> {
        report(&self.shop, RecognitionSide::Expense, range, group_by).await
    }

    /// What was entered by the end of `day` of the items, and of the totals, that have entries.
    fn bought(&self, expenses: &[Expense], entries: &[RecognitionEntry], day: Date) -> Decimal {
        let mut sum = Decimal::zero();
        for expense in expenses {
            let id = expense.id.to_string();
            let is_out = expense.is_draft()
                || expense.content.date.is_none_or(|date| date > day)
                || self.voided.get(&id).is_some_and(|voided| *voided <= day);
            let own = entries.iter().filter(|entry| entry.document_id == id && !is_out);
            for entry in own {
                let items = expense.content.items.iter();
                let item = items.clone().find(|item| entry.line_id.as_ref() == Some(&item.id));
                let total = match &entry.line_id {
                    Some(_) => item.and_then(|item| item.total.clone()),
                    None => expense.content.amounts.total.clone(),
                };
                sum = &sum + &total.unwrap();
            }
        }
        sum
    }

    async fn holds(&self) {
        let mut entries: Vec<RecognitionEntry> = self.all(&RECOGNITION_ENTRIES).await;
        entries.retain(|entry| entry.side == RecognitionSide::Expense);
        let expenses: Vec<Expense> = self.all(&EXPENSES).await;
        let last = entries.iter().map(RecognitionEntry::settled_on).max();
        let last = last.unwrap_or(START.date()).max(self.now.date());
        let first = START.date() - Duration::days(40);
        let mut day = first;
        while day <= last + Duration::days(4) {
            let (mut incurred, mut accrued) = (Decimal::zero(), Decimal::zero());
            for entry in &entries {
                let at = spread(entry).at(day);
                incurred = &(&incurred + &at.recognized) + &at.deferred;
                accrued = &accrued + &at.accrued;
            }
            let bought = self.bought(&expenses, &entries, day);
            assert_eq!(incurred, &bought + &accrued, "{day}");
            day += Duration::DAY;
        }
        let range = (first, last + Duration::days(1));
        let whole = self.report(range, None).await;
        let reported: Vec<Decimal> = whole.iter().map(|row| row.recognized.clone()).collect();
        let all: Decimal = reported.iter().sum();
        assert_eq!(all, self.bought(&expenses, &entries, range.1), "all is incurred at the end");
        for side in [RecognitionSide::Expense, RecognitionSide::Revenue] {
            lines_come_to_the_same_by_all_groups(&self.shop, side, range).await;
        }
    }
}

async fn report(
    shop: &Shop,
    side: RecognitionSide,
    (from, to): (Date, Date),
    group_by: Option<&str>,
) -> Vec<RecognitionRow> {
    let group_by = group_by.map(str::to_owned);
    let query = RecognitionQuery { side, from, to, basis: None, group_by };
    recognition(shop.cx(), &query).await.unwrap()
}

/// Sums of the figures by month.
fn by_month(rows: &[RecognitionRow]) -> BTreeMap<String, [Decimal; 3]> {
    let mut months: BTreeMap<String, [Decimal; 3]> = BTreeMap::new();
    for row in rows {
        let key = format!("{} {}", row.period, row.currency.code());
        let sums = months.entry(key).or_insert_with(|| std::array::from_fn(|_| Decimal::zero()));
        let figures = [&row.recognized, &row.deferred, &row.accrued];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
        }
    }
    months.retain(|_, sums| sums.iter().any(|sum| !sum.is_zero()));
    months
}

async fn lines_come_to_the_same_by_all_groups(
    shop: &Shop,
    side: RecognitionSide,
    range: (Date, Date),
) {
    let whole = by_month(&report(shop, side, range, None).await);
    assert!(!whole.is_empty(), "{side:?}");
    for group in groups(side) {
        let rows = report(shop, side, range, Some(group)).await;
        assert_eq!(by_month(&rows), whole, "{side:?} by {group}");
        let is_named = rows.iter().any(|row| row.group.is_some());
        let always = ["document_id", "document_type"].contains(&group);
        assert!(is_named || !always, "{side:?} by {group}");
    }
}

async fn a_world(store: Arc<dyn Store>, seed: u64) {
    let mut random = Random::new(seed);
    let shop = Shop::open_on(store, stamp(START)).await;
    let (entered, drafts, voided) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut world = World { shop, now: START, entered, drafts, voided };
    // Something is sold as well: it is no cost.
    let mut sold = request(vec![line("Najem", "1", "310")]);
    sold.items.as_mut().unwrap()[0].revenue_recognition = Some(RevenueRecognition {
        method: Some(RecognitionMethod::ServicePeriodDaily),
        date_from: Some(START.date()),
        date_to: Some(START.date() + Duration::days(60)),
    });
    world.shop.make_of(DocumentKind::Invoice, sold, Creation::default()).await.unwrap();
    for n in 0..STEPS {
        if n == STEPS / 2 {
            // From here on silent items follow their expenses.
            let daily = Some(RecognitionDefault::ServicePeriodDaily);
            let cx = world.shop.cx();
            change_default(cx, RecognitionSide::Expense, daily).await.unwrap();
            let tenant = racun_kernel::Tenant::account(world.shop.scope.account());
            let id = world.shop.entity.id.to_string();
            let entity = world.shop.store.get(&racun_access::ENTITIES, &tenant, &id).await;
            world.shop.entity = entity.unwrap().unwrap();
        }
        world.step(&mut random).await;
    }
    let cost: Vec<RecognitionEntry> = world.all(&RECOGNITION_ENTRIES).await;
    let cost: Vec<&RecognitionEntry> =
        cost.iter().filter(|entry| entry.side == RecognitionSide::Expense).collect();
    assert!(cost.len() > 15 && cost.iter().any(|entry| entry.voided_on.is_some()));
    assert!(cost.iter().any(|entry| entry.by_default), "silent items are spread");
    world.holds().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cost_is_lost_over_time_on_sqlite() {
    for seed in [41, 42] {
        a_world(on_sqlite(), seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cost_is_lost_over_time_on_postgres() {
    let (store, _database) = on_postgres().await;
    a_world(store, 43).await;
}
