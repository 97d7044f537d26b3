//! Use cases on documents: gather what a request names, decide purely, commit once.
//!
//! | Module    | Owns                                                                 |
//! | --------- | -------------------------------------------------------------------- |
//! | `request` | what a caller asks for, in plain values                              |
//! | `gather`  | the reads: entity, customer, unit, items, taxes, categories          |
//! | `compose` | from request and reads to a document's content                       |
//! | `lines`   | the same for lines                                                   |
//! | `links`   | what a document may be linked to, and what that changes there        |
//! | `reply`   | replies to estimates, categories of lines                            |
//! | `save`    | what is kept in the catalogue in the same commit                     |
//! | `numbers` | number formats and sequences of an entity                            |
//! | `write`   | create, update, finalize, void, delete                               |
//! | `read`    | get, list, versions, calculate                                       |

mod compose;
mod gather;
mod lines;
mod links;
mod numbers;
mod read;
mod reply;
mod request;
mod save;
mod write;

pub use numbers::{check_number_settings, next_number};
pub use read::{RelatedDocument, RelationView, calculate, get, list, relations_of, versions};
pub use reply::{LineCategory, accept, categorize, reject};
pub use request::{
    CategoryAssignment, CustomTotals, CustomerRequest, DocumentRequest, ExchangeRateRequest,
    LineRequest, LineTaxRequest, UnitRequest,
};
pub use write::{Creation, Edit, create, delete, finalize, update, void};
