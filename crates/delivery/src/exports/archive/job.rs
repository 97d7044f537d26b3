//! An export that is put together in the background, and how far it has come.

use racun_access::Digest;
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::Tenant;
use racun_kernel::id::{AccountId, EntityId, ExportJobId, UserId};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime};

use super::super::Span;

/// How long an export is kept from the request on.
pub const KEPT: Duration = Duration::days(7);
/// Documents that were left out and are named, at most; all of them are counted.
pub const MOST_NAMED: usize = 100;

/// The value of the field `active` of exports that are not over.
pub(super) const ACTIVE: &str = "yes";

racun_store::record! {
    /// Where [`ExportJob`]s are kept: with their account, which may have few at once.
    pub static EXPORT_JOBS: ExportJob = "export_jobs";
    |export|
    id: export.id,
    tenant: Tenant::account(export.account_id),
    charged_bytes: |own| own + export.bytes(),
    fields: {
        Field::id() => export.id,
        Field::text("entity_id").hidden() => export.entity_id.to_string(),
        Field::text("active").indexed().hidden() => export.is_active().then_some(ACTIVE),
        Field::text("link").unique(Unique::Everywhere).hidden() =>
            export.link.as_ref().map(Digest::as_str),
        Field::instant("created_at") => export.created_at,
    }
}

/// Where an export stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// Nothing was done yet.
    Pending,
    /// Some documents were set, or are being set.
    Processing,
    /// The archive can be downloaded.
    Completed,
    /// There will be no archive.
    Failed,
}

impl ExportState {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// What an export makes of each document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveFormat {
    /// A PDF.
    #[default]
    Pdf,
    /// An e-SLOG file, of entities in Slovenia.
    Eslog,
    /// No file for each, but one of all of them: SAF-T (PT), of entities in Portugal.
    SaftPt,
}

impl ArchiveFormat {
    /// What the names of its files end in.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Eslog | Self::SaftPt => "xml",
        }
    }
}

/// Which documents an export holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// These.
    Documents(Vec<DocumentId>),
    /// All of these kinds and days that there were when it was asked for.
    Dated {
        /// The kinds, each once.
        kinds: Vec<DocumentKind>,
        /// The days of the documents.
        #[serde(flatten)]
        span: Span,
    },
    /// The certified documents and receipts of these days.
    Certified {
        /// The first day.
        #[serde(with = "racun_kernel::calendar::date")]
        from: Date,
        /// The last day.
        #[serde(with = "racun_kernel::calendar::date")]
        to: Date,
        /// The letters of the file, by their name.
        encoding: String,
    },
}

/// Where the next document of a [`Selection`] is found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectionCursor {
    /// The place of its id, or of its kind.
    pub(super) at: usize,
    /// Behind which row of its kind; `None` for the first one.
    pub(super) cursor: Option<String>,
}

/// A document that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Its id.
    pub document_id: DocumentId,
    /// Its number, where it has one.
    pub number: Option<String>,
    /// Why, for people.
    pub reason: String,
}

/// Some of the archive's bytes, as the storage of files keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPart {
    /// The last part of the names of its objects.
    pub(super) name: String,
    /// Bytes of its files.
    pub(super) content: u64,
    /// Bytes of its directory; none of a file that is no archive.
    pub(super) directory: u64,
}

/// Documents as an archive of files: what is to be in it, and what is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportJob {
    /// Its id.
    pub id: ExportJobId,
    /// Whose documents.
    pub entity_id: EntityId,
    /// The entity's account.
    pub account_id: AccountId,
    /// Where it stands.
    pub state: ExportState,
    /// What is made of each document.
    #[serde(default)]
    pub format: ArchiveFormat,
    /// Which documents.
    pub selection: Selection,
    /// The locale whose language labels are in; `None` for that of `locale`, or the entity's.
    pub language: Option<String>,
    /// The locale that writes numbers and dates; `None` for that of `language`, or the entity's.
    pub locale: Option<String>,
    /// What the archive is called.
    pub file_name: String,
    /// How many documents there were when it was asked for.
    pub total_docs: usize,
    /// Where the next one is.
    pub(super) place: SelectionCursor,
    /// How many are in the archive.
    pub exported: usize,
    /// How many were left out.
    pub skipped: usize,
    /// The first of these.
    pub named: Vec<Skipped>,
    /// What is stored so far, in the order of the archive.
    pub(super) parts: Vec<StoredPart>,
    /// The name of the archive's end, once it is complete, and its bytes.
    pub(super) end: Option<(String, u64)>,
    /// Why there is no archive, for people.
    pub error: Option<String>,
    /// The person who asked for it; `None` when it was a program.
    pub requested_by: Option<UserId>,
    /// The digest of the token in the mailed link, once it was delivered.
    pub(super) link: Option<Digest>,
    /// Until when it is kept.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// Since when it is completed or failed.
    #[serde(with = "time::serde::rfc3339::option")]
    pub completed_at: Option<OffsetDateTime>,
    /// When it was asked for.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a worker has done of an export since it was stored last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Progress {
    /// What was stored; `None` when all documents were left out.
    pub part: Option<StoredPart>,
    /// Where the next document is.
    pub place: SelectionCursor,
    /// How many documents are in the part.
    pub exported: usize,
    /// Those that were left out.
    pub skipped: Vec<Skipped>,
}

