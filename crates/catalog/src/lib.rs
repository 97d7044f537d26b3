//! What documents refer to: customers, suppliers, items, taxes, financial categories and business
//! units.
//!
//! Documents copy what they need when they are made, so that any record may change, go to the trash
//! or be erased without touching what was issued. Names and numbers that certified documents name
//! stay, as the law of Portugal wants it.
//!
//! | Module               | Owns                                                              |
//! | -------------------- | ----------------------------------------------------------------- |
//! | `certified`          | what certified documents say of records, which stays              |
//! | `customer`           | buyers, and what the catalogue knows of them                      |
//! | `customer_identity`  | which customers are the same, however they are written            |
//! | `identity`           | the keys by which parties are found that are the same             |
//! | `supplier`           | those the entity buys from                                        |
//! | `item`               | what is sold, its one price and the taxes on it                   |
//! | `tax`                | taxes whose rate changes with time; the one default of an entity  |
//! | `default_taxes`      | the taxes that a new entity starts with, by country               |
//! | `financial_category` | reporting categories of lines                                     |
//! | `business_unit`      | premises and brands of an entity, numbered without gaps           |
//! | `life_cycle`         | get, list, trash, restore and erase, once for all of them         |
//! | `check`              | limits of texts, metadata and free JSON                           |
//! | `parts`              | bank accounts and UJP routing                                     |
//! | `file`               | what uploaded files are and belong to                             |
//! | `storage`            | the port to where the bytes of files are                          |
//! | `vat_registry`       | the port to the register of VAT numbers, and its answers          |
//! | `contract`           | what every such register must keep (feature `testing`)            |
//! | `record`             | how these types declare their stored fields                       |
//! | `events`             | what the log tells of the catalogue                               |
//!
//! One input type per resource serves creation and update: on creation an absent field takes its
//! default, on update it stays as it is.
//!
//! **Invariants.** An item has a net price or a gross one, never both. A tax has at least one rate,
//! its rates are sorted newest first, and at most one tax of an entity is the default. No two taxes
//! outside the trash share a classification. A business unit's numbering index is never used again.

mod business_unit;
mod certified;
mod check;
#[cfg(feature = "testing")]
pub mod contract;
mod customer;
mod customer_identity;
mod default_taxes;
mod error;
pub mod events;
mod file;
mod financial_category;
mod identity;
mod item;
mod life_cycle;
mod parts;
mod record;
mod storage;
mod supplier;
mod tax;
mod vat_registry;

pub use business_unit::{
    BUSINESS_UNITS, BusinessUnit, BusinessUnitInput, create_business_unit, update_business_unit,
};
pub use certified::{Named, contradictions};
pub use check::{MAX_EMAIL_CHARS, MAX_JSON_BYTES, MAX_TEXT_CHARS, check_email};
pub use customer::{
    CUSTOMERS, ContactType, Customer, CustomerInput, Vies, create_customer, update_customer,
};
pub use default_taxes::{default_tax_puts, default_taxes};
pub use error::{CatalogError, RefusalReason};
pub use file::{
    FILES, File, FileCategory, FileFormat, FileLinks, FileRefused, MAX_FILE_BYTES, MAX_IMAGE_BYTES,
    NewFile,
};
pub use financial_category::{
    FINANCIAL_CATEGORIES, FinancialCategory, FinancialCategoryInput, archive_financial_category,
    create_financial_category, list_financial_categories, update_financial_category,
};
pub use item::{
    ITEMS, Item, ItemEInvoicing, ItemInput, ItemRules, ItemTaxInput, ItemTranslations, References,
    create_item, taxes_of_items, update_item,
};
pub use life_cycle::{EventKinds, Resource, Trashable, erase, get, list, restore, trash};
pub use storage::{FileStorage, StorageError};
pub use supplier::{SUPPLIERS, Supplier, SupplierInput, create_supplier, update_supplier};
pub use tax::{TAXES, Tax, TaxInput, TaxRate, TaxRateInput, create_tax, replace_tax, update_tax};
pub use vat_registry::{NoAnswer, VAT_CHECKS, VatAnswer, VatCheck, VatQuery, VatRegistry};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 8] = [
    &CUSTOMERS,
    &SUPPLIERS,
    &ITEMS,
    &TAXES,
    &FINANCIAL_CATEGORIES,
    &BUSINESS_UNITS,
    &FILES,
    &VAT_CHECKS,
];
