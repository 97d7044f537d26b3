//! Business premises.

use std::fmt;
use std::str::FromStr;

use racun_kernel::id::{
    EntityId, FinaDevice, FinaPremise, FursDevice, FursPremise, InvalidId, format_ulid, parse_ulid,
};
use racun_kernel::{Environment, Issues, Kind, Patch, Stamp, Tenant};
use racun_store::{Decision, EventKind, Field, Put, Unique};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::{Duration, OffsetDateTime};
use ulid::Ulid;

use crate::events;
use crate::furs::PremiseKind;
use crate::numbering::{restarted, starts_at};
use crate::{
    Actor, Authority, Conflict, Device, FiscalError, FiscalRefusal, Numbering, PlaceOfIssue, Start,
    check_premise_name, check_starting_number, furs, year_of,
};

/// Premises that an entity may have for one authority, closed ones included.
pub const MAX_PREMISES: usize = 500;

/// For how long a name is reserved while the premise is registered: longer than the registration
/// may take. After a crash the name is free again by this.
const RESERVATION: Duration = Duration::seconds(60);

/// Ids whose prefix tells the authority.
macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident: $furs:ident, $fina:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(Authority, Ulid);

        impl $id {
            /// A fresh id.
            #[must_use]
            pub fn new(authority: Authority, stamp: &Stamp) -> Self {
                Self(authority, stamp.ulid())
            }

            /// The id with this ULID.
            #[must_use]
            pub const fn of(authority: Authority, ulid: Ulid) -> Self {
                Self(authority, ulid)
            }

            /// Whose rules it is under.
            #[must_use]
            pub const fn authority(self) -> Authority {
                self.0
            }
        }

        impl FromStr for $id {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let of = |authority, prefix| {
                    parse_ulid(text, prefix).map(|ulid| Self(authority, ulid))
                };
                of(Authority::Furs, $furs::PREFIX).or_else(|_| of(Authority::Fina, $fina::PREFIX))
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let prefix = match self.0 {
                    Authority::Furs => $furs::PREFIX,
                    Authority::Fina => $fina::PREFIX,
                };
                f.write_str(&format_ulid(prefix, self.1))
            }
        }

        impl fmt::Debug for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $id {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $id {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// Id of a business premise: `premise_…` or `fina_premise_…`.
    PremiseId: FursPremise, FinaPremise;
    /// Id of an electronic device: `device_…` or `fina_device_…`.
    DeviceId: FursDevice, FinaDevice;
}

/// A business premise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusinessPremise {
    /// Its id, which tells the authority.
    pub id: PremiseId,
    /// Whose.
    pub entity_id: EntityId,
    /// Its name: 1 to 20 letters and digits. An entity uses it once for each authority.
    pub name: String,
    /// What FURS knows of it; `None` in Croatia, where only the name is kept.
    pub kind: Option<furs::PremiseKind>,
    /// Whether documents can be issued in it.
    pub is_active: bool,
    /// Where it is registered.
    pub environment: Environment,
    /// First number of its sequence; `None` is 1.
    pub starting_number: Option<i64>,
    /// The year whose sequence `starting_number` starts, in the authority's zone.
    pub starting_year: Option<i32>,
    /// When it was registered; `None` while FURS has not confirmed it. Until then it is a
    /// reservation of its name, and no premise.
    #[serde(with = "time::serde::rfc3339::option")]
    pub registered_at: Option<OffsetDateTime>,
    /// When it was closed, for good.
    #[serde(with = "time::serde::rfc3339::option")]
    pub closed_at: Option<OffsetDateTime>,
    /// Since when its closing was reported to FURS without an answer.
    #[serde(with = "time::serde::rfc3339::option")]
    pub closing_since: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a caller says of a new premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPremise {
    /// 1 to 20 letters and digits.
    pub name: String,
    /// The description that FURS receives; `None` in Croatia.
    pub kind: Option<PremiseKind>,
    /// First number of its sequence in this year; 1 when missing.
    pub starting_number: Option<i64>,
}

impl NewPremise {
    /// Accepts what can be a premise.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        issues
            .collect("business_premise_name", check_premise_name(&self.name).map_err(Issues::from));
        if let Some(PremiseKind::RealEstate(place)) = &self.kind {
            issues.collect("real_estate", place.check());
        }
        if let Some(number) = self.starting_number {
            issues.collect("starting_number", check_starting_number(number).map_err(Issues::from));
        }
        issues.into_result(())
    }

    /// The premise, for `authority`: registered and open where no authority registers premises, and
    /// otherwise a reservation of its name. `present` is who has the name now.
    ///
    /// # Errors
    /// All that is wrong with the input, by path; [`Conflict::PremiseName`];
    /// [`Conflict::Registering`].
    pub fn into_premise(
        self,
        authority: Authority,
        present: Option<&BusinessPremise>,
        actor: &Actor,
    ) -> Result<Decision<BusinessPremise>, FiscalError> {
        self.check()?;
        let now = actor.now();
        let is_registered = authority == Authority::Fina;
        match present {
            Some(other) if !other.is_reservation() => return Err(Conflict::PremiseName.into()),
            Some(other) if now - other.created_at < RESERVATION => {
                return Err(Conflict::Registering.into());
            }
            _ => {}
        }
        let premise = BusinessPremise {
            // A reservation that ran out is taken over.
            id: present.map_or_else(|| PremiseId::new(authority, actor.stamp()), |other| other.id),
            entity_id: actor.entity_id(),
            name: self.name,
            kind: self.kind,
            is_active: is_registered,
            environment: actor.environment(),
            starting_number: self.starting_number,
            starting_year: self.starting_number.map(|_| year_of(authority, now)),
            registered_at: is_registered.then_some(now),
            closed_at: None,
            closing_since: None,
            created_at: now,
            updated_at: now,
        };
        if is_registered {
            return Ok(premise.changed(events::fiscal_premise::REGISTERED, actor));
        }
        Ok(Decision::changed(premise, Vec::new()))
    }
}

