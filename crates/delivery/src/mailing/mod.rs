//! E-mail: documents, reminders and notices to users, written in the commit of their cause and
//! delivered later.
//!
//! | Module    | Owns                                                                     |
//! | --------- | ------------------------------------------------------------------------ |
//! | `send`    | a document, or a plain text, to its receivers                            |
//! | `remind`  | what a customer still owes                                               |
//! | `people`  | sign-up, new passwords, verified addresses, invitations                  |
//! | `letter`  | what mails of an entity have in common: language and texts               |
//! | `invoices` | electronic invoices that go along                                       |
//! | `limits`  | how much is sent, by document, entity, account and address               |
//! | `values`  | what the variables of templates stand for                                |
//! | `deliver` | the job that hands mails over                                            |
//! | `error`   | why nothing is sent                                                      |
//!
//! **Invariants.** A mail is written with its effect, or neither is. Limits are decided in the unit
//! that writes it, on rows that it holds. Every mail is written by
//! [`enqueue`](crate::outbox::enqueue).

mod deliver;
mod error;
mod invoices;
mod letter;
mod limits;
mod people;
mod remind;
mod send;
mod values;

pub use deliver::Postman;
pub use error::MailingError;
pub use letter::{LetterRequest, check_mail_texts};
pub use people::{
    add_entity_user, request_password_reset, resend_invitation, resend_verification, sign_up,
    sign_up_by_identity,
};
pub use remind::{Reminded, ReminderRequest, remind};
pub use send::{SendRequest, Sent, send};
