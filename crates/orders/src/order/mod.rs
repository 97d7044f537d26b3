//! An order: what was bought, by whom, and what became of it.
//!
//! | Module    | Owns                                                                    |
//! | --------- | ----------------------------------------------------------------------- |
//! | `content` | what the shop says of an order                                          |
//! | `input`   | what a caller says of one                                               |
//! | `life`    | its states: made, changed, processed, failed, cancelled, in the trash   |

mod content;
mod input;
mod life;

use racun_kernel::id::{CustomerId, EntityId, OrderId, OrderIntegrationId, PaymentId};
use racun_kernel::{Decimal, DocumentId, Metadata, Tenant};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use time::OffsetDateTime;

use crate::told::Seen;

pub use content::{
    Address, Buyer, Content, Facts, ItemKind, OrderItem, PaymentStatus, SourceKind, Transaction,
};
pub use input::{AddressInput, BuyerInput, ItemInput, MAX_ITEMS, OrderInput};

/// Where an order stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It waits to be processed.
    #[default]
    Pending,
    /// It has its document.
    Processed,
    /// Its document was refused: `error` says why.
    Failed,
    /// It makes no document.
    Cancelled,
}

impl Status {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Processed => "processed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A payment that goes from an invoice to the one that is made in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Which one.
    pub payment: PaymentId,
    /// How much of it.
    pub amount: Decimal,
}

/// An order of a shop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Its id.
    pub id: OrderId,
    /// Whose.
    pub entity_id: EntityId,
    /// The integration that it came by.
    pub order_integration_id: OrderIntegrationId,
    /// The platform.
    pub source: SourceKind,
    /// Its id there.
    pub source_id: String,
    /// What it says.
    pub content: Content,
    /// What the shop says became of it.
    pub facts: Facts,
    /// Where it stands here.
    pub status: Status,
    /// The customer that was found or made for it.
    pub customer_id: Option<CustomerId>,
    /// Its invoice.
    pub invoice_id: Option<DocumentId>,
    /// Its estimate.
    pub estimate_id: Option<DocumentId>,
    /// From when on it is processed by itself.
    #[serde(with = "time::serde::rfc3339::option")]
    pub process_after: Option<OffsetDateTime>,
    /// Whether what was bought changed after the document was made.
    pub items_changed_after_processing: bool,
    /// Why its document was refused.
    pub error: Option<String>,
    /// How often in a row it was refused.
    #[serde(default)]
    pub failures: u32,
    /// Whether the platform cancelled it, and may take that back.
    #[serde(default)]
    pub is_cancelled_there: bool,
    /// The invoice that has the money which the shop took for the order.
    #[serde(default)]
    pub paid_invoice_id: Option<DocumentId>,
    /// Payments on its invoice that go to the one that is made in its place, until that is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moving: Vec<Moved>,
    /// When its document was made.
    #[serde(with = "time::serde::rfc3339::option")]
    pub processed_at: Option<OffsetDateTime>,
    /// Which of the platform's events moved it to its trash there, and back.
    #[serde(default, skip_serializing_if = "Seen::is_empty")]
    pub trashed_by: Seen,
    /// What the platform sent last, where it is not too long.
    pub raw_data: Option<Json>,
    /// The platform's id of what it sent last.
    pub source_event_id: Option<String>,
    /// When the order changed last at the platform.
    #[serde(with = "time::serde::rfc3339::option")]
    pub source_updated_at: Option<OffsetDateTime>,
    /// Since when it is in the trash.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// When it was made here.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What no two orders share: the integration, the source and the id there.
#[must_use]
pub fn source_key(integration: OrderIntegrationId, source: SourceKind, source_id: &str) -> String {
    format!("{integration}/{}/{source_id}", source.name())
}

impl Order {
    /// What no two orders share; orders in the trash keep it, so that a webhook that comes again
    /// makes no second one.
    #[must_use]
    pub fn source_key(&self) -> String {
        source_key(self.order_integration_id, self.source, &self.source_id)
    }

    /// Whether it is paid and on its way.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_paid() && self.facts.fulfilled_at.is_some()
    }

    /// Whether all of it is paid.
    #[must_use]
    pub const fn is_paid(&self) -> bool {
        matches!(self.content.payment_status, PaymentStatus::Paid)
    }

    /// What the caller attached.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.content.metadata
    }
}

racun_store::record! {
    /// Where orders are kept.
    pub static ORDERS: Order = "orders";
    |order|
    id: order.id,
    tenant: Tenant::entity(order.entity_id),
    trashed: order.deleted_at.is_some(),
    fields: {
        Field::id() => order.id,
        Field::text("order_integration_id").indexed() => order.order_integration_id,
        Field::text("source") => order.source.name(),
        Field::text("source_id").searched() => order.source_id,
        Field::text("source_order_number").searched() => order.content.source_order_number,
        Field::text("customer_name").searched() => order.content.customer_name,
        Field::text("customer_email").searched() => order.content.customer_email,
        Field::text("customer_id") => order.customer_id,
        Field::text("invoice_id") => order.invoice_id,
        Field::text("estimate_id") => order.estimate_id,
        Field::text("currency_code") => order.content.currency,
        Field::number("total") => order.content.total,
        Field::number("total_with_tax") => order.content.total_with_tax,
        Field::text("status") => order.status.name(),
        Field::text("payment_status") => order.content.payment_status.name(),
        Field::instant("ordered_at") => order.content.ordered_at,
        Field::instant("process_after") => order.process_after,
        Field::instant("processed_at") => order.processed_at,
        Field::map("metadata") => order.content.metadata,
        Field::instant("created_at") => order.created_at,
        Field::instant("updated_at") => order.updated_at,
        Field::instant("deleted_at") => order.deleted_at,
        Field::text("source_key").unique(Unique::Tenant).hidden() => order.source_key(),
    }
}
