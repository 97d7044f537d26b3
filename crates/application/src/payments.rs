//! Payments: what a command names is read, held with all that settles with it, and decided on once.

use racun_access::{Entity, Permission, permits};
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, Relation};
use racun_kernel::id::{ExpenseId, PaymentId};
use racun_kernel::{
    ListQuery, Load, Loaded, Page, RawQuery, Scope, Stamp, Store, StoreError, Writes,
};
use racun_settlement::{
    EXPENSES, Expense, NewPayment, Outcome, PAYMENTS, Payment, PaymentPatch, Settlement,
    SettlementError,
};
use time::Date;

use crate::documents::{advances, get_documents, links, links_of, today};
use crate::error::Error;
use crate::settling::{Sheet, load_allocations, payments};

/// How often a command is decided anew when links change between its reads and its decision.
const ATTEMPTS: usize = 3;

/// The documents and expenses that a payment names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Named {
    documents: Vec<DocumentId>,
    expense: Option<ExpenseId>,
}

impl Named {
    /// Documents by their ids' text; what is no document's id is an expense's, or nothing.
    fn of(ids: impl Iterator<Item = String>) -> Self {
        let mut named = Self::default();
        for id in ids {
            match id.parse() {
                Ok(document) => named.documents.push(document),
                Err(_) => named.expense = id.parse().ok().or(named.expense),
            }
        }
        named
    }

    fn invoice(&self) -> Option<DocumentId> {
        self.documents.iter().copied().find(|id| id.kind() == DocumentKind::Invoice)
    }
}

/// All that has to be held for a command on a payment: what it names, and the advances of its
/// invoice.
struct Plan {
    scope: Scope,
    named: Named,
    /// The links of the invoice that were seen.
    links: Vec<Relation>,
    today: Date,
}

impl Plan {
    async fn of(
        store: &dyn Store,
        scope: &Scope,
        entity: &Entity,
        named: Named,
        stamp: &Stamp,
    ) -> Result<Self, Error> {
        let links = match named.invoice() {
            Some(invoice) => links_of(store, scope, invoice).await?,
            None => Vec::new(),
        };
        Ok(Self { scope: scope.clone(), named, links, today: today(entity, stamp) })
    }

    fn loads(&self) -> Vec<Load> {
        let tenant = self.scope.tenant();
        let advances = self.links.iter().map(|link| link.target_id);
        let advances = advances.filter(|id| id.kind() == DocumentKind::AdvanceInvoice);
        let documents = self.named.documents.iter().copied().chain(advances);
        let mut loads: Vec<Load> = documents.map(|id| links::load(&self.scope, id)).collect();
        loads.extend(self.named.expense.map(|id| Load::One {
            table: &EXPENSES,
            tenant: tenant.clone(),
            id: id.to_string(),
        }));
        if let Some(invoice) = self.named.invoice() {
            loads.push(links::load_sourced(&self.scope, invoice));
            loads.push(load_allocations(&self.scope, invoice));
        }
        loads
    }

