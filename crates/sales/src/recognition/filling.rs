//! Entries of documents that were issued before they had any: counted, and made.

use racun_access::Entity;
use racun_background::jobs::{Job, LeaseError, still_held};
use racun_documents::expense::{EXPENSES, Expense};
use racun_documents::recognition::{
    RECOGNITION_ENTRIES, RecognitionDefault, RecognitionEntry, RecognitionSide,
};
use racun_documents::{Document, DocumentKind, RELATIONS, Relation, Stage, table_of};
use racun_kernel::{Issue, Issues, Stamp};
use racun_records::{all_in, get_documents, hold_documents};
use racun_store::{Clause, Context, ListQuery, Many, Operator, Order, StoreError, Table, Writes};
use time::Date;

use super::{HeldEntries, default_of};

/// Documents that are looked at, and given entries, at once.
pub const MAX_FILLED_AT_ONCE: usize = 100;

/// What was looked at, and what was made of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filled {
    /// Documents that were looked at.
    pub documents: usize,
    /// Entries that were made, or would be.
    pub entries: usize,
    /// Where the next documents begin; `None` when these were the last ones.
    pub cursor: Option<String>,
}

/// The days of the documents that are looked at; a missing one leaves its side open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilledDays {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

impl FilledDays {
    fn contains(self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }

    /// The documents of `table` that were issued on these days, in the order of their dates.
    pub(super) fn query(self, table: &'static Table) -> ListQuery {
        let clause = |name, operator| Clause::on(table, name, operator);
        let from = self.from.map(|day| clause("date", Operator::Gte(day.into())));
        let to = self.to.map(|day| clause("date", Operator::Lte(day.into())));
        let issued = [
            clause("is_draft", Operator::Equals(false.into())),
            clause("voided_at", Operator::Equals(racun_store::Value::Null)),
        ];
        ListQuery {
            clauses: issued.into_iter().chain(from).chain(to).collect(),
            order: vec![Order::on(table, "date", false)],
            ..ListQuery::first_page(table)
        }
    }
}

/// What entries of earlier documents are made by.
#[derive(Clone, Copy)]
pub(super) struct Filling {
    pub days: FilledDays,
    pub default: RecognitionDefault,
}

impl Filling {
    pub fn of(entity: &Entity, side: RecognitionSide, days: FilledDays) -> Self {
        Self { days, default: default_of(entity, side) }
    }

    /// The entries that `document` is to have and has not: `links` are those of the page, `targets`
    /// the documents that they name, and `present` the entries of all of them.
    fn missing(
        self,
        document: &Document,
        links: &[Relation],
        targets: &[Document],
        present: &[RecognitionEntry],
        stamp: &Stamp,
    ) -> Vec<RecognitionEntry> {
        let of = |id: &str| present.iter().any(|entry| entry.document_id == id);
        if of(&document.id.to_string()) {
            return Vec::new();
        }
        let own = links.iter().filter(|link| link.source_id == document.id);
        let own: Vec<&Document> = own
            .filter_map(|link| targets.iter().find(|target| target.id == link.target_id))
            .collect();
        // What it gives back of is out of effect, and so is it.
        if own.iter().any(|target| matches!(target.stage, Stage::Voided(..))) {
            return Vec::new();
        }
        let mut credited: Vec<RecognitionEntry> = Vec::new();
        for target in own {
            let id = target.id.to_string();
            if of(&id) {
                credited.extend(present.iter().filter(|entry| entry.document_id == id).cloned());
            } else if self.days.contains(target.content.date) {
                credited.extend(target.recognition(self.default, &[], stamp));
            }
        }
        document.recognition(self.default, &credited, stamp)
    }

