//! What both authorities' settings have: one handler for each operation.

use std::sync::Arc;

use racun_application::Services;
use racun_fiscal::{
    Authority, CertificateFault, DeviceId, FiscalError, FiscalSettings, NewDevice, PremiseId,
    SettingsInput, TestCertificate, taxpayer_number,
};
use racun_fiscalization::setup::{
    DeviceState, PremiseState, check_country, devices, premises, settings,
};
use racun_kernel::{Environment, Issues, Kind, Vault};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use super::certificate::{CertificateBody, MessageBody};
use super::premise::{DeviceOutcomeBody, RestartBody};
use crate::answer::{Created, Json};
use crate::body::{ArrayBody, Convert};
use crate::call::{Call, EntityCall};
use crate::error::{self, ApiError};
use crate::request::{Body, Form, PathId};

/// An authority, as its routes know it.
pub(super) trait AuthorityApi: 'static {
    /// Which.
    const AUTHORITY: Authority;
    /// Kind of its premises' ids.
    type PremiseId: Kind;
    /// Kind of its devices' ids.
    type DeviceId: Kind;
    /// The settings, answered.
    type Settings: Serialize + ToSchema;
    /// The settings, sent.
    type SettingsInput: DeserializeOwned + Validate + ToSchema + Convert<SettingsInput> + 'static;
    /// A premise, answered.
    type Premise: Serialize + ToSchema;
    /// A device, answered.
    type Device: Serialize + ToSchema;
    /// A device, sent.
    type NewDevice: DeserializeOwned + Validate + ToSchema + Convert<NewDevice> + 'static;

    /// What is answered of settings at `now`, of which `missing` is what a sale would miss.
    fn settings(
        settings: FiscalSettings,
        to: Environment,
        now: OffsetDateTime,
        missing: Issues,
    ) -> Self::Settings;
}

/// The premise's id in the path.
pub(super) const fn premise_id<O: AuthorityApi>(id: &PathId<O::PremiseId>) -> PremiseId {
    PremiseId::of(O::AUTHORITY, id.0.ulid())
}

const fn device_id<O: AuthorityApi>(id: &PathId<O::DeviceId>) -> DeviceId {
    DeviceId::of(O::AUTHORITY, id.0.ulid())
}

/// The vault that private keys are kept in.
pub(super) fn vault(services: &Services) -> Result<Arc<dyn Vault>, ApiError> {
    services.vault.clone().ok_or_else(|| {
        let message =
            "certificates need a master key; start the server with RACUN__SECRETS__MASTER_KEY";
        ApiError::new(error::Kind::Unavailable, message).caused_by("master_key_missing")
    })
}

pub(super) async fn get_settings<O: AuthorityApi>(
    call: EntityCall,
) -> Result<Json<O::Settings>, ApiError> {
    let found = settings::get(call.cx(), O::AUTHORITY).await?;
    answer::<O>(&call, found).await
}

/// `settings` as they are answered.
async fn answer<O: AuthorityApi>(
    call: &EntityCall,
    found: FiscalSettings,
) -> Result<Json<O::Settings>, ApiError> {
    let missing = settings::missing(call.cx(), call.entity(), &found).await?;
    Ok(Json(O::settings(found, call.scope().environment(), call.stamp().now(), missing)))
}

/// `settings` as they are read through their entity: under which key, and what.
///
/// # Errors
/// When they cannot be written as JSON: a mistake in the program.
pub(super) fn as_setting<O: AuthorityApi>(
    settings: FiscalSettings,
    to: Environment,
    now: OffsetDateTime,
) -> Result<(&'static str, Value), ApiError> {
    let body = O::settings(settings, to, now, Issues::default());
    let mut value = serde_json::to_value(body).map_err(ApiError::internal)?;
    if let Some(map) = value.as_object_mut() {
        map.remove("warnings");
    }
    Ok((O::AUTHORITY.name(), value))
}

pub(super) async fn put_settings<O: AuthorityApi>(
    call: EntityCall,
    body: Body<O::SettingsInput>,
) -> Result<Json<O::Settings>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move {
        settings::update(call.cx(), call.entity(), O::AUTHORITY, input).await
    });
    let after = task.await?;
    answer::<O>(&call, after).await
}

pub(super) async fn upload<O: AuthorityApi>(
    call: EntityCall,
    form: Form,
) -> Result<Created<CertificateBody>, ApiError> {
    let mut form = form;
    let certificate =
        TestCertificate { file: form.file("file")?, passphrase: form.text("passphrase")? };
    keep::<O>(&call, certificate).await
}

/// Has the built-in simulator issue a certificate, and keeps it as if it had been uploaded.
pub(super) async fn issue_for_sandbox<O: AuthorityApi>(
    call: EntityCall,
) -> Result<Created<CertificateBody>, ApiError> {
    if call.scope().environment() != Environment::Sandbox {
        let message = "only entities of the sandbox get a certificate here; upload the one that \
                       the authority issued";
        return Err(ApiError::new(error::Kind::NotFound, message));
    }
    check_country(call.entity(), O::AUTHORITY).map_err(FiscalError::from)?;
    let number = taxpayer_number(O::AUTHORITY, call.entity().tax_number.as_deref())?;
    let name = call.entity().name.clone();
    let issue = call.run(|call| async move {
        let issuer = call.test_certificates.clone();
        let issued = call.compute(move || issuer?.issue(O::AUTHORITY, &number, &name)).await;
        issued.ok_or_else(|| {
            let message = "a test system is set, which gives out its own certificates";
            ApiError::new(error::Kind::NotFound, message)
        })
    });
    let issued = issue.await?;
    keep::<O>(&call, issued).await
}

