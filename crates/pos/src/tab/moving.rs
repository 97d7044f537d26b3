//! Lines that go from one tab to another, in one unit that holds both.

use racun_kernel::{Issue, Issues};
use racun_store::{Actor, Event, EventKind, Put};

use super::Tab;
use super::choice::LineChoice;
use crate::append::{AcceptedAppend, Naming};
use crate::error::{PosError, TabRefusal};
use crate::events;
use crate::line::{MAX_LINES, TabLine};

/// What is to be moved, and what the caller saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moving {
    /// The lines.
    pub lines: Vec<LineChoice>,
    /// The version of the tab that they leave.
    pub expected_version: Option<i64>,
    /// The version of the tab that they come to.
    pub to_expected_version: Option<i64>,
    /// Under which name.
    pub naming: Naming,
}

/// What a move comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// It was made before.
    Before(Box<Tab>),
    /// Both tabs as they become.
    Now {
        /// The tab that the lines left.
        from: Box<Tab>,
        /// The tab that they came to.
        to: Box<Tab>,
        /// What is written beside them.
        beside: Vec<Put>,
        /// What happened.
        events: Vec<Event>,
    },
}

impl Tab {
    /// Moves lines to the tab `to`. A whole line keeps its id, so a move of whole lines that are
    /// there already is one that is sent again; a part becomes a line of its own. Claims that ran
    /// out end.
    ///
    /// A move that was accepted under its name before moves nothing, whatever became of the tabs.
    ///
    /// # Errors
    /// Tabs that ended, are being paid, are at another version, or of which a share is invoiced:
    /// the refusal carries the tab that it is about. Lines that are not there, at `lines`.
    pub fn move_lines(self, to: Self, moving: Moving, actor: &Actor) -> Result<Moved, PosError> {
        let Moving { lines: choices, expected_version, to_expected_version, naming } = moving;
        let is_there = |choice: &LineChoice| {
            let has = |tab: &Self| {
                tab.lines.iter().any(|line| line.line_id.to_string() == choice.line_id)
            };
            !has(&self) && has(&to)
        };
        let was_made = !choices.is_empty() && choices.iter().all(is_there);
        let accepted = match naming {
            Naming::Accepted => return Ok(Moved::Before(Box::new(self))),
            _ if was_made => return Ok(Moved::Before(Box::new(self))),
            Naming::New(name) => Some(AcceptedAppend {
                id: name.move_key(self.id),
                entity_id: self.entity_id,
                tab_id: self.id,
                created_at: actor.now(),
            }),
            Naming::Unnamed => None,
        };
        let (mut from, from_claimed) = self.ready_to_move(expected_version, actor)?;
        let (mut to, to_claimed) = to.ready_to_move(to_expected_version, actor)?;
        let chosen = from.chosen(&choices)?;
        if to.lines.len() + chosen.len() > MAX_LINES {
            let message = format!("the other tab would hold more than {MAX_LINES} lines");
            return Err(Issues::from(Issue::new("too_many", message).at("lines")).into());
        }
        let is_whole = |line: &TabLine| from.lines.contains(line);
        let came: Vec<TabLine> = chosen
            .iter()
            .map(|line| match is_whole(line) {
                true => line.clone(),
                false => TabLine { line_id: actor.stamp().id(), ..line.clone() },
            })
            .collect();
        from.take_away(&chosen);
        to.lines.extend(came);
        let kinds = |was_claimed: bool| -> &'static [EventKind] {
            if was_claimed {
                &[events::pos_tab::RELEASED, events::pos_tab::LINES_MOVED]
            } else {
                &[events::pos_tab::LINES_MOVED]
            }
        };
        let (from, mut events) = from.advanced(kinds(from_claimed), actor);
        let (to, more) = to.advanced(kinds(to_claimed), actor);
        events.extend(more);
        let beside = accepted.iter().map(Put::insert).collect();
        Ok(Moved::Now { from: Box::new(from), to: Box::new(to), beside, events })
    }

    fn ready_to_move(self, expected: Option<i64>, actor: &Actor) -> Result<(Self, bool), PosError> {
        let before = self.clone();
        let (tab, was_claimed) = self.unclaimed(actor)?;
        if let Some(expected) = expected.filter(|expected| *expected != tab.version) {
            return Err(before.refuse(TabRefusal::StaleVersion { expected }));
        }
        tab.must_be_unshared()?;
        Ok((tab, was_claimed))
    }
}
