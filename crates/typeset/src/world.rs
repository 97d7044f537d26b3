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
    /// How wide characters below [`SCRIPTS_END`] are in the fonts of [`REGULAR`].
    regular: [Vec<u32>; REGULAR.len()],
}

/// Where among [`FONTS`] the regular ones are.
const REGULAR: [usize; 3] = [0, 2, 4];
/// The first character behind those of Latin, Greek and Cyrillic.
const SCRIPTS_END: u16 = 0x530;

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
        let regular = REGULAR.map(|place| regular_widths(&fonts[place]));
        let book = LazyHash::new(FontBook::from_fonts(&fonts));
        let library = LazyHash::new(Library::default());
        Ok(Self { library, book, fonts, templates, widths, regular })
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

    /// How wide `c` is in the regular font of each family, in their order; `None` for a character
    /// of another script, or without a font.
    pub(crate) fn each_width(&self, c: char) -> Option<[u32; REGULAR.len()]> {
        let code = usize::try_from(u32::from(c)).ok()?;
        let [sans, serif, narrow] = &self.regular;
        let widths = [*sans.get(code)?, *serif.get(code)?, *narrow.get(code)?];
        widths.iter().all(|width| *width < TOO_WIDE).then_some(widths)
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
        let face = instance(font);
        for code in font.info().coverage.iter() {
            let place = usize::try_from(code).ok().and_then(|code| found.get_mut(code));
            if let Some((count, widest)) = place {
                *count += 1;
                *widest = width_in(&face, code).max(*widest);
            }
        }
    }
    level_digits(&mut found);
    let width = |(count, widest): (usize, u32)| {
        (count > 0).then_some(if count == fonts.len() { widest } else { TOO_WIDE })
    };
    found.into_iter().map(width).collect()
}

fn regular_widths(font: &Font) -> Vec<u32> {
    let face = instance(font);
    let mut found = (0..SCRIPTS_END).map(|code| width_in(&face, code.into())).collect::<Vec<_>>();
    level_digits(&mut found);
    found
}

/// Figures are set with all digits as wide as the widest.
fn level_digits<T: Copy + Ord>(found: &mut [T]) {
    let digits = &mut found[usize::from(b'0')..=usize::from(b'9')];
    if let Some(widest) = digits.iter().max().copied() {
        digits.fill(widest);
    }
}

fn instance(font: &Font) -> FontInstance {
    font.clone().instantiate(font.info().variant, Abs::pt(10.0), &FontVariations::default())
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
