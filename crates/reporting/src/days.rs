//! The documents and expenses of some days.

use racun_documents::expense::{EXPENSES, Expense};
use racun_documents::{Document, DocumentKind, table_of};
use racun_store::{
    Clause, Context, ListQuery, Operator, Order, Record, StoreError, Table, Value, Walk,
};
use time::Date;

/// Records that one report reads, at most.
pub const MAX_RECORDS: usize = 100_000;

/// How many records a report may still read.
pub struct Budget(usize);

impl Budget {
    /// A fresh one.
    pub const fn new() -> Self {
        Self::of(MAX_RECORDS)
    }

    /// One of `records`.
    pub const fn of(records: usize) -> Self {
        Self(records)
    }

    /// Takes `count` records out of it.
    ///
    /// # Errors
    /// As too expensive when there are not so many left.
    pub fn take(&mut self, count: usize) -> Result<(), StoreError> {
        self.0 = self.0.checked_sub(count).ok_or(StoreError::TooExpensive)?;
        Ok(())
    }
}

/// Gives every row of `table` of which all `clauses` hold to `each`, in the order of `order`.
///
/// # Errors
/// When the store fails, and as too expensive when there are more rows than `budget` has left.
pub async fn for_each<A: Record>(
    cx: Context<'_>,
    table: &'static Table,
    clauses: Vec<Clause>,
    order: &str,
    budget: &mut Budget,
    mut each: impl FnMut(A),
) -> Result<(), StoreError> {
    let order = vec![Order::on(table, order, false)];
    let query = ListQuery { clauses, order, ..ListQuery::first_page(table) };
    let mut walk = Walk::through(table, cx.tenant(), query);
    while let Some(page) = walk.next::<A>(cx.store).await? {
        budget.take(page.len())?;
        page.into_iter().for_each(&mut each);
    }
    Ok(())
}

/// Between which days the field `name` of `table` is; a missing day leaves its side open.
pub fn between(
    table: &'static Table,
    name: &str,
    from: Option<Date>,
    to: Option<Date>,
) -> Vec<Clause> {
    let from = from.map(|day| Clause::on(table, name, Operator::Gte(day.into())));
    let to = to.map(|day| Clause::on(table, name, Operator::Lte(day.into())));
    from.into_iter().chain(to).collect()
}

/// Issued documents of `kinds` of the days `from` to `to`, each as `make` makes it.
///
/// # Errors
/// As [`for_each`].
pub async fn issued<T>(
    cx: Context<'_>,
    kinds: &[DocumentKind],
    from: Option<Date>,
    to: Option<Date>,
    make: impl Fn(&Document) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let (mut budget, mut made) = (Budget::new(), Vec::new());
    for kind in kinds {
        let table = table_of(*kind);
        let mut clauses = between(table, "date", from, to);
        clauses.push(Clause::on(table, "is_draft", Operator::Equals(false.into())));
        let each = |document: Document| made.extend(make(&document));
        for_each(cx, table, clauses, "date", &mut budget, each).await?;
    }
    Ok(made)
}

/// Whether a document of one of `kinds` was issued under a date before `day`.
///
/// # Errors
/// When the store fails.
pub async fn is_issued_before(
    cx: Context<'_>,
    kinds: &[DocumentKind],
    day: Date,
) -> Result<bool, StoreError> {
    for kind in kinds {
        let table = table_of(*kind);
        let clauses = vec![
            Clause::on(table, "date", Operator::Lt(day.into())),
            Clause::on(table, "is_draft", Operator::Equals(false.into())),
        ];
        let one = ListQuery { clauses, limit: 1, count: false, ..ListQuery::first_page(table) };
        let found = cx.store.page::<Document>(table, &cx.tenant(), &one).await?;
        if !found.rows.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Expenses that came in from `from` to `to`: by the day of their receipt, or by their date.
///
/// # Errors
/// As [`for_each`].
pub async fn received<T>(
    cx: Context<'_>,
    from: Date,
    to: Date,
    make: impl Fn(&Expense) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let (mut budget, mut made) = (Budget::new(), Vec::new());
    for field in ["date_received", "date"] {
        let mut clauses = between(&EXPENSES, field, Some(from), Some(to));
        clauses.push(Clause::on(&EXPENSES, "is_draft", Operator::Equals(false.into())));
        if field == "date" {
            let missing = Operator::Equals(Value::Null);
            clauses.push(Clause::on(&EXPENSES, "date_received", missing));
        }
        let each = |expense: Expense| made.extend(make(&expense));
        for_each(cx, &EXPENSES, clauses, field, &mut budget, each).await?;
    }
    Ok(made)
}
