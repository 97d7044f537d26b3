//! Links between documents as they are answered.

use racun_documents::{DocumentId, RelationType};
use racun_kernel::calendar::format_instant;
use racun_kernel::{Issue, Scope};
use racun_sales::documents::{self as application, RelatedDocument, RelationView};
use racun_store::Store;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use super::input::{DocumentKindBody, TitleTypeBody};
use crate::body::Convert;
use crate::error::ApiError;
use crate::request::Query;
use crate::route::Parameter;

/// The query parameter that asks for links in lists.
pub(super) const INCLUDE: Parameter =
    Parameter::text("include", "What to answer with it, comma separated: document_relations.");

/// The one relation that can be included.
const DOCUMENT_RELATIONS: &str = "document_relations";

/// The other side of a link.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RelatedDocument)]
struct RelatedBody {
    id: String,
    r#type: DocumentKindBody,
    number: String,
    /// Of estimates only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    title_type: Option<TitleTypeBody>,
}

/// A link between two documents, as one of them sees it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentRelation)]
pub struct RelationBody {
    id: String,
    /// The document that named the other.
    source_id: String,
    source_type: DocumentKindBody,
    /// The document that was named.
    target_id: String,
    target_type: DocumentKindBody,
    /// What the document is to the other one: the target's name for it is the inverse.
    #[schema(schema_with = label)]
    relation_type: &'static str,
    related_document: RelatedBody,
    created_at: String,
}

fn label() -> Schema {
    use RelationType::{
        AdvanceApplied, ConvertedFrom, CreditFor, DeliveredFor, Fulfills, References,
    };
    let all = [CreditFor, ConvertedFrom, AdvanceApplied, Fulfills, DeliveredFor, References];
    let mut names: Vec<&str> =
        all.iter().flat_map(|one| [one.name(), one.inverse_name()]).collect();
    names.dedup();
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).build().into()
}

impl Convert<RelationBody> for RelationView {
    fn convert(self) -> RelationBody {
        let Self { relation, viewed_from, related } = self;
        let RelatedDocument { id, number, title_type } = related;
        let kind = relation.relation_type;
        RelationBody {
            id: relation.id.to_string(),
            source_id: relation.source_id.to_string(),
            source_type: relation.source_id.kind().convert(),
            target_id: relation.target_id.to_string(),
            target_type: relation.target_id.kind().convert(),
            relation_type: if viewed_from == relation.source_id {
                kind.name()
            } else {
                kind.inverse_name()
            },
            related_document: RelatedBody {
                id: id.to_string(),
                r#type: id.kind().convert(),
                number,
                title_type: title_type.convert(),
            },
            created_at: format_instant(relation.created_at),
        }
    }
}

/// Whether a request asks for links.
///
/// # Errors
/// When it asks for anything else.
pub(super) fn included(query: &Query) -> Result<bool, ApiError> {
    let asked = query.one(INCLUDE.name)?.unwrap_or_default();
    let mut names = asked.split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
    let is_asked = names.peek().is_some();
    if names.all(|name| name == DOCUMENT_RELATIONS) {
        return Ok(is_asked);
    }
    let message = format!("there is only {DOCUMENT_RELATIONS} to include");
    Err(Issue::new("invalid_value", message).at(INCLUDE.name).into())
}

/// The links of the document `id`.
pub(super) async fn of_one(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
) -> Result<Vec<RelationBody>, ApiError> {
    Ok(application::relations_of(store, scope, &[id]).await?.convert())
}
