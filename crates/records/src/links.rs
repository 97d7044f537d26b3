//! Links between documents.

use racun_documents::{DocumentId, RELATIONS, Relation};
use racun_store::{Context, Held, Many, StoreError, UnitBuilder};

use crate::rows::{all_of, by_field};

/// The links of the document `id` to others, in their order.
///
/// # Errors
/// When the store fails.
pub async fn links_of(cx: Context<'_>, id: DocumentId) -> Result<Vec<Relation>, StoreError> {
    let from = by_field(&RELATIONS, "source_id", &id.to_string());
    let mut links: Vec<Relation> = all_of(cx.store, &cx.tenant(), &RELATIONS, from).await?;
    links.sort_by_key(|relation| (relation.position, relation.id));
    Ok(links)
}

/// Holds the links that name any of the documents `ids` as their target.
pub fn hold_targeting(
    unit: &mut UnitBuilder<'_>,
    ids: impl IntoIterator<Item = DocumentId>,
) -> Many<Relation> {
    let ids = ids.into_iter().map(|id| id.to_string());
    unit.hold_where_each(&RELATIONS, "target_id", ids)
}

/// The links of a document to others, as a unit holds them.
#[derive(Debug)]
pub struct Sourced(Many<Relation>);

impl Sourced {
    /// Holds the links of the document `id` to others.
    pub fn hold(unit: &mut UnitBuilder<'_>, id: DocumentId) -> Self {
        Self(unit.hold_where(&RELATIONS, "source_id", id))
    }

    /// The links, in their order.
    ///
    /// # Errors
    /// When a row is not what its table keeps.
    pub fn read(self, held: &Held) -> Result<Vec<Relation>, StoreError> {
        let mut found = held.all(self.0)?;
        found.sort_by_key(|relation| (relation.position, relation.id));
        Ok(found)
    }
}
