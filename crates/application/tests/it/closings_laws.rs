//! The expected cash of all closings equals the cash that moved. Random sequences sell, refund,
//! void, delete and change documents of days that are closed already.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_documents::{Document, DocumentKind, Stage};
use racun_fiscalization::{NoAuthority, TaxAuthority};
use racun_kernel::{Decimal, Patch, calendar};
use racun_pos::{Closing, NewClosing, PosError};
use racun_sales::documents::{self, Creation, DocumentRequest, Edit, Voiding};
use racun_sales::payments;
use racun_settlement::{NewPayment, PAYMENTS, Payment, PaymentPatch, PaymentType, Tender};
use racun_store::testing::{Random, stamp};
use racun_store::{ListQuery, Record, Table};
use racun_till::closings;
use racun_till::takings::{self, Filter};
use time::macros::datetime;
use time::{Date, Duration, OffsetDateTime};

use crate::fixture::{Shop, decimal};
use crate::settling::{linked, worth};
use crate::takings::on_sqlite;

/// The first day, where the shop is.
const FIRST: OffsetDateTime = datetime!(2026-11-10 10:00 UTC);
const DAYS: i64 = 8;
const STEPS_A_DAY: usize = 8;
const KINDS: [PaymentType; 2] = [PaymentType::Cash, PaymentType::Card];

struct Till {
    shop: Shop,
    random: Random,
    /// Days since the first.
    today: i64,
    closings: Vec<Closing>,
}

fn day(nth: i64) -> Date {
    (FIRST + Duration::days(nth)).date()
}

fn ok<T>(done: Result<T, impl std::fmt::Debug>) -> bool {
    done.is_ok()
}

impl Till {
    async fn rows<A: Record>(&self, table: &'static Table) -> Vec<A> {
        let query = ListQuery { limit: 10_000, count: false, ..ListQuery::first_page(table) };
        self.shop.store.page(table, &self.shop.scope.tenant(), &query).await.unwrap().rows
    }

    /// Today or a day before, closed or not.
    fn any_day(&mut self) -> Date {
        let back = i64::try_from(self.random.below(4)).unwrap();
        day((self.today - back).max(0))
    }

    fn cents(&mut self) -> Decimal {
        Decimal::new(i64::try_from(self.random.below(900)).unwrap() + 1, 2)
    }

    async fn sell(&mut self, kind: DocumentKind, of: &[&Document]) -> bool {
        let (date, amount) = (self.any_day(), self.cents());
        let paid = NewPayment {
            date: Some(date),
            tender: Tender {
                tip: self.random.chance(20).then(|| decimal("0.5")),
                ..Tender::default()
            },
            ..NewPayment::new(self.random.pick(&KINDS))
        };
        let request =
            DocumentRequest { date: Some(date), ..linked(worth(&amount.to_string()), of) };
        // A credit note whose money was given back is not voided.
        let is_paid = of.is_empty() || self.random.chance(70);
        let payments = is_paid.then_some(paid).into_iter().collect();
        let creation = Creation { payments, ..Creation::default() };
        let shop = &self.shop;
        ok(documents::create(shop.cx(), &shop.entity, kind, request, creation).await)
    }

    async fn any<A: Record>(&mut self, table: &'static Table) -> Option<A> {
        let mut rows = self.rows(table).await;
        if rows.is_empty() { None } else { Some(rows.swap_remove(self.random.below(rows.len()))) }
    }

    async fn refund(&mut self) -> Option<bool> {
        let invoice: Document = self.any(racun_documents::table_of(DocumentKind::Invoice)).await?;
        Some(self.sell(DocumentKind::CreditNote, &[&invoice]).await)
    }

    async fn redate(&mut self) -> Option<bool> {
        let document: Document = self.any(racun_documents::table_of(DocumentKind::Invoice)).await?;
        let date = self.any_day();
        let request = DocumentRequest { date: Some(date), ..DocumentRequest::default() };
        let (shop, edit) = (&self.shop, Edit::default());
        Some(ok(documents::update(shop.cx(), &shop.entity, document.id, request, edit).await))
    }

    async fn void(&mut self, kind: DocumentKind) -> Option<bool> {
        let document: Document = self.any(racun_documents::table_of(kind)).await?;
        let (shop, voiding) = (&self.shop, Voiding::default());
        Some(ok(documents::void(shop.cx(), &shop.entity, document.id, voiding).await))
    }

    async fn on_payment(&mut self, act: &str) -> Option<bool> {
        let id = self.any::<Payment>(&PAYMENTS).await?.id;
        let (date, kind, amount) = (self.any_day(), self.random.pick(&KINDS), self.cents());
        let patch = match act {
            "date" => PaymentPatch { date: Patch::Value(date), ..PaymentPatch::default() },
            "kind" => PaymentPatch { kind: Patch::Value(kind), ..PaymentPatch::default() },
            _ => PaymentPatch { amount: Patch::Value(amount), ..PaymentPatch::default() },
        };
        let no_authority: Arc<dyn TaxAuthority> = Arc::new(NoAuthority);
        let shop = &self.shop;
        Some(match act {
            "delete" => ok(payments::trash(shop.cx(), &shop.entity, id).await),
            _ => ok(self.shop.change(&no_authority, id, patch).await),
        })
    }

