//! A document that people outside see by a link.

use std::fmt::Write as _;

use racun_kernel::Stamp;

use super::{Document, Stage};
use crate::{DocumentError, Refused};

/// Random bytes of a shareable id: 192 bits, which cannot be guessed.
const SHARE_BYTES: usize = 24;

impl Document {
    /// The document with a shareable id: the one that it has, or a new one.
    ///
    /// # Errors
    /// For drafts, whose content is not final yet.
    pub fn shared(mut self, stamp: &Stamp) -> Result<Self, DocumentError> {
        if self.is_draft() {
            return Err(Refused::DraftNotShared.into());
        }
        if self.shareable_id.is_none() {
            let mut id = self.id.kind().share_prefix().to_owned();
            for byte in &stamp.secret()[..SHARE_BYTES] {
                // Writing to a text does not fail.
                let _ = write!(id, "{byte:02x}");
            }
            self.shareable_id = Some(id);
            self.updated_at = stamp.now();
        }
        Ok(self)
    }

    /// The document without a shareable id: links to it lead nowhere from then on.
    #[must_use]
    pub fn unshared(mut self, stamp: &Stamp) -> Self {
        if self.shareable_id.take().is_some() {
            self.updated_at = stamp.now();
        }
        self
    }

    /// The document as sent to its customer: shared.
    ///
    /// # Errors
    /// For drafts and for voided documents.
    pub fn sent(self, stamp: &Stamp) -> Result<Self, DocumentError> {
        if matches!(self.stage, Stage::Voided(..)) {
            return Err(Refused::Voided.into());
        }
        self.shared(stamp)
    }
}
