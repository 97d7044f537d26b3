//! The VAT books of Slovenia: issued invoices (KIR) and received ones (KPR), in the authority's
//! electronic form.
//!
//! | Module     | Owns                                                       |
//! | ---------- | ---------------------------------------------------------- |
//! | `issued`   | which columns of KIR a document fills                      |
//! | `received` | which columns of KPR a purchase fills                      |
//! | `form`     | the form: `DDV_KIR_KPR`, version 1.3                       |
//!
//! A column is named by its number in the form: 7 is the element `P7`.
//!
//! **Invariants.** Every document of the period is a row or is named among those that were left
//! out. A row is numbered by its place. Columns of a credit note are below zero, those of a voided
//! document zero.
//!
//! Sources: FURS, schema `DDV_KIR_KPR_1` version 1.3 of 22.7.2024, its workbooks of fields and of
//! business rules, and questions and answers (second edition, February 2025).

mod form;
mod issued;
mod received;

use std::collections::BTreeMap;

use racun_kernel::{Decimal, Issue, tax_number};
use time::Date;
use time::macros::date;

use crate::facts::{Findings, Named, Said, UnionNumber};
use crate::period::TaxPeriod;

pub use form::FORM_NAMESPACE;

/// Which book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookKind {
    /// KIR: issued invoices.
    Issued,
    /// KPR: received invoices.
    Received,
}

impl BookKind {
    /// Its name in the form and in names of files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Issued => "KIR",
            Self::Received => "KPR",
        }
    }
}

/// A book of one period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatBook {
    /// Which one.
    pub kind: BookKind,
    /// Of when.
    pub period: TaxPeriod,
    /// Its rows, by date and number.
    pub rows: Vec<BookRow>,
    /// Documents of the period that are no row, by why they are none.
    pub left_out: Findings,
    /// What is odd about rows.
    pub warnings: Findings,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookRow {
    /// The document.
    pub document: Named,
    /// When it was booked: column 2.
    pub booked_on: Date,
    /// When it came in, of a received one.
    pub received_on: Option<Date>,
    /// The date that it bears.
    pub date: Date,
    /// Name and seat of the other side; empty when nothing is known.
    pub partner: String,
    /// Its number in the Union.
    pub number: Option<UnionNumber>,
    /// Of a received one: what stands for the number where there is none in the Union.
    pub foreign_number: Option<String>,
    /// The columns that it fills.
    pub columns: BTreeMap<u8, Decimal>,
}

/// From when the form applies (questions and answers of FURS, 1.9).
const FORM_SINCE: Date = date!(2025 - 07 - 01);

/// Amounts of a column are smaller than this (rule on amounts, KIR and KPR).
const TOO_LARGE: i64 = 5_000_000_000;

const NO_FORM: Said = (
    "form_not_in_use",
    "the electronic form applies to periods from 2025-07-01; for earlier ones FURS takes none",
);
const NOT_CONVERTED: Said = (
    "no_exchange_rate",
    "the document is in another currency and has no rate of exchange: set exchange_rate",
);
const NO_COLUMN: Said = (
    "rate_without_column",
    "the books have columns for 22, 9.5 and 5 percent only; tax of another country is declared \
     there, or under OSS",
);
const TOO_LARGE_AMOUNT: Said =
    ("amount_too_large", "the form takes amounts below 5 000 000 000 only: report it by hand");
const DOUBTFUL_NUMBER: Said = (
    "tax_number_doubtful",
    "there can be no such tax number: a digit or the length is wrong; the authority may refuse it",
);
const MARGIN: Said = (
    "margin_scheme",
    "taxed by the margin: the document states no tax, so the row lacks base and tax; add them",
);

/// The tax number of a taxpayer in Slovenia as the form has it: eight digits.
///
/// # Errors
/// `tax_number_form` when there are no eight digits behind `SI`.
pub fn tax_payer(number: Option<&str>) -> Result<String, Issue> {
    let compact = racun_kernel::vat_number::compact(number.unwrap_or_default());
    let digits = compact.strip_prefix("SI").unwrap_or(&compact);
    if tax_number::is_slovenian(digits) {
        return Ok(digits.to_owned());
    }
    let message = "the form names the taxpayer by eight digits: give the entity its Slovenian tax \
                   number";
    Err(Issue::new("tax_number_form", message))
}

/// What a row of a book is made of, before its columns are known.
struct Entry<'a> {
    id: &'a str,
    number: &'a str,
    is_voided: bool,
    is_converted: bool,
    sign: i64,
}

impl VatBook {
    fn begin(kind: BookKind, period: TaxPeriod) -> Self {
        let mut warnings = Findings::default();
        if period.from() < FORM_SINCE {
            warnings.say(NO_FORM);
        }
        Self { kind, period, rows: Vec::new(), left_out: Findings::default(), warnings }
    }

    /// The name of the file: `KIR_2026_M10`, with whatever ending.
    #[must_use]
    pub fn file_stem(&self) -> String {
        format!("{}_{}", self.kind.name(), self.period.label())
    }

    /// What a column comes to in all rows.
    #[must_use]
    pub fn total(&self, column: u8) -> Decimal {
        self.rows.iter().filter_map(|row| row.columns.get(&column)).sum()
    }

    /// The columns of the parts of `entry`, or why it is left out.
    fn columns(
        &mut self,
        entry: &Entry<'_>,
        parts: impl Iterator<Item = Result<Placed, Said>>,
    ) -> Result<BTreeMap<u8, Decimal>, Said> {
        if !entry.is_converted {
            return Err(NOT_CONVERTED);
        }
        let mut columns: BTreeMap<u8, Decimal> = BTreeMap::new();
        let mut said = Vec::new();
        for part in parts {
            let placed = part?;
            for (column, amount) in placed.columns {
                *columns.entry(column).or_insert_with(Decimal::zero) += &amount;
            }
            said.extend(placed.warning);
        }
        let factor = Decimal::from(if entry.is_voided { 0 } else { entry.sign });
        for amount in columns.values_mut() {
            *amount = crate::amounts::cents(&(&*amount * &factor));
        }
        if columns.values().any(|amount| amount.abs() >= Decimal::from(TOO_LARGE)) {
            return Err(TOO_LARGE_AMOUNT);
        }
        for one in said {
            self.warnings.note(one, entry.id, entry.number);
        }
        Ok(columns)
    }
}

/// Where the amounts of a part stand.
struct Placed {
    columns: Vec<(u8, Decimal)>,
    warning: Option<Said>,
}

impl Placed {
    fn at(columns: impl Into<Vec<(u8, Decimal)>>) -> Self {
        Self { columns: columns.into(), warning: None }
    }

    const fn nowhere(warning: Said) -> Self {
        Self { columns: Vec::new(), warning: Some(warning) }
    }

    fn with(self, warning: Said) -> Self {
        Self { warning: Some(warning), ..self }
    }
}

/// The column of a rate among those for 22, 9.5 and 5 percent.
fn column_of(rate: &Decimal, [full, reduced, special]: [u8; 3]) -> Option<u8> {
    let known = [(Decimal::from(22), full), (Decimal::new(95, 1), reduced), (5.into(), special)];
    known.into_iter().find(|(known, _)| known == rate).map(|(_, column)| column)
}
