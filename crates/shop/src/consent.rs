//! A shop's owner consents that orders are read: what is asked for, and what comes back.
//!
//! Nothing is stored in between. What comes back has a state that is sealed: it names entity, shop
//! and the integration that the consent makes, so one that is altered, late or another server's is
//! refused, and one that is used again finds the integration that it made.

use racun_access::{ENTITIES, Entity, enter_as_recipient};
use racun_kernel::id::{EntityId, OrderIntegrationId};
use racun_kernel::{Issues, Patch, Stamp, Tenant, Vault};
use racun_orders::{
    Grant, INTEGRATIONS, Integration, IntegrationInput, OrderError, ShopPlatforms, SourceKind,
    shop_domain,
};
use racun_store::{
    Actor, Clause, Context, Decision, ListQuery, Many, One, Operator, Store, StoreError, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::error::ShopError;
use crate::integrations::seal;
use crate::sync::access;

/// How long an owner may take to consent.
const MAX_TIME: Duration = Duration::minutes(30);
/// Whose what comes back is, to the vault.
const OWNER: &str = "order_consents";
/// Integrations with one shop that are looked at.
const MAX_SAME: usize = 100;
/// The path that platforms lead back to.
pub const BACK: &str = "/order-integrations/shopify/callback";

/// What goes to the platform and comes back.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    entity: EntityId,
    /// The integration that the consent makes.
    id: OrderIntegrationId,
    domain: String,
    name: String,
    #[serde(with = "time::serde::rfc3339")]
    until: OffsetDateTime,
}

/// The page on which the owner of the shop `domain` consents, and of the integration that it makes
/// the name.
///
/// # Errors
/// What is wrong with name and shop; [`ShopError::NoVault`]; [`ShopError::Platform`] where the
/// server is no app of the platform.
pub fn authorize(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    platforms: &dyn ShopPlatforms,
    base: &str,
    (name, domain): (String, &str),
) -> Result<String, ShopError> {
    let mut issues = Issues::default();
    let read = shop_domain(SourceKind::Shopify, domain).map_err(Issues::from);
    let domain = issues.collect("shop_domain", read).unwrap_or_default();
    issues.note(IntegrationInput::check_name(&name));
    issues.into_result(())?;
    let vault = vault.ok_or(ShopError::NoVault)?;
    let state = State {
        entity: cx.scope.entity(),
        id: cx.stamp.id(),
        domain,
        name,
        until: cx.now() + MAX_TIME,
    };
    let text = serde_json::to_vec(&state).map_err(|_| ShopError::NoVault)?;
    let sealed = vault.seal(OWNER, &text, cx.stamp);
    let back = format!("{base}{BACK}");
    let environment = cx.scope.environment();
    Ok(platforms.consent_page(environment, &state.domain, &sealed, &back)?)
}

/// Takes what a platform led back with, `query`: the integration is made, or is the one that the
/// same consent made before, and the shop has to post its orders to it below `base`. Where the
/// shop does not do that, the integration is there without [`Integration::webhooks_at`], and
/// [`resume`] tries again.
///
/// # Errors
/// [`ShopError::BadConsent`] for what is altered, late, or not signed by the platform; what the
/// platform says to the code; [`racun_orders::OrderRefusal::TooMany`]; the store's failure.
pub async fn consented(
    store: &dyn Store,
    vault: Option<&dyn Vault>,
    platforms: &dyn ShopPlatforms,
    stamp: &Stamp,
    (base, query): (&str, &[(String, String)]),
) -> Result<Integration, ShopError> {
    let vault = vault.ok_or(ShopError::NoVault)?;
    let one = |wanted: &str| {
        let mut all = query.iter().filter(|(name, _)| name == wanted).map(|(_, value)| value);
        all.next().filter(|_| all.next().is_none()).ok_or(ShopError::BadConsent)
    };
    let text = vault.open(OWNER, one("state")?).map_err(|_| ShopError::BadConsent)?;
    let state: State = serde_json::from_slice(&text).map_err(|_| ShopError::BadConsent)?;
    if state.until < stamp.now() || *one("shop")? != state.domain {
        return Err(ShopError::BadConsent);
    }
    let place = enter_as_recipient(store, state.entity).await?;
    let (scope, entity) = place.ok_or(ShopError::BadConsent)?;
    let environment = entity.environment;
    if !platforms.is_genuine(environment, query) {
        return Err(ShopError::BadConsent);
    }
    let cx = Context::new(store, &scope, stamp);
    if let Some(made) = cx.get::<Integration>(&INTEGRATIONS, state.id).await? {
        return Ok(made);
    }
    let grant = platforms.grant(environment, &state.domain, one("code")?).await?;
    let made = make(cx, vault, state, grant).await?;
    match subscribe(cx, vault, platforms, base, &made).await {
        Err(ShopError::Platform(_)) => Ok(made),
        subscribed => subscribed,
    }
}

