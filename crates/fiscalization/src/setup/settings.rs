//! The settings themselves, and the certificate.

use racun_access::Entity;
use racun_fiscal::{
    Actor, Authority, Certificate, FISCAL_SETTINGS, FiscalError, FiscalSettings, OpenedCertificate,
    Places, SettingsInput,
};
use racun_kernel::{Issues, Tenant, Vault};
use racun_store::{Context, Decision, Put, Read, Store, StoreError};

use crate::reporting::of_country;

use super::check_country;
pub use super::state::settings as get;
use super::state::{any_open_is_numbered, list};

/// The settings that `entities` have stored, each for its own country's authority.
///
/// # Errors
/// When the store fails.
pub async fn of_entities(
    store: &dyn Store,
    entities: &[Entity],
) -> Result<Vec<FiscalSettings>, StoreError> {
    let read = |entity: &Entity| {
        let authority = of_country(entity.country_code.as_deref())?;
        let ids = vec![authority.name().to_owned()];
        Some(Read::Find(&FISCAL_SETTINGS, Tenant::entity(entity.id), ids))
    };
    let reads: Vec<Read> = entities.iter().filter_map(read).collect();
    let mut found = Vec::new();
    for answer in store.read_all(&reads).await {
        for row in answer?.0 {
            found.push(row.read(&FISCAL_SETTINGS)?);
        }
    }
    Ok(found)
}

/// What is odd about `settings`, and what a sale of the entity would miss, when they say that
/// it is fiscalized.
///
/// # Errors
/// When the store fails.
pub async fn missing(
    cx: Context<'_>,
    entity: &Entity,
    settings: &FiscalSettings,
) -> Result<Issues, StoreError> {
    let mut found = settings.warnings();
    if !settings.enabled {
        return Ok(found);
    }
    let premises = list(cx, settings.authority).await?;
    let open = || premises.iter().filter(|premise| premise.premise.is_active);
    let places = Places {
        has_premise: open().next().is_some(),
        has_device: open().any(|premise| premise.devices.iter().any(|one| one.device.is_active)),
    };
    found.note(Err::<(), _>(settings.missing(places, entity.tax_number.as_deref(), cx.now())));
    Ok(found)
}

/// Changes the settings.
///
/// # Errors
/// All that is wrong with the input, by path; [`racun_fiscal::FiscalRefusal::OtherCountry`];
/// [`racun_fiscal::FiscalRefusal::NumberingLocked`]; the store's failure.
pub async fn update(
    cx: Context<'_>,
    entity: &Entity,
    authority: Authority,
    input: SettingsInput,
) -> Result<FiscalSettings, FiscalError> {
    check_country(entity, authority)?;
    let is_numbered = match input.numbering.is_absent() {
        true => false,
        false => any_open_is_numbered(cx, authority).await?,
    };
    amend(cx, authority, move |settings, actor| settings.update(input, is_numbered, actor)).await
}

/// Signs with `opened` from now on, in the place of what there was.
///
/// # Errors
/// What is wrong with the certificate; [`racun_fiscal::FiscalRefusal::OtherCountry`]; the store's
/// failure.
pub async fn set_certificate(
    cx: Context<'_>,
    vault: &dyn Vault,
    entity: &Entity,
    authority: Authority,
    opened: OpenedCertificate,
) -> Result<FiscalSettings, FiscalError> {
    check_country(entity, authority)?;
    let actor = cx.actor();
    let number = entity.tax_number.as_deref();
    let certificate = Certificate::accept(opened, authority, number, vault, &actor)
        .map_err(FiscalError::Certificate)?;
    amend(cx, authority, move |settings, actor| Ok(settings.with_certificate(certificate, actor)))
        .await
}

/// Removes the certificate and its private key.
///
/// # Errors
/// [`FiscalError::NotFound`] when there is none; the store's failure.
pub async fn remove_certificate(
    cx: Context<'_>,
    authority: Authority,
) -> Result<FiscalSettings, FiscalError> {
    amend(cx, authority, FiscalSettings::without_certificate).await
}

/// Writes what `decide` makes of the settings, which are made when there are none.
async fn amend(
    cx: Context<'_>,
    authority: Authority,
    decide: impl FnOnce(FiscalSettings, &Actor) -> Result<Decision<FiscalSettings>, FiscalError>
    + Send
    + 'static,
) -> Result<FiscalSettings, FiscalError> {
    let mut unit = cx.unit();
    let settings = unit.hold(&FISCAL_SETTINGS, authority.name());
    unit.decide(move |held| {
        let (before, actor): (Option<FiscalSettings>, _) = (held.find(settings)?, held.actor());
        let new = || FiscalSettings::new(authority, actor.entity_id(), actor.now());
        let decision = decide(before.clone().unwrap_or_else(new), actor)?;
        Ok(decision.written(|after| Put::write(before.as_ref(), after)))
    })
    .await
}