impl BusinessPremise {
    /// Whose rules it is under.
    #[must_use]
    pub const fn authority(&self) -> Authority {
        self.id.authority()
    }

    /// Whether it is only the reservation of a name, while FURS is asked to register it.
    #[must_use]
    pub const fn is_reservation(&self) -> bool {
        self.registered_at.is_none()
    }

    /// Where its sequence starts.
    #[must_use]
    pub const fn start(&self) -> Start {
        Start { number: self.starting_number, year: self.starting_year }
    }

    /// The first number of its sequence of `year`, when it was set.
    #[must_use]
    pub fn starting_number_in(&self, year: i32) -> Option<i64> {
        starts_at(self.start(), year)
    }

    /// The place of its own sequence, whatever device issues.
    #[must_use]
    pub fn place(&self) -> PlaceOfIssue {
        let (premise, device) = (self.name.clone(), String::new());
        PlaceOfIssue { premise, device, numbering: Numbering::PerPremise }
    }

    /// FURS confirmed what `reserved` said: documents can be issued in it.
    ///
    /// # Errors
    /// [`Conflict::Registering`] when the reservation ran out and was taken over.
    pub fn registered(
        mut self,
        reserved: &Self,
        actor: &Actor,
    ) -> Result<Decision<Self>, FiscalError> {
        if self != *reserved {
            return Err(Conflict::Registering.into());
        }
        self.is_active = true;
        self.registered_at = Some(actor.now());
        Ok(self.changed(events::fiscal_premise::REGISTERED, actor))
    }

    /// Takes over where its sequence of this year starts; `is_unused` says whether no number of it
    /// was issued.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`] for a reservation; [`FiscalRefusal::PremiseClosed`]; a number that
    /// is none; [`FiscalRefusal::StartingNumberLocked`].
    pub fn restart(
        self,
        sent: Patch<i64>,
        is_unused: bool,
        actor: &Actor,
    ) -> Result<Decision<Self>, FiscalError> {
        self.must_be_open()?;
        let year = year_of(self.authority(), actor.now());
        let Start { number, year } = restarted(self.start(), sent, year, is_unused)?;
        let after = Self { starting_number: number, starting_year: year, ..self.clone() };
        if after == self {
            return Ok(Decision::Unchanged(self));
        }
        Ok(after.changed(events::fiscal_premise::UPDATED, actor))
    }

