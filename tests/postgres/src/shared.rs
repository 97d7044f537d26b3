//! The cluster that all test processes of a run share: found, or started by the first of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow};

use crate::binaries::Binaries;
use crate::cluster::{self, Cluster, Durability};
use crate::supervision::{self, Heartbeat, Patience, Supervision};
use crate::{account, home, sql, state};

/// What keeps the shared cluster alive for this process. Statics are never dropped, and so the
/// process that started the cluster does not end it for the others.
static IN_USE: Mutex<Option<Result<Shared, String>>> = Mutex::new(None);

struct Shared {
    url: String,
    _hold: Hold,
}

#[expect(dead_code, reason = "held for what they do until the process ends")]
enum Hold {
    Started(Cluster),
    Found(Heartbeat),
}

/// The URL of the shared cluster's database `postgres`. The cluster stays as long as this process.
pub(crate) fn url() -> anyhow::Result<String> {
    let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    // A failure is remembered as well: what failed for one test would fail for a hundred.
    in_use
        .get_or_insert_with(|| find_or_start().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map(|shared| shared.url.clone())
        .map_err(|error| anyhow!("{error}"))
}

fn find_or_start() -> anyhow::Result<Shared> {
    let _one_at_a_time = state::lock("lock")?;
    let file = state::folder()?.join("cluster");
    if let Some(known) = ClusterFile::read(&file)
        && let Some(heartbeat) = known.usable()?
    {
        return Ok(Shared { url: known.url, _hold: Hold::Found(heartbeat) });
    }
    let cluster = Cluster::start(Durability::Fast)?;
    let known =
        ClusterFile { folder: cluster.folder().to_path_buf(), url: cluster.url("postgres") };
    known.write(&file)?;
    Ok(Shared { url: known.url, _hold: Hold::Started(cluster) })
}

/// What one process tells the others about the cluster that it started.
struct ClusterFile {
    folder: PathBuf,
    url: String,
}

impl ClusterFile {
    fn read(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).ok()?;
        let (folder, url) = text.trim_end().split_once('\n')?;
        Some(Self { folder: PathBuf::from(folder), url: url.to_owned() })
    }

    fn write(&self, file: &Path) -> anyhow::Result<()> {
        fs::write(file, format!("{}\n{}\n", self.folder.display(), self.url))
            .with_context(|| format!("cannot write {}", file.display()))
    }

    /// A heartbeat for the cluster if it is there to stay.
    ///
    /// A dead server's files are removed; a server that is just being ended is left to its
    /// supervisor. A server that is there but does not let us in is an error, as others may use it.
    fn usable(&self) -> anyhow::Result<Option<Heartbeat>> {
        let Ok(heartbeat) = Heartbeat::start(&self.folder) else { return Ok(None) };
        let supervision = supervision::of(&self.folder);
        if supervision == Supervision::Ending {
            return Ok(None);
        }
        let dead = match cluster::answers(&self.url, &self.folder.join("data")) {
            Ok(ours) => !ours,
            Err(error) if sql::a_closed_port_is_a_failure(&error) => true,
            Err(error) => {
                let folder = self.folder.display();
                return Err(error.context(format!("the cluster in {folder} does not let us in")));
            }
        };
        if dead {
            drop(heartbeat);
            home::remove(&self.folder);
            return Ok(None);
        }
        if supervision == Supervision::Dead {
            let pg_ctl = Binaries::find_or_install()?.path("pg_ctl");
            let account = account::of_server()?;
            supervision::supervise(&self.folder, &pg_ctl, account, Patience::USUAL)?;
        }
        Ok(Some(heartbeat))
    }
}
