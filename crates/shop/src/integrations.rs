//! Integrations.

use racun_access::{ENTITIES, Entity};
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_fiscal::{BusinessPremise, Device, FISCAL_DEVICES, FISCAL_PREMISES};
use racun_kernel::id::OrderIntegrationId;
use racun_kernel::{Issue, Issues, Patch, Tenant, Vault};
use racun_orders::{
    INTEGRATIONS, Integration, IntegrationInput, OrderError, SourceKind, check_secret,
};
use racun_store::{Actor, Context, Decision, ListQuery, One, Page, Put, RawQuery};
use racun_webhooks::new_secret;

use crate::error::ShopError;
use crate::orders::retry_job;
use crate::stores::Stores;

/// What callers say of an integration that is kept sealed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    /// What the shop's webhooks are signed with.
    pub webhook_secret: Patch<String>,
    /// What opens the shop's orders.
    pub access_token: Patch<String>,
}

/// Adds an integration, and answers the secret of its webhooks, where it is of a platform: the one
/// that was sent, or a new one. It is kept sealed, and not shown again.
///
/// # Errors
/// All that is wrong with the input; [`racun_orders::OrderRefusal::TooMany`];
/// [`ShopError::NoVault`] for an integration of a platform; the store's failure.
pub async fn create(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    mut input: IntegrationInput,
    secrets: Secrets,
) -> Result<(Integration, Option<String>), ShopError> {
    let is_of_platform = input.source.value().is_some_and(|source| *source != SourceKind::Manual);
    let secret = match secrets.webhook_secret {
        Patch::Value(secret) => Some(secret),
        Patch::Absent | Patch::Null => is_of_platform.then(|| new_secret(cx.stamp)),
    };
    if let Some(secret) = &secret {
        input.webhook_secret = Patch::Value(seal(cx, vault, WEBHOOK_SECRET, secret)?);
    }
    input.access_token = sealed(cx, vault, ACCESS_TOKEN, secrets.access_token)?;
    check_names(cx, &input).await?;
    // Adding one holds the entity, so that no other request adds one after the count.
    let mut unit = cx.unit();
    let account = Tenant::account(cx.scope.account());
    let _entity: One<Entity> = unit.hold_of(account, &ENTITIES, cx.scope.entity());
    let stores = Stores::hold(&mut unit, cx.scope.entity());
    unit.decide(move |held| {
        let stores = stores.read(held)?;
        let (made, events) = input.into_integration(stores.live.len(), held.actor())?;
        let writes = stores.count(held, &made)?.insert(&made).events(events);
        Ok(((made, secret), writes))
    })
    .await
    .map_err(|error: OrderError| error.into())
}

const WEBHOOK_SECRET: &str = "webhook_secret";
const ACCESS_TOKEN: &str = "access_token";

/// What is sent of a secret, sealed.
fn sealed(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    field: &'static str,
    secret: Patch<String>,
) -> Result<Patch<String>, ShopError> {
    Ok(match secret {
        Patch::Value(secret) => Patch::Value(seal(cx, vault, field, &secret)?),
        Patch::Null => Patch::Null,
        Patch::Absent => Patch::Absent,
    })
}

pub(crate) fn seal(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    field: &'static str,
    secret: &str,
) -> Result<String, ShopError> {
    check_secret(secret).map_err(|issue| Issues::from(issue.at(field)))?;
    let vault = vault.ok_or(ShopError::NoVault)?;
    Ok(vault.seal(&Integration::secret_owner(cx.scope.entity()), secret.as_bytes(), cx.stamp))
}

/// The integration `id`, deleted or not.
///
/// # Errors
/// [`OrderError::NotFound`], and when the store fails.
pub async fn get(cx: Context<'_>, id: OrderIntegrationId) -> Result<Integration, OrderError> {
    Ok(cx.one(&INTEGRATIONS, id).await?)
}

