//! Routes of the earlier generation, by which an entity is enrolled with its data in one body.
//!
//! There is no second record: what is sent is kept as the entity's own data, and how it stands is
//! its enrollment.

use actix_web::web;
use racun_access::Permission::{ManageEntity, ReadEntity};
use racun_access::{AccessError, Entity, EntityPatch};
use racun_application::entities;
use racun_billing::Feature;
use racun_einvoicing::network::{Enrollment, EnrollmentState};
use racun_kernel::iban::{self, BANK_ACCOUNTS};
use racun_kernel::{Issue, Issues, Patch, Step};
use racun_sales::network::{self, NetworkRefused, NetworkSettingsInput};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use validator::Validate;

use super::{EnrollmentStateBody, SETTINGS, TAG};
use crate::answer::{Created, Json};
use crate::body::Convert;
use crate::call::EntityCall;
use crate::error::{ApiError, Kind};
use crate::request::Body;
use crate::route::{Gate, Route};

const PATH: &str = "/e-invoicing/supplier";
const KEPT: &str = "What is sent is kept as the entity's own data: `vat_number` as its \
                    `tax_number`, `contact_email` and `contact_phone` as its `email` and `phone`, \
                    `iban` as its default bank account.";

/// Routes of the earlier generation.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(PATH, "createEInvoicingSupplier", Gate::Entity(ManageEntity), || web::to(create))
        .needs(Feature::EInvoicing)
        .read_by(&["getEInvoicingSupplier"])
        .about(TAG, "Enrolls the entity with these data.")
        .explained(KEPT)
        .superseded_by(SETTINGS)
        .takes_with::<SupplierInputBody>(&["company_name", "country_code"])
        .creates::<SupplierBody>(),
    Route::get(PATH, "getEInvoicingSupplier", Gate::Entity(ReadEntity), || web::to(get))
        .about(TAG, "Answers the entity as it is enrolled.")
        .may_lack()
        .superseded_by(SETTINGS)
        .answers::<SupplierBody>(),
    Route::patch(PATH, "updateEInvoicingSupplier", Gate::Entity(ManageEntity), || web::to(update))
        .needs(Feature::EInvoicing)
        .read_by(&["getEInvoicingSupplier"])
        .about(TAG, "Changes what is sent of the data that the entity is enrolled with.")
        .may_lack()
        .explained(KEPT)
        .superseded_by(SETTINGS)
        .takes::<SupplierInputBody>()
        .answers::<SupplierBody>(),
];

/// An entity's data, as the earlier generation names them.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = EInvoicingSupplierInput)]
struct SupplierInputBody {
    /// Its name.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    company_name: Patch<String>,
    /// Its VAT number, by which it sends.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    vat_number: Patch<String>,
    /// Its registration number.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    company_number: Patch<String>,
    /// Its bank account, which becomes the default one; null and nothing leave them as they are.
    iban: Option<String>,
    /// Street and house number.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    address: Patch<String>,
    /// City.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    city: Patch<String>,
    /// Postal code.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    post_code: Patch<String>,
    /// The entity's country, two letters; it never changes.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2)]
    country_code: Patch<String>,
    /// E-mail address.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    contact_email: Patch<String>,
    /// Phone number.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    contact_phone: Patch<String>,
}

/// The names of an entity's fields that are others here.
const NAMES: [(&str, &str); 5] = [
    ("name", "company_name"),
    ("tax_number", "vat_number"),
    ("email", "contact_email"),
    ("phone", "contact_phone"),
    ("settings", "iban"),
];

impl SupplierInputBody {
    /// What it changes of `entity`.
    fn parse(self, entity: &Entity) -> Result<EntityPatch, Issues> {
        let mut issues = Issues::default();
        let checked = self.iban.as_deref().map_or(Ok(()), iban::check).map_err(Issues::from);
        issues.collect("iban", checked);
        let settings = self.iban.map(|iban| {
            let accounts = with_default(entity.settings.bank_accounts(), &iban);
            Map::from_iter([(BANK_ACCOUNTS.to_owned(), Value::Array(accounts))])
        });
        issues.into_result(EntityPatch {
            name: self.company_name,
            tax_number: self.vat_number,
            company_number: self.company_number,
            address: self.address,
            city: self.city,
            post_code: self.post_code,
            country_code: self.country_code,
            email: self.contact_email,
            phone: self.contact_phone,
            settings: settings.map_or(Patch::Absent, Patch::Value),
            ..EntityPatch::default()
        })
    }
}

/// An IBAN without blanks, in capitals.
fn compact(iban: &str) -> String {
    iban.chars().filter(|sign| !sign.is_whitespace()).collect::<String>().to_ascii_uppercase()
}

fn iban_of(account: &Value) -> Option<String> {
    account["iban"].as_str().map(compact)
}

/// The accounts with that of `iban` as the default one.
fn with_default(mut accounts: Vec<Value>, iban: &str) -> Vec<Value> {
    let own = Some(compact(iban));
    if !accounts.iter().any(|account| iban_of(account) == own) {
        accounts.insert(0, json!({ "type": "iban", "iban": compact(iban) }));
    }
    for account in &mut accounts {
        let is_default = iban_of(account) == own;
        if is_default || account["is_default"] == true {
            account["is_default"] = is_default.into();
        }
    }
    accounts
}

