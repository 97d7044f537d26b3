//! What requests do with recurring invoices.

use racun_access::{ENTITIES, Entity, sandbox_now};
use racun_documents::recurrence::{
    Happening, RECURRING_INVOICES, RecurrenceError, RecurringInput, RecurringInvoice, Status,
    due_put,
};
use racun_documents::{Document, DocumentId};
use racun_fiscalization::certified::is_portugal;
use racun_kernel::id::RecurringInvoiceId;
use racun_kernel::{Environment, Issue, Patch, Stamp, Tenant};
use racun_store::{
    Actor, Context, Decision, ListQuery, Page, Put, RawQuery, Store, StoreError, Writes,
};
use time::{Date, OffsetDateTime};

use crate::documents;

/// Makes a recurring invoice after an invoice, which may be a draft.
///
/// A start in the past is allowed: its runs are caught up by the next run of the job.
///
/// # Errors
/// All that is wrong with the input, a template that is not there or voided, or the store's
/// failure.
pub async fn create(
    cx: Context<'_>,
    input: RecurringInput,
) -> Result<RecurringInvoice, RecurrenceError> {
    if input.create_as_draft == Patch::Value(true) {
        let account = Tenant::account(cx.scope.account());
        let entity: Option<Entity> =
            cx.store.get(&ENTITIES, &account, &cx.scope.entity().to_string()).await?;
        entity.map_or(Ok(()), |entity| check_draft(&entity, &input))?;
    }
    let recurring = input.into_recurring(cx.scope.entity(), cx.stamp)?;
    check_template(cx, recurring.document_id).await?;
    let mut puts = vec![Put::insert(&recurring)];
    puts.extend(due_put(None, Some(&recurring), cx.scope.account(), cx.scope.environment()));
    let actor = cx.scope.principal().id();
    let events = recurring.events(Happening::Created, Status::Active, &actor, cx.stamp);
    cx.store.insert(puts, events).await?;
    Ok(recurring)
}

/// Refuses drafts where there are none: documents in Portugal are signed when they are made.
fn check_draft(entity: &Entity, input: &RecurringInput) -> Result<(), RecurrenceError> {
    let is_wanted = input.create_as_draft == Patch::Value(true);
    if !is_wanted || !is_portugal(entity) {
        return Ok(());
    }
    let message = "there are no drafts in Portugal: leave create_as_draft out or send false";
    let issue = Issue::new("not_in_portugal", message).at("create_as_draft");
    Err(RecurrenceError::Invalid(issue.into()))
}

async fn check_template(cx: Context<'_>, id: DocumentId) -> Result<(), RecurrenceError> {
    let found: Option<Document> =
        cx.store.get(racun_documents::table_of(id.kind()), &cx.tenant(), &id.to_string()).await?;
    found.map_or_else(|| Err(no_template()), |template| usable(&template))
}

/// Accepts `template` as one to copy: issued, or a draft.
///
/// # Errors
/// An issue at `document_id`, when it is voided or deleted.
pub(super) fn usable(template: &Document) -> Result<(), RecurrenceError> {
    if template.deleted_at.is_some() {
        return Err(no_template());
    }
    if template.voided_at().is_some() {
        let message = "the invoice to copy is voided; make a recurring invoice after another one";
        return Err(refused("template_voided", message));
    }
    Ok(())
}

pub(super) fn no_template() -> RecurrenceError {
    refused("not_found", "there is no such invoice in this entity; create it first")
}

fn refused(code: &'static str, message: &str) -> RecurrenceError {
    RecurrenceError::Invalid(Issue::new(code, message).at("document_id").into())
}

/// The recurring invoice `id`, in the trash or not.
///
/// # Errors
/// [`RecurrenceError::NotFound`], or the store's failure.
pub async fn get(
    cx: Context<'_>,
    id: RecurringInvoiceId,
) -> Result<RecurringInvoice, RecurrenceError> {
    Ok(cx.one(&RECURRING_INVOICES, id).await?)
}

/// The page of recurring invoices that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn list(
    cx: Context<'_>,
    raw: &RawQuery,
) -> Result<Page<RecurringInvoice>, RecurrenceError> {
    let query = ListQuery::parse(&RECURRING_INVOICES, raw)?;
    Ok(cx.page(&RECURRING_INVOICES, &query).await?)
}

/// Changes what `input` says; the invoice that is copied stays.
///
/// # Errors
/// As [`RecurringInvoice::update`], or the store's failure.
pub async fn update(
    cx: Context<'_>,
    entity: &Entity,
    id: RecurringInvoiceId,
    input: RecurringInput,
) -> Result<RecurringInvoice, RecurrenceError> {
    check_draft(entity, &input)?;
    let today = today(cx.store, entity, cx.stamp).await?;
    change(cx, id, Happening::Updated, move |before, now| before.update(input, today, now)).await
}

