//! A running `racun`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use racun_test_postgres::{Database, database};
use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{self, Profile};
use crate::client::Client;

/// Until the server listens, and until it has ended after a signal.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines of the log that are kept for failures.
const KEPT_LINES: usize = 100;

/// What servers on a database seal their secrets with: 32 bytes in base64.
const MASTER_KEY: &str = "dGhpcnR5LXR3byBieXRlcyBmb3IgdGVzdHMgb25seSE=";

/// The stores there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// The default, in a folder.
    Embedded,
    /// PostgreSQL.
    Postgres,
}

/// Where a server keeps its data.
#[derive(Debug)]
pub enum Data {
    /// In its own folder.
    Folder,
    /// In its own folder, which has these files at first, each by its name.
    Files(Vec<(String, Vec<u8>)>),
    /// In a PostgreSQL database that goes together with the server.
    Database(Database),
    /// In a PostgreSQL database that someone else looks after.
    Url(String),
}

impl Data {
    /// New data of this kind. A database is empty; the server migrates it when it starts.
    ///
    /// # Panics
    /// When there is no PostgreSQL.
    #[must_use]
    pub fn fresh(store: StoreKind) -> Self {
        match store {
            StoreKind::Embedded => Self::Folder,
            StoreKind::Postgres => {
                let made = database("racun_empty", |_| Ok(()));
                Self::Database(made.unwrap_or_else(|error| panic!("{error:#}")))
            }
        }
    }
}

/// A server with data of its own, on a free port of this machine. Dropping it kills it.
pub struct Racun {
    profile: Profile,
    // Before the data: the process goes first.
    process: Option<Process>,
    data: Data,
    settings: Settings,
    folder: TempDir,
}

/// Settings by the names of their variables.
pub type Settings = Vec<(String, String)>;

/// A process and what it says.
struct Process {
    child: Child,
    address: String,
    log: Log,
}

type Log = Arc<Mutex<Vec<String>>>;

impl Racun {
    /// Starts a server on fresh data.
    pub async fn start(store: StoreKind) -> Self {
        Self::start_on(Profile::Debug, Data::fresh(store)).await
    }

    /// Starts a server on `data`.
    ///
    /// # Panics
    /// When it does not become ready.
    pub async fn start_on(profile: Profile, data: Data) -> Self {
        Self::start_with(profile, data, Settings::new()).await
    }

    /// Starts a server on `data`, with more `settings`, which it keeps when it starts again.
    ///
    /// # Panics
    /// When it does not become ready.
    pub async fn start_with(profile: Profile, data: Data, settings: Settings) -> Self {
        let folder = TempDir::new().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        if let Data::Files(files) = &data {
            put(&folder.path().join("data"), files).unwrap_or_else(|error| panic!("{error}"));
        }
        let mut racun = Self { profile, process: None, data, settings, folder };
        racun.restart().await;
        racun
    }

    /// Starts it again on the same data, killing it first when it runs. Its address changes.
    ///
    /// # Panics
    /// When it does not become ready.
    pub async fn restart(&mut self) {
        self.kill9();
        let mut command = self.command("serve");
        let process = tokio::task::spawn_blocking(move || Process::start(&mut command)).await;
        self.process = Some(process.unwrap_or_else(|error| panic!("{error}")));
        self.client().get("/health/ready").await.expect(200);
    }

    /// Starts it again so with `settings` in the place of those that it had.
    ///
    /// # Panics
    /// When it does not become ready.
    pub async fn restart_with(&mut self, settings: Settings) {
        self.settings = settings;
        self.restart().await;
    }

    /// Kills it with SIGKILL, as a crash would; does nothing when it does not run.
    pub fn kill9(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Asks it to end with SIGTERM, and answers how it did.
    ///
    /// # Panics
    /// When it does not run, or does not end.
    pub fn terminate(&mut self) -> ExitStatus {
        let mut process = self.process.take().unwrap_or_else(|| panic!("it does not run"));
        let signal = Command::new("sh")
            .args(["-c", r#"kill -s TERM "$0""#, &process.child.id().to_string()])
            .status();
        assert!(signal.is_ok_and(|status| status.success()), "SIGTERM could not be sent");
        let watch = kill_after(PATIENCE, process.child.id());
        let status = process.child.wait();
        drop(watch);
        status.unwrap_or_else(|error| panic!("no end: {error}"))
    }

    /// A client of this server, not logged in yet.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.address())
    }

    /// Where it listens: `127.0.0.1:` and a port.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.running().address
    }

    /// Its process id.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.running().child.id()
    }

