//! Taxes.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Entity;
use racun_access::Permission::{EraseRecords, ReadTill, WriteRecords};
use racun_catalog::{self as catalog, Tax, TaxRateInput};
use racun_kernel::calendar::{midnight, parse_date, parse_instant};
use racun_kernel::{Decimal, Issue, Issues, Patch, id};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use super::{Answered, erase, get, list, restore, trash};
use crate::answer::{Created, Json};
use crate::body::{Convert, ListBody, answer};
use crate::body_limit::RECORD;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, PathId};
use crate::route::{Gate, LIST, Route};
use crate::schema::number;
use crate::warning::WarningBody;

const TAG: &str = "Taxes";

/// Routes of taxes.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/taxes", "createTax", Gate::Entity(WriteRecords), || web::to(create))
        .read_by(&["getTax"])
        .about(TAG, "Adds a tax.")
        .takes_with::<TaxInputBody>(&["tax_rates"])
        .up_to(RECORD)
        .creates::<TaxBody>(),
    Route::get("/taxes", "listTaxes", Gate::Entity(ReadTill), || web::to(list::<Tax>))
        .about(TAG, "Lists taxes.")
        .reads(LIST)
        .answers::<ListBody<TaxBody>>(),
    Route::get("/taxes/{id}", "getTax", Gate::Entity(ReadTill), || web::to(get::<Tax>))
        .about(TAG, "Answers a tax.")
        .answers::<TaxBody>(),
    Route::patch("/taxes/{id}", "updateTax", Gate::Entity(WriteRecords), || web::to(update))
        .read_by(&["getTax"])
        .about(TAG, "Changes a tax's rates, and whether it is the default.")
        .takes_with::<TaxInputBody>(&["tax_rates"])
        .up_to(RECORD)
        .answers::<TaxBody>(),
    Route::put("/taxes/{id}", "replaceTax", Gate::Entity(WriteRecords), || web::to(replace))
        .read_by(&["getTax"])
        .about(TAG, "Replaces a tax; documents keep what they copied.")
        .takes_with::<TaxInputBody>(&["tax_rates"])
        .up_to(RECORD)
        .answers::<TaxBody>(),
    Route::delete("/taxes/{id}", "deleteTax", Gate::Entity(WriteRecords), || web::to(trash::<Tax>))
        .about(TAG, "Moves a tax to the trash."),
    Route::post("/taxes/{id}/restore", "restoreTax", Gate::Entity(WriteRecords), || {
        web::to(restore::<Tax>)
    })
    .read_by(&["getTax"])
    .about(TAG, "Brings a tax back from the trash.")
    .answers::<TaxBody>(),
    Route::delete(
        "/taxes/{id}/permanent",
        "permanentlyDeleteTax",
        Gate::Entity(EraseRecords),
        || web::to(erase::<Tax>),
    )
    .about(TAG, "Removes a tax in the trash for good."),
];

/// A rate as it is sent.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TaxRateInput)]
struct TaxRateInputBody {
    /// Percent, 0 to 100.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// From when on it holds: a date or an instant; always, when absent.
    valid_from: Option<String>,
}

/// What a caller says of a tax.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = TaxInput)]
struct TaxInputBody {
    /// The rate and a percent sign when absent.
    #[schema(value_type = Option<String>, max_length = 100)]
    #[serde(default)]
    name: Patch<String>,
    /// At least one.
    #[schema(value_type = Option<Vec<TaxRateInputBody>>, min_items = 1)]
    #[serde(default)]
    tax_rates: Patch<Vec<TaxRateInputBody>>,
    /// True takes it from the tax that is the default now.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_default: Patch<bool>,
    /// The caller's own name for it, unique outside the trash.
    #[schema(value_type = Option<String>, max_length = 50)]
    #[serde(default)]
    classification: Patch<String>,
    /// Portuguese exemption code.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    pt_exemption_code: Patch<String>,
    /// Portuguese exemption reason.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    pt_exemption_reason: Patch<String>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    #[serde(default)]
    metadata: Patch<BTreeMap<String, String>>,
}

