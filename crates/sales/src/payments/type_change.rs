//! Commands on payments, where a tax authority may have a say.
//!
//! What an authority must hear of takes two commits with the report between them:
//!
//! 1. All is held, the whole command is decided, and nothing of it is written: only the attempt, on
//!    the document. What is refused is refused here, before anything is sent.
//! 2. The change is sent to the authority, outside any unit.
//! 3. When it took the change, all is held and decided again, and written with the attempt cleared.
//!    When it is certain that it did not, the attempt is cleared. Else the attempt stays.
//!
//! **One attempt at a time.** An attempt has an id and a lease. While the lease lasts, nothing else
//! that changes how the document is paid begins, the same change neither: two reports of one change
//! that overtake each other leave the authority with the earlier content. A worker without an
//! answer ends the lease and keeps the attempt; a worker that dies keeps both, and the lease runs
//! out, or is void when it is certain that the process is gone. Then the same change may begin the
//! next attempt, and no other: it is reported again, which the authority must bear. Only the
//! attempt that was begun last is written or cleared, by its own outcome.
//!
//! What is no concern of the authority is one commit.

use std::sync::Arc;

use racun_access::Entity;
use racun_documents::{Document, PaymentChange};
use racun_fiscal::LEASE;
use racun_fiscalization::{Concern, Matter, TaxAuthority, told};
use racun_settlement::{Payment, PaymentType, TypeChange, TypeChangeError, TypeChangeRule};
use racun_store::{Actor, Context, Decision, Writes};
use time::OffsetDateTime;

use super::holding::{Decided, Held, document_of, holding};
use super::{Command, PaymentPorts};
use crate::error::Error;
use crate::settling::WorkingSet;

/// Where the first commit leaves a change.
enum Begun {
    /// It is made, all of it.
    Made(Box<Payment>),
    /// It may not be made, and an attempt of it before is cleared.
    Refused(TypeChangeRule),
    /// The attempt is stored; the authority is to be told.
    Recorded(Box<Reporting>),
}

/// What the authority is to be told, and what is in doubt from before.
#[derive(Clone)]
struct Reporting {
    matter: Matter,
    /// The attempt that this one took over, when it reported something else: a refusal of this one
    /// says nothing of that one.
    doubt: Option<PaymentChange>,
}

/// Carries `command` out. The payment's documents stay.
///
/// What concerns a tax authority is made only when the authority of `ports` confirmed it, all of
/// the command at once.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], or what settlement refuses.
/// [`TypeChangeError::Refused`] and [`TypeChangeError::Provider`] leave all as it was;
/// [`TypeChangeError::Unreachable`] does, too, and keeps the attempt;
/// [`TypeChangeError::Unconfirmed`] while the attempt of another change on the document stands, or
/// any is under way; [`TypeChangeError::Unrecorded`] when the authority took what could then not be
/// stored.
pub(super) async fn run(
    ports: PaymentPorts<'_>,
    entity: &Entity,
    command: Command,
) -> Result<Payment, Error> {
    let attempt = ports.cx.stamp.ulid().to_string();
    let begun = {
        let asking = Asking {
            authority: ports.authority.cloned(),
            entity: entity.clone(),
            attempt: attempt.clone(),
        };
        let asked = command.clone();
        let begin = move |held: Held| begin(held, asked.clone(), &asking);
        holding(ports, entity, &command, begin).await?
    };
    let Reporting { matter, doubt } = match begun {
        Begun::Made(payment) => return Ok(*payment),
        Begun::Refused(rule) => return Err(TypeChangeError::Refused(rule).into()),
        Begun::Recorded(reporting) => *reporting,
    };
    let authority = ports.authority.ok_or_else(no_authority)?;
    match authority.report(&matter, ports.cx.stamp).await {
        Ok(()) => {
            let (asked, reported, own) = (command.clone(), matter.clone(), attempt.clone());
            let finish = move |held: Held| finish(held, asked.clone(), &reported, &own);
            let made = holding(ports, entity, &command, finish).await;
            match made {
                Ok(payment) => Ok(payment),
                Err(error) => {
                    // Without the lease's end, too, it ends by itself.
                    let _ = end(ports.cx, &matter, &attempt, Ending::Unknown).await;
                    Err(TypeChangeError::Unrecorded(error.to_string()).into())
                }
            }
        }
        Err(error) if error.is_final() => {
            end(ports.cx, &matter, &attempt, Ending::NotMade(doubt)).await?;
            Err(TypeChangeError::from(error).into())
        }
        Err(error) => {
            let _ = end(ports.cx, &matter, &attempt, Ending::Unknown).await;
            Err(TypeChangeError::from(error).into())
        }
    }
}

/// Who asks for a change, and who may have to hear of it.
#[derive(Clone)]
struct Asking {
    authority: Option<Arc<dyn TaxAuthority>>,
    entity: Entity,
    /// The id of the attempt, if there is to be one.
    attempt: String,
}