/// The entity as it is enrolled.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoicingSupplier)]
pub(crate) struct SupplierBody {
    /// Its id: the entity's.
    id: String,
    /// Its name.
    company_name: String,
    /// Its VAT number.
    #[schema(required = true)]
    vat_number: Option<String>,
    /// Its registration number.
    #[schema(required = true)]
    company_number: Option<String>,
    /// The IBAN of its default bank account.
    #[schema(required = true)]
    iban: Option<String>,
    /// Street and house number.
    #[schema(required = true)]
    address: Option<String>,
    /// City.
    #[schema(required = true)]
    city: Option<String>,
    /// Postal code.
    #[schema(required = true)]
    post_code: Option<String>,
    /// Its country, two letters.
    #[schema(required = true)]
    country_code: Option<String>,
    /// E-mail address.
    #[schema(required = true)]
    contact_email: Option<String>,
    /// Phone number.
    #[schema(required = true)]
    contact_phone: Option<String>,
    /// How it stands.
    status: EnrollmentStateBody,
    /// When it was enrolled.
    created_at: String,
    /// When its enrollment changed last.
    updated_at: String,
}

impl SupplierBody {
    /// `entity`, which stands as `enrollment` says.
    pub(crate) fn of(entity: &Entity, enrollment: &Enrollment) -> Self {
        let accounts = entity.settings.bank_accounts();
        let default = accounts.iter().find(|account| account["is_default"] == true);
        Self {
            id: entity.id.to_string().replacen("ent_", "einv_sup_", 1),
            company_name: entity.name.clone(),
            vat_number: entity.tax_number.clone(),
            company_number: entity.company_number.clone(),
            iban: default.or_else(|| accounts.first()).and_then(iban_of),
            address: entity.address.clone(),
            city: entity.city.clone(),
            post_code: entity.post_code.clone(),
            country_code: entity.country_code.clone(),
            contact_email: entity.email.clone(),
            contact_phone: entity.phone.clone(),
            status: enrollment.state.convert(),
            created_at: enrollment.created_at.convert(),
            updated_at: enrollment.updated_at.convert(),
        }
    }
}

/// The enrollment of the entity; `None` where its settings want none.
async fn enrolled(call: &EntityCall) -> Result<Option<Enrollment>, ApiError> {
    let found = network::get(call.cx(), call.entity()).await?;
    let enrollment = Some(found.enrollment).filter(|_| found.enabled);
    Ok(enrollment.filter(|enrollment| enrollment.state != EnrollmentState::NotEnabled))
}

fn none() -> ApiError {
    let message = "the entity is not enrolled; POST /e-invoicing/supplier enrolls it, and so does \
                   PUT /e-invoicing/settings with enabled: true";
    ApiError::new(Kind::NotFound, message)
}

/// Keeps what is sent as the entity's data, and tells the provider by a job.
async fn keep(
    call: EntityCall,
    patch: EntityPatch,
    enabled: Option<bool>,
) -> Result<SupplierBody, ApiError> {
    let changed = entities::update_entity(call.cx(), patch).await;
    let entity = changed.map_err(|error| match error {
        AccessError::Invalid(issues) => renamed(&issues).into(),
        other => ApiError::from(other),
    })?;
    let input = NetworkSettingsInput { enabled, ..NetworkSettingsInput::default() };
    let settings = network::update(call.cx(), call.network.clone(), input).await?;
    Ok(SupplierBody::of(&entity, &settings.enrollment))
}

/// Issues with an entity at the fields of this body.
fn renamed(issues: &Issues) -> Issues {
    let mut here = Issues::default();
    for mut issue in issues.iter().cloned() {
        let is_first = |name: &str| issue.path.first() == Some(&Step::from(name));
        if let Some((_, name)) = NAMES.iter().find(|(name, _)| is_first(name)) {
            issue.path = vec![Step::from(*name)];
        }
        here.push(issue);
    }
    here
}

async fn create(
    call: EntityCall,
    body: Body<SupplierInputBody>,
) -> Result<Created<SupplierBody>, ApiError> {
    let needed = [("company_name", &body.0.company_name), ("country_code", &body.0.country_code)];
    let mut issues = Issues::default();
    for (field, _) in needed.into_iter().filter(|(_, sent)| sent.value().is_none()) {
        issues.push(Issue::new("required", "a company is not enrolled without this").at(field));
    }
    let patch = issues.note(body.0.parse(call.entity())).unwrap_or_default();
    issues.into_result(())?;
    if enrolled(&call).await?.is_some() {
        return Err(NetworkRefused::Enrolled.into());
    }
    let task = call.run(|call| keep(call, patch, Some(true)));
    Ok(Created(task.await?))
}

async fn get(call: EntityCall) -> Result<Json<SupplierBody>, ApiError> {
    let enrollment = enrolled(&call).await?.ok_or_else(none)?;
    Ok(Json(SupplierBody::of(call.entity(), &enrollment)))
}

async fn update(
    call: EntityCall,
    body: Body<SupplierInputBody>,
) -> Result<Json<SupplierBody>, ApiError> {
    let patch = body.0.parse(call.entity())?;
    enrolled(&call).await?.ok_or_else(none)?;
    let task = call.run(|call| keep(call, patch, None));
    Ok(Json(task.await?))
}
