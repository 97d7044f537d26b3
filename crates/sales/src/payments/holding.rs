//! All that a command on a payment is about is held, and the command decided on it.

use racun_access::Entity;
use racun_card_payments::{CARD_CHARGES, CardRefusal, Charge, ChargeState};
use racun_documents::{Document, DocumentError, DocumentId};
use racun_fiscal::fina::PaymentMeans;
use racun_fiscalization::certified::{self, FoundReceipts, Receipting};
use racun_fiscalization::{OutsideServices, Ports, may_be_paid_by, tips};
use racun_kernel::id::PaymentId;
use racun_kernel::{Decimal, Stamp};
use racun_settlement::{
    NewPayment, PAYMENTS, Payment, PaymentType, Settlement, SettlementOutcome, TypeChange,
    TypeChangeError, TypeChangeRule,
};
use racun_store::{Actor, Context, Put, StoreError, Writes};
use time::OffsetDateTime;

use super::{
    Command, Named, Opened, PaymentPorts, Plan, close, get, means, reaches_expenses,
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
    /// All payments of the document that is paid, in the trash or not, where they are looked at.
    payments: Vec<Payment>,
    settlement: Settlement,
    pub(super) sheet: WorkingSet,
    plan: Plan,
    actor: Actor,
    /// The time on the store's clock, where it has one.
    now: OffsetDateTime,
    /// Whose payments.
    entity: Entity,
    /// How a payment that is recorded gets a receipt.
    receipts: Option<(Receipting, FoundReceipts)>,
    /// The money of the card processor that is recorded.
    charge: Option<Charge>,
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
    /// The series of receipts behind the one that was issued.
    receipt: Option<Put>,
    /// The money of the card processor that the payment says.
    charge: Option<Charge>,
    pub(super) sheet: WorkingSet,
    pub(super) actor: Actor,
    pub(super) now: OffsetDateTime,
}

impl Held {
    /// What `command` comes to.
    pub(super) fn decide(self, command: Command) -> Result<Decided, Error> {
        self.check_charge()?;
        let Self { payment, payments, settlement, sheet, plan, actor, now, entity, .. } = self;
        let (receipts, charge) = (self.receipts, self.charge);
        let (stamp, mut receipt) = (actor.stamp(), None);
        let gone = || StoreError::Unavailable("a command lost its payment".to_owned());
        let own = || payment.clone().ok_or_else(gone);
        let outcome = match command {
            Command::Record(new, _) => {
                check_skipped(&sheet, new.kind, stamp)?;
                let outcome = settlement.record(*new, stamp)?;
                let (outcome, put) = receipted(outcome, plan.named.paid(), &sheet, receipts)?;
                receipt = put;
                outcome
            }
            Command::Change(_, patch) => settlement.change(own()?, *patch, stamp)?,
            Command::Trash(_) => {
                let voided = |payment: &mut Payment| {
                    certified::void_receipt(payment, &entity, actor.scope(), stamp);
                };
                settlement.trash(own()?, stamp)?.noting(voided)
            }
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
        Ok(Decided { payment, before, after, tips, outcome, receipt, charge, sheet, actor, now })
    }

    /// Refuses money of the card processor that is recorded already, or in another currency than
    /// the document's.
    fn check_charge(&self) -> Result<(), CardRefusal> {
        let Some(charge) = &self.charge else { return Ok(()) };
        if charge.state == ChargeState::Recorded {
            return Err(CardRefusal::Recorded);
        }
        let taken = charge.currency;
        match self.sheet.documents().find(|document| document.content.currency != taken) {
            None => Ok(()),
            Some(document) => {
                let own = document.content.currency;
                let why = format!("{taken} was taken, and the document is in {own}");
                Err(CardRefusal::NotRecorded(why))
            }
        }
    }
}

impl Decided {
    /// What becomes of the payment, and the document that it is on, as it was held; `None` when it
    /// is on none that is ever fiscalized.
    pub(super) fn change(&self) -> Result<Option<(TypeChange, Document)>, StoreError> {
        let after = self.outcome.payment.as_ref();
        let change = after.and_then(|after| TypeChange::between(self.payment.as_ref(), after));
        let Some(change) = change else { return Ok(None) };
        let document = document_of(&self.sheet, &change)?;
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
        let noted = |before: Charge| {
            let after = before.clone().recorded(payment.id, self.actor.now());
            Put::update(&before, &after)
        };
        let writes = writes.puts(job).puts(self.charge.map(noted));
        let writes = match self.receipt {
            Some(series) => writes.puts([series]).taking_number(),
            None => writes,
        };
        Ok((payment, writes))
    }
}

/// `outcome` with the receipt of the payment on `paid` that was just recorded, where it has one,
/// and the series behind it.
fn receipted(
    outcome: SettlementOutcome,
    paid: Option<DocumentId>,
    sheet: &WorkingSet,
    receipts: Option<(Receipting, FoundReceipts)>,
) -> Result<(SettlementOutcome, Option<Put>), Error> {
    let document = paid.and_then(|id| sheet.document(id));
    let (Some(payment), Some(document)) = (&outcome.payment, document) else {
        return Ok((outcome, None));
    };
    certified::check_paid(payment, document)?;
    let Some((receipting, found)) = receipts else { return Ok((outcome, None)) };
    match receipting.issue(found, payment, document)? {
        None => Ok((outcome, None)),
        Some((receipt, put)) => {
            let noted = |payment: &mut Payment| payment.receipt = Some(Box::new(receipt.clone()));
            Ok((outcome.noting(noted), Some(put)))
        }
    }
}

/// Holds all that `command` is about, and writes what `decide` answers.
pub(super) async fn holding<T: Send + 'static>(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    command: &Command,
    decide: impl Fn(Held) -> Result<(T, Writes), Error> + Clone + Send + 'static,
) -> Result<T, Error> {
    let id = match command {
        Command::Record(new, charge) => {
            return holding_new(ports, entity, (new, charge.clone()), decide).await;
        }
        Command::Change(id, _) | Command::Trash(id) | Command::Restore(id) => *id,
    };
    let cx = ports.cx;
    while_links_change(async || {
        let seen = get(cx, id).await?;
        let named = Named::of(&seen);
        let plan = Plan::of(cx, entity, named).await?;
        let (entity, payment) = (entity.clone(), Some(id));
        let about = About { entity, payment, receipting: None, charge: None };
        hold(cx, plan, about, decide.clone()).await
    })
    .await
}

