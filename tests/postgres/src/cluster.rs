//! One PostgreSQL server with its files: started, killed, restarted, removed.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::binaries::Binaries;
use crate::home::{Home, Medium};
use crate::supervision::{self, Patience};
use crate::{account, names, sql, waiting};

/// How long a server may take to answer after its start, recovery included.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How long a restart waits for what the killed server left: its orphans, its port.
const LEFTOVERS_LIMIT: Duration = Duration::from_secs(30);

/// Below the ports that systems give to outgoing connections. A client that knocks in a loop at
/// such a port while the server is down would some day be connected to itself, and the port taken.
const PORTS: std::ops::Range<u16> = 15_000..32_000;

const FOR_ALL: [&str; 2] = ["max_connections=300", "shared_buffers=128MB"];

/// The last three keep a busy test run small: in memory, its files compete with the compiler.
const FOR_SPEED: [&str; 9] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "min_wal_size=32MB",
    "max_wal_size=256MB",
    "dynamic_shared_memory_type=mmap",
];

const FOR_SAFETY: [&str; 3] = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];

/// What a cluster promises about committed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Commits are on the disk when they return, as in production, and the settings that bear on
    /// this are PostgreSQL's own defaults. For crash drills and benchmarks.
    Durable,
    /// Nothing is synced, and the files are in memory when there is room. For all other tests.
    Fast,
}

/// A PostgreSQL server of the caller's own, on a loopback port, stopped and removed when dropped.
///
/// Its superuser is `postgres`, without a password; its time zone is UTC and its locale C. Should
/// this process die without dropping it, it is removed about a minute later.
pub struct Cluster {
    binaries: Binaries,
    durability: Durability,
    port: u16,
    postmaster: Child,
    // The last one, as fields are dropped in order: the files go when the server has gone.
    home: Home,
}

impl Cluster {
    /// Makes a cluster and starts its server. Returns when it takes connections.
    ///
    /// # Errors
    ///
    /// When PostgreSQL's programs are missing and cannot be installed (in one line, with the
    /// remedies), when there is no place for the files, or when the server does not start (with
    /// the end of its log).
    pub fn start(durability: Durability) -> anyhow::Result<Self> {
        Self::start_with(durability, Patience::USUAL)
    }

    pub(crate) fn start_with(durability: Durability, patience: Patience) -> anyhow::Result<Self> {
        let binaries = Binaries::find_or_install()?;
        let place = match durability {
            Durability::Durable => Medium::Disk,
            Durability::Fast => Medium::Memory,
        };
        let pg_ctl = binaries.path("pg_ctl");
        let home = Home::create(place, account::of_server()?, &pg_ctl, patience)?;
        initialise(&binaries, &home, durability)?;
        for _ in 0..10 {
            let port = free_port()?;
            match launch(&binaries, &home, durability, port)? {
                Launch::Answers(postmaster) => {
                    return Ok(Self { binaries, durability, port, postmaster, home });
                }
                // Another process was faster to take the port.
                Launch::Ended(log) if log.contains(PORT_TAKEN) => {}
                Launch::Ended(log) => bail!("the PostgreSQL server does not start:\n{log}"),
            }
        }
        bail!("each of ten free ports was taken by others before the PostgreSQL server could")
    }

    /// The URL of a database of this cluster, which stays the same over restarts. There is
    /// `postgres` from the start.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The path of one of PostgreSQL's own programs, such as `psql` or `pgbench`, of the version
    /// of the server. Whether it is installed is not looked at.
    #[must_use]
    pub fn bin(&self, program: &str) -> PathBuf {
        self.binaries.path(program)
    }

    /// The folder with the server's files (`data`, `log`). It is removed when the cluster is
    /// dropped.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.home.path()
    }

    /// Kills the server with SIGKILL, as a crash would; does nothing when it does not run.
    ///
    /// The other processes of the server end by themselves a moment later. What it had handed to
    /// the operating system survives: this is the end of a process, not of the power.
    ///
    /// # Errors
    ///
    /// When the signal cannot be sent.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.postmaster.kill().context("cannot kill the PostgreSQL server")?;
        self.postmaster.wait().context("cannot wait for the end of the PostgreSQL server")?;
        Ok(())
    }

    /// Starts the server again, on the same port: after [`Cluster::kill`] with a recovery, else
    /// after a regular shutdown. Returns when it takes connections.
    ///
    /// # Errors
    ///
    /// When the server does not start again (with the end of its log).
    pub fn restart(&mut self) -> anyhow::Result<()> {
        self.end("INT")?;
        let deadline = Instant::now() + LEFTOVERS_LIMIT;
        loop {
            match launch(&self.binaries, &self.home, self.durability, self.port)? {
                Launch::Answers(postmaster) => {
                    self.postmaster = postmaster;
                    return Ok(());
                }
                Launch::Ended(log) => {
                    let passes = log.contains(PORT_TAKEN) || log.contains(ORPHANS_RUN);
                    ensure!(
                        passes && Instant::now() < deadline,
                        "the PostgreSQL server does not start again:\n{log}"
                    );
                    waiting::pause(Duration::from_millis(50));
                }
            }
        }
    }

    /// Signals the server, unless it has ended, and waits for its end.
    fn end(&mut self, signal: &str) -> anyhow::Result<()> {
        if self.postmaster.try_wait()?.is_none()
            && !supervision::signal(self.postmaster.id(), signal)
        {
            self.postmaster.kill()?;
        }
        self.postmaster.wait()?;
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // SIGQUIT is the immediate shutdown: no checkpoint, but no orphans either.
        if let Err(error) = self.end("QUIT") {
            eprintln!("racun-test-postgres: cannot stop the PostgreSQL server: {error}");
        }
    }
}

