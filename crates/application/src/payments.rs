//! Payments: what a command names is read, held with all that settles with it, and decided on once.
//!
//! | Module        | Owns                                                     |
//! | ------------- | -------------------------------------------------------- |
//! | `type_change` | changing a payment, where a tax authority may have a say |
//! | `authority`   | the port to that authority                               |

mod authority;
mod type_change;

use racun_access::{Entity, Permission, permits};
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, Relation};
use racun_kernel::id::{ExpenseId, PaymentId};
use racun_kernel::{
    ListQuery, Load, Loaded, Page, RawQuery, Scope, Stamp, Store, StoreError, Writes,
};
use racun_settlement::{
    EXPENSES, Expense, NewPayment, Outcome, PAYMENTS, Payment, PaymentType, Settlement,
    SettlementError, TypeChangeError, TypeChangeRule,
};
use time::Date;

use crate::documents::{advances, get_documents, links, links_of, today};
use crate::error::Error;
use crate::fiscalization::may_be_paid_by;
use crate::settling::{Sheet, load_allocations, payments};

pub use authority::{Concern, Matter, NoAuthority, TaxAuthority};
pub use type_change::change;

/// How often a command is decided anew when links change between its reads and its decision.
const ATTEMPTS: usize = 3;

/// Decides anew while links change between its reads and its decision, up to [`ATTEMPTS`] times.
async fn while_links_change<T, F>(mut decide: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 1..ATTEMPTS {
        match decide().await {
            Err(Error::Document(DocumentError::ChangedMeanwhile)) => {}
            done => return done,
        }
    }
    decide().await
}

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
        Ok(Self { links, ..Self::unlinked(scope, entity, named, stamp) })
    }

    /// The plan for an invoice without links. It is refused, and to be made anew, when there are some.
    fn unlinked(scope: &Scope, entity: &Entity, named: Named, stamp: &Stamp) -> Self {
        Self { scope: scope.clone(), named, links: Vec::new(), today: today(entity, stamp) }
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
    ) -> Result<(Payment, Writes), Error> {
        sheet.take_over(&outcome, stamp);
        let writes = sheet.writes(&outcome, &self.scope, stamp);
        let no_answer = || StoreError::Unavailable("a settlement answered no payment".to_owned());
        Ok((outcome.payment.ok_or_else(no_answer)?, writes))
    }
}

/// Records a payment.
///
/// # Errors
/// What is wrong with the input; documents that are not there or take no payments now; too much;
/// [`TypeChangeRule::FiscalizationRequired`] for money on a document that was issued under a skip,
/// which is legal for some types only.
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
    // Most invoices have no links, so the first try does not look for them.
    let unlinked = Plan::unlinked(scope, entity, named.clone(), stamp);
    match record_by(store, unlinked, new.clone(), stamp).await {
        Err(Error::Document(DocumentError::ChangedMeanwhile)) => {}
        done => return done,
    }
    while_links_change(async || {
        let plan = Plan::of(store, scope, entity, named.clone(), stamp).await?;
        record_by(store, plan, new.clone(), stamp).await
    })
    .await
}

async fn record_by(
    store: &dyn Store,
    plan: Plan,
    new: NewPayment,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    let stamp = stamp.clone();
    store
        .decide(plan.loads(), None, move |loaded| {
            let (sheet, settlement) = plan.open(&loaded)?;
            check_skipped(&sheet, new.kind, &stamp)?;
            let outcome = settlement.record(new, &stamp)?;
            plan.close(sheet, outcome, &stamp)
        })
        .await
}

/// Refuses money on a document that was issued without being fiscalized, when it comes in a way that
/// would have had to be. Settlements move none.
fn check_skipped(sheet: &Sheet, kind: PaymentType, stamp: &Stamp) -> Result<(), TypeChangeError> {
    let moves = !matches!(kind, PaymentType::CreditNote | PaymentType::Advance);
    let is_legal = |document: &Document| may_be_paid_by(document, kind, stamp.now());
    if moves && !sheet.documents().all(is_legal) {
        return Err(TypeChangeError::Refused(TypeChangeRule::FiscalizationRequired));
    }
    Ok(())
}

/// A held payment, and all that is held with it.
struct Held {
    payment: Payment,
    settlement: Settlement,
    sheet: Sheet,
    plan: Plan,
    stamp: Stamp,
}

impl Held {
    /// The payment as `command` makes it, and what is written.
    fn settle(
        self,
        command: impl FnOnce(Settlement, Payment, &Stamp) -> Result<Outcome, SettlementError>,
    ) -> Result<(Payment, Writes), Error> {
        let Self { payment, settlement, sheet, plan, stamp } = self;
        let outcome = command(settlement, payment, &stamp)?;
        plan.close(sheet, outcome, &stamp)
    }
}

/// Holds the payment `id` with all that settles with it, and writes what `decide` answers.
async fn hold<T: Send + 'static>(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    stamp: &Stamp,
    decide: impl FnOnce(Held) -> Result<(T, Writes), Error> + Send + 'static,
) -> Result<T, Error> {
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
            decide(Held { payment, settlement, sheet, plan, stamp })
        })
        .await
}

/// Moves a payment to the trash: its documents' totals follow.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses; [`TypeChangeError::Unconfirmed`] while it
/// is not known whether the payment's type was changed, for the change could not be made in the
/// trash.
///
/// [`TypeChangeError::Unconfirmed`]: racun_settlement::TypeChangeError::Unconfirmed
pub async fn trash(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    let decide = |held: Held| {
        held.must_be_confirmed()?;
        held.settle(Settlement::trash)
    };
    while_links_change(|| hold(store, scope, entity, id, stamp, decide)).await
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
    let decide = |held: Held| held.settle(Settlement::restore);
    while_links_change(|| hold(store, scope, entity, id, stamp, decide)).await
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
