//! The link in the mail that says an archive is complete.

use racun_access::{
    AccessError, Digest, Entity, User, enter_as_system, find_insider, is_token, new_token,
};
use racun_kernel::id::{AccountId, EntityId, UserId};
use racun_kernel::{Stamp, Tenant};
use racun_mail::{MailKind, NewMail, OutgoingMail, Wording, defused, fill_line, to_html, to_plain};
use racun_store::{Context, Decision, Put, Store, StoreError};

use super::job::{EXPORT_JOBS, ExportJob, ExportState};
use crate::outbox::{MAX_SUBJECT_CHARS, Sender, enqueue};

/// The beginning of tokens in these links.
const PREFIX: &str = "export_";
/// Where they lead.
const PAGE: &str = "documents/export/download";

/// The rows of the mail to `user` about `export`. Its link is made when it is delivered.
pub(super) fn letter(
    base: &str,
    entity: &Entity,
    export: &ExportJob,
    user: &User,
    stamp: &Stamp,
) -> Vec<Put> {
    let locale = user.locale.as_deref().unwrap_or(&entity.locale);
    let mut values = Sender::of(base, None).values(PAGE, locale);
    values.set("entity_name", Some(defused(&entity.name)));
    let words = Wording::Export.words(locale);
    let new = NewMail {
        account_id: Some(export.account_id),
        entity_id: Some(export.entity_id),
        kind: MailKind::Export,
        about: vec![export.id.to_string()],
        sender_name: None,
        reply_to: None,
        to: vec![user.email.clone()],
        subject: fill_line(words.subject, &values, MAX_SUBJECT_CHARS),
        text: to_plain(words.body, &values),
        html: Some(to_html(words.body, &values)),
    };
    enqueue(&OutgoingMail::queued(new, stamp), stamp)
}

/// A new token for the link to the archive `id`; the one before, of a mail that may not have
/// arrived, ends. `None` when there is no such archive any more.
///
/// # Errors
/// The store's failure.
pub async fn mint_link(
    store: &dyn Store,
    account: AccountId,
    id: &str,
    stamp: &Stamp,
) -> Result<Option<String>, StoreError> {
    let secret = new_token(PREFIX, stamp);
    let (link, now) = (Some(Digest::of(&secret)), stamp.now());
    let decide = move |export: ExportJob| {
        if export.state != ExportState::Completed || export.expires_at <= now {
            return Err(StoreError::NotFound { id: export.id.to_string() });
        }
        Ok(Decision::changed(ExportJob { link, ..export }, Vec::new()))
    };
    match store.amend(&EXPORT_JOBS, &Tenant::account(account), id.to_owned(), decide).await {
        Ok(_) => Ok(Some(secret)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The archive that `token` leads to, as long as it is kept and the person who asked for it belongs
/// to the entity.
///
/// # Errors
/// [`StoreError::NotFound`], or the store's failure.
pub async fn follow_link(
    store: &dyn Store,
    token: &str,
    stamp: &Stamp,
) -> Result<ExportJob, AccessError> {
    let unknown = || AccessError::NotFound { id: "archive".to_owned() };
    if !is_token(PREFIX, token) {
        return Err(unknown());
    }
    let digest = Digest::of(token);
    let found: Vec<ExportJob> = store.look_up(&EXPORT_JOBS, "link", digest.as_str()).await?;
    let kept = found.into_iter().find(|export| export.expires_at > stamp.now());
    let export = kept.ok_or_else(unknown)?;
    let (account, entity, user) = (export.account_id, export.entity_id, export.requested_by);
    let still_inside = match user {
        Some(user) => is_inside(store, (account, entity), user, stamp).await?,
        None => false,
    };
    if still_inside { Ok(export) } else { Err(unknown()) }
}

async fn is_inside(
    store: &dyn Store,
    (account, entity): (AccountId, EntityId),
    user: UserId,
    stamp: &Stamp,
) -> Result<bool, AccessError> {
    match enter_as_system(store, account, entity).await {
        Ok((scope, _)) => {
            let cx = Context::new(store, &scope, stamp);
            Ok(find_insider(cx, user).await?.is_some())
        }
        Err(AccessError::Store(error)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}
