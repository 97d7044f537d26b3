//! All that a command on a payment is about is held, and the command decided on it.

use racun_access::Entity;
use racun_documents::{Document, DocumentError, DocumentId};
use racun_fiscal::fina::PaymentMeans;
use racun_fiscalization::{may_be_paid_by, tips};
use racun_kernel::id::PaymentId;
use racun_kernel::{Decimal, Stamp};
use racun_settlement::{
    NewPayment, PAYMENTS, Payment, PaymentType, Settlement, SettlementOutcome, TypeChange,
    TypeChangeError, TypeChangeRule,
};
use racun_store::{Actor, Context, StoreError, Writes};
use time::OffsetDateTime;

use super::{
    Command, Named, Opened, Plan, close, get, means, reaches_expenses, type_change,
    while_links_change,
};
use crate::error::Error;
use crate::settling::WorkingSet;

/// Refuses money on a document that was issued without being fiscalized, when it comes in a way
/// that would have had to be. Settlements move none.
fn check_skipped(
    sheet: &WorkingSet,
    kind: PaymentType,
    stamp: &Stamp,
) -> Result<(), TypeChangeError> {
    let moves = !matches!(kind, PaymentType::CreditNote | PaymentType::Advance);
    let is_legal = |document: &Document| may_be_paid_by(document, kind, stamp.now());
    if moves && !sheet.documents().all(is_legal) {
        return Err(TypeChangeError::Refused(TypeChangeRule::FiscalizationRequired));
    }
    Ok(())
}

/// All that is held for a command.
pub(super) struct Held {
    /// The payment that it is about; none when one is recorded.
    payment: Option<Payment>,
    /// All payments of the document that is paid, in the trash or not.
    payments: Vec<Payment>,
    settlement: Settlement,
    pub(super) sheet: WorkingSet,
    plan: Plan,
    actor: Actor,
    /// The time on the store's clock, where it has one.
    now: OffsetDateTime,
}

/// What a command comes to, before it is written.
pub(super) struct Decided {
    payment: Option<Payment>,
    /// The types of the payments that count on the document that is paid.
    pub(super) before: Vec<PaymentType>,
    /// What they become.
    pub(super) after: Vec<PaymentType>,
    /// The tips on that document, when they become others.
    tips: Option<(DocumentId, (Decimal, PaymentMeans))>,
    outcome: SettlementOutcome,
    pub(super) sheet: WorkingSet,
    pub(super) actor: Actor,
    pub(super) now: OffsetDateTime,
}

impl Held {
    /// What `command` comes to.
    pub(super) fn decide(self, command: Command) -> Result<Decided, Error> {
        let Self { payment, payments, settlement, sheet, plan, actor, now } = self;
        let stamp = actor.stamp();
        let gone = || StoreError::Unavailable("a command lost its payment".to_owned());
        let own = || payment.clone().ok_or_else(gone);
        let outcome = match command {
            Command::Record(new) => {
                check_skipped(&sheet, new.kind, stamp)?;
                settlement.record(*new, stamp)?
            }
            Command::Change(_, patch) => settlement.change(own()?, *patch, stamp)?,
            Command::Trash(_) => settlement.trash(own()?, stamp)?,
            Command::Restore(_) => {
                let payment = own()?;
                check_skipped(&sheet, payment.kind, stamp)?;
                settlement.restore(payment, stamp)?
            }
        };
        let paid = plan.named.paid();
        let before = means::of(paid, &payments);
        let becoming = means::after(payments.clone(), &outcome);
        let after = means::of(paid, &becoming);
        let tips = paid.and_then(|id| {
            let tips = tips::of(id, &becoming);
            (tips != tips::of(id, &payments)).then_some((id, tips))
        });
        Ok(Decided { payment, before, after, tips, outcome, sheet, actor, now })
    }
}

impl Decided {
    /// What becomes of the payment, and the document that it is on, as it was held; `None` when it
    /// is on none that is ever fiscalized.
    pub(super) fn change(&self) -> Result<Option<(TypeChange, Document)>, StoreError> {
        let after = self.outcome.payment.as_ref();
        let change = after.and_then(|after| TypeChange::between(self.payment.as_ref(), after));
        let Some(change) = change else { return Ok(None) };
        let document = type_change::document_of(&self.sheet, &change)?;
        Ok(Some((change, document)))
    }

    /// The payment as it becomes, and what is written.
    pub(super) fn close(mut self) -> Result<(Payment, Writes), Error> {
        let job = self.tips.and_then(|(id, tips)| {
            let document = self.sheet.document(id)?;
            let (document, job) = tips::noted(document, tips, self.actor.stamp())?;
            self.sheet.replace(document);
            Some(job)
        });
        let (payment, writes) = close(self.sheet, self.outcome, &self.actor)?;
        Ok((payment, writes.puts(job)))
    }
}

/// Holds all that `command` is about, and writes what `decide` answers.
pub(super) async fn holding<T: Send + 'static>(
    cx: Context<'_>,
    entity: &Entity,
    command: &Command,
    decide: impl Fn(Held) -> Result<(T, Writes), Error> + Clone + Send + 'static,
) -> Result<T, Error> {
    let id = match command {
        Command::Record(new) => {
            return holding_new(cx, entity, new, decide).await;
        }
        Command::Change(id, _) | Command::Trash(id) | Command::Restore(id) => *id,
    };
    while_links_change(async || {
        let seen = get(cx, id).await?;
        let named = Named::of(seen.documents());
        let plan = Plan::of(cx, entity, named).await?;
        hold(cx, plan, Some(id), decide.clone()).await
    })
    .await
}

/// As [`holding`], for a payment that is recorded.
async fn holding_new<T: Send + 'static>(
    cx: Context<'_>,
    entity: &Entity,
    new: &NewPayment,
    decide: impl Fn(Held) -> Result<(T, Writes), Error> + Clone + Send + 'static,
) -> Result<T, Error> {
    let named = Named::of(new.references()?.ids());
    if let Some(expense) = named.expense.filter(|_| !reaches_expenses(cx.scope)) {
        return Err(StoreError::NotFound { id: expense.to_string() }.into());
    }
    // Most invoices have no links, so the first try does not look for them.
    let unlinked = Plan::unlinked(entity, named.clone(), cx.stamp);
    match hold(cx, unlinked, None, decide.clone()).await {
        Err(Error::Document(DocumentError::ChangedMeanwhile)) => {}
        done => return done,
    }
    while_links_change(async || {
        let plan = Plan::of(cx, entity, named.clone()).await?;
        hold(cx, plan, None, decide.clone()).await
    })
    .await
}

/// Holds what `plan` names and the payment `id`, and writes what `decide` answers.
async fn hold<T: Send + 'static>(
    cx: Context<'_>,
    plan: Plan,
    id: Option<PaymentId>,
    decide: impl FnOnce(Held) -> Result<(T, Writes), Error> + Send + 'static,
) -> Result<T, Error> {
    // The documents first, as everywhere: a request that waits for one holds no payment of it.
    let mut unit = cx.unit();
    let planned = plan.hold(&mut unit);
    let payment = id.map(|id| unit.hold(&PAYMENTS, id));
    unit.decide(move |held| {
        let payment = payment.map(|payment| held.one(payment)).transpose()?;
        let Opened { plan, sheet, settlement, payments } = planned.open(held)?;
        let actor = held.actor().clone();
        let now = held.now().unwrap_or_else(|| actor.now());
        decide(Held { payment, payments, settlement, sheet, plan, actor, now })
    })
    .await
}
