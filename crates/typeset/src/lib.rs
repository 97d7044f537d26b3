//! Documents on paper: what `racun-paper` and `racun-render` say, set by typst as PDF.
//!
//! | Module    | Owns                                                                  |
//! | --------- | --------------------------------------------------------------------- |
//! | `sheet`   | a document as data and files for its template                         |
//! | `world`   | what templates see: our fonts and templates, no clock, no other file  |
//! | `hybrid`  | a PDF with its electronic invoice inside                              |
//! | `letters` | which characters reach the paper                                      |
//! | `lengths` | how long texts are, in letters                                        |
//! | `picture` | logos and signatures, made fit for paper                              |
//!
//! How a document looks is in `templates/*.typ`: `common` holds colours and letters, `parts` and
//! `tables` what all templates share, and each template where it stands.
//!
//! **Invariants.** Texts of documents reach typst as data, never as source. All files are tagged
//! PDF/A-3b; the same document is the same bytes, in each process. A picture that does not decode
//! and a character that no font has never fail a document.

mod hybrid;
mod lengths;
mod letters;
mod picture;
mod sheet;
mod world;

use racun_paper::{Modules, Paper, Picture};
use racun_render::Text;
use typst::diag::SourceDiagnostic;
use typst::foundations::{Datetime, Smart};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, Timestamp};

use crate::picture::{ON_PAGES, Pictures, dots};
use crate::sheet::{Kept, Sheet};
use crate::world::{Desk, Workshop};

/// For how many documents more typst keeps what it computed and did not need since: modules of
/// templates, plans for letters, pictures, and the whole of a document that is set again. All
/// else is new in the next document, and would grow. After a long document nothing is kept: of 500
/// lines it would be a hundred megabytes.
const KEPT_FOR: usize = 1;

/// A document could not be set: a mistake in a template, or a code that holds too much.
#[derive(Debug, thiserror::Error)]
#[error("a document cannot be typeset: {0}")]
pub struct TypesetError(String);

impl TypesetError {
    fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    fn of(errors: impl IntoIterator<Item = SourceDiagnostic>) -> Self {
        let errors: Vec<_> = errors.into_iter().map(|error| error.message.to_string()).collect();
        Self(errors.join("; "))
    }
}

/// Sets documents. One is enough for a process; it may be used by several threads at once.
///
/// Setting a document computes for 10 to 300 ms: not on a thread that answers requests.
pub struct Typesetter {
    workshop: Workshop,
    pictures: Pictures,
    standards: PdfStandards,
}

impl std::fmt::Debug for Typesetter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Typesetter")
    }
}

impl Typesetter {
    /// Reads fonts and templates, which takes some milliseconds.
    ///
    /// # Errors
    /// When one of them cannot be read: a mistake in the program.
    pub fn new() -> Result<Self, TypesetError> {
        let standards = PdfStandards::new(&[PdfStandard::A_3b])
            .map_err(|error| TypesetError::new(error.message().to_string()))?;
        Ok(Self { workshop: Workshop::new()?, pictures: Pictures::default(), standards })
    }

    /// `paper` as a PDF file in its template.
    ///
    /// # Errors
    /// When it cannot be set: a code that holds too much, or a mistake in a template.
    pub fn paper(&self, paper: &Paper) -> Result<Vec<u8>, TypesetError> {
        self.set(&Sheet::of_paper(paper, &self.pictures)?)
    }

    /// What the template of `paper` finds beside it, by path: the document as `/data.json`, codes
    /// and pictures. With these files typst's command line sets it, too.
    ///
    /// # Errors
    /// As [`Self::paper`].
    pub fn files(&self, paper: &Paper) -> Result<Vec<(String, Vec<u8>)>, TypesetError> {
        let sheet = Sheet::of_paper(paper, &self.pictures)?;
        let files = sheet.files(&self.workshop, Kept::Everything)?;
        Ok(files.into_iter().map(|(path, bytes)| (path, bytes.to_vec())).collect())
    }

    /// `paper` as a hybrid invoice by ZUGFeRD and Factur-X: a PDF with `invoice` attached, which is
    /// the same document as XML in the profile EN 16931.
    ///
    /// # Errors
    /// As [`Self::paper`].
    pub fn hybrid(&self, paper: &Paper, invoice: String) -> Result<Vec<u8>, TypesetError> {
        let pdf = self.set(&Sheet::of_paper(paper, &self.pictures)?.with_invoice(invoice))?;
        hybrid::declared(&pdf).ok_or_else(|| {
            TypesetError::new("its metadata are not where the properties of hybrids go")
        })
    }

    /// `text` as a PDF file of A4 pages.
    ///
    /// # Errors
    /// When it cannot be set: a mistake in the template.
    pub fn text(&self, text: &Text) -> Result<Vec<u8>, TypesetError> {
        self.set(&Sheet::of_text(text))
    }

    /// `picture` as PNG or JPEG of at most 480 pixels on each side, for a page; `None` when it does
    /// not decode, or takes more than 64 MiB for that.
    #[must_use]
    pub fn small(&self, picture: &Picture) -> Option<Picture> {
        let ready = self.pictures.ready(&picture.bytes, ON_PAGES)?;
        let media_type = if ready.ending == "jpg" { "image/jpeg" } else { "image/png" };
        Some(Picture {
            bytes: ready.bytes.to_vec(),
            media_type: media_type.to_owned(),
            ..picture.clone()
        })
    }

    /// `picture` as black dots, at most so many across and down, for a receipt printer; `None` when
    /// it does not decode, or takes more than 64 MiB for that.
    #[must_use]
    pub fn dots(&self, picture: &Picture, (width, height): (u32, u32)) -> Option<Modules> {
        dots(&picture.bytes, width, height)
    }

    /// Further tries leave out what PDF/A may not take, so that a document is never without a file.
    fn set(&self, sheet: &Sheet) -> Result<Vec<u8>, TypesetError> {
        let set = self
            .try_to_set(sheet, Kept::Everything)
            .or_else(|_| self.try_to_set(sheet, Kept::PlainLetters))
            .or_else(|_| self.try_to_set(sheet, Kept::PlainLettersAlone));
        comemo::evict(if sheet.is_long { 0 } else { KEPT_FOR });
        set
    }

    fn try_to_set(&self, sheet: &Sheet, kept: Kept) -> Result<Vec<u8>, TypesetError> {
        let files = sheet.files(&self.workshop, kept)?;
        let desk = Desk::new(&self.workshop, sheet.template, &files)?;
        let document = typst::compile::<PagedDocument>(&desk).output.map_err(TypesetError::of)?;
        let at = sheet.date;
        let timestamp = Datetime::from_ymd_hms(at.year(), at.month().into(), at.day(), 0, 0, 0);
        let options = PdfOptions {
            ident: Smart::Custom(sheet.ident.clone()),
            creator: Smart::Custom(Some("Racun".to_owned())),
            timestamp: timestamp.map(Timestamp::new_utc),
            standards: self.standards.clone(),
            ..PdfOptions::default()
        };
        typst_pdf::pdf(&document, &options).map_err(TypesetError::of)
    }
}
