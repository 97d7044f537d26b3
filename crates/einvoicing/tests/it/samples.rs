//! Our rules beside the official ones, on the official samples: the same rules are broken, by their
//! numbers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use racun_einvoicing::{Level, read};

use crate::judge::{judge, vectors};

/// Folders of samples, and the official rules for them.
const FOLDERS: [(&str, &str); 8] = [
    ("en16931", "en16931"),
    ("eslog", "eslog"),
    ("eslog-ujp", "eslog"),
    ("facturx", "facturx"),
    ("facturx-pdf", "facturx-pdf"),
    ("peppol", "peppol"),
    ("xrechnung", "xrechnung"),
    ("xrechnung_rules", "xrechnung"),
];

/// Samples of specifications that we do not write, and whose rules are not among ours: what they
/// name, and why an import is not judged by it. It is read as EN 16931, judged by that, and entered
/// when it adds up.
const OTHERS: [(&str, &str); 5] = [
    ("urn:factur-x.eu:1p0:minimum", "a booking aid without lines, no invoice of EN 16931"),
    ("urn:factur-x.eu:1p0:basicwl", "a booking aid without lines, no invoice of EN 16931"),
    ("urn:factur-x.eu:1p0", "BASIC and EXTENDED have schemas and Schematron of their own"),
    ("kosit:extension:", "terms that EN 16931 does not have: lines in lines, other media types"),
    ("xrechnung:cvd", "terms of clean vehicles, for German authorities alone"),
];

struct Sample {
    rules: &'static str,
    path: PathBuf,
    /// The rule that the name says it is about.
    rule: Option<String>,
    is_valid: bool,
}

impl Sample {
    fn name(&self) -> String {
        let parts = self.path.iter().rev().take(3).map(|part| part.to_str().unwrap());
        parts.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("/")
    }
}

/// Single samples that are left out, and why.
const SINGLE: [(&str, &str); 4] = [
    (
        "kosit_cii-peppol-en16931-r008_1",
        "it states a total that is not net and tax: the official BR-CO-15 of CII passes over it",
    ),
    (
        "kosit_cii-peppol-en16931-r020_1",
        "it states a total that is not net and tax: the official BR-CO-15 of CII passes over it",
    ),
    (
        "kosit_cii-peppol-en16931-r043_5",
        "what is neither an allowance nor a charge has its reason looked up among both",
    ),
    (
        "kosit_ubl-cn-peppol-en16931-r043_2",
        "what is neither an allowance nor a charge ends the official stylesheet",
    ),
];

