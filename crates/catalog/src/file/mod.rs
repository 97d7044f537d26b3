//! Files: logos and signatures for documents, and what is attached to documents and expenses.
//!
//! | Module    | Owns                                                   |
//! | --------- | ------------------------------------------------------ |
//! | `content` | what bytes are, and how large a picture is             |
//! | `name`    | what a file is called                                  |
//!
//! A record says what a file is and whose; its bytes are in a [`FileStorage`](crate::FileStorage),
//! under a key that is never used again. Bytes are stored before their record and removed after it,
//! so whatever a record names is there. A process that dies in between leaves bytes that nothing
//! names: they cannot be read but take up space, and nothing removes them.

mod content;
mod name;

use racun_kernel::id::{self, BusinessUnitId, EntityId, ExpenseId, FileId};
use racun_kernel::{DocumentId, DocumentKind, Issue, Issues, Metadata, Stamp};
use racun_store::Value;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub use content::FileFormat;

use crate::record::record;

/// Bytes of a picture.
pub const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// Bytes of any other file.
pub const MAX_FILE_BYTES: usize = 10 * 1024 * 1024;
/// Pixels of a picture.
const MAX_PIXELS: i64 = 40_000_000;
/// Pixels of a logo or signature, which is decoded whole to be printed: four bytes each are 64 MB.
const MAX_PRINTED_PIXELS: i64 = 16_000_000;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCategory {
    /// The logo on documents: one for the entity, one for each business unit.
    Logo,
    /// The signature under documents: likewise.
    Signature,
    /// Anything else.
    Attachment,
}

impl FileCategory {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Logo, Self::Signature, Self::Attachment];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logo => "logo",
            Self::Signature => "signature",
            Self::Attachment => "attachment",
        }
    }

    /// The category of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }

    /// Whether there is one of it and a new one replaces it.
    #[must_use]
    pub const fn is_single(self) -> bool {
        matches!(self, Self::Logo | Self::Signature)
    }
}

impl racun_store::Declared for FileCategory {
    fn declared(&self) -> Value {
        self.name().declared()
    }
}

/// What a file is to belong to, beside the entity. The ids of documents are as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLinks {
    /// A business unit.
    pub business_unit_id: Option<BusinessUnitId>,
    /// An expense.
    pub expense_id: Option<ExpenseId>,
    /// An invoice.
    pub invoice_id: Option<String>,
    /// An estimate.
    pub estimate_id: Option<String>,
    /// A credit note.
    pub credit_note_id: Option<String>,
    /// An advance invoice.
    pub advance_invoice_id: Option<String>,
}

impl FileLinks {
    /// The ids of the documents: invoice, estimate, credit note and advance invoice.
    ///
    /// # Errors
    /// `invalid_id` at each that is no id of its kind.
    fn documents(&self) -> Result<[Option<DocumentId>; 4], Issues> {
        let mut issues = Issues::default();
        let ids = [
            ("invoice_id", &self.invoice_id, DocumentKind::Invoice),
            ("estimate_id", &self.estimate_id, DocumentKind::Estimate),
            ("credit_note_id", &self.credit_note_id, DocumentKind::CreditNote),
            ("advance_invoice_id", &self.advance_invoice_id, DocumentKind::AdvanceInvoice),
        ];
        let ids =
            ids.map(|(field, sent, kind)| match DocumentId::of_kind(kind, sent.as_deref()?) {
                Ok(id) => Some(id),
                Err(error) => {
                    issues.push(Issue::new("invalid_id", error.to_string()).at(field));
                    None
                }
            });
        issues.into_result(ids)
    }
}

/// A stored file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its id.
    pub id: FileId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// What it is for.
    pub category: FileCategory,
    /// See [`FileLinks`]; so the next five.
    pub business_unit_id: Option<BusinessUnitId>,
    /// The expense.
    pub expense_id: Option<ExpenseId>,
    /// The invoice.
    pub invoice_id: Option<DocumentId>,
    /// The estimate.
    pub estimate_id: Option<DocumentId>,
    /// The credit note.
    pub credit_note_id: Option<DocumentId>,
    /// The advance invoice.
    pub advance_invoice_id: Option<DocumentId>,
    /// What its bytes are.
    pub format: FileFormat,
    /// Pixels across; pictures only.
    pub width: Option<i64>,
    /// Pixels down; pictures only.
    pub height: Option<i64>,
    /// Its size.
    pub bytes: i64,
    /// What it is called.
    pub filename: String,
    /// Which place it fills alone: `logo`, `signature/unit_…`. None: it fills none.
    pub slot: Option<String>,
    /// What callers attach.
    pub metadata: Metadata,
    /// When it was uploaded.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

