//! Finding the programs of a PostgreSQL server, and installing them where that is possible.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::bail;

use crate::{account, state};

const NEEDED: [&str; 3] = ["initdb", "postgres", "pg_ctl"];

/// Folders whose sub-folders (with this prefix, then a version) have the programs in `bin`.
const VERSIONED: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", ""),
    ("/usr", "pgsql-"),
    ("/opt/homebrew/opt", "postgresql"),
    ("/usr/local/opt", "postgresql"),
];

/// So long after a failed installation no other process of the run tries it again.
const INSTALLATION_PAUSE: Duration = Duration::from_secs(600);

/// The folder with the programs of one version of PostgreSQL.
#[derive(Clone, Debug)]
pub(crate) struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    /// Looks for the programs, installs them when we may, and looks again.
    pub(crate) fn find_or_install() -> anyhow::Result<Self> {
        if let Some(found) = Self::find() {
            return Ok(found);
        }
        if let Some(installed) = install("postgresql", Self::find)? {
            return Ok(installed);
        }
        bail!(
            "no PostgreSQL server programs (initdb, postgres, pg_ctl) on this machine: install \
             the package `postgresql`, or set RACUN_TEST_DATABASE_URL to a server where databases \
             may be created"
        )
    }

    /// The path of one of the programs.
    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }

    fn find() -> Option<Self> {
        NEEDED
            .iter()
            .filter_map(|program| in_path(program))
            .flat_map(|program| with_target(&program))
            .chain(VERSIONED.iter().flat_map(|(parent, prefix)| newest_first(parent, prefix)))
            .chain(told_by_pg_config())
            .find(|folder| NEEDED.iter().all(|program| folder.join(program).is_file()))
            .map(|folder| Self { folder })
    }
}

/// The folder of the program itself before that of a link to it: there `pgbench` and `psql` are
/// as well, and they are no wrappers.
fn with_target(program: &Path) -> Vec<PathBuf> {
    let target = fs::canonicalize(program).ok();
    [target.as_deref(), Some(program)]
        .into_iter()
        .flatten()
        .filter_map(|path| path.parent().map(Path::to_path_buf))
        .collect()
}

pub(crate) fn in_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

fn newest_first(parent: &str, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(prefix)?;
            Some((version_numbers(version), entry.path().join("bin")))
        })
        .collect();
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, folder)| folder).collect()
}

fn version_numbers(text: &str) -> Vec<u32> {
    text.split(|character: char| !character.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect()
}

fn told_by_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").stderr(Stdio::null()).output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

/// Installs Debian's `package`, one process at a time, when we may; what `find` finds afterwards.
pub(crate) fn install<T>(package: &str, find: impl Fn() -> Option<T>) -> anyhow::Result<Option<T>> {
    if account::own_uid()? != 0 || in_path("apt-get").is_none() {
        return Ok(None);
    }
    let _one_at_a_time = state::lock("install.lock")?;
    if let Some(found) = find() {
        return Ok(Some(found));
    }
    let failure = state::folder()?.join(format!("install.{package}.failed"));
    let failed_lately = fs::metadata(&failure)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|then| then.elapsed().is_ok_and(|age| age < INSTALLATION_PAUSE));
    if failed_lately {
        return Ok(None);
    }
    eprintln!("racun-test-postgres: no {package} here; installing it with apt-get");
    // An update may fail for a foreign package source and the installation still succeed.
    apt_get(&["update"]);
    apt_get(&["install", "-y", "--no-install-recommends", package]);
    let found = find();
    if found.is_none() {
        File::create(failure)?;
    }
    Ok(found)
}

fn apt_get(arguments: &[&str]) {
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        eprintln!("racun-test-postgres: `apt-get {}` failed", arguments.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version_numbers("16") > version_numbers("9.6"));
        assert!(version_numbers("@17") > version_numbers("@14"));
        assert!(version_numbers("17") > version_numbers(""));
    }

    #[test]
    fn the_programs_are_found_where_they_really_are() {
        let binaries = Binaries::find_or_install().unwrap();
        for program in NEEDED {
            assert!(binaries.path(program).is_file(), "{program} is missing in {binaries:?}");
        }
    }
}