/// What goes on with an installation that was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resumed {
    /// The owner has to consent first, on this page.
    Consent(String),
    /// It is done: the shop posts its orders to this integration.
    Installed(Box<Integration>),
}

/// Goes on with the installation of the shop `domain`: tells it to post its orders to the
/// integration that its owner's consent made, or answers the page of consent where there is none.
///
/// # Errors
/// What is wrong with the shop's name; [`ShopError::NoVault`];
/// [`racun_orders::OrderRefusal::Inactive`]; what the platform says; the store's failure.
pub async fn resume(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    platforms: &dyn ShopPlatforms,
    base: &str,
    domain: &str,
) -> Result<Resumed, ShopError> {
    let domain = shop_domain(SourceKind::Shopify, domain);
    let domain = domain.map_err(|issue| Issues::from(issue.at("shop")))?;
    match authorized(cx, &domain).await? {
        Some(known) => {
            let vault = vault.ok_or(ShopError::NoVault)?;
            let installed = subscribe(cx, vault, platforms, base, &known).await?;
            Ok(Resumed::Installed(Box::new(installed)))
        }
        None => {
            let page = authorize(cx, vault, platforms, base, (domain.clone(), &domain))?;
            Ok(Resumed::Consent(page))
        }
    }
}

/// The newest integration with the shop `domain` on Shopify that something opens.
async fn authorized(cx: Context<'_>, domain: &str) -> Result<Option<Integration>, StoreError> {
    let is = |field, value: &str| Clause::on(&INTEGRATIONS, field, Operator::Equals(value.into()));
    let query = ListQuery {
        limit: MAX_SAME,
        count: false,
        clauses: vec![is("shop_domain", domain), is("source", SourceKind::Shopify.name())],
        ..ListQuery::first_page(&INTEGRATIONS)
    };
    let same: Vec<Integration> = cx.page(&INTEGRATIONS, &query).await?.rows;
    let is_open = |one: &Integration| one.deleted_at.is_none() && one.access_token.is_some();
    Ok(same.into_iter().filter(is_open).max_by_key(|one| one.created_at))
}

/// Has the shop of `integration` post its orders to it, and notes that.
async fn subscribe(
    cx: Context<'_>,
    vault: &dyn Vault,
    platforms: &dyn ShopPlatforms,
    base: &str,
    integration: &Integration,
) -> Result<Integration, ShopError> {
    let shop = access(Some(vault), integration)?;
    let address = format!("{base}/order-integrations/{}/webhooks/shopify", integration.id);
    platforms.subscribe(cx.scope.environment(), &shop, &address).await?;
    let now = cx.now();
    let note = move |before: Integration, _: &Actor| {
        Ok::<_, OrderError>(Decision::changed(before.subscribed(now), Vec::new()))
    };
    Ok(cx.amend(&INTEGRATIONS, integration.id, note).await?)
}

async fn make(
    cx: Context<'_>,
    vault: &dyn Vault,
    state: State,
    grant: Grant,
) -> Result<Integration, ShopError> {
    let sealed = |field: &'static str, secret: &str| seal(cx, Some(vault), field, secret);
    let input = IntegrationInput {
        name: Patch::Value(state.name),
        source: Patch::Value(SourceKind::Shopify),
        shop_domain: Patch::Value(state.domain),
        webhook_secret: Patch::Value(sealed("webhook_secret", &grant.webhook_secret)?),
        access_token: Patch::Value(sealed("access_token", &grant.token)?),
        ..IntegrationInput::default()
    };
    let (id, scopes) = (state.id, grant.scopes);
    let mut unit = cx.unit();
    let account = Tenant::account(cx.scope.account());
    let _entity: One<Entity> = unit.hold_of(account, &ENTITIES, cx.scope.entity());
    let live: Many<Integration> = unit.hold_where(&INTEGRATIONS, "live_of", cx.scope.entity());
    let made = unit.decide(move |held| {
        let actor = held.actor();
        let (made, _) = input.into_integration(held.count(&live), actor)?;
        let made = Integration { id, scopes, ..made };
        let events = [actor.event(racun_orders::events::order_integration::CREATED, id)];
        let writes = Writes::default().insert(&made).events(events);
        Ok::<_, OrderError>((made, writes))
    });
    match made.await {
        // The same consent came twice at one moment.
        Err(OrderError::Store(StoreError::Duplicate { .. })) => {
            Ok(cx.one(&INTEGRATIONS, id).await?)
        }
        made => Ok(made?),
    }
}
