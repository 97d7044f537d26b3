//! The port to whoever carries e-mail.

use async_trait::async_trait;

use crate::Issue;

/// Characters that an e-mail address has at most.
const MAX_ADDRESS_CHARS: usize = 255;
/// Characters before the at sign: RFC 5321, 4.5.3.1.1.
const MAX_LOCAL_CHARS: usize = 64;

/// Accepts `text` when it is formed like an e-mail address. Whether it exists is not known.
///
/// # Errors
/// What is wrong with it.
pub fn check_address(text: &str) -> Result<(), Issue> {
    if text.chars().count() > MAX_ADDRESS_CHARS {
        return Err(Issue::new("too_long", format!("at most {MAX_ADDRESS_CHARS} characters")));
    }
    let refused = || Issue::new("invalid_email", "expected an address such as ana@example.com");
    let (local, domain) = text.split_once('@').ok_or_else(refused)?;
    let plain = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '@' | '<' | '>' | ',' | ';' | '"')
    };
    let local_is_sane = !local.is_empty()
        && local.chars().count() <= MAX_LOCAL_CHARS
        && local.chars().all(plain)
        && !local.starts_with('.')
        && !local.ends_with('.');
    let label_is_sane = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let domain_is_sane = domain.contains('.') && domain.split('.').all(label_is_sane);
    if local_is_sane && domain_is_sane { Ok(()) } else { Err(refused()) }
}

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
}

/// An e-mail, ready to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// What tells it from others, the same in each attempt: the left half of its `Message-ID`, by which
    /// a receiver finds that it has it already.
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
    /// Hands `mail` over. After `Ok` it is the receiver's; after an error it may be handed over again.
    ///
    /// # Errors
    /// [`MailError`], which says whether another attempt makes sense.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}