impl ExportJob {
    /// Whether it is neither completed nor failed.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        matches!(self.state, ExportState::Pending | ExportState::Processing)
    }

    /// Hundredths of the documents that were looked at: 100 once it is completed, and never fewer
    /// than before.
    #[must_use]
    pub fn progress(&self) -> usize {
        if self.state == ExportState::Completed {
            return 100;
        }
        let done = self.exported + self.skipped;
        (done * 100).checked_div(self.total_docs).map_or(0, |part| part.min(99))
    }

    /// Bytes of the files so far.
    pub(super) fn content_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.content).sum()
    }

    /// Bytes of the directory so far.
    pub(super) fn directory_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.directory).sum()
    }

    /// Bytes that are stored, which count against the account's budget.
    #[must_use]
    pub fn bytes(&self) -> i64 {
        let end = self.end.as_ref().map_or(0, |(_, bytes)| *bytes);
        i64::try_from(self.content_bytes() + self.directory_bytes() + end).unwrap_or(i64::MAX)
    }

    /// Bytes of the largest of its objects.
    #[must_use]
    pub fn largest_part(&self) -> usize {
        let largest = self.parts.iter().map(|part| part.content.max(part.directory)).max();
        usize::try_from(largest.unwrap_or(0)).unwrap_or(usize::MAX)
    }

    /// The keys of its objects in the storage of files, in the order in which they are the archive.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let contents = self.parts.iter().map(|part| self.content_key(&part.name));
        let end = self.end.iter().map(|(name, _)| self.content_key(name));
        contents.chain(self.directory_keys()).chain(end).collect()
    }

    /// The keys of the directories of its parts.
    pub(super) fn directory_keys(&self) -> impl Iterator<Item = String> {
        let parts = self.parts.iter().filter(|part| part.directory > 0);
        parts.map(|part| self.directory_key(&part.name))
    }

    pub(super) fn content_key(&self, name: &str) -> String {
        format!("{}/{}/{name}", self.entity_id, self.id)
    }

    pub(super) fn directory_key(&self, name: &str) -> String {
        format!("{}/{}/{name}_directory", self.entity_id, self.id)
    }

    /// With what a worker has done.
    pub(super) fn advanced(mut self, progress: Progress, now: OffsetDateTime) -> Self {
        let Progress { part, place, exported, skipped } = progress;
        self.parts.extend(part);
        self.exported += exported;
        self.skipped += skipped.len();
        let room = MOST_NAMED.saturating_sub(self.named.len());
        self.named.extend(skipped.into_iter().take(room));
        Self { state: ExportState::Processing, place, updated_at: now, ..self }
    }

    /// Begun from its front again, with nothing stored.
    pub(super) fn emptied(self, now: OffsetDateTime) -> Self {
        Self { parts: Vec::new(), updated_at: now, ..self }
    }

    /// Completed, with the archive's end; a file that is no archive has none.
    pub(super) fn completed(self, end: Option<(String, u64)>, now: OffsetDateTime) -> Self {
        let (state, completed_at) = (ExportState::Completed, Some(now));
        Self { state, end, completed_at, updated_at: now, ..self }
    }

    /// Failed because of `error`: nothing is kept of the archive.
    pub(super) fn failed(self, error: &str, now: OffsetDateTime) -> Self {
        let (state, completed_at) = (ExportState::Failed, Some(now));
        let error = Some(error.to_owned());
        Self { state, parts: Vec::new(), error, completed_at, updated_at: now, ..self }
    }
}