    /// Counts what is missing on a page of `documents`; with `job`, which goes on, makes it.
    ///
    /// # Errors
    /// [`LeaseError::Lost`] when another worker has the job; the store's failure.
    pub async fn fill(
        self,
        cx: Context<'_>,
        documents: &[Document],
        job: Option<&Job>,
    ) -> Result<usize, LeaseError> {
        let notes = documents.iter().filter(|one| one.id.kind() == DocumentKind::CreditNote);
        let notes: Vec<String> = notes.map(|note| note.id.to_string()).collect();
        let links: Vec<Relation> =
            all_in(cx.store, &cx.tenant(), &RELATIONS, "source_id", &notes).await?;
        let targets = || links.iter().map(|link| link.target_id);
        let ids = documents.iter().map(|one| one.id).chain(targets()).map(|id| id.to_string());
        let ids: Vec<String> = ids.collect();
        let Some(job) = job else {
            let targets = get_documents(cx.store, cx.scope, targets()).await?;
            let present = entries_of(cx, &ids).await?;
            let count =
                |one: &Document| self.missing(one, &links, &targets, &present, cx.stamp).len();
            return Ok(documents.iter().map(count).sum());
        };
        let job = job.clone();
        let mut unit = cx.unit();
        let own = job.hold(&mut unit);
        let documents = hold_documents(&mut unit, documents.iter().map(|one| one.id));
        let targets = hold_documents(&mut unit, targets());
        let present = HeldEntries::named(&mut unit, ids);
        unit.decide(move |held| {
            let lease = still_held(&job, held.find(own)?)?;
            let (documents, targets) = (held.all(documents)?, held.all(targets)?);
            let (present, stamp) = (present.read(held)?, held.actor().stamp());
            let (mut made, mut writes) = (0, Writes::default());
            for document in &documents {
                for entry in self.missing(document, &links, &targets, &present, stamp) {
                    writes = writes.insert(&entry);
                    made += 1;
                }
            }
            let now = held.now().unwrap_or(stamp.now());
            Ok((made, writes.put(lease.prolonged(now))))
        })
        .await
    }
}

async fn entries_of(cx: Context<'_>, ids: &[String]) -> Result<Vec<RecognitionEntry>, StoreError> {
    all_in(cx.store, &cx.tenant(), &RECOGNITION_ENTRIES, "document_id", ids).await
}

/// Counts what is missing on a page of expenses behind `cursor`, `limit` of them at most; makes it
/// unless it is to be counted only.
///
/// # Errors
/// A cursor of another list; the store's failure.
pub async fn fill_expenses(
    cx: Context<'_>,
    entity: &Entity,
    days: FilledDays,
    page: (Option<String>, usize),
    is_dry: bool,
) -> Result<Filled, crate::Error> {
    let default = default_of(entity, RecognitionSide::Expense);
    let (cursor, limit) = page;
    let query = ListQuery { limit, count: false, ..days.query(&EXPENSES) };
    let query = match cursor {
        Some(cursor) => query.behind(&cursor).ok_or_else(|| {
            let message = "no place in this list; send the cursor of the answer before";
            Issues::from(Issue::new("invalid_cursor", message).at("cursor"))
        })?,
        None => query,
    };
    let found = cx.page::<Expense>(&EXPENSES, &query).await?;
    let (documents, cursor) = (found.rows.len(), found.pagination.next_cursor);
    let ids: Vec<String> = found.rows.iter().map(|expense| expense.id.to_string()).collect();
    if ids.is_empty() {
        return Ok(Filled { documents, entries: 0, cursor });
    }
    if is_dry {
        let present = entries_of(cx, &ids).await?;
        let entries = missing_of(&found.rows, default, &present, cx.stamp).len();
        return Ok(Filled { documents, entries, cursor });
    }
    let mut unit = cx.unit();
    let expenses: Many<Expense> = unit.hold_each(ids.iter().map(|id| (&EXPENSES, id.clone())));
    let present = HeldEntries::named(&mut unit, ids);
    let made = unit.decide(move |held| {
        let (expenses, present) = (held.all(expenses)?, present.read(held)?);
        let missing = missing_of(&expenses, default, &present, held.actor().stamp());
        let writes = missing.iter().fold(Writes::default(), Writes::insert);
        Ok::<_, crate::Error>((missing.len(), writes))
    });
    Ok(Filled { documents, entries: made.await?, cursor })
}

fn missing_of(
    expenses: &[Expense],
    default: RecognitionDefault,
    present: &[RecognitionEntry],
    stamp: &Stamp,
) -> Vec<RecognitionEntry> {
    let has = |expense: &Expense| {
        let id = expense.id.to_string();
        present.iter().any(|entry| entry.document_id == id)
    };
    let without = expenses.iter().filter(|expense| !has(expense));
    without.flat_map(|expense| expense.recognition(default, stamp)).collect()
}

/// The kinds of documents that have entries, invoices first: credit notes follow theirs.
pub(super) fn tables() -> [&'static Table; 2] {
    [DocumentKind::Invoice, DocumentKind::CreditNote].map(table_of)
}