/// The page of integrations that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, and when the store fails.
pub async fn list(cx: Context<'_>, raw: &RawQuery) -> Result<Page<Integration>, OrderError> {
    let query = ListQuery::parse(&INTEGRATIONS, raw)?;
    Ok(cx.page(&INTEGRATIONS, &query).await?)
}

/// Changes an integration.
///
/// # Errors
/// [`OrderError::NotFound`]; all that is wrong with the input; [`ShopError::NoVault`] for a secret;
/// the store's failure.
pub async fn update(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    id: OrderIntegrationId,
    mut input: IntegrationInput,
    secrets: Secrets,
) -> Result<Integration, ShopError> {
    input.webhook_secret = sealed(cx, vault, WEBHOOK_SECRET, secrets.webhook_secret)?;
    input.access_token = sealed(cx, vault, ACCESS_TOKEN, secrets.access_token)?;
    check_names(cx, &input).await?;
    let mut unit = cx.unit();
    let stores = Stores::hold(&mut unit, cx.scope.entity());
    let integration = unit.hold(&INTEGRATIONS, id);
    let changed = unit.decide(move |held| {
        let (before, actor): (Integration, _) = (held.one(integration)?, held.actor());
        let changed = before.clone().update(input, actor)?;
        let is_same = matches!(changed, Decision::Unchanged(_));
        let (after, writes) = changed.written(|after| Put::update(&before, after));
        // What failed by its rules may be right by the new ones.
        let retry = (!is_same).then(|| retry_job(&after, actor));
        let writes = writes.puts(retry).and(stores.read(held)?.count(held, &after)?);
        Ok::<_, OrderError>((after, writes))
    });
    Ok(changed.await?)
}

/// Deletes an integration. Its orders stay.
///
/// # Errors
/// [`OrderError::NotFound`], and when the store fails.
pub async fn delete(cx: Context<'_>, id: OrderIntegrationId) -> Result<(), OrderError> {
    amend(cx, id, Integration::delete).await?;
    Ok(())
}

/// Changes the integration `id` as `decide` says, and counts the entity's stores.
///
/// # Errors
/// [`OrderError::NotFound`], what `decide` refuses, and when the store fails.
pub(crate) async fn amend(
    cx: Context<'_>,
    id: OrderIntegrationId,
    decide: impl FnOnce(Integration, &Actor) -> Result<Decision<Integration>, OrderError>
    + Send
    + 'static,
) -> Result<Integration, OrderError> {
    let mut unit = cx.unit();
    let stores = Stores::hold(&mut unit, cx.scope.entity());
    let row = unit.hold(&INTEGRATIONS, id);
    unit.decide(move |held| {
        let (after, writes) = held.amend(row, |before| decide(before, held.actor()))?;
        let counted = stores.read(held)?.count(held, &after)?;
        Ok((after, writes.and(counted)))
    })
    .await
}

/// Whether the unit, the premise and the device that `input` names are there.
async fn check_names(cx: Context<'_>, input: &IntegrationInput) -> Result<(), OrderError> {
    let mut issues = Issues::default();
    if let Some(id) = input.business_unit_id.value() {
        let unit: Option<BusinessUnit> = cx.get(&BUSINESS_UNITS, id).await?;
        if unit.is_none_or(|unit| unit.deleted_at.is_some()) {
            issues.push(unknown("business_unit_id", "business unit"));
        }
    }
    if let Some(id) = input.business_premise_id.value() {
        let premise: Option<BusinessPremise> = cx.get(&FISCAL_PREMISES, id).await?;
        if premise.is_none() {
            issues.push(unknown("business_premise_id", "business premise"));
        }
    }
    if let Some(id) = input.electronic_device_id.value() {
        let device: Option<Device> = cx.get(&FISCAL_DEVICES, id).await?;
        if device.is_none() {
            issues.push(unknown("electronic_device_id", "electronic device"));
        }
    }
    Ok(issues.into_result(())?)
}

fn unknown(field: &str, what: &str) -> Issue {
    Issue::new("not_found", format!("there is no such {what} in this entity")).at(field)
}