/// Why a sample is left out; `None` for one that is judged.
fn left_out(path: &Path) -> Option<&'static str> {
    let name = path.file_name().unwrap().to_str().unwrap();
    if let Some((_, reason)) = SINGLE.iter().find(|(single, _)| name.starts_with(single)) {
        return Some(reason);
    }
    let text = text(path);
    OTHERS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, reason)| *reason)
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (folder, rules) in FOLDERS {
        for verdict in ["valid", "invalid"] {
            let place = vectors().join("samples").join(folder).join(verdict);
            let Ok(files) = fs::read_dir(place) else { continue };
            for file in files {
                let path = file.unwrap().path();
                let text = text(&path);
                let rules = match rules {
                    "en16931" if text.contains("poacc:billing:3.0") => "peppol",
                    "en16931" if text.contains("kosit:xrechnung_3.0") => "xrechnung",
                    rules => rules,
                };
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

fn judged() -> Vec<Sample> {
    samples().into_iter().filter(|sample| left_out(&sample.path).is_none()).collect()
}

/// Rules of Factur-X that are those of EN 16931, or of the schema, by another number.
const ALIASES: [(&str, &str); 3] =
    [("FX-SCH-A-000555", "BR-CL-01"), ("FX-SCH-A-000030", "BR-07"), ("FX-SCH-A-000409", "BR-06")];

/// The rule of EN 16931 that a rule is.
fn number(rule: &str) -> String {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == rule);
    alias.map_or(rule, |(_, number)| number).to_owned()
}

/// Rules that we find broken; those that are fatal, or all.
fn ours(sample: &Sample, only_fatal: bool) -> BTreeSet<String> {
    let received = read(&fs::read(&sample.path).unwrap()).unwrap();
    let found = received.verdict.findings().iter();
    let found = found.filter(|finding| !only_fatal || finding.level == Level::Fatal);
    found.map(|finding| finding.rule.clone()).collect()
}

#[test]
fn samples_are_judged_as_their_names_say() {
    let mut differences = Vec::new();
    let samples = judged();
    for sample in &samples {
        // CEN's examples of other specifications are valid by CEN's rules; the next test has them
        // judged by those that they name.
        let is_cens = sample.path.components().any(|part| part.as_os_str() == "en16931");
        if is_cens && sample.rules != "en16931" {
            continue;
        }
        let rules = ours(sample, false);
        let agrees = match (&sample.rule, sample.is_valid) {
            (Some(rule), is_valid) => rules.contains(&number(rule)) != is_valid,
            (None, is_valid) => ours(sample, true).is_empty() == is_valid,
        };
        if !agrees {
            differences.push(format!("{}: {:?}, ours {rules:?}", sample.name(), sample.rule));
        }
    }
    assert!(samples.len() > 250, "{}", samples.len());
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

/// What other specifications take back of EN 16931, and why we do not miss it there.
const TAKEN_BACK: [(&str, &[&str], &str); 4] = [
    (
        ":extended",
        &["BR-CO-12", "BR-S-08", "CII-DT-027", "XSD"],
        "EXTENDED has charges for logistics, which CEN's rules do not add up, and elements of its \
         own schema",
    ),
    ("xrechnung:cvd", &["BR-CL-13"], "KoSIT's scenario takes the codes of clean vehicles"),
    (
        "kosit:extension:",
        &["BR-CL-10", "BR-CL-11", "BR-CL-25", "BR-CL-26"],
        "KoSIT's scenario has BR-DEX-04, 05, 07 and 08 for them",
    ),
    (
        "kosit:extension:",
        &["BR-CO-14", "BR-CO-16"],
        "BR-DEX-09 has payments to third parties in it; and where tax is in another currency than \
         the document, we find none of the document's, and it is refused by BR-CO-15",
    ),
];

/// Whether the rule is one of EN 16931, or its schema.
fn is_of_en16931(rule: &str) -> bool {
    let of_others = ["BR-DE-", "BR-DEX-", "BR-TMP-", "PEPPOL-", "FX-"];
    !of_others.iter().any(|other| rule.starts_with(other))
}

#[test]
fn samples_of_other_specifications_are_judged_by_the_rules_of_en_16931() {
    // Booking aids are entered by their totals; rules about lines mean nothing there.
    let is_booking_aid = |text: &str| OTHERS[..2].iter().any(|(mark, _)| text.contains(mark));
    let is_other = |text: &str| OTHERS.iter().any(|(mark, _)| text.contains(mark));
    let mut samples = samples();
    samples.retain(|sample| {
        let text = text(&sample.path);
        is_other(&text) && !is_booking_aid(&text)
    });
    let files: Vec<(&str, PathBuf)> =
        samples.iter().map(|sample| ("en16931", sample.path.clone())).collect();
    let Some(said) = judge(&files) else { return };
    let mut differences = Vec::new();
    for sample in &samples {
        let text = text(&sample.path);
        let back: BTreeSet<&str> = TAKEN_BACK
            .iter()
            .filter(|(mark, ..)| text.contains(mark))
            .flat_map(|(_, rules, _)| rules.iter().copied())
            .collect();
        let official = said[&sample.path].iter().filter(|one| one.level == "fatal");
        let official: BTreeSet<String> = official.map(|one| number(&one.rule)).collect();
        let ours: BTreeSet<String> = ours(sample, true);
        let own = ours.into_iter().filter(|rule| is_of_en16931(rule)).collect();
        let mut different = official.symmetric_difference(&own);
        if different.any(|rule| !back.contains(rule.as_str())) {
            differences.push(format!("{}: {official:?}, ours {own:?}", sample.name()));
        }
    }
    println!("{} samples, {} differences", samples.len(), differences.len());
    for (mark, rules, reason) in TAKEN_BACK {
        println!("of {mark} without {rules:?}: {reason}");
    }
    assert!(samples.len() > 50, "{}", samples.len());
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

/// Rules of the PDF around an invoice that we judge.
const OF_CONTAINER: [&str; 2] = ["FXP-AFREL", "FXP-FX"];

/// Whether the rule is one of the PDF around an invoice that we do not judge.
fn is_of_container_alone(rule: &str) -> bool {
    rule.starts_with("FXP-") && !OF_CONTAINER.contains(&rule)
}

#[test]
fn samples_break_the_rules_that_the_official_judge_names() {
    let samples = judged();
    let files: Vec<(&str, PathBuf)> =
        samples.iter().map(|sample| (sample.rules, sample.path.clone())).collect();
    let Some(said) = judge(&files) else { return };
    let mut differences = Vec::new();
    for sample in &samples {
        let official = said[&sample.path].iter().filter(|one| one.level == "fatal");
        let mut official: BTreeSet<String> = official
            // An official test that meets a value of no type ends, and says nothing by that.
            .filter(|one| one.rule != "XSLT")
            .map(|one| number(&one.rule))
            .collect();
        official.retain(|rule| {
            let is_left_out = is_of_container_alone(rule);
            if is_left_out {
                println!("left out: {}: {rule} of the PDF is not judged", sample.name());
            }
            !is_left_out
        });
        let ours = ours(sample, true);
        if official != ours {
            let missed: Vec<&String> = official.difference(&ours).collect();
            let added: Vec<&String> = ours.difference(&official).collect();
            differences.push(format!("{}: missed {missed:?}, added {added:?}", sample.name()));
        }
    }
    println!("{} samples, {} differences", samples.len(), differences.len());
    for sample in self::samples() {
        if let Some(reason) = left_out(&sample.path) {
            println!("left out: {}: {reason}", sample.name());
        }
    }
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}