record! {
    /// Where files are kept.
    FILES: File, id::File, "files",
    events { file }
    fields {
        category: text,
        business_unit_id: text,
        expense_id: text,
        invoice_id: text,
        estimate_id: text,
        credit_note_id: text,
        advance_invoice_id: text,
        format: text,
        width: number,
        height: number,
        bytes: number,
        filename: text searched,
        slot: text indexed hidden,
        metadata: map,
    }
    unique {}
    trash {}
    elsewhere { bytes }
}

impl File {
    /// Where its bytes are.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.entity_id, self.id)
    }

    /// The media type of its bytes.
    #[must_use]
    pub const fn media_type(&self) -> &'static str {
        self.format.media_type()
    }
}

/// Why bytes are not taken as a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileRefused {
    /// There are too many.
    #[error("a {what} holds at most {} MiB", .limit / (1024 * 1024))]
    TooLarge {
        /// What it is taken for.
        what: &'static str,
        /// Bytes.
        limit: usize,
    },
    /// They are not what files may be, or not what they are said to be.
    #[error("{0}")]
    UnsupportedType(String),
    /// Something else is wrong.
    #[error(transparent)]
    Invalid(#[from] Issues),
}

/// A file as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// What it is for.
    pub category: FileCategory,
    /// Whether it must be a picture. Logos and signatures must anyway.
    pub is_image: bool,
    /// What it belongs to.
    pub links: FileLinks,
    /// What its sender calls it: never to be trusted.
    pub filename: String,
    /// The media type that its sender says it has.
    pub media_type: Option<String>,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl NewFile {
    /// The record, and the bytes that it is of.
    ///
    /// What a file is its bytes say. Name and media type may say less, but nothing else: a program
    /// that is called a picture is refused, and so is a picture that is called a program.
    ///
    /// # Errors
    /// [`FileRefused`].
    pub fn into_file(
        self,
        entity_id: EntityId,
        stamp: &Stamp,
    ) -> Result<(File, Vec<u8>), FileRefused> {
        let is_image = self.is_image || self.category.is_single();
        let (what, limit) =
            if is_image { ("picture", MAX_IMAGE_BYTES) } else { ("file", MAX_FILE_BYTES) };
        if self.content.len() > limit {
            return Err(FileRefused::TooLarge { what, limit });
        }
        let filename = name::clean(&self.filename);
        let extension = name::extension(&filename);
        let format = FileFormat::of(&self.content, extension.as_deref())
            .filter(|format| format.is_image() || !is_image)
            .ok_or_else(|| unsupported(is_image))?;
        format.agrees(self.media_type.as_deref(), extension.as_deref())?;
        self.check_links()?;
        let most = if self.category.is_single() { MAX_PRINTED_PIXELS } else { MAX_PIXELS };
        let size = format.size(&self.content, most)?;
        let [invoice_id, estimate_id, credit_note_id, advance_invoice_id] =
            self.links.documents()?;
        let bytes = i64::try_from(self.content.len()).unwrap_or(i64::MAX);
        let slot = self.slot();
        let file = File {
            id: stamp.id(),
            entity_id,
            category: self.category,
            business_unit_id: self.links.business_unit_id,
            expense_id: self.links.expense_id,
            invoice_id,
            estimate_id,
            credit_note_id,
            advance_invoice_id,
            format,
            width: size.map(|(width, _)| width),
            height: size.map(|(_, height)| height),
            bytes,
            filename: name::complete(filename, format),
            slot,
            metadata: Metadata::default(),
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        Ok((file, self.content))
    }

    /// A logo is an entity's or a unit's, and no document's.
    fn check_links(&self) -> Result<(), Issues> {
        let links = &self.links;
        let mut issues = Issues::default();
        for (field, is_sent) in [
            ("expense_id", links.expense_id.is_some()),
            ("invoice_id", links.invoice_id.is_some()),
            ("estimate_id", links.estimate_id.is_some()),
            ("credit_note_id", links.credit_note_id.is_some()),
            ("advance_invoice_id", links.advance_invoice_id.is_some()),
        ] {
            if is_sent && self.category.is_single() {
                let message = "logos and signatures belong to the entity or to a business unit";
                issues.push(Issue::new("not_allowed", message).at(field));
            }
        }
        issues.into_result(())
    }

    fn slot(&self) -> Option<String> {
        let name = self.category.is_single().then(|| self.category.name())?;
        Some(match self.links.business_unit_id {
            None => name.to_owned(),
            Some(unit) => format!("{name}/{unit}"),
        })
    }
}

fn unsupported(is_image: bool) -> FileRefused {
    let accepted = if is_image {
        "the file is no picture in PNG, JPG, WEBP or GIF"
    } else {
        "the file is none of PDF, PNG, JPG, WEBP, GIF, XML, CSV, XLSX and ZIP"
    };
    FileRefused::UnsupportedType(accepted.to_owned())
}
