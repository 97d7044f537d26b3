//! Slovenia: routes, and what only FURS has.

use actix_web::web;
use racun_access::Permission::{ManageFiscal, ReadFiscal, ReadTill};
use racun_billing::Feature;
use racun_fiscal::furs::PremiseKind;
use racun_fiscal::{
    Authority, BusinessPremise, FiscalError, FiscalSettings, NewDevice, NewPremise, Numbering,
    SettingsInput,
};
use racun_fiscalization::setup::registering::Registry;
use racun_kernel::{Environment, Issues, Patch, id};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use super::authority_api::{self, AuthorityApi, premise_id, vault};
use super::certificate::{
    CertificateBody, CertificateForm, CertificateStatusBody, FiscalEnvironmentBody, MessageBody,
    Told,
};
use super::premise::{
    DeviceOutcomeBody, FursDeviceBody, FursPremiseBody, MovableBody, PremiseOutcomeBody,
    RealEstateBody, RestartBody,
};
use super::shared_routes::{at, named, shared_routes};
use crate::answer::{Created, Json};
use crate::body::{ArrayBody, Convert};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathId};
use crate::route::{Gate, Route};
use crate::warning::WarningBody;

const TAG: &str = "FURS";
const READ: Gate = Gate::Entity(ReadFiscal);
const AT_TILL: Gate = Gate::Entity(ReadTill);
const MANAGE: Gate = Gate::Entity(ManageFiscal);

/// FURS, as its routes know it.
struct Furs;

/// Routes of what only FURS has. They come before those with an id in the path.
pub(crate) const OWN: &[Route] = &[
    Route::post(
        "/fiscalization/furs/premises/real-estate",
        "createFursRealEstatePremise",
        MANAGE,
        || web::to(create_real_estate),
    )
    .needs(Feature::Furs)
    .about(TAG, "Registers a business premise in a building at FURS.")
    .takes::<NewRealEstateBody>()
    .creates::<PremiseOutcomeBody>(),
    Route::post("/fiscalization/furs/premises/movable", "createFursMovablePremise", MANAGE, || {
        web::to(create_movable)
    })
    .needs(Feature::Furs)
    .about(TAG, "Registers a business premise that is in no building at FURS.")
    .takes::<NewMovableBody>()
    .creates::<PremiseOutcomeBody>(),
    Route::delete("/fiscalization/furs/premises/{id}", "closeFursPremise", MANAGE, || {
        web::to(close)
    })
    .needs(Feature::Furs)
    .about(TAG, "Closes a premise at FURS for good, and deactivates its devices.")
    .tells::<PremiseOutcomeBody>(),
];

/// Routes of FURS that both authorities have.
pub(crate) const ROUTES: &[Route] = shared_routes!(Furs at "furs" in "Slovenia");

/// Settings as they are read through their entity.
pub(super) fn as_setting(
    settings: FiscalSettings,
    to: Environment,
    now: OffsetDateTime,
) -> Result<(&'static str, Value), ApiError> {
    authority_api::as_setting::<Furs>(settings, to, now)
}

impl AuthorityApi for Furs {
    const AUTHORITY: Authority = Authority::Furs;
    type PremiseId = id::FursPremise;
    type DeviceId = id::FursDevice;
    type Settings = FursSettingsBody;
    type SettingsInput = FursSettingsInputBody;
    type Premise = FursPremiseBody;
    type Device = FursDeviceBody;
    type NewDevice = NewFursDeviceBody;

    fn settings(
        settings: FiscalSettings,
        to: Environment,
        now: OffsetDateTime,
        missing: Issues,
    ) -> Self::Settings {
        let told = Told::of(&settings, now);
        FursSettingsBody {
            enabled: settings.enabled,
            default_skip_fiscalization: settings.default_skip,
            numbering_strategy: settings.numbering.convert(),
            operator_tax_number: settings.operator_number,
            operator_label: settings.operator_label,
            foreign_operator: settings.foreign_operator,
            environment: to.convert(),
            has_certificate: told.has,
            certificate_status: told.status,
            certificate_expiry: told.expiry,
            certificate_file_id: told.file_id,
            certificate_cn: told.cn,
            certificate_subject: told.subject,
            certificate_issuer: told.issuer,
            warnings: missing.convert(),
        }
    }
}

/// What numbers are of: `B` each device, `C` each premise.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = FursNumberingStrategy)]
enum StrategyBody {
    /// Each device has a sequence of its own.
    B,
    /// All devices of a premise share one.
    C,
}

impl Convert<StrategyBody> for Numbering {
    fn convert(self) -> StrategyBody {
        match self {
            Self::PerDevice => StrategyBody::B,
            Self::PerPremise => StrategyBody::C,
        }
    }
}

impl Convert<Numbering> for StrategyBody {
    fn convert(self) -> Numbering {
        match self {
            Self::B => Numbering::PerDevice,
            Self::C => Numbering::PerPremise,
        }
    }
}