/// As [`holding`], for a payment that is recorded.
async fn holding_new<T: Send + 'static>(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    (new, charge): (&NewPayment, Option<String>),
    decide: impl Fn(Held) -> Result<(T, Writes), Error> + Clone + Send + 'static,
) -> Result<T, Error> {
    let cx = ports.cx;
    let named = Named::of_new(&new.references()?);
    if let Some(expense) = named.expense.filter(|_| !reaches_expenses(cx.scope)) {
        return Err(StoreError::NotFound { id: expense.to_string() }.into());
    }
    let receipting = match ports.portugal {
        Some(_) => {
            let services =
                OutsideServices { portugal: ports.portugal, ..OutsideServices::default() };
            certified::receipting(Ports::with_services(cx, services), entity).await?
        }
        None => None,
    };
    let about = About { entity: entity.clone(), payment: None, receipting, charge };
    // Most invoices have no links, so the first try does not look for them.
    let plain = Plan::plain(entity, named.clone(), cx.stamp);
    match hold(cx, plain, about.clone(), decide.clone()).await {
        Err(Error::Document(DocumentError::ChangedMeanwhile)) => {}
        done => return done,
    }
    while_links_change(async || {
        let plan = Plan::of(cx, entity, named.clone()).await?;
        hold(cx, plan, about.clone(), decide.clone()).await
    })
    .await
}

/// What a command is about besides documents.
#[derive(Clone)]
struct About {
    entity: Entity,
    /// The payment; none when one is recorded.
    payment: Option<PaymentId>,
    /// How it gets a receipt.
    receipting: Option<Receipting>,
    /// The money of the card processor that it says.
    charge: Option<String>,
}

/// Holds what `plan` names and what the command is `about`, and writes what `decide` answers.
async fn hold<T: Send + 'static>(
    cx: Context<'_>,
    plan: Plan,
    about: About,
    decide: impl FnOnce(Held) -> Result<(T, Writes), Error> + Send + 'static,
) -> Result<T, Error> {
    // The documents first, as everywhere: a request that waits for one holds no payment of it.
    let mut unit = cx.unit();
    let planned = plan.hold(&mut unit);
    let About { entity, payment, receipting, charge } = about;
    let payment = payment.map(|id| unit.hold(&PAYMENTS, id));
    let receipts = receipting.map(|own| (own.hold(&mut unit), own));
    let charge = charge.map(|id| unit.hold(&CARD_CHARGES, id));
    unit.decide(move |held| {
        let payment = payment.map(|payment| held.one(payment)).transpose()?;
        let receipts = match receipts {
            Some((series, own)) => Some((own, series.read(held)?)),
            None => None,
        };
        let charge = charge.map(|charge| held.one(charge)).transpose()?;
        let Opened { plan, sheet, settlement, payments } = planned.open(held)?;
        let actor = held.actor().clone();
        let now = held.now().unwrap_or_else(|| actor.now());
        decide(Held {
            payment,
            payments,
            settlement,
            sheet,
            plan,
            actor,
            now,
            entity: entity.clone(),
            receipts,
            charge,
        })
    })
    .await
}

/// The document that the change is on, as it was held.
pub(super) fn document_of(sheet: &WorkingSet, change: &TypeChange) -> Result<Document, StoreError> {
    let gone = || StoreError::NotFound { id: change.document_id.to_string() };
    sheet.document(change.document_id).cloned().ok_or_else(gone)
}
