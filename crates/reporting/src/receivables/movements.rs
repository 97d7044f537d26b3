//! What changes what a customer owes, and when.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_documents::{Document, DocumentId, DocumentKind, Stage};
use racun_insights::{Movement, MovementKind};
use racun_kernel::calendar::local_date;
use racun_records::{get_documents, where_in};
use racun_sales::documents::zone;
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Clause, Context, Operator, StoreError, Value};
use time::{Date, OffsetDateTime};

use crate::days::{Budget, for_each};

/// Ids that one question names.
pub(super) const AT_ONCE: usize = 100;

/// The kinds of documents that change what is owed, each with the field by which payments name it.
pub(super) const KINDS: [(DocumentKind, &str); 2] =
    [(DocumentKind::Invoice, "invoice_id"), (DocumentKind::CreditNote, "credit_note_id")];

/// The date of an issued document, and when it was issued.
type IssuedOn = (Date, Option<OffsetDateTime>);

/// Some documents of one kind, by id, as their payments look at them.
#[derive(Debug, Default)]
pub(super) struct Issued(BTreeMap<DocumentId, IssuedOn>);

impl Issued {
    pub(super) fn note(&mut self, document: &Document) {
        let at = match &document.stage {
            Stage::Draft => None,
            Stage::Issued(issued) | Stage::Voided(issued, _) => Some(issued.at),
        };
        self.0.insert(document.id, (document.content.date, at));
    }

    /// The date of the document `id`.
    pub(super) fn date(&self, id: DocumentId) -> Option<Date> {
        self.0.get(&id).map(|(date, _)| *date)
    }

    /// The payments on them, which name them in `field`, each with the day on which it counts.
    ///
    /// # Errors
    /// When the store fails, and as too expensive when there are more than `budget` has left.
    pub(super) async fn payments(
        &self,
        cx: Context<'_>,
        field: &str,
        budget: &mut Budget,
    ) -> Result<Vec<(Payment, Date)>, StoreError> {
        let mut payments: Vec<Payment> = Vec::new();
        let on = (field, self.0.keys().copied());
        each_payment(cx, on, None, budget, |one| payments.push(one)).await?;
        let ahead = paid_ahead(cx, &payments, budget).await?;
        let counted = payments.into_iter().map(|payment| {
            let day = self.counted_on(&payment, &ahead);
            (payment, day)
        });
        Ok(counted.collect())
    }

    /// The day on which `payment` counts. What an invoice took of an advance when it was issued
    /// counts on the invoice's date, but never before the money of the advance, which `ahead`
    /// knows; it is kept under the day of the issue, for tax authorities are told of that.
    fn counted_on(&self, payment: &Payment, ahead: &BTreeMap<DocumentId, Date>) -> Date {
        let advance = payment.advance_invoice_id.filter(|_| payment.is_allocation());
        let invoice = payment.invoice_id.and_then(|invoice| self.0.get(&invoice));
        match advance.zip(invoice) {
            Some((advance, (date, at))) if *at == Some(payment.created_at) => {
                ahead.get(&advance).map_or(*date, |money| *money.max(date))
            }
            _ => payment.date,
        }
    }
}

/// The days on which the last money came in of the advance invoices that `payments` take from.
async fn paid_ahead(
    cx: Context<'_>,
    payments: &[Payment],
    budget: &mut Budget,
) -> Result<BTreeMap<DocumentId, Date>, StoreError> {
    let taken = payments.iter().filter(|payment| payment.is_allocation());
    let advances: BTreeSet<DocumentId> =
        taken.filter_map(|payment| payment.advance_invoice_id).collect();
    let mut days = BTreeMap::new();
    let is_money = Clause::on(&PAYMENTS, "invoice_id", Operator::Equals(Value::Null));
    // In the order of their dates, so that the last one stays.
    let each = |money: Payment| {
        days.extend(money.advance_invoice_id.map(|advance| (advance, money.date)));
    };
    each_payment(cx, ("advance_invoice_id", advances), Some(is_money), budget, each).await?;
    Ok(days)
}