    /// Notes that its closing is about to be reported.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`] for a reservation; [`FiscalRefusal::PremiseClosed`].
    pub fn begin_closing(mut self, actor: &Actor) -> Result<Decision<Self>, FiscalError> {
        self.must_be_open()?;
        if self.closing_since.is_some() {
            return Ok(Decision::Unchanged(self));
        }
        self.closing_since = Some(actor.now());
        Ok(Decision::changed(self, Vec::new()))
    }

    /// Notes that FURS refused to close it: it stays open.
    pub fn stay_open(mut self) -> Decision<Self> {
        if self.closing_since.take().is_none() {
            return Decision::Unchanged(self);
        }
        Decision::changed(self, Vec::new())
    }

    /// Closes it for good, with its `devices`.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`] for a reservation; [`FiscalRefusal::PremiseClosed`].
    pub fn close(
        mut self,
        devices: Vec<Device>,
        actor: &Actor,
    ) -> Result<Decision<Self>, FiscalError> {
        self.must_be_open()?;
        self.is_active = false;
        self.closed_at = Some(actor.now());
        self.closing_since = None;
        let mut events = vec![actor.event(events::fiscal_premise::CLOSED, self.id)];
        self.updated_at = actor.now();
        let mut beside = Vec::new();
        for device in devices.into_iter().filter(|device| device.is_active) {
            let (after, event) = device.clone().switched_off(actor);
            beside.push(Put::update(&device, &after));
            events.push(event);
        }
        Ok(Decision::Changed { record: self, beside, events })
    }

    /// The report to FURS: that it is open from the day of `actor` on, or closed for good, and who
    /// made the software. `None` for a premise of another authority.
    #[must_use]
    pub fn message(
        &self,
        tax_number: &str,
        is_closing: bool,
        software_maker: furs::SoftwareMaker,
        actor: &Actor,
    ) -> Option<furs::Premise> {
        let zone = self.authority().zone();
        let today = racun_kernel::calendar::local_date(actor.now(), zone);
        Some(furs::Premise {
            tax_number: tax_number.to_owned(),
            name: self.name.clone(),
            kind: self.kind.clone()?,
            valid_from: today.unwrap_or_else(|| actor.now().date()),
            is_closing,
            software_maker,
        })
    }

    pub(crate) fn must_be_open(&self) -> Result<(), FiscalError> {
        if self.is_reservation() {
            return Err(FiscalError::NotFound { id: self.id.to_string() });
        }
        if self.is_active { Ok(()) } else { Err(FiscalRefusal::PremiseClosed.into()) }
    }

    fn changed(mut self, event: EventKind, actor: &Actor) -> Decision<Self> {
        self.updated_at = actor.now();
        let events = vec![actor.event(event, self.id)];
        Decision::changed(self, events)
    }
}

/// What the hidden field `key` of [`FISCAL_PREMISES`] holds of the premise called `name`.
#[must_use]
pub fn premise_key(authority: Authority, name: &str) -> String {
    format!("{}/{name}", authority.name())
}

racun_store::record! {
    /// Where premises are kept. By the hidden field `key` a unit holds the one of a name, which an
    /// entity uses once for each authority, for ever.
    pub static FISCAL_PREMISES: BusinessPremise = "fiscal_premises";
    |premise|
    id: premise.id,
    tenant: Tenant::entity(premise.entity_id),
    fields: {
        Field::id() => premise.id.to_string(),
        Field::text("authority") => premise.authority().name(),
        Field::text("name").searched() => premise.name,
        Field::bool("is_active") => premise.is_active,
        Field::text("environment") => premise.environment.name(),
        Field::instant("registered_at") => premise.registered_at,
        Field::instant("closed_at") => premise.closed_at,
        Field::instant("created_at") => premise.created_at,
        Field::instant("updated_at") => premise.updated_at,
        Field::text("key").unique(Unique::Tenant).hidden()
            => premise_key(premise.authority(), &premise.name),
    }
}
