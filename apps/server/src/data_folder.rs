//! The embedded store's folder: who may read it, and the master key in it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::settings::{MasterKey, MasterKeys, Setting as _};

/// The store's file.
const DATABASE: &str = "racun.db";

/// The file of the key that is made at the first start.
const MASTER_KEY: &str = "master.key";

/// A folder with all data of one server.
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// The folder, made when it is not there, readable by the server's user only.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if !path.is_dir() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
            made.with_context(|| format!("the data folder {} cannot be made", path.display()))?;
        }
        Ok(Self { path: path.to_owned() })
    }

    /// The store's file, made empty when it is not there, and whether it was made. SQLite gives
    /// the files that it makes beside it the same permissions.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn database(&self) -> anyhow::Result<(PathBuf, bool)> {
        let path = self.path.join(DATABASE);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(_) => Ok((path, true)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok((path, false)),
            Err(error) => Err(error).context(format!("{} cannot be made", path.display())),
        }
    }

    /// The path, for messages.
    pub fn display(&self) -> std::path::Display<'_> {
        self.path.display()
    }

    /// The master keys in the folder; `None` when there is no such file.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no keys.
    pub fn master_keys(&self) -> anyhow::Result<Option<MasterKeys>> {
        let path = self.path.join(MASTER_KEY);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let Some(keys) = MasterKeys::read(&text) else {
                    bail!("{} is not {}; restore it", path.display(), MasterKeys::EXPECTED)
                };
                warn_when_others_may_read(&path);
                Ok(Some(keys))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context(format!("{} cannot be read", path.display())),
        }
    }

    /// Writes the file of the master keys, one on each line.
    ///
    /// # Errors
    /// When it cannot be written; what was there before is there then.
    pub fn write_master_keys(&self, keys: &MasterKeys) -> anyhow::Result<()> {
        let lines: Vec<_> = keys.all().iter().map(MasterKey::to_base64).collect();
        let written = self.write_whole(MASTER_KEY, &lines.join("\n"));
        written
            .with_context(|| format!("{} cannot be written", self.path.join(MASTER_KEY).display()))
    }

    /// Writes a file that is there either whole or not at all, whenever the power fails.
    fn write_whole(&self, name: &str, text: &str) -> std::io::Result<()> {
        let beside = self.path.join(format!("{name}.new"));
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&beside, self.path.join(name))?;
        File::open(&self.path)?.sync_all()
    }
}

fn warn_when_others_may_read(path: &Path) {
    let open = fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
    if open {
        tracing::warn!("{} can be read by others: `chmod 600` it", path.display());
    }
}
