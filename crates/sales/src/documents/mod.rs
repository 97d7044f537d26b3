//! Use cases on documents: gather what a request names, decide purely, commit once.
//!
//! | Module         | Owns                                                                 |
//! | -------------- | -------------------------------------------------------------------- |
//! | `request`      | what a caller asks for, in plain values                              |
//! | `gather`       | the reads: entity, customer, unit, items, taxes, categories          |
//! | `buyer`        | the customer, and what its VAT number makes of the sale              |
//! | `compose`      | from request and reads to a document's content                       |
//! | `lines`        | the same for lines                                                   |
//! | `line_records` | the items, taxes and categories that lines name                      |
//! | `texts`        | default texts, with their translations                               |
//! | `links`        | the source documents that a request names                            |
//! | `reply`        | replies to estimates, categories of lines                            |
//! | `save`         | what is kept in the catalogue in the same commit                     |
//! | `numbers`      | number formats and sequences of an entity                            |
//! | `create`       | create                                                               |
//! | `finalize`     | drafts issued                                                        |
//! | `price`        | lines as an invoice prices them; an invoice of a tab's lines         |
//! | `copy`         | an invoice made after another one                                    |
//! | `issue`        | the decision behind both: number, links, advances, credit, payments  |
//! | `write`        | update, delete                                                       |
//! | `rejudge`      | electronic invoices of documents that are changed                    |
//! | `void`         | void, by a credit note where the law asks for one                    |
//! | `around`       | the credit notes and invoices that stand around what is voided       |
//! | `rates`        | the rate of exchange where the caller gives none                     |
//! | `read`         | list, versions, calculate                                            |
//! | `foresee`      | what a request would make, settled, and not written                  |

mod around;
mod buyer;
mod compose;
mod copy;
mod create;
mod finalize;
mod foresee;
mod gather;
mod issue;
mod line_records;
mod lines;
mod links;
mod numbers;
mod price;
pub(crate) mod rates;
mod read;
mod rejudge;
mod reply;
mod request;
mod save;
mod texts;
mod void;
mod write;

pub(crate) use compose::CurrencyRequest;
pub(crate) use copy::InvoiceCopy;
pub(crate) use create::default_mode;
pub use create::{Beside, Creation, create, create_beside};
pub use finalize::{Finalizing, finalize};
pub use foresee::{Foreseen, foresee};
pub use gather::{today, zone};
pub(crate) use issue::{advances, in_payments};
pub(crate) use line_records::archived_of_items;
pub use line_records::{LineRecords, by_ids, live, taxes};
pub(crate) use lines::LineRules;
pub use lines::{CategoryAssignment, LineRequest, LineTaxRequest};
pub(crate) use numbers::expense_numbering;
pub use price::{Pricing, TabSale};
pub(crate) use save::new_items;

pub use numbers::{NextNumber, NextOf, check_number_settings, next_number};
pub use read::{
    Newest, RelatedDocument, RelationView, archived_categories, calculate, list, relations_of,
    unconverted, versions,
};
pub use reply::{LineCategory, accept, categorize, reject};
pub use request::{
    CustomTotals, CustomerRequest, DocumentRequest, ExchangeRateRequest, UnitRequest,
};
pub use void::{Voiding, ends_by_credit, give_back, void};
pub use write::{Edit, delete, restore, update};
