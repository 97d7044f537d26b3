//! The five kinds of documents.

use std::fmt;
use std::str::FromStr;

use racun_kernel::Listing::{Long, Ordered, Seldom};
use racun_kernel::id::{format_ulid, parse_ulid};
use racun_kernel::{Field, FieldKind, InvalidId, State, Table, Unique, ulids_beside};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ulid::Ulid;

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

    /// The table that keeps it.
    #[must_use]
    pub const fn table(self) -> &'static Table {
        match self {
            Self::Invoice => &INVOICES,
            Self::Estimate => &ESTIMATES,
            Self::CreditNote => &CREDIT_NOTES,
            Self::AdvanceInvoice => &ADVANCE_INVOICES,
            Self::DeliveryNote => &DELIVERY_NOTES,
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
        let of_kind = |kind: DocumentKind| {
            parse_ulid(text, kind.prefix()).ok().map(|ulid| Self { kind, ulid })
        };
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

/// Fields of every kind of document, in the order of `Document::values`.
///
/// What no two documents share is the hidden `number_key`: the number itself, but for fiscalized
/// documents, whose numbers restart each year without naming it. Takings of a place ask for the
/// hidden `fiscal_premise` and `fiscal_device`: the names in the fiscal record.
static FIELDS: [Field; 42] = [
    Field::id(),
    Field::column("number", FieldKind::Text).searched().listed(Ordered),
    Field::column("is_draft", FieldKind::Bool).listed(Ordered).state(State::Beside),
    Field::column("date", FieldKind::Date).indexed().listed(Ordered),
    Field::column("date_due", FieldKind::Date).listed(Ordered).state(State::Beside),
    Field::column("date_valid_till", FieldKind::Date).listed(Seldom),
    Field::column("date_year", FieldKind::Number).listed(Ordered),
    Field::column("customer_id", FieldKind::Text).indexed().listed(Ordered),
    Field::column("business_unit_id", FieldKind::Text).listed(Ordered),
    Field::column("currency_code", FieldKind::Text).listed(Ordered),
    Field::column("total", FieldKind::Number).listed(Ordered),
    Field::column("total_with_tax", FieldKind::Number).listed(Ordered),
    Field::column("total_discount", FieldKind::Number).listed(Ordered),
    Field::column("total_converted", FieldKind::Number).listed(Seldom),
    Field::column("total_with_tax_converted", FieldKind::Number).listed(Seldom),
    Field::column("total_paid", FieldKind::Number).listed(Ordered).state(State::Beside),
    Field::column("total_due", FieldKind::Number).listed(Ordered),
    Field::column("paid_in_full", FieldKind::Bool).listed(Ordered).state(State::Leads),
    Field::column("transaction_type", FieldKind::Text).listed(Ordered),
    Field::column("creation_source", FieldKind::Text).listed(Ordered),
    Field::column("calculation_mode", FieldKind::Text).listed(Ordered),
    Field::column("reference", FieldKind::Text).searched().listed(Seldom),
    Field::column("shareable_id", FieldKind::Text).unique(Unique::Everywhere).listed(Seldom),
    Field::column("metadata", FieldKind::Map),
    Field::column("accepted_at", FieldKind::Instant).listed(Seldom),
    Field::column("rejected_at", FieldKind::Instant).listed(Seldom),
    Field::column("voided_at", FieldKind::Instant).indexed().listed(Seldom).state(State::Beside),
    Field::column("deleted_at", FieldKind::Instant),
    Field::column("created_at", FieldKind::Instant),
    Field::column("updated_at", FieldKind::Instant).listed(Ordered),
    Field::body("note", &["content", "texts", "note"]).searched().listed(Long),
    Field::body("customer.name", &["content", "customer", "name"]).searched().listed(Ordered),
    Field::body("customer.email", &["content", "customer", "email"]).searched().listed(Ordered),
    Field::body("customer.tax_number", &["content", "customer", "tax_number"])
        .searched()
        .listed(Ordered),
    Field::body("customer.company_number", &["content", "customer", "company_number"])
        .searched()
        .listed(Seldom),
    Field::body("customer.city", &["content", "customer", "city"]).searched().listed(Ordered),
    Field::body("customer.country_code", &["content", "customer", "country_code"]).listed(Ordered),
    Field::body("business_unit.name", &["content", "business_unit", "name"])
        .searched()
        .listed(Ordered),
    Field::body("issuer.name", &["content", "issuer", "name"]).listed(Ordered),
    Field::column("number_key", FieldKind::Text).unique(Unique::Tenant).hidden(),
    Field::body("fiscal_premise", &["fiscal", "record", "premise"]).hidden(),
    Field::body("fiscal_device", &["fiscal", "record", "device"]).hidden(),
];

/// Invoices.
pub static INVOICES: Table = Table { name: "invoices", fields: &FIELDS };
/// Estimates.
pub static ESTIMATES: Table = Table { name: "estimates", fields: &FIELDS };
/// Credit notes.
pub static CREDIT_NOTES: Table = Table { name: "credit_notes", fields: &FIELDS };
/// Advance invoices.
pub static ADVANCE_INVOICES: Table = Table { name: "advance_invoices", fields: &FIELDS };
/// Delivery notes.
pub static DELIVERY_NOTES: Table = Table { name: "delivery_notes", fields: &FIELDS };
