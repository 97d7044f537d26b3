//! Entities: the legal entities that issue documents, each a tenant of its own.

use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{
    Currency, Decimal, Environment, Issues, Metadata, Patch, PostalAddress, Role, Scope, Stamp,
    Tenant, iban, vat_number,
};
use racun_store::{Actor, Context, Decision, Event, Field, Put, Store, Writes};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use time::OffsetDateTime;

use crate::account::event;
use crate::country::CountryRules;
use crate::events;
use crate::permission::require;
use crate::{
    AccessError, AccountScope, Caller, EmailSender, EntityPatch, Forbidden, Key, Membership,
    NewEntity, Permission, Settings,
};

/// A legal entity that issues documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Its id.
    pub id: EntityId,
    /// The account that owns it.
    pub account_id: AccountId,
    /// Whether its documents are real. Never changes.
    pub environment: Environment,
    /// Its registered name.
    pub name: String,
    /// Street and house number.
    pub address: Option<String>,
    /// More of the address.
    pub address_2: Option<String>,
    /// Postal code.
    pub post_code: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State, province or district.
    pub state: Option<String>,
    /// The country as its creator wrote it. Never changes.
    pub country: String,
    /// The country's ISO 3166-1 code in capitals. Never changes.
    pub country_code: Option<String>,
    /// The currency of documents that name none.
    pub currency: Currency,
    /// The locale of documents that name none.
    pub locale: String,
    /// Where its days begin and end: an IANA time zone.
    pub timezone: String,
    /// Tax number; in Europe without the country's prefix or with it, as it is to be printed.
    pub tax_number: Option<String>,
    /// A second tax number, where the country has two (Canada: GST and QST).
    pub tax_number_2: Option<String>,
    /// Registration number.
    pub company_number: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Web address.
    pub website: Option<String>,
    /// Region with tax rules of its own, such as `PT-20`.
    pub fiscal_region_code: Option<String>,
    /// Starting capital in the currency; Portuguese law wants it printed.
    pub starting_capital: Option<Decimal>,
    /// Whether it charges value added tax.
    pub is_tax_subject: bool,
    /// Whether it can be written to.
    pub is_enabled: bool,
    /// Whether it has a subscription, which says what it may use and how much. Never changes.
    #[serde(default)]
    pub is_subscribed: bool,
    /// Hundredths of its currency that it wants to spend here in a month at most; none when it said
    /// nothing. Kept for billing.
    #[serde(default)]
    pub spending_limit_cents: Option<i64>,
    /// The address that its mails are to come from, when it chose one.
    #[serde(default)]
    pub email_sender: Option<EmailSender>,
    /// Its settings.
    pub settings: Settings,
    /// What callers attach.
    pub metadata: Metadata,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where entities are kept: with the account that owns them.
    pub static ENTITIES: Entity = "entities";
    |entity|
    id: entity.id,
    tenant: Tenant::account(entity.account_id),
    fields: {
        Field::id() => entity.id,
        Field::instant("created_at") => entity.created_at,
        Field::instant("updated_at") => entity.updated_at,
        Field::text("name").searched() => entity.name,
        Field::text("environment") => entity.environment.name(),
        Field::text("country_code") => entity.country_code,
        Field::text("tax_number").searched() => entity.tax_number,
        Field::bool("is_enabled") => entity.is_enabled,
        Field::text("own_id").indexed().hidden() => entity.id,
    }
}

impl Entity {
    /// Where it is registered.
    #[must_use]
    pub fn postal_address(&self) -> PostalAddress {
        PostalAddress {
            address: self.address.clone(),
            address_2: self.address_2.clone(),
            post_code: self.post_code.clone(),
            city: self.city.clone(),
            state: self.state.clone(),
            country: Some(self.country.clone()),
            country_code: self.country_code.clone(),
        }
    }

    /// Which rules and formats its documents follow, by its country.
    #[must_use]
    pub fn country_rules(&self) -> CountryRules {
        CountryRules::of(self.country_code.as_deref())
    }

    /// What is odd about it: a tax number or an IBAN that cannot be.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        let country = self.country_code.as_deref();
        if let Some(issue) = vat_number::warning(country, self.tax_number.as_deref()) {
            found.push(issue.at("tax_number"));
        }
        found.extend_at("settings", iban::warnings(self.settings.as_map()));
        found
    }
}

/// A new entity, and the rows and events that make it: the entity, and its creator as its admin
/// when that is a user. For a caller who writes more in the same commit; `subscribes` says that a
/// subscription of it is among that.
///
/// # Errors
/// [`AccessError::Invalid`] for wrong input, which is checked in whole.
pub fn entity_writes(
    caller: &Caller,
    scope: &AccountScope,
    input: NewEntity,
    subscribes: impl FnOnce(&Entity) -> bool,
    stamp: &Stamp,
) -> Result<(Entity, Vec<Put>, Vec<Event>), AccessError> {
    let mut entity = input.into_entity(scope, stamp)?;
    entity.is_subscribed = subscribes(&entity);
    let mut puts = vec![Put::insert(&entity)];
    if let Caller::User { user, .. } = caller {
        puts.push(Put::insert(&Membership::new(&entity, user, Role::Admin, None, stamp)));
    }
    let actor = caller.principal().id();
    let events =
        vec![event(Tenant::entity(entity.id), events::entity::CREATED, &entity.id, &actor, stamp)];
    Ok((entity, puts, events))
}