    /// The sheet of what is held, and what settlement decides on.
    fn open(&self, loaded: &Loaded) -> Result<(Sheet, Settlement), Error> {
        let documents = links::documents(&loaded.rows)?;
        let missing = self.named.documents.iter().find(|id| {
            !documents.iter().any(|document| document.id == **id && document.deleted_at.is_none())
        });
        if let Some(id) = missing {
            return Err(StoreError::NotFound { id: id.to_string() }.into());
        }
        let mut links = Vec::new();
        if let Some(invoice) = self.named.invoice() {
            let held = links::of_source(&loaded.rows, invoice)?;
            if !held.iter().map(|link| link.id).eq(self.links.iter().map(|link| link.id)) {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            links = advances(&held);
        }
        let mut sheet = Sheet::of(documents);
        if let Some(id) = self.named.expense {
            let row = loaded.rows.iter().flatten().find(|row| row.id == id.to_string());
            let expense: Option<Expense> = row.map(|row| row.read(&EXPENSES)).transpose()?;
            let live = expense.filter(|expense| expense.deleted_at.is_none());
            let gone = || StoreError::NotFound { id: id.to_string() };
            sheet = sheet.with_expense(live.ok_or_else(gone)?);
        }
        let mut allocations = payments(&loaded.rows)?;
        allocations.retain(|payment| payment.is_allocation() && payment.deleted_at.is_none());
        let settlement = sheet.settlement(&self.scope, self.today, allocations, links);
        Ok((sheet, settlement))
    }

    /// Writes what was decided on the sheet.
    fn close(
        &self,
        mut sheet: Sheet,
        outcome: Outcome,
        stamp: &Stamp,
    ) -> (Option<Payment>, Writes) {
        sheet.take_over(&outcome, stamp);
        let writes = sheet.writes(&outcome, &self.scope, stamp);
        (outcome.payment, writes)
    }
}

/// Records a payment.
///
/// # Errors
/// What is wrong with the input; documents that are not there or take no payments now; too much.
pub async fn record(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    new: NewPayment,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    let named = Named::of(new.references()?.ids());
    if let Some(expense) = named.expense.filter(|_| !reaches_expenses(scope)) {
        return Err(StoreError::NotFound { id: expense.to_string() }.into());
    }
    for _ in 1..ATTEMPTS {
        match record_once(store, scope, entity, named.clone(), new.clone(), stamp).await {
            Err(Error::Document(DocumentError::ChangedMeanwhile)) => {}
            done => return done,
        }
    }
    record_once(store, scope, entity, named, new, stamp).await
}

async fn record_once(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    named: Named,
    new: NewPayment,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    let plan = Plan::of(store, scope, entity, named, stamp).await?;
    let stamp = stamp.clone();
    store
        .decide(plan.loads(), None, move |loaded| {
            let (sheet, settlement) = plan.open(&loaded)?;
            let outcome = settlement.record(new, &stamp)?;
            let (payment, writes) = plan.close(sheet, outcome, &stamp);
            Ok((payment.ok_or_else(no_answer)?, writes))
        })
        .await
}

/// What becomes of a stored payment.
#[derive(Debug, Clone)]
enum Command {
    Change(Box<PaymentPatch>),
    Trash,
    Restore,
}

impl Command {
    fn decide(
        self,
        settlement: Settlement,
        payment: Payment,
        stamp: &Stamp,
    ) -> Result<Outcome, SettlementError> {
        match self {
            Self::Change(patch) => settlement.change(payment, *patch, stamp),
            Self::Trash => settlement.trash(payment, stamp),
            Self::Restore => settlement.restore(payment, stamp),
        }
    }
}

/// Changes a payment. Its documents stay.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses.
pub async fn change(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    patch: PaymentPatch,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    amend(store, scope, entity, id, Command::Change(Box::new(patch)), stamp).await
}

/// Moves a payment to the trash: its documents' totals follow.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses.
pub async fn trash(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    amend(store, scope, entity, id, Command::Trash, stamp).await
}

/// Brings a payment back from the trash.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses.
pub async fn restore(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    amend(store, scope, entity, id, Command::Restore, stamp).await
}

async fn amend(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    command: Command,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    for _ in 1..ATTEMPTS {
        match amend_once(store, scope, entity, id, command.clone(), stamp).await {
            Err(Error::Document(DocumentError::ChangedMeanwhile)) => {}
            done => return done,
        }
    }
    amend_once(store, scope, entity, id, command, stamp).await
}

async fn amend_once(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    command: Command,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    let seen = get(store, scope, id).await?;
    let named = Named::of(seen.documents());
    let plan = Plan::of(store, scope, entity, named, stamp).await?;
    let own = Load::One { table: &PAYMENTS, tenant: scope.tenant(), id: id.to_string() };
    let mut loads = vec![own];
    loads.extend(plan.loads());
    let stamp = stamp.clone();
    store
        .decide(loads, None, move |mut loaded| {
            let own = loaded.rows.remove(0);
            let gone = || StoreError::NotFound { id: id.to_string() };
            let payment = own.first().ok_or_else(gone)?.read(&PAYMENTS)?;
            let (sheet, settlement) = plan.open(&loaded)?;
            let outcome = command.decide(settlement, payment, &stamp)?;
            let (payment, writes) = plan.close(sheet, outcome, &stamp);
            Ok((payment.ok_or_else(no_answer)?, writes))
        })
        .await
}

/// Removes a payment in the trash for good.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses.
pub async fn erase(
    store: &dyn Store,
    scope: &Scope,
    id: PaymentId,
    stamp: &Stamp,
) -> Result<(), Error> {
    let own = Load::One { table: &PAYMENTS, tenant: scope.tenant(), id: id.to_string() };
    let (scope, stamp) = (scope.clone(), stamp.clone());
    store
        .decide(vec![own], None, move |loaded| {
            let gone = || StoreError::NotFound { id: id.to_string() };
            let row = loaded.rows.iter().flatten().next().ok_or_else(gone)?;
            let outcome = Settlement::erase(row.read(&PAYMENTS)?)?;
            Ok(((), Sheet::default().writes(&outcome, &scope, &stamp)))
        })
        .await
}

/// The payment `id`, in the trash or not.
///
/// # Errors
/// [`StoreError::NotFound`], or the store's failure.
pub async fn get(store: &dyn Store, scope: &Scope, id: PaymentId) -> Result<Payment, Error> {
    let id = id.to_string();
    let found: Option<Payment> = store.get(&PAYMENTS, &scope.tenant(), &id).await?;
    found.ok_or_else(|| StoreError::NotFound { id }.into())
}

/// The page of payments that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn list(
    store: &dyn Store,
    scope: &Scope,
    raw: &RawQuery,
) -> Result<Page<Payment>, Error> {
    let query = ListQuery::parse(&PAYMENTS, raw)?;
    Ok(store.page(&PAYMENTS, &scope.tenant(), &query).await?)
}

/// The documents and expenses that payments name.
#[derive(Debug, Clone, Default)]
pub struct Related {
    /// Invoices, credit notes and advance invoices.
    pub documents: Vec<Document>,
    /// Expenses.
    pub expenses: Vec<Expense>,
}

/// What `payments` name, for answers that include it; to operators no expenses.
///
/// # Errors
/// When the store fails.
pub async fn related(
    store: &dyn Store,
    scope: &Scope,
    payments: &[Payment],
) -> Result<Related, Error> {
    let named: Vec<Named> = payments.iter().map(|payment| Named::of(payment.documents())).collect();
    let ids = named.iter().flat_map(|named| named.documents.iter().copied());
    let documents = get_documents(store, scope, ids).await?;
    let mut expenses: Vec<String> =
        named.iter().filter_map(|named| named.expense).map(|id| id.to_string()).collect();
    expenses.sort();
    expenses.dedup();
    expenses.retain(|_| reaches_expenses(scope));
    let expenses = store.get_all(&EXPENSES, &scope.tenant(), &expenses).await?;
    Ok(Related { documents, expenses })
}

/// Whether expenses are there for whoever acts: for operators there are none.
fn reaches_expenses(scope: &Scope) -> bool {
    permits(scope.principal(), scope.role(), Permission::ReadRecords)
}

fn no_answer() -> Error {
    StoreError::Unavailable("a settlement answered no payment".to_owned()).into()
}
