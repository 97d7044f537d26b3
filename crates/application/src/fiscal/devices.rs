//! Electronic devices.

use racun_access::Entity;
use racun_fiscal::{
    Actor, Authority, BusinessPremise, Device, DeviceId, FISCAL_DEVICES, FISCAL_PREMISES,
    FiscalError, NewDevice, PremiseId,
};
use racun_kernel::{Patch, Scope, Stamp, Store};

use super::numbers::probe;
use super::premises::{find, show};
use super::{all, check_country, one, read, read_one, written};

/// A device as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceState {
    /// It.
    pub device: Device,
    /// The first number of its own sequence of this year, when it was set.
    pub starting_number: Option<i64>,
    /// The last number that was issued of its own sequence; 0 when none was.
    pub last_number: i64,
    /// The last number of the sequence that it takes numbers from: its own or its premise's.
    pub counter: i64,
}

impl DeviceState {
    /// Whether it can still be set where its own sequence of this year starts.
    #[must_use]
    pub const fn can_update_starting_number(&self) -> bool {
        self.device.is_active && self.last_number == 0
    }
}

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
pub async fn list(
    store: &dyn Store,
    scope: &Scope,
    premise: PremiseId,
    stamp: &Stamp,
) -> Result<Vec<DeviceState>, FiscalError> {
    let premise = find(store, scope, premise).await?;
    Ok(show(store, scope, premise, stamp).await?.devices)
}

/// One device.
///
/// # Errors
/// [`FiscalError::NotFound`]; the store's failure.
pub async fn get(
    store: &dyn Store,
    scope: &Scope,
    id: DeviceId,
    stamp: &Stamp,
) -> Result<DeviceState, FiscalError> {
    let (_, premise) = find_with_premise(store, scope, id).await?;
    let state = show(store, scope, premise, stamp).await?;
    let own = state.devices.into_iter().find(|state| state.device.id == id);
    own.ok_or_else(|| FiscalError::NotFound { id: id.to_string() })
}

/// Puts a device into a premise.
///
/// # Errors
/// [`FiscalError::NotFound`] and [`racun_fiscal::Refusal::PremiseClosed`] of the premise;
/// [`racun_fiscal::Refusal::OtherCountry`]; all that is wrong with the input, by path;
/// [`racun_fiscal::Conflict::DeviceName`]; [`racun_fiscal::Refusal::TooManyDevices`]; the store's
/// failure.
pub async fn create(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    premise: PremiseId,
    new: NewDevice,
    stamp: &Stamp,
) -> Result<Device, FiscalError> {
    check_country(entity, premise.authority())?;
    let actor = Actor::new(scope.clone(), stamp.clone());
    let devices = all(&FISCAL_DEVICES, scope, "premise_id", premise);
    store
        .decide(vec![one(&FISCAL_PREMISES, scope, premise), devices], None, move |loaded| {
            let held: BusinessPremise = read_one(&loaded, 0, &FISCAL_PREMISES, premise)?;
            let present = read(&loaded, 1, &FISCAL_DEVICES)?;
            let field = name_field(premise.authority());
            Ok(written(None, new.into_device(&held, &present, field, &actor)?))
        })
        .await
}

/// Sets where a device's own sequence starts.
///
/// # Errors
/// [`FiscalError::NotFound`]; a number that is none; [`racun_fiscal::Refusal::DeviceInactive`];
/// [`racun_fiscal::Refusal::StartingNumberLocked`]; the store's failure.
pub async fn restart(
    store: &dyn Store,
    scope: &Scope,
    id: DeviceId,
    sent: Patch<i64>,
    stamp: &Stamp,
) -> Result<DeviceState, FiscalError> {
    let (device, premise) = find_with_premise(store, scope, id).await?;
    let actor = Actor::new(scope.clone(), stamp.clone());
    let series = probe(scope, id.authority(), &device.place(&premise), stamp);
    store
        .decide(vec![one(&FISCAL_DEVICES, scope, id)], Some(series), move |loaded| {
            let is_unused = loaded.number == Some(1);
            let before: Device = read_one(&loaded, 0, &FISCAL_DEVICES, id)?;
            Ok::<_, FiscalError>(written(
                Some(&before),
                before.clone().restart(sent, is_unused, &actor)?,
            ))
        })
        .await?;
    get(store, scope, id, stamp).await
}

/// Deactivates a device, for good.
///
/// # Errors
/// [`FiscalError::NotFound`]; [`racun_fiscal::Refusal::DeviceInactive`]; the store's failure.
pub async fn deactivate(
    store: &dyn Store,
    scope: &Scope,
    id: DeviceId,
    stamp: &Stamp,
) -> Result<Device, FiscalError> {
    let actor = Actor::new(scope.clone(), stamp.clone());
    let change = move |device: Device| device.deactivate(&actor);
    store.amend(&FISCAL_DEVICES, &scope.tenant(), id.to_string(), change).await
}

async fn find_with_premise(
    store: &dyn Store,
    scope: &Scope,
    id: DeviceId,
) -> Result<(Device, BusinessPremise), FiscalError> {
    let text = id.to_string();
    let found: Option<Device> = store.get(&FISCAL_DEVICES, &scope.tenant(), &text).await?;
    let device = found.ok_or(FiscalError::NotFound { id: text })?;
    let premise = find(store, scope, device.premise_id).await?;
    Ok((device, premise))
}
