//! Lines of a tab that a command names, with as much of each as it wants.

use std::collections::BTreeSet;

use racun_kernel::{Decimal, Issue, Issues};

use super::Tab;
use crate::line::{MAX_LINES, TabLine};

/// A line of a tab, all of it or so much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChoice {
    /// The line, `line_…`.
    pub line_id: String,
    /// How much of it, above zero and at most all; all when missing.
    pub quantity: Option<Decimal>,
}

impl Tab {
    /// The lines that `choices` name, with the quantities that they ask for.
    ///
    /// # Errors
    /// At `lines`: `required` for none, `too_many`; at the choice: `not_found`, `duplicate`, or
    /// `out_of_range` for more than the line holds.
    pub(super) fn chosen(&self, choices: &[LineChoice]) -> Result<Vec<TabLine>, Issues> {
        if choices.is_empty() || choices.len() > MAX_LINES {
            let message = format!("name 1 to {MAX_LINES} lines of the tab");
            return Err(Issue::new("out_of_range", message).at("lines").into());
        }
        let mut issues = Issues::default();
        let mut named = BTreeSet::new();
        let mut lines = Vec::with_capacity(choices.len());
        for (n, choice) in choices.iter().enumerate() {
            let line = self.line(choice).and_then(|line| {
                if named.insert(line.line_id) {
                    return Ok(line);
                }
                let message = "the line is named already; name it once, with the whole quantity";
                Err(Issue::new("duplicate", message).at("line_id"))
            });
            lines.extend(issues.collect(n, line.map_err(Issues::from)));
        }
        issues.into_result(lines).map_err(|issues| issues.at("lines"))
    }

    fn line(&self, choice: &LineChoice) -> Result<TabLine, Issue> {
        let found = self.lines.iter().find(|line| line.line_id.to_string() == choice.line_id);
        let Some(line) = found else {
            let message = "the tab has no such line; it may have been invoiced or moved meanwhile";
            return Err(Issue::new("not_found", message).at("line_id"));
        };
        let quantity = choice.quantity.as_ref().unwrap_or(&line.quantity);
        if !quantity.is_positive() || *quantity > line.quantity {
            let message = format!("expected more than 0 and at most {}", line.quantity);
            return Err(Issue::new("out_of_range", message).at("quantity"));
        }
        Ok(TabLine { quantity: quantity.clone(), ..line.clone() })
    }

    /// Takes away what was `chosen`.
    pub(super) fn take_away(&mut self, chosen: &[TabLine]) {
        for taken in chosen {
            let line = self.lines.iter_mut().find(|line| line.line_id == taken.line_id);
            if let Some(line) = line {
                line.quantity -= &taken.quantity;
            }
        }
        self.lines.retain(|line| line.quantity.is_positive());
    }
}