/// Decides the whole command, and makes it unless the authority has to be told first.
fn begin(held: Held, command: Command, asking: &Asking) -> Result<(Begun, Writes), Error> {
    let mut decided = held.decide(command)?;
    let Some((change, document)) = decided.change()? else { return made(decided) };
    let pending = document.payment_change_unconfirmed.clone();
    let is_again = pending.as_ref().is_some_and(|pending| is_of(pending, &change));
    let is_judged = is_again || change.is_of_type() || decided.before != decided.after;
    if let Some(pending) = &pending {
        let may_live = |own: &Arc<dyn TaxAuthority>| own.may_live(pending);
        let wait = pending.under_way(decided.now);
        let wait = wait.filter(|_| asking.authority.as_ref().is_none_or(may_live));
        if (is_judged && (!is_again || wait.is_some())) || would_lose(pending, &change) {
            return Err(unconfirmed(pending, wait));
        }
    }
    if !is_judged {
        return made(decided);
    }
    let matter = Matter {
        entity: asking.entity.clone(),
        document,
        change,
        before: decided.before.clone(),
        after: decided.after.clone(),
        at: decided.actor.now(),
    };
    let authority = asking.authority.as_ref();
    match authority.map_or(Concern::NotConcerned, |authority| authority.concern(&matter)) {
        Concern::NotConcerned => {
            decided.sheet.replace(matter.document.with_payment_change(None));
            made(decided)
        }
        Concern::Refused(rule) if pending.is_none() => Err(TypeChangeError::Refused(rule).into()),
        Concern::Refused(rule) => {
            decided.sheet.replace(matter.document.with_payment_change(None));
            Ok((Begun::Refused(rule), only_documents(&decided.sheet)))
        }
        Concern::MustReport => {
            let attempt = attempt(&matter, asking.attempt.clone(), decided.now);
            let doubt = pending.filter(|pending| pending.reported != attempt.reported);
            decided.sheet.replace(matter.document.clone().with_payment_change(Some(attempt)));
            let reporting = Reporting { matter, doubt };
            Ok((Begun::Recorded(Box::new(reporting)), only_documents(&decided.sheet)))
        }
    }
}

fn made(decided: Decided) -> Result<(Begun, Writes), Error> {
    let (payment, writes) = decided.close()?;
    Ok((Begun::Made(Box::new(payment)), writes))
}

/// The attempt `id` of the change of `matter`, which begins `now`.
fn attempt(matter: &Matter, id: String, now: OffsetDateTime) -> PaymentChange {
    let TypeChange { payment_id, from, to, .. } = matter.change;
    PaymentChange {
        payment_id,
        from: name(from).to_owned(),
        to: name(to).to_owned(),
        attempted_at: matter.at,
        attempt: id,
        reported: matter.after.iter().map(|kind| kind.name().to_owned()).collect(),
        lease_until: Some(now + LEASE),
    }
}

/// Makes a change that the authority took, if the attempt is still the last one.
///
/// A worker that took the attempt over reports it again, and writes it. Other requests may have
/// added or removed payments; when their types differ from the report, the attempt stays, and the
/// same change reports them as they are.
fn finish(
    held: Held,
    command: Command,
    matter: &Matter,
    own: &str,
) -> Result<(Payment, Writes), Error> {
    let document = document_of(&held.sheet, &matter.change)?;
    let pending = document.payment_change_unconfirmed.as_ref();
    if pending.is_none_or(|pending| pending.attempt != own) {
        let reason = "another request took this change over".to_owned();
        return Err(TypeChangeError::Unrecorded(reason).into());
    }
    let mut decided = held.decide(command)?;
    if decided.after != matter.after {
        let reason = "payments of other types came or went meanwhile".to_owned();
        return Err(TypeChangeError::Unrecorded(reason).into());
    }
    let document = told(document, &matter.after, decided.actor.stamp()).with_payment_change(None);
    decided.sheet.replace(document);
    decided.close()
}

/// How an attempt ends without being written.
enum Ending {
    /// The authority certainly did not take the change; what was in doubt before still is.
    NotMade(Option<PaymentChange>),
    /// The outcome is unknown; the same change may be sent again at once.
    Unknown,
}

/// Ends the attempt `own`, if it is still the last one.
async fn end(cx: Context<'_>, matter: &Matter, own: &str, ending: Ending) -> Result<(), Error> {
    let (id, own) = (matter.document.id, own.to_owned());
    let decide = move |document: Document, _: &Actor| {
        let pending = document.payment_change_unconfirmed.clone();
        let Some(pending) = pending.filter(|pending| pending.attempt == own) else {
            return Ok::<_, Error>(Decision::Unchanged(document));
        };
        let left = match ending {
            Ending::NotMade(doubt) => doubt,
            Ending::Unknown => Some(PaymentChange { lease_until: None, ..pending }),
        };
        Ok(Decision::changed(document.with_payment_change(left), Vec::new()))
    };
    cx.amend(racun_documents::table_of(id.kind()), id, decide).await.map(|_| ())
}

/// Whether `pending` is an attempt of this `change`.
fn is_of(pending: &PaymentChange, change: &TypeChange) -> bool {
    pending.payment_id == change.payment_id
        && pending.from == name(change.from)
        && pending.to == name(change.to)
}

/// Whether `change` sends the payment of another attempt to the trash, where that could not be
/// made.
fn would_lose(pending: &PaymentChange, change: &TypeChange) -> bool {
    let is_its = change.payment_id.is_some() && change.payment_id == pending.payment_id;
    is_its && change.to.is_none() && !is_of(pending, change)
}

fn name(kind: Option<PaymentType>) -> &'static str {
    kind.map_or(PaymentChange::NONE, PaymentType::name)
}

fn unconfirmed(pending: &PaymentChange, wait: Option<time::Duration>) -> Error {
    let PaymentChange { payment_id, from, to, .. } = pending.clone();
    let seconds = |left: time::Duration| u32::try_from(left.whole_seconds()).unwrap_or(0) + 1;
    TypeChangeError::Unconfirmed { payment_id, from, to, wait: wait.map(seconds) }.into()
}

fn no_authority() -> Error {
    TypeChangeError::Unreachable("no tax authority is configured".to_owned()).into()
}

fn only_documents(sheet: &WorkingSet) -> Writes {
    Writes { puts: sheet.puts(), ..Writes::default() }
}
