//! Deliveries: one row for each attempt to post an event to an endpoint.

use racun_kernel::Stamp;
use racun_kernel::id::WebhookDeliveryId;
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Endpoint, EndpointId, Generation, Owner, ReceiverResponse, Schedule, Undelivered};

/// What a test is called. Nothing subscribes to it: it goes to the endpoint that is tested.
pub const TEST_EVENT: &str = "webhook.test";
/// Characters of an error that are kept.
const MAX_ERROR_CHARS: usize = 500;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// It waits for its turn, or is under way.
    Pending,
    /// The receiver has the event.
    Success,
    /// The receiver did not take it.
    Failed,
    /// The endpoint is not active: the event waits until it is replayed.
    Parked,
}

impl DeliveryStatus {
    /// Its name in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Parked => "parked",
        }
    }
}

/// An event as it is sent to receivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What stays the same whenever this event is posted.
    pub event_id: String,
    /// Its place among all events of its owner: what happens later to an object has a greater one.
    pub sequence: i64,
    /// What happened.
    pub kind: String,
    /// When.
    pub at: OffsetDateTime,
    /// What it happened to, as JSON, as it was right after.
    pub data: String,
}

impl Told {
    /// What is posted: `{event, data, timestamp}`.
    #[must_use]
    pub fn body(&self) -> String {
        let (event, at) = (&self.kind, racun_kernel::calendar::format_instant(self.at));
        let event = serde_json::Value::from(event.as_str());
        let data = if self.data.is_empty() { "null" } else { &self.data };
        format!(r#"{{"event":{event},"data":{data},"timestamp":"{at}"}}"#)
    }
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Its id, in `X-Webhook-Delivery`.
    pub id: WebhookDeliveryId,
    /// The endpoint.
    pub endpoint_id: EndpointId,
    /// The endpoint's generation.
    pub generation: Generation,
    /// Whose endpoint it is.
    pub owner: Owner,
    /// Where the endpoint was then.
    pub url: String,
    /// What happened.
    pub event_type: String,
    /// What is the same in all attempts at an event, of all endpoints.
    pub event_id: String,
    /// The event's place among all of its owner.
    pub sequence: i64,
    /// Whether it is a test, which is tried once and disables nothing.
    pub is_test: bool,
    /// What became of it.
    pub status: DeliveryStatus,
    /// What is posted, byte for byte.
    pub request_body: String,
    /// What the receiver answered.
    pub response_status: Option<u16>,
    /// The beginning of what it answered.
    pub response_body: Option<String>,
    /// What came in the way.
    pub error_message: Option<String>,
    /// 1 for the first.
    pub attempt: u32,
    /// How many there are at most.
    pub max_attempts: u32,
    /// When the first attempt was made.
    #[serde(with = "time::serde::rfc3339::option")]
    pub first_attempt_at: Option<OffsetDateTime>,
    /// When the attempt after this one is due.
    #[serde(with = "time::serde::rfc3339::option")]
    pub next_retry_at: Option<OffsetDateTime>,
    /// How long the receiver took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// When this attempt was put into the queue.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it ended.
    #[serde(with = "time::serde::rfc3339::option")]
    pub completed_at: Option<OffsetDateTime>,
    /// When the event was put into the queue once more.
    #[serde(with = "time::serde::rfc3339::option")]
    pub replayed_at: Option<OffsetDateTime>,
}

racun_store::record! {
    /// Where deliveries are kept: with the owner of the endpoint. The hidden field `open` is the
    /// endpoint of those whose event has not arrived and will not without a replay.
    pub static DELIVERIES: Delivery = "webhook_deliveries";
    |delivery|
    id: delivery.id,
    tenant: delivery.owner.tenant(),
    fields: {
        Field::id() => delivery.id(),
        Field::text("webhook_id").indexed() => delivery.endpoint_id.to_string(),
        Field::text("event_type") => delivery.event_type,
        Field::text("event_id").indexed() => delivery.event_id,
        Field::text("status") => delivery.status.name(),
        Field::number("response_status") => delivery.response_status,
        Field::number("attempt") => delivery.attempt,
        Field::instant("created_at") => delivery.created_at,
        Field::instant("completed_at") => delivery.completed_at,
        Field::text("open").indexed().hidden()
            => Some(delivery.endpoint_id.to_string()).filter(|_| delivery.is_open()),
    }
}

impl Delivery {
    /// The first attempt at `told`, for an endpoint that subscribes to it; parked when the endpoint
    /// is not active.
    #[must_use]
    pub fn first(endpoint: &Endpoint, told: &Told, schedule: &Schedule, stamp: &Stamp) -> Self {
        let active = endpoint.active;
        Self {
            id: stamp.id(),
            endpoint_id: endpoint.id,
            generation: endpoint.generation,
            owner: endpoint.owner,
            url: endpoint.url.clone(),
            event_type: told.kind.clone(),
            event_id: told.event_id.clone(),
            sequence: told.sequence,
            is_test: false,
            status: if active { DeliveryStatus::Pending } else { DeliveryStatus::Parked },
            request_body: told.body(),
            response_status: None,
            response_body: None,
            error_message: None,
            attempt: 1,
            max_attempts: schedule.attempts(endpoint.generation),
            first_attempt_at: None,
            next_retry_at: None,
            duration_ms: None,
            created_at: stamp.now(),
            completed_at: None,
            replayed_at: None,
        }
    }

