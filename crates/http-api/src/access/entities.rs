//! Entities.

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use actix_web::web::{self, Data, ReqData};
use racun_access::Permission::{ManageEntity, ReadEntity, ReadFiscal};
use racun_access::{self as access, AccountScope, Caller, ENTITIES, Entity, EntityPatch, permits};
use racun_application::Services;
use racun_application::entities;
use racun_fiscal::FiscalSettings;
use racun_fiscalization::setup::settings;
use racun_kernel::Scope;
use racun_kernel::id::EntityId;
use racun_store::{ListQuery, Page};

use super::entity_bodies::{EntityBody, NewEntityBody, SpendingLimitBody, UpdateEntityBody};
use crate::answer::{Created, Json};
use crate::body::{Convert, ListBody};
use crate::body_limit::DOCUMENT;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::fiscal::as_setting;
use crate::header::single;
use crate::request::{Body, Query};
use crate::route::{Gate, LIST, Parameter, Route};

const TAG: &str = "Entities";

/// Routes of entities. Those of entity users and the like stand before them: they are longer paths
/// under the same beginning.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/entities", "createEntity", Gate::Account, || web::to(create))
        .about(TAG, "Makes an entity, with its country's taxes.")
        .takes::<NewEntityBody>()
        .up_to(DOCUMENT)
        .creates::<EntityBody>(),
    Route::get("/entities", "listEntities", Gate::SignedIn, || web::to(list))
        .about(TAG, "Lists the entities that the caller has access to.")
        .reads(LIST)
        .reads_also(&[Parameter::text("environment", "`live` or `sandbox`; both when absent.")])
        .answers::<ListBody<EntityBody>>(),
    Route::get("/entities/{id}", "getEntity", Gate::EntityInPath(ReadEntity), || web::to(get))
        .about(TAG, "Answers an entity.")
        .answers::<EntityBody>(),
    Route::patch("/entities/{id}", "updateEntity", Gate::EntityInPath(ManageEntity), || {
        web::to(update)
    })
    .read_by(&["getEntity"])
    .about(TAG, "Changes what is sent of an entity; settings merge key by key.")
    .takes::<UpdateEntityBody>()
    .up_to(DOCUMENT)
    .answers::<EntityBody>(),
    Route::post(
        "/entities/{id}/disable",
        "disableEntity",
        Gate::EntityInPath(ManageEntity),
        || web::to(disable),
    )
    .read_by(&["getEntity"])
    .about(TAG, "Closes an entity to writes.")
    .answers::<EntityBody>(),
    Route::patch(
        "/entities/{id}/spending-limit",
        "setSpendingLimit",
        Gate::EntityInPath(ManageEntity),
        || web::to(limit_spending),
    )
    .read_by(&["getEntity"])
    .about(TAG, "Sets what an entity wants to spend here in a month at most, or with null nothing.")
    .takes::<SpendingLimitBody>()
    .answers::<EntityBody>(),
];

/// Entities as they are answered: with what is set of their fiscalization, unless the caller may
/// not read that.
async fn answered(
    services: &Services,
    entities: Vec<Entity>,
    reads_fiscal: bool,
) -> Result<Vec<EntityBody>, ApiError> {
    let found = match reads_fiscal {
        true => settings::of_entities(&*services.store, &entities).await?,
        false => Vec::new(),
    };
    let mut found: BTreeMap<EntityId, FiscalSettings> =
        found.into_iter().map(|settings| (settings.entity_id, settings)).collect();
    let now = services.stamp().now();
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let (id, to) = (entity.id, entity.environment);
        let body: EntityBody = entity.convert();
        bodies.push(match found.remove(&id) {
            Some(settings) => {
                let (key, value) = as_setting(settings, to, now)?;
                body.with_setting(key, value)
            }
            None => body,
        });
    }
    Ok(bodies)
}

/// One entity as it is answered.
async fn answered_one(
    services: &Services,
    entity: Entity,
    reads_fiscal: bool,
) -> Result<EntityBody, ApiError> {
    let mut bodies = answered(services, vec![entity], reads_fiscal).await?;
    bodies.pop().ok_or_else(|| ApiError::internal("an entity got lost on its way out"))
}

/// Whether who acts in `scope` may read what is set of fiscalization.
fn reads_fiscal(scope: &Scope) -> bool {
    permits(scope.principal(), scope.role(), ReadFiscal)
}

async fn create(
    call: Call<AccountScope>,
    caller: ReqData<Caller>,
    body: Body<NewEntityBody>,
) -> Result<Created<EntityBody>, ApiError> {
    let (caller, input) = (caller.into_inner(), body.0.parse()?);
    let sent = input.settings.clone();
    let task = call.run(|call| async move {
        let (store, labels) = (call.store(), call.labels().await?);
        entities::create_entity(store, &labels, &caller, call.by(), input, call.stamp()).await
    });
    let made: EntityBody = task.await?.convert();
    Ok(Created(made.answering(sent.as_ref())))
}

async fn list(
    services: Data<Services>,
    caller: ReqData<Caller>,
    request: HttpRequest,
    query: Query,
) -> Result<Json<ListBody<EntityBody>>, ApiError> {
    let account = single(request.headers(), "x-account-id")?;
    let environment = query.environment()?;
    let list = ListQuery::parse(&ENTITIES, &query.list()?)?;
    let store = &*services.store;
    let page = access::list_entities(store, &caller, account, environment, &list).await?;
    let reads_fiscal = matches!(*caller, Caller::User { .. } | Caller::AccountKey(_));
    let rows = answered(&services, page.rows, reads_fiscal).await?;
    Ok(Json(ListBody::of(Page { rows, pagination: page.pagination })))
}

async fn get(call: EntityCall) -> Result<Json<EntityBody>, ApiError> {
    Ok(Json(answered_one(&call, call.entity().clone(), reads_fiscal(call.scope())).await?))
}

async fn update(call: Call, body: Body<UpdateEntityBody>) -> Result<Json<EntityBody>, ApiError> {
    change(&call, body.0.parse()?).await
}

async fn limit_spending(
    call: Call,
    body: Body<SpendingLimitBody>,
) -> Result<Json<EntityBody>, ApiError> {
    change(&call, body.0.parse()?).await
}

async fn change(call: &Call, patch: EntityPatch) -> Result<Json<EntityBody>, ApiError> {
    let reads_fiscal = reads_fiscal(call.scope());
    let sent = patch.settings.value().cloned();
    let task = call.run(|call| async move { entities::update_entity(call.cx(), patch).await });
    let body = answered_one(call, task.await?, reads_fiscal).await?;
    Ok(Json(body.answering(sent.as_ref())))
}

async fn disable(call: Call) -> Result<Json<EntityBody>, ApiError> {
    let reads_fiscal = reads_fiscal(call.scope());
    let task = call.run(|call| async move { access::disable_entity(call.cx()).await });
    let after = task.await?;
    Ok(Json(answered_one(&call, after, reads_fiscal).await?))
}
