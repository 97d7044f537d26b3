//! A shop's owner consents that orders are read: what is asked for, and what comes back.
//!
//! Nothing is stored in between. What comes back has a state that is sealed: it names entity, shop
//! and the integration that the consent makes, so one that is altered, late or another server's is
//! refused, and one that is used again finds the integration that it made.
//!
//! A shop has one integration, however often its owner consents: another one would take its orders
//! a second time. So a further consent opens the one that there is, and one that was deleted is
//! there again.

use racun_access::{ENTITIES, Entity, enter_as_recipient};
use racun_kernel::id::{EntityId, OrderIntegrationId};
use racun_kernel::{Issues, Patch, Stamp, Tenant, Vault};
use racun_orders::{
    Consent, Grant, INTEGRATIONS, Integration, IntegrationInput, Opening, OrderError,
    ShopPlatforms, SourceKind, shop_domain,
};
use racun_store::{
    Actor, Clause, Context, Decision, ListQuery, Many, One, Operator, Put, Store, StoreError, Walk,
    Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::error::ShopError;
use crate::integrations::seal;
use crate::orders::retry_job;
use crate::stores::Stores;
use crate::sync::access;

/// How long an owner may take to consent.
const MAX_TIME: Duration = Duration::minutes(30);
/// Whose what comes back is, to the vault.
const OWNER: &str = "order_consents";
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
/// shop has, and the shop has to post its orders to it below `base`. Where the shop does not do
/// that, the integration is there without [`Integration::webhooks_at`], and [`resume`] tries
/// again. One that the same consent made or opened before is answered as it is.
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
    let known = of_shop(cx, &state.domain).await?;
    if let Some(opened) = known.iter().find(|known| known.is_by(state.id)) {
        return Ok(opened.clone());
    }
    let grant = platforms.grant(environment, &state.domain, one("code")?).await?;
    let made = open(cx, vault, state, (grant, known)).await?;
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
    let same = of_shop(cx, domain).await?;
    let is_open = |one: &Integration| one.deleted_at.is_none() && one.access_token.is_some();
    Ok(same.into_iter().filter(is_open).max_by_key(|one| one.created_at))
}

/// The integrations with the shop `domain` on Shopify, deleted or not.
async fn of_shop(cx: Context<'_>, domain: &str) -> Result<Vec<Integration>, StoreError> {
    let shopify = SourceKind::Shopify.name();
    let mut found = Vec::new();
    for trash in [false, true] {
        let is_its = Clause::on(&INTEGRATIONS, "source", Operator::Equals(shopify.into()));
        let query =
            ListQuery { clauses: vec![is_its], trash, ..ListQuery::first_page(&INTEGRATIONS) };
        let mut walk = Walk::through(&INTEGRATIONS, cx.tenant(), query);
        while let Some(rows) = walk.next::<Integration>(cx.store).await? {
            found.extend(rows.into_iter().filter(|one| is_of_shop(one, domain)));
        }
    }
    Ok(found)
}

/// Whether `one` is of the shop `domain` on Shopify. Callers write hosts as they like.
fn is_of_shop(one: &Integration, domain: &str) -> bool {
    let own = one.shop_domain.as_deref().map(|own| shop_domain(one.source, own));
    one.source == SourceKind::Shopify && own.is_some_and(|own| own.as_deref() == Ok(domain))
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

/// Opens the shop's integration with what the consent `state` gives, or makes one where none of
/// the shop's is `known`: of several the newest that takes orders, else the newest that is not
/// deleted, else the newest.
async fn open(
    cx: Context<'_>,
    vault: &dyn Vault,
    state: State,
    (grant, known): (Grant, Vec<Integration>),
) -> Result<Integration, ShopError> {
    let sealed = |field: &'static str, secret: &str| seal(cx, Some(vault), field, secret);
    let opening = Opening {
        consent: Consent { id: state.id, at: cx.now() },
        shop_domain: state.domain,
        access_token: sealed("access_token", &grant.token)?,
        webhook_secret: sealed("webhook_secret", &grant.webhook_secret)?,
        scopes: grant.scopes,
    };
    let name = state.name;
    // Who adds one holds the entity, so that no other consent adds one after this look.
    let mut unit = cx.unit();
    let account = Tenant::account(cx.scope.account());
    let _entity: One<Entity> = unit.hold_of(account, &ENTITIES, cx.scope.entity());
    let stores = Stores::hold(&mut unit, cx.scope.entity());
    let known = known.iter().map(|one| (&INTEGRATIONS, one.id.to_string()));
    let known: Many<Integration> = unit.hold_each(known);
    let opened = unit.decide(move |held| {
        let (stores, actor) = (stores.read(held)?, held.actor());
        let (present, mut all) = (stores.live.len(), stores.live.clone());
        all.extend(held.all(known)?);
        let same = all.into_iter().filter(|one| is_of_shop(one, &opening.shop_domain));
        let best = same.max_by_key(|one: &Integration| {
            (one.deleted_at.is_none(), one.is_active, one.created_at)
        });
        let Some(before) = best else {
            let made = new(name, opening, present, actor)?;
            let (made, writes) = made.written(Put::insert);
            let counted = stores.count(held, &made)?;
            return Ok((made, writes.and(counted)));
        };
        // The same consent came twice at one moment.
        if before.is_by(opening.consent.id) {
            return Ok((before, Writes::default()));
        }
        let opened = before.clone().opened(opening, present, actor)?;
        let (after, writes) = opened.written(|after| Put::update(&before, after));
        let retry = retry_job(&after, actor);
        let counted = stores.count(held, &after)?;
        Ok::<_, OrderError>((after, writes.put(retry).and(counted)))
    });
    Ok(opened.await?)
}

/// The integration that a consent makes beside `present` others.
fn new(
    name: String,
    opening: Opening,
    present: usize,
    actor: &Actor,
) -> Result<Decision<Integration>, OrderError> {
    let input = IntegrationInput {
        name: Patch::Value(name),
        source: Patch::Value(SourceKind::Shopify),
        shop_domain: Patch::Value(opening.shop_domain),
        webhook_secret: Patch::Value(opening.webhook_secret),
        access_token: Patch::Value(opening.access_token),
        ..IntegrationInput::default()
    };
    let (made, _) = input.into_integration(present, actor)?;
    let (id, consent) = (opening.consent.id, Some(opening.consent));
    let made = Integration { id, scopes: opening.scopes, consent, ..made };
    let events = vec![actor.event(racun_orders::events::order_integration::CREATED, id)];
    Ok(Decision::changed(made, events))
}
