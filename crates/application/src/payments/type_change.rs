//! Changing a payment, where its type may be a tax authority's concern.
//!
//! A change of type that the authority must hear of takes two commits with the report between them:
//!
//! 1. All is held, the whole change is decided, and nothing of it is written: only the attempt, on
//!    the document. What is refused is refused here, before anybody is told.
//! 2. The authority is told, outside any unit.
//! 3. When it took the change, all is held and decided again, and written with the attempt cleared.
//!    When it is certain that it did not, the attempt is cleared. Else the attempt stays.
//!
//! Whoever dies in between, or gets no answer, leaves the attempt. It lets no other change of type
//! begin on that document, and the same change through: that one is reported again, which the
//! authority must bear. Two requests for the same change at once are each other's repetition, for
//! nobody can tell a request that died from one that is slow; both are reported, both succeed.
//!
//! What is no concern of the authority is one commit, as any other command on a payment.

use std::sync::Arc;

use racun_access::Entity;
use racun_documents::{Document, DocumentId, PaymentChange};
use racun_kernel::id::PaymentId;
use racun_kernel::{Decision, Scope, Stamp, Store, StoreError, Writes};
use racun_settlement::{Payment, PaymentPatch, TypeChange, TypeChangeError, TypeChangeRule};

use super::authority::{Concern, Matter, TaxAuthority};
use super::{Held, hold, while_links_change};
use crate::error::Error;
use crate::settling::Sheet;

/// Where the first commit leaves a change.
enum Begun {
    /// It is made, all of it.
    Made(Box<Payment>),
    /// It may not be made, and an attempt of it before is cleared.
    Refused(TypeChangeRule),
    /// The attempt is stored; the authority is to be told.
    Recorded(Box<Matter>),
}

/// Changes a payment. Its documents stay.
///
/// A change of type that concerns a tax authority is made only when `authority` confirmed it; the
/// other fields of `patch` wait with it.
///
/// # Errors
/// [`StoreError::NotFound`], or what settlement refuses. [`TypeChangeError::Refused`] and
/// [`TypeChangeError::Provider`] leave the payment as it was; [`TypeChangeError::Unreachable`] does,
/// too, and keeps the attempt; [`TypeChangeError::Unconfirmed`] while the attempt of another change
/// on the document stands; [`TypeChangeError::Unrecorded`] when the authority took what could then
/// not be stored.
pub async fn change(
    store: &dyn Store,
    authority: &Arc<dyn TaxAuthority>,
    scope: &Scope,
    entity: &Entity,
    id: PaymentId,
    patch: PaymentPatch,
    stamp: &Stamp,
) -> Result<Payment, Error> {
    let begun = while_links_change(|| {
        let (authority, asking) = (Arc::clone(authority), entity.clone());
        let patch = patch.clone();
        hold(store, scope, entity, id, stamp, move |held| begin(held, patch, &*authority, asking))
    });
    let matter = match begun.await? {
        Begun::Made(payment) => return Ok(*payment),
        Begun::Refused(rule) => return Err(TypeChangeError::Refused(rule).into()),
        Begun::Recorded(matter) => matter,
    };
    match authority.report(&matter, stamp).await {
        Ok(()) => {
            let made = while_links_change(|| {
                let (patch, change) = (patch.clone(), matter.change.clone());
                hold(store, scope, entity, id, stamp, move |held| finish(held, patch, &change))
            });
            made.await.map_err(|error| TypeChangeError::Unrecorded(error.to_string()).into())
        }
        Err(error) => {
            if error.is_final() {
                clear(store, scope, &matter).await?;
            }
            Err(TypeChangeError::from(error).into())
        }
    }
}

