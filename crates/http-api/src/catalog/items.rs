//! Items.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Entity;
use racun_access::Permission::{EraseRecords, ReadTill, WriteRecords};
use racun_billing::Feature;
use racun_catalog::{self as catalog, Item, ItemRules, Tax};
use racun_kernel::calendar::local_date;
use racun_kernel::{Classification, Currency, Decimal, Stamp, id};
use racun_sales::documents::zone;
use racun_store::Page;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};
use utoipa::ToSchema;

use super::{erase, trash};
use crate::answer::{self, Created, Json};
use crate::body::{Convert, ListBody, input, names};
use crate::body_limit::RECORD;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::schema::{nullable_number, number};
const TAG: &str = "Items";

/// Routes of items.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/items", "createItem", Gate::Entity(WriteRecords), || web::to(create))
        .needs(Feature::Items)
        .read_by(&["getItem"])
        .about(TAG, "Adds an item.")
        .takes_with::<ItemInputBody>(&["name"])
        .up_to(RECORD)
        .creates::<ItemBody>(),
    Route::get("/items", "listItems", Gate::Entity(ReadTill), || web::to(list))
        .about(TAG, "Lists items.")
        .reads(LIST)
        .answers::<ListBody<ItemBody>>(),
    Route::get("/items/{id}", "getItem", Gate::Entity(ReadTill), || web::to(get))
        .about(TAG, "Answers an item.")
        .answers::<ItemBody>(),
    Route::patch("/items/{id}", "updateItem", Gate::Entity(WriteRecords), || web::to(update))
        .needs(Feature::Items)
        .read_by(&["getItem"])
        .about(TAG, "Changes what is sent of an item.")
        .takes::<ItemInputBody>()
        .up_to(RECORD)
        .answers::<ItemBody>(),
    Route::delete("/items/{id}", "deleteItem", Gate::Entity(WriteRecords), || {
        web::to(trash::<Item>)
    })
    .needs(Feature::Items)
    .about(TAG, "Moves an item to the trash."),
    Route::post("/items/{id}/restore", "restoreItem", Gate::Entity(WriteRecords), || {
        web::to(restore)
    })
    .needs(Feature::Items)
    .read_by(&["getItem"])
    .about(TAG, "Brings an item back from the trash.")
    .answers::<ItemBody>(),
    Route::delete(
        "/items/{id}/permanent",
        "permanentlyDeleteItem",
        Gate::Entity(EraseRecords),
        || web::to(erase::<Item>),
    )
    .needs(Feature::Items)
    .about(TAG, "Removes an item in the trash for good."),
];

names! {
    /// What is sold.
    ItemClassificationBody as ItemClassification of Classification {
        Product, Service, Advance
    }
}

/// What e-invoices need to know of an item.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ItemEInvoicing)]
pub struct ItemEInvoicingBody {
    /// Code of its unit in UN/ECE Recommendation 20.
    unit_code: Option<String>,
}

impl Convert<catalog::ItemEInvoicing> for ItemEInvoicingBody {
    fn convert(self) -> catalog::ItemEInvoicing {
        catalog::ItemEInvoicing { unit_code: self.unit_code }
    }
}

impl Convert<ItemEInvoicingBody> for catalog::ItemEInvoicing {
    fn convert(self) -> ItemEInvoicingBody {
        ItemEInvoicingBody { unit_code: self.unit_code }
    }
}

/// An item's texts in other languages, by locale.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ItemTranslations)]
pub struct ItemTranslationsBody {
    /// Names, at most 500 characters each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    name: BTreeMap<String, String>,
    /// Descriptions, at most 10000 characters each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    description: BTreeMap<String, String>,
}

impl Convert<catalog::ItemTranslations> for ItemTranslationsBody {
    fn convert(self) -> catalog::ItemTranslations {
        catalog::ItemTranslations { name: self.name, description: self.description }
    }
}

impl Convert<ItemTranslationsBody> for catalog::ItemTranslations {
    fn convert(self) -> ItemTranslationsBody {
        ItemTranslationsBody { name: self.name, description: self.description }
    }
}

/// A tax chosen by its classification, or by its rate today.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ItemTaxInput)]
pub struct ItemTaxInputBody {
    /// Percent, 0 to 100.
    #[schema(schema_with = nullable_number)]
    rate: Option<Decimal>,
    /// Decides alone when it is sent.
    #[schema(max_length = 50)]
    classification: Option<String>,
}

impl Convert<catalog::ItemTaxInput> for ItemTaxInputBody {
    fn convert(self) -> catalog::ItemTaxInput {
        catalog::ItemTaxInput { classification: self.classification, rate: self.rate }
    }
}

input! {
    /// What a caller says of an item.
    ItemInputBody as ItemInput into catalog::ItemInput {
        /// Its name.
        name: String,
        /// At most 10000 characters.
        description: String,
        /// Goods, service or prepayment.
        classification: ItemClassificationBody,
        /// Net price of one unit; clears the gross price.
        price: Decimal => nullable_number,
        /// Gross price of one unit; clears the net price.
        gross_price: Decimal => nullable_number,
        /// The unit it is sold by.
        unit: String,
        /// What e-invoices need to know of it.
        e_invoicing: ItemEInvoicingBody,
        /// Taxes of the entity.
        tax_ids: Vec<String>,
        /// The same, chosen by classification or rate; not together with `tax_ids`.
        taxes: Vec<ItemTaxInputBody>,
        /// A category that is not archived.
        financial_category_id: String,
        /// Up to 50 properties of at most 250 characters; replace all there were.
        metadata: BTreeMap<String, String>,
        /// Texts in other languages; replace all there were.
        translations: ItemTranslationsBody,
    }
}

