//! What is posted: the body, who signs it, and what travels in headers.

use time::OffsetDateTime;

use crate::signature::{body_signature, standard_signature};
use crate::{Delivery, Post};

/// The value of `User-Agent`.
pub const USER_AGENT: &str = "Racun-Webhook/1.0";

impl Delivery {
    /// What is posted at `now`, signed with `secrets`, the newest first; the earlier generation has
    /// none, and no signature.
    ///
    /// `X-Webhook-Delivery` is new with each attempt, `X-Webhook-Event-Id` and `webhook-id` stay.
    /// Of two events on one object, the later has the greater `X-Webhook-Sequence`.
    #[must_use]
    pub fn post(&self, secrets: &[String], now: OffsetDateTime) -> Post {
        let (body, timestamp) = (&self.request_body, now.unix_timestamp());
        let mut headers = vec![
            ("User-Agent", USER_AGENT.to_owned()),
            ("X-Webhook-Event", self.event_type.clone()),
            ("X-Webhook-Timestamp", timestamp.to_string()),
            ("X-Webhook-Delivery", self.id.to_string()),
            ("X-Webhook-Id", self.endpoint_id.to_string()),
            ("X-Webhook-Event-Id", self.event_id.clone()),
            ("X-Webhook-Sequence", self.sequence.to_string()),
            ("webhook-id", self.event_id.clone()),
            ("webhook-timestamp", timestamp.to_string()),
        ];
        if let Some(secret) = secrets.first() {
            let standard = standard_signature(secrets, &self.event_id, timestamp, body);
            headers.push(("X-Webhook-Signature", body_signature(secret, body)));
            headers.push(("webhook-signature", standard));
        }
        Post { url: self.url.clone(), headers, body: body.clone() }
    }
}