    async fn close(&mut self) -> bool {
        let new = NewClosing {
            date: Patch::Value(calendar::format_date(self.any_day())),
            opening_cash: Patch::Value(self.cents()),
            counted_cash: Patch::Value(self.cents()),
            ..NewClosing::default()
        };
        match closings::close(self.shop.cx(), &self.shop.entity, new).await {
            Ok(closing) => self.closings.push(closing),
            Err(PosError::DayClosed(_)) => return false,
            Err(error) => panic!("{error:?}"),
        }
        self.audit().await;
        true
    }

    /// All closings together expect the cash that moved on the days that they closed.
    async fn audit(&self) {
        let closed: Vec<Date> = self.closings.iter().map(|closing| closing.date).collect();
        let mut moved = Decimal::zero();
        let mut voided = BTreeMap::new();
        for kind in [DocumentKind::Invoice, DocumentKind::CreditNote] {
            let rows: Vec<Document> = self.rows(racun_documents::table_of(kind)).await;
            let ended = rows.into_iter().filter(|one| matches!(one.stage, Stage::Voided(..)));
            voided.extend(ended.map(|one| (one.id, one.voided_at().unwrap().date())));
        }
        let payments: Vec<Payment> = self.rows(&PAYMENTS).await;
        for payment in payments.iter().filter(|payment| payment.kind == PaymentType::Cash) {
            let tip = payment.tip.clone().unwrap_or_else(Decimal::zero);
            if closed.contains(&payment.date) {
                match payment.invoice_id {
                    Some(_) => moved += &(&payment.amount + &tip),
                    None => moved -= &payment.amount,
                }
            }
            // What is voided hands its money back.
            let ended = payment.invoice_id.and_then(|id| voided.get(&id));
            if ended.is_some_and(|day| closed.contains(day)) {
                moved -= &payment.amount;
            }
        }
        let mut expected = Decimal::zero();
        for closing in &self.closings {
            expected += &(&closing.expected_cash - &closing.opening_cash);
        }
        assert_eq!(expected, moved, "closed: {closed:?}");
        for closing in &self.closings {
            self.audit_day(closing).await;
        }
    }

    /// What closings say of the day of `closing` is what its report says now.
    async fn audit_day(&self, closing: &Closing) {
        let shop = &self.shop;
        let (date, filter) = (closing.date, Filter::default());
        let now = takings::daily(shop.cx(), &shop.entity, Some(date), &filter);
        let now = now.await.unwrap();
        let mut told = [
            closing.report.totals.invoices.clone(),
            closing.report.totals.gross.clone(),
            closing.report.turnover(),
            closing.report.cash(),
        ];
        let carried = self.closings.iter().filter_map(|later| later.carried_over.as_ref());
        for day in carried.flat_map(|it| &it.days).filter(|day| day.date == date) {
            let more = [&day.invoices, &day.gross, &day.turnover, &day.cash];
            told.iter_mut().zip(more).for_each(|(figure, more)| *figure += more);
        }
        let is =
            [now.totals.invoices.clone(), now.totals.gross.clone(), now.turnover(), now.cash()];
        assert_eq!(told, is, "{date}");
    }
}

#[tokio::test]
async fn closings_expect_the_cash_that_moved() {
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    let mut late = 0;
    for seed in 0..30 {
        let shop = Shop::open_on(on_sqlite(), stamp(FIRST)).await;
        let (random, closings) = (Random::new(seed), Vec::new());
        let mut till = Till { shop, random, today: 0, closings };
        for _ in 0..DAYS {
            for _ in 0..STEPS_A_DAY {
                let what = till.random.pick(&[
                    "sell",
                    "sell",
                    "sell",
                    "refund",
                    "refund",
                    "void",
                    "void_refund",
                    "void_refund",
                    "delete",
                    "date",
                    "kind",
                    "amount",
                    "redate",
                    "close",
                    "close",
                ]);
                let is_done = match what {
                    "sell" => till.sell(DocumentKind::Invoice, &[]).await,
                    "refund" => till.refund().await.unwrap_or_default(),
                    "void" => till.void(DocumentKind::Invoice).await.unwrap_or_default(),
                    "void_refund" => till.void(DocumentKind::CreditNote).await.unwrap_or_default(),
                    "redate" => till.redate().await.unwrap_or_default(),
                    "close" => till.close().await,
                    _ => till.on_payment(what).await.unwrap_or_default(),
                };
                *done.entry(what).or_default() += usize::from(is_done);
            }
            till.today += 1;
            till.shop.stamp = till.shop.stamp.at(FIRST + Duration::days(till.today));
        }
        let carried = till.closings.iter().filter_map(|closing| closing.carried_over.as_ref());
        late += carried.filter(|it| it.days.iter().any(|day| day.date != it.sum.date)).count();
    }
    let rare = done.iter().filter(|(_, count)| **count < 10);
    assert_eq!(rare.collect::<Vec<_>>(), [], "{done:?}");
    assert!(late > 10, "few days older than the previous closing's changed: {late}");
}
