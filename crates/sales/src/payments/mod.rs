//! Payments: what a command names is read, held with all that settles with it, and decided on once.
//!
//! | Module        | Owns                                                       |
//! | ------------- | ---------------------------------------------------------- |
//! | `holding`     | all that a command is about, and what it comes to          |
//! | `means`       | the types of the payments that count on a document         |
//! | `type_change` | commands on payments, where a tax authority may have a say |

mod holding;
mod means;
mod type_change;

use std::sync::Arc;

use racun_access::{Entity, Permission, permits};
use racun_documents::expense::{EXPENSES, Expense};
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, Relation};
use racun_fiscalization::TaxAuthority;
use racun_kernel::id::{ExpenseId, PaymentId};
use racun_kernel::{Scope, Stamp};
use racun_portugal::Portugal;
use racun_records::{Sourced, get_documents, hold_documents, hold_payments, links_of};
use racun_settlement::{
    NewPayment, PAYMENTS, Payment, PaymentPatch, References, Settlement, SettlementOutcome,
};
use racun_store::{
    Actor, Context, ListQuery, Many, One, Page, RawQuery, StoreError, UnitBuilder, Writes,
};
use time::Date;

use crate::documents::{advances, today};
use crate::error::Error;
use crate::settling::WorkingSet;

/// Where commands on payments read and write, and whom they tell.
#[derive(Clone, Copy)]
pub struct PaymentPorts<'a> {
    /// The store, who acts, and when.
    pub cx: Context<'a>,
    /// The authority that may have to receive how documents are paid. Without it nothing is
    /// reported: for payments that are on no document.
    pub authority: Option<&'a Arc<dyn TaxAuthority>>,
    /// The certified program of Portugal, which numbers receipts. Without it there are none.
    pub portugal: Option<&'a dyn Portugal>,
}

impl<'a> From<Context<'a>> for PaymentPorts<'a> {
    /// Without a tax authority.
    fn from(cx: Context<'a>) -> Self {
        Self { cx, authority: None, portugal: None }
    }
}

/// What is done to a payment.
#[derive(Clone)]
enum Command {
    /// With it, the money of the card processor that it says.
    Record(Box<NewPayment>, Option<String>),
    Change(PaymentId, Box<PaymentPatch>),
    Trash(PaymentId),
    Restore(PaymentId),
}

/// How often a command is retried when links change between its reads and its decision.
const ATTEMPTS: usize = 3;

/// Decides again while links change between its reads and its decision, up to [`ATTEMPTS`] times.
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
    /// What `payment` is on.
    fn of(payment: &Payment) -> Self {
        let expense = payment.applied_to_expense_id.or(payment.expense_id);
        Self { documents: payment.document_ids().collect(), expense }
    }

    /// What a payment that is recorded names.
    fn of_new(named: &References) -> Self {
        Self { documents: named.document_ids().collect(), expense: named.expense_id }
    }

    fn invoice(&self) -> Option<DocumentId> {
        self.documents.iter().copied().find(|id| id.kind() == DocumentKind::Invoice)
    }

    /// The document whose payments are judged together: the one that is paid.
    fn paid(&self) -> Option<DocumentId> {
        let of =
            |kind| self.documents.iter().copied().find(move |id: &DocumentId| id.kind() == kind);
        let kinds = [DocumentKind::Invoice, DocumentKind::AdvanceInvoice, DocumentKind::CreditNote];
        kinds.into_iter().find_map(of)
    }
}

/// All that has to be held for a command on a payment: what it names, and the advances of its
/// invoice.
struct Plan {
    named: Named,
    /// The links of the invoice that were seen.
    links: Vec<Relation>,
    /// Whether the payments of the document that is paid are held, too.
    with_payments: bool,
    today: Date,
}

impl Plan {
    async fn of(cx: Context<'_>, entity: &Entity, named: Named) -> Result<Self, Error> {
        let links = match named.invoice() {
            Some(invoice) => links_of(cx, invoice).await?,
            None => Vec::new(),
        };
        Ok(Self { links, with_payments: true, ..Self::plain(entity, named, cx.stamp) })
    }

    /// The plan for a payment on an invoice without links that no authority knows. Its other
    /// payments are not looked at, so the thousandth costs what the first one did. When the
    /// invoice is another one, the plan is refused and has to be rebuilt.
    fn plain(entity: &Entity, named: Named, stamp: &Stamp) -> Self {
        let (links, today) = (Vec::new(), today(entity, stamp));
        Self { named, links, with_payments: false, today }
    }

