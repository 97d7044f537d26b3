//! Bodies of premises and devices.

use racun_fiscal::furs::{MovableKind, PremiseKind, RealEstate};
use racun_fiscal::{BusinessPremise, Device};
use racun_fiscalization::setup::{DeviceState, PremiseState};
use racun_kernel::Patch;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::certificate::FiscalEnvironmentBody;
use crate::body::Convert;

/// What kind of premise it is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PremiseType)]
pub(super) enum PremiseTypeBody {
    /// In a building, to FURS.
    RealEstate,
    /// Not in one, to FURS.
    Movable,
    /// In Croatia, where only its name is kept.
    Premise,
}

/// Where a building is.
#[derive(Debug, Serialize, Deserialize, ToSchema, Validate)]
#[schema(as = RealEstate)]
pub(super) struct RealEstateBody {
    /// Number of the cadastral community: 1 to 4 digits.
    cadastral_number: String,
    /// Number of the building: 1 to 5 digits.
    building_number: String,
    /// Number of the section of the building: 1 to 4 digits.
    building_section: String,
    /// 1 to 100 characters.
    street: String,
    /// 1 to 10 characters.
    house_number: String,
    /// 1 to 10 characters.
    house_number_additional: Option<String>,
    /// 1 to 100 characters.
    community: String,
    /// 1 to 100 characters.
    city: String,
    /// Four digits.
    postal_code: String,
}

impl Convert<PremiseKind> for RealEstateBody {
    fn convert(self) -> PremiseKind {
        PremiseKind::RealEstate(Box::new(RealEstate {
            cadastral_number: self.cadastral_number,
            building_number: self.building_number,
            building_section: self.building_section,
            street: self.street,
            house_number: self.house_number,
            // The authority refuses an empty one.
            house_number_additional: self.house_number_additional.filter(|text| !text.is_empty()),
            community: self.community,
            city: self.city,
            postal_code: self.postal_code,
        }))
    }
}

impl Convert<RealEstateBody> for RealEstate {
    fn convert(self) -> RealEstateBody {
        RealEstateBody {
            cadastral_number: self.cadastral_number,
            building_number: self.building_number,
            building_section: self.building_section,
            street: self.street,
            house_number: self.house_number,
            house_number_additional: self.house_number_additional,
            community: self.community,
            city: self.city,
            postal_code: self.postal_code,
        }
    }
}

/// What is movable: `A` a movable object such as a vehicle, `B` an object at a permanent place such
/// as a market stall, `C` a single device where there is no other premise, such as a web shop.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = MovablePremiseType)]
pub(super) enum MovableTypeBody {
    /// A movable object.
    A,
    /// An object at a permanent place.
    B,
    /// A single device.
    C,
}

/// What is not in a building.
#[derive(Debug, Serialize, Deserialize, ToSchema, Validate)]
#[schema(as = MovablePremise)]
pub(super) struct MovableBody {
    /// What it is.
    premise_type: MovableTypeBody,
}

impl Convert<PremiseKind> for MovableBody {
    fn convert(self) -> PremiseKind {
        PremiseKind::Movable(match self.premise_type {
            MovableTypeBody::A => MovableKind::A,
            MovableTypeBody::B => MovableKind::B,
            MovableTypeBody::C => MovableKind::C,
        })
    }
}

impl Convert<MovableBody> for MovableKind {
    fn convert(self) -> MovableBody {
        let premise_type = match self {
            Self::A => MovableTypeBody::A,
            Self::B => MovableTypeBody::B,
            Self::C => MovableTypeBody::C,
        };
        MovableBody { premise_type }
    }
}

/// What changes of a premise or device.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = StartingNumberInput)]
pub(super) struct RestartBody {
    /// First number of this year's sequence, 1 to 999999999; null for 1. It can be set until the
    /// first number of the sequence is issued.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    pub starting_number: Patch<i64>,
}

