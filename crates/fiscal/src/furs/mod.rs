//! Slovenia: what is said to FURS, by the technical specification of davčno potrjevanje računov,
//! version 3.2.

mod invoice;
mod premise;

pub use invoice::{Invoice, Operator, TaxBreakdown, TaxLine};
pub use premise::{MovableKind, Premise, PremiseKind, RealEstate};
