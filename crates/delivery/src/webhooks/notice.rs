//! The mail that tells an owner of a webhook that was disabled: one, in the commit that disables
//! it.

use racun_access::{ENTITIES, Entity, MEMBERSHIPS, Membership};
use racun_kernel::{Role, Stamp, Tenant};
use racun_mail::{MailKind, NewMail, OutgoingMail};
use racun_store::{ListQuery, Order, Put, Store, StoreError};
use racun_webhooks::{Endpoint, Owner};

use crate::outbox::enqueue;

/// Members of an entity that are looked at.
const MOST: usize = 1_000;

/// The address that notices about the endpoints of `owner` go to: that of the user who made the
/// entity while they are its admin, else of its first admin, else the entity's own. For an account
/// it is that of its first entity.
///
/// # Errors
/// When the store fails.
pub async fn address_of(store: &dyn Store, owner: Owner) -> Result<Option<String>, StoreError> {
    let tenant = Tenant::account(owner.account_id());
    let entity: Option<Entity> = match owner {
        Owner::Entity { entity_id, .. } => {
            store.get(&ENTITIES, &tenant, &entity_id.to_string()).await?
        }
        Owner::Account { .. } => {
            let order = vec![Order::on(&ENTITIES, "created_at", false)];
            let query = ListQuery { limit: 1, order, ..ListQuery::first_page(&ENTITIES) };
            store.page(&ENTITIES, &tenant, &query).await?.rows.pop()
        }
    };
    let Some(entity) = entity else { return Ok(None) };
    let query = ListQuery { limit: MOST, ..ListQuery::first_page(&MEMBERSHIPS) };
    let page = store.page::<Membership>(&MEMBERSHIPS, &Tenant::entity(entity.id), &query).await?;
    let admins = page.rows.into_iter().filter(|member| member.role == Role::Admin);
    let first = admins.min_by_key(|admin| (admin.invited_by_user_id.is_some(), admin.created_at));
    Ok(first.map(|admin| admin.email).or(entity.email))
}

/// The rows of the mail to `address` about `endpoint`, which was disabled.
pub(super) fn mail(endpoint: &Endpoint, address: &str, stamp: &Stamp) -> Vec<Put> {
    let (id, url) = (endpoint.id, &endpoint.url);
    let reason = endpoint.disabled_reason.as_deref().unwrap_or_default();
    let text = format!(
        "Your webhook {id} at {url} was disabled: {reason}.\n\nWhat happens from now on is kept \
         for it. When the receiver answers again, set the webhook's active to true and replay \
         what it missed with POST /webhooks/{id}/replay.\n"
    );
    let new = NewMail {
        account_id: Some(endpoint.owner.account_id()),
        entity_id: endpoint.owner.entity_id(),
        kind: MailKind::WebhookDisabled,
        about: vec![id.to_string()],
        sender_name: None,
        reply_to: None,
        to: vec![address.to_owned()],
        subject: "A webhook was disabled".to_owned(),
        text,
        html: None,
    };
    enqueue(&OutgoingMail::queued(new, stamp), stamp)
}
