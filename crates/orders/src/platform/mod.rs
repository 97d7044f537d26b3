//! The webhooks of the platforms that shops run on: whether one is theirs, and what it says.
//!
//! | Module        | Owns                                                              |
//! | ------------- | ----------------------------------------------------------------- |
//! | `signature`   | the HMAC that both platforms sign with                            |
//! | `shopify`     | topics and orders of Shopify (REST Admin API)                     |
//! | `woocommerce` | topics and orders of WooCommerce (REST API v3)                    |
//! | `reading`     | values as both write them: numbers as text, days without a zone   |

mod reading;
mod shopify;
mod signature;
mod woocommerce;

use racun_kernel::{Issue, Issues};
use serde_json::Value as Json;
use time::OffsetDateTime;

use crate::order::{Content, Facts, SourceKind};
use crate::told::Told;

pub use shopify::TOPICS as SHOPIFY_TOPICS;
pub use signature::is_signed;

/// Bytes of a webhook; an order with [`crate::MAX_ITEMS`] lines has less.
pub const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of a webhook that are kept beside its order.
const MAX_RAW_BYTES: usize = 64 * 1024;

/// An order as a platform sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Its id at the platform.
    pub source_id: String,
    /// The platform's id of the event.
    pub event_id: Option<String>,
    /// When the order changed last there.
    pub updated_at: Option<OffsetDateTime>,
    /// What it says.
    pub content: Content,
    /// What became of it there.
    pub facts: Facts,
    /// All that was sent, where it is not too long.
    pub raw: Option<Json>,
}

/// What a webhook says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hook {
    /// An order is new, or changed.
    Order(Box<Incoming>),
    /// An order came back from the platform's trash.
    Restored(Box<Incoming>),
    /// An order is gone there.
    Gone {
        /// Its id at the platform.
        source_id: String,
    },
    /// The platform tries whether anything is here.
    Ping,
    /// The shop took this server's application out: it posts nothing more.
    Uninstalled,
    /// It is about something else than orders.
    Other,
}

/// What goes with the body of a webhook.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headers<'a> {
    /// What the webhook is about.
    pub topic: Option<&'a str>,
    /// The platform's id of the event.
    pub event_id: Option<&'a str>,
    /// When it happened, where the platform says so.
    pub triggered_at: Option<&'a str>,
}

impl Headers<'_> {
    /// The event that the webhook tells of.
    #[must_use]
    pub fn told(&self) -> Told {
        let (id, at) = (reading::text(self.event_id), reading::instant(self.triggered_at));
        Told { id, at }
    }
}

/// Whether `body` is what a platform posts to try whether anything is here: it is not signed, and
/// it changes nothing.
#[must_use]
pub fn is_trial(source: SourceKind, body: &[u8]) -> bool {
    source == SourceKind::Woocommerce && woocommerce::is_ping(body)
}

/// Reads the webhook of `source`, whose signature was checked.
///
/// # Errors
/// What cannot be understood, by path.
pub fn read(source: SourceKind, headers: Headers<'_>, body: &[u8]) -> Result<Hook, Issues> {
    match source {
        SourceKind::Shopify => shopify::read(headers, body),
        SourceKind::Woocommerce => woocommerce::read(headers, body),
        SourceKind::Manual => Err(Issue::new(
            "invalid_value",
            "this integration is of no platform; make one with source shopify or woocommerce",
        )
        .into()),
    }
}

/// Reads an order as the list of `source` has it.
///
/// # Errors
/// What cannot be understood, by path.
pub fn read_listed(source: SourceKind, order: &Json) -> Result<Incoming, Issues> {
    let topic = match source {
        SourceKind::Woocommerce => "order.updated",
        SourceKind::Shopify | SourceKind::Manual => "orders/updated",
    };
    let headers = Headers { topic: Some(topic), ..Headers::default() };
    match read(source, headers, order.to_string().as_bytes())? {
        Hook::Order(incoming) => Ok(*incoming),
        Hook::Restored(_) | Hook::Gone { .. } | Hook::Ping | Hook::Uninstalled | Hook::Other => {
            Err(Issue::new("invalid_value", "expected an order").into())
        }
    }
}

/// That a webhook does not say what it is about; those `known` are taken.
fn no_topic(known: &[&str]) -> Issues {
    let message = format!("the webhook names no topic; there are {}", known.join(", "));
    Issue::new("unknown_topic", message).into()
}

/// The body as JSON.
fn json(body: &[u8]) -> Result<Json, Issues> {
    serde_json::from_slice(body).map_err(|error| {
        Issue::new("malformed_json", format!("the body is no JSON: {error}")).into()
    })
}

/// What is kept of `body`.
fn raw(body: &[u8], json: &Json) -> Option<Json> {
    (body.len() <= MAX_RAW_BYTES).then(|| json.clone())
}
