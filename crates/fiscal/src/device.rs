//! Electronic devices in business premises.

use racun_kernel::id::EntityId;
use racun_kernel::{Issues, Patch, Tenant};
use racun_store::{Decision, Event, EventKind, Field, Unique};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::events;
use crate::numbering::{restarted, starts_at};
use crate::{
    Actor, BusinessPremise, Conflict, DeviceId, FiscalError, FiscalRefusal, Numbering,
    PlaceOfIssue, PremiseId, Start, check_device_name, check_starting_number, year_of,
};

/// Devices that a premise may have, deactivated ones included.
pub const MAX_DEVICES: usize = 200;

/// An electronic device in a premise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its id, which tells the authority.
    pub id: DeviceId,
    /// Whose.
    pub entity_id: EntityId,
    /// Where it stands.
    pub premise_id: PremiseId,
    /// Its name: 1 to 20 letters and digits, in Croatia digits.
    pub name: String,
    /// Whether documents can be issued on it.
    pub is_active: bool,
    /// First number of its sequence; `None` is 1.
    pub starting_number: Option<i64>,
    /// The year whose sequence `starting_number` starts.
    pub starting_year: Option<i32>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a caller says of a new device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDevice {
    /// 1 to 20 letters and digits, in Croatia digits.
    pub name: String,
    /// First number of its sequence in this year; 1 when missing.
    pub starting_number: Option<i64>,
}

impl NewDevice {
    /// The device in `premise`, beside the `present` ones. `name_field` is what bodies call its
    /// name.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`] and [`FiscalRefusal::PremiseClosed`] of the premise; all that is
    /// wrong with the input, by path; [`Conflict::DeviceName`]; [`FiscalRefusal::TooManyDevices`].
    pub fn into_device(
        self,
        premise: &BusinessPremise,
        present: &[Device],
        name_field: &str,
        actor: &Actor,
    ) -> Result<Decision<Device>, FiscalError> {
        premise.must_be_open()?;
        let authority = premise.authority();
        let mut issues = Issues::default();
        let named = check_device_name(authority, &self.name).map_err(Issues::from);
        issues.collect(name_field, named);
        if let Some(number) = self.starting_number {
            issues.collect("starting_number", check_starting_number(number).map_err(Issues::from));
        }
        issues.into_result(())?;
        if present.iter().any(|other| other.name == self.name) {
            return Err(Conflict::DeviceName.into());
        }
        if present.len() >= MAX_DEVICES {
            return Err(FiscalRefusal::TooManyDevices.into());
        }
        let device = Device {
            id: DeviceId::new(authority, actor.stamp()),
            entity_id: actor.entity_id(),
            premise_id: premise.id,
            name: self.name,
            is_active: true,
            starting_number: self.starting_number,
            starting_year: self.starting_number.map(|_| year_of(authority, actor.now())),
            created_at: actor.now(),
            updated_at: actor.now(),
        };
        Ok(device.changed(events::fiscal_device::CREATED, actor))
    }
}

impl Device {
    /// Where its own sequence starts.
    #[must_use]
    pub const fn start(&self) -> Start {
        Start { number: self.starting_number, year: self.starting_year }
    }

    /// The first number of its own sequence of `year`, when it was set.
    #[must_use]
    pub fn starting_number_in(&self, year: i32) -> Option<i64> {
        starts_at(self.start(), year)
    }

    /// The place of its own sequence, in `premise`.
    #[must_use]
    pub fn place(&self, premise: &BusinessPremise) -> PlaceOfIssue {
        let (premise, device) = (premise.name.clone(), self.name.clone());
        PlaceOfIssue { premise, device, numbering: Numbering::PerDevice }
    }

    /// Takes over where its own sequence of this year starts; `is_unused` says whether no number of
    /// it was issued.
    ///
    /// # Errors
    /// [`FiscalRefusal::DeviceInactive`]; a number that is none;
    /// [`FiscalRefusal::StartingNumberLocked`].
    pub fn restart(
        self,
        sent: Patch<i64>,
        is_unused: bool,
        actor: &Actor,
    ) -> Result<Decision<Self>, FiscalError> {
        self.must_be_active()?;
        let year = year_of(self.id.authority(), actor.now());
        let Start { number, year } = restarted(self.start(), sent, year, is_unused)?;
        let after = Self { starting_number: number, starting_year: year, ..self.clone() };
        if after == self {
            return Ok(Decision::Unchanged(self));
        }
        Ok(after.changed(events::fiscal_device::UPDATED, actor))
    }

    /// Deactivates it, for good.
    ///
    /// # Errors
    /// [`FiscalRefusal::DeviceInactive`] when it is.
    pub fn deactivate(self, actor: &Actor) -> Result<Decision<Self>, FiscalError> {
        self.must_be_active()?;
        let (after, event) = self.switched_off(actor);
        Ok(Decision::changed(after, vec![event]))
    }

    pub(crate) fn switched_off(mut self, actor: &Actor) -> (Self, Event) {
        self.is_active = false;
        self.updated_at = actor.now();
        let event = actor.event(events::fiscal_device::DEACTIVATED, self.id);
        (self, event)
    }

    fn must_be_active(&self) -> Result<(), FiscalRefusal> {
        if self.is_active { Ok(()) } else { Err(FiscalRefusal::DeviceInactive) }
    }

    fn changed(mut self, event: EventKind, actor: &Actor) -> Decision<Self> {
        self.updated_at = actor.now();
        let events = vec![actor.event(event, self.id)];
        Decision::changed(self, events)
    }
}

/// What the hidden field `key` of [`FISCAL_DEVICES`] holds of the device called `name` in
/// `premise`.
#[must_use]
pub fn device_key(premise: PremiseId, name: &str) -> String {
    format!("{premise}/{name}")
}

racun_store::record! {
    /// Where devices are kept. By `premise_id` a unit holds all of a premise, by the hidden field
    /// `key` the one of a name, which a premise uses once.
    pub static FISCAL_DEVICES: Device = "fiscal_devices";
    |device|
    id: device.id,
    tenant: Tenant::entity(device.entity_id),
    fields: {
        Field::id() => device.id.to_string(),
        Field::text("authority") => device.id.authority().name(),
        Field::text("premise_id").indexed() => device.premise_id.to_string(),
        Field::text("name").searched() => device.name,
        Field::bool("is_active") => device.is_active,
        Field::instant("created_at") => device.created_at,
        Field::instant("updated_at") => device.updated_at,
        Field::text("key").unique(Unique::Tenant).hidden()
            => device_key(device.premise_id, &device.name),
    }
}
