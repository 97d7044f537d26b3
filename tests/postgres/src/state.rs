//! The folder in a well-known place through which the processes of a test run find each other.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::{account, names};

/// The folder of this workspace and user, made when it is missing.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    let uid = account::own_uid()?;
    let workspace = names::lasting_hash(env!("CARGO_MANIFEST_DIR"));
    let path = std::env::temp_dir().join(format!("racun-test-postgres-{uid}-{workspace:016x}"));
    match DirBuilder::new().mode(0o700).create(&path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot make {}", path.display()));
        }
        _ => {}
    }
    // The temp folder may be shared: no other user may choose the server we talk to.
    let found = fs::symlink_metadata(&path)?;
    ensure!(
        found.is_dir() && found.uid() == uid,
        "{} exists and is not our own folder: remove it",
        path.display()
    );
    Ok(path)
}

/// Waits for, and holds until dropped, a lock that one process has at a time.
pub(crate) fn lock(name: &str) -> anyhow::Result<File> {
    let path = folder()?.join(name);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}
