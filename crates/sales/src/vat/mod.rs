//! VAT numbers of customers in other member states: whether VIES knows them, and what kind of sale
//! follows.
//!
//! | Module  | Owns                                                                    |
//! | ------- | ----------------------------------------------------------------------- |
//! | `sale`  | the two sides of a document's sale, and its kind                        |
//! | `check` | what is known of a number: by its digits, by what is kept, from VIES    |
//! | `ask`   | what kind of sale two parties would have, without a document            |
//!
//! **Invariants.** VIES is asked outside any unit, before it, and each answer is kept in the commit
//! of what it was asked for. Digits that cannot be right decide without a call. What is no answer
//! says nothing of the number: the sale counts as one to a business, and the document says why.

mod ask;
mod check;
mod sale;

pub use ask::{SaleKind, SaleParties, SaleParty, kind_of_sale};
pub(crate) use check::{Finding, HeldFinding, Inquiry, StoredCheck};
pub(crate) use sale::{document_data, treatment};
