//! Webhooks of platforms: whose they are, whether they are signed, and what becomes of them.

use racun_access::enter_as_recipient;
use racun_kernel::id::OrderIntegrationId;
use racun_kernel::{Stamp, Vault};
use racun_orders::platform::{self, Headers, Hook, Incoming};
use racun_orders::{
    INTEGRATIONS, Integration, ORDERS, Order, OrderError, OrderRefusal, SourceKind, Told,
    source_key,
};
use racun_store::{Actor, Context, Decision, Store, StoreError, Writes};

use crate::error::ShopError;
use crate::integrations;
use crate::orders::{inserted, replaced};

/// How often a webhook is taken in again when another one of the same order comes between.
const ATTEMPTS: usize = 5;

/// A webhook as it came.
#[derive(Debug, Clone)]
pub struct Signed {
    /// The platform whose path it came to.
    pub source: SourceKind,
    /// What it is about, as its header says.
    pub topic: Option<String>,
    /// The platform's id of the event.
    pub event_id: Option<String>,
    /// When the event happened, where the platform says so.
    pub triggered_at: Option<String>,
    /// Its signature.
    pub signature: Option<String>,
    /// The raw body, which is what is signed.
    pub body: Vec<u8>,
}

/// What became of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The order that it is about, as it is now.
    Order(Box<Order>),
    /// It is about no order that is here: a trial of the platform, or what it tells of others.
    Nothing,
}

/// Takes in a webhook of the integration `id`. One that comes again, or late, changes nothing.
///
/// # Errors
/// [`OrderError::NotFound`] when there is no such integration; [`ShopError::Unsigned`];
/// [`OrderRefusal::Inactive`]; what cannot be understood, by path; the store's failure.
pub async fn receive(
    store: &dyn Store,
    vault: Option<&dyn Vault>,
    stamp: &Stamp,
    id: OrderIntegrationId,
    signed: Signed,
) -> Result<Received, ShopError> {
    let missing = || OrderError::NotFound { id: id.to_string() };
    let found: Vec<Integration> = store.look_up(&INTEGRATIONS, "hook", &id.to_string()).await?;
    let integration = found.into_iter().next().ok_or_else(missing)?;
    if integration.source != signed.source {
        return Err(missing().into());
    }
    if platform::is_trial(signed.source, &signed.body) {
        return Ok(Received::Nothing);
    }
    check(vault, &integration, &signed)?;
    let headers = Headers {
        topic: signed.topic.as_deref(),
        event_id: signed.event_id.as_deref(),
        triggered_at: signed.triggered_at.as_deref(),
    };
    let told = headers.told();
    let hook = platform::read(signed.source, headers, &signed.body)?;
    if matches!(hook, Hook::Ping | Hook::Other) {
        return Ok(Received::Nothing);
    }
    if !integration.is_active && hook != Hook::Uninstalled {
        return Err(OrderRefusal::Inactive.into());
    }
    let place = enter_as_recipient(store, integration.entity_id).await?;
    let (scope, _) = place.ok_or_else(missing)?;
    let cx = Context::new(store, &scope, stamp);
    match hook {
        Hook::Ping | Hook::Other => Ok(Received::Nothing),
        Hook::Uninstalled => {
            let ended = move |before: Integration, actor: &Actor| {
                Ok::<_, OrderError>(before.uninstalled(&told, actor))
            };
            integrations::amend(cx, integration.id, ended).await?;
            Ok(Received::Nothing)
        }
        Hook::Gone { source_id } => gone(cx, &integration, &source_id, told).await,
        Hook::Order(incoming) => taken(cx, &integration, *incoming).await,
        Hook::Restored(incoming) => take_in(cx, &integration, *incoming, Order::brought_back).await,
    }
}

/// Whether the webhook is signed with the integration's secret.
fn check(
    vault: Option<&dyn Vault>,
    integration: &Integration,
    signed: &Signed,
) -> Result<(), ShopError> {
    let sealed = integration.webhook_secret.as_deref().ok_or(ShopError::Unsigned)?;
    let vault = vault.ok_or(ShopError::NoVault)?;
    let owner = Integration::secret_owner(integration.entity_id);
    let secret = vault.open(&owner, sealed).map_err(|_| ShopError::NoVault)?;
    let secret = String::from_utf8(secret).map_err(|_| ShopError::Unsigned)?;
    let signature = signed.signature.as_deref().unwrap_or_default();
    match platform::is_signed(&secret, signature, &signed.body) {
        true => Ok(()),
        false => Err(ShopError::Unsigned),
    }
}

/// The order of `integration` that its source calls `source_id`.
async fn find(
    cx: Context<'_>,
    integration: &Integration,
    source_id: &str,
) -> Result<Option<Order>, StoreError> {
    let key = source_key(integration.id, integration.source, source_id);
    let found: Vec<Order> = cx.store.look_up(&ORDERS, "source_key", &key).await?;
    // The key holds the integration's id, which is of one entity alone.
    Ok(found.into_iter().next())
}

async fn gone(
    cx: Context<'_>,
    integration: &Integration,
    source_id: &str,
    told: Told,
) -> Result<Received, ShopError> {
    let Some(seen) = find(cx, integration, source_id).await? else {
        return Ok(Received::Nothing);
    };
    let remove =
        move |before: Order, actor: &Actor| Ok::<_, OrderError>(before.removed(&told, actor));
    Ok(Received::Order(Box::new(cx.amend(&ORDERS, seen.id, remove).await?)))
}

/// Takes in an order as its platform has it: what is not later than what is kept changes nothing.
pub(crate) async fn taken(
    cx: Context<'_>,
    integration: &Integration,
    incoming: Incoming,
) -> Result<Received, ShopError> {
    take_in(cx, integration, incoming, Order::receive).await
}

/// What becomes of an order when its platform sends it.
type Change = fn(Order, Incoming, &Integration, &Actor) -> Decision<Order>;

async fn take_in(
    cx: Context<'_>,
    integration: &Integration,
    incoming: Incoming,
    change: Change,
) -> Result<Received, ShopError> {
    let mut attempt = 1;
    loop {
        let seen = find(cx, integration, &incoming.source_id).await?;
        let done = take(cx, integration, incoming.clone(), (seen, change)).await;
        match done {
            // Another webhook of the same order came first.
            Err(OrderError::Store(StoreError::Duplicate { .. }) | OrderError::NotFound { .. })
                if attempt < ATTEMPTS =>
            {
                attempt += 1;
            }
            done => return Ok(Received::Order(Box::new(done?))),
        }
    }
}

async fn take(
    cx: Context<'_>,
    integration: &Integration,
    incoming: Incoming,
    (seen, change): (Option<Order>, Change),
) -> Result<Order, OrderError> {
    let mut unit = cx.unit();
    let rules = unit.hold(&INTEGRATIONS, integration.id);
    let order = seen.map(|seen| unit.hold(&ORDERS, seen.id));
    unit.decide(move |held| {
        let (rules, actor): (Integration, _) = (held.one(rules)?, held.actor());
        let Some(order) = order else {
            return Ok(inserted(Order::received(incoming, &rules, actor), actor));
        };
        let before: Order = held.one(order)?;
        let after = change(before.clone(), incoming, &rules, actor);
        Ok::<(Order, Writes), OrderError>(replaced(&before, after, actor))
    })
    .await
}
