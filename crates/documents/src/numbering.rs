//! Which sequence a document takes its number from, and what the number looks like.

use racun_kernel::id::BusinessUnitId;
use racun_kernel::{Series, Tenant};
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

/// How one document will be numbered: fixed by its kind, its date and its business unit.
#[derive(Debug, Clone)]
pub struct Numbering {
    /// The sequence.
    pub series: Series,
    format: NumberFormat,
    date: Date,
    unit_index: Option<i64>,
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
        Self {
            series: Series { tenant, key, start },
            format: format.clone(),
            date,
            unit_index: unit.map(|unit| unit.index),
        }
    }

    /// The document's number when it is the `sequence`-th of its series.
    #[must_use]
    pub fn number(&self, sequence: i64) -> String {
        self.format.format(self.date, sequence, self.unit_index)
    }
}
