//! What earlier credit notes gave back of the documents that another one is over.

use std::collections::BTreeMap;

use racun_documents::{
    Document, DocumentId, DocumentKind, RELATIONS, Relation, RelationType, Stage,
};
use racun_kernel::Decimal;
use racun_records::{all_in, get_documents, hold_documents, hold_targeting};
use racun_store::{Context, Held, Many, StoreError, UnitBuilder};

/// From a document over its notes to the other documents of those is a step. Nothing says how much
/// of each line a note over several gives back, so all that is reached is looked at together.
const MAX_STEPS: usize = 8;

/// The documents that a credit note is over, and the notes over them that were seen before its
/// unit, those that do not hold included. Of another document it is empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Credited {
    targets: Vec<DocumentId>,
    notes: Vec<DocumentId>,
    /// What those notes are over besides.
    others: Vec<DocumentId>,
}

/// The same as a unit holds it.
pub(super) struct HeldCredited {
    links: Many<Relation>,
    seen: Vec<DocumentId>,
    notes: Many<Document>,
    others: Many<Document>,
}

/// The same as it was found.
#[derive(Default)]
pub(super) struct FoundCredited {
    /// The notes that hold.
    pub notes: Vec<Document>,
    /// What they are over besides.
    pub others: Vec<Document>,
    /// What those notes gave back of each document.
    pub given: BTreeMap<DocumentId, Decimal>,
    /// Whether there is a note that was not seen before.
    pub has_unseen: bool,
}

/// Whether documents of `kind` are given back of.
fn is_sale(id: DocumentId) -> bool {
    matches!(id.kind(), DocumentKind::Invoice | DocumentKind::AdvanceInvoice)
}

/// Whether the link is of a credit note. One that gives back none of the value has given back
/// quantities nevertheless.
fn is_credit(link: &Relation) -> bool {
    link.relation_type == RelationType::CreditFor
}

/// Whether `note` is issued and not voided.
fn holds(note: &Document) -> bool {
    matches!(note.stage, Stage::Issued(_)) && note.deleted_at.is_none()
}

fn unique(ids: impl Iterator<Item = DocumentId>) -> Vec<DocumentId> {
    let mut ids: Vec<DocumentId> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

impl Credited {
    /// Sees what a document of `kind` with these links is over.
    pub async fn of(
        cx: Context<'_>,
        kind: DocumentKind,
        links: &[DocumentId],
    ) -> Result<Self, StoreError> {
        if kind != DocumentKind::CreditNote {
            return Ok(Self::default());
        }
        let targets = unique(links.iter().copied().filter(|id| is_sale(*id)));
        let (mut reached, mut notes) = (targets.clone(), Vec::new());
        let mut last = targets.clone();
        for step in 1..=MAX_STEPS {
            let to_them = links_by(cx, "target_id", &last).await?;
            let over_them = to_them.iter().filter(|own| is_credit(own)).map(|own| own.source_id);
            let fresh = unique(over_them.filter(|id| !notes.contains(id)));
            notes.extend(&fresh);
            let found = get_documents(cx.store, cx.scope, fresh.into_iter()).await?;
            let holding = unique(found.iter().filter(|note| holds(note)).map(|note| note.id));
            let of_notes = links_by(cx, "source_id", &holding).await?;
            let over = of_notes.iter().filter(|own| is_credit(own)).map(|own| own.target_id);
            last = unique(over.filter(|id| !reached.contains(id)));
            if last.is_empty() || step == MAX_STEPS {
                break;
            }
            reached.extend(&last);
        }
        reached.retain(|id| !targets.contains(id));
        Ok(Self { targets, notes, others: reached })
    }

    /// Holds it; `None` where there is nothing.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> Option<HeldCredited> {
        (!self.targets.is_empty()).then(|| HeldCredited {
            links: hold_targeting(unit, self.targets.iter().chain(&self.others).copied()),
            seen: self.notes.clone(),
            notes: hold_documents(unit, self.notes.iter().copied()),
            others: hold_documents(unit, self.others.iter().copied()),
        })
    }
}

impl HeldCredited {
    /// What is there.
    pub fn read(self, held: &Held) -> Result<FoundCredited, StoreError> {
        let links: Vec<Relation> = held.all(self.links)?;
        let mut notes: Vec<Document> = held.all(self.notes)?;
        notes.retain(holds);
        let is_unseen = |own: &Relation| !self.seen.contains(&own.source_id);
        let has_unseen = links.iter().any(|own| is_credit(own) && is_unseen(own));
        let mut given = BTreeMap::new();
        let holds = |own: &&Relation| notes.iter().any(|note| note.id == own.source_id);
        for link in links.iter().filter(|own| is_credit(own)).filter(holds) {
            *given.entry(link.target_id).or_insert_with(Decimal::zero) += &link.amount;
        }
        Ok(FoundCredited { notes, others: held.all(self.others)?, given, has_unseen })
    }
}

/// The links whose `field` is one of `ids`.
async fn links_by(
    cx: Context<'_>,
    field: &str,
    ids: &[DocumentId],
) -> Result<Vec<Relation>, StoreError> {
    let ids: Vec<String> = ids.iter().map(DocumentId::to_string).collect();
    all_in(cx.store, &cx.tenant(), &RELATIONS, field, &ids).await
}
