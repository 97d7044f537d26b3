//! The backup of the file that an upgrade makes first and leaves until the user removes it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::OpenError;

/// Beside the copy, an upgrade takes room for new columns, indexes and the log of one step: at
/// most this part of the file, and a little.
const PART: u64 = 2;
const A_LITTLE: u64 = 16 * 1024 * 1024;

/// Copies the file at `path`, which no connection has open, to `<path>.before-<version>`, and
/// answers the copy's path. What is there already stays; the copy has a further number then.
///
/// # Errors
/// [`OpenError::NoRoom`], or the failure of the disk. No half of a copy is left under its name.
pub(crate) fn keep(path: &Path, version: u32, free: Option<u64>) -> Result<PathBuf, OpenError> {
    let failed = |error| OpenError::io(path, error);
    let size = fs::metadata(path).map_err(failed)?.len();
    let needed = size + size / PART + A_LITTLE;
    let free = free.map_or_else(|| free_bytes(path), Ok).map_err(failed)?;
    let no_room = |free| OpenError::NoRoom { file: path.to_owned(), needed, free };
    if free < needed {
        return Err(no_room(free));
    }
    let copy = name_of_copy(path, version);
    let part = beside(&copy, ".part");
    let copied = fs::copy(path, &part).and_then(|_| File::open(&part)?.sync_all());
    if let Err(error) = copied {
        // What was copied so far would keep the room that is missing.
        let _ = fs::remove_file(&part);
        return Err(match error.kind() {
            ErrorKind::StorageFull => no_room(free),
            _ => OpenError::io(&part, error),
        });
    }
    fs::rename(&part, &copy).map_err(|error| OpenError::io(&copy, error))?;
    if let Some(folder) = copy.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    }
    Ok(copy)
}

fn name_of_copy(path: &Path, version: u32) -> PathBuf {
    let name = |more: String| beside(path, &format!(".before-{version}{more}"));
    let further = (2_u32..).map(|n| name(format!("-{n}")));
    let mut names = std::iter::once(name(String::new())).chain(further);
    names.find(|name| !name.exists()).unwrap_or_else(|| name(String::new()))
}

/// `path` with `suffix` behind its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// What is free on the disk of `path` for this process, in bytes.
fn free_bytes(path: &Path) -> std::io::Result<u64> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
