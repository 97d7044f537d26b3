//! Suppliers.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Permission::{EraseRecords, ReadTill, WriteRecords};
use racun_catalog::{self as catalog, Supplier};
use racun_kernel::id;

use super::{answered, erase, get, list, restore, trash};
use crate::answer::{Created, Json};
use crate::body::{Convert, ListBody, answer, input};
use crate::body_limit::RECORD;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathId};
use crate::route::{Gate, LIST, Route};
use crate::warning::WarningBody;

const TAG: &str = "Suppliers";

/// Routes of suppliers.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/suppliers", "createSupplier", Gate::Entity(WriteRecords), || web::to(create))
        .read_by(&["getSupplier"])
        .about(TAG, "Adds a supplier.")
        .takes_with::<SupplierInputBody>(&["name"])
        .up_to(RECORD)
        .creates::<SupplierBody>(),
    Route::get("/suppliers", "listSuppliers", Gate::Entity(ReadTill), || web::to(list::<Supplier>))
        .about(TAG, "Lists suppliers.")
        .reads(LIST)
        .answers::<ListBody<SupplierBody>>(),
    Route::get("/suppliers/{id}", "getSupplier", Gate::Entity(ReadTill), || {
        web::to(get::<Supplier>)
    })
    .about(TAG, "Answers a supplier.")
    .answers::<SupplierBody>(),
    Route::patch("/suppliers/{id}", "updateSupplier", Gate::Entity(WriteRecords), || {
        web::to(update)
    })
    .read_by(&["getSupplier"])
    .about(TAG, "Changes what is sent of a supplier.")
    .takes::<SupplierInputBody>()
    .up_to(RECORD)
    .answers::<SupplierBody>(),
    Route::delete("/suppliers/{id}", "deleteSupplier", Gate::Entity(WriteRecords), || {
        web::to(trash::<Supplier>)
    })
    .about(TAG, "Moves a supplier to the trash."),
    Route::post("/suppliers/{id}/restore", "restoreSupplier", Gate::Entity(WriteRecords), || {
        web::to(restore::<Supplier>)
    })
    .read_by(&["getSupplier"])
    .about(TAG, "Brings a supplier back from the trash.")
    .answers::<SupplierBody>(),
    Route::delete(
        "/suppliers/{id}/permanent",
        "permanentlyDeleteSupplier",
        Gate::Entity(EraseRecords),
        || web::to(erase::<Supplier>),
    )
    .about(TAG, "Removes a supplier in the trash for good."),
];

input! {
    /// What a caller says of a supplier.
    SupplierInputBody as SupplierInput into catalog::SupplierInput {
        /// Name of the business or person.
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
        /// Tax number.
        tax_number: String,
        /// Registration number.
        company_number: String,
        /// Address in the Peppol network.
        peppol_id: String,
        /// E-mail address.
        email: String,
        /// Telephone number.
        phone: String,
        /// True when absent.
        is_tax_subject: bool,
        /// Up to 50 properties of at most 250 characters; replace all there were.
        metadata: BTreeMap<String, String>,
    }
}

answer! {
    /// A supplier.
    SupplierBody as Supplier from Supplier {
        /// Its id.
        id: String,
        /// Whose supplier.
        entity_id: String,
        /// Name of the business or person.
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
        /// Tax number.
        tax_number: Option<String>,
        /// Registration number.
        company_number: Option<String>,
        /// Address in the Peppol network.
        peppol_id: Option<String>,
        /// E-mail address.
        email: Option<String>,
        /// Telephone number.
        phone: Option<String>,
        /// Whether it is registered for VAT.
        is_tax_subject: bool,
        /// What the caller attached.
        metadata: BTreeMap<String, String>,
        /// Since when it is in the trash.
        deleted_at: Option<String>,
        /// When it was made.
        created_at: String,
        /// When it changed last.
        updated_at: String,
        /// What is odd about it: numbers that cannot be.
        warnings: Vec<WarningBody> => warnings,
    }
}

answered!(Supplier, SupplierBody);

async fn create(
    call: Call,
    body: Body<SupplierInputBody>,
) -> Result<Created<SupplierBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move { catalog::create_supplier(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn update(
    call: Call,
    id: PathId<id::Supplier>,
    body: Body<SupplierInputBody>,
) -> Result<Json<SupplierBody>, ApiError> {
    let input = body.0.convert();
    let task =
        call.run(|call| async move { catalog::update_supplier(call.cx(), id.0, input).await });
    Ok(Json(task.await?.convert()))
}
