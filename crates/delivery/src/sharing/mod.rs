//! Documents that people outside see by a link.
//!
//! | Module  | Owns                                                                   |
//! | ------- | ---------------------------------------------------------------------- |
//! | `link`  | links to documents, given and taken away; replies to estimates         |
//! | `paper` | the document behind a link, as pages and files                         |
//!
//! **Invariants.** The id in a link is the right to see its document and nothing else.

mod link;
mod paper;

pub use link::{SharedReply, find_shared, link, reply_to_shared, share, unshare};
pub use paper::{SharedPaper, service_of, shared};
