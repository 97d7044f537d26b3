//! What an update changed.

use racun_kernel::id::{EntityId, VersionId};
use racun_kernel::{Field, FieldKind, Record, Table, Tenant, Value};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Document, DocumentId};

/// One update of a document, with the document as it was before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// Its id.
    pub id: VersionId,
    /// Whose the document is.
    pub entity_id: EntityId,
    /// The document.
    pub document_id: DocumentId,
    /// 1 for the first update, and so on.
    pub version: i64,
    /// Names of the changed fields, as on the wire.
    pub changed_fields: Vec<String>,
    /// Who changed it: a person's e-mail and name; `None` for a key.
    pub user: Option<Editor>,
    /// Why, in the editor's words.
    pub change_reason: Option<String>,
    /// The document before the update, kept for audits.
    pub before: Box<Document>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Who changed a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Editor {
    /// Name.
    pub name: Option<String>,
    /// E-mail address.
    pub email: String,
}

/// Versions of all kinds of documents.
pub static VERSIONS: Table = Table {
    name: "document_versions",
    fields: &[
        Field::id(),
        Field::column("document_id", FieldKind::Text).indexed(),
        Field::column("version", FieldKind::Number),
        Field::column("created_at", FieldKind::Instant),
    ],
};

impl Record for Version {
    fn table(&self) -> &'static Table {
        &VERSIONS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.document_id.to_string().into(),
            self.version.into(),
            self.created_at.into(),
        ]
    }
}
