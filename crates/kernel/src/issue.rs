//! What is wrong with which field of an input.

use std::fmt;

/// One step of a path into an input: a key of an object or an index of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A property's name.
    Key(String),
    /// A zero-based index.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<String> for Step {
    fn from(key: String) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// One refusal: where, what is wrong and how to mend it, and a code for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// From the input's root to the field; empty for the input as a whole.
    pub path: Vec<Step>,
    /// For people: what is wrong and what would be right.
    pub message: String,
    /// For programs: stable snake_case.
    pub code: &'static str,
}

impl Issue {
    /// An issue of the input as a whole; [`Issue::at`] says where inside.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { path: Vec::new(), message: message.into(), code }
    }

    /// The same issue one step further out: inside the property or element `step`.
    #[must_use]
    pub fn at(mut self, step: impl Into<Step>) -> Self {
        self.path.insert(0, step.into());
        self
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.path.iter().enumerate() {
            match step {
                Step::Key(key) if n == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// All that is wrong with an input: collected, so that a caller mends it in one go.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Issues(Vec<Issue>);

impl Issues {
    /// Adds one issue.
    pub fn push(&mut self, issue: Issue) {
        self.0.push(issue);
    }

    /// The same issues one step further out: inside the property or element `step`.
    #[must_use]
    pub fn at(self, step: impl Into<Step>) -> Self {
        let step = step.into();
        Self(self.0.into_iter().map(|issue| issue.at(step.clone())).collect())
    }

    /// Adds `issues`, which were found inside `step`.
    pub fn extend_at(&mut self, step: impl Into<Step>, issues: Self) {
        self.0.extend(issues.at(step).0);
    }

    /// Adds what of `further` is about other places. A place where something is wrong already, or
    /// in which something is, does not hold what its sender meant, so nothing more is said of it.
    pub fn extend_elsewhere(&mut self, further: &Self) {
        let known: Vec<Vec<Step>> = self.0.iter().map(|issue| issue.path.clone()).collect();
        let is_new = |issue: &&Issue| {
            let of_it =
                |path: &Vec<Step>| path.starts_with(&issue.path) || issue.path.starts_with(path);
            !known.iter().any(of_it)
        };
        self.0.extend(further.0.iter().filter(is_new).cloned());
    }

    /// Keeps the value of `result`, or its issues where they were found.
    pub fn note<T>(&mut self, result: Result<T, Self>) -> Option<T> {
        result.map_err(|issues| self.0.extend(issues.0)).ok()
    }

    /// Keeps the value of `result`, or its issues as found inside `step`.
    pub fn collect<T>(&mut self, step: impl Into<Step>, result: Result<T, Self>) -> Option<T> {
        self.note(result.map_err(|issues| issues.at(step)))
    }

    /// Number of issues.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The issues, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Issue> {
        self.0.iter()
    }

    /// `value` when nothing is wrong.
    ///
    /// # Errors
    /// The issues, when there are any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Issue> for Issues {
    fn from(issue: Issue) -> Self {
        Self(vec![issue])
    }
}