/// Decides the whole change, and makes it unless the authority has to be told first.
fn begin(
    held: Held,
    patch: PaymentPatch,
    authority: &dyn TaxAuthority,
    entity: Entity,
) -> Result<(Begun, Writes), Error> {
    let Held { payment, settlement, mut sheet, plan, stamp } = held;
    let outcome = settlement.change(payment.clone(), patch, &stamp)?;
    let made = |sheet, outcome| {
        let (payment, writes) = plan.close(sheet, outcome, &stamp)?;
        Ok((Begun::Made(Box::new(payment)), writes))
    };
    let change = outcome.payment.as_ref().and_then(|after| TypeChange::between(&payment, after));
    let Some(change) = change else { return made(sheet, outcome) };
    let document = document_of(&sheet, &change)?;
    let pending = document.payment_change_unconfirmed.clone();
    if let Some(other) = pending.as_ref().filter(|pending| !is_of(pending, &change)) {
        return Err(unconfirmed(other));
    }
    let matter = Matter { entity, document: document.clone(), change, at: stamp.now() };
    match authority.concern(&matter) {
        Concern::NotConcerned => {
            sheet.replace(document.with_payment_change(None));
            made(sheet, outcome)
        }
        Concern::Refused(rule) if pending.is_none() => Err(TypeChangeError::Refused(rule).into()),
        Concern::Refused(rule) => {
            sheet.replace(document.with_payment_change(None));
            Ok((Begun::Refused(rule), only_documents(&sheet)))
        }
        Concern::MustReport => {
            let attempt = PaymentChange {
                payment_id: matter.change.payment_id,
                from: matter.change.from.name().to_owned(),
                to: matter.change.to.name().to_owned(),
                attempted_at: matter.at,
            };
            sheet.replace(document.with_payment_change(Some(attempt)));
            Ok((Begun::Recorded(Box::new(matter)), only_documents(&sheet)))
        }
    }
}

/// Makes a change that the authority took.
///
/// Another request may have made the same change meanwhile: then what else was asked for remains.
/// It may also have ended this attempt and begun or made another change, after which this one would
/// undo what the authority was told later.
fn finish(
    mut held: Held,
    patch: PaymentPatch,
    change: &TypeChange,
) -> Result<(Payment, Writes), Error> {
    let document = document_of(&held.sheet, change)?;
    let pending = document.payment_change_unconfirmed.as_ref();
    let is_ours = pending.is_none_or(|pending| is_of(pending, change));
    let is_made = held.payment.kind == change.to;
    if !is_made && (!is_ours || held.payment.kind != change.from) {
        let reason = "another change of type came between the report and its record".to_owned();
        return Err(TypeChangeError::Unrecorded(reason).into());
    }
    if is_ours {
        held.sheet.replace(document.with_payment_change(None));
    }
    held.settle(|settlement, payment, stamp| settlement.change(payment, patch, stamp))
}

/// Clears the attempt of a change that is certain not to be made.
async fn clear(store: &dyn Store, scope: &Scope, matter: &Matter) -> Result<(), Error> {
    let (id, change) = (matter.document.id, matter.change.clone());
    let decide = move |document: Document| {
        let pending = document.payment_change_unconfirmed.as_ref();
        Ok::<_, Error>(match pending {
            Some(pending) if is_of(pending, &change) => {
                Decision::changed(document.with_payment_change(None), Vec::new())
            }
            Some(_) | None => Decision::Unchanged(document),
        })
    };
    store.amend(id.kind().table(), &scope.tenant(), id.to_string(), decide).await.map(|_| ())
}

/// Whether `pending` is an attempt of this `change`.
fn is_of(pending: &PaymentChange, change: &TypeChange) -> bool {
    pending.payment_id == change.payment_id
        && pending.from == change.from.name()
        && pending.to == change.to.name()
}

fn unconfirmed(pending: &PaymentChange) -> Error {
    let PaymentChange { payment_id, from, to, .. } = pending.clone();
    TypeChangeError::Unconfirmed { payment_id, from, to }.into()
}

/// The document that the change is on, as it was held.
fn document_of(sheet: &Sheet, change: &TypeChange) -> Result<Document, StoreError> {
    let gone = || StoreError::NotFound { id: change.document_id.clone() };
    let id: DocumentId = change.document_id.parse().map_err(|_| gone())?;
    sheet.document(id).cloned().ok_or_else(gone)
}

fn only_documents(sheet: &Sheet) -> Writes {
    Writes { puts: sheet.puts(), ..Writes::default() }
}

impl Held {
    /// Refuses what could not be undone if the authority took a change of this payment's type.
    ///
    /// # Errors
    /// [`TypeChangeError::Unconfirmed`] while an attempt of such a change stands.
    pub(super) fn must_be_confirmed(&self) -> Result<(), Error> {
        let documents = self.sheet.documents();
        let mut attempts = documents.filter_map(|held| held.payment_change_unconfirmed.as_ref());
        match attempts.find(|attempt| attempt.payment_id == self.payment.id) {
            Some(pending) => Err(unconfirmed(pending)),
            None => Ok(()),
        }
    }
}