/// Something that is sold, at a net price or a gross one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Item)]
pub struct ItemBody {
    /// Its id.
    id: String,
    /// Whose item.
    entity_id: String,
    /// Its name.
    name: String,
    /// What it is.
    #[schema(required = true)]
    description: Option<String>,
    /// Goods, service or prepayment.
    #[schema(required = true)]
    classification: Option<ItemClassificationBody>,
    /// Net price of one unit; null when it is priced gross.
    #[schema(required = true, schema_with = nullable_number)]
    price: Option<Decimal>,
    /// Gross price of one unit; null when it is priced net.
    #[schema(required = true, schema_with = nullable_number)]
    gross_price: Option<Decimal>,
    /// What one unit costs with tax today.
    #[schema(schema_with = number)]
    price_with_tax: Decimal,
    /// The unit it is sold by.
    #[schema(required = true)]
    unit: Option<String>,
    /// What e-invoices need to know of it.
    #[schema(required = true)]
    e_invoicing: Option<ItemEInvoicingBody>,
    /// The taxes on it.
    tax_ids: Vec<String>,
    /// The category that its lines are reported under.
    #[schema(required = true)]
    financial_category_id: Option<String>,
    /// Its texts in other languages.
    translations: ItemTranslationsBody,
    /// What the caller attached.
    metadata: BTreeMap<String, String>,
    /// Since when it is in the trash.
    #[schema(required = true)]
    deleted_at: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl ItemBody {
    /// `item` in `entity`, with the prices of the day of `at`.
    pub(crate) fn at(item: Item, taxes: &[Tax], entity: &Entity, at: OffsetDateTime) -> Self {
        Self::of(item, taxes, day(entity, at), entity.currency)
    }

    fn of(item: Item, taxes: &[Tax], today: Date, currency: Currency) -> Self {
        let price_with_tax = item.price_with_tax(taxes, today, currency);
        Self {
            id: item.id.convert(),
            entity_id: item.entity_id.convert(),
            name: item.name,
            description: item.description,
            classification: item.classification.convert(),
            price: item.price,
            gross_price: item.gross_price,
            price_with_tax,
            unit: item.unit,
            e_invoicing: item.e_invoicing.convert(),
            tax_ids: item.tax_ids.convert(),
            financial_category_id: item.financial_category_id.convert(),
            translations: item.translations.convert(),
            metadata: item.metadata.convert(),
            deleted_at: item.deleted_at.convert(),
            created_at: item.created_at.convert(),
            updated_at: item.updated_at.convert(),
        }
    }
}

/// The entity's local day; UTC's when its zone is not known.
fn today(entity: &Entity, stamp: &Stamp) -> Date {
    day(entity, stamp.now())
}

/// The entity's local day of `at`; UTC's when its zone is not known.
fn day(entity: &Entity, at: OffsetDateTime) -> Date {
    local_date(at, zone(entity)).unwrap_or_else(|| at.date())
}

fn rules(entity: &Entity, stamp: &Stamp) -> ItemRules {
    let max_taxes_per_item = usize::from(entity.country_rules().max_taxes_per_item);
    ItemRules { max_taxes_per_item, today: today(entity, stamp) }
}

/// Bodies of `items`, with the taxes that their prices need.
async fn render(call: &EntityCall, items: Vec<Item>) -> Result<Vec<ItemBody>, ApiError> {
    let taxes = catalog::taxes_of_items(&*call.store, &call.cx().tenant(), &items).await?;
    let (today, currency) = (today(call.entity(), call.stamp()), call.entity().currency);
    Ok(items.into_iter().map(|item| ItemBody::of(item, &taxes, today, currency)).collect())
}

async fn render_one(call: &EntityCall, item: Item) -> Result<ItemBody, ApiError> {
    let mut bodies = render(call, vec![item]).await?;
    bodies.pop().ok_or_else(|| ApiError::internal("an item was not rendered"))
}

async fn list(call: EntityCall, query: Query) -> Result<answer::Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page = catalog::list::<Item>(call.cx(), &raw).await?;
        let rows = render(&call, page.rows).await?;
        Ok(ListBody::of(Page { rows, pagination: page.pagination }))
    });
    page.await
}

async fn get(call: EntityCall, id: PathId<id::Item>) -> Result<Json<ItemBody>, ApiError> {
    let item = catalog::get::<Item>(call.cx(), id.0).await?;
    Ok(Json(render_one(&call, item).await?))
}

async fn create(
    call: EntityCall,
    body: Body<ItemInputBody>,
) -> Result<Created<ItemBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move {
        let rules = rules(call.entity(), call.stamp());
        let item = catalog::create_item(call.cx(), input, &rules).await?;
        render_one(&call, item).await
    });
    Ok(Created(task.await?))
}

async fn update(
    call: EntityCall,
    id: PathId<id::Item>,
    body: Body<ItemInputBody>,
) -> Result<Json<ItemBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move {
        let rules = rules(call.entity(), call.stamp());
        let item = catalog::update_item(call.cx(), id.0, input, &rules).await?;
        render_one(&call, item).await
    });
    Ok(Json(task.await?))
}

async fn restore(call: EntityCall, id: PathId<id::Item>) -> Result<Json<ItemBody>, ApiError> {
    let task = call.run(|call| async move {
        let item = catalog::restore::<Item>(call.cx(), id.0).await?;
        render_one(&call, item).await
    });
    Ok(Json(task.await?))
}
