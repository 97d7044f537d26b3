//! Webhooks of the earlier generation: paths under `/v1`, camelCase bodies, bare arrays, `filter`
//! and `where`. An organization is an entity, and a token comes with or without `Bearer`.

use actix_web::{HttpRequest, web};
use racun_access::Permission::{self, ManageEntity, ReadWebhooks};
use racun_access::{self as access, AccessError, Caller, Entity, Forbidden};
use racun_delivery::webhooks::{self, Holder};
use racun_kernel::id::WebhookId;
use racun_kernel::{Issue, Patch, Scope};
use racun_webhooks::{EarlierInput, Endpoint};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use validator::Validate;

use super::filter::{Filter, count_where};
use crate::answer::Json;
use crate::body::{ArrayBody, Convert};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathText, Query};
use crate::route::{Gate, Parameter, Route};
use crate::storage;

const TAG: &str = "Webhooks (earlier generation)";

const OF_ENTITY: Gate = Gate::EntityInPath(ManageEntity);

const READS: Gate = Gate::EntityInPath(ReadWebhooks);

/// Routes of the earlier generation.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/v1/Organizations/{id}/webhooks", "v1CreateWebhook", OF_ENTITY, || {
        web::to(create)
    })
    .about(TAG, "Adds an endpoint.")
    .superseded_by("/webhooks")
    .takes_with::<EarlierInputBody>(&["url"])
    .answers::<EarlierBody>(),
    Route::get("/v1/Organizations/{id}/webhooks", "v1ListWebhooks", READS, || web::to(list))
        .about(TAG, "Lists endpoints.")
        .superseded_by("/webhooks")
        .reads(FILTER)
        .answers::<ArrayBody<EarlierBody>>(),
    Route::get("/v1/Organizations/{id}/webhooks/count", "v1CountWebhooks", READS, || {
        web::to(count)
    })
    .about(TAG, "Counts endpoints.")
    .superseded_by("/webhooks")
    .reads(WHERE)
    .answers::<CountBody>(),
    Route::get("/v1/Webhooks/{id}", "v1GetWebhook", Gate::SignedIn, || web::to(get))
        .about(TAG, "Answers an endpoint.")
        .superseded_by("/webhooks")
        .reads(FILTER)
        .answers::<EarlierBody>(),
    Route::put("/v1/Webhooks/{id}", "v1ReplaceWebhook", Gate::SignedIn, || web::to(replace))
        .read_by(&["v1GetWebhook"])
        .about(TAG, "Replaces an endpoint.")
        .superseded_by("/webhooks")
        .takes_with::<EarlierInputBody>(&["url"])
        .answers::<EarlierBody>(),
    Route::patch("/v1/Webhooks/{id}", "v1UpdateWebhook", Gate::SignedIn, || web::to(update))
        .read_by(&["v1GetWebhook"])
        .about(TAG, "Changes what is sent of an endpoint.")
        .superseded_by("/webhooks")
        .takes::<EarlierInputBody>()
        .answers::<EarlierBody>(),
    Route::delete("/v1/Webhooks/{id}", "v1DeleteWebhook", Gate::SignedIn, || web::to(delete))
        .about(TAG, "Removes an endpoint.")
        .superseded_by("/webhooks")
        .tells::<CountBody>(),
];

const FILTER: &[Parameter] = &[Parameter::text(
    "filter",
    "JSON, encoded as text: fields, include, and in lists where, order, limit, skip.",
)];

const WHERE: &[Parameter] =
    &[Parameter::text("where", "JSON, encoded as text: properties and what must hold of them.")];

/// Properties that conditions, orders and fields may name.
const PROPERTIES: &[&str] = &[
    "id",
    "events",
    "url",
    "enabled",
    "organizationId",
    "deletedAt",
    "_isDeleted",
    "deletedId",
    "createdAt",
    "updatedAt",
];

