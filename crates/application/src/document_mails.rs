//! A document that is mailed by a job, once however often the job is done.

use std::sync::Arc;

use racun_access::Entity;
use racun_background::idempotency::{KeyedRequest, Once, Passed};
use racun_background::jobs::Ending;
use racun_delivery::mailing::{MailingError, SendRequest, send};
use racun_kernel::{Scope, Stamp};
use racun_mail::MailLimits;
use racun_store::{Context, Store, StoreError};
use time::Duration;

/// What mails of documents take.
pub(crate) struct Letters<'a> {
    /// Where everything is kept.
    pub store: &'a Arc<dyn Store>,
    /// The base of links in mails.
    pub base: &'a str,
    /// How much may be sent.
    pub limits: MailLimits,
}

impl Letters<'_> {
    /// Sends `request` in the name of an entity, as a person would and within the same limits: once
    /// for each `key` of its account.
    ///
    /// # Errors
    /// [`MailingError`].
    pub async fn mail_once(
        &self,
        (scope, entity): &(Scope, Entity),
        key: String,
        request: SendRequest,
        stamp: &Stamp,
    ) -> Result<(), MailingError> {
        let keyed = KeyedRequest::new(entity.account_id, key.clone(), key, stamp.now());
        let once = Once::new(Arc::clone(self.store), keyed);
        let cx = Context::new(&once, scope, stamp);
        match send(cx, self.base, entity, request, self.limits).await {
            Err(error) if once.passed() != Passed::Twin => Err(error),
            // An earlier attempt sent it.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// How an attempt ends that was refused: what passes is tried again, all else is given up, and
/// admins see it among the jobs.
pub(crate) fn ending(error: &MailingError) -> Ending {
    let text = error.to_string();
    match error {
        MailingError::Limit(limit) => {
            let wait = Some(Duration::seconds(limit.retry_after.into()));
            Ending::Failed { error: text, wait }
        }
        MailingError::Store(StoreError::NotFound { .. }) => Ending::Hopeless { error: text },
        MailingError::Store(_) => Ending::Failed { error: text, wait: None },
        MailingError::Invalid(_)
        | MailingError::Access(_)
        | MailingError::Document(_)
        | MailingError::Invoice(_)
        | MailingError::Unsigned(_)
        | MailingError::NothingOverdue => Ending::Hopeless { error: text },
    }
}
