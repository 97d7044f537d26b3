//! Orders.

use racun_background::jobs::{Job, JobKind, NewJob};
use racun_kernel::id::{EntityId, OrderId, OrderIntegrationId};
use racun_kernel::{Issue, Issues};
use racun_orders::{
    INTEGRATIONS, Integration, ORDERS, Order, OrderError, OrderInput, OrderRefusal, Status,
};
use racun_store::{
    Actor, Clause, Context, Decision, ListQuery, Operator, Page, Put, RawQuery, StoreError, Walk,
    Writes,
};

/// Adds an order of the integration that it names.
///
/// # Errors
/// All that is wrong with the input; [`OrderRefusal::Duplicate`] when the integration has the order
/// already; the store's failure.
pub async fn create(cx: Context<'_>, input: OrderInput) -> Result<Order, OrderError> {
    let id = match integration_of(&input) {
        Ok(id) => id,
        Err(issue) => return Err(wrong(issue, input).into()),
    };
    let mut unit = cx.unit();
    let integration = unit.hold(&INTEGRATIONS, id);
    let made = unit.decide(move |held| {
        let integration: Option<Integration> = held.find(integration)?;
        let Some(integration) = integration else {
            let message = "there is no such integration in this entity";
            return Err(wrong(Issue::new("not_found", message).at(INTEGRATION), input).into());
        };
        let actor = held.actor();
        let made = Order::new(input, &integration, actor)?;
        Ok::<_, OrderError>(inserted(made, actor))
    });
    made.await.map_err(duplicate)
}

/// The property of an order that names its integration.
const INTEGRATION: &str = "order_integration_id";

fn integration_of(input: &OrderInput) -> Result<OrderIntegrationId, Issue> {
    let at = |code, message: String| Issue::new(code, message).at(INTEGRATION);
    let id = input.order_integration_id.value();
    let id = id.ok_or_else(|| at("required", "say by which integration it comes".to_owned()))?;
    id.parse().map_err(|wrong: racun_kernel::InvalidId| at("invalid_id", wrong.to_string()))
}

/// `issue`, and all that is wrong with the rest of `input`.
fn wrong(issue: Issue, input: OrderInput) -> Issues {
    let mut issues = Issues::from(issue);
    issues.note(input.into_new(None));
    issues
}

/// The order `id`, in the trash or not.
///
/// # Errors
/// [`OrderError::NotFound`], and when the store fails.
pub async fn get(cx: Context<'_>, id: OrderId) -> Result<Order, OrderError> {
    Ok(cx.one(&ORDERS, id).await?)
}

/// The page of orders that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, and when the store fails.
pub async fn list(cx: Context<'_>, raw: &RawQuery) -> Result<Page<Order>, OrderError> {
    let query = ListQuery::parse(&ORDERS, raw)?;
    Ok(cx.page(&ORDERS, &query).await?)
}

/// Changes an order.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderRefusal::InTrash`]; all that is wrong with the input; the
/// store's failure.
pub async fn update(cx: Context<'_>, id: OrderId, input: OrderInput) -> Result<Order, OrderError> {
    let seen = get(cx, id).await?;
    let mut unit = cx.unit();
    let order = unit.hold(&ORDERS, id);
    let integration = unit.hold(&INTEGRATIONS, seen.order_integration_id);
    unit.decide(move |held| {
        let (before, integration): (Order, Option<Integration>) =
            (held.one(order)?, held.find(integration)?);
        let actor = held.actor();
        let after = before.clone().update(input, integration.as_ref(), actor)?;
        Ok(replaced(&before, after, actor))
    })
    .await
}

/// Cancels an order.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderRefusal::Invoiced`]; the store's failure.
pub async fn cancel(cx: Context<'_>, id: OrderId) -> Result<Order, OrderError> {
    amend(cx, id, Order::cancel).await
}

/// Moves an order to the trash.
///
/// # Errors
/// [`OrderError::NotFound`], and when the store fails.
pub async fn trash(cx: Context<'_>, id: OrderId) -> Result<Order, OrderError> {
    amend(cx, id, Order::trash).await
}

/// Brings an order back from the trash.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderRefusal::NotInTrash`]; the store's failure.
pub async fn restore(cx: Context<'_>, id: OrderId) -> Result<Order, OrderError> {
    amend(cx, id, Order::restore).await
}

