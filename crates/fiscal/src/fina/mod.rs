//! Croatia: what is said to CIS, by the technical specification of fiskalizacija, version 2.7, and
//! its schema, version 1.9.

mod receipt;

pub use receipt::{Change, PaymentMeans, Receipt, TaxLine, ZkiAlgorithm};
