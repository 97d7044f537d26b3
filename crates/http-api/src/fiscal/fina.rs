//! Croatia: routes, and what only FINA has.

use actix_web::web;
use racun_access::Permission::{ManageFiscal, ReadFiscal, ReadTill};
use racun_billing::Feature;
use racun_fiscal::{Authority, FiscalSettings, NewDevice, NewPremise, Numbering, SettingsInput};
use racun_fiscalization::setup::premises;
use racun_kernel::{Environment, Issues, Patch, id};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use super::authority_api::{self, AuthorityApi, premise_id};
use super::certificate::{
    CertificateBody, CertificateForm, CertificateStatusBody, FiscalEnvironmentBody, MessageBody,
    Told,
};
use super::premise::{
    DeviceOutcomeBody, FinaDeviceBody, FinaPremiseBody, PremiseOutcomeBody, RestartBody,
};
use super::shared_routes::{at, named, shared_routes};
use crate::answer::{Created, Json};
use crate::body::{ArrayBody, Convert};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathId};
use crate::route::{Gate, Route};
use crate::warning::WarningBody;

const TAG: &str = "FINA";
const READ: Gate = Gate::Entity(ReadFiscal);
const AT_TILL: Gate = Gate::Entity(ReadTill);
const MANAGE: Gate = Gate::Entity(ManageFiscal);

/// FINA, as its routes know it.
struct Fina;

/// Routes of what only FINA has. They come before those with an id in the path.
pub(crate) const OWN: &[Route] = &[
    Route::post("/fiscalization/fina/premises", "createFinaPremise", MANAGE, || web::to(create))
        .needs(Feature::Fina)
        .about(TAG, "Keeps the name of a premise that is registered on the authority's portal.")
        .takes::<NewFinaPremiseBody>()
        .creates::<PremiseOutcomeBody>(),
    Route::delete("/fiscalization/fina/premises/{id}", "deactivateFinaPremise", MANAGE, || {
        web::to(close)
    })
    .needs(Feature::Fina)
    .about(TAG, "Deactivates a premise and its devices, for good.")
    .tells::<PremiseOutcomeBody>(),
];

/// Routes of FINA that both authorities have.
pub(crate) const ROUTES: &[Route] = shared_routes!(Fina at "fina" in "Croatia");

/// Settings as they are read through their entity.
pub(super) fn as_setting(
    settings: FiscalSettings,
    to: Environment,
    now: OffsetDateTime,
) -> Result<(&'static str, Value), ApiError> {
    authority_api::as_setting::<Fina>(settings, to, now)
}

impl AuthorityApi for Fina {
    const AUTHORITY: Authority = Authority::Fina;
    type PremiseId = id::FinaPremise;
    type DeviceId = id::FinaDevice;
    type Settings = FinaSettingsBody;
    type SettingsInput = FinaSettingsInputBody;
    type Premise = FinaPremiseBody;
    type Device = FinaDeviceBody;
    type NewDevice = NewFinaDeviceBody;

