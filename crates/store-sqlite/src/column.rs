//! A column of a segment: the values of one field in some rows, one behind the other, as bytes that
//! compare as the values do.
//!
//! Null is no bytes at all. Other values begin with [`TAG`], so that an empty text is none of them.

use std::cmp::Ordering;

use racun_store::{FieldKind, Value};
use rusqlite::types::Value as Cell;

use crate::encoding;

/// How the bytes of what is not null begin.
const TAG: u8 = 1;
/// Values that a column spells out once each, at most.
const FEW: usize = 255;
/// First byte of a column that names few values.
const IS_FEW: u8 = 1;
/// First byte of a column that holds all its values.
const IS_PLAIN: u8 = 0;

/// `value` as bytes.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    of_cell(&encoding::cell(value))
}

/// The same of what a column of SQLite holds.
pub(crate) fn of_cell(cell: &Cell) -> Vec<u8> {
    match cell {
        Cell::Null | Cell::Real(_) | Cell::Blob(_) => Vec::new(),
        Cell::Text(text) => tagged(text.as_bytes()),
        // The least number has the least bytes.
        Cell::Integer(number) => tagged(&(number ^ i64::MIN).to_be_bytes()),
    }
}

/// `text` as bytes.
pub(crate) fn of_text(text: &str) -> Vec<u8> {
    tagged(text.as_bytes())
}

fn tagged(bytes: &[u8]) -> Vec<u8> {
    let mut tagged = Vec::with_capacity(bytes.len() + 1);
    tagged.push(TAG);
    tagged.extend_from_slice(bytes);
    tagged
}

/// The order of two values. Nulls are decided by their lengths: `memcmp` of no bytes at the address
/// of an empty `Vec` costs a hundred nanoseconds on processors that load under a mask.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    if a.is_empty() || b.is_empty() { a.len().cmp(&b.len()) } else { a.cmp(b) }
}

/// The text that `bytes` are of; `None` for null.
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.get(1..)?).ok()
}

/// The whole number that `bytes` are of; `None` for null.
pub(crate) fn integer(bytes: &[u8]) -> Option<i64> {
    let bytes = bytes.get(1..)?.try_into().ok()?;
    Some(i64::from_be_bytes(bytes) ^ i64::MIN)
}

/// Whether values of `kind` can be in a column.
pub(crate) const fn holds(kind: FieldKind) -> bool {
    !matches!(kind, FieldKind::Map | FieldKind::List)
}

/// The values of one field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// All of them: where each ends, and their bytes.
    Plain { ends: Vec<usize>, bytes: Vec<u8> },
    /// Each different one once, and for each row which it has.
    Few { values: Vec<Vec<u8>>, places: Vec<u8> },
}

