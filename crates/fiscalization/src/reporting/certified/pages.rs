//! The certified documents and receipts of some days, page by page, each series in the order of its
//! numbers.

use std::collections::{BTreeMap, VecDeque};

use racun_documents::{
    Document, DocumentId, DocumentKind, RELATIONS, Relation, RelationType, table_of,
};
use racun_kernel::id::PtSeriesId;
use racun_portugal::saft::SaftDocument;
use racun_records::{all_in, get_documents};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Clause, Context, ListQuery, Operator, Order, StoreError, Value, Walk};
use time::{Date, Duration};

use super::facts::{Beside, invoiced_by, payment, saft_document};

/// Documents of a series that are kept back while there are more to read. Ids are made before the
/// unit that takes the number, so of requests that come at once one may overtake others: no more
/// than are under way together.
const KEPT_BACK: usize = 300;

/// The issued documents of `kind` between two days, by day.
pub(super) fn of_period(kind: DocumentKind, from: Date, to: Date) -> ListQuery {
    let table = table_of(kind);
    let on = |operator| Clause::on(table, "date", operator);
    ListQuery {
        clauses: vec![
            on(Operator::Gte(Value::Date(from))),
            on(Operator::Lte(Value::Date(to))),
            Clause::on(table, "is_draft", Operator::Equals(false.into())),
        ],
        order: vec![Order::on(table, "date", false)],
        ..ListQuery::first_page(table)
    }
}

/// Puts what is read nearly in the order of its numbers into that order.
struct InOrder<T>(BTreeMap<PtSeriesId, BTreeMap<i64, T>>);

impl<T> InOrder<T> {
    const fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn put(&mut self, series: PtSeriesId, sequence: i64, row: T) {
        self.0.entry(series).or_default().insert(sequence, row);
    }

    /// What nothing can come before any more; all of it when the reading `is_over`.
    fn ready(&mut self, is_over: bool) -> Vec<T> {
        let kept = if is_over { 0 } else { KEPT_BACK };
        let mut ready = Vec::new();
        for rows in self.0.values_mut() {
            while rows.len() > kept {
                ready.extend(rows.pop_first().map(|(_, row)| row));
            }
        }
        ready
    }
}

/// Reads the certified documents of a kind.
pub(super) struct Reader<'a> {
    cx: Context<'a>,
    walk: Option<Walk>,
    in_order: InOrder<Document>,
}

/// Some documents, with what stands beside them.
pub(super) struct Batch {
    pub documents: Vec<Document>,
    beside: BTreeMap<DocumentId, Beside>,
}

impl Batch {
    /// `document` as SAF-T has it.
    pub fn saft(&self, document: &Document) -> Option<SaftDocument> {
        let beside = self.beside.get(&document.id).cloned();
        saft_document(document, beside.unwrap_or_default())
    }
}

impl<'a> Reader<'a> {
    pub fn new(cx: Context<'a>, kind: DocumentKind, from: Date, to: Date) -> Self {
        let walk = Walk::through(table_of(kind), cx.tenant(), of_period(kind, from, to));
        Self { cx, walk: Some(walk), in_order: InOrder::new() }
    }

    /// The next documents; `None` behind the last ones.
    pub async fn next(&mut self) -> Result<Option<Batch>, StoreError> {
        let Some(walk) = &mut self.walk else { return Ok(None) };
        let page = walk.next::<Document>(self.cx.store).await?;
        if page.is_none() {
            self.walk = None;
        }
        for document in page.into_iter().flatten() {
            if let Some(record) = &document.pt {
                let (series, number) = (record.series_id, record.number);
                self.in_order.put(series, number, document);
            }
        }
        let documents = self.in_order.ready(self.walk.is_none());
        let mut beside = BTreeMap::new();
        self.payments(&documents, &mut beside).await?;
        self.invoices(&documents, &mut beside).await?;
        Ok(Some(Batch { documents, beside }))
    }

    /// The invoices that go back to estimates and delivery notes, and hold.
    async fn invoices(
        &self,
        documents: &[Document],
        found: &mut BTreeMap<DocumentId, Beside>,
    ) -> Result<(), StoreError> {
        let is_invoiced = |id: &DocumentId| {
            matches!(id.kind(), DocumentKind::Estimate | DocumentKind::DeliveryNote)
        };
        let ids = documents.iter().map(|own| own.id).filter(is_invoiced);
        let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
        let cx = self.cx;
        let mut links: Vec<Relation> =
            all_in(cx.store, &cx.tenant(), &RELATIONS, "target_id", &ids).await?;
        links.retain(|link| {
            let kind = link.relation_type;
            matches!(kind, RelationType::ConvertedFrom | RelationType::Fulfills)
        });
        for links in links.chunks(ListQuery::MAX_LIMIT) {
            let sources = links.iter().map(|link| link.source_id);
            let invoices = get_documents(cx.store, cx.scope, sources).await?;
            for link in links {
                let invoice = invoices.iter().find(|own| own.id == link.source_id);
                let Some(invoiced) = invoice.and_then(invoiced_by) else { continue };
                let own = found.entry(link.target_id).or_default();
                // The first one that holds made it so.
                if own.invoiced.as_ref().is_none_or(|first| invoiced.0 < first.0) {
                    own.invoiced = Some(invoiced);
                }
            }
        }
        Ok(())
    }