/// Pauses it from today on.
///
/// # Errors
/// As [`RecurringInvoice::pause`], or the store's failure.
pub async fn pause(
    cx: Context<'_>,
    entity: &Entity,
    id: RecurringInvoiceId,
) -> Result<RecurringInvoice, RecurrenceError> {
    let today = today(cx.store, entity, cx.stamp).await?;
    change(cx, id, Happening::Paused, move |before, now| before.pause(today, now)).await
}

/// Resumes it; runs of the days it was paused are not made.
///
/// # Errors
/// As [`RecurringInvoice::resume`], or the store's failure.
pub async fn resume(
    cx: Context<'_>,
    entity: &Entity,
    id: RecurringInvoiceId,
) -> Result<RecurringInvoice, RecurrenceError> {
    let today = today(cx.store, entity, cx.stamp).await?;
    let resumed = Happening::Resumed;
    change(cx, id, resumed, move |before, now| before.resume(today, now)).await
}

/// Moves it to the trash, where it makes no invoices.
///
/// # Errors
/// As [`RecurringInvoice::trash`], or the store's failure.
pub async fn trash(
    cx: Context<'_>,
    entity: &Entity,
    id: RecurringInvoiceId,
) -> Result<RecurringInvoice, RecurrenceError> {
    let today = today(cx.store, entity, cx.stamp).await?;
    let deleted = Happening::Deleted;
    change(cx, id, deleted, move |before, now| before.trash(today, now)).await
}

/// Brings it back from the trash.
///
/// # Errors
/// As [`RecurringInvoice::restore`], or the store's failure.
pub async fn restore(
    cx: Context<'_>,
    entity: &Entity,
    id: RecurringInvoiceId,
) -> Result<RecurringInvoice, RecurrenceError> {
    let today = today(cx.store, entity, cx.stamp).await?;
    let restored = Happening::Restored;
    change(cx, id, restored, move |before, now| before.restore(today, now)).await
}

/// Removes one in the trash for good. The invoices that it made stay.
///
/// # Errors
/// As [`RecurringInvoice::erase`], or the store's failure.
pub async fn erase(cx: Context<'_>, id: RecurringInvoiceId) -> Result<(), RecurrenceError> {
    let mut unit = cx.unit();
    let recurring = unit.hold(&RECURRING_INVOICES, id);
    unit.decide(move |held| {
        let before: RecurringInvoice = held.one(recurring)?;
        // Nothing in the trash is due, so there is no other row to remove.
        let (gone, actor) = (before.erase()?, held.actor());
        let erased = Happening::PermanentlyDeleted;
        let events = gone.events(erased, gone.status, &actor.id(), actor.stamp());
        Ok(((), Writes::default().delete(&gone).events(events)))
    })
    .await
}

/// What recurring invoices take for today: in the sandbox, the later of real time and the account's
/// test clock, so that a pause falls between the runs that the clock makes.
async fn today(store: &dyn Store, entity: &Entity, stamp: &Stamp) -> Result<Date, StoreError> {
    let now = match entity.environment {
        Environment::Live => stamp.now(),
        Environment::Sandbox => sandbox_now(store, entity.account_id, stamp).await?,
    };
    Ok(documents::today(entity, &stamp.at(now)))
}

/// Writes what `transition` makes of the recurring invoice `id`, with the row by which it is found.
async fn change(
    cx: Context<'_>,
    id: RecurringInvoiceId,
    happening: Happening,
    transition: impl FnOnce(
        RecurringInvoice,
        OffsetDateTime,
    ) -> Result<RecurringInvoice, RecurrenceError>
    + Send
    + 'static,
) -> Result<RecurringInvoice, RecurrenceError> {
    let decide = move |before: RecurringInvoice, actor: &Actor| {
        let after = transition(before.clone(), actor.now())?;
        Ok(changed(&before, after, happening, actor))
    };
    cx.amend(&RECURRING_INVOICES, id, decide).await
}

/// What is written of a recurring invoice that became `after`.
pub(super) fn changed(
    before: &RecurringInvoice,
    after: RecurringInvoice,
    happening: Happening,
    actor: &Actor,
) -> Decision<RecurringInvoice> {
    if after == *before {
        return Decision::Unchanged(after);
    }
    let scope = actor.scope();
    let due = due_put(Some(before), Some(&after), scope.account(), scope.environment());
    let events = after.events(happening, before.status, &actor.id(), actor.stamp());
    Decision::Changed { record: after, beside: due.into_iter().collect(), events }
}
