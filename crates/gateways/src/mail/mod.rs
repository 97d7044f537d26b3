//! E-mail: to a server over SMTP, or into a folder where none is set.
//!
//! | Module    | Owns                                |
//! | --------- | ----------------------------------- |
//! | `message` | a mail as the text that is sent     |
//! | `smtp`    | handing it to a server              |
//! | `folder`  | writing it into a folder            |

mod folder;
mod message;
mod smtp;

use racun_mail::Mailbox;

pub use folder::MailFolder;
pub use smtp::{BadSmtpUrl, SmtpMailer};

/// The mailbox that `text` names: `me@example.com` or `Me <me@example.com>`.
#[must_use]
pub fn mailbox(text: &str) -> Option<Mailbox> {
    let read: lettre::message::Mailbox = text.parse().ok()?;
    let is_plain = !text.contains(char::is_control);
    is_plain.then(|| Mailbox { name: read.name, address: read.email.to_string() })
}
