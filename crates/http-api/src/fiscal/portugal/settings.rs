//! Who calls the authority for an entity.

use actix_web::web;
use racun_fiscalization::certified::settings;
use racun_kernel::Patch;
use racun_kernel::calendar::format_instant;
use racun_portugal::{PtSettings, SettingsInput};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::super::authority_api::vault;
use super::{MANAGE, READ, TAG, portugal};
use crate::answer::Json;
use crate::body::Convert;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::Route;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/fiscalization/pt/settings", "getPtSettings", READ, || web::to(get))
        .about(TAG, "Answers who calls the authority for an entity in Portugal.")
        .answers::<PtSettingsBody>(),
    Route::put("/fiscalization/pt/settings", "updatePtSettings", MANAGE, || web::to(put))
        .read_by(&["getPtSettings"])
        .about(TAG, "Changes what is sent of the settings.")
        .takes::<PtSettingsInputBody>()
        .answers::<PtSettingsBody>(),
];

/// What a caller says of the settings. What is absent stays.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = PtSettingsInput)]
struct PtSettingsInputBody {
    /// The sub-user that the taxpayer made in the authority's portal, such as `508025338/1`, with
    /// the right WSE to register series and WFA to report invoices. Another one takes a password of
    /// its own.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    username: Patch<String>,
    /// Its password. It is kept sealed, and never answered.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 255)]
    password: Patch<String>,
    /// Whether each invoice is reported to the authority as soon as it is issued; false when null.
    /// Who does not use it hands in SAF-T each month.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    communicate_invoices: Patch<bool>,
}

impl Convert<SettingsInput> for PtSettingsInputBody {
    fn convert(self) -> SettingsInput {
        let Self { username, password, communicate_invoices } = self;
        SettingsInput { username, password, communicate_invoices }
    }
}

/// Who calls the authority for an entity in Portugal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PtSettings)]
struct PtSettingsBody {
    /// The sub-user; null where none is stored.
    #[schema(required = true)]
    username: Option<String>,
    /// Whether its password is stored.
    has_password: bool,
    /// Whether each invoice is reported to the authority as soon as it is issued.
    communicate_invoices: bool,
    /// When they last changed.
    updated_at: String,
}

impl From<PtSettings> for PtSettingsBody {
    fn from(settings: PtSettings) -> Self {
        Self {
            has_password: settings.password.is_some(),
            username: settings.username,
            communicate_invoices: settings.communicate_invoices,
            updated_at: format_instant(settings.updated_at),
        }
    }
}

async fn get(call: EntityCall) -> Result<Json<PtSettingsBody>, ApiError> {
    Ok(Json(settings::get(call.cx(), call.entity()).await?.into()))
}

async fn put(
    call: EntityCall,
    body: Body<PtSettingsInputBody>,
) -> Result<Json<PtSettingsBody>, ApiError> {
    let input = body.0.convert();
    let vault = vault(&call)?;
    let task = call.run(|call| async move {
        let portugal = portugal(&call)?;
        settings::update(call.cx(), call.entity(), &*portugal, vault, input).await
    });
    Ok(Json(task.await?.into()))
}
