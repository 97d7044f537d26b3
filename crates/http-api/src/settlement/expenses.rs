//! Routes of expenses.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Entity;
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_application::{expenses as application, payments};
use racun_kernel::{Scope, id};
use racun_settlement::{Expense, NewPayment};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::expense::ExpenseBody;
use super::expense_input::{ExpensePatchBody, NewExpenseBody};
use super::payment::{ExpensePaymentBody, PaymentBody};
use crate::answer::{self, Created, NoContent};
use crate::body::{Convert, ListBody};
use crate::body_limit::{DOCUMENT, RECORD};
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::services::Services;

const TAG: &str = "Expenses";

/// Routes of expenses.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/expenses", "createExpense", Gate::Entity(WriteRecords), || web::to(create))
        .about(TAG, "Makes an expense: entered in the books with the next number, or a draft.")
        .takes::<NewExpenseBody>()
        .up_to(DOCUMENT)
        .creates::<ExpenseBody>(),
    Route::post("/expenses/custom", "createCustomExpense", Gate::Entity(WriteRecords), || {
        web::to(create_custom)
    })
    .about(TAG, "Makes an expense with totals that are kept as given, those of its items too.")
    .takes::<NewExpenseBody>()
    .up_to(DOCUMENT)
    .creates::<ExpenseBody>(),
    Route::get("/expenses", "listExpenses", Gate::Entity(ReadRecords), || web::to(list))
        .about(TAG, "Lists expenses.")
        .reads(LIST)
        .answers::<ListBody<ExpenseBody>>(),
    Route::get("/expenses/{id}", "getExpense", Gate::Entity(ReadRecords), || web::to(get))
        .about(TAG, "Answers an expense.")
        .answers::<ExpenseBody>(),
    Route::patch("/expenses/{id}", "updateExpense", Gate::Entity(WriteRecords), || web::to(update))
        .about(TAG, "Changes what is sent of an expense.")
        .takes::<ExpensePatchBody>()
        .up_to(DOCUMENT)
        .answers::<ExpenseBody>(),
    Route::delete("/expenses/{id}", "deleteExpense", Gate::Entity(WriteRecords), || {
        web::to(delete)
    })
    .about(TAG, "Deletes a draft."),
    Route::post("/expenses/{id}/finalize", "finalizeExpense", Gate::Entity(WriteRecords), || {
        web::to(finalize)
    })
    .about(TAG, "Enters a draft in the books: gives it the next number.")
    .takes::<CommandBody>()
    .answers::<ExpenseBody>(),
    Route::post("/expenses/{id}/void", "voidExpense", Gate::Entity(WriteRecords), || web::to(void))
        .about(TAG, "Declares an expense void; its number stays taken.")
        .takes::<CommandBody>()
        .answers::<ExpenseBody>(),
    Route::post(
        "/expenses/{id}/payments",
        "createExpensePayment",
        Gate::Entity(WriteRecords),
        || web::to(pay),
    )
    .about(TAG, "Records a payment of an expense; its totals follow.")
    .takes_with::<ExpensePaymentBody>(&["amount"])
    .up_to(RECORD)
    .creates::<PaymentBody>(),
];

/// What becomes of an expense is said by the path alone.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = ExpenseCommand)]
struct CommandBody {}

async fn create(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<NewExpenseBody>,
) -> Result<Created<ExpenseBody>, ApiError> {
    make(&services, scope.into_inner(), entity.into_inner(), body.0, false).await
}

async fn create_custom(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<NewExpenseBody>,
) -> Result<Created<ExpenseBody>, ApiError> {
    make(&services, scope.into_inner(), entity.into_inner(), body.0, true).await
}

async fn make(
    services: &Services,
    scope: Scope,
    entity: Entity,
    body: NewExpenseBody,
    custom: bool,
) -> Result<Created<ExpenseBody>, ApiError> {
    let (request, creation) = body.creation(custom)?;
    let of = scope.clone();
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::create(store, &scope, &entity, request, creation, &stamp).await
    };
    let made = services.run(task).await?;
    Ok(Created(answered(services, &of, made).await?))
}

/// `expense`, and what is odd about it beside others.
async fn answered(
    services: &Services,
    scope: &Scope,
    expense: Expense,
) -> Result<ExpenseBody, ApiError> {
    let odd = application::warnings(&*services.store, scope, &expense).await?;
    let body: ExpenseBody = expense.convert();
    Ok(body.warned(odd))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<answer::Page, ApiError> {
    let (scope, raw) = (scope.into_inner(), query.list()?);
    let page = |services: Services| async move {
        let page = application::list(&*services.store, &scope, &raw).await?;
        Ok::<ListBody<ExpenseBody>, _>(page.convert())
    };
    services.page(page).await
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Expense>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let found = application::get(&*services.store, &scope, id.0).await?;
    Ok(Json(answered(&services, &scope, found).await?))
}

async fn update(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::Expense>,
    body: Body<ExpensePatchBody>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let (scope, entity, request) = (scope.into_inner(), entity.into_inner(), body.0.request()?);
    let of = scope.clone();
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::update(store, &scope, &entity, id.0, request, &stamp).await
    };
    let changed = services.run(task).await?;
    Ok(Json(answered(&services, &of, changed).await?))
}

async fn delete(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Expense>,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        application::delete(&*services.store, &scope, id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}

async fn finalize(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::Expense>,
    _body: MaybeBody<CommandBody>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let of = scope.clone();
    let task = |services: Services| async move {
        application::finalize(&*services.store, &scope, &entity, id.0, &services.stamp()).await
    };
    let changed = services.run(task).await?;
    Ok(Json(answered(&services, &of, changed).await?))
}

async fn void(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Expense>,
    _body: MaybeBody<CommandBody>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        application::void(&*services.store, &scope, id.0, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn pay(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::Expense>,
    body: Body<ExpensePaymentBody>,
) -> Result<Created<PaymentBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let new = NewPayment { expense_id: Some(id.0.to_string()), ..body.0.convert() };
    let task = |services: Services| async move {
        payments::record(&*services.store, &scope, &entity, new, &services.stamp()).await
    };
    Ok(Created(services.run(task).await?.convert()))
}
