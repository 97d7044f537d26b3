//! Running `racun` and talking to it.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// So long a server may take to say where it listens, an answer to come, and a command to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// `racun`, run in `folder` with nothing of our own environment but what programs need.
pub fn racun(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racun"));
    command.current_dir(folder).env_clear().stdin(Stdio::null());
    // No test calls another machine.
    command.env("RACUN__OUTBOUND__LOOPBACK_ONLY", "true");
    command.envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "TMPDIR"));
    command
}

/// Runs `racun` with these arguments and variables to its end, which must come.
pub fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = racun(folder);
    command.args(arguments).envs(variables.iter().copied());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output().unwrap()).ok());
    ended.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        kill("KILL", pid);
        panic!("`racun {}` does not end", arguments.join(" "))
    })
}

/// Sends a signal by its name; `std` has none but SIGKILL.
fn kill(name: &str, pid: u32) {
    let shell =
        Command::new("sh").args(["-c", r#"kill -s "$0" "$1""#, name, &pid.to_string()]).status();
    assert!(shell.unwrap().success(), "SIG{name} could not be sent");
}

/// A running server on a port of its own, with its data in the folder `racun-data`.
pub struct Server {
    child: Child,
    log: Receiver<String>,
    /// Where it listens.
    pub address: String,
}

impl Server {
    /// Starts it and waits until it says where it listens.
    pub fn start<V: AsRef<OsStr>>(folder: &Path, variables: &[(&str, V)]) -> Self {
        let mut server = Self::spawn(folder, "serve", variables);
        let listening = server.record(|record| record["address"].is_string());
        server.address = listening["address"].as_str().unwrap().to_owned();
        server
    }

    /// Starts `racun work` and waits until it says that it does.
    pub fn working(folder: &Path) -> Self {
        let worker = Self::spawn::<&str>(folder, "work", &[]);
        worker.record(|record| record["message"].is_string());
        worker
    }

    fn spawn<V: AsRef<OsStr>>(folder: &Path, command: &str, variables: &[(&str, V)]) -> Self {
        let mut child = racun(folder)
            .arg(command)
            .env("RACUN__SERVER__LISTEN", "127.0.0.1:0")
            .env("RACUN__RATE_LIMITS__ENABLED", "false")
            .env("RACUN__LOG__FORMAT", "json")
            .envs(variables.iter().map(|(name, value)| (name, value.as_ref())))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = crate::lines::of(child.stderr.take().unwrap());
        Self { child, log, address: String::new() }
    }

    /// The next log record that is `wanted`; those before it are dropped.
    pub fn record(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.log.recv_timeout(PATIENCE).expect("the log has no such record");
            let record = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
            if wanted(&record) {
                return record;
            }
        }
    }

    /// Ends it as an operator would; returns the lines of its log that were not read yet.
    pub fn log_to_the_end(mut self) -> Vec<String> {
        self.signal("TERM");
        let (_, none) = mpsc::channel();
        let log = std::mem::replace(&mut self.log, none);
        assert!(self.ended_within(Duration::from_secs(10)).success());
        log.iter().collect()
    }

    /// Sends a request; answers the status and the body.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        ask(&self.address, method, path, headers, body)
    }

    /// What Linux says of the process under `name` in `/proc`.
    #[cfg(target_os = "linux")]
    pub fn proc(&self, name: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{name}", self.child.id())).unwrap()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        kill(name, self.child.id());
    }

    /// Waits for its end, but not longer than `limit`.
    pub fn ended_within(mut self, limit: Duration) -> ExitStatus {
        let (sender, ended) = mpsc::channel();
        let pid = self.child.id();
        let waiting = thread::spawn(move || {
            sender.send(self.child.wait().unwrap()).ok();
            self
        });
        let status = ended.recv_timeout(limit);
        if status.is_err() {
            kill("KILL", pid);
        }
        waiting.join().unwrap();
        status.unwrap_or_else(|_| panic!("the server had not ended after {limit:?}"))
    }

    /// Ends it as an operator would.
    pub fn stop(self) {
        self.signal("TERM");
        assert!(self.ended_within(Duration::from_secs(10)).success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already, unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request to `address`; answers the status and the body.
pub fn ask(address: &str, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}
