//! Figures.
mod amounts;
mod category;
mod facts;
mod period;
mod vat_book;
mod xml;

pub use category::Category;
pub use facts::*;
pub use period::TaxPeriod;
pub use vat_book::*;