/// Keeps a certificate that signs from now on.
async fn keep<O: AuthorityApi>(
    call: &EntityCall,
    certificate: TestCertificate,
) -> Result<Created<CertificateBody>, ApiError> {
    let vault = vault(call)?;
    let TestCertificate { file, passphrase } = certificate;
    let task = call.run::<_, FiscalError, _>(|call| async move {
        let authorities = Arc::clone(&call.authorities);
        let read = move || authorities.open_p12(O::AUTHORITY, &file, &passphrase);
        let opened = call.compute(read).await;
        let opened =
            opened.map_err(|fault| FiscalError::Certificate(CertificateFault::from(fault)))?;
        settings::set_certificate(call.cx(), &*vault, call.entity(), O::AUTHORITY, opened).await
    });
    let after: FiscalSettings = task.await?;
    Ok(Created(self::certificate(after, call.stamp().now())?))
}

pub(super) async fn get_certificate<O: AuthorityApi>(
    call: Call,
) -> Result<Json<CertificateBody>, ApiError> {
    let found = settings::get(call.cx(), O::AUTHORITY).await?;
    Ok(Json(certificate(found, call.stamp().now())?))
}

fn certificate(settings: FiscalSettings, now: OffsetDateTime) -> Result<CertificateBody, ApiError> {
    let authority = settings.authority;
    let found = settings.certificate.ok_or_else(|| ApiError::not_found("certificate"))?;
    Ok(CertificateBody::of(authority, found, now))
}

pub(super) async fn delete_certificate<O: AuthorityApi>(
    call: Call,
) -> Result<Json<MessageBody>, ApiError> {
    let task =
        call.run(|call| async move { settings::remove_certificate(call.cx(), O::AUTHORITY).await });
    task.await?;
    Ok(Json(MessageBody { message: "the certificate and its key are deleted".to_owned() }))
}

pub(super) async fn list_premises<O: AuthorityApi>(
    call: Call,
) -> Result<Json<ArrayBody<O::Premise>>, ApiError>
where
    PremiseState: Convert<O::Premise>,
{
    Ok(Json(premises::list(call.cx(), O::AUTHORITY).await?.convert()))
}

pub(super) async fn get_premise<O: AuthorityApi>(
    call: Call,
    id: PathId<O::PremiseId>,
) -> Result<Json<O::Premise>, ApiError>
where
    PremiseState: Convert<O::Premise>,
{
    let id = premise_id::<O>(&id);
    Ok(Json(premises::get(call.cx(), id).await?.convert()))
}

pub(super) async fn restart_premise<O: AuthorityApi>(
    call: Call,
    id: PathId<O::PremiseId>,
    body: Body<RestartBody>,
) -> Result<Json<O::Premise>, ApiError>
where
    PremiseState: Convert<O::Premise>,
{
    let (id, sent) = (premise_id::<O>(&id), body.0.starting_number);
    let task = call.run(|call| async move { premises::restart(call.cx(), id, sent).await });
    Ok(Json(task.await?.convert()))
}

pub(super) async fn list_devices<O: AuthorityApi>(
    call: Call,
    id: PathId<O::PremiseId>,
) -> Result<Json<ArrayBody<O::Device>>, ApiError>
where
    DeviceState: Convert<O::Device>,
{
    let id = premise_id::<O>(&id);
    Ok(Json(devices::list(call.cx(), id).await?.convert()))
}

pub(super) async fn create_device<O: AuthorityApi>(
    call: EntityCall,
    id: PathId<O::PremiseId>,
    body: Body<O::NewDevice>,
) -> Result<Created<DeviceOutcomeBody>, ApiError> {
    let (id, new) = (premise_id::<O>(&id), body.0.convert());
    let task =
        call.run(|call| async move { devices::create(call.cx(), call.entity(), id, new).await });
    let device = task.await?;
    Ok(Created(DeviceOutcomeBody::of(device, "documents can be issued on the device")))
}

pub(super) async fn get_device<O: AuthorityApi>(
    call: Call,
    id: PathId<O::DeviceId>,
) -> Result<Json<O::Device>, ApiError>
where
    DeviceState: Convert<O::Device>,
{
    let id = device_id::<O>(&id);
    Ok(Json(devices::get(call.cx(), id).await?.convert()))
}

pub(super) async fn restart_device<O: AuthorityApi>(
    call: Call,
    id: PathId<O::DeviceId>,
    body: Body<RestartBody>,
) -> Result<Json<O::Device>, ApiError>
where
    DeviceState: Convert<O::Device>,
{
    let (id, sent) = (device_id::<O>(&id), body.0.starting_number);
    let task = call.run(|call| async move { devices::restart(call.cx(), id, sent).await });
    Ok(Json(task.await?.convert()))
}

pub(super) async fn deactivate_device<O: AuthorityApi>(
    call: Call,
    id: PathId<O::DeviceId>,
) -> Result<Json<DeviceOutcomeBody>, ApiError> {
    let id = device_id::<O>(&id);
    let task = call.run(|call| async move { devices::deactivate(call.cx(), id).await });
    let device = task.await?;
    Ok(Json(DeviceOutcomeBody::of(device, "nothing can be issued on the device any more")))
}
