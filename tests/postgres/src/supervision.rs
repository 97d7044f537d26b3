//! What ends a cluster when its users cannot: a heartbeat, and a shell loop that listens to it.
//!
//! Users make the file `beat` again and again; the supervisor takes it away and counts the rounds
//! in which it was missing. Rounds, not the age of a file: a machine that slept for an hour has
//! not missed one. In the file `supervisor` it writes its process id, in every round, to say that
//! it is there and the cluster open to further users.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::account::{self, Account};
use crate::waiting;

/// Well below a round of the supervisor, so that each round of a living user has a beat.
const BEAT_EVERY: Duration = Duration::from_secs(2);

/// So long without a sign of it a supervisor is taken to be dead. When it was only asleep with the
/// machine, it finds the id of its successor and leaves.
const SILENCE_OF_THE_DEAD: Duration = Duration::from_secs(30);

/// `supervisor` is withdrawn before the last look for a beat. A user makes its beat first and looks
/// for `supervisor` then, so either it sees that the cluster goes, or the beat is seen.
const SUPERVISOR: &str = r#"
trap '' HUP INT QUIT
folder=$1 pg_ctl=$2 round=$3 limit=$4 missed=0
echo $$ > "$folder/supervisor"
while :; do
    sleep "$round"
    read -r current < "$folder/supervisor" && [ "$current" = $$ ] || exit 0
    echo $$ > "$folder/supervisor"
    if rm "$folder/beat"; then missed=0; continue; fi
    missed=$((missed + 1))
    [ "$missed" -ge "$limit" ] || continue
    rm "$folder/supervisor"
    rm "$folder/beat" || break
    echo $$ > "$folder/supervisor"
    missed=0
done
"$pg_ctl" stop -D "$folder/data" -m immediate -w -t 20
rm -rf "$folder"
"#;

const START_LIMIT: Duration = Duration::from_secs(20);

/// How long a supervisor waits for a beat before it ends the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The length of a round, as `sleep` takes it.
    pub(crate) round_seconds: &'static str,
    /// So many rounds without a beat end the cluster.
    pub(crate) rounds: u32,
}

impl Patience {
    /// A minute.
    pub(crate) const USUAL: Self = Self { round_seconds: "5", rounds: 12 };
}

/// Starts a supervisor for the cluster in `folder`, out of reach of the signals of a terminal, and
/// waits until it is there.
pub(crate) fn supervise(
    folder: &Path,
    pg_ctl: &Path,
    account: Option<Account>,
    patience: Patience,
) -> anyhow::Result<Child> {
    let supervisor = account::command("sh", account)
        .args(["-c", SUPERVISOR, "racun-test-postgres"])
        .args([folder, pg_ctl])
        .args([patience.round_seconds, &patience.rounds.to_string()])
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the supervisor of the cluster")?;
    let there = || last_sign(folder).is_some_and(|age| age < SILENCE_OF_THE_DEAD);
    ensure!(waiting::until(START_LIMIT, there), "the supervisor of the cluster does not start");
    Ok(supervisor)
}

/// What is known about a cluster's supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supervision {
    /// It is there: a heartbeat that began before this question keeps the cluster.
    Present,
    /// It was killed.
    Dead,
    /// It is ending the cluster, or has.
    Ending,
}

/// Looks for the supervisor of the cluster in `folder`.
pub(crate) fn of(folder: &Path) -> Supervision {
    match last_sign(folder) {
        None => Supervision::Ending,
        Some(age) if age < SILENCE_OF_THE_DEAD => Supervision::Present,
        Some(_) => Supervision::Dead,
    }
}

fn last_sign(folder: &Path) -> Option<Duration> {
    let modified = fs::metadata(folder.join("supervisor")).and_then(|file| file.modified()).ok()?;
    // One in the future is as new as can be.
    Some(modified.elapsed().unwrap_or_default())
}

/// Ends a supervisor that is not needed any more, and the `sleep` that it is in.
pub(crate) fn dismiss(supervisor: &mut Child) -> io::Result<()> {
    if !send("KILL", &format!("-{}", supervisor.id())) {
        supervisor.kill()?;
    }
    supervisor.wait().map(drop)
}

/// Signals a process; whether that was possible.
pub(crate) fn signal(process: u32, signal: &str) -> bool {
    send(signal, &process.to_string())
}

/// Uses the shell's own `kill`: `std` sends nothing but SIGKILL, and that to children only.
fn send(signal: &str, target: &str) -> bool {
    Command::new("sh")
        .args(["-c", r#"kill -s "$1" -- "$2""#, "sh", signal, target])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Tells the supervisor that this process uses the cluster, until dropped.
pub(crate) struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Beats once before it returns. Fails when the folder has gone.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        let file = folder.join("beat");
        beat(&file)?;
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::Builder::new().name("heartbeat".to_owned()).spawn(move || {
            while stopped.recv_timeout(BEAT_EVERY) == Err(RecvTimeoutError::Timeout) {
                // Without the folder there is no one left to tell.
                if beat(&file).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

fn beat(file: &PathBuf) -> io::Result<()> {
    File::create(file).map(drop)
}
