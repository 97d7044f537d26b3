//! A body of which parts are left out, to be read again: for further checks, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::web::Bytes;
use racun_kernel::{Issue, Issues, Step};
use serde::de::DeserializeOwned;

use super::reader::{Findings, Gap, StepKey};
use super::tree::Tree;
use super::{gap_at, read, rounds_of, text};

/// Where values of a body are left out, and how.
pub(crate) type Gaps = BTreeMap<Vec<StepKey>, Gap>;

/// What compares parts of a body with each other or with what is stored: where one of them is left
/// out, it says nothing of the others.
const COMPARISONS: [&str; 7] = [
    "credit_exceeds_remaining",
    "currency_mismatch",
    "discount_exceeds_line_total",
    "expected_total_mismatch",
    "fina_total_too_high",
    "nothing_due",
    "totals_disagree",
];

/// A body as it came, and what of it is left out.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    bytes: Bytes,
    gaps: Gaps,
    /// Where a usual text was read in the place of what was refused.
    tried: BTreeSet<Vec<StepKey>>,
}

impl Left {
    /// The body `bytes` without what is at `gaps`.
    pub(crate) const fn of(bytes: Bytes, gaps: Gaps) -> Self {
        Self { bytes, gaps, tried: BTreeSet::new() }
    }

    /// Whether everything is there.
    pub(crate) fn is_whole(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Leaves out what `issues` refuse, too; `false` where there is nothing more to leave out. What
    /// is refused although it is left out is needed: a usual text is read there, and where that does
    /// not do, what is around it is left out.
    pub(crate) fn widen(&mut self, issues: &Issues) -> bool {
        let mut is_wider = false;
        for issue in issues.iter() {
            let path: Vec<StepKey> = issue.path.iter().map(StepKey::from).collect();
            is_wider |= self.leave_out(path);
        }
        is_wider
    }

    fn leave_out(&mut self, mut path: Vec<StepKey>) -> bool {
        let outermost = (1..=path.len()).find(|n| self.gaps.contains_key(&path[..*n]));
        if let Some(n) = outermost {
            let is_left = self.gaps.get(&path[..n]) == Some(&Gap::Left);
            if n == path.len() && is_left && self.tried.insert(path.clone()) {
                self.gaps.insert(path, Gap::Typical);
                return true;
            }
            path.truncate(n - 1);
        }
        if path.is_empty() {
            return false;
        }
        let gap = gap_at(&path);
        self.gaps.insert(path, gap);
        true
    }

    /// The body without what is left out; `None` where it cannot be without.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let tree = text(&self.bytes).ok()?;
        let mut findings = Findings { gaps: self.gaps.clone(), ..Findings::default() };
        read(&tree, &mut findings, rounds_of(&self.bytes)).0
    }

    /// What `found` says of the body as it came: not what only follows from what is left out.
    pub(crate) fn of_what_came(&self, found: &Issues) -> Issues {
        let tree = text(&self.bytes).ok();
        let mut issues = Issues::default();
        for issue in found.iter() {
            let is_gone = issue.code == "required"
                && self.is_beside(issue)
                && !tree.as_ref().is_some_and(|tree| is_sent(tree, &issue.path));
            if !is_gone && !COMPARISONS.contains(&issue.code) {
                issues.push(issue.clone());
            }
        }
        issues
    }

    /// Whether a property is left out beside that of `issue`, which may take its place.
    fn is_beside(&self, issue: &Issue) -> bool {
        let Some((_, around)) = issue.path.split_last() else { return true };
        let around: Vec<StepKey> = around.iter().map(StepKey::from).collect();
        self.gaps.keys().any(|gap| gap.split_last().is_some_and(|(_, rest)| *rest == *around))
    }
}

/// Whether something is at `path` in `tree`.
fn is_sent(tree: &Tree, path: &[Step]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    let inner = match (first, tree) {
        (Step::Key(key), Tree::Object(properties)) => {
            properties.iter().find(|(name, _)| name == key).map(|(_, value)| value)
        }
        (Step::Index(index), Tree::List(elements)) => elements.get(*index),
        _ => None,
    };
    inner.is_some_and(|inner| is_sent(inner, rest))
}
