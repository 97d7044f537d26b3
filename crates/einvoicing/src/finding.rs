//! What the rules say of a document.

use std::fmt;

use racun_kernel::{Issue, Step};

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The document is invalid.
    Fatal,
    /// The document is valid, and its receiver may still object.
    Warning,
    /// For information.
    Information,
}

/// One rule that a document breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's number as its authority writes it: `BR-CO-10`, `BR-DE-15`.
    pub rule: String,
    /// How much it weighs.
    pub level: Level,
    /// The field of the interface that has to change; empty for the document as a whole.
    pub path: Vec<Step>,
    /// What is wrong and how to mend it.
    pub message: String,
}

impl Finding {
    /// The code of the issues that findings become.
    pub const CODE: &'static str = "e_invoice_rule";

    /// The finding as an issue at its field.
    #[must_use]
    pub fn issue(&self) -> Issue {
        let message = format!("{}: {}", self.rule, self.message);
        Issue { path: self.path.clone(), message, code: Self::CODE }
    }
}

impl fmt::Display for Finding {
    /// `customer.city: BR-DE-8: …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.issue().fmt(f)
    }
}

/// All that the rules say of a document, the gravest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    findings: Vec<Finding>,
}

impl Verdict {
    /// The verdict of `findings`; of two that say the same of one field one is kept.
    pub(crate) fn of(mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.level);
        let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
        for finding in findings {
            let is_known =
                |other: &Finding| other.rule == finding.rule && other.path == finding.path;
            if !kept.iter().any(is_known) {
                kept.push(finding);
            }
        }
        Self { findings: kept }
    }

    /// Whether the document may leave: no finding is fatal.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.errors().next().is_none()
    }

    /// All findings.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What makes the document invalid: `validation_errors` of the interface.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.level == Level::Fatal)
    }

    /// What does not: `validation_warnings` of the interface.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.level != Level::Fatal)
    }
}
