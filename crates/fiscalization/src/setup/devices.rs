//! Electronic devices.

use racun_access::Entity;
use racun_fiscal::{
    Authority, BusinessPremise, Device, DeviceId, FISCAL_DEVICES, FISCAL_PREMISES, FiscalError,
    NewDevice, PremiseId,
};
use racun_kernel::Patch;
use racun_store::{Context, Put};

use super::check_country;
use super::numbers::probe;
use super::state::{DeviceState, find, show};

/// What bodies call a device's name.
#[must_use]
pub const fn name_field(authority: Authority) -> &'static str {
    match authority {
        Authority::Furs => "name",
        Authority::Fina => "electronic_device_name",
    }
}

/// The devices of a premise, deactivated ones included, oldest first.
///
/// # Errors
/// [`FiscalError::NotFound`]; the store's failure.
pub async fn list(cx: Context<'_>, premise: PremiseId) -> Result<Vec<DeviceState>, FiscalError> {
    let premise = find(cx, premise).await?;
    Ok(show(cx, premise).await?.devices)
}

/// One device.
///
/// # Errors
/// [`FiscalError::NotFound`]; the store's failure.
pub async fn get(cx: Context<'_>, id: DeviceId) -> Result<DeviceState, FiscalError> {
    let (_, premise) = find_with_premise(cx, id).await?;
    let state = show(cx, premise).await?;
    let own = state.devices.into_iter().find(|state| state.device.id == id);
    own.ok_or_else(|| FiscalError::NotFound { id: id.to_string() })
}

/// Puts a device into a premise.
///
/// # Errors
/// [`FiscalError::NotFound`] and [`racun_fiscal::FiscalRefusal::PremiseClosed`] of the premise;
/// [`racun_fiscal::FiscalRefusal::OtherCountry`]; all that is wrong with the input, by path;
/// [`racun_fiscal::Conflict::DeviceName`]; [`racun_fiscal::FiscalRefusal::TooManyDevices`]; the
/// store's failure.
pub async fn create(
    cx: Context<'_>,
    entity: &Entity,
    premise: PremiseId,
    new: NewDevice,
) -> Result<Device, FiscalError> {
    check_country(entity, premise.authority())?;
    let mut unit = cx.unit();
    let held_premise = unit.hold(&FISCAL_PREMISES, premise);
    let devices = unit.hold_where(&FISCAL_DEVICES, "premise_id", premise);
    unit.decide(move |held| {
        let (of, present) = (held.one(held_premise)?, held.all(devices)?);
        let field = name_field(premise.authority());
        Ok(new.into_device(&of, &present, field, held.actor())?.written(Put::insert))
    })
    .await
}

/// Sets where a device's own sequence starts.
///
/// # Errors
/// [`FiscalError::NotFound`]; a number that is none;
/// [`racun_fiscal::FiscalRefusal::DeviceInactive`];
/// [`racun_fiscal::FiscalRefusal::StartingNumberLocked`]; the store's failure.
pub async fn restart(
    cx: Context<'_>,
    id: DeviceId,
    sent: Patch<i64>,
) -> Result<DeviceState, FiscalError> {
    let (device, premise) = find_with_premise(cx, id).await?;
    let mut unit = cx.unit();
    let device_held = unit.hold(&FISCAL_DEVICES, id);
    let number = unit.number(probe(cx, id.authority(), &device.place(&premise)));
    let restarted = unit.decide(move |held| {
        let (before, is_unused) = (held.one::<Device>(device_held)?, held.number(&number)? == 1);
        let after = before.clone().restart(sent, is_unused, held.actor())?;
        Ok::<_, FiscalError>(after.written(|after| Put::update(&before, after)))
    });
    restarted.await?;
    get(cx, id).await
}

/// Deactivates a device, for good.
///
/// # Errors
/// [`FiscalError::NotFound`]; [`racun_fiscal::FiscalRefusal::DeviceInactive`]; the store's failure.
pub async fn deactivate(cx: Context<'_>, id: DeviceId) -> Result<Device, FiscalError> {
    cx.amend(&FISCAL_DEVICES, id, Device::deactivate).await
}

async fn find_with_premise(
    cx: Context<'_>,
    id: DeviceId,
) -> Result<(Device, BusinessPremise), FiscalError> {
    let device: Device = cx.one(&FISCAL_DEVICES, id).await?;
    let premise = find(cx, device.premise_id).await?;
    Ok((device, premise))
}
