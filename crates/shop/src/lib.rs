//! Orders of shops: kept, received from platforms, and made into documents.
//!
//! | Module         | Owns                                                                   |
//! | -------------- | ---------------------------------------------------------------------- |
//! | `integrations` | integrations: made, changed, listed, deleted                           |
//! | `orders`       | orders: made, changed, listed, cancelled, in the trash                 |
//! | `hooks`        | webhooks of platforms: whose they are, whether they are signed         |
//! | `consent`      | a shop's owner consents: what is asked for, and what comes back        |
//! | `stores`       | connected stores, counted where an integration changes                 |
//! | `sync`         | a shop's earlier orders, read page by page                             |
//! | `document`     | what a document of an order says                                       |
//! | `processing`   | an order becomes its document, in one commit with its new state        |
//! | `money`        | what the shop took is on the order's invoice once                      |
//! | `trial`        | what is only tried, and not written                                    |
//! | `worker`       | the job that processes what is due                                     |
//! | `error`        | why such a use case is refused                                         |
//!
//! **Invariants.** A document of an order is written in the commit that notes it on the order, so
//! an order has one invoice, however often it is processed and whatever dies in between. What
//! platforms send is taken only when its signature fits.

mod consent;
mod document;
mod error;
mod hooks;
pub mod integrations;
mod money;
pub mod orders;
mod processing;
mod stores;
mod sync;
mod trial;
mod worker;

pub use consent::{BACK, Resumed, authorize, consented, resume};
pub use error::ShopError;
pub use hooks::{Received, Signed, receive};
pub use processing::{Processing, process};
pub use sync::{OrderSyncHandler, ReadError, SyncRequest, sync};
pub use worker::OrderHandler;
