//! Links between documents, and what each side calls them.

use racun_kernel::id::{EntityId, RelationId};
use racun_kernel::{Decimal, Tenant};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{DocumentId, DocumentKind};

/// What a document is to the one that it was linked to when it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationType {
    /// A credit note gives back of it.
    CreditFor,
    /// It came of an estimate.
    ConvertedFrom,
    /// An advance invoice pays of it.
    AdvanceApplied,
    /// A delivery note is billed by it.
    Fulfills,
    /// A delivery note delivers it.
    DeliveredFor,
    /// Anything else.
    References,
}

impl RelationType {
    /// The relation of a new `source` to the existing `target` (contract 1.7).
    #[must_use]
    pub const fn of(source: DocumentKind, target: DocumentKind) -> Self {
        use DocumentKind::{AdvanceInvoice, CreditNote, DeliveryNote, Estimate, Invoice};
        match (source, target) {
            (CreditNote, Invoice | AdvanceInvoice) => Self::CreditFor,
            (Invoice, Estimate) => Self::ConvertedFrom,
            (Invoice, AdvanceInvoice) => Self::AdvanceApplied,
            (Invoice, DeliveryNote) => Self::Fulfills,
            (DeliveryNote, Invoice) => Self::DeliveredFor,
            _ => Self::References,
        }
    }

    /// What the source calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreditFor => "credit_for",
            Self::ConvertedFrom => "converted_from",
            Self::AdvanceApplied => "advance_applied",
            Self::Fulfills => "fulfills",
            Self::DeliveredFor => "delivered_for",
            Self::References => "references",
        }
    }

    /// What the target calls it.
    #[must_use]
    pub const fn inverse_name(self) -> &'static str {
        match self {
            Self::CreditFor => "has_credit",
            Self::ConvertedFrom => "converted_to",
            Self::AdvanceApplied => "applied_to",
            Self::Fulfills => "fulfilled_by",
            Self::DeliveredFor => "has_delivery",
            Self::References => "references",
        }
    }
}

/// A link between two documents, made with its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// Its id.
    pub id: RelationId,
    /// Whose documents.
    pub entity_id: EntityId,
    /// The document that named the other.
    pub source_id: DocumentId,
    /// The document that was named.
    pub target_id: DocumentId,
    /// What the source is to the target.
    pub relation_type: RelationType,
    /// What the source, an issued credit note, gives back of the target; 0 for other links.
    #[serde(default = "Decimal::zero")]
    pub amount: Decimal,
    /// Whether it was made although the rules of linking were against it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forced: bool,
    /// Its place among the links of its source, from 0.
    pub position: i64,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Links between documents.
    pub static RELATIONS: Relation = "document_relations";
    |relation|
    id: relation.id,
    tenant: Tenant::entity(relation.entity_id),
    fields: {
        Field::id() => relation.id,
        Field::text("source_id").indexed() => relation.source_id,
        Field::text("target_id").indexed() => relation.target_id,
        Field::text("relation_type") => relation.relation_type.name(),
        Field::instant("created_at") => relation.created_at,
        Field::text("pair").unique(Unique::Tenant).hidden()
            => format!("{}>{}", relation.source_id, relation.target_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_name_the_relation() {
        use DocumentKind::{AdvanceInvoice, CreditNote, DeliveryNote, Estimate, Invoice};
        let check = |source, target, name, inverse| {
            let relation = RelationType::of(source, target);
            assert_eq!((relation.name(), relation.inverse_name()), (name, inverse));
        };
        check(CreditNote, Invoice, "credit_for", "has_credit");
        check(CreditNote, AdvanceInvoice, "credit_for", "has_credit");
        check(Invoice, Estimate, "converted_from", "converted_to");
        check(Invoice, AdvanceInvoice, "advance_applied", "applied_to");
        check(Invoice, DeliveryNote, "fulfills", "fulfilled_by");
        check(DeliveryNote, Invoice, "delivered_for", "has_delivery");
        check(Invoice, Invoice, "references", "references");
    }
}
