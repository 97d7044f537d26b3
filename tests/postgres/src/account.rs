//! The user that the server runs as: PostgreSQL refuses to run as root.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::Context;

/// Variables that would change what the server's programs do.
const FOREIGN_SETTINGS: [&str; 6] =
    ["PGDATA", "PGPORT", "PGHOST", "PGOPTIONS", "PGUSER", "PGDATABASE"];

/// A user of this machine other than the one that this process runs as.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// The user that the server runs as: our own (`None`), or another one when we are root.
pub(crate) fn of_server() -> anyhow::Result<Option<Account>> {
    if own_uid()? != 0 {
        return Ok(None);
    }
    ["postgres", "nobody"]
        .into_iter()
        .find_map(|name| {
            Some(Account { uid: id(&["-u", name]).ok()?, gid: id(&["-g", name]).ok()? })
        })
        .context("PostgreSQL does not run as root, and there is no user postgres or nobody")
        .map(Some)
}

/// The user that this process runs as.
pub(crate) fn own_uid() -> anyhow::Result<u32> {
    id(&["-u"])
}

/// A command run as `account`, untouched by the PostgreSQL settings of our environment.
pub(crate) fn command(program: impl AsRef<OsStr>, account: Option<Account>) -> Command {
    let mut command = Command::new(program);
    if let Some(account) = account {
        command.uid(account.uid).gid(account.gid);
    }
    for setting in FOREIGN_SETTINGS {
        command.env_remove(setting);
    }
    command.env("LC_ALL", "C").env("TZ", "UTC");
    command
}

/// `std` cannot ask who we are; the `id` of every Unix can.
fn id(arguments: &[&str]) -> anyhow::Result<u32> {
    let output = Command::new("id").args(arguments).output().context("cannot run `id`")?;
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .with_context(|| format!("`id {}` gives no number", arguments.join(" ")))
}
