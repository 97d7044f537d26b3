//! The fonts, and how wide a text is in them.

use ttf_parser::Face;

use crate::RenderError;

/// DejaVu Sans Condensed: Latin with all its accents, Greek, Cyrillic. Its licence is beside it.
pub const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSansCondensed.ttf");
/// The same, bold.
pub const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSansCondensed-Bold.ttf");

/// A text is measured in so many parts of a point.
const PARTS: i64 = 1_000;

/// Measures text.
pub struct Ruler {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Ruler {
    /// A ruler for both fonts.
    pub fn new() -> Result<Self, RenderError> {
        let face = |data| Face::parse(data, 0).map_err(|error| RenderError::new("PDF", error));
        Ok(Self { regular: face(REGULAR)?, bold: face(BOLD)? })
    }

    /// Whether `text` in this size is at most `points` wide. Kerning, which makes it narrower, does
    /// not count.
    pub fn fits(&self, text: &str, is_bold: bool, size: i16, points: i16) -> bool {
        let face = if is_bold { &self.bold } else { &self.regular };
        let advance = |c: char| {
            let glyph = face.glyph_index(c).unwrap_or_default();
            i64::from(face.glyph_hor_advance(glyph).unwrap_or_default())
        };
        let units: i64 = text.chars().map(advance).sum();
        units * i64::from(size) * PARTS / i64::from(face.units_per_em())
            <= i64::from(points) * PARTS
    }
}
