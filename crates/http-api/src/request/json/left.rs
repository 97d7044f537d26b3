//! A body of which parts are left out, to be read again: for further checks, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use actix_web::web::Bytes;
use racun_kernel::Issues;
use serde::de::DeserializeOwned;

use super::reader::{Findings, Gap, StepKey};
use super::tree::Tree;
use super::{gap_at, read, rounds_of, text};
use crate::examples::REQUESTS;
use crate::route::Route;

/// Where values of a body are left out, and how.
pub(crate) type Gaps = BTreeMap<Vec<StepKey>, Gap>;

/// What a check compares: where something of that is left out, it does not say anything of the body
/// as it came.
#[derive(Debug, Clone, Copy)]
enum Compared {
    /// These properties beside its own.
    With(&'static [&'static str]),
    /// The element of a list that it is in: a line.
    Line,
    /// Amounts: the properties that [`AMOUNTS`] names.
    Amounts,
}

/// The checks that compare parts of a body with each other, or with what is stored.
const COMPARISONS: [(&str, Compared); 14] = [
    ("credit_exceeds_remaining", Compared::Amounts),
    ("currency_mismatch", Compared::Amounts),
    ("date_before_document", Compared::With(&["date"])),
    ("date_before_service", Compared::With(&["date_service"])),
    ("discount_exceeds_line_total", Compared::Line),
    ("end_before_start", Compared::With(&["start_date"])),
    ("fina_total_too_high", Compared::Amounts),
    ("invalid_period", Compared::With(&["date_from"])),
    ("invalid_range", Compared::With(&["from"])),
    ("no_run", Compared::With(&["start_date", "frequency", "interval", "day_of_month"])),
    ("not_applicable", Compared::With(&["type"])),
    ("nothing_due", Compared::Amounts),
    ("quantity_exceeds_original", Compared::Amounts),
    ("totals_disagree", Compared::Amounts),
];

/// The properties of a body that its amounts are made of.
const AMOUNTS: [&str; 14] = [
    "amount",
    "calculation_mode",
    "credit_note_id",
    "currency_code",
    "date",
    "document_id",
    "exchange_rate",
    "invoice_id",
    "items",
    "linked_documents",
    "payments",
    "taxes",
    "total",
    "total_with_tax",
];

/// What a record gives that is named by its id.
const OF_RECORDS: [&str; 6] =
    ["gross_price", "name", "price", "recipient_email", "to", "unit_gross_price"];

/// What each operation may be sent. Both texts are part of the program; tests read them.
static EXAMPLES: LazyLock<Tree> = LazyLock::new(|| text(REQUESTS.as_bytes()).unwrap_or(Tree::Null));

/// A usual text, where the example of a body has no value.
static SOME_TEXT: LazyLock<Tree> = LazyLock::new(|| Tree::Text("x".to_owned()));

/// A usual value at `path` of the body of `operation`: that of its example.
fn usual(operation: &str, path: &[StepKey]) -> &'static Tree {
    let mut way = vec![StepKey::Key(operation.to_owned())];
    way.extend(path.iter().map(|step| match step {
        StepKey::Index(_) => StepKey::Index(0),
        StepKey::Key(_) => step.clone(),
    }));
    at(&EXAMPLES, &way).unwrap_or(&SOME_TEXT)
}

/// A body as it came, and what of it is left out.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    bytes: Bytes,
    gaps: Gaps,
    /// Where a usual value was read in the place of what was refused.
    tried: BTreeSet<Vec<StepKey>>,
}

impl Left {
    /// The body `bytes` without what is at `gaps`.
    pub(crate) const fn of(bytes: Bytes, gaps: Gaps) -> Self {
        Self { bytes, gaps, tried: BTreeSet::new() }
    }

