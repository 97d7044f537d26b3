//! The official rules, run by Saxon where Python has it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;

use racun_test_postgres::python_with;

/// Something that the official rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub level: String,
    pub rule: String,
    pub text: String,
}

/// This folder; crates that issue documents use this module, too.
fn here() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = above.map(|above| above.join("crates/einvoicing/tests/it"));
    folders.find(|folder| folder.is_dir()).unwrap()
}

/// Where rules, schemas and samples are.
pub fn vectors() -> PathBuf {
    here().join("vectors")
}

/// Python with the packages that judge.
static PYTHON: LazyLock<Option<&str>> = LazyLock::new(|| {
    python_with("saxonche, lxml, pikepdf", "the official rules of electronic invoices")
});

/// Processes that judge at the same time.
const JUDGES: usize = 2;

/// What the official rules say of each of `files`, which are of a format and a path; `None` where
/// Python lacks the judges.
pub fn judge(files: &[(&str, PathBuf)]) -> Option<BTreeMap<PathBuf, Vec<Said>>> {
    let python = (*PYTHON)?;
    let part = files.len().div_ceil(JUDGES).max(1);
    let said = thread::scope(|scope| {
        let runs: Vec<_> =
            files.chunks(part).map(|files| scope.spawn(|| run(python, files))).collect();
        let parts = runs.into_iter().flat_map(|run| run.join().unwrap());
        parts.collect::<BTreeMap<PathBuf, Vec<Said>>>()
    });
    assert_eq!(said.len(), files.len(), "each file is judged");
    Some(said)
}

fn run(python: &str, files: &[(&str, PathBuf)]) -> BTreeMap<PathBuf, Vec<Said>> {
    let script = here().join("judge.py");
    let mut process = Command::new(python)
        .arg(script)
        .arg(vectors())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut asked = process.stdin.take().unwrap();
    let lines: String =
        files.iter().map(|(format, path)| format!("{format}\t{}\n", path.display())).collect();
    let writer = thread::spawn(move || asked.write_all(lines.as_bytes()).unwrap());
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut said: BTreeMap<PathBuf, Vec<Said>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let own = said.entry(PathBuf::from(parts[0])).or_default();
        if let [_, level, rule, text] = parts.as_slice() {
            let [level, rule, text] = [level, rule, text].map(|part| (*part).to_owned());
            own.push(Said { level, rule, text });
        }
    }
    said
}