    fn hold(self, unit: &mut UnitBuilder<'_>) -> Planned {
        let advances = self.links.iter().map(|link| link.target_id);
        let advances = advances.filter(|id| id.kind() == DocumentKind::AdvanceInvoice);
        let documents = self.named.documents.iter().copied().chain(advances);
        let documents = hold_documents(unit, documents);
        let expense = self.named.expense.map(|id| unit.hold(&EXPENSES, id));
        let links = self.named.invoice().map(|id| Sourced::hold(unit, id));
        let paid = self.named.paid().filter(|_| self.with_payments);
        let payments = paid.map(|id| hold_payments(unit, id));
        Planned { plan: self, documents, expense, links, payments }
    }
}

/// Writes what was decided on the sheet.
fn close(
    mut sheet: WorkingSet,
    outcome: SettlementOutcome,
    actor: &Actor,
) -> Result<(Payment, Writes), Error> {
    sheet.take_over(&outcome, actor.stamp());
    let writes = sheet.writes(&outcome, actor);
    let no_answer = || StoreError::Unavailable("a settlement answered no payment".to_owned());
    Ok((outcome.payment.ok_or_else(no_answer)?, writes))
}

/// Whether an authority knows how the document is paid, which all its payments say.
fn is_reported(document: &Document) -> bool {
    document.fiscal.is_some() || document.payment_change_unconfirmed.is_some()
}

/// A plan, with all that its unit holds for it.
struct Planned {
    plan: Plan,
    documents: Many<Document>,
    expense: Option<One<Expense>>,
    links: Option<Sourced>,
    /// The payments of the document that is paid, where they are held.
    payments: Option<Many<Payment>>,
}

/// What was found of a plan: the sheet, what settlement decides on, and all payments of the
/// document that is paid, in the trash or not; none in a [`Plan::plain`].
struct Opened {
    plan: Plan,
    sheet: WorkingSet,
    settlement: Settlement,
    payments: Vec<Payment>,
}

impl Planned {
    fn open(self, held: &racun_store::Held) -> Result<Opened, Error> {
        let plan = self.plan;
        let documents = held.all(self.documents)?;
        let missing = plan.named.documents.iter().find(|id| {
            !documents.iter().any(|document| document.id == **id && document.deleted_at.is_none())
        });
        if let Some(id) = missing {
            return Err(StoreError::NotFound { id: id.to_string() }.into());
        }
        if !plan.with_payments && documents.iter().any(is_reported) {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let mut links = Vec::new();
        if let Some(sourced) = self.links {
            let found = sourced.read(held)?;
            if !found.iter().map(|link| link.id).eq(plan.links.iter().map(|link| link.id)) {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            links = advances(&found);
        }
        let mut sheet = WorkingSet::of(documents);
        if let Some(expense) = self.expense {
            let expense = held.one(expense)?;
            if expense.deleted_at.is_some() {
                return Err(StoreError::NotFound { id: expense.id.to_string() }.into());
            }
            sheet = sheet.with_expense(expense);
        }
        let payments = held.all(self.payments)?;
        let invoice = plan.named.invoice();
        let mut allocations = payments.clone();
        allocations.retain(|payment| {
            let is_its = invoice.is_some() && payment.invoice_id == invoice;
            is_its && payment.is_allocation() && payment.deleted_at.is_none()
        });
        let settlement = sheet.settlement(held.actor(), plan.today, allocations, links);
        Ok(Opened { plan, sheet, settlement, payments })
    }
}

/// Records a payment. In Portugal it takes the next number of the receipts, in the same commit,
/// where there is a series for them.
///
/// # Errors
/// What is wrong with the input; documents that are not there or take no payments now; too much;
/// [`racun_settlement::TypeChangeRule::FiscalizationRequired`] for money on a document that was
/// issued under a skip, which is legal for some types only. Where a tax authority has to hear of
/// it, what [`change`] answers.
pub async fn record<'a>(
    ports: impl Into<PaymentPorts<'a>>,
    entity: &Entity,
    new: NewPayment,
) -> Result<Payment, Error> {
    let command = Command::Record(Box::new(new), None);
    Box::pin(type_change::run(ports.into(), entity, command)).await
}

/// Records the payment of the money `charge` that the card processor took, as [`record`] does, and
/// notes it on the charge in the same commit: so it is recorded once.
///
/// # Errors
/// As [`record`]; [`CardRefusal::Recorded`]; [`CardRefusal::NotRecorded`] where the document is in
/// another currency.
pub(crate) async fn record_charge(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    new: NewPayment,
    charge: String,
) -> Result<Payment, Error> {
    let command = Command::Record(Box::new(new), Some(charge));
    Box::pin(type_change::run(ports, entity, command)).await
}

/// Changes a payment. Its documents stay.
///
/// How a document is paid may concern a tax authority: then all of `patch` is made only when
/// `authority` confirmed it.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses.
/// [`racun_settlement::TypeChangeError::Refused`] and
/// [`racun_settlement::TypeChangeError::Provider`] leave the payment as it was;
/// [`racun_settlement::TypeChangeError::Unreachable`] does, too, and keeps the attempt;
/// [`racun_settlement::TypeChangeError::Unconfirmed`] while the attempt of another change on the
/// document stands, or any is under way; [`racun_settlement::TypeChangeError::Unrecorded`] when the
/// authority took what could then not be stored.
pub async fn change(
    cx: Context<'_>,
    authority: &Arc<dyn TaxAuthority>,
    entity: &Entity,
    id: PaymentId,
    patch: PaymentPatch,
) -> Result<Payment, Error> {
    let ports = PaymentPorts { cx, authority: Some(authority), portugal: None };
    let command = Command::Change(id, Box::new(patch));
    Box::pin(type_change::run(ports, entity, command)).await
}

/// Moves a payment to the trash: its documents' totals follow, and its receipt is voided.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses; what [`change`] answers where a tax
/// authority has to hear of it; [`racun_settlement::TypeChangeError::Unconfirmed`] while it is not
/// known whether the payment's type was changed, for the change could not be made in the trash.
pub async fn trash<'a>(
    ports: impl Into<PaymentPorts<'a>>,
    entity: &Entity,
    id: PaymentId,
) -> Result<Payment, Error> {
    Box::pin(type_change::run(ports.into(), entity, Command::Trash(id))).await
}

