//! The log of deliveries, and replay.

use actix_web::web;
use racun_access::Permission::{ManageEntity, ReadWebhooks};
use racun_delivery::webhooks::{self, Holder, LogQuery, Range, Replayed};
use racun_kernel::id;
use racun_webhooks::{Delivery, DeliveryStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::{self, Created, Json};
use crate::body::{Convert, ListBody};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{PathId, Query};
use crate::route::{Gate, LIST, Parameter, Route};
const TAG: &str = "Webhooks";

/// Routes of the log.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/webhook-logs", "listWebhookLogs", Gate::Entity(ReadWebhooks), || web::to(list))
        .about(TAG, "Lists attempts to deliver events, the newest first.")
        .reads(LIST)
        .reads_also(FILTERS)
        .entered_by_query()
        .answers::<ListBody<WebhookLogBody>>(),
    Route::get("/webhook-logs/{id}", "getWebhookLog", Gate::Entity(ReadWebhooks), || web::to(get))
        .about(TAG, "Answers an attempt to deliver an event.")
        .answers::<WebhookLogBody>(),
    Route::post(
        "/webhook-logs/{id}/replay",
        "replayWebhookLog",
        Gate::Entity(ManageEntity),
        || web::to(replay),
    )
    .read_by(&["getWebhookLog"])
    .about(TAG, "Queues the event of an attempt once more and answers its new first attempt.")
    .creates::<WebhookLogBody>(),
];

const FILTERS: &[Parameter] = &[
    Parameter::ENTITY,
    Parameter::ENVIRONMENT,
    Parameter::text("webhook_id", "Attempts at this endpoint only."),
    Parameter::text("event_type", "Attempts at events of this kind only."),
    Parameter::text("event_id", "Attempts at this event only."),
    Parameter::text(
        "status",
        "success, failed or pending; parked for those that wait for a replay.",
    ),
    Parameter::text("date_from", "Queued on this day, at this instant, or later."),
    Parameter::text("date_to", "Queued on this day, at this instant, or earlier."),
];

/// What became of an attempt.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WebhookLogStatus)]
pub enum StatusBody {
    /// It waits for its turn, or for a replay.
    Pending,
    /// The receiver has the event.
    Success,
    /// The receiver did not take it.
    Failed,
}

/// An attempt to deliver an event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookLog)]
pub struct WebhookLogBody {
    /// Its id, in `X-Webhook-Delivery`.
    id: String,
    /// The endpoint.
    webhook_id: String,
    /// Whose endpoint, when it is an entity's.
    #[schema(required = true)]
    entity_id: Option<String>,
    /// What happened.
    event_type: String,
    /// What is the same in all attempts at an event, in `X-Webhook-Event-Id`.
    event_id: String,
    /// The event's place among all: of two on one object, the later has the greater one.
    sequence: i64,
    /// What became of it.
    status: StatusBody,
    /// Whether it waits for a replay, for the endpoint was not active.
    parked: bool,
    /// What was posted, byte for byte.
    request_body: String,
    /// What the receiver answered.
    #[schema(required = true)]
    response_status: Option<u16>,
    /// The beginning of what it answered.
    #[schema(required = true)]
    response_body: Option<String>,
    /// What came in the way.
    #[schema(required = true)]
    error_message: Option<String>,
    /// 1 for the first.
    attempt: u32,
    /// How many there are at most.
    max_attempts: u32,
    /// When the attempt after this one is due.
    #[schema(required = true)]
    next_retry_at: Option<String>,
    /// How long the receiver took, in milliseconds.
    #[schema(required = true)]
    duration_ms: Option<i64>,
    /// When it was queued.
    created_at: String,
    /// When it ended.
    #[schema(required = true)]
    completed_at: Option<String>,
    /// Where the endpoint was then.
    webhook_url: String,
}

impl Convert<WebhookLogBody> for Delivery {
    fn convert(self) -> WebhookLogBody {
        let status = match self.status {
            DeliveryStatus::Pending | DeliveryStatus::Parked => StatusBody::Pending,
            DeliveryStatus::Success => StatusBody::Success,
            DeliveryStatus::Failed => StatusBody::Failed,
        };
        WebhookLogBody {
            id: self.id.to_string(),
            webhook_id: self.endpoint_id.to_string(),
            entity_id: self.owner.entity_id().map(Convert::convert),
            event_type: self.event_type,
            event_id: self.event_id,
            sequence: self.sequence,
            status,
            parked: self.status == DeliveryStatus::Parked,
            request_body: self.request_body,
            response_status: self.response_status,
            response_body: self.response_body,
            error_message: self.error_message,
            attempt: self.attempt,
            max_attempts: self.max_attempts,
            next_retry_at: self.next_retry_at.convert(),
            duration_ms: self.duration_ms,
            created_at: self.created_at.convert(),
            completed_at: self.completed_at.convert(),
            webhook_url: self.url,
        }
    }
}

/// Which deliveries are replayed.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = WebhookReplay)]
pub struct RangeBody {
    /// Queued on this day, at this instant, or later.
    from: String,
    /// Queued on this day, at this instant, or earlier.
    to: String,
    /// `failed`, `pending` for what was parked, or `success`; absent for all that did not arrive.
    status: Option<String>,
}

impl Convert<Range> for RangeBody {
    fn convert(self) -> Range {
        Range { from: self.from, to: self.to, status: self.status }
    }
}

/// What a replay did.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookReplayed)]
pub struct ReplayedBody {
    /// Events that were queued.
    replayed: usize,
    /// Whether others of the range are left: the same call goes on with them.
    has_more: bool,
}

impl Convert<ReplayedBody> for Replayed {
    fn convert(self) -> ReplayedBody {
        ReplayedBody { replayed: self.count, has_more: self.has_more }
    }
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let one = |name| query.one(name).map(|value| value.map(str::to_owned));
    let asked = LogQuery {
        list: query.list()?,
        webhook_id: one("webhook_id")?,
        event_type: one("event_type")?,
        event_id: one("event_id")?,
        status: one("status")?,
        date_from: one("date_from")?,
        date_to: one("date_to")?,
    };
    let holder = Holder::entity(call.scope());
    let page = call.page(|call| async move {
        let page = webhooks::list_deliveries(&*call.store, &holder, &asked).await?;
        Ok::<ListBody<WebhookLogBody>, _>(page.convert())
    });
    page.await
}

async fn get(
    call: Call,
    id: PathId<id::WebhookDelivery>,
) -> Result<Json<WebhookLogBody>, ApiError> {
    let holder = Holder::entity(call.scope());
    let found = webhooks::get_delivery(&*call.store, &holder, &id.0.to_string()).await?;
    Ok(Json(found.convert()))
}

async fn replay(
    call: Call,
    id: PathId<id::WebhookDelivery>,
) -> Result<Created<WebhookLogBody>, ApiError> {
    let (holder, id) = (Holder::entity(call.scope()), id.0.to_string());
    let task = call.run(|call| async move {
        webhooks::replay_one(&*call.store, &call.webhooks(), &holder, id, call.stamp()).await
    });
    Ok(Created(task.await?.convert()))
}
