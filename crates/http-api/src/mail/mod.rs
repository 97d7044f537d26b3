//! Routes of e-mail, and of documents that people outside see.
//!
//! | Module   | Owns                                                                |
//! | -------- | ------------------------------------------------------------------- |
//! | `send`   | sending documents and reminders                                     |
//! | `share`  | links to documents, for users who make and revoke them              |
//! | `public` | documents behind such links, for everyone                           |

mod public;
mod send;
mod share;

pub(crate) use public::ROUTES as PUBLIC;
pub(crate) use send::ROUTES as SENDING;
pub(crate) use share::ROUTES as SHARING;
