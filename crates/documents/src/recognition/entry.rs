//! An entry: the amount of a line, and the days over which it is recognised.

use racun_kernel::id::{EntityId, ExpenseEntry, Id, RevenueEntry};
use racun_kernel::{Currency, Decimal, Stamp, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

/// Whether something is sold or bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecognitionSide {
    /// Revenue of invoices, less credit notes.
    Revenue,
    /// Cost of expenses.
    Expense,
}

impl RecognitionSide {
    /// Its name in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Revenue => "revenue",
            Self::Expense => "expense",
        }
    }

    /// The id of a new entry.
    pub(super) fn id(self, stamp: &Stamp) -> String {
        match self {
            Self::Revenue => Id::<RevenueEntry>::new(stamp.ulid()).to_string(),
            Self::Expense => Id::<ExpenseEntry>::new(stamp.ulid()).to_string(),
        }
    }
}

/// The amount of a line that is spread over the days of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognitionEntry {
    /// Its id: `rre_…` of revenue, `ere_…` of cost.
    pub id: String,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Whether it is revenue or cost.
    pub side: RecognitionSide,
    /// The document or the expense.
    pub document_id: String,
    /// What that is: `invoice`, `credit_note` or `expense`.
    pub document_type: String,
    /// Its line; none where an expense has totals only.
    pub line_id: Option<String>,
    /// The line before tax; below zero of a credit note.
    pub amount: Decimal,
    /// In which currency.
    pub currency: Currency,
    /// The date of the document.
    #[serde(with = "racun_kernel::calendar::date")]
    pub invoiced_on: Date,
    /// The first day of the service.
    #[serde(with = "racun_kernel::calendar::date")]
    pub from: Date,
    /// The last day of the service.
    #[serde(with = "racun_kernel::calendar::date")]
    pub to: Date,
    /// The day on which the document was declared void.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub voided_on: Option<Date>,
    /// Whether the line says nothing itself, and the entity's default spreads it.
    pub by_default: bool,
    /// The line's name, by which a credit note finds it.
    pub name: Option<String>,
    /// The customer, or the supplier.
    pub partner_id: Option<String>,
    /// The catalogue item.
    pub item_id: Option<String>,
    /// The category of the line.
    pub financial_category_id: Option<String>,
    /// The business unit.
    pub business_unit_id: Option<String>,
    /// What the line sells.
    pub classification: Option<String>,
    /// The kind of sale.
    pub transaction_type: Option<String>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl RecognitionEntry {
    /// Whether it takes back what another document has: of a credit note.
    #[must_use]
    pub fn takes_back(&self) -> bool {
        self.document_type == Self::CREDIT_NOTE
    }

    /// The first day on which it changes anything.
    #[must_use]
    pub fn starts_on(&self) -> Date {
        if self.takes_back() { self.invoiced_on } else { self.invoiced_on.min(self.from) }
    }

    /// The last day on which it changes anything.
    #[must_use]
    pub fn settled_on(&self) -> Date {
        let done = self.invoiced_on.max(self.to);
        self.voided_on.map_or(done, |voided| voided.max(self.starts_on()))
    }

    pub(super) const INVOICE: &'static str = "invoice";
    pub(super) const CREDIT_NOTE: &'static str = "credit_note";
    pub(super) const EXPENSE: &'static str = "expense";
}

racun_store::record! {
    /// Where entries are kept.
    pub static RECOGNITION_ENTRIES: RecognitionEntry = "recognition_entries";
    |entry|
    id: entry.id,
    tenant: Tenant::entity(entry.entity_id),
    fields: {
        Field::id() => entry.id,
        Field::text("side") => entry.side.name(),
        Field::text("document_id").indexed() => entry.document_id,
        Field::date("invoiced_on") => entry.invoiced_on,
        Field::date("starts_on").hidden() => entry.starts_on(),
        Field::date("settled_on").hidden() => entry.settled_on(),
        Field::instant("created_at") => entry.created_at,
        Field::instant("updated_at") => entry.updated_at,
    }
}