    fn settings(
        settings: FiscalSettings,
        to: Environment,
        now: OffsetDateTime,
        missing: Issues,
    ) -> Self::Settings {
        let told = Told::of(&settings, now);
        FinaSettingsBody {
            enabled: settings.enabled,
            operator_oib: settings.operator_number,
            operator_label: settings.operator_label,
            u_sust_pdv: settings.in_vat_system,
            numbering_sequence: settings.numbering.convert(),
            unified_numbering: settings.unified_numbering,
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

/// What numbers are of: `N` each device, `P` each premise.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = FinaNumberingSequence)]
enum SequenceBody {
    /// Each device has a sequence of its own.
    N,
    /// All devices of a premise share one.
    P,
}

impl Convert<SequenceBody> for Numbering {
    fn convert(self) -> SequenceBody {
        match self {
            Self::PerDevice => SequenceBody::N,
            Self::PerPremise => SequenceBody::P,
        }
    }
}

impl Convert<Numbering> for SequenceBody {
    fn convert(self) -> Numbering {
        match self {
            Self::N => Numbering::PerDevice,
            Self::P => Numbering::PerPremise,
        }
    }
}

/// Settings of fiscalization in Croatia.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FinaSettings)]
struct FinaSettingsBody {
    /// Whether documents are fiscalized.
    enabled: bool,
    /// OIB of the operator of documents that name no other.
    #[schema(required = true)]
    operator_oib: Option<String>,
    /// Their mark on documents.
    #[schema(required = true)]
    operator_label: Option<String>,
    /// Whether the taxpayer is in the VAT system.
    u_sust_pdv: bool,
    /// What numbers are of.
    numbering_sequence: SequenceBody,
    /// Documents of all kinds share a sequence, whatever this says.
    unified_numbering: bool,
    /// Which of the authority's systems receives reports.
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

/// What a caller says of the settings of fiscalization in Croatia.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = FinaSettingsInput)]
struct FinaSettingsInputBody {
    /// Whether documents are fiscalized; null for false.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    enabled: Patch<bool>,
    /// OIB of the operator where a document names none: eleven digits, the last of which checks
    /// the others.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    operator_oib: Patch<String>,
    /// Their mark on documents: 1 to 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    operator_label: Patch<String>,
    /// Whether the taxpayer is in the VAT system; null for true.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    u_sust_pdv: Patch<bool>,
    /// What numbers are of; null for `P`. It cannot change after the first number of a year in a
    /// premise that is open.
    #[serde(default)]
    #[schema(value_type = Option<SequenceBody>)]
    numbering_sequence: Patch<SequenceBody>,
    /// Kept and answered; null for true.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    unified_numbering: Patch<bool>,
}

impl Convert<SettingsInput> for FinaSettingsInputBody {
    fn convert(self) -> SettingsInput {
        SettingsInput {
            enabled: self.enabled,
            numbering: self.numbering_sequence.convert(),
            operator_number: self.operator_oib,
            operator_label: self.operator_label,
            in_vat_system: self.u_sust_pdv,
            unified_numbering: self.unified_numbering,
            ..SettingsInput::default()
        }
    }
}

/// A business premise that is registered on the authority's portal.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = NewFinaPremise)]
struct NewFinaPremiseBody {
    /// 1 to 20 letters and digits, as on the portal; used once.
    business_premise_name: String,
    /// First number of this year's sequence, 1 to 999999999; 1 when absent.
    starting_number: Option<i64>,
}

/// An electronic device.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = NewFinaDevice)]
struct NewFinaDeviceBody {
    /// 1 to 20 digits, used once in the premise.
    electronic_device_name: String,
    /// First number of its own sequence of this year, 1 to 999999999; 1 when absent.
    starting_number: Option<i64>,
}

impl Convert<NewDevice> for NewFinaDeviceBody {
    fn convert(self) -> NewDevice {
        NewDevice { name: self.electronic_device_name, starting_number: self.starting_number }
    }
}

async fn create(
    call: EntityCall,
    body: Body<NewFinaPremiseBody>,
) -> Result<Created<PremiseOutcomeBody>, ApiError> {
    let NewFinaPremiseBody { business_premise_name: name, starting_number } = body.0;
    let new = NewPremise { name, kind: None, starting_number };
    let task = call.run(|call| async move {
        premises::create(call.cx(), call.entity(), Authority::Fina, new).await
    });
    let premise = task.await?;
    Ok(Created(PremiseOutcomeBody::of(premise, "documents can be issued in the premise")))
}

async fn close(
    call: Call,
    id: PathId<id::FinaPremise>,
) -> Result<Json<PremiseOutcomeBody>, ApiError> {
    let id = premise_id::<Fina>(&id);
    let task = call.run(|call| async move { premises::close(call.cx(), id).await });
    let premise = task.await?;
    let message = "nothing can be issued in the premise or on its devices any more";
    Ok(Json(PremiseOutcomeBody::of(premise, message)))
}