/// Removes an order in the trash for good.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderRefusal::NotInTrash`]; the store's failure.
pub async fn erase(cx: Context<'_>, id: OrderId) -> Result<(), OrderError> {
    let mut unit = cx.unit();
    let order = unit.hold(&ORDERS, id);
    unit.decide(move |held| {
        let before: Order = held.one(order)?;
        before.must_be_in_trash()?;
        let kind = racun_orders::events::order::PERMANENTLY_DELETED;
        let events = vec![held.actor().event(kind, before.id)];
        Ok(((), Writes::default().delete(&before).events(events)))
    })
    .await
}

async fn amend(
    cx: Context<'_>,
    id: OrderId,
    change: fn(Order, &Actor) -> Result<Decision<Order>, OrderError>,
) -> Result<Order, OrderError> {
    cx.amend(&ORDERS, id, change).await
}

/// What writes a new order, with the job that processes it when it is due.
pub(crate) fn inserted(made: Decision<Order>, actor: &Actor) -> (Order, Writes) {
    let (order, writes) = made.written(Put::insert);
    let job = job(None, &order, actor);
    (order, writes.puts(job))
}

/// What writes `after` in the place of `before`, with the job that processes it when it is due.
pub(crate) fn replaced(before: &Order, after: Decision<Order>, actor: &Actor) -> (Order, Writes) {
    let (order, writes) = after.written(|after| Put::update(before, after));
    let job = job(Some(before), &order, actor);
    (order, writes.puts(job))
}

/// The job that processes `order`, where the time for it is new.
fn job(before: Option<&Order>, order: &Order, actor: &Actor) -> Option<Put> {
    let due = order.process_after?;
    if before.is_some_and(|before| before.process_after == Some(due)) {
        return None;
    }
    Some(job_on(order.id, order.entity_id, actor).due(due).put())
}

/// The job of `subject`: an order that is processed, or an integration whose failed orders are
/// tried again.
fn job_on(subject: impl ToString, entity_id: EntityId, actor: &Actor) -> Job {
    let new = NewJob {
        kind: JobKind::OrderProcessing,
        entity_id: Some(entity_id),
        subject: subject.to_string(),
        payload: actor.scope().account().to_string(),
    };
    Job::new(new, actor.stamp())
}

/// The job that has failed orders of `integration` tried again, which is another one now.
pub(crate) fn retry_job(integration: &Integration, actor: &Actor) -> Put {
    job_on(integration.id, integration.entity_id, actor).put()
}

/// Has all failed orders of the integration `id` tried again by its rules.
///
/// # Errors
/// The store's failure.
pub(crate) async fn retry_failed(
    cx: Context<'_>,
    id: OrderIntegrationId,
) -> Result<(), OrderError> {
    let Some(rules) = cx.get::<Integration>(&INTEGRATIONS, id).await? else { return Ok(()) };
    let is = |field, value: &str| Clause::on(&ORDERS, field, Operator::Equals(value.into()));
    let clauses =
        vec![is("order_integration_id", &id.to_string()), is("status", Status::Failed.name())];
    let query = ListQuery { clauses, ..ListQuery::first_page(&ORDERS) };
    let mut walk = Walk::through(&ORDERS, cx.tenant(), query);
    while let Some(orders) = walk.next::<Order>(cx.store).await? {
        for order in orders {
            retry(cx, order.id, rules.clone()).await?;
        }
    }
    Ok(())
}

async fn retry(cx: Context<'_>, id: OrderId, rules: Integration) -> Result<(), OrderError> {
    let mut unit = cx.unit();
    let order = unit.hold(&ORDERS, id);
    unit.decide(move |held| {
        let Some(before): Option<Order> = held.find(order)? else {
            return Ok(((), Writes::default()));
        };
        let actor = held.actor();
        let after = before.clone().retried(&rules, actor);
        Ok(((), replaced(&before, after, actor).1))
    })
    .await
}

/// `error`, in the words of orders where another one has the same source.
pub(crate) fn duplicate(error: OrderError) -> OrderError {
    match error {
        OrderError::Store(StoreError::Duplicate { .. }) => OrderRefusal::Duplicate.into(),
        other => other,
    }
}
