//! What typst sees of the world: our fonts, our templates, and the one document at hand.

use std::collections::HashMap;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
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
    /// Of the characters below U+10000, those that a font has.
    has: Vec<bool>,
}

impl Workshop {
    /// Reads fonts and templates.
    pub(crate) fn new() -> Result<Self, TypesetError> {
        let fonts: Vec<Font> =
            FONTS.into_iter().flat_map(|data| Font::iter(Bytes::new(data))).collect();
        if fonts.len() != FONTS.len() {
            return Err(TypesetError::new("a font cannot be read"));
        }
        let mut has = vec![false; 0x1_0000];
        for font in &fonts {
            for code in font.info().coverage.iter() {
                if let Some(has) = usize::try_from(code).ok().and_then(|code| has.get_mut(code)) {
                    *has = true;
                }
            }
        }
        let mut templates = HashMap::new();
        for (path, source) in TEMPLATES {
            let id = file_id(path)?;
            templates.insert(id, Source::new(id, source.to_owned()));
        }
        let book = LazyHash::new(FontBook::from_fonts(&fonts));
        let library = LazyHash::new(Library::default());
        Ok(Self { library, book, fonts, templates, has })
    }

    /// Whether a font has `c`.
    pub(crate) fn has(&self, c: char) -> bool {
        let code = usize::try_from(u32::from(c)).unwrap_or(usize::MAX);
        self.has.get(code).copied().unwrap_or_default()
    }
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
