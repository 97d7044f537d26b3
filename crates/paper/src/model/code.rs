//! Codes that machines read.

use serde::Serialize;

use super::Fact;

/// A code on paper, and what is written beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Code {
    /// What it is for.
    pub kind: CodeKind,
    /// How it is drawn.
    pub symbol: Symbol,
    /// What it says. The bytes are in the character set that `symbol` declares.
    #[serde(skip)]
    pub payload: Vec<u8>,
    /// What it is, in the document's language; also what is read aloud in its place.
    pub label: String,
    /// How much is printed beside it.
    pub display: Display,
    /// The fields of a payment slip, in its order, when `display` is the slip.
    pub slip: Vec<Fact>,
    /// Least and most millimetres of its width, without the quiet zone.
    pub width_mm: (u16, u16),
}

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeKind {
    /// UPN QR: payment in Slovenia.
    UpnQr,
    /// EPC QR: a SEPA credit transfer.
    EpcQr,
    /// HUB3: payment in Croatia.
    Hub3,
    /// A tax authority's.
    Fiscal,
}

/// How a code is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Symbol {
    /// A QR code in byte mode with error correction M.
    Qr {
        /// The version that it must have; the smallest that holds it when missing.
        version: Option<u8>,
        /// The number of the character set that is declared by an ECI before the bytes, such as 4
        /// for ISO 8859-2.
        eci: Option<u32>,
    },
    /// A PDF417 code in byte compaction.
    Pdf417 {
        /// Level of error correction.
        error_level: u8,
        /// The most columns of data.
        max_columns: u8,
    },
}

/// How much is printed beside a payment code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Display {
    /// The code alone.
    #[default]
    CodeOnly,
    /// A slip to fill in a payment by hand, with the code in it.
    FullSlip,
}
