//! The entries that a unit holds beside its documents.

use racun_access::Entity;
use racun_documents::recognition::{
    RECOGNITION_ENTRIES, RecognitionDefault, RecognitionEntry, RecognitionSide, changes,
};
use racun_documents::{Document, DocumentId, DocumentKind, Relation};
use racun_kernel::id::ExpenseId;
use racun_store::{Held, Many, Put, StoreError, UnitBuilder};

use super::default_of;

/// The entries of some documents, as a unit holds them.
pub(crate) struct HeldEntries(Option<Many<RecognitionEntry>>);

impl HeldEntries {
    /// None: a document that is new, or of a kind without entries, has none.
    pub fn none() -> Self {
        Self(None)
    }

    /// Holds the entries of the documents `ids`.
    pub fn of(unit: &mut UnitBuilder<'_>, ids: impl IntoIterator<Item = DocumentId>) -> Self {
        Self::named(unit, ids.into_iter().map(|id| id.to_string()).collect())
    }

    /// Holds the entries of the expense `id`.
    pub fn of_expense(unit: &mut UnitBuilder<'_>, id: ExpenseId) -> Self {
        Self::named(unit, vec![id.to_string()])
    }

    /// Holds the entries of documents and expenses.
    pub fn named(unit: &mut UnitBuilder<'_>, ids: Vec<String>) -> Self {
        if ids.is_empty() {
            return Self::none();
        }
        Self(Some(unit.hold_where_each(&RECOGNITION_ENTRIES, "document_id", ids)))
    }

    /// The entries that there are.
    ///
    /// # Errors
    /// When a row is not what its table keeps.
    pub fn read(self, held: &Held) -> Result<Vec<RecognitionEntry>, StoreError> {
        held.all(self.0)
    }
}

/// The entries of a document that is changed, and of what it gives back of.
pub(crate) struct HeldSpread {
    default: RecognitionDefault,
    own: HeldEntries,
    credited: HeldEntries,
}

impl HeldSpread {
    /// Holds the entries of the document `id`, whose links are `links`; `more` are documents that
    /// it is to be linked to.
    pub fn of(
        unit: &mut UnitBuilder<'_>,
        entity: &Entity,
        id: DocumentId,
        links: &[Relation],
        more: &[DocumentId],
    ) -> Self {
        let default = default_of(entity, RecognitionSide::Revenue);
        let targets = links.iter().map(|link| link.target_id).chain(more.iter().copied());
        let (own, credited) = match id.kind() {
            DocumentKind::Invoice => (HeldEntries::of(unit, [id]), HeldEntries::none()),
            DocumentKind::CreditNote => {
                (HeldEntries::of(unit, [id]), HeldEntries::of(unit, targets))
            }
            DocumentKind::AdvanceInvoice | DocumentKind::Estimate | DocumentKind::DeliveryNote => {
                (HeldEntries::none(), HeldEntries::none())
            }
        };
        Self { default, own, credited }
    }

    /// What is written so that its entries are those of `document`, as it becomes.
    ///
    /// # Errors
    /// When a row is not what its table keeps.
    pub fn followed(self, document: &Document, held: &Held) -> Result<Vec<Put>, StoreError> {
        let (own, credited) = (self.own.read(held)?, self.credited.read(held)?);
        let default = self.default.or_of(&own);
        let after = document.recognition(default, &credited, held.actor().stamp());
        Ok(changes(&own, after))
    }
}