/// Settings of fiscalization in Slovenia.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FursSettings)]
struct FursSettingsBody {
    /// Whether documents are fiscalized.
    enabled: bool,
    /// Whether documents that may be issued without fiscalization are, unless they say so.
    default_skip_fiscalization: bool,
    /// What numbers are of.
    numbering_strategy: StrategyBody,
    /// Tax number of the operator of documents that name no other.
    #[schema(required = true)]
    operator_tax_number: Option<String>,
    /// Their mark on documents.
    #[schema(required = true)]
    operator_label: Option<String>,
    /// Whether they have no Slovenian tax number.
    foreign_operator: bool,
    /// Which of FURS's systems receives reports.
    environment: FiscalEnvironmentBody,
    /// Whether there is a certificate.
    has_certificate: bool,
    /// What it is good for.
    certificate_status: CertificateStatusBody,
    /// Until when it signs.
    #[schema(required = true)]
    certificate_expiry: Option<String>,
    /// The id of its upload.
    #[schema(required = true)]
    certificate_file_id: Option<String>,
    /// Common name of its subject.
    #[schema(required = true)]
    certificate_cn: Option<String>,
    /// Its subject.
    #[schema(required = true)]
    certificate_subject: Option<String>,
    /// Its issuer.
    #[schema(required = true)]
    certificate_issuer: Option<String>,
    /// What a sale would miss, while documents are fiscalized.
    warnings: Vec<WarningBody>,
}

/// What a caller says of the settings of fiscalization in Slovenia.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = FursSettingsInput)]
struct FursSettingsInputBody {
    /// Whether documents are fiscalized; null for false.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    enabled: Patch<bool>,
    /// Whether documents that may be issued without fiscalization are, unless they say so; null for
    /// false.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    default_skip_fiscalization: Patch<bool>,
    /// What numbers are of; null for `C`. It cannot change after the first number of a year in a
    /// premise that is open.
    #[serde(default)]
    #[schema(value_type = Option<StrategyBody>)]
    numbering_strategy: Patch<StrategyBody>,
    /// Tax number of the operator of documents that name no other: eight digits.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    operator_tax_number: Patch<String>,
    /// Their mark on documents: 1 to 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    operator_label: Patch<String>,
    /// Whether they have no Slovenian tax number; null for false.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    foreign_operator: Patch<bool>,
}

impl Convert<SettingsInput> for FursSettingsInputBody {
    fn convert(self) -> SettingsInput {
        SettingsInput {
            enabled: self.enabled,
            default_skip: self.default_skip_fiscalization,
            numbering: self.numbering_strategy.convert(),
            operator_number: self.operator_tax_number,
            operator_label: self.operator_label,
            foreign_operator: self.foreign_operator,
            ..SettingsInput::default()
        }
    }
}

/// A business premise in a building.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = NewRealEstatePremise)]
struct NewRealEstateBody {
    /// 1 to 20 letters and digits, used once.
    business_premise_name: String,
    /// Where the building is.
    real_estate: RealEstateBody,
    /// First number of this year's sequence, 1 to 999999999; 1 when absent.
    starting_number: Option<i64>,
}

/// A business premise that is in no building.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = NewMovablePremise)]
struct NewMovableBody {
    /// 1 to 20 letters and digits, used once.
    business_premise_name: String,
    /// What it is.
    movable_premise: MovableBody,
    /// First number of this year's sequence, 1 to 999999999; 1 when absent.
    starting_number: Option<i64>,
}

/// An electronic device.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = NewFursDevice)]
struct NewFursDeviceBody {
    /// 1 to 20 letters and digits, used once in the premise.
    name: String,
    /// First number of its own sequence of this year, 1 to 999999999; 1 when absent.
    starting_number: Option<i64>,
}

impl Convert<NewDevice> for NewFursDeviceBody {
    fn convert(self) -> NewDevice {
        NewDevice { name: self.name, starting_number: self.starting_number }
    }
}

async fn create_real_estate(
    call: EntityCall,
    body: Body<NewRealEstateBody>,
) -> Result<Created<PremiseOutcomeBody>, ApiError> {
    let NewRealEstateBody { business_premise_name, real_estate, starting_number } = body.0;
    let kind = real_estate.convert();
    register(&call, business_premise_name, kind, starting_number).await
}

async fn create_movable(
    call: EntityCall,
    body: Body<NewMovableBody>,
) -> Result<Created<PremiseOutcomeBody>, ApiError> {
    let NewMovableBody { business_premise_name, movable_premise, starting_number } = body.0;
    let kind = movable_premise.convert();
    register(&call, business_premise_name, kind, starting_number).await
}

async fn register(
    call: &EntityCall,
    name: String,
    kind: PremiseKind,
    starting_number: Option<i64>,
) -> Result<Created<PremiseOutcomeBody>, ApiError> {
    let new = NewPremise { name, kind: Some(kind), starting_number };
    let vault = vault(call)?;
    let task = call.run::<_, FiscalError, _>(|call| async move {
        let authorities = &*call.authorities;
        let registry = Registry { cx: call.cx(), vault: &*vault, authorities };
        registry.register(call.entity(), new).await
    });
    let premise: BusinessPremise = task.await?;
    Ok(Created(PremiseOutcomeBody::of(premise, "FURS has registered the premise")))
}

async fn close(
    call: Call,
    id: PathId<id::FursPremise>,
) -> Result<Json<PremiseOutcomeBody>, ApiError> {
    let (id, vault) = (premise_id::<Furs>(&id), vault(&call)?);
    let task = call.run::<_, FiscalError, _>(|call| async move {
        let authorities = &*call.authorities;
        let registry = Registry { cx: call.cx(), vault: &*vault, authorities };
        registry.close(id).await
    });
    let premise = task.await?;
    let message = "FURS has closed the premise; nothing can be issued in it any more";
    Ok(Json(PremiseOutcomeBody::of(premise, message)))
}
