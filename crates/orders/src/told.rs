//! Which of a platform's events a webhook tells of, and which were told before.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Events of which a record knows that they were told: platforms repeat one for hours.
const MAX_SEEN: usize = 20;

/// The event that a webhook tells of. Its headers say so, which are not signed: it stands against
/// repeats of the platform, and not against a forger, who needs the secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// The platform's id of the event, the same in each repeat.
    pub id: Option<String>,
    /// When it happened.
    pub at: Option<OffsetDateTime>,
}

/// The ids of events that took effect, the last ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen(Vec<String>);

impl Seen {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `id` is one of them.
    #[must_use]
    pub fn has(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.0.iter().any(|seen| seen == id))
    }

    /// The same with `id`, in the place of the first where there are many.
    #[must_use]
    pub fn with(mut self, id: Option<&str>) -> Self {
        if !self.has(id) {
            self.0.extend(id.map(str::to_owned));
        }
        let surplus = self.0.len().saturating_sub(MAX_SEEN);
        self.0.drain(..surplus);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_events_are_known_once_each() {
        let ids: Vec<String> = (0..=MAX_SEEN).map(|n| n.to_string()).collect();
        let seen = |ids: &[String]| {
            ids.iter().fold(Seen::default(), |seen, id| seen.with(Some(id)).with(Some(id)))
        };
        assert!(Seen::default().with(None).is_empty() && !seen(&ids).has(None));
        assert!(ids[..MAX_SEEN].iter().all(|id| seen(&ids[..MAX_SEEN]).has(Some(id))));
        assert!(!seen(&ids).has(Some("0")) && ids[1..].iter().all(|id| seen(&ids).has(Some(id))));
    }
}
