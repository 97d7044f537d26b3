//! What both authorities' settings have: one handler for each operation.

use actix_web::web::{Data, Json, ReqData};
use racun_access::Entity;
use racun_application::fiscal::{
    DeviceState, PremiseState, check_country, devices, premises, settings,
};
use racun_fiscal::{
    Authority, CertificateFault, DeviceId, FiscalError, FiscalSettings, NewDevice, PremiseId,
    SettingsInput, TestCertificate, taxpayer_number,
};
use racun_kernel::{Environment, Issues, Kind, Scope, Vault};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use time::OffsetDateTime;
use validator::Validate;

use super::certificate::{CertificateBody, MessageBody};
use super::premise::{DeviceOutcomeBody, RestartBody};
use crate::answer::Created;
use crate::body::{ArrayBody, Convert};
use crate::error::{self, ApiError};
use crate::request::{Body, Form, PathId};
use crate::services::Services;

/// An authority, as its routes know it.
pub(super) trait Office: 'static {
    /// Which.
    const AUTHORITY: Authority;
    /// Kind of its premises' ids.
    type PremiseId: Kind;
    /// Kind of its devices' ids.
    type DeviceId: Kind;
    /// The settings, answered.
    type Settings: Serialize;
    /// The settings, sent.
    type SettingsInput: DeserializeOwned + Validate + Convert<SettingsInput> + 'static;
    /// A premise, answered.
    type Premise: Serialize;
    /// A device, answered.
    type Device: Serialize;
    /// A device, sent.
    type NewDevice: DeserializeOwned + Validate + Convert<NewDevice> + 'static;

    /// What is answered of settings at `now`, of which `missing` is what a sale would miss.
    fn settings(
        settings: FiscalSettings,
        to: Environment,
        now: OffsetDateTime,
        missing: Issues,
    ) -> Self::Settings;
}

/// The premise's id in the path.
pub(super) const fn premise_id<O: Office>(id: &PathId<O::PremiseId>) -> PremiseId {
    PremiseId::of(O::AUTHORITY, id.0.ulid())
}

const fn device_id<O: Office>(id: &PathId<O::DeviceId>) -> DeviceId {
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

pub(super) async fn get_settings<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
) -> Result<Json<O::Settings>, ApiError> {
    let stamp = services.stamp();
    let found = settings::get(&*services.store, &scope, O::AUTHORITY, &stamp).await?;
    answer::<O>(&services, &scope, &entity, found).await
}

/// `settings` as they are answered.
async fn answer<O: Office>(
    services: &Services,
    scope: &Scope,
    entity: &Entity,
    found: FiscalSettings,
) -> Result<Json<O::Settings>, ApiError> {
    let (store, stamp) = (&*services.store, services.stamp());
    let missing = settings::missing(store, scope, entity, &found, &stamp).await?;
    Ok(Json(O::settings(found, scope.environment(), stamp.now(), missing)))
}

/// `settings` as they are read through their entity: under which key, and what.
///
/// # Errors
/// When they cannot be written as JSON: a mistake in the program.
pub(super) fn as_setting<O: Office>(
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

pub(super) async fn put_settings<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<O::SettingsInput>,
) -> Result<Json<O::Settings>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let input = body.0.convert();
    let (of, by) = (scope.clone(), entity.clone());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        settings::update(store, &scope, &entity, O::AUTHORITY, input, &stamp).await
    };
    let after = services.run(task).await?;
    answer::<O>(&services, &of, &by, after).await
}

pub(super) async fn upload<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    form: Form,
) -> Result<Created<CertificateBody>, ApiError> {
    let mut form = form;
    let certificate =
        TestCertificate { file: form.file("file")?, passphrase: form.text("passphrase")? };
    keep::<O>(&services, scope.into_inner(), entity.into_inner(), certificate).await
}

/// Has the built-in simulator issue a certificate, and keeps it as if it had been uploaded.
pub(super) async fn issue_for_sandbox<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
) -> Result<Created<CertificateBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    if scope.environment() != Environment::Sandbox {
        let message = "only entities of the sandbox get a certificate here; upload the one that \
                       the authority issued";
        return Err(ApiError::new(error::Kind::NotFound, message));
    }
    check_country(&entity, O::AUTHORITY).map_err(FiscalError::from)?;
    let number = taxpayer_number(O::AUTHORITY, entity.tax_number.as_deref())?;
    let name = entity.name.clone();
    let issue = |services: Services| async move {
        let issuer = services.test_certificates.clone();
        let issued = services.compute(move || issuer?.issue(O::AUTHORITY, &number, &name)).await;
        issued.ok_or_else(|| {
            let message = "a test system is set, which gives out its own certificates";
            ApiError::new(error::Kind::NotFound, message)
        })
    };
    let issued = services.run(issue).await?;
    keep::<O>(&services, scope, entity, issued).await
}

