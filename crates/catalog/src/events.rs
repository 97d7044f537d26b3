//! What happens to the records of the catalogue.

use crate::{BUSINESS_UNITS, CUSTOMERS, FILES, FINANCIAL_CATEGORIES, ITEMS, SUPPLIERS, TAXES};

racun_store::events! {
    /// What happens to customers.
    pub mod customer on CUSTOMERS {
        CREATED = "customer.created" to Entity,
        UPDATED = "customer.updated" to Entity,
        DELETED = "customer.deleted" to Entity,
        RESTORED = "customer.restored" to Entity,
        PERMANENTLY_DELETED = "customer.permanently_deleted" to Entity,
        REMINDED = "customer.reminded",
    }
    /// What happens to items.
    pub mod item on ITEMS {
        CREATED = "item.created" to Entity,
        UPDATED = "item.updated" to Entity,
        DELETED = "item.deleted" to Entity,
        RESTORED = "item.restored" to Entity,
        PERMANENTLY_DELETED = "item.permanently_deleted" to Entity,
    }
    /// What happens to taxes.
    pub mod tax on TAXES {
        CREATED = "tax.created" to Entity,
        UPDATED = "tax.updated" to Entity,
        DELETED = "tax.deleted" to Entity,
        RESTORED = "tax.restored" to Entity,
        PERMANENTLY_DELETED = "tax.permanently_deleted" to Entity,
    }
    /// What happens to suppliers.
    pub mod supplier on SUPPLIERS {
        CREATED = "supplier.created",
        UPDATED = "supplier.updated",
        DELETED = "supplier.deleted",
        RESTORED = "supplier.restored",
        PERMANENTLY_DELETED = "supplier.permanently_deleted",
    }
    /// What happens to financial categories.
    pub mod financial_category on FINANCIAL_CATEGORIES {
        CREATED = "financial_category.created",
        UPDATED = "financial_category.updated",
        DELETED = "financial_category.deleted",
        RESTORED = "financial_category.restored",
        PERMANENTLY_DELETED = "financial_category.permanently_deleted",
    }
    /// What happens to business units.
    pub mod business_unit on BUSINESS_UNITS {
        CREATED = "business_unit.created",
        UPDATED = "business_unit.updated",
        DELETED = "business_unit.deleted",
        RESTORED = "business_unit.restored",
        PERMANENTLY_DELETED = "business_unit.permanently_deleted",
    }
    /// What happens to files.
    pub mod file on FILES {
        CREATED = "file.created",
        UPDATED = "file.updated",
        DELETED = "file.deleted",
        RESTORED = "file.restored",
        PERMANENTLY_DELETED = "file.permanently_deleted",
    }
}

/// All of them.
pub static ALL: [&[racun_store::EventKind]; 7] = [
    customer::ALL,
    item::ALL,
    tax::ALL,
    supplier::ALL,
    financial_category::ALL,
    business_unit::ALL,
    file::ALL,
];
