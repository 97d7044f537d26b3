//! Entities.

use actix_web::HttpRequest;
use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ManageEntity, ReadEntity};
use racun_access::{self as access, AccountScope, Caller, ENTITIES, Entity};
use racun_application::entities;
use racun_kernel::{Environment, Issue, ListQuery, Scope};

use super::entity_bodies::{EntityBody, NewEntityBody, UpdateEntityBody};
use crate::answer::Created;
use crate::body::{Convert, ListBody};
use crate::error::ApiError;
use crate::request::{Body, Query, single};
use crate::route::{Gate, LIST, Parameter, ParameterKind, Route};
use crate::services::Services;

const TAG: &str = "Entities";

/// Routes of entities. Those of entity users and the like stand before them: they are longer paths
/// under the same beginning.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/entities", "createEntity", Gate::Account, || web::to(create))
        .about(TAG, "Makes an entity, with its country's taxes.")
        .takes::<NewEntityBody>()
        .creates::<EntityBody>(),
    Route::get("/entities", "listEntities", Gate::SignedIn, || web::to(list))
        .about(TAG, "Lists the entities that the caller has access to.")
        .reads(LIST)
        .reads_also(&[Parameter {
            name: "environment",
            meaning: "`live` or `sandbox`; both when absent.",
            kind: ParameterKind::Text,
        }])
        .answers::<ListBody<EntityBody>>(),
    Route::get("/entities/{id}", "getEntity", Gate::EntityInPath(ReadEntity), || web::to(get))
        .about(TAG, "Answers an entity.")
        .answers::<EntityBody>(),
    Route::patch("/entities/{id}", "updateEntity", Gate::EntityInPath(ManageEntity), || {
        web::to(update)
    })
    .about(TAG, "Changes what is sent of an entity; settings merge key by key.")
    .takes::<UpdateEntityBody>()
    .answers::<EntityBody>(),
    Route::post(
        "/entities/{id}/disable",
        "disableEntity",
        Gate::EntityInPath(ManageEntity),
        || web::to(disable),
    )
    .about(TAG, "Closes an entity to writes.")
    .answers::<EntityBody>(),
];

async fn create(
    services: Data<Services>,
    caller: ReqData<Caller>,
    scope: ReqData<AccountScope>,
    body: Body<NewEntityBody>,
) -> Result<Created<EntityBody>, ApiError> {
    let (caller, scope, input) = (caller.into_inner(), scope.into_inner(), body.0.parse()?);
    let task = |services: Services| async move {
        let stamp = services.stamp();
        let (store, catalogue) = (&*services.store, &services.white_labels);
        entities::create_entity(store, catalogue, &caller, &scope, input, &stamp).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn list(
    services: Data<Services>,
    caller: ReqData<Caller>,
    request: HttpRequest,
    query: Query,
) -> Result<Json<ListBody<EntityBody>>, ApiError> {
    let account = single(request.headers(), "x-account-id")?;
    let environment = query.one("environment")?.map(parse_environment).transpose()?;
    let list = ListQuery::parse(&ENTITIES, &query.list()?)?;
    let store = &*services.store;
    let page = access::list_entities(store, &caller, account, environment, &list).await?;
    Ok(Json(page.convert()))
}

fn parse_environment(text: &str) -> Result<Environment, Issue> {
    let all = [Environment::Live, Environment::Sandbox];
    let found = all.into_iter().find(|environment| environment.name() == text);
    found.ok_or_else(|| Issue::new("invalid_value", "expected live or sandbox").at("environment"))
}

async fn get(entity: ReqData<Entity>) -> Json<EntityBody> {
    Json(entity.into_inner().convert())
}

async fn update(
    services: Data<Services>,
    scope: ReqData<Scope>,
    body: Body<UpdateEntityBody>,
) -> Result<Json<EntityBody>, ApiError> {
    let (scope, patch) = (scope.into_inner(), body.0.parse()?);
    let task = |services: Services| async move {
        entities::update_entity(&*services.store, &scope, patch, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn disable(
    services: Data<Services>,
    scope: ReqData<Scope>,
) -> Result<Json<EntityBody>, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        access::disable_entity(&*services.store, &scope, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}
