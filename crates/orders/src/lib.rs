//! Orders of shops, and the integrations by which they come.
//!
//! | Module        | Owns                                                                  |
//! | ------------- | --------------------------------------------------------------------- |
//! | `order`       | an order: what was bought, its state, and what may become of it       |
//! | `integration` | a source of orders, and the rules by which they become documents      |
//! | `opening`     | what a consent of a shop's owner gives to an integration              |
//! | `rules`       | when an order is processed, and what is made of it                    |
//! | `platform`    | the webhooks of Shopify and WooCommerce: signatures and payloads      |
//! | `port`        | what platforms are asked: a shop's consent, its earlier orders        |
//! | `sync`        | how far the reading of earlier orders came                            |
//! | `told`        | which of a platform's events a webhook tells of, and told before      |
//! | `check`       | limits of what callers send                                           |
//! | `contract`    | what every adapter to platforms must keep (feature `testing`)         |
//! | `events`      | what the log tells of orders                                          |
//!
//! **Invariants.** An order of a source is kept once: integration, source and the source's id are
//! unique. It has at most one live invoice. Who processes it writes the document and the order's
//! new state in one unit that holds the order, so repeats and crashes make no second one.

mod check;
#[cfg(feature = "testing")]
pub mod contract;
mod error;
pub mod events;
mod integration;
mod opening;
mod order;
pub mod platform;
mod port;
mod rules;
mod sync;
mod told;

pub use error::{OrderError, OrderRefusal};
pub use integration::{
    INTEGRATIONS, Integration, IntegrationInput, MAX_DELAY_SECONDS, MAX_INTEGRATIONS, Trigger,
    check_secret,
};
pub use opening::{Consent, Opening};
pub use order::{
    Address, AddressInput, Buyer, BuyerInput, Content, Facts, ItemInput, ItemKind, MAX_ITEMS,
    Moved, ORDERS, Order, OrderInput, OrderItem, PaymentStatus, SourceKind, Status, Transaction,
    source_key,
};
pub use port::{
    Grant, OrdersPage, PageRequest, PlatformError, ShopAccess, ShopPlatforms, shop_domain,
};
pub use rules::{Making, payment_type};
pub use sync::{OrderSync, SyncState};
pub use told::{Seen, Told};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 2] = [&ORDERS, &INTEGRATIONS];
