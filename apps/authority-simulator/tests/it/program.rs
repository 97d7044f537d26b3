//! The program: its options, what it prints, and that it stops.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_program_prints_where_it_is_and_writes_whom_to_trust() {
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem");
    let child = Command::new(env!("CARGO_BIN_EXE_racun-authority-simulator"))
        .args(["--listen-furs", "127.0.0.1:0", "--listen-fina", "127.0.0.1:0"])
        .args(["--listen-at", "127.0.0.1:0"])
        .args(["--control", "127.0.0.1:0", "--delay", "1", "--ca-out"])
        .arg(&ca)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Stopped(child);
    let output = BufReader::new(child.0.stdout.take().unwrap());
    let lines: Vec<String> = output.lines().take(4).map(|line| line.unwrap()).collect();
    assert!(lines[0].starts_with("furs    https://localhost:"), "{lines:?}");
    assert!(lines[1].ends_with("/FiskalizacijaServiceTest"), "{lines:?}");
    assert!(lines[2].starts_with("at      https://localhost:"), "{lines:?}");
    assert!(lines[3].starts_with("control http://127.0.0.1:"), "{lines:?}");
    let pem = fs::read_to_string(ca).unwrap();
    assert_eq!(pem.matches("BEGIN CERTIFICATE").count(), 2);
}

#[test]
fn wrong_options_end_it_with_the_usage() {
    for arguments in [&["--foo", "1"][..], &["--control"], &["--control", "x"], &["--delay", "x"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_racun-authority-simulator"))
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("usage:"));
    }
}
