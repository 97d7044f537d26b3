//! Who calls the authority for an entity.

use racun_access::Entity;
use racun_kernel::Vault;
use racun_portugal::restrictions::check_country;
use racun_portugal::{
    PT_SETTINGS, Portugal, PortugalError, PortugalRefusal, PtSettings, SettingsInput, SubUser,
};
use racun_store::{Context, Put, StoreError};

use super::prepare::nif;

/// The settings of `entity`; those of who told nothing when there are none.
///
/// # Errors
/// When the store fails.
pub async fn get(cx: Context<'_>, entity: &Entity) -> Result<PtSettings, StoreError> {
    let found = cx.get(&PT_SETTINGS, entity.id).await?;
    Ok(found.unwrap_or_else(|| PtSettings::new(entity.id, cx.now())))
}

/// Takes over what `input` says.
///
/// # Errors
/// All that is wrong with the input, by field; [`PortugalRefusal::OtherCountry`]; the store's
/// failure.
pub async fn update(
    cx: Context<'_>,
    entity: &Entity,
    portugal: &dyn Portugal,
    vault: std::sync::Arc<dyn Vault>,
    input: SettingsInput,
) -> Result<PtSettings, PortugalError> {
    check_country(entity.country_code.as_deref())?;
    let nif = nif(entity).to_owned();
    let is_ours = portugal.test_user(cx.scope.environment(), &nif).is_some();
    let (id, mut unit) = (entity.id, cx.unit());
    let settings = unit.hold(&PT_SETTINGS, id);
    unit.decide(move |held| {
        let (before, actor): (Option<PtSettings>, _) = (held.find(settings)?, held.actor());
        let own = before.clone().unwrap_or_else(|| PtSettings::new(id, actor.now()));
        let decision = own.update(input, &nif, is_ours, &*vault, actor)?;
        Ok(decision.written(|after| Put::write(before.as_ref(), after)))
    })
    .await
}

/// Who calls the authority for `entity`.
///
/// # Errors
/// [`PortugalRefusal::SubUserMissing`]; the store's failure.
pub(super) async fn sub_user(
    cx: Context<'_>,
    entity: &Entity,
    portugal: &dyn Portugal,
    vault: Option<&dyn Vault>,
) -> Result<SubUser, PortugalError> {
    let settings = get(cx, entity).await?;
    let own = vault.and_then(|vault| settings.sub_user(vault).ok().flatten());
    let test = || portugal.test_user(cx.scope.environment(), nif(entity));
    own.or_else(test).ok_or_else(|| PortugalRefusal::SubUserMissing.into())
}
