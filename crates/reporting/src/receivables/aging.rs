//! What was open on a day.
//!
//! A document is read where it can have been open: where it is so now, and where something that is
//! dated later changed it, for without that it would be open still. So the work grows with what is
//! open and with what happened since the day, not with all that was ever issued.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_documents::{Document, DocumentId, DocumentKind, table_of};
use racun_insights::{Aging, AgingFold};
use racun_kernel::Decimal;
use racun_records::where_in;
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Clause, Context, ListQuery, Operator, Order, StoreError, Table, Value, Walk};
use time::Date;

use super::movements::{AT_ONCE, Issued, KINDS, Others, each_payment, moved, paid, settled_on};
use crate::days::{Budget, for_each};
use crate::facts::open_item;

/// See [`super::aging`].
pub(super) async fn aging(
    cx: Context<'_>,
    entity: &Entity,
    day: Date,
) -> Result<Aging, StoreError> {
    let (budget, seen) = (Budget::new(), BTreeSet::new());
    let (later, fold) = (BTreeSet::new(), AgingFold::new(day));
    let mut reading = Reading { cx, entity, day, budget, seen, later, fold };
    for (kind, field) in KINDS {
        for clauses in candidates(table_of(kind), day) {
            reading.read(kind, field, clauses).await?;
        }
    }
    reading.paid_later().await?;
    let later = std::mem::take(&mut reading.later);
    for (kind, field) in KINDS {
        let table = table_of(kind);
        let of_kind = |id: &&DocumentId| id.kind() == kind && !reading.seen.contains(*id);
        let ids: Vec<&DocumentId> = later.iter().filter(of_kind).collect();
        for ids in ids.chunks(AT_ONCE) {
            let clauses = vec![is(table, "is_draft", false), where_in(table, "id", ids)];
            reading.read(kind, field, clauses).await?;
        }
    }
    Ok(reading.fold.finish())
}

/// Which documents can have been open on `day`, beside those on which money moved later: those that
/// are open, those below zero, which count as paid, those that are voided, and those of later.
fn candidates(table: &'static Table, day: Date) -> [Vec<Clause>; 4] {
    let paid = |clause| vec![is(table, "is_draft", false), is(table, "paid_in_full", true), clause];
    [
        vec![is(table, "is_draft", false), is(table, "paid_in_full", false)],
        paid(Clause::on(table, "total_with_tax", Operator::Lt(0.into()))),
        paid(Clause::on(table, "voided_at", Operator::Not(Value::Null))),
        paid(Clause::on(table, "date", Operator::Gt(day.into()))),
    ]
}

fn is(table: &'static Table, flag: &str, value: bool) -> Clause {
    Clause::on(table, flag, Operator::Equals(value.into()))
}

/// The documents of a day, as they are read.
struct Reading<'a> {
    cx: Context<'a>,
    entity: &'a Entity,
    day: Date,
    budget: Budget,
    /// Ids of the documents that are counted.
    seen: BTreeSet<DocumentId>,
    /// Ids of the documents that something of a later day settled.
    later: BTreeSet<DocumentId>,
    fold: AgingFold,
}

impl Reading<'_> {
    /// Finds the documents on which money moved after the day, or the credit of an advance whose
    /// money came after it.
    async fn paid_later(&mut self) -> Result<(), StoreError> {
        let (named, mut advances) = (&mut self.later, BTreeSet::new());
        let clauses = vec![Clause::on(&PAYMENTS, "date", Operator::Gt(self.day.into()))];
        let each = |payment: Payment| {
            named.extend([payment.invoice_id, payment.credit_note_id].into_iter().flatten());
            advances.extend(payment.advance_invoice_id);
        };
        for_each(self.cx, &PAYMENTS, clauses, "date", &mut self.budget, each).await?;
        let of_invoices = Clause::on(&PAYMENTS, "invoice_id", Operator::Not(Value::Null));
        let taken = ("advance_invoice_id", advances);
        let each = |payment: Payment| named.extend(payment.invoice_id);
        each_payment(self.cx, taken, Some(of_invoices), &mut self.budget, each).await
    }

    /// Counts the documents of `kind`, which payments name in `field`, of which `clauses` hold.
    async fn read(
        &mut self,
        kind: DocumentKind,
        field: &str,
        clauses: Vec<Clause>,
    ) -> Result<(), StoreError> {
        let table = table_of(kind);
        let order = vec![Order::on(table, "date", false)];
        let query = ListQuery { clauses, order, ..ListQuery::first_page(table) };
        let mut walk = Walk::through(table, self.cx.tenant(), query);
        while let Some(mut page) = walk.next::<Document>(self.cx.store).await? {
            self.budget.take(page.len())?;
            page.retain(|document| self.seen.insert(document.id));
            for some in page.chunks(AT_ONCE) {
                self.count(kind, some, field).await?;
            }
        }
        Ok(())
    }

    async fn count(
        &mut self,
        kind: DocumentKind,
        documents: &[Document],
        field: &str,
    ) -> Result<(), StoreError> {
        let mut issued = Issued::default();
        let paid_ones = documents.iter().filter(|one| !one.amounts.total_paid.is_zero());
        paid_ones.for_each(|one| issued.note(one));
        let payments = issued.payments(self.cx, field, &mut self.budget).await?;
        let others = Others::of(self.cx, kind, &payments, &mut self.budget).await?;
        let mut by_document: BTreeMap<DocumentId, Vec<(Payment, Date)>> = BTreeMap::new();
        for (payment, date) in payments {
            let invoice = payment.invoice_id.filter(|_| field == "invoice_id");
            if let Some(id) = invoice.or(payment.credit_note_id) {
                by_document.entry(id).or_default().push((payment, date));
            }
        }
        for document in documents {
            let payments = by_document.remove(&document.id).unwrap_or_default();
            if document.content.date > self.day {
                // What it settles is open on the day.
                let settled = payments.iter().filter_map(|(one, _)| others.get(one, kind));
                self.later.extend(settled.map(|other| other.id));
            }
            let open = self.open(document, &payments, &others);
            if !open.is_zero() {
                self.fold.add(open_item(document, self.entity.currency, open));
            }
        }
        Ok(())
    }

    /// What is open of `document` on the day, below zero where it is owed to the customer.
    fn open(&self, document: &Document, payments: &[(Payment, Date)], others: &Others) -> Decimal {
        let (kind, own) = (document.id.kind(), document.content.date);
        let moved = moved(document, self.entity).map(|one| (one.date, one.amount));
        let paid = payments.iter().filter_map(|(payment, date)| {
            let date = match payment.is_credit_settlement() {
                true => settled_on(payment, own, others.get(payment, kind)?),
                false => *date,
            };
            Some((date, paid(payment, date, kind).amount))
        });
        let until = |(date, amount): (Date, Decimal)| (date <= self.day).then_some(amount);
        let amounts: Vec<Decimal> = moved.chain(paid).filter_map(until).collect();
        amounts.iter().sum()
    }
}
