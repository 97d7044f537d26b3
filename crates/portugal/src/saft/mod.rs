//! SAF-T (PT) 1.04_01: the file of all that was issued in a period, for the authority.
//!
//! Who writes it goes over the documents twice, and holds one at a time. First the [`Survey`]
//! counts them and notes which customers, products and taxes they name, and which of the customers
//! have a tax number; then a [`SaftFile`] writes header, master files, and the documents. It takes
//! master rows in any order and from anywhere, the documents themselves for one, and writes those
//! that are named, once each: a customer with the tax number, where one row has it.
//!
//! | Module   | Owns                                                              |
//! | -------- | ----------------------------------------------------------------- |
//! | `facts`  | what the file says, as plain values: the input                    |
//! | `text`   | texts in the letters of the file, cut to the schema's lengths     |
//! | `xml`    | elements                                                          |
//! | `survey` | what is counted and named before anything is written              |
//! | `check`  | what keeps a document from being written                          |
//! | `file`   | the order of the file, from the header to its end                 |
//! | `master` | the elements of the header and of master rows                     |
//! | `entry`  | the elements of documents and receipts                            |
//!
//! **Invariants.** A file that ends states the counts and totals of its content. A document is
//! written as it is given or not at all. Memory grows with the customers, products and taxes that
//! are named, not with the documents.
//!
//! Source: Portaria 302/2016; AT's schema `SAFTPT1.04_01`.

mod check;
mod entry;
mod facts;
mod file;
mod master;
mod survey;
mod text;
mod xml;

pub use check::SaftError;
pub use facts::{
    Address, Company, Customer, Header, LineReference, Product, ProductKind, SaftCurrency,
    SaftDocument, SaftLine, SaftPayment, SaftReceipt, SaftTax, Settled, Shipping, Software, State,
    Withheld, product_code,
};
pub use file::SaftFile;
pub use survey::Survey;
pub use text::Encoding;

pub(crate) use xml::escape;