/// Whether the server at `url` is the one that has its data in `data`.
pub(crate) fn answers(url: &str, data: &Path) -> anyhow::Result<bool> {
    let shown = sql::with(url, |session| session.text("SHOW data_directory", &[]))?;
    // The server resolves links in its path, such as that of macOS's temp folder.
    let real = fs::canonicalize(data)?;
    Ok(shown.is_some_and(|shown| Path::new(&shown) == data || Path::new(&shown) == real))
}

/// What the server's log says when its port is in use.
const PORT_TAKEN: &str = "could not create any TCP/IP sockets";

/// What the server's log says while processes of a killed server still run.
const ORPHANS_RUN: &str = "pre-existing shared memory block";

enum Launch {
    Answers(Child),
    Ended(String),
}

fn launch(
    binaries: &Binaries,
    home: &Home,
    durability: Durability,
    port: u16,
) -> anyhow::Result<Launch> {
    let log = File::create(home.log()).context("cannot write the log of the server")?;
    let mut command = home.command(&binaries.path("postgres"));
    command.arg("-D").arg(home.data());
    let listening =
        ["listen_addresses=127.0.0.1".to_owned(), format!("port={port}"), socket_folder(home)];
    let chosen: &[&str] = match durability {
        Durability::Durable => &FOR_SAFETY,
        Durability::Fast => &FOR_SPEED,
    };
    for setting in listening.iter().map(String::as_str).chain(FOR_ALL).chain(chosen.iter().copied())
    {
        command.args(["-c", setting]);
    }
    // A group of its own: an interrupted test run must not interrupt a server that others use.
    let mut postmaster = command
        .process_group(0)
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .context("cannot run `postgres`")?;
    let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
    let deadline = Instant::now() + START_LIMIT;
    while postmaster.try_wait()?.is_none() {
        if answers(&url, &home.data()).unwrap_or(false) {
            return Ok(Launch::Answers(postmaster));
        }
        if Instant::now() > deadline {
            postmaster.kill()?;
            postmaster.wait()?;
            bail!("the PostgreSQL server does not answer:\n{}", end_of_log(home));
        }
        waiting::pause(Duration::from_millis(10));
    }
    Ok(Launch::Ended(end_of_log(home)))
}

fn socket_folder(home: &Home) -> String {
    format!("unix_socket_directories={}", home.path().display())
}

fn end_of_log(home: &Home) -> String {
    let log = fs::read(home.log()).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

fn initialise(binaries: &Binaries, home: &Home, durability: Durability) -> anyhow::Result<()> {
    let mut command = home.command(&binaries.path("initdb"));
    command.args(["-A", "trust", "--locale=C", "-E", "UTF8", "-U", "postgres", "-D"]);
    command.arg(home.data());
    if durability == Durability::Fast {
        command.arg("--no-sync");
    }
    let output = command.output().context("cannot run `initdb`")?;
    ensure!(
        output.status.success(),
        "`initdb` failed:\n{}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    Ok(())
}

/// A port that is free now; the server's own attempt to take it decides.
fn free_port() -> anyhow::Result<u16> {
    let span = u64::from(PORTS.end - PORTS.start);
    for _ in 0..100 {
        let port = PORTS.start + u16::try_from(names::unique() % span)?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port on 127.0.0.1 between {} and {}", PORTS.start, PORTS.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_whose_user_died_is_stopped_and_removed() {
        // Long enough for a busy machine, on which a sign of life may come late.
        let patience = Patience { round_seconds: "0.2", rounds: 20 };
        let mut cluster = Cluster::start_with(Durability::Fast, patience).unwrap();
        let folder = cluster.folder().to_path_buf();
        cluster.home.fall_silent();
        assert!(waiting::until(Duration::from_secs(30), || !folder.exists()), "still there");
        let ended = || cluster.postmaster.try_wait().unwrap().is_some();
        assert!(waiting::until(Duration::from_secs(5), ended), "the server still runs");
    }
}
