//! What the provider tells by itself.

use racun_access::enter_as_recipient;
use racun_einvoicing::network::{Notice, SUBMISSIONS, Submission, SubmissionEvent, id_of_key};
use racun_kernel::Stamp;
use racun_store::{Context, Store, StoreError, Writes};

use super::following::{told, written};
use super::sending::job;
use crate::error::Error;

/// What came of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The submission says it now.
    Noted,
    /// It is about nothing that was sent from here.
    Nothing,
}

/// Takes over what `notice` says of a submission, also of one that was given up.
///
/// # Errors
/// When the store fails; then the provider has to tell it again.
pub async fn hear(store: &dyn Store, notice: &Notice, stamp: &Stamp) -> Result<Heard, Error> {
    let Some(about) = submission(store, notice).await? else { return Ok(Heard::Nothing) };
    let id = about.id;
    let Some((scope, _)) = enter_as_recipient(store, about.entity_id).await? else {
        return Err(StoreError::Unavailable("the entity is disabled".to_owned()).into());
    };
    let cx = Context::new(store, &scope, stamp);
    let mut unit = cx.unit();
    let submission = unit.hold(&SUBMISSIONS, id);
    let notice = notice.clone();
    unit.decide(move |held| {
        let found: Option<Submission> = held.find(submission)?;
        let Some(before) = found else { return Ok((Heard::Nothing, Writes::default())) };
        let now = held.actor().now();
        let taken = SubmissionEvent::Taken(notice.reference.clone());
        let after = before.clone().after(taken, now).after(told(notice.progress), now);
        // One that was given up has no job any more: it is followed again.
        let is_followed_again = before.due_at.is_none() && after.due_at.is_some();
        let job = is_followed_again.then(|| job(&after, held.actor().stamp()).put());
        Ok((Heard::Noted, written(&before, &after, held.actor()).puts(job)))
    })
    .await
}

/// The submission that `notice` is about: by its key, which is the id, or by the provider's name
/// for it.
async fn submission(store: &dyn Store, notice: &Notice) -> Result<Option<Submission>, StoreError> {
    let id = notice.key.as_deref().and_then(id_of_key).map(|id| id.to_string());
    let reference = notice.reference.clone();
    for (field, value) in [("own_id", id), ("provider_reference", reference)] {
        let Some(value) = value else { continue };
        let found: Vec<Submission> = store.look_up(&SUBMISSIONS, field, &value).await?;
        // A name that several have is none.
        if let [only] = found.as_slice() {
            return Ok(Some(only.clone()));
        }
    }
    Ok(None)
}
