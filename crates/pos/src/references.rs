//! What commands may name.

use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::Decimal;
use racun_kernel::id::{CustomerId, ItemId, TaxId};

use crate::table::PosTable;

/// What a command names, looked up. What is missing here does not exist in the entity, or is
/// deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// Items of the catalogue.
    pub items: BTreeMap<ItemId, ReferencedItem>,
    /// Taxes.
    pub taxes: BTreeSet<TaxId>,
    /// The customer.
    pub customer: Option<CustomerId>,
    /// The table, held by the same unit.
    pub table: Option<PosTable>,
}

/// What a line takes over from an item when it says nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedItem {
    /// Its name.
    pub name: String,
    /// What one costs today with tax, in the entity's currency.
    pub unit_gross_price: Decimal,
}
