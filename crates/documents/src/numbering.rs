//! Which sequence a document takes its number from, and what the number looks like.

use racun_kernel::id::BusinessUnitId;
use racun_kernel::{Authority, SalesBook, Tenant};
use racun_store::Series;
use time::Date;

use crate::DocumentKind;
use crate::number_format::{NumberFormat, series_key};

/// The formats that an entity uses for one kind of document.
#[derive(Debug, Clone)]
pub struct NumberFormats {
    /// For documents without a business unit.
    pub main: NumberFormat,
    /// For documents of a business unit.
    pub unit: NumberFormat,
    /// First number of a fresh sequence without a unit.
    pub start: i64,
}

/// How one document will be numbered: fixed by its kind, its date and its business unit, or by
/// where it is fiscalized.
#[derive(Debug, Clone)]
pub struct Numbering {
    /// The sequence.
    pub series: Series,
    style: Style,
}

/// How numbers are written.
#[derive(Debug, Clone)]
enum Style {
    /// As the entity says.
    Own { format: NumberFormat, date: Date, unit_index: Option<i64> },
    /// As the law says.
    Fiscal { authority: Authority, premise: String, device: String },
    /// As on a form of a bound book: serial number, set, number.
    Form { set: String },
    /// As of a series in Portugal: type and series, and the digits of the number.
    Certified { prefix: String, digits: usize },
}

/// A business unit as far as numbering needs it.
#[derive(Debug, Clone, Copy)]
pub struct UnitNumbering {
    /// The unit.
    pub id: BusinessUnitId,
    /// Its index in numbers.
    pub index: i64,
    /// First number of a fresh sequence of this unit.
    pub start: i64,
}

impl Numbering {
    /// The numbering of a `kind` of `tenant` on `date`, in `unit` when it has one.
    ///
    /// A sequence runs on over a change of format; it starts again each year when the format shows
    /// the year.
    #[must_use]
    pub fn of(
        kind: DocumentKind,
        tenant: Tenant,
        date: Date,
        formats: &NumberFormats,
        unit: Option<UnitNumbering>,
    ) -> Self {
        let format = if unit.is_some() { &formats.unit } else { &formats.main };
        let key = series_key(kind.name(), date, format.has_year(), unit.map(|unit| unit.id));
        let start = unit.map_or(formats.start, |unit| unit.start);
        let unit_index = unit.map(|unit| unit.index);
        let style = Style::Own { format: format.clone(), date, unit_index };
        Self { series: Series { tenant, key, start }, style }
    }

    /// The numbering of a document that is reported to `authority`, in `series`, issued at
    /// `premise` on `device`.
    #[must_use]
    pub fn fiscal(series: Series, authority: Authority, premise: String, device: String) -> Self {
        Self { series, style: Style::Fiscal { authority, premise, device } }
    }

    /// The numbering of the document that is written on the form `book`, in its `series`.
    #[must_use]
    pub fn form(series: Series, book: &SalesBook) -> Self {
        Self { series, style: Style::Form { set: book.set() } }
    }

    /// The numbering of a document in Portugal in its `series`: `prefix`, a slash, and the number
    /// in `digits` digits at least.
    #[must_use]
    pub const fn certified(series: Series, prefix: String, digits: usize) -> Self {
        Self { series, style: Style::Certified { prefix, digits } }
    }

    /// The document's number when it is the `sequence`-th of its series.
    #[must_use]
    pub fn number(&self, sequence: i64) -> String {
        match &self.style {
            Style::Own { format, date, unit_index } => format.format(*date, sequence, *unit_index),
            Style::Fiscal { authority, premise, device } => match authority {
                Authority::Furs => format!("{premise}-{device}-{sequence}"),
                Authority::Fina => format!("{sequence}/{premise}/{device}"),
            },
            Style::Form { set } => format!("{set}-{sequence}"),
            Style::Certified { prefix, digits } => {
                let digits = *digits;
                format!("{prefix}/{sequence:0digits$}")
            }
        }
    }
}
