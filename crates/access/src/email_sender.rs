//! The address that an entity wants its mails to come from (contract 12.5).
//!
//! A receiver believes a sender when the DNS of the sender's domain says that the server may use
//! it. The server queries no DNS, so no domain is ever verified: mails keep the server's own
//! address as sender, and the entity's address is where replies go.

use racun_kernel::{Issue, Issues, Tenant, check_address};
use racun_store::{Context, Decision};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::account::event;
use crate::events;
use crate::mailing::is_inside;
use crate::permission::require;
use crate::{AccessError, ENTITIES, Entity, Forbidden, Permission};

/// The address that an entity chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailSender {
    /// The address.
    pub email: String,
    /// When the address was proved: a user of the account, or a member of the entity, verified it
    /// as their own. `None` before.
    #[serde(with = "time::serde::rfc3339::option")]
    pub email_verified_at: Option<OffsetDateTime>,
    /// When that was looked at last.
    #[serde(with = "time::serde::rfc3339")]
    pub last_checked_at: OffsetDateTime,
}

impl EmailSender {
    /// What stands behind the at sign.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.email.split_once('@').map_or("", |(_, domain)| domain)
    }

    fn checked(self, is_verified: bool, now: OffsetDateTime) -> Self {
        let email_verified_at = is_verified.then(|| self.email_verified_at.unwrap_or(now));
        Self { email_verified_at, last_checked_at: now, ..self }
    }
}

/// Chooses the address; `None` has none any more. Choosing the same one again looks at it again.
///
/// # Errors
/// An issue at `email`; [`Forbidden::InsufficientRole`] to all but admins;
/// [`Forbidden::EntityDisabled`]; or the store's failure.
pub async fn set_email_sender(
    cx: Context<'_>,
    email: Option<String>,
) -> Result<Entity, AccessError> {
    require(cx.scope, Permission::ManageEntity)?;
    let Some(email) = email else { return change(cx, |_| None).await };
    check_address(&email).map_err(|issue| issue.at("email"))?;
    let (is_verified, now) = (is_inside(cx, &email).await?, cx.now());
    change(cx, move |before| {
        let fresh = EmailSender { email, email_verified_at: None, last_checked_at: now };
        let same = before.filter(|before| before.email == fresh.email);
        Some(same.unwrap_or(fresh).checked(is_verified, now))
    })
    .await
}

/// Checks again whether a user of the entity reads the mail of the chosen address.
///
/// # Errors
/// Issue `required` at `email` when none is chosen; otherwise as [`set_email_sender`].
pub async fn recheck_email_sender(cx: Context<'_>, entity: &Entity) -> Result<Entity, AccessError> {
    require(cx.scope, Permission::ManageEntity)?;
    let Some(EmailSender { email, .. }) = &entity.email_sender else {
        let message = "there is no address to look at; PUT one to email-sender first";
        return Err(Issues::from(Issue::new("required", message).at("email")).into());
    };
    let (is_verified, email, now) = (is_inside(cx, email).await?, email.clone(), cx.now());
    change(cx, move |before| {
        // Another sender was chosen since; that request looked at it.
        before.map(|sender| match sender.email == email {
            true => sender.checked(is_verified, now),
            false => sender,
        })
    })
    .await
}

async fn change(
    cx: Context<'_>,
    decide: impl FnOnce(Option<EmailSender>) -> Option<EmailSender> + Send + 'static,
) -> Result<Entity, AccessError> {
    let (tenant, id) = (Tenant::account(cx.scope.account()), cx.scope.entity().to_string());
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let amend = move |before: Entity| {
        let email_sender = decide(before.email_sender.clone());
        if email_sender == before.email_sender {
            return Ok(Decision::Unchanged(before));
        }
        if !before.is_enabled {
            return Err(AccessError::from(Forbidden::EntityDisabled));
        }
        let after = Entity { email_sender, updated_at: stamp.now(), ..before };
        let actor = scope.principal().id();
        let happened = event(scope.tenant(), events::entity::UPDATED, &after.id, &actor, &stamp);
        Ok(Decision::changed(after, vec![happened]))
    };
    cx.store.amend(&ENTITIES, &tenant, id, amend).await
}
