//! Business units.

use actix_web::web;
use racun_access::Permission::{DeleteUnits, EraseRecords, ReadTill, WriteRecords};
use racun_access::check_unit_settings;
use racun_billing::Feature;
use racun_catalog::{self as catalog, BusinessUnit, BusinessUnitInput};
use racun_delivery::mailing::check_mail_texts;
use racun_fiscalization::certified::is_portugal;
use racun_kernel::{Issues, id};
use racun_portugal::restrictions::check_template;
use serde_json::{Map, Value};

use super::{answered, erase, get, list, restore, trash};
use crate::answer::{Created, Json};
use crate::body::{Convert, ListBody, answer, input};
use crate::body_limit::RECORD;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, PathId};
use crate::route::{Gate, LIST, Route};
use crate::warning::WarningBody;

const TAG: &str = "Business units";

/// Routes of business units.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/business-units", "createBusinessUnit", Gate::Entity(WriteRecords), || {
        web::to(create)
    })
    .needs(Feature::BusinessUnits)
    .read_by(&["getBusinessUnit"])
    .about(TAG, "Adds a business unit.")
    .takes_with::<BusinessUnitInputBody>(&["name"])
    .up_to(RECORD)
    .creates::<BusinessUnitBody>(),
    Route::get("/business-units", "listBusinessUnits", Gate::Entity(ReadTill), || {
        web::to(list::<BusinessUnit>)
    })
    .about(TAG, "Lists business units.")
    .reads(LIST)
    .answers::<ListBody<BusinessUnitBody>>(),
    Route::get("/business-units/{id}", "getBusinessUnit", Gate::Entity(ReadTill), || {
        web::to(get::<BusinessUnit>)
    })
    .about(TAG, "Answers a business unit.")
    .answers::<BusinessUnitBody>(),
    Route::patch("/business-units/{id}", "updateBusinessUnit", Gate::Entity(WriteRecords), || {
        web::to(update)
    })
    .needs(Feature::BusinessUnits)
    .read_by(&["getBusinessUnit"])
    .about(TAG, "Changes what is sent of a business unit.")
    .takes::<BusinessUnitInputBody>()
    .up_to(RECORD)
    .answers::<BusinessUnitBody>(),
    Route::delete("/business-units/{id}", "deleteBusinessUnit", Gate::Entity(DeleteUnits), || {
        web::to(trash::<BusinessUnit>)
    })
    .needs(Feature::BusinessUnits)
    .about(TAG, "Moves a business unit to the trash."),
    Route::post(
        "/business-units/{id}/restore",
        "restoreBusinessUnit",
        Gate::Entity(DeleteUnits),
        || web::to(restore::<BusinessUnit>),
    )
    .needs(Feature::BusinessUnits)
    .read_by(&["getBusinessUnit"])
    .about(TAG, "Brings a business unit back from the trash.")
    .answers::<BusinessUnitBody>(),
    Route::delete(
        "/business-units/{id}/permanent",
        "permanentlyDeleteBusinessUnit",
        Gate::Entity(EraseRecords),
        || web::to(erase::<BusinessUnit>),
    )
    .needs(Feature::BusinessUnits)
    .about(TAG, "Removes a business unit in the trash for good."),
];

input! {
    /// What a caller says of a business unit.
    BusinessUnitInputBody as BusinessUnitInput into catalog::BusinessUnitInput {
        /// Its name.
        name: String,
        /// First line of the address.
        address: String,
        /// Second line of the address.
        address_2: String,
        /// Post code.
        post_code: String,
        /// City.
        city: String,
        /// State or region.
        state: String,
        /// Country as written.
        country: String,
        /// Two letters, in either case.
        country_code: String,
        /// E-mail address.
        email: String,
        /// Telephone number.
        phone: String,
        /// Web site.
        website: String,
        /// Taken over key by key: a key that is not sent stays. Null removes them all.
        settings: Map<String, Value>,
        /// The file of its logo.
        logo_file_id: String,
        /// The file of its signature.
        signature_file_id: String,
    }
}

answer! {
    /// A business unit.
    BusinessUnitBody as BusinessUnit from BusinessUnit {
        /// Its id.
        id: String,
        /// Whose unit.
        entity_id: String,
        /// Its name.
        name: String,
        /// First line of the address.
        address: Option<String>,
        /// Second line of the address.
        address_2: Option<String>,
        /// Post code.
        post_code: Option<String>,
        /// City.
        city: Option<String>,
        /// State or region.
        state: Option<String>,
        /// Country as written.
        country: Option<String>,
        /// ISO 3166-1 alpha-2 code, in capitals.
        country_code: Option<String>,
        /// E-mail address.
        email: Option<String>,
        /// Telephone number.
        phone: Option<String>,
        /// Web site.
        website: Option<String>,
        /// How its documents look and what they say by default.
        settings: Map<String, Value>,
        /// The file of its logo.
        logo_file_id: Option<String>,
        /// The file of its signature.
        signature_file_id: Option<String>,
        /// Its number in the entity: `{u}` of number formats.
        numbering_index: i64,
        /// Whether documents can be made for it.
        is_active: bool,
        /// Since when it is in the trash.
        deleted_at: Option<String>,
        /// When it was made.
        created_at: String,
        /// When it changed last.
        updated_at: String,
        /// What is odd about it: an IBAN that cannot be.
        warnings: Vec<WarningBody> => warnings,
    }
}

answered!(BusinessUnit, BusinessUnitBody);

/// Accepts settings that units have, and texts of mails whose variables there are.
///
/// # Errors
/// All that is wrong; paths begin with `settings`.
pub(crate) fn check_settings(settings: Option<&Map<String, Value>>) -> Result<(), Issues> {
    let Some(settings) = settings else { return Ok(()) };
    let mut issues = Issues::default();
    issues.note(check_unit_settings(settings));
    if let Err(texts) = check_mail_texts(settings) {
        issues.extend_elsewhere(&texts);
    }
    issues.into_result(()).map_err(|issues| issues.at("settings"))
}

/// Refuses another template than the one that documents in Portugal have.
fn check_look(call: &EntityCall, settings: Option<&Map<String, Value>>) -> Result<(), Issues> {
    let template = settings.and_then(|settings| settings.get("pdf_template")?.as_str());
    if !is_portugal(call.entity()) {
        return Ok(());
    }
    check_template(template, "pdf_template").map_err(|issue| issue.at("settings").into())
}

async fn create(
    call: EntityCall,
    body: Body<BusinessUnitInputBody>,
) -> Result<Created<BusinessUnitBody>, ApiError> {
    let input: BusinessUnitInput = body.0.convert();
    check_settings(input.settings.value())?;
    check_look(&call, input.settings.value())?;
    let task =
        call.run(|call| async move { catalog::create_business_unit(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn update(
    call: EntityCall,
    id: PathId<id::BusinessUnit>,
    body: Body<BusinessUnitInputBody>,
) -> Result<Json<BusinessUnitBody>, ApiError> {
    let input: BusinessUnitInput = body.0.convert();
    check_settings(input.settings.value())?;
    check_look(&call, input.settings.value())?;
    let task =
        call.run(|call| async move { catalog::update_business_unit(call.cx(), id.0, input).await });
    Ok(Json(task.await?.convert()))
}
