//! The five kinds of sales documents, and their ids.
//!
//! They are here so that payments, tabs and exchanges name documents without knowing them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ulid::Ulid;

use crate::id::{format_ulid, parse_ulid};
use crate::{InvalidId, ulids_beside};

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// A demand for payment.
    Invoice,
    /// Proposed prices, valid until a date.
    Estimate,
    /// What is given back of an invoice. Its values are positive.
    CreditNote,
    /// A receipt for money paid ahead.
    AdvanceInvoice,
    /// What was delivered.
    DeliveryNote,
}

impl DocumentKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Invoice, Self::Estimate, Self::CreditNote, Self::AdvanceInvoice, Self::DeliveryNote];

    /// Its name on the wire and in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::Estimate => "estimate",
            Self::CreditNote => "credit_note",
            Self::AdvanceInvoice => "advance_invoice",
            Self::DeliveryNote => "delivery_note",
        }
    }

    /// The prefix of its ids.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Invoice => "inv_",
            Self::Estimate => "est_",
            Self::CreditNote => "cre_",
            Self::AdvanceInvoice => "adv_",
            Self::DeliveryNote => "del_",
        }
    }

    /// The prefix of its lines' ids.
    #[must_use]
    pub const fn line_prefix(self) -> &'static str {
        match self {
            Self::Invoice => "inv_item_",
            Self::Estimate => "est_item_",
            Self::CreditNote => "cre_item_",
            Self::AdvanceInvoice => "adv_item_",
            Self::DeliveryNote => "dn_item_",
        }
    }

    /// What shareable ids of the kind begin with.
    #[must_use]
    pub const fn share_prefix(self) -> &'static str {
        match self {
            Self::Invoice => "inv_share_",
            Self::Estimate => "est_share_",
            Self::CreditNote => "cre_share_",
            Self::AdvanceInvoice => "adv_share_",
            Self::DeliveryNote => "del_share_",
        }
    }

    /// Whether documents of this kind are fiscalized where any are.
    #[must_use]
    pub const fn is_fiscal(self) -> bool {
        match self {
            Self::Invoice | Self::CreditNote | Self::AdvanceInvoice => true,
            Self::Estimate | Self::DeliveryNote => false,
        }
    }

    /// The kind called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Id of a document; its prefix says of which kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId {
    kind: DocumentKind,
    ulid: Ulid,
}

impl DocumentId {
    /// The id of a `kind` made of `ulid`.
    #[must_use]
    pub const fn new(kind: DocumentKind, ulid: Ulid) -> Self {
        Self { kind, ulid }
    }

    /// Reads the id of a `kind`.
    ///
    /// # Errors
    /// When `text` is no id of that kind.
    pub fn of_kind(kind: DocumentKind, text: &str) -> Result<Self, InvalidId> {
        parse_ulid(text, kind.prefix()).map(|ulid| Self { kind, ulid })
    }

    /// The kind that the prefix tells.
    #[must_use]
    pub const fn kind(self) -> DocumentKind {
        self.kind
    }

    /// The part of the id that is not its prefix.
    #[must_use]
    pub const fn ulid(self) -> Ulid {
        self.ulid
    }

    /// The first and the last of the ids that the document of the line `line_id` may have; `None`
    /// when that is no line's id.
    #[must_use]
    pub fn of_line(line_id: &str) -> Option<(Self, Self)> {
        let of_kind = |kind: DocumentKind| {
            let ids = ulids_beside(parse_ulid(line_id, kind.line_prefix()).ok()?);
            Some((Self::new(kind, *ids.start()), Self::new(kind, *ids.end())))
        };
        DocumentKind::ALL.into_iter().find_map(of_kind)
    }

    /// What a draft shows instead of a number: `draft-` and the id's opaque part.
    #[must_use]
    pub fn draft_number(self) -> String {
        format_ulid("draft-", self.ulid)
    }
}

impl FromStr for DocumentId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let of_kind = |kind: DocumentKind| Self::of_kind(kind, text).ok();
        let expected = DocumentKind::Invoice.prefix();
        DocumentKind::ALL.into_iter().find_map(of_kind).ok_or(InvalidId { expected })
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_ulid(self.kind.prefix(), self.ulid))
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for DocumentId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DocumentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