/// Brings a payment back from the trash.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses; what [`record`] answers where a tax
/// authority has a say.
pub async fn restore<'a>(
    ports: impl Into<PaymentPorts<'a>>,
    entity: &Entity,
    id: PaymentId,
) -> Result<Payment, Error> {
    Box::pin(type_change::run(ports.into(), entity, Command::Restore(id))).await
}

/// Removes a payment in the trash for good.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses.
pub async fn erase(cx: Context<'_>, id: PaymentId) -> Result<(), Error> {
    let mut unit = cx.unit();
    let payment = unit.hold(&PAYMENTS, id);
    unit.decide(move |held| {
        let outcome = Settlement::erase(held.one(payment)?)?;
        Ok(((), WorkingSet::default().writes(&outcome, held.actor())))
    })
    .await
}

/// The payment `id`, in the trash or not.
///
/// # Errors
/// [`StoreError::NotFound`], or the store's failure.
pub async fn get(cx: Context<'_>, id: PaymentId) -> Result<Payment, Error> {
    let id = id.to_string();
    let found: Option<Payment> = cx.store.get(&PAYMENTS, &cx.tenant(), &id).await?;
    found.ok_or_else(|| StoreError::NotFound { id }.into())
}

/// The page of payments that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn list(cx: Context<'_>, raw: &RawQuery) -> Result<Page<Payment>, Error> {
    let query = ListQuery::parse(&PAYMENTS, raw)?;
    Ok(cx.store.page(&PAYMENTS, &cx.tenant(), &query).await?)
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
pub async fn related(cx: Context<'_>, payments: &[Payment]) -> Result<Related, Error> {
    let named: Vec<Named> = payments.iter().map(Named::of).collect();
    let ids = named.iter().flat_map(|named| named.documents.iter().copied());
    let documents = get_documents(cx.store, cx.scope, ids).await?;
    let mut expenses: Vec<String> =
        named.iter().filter_map(|named| named.expense).map(|id| id.to_string()).collect();
    expenses.sort();
    expenses.dedup();
    expenses.retain(|_| reaches_expenses(cx.scope));
    let expenses = cx.store.get_all(&EXPENSES, &cx.tenant(), &expenses).await?;
    Ok(Related { documents, expenses })
}

/// Whether the caller has access to expenses: operators have none.
fn reaches_expenses(scope: &Scope) -> bool {
    permits(scope.principal(), scope.role(), Permission::ReadRecords)
}