    /// Its resident memory in bytes.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn resident(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// Its resident memory in bytes without the pages of files, which are mostly the program's own:
    /// those of a debug build are many, and the system takes them back when it needs them.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.memory("RssAnon:")
    }

    /// The most resident memory that it had so far, in bytes.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn most_resident(&self) -> u64 {
        self.memory("VmHWM:")
    }

    fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let status = status.unwrap_or_else(|error| panic!("no status: {error}"));
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kibibytes.unwrap_or_else(|| panic!("no memory in {status}")) * 1_024
    }

    /// Its data folder, which the embedded store is in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The last lines of its log.
    #[must_use]
    pub fn log(&self) -> String {
        self.process.as_ref().map_or_else(String::new, |process| joined(&process.log))
    }

    /// What another command of the same binary prints, with the same settings.
    ///
    /// # Panics
    /// When it fails.
    #[must_use]
    pub fn run(&self, command: &str) -> String {
        let output = self.command(command).output();
        let output = output.unwrap_or_else(|error| panic!("racun {command}: {error}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "racun {command}: {}: {said}", output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn running(&self) -> &Process {
        self.process.as_ref().unwrap_or_else(|| panic!("the server does not run"))
    }

    /// The binary with settings for this data and nothing else of our environment.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(binary::racun(self.profile));
        let inherited = std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "TMPDIR");
        command
            .arg(name)
            .current_dir(self.folder.path())
            .env_clear()
            .envs(inherited)
            .env("RACUN__SERVER__LISTEN", "127.0.0.1:0")
            .env("RACUN__DATABASE__DIR", self.folder.path().join("data"))
            .env("RACUN__RATE_LIMITS__ENABLED", "false")
            // What a test names on other machines is not called, and names are not looked up.
            .env("RACUN__OUTBOUND__LOOPBACK_ONLY", "true")
            // Accounts of tests verify no address, and stories and benchmarks write much.
            .env("RACUN__STORAGE__PER_UNVERIFIED_ACCOUNT", "20GB")
            .env("RACUN__LOG__FORMAT", "json")
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        if !matches!(self.data, Data::Folder | Data::Files(_)) {
            // In a folder the server makes its own; servers that share a database share theirs.
            command.env("RACUN__SECRETS__MASTER_KEY", MASTER_KEY);
        }
        match &self.data {
            Data::Folder | Data::Files(_) => {}
            Data::Database(database) => {
                command.env("RACUN__DATABASE__URL", &database.url);
            }
            Data::Url(url) => {
                command.env("RACUN__DATABASE__URL", url);
            }
        }
        command
    }
}

/// Makes a data folder with these files.
fn put(folder: &Path, files: &[(String, Vec<u8>)]) -> std::io::Result<()> {
    fs::create_dir(folder)?;
    files.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))
}

impl Drop for Racun {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the server's log ended with:\n{}", self.log());
        }
        self.kill9();
    }
}

impl Process {
    fn start(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("racun does not start: {error}"));
        let log = Log::default();
        let (found, address) = mpsc::channel();
        if let Some(stderr) = child.stderr.take() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || listen(stderr, &log, &found));
        }
        let mut process = Self { child, address: String::new(), log };
        match address.recv_timeout(PATIENCE) {
            Ok(address) => process.address = address,
            Err(error) => {
                process.kill();
                panic!("racun does not listen: {error}\n{}", joined(&process.log));
            }
        }
        process
    }

    fn kill(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps the last lines of a log, and tells the first address in it.
fn listen(stderr: ChildStderr, log: &Log, found: &Sender<String>) {
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        let record: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(address) = record["address"].as_str() {
            // The receiver is gone once it has the first address.
            let _ = found.send(address.to_owned());
        }
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() == KEPT_LINES {
            log.remove(0);
        }
        log.push(line);
    }
}

fn joined(log: &Log) -> String {
    log.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
}

/// Kills the process `id` unless what is answered is dropped before.
fn kill_after(limit: Duration, id: u32) -> Sender<()> {
    let (alive, gone): (Sender<()>, Receiver<()>) = mpsc::channel();
    std::thread::spawn(move || {
        if gone.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ =
                Command::new("sh").args(["-c", r#"kill -s KILL "$0""#, &id.to_string()]).status();
        }
    });
    alive
}
