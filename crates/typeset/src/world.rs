//! What typst sees of the world: our fonts, our templates, and the one document at hand.

use std::collections::HashMap;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::layout::Abs;
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook, FontInstance, FontVariations};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};

use crate::TypesetError;

/// The fonts; their licences are beside them.
const FONTS: [&[u8]; 6] = [
    include_bytes!("../fonts/Inter-Regular.otf"),
    include_bytes!("../fonts/Inter-SemiBold.otf"),
    include_bytes!("../fonts/PTSerif-Regular.ttf"),
    include_bytes!("../fonts/PTSerif-Bold.ttf"),
    include_bytes!("../fonts/DejaVuSansCondensed.ttf"),
    include_bytes!("../fonts/DejaVuSansCondensed-Bold.ttf"),
];

/// A template: its name, and its source.
macro_rules! templates {
    ($($name:literal),+ $(,)?) => {
        [$((
            concat!("/", $name, ".typ"),
            include_str!(concat!("../templates/", $name, ".typ")),
        )),+]
    };
}

/// All sources, by their paths.
const TEMPLATES: [(&str, &str); 11] = templates![
    "common",
    "parts",
    "tables",
    "modern",
    "classic",
    "condensed",
    "minimal",
    "fashion",
    "timeless_modern_full_data",
    "receipt",
    "text",
];

/// What is the same for all documents.
pub(crate) struct Workshop {
    library: LazyHash<Library>,
    book: LazyHash<FontBook>,
    fonts: Vec<Font>,
    templates: HashMap<FileId, Source>,
    /// How wide characters below U+10000 are, as [`Self::width`] says it; `None` for those that no
    /// font has.
    widths: Vec<Option<u32>>,
}

impl Workshop {
    /// Reads fonts and templates.
    pub(crate) fn new() -> Result<Self, TypesetError> {
        let fonts: Vec<Font> =
            FONTS.into_iter().flat_map(|data| Font::iter(Bytes::new(data))).collect();
        if fonts.len() != FONTS.len() {
            return Err(TypesetError::new("a font cannot be read"));
        }
        let mut templates = HashMap::new();
        for (path, source) in TEMPLATES {
            let id = file_id(path)?;
            templates.insert(id, Source::new(id, source.to_owned()));
        }
        let widths = widths(&fonts);
        let book = LazyHash::new(FontBook::from_fonts(&fonts));
        let library = LazyHash::new(Library::default());
        Ok(Self { library, book, fonts, templates, widths })
    }

    /// Whether a font has `c`.
    pub(crate) fn has(&self, c: char) -> bool {
        self.found(c).is_some()
    }

    /// How wide `c` is, in thousandths of the size of letters: in the font that has it widest,
    /// regular or bold. Wider than any page where a font lacks it, for a line with letters of
    /// another font is higher.
    pub(crate) fn width(&self, c: char) -> u32 {
        self.found(c).unwrap_or(TOO_WIDE)
    }

    fn found(&self, c: char) -> Option<u32> {
        let code = usize::try_from(u32::from(c)).unwrap_or(usize::MAX);
        self.widths.get(code).copied().flatten()
    }
}

/// Wider than any page, in thousandths of the size of letters.
const TOO_WIDE: u32 = 1_000_000;

/// How wide characters are that `fonts` have.
fn widths(fonts: &[Font]) -> Vec<Option<u32>> {
    // In how many fonts each is, and its width in the one that has it widest.
    let mut found = vec![(0, 0); 0x1_0000];
    for font in fonts {
        let variations = FontVariations::default();
        let face = font.clone().instantiate(font.info().variant, Abs::pt(10.0), &variations);
        for code in font.info().coverage.iter() {
            let place = usize::try_from(code).ok().and_then(|code| found.get_mut(code));
            if let Some((count, widest)) = place {
                *count += 1;
                *widest = width_in(&face, code).max(*widest);
            }
        }
    }
    // Figures are set with all digits as wide as the widest.
    let digits = usize::from(b'0')..=usize::from(b'9');
    let widest = found[digits.clone()].iter().max().copied().unwrap_or_default();
    found[digits].fill(widest);
    let width = |(count, widest): (usize, u32)| {
        (count > 0).then_some(if count == fonts.len() { widest } else { TOO_WIDE })
    };
    found.into_iter().map(width).collect()
}

fn width_in(face: &FontInstance, code: u32) -> u32 {
    let width = || {
        let glyph = face.ttf().glyph_index(char::from_u32(code)?)?;
        let advance = u32::from(face.ttf().glyph_hor_advance(glyph)?) * 1_000;
        Some(advance.div_ceil(u32::from(face.ttf().units_per_em())))
    };
    width().unwrap_or(TOO_WIDE)
}

/// What is on the table for one document.
pub(crate) struct Desk<'a> {
    workshop: &'a Workshop,
    main: FileId,
    files: HashMap<FileId, Bytes>,
}

impl<'a> Desk<'a> {
    /// A desk with the template called `template`, and files by their paths.
    pub(crate) fn new(
        workshop: &'a Workshop,
        template: &str,
        files: &[(String, Bytes)],
    ) -> Result<Self, TypesetError> {
        let main = file_id(&format!("/{template}.typ"))?;
        let named = files.iter().map(|(path, bytes)| Ok((file_id(path)?, bytes.clone())));
        let files = named.collect::<Result<_, TypesetError>>()?;
        Ok(Self { workshop, main, files })
    }
}

/// Ids are kept for good, so paths come from a small set.
fn file_id(path: &str) -> Result<FileId, TypesetError> {
    let path = VirtualPath::new(path).map_err(|error| TypesetError::new(format!("{error:?}")))?;
    Ok(FileId::new(RootedPath::new(VirtualRoot::Project, path)))
}

fn missing(id: FileId) -> FileError {
    FileError::NotFound(id.get().vpath().get_without_slash().into())
}

impl World for Desk<'_> {
    fn library(&self) -> &LazyHash<Library> {
        &self.workshop.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &self.workshop.book
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        self.workshop.templates.get(&id).cloned().ok_or_else(|| missing(id))
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or_else(|| missing(id))
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.workshop.fonts.get(index).cloned()
    }

    /// There is no clock: dates are texts of the document.
    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}
