//! E-mail: what is sent to whom, made of which text, how often, and what became of it.
//!
//! | Module     | Owns                                                                   |
//! | ---------- | ---------------------------------------------------------------------- |
//! | `address`  | the addresses that a request names                                     |
//! | `template` | variables in braces, and their values                                  |
//! | `markdown` | the few marks that a text may use, as HTML and as plain text           |
//! | `wording`  | the default texts, by language                                         |
//! | `format`   | dates and amounts as people of a language write them                   |
//! | `mailer`   | the port that carries e-mail                                           |
//! | `outgoing` | a mail as a record: queued, sent or failed                             |
//! | `window`   | how often something is sent                                            |
//!
//! **Invariants.** Pure: no I/O, no clock, no randomness. A template is filled once: what a value
//! holds is never read as a variable, as a mark or as HTML. A record holds no secret: what proves
//! something to its receiver is in no row; only a placeholder for it is ([`SECRET`]).

mod address;
mod format;
mod mailer;
mod markdown;
mod outgoing;
mod template;
mod window;
mod wording;

use racun_store::Table;

pub use address::{MAX_RECIPIENTS, parse_addresses};
pub use format::{amount, day};
pub use mailer::{Attachment, Mail, MailError, Mailbox, Mailer};
pub use markdown::{to_html, to_plain};
pub use outgoing::{
    AttachedInvoice, Brand, MAILS, MailKind, MailState, NewMail, OutgoingMail, SECRET,
};
pub use template::{VARIABLES, Values, check_variables, defused, fill, fill_line, uses};
pub use window::{
    Cap, LimitReached, MailLimits, PER_SUBJECT, RESENT, SANDBOX, SEND_WINDOWS, SendWindow,
};
pub use wording::{DocumentWords, PRODUCT, Wording, Words};

/// The tables of this crate, for stores that make them.
pub static TABLES: [&Table; 2] = [&MAILS, &SEND_WINDOWS];
