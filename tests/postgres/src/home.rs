//! The folder that a cluster lives in, guarded by a supervisor from its first moment on.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context;

use crate::account::{self, Account};
use crate::supervision::{self, Heartbeat, Patience};
use crate::{names, waiting};

const MEMORY: &str = "/dev/shm";

/// What a cluster with a few dozen databases needs, with some room.
const MEMORY_NEEDED_KB: u64 = 300 * 1024;

/// Where a cluster's files should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// In memory when there is room, for speed.
    Memory,
    /// On a disk, when there is one, for what fsync means.
    Disk,
}

/// A cluster's folder: the server's own, removed when dropped.
pub(crate) struct Home {
    path: PathBuf,
    account: Option<Account>,
    heartbeat: Option<Heartbeat>,
    supervisor: Child,
}

impl Home {
    /// Makes the folder, with this process as its first user.
    pub(crate) fn create(
        medium: Medium,
        account: Option<Account>,
        pg_ctl: &Path,
        patience: Patience,
    ) -> anyhow::Result<Self> {
        let path = make_folder(&candidates(medium), account)?;
        let guarded = || {
            let heartbeat = Some(Heartbeat::start(&path)?);
            let supervisor = supervision::supervise(&path, pg_ctl, account, patience)?;
            Ok(Self { path: path.clone(), account, heartbeat, supervisor })
        };
        guarded().inspect_err(|_: &anyhow::Error| remove(&path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    /// Stops the heartbeat, as the death of this process would.
    #[cfg(test)]
    pub(crate) fn fall_silent(&mut self) {
        self.heartbeat = None;
    }

    /// A command run as the owner of the folder.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = account::command(program, self.account);
        command.current_dir(&self.path).stdin(Stdio::null()).env("HOME", &self.path);
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // A beat must not appear in the folder while it is emptied.
        drop(self.heartbeat.take());
        remove(&self.path);
        if let Err(error) = supervision::dismiss(&mut self.supervisor) {
            eprintln!("racun-test-postgres: cannot end the supervisor of a cluster: {error}");
        }
    }
}

/// Removes a cluster's folder, also when a dying server still writes into it.
pub(crate) fn remove(path: &Path) {
    let gone = waiting::until(Duration::from_secs(5), || match fs::remove_dir_all(path) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    });
    if !gone {
        eprintln!("racun-test-postgres: cannot remove {}", path.display());
    }
}

fn candidates(medium: Medium) -> Vec<PathBuf> {
    let mut usual = vec![std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
    usual.dedup();
    match medium {
        Medium::Memory => {
            let memory = PathBuf::from(MEMORY);
            let roomy = filesystem(&memory).is_some_and(|found| found.free_kb >= MEMORY_NEEDED_KB);
            if roomy {
                usual.insert(0, memory);
            }
        }
        Medium::Disk => {
            // Stable: the temp folder stays first among the disks.
            usual.sort_by_key(|path| filesystem(path).is_none_or(|found| found.in_memory));
            if usual.first().and_then(|path| filesystem(path)).is_none_or(|found| found.in_memory) {
                eprintln!(
                    "racun-test-postgres: all temp folders are in memory, fsync costs nothing"
                );
            }
        }
    }
    usual
}

/// Makes a folder of the server's user in the first place that this user reaches.
fn make_folder(candidates: &[PathBuf], account: Option<Account>) -> anyhow::Result<PathBuf> {
    let mut failure = None;
    for parent in candidates {
        match make_folder_in(parent, account) {
            Ok(path) => return Ok(path),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.context("no temp folder")?).context("no place for the files of a cluster")
}

fn make_folder_in(parent: &Path, account: Option<Account>) -> anyhow::Result<PathBuf> {
    // Short, because the path of a socket has at most some hundred characters.
    let path = parent.join(format!("racun-pg-{:016x}", names::unique()));
    DirBuilder::new()
        .mode(0o700)
        .create(&path)
        .with_context(|| format!("cannot make {}", path.display()))?;
    let reached = || {
        let Some(account) = account else { return Ok(()) };
        chown(&path, Some(account.uid), Some(account.gid))?;
        let status = account::command("sh", Some(account))
            .args(["-c", r#"cd "$1" && : > probe && rm probe"#, "sh"])
            .arg(&path)
            .current_dir("/")
            .stderr(Stdio::null())
            .status()?;
        anyhow::ensure!(status.success(), "the user of the server cannot reach {}", path.display());
        Ok(())
    };
    reached().inspect_err(|_| remove(&path))?;
    Ok(path)
}

struct Filesystem {
    in_memory: bool,
    free_kb: u64,
}

/// `std` does not ask a file system for its kind and free space; `df` does, everywhere.
fn filesystem(path: &Path) -> Option<Filesystem> {
    let output = Command::new("df").arg("-Pk").arg(path).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let fields: Vec<&str> = text.lines().nth(1)?.split_whitespace().collect();
    // Counted from the used share, as the first field may have spaces.
    let share = fields.iter().position(|field| field.ends_with('%'))?;
    Some(Filesystem {
        in_memory: matches!(*fields.first()?, "tmpfs" | "ramfs" | "shm"),
        free_kb: fields.get(share.checked_sub(1)?)?.parse().ok()?,
    })
}
