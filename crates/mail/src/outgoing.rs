//! A mail as a record: written in the commit of what it tells of, delivered later.

use racun_kernel::id::{AccountId, EntityId, MailId};
use racun_kernel::{Stamp, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The placeholder of a secret in a subject, text or HTML: a token that opens an account, joins an
/// entity or leads to an archive. It is made when the mail is delivered, and no row ever holds it.
pub const SECRET: &str = "\u{e010}secret\u{e010}";

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailKind {
    /// A document of an entity.
    Document,
    /// What a customer still owes.
    Reminder,
    /// A new password; to the user with the address, if there is one.
    PasswordReset,
    /// Whether an address is a user's.
    Verification,
    /// An invitation to an entity.
    Invitation,
    /// A webhook that was disabled.
    WebhookDisabled,
    /// Subscriptions and their invoices.
    Billing,
    /// An archive that is complete, to the person who asked for it.
    Export,
}

impl MailKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Reminder => "reminder",
            Self::PasswordReset => "password_reset",
            Self::Verification => "verification",
            Self::Invitation => "invitation",
            Self::WebhookDisabled => "webhook_disabled",
            Self::Billing => "billing",
            Self::Export => "export",
        }
    }
}

/// An electronic invoice that goes along with a mail about its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachedInvoice {
    /// e-SLOG, as XML.
    Eslog,
    /// XRechnung, as XML.
    XRechnung,
    /// ZUGFeRD: the document as PDF, with XML inside.
    Zugferd,
}

/// Where a mail stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailState {
    /// It is still to be delivered.
    Queued,
    /// A mail server took it; or it was simulated in the sandbox.
    Sent,
    /// It will not be delivered.
    Failed,
}

impl MailState {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }
}

/// What a mail is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail {
    /// The account it belongs to; `None` when no user is known by the address.
    pub account_id: Option<AccountId>,
    /// The entity that sends it.
    pub entity_id: Option<EntityId>,
    /// What it is about.
    pub kind: MailKind,
    /// The ids of what it is about: documents, a user, an invitation, a webhook.
    pub about: Vec<String>,
    /// The name that it comes under.
    pub sender_name: Option<String>,
    /// Where answers go.
    pub reply_to: Option<String>,
    /// Addresses.
    pub to: Vec<String>,
    /// One line.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML.
    pub html: Option<String>,
}

/// A mail, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// Its id, which is its message's id too.
    pub id: MailId,
    /// See [`NewMail::account_id`]; so all below.
    pub account_id: Option<AccountId>,
    /// The entity that sends it.
    pub entity_id: Option<EntityId>,
    /// What it is about.
    pub kind: MailKind,
    /// The ids of what it is about.
    pub about: Vec<String>,
    /// The name that it comes under.
    pub sender_name: Option<String>,
    /// Where answers go.
    pub reply_to: Option<String>,
    /// Addresses.
    pub to: Vec<String>,
    /// One line.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML.
    pub html: Option<String>,
    /// The locale in which the document that it is about stands around its text; `None` for a mail
    /// about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The locale in which the document that it is about goes along as PDF; `None` when it does
    /// not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_pdf: Option<String>,
    /// The electronic invoices of it that go along, as it is when the mail is delivered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached_invoices: Vec<AttachedInvoice>,
    /// In whose name it is written, where its words are chosen when it is delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<Brand>,
    /// Where it stands.
    pub state: MailState,
    /// How often its delivery was tried.
    pub attempts: u32,
    /// What came in the way of the last attempt.
    pub error: Option<String>,
    /// When it was delivered.
    #[serde(with = "time::serde::rfc3339::option")]
    pub sent_at: Option<OffsetDateTime>,
    /// When it was written.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where mails are kept: with their entity, else with their account, else in the directory.
    pub static MAILS: OutgoingMail = "mails";
    |mail|
    id: mail.id,
    tenant: match (mail.entity_id, mail.account_id) {
        (Some(entity), _) => Tenant::entity(entity),
        (None, Some(account)) => Tenant::account(account),
        (None, None) => Tenant::directory(),
    },
    fields: {
        Field::id() => mail.id,
        Field::instant("created_at") => mail.created_at,
        Field::text("kind") => mail.kind.name(),
        Field::text("state") => mail.state.name(),
        Field::instant("sent_at") => mail.sent_at,
    }
}

/// In whose name users are written to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brand {
    /// What the service is called.
    pub product: String,
    /// Where its logo is: an address that may stand in a page.
    pub logo: Option<String>,
    /// Its colour, as in `#1a7f37`.
    pub color: Option<String>,
}

impl OutgoingMail {
    /// A mail that is to be delivered.
    #[must_use]
    pub fn queued(new: NewMail, stamp: &Stamp) -> Self {
        Self {
            id: stamp.id(),
            account_id: new.account_id,
            entity_id: new.entity_id,
            kind: new.kind,
            about: new.about,
            sender_name: new.sender_name,
            reply_to: new.reply_to,
            to: new.to,
            subject: new.subject,
            text: new.text,
            html: new.html,
            locale: None,
            attached_pdf: None,
            attached_invoices: Vec::new(),
            brand: None,
            state: MailState::Queued,
            attempts: 0,
            error: None,
            sent_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        }
    }

    /// The mail in the name of `brand`, for one whose words are chosen when it is delivered.
    #[must_use]
    pub fn branded(self, brand: Brand) -> Self {
        Self { brand: Some(brand), ..self }
    }

    /// The mail in the style of the document that it is about, which is read in `locale` when the
    /// mail is delivered.
    #[must_use]
    pub fn styled(self, locale: String) -> Self {
        Self { locale: Some(locale), ..self }
    }

    /// The mail with the document that it is about as PDF, which is printed in `locale` when the
    /// mail is delivered.
    #[must_use]
    pub fn with_pdf(self, locale: String) -> Self {
        Self { attached_pdf: Some(locale), ..self }
    }

    /// The mail with `invoices` of the document that it is about, which are written when the mail
    /// is delivered.
    #[must_use]
    pub fn with_invoices(self, invoices: Vec<AttachedInvoice>) -> Self {
        Self { attached_invoices: invoices, ..self }
    }

    /// The same mail as if it had been delivered: it is not sent.
    #[must_use]
    pub fn simulated(self) -> Self {
        Self { state: MailState::Sent, sent_at: Some(self.created_at), ..self }
    }

    /// The mail as delivered at `now`.
    #[must_use]
    pub fn delivered(self, now: OffsetDateTime) -> Self {
        Self {
            state: MailState::Sent,
            attempts: self.attempts + 1,
            error: None,
            sent_at: Some(now),
            updated_at: now,
            ..self
        }
    }

    /// The mail after an attempt at `now` that failed with `error`: still queued, or given up
    /// because there is no other attempt.
    #[must_use]
    pub fn not_delivered(self, error: &str, is_last: bool, now: OffsetDateTime) -> Self {
        Self {
            state: if is_last { MailState::Failed } else { MailState::Queued },
            attempts: self.attempts + 1,
            error: Some(error.to_owned()),
            updated_at: now,
            ..self
        }
    }
}
