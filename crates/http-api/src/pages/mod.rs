//! Pages for people who follow a link in a mail: verifying an address, setting a new password,
//! accepting an invitation. Each shows a form, and nothing changes until it is sent: programs that
//! look at links in mails use nothing up.
//!
//! | Module   | Owns                                                    |
//! | -------- | ------------------------------------------------------- |
//! | `html`   | a page: one document without anything from elsewhere    |
//! | `words`  | what pages say, by language                             |
//! | `people` | the routes                                              |

mod html;
mod people;
mod words;

pub(crate) use people::{LINKED, ROUTES};
