//! The binary under test, built by cargo from the sources as they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, ensure};
use serde_json::Value;

/// How the binary is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Quickly, for tests.
    Debug,
    /// As it is shipped, for measurements.
    Release,
}

/// The path of the binary; cargo builds it when the process asks for the first time.
///
/// # Panics
/// When it cannot be built.
pub(crate) fn racun(profile: Profile) -> &'static Path {
    // A failure is remembered as well: what failed for one test would fail for a hundred.
    static DEBUG: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    static RELEASE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let cell = match profile {
        Profile::Debug => &DEBUG,
        Profile::Release => &RELEASE,
    };
    let built = cell.get_or_init(|| {
        given().map_or_else(|| build(profile), Ok).map_err(|error| format!("{error:#}"))
    });
    built.as_ref().unwrap_or_else(|error| panic!("racun cannot be built: {error}"))
}

/// The binary that the environment names in the place of one of these sources.
fn given() -> Option<PathBuf> {
    std::env::var_os("RACUN_BINARY").map(PathBuf::from)
}

fn build(profile: Profile) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.arg("build").args(selection(profile));
    command.args(["--message-format", "json-render-diagnostics"]);
    // What cargo tells this test of its package would make build scripts run again for nothing.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_of_this_package) {
            command.env_remove(name);
        }
    }
    let output = command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    ensure!(output.status.success(), "cargo ended with {}", output.status);
    let messages = String::from_utf8(output.stdout).context("cargo answers no text")?;
    messages.lines().find_map(executable).context("cargo names no executable")
}

/// What cargo is to build.
///
/// Cargo turns on the features that anything it builds asks for, and builds dependencies again for
/// another set of features. `cargo test --workspace` has built the debug binary with those that
/// tests ask for; the example has them turned on here, too, so that nothing is built twice.
const fn selection(profile: Profile) -> &'static [&'static str] {
    match profile {
        Profile::Debug => &["--workspace", "--bin", "racun", "--example", "invoice"],
        Profile::Release => &["--package", "racun-server", "--bin", "racun", "--release"],
    }
}

fn is_of_this_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

/// The path of `racun` in a message of cargo.
fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_racun = message["target"]["name"] == "racun" && message["target"]["kind"][0] == "bin";
    let path = message["executable"].as_str().filter(|_| is_racun)?;
    Some(PathBuf::from(path))
}
