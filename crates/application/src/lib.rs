//! Use cases that span Racun's domain crates, and the conversions between them.
//!
//! | Module      | Owns                                                                       |
//! | ----------- | -------------------------------------------------------------------------- |
//! | `convert`   | parts that documents and the catalogue both keep                          |
//! | `documents` | documents made of the catalogue's records and the entity's settings        |
//! | `entities`  | entities with the taxes they start with, and settings that number documents |
//!
//! **Invariants.** Reads come first, then one pure decision, then one commit: nothing here writes
//! twice. Domain crates do not know each other; whatever crosses from one to the other is here.

pub mod convert;
pub mod documents;
pub mod entities;

use racun_kernel::Table;

/// Every table that a store has to keep.
#[must_use]
pub fn tables() -> Vec<&'static Table> {
    let all = [&racun_access::TABLES[..], &racun_catalog::TABLES, &racun_documents::TABLES];
    all.concat()
}
