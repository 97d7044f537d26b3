//! Stored documents, their links and their payments: read, and held by units.
//!
//! | Module      | Owns                                                   |
//! | ----------- | ------------------------------------------------------ |
//! | `documents` | documents by their ids                                 |
//! | `links`     | links between documents                                |
//! | `payments`  | payments on documents                                  |
//! | `rows`      | rows of any table by their fields                      |
//!
//! **Invariants.** Nothing is decided or written here. Fiscalization, sales and what leaves them
//! read documents in this one way; none of them has to know another for it.

mod documents;
mod links;
mod payments;
mod rows;

pub use documents::{get_document, get_documents, hold_document, hold_documents, live_document};
pub use links::{Sourced, hold_targeting, links_of};
pub use payments::{hold_payments, live_payments, payment_field};
pub use rows::{ROW_LIMIT, all_in, all_of, all_where, by_field, where_in};
