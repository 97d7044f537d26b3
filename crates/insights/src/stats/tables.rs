//! The tables that may be asked, and their fields.

use StatKind::{Bool, Date, Instant, Number, Text};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatKind {
    /// Text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Bool,
    /// A day.
    Date,
    /// An instant.
    Instant,
}

/// A field of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatField {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: StatKind,
    /// The field whose value counts where it has none.
    pub fallback: Option<&'static str>,
}

const fn field(name: &'static str, kind: StatKind) -> StatField {
    StatField { name, kind, fallback: None }
}

const fn converted(name: &'static str, of: &'static str) -> StatField {
    StatField { name, kind: Number, fallback: Some(of) }
}

const QUOTE: StatField =
    StatField { name: "quote_currency", kind: Text, fallback: Some("currency_code") };

/// What may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatTable {
    /// Invoices.
    Invoices,
    /// Estimates.
    Estimates,
    /// Credit notes.
    CreditNotes,
    /// Advance invoices.
    AdvanceInvoices,
    /// Payments.
    Payments,
    /// Customers.
    Customers,
    /// Items of the catalogue.
    Items,
    /// The taxes of invoices, a row for each rate of an invoice.
    InvoiceTaxes,
}

static DOCUMENTS: [StatField; 24] = [
    field("id", Text),
    field("number", Text),
    field("date", Date),
    field("date_due", Date),
    field("is_draft", Bool),
    field("paid_in_full", Bool),
    field("voided_at", Instant),
    field("created_at", Instant),
    field("customer_id", Text),
    field("customer.name", Text),
    field("customer.country_code", Text),
    field("business_unit_id", Text),
    field("transaction_type", Text),
    field("creation_source", Text),
    field("calculation_mode", Text),
    field("currency_code", Text),
    QUOTE,
    field("total", Number),
    field("total_with_tax", Number),
    field("total_discount", Number),
    field("total_paid", Number),
    field("total_due", Number),
    converted("total_converted", "total"),
    converted("total_with_tax_converted", "total_with_tax"),
];

static PAYMENTS: [StatField; 12] = [
    field("id", Text),
    field("date", Date),
    field("type", Text),
    field("invoice_id", Text),
    field("credit_note_id", Text),
    field("advance_invoice_id", Text),
    field("expense_id", Text),
    field("created_at", Instant),
    field("currency_code", Text),
    QUOTE,
    field("amount", Number),
    converted("amount_converted", "amount"),
];

static CUSTOMERS: [StatField; 8] = [
    field("id", Text),
    field("created_at", Instant),
    field("name", Text),
    field("city", Text),
    field("country_code", Text),
    field("contact_type", Text),
    field("is_tax_subject", Bool),
    field("is_end_consumer", Bool),
];

static ITEMS: [StatField; 8] = [
    field("id", Text),
    field("created_at", Instant),
    field("name", Text),
    field("classification", Text),
    field("unit", Text),
    field("financial_category_id", Text),
    field("price", Number),
    field("gross_price", Number),
];

static TAXES: [StatField; 16] = [
    field("invoice_id", Text),
    field("date", Date),
    field("date_due", Date),
    field("is_draft", Bool),
    field("paid_in_full", Bool),
    field("voided_at", Instant),
    field("customer_id", Text),
    field("transaction_type", Text),
    field("currency_code", Text),
    QUOTE,
    field("rate", Number),
    field("reverse_charge", Bool),
    field("base", Number),
    field("tax_total", Number),
    converted("base_converted", "base"),
    converted("tax_total_converted", "tax_total"),
];

impl StatTable {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Invoices,
        Self::Estimates,
        Self::CreditNotes,
        Self::AdvanceInvoices,
        Self::Payments,
        Self::Customers,
        Self::Items,
        Self::InvoiceTaxes,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invoices => "invoices",
            Self::Estimates => "estimates",
            Self::CreditNotes => "credit_notes",
            Self::AdvanceInvoices => "advance_invoices",
            Self::Payments => "payments",
            Self::Customers => "customers",
            Self::Items => "items",
            Self::InvoiceTaxes => "invoice_taxes",
        }
    }

    /// Its fields, in the order in which rows have them.
    #[must_use]
    pub fn fields(self) -> &'static [StatField] {
        match self {
            Self::Invoices | Self::Estimates | Self::CreditNotes | Self::AdvanceInvoices => {
                &DOCUMENTS
            }
            Self::Payments => &PAYMENTS,
            Self::Customers => &CUSTOMERS,
            Self::Items => &ITEMS,
            Self::InvoiceTaxes => &TAXES,
        }
    }

    /// The field called `name`, with its place.
    #[must_use]
    pub fn field(self, name: &str) -> Option<(usize, &'static StatField)> {
        self.fields().iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The field by which `date_from` and `date_to` go, and months and years.
    #[must_use]
    pub const fn date_field(self) -> &'static str {
        match self {
            Self::Customers | Self::Items => "created_at",
            _ => "date",
        }
    }
}

/// What follows from a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derived {
    /// The month of the table's date: `2026-11`.
    Month,
    /// Its year: `2026`.
    Year,
    /// How late the due date is: `current`, `1-30`, `31-60`, `61-90`, `90+`. What is a draft, paid
    /// or voided is not late (contract 0.4).
    OverdueBucket,
}

impl Derived {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Month, Self::Year, Self::OverdueBucket];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Year => "year",
            Self::OverdueBucket => "overdue_bucket",
        }
    }

    /// The flags and instants of a row, beside the field that it follows from: where one of them is
    /// true, or there, the row is in the group of those whose field is null.
    #[must_use]
    pub const fn settled_by(self) -> &'static [&'static str] {
        match self {
            Self::Month | Self::Year => &[],
            Self::OverdueBucket => &["is_draft", "paid_in_full", "voided_at"],
        }
    }

    /// The field of `table` that it follows from; `None` where there is none.
    #[must_use]
    pub fn of(self, table: StatTable) -> Option<&'static StatField> {
        let name = match self {
            Self::Month | Self::Year => table.date_field(),
            Self::OverdueBucket => "date_due",
        };
        table.field(name).map(|(_, field)| field)
    }
}