/// Keeps a certificate that signs from now on.
async fn keep<O: Office>(
    services: &Services,
    scope: Scope,
    entity: Entity,
    certificate: TestCertificate,
) -> Result<Created<CertificateBody>, ApiError> {
    let vault = vault(services)?;
    let TestCertificate { file, passphrase } = certificate;
    let task = |services: Services| async move {
        let (authorities, stamp) = (Arc::clone(&services.authorities), services.stamp());
        let read = move || authorities.open_p12(O::AUTHORITY, &file, &passphrase);
        let opened = services.compute(read).await;
        let opened =
            opened.map_err(|fault| FiscalError::Certificate(CertificateFault::from(fault)))?;
        let store = &*services.store;
        settings::set_certificate(store, &*vault, &scope, &entity, O::AUTHORITY, opened, &stamp)
            .await
    };
    let after: FiscalSettings = services.run::<_, FiscalError, _>(task).await?;
    Ok(Created(self::certificate(after, services.stamp().now())?))
}

pub(super) async fn get_certificate<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
) -> Result<Json<CertificateBody>, ApiError> {
    let stamp = services.stamp();
    let found = settings::get(&*services.store, &scope, O::AUTHORITY, &stamp).await?;
    Ok(Json(certificate(found, stamp.now())?))
}

fn certificate(settings: FiscalSettings, now: OffsetDateTime) -> Result<CertificateBody, ApiError> {
    let authority = settings.authority;
    let found = settings.certificate.ok_or_else(|| ApiError::not_found("certificate"))?;
    Ok(CertificateBody::of(authority, found, now))
}

pub(super) async fn delete_certificate<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
) -> Result<Json<MessageBody>, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        settings::remove_certificate(store, &scope, O::AUTHORITY, &stamp).await
    };
    services.run(task).await?;
    Ok(Json(MessageBody { message: "the certificate and its key are deleted".to_owned() }))
}

pub(super) async fn list_premises<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
) -> Result<Json<ArrayBody<O::Premise>>, ApiError>
where
    PremiseState: Convert<O::Premise>,
{
    let (store, stamp) = (&*services.store, services.stamp());
    Ok(Json(premises::list(store, &scope, O::AUTHORITY, &stamp).await?.convert()))
}

pub(super) async fn get_premise<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<O::PremiseId>,
) -> Result<Json<O::Premise>, ApiError>
where
    PremiseState: Convert<O::Premise>,
{
    let (id, store, stamp) = (premise_id::<O>(&id), &*services.store, services.stamp());
    Ok(Json(premises::get(store, &scope, id, &stamp).await?.convert()))
}

pub(super) async fn restart_premise<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<O::PremiseId>,
    body: Body<RestartBody>,
) -> Result<Json<O::Premise>, ApiError>
where
    PremiseState: Convert<O::Premise>,
{
    let (scope, id, sent) = (scope.into_inner(), premise_id::<O>(&id), body.0.starting_number);
    let task = |services: Services| async move {
        premises::restart(&*services.store, &scope, id, sent, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

pub(super) async fn list_devices<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<O::PremiseId>,
) -> Result<Json<ArrayBody<O::Device>>, ApiError>
where
    DeviceState: Convert<O::Device>,
{
    let (id, store, stamp) = (premise_id::<O>(&id), &*services.store, services.stamp());
    Ok(Json(devices::list(store, &scope, id, &stamp).await?.convert()))
}

pub(super) async fn create_device<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<O::PremiseId>,
    body: Body<O::NewDevice>,
) -> Result<Created<DeviceOutcomeBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let (id, new) = (premise_id::<O>(&id), body.0.convert());
    let task = |services: Services| async move {
        devices::create(&*services.store, &scope, &entity, id, new, &services.stamp()).await
    };
    let device = services.run(task).await?;
    Ok(Created(DeviceOutcomeBody::of(device, "documents can be issued on the device")))
}

pub(super) async fn get_device<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<O::DeviceId>,
) -> Result<Json<O::Device>, ApiError>
where
    DeviceState: Convert<O::Device>,
{
    let (id, store, stamp) = (device_id::<O>(&id), &*services.store, services.stamp());
    Ok(Json(devices::get(store, &scope, id, &stamp).await?.convert()))
}

pub(super) async fn restart_device<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<O::DeviceId>,
    body: Body<RestartBody>,
) -> Result<Json<O::Device>, ApiError>
where
    DeviceState: Convert<O::Device>,
{
    let (scope, id, sent) = (scope.into_inner(), device_id::<O>(&id), body.0.starting_number);
    let task = |services: Services| async move {
        devices::restart(&*services.store, &scope, id, sent, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

pub(super) async fn deactivate_device<O: Office>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<O::DeviceId>,
) -> Result<Json<DeviceOutcomeBody>, ApiError> {
    let (scope, id) = (scope.into_inner(), device_id::<O>(&id));
    let task = |services: Services| async move {
        devices::deactivate(&*services.store, &scope, id, &services.stamp()).await
    };
    let device = services.run(task).await?;
    Ok(Json(DeviceOutcomeBody::of(device, "nothing can be issued on the device any more")))
}
