//! The port that carries e-mail.

use async_trait::async_trait;

/// An address with the name that mail programs show before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    /// The name; none shows the address alone.
    pub name: Option<String>,
    /// `local@domain`.
    pub address: String,
}

/// A file that goes with a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// What it is called: `invoice-2026-17.pdf`.
    pub filename: String,
    /// `application/pdf`.
    pub media_type: String,
    /// Its content.
    pub content: Vec<u8>,
    /// The id by which the mail's HTML shows it, as `cid:` and the id; `None` for a file to keep.
    pub content_id: Option<String>,
}

/// An e-mail, ready to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// What tells it from others, the same in each attempt: the left half of its `Message-ID`, by
    /// which a receiver finds that it has it already.
    pub id: String,
    /// Who it says it is from. `None` is the sender that the server was configured with, under this
    /// mail's `reply_to`.
    pub from: Option<Mailbox>,
    /// Where answers go, when not to the sender.
    pub reply_to: Option<Mailbox>,
    /// Who gets it; at least one.
    pub to: Vec<Mailbox>,
    /// One line.
    pub subject: String,
    /// The text for programs that show no HTML.
    pub text: String,
    /// The same as HTML.
    pub html: Option<String>,
    /// Files that go with it.
    pub attachments: Vec<Attachment>,
}

/// Why a mail was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// It may be taken later: no connection, a full mailbox, a server that is busy.
    #[error("the mail was not taken now: {0}")]
    Temporary(String),
    /// It will never be taken as it is: an address that does not exist, a sender that may not.
    #[error("the mail is refused: {0}")]
    Refused(String),
}

/// Carries mail.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Hands `mail` over. After `Ok` it is the receiver's; after an error it may be handed over
    /// again.
    ///
    /// # Errors
    /// [`MailError`], which says whether another attempt makes sense.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}