    /// How many bytes the body has.
    pub(crate) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether everything is there.
    pub(crate) fn is_whole(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Leaves out what `issues` of `route` refuse, too; `false` where nothing more is to be left
    /// out. What is refused although it is left out is needed: a usual value is read there, and
    /// where that does not do, what is around it is left out.
    pub(crate) fn widen(&mut self, issues: &Issues, route: &Route) -> bool {
        let mut is_wider = false;
        for issue in issues.iter() {
            let path: Vec<StepKey> = issue.path.iter().map(StepKey::from).collect();
            is_wider |= self.leave_out(path, route.operation);
        }
        is_wider
    }

    fn leave_out(&mut self, mut path: Vec<StepKey>, operation: &str) -> bool {
        let outermost = (1..=path.len()).find(|n| self.gaps.contains_key(&path[..*n]));
        if let Some(n) = outermost {
            let is_left = self.gaps.get(&path[..n]) == Some(&Gap::Left);
            if n == path.len() && is_left && self.tried.insert(path.clone()) {
                let usual = usual(operation, &path);
                self.gaps.insert(path, Gap::Usual(usual));
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

    /// What `found` says of the body of `route` as it came: not what only follows from what is left
    /// out.
    pub(crate) fn of_what_came(&self, found: &Issues, route: &Route) -> Issues {
        let mut issues = Issues::default();
        for issue in found.iter() {
            let path: Vec<StepKey> = issue.path.iter().map(StepKey::from).collect();
            let is_gone = match COMPARISONS.iter().find(|(code, _)| *code == issue.code) {
                Some((_, compared)) => self.lacks(*compared, &path),
                None => issue.code == "required" && self.replaces(&path, route),
            };
            if !is_gone && !self.gaps.keys().any(|gap| path.starts_with(gap)) {
                issues.push(issue.clone());
            }
        }
        issues
    }

    /// Whether something is left out of what is `compared` at `path`.
    fn lacks(&self, compared: Compared, path: &[StepKey]) -> bool {
        match compared {
            Compared::With(names) => self.beside(path).any(|key| names.contains(&key)),
            Compared::Line => {
                let line = path.get(..2).unwrap_or(path);
                self.gaps.keys().any(|gap| gap.starts_with(line))
            }
            Compared::Amounts => self.gaps.keys().any(|gap| match gap.first() {
                Some(StepKey::Key(key)) => AMOUNTS.contains(&key.as_str()),
                Some(StepKey::Index(_)) | None => true,
            }),
        }
    }

    /// Whether what is needed at `path` may be so only because another property is left out that
    /// takes its place: the id of what would give it (`item_id` of a line without `name`), another
    /// id, or one of a like name (`gross_price` without `price`, `supplier` without `supplier_id`).
    fn replaces(&self, path: &[StepKey], route: &Route) -> bool {
        let Some(StepKey::Key(key)) = path.last() else { return false };
        let is_needed = path.len() == 1 && route.requires.contains(&key.as_str());
        let is_id = |name: &str| name.ends_with("_id") || name.ends_with("_ids");
        let is_given = OF_RECORDS.contains(&key.as_str()) || is_id(key);
        let is_like = |long: &str, short: &str| {
            let rest = long.strip_prefix(short).is_some_and(|rest| ["_id", "_ids"].contains(&rest));
            rest || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('_'))
        };
        let is_other = |gap: &str| is_given && is_id(gap) || is_like(gap, key) || is_like(key, gap);
        !is_needed && self.beside(path).any(is_other)
    }

    /// The properties that are left out beside the one at `path`.
    fn beside(&self, path: &[StepKey]) -> impl Iterator<Item = &str> {
        let around = path.split_last().map(|(_, around)| around.to_vec());
        self.gaps.keys().filter_map(move |gap| match gap.split_last() {
            Some((StepKey::Key(key), rest)) if Some(rest) == around.as_deref() => {
                Some(key.as_str())
            }
            _ => None,
        })
    }
}

/// What is at `path` in `tree`.
fn at<'t>(tree: &'t Tree, path: &[StepKey]) -> Option<&'t Tree> {
    let Some((first, rest)) = path.split_first() else { return Some(tree) };
    let inner = match (first, tree) {
        (StepKey::Key(key), Tree::Object(properties)) => {
            properties.iter().find(|(name, _)| name == key).map(|(_, value)| value)
        }
        (StepKey::Index(index), Tree::List(elements)) => elements.get(*index),
        _ => None,
    };
    at(inner?, rest)
}
