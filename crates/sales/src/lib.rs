//! Documents and their money: what is sold, bought, paid and settled, and what the plan allows.
//!
//! | Module       | Owns                                                                   |
//! | ------------ | ---------------------------------------------------------------------- |
//! | `bill_invoices` | the operator's invoices of bills that subscriptions paid            |
//! | `billing`    | subscriptions: what they allow, what is counted, what time makes of them |
//! | `card_payments` | invoices paid by card, and invoices of what was paid by card        |
//! | `documents`  | documents made of the catalogue's records and the entity's settings    |
//! | `einvoicing` | electronic invoices of documents: facts and checks                     |
//! | `expenses`   | received supplier invoices, calculated and numbered                    |
//! | `network`    | electronic invoices over the network: enrolling, sending, following    |
//! | `overdue`    | one event for each invoice past its due date                           |
//! | `payments`   | payments on documents and expenses                                     |
//! | `recognition` | revenue and cost over time: entries beside documents, and for earlier ones |
//! | `recurring`  | recurring invoices, and the job that makes their invoices              |
//! | `settling`   | documents as settlement sees them, and what it changes on them         |
//! | `vat`        | VAT numbers of customers, by VIES, and the kind of sale that follows   |
//! | `error`      | why such a use case is refused                                         |
//!
//! **Invariants.** Reads come first, then one pure decision, then one commit. Nothing here writes
//! twice, except a change that is reported to a tax authority: the report is stored before it is
//! sent. Domain crates do not know each other; conversions between them are here.

pub mod bill_invoices;
pub mod billing;
pub mod card_payments;
pub mod documents;
pub mod einvoicing;
mod error;
pub mod expenses;
pub mod network;
pub mod overdue;
pub mod payments;
pub mod recognition;
pub mod recurring;
mod settling;
pub mod vat;

pub use error::Error;
