//! What the provider tells by itself.

use racun_access::enter_as_recipient;
use racun_background::jobs::{JOBS, Job};
use racun_einvoicing::network::{Notice, SUBMISSIONS, Submission, SubmissionEvent, id_of_key};
use racun_kernel::Stamp;
use racun_store::{Context, Store, StoreError, Writes};

use super::following::{told, written};
use crate::error::Error;

/// What came of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The submission says it now.
    Noted,
    /// It is about nothing that is still followed.
    Nothing,
}

/// Takes over what `notice` says of a submission, which is found by its job: one that is over has
/// none, and nothing changes it.
///
/// # Errors
/// When the store fails; then the provider has to tell it again.
pub async fn hear(store: &dyn Store, notice: &Notice, stamp: &Stamp) -> Result<Heard, Error> {
    let Some(id) = notice.key.as_deref().and_then(id_of_key) else { return Ok(Heard::Nothing) };
    let jobs: Vec<Job> = store.look_up(&JOBS, "subject", &id.to_string()).await?;
    let Some(entity) = jobs.iter().find_map(|job| job.entity_id) else { return Ok(Heard::Nothing) };
    let Some((scope, _)) = enter_as_recipient(store, entity).await? else {
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
        Ok((Heard::Noted, written(&before, &after, held.actor())))
    })
    .await
}
