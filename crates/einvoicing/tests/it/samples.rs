//! Our rules beside the official ones, on the official samples.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use racun_einvoicing::{Level, read};

use crate::judge::{judge, vectors};

/// Folders of samples, and the official rules for them.
const FOLDERS: [(&str, &str); 5] = [
    ("en16931", "en16931"),
    ("facturx", "facturx"),
    ("peppol", "peppol"),
    ("xrechnung", "xrechnung"),
    ("xrechnung_rules", "xrechnung"),
];

/// Samples of specifications that we do not write: other profiles of Factur-X, and the extensions
/// of XRechnung.
const OTHERS: [&str; 4] =
    ["urn:factur-x.eu:1p0", "kosit:extension:", "conformant#", "xrechnung:cvd"];

struct Sample {
    rules: &'static str,
    path: PathBuf,
    /// The rule that the name says it is about.
    rule: Option<String>,
    is_valid: bool,
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (folder, rules) in FOLDERS {
        for verdict in ["valid", "invalid"] {
            let place = vectors().join("samples").join(folder).join(verdict);
            let Ok(files) = fs::read_dir(place) else { continue };
            for file in files {
                let path = file.unwrap().path();
                let text = fs::read_to_string(&path).unwrap();
                let rules = match rules {
                    "en16931" if text.contains("poacc:billing:3.0") => "peppol",
                    "en16931" if text.contains("kosit:xrechnung_3.0") => "xrechnung",
                    rules => rules,
                };
                if OTHERS.iter().any(|other| text.contains(other)) {
                    continue;
                }
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                let rule = name.rsplit_once('_').map(|(_, rule)| rule.to_owned());
                let is_named = folder == "xrechnung_rules" || verdict == "invalid";
                let rule = rule.filter(|_| is_named);
                samples.push(Sample { rules, path, rule, is_valid: verdict == "valid" });
            }
        }
    }
    samples.sort_by(|one, other| one.path.cmp(&other.path));
    samples
}

/// Rules that we find broken, fatal or not.
fn found(sample: &Sample) -> (bool, BTreeSet<String>) {
    let received = read(&fs::read(&sample.path).unwrap()).unwrap();
    let rules = received.verdict.findings().iter().map(|finding| finding.rule.clone());
    (received.verdict.is_valid(), rules.collect())
}

/// Whether the rule is named by both; Factur-X has numbers of its own for code lists.
fn names(rules: &BTreeSet<String>, rule: &str) -> bool {
    rules.contains(rule)
        || (rule.starts_with("FX-") && rules.iter().any(|own| own.contains("-CL-")))
}

#[test]
fn samples_are_judged_as_their_names_say() {
    let mut differences = Vec::new();
    let samples = samples();
    for sample in &samples {
        // CEN's examples of other specifications are valid by CEN's rules; the next test has them
        // judged by those that they name.
        let is_cens = sample.path.components().any(|part| part.as_os_str() == "en16931");
        if is_cens && sample.rules != "en16931" {
            continue;
        }
        let (is_valid, rules) = found(sample);
        let agrees = match (&sample.rule, sample.is_valid) {
            (Some(rule), false) => names(&rules, rule),
            (Some(rule), true) => !names(&rules, rule),
            (None, expected) => is_valid == expected,
        };
        let name = sample.path.file_name().unwrap().to_str().unwrap();
        if !agrees {
            differences.push(format!("{name}: {:?}, ours {is_valid} {rules:?}", sample.rule));
        }
    }
    assert!(samples.len() > 250, "{}", samples.len());
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn samples_have_the_verdict_of_the_official_rules() {
    let samples = samples();
    let files: Vec<(&str, PathBuf)> =
        samples.iter().map(|sample| (sample.rules, sample.path.clone())).collect();
    let Some(said) = judge(&files) else { return };
    let mut differences = Vec::new();
    for sample in &samples {
        let official = said[&sample.path].iter().filter(|one| one.level == "fatal");
        let official: BTreeSet<String> = official.map(|one| one.rule.clone()).collect();
        let received = read(&fs::read(&sample.path).unwrap()).unwrap();
        let errors = received.verdict.findings().iter();
        let ours: BTreeSet<String> = errors
            .filter(|finding| finding.level == Level::Fatal)
            .map(|finding| finding.rule.clone())
            .collect();
        let name = sample.path.file_name().unwrap().to_str().unwrap();
        if official.is_empty() != ours.is_empty() {
            differences.push(format!("{name}: official {official:?}, ours {ours:?}"));
        }
    }
    println!("{} samples, {} differences", samples.len(), differences.len());
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}