    /// The payments of invoices that were made on the day of their issue, and have no receipt.
    async fn payments(
        &self,
        documents: &[Document],
        found: &mut BTreeMap<DocumentId, Beside>,
    ) -> Result<(), StoreError> {
        let invoices: BTreeMap<DocumentId, Date> = documents
            .iter()
            .filter(|own| {
                own.id.kind() == DocumentKind::Invoice && own.amounts.total_paid.is_positive()
            })
            .map(|own| (own.id, own.content.date))
            .collect();
        let ids: Vec<String> = invoices.keys().map(ToString::to_string).collect();
        let paid: Vec<Payment> =
            all_in(self.cx.store, &self.cx.tenant(), &PAYMENTS, "invoice_id", &ids).await?;
        let at_once = |own: &&Payment| own.deleted_at.is_none() && own.receipt.is_none();
        for own in paid.iter().filter(at_once) {
            let Some(invoice) = own.invoice_id else { continue };
            if invoices.get(&invoice) == Some(&own.date) {
                let beside = found.entry(invoice).or_default();
                beside.payments.push(payment(own.kind, &own.amount, own.date));
            }
        }
        Ok(())
    }
}

/// Reads the payments whose receipts are of some days: those that hold, and those that were voided.
///
/// A receipt is issued when its payment is recorded, so the time of that tells its day, but for the
/// zone.
pub(super) struct Receipts<'a> {
    cx: Context<'a>,
    from: Date,
    to: Date,
    /// Payments that are there, and those in the trash: both by the time of their recording.
    sources: [Source; 2],
    in_order: InOrder<Payment>,
    is_over: bool,
}

/// A walk, and what of it was not taken yet.
struct Source {
    walk: Option<Walk>,
    rows: VecDeque<Payment>,
}

impl Source {
    /// Reads on when nothing is left.
    async fn fill(&mut self, cx: Context<'_>) -> Result<(), StoreError> {
        while self.rows.is_empty() {
            let Some(walk) = &mut self.walk else { return Ok(()) };
            match walk.next::<Payment>(cx.store).await? {
                Some(page) => self.rows.extend(page),
                None => self.walk = None,
            }
        }
        Ok(())
    }
}

impl<'a> Receipts<'a> {
    pub fn new(cx: Context<'a>, from: Date, to: Date) -> Self {
        let at = |day: Option<Date>| day.unwrap_or(to).midnight().assume_utc();
        let since = at(from.checked_sub(Duration::DAY));
        let until = at(to.checked_add(Duration::days(2)));
        let on = |operator| Clause::on(&PAYMENTS, "created_at", operator);
        let source = |trash| {
            let query = ListQuery {
                clauses: vec![
                    on(Operator::Gte(Value::Instant(since))),
                    on(Operator::Lte(Value::Instant(until))),
                ],
                order: vec![Order::on(&PAYMENTS, "created_at", false)],
                trash,
                ..ListQuery::first_page(&PAYMENTS)
            };
            let walk = Walk::through(&PAYMENTS, cx.tenant(), query);
            Source { walk: Some(walk), rows: VecDeque::new() }
        };
        let sources = [source(false), source(true)];
        Self { cx, from, to, sources, in_order: InOrder::new(), is_over: false }
    }

    /// The next payments with receipts; `None` behind the last ones.
    pub async fn next(&mut self) -> Result<Option<Vec<Payment>>, StoreError> {
        if self.is_over {
            return Ok(None);
        }
        for _ in 0..ListQuery::MAX_LIMIT {
            let Some(payment) = self.earliest().await? else {
                self.is_over = true;
                break;
            };
            let own = payment.receipt.as_ref().map(|own| (own.series_id, own.sequence, own.date));
            if let Some((series, sequence, day)) = own
                && self.from <= day
                && day <= self.to
            {
                self.in_order.put(series, sequence, payment);
            }
        }
        Ok(Some(self.in_order.ready(self.is_over)))
    }

    /// The payment that was recorded first of those that were not taken yet.
    async fn earliest(&mut self) -> Result<Option<Payment>, StoreError> {
        for source in &mut self.sources {
            source.fill(self.cx).await?;
        }
        let first = |source: &Source| source.rows.front().map(|payment| payment.created_at);
        let [live, voided] = &mut self.sources;
        let is_voided = match (first(live), first(voided)) {
            (Some(live), Some(voided)) => voided < live,
            (live, _) => live.is_none(),
        };
        let source = if is_voided { voided } else { live };
        Ok(source.rows.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use racun_kernel::id::PtSeriesId;

    use super::*;

    fn series(n: u128) -> PtSeriesId {
        PtSeriesId::new(n.into())
    }

    #[test]
    fn what_overtook_others_is_put_behind_them_and_little_is_kept_back() {
        let mut in_order = InOrder::new();
        let (mut out, mut most) = (Vec::new(), 0);
        // Ten at a time come in the wrong order, of two series.
        for block in 0..200 {
            for n in (0..10).rev() {
                in_order.put(series(1), block * 10 + n, (1, block * 10 + n));
                in_order.put(series(2), block * 10 + n, (2, block * 10 + n));
            }
            out.extend(in_order.ready(false));
            most = most.max(in_order.0.values().map(BTreeMap::len).sum::<usize>());
        }
        out.extend(in_order.ready(true));
        assert!(most <= 2 * KEPT_BACK, "{most}");
        for own in [1, 2] {
            let numbers: Vec<i64> =
                out.iter().filter(|(of, _)| *of == own).map(|(_, number)| *number).collect();
            assert!(numbers.iter().copied().eq(0..2000), "{own}");
        }
    }
}