/// What a caller says of an endpoint.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schema(as = V1WebhookInput)]
pub struct EarlierInputBody {
    /// Where events are posted to.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    url: Patch<String>,
    /// Objects that each name the kind of an event, as in `{"event": "invoice.created"}`; without
    /// any, all events are posted.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Map<String, Value>>>)]
    events: Patch<Vec<Map<String, Value>>>,
    /// Whether events are posted; true when absent.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    enabled: Patch<bool>,
    /// The organization; it is the one that the path names, or the endpoint's own.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    organization_id: Patch<String>,
    /// Read-only, as all below: taken so that an endpoint can be sent back as it was read.
    #[serde(rename = "id")]
    _id: Option<Value>,
    #[serde(rename = "deletedAt")]
    _deleted_at: Option<Value>,
    #[serde(rename = "_isDeleted")]
    _is_deleted: Option<Value>,
    #[serde(rename = "deletedId")]
    _deleted_id: Option<Value>,
    #[serde(rename = "createdAt")]
    _created_at: Option<Value>,
    #[serde(rename = "updatedAt")]
    _updated_at: Option<Value>,
}

/// An endpoint that events are posted to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = V1Webhook)]
pub struct EarlierBody {
    /// Its id.
    id: String,
    /// What was sent as its events.
    events: Vec<Value>,
    /// Where events are posted to.
    url: String,
    /// Whether events are posted.
    enabled: bool,
    /// Whose it is.
    organization_id: Option<String>,
    /// Always null: what is deleted is gone.
    deleted_at: Option<String>,
    /// Always false.
    #[serde(rename = "_isDeleted")]
    is_deleted: bool,
    /// Always null.
    deleted_id: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

/// A number of endpoints.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = V1Count)]
pub struct CountBody {
    /// How many.
    count: usize,
}

impl Convert<EarlierBody> for Endpoint {
    fn convert(self) -> EarlierBody {
        EarlierBody {
            id: self.id.to_string(),
            events: self.sent_events,
            url: self.url,
            enabled: self.active,
            organization_id: self.owner.entity_id().map(Convert::convert),
            deleted_at: None,
            is_deleted: false,
            deleted_id: None,
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}

impl EarlierInputBody {
    /// The command, for an endpoint of `entity`.
    fn command(self, scope: &Scope) -> Result<EarlierInput, ApiError> {
        let entity = scope.entity().to_string();
        if self.organization_id.value().is_some_and(|named| *named != entity) {
            let message = "a webhook stays with its organization; leave this out";
            return Err(Issue::new("invalid_value", message).at("organizationId").into());
        }
        Ok(EarlierInput { url: self.url, events: self.events, enabled: self.enabled })
    }
}

/// The endpoint `id`, when the caller may do there what `permission` says.
async fn enter(
    call: &Call<Caller>,
    id: &PathText,
    permission: Permission,
) -> Result<(Scope, Entity, Endpoint), ApiError> {
    if matches!(call.by(), Caller::Operator { .. }) {
        return Err(AccessError::from(Forbidden::PosOperatorScope).into());
    }
    let (store, text) = (call.store(), id.0.as_str());
    if text.parse::<WebhookId>().is_err() {
        return Err(ApiError::not_found("such webhook"));
    }
    let found = webhooks::find_earlier(store, text).await?;
    let found = found.and_then(|endpoint| endpoint.owner.entity_id().map(|of| (endpoint, of)));
    let Some((endpoint, entity)) = found else { return Err(ApiError::not_found(text)) };
    let entered = access::open_entity(store, call.by(), &entity.to_string()).await;
    let (scope, entity) = match entered {
        // What is another's is not there.
        Err(AccessError::NotFound { .. }) => return Err(ApiError::not_found(text)),
        entered => entered?,
    };
    access::authorize(&scope, &entity, permission)?;
    Ok((scope, entity, endpoint))
}

/// `endpoint` as `filter` wants it.
fn narrowed(endpoint: Endpoint, filter: &Filter, entity: &Entity) -> Map<String, Value> {
    filter.narrow(with_organization(row(endpoint), filter, entity))
}

fn row(endpoint: Endpoint) -> Map<String, Value> {
    let body: EarlierBody = endpoint.convert();
    match serde_json::to_value(body) {
        Ok(Value::Object(row)) => row,
        _ => Map::new(),
    }
}

fn with_organization(
    mut row: Map<String, Value>,
    filter: &Filter,
    entity: &Entity,
) -> Map<String, Value> {
    if filter.includes_organization {
        let organization = json!({ "id": entity.id.to_string(), "name": entity.name });
        row.insert("organization".to_owned(), organization);
    }
    row
}

async fn create(call: Call, body: Body<EarlierInputBody>) -> Result<Json<EarlierBody>, ApiError> {
    let (holder, input) = (Holder::earlier(call.scope()), body.0.command(call.scope())?);
    let task = call.run(|call| async move {
        webhooks::create_earlier(call.store(), &call.webhooks(), &holder, input, call.stamp()).await
    });
    Ok(Json(task.await?.convert()))
}

async fn list(call: EntityCall, query: Query) -> Result<Json<Vec<Map<String, Value>>>, ApiError> {
    let filter = Filter::read(&query, PROPERTIES)?;
    let all = webhooks::list_earlier(call.store(), &Holder::earlier(call.scope())).await?;
    let chosen = filter.choose(all.into_iter().map(row).collect());
    let shown = chosen.into_iter().map(|row| with_organization(row, &filter, call.entity()));
    Ok(Json(shown.map(|row| filter.narrow(row)).collect()))
}

async fn count(call: Call, query: Query) -> Result<Json<CountBody>, ApiError> {
    let all = webhooks::list_earlier(call.store(), &Holder::earlier(call.scope())).await?;
    let rows: Vec<_> = all.into_iter().map(row).collect();
    Ok(Json(CountBody { count: count_where(&query, PROPERTIES, &rows)? }))
}

async fn get(
    call: Call<Caller>,
    id: PathText,
    query: Query,
) -> Result<Json<Map<String, Value>>, ApiError> {
    let filter = Filter::read(&query, PROPERTIES)?;
    let (_, entity, endpoint) = enter(&call, &id, ReadWebhooks).await?;
    Ok(Json(narrowed(endpoint, &filter, &entity)))
}

async fn replace(
    call: Call<Caller>,
    request: HttpRequest,
    id: PathText,
    body: Body<EarlierInputBody>,
) -> Result<Json<EarlierBody>, ApiError> {
    change((call, request), id, body, EarlierInput::replace).await
}

async fn update(
    call: Call<Caller>,
    request: HttpRequest,
    id: PathText,
    body: Body<EarlierInputBody>,
) -> Result<Json<EarlierBody>, ApiError> {
    change((call, request), id, body, EarlierInput::apply).await
}

async fn change(
    (call, request): (Call<Caller>, HttpRequest),
    id: PathText,
    body: Body<EarlierInputBody>,
    how: webhooks::ChangeEarlier,
) -> Result<Json<EarlierBody>, ApiError> {
    let (scope, _, _) = enter(&call, &id, ManageEntity).await?;
    let (holder, input) = (Holder::earlier(&scope), body.0.command(&scope)?);
    // The path names the endpoint alone, so the gate knows neither its entity nor its account.
    let services = storage::charged(&call, &request, scope.account()).await?;
    let call = call.on(services);
    let id = id.0;
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        webhooks::change_earlier(store, &call.webhooks(), &holder, id, input, how, stamp).await
    });
    Ok(Json(task.await?.convert()))
}

async fn delete(call: Call<Caller>, id: PathText) -> Result<Json<CountBody>, ApiError> {
    let (scope, _, _) = enter(&call, &id, ManageEntity).await?;
    let (holder, id) = (Holder::earlier(&scope), id.0);
    let task = call
        .run(|call| async move { webhooks::delete(call.store(), &holder, id, call.stamp()).await });
    task.await?;
    Ok(Json(CountBody { count: 1 }))
}
