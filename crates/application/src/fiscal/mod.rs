//! Settings of fiscalization: what an entity told an authority's rules, with what it signs, where and
//! on what it issues.
//!
//! | Module        | Owns                                                              |
//! | ------------- | ----------------------------------------------------------------- |
//! | `settings`    | the settings themselves, and the certificate                      |
//! | `premises`    | the lists, and premises of which nobody is told                   |
//! | `registering` | premises that FURS is told of                                     |
//! | `devices`     | electronic devices                                                |
//! | `internal_act` | the act that Slovenian law asks a taxpayer for                   |
//! | `numbers`     | which numbers of this year's sequences were issued                |
//!
//! An authority is told of a premise outside any unit. Before, the premise's name is reserved, or its
//! closing is noted; after, what the authority answered is made so.

pub mod devices;
pub mod internal_act;
mod numbers;
pub mod premises;
pub mod registering;
pub mod settings;

use racun_access::Entity;
use racun_fiscal::{Authority, FiscalError, Refusal};
use racun_kernel::{Decision, Load, Loaded, Put, Record, Scope, StoreError, Table, Writes};

pub use devices::DeviceState;
pub use premises::PremiseState;

/// More rows than an entity has: these lists have no pages.
const ALL_ROWS: usize = 1 << 31;

/// Refuses what concerns another country's authority than the entity's.
///
/// # Errors
/// [`Refusal::OtherCountry`].
pub fn check_country(entity: &Entity, authority: Authority) -> Result<(), Refusal> {
    match entity.country_code.as_deref() {
        Some(code) if code == authority.country() => Ok(()),
        _ => Err(Refusal::OtherCountry(authority)),
    }
}

/// Holds the row `id` of the scope's entity.
fn one(table: &'static Table, scope: &Scope, id: impl ToString) -> Load {
    Load::One { table, tenant: scope.tenant(), id: id.to_string() }
}

/// Holds the rows of the scope's entity whose `field` has `value`.
fn all(table: &'static Table, scope: &Scope, field: &'static str, value: impl ToString) -> Load {
    Load::Where { table, tenant: scope.tenant(), field, value: value.to_string() }
}

/// The rows of the unit's load number `place`.
fn read<A: Record>(
    loaded: &Loaded,
    place: usize,
    table: &'static Table,
) -> Result<Vec<A>, StoreError> {
    let rows = loaded.rows.get(place).map(Vec::as_slice).unwrap_or_default();
    rows.iter().map(|row| row.read(table)).collect()
}

/// The row of the unit's load number `place`, which is `id`.
fn read_one<A: Record>(
    loaded: &Loaded,
    place: usize,
    table: &'static Table,
    id: impl ToString,
) -> Result<A, FiscalError> {
    let row = read(loaded, place, table)?.pop();
    row.ok_or_else(|| FiscalError::NotFound { id: id.to_string() })
}

/// The record that `decision` leaves, and what is to be written: a new row unless there was one
/// `before`.
fn written<A: Record>(before: Option<&A>, decision: Decision<A>) -> (A, Writes) {
    match decision {
        Decision::Unchanged(record) => (record, Writes::default()),
        Decision::Changed { record, beside: mut puts, events } => {
            puts.push(match before {
                Some(before) => Put::update(before, &record),
                None => Put::insert(&record),
            });
            (record, Writes { puts, events, takes_number: false })
        }
    }
}
