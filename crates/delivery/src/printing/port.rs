//! The port to the typesetter.

use async_trait::async_trait;
use racun_paper::{Modules, Paper, Picture};
use racun_render::Text;

/// The port to the typesetter, which sets documents as PDF.
///
/// The server implements it, because setting takes processor time that this crate must not spend.
/// An implementation computes off the threads that answer requests, a bounded number of documents
/// at once; a further one waits for its turn. It answers the same bytes for the same model, in this
/// process and in any later one, and reads nothing but the model: no clock, no file, no network.
#[async_trait]
pub trait PrintPdf: Send + Sync {
    /// `paper` as a tagged PDF/A-3b.
    ///
    /// # Errors
    /// [`CannotPrint`], when its pictures or texts cannot be set.
    async fn print(&self, paper: Paper) -> Result<Vec<u8>, CannotPrint>;

    /// `paper` as a tagged PDF/A-3b with `invoice` attached, the same document as XML: a hybrid
    /// invoice by ZUGFeRD and Factur-X of the profile EN 16931.
    ///
    /// # Errors
    /// As [`Self::print`].
    async fn print_hybrid(&self, paper: Paper, invoice: String) -> Result<Vec<u8>, CannotPrint>;

    /// `text` as a tagged PDF/A-3b of A4 pages.
    ///
    /// # Errors
    /// [`CannotPrint`], when it cannot be set.
    async fn print_text(&self, text: Text) -> Result<Vec<u8>, CannotPrint>;

    /// `picture` as small as a page needs it, as PNG or JPEG; `None` when it does not decode.
    async fn small(&self, picture: Picture) -> Option<Picture>;

    /// `picture` as black dots, at most so many across and down, for a receipt printer; `None` when
    /// it does not decode.
    async fn dots(&self, picture: Picture, most: (u32, u32)) -> Option<Modules>;
}

/// A document that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the document cannot be set as PDF: {0}")]
pub struct CannotPrint(
    /// Why, for the log.
    pub String,
);
