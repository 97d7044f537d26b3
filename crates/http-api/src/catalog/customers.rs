//! Customers.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Permission::{EraseRecords, ReadTill, WriteRecords};
use racun_billing::Feature;
use racun_catalog::{self as catalog, Customer};
use racun_kernel::id;

use super::parts::{BankAccountBody, UjpBody};
use super::{answered, erase, get, list, restore, trash};
use crate::answer::{Created, Json};
use crate::body::{Convert, ListBody, answer, input, names};
use crate::body_limit::RECORD;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathId};
use crate::route::{Gate, LIST, Route};
use crate::warning::WarningBody;

const TAG: &str = "Customers";

/// Routes of customers.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/customers", "createCustomer", Gate::Entity(WriteRecords), || web::to(create))
        .needs(Feature::Customers)
        .read_by(&["getCustomer"])
        .about(TAG, "Adds a customer.")
        .takes_with::<CustomerInputBody>(&["name"])
        .up_to(RECORD)
        .creates::<CustomerBody>(),
    Route::get("/customers", "listCustomers", Gate::Entity(ReadTill), || web::to(list::<Customer>))
        .about(TAG, "Lists customers.")
        .reads(LIST)
        .answers::<ListBody<CustomerBody>>(),
    Route::get("/customers/{id}", "getCustomer", Gate::Entity(ReadTill), || {
        web::to(get::<Customer>)
    })
    .about(TAG, "Answers a customer.")
    .answers::<CustomerBody>(),
    Route::patch("/customers/{id}", "updateCustomer", Gate::Entity(WriteRecords), || {
        web::to(update)
    })
    .needs(Feature::Customers)
    .read_by(&["getCustomer"])
    .about(TAG, "Changes what is sent of a customer.")
    .takes::<CustomerInputBody>()
    .up_to(RECORD)
    .answers::<CustomerBody>(),
    Route::delete("/customers/{id}", "deleteCustomer", Gate::Entity(WriteRecords), || {
        web::to(trash::<Customer>)
    })
    .needs(Feature::Customers)
    .about(TAG, "Moves a customer to the trash."),
    Route::post("/customers/{id}/restore", "restoreCustomer", Gate::Entity(WriteRecords), || {
        web::to(restore::<Customer>)
    })
    .needs(Feature::Customers)
    .read_by(&["getCustomer"])
    .about(TAG, "Brings a customer back from the trash.")
    .answers::<CustomerBody>(),
    Route::delete(
        "/customers/{id}/permanent",
        "permanentlyDeleteCustomer",
        Gate::Entity(EraseRecords),
        || web::to(erase::<Customer>),
    )
    .needs(Feature::Customers)
    .about(TAG, "Removes a customer in the trash for good."),
];

names! {
    /// What an entity has to do with a contact.
    ContactTypeBody as ContactType of catalog::ContactType { Buyer, Supplier, Both }
}

input! {
    /// What a caller says of a customer.
    CustomerInputBody as CustomerInput into catalog::CustomerInput {
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
        /// Scheme of that address.
        peppol_scheme_id: String,
        /// Bank accounts.
        bank_accounts: Vec<BankAccountBody>,
        /// E-mail address.
        email: String,
        /// `buyer` when absent.
        contact_type: ContactTypeBody,
        /// True when absent.
        is_tax_subject: bool,
        /// False when absent.
        is_end_consumer: bool,
        /// Routing to a budget user in Slovenia.
        ujp: UjpBody,
        /// Up to 50 properties of at most 250 characters; replace all there were.
        metadata: BTreeMap<String, String>,
    }
}

answer! {
    /// What VIES said of a customer's tax number.
    ViesBody as CustomerVies from catalog::Vies {
        /// Whether the number is valid.
        valid: bool,
        /// When it was asked.
        checked_at: String,
        /// The registered name.
        name: Option<String>,
        /// The registered address.
        address: Option<String>,
    }
}

answer! {
    /// A customer.
    CustomerBody as Customer from Customer {
        /// Its id.
        id: String,
        /// Whose customer.
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
        /// Scheme of that address.
        peppol_scheme_id: Option<String>,
        /// Bank accounts.
        bank_accounts: Option<Vec<BankAccountBody>>,
        /// E-mail address.
        email: Option<String>,
        /// What the entity has to do with it.
        contact_type: ContactTypeBody,
        /// Whether it is registered for VAT.
        is_tax_subject: bool,
        /// Whether it buys for itself, not for a business.
        is_end_consumer: bool,
        /// Routing to a budget user in Slovenia.
        ujp: Option<UjpBody>,
        /// What the caller attached.
        metadata: BTreeMap<String, String>,
        /// The last check of its tax number.
        vies: Option<ViesBody>,
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

answered!(Customer, CustomerBody);

async fn create(
    call: Call,
    body: Body<CustomerInputBody>,
) -> Result<Created<CustomerBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move { catalog::create_customer(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn update(
    call: Call,
    id: PathId<id::Customer>,
    body: Body<CustomerInputBody>,
) -> Result<Json<CustomerBody>, ApiError> {
    let input = body.0.convert();
    let task =
        call.run(|call| async move { catalog::update_customer(call.cx(), id.0, input).await });
    Ok(Json(task.await?.convert()))
}
