//! What an update changed.

use racun_kernel::Tenant;
use racun_kernel::id::{EntityId, VersionId};
use racun_store::Field;
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

racun_store::record! {
    /// Versions of all kinds of documents.
    pub static VERSIONS: Version = "document_versions";
    |version|
    id: version.id,
    tenant: Tenant::entity(version.entity_id),
    fields: {
        Field::id() => version.id,
        Field::text("document_id").indexed() => version.document_id.to_string(),
        Field::number("version") => version.version,
        Field::instant("created_at") => version.created_at,
    }
}