/// Makes an entity in the account; a user who makes it becomes its admin, in the same commit.
///
/// # Errors
/// [`AccessError::Invalid`] for wrong input, or the store's failure.
pub async fn create_entity(
    store: &dyn Store,
    caller: &Caller,
    scope: &AccountScope,
    input: NewEntity,
    stamp: &Stamp,
) -> Result<Entity, AccessError> {
    let (entity, puts, events) = entity_writes(caller, scope, input, |_| false, stamp)?;
    store.insert(puts, events).await?;
    Ok(entity)
}

/// What a partial update makes of `before`: the whole decision, for a caller who checks more of the
/// result in the same commit.
///
/// # Errors
/// [`AccessError::Invalid`] for wrong input; [`Forbidden::InsufficientRole`] to all but admins;
/// [`Forbidden::EntityDisabled`] when the entity is disabled and stays so.
pub fn change_entity(
    before: Entity,
    scope: &Scope,
    patch: EntityPatch,
    stamp: &Stamp,
) -> Result<Decision<Entity>, AccessError> {
    require(scope, Permission::ManageEntity)?;
    let mut after = patch.apply(before.clone(), stamp)?;
    if after == before {
        return Ok(Decision::Unchanged(before));
    }
    if !before.is_enabled && !after.is_enabled {
        return Err(Forbidden::EntityDisabled.into());
    }
    after.updated_at = stamp.now();
    let actor = scope.principal().id();
    let happened = event(scope.tenant(), events::entity::UPDATED, &after.id, &actor, stamp);
    Ok(Decision::changed(after, vec![happened]))
}

/// What a file that is there, or not any more, makes of `before`: its settings say `has_logo` or
/// `has_signature`. Nothing is written when it says so already.
///
/// # Errors
/// When the settings have become too large to hold it.
pub fn note_file(
    before: &Entity,
    setting: Key<bool>,
    is_there: bool,
    actor: &Actor,
) -> Result<Writes, Issues> {
    let change = Map::from_iter([(setting.name().to_owned(), Json::Bool(is_there))]);
    let settings = before.settings.merged(change, actor.stamp())?;
    if settings == before.settings {
        return Ok(Writes::default());
    }
    let after = Entity { settings, updated_at: actor.now(), ..before.clone() };
    let happened = actor.event(events::entity::UPDATED, after.id);
    Ok(Writes::default().update(before, &after).events([happened]))
}

/// What another endpoint than the entity's own makes of `before`: the settings under `setting`,
/// which that endpoint keeps, are `value`. Nothing is written when they are so already.
#[must_use]
pub fn note_settings(before: &Entity, setting: Key<bool>, value: Json, actor: &Actor) -> Writes {
    let settings = before.settings.with(setting.top(), value);
    if settings == before.settings {
        return Writes::default();
    }
    let after = Entity { settings, updated_at: actor.now(), ..before.clone() };
    let happened = actor.event(events::entity::UPDATED, after.id);
    Writes::default().update(before, &after).events([happened])
}

/// Changes an entity: [`change_entity`] and nothing else.
///
/// # Errors
/// As [`change_entity`], or the store's failure.
pub async fn update_entity(cx: Context<'_>, patch: EntityPatch) -> Result<Entity, AccessError> {
    require(cx.scope, Permission::ManageEntity)?;
    let (tenant, id) = (Tenant::account(cx.scope.account()), cx.scope.entity().to_string());
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let change = move |before| change_entity(before, &scope, patch, &stamp);
    cx.store.amend(&ENTITIES, &tenant, id, change).await
}

/// Changes what the settings say under `key`, which has an endpoint of its own: `change` is shown
/// what is stored there.
///
/// # Errors [`Forbidden::InsufficientRole`] to all but admins, what `change` refuses, or the
/// store's failure.
pub async fn change_own_setting<F>(
    cx: Context<'_>,
    key: &'static str,
    change: F,
) -> Result<Entity, AccessError>
where
    F: Fn(Option<&Json>) -> Result<Json, Issues> + Send + Sync + 'static,
{
    require(cx.scope, Permission::ManageEntity)?;
    let (tenant, id) = (Tenant::account(cx.scope.account()), cx.scope.entity().to_string());
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let amend = move |before: Entity| {
        let value = change(before.settings.as_map().get(key))?;
        let settings = before.settings.with_own(key, value);
        if settings == before.settings {
            return Ok::<_, AccessError>(Decision::Unchanged(before));
        }
        let after = Entity { settings, updated_at: stamp.now(), ..before };
        let actor = scope.principal().id();
        let happened = event(scope.tenant(), events::entity::UPDATED, &after.id, &actor, &stamp);
        Ok(Decision::changed(after, vec![happened]))
    };
    cx.store.amend(&ENTITIES, &tenant, id, amend).await
}

/// Closes an entity to writes. It can be read, and enabled again by an update; disabling it twice
/// is not an error.
///
/// # Errors
/// [`Forbidden::InsufficientRole`] to all but admins, or the store's failure.
pub async fn disable_entity(cx: Context<'_>) -> Result<Entity, AccessError> {
    let patch = EntityPatch { is_enabled: Patch::Value(false), ..EntityPatch::default() };
    update_entity(cx, patch).await
}
