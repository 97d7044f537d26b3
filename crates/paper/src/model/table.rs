//! Tables: lines, taxes, advances, payments.

use serde::Serialize;

/// Rows under headings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Which one.
    pub key: TableKey,
    /// What is written above it; the table of lines has nothing.
    pub label: Option<String>,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// Which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKey {
    /// What is sold.
    Lines,
    /// Taxes by rate.
    Taxes,
    /// Money paid ahead.
    Advances,
    /// Payments.
    Payments,
    /// Totals in the issuer's currency.
    Converted,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    /// What it holds.
    pub key: ColumnKey,
    /// Its heading.
    pub label: String,
    /// To which side its texts go.
    pub align: Align,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKey {
    /// The place of a line, from 1.
    Position,
    /// Name of a line; its widest column. The row's description belongs under it.
    Name,
    /// How many, with the unit of measure.
    Quantity,
    /// Price of one.
    Price,
    /// Discounts of a line.
    Discount,
    /// Rate of tax.
    TaxRate,
    /// Amount before tax.
    Net,
    /// The tax.
    Tax,
    /// Amount with tax.
    Gross,
    /// A date.
    Date,
    /// How a payment was made.
    Method,
    /// A number or reference.
    Reference,
    /// An amount of money.
    Amount,
}

/// To which side a text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Where reading starts.
    Start,
    /// Where reading ends: numbers.
    End,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Row {
    /// A heading over the rows that follow, across all columns.
    Heading {
        /// The heading.
        name: String,
        /// What is written under it.
        description: Option<String>,
    },
    /// A text for each column.
    Cells {
        /// As many as there are columns.
        cells: Vec<String>,
        /// What is written under the name.
        description: Option<String>,
        /// What this line and all above come to, to be carried to the next page; lines only.
        carried: Option<String>,
    },
}