/// Declares the body of a premise as one authority's clients know it.
macro_rules! premise_body {
    ($(#[$doc:meta])* $body:ident as $name:ident with $device:ident $({
        $(#[$field_doc:meta])* $field:ident: $kind:ty
    })?) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        #[schema(as = $name)]
        pub(super) struct $body {
            /// Its id.
            id: String,
            /// Whose it is.
            entity_id: String,
            /// Its name, which an entity uses once, also when the premise is closed.
            business_premise_name: String,
            /// What kind of premise it is.
            r#type: PremiseTypeBody,
            /// Where the building is.
            #[schema(required = true)]
            real_estate: Option<RealEstateBody>,
            /// What is not in a building.
            #[schema(required = true)]
            movable_premise: Option<MovableBody>,
            /// Whether documents can be issued in it.
            is_active: bool,
            $($(#[$field_doc])* $field: $kind,)?
            /// First number of this year's sequence, when it was set.
            #[schema(required = true)]
            starting_number: Option<i64>,
            /// Whether it can still be set.
            can_update_starting_number: bool,
            /// When it was registered.
            #[schema(required = true)]
            registered_at: Option<String>,
            /// When it was closed.
            #[schema(required = true)]
            closed_at: Option<String>,
            /// When it was made.
            created_at: String,
            /// When it changed last.
            updated_at: String,
            /// Its electronic devices, oldest first.
            #[serde(rename = "Devices")]
            devices: Vec<$device>,
        }

        impl Convert<$body> for PremiseState {
            fn convert(self) -> $body {
                let can_update_starting_number = self.can_update_starting_number();
                let BusinessPremise { kind, .. } = self.premise;
                let (r#type, real_estate, movable_premise) = match kind {
                    Some(PremiseKind::RealEstate(place)) => {
                        (PremiseTypeBody::RealEstate, Some((*place).convert()), None)
                    }
                    Some(PremiseKind::Movable(kind)) => {
                        (PremiseTypeBody::Movable, None, Some(kind.convert()))
                    }
                    None => (PremiseTypeBody::Premise, None, None),
                };
                $body {
                    id: self.premise.id.to_string(),
                    entity_id: self.premise.entity_id.convert(),
                    business_premise_name: self.premise.name,
                    r#type,
                    real_estate,
                    movable_premise,
                    is_active: self.premise.is_active,
                    $($field: self.premise.$field.convert(),)?
                    starting_number: self.starting_number,
                    can_update_starting_number,
                    registered_at: self.premise.registered_at.convert(),
                    closed_at: self.premise.closed_at.convert(),
                    created_at: self.premise.created_at.convert(),
                    updated_at: self.premise.updated_at.convert(),
                    devices: self.devices.convert(),
                }
            }
        }
    };
}

premise_body! {
    /// A business premise that FURS knows.
    FursPremiseBody as FursPremise with FursDeviceBody {
        /// Which of FURS's systems knows it.
        environment: FiscalEnvironmentBody
    }
}

premise_body! {
    /// A business premise, under the name that it has on the tax authority's portal.
    FinaPremiseBody as FinaPremise with FinaDeviceBody
}

/// An electronic device, in Slovenia.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FursDevice)]
pub(super) struct FursDeviceBody {
    /// Its id.
    id: String,
    /// The premise that it is in.
    business_premise_id: String,
    /// Its name, which a premise uses once.
    electronic_device_name: String,
    /// Whether documents can be issued on it.
    is_active: bool,
    /// The last number of the sequence that it takes numbers from this year; 0 when none was
    /// issued.
    counter: i64,
    /// First number of its own sequence of this year, when it was set.
    #[schema(required = true)]
    starting_number: Option<i64>,
    /// Whether it can still be set.
    can_update_starting_number: bool,
    /// When it was made.
    registered_at: String,
    /// The same.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<FursDeviceBody> for DeviceState {
    fn convert(self) -> FursDeviceBody {
        let can_update_starting_number = self.can_update_starting_number();
        let Device { id, premise_id, name, is_active, created_at, updated_at, .. } = self.device;
        FursDeviceBody {
            id: id.to_string(),
            business_premise_id: premise_id.to_string(),
            electronic_device_name: name,
            is_active,
            counter: self.counter,
            starting_number: self.starting_number,
            can_update_starting_number,
            registered_at: created_at.convert(),
            created_at: created_at.convert(),
            updated_at: updated_at.convert(),
        }
    }
}

/// An electronic device, in Croatia.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FinaDevice)]
pub(super) struct FinaDeviceBody {
    /// Its id.
    id: String,
    /// The premise that it is in.
    premise_id: String,
    /// Its name, which a premise uses once.
    electronic_device_name: String,
    /// Whether documents can be issued on it.
    is_active: bool,
    /// First number of its own sequence of this year, when it was set.
    #[schema(required = true)]
    starting_number: Option<i64>,
    /// Whether it can still be set.
    can_update_starting_number: bool,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<FinaDeviceBody> for DeviceState {
    fn convert(self) -> FinaDeviceBody {
        let can_update_starting_number = self.can_update_starting_number();
        let Device { id, premise_id, name, is_active, created_at, updated_at, .. } = self.device;
        FinaDeviceBody {
            id: id.to_string(),
            premise_id: premise_id.to_string(),
            electronic_device_name: name,
            is_active,
            starting_number: self.starting_number,
            can_update_starting_number,
            created_at: created_at.convert(),
            updated_at: updated_at.convert(),
        }
    }
}

/// What became of a premise.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PremiseOutcome)]
pub(super) struct PremiseOutcomeBody {
    /// True.
    success: bool,
    /// For people.
    message: String,
    /// Its id.
    id: String,
    /// Its name.
    business_premise_name: String,
    /// Which of the authority's systems knows it.
    environment: FiscalEnvironmentBody,
}

impl PremiseOutcomeBody {
    /// That `message` became of `premise`.
    pub(super) fn of(premise: BusinessPremise, message: &str) -> Self {
        Self {
            success: true,
            message: message.to_owned(),
            id: premise.id.to_string(),
            business_premise_name: premise.name,
            environment: premise.environment.convert(),
        }
    }
}

/// What became of a device.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeviceOutcome)]
pub(super) struct DeviceOutcomeBody {
    /// True.
    success: bool,
    /// For people.
    message: String,
    /// Its id.
    id: String,
    /// Its name.
    electronic_device_name: String,
}

impl DeviceOutcomeBody {
    /// That `message` became of `device`.
    pub(super) fn of(device: Device, message: &str) -> Self {
        Self {
            success: true,
            message: message.to_owned(),
            id: device.id.to_string(),
            electronic_device_name: device.name,
        }
    }
}
