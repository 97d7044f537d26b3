//! Codes as pictures of modules, for all renderings.

use std::fmt::Write as _;

use qrcodegen::{DataTooLong, QrCode, QrCodeEcc, QrSegment, Version};
use rxing::pdf417::encoder::{Compaction, PDF417};

use crate::model::{Code, Symbol};

/// Light modules around a QR code and a PDF417 code, as their standards want them.
const QR_QUIET: usize = 4;
const PDF417_QUIET: usize = 2;
/// A row of a PDF417 code is so many modules high.
const PDF417_ROW: usize = 3;
/// The rows that a PDF417 code may have.
const ROWS: (u32, u32) = (3, 90);

/// A code as rows of modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modules {
    /// Modules of a row.
    pub width: usize,
    /// Whether each is dark, row by row.
    pub dark: Vec<bool>,
    /// Light modules on each side.
    pub quiet: usize,
    /// How high a row is, in widths of a module.
    pub row: usize,
}

/// The modules of `payload` as `symbol`.
///
/// # Errors
/// Why it cannot be drawn: it holds too much.
pub fn modules(symbol: Symbol, payload: &[u8]) -> Result<Modules, String> {
    match symbol {
        Symbol::Qr { version, eci } => {
            let code = qr(version, eci, payload).map_err(|error| error.to_string())?;
            let places = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
            let dark: Vec<bool> = places.map(|(x, y)| code.get_module(x, y)).collect();
            Ok(Modules { width: dark.len().isqrt(), dark, quiet: QR_QUIET, row: 1 })
        }
        Symbol::Pdf417 { error_level, max_columns } => {
            pdf417(error_level, max_columns, payload).map_err(|error| error.to_string())
        }
    }
}

fn qr(version: Option<u8>, eci: Option<u32>, payload: &[u8]) -> Result<QrCode, DataTooLong> {
    let (least, most) = match version {
        Some(version) => (Version::new(version), Version::new(version)),
        None => (Version::MIN, Version::MAX),
    };
    let eci = eci.map(QrSegment::make_eci);
    let segments: Vec<_> = eci.into_iter().chain([QrSegment::make_bytes(payload)]).collect();
    // By the mask of the least penalty; with corrections of level M, and no more where there is
    // room.
    QrCode::encode_segments_advanced(&segments, QrCodeEcc::Medium, least, most, None, false)
}

/// Modules of a row of a PDF417 code with so many columns of data, and what is light beside it:
/// 17 of each column, of the two indicators and of the start, and 18 of the stop (ISO/IEC 15438).
pub(crate) fn pdf417_width(columns: u8) -> usize {
    17 * (usize::from(columns) + 3) + 18 + 2 * PDF417_QUIET
}

fn pdf417(error_level: u8, columns: u8, payload: &[u8]) -> Result<Modules, rxing::Exceptions> {
    let (columns, (least, most)) = (u32::from(columns.clamp(1, 30)), ROWS);
    let mut code = PDF417::new();
    code.setCompaction(Compaction::BYTE);
    code.setDimensions(columns, columns, most, least);
    // The crate takes a text in ISO 8859-1, in which each byte is a letter.
    let text: String = payload.iter().copied().map(char::from).collect();
    code.generateBarcodeLogic(&text, error_level.min(8).into())?;
    let matrix = code.getBarcodeMatrix().as_ref();
    let mut rows = matrix.map(|matrix| matrix.getScaledMatrix(1, 1)).unwrap_or_default();
    // The last row comes first.
    rows.reverse();
    let width = rows.first().map(Vec::len).unwrap_or_default().max(1);
    let dark = rows.into_iter().flatten().map(|module| module == 1).collect();
    Ok(Modules { width, dark, quiet: PDF417_QUIET, row: PDF417_ROW })
}

/// `code` as an SVG image, as wide as it is on paper: the middle of its widths, and what is light
/// beside it. `None` when it holds too much.
#[must_use]
pub fn svg(code: &Code) -> Option<String> {
    let modules = modules(code.symbol, &code.payload).ok()?;
    let (least, most) = code.width_mm;
    let thousandths = (usize::from(least) + usize::from(most)) * 500;
    let size = |units: usize| {
        let size = thousandths * units / modules.width.max(1);
        format!("{}.{:03}mm", size / 1000, size % 1000)
    };
    let (across, down) = modules.size_with_quiet();
    Some(modules.image(&size(across), &size(down)))
}

impl Modules {
    /// Modules of a row with what is light beside it.
    #[must_use]
    pub const fn width_with_quiet(&self) -> usize {
        self.width + 2 * self.quiet
    }

    /// How wide and how high the code is with what is light around it, in widths of a module.
    fn size_with_quiet(&self) -> (usize, usize) {
        let rows = self.dark.len().checked_div(self.width).unwrap_or_default();
        (self.width_with_quiet(), rows * self.row + 2 * self.quiet)
    }

    /// The code as an SVG image: one path, in which a module is one unit wide.
    #[must_use]
    pub fn svg(&self) -> String {
        let (across, down) = self.size_with_quiet();
        self.image(&across.to_string(), &down.to_string())
    }

    /// The image, which is so wide and high where nothing else says how large it is.
    fn image(&self, wide: &str, high: &str) -> String {
        let Self { width, quiet, row, .. } = self;
        let (across, down) = self.size_with_quiet();
        let mut path = String::new();
        for (number, line) in self.dark.chunks(*width).enumerate() {
            let y = quiet + number * row;
            let mut x = 0;
            for run in line.chunk_by(|a, b| a == b) {
                let long = run.len();
                if run.first() == Some(&true) {
                    // Writing to a text does not fail.
                    let _ = write!(path, "M{} {y}h{long}v{row}h-{long}z", quiet + x);
                }
                x += long;
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
             viewBox=\"0 0 {across} {down}\"><path d=\"{path}\"/></svg>"
        )
    }
}
