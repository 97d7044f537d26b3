//! Documents on paper: as pages, PDF files and receipts.
//!
//! | Module       | Owns                                                         |
//! | ------------ | ------------------------------------------------------------ |
//! | `parameters` | what a request says of how a document is printed             |
//! | `answer`     | pages with their policy, and files with their names          |
//! | `document`   | routes of documents of any kind                              |
//! | `e_invoice`  | hybrid PDFs, and packages for UJP                            |
//! | `preview`    | documents that are not made yet                              |
//! | `receipt`    | receipts of payments in Portugal                             |
//! | `shared`     | documents behind links, for everyone                         |

mod answer;
mod document;
mod e_invoice;
mod parameters;
mod preview;
mod receipt;
mod shared;

pub(crate) use document::ROUTES;
pub(crate) use e_invoice::E_INVOICES;
pub(crate) use parameters::{CODES, LANGUAGE, PREVIEW, asked_of_page, wants_page};
pub(crate) use preview::preview;
pub(crate) use receipt::RECEIPTS;
pub(crate) use shared::{FILES, of_payment, of_reply, page};