impl TaxInputBody {
    fn parse(self) -> Result<catalog::TaxInput, Issues> {
        let mut issues = Issues::default();
        let tax_rates = issues.collect("tax_rates", self.tax_rates.try_map(parse_rates));
        issues.into_result(catalog::TaxInput {
            name: self.name,
            tax_rates: tax_rates.unwrap_or_default(),
            is_default: self.is_default,
            classification: self.classification,
            pt_exemption_code: self.pt_exemption_code,
            pt_exemption_reason: self.pt_exemption_reason,
            metadata: self.metadata,
        })
    }
}

fn parse_rates(sent: Vec<TaxRateInputBody>) -> Result<Vec<TaxRateInput>, Issues> {
    let mut issues = Issues::default();
    let mut rates = Vec::new();
    for (n, TaxRateInputBody { rate, valid_from }) in sent.into_iter().enumerate() {
        let parsed = valid_from.as_deref().map(parse_valid_from).transpose();
        let parsed = parsed.map_err(|issue| Issues::from(issue.at("valid_from")));
        if let Some(valid_from) = issues.collect(n, parsed) {
            rates.push(TaxRateInput { rate, valid_from });
        }
    }
    issues.into_result(rates)
}

fn parse_valid_from(text: &str) -> Result<OffsetDateTime, Issue> {
    parse_date(text).map(midnight).or_else(|_| parse_instant(text))
}

answer! {
    /// A rate, and from when on it holds.
    TaxRateBody as TaxRate from catalog::TaxRate {
        /// Percent.
        #[schema(schema_with = number)]
        rate: Decimal,
        /// The first instant at which it holds.
        valid_from: String,
    }
}

/// A tax whose rate may change with time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tax)]
pub struct TaxBody {
    /// Its id.
    id: String,
    /// Whose tax.
    entity_id: String,
    /// Its name.
    name: String,
    /// The caller's own name for it.
    #[schema(required = true)]
    classification: Option<String>,
    /// Whether it is the entity's default.
    is_default: bool,
    /// Its rates, newest first.
    tax_rates: Vec<TaxRateBody>,
    /// Portuguese exemption code.
    #[schema(required = true)]
    pt_exemption_code: Option<String>,
    /// Portuguese exemption reason.
    #[schema(required = true)]
    pt_exemption_reason: Option<String>,
    /// What the caller attached.
    metadata: BTreeMap<String, String>,
    /// Since when it is in the trash.
    #[schema(required = true)]
    deleted_at: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
    /// What is odd about it: a rate that the entity's country has not. Empty in events.
    warnings: Vec<WarningBody>,
}

impl Convert<TaxBody> for Tax {
    fn convert(self) -> TaxBody {
        TaxBody {
            id: self.id.convert(),
            entity_id: self.entity_id.convert(),
            name: self.name,
            classification: self.classification,
            is_default: self.is_default,
            tax_rates: self.tax_rates.convert(),
            pt_exemption_code: self.pt_exemption_code,
            pt_exemption_reason: self.pt_exemption_reason,
            metadata: self.metadata.convert(),
            deleted_at: self.deleted_at.convert(),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
            warnings: Vec::new(),
        }
    }
}

impl Answered for Tax {
    type Body = TaxBody;

    fn answered(self, entity: &Entity) -> TaxBody {
        let warnings = self.warnings(entity.country_code.as_deref()).convert();
        TaxBody { warnings, ..self.convert() }
    }
}

async fn create(call: EntityCall, body: Body<TaxInputBody>) -> Result<Created<TaxBody>, ApiError> {
    let input = body.0.parse()?;
    let task = call.run(|call| async move { catalog::create_tax(call.cx(), input).await });
    Ok(Created(task.await?.answered(call.entity())))
}

async fn update(
    call: EntityCall,
    id: PathId<id::Tax>,
    body: Body<TaxInputBody>,
) -> Result<Json<TaxBody>, ApiError> {
    let input = body.0.parse()?;
    let task = call.run(|call| async move { catalog::update_tax(call.cx(), id.0, input).await });
    Ok(Json(task.await?.answered(call.entity())))
}

async fn replace(
    call: EntityCall,
    id: PathId<id::Tax>,
    body: Body<TaxInputBody>,
) -> Result<Json<TaxBody>, ApiError> {
    let input = body.0.parse()?;
    let task = call.run(|call| async move { catalog::replace_tax(call.cx(), id.0, input).await });
    Ok(Json(task.await?.answered(call.entity())))
}
