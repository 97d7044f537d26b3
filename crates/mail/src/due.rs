//! The directory in which a worker of any process finds the mails of all tenants that are due.

use racun_kernel::id::MailId;
use racun_kernel::{Field, FieldKind, Record, Table, Tenant, Value};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::OutgoingMail;

/// A mail that is to be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueMail {
    /// The mail, whose id is this row's too.
    pub mail_id: MailId,
    /// Whose mail it is, as [`Record::tenant`] of the mail says.
    pub of: Owner,
    /// When it is to be delivered; while an attempt is under way, when another worker may take over.
    #[serde(with = "time::serde::rfc3339")]
    pub due_at: OffsetDateTime,
    /// When it was queued.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Whose a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// An entity's.
    Entity(racun_kernel::id::EntityId),
    /// An account's.
    Account(racun_kernel::id::AccountId),
    /// Nobody's that is known yet.
    Nobody,
}

impl Owner {
    /// Where the mail is kept.
    #[must_use]
    pub fn tenant(self) -> Tenant {
        match self {
            Self::Entity(id) => Tenant::entity(id),
            Self::Account(id) => Tenant::account(id),
            Self::Nobody => Tenant::directory(),
        }
    }
}

/// Where due mails are kept: in the directory.
pub static DUE_MAILS: Table = Table {
    name: "due_mails",
    fields: &[
        Field::column("due_at", FieldKind::Instant).indexed(),
        Field::column("created_at", FieldKind::Instant),
    ],
};

impl Record for DueMail {
    fn table(&self) -> &'static Table {
        &DUE_MAILS
    }

    fn id(&self) -> String {
        self.mail_id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::directory()
    }

    fn values(&self) -> Vec<Value> {
        vec![self.due_at.into(), self.created_at.into()]
    }
}

impl DueMail {
    /// The entry of `mail`, due at once.
    #[must_use]
    pub const fn of(mail: &OutgoingMail) -> Self {
        let (due_at, created_at) = (mail.created_at, mail.created_at);
        Self { mail_id: mail.id, of: mail.owner(), due_at, created_at }
    }
}