impl Column {
    /// The column of `values`.
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let mut different: Vec<&[u8]> = values.clone().collect();
        let rows = different.len();
        different.sort_unstable();
        different.dedup();
        if different.len() > FEW || different.len() * 4 > rows.max(4) {
            let mut plain = (Vec::with_capacity(rows), Vec::new());
            for value in values {
                plain.1.extend_from_slice(value);
                plain.0.push(plain.1.len());
            }
            return Self::Plain { ends: plain.0, bytes: plain.1 };
        }
        let place = |value: &[u8]| different.binary_search(&value).unwrap_or_default();
        let places = values.map(|value| u8::try_from(place(value)).unwrap_or_default()).collect();
        Self::Few { values: different.into_iter().map(<[u8]>::to_vec).collect(), places }
    }

    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Plain { ends, .. } => ends.len(),
            Self::Few { places, .. } => places.len(),
        }
    }

    /// The value of a row; null when there is no such row.
    pub(crate) fn get(&self, row: usize) -> &[u8] {
        match self {
            Self::Plain { ends, bytes } => {
                let start = row.checked_sub(1).and_then(|before| ends.get(before));
                let end = ends.get(row).copied().unwrap_or_default();
                bytes.get(start.copied().unwrap_or_default()..end).unwrap_or_default()
            }
            Self::Few { values, places } => {
                let place = places.get(row).map(|place| usize::from(*place));
                place.and_then(|place| values.get(place)).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// The rows of `rows` whose value is as `test` wants it. What is there often is asked once.
    pub(crate) fn keep(&self, rows: &mut Vec<usize>, test: impl Fn(&[u8]) -> bool) {
        match self {
            Self::Plain { .. } => rows.retain(|row| test(self.get(*row))),
            Self::Few { values, places } => {
                let passes: Vec<bool> = values.iter().map(|value| test(value)).collect();
                let passes = |row: &usize| {
                    let place = places.get(*row).map(|place| usize::from(*place));
                    place.and_then(|place| passes.get(place)).is_some_and(|passes| *passes)
                };
                rows.retain(passes);
            }
        }
    }

    /// As it is stored.
    pub(crate) fn to_blob(&self) -> Vec<u8> {
        let mut blob = Vec::new();
        match self {
            Self::Plain { ends, bytes } => {
                blob.push(IS_PLAIN);
                number(&mut blob, ends.len());
                ends.iter().for_each(|end| number(&mut blob, *end));
                blob.extend_from_slice(bytes);
            }
            Self::Few { values, places } => {
                blob.push(IS_FEW);
                number(&mut blob, values.len());
                for value in values {
                    number(&mut blob, value.len());
                    blob.extend_from_slice(value);
                }
                blob.extend_from_slice(places);
            }
        }
        blob
    }

    /// Reads what [`Column::to_blob`] made; `None` when it is nothing of that.
    pub(crate) fn from_blob(blob: &[u8]) -> Option<Self> {
        let (kind, mut rest) = blob.split_first()?;
        let length = take(&mut rest)?;
        match *kind {
            IS_PLAIN => {
                let (ends, bytes) = rest.split_at_checked(length.checked_mul(4)?)?;
                let ends = ends.chunks_exact(4).map(|end| take(&mut &*end));
                Some(Self::Plain { ends: ends.collect::<Option<_>>()?, bytes: bytes.to_vec() })
            }
            IS_FEW => {
                let mut values = Vec::with_capacity(length);
                for _ in 0..length {
                    let bytes = take(&mut rest)?;
                    let (value, others) = rest.split_at_checked(bytes)?;
                    values.push(value.to_vec());
                    rest = others;
                }
                Some(Self::Few { values, places: rest.to_vec() })
            }
            _ => None,
        }
    }
}

/// Several values as one blob: those of one row.
pub(crate) fn to_row(values: &[Vec<u8>]) -> Vec<u8> {
    let mut blob = Vec::new();
    for value in values {
        number(&mut blob, value.len());
        blob.extend_from_slice(value);
    }
    blob
}

/// Reads what [`to_row`] made.
pub(crate) fn from_row(mut blob: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut values = Vec::new();
    while !blob.is_empty() {
        let length = take(&mut blob)?;
        let (value, rest) = blob.split_at_checked(length)?;
        values.push(value.to_vec());
        blob = rest;
    }
    Some(values)
}

fn number(blob: &mut Vec<u8>, number: usize) {
    let number = u32::try_from(number).expect("a row has at most some megabytes");
    blob.extend_from_slice(&number.to_le_bytes());
}

fn take(blob: &mut &[u8]) -> Option<usize> {
    let (number, rest) = blob.split_first_chunk::<4>()?;
    *blob = rest;
    usize::try_from(u32::from_le_bytes(*number)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn columns() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let value = proptest::collection::vec(0_u8..4, 0..4);
        proptest::collection::vec(value, 0..60)
    }

    proptest! {
        #[test]
        fn a_column_gives_its_values_back(values in columns(), repeated in 1_usize..8) {
            let values = vec![values; repeated].concat();
            let column = Column::of(values.iter().map(Vec::as_slice));
            prop_assert_eq!(column.len(), values.len());
            let read = Column::from_blob(&column.to_blob()).unwrap();
            prop_assert_eq!(&read, &column);
            for (row, value) in values.iter().enumerate() {
                prop_assert_eq!(read.get(row), value);
            }
            prop_assert_eq!(from_row(&to_row(&values)), Some(values));
        }

        #[test]
        fn numbers_order_as_their_bytes(a in any::<i64>(), b in any::<i64>()) {
            let bytes = |number| of_cell(&Cell::Integer(number));
            prop_assert_eq!(bytes(a).cmp(&bytes(b)), a.cmp(&b));
        }

        #[test]
        fn values_compare_as_their_bytes(a in columns(), b in columns()) {
            for (a, b) in a.iter().zip(&b) {
                prop_assert_eq!(compare(a, b), a.cmp(b));
            }
        }
    }
}