/// Gives the payments that name one of `ids` in `field`, and of which `more` holds, to `each`:
/// those of one id in the order of their dates.
///
/// # Errors
/// As [`for_each`].
pub(super) async fn each_payment(
    cx: Context<'_>,
    (field, ids): (&str, impl IntoIterator<Item = DocumentId>),
    more: Option<Clause>,
    budget: &mut Budget,
    mut each: impl FnMut(Payment),
) -> Result<(), StoreError> {
    let ids: Vec<DocumentId> = ids.into_iter().collect();
    for ids in ids.chunks(AT_ONCE) {
        let clauses = more.clone().into_iter().chain([where_in(&PAYMENTS, field, ids)]).collect();
        for_each(cx, &PAYMENTS, clauses, "date", budget, &mut each).await?;
    }
    Ok(())
}

/// What a document adds to what is owed, and what its void takes off again on the day where
/// `entity` is. One that credit notes ended is taken off by these.
pub(super) fn moved(document: &Document, entity: &Entity) -> impl Iterator<Item = Movement> {
    let is_credit = document.id.kind() == DocumentKind::CreditNote;
    let is_credited = document.amounts.total_credited.is_positive();
    let total = &document.amounts.total_with_tax;
    let own = Movement {
        date: document.content.date,
        kind: if is_credit { MovementKind::CreditNote } else { MovementKind::Invoice },
        id: document.id.to_string(),
        reference: Some(document.number()),
        amount: if is_credit { -total } else { total.clone() },
    };
    let voided = document.voided_at().filter(|_| !is_credited).map(|at| Movement {
        date: local_date(at, zone(entity)).unwrap_or_else(|| at.date()).max(own.date),
        kind: MovementKind::Void,
        amount: -&own.amount,
        ..own.clone()
    });
    std::iter::once(own).chain(voided)
}

/// What a payment that counts on `date` takes off what is owed, or gives back of it.
pub(super) fn paid(payment: &Payment, date: Date, on: DocumentKind) -> Movement {
    let is_refund = on == DocumentKind::CreditNote;
    Movement {
        date,
        kind: if is_refund { MovementKind::Refund } else { MovementKind::Payment },
        id: payment.id.to_string(),
        reference: payment.reference.clone(),
        amount: if is_refund { payment.amount.clone() } else { -&payment.amount },
    }
}

/// The documents at the other ends of settlements by credit notes, by id.
#[derive(Debug)]
pub(super) struct Others(BTreeMap<DocumentId, Document>);

impl Others {
    /// Those of `payments`, which are on documents of `kind`.
    ///
    /// # Errors
    /// As [`Issued::payments`].
    pub(super) async fn of(
        cx: Context<'_>,
        kind: DocumentKind,
        payments: &[(Payment, Date)],
        budget: &mut Budget,
    ) -> Result<Self, StoreError> {
        let settlements = payments.iter().filter(|(payment, _)| payment.is_credit_settlement());
        let ids: BTreeSet<DocumentId> =
            settlements.filter_map(|(payment, _)| other_end(payment, kind)).collect();
        budget.take(ids.len())?;
        let found = get_documents(cx.store, cx.scope, ids.into_iter()).await?;
        Ok(Self(found.into_iter().map(|one| (one.id, one)).collect()))
    }

    /// The document at the other end of `payment`, which settles one of `kind`.
    pub(super) fn get(&self, payment: &Payment, kind: DocumentKind) -> Option<&Document> {
        self.0.get(&other_end(payment, kind)?)
    }
}

fn other_end(payment: &Payment, kind: DocumentKind) -> Option<DocumentId> {
    let is_credit = kind == DocumentKind::CreditNote;
    if is_credit { payment.invoice_id } else { payment.credit_note_id }
}

/// The day on which a settlement counts on both documents: neither is settled before both are
/// there.
pub(super) fn settled_on(payment: &Payment, own: Date, other: &Document) -> Date {
    payment.date.max(own).max(other.content.date)
}