    /// The only attempt at a test, whether the endpoint is active or not.
    #[must_use]
    pub fn test(endpoint: &Endpoint, told: &Told, stamp: &Stamp) -> Self {
        Self {
            is_test: true,
            status: DeliveryStatus::Pending,
            max_attempts: 1,
            first_attempt_at: Some(stamp.now()),
            ..Self::first(endpoint, told, &Schedule::default(), stamp)
        }
    }

    /// The same event again, from its first attempt on.
    #[must_use]
    pub fn again(&self, endpoint: &Endpoint, schedule: &Schedule, stamp: &Stamp) -> Self {
        Self {
            attempt: 1,
            max_attempts: schedule.attempts(endpoint.generation),
            first_attempt_at: None,
            ..self.another(endpoint, stamp)
        }
    }

    /// The attempt after this one, which failed; parked when the endpoint is not active.
    pub(crate) fn next(&self, endpoint: &Endpoint, stamp: &Stamp) -> Self {
        let active = endpoint.active || self.is_test;
        let status = if active { DeliveryStatus::Pending } else { DeliveryStatus::Parked };
        Self { status, attempt: self.attempt + 1, ..self.another(endpoint, stamp) }
    }

    /// A row like this one of which nothing has become yet.
    pub(crate) fn another(&self, endpoint: &Endpoint, stamp: &Stamp) -> Self {
        Self {
            id: stamp.id(),
            url: endpoint.url.clone(),
            status: DeliveryStatus::Pending,
            response_status: None,
            response_body: None,
            error_message: None,
            next_retry_at: None,
            duration_ms: None,
            created_at: stamp.now(),
            completed_at: None,
            replayed_at: None,
            ..self.clone()
        }
    }

    /// Whether its event has not arrived and will not, unless it is replayed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let ended = match self.status {
            DeliveryStatus::Parked => true,
            DeliveryStatus::Failed => self.next_retry_at.is_none(),
            DeliveryStatus::Pending | DeliveryStatus::Success => false,
        };
        ended && !self.is_test && self.replayed_at.is_none()
    }

    /// Notes what came of it.
    pub(crate) fn note(&mut self, outcome: &Result<ReceiverResponse, Undelivered>, arrived: bool) {
        self.status = if arrived { DeliveryStatus::Success } else { DeliveryStatus::Failed };
        match outcome {
            Ok(answer) => {
                self.response_status = Some(answer.status);
                self.response_body = Some(without_nul(&answer.body, usize::MAX));
                let millis = answer.took.as_millis();
                self.duration_ms = Some(i64::try_from(millis).unwrap_or(i64::MAX));
                let status = answer.status;
                self.error_message = (!arrived).then(|| format!("the receiver answered {status}"));
            }
            Err(undelivered) => {
                self.error_message = Some(without_nul(&undelivered.to_string(), MAX_ERROR_CHARS));
            }
        }
    }
}

/// What a store can keep of `text`: no NUL, and at most `max` characters.
fn without_nul(text: &str, max: usize) -> String {
    text.chars().filter(|c| *c != '\0').take(max).collect()
}
