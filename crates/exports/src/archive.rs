//! Archives of files in the format ZIP (PKWARE APPNOTE 6.3.10), written part by part.
//!
//! An archive is the contents of all parts, then their directories, then [`archive_end`]. A part
//! needs to know of those before it only how many bytes they have, so another process can go on
//! where one died. The writers of libraries hold all that in memory, and cannot be stored. Files
//! are not compressed, for the streams of a PDF are already.

use std::collections::BTreeSet;

use time::Date;

/// Bytes of an archive, at most: what the format counts in 32 bits, with room for the directory.
pub const MAX_ARCHIVE_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Files of an archive, at most: what the format counts in 16 bits.
pub const MAX_ARCHIVE_FILES: u32 = 65_535;

/// Characters of a name in an archive, without its ending.
const MAX_NAME_CHARS: usize = 100;

/// Version 2.0 of the format reads it.
const NEEDED: u16 = 20;
/// Written as if on Unix, so that `ATTRIBUTES` are read.
const MADE_BY: u16 = (3 << 8) | NEEDED;
/// Names are in UTF-8.
const UTF_8: u16 = 1 << 11;
/// An ordinary file that all may read and its owner write.
const ATTRIBUTES: u32 = 0o100_644 << 16;
/// Bytes of a directory's entry before its name.
const ENTRY: usize = 46;
/// Where in an entry the length of the name stands.
const NAME_LENGTH: usize = 28;

/// The archive has as many bytes or files as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveFull;

/// Some files of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePart {
    /// Bytes of all contents before.
    begins_at: u64,
    content: Vec<u8>,
    directory: Vec<u8>,
}

impl ArchivePart {
    /// The part that stands behind `begins_at` bytes of others.
    #[must_use]
    pub const fn behind(begins_at: u64) -> Self {
        Self { begins_at, content: Vec::new(), directory: Vec::new() }
    }

    /// Adds a file of the day `date`, under a name of [`ArchiveNames`].
    ///
    /// # Errors
    /// [`ArchiveFull`]; then nothing is added.
    pub fn add(&mut self, name: &str, date: Date, file: &[u8]) -> Result<(), ArchiveFull> {
        let offset = self.begins_at + size(&self.content);
        if offset + size(file) + size(name.as_bytes()) > MAX_ARCHIVE_BYTES {
            return Err(ArchiveFull);
        }
        let narrow = |bytes: u64| u32::try_from(bytes).map_err(|_| ArchiveFull);
        let (offset, length) = (narrow(offset)?, narrow(size(file))?);
        let name_length = u16::try_from(name.len()).map_err(|_| ArchiveFull)?;
        let mut common = Vec::with_capacity(26);
        // Flags; stored without compression; midnight, and the day.
        for number in [NEEDED, UTF_8, 0, 0, day(date)] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc32fast::hash(file), length, length] {
            common.extend(number.to_le_bytes());
        }
        common.extend(name_length.to_le_bytes());
        // No further fields.
        common.extend(0_u16.to_le_bytes());

        self.content.extend(b"PK\x03\x04");
        self.content.extend(&common);
        self.content.extend(name.as_bytes());
        self.content.extend(file);

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(MADE_BY.to_le_bytes());
        self.directory.extend(&common);
        // No comment, the first volume, no hints of what the file is.
        self.directory.extend([0; 6]);
        self.directory.extend(ATTRIBUTES.to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        Ok(())
    }

    /// Bytes of its files so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.content.len()
    }

    /// Whether it has no file.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Its content and its directory.
    #[must_use]
    pub fn into_bytes(self) -> (Vec<u8>, Vec<u8>) {
        (self.content, self.directory)
    }
}

/// What stands behind the directories: how many `files` there are, and the bytes of all contents
/// and of all directories.
///
/// # Errors
/// [`ArchiveFull`] when they are more than an archive holds.
pub fn archive_end(files: u32, contents: u64, directories: u64) -> Result<Vec<u8>, ArchiveFull> {
    let narrow = |bytes: u64| u32::try_from(bytes).map_err(|_| ArchiveFull);
    let files = u16::try_from(files).map_err(|_| ArchiveFull)?;
    let mut end = b"PK\x05\x06".to_vec();
    // One volume.
    end.extend([0; 4]);
    end.extend(files.to_le_bytes());
    end.extend(files.to_le_bytes());
    end.extend(narrow(directories)?.to_le_bytes());
    end.extend(narrow(contents)?.to_le_bytes());
    // No comment.
    end.extend([0; 2]);
    Ok(end)
}

/// A whole archive of a few `files`, each with its name, of [`ArchiveNames`]; all of `date`.
///
/// # Errors
/// [`ArchiveFull`] when they are more than an archive holds.
pub fn archive(date: Date, files: &[(&str, &[u8])]) -> Result<Vec<u8>, ArchiveFull> {
    let mut part = ArchivePart::behind(0);
    for (name, file) in files {
        part.add(name, date, file)?;
    }
    let (mut whole, directory) = part.into_bytes();
    let count = u32::try_from(files.len()).map_err(|_| ArchiveFull)?;
    let end = archive_end(count, size(&whole), size(&directory))?;
    whole.extend(directory);
    whole.extend(end);
    Ok(whole)
}

/// The names in an archive: safe on any system, and no two that a system takes for one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveNames(BTreeSet<String>);

impl ArchiveNames {
    /// Notes the names in a part's directory, which [`ArchivePart`] wrote; of other bytes nothing.
    pub fn note(&mut self, directory: &[u8]) {
        let mut rest = directory;
        while let Some(entry) = rest.get(..ENTRY) {
            let length = [entry[NAME_LENGTH], entry[NAME_LENGTH + 1]];
            let end = ENTRY + usize::from(u16::from_le_bytes(length));
            let Some(name) = rest.get(ENTRY..end) else { return };
            self.0.insert(folded(&String::from_utf8_lossy(name)));
            rest = &rest[end..];
        }
    }

    /// The name of a file that people call `name`, ending in `ending`: without folders and signs
    /// that steer, with a number where the name is taken. It is taken from then on.
    pub fn take(&mut self, name: &str, ending: &str) -> String {
        let kept = |sign: char| sign.is_alphanumeric() || " -_.()".contains(sign);
        let plain: String = name.chars().map(|sign| if kept(sign) { sign } else { '-' }).collect();
        let plain: String = plain.trim_matches([' ', '.']).chars().take(MAX_NAME_CHARS).collect();
        let plain = if plain.is_empty() { "file".to_owned() } else { plain };
        let mut taken = format!("{plain}.{ending}");
        let mut number = 1;
        while !self.0.insert(folded(&taken)) {
            number += 1;
            taken = format!("{plain} ({number}).{ending}");
        }
        taken
    }
}

/// The name as systems compare it that do not know capitals.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

fn size(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// A day as MS-DOS wrote it: years from 1980 in 7 bits, months in 4, days in 5.
fn day(date: Date) -> u16 {
    let years = u16::try_from(date.year().clamp(1980, 2107) - 1980).unwrap_or(0);
    (years << 9) | (u16::from(u8::from(date.month())) << 5) | u16::from(date.day())
}
