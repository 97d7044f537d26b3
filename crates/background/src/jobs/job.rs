//! A job, and how it goes from attempt to attempt.

use racun_kernel::id::{EntityId, JobId};
use racun_kernel::{Stamp, Tenant};
use racun_store::{Field, One, Put, UnitBuilder};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::JobKind;

racun_store::record! {
    /// Where [`Job`]s are kept: in the directory, for workers look for those of all tenants.
    pub static JOBS: Job = "jobs";
    |job|
    id: job.id,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => job.id.to_string(),
        Field::text("kind") => job.kind.name(),
        Field::text("entity_id").indexed().hidden() => job.entity_id.map(|id| id.to_string()),
        Field::text("subject").indexed() => job.subject,
        Field::text("state") => job.state.name(),
        Field::number("attempts") => job.attempts,
        Field::instant("due_at").indexed() => job.due_at,
        Field::instant("created_at") => job.created_at,
        Field::instant("updated_at") => job.updated_at,
    }
}

/// Where a job stands. One that is done is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits until it is due.
    Waiting,
    /// A worker has begun an attempt, and has until `due_at` to end it.
    Running,
    /// It was given up; an admin has to look at it.
    Dead,
}

impl JobState {
    /// Its name, on the wire and in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Dead => "dead",
        }
    }
}

/// Something that is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What sort of work.
    pub kind: JobKind,
    /// The entity it belongs to; `None` for a job of an account or of the system.
    pub entity_id: Option<EntityId>,
    /// The id of what it is about.
    pub subject: String,
    /// What the handler has to know, as text that it understands.
    pub payload: String,
    /// Where it stands.
    pub state: JobState,
    /// The attempts that were begun. While it runs, the one that may end it.
    pub attempts: u32,
    /// After how many failed attempts it is given up.
    pub max_attempts: u32,
    /// When it is to be begun; while it runs, when its worker is taken for dead; `None` when it was
    /// given up.
    #[serde(with = "time::serde::rfc3339::option")]
    pub due_at: Option<OffsetDateTime>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a job is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// What sort of work.
    pub kind: JobKind,
    /// The entity it belongs to; `None` for a job of an account or of the system.
    pub entity_id: Option<EntityId>,
    /// The id of what it is about.
    pub subject: String,
    /// What the handler has to know.
    pub payload: String,
}

/// Characters of an error that are kept.
const MAX_ERROR_CHARS: usize = 1_000;

impl Job {
    /// A job that is due at once.
    #[must_use]
    pub fn new(new: NewJob, stamp: &Stamp) -> Self {
        let NewJob { kind, entity_id, subject, payload } = new;
        Self {
            id: stamp.id(),
            kind,
            entity_id,
            subject,
            payload,
            state: JobState::Waiting,
            attempts: 0,
            max_attempts: kind.attempts(),
            due_at: Some(stamp.now()),
            last_error: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        }
    }

    /// The same job, due later.
    #[must_use]
    pub fn due(self, at: OffsetDateTime) -> Self {
        Self { due_at: Some(at), ..self }
    }

    /// What makes it due at `now`, beside a change that it has to look at; `None` where a worker
    /// is at it, and looks again by itself, or it was given up.
    #[must_use]
    pub fn hurried(&self, now: OffsetDateTime) -> Option<Put> {
        let hurried = Self { due_at: Some(now), updated_at: now, ..self.clone() };
        (self.state == JobState::Waiting).then(|| Put::update(self, &hurried))
    }

    /// What writes this new job, beside whatever causes it.
    #[must_use]
    pub fn put(&self) -> Put {
        Put::insert(self)
    }

    /// Holds it in a unit.
    pub fn hold<By>(&self, unit: &mut UnitBuilder<'_, By>) -> One<Self> {
        unit.hold_of(Tenant::directory(), &JOBS, self.id)
    }

    /// Whether an attempt may be begun.
    pub(super) fn is_due(&self, now: OffsetDateTime) -> bool {
        self.state != JobState::Dead && self.due_at.is_some_and(|due| due <= now)
    }

    /// Whether it is given up when the attempt that runs fails.
    pub(super) const fn is_last_attempt(&self) -> bool {
        self.attempts >= self.max_attempts
    }

    /// Begins the next attempt; gives it up when there is none left, for then its last one never
    /// ended.
    pub(super) fn begin(self, now: OffsetDateTime) -> Self {
        if self.is_last_attempt() {
            return self.bury("the last attempt did not end in its time", now);
        }
        Self {
            state: JobState::Running,
            attempts: self.attempts + 1,
            due_at: Some(now + self.kind.lease()),
            updated_at: now,
            ..self
        }
    }

    /// Goes on with the attempt, after a part of it that succeeded.
    pub(super) fn prolonged(self, now: OffsetDateTime) -> Self {
        let due_at = Some(now + self.kind.lease());
        let max_attempts = self.attempts.saturating_add(self.kind.attempts()).saturating_sub(1);
        Self { due_at, max_attempts, last_error: None, updated_at: now, ..self }
    }

    /// Lets it wait until `due` for the next attempt; gives it up when there is none left.
    pub(super) fn again(self, due: OffsetDateTime, error: &str, now: OffsetDateTime) -> Self {
        if self.is_last_attempt() {
            return self.bury(error, now);
        }
        let last_error = Some(shortened(error));
        Self { state: JobState::Waiting, due_at: Some(due), last_error, updated_at: now, ..self }
    }

    /// Lets it wait until `due`, as if the attempt had not been begun.
    pub(super) fn later(self, due: OffsetDateTime, now: OffsetDateTime) -> Self {
        let attempts = self.attempts.saturating_sub(1);
        Self { state: JobState::Waiting, attempts, due_at: Some(due), updated_at: now, ..self }
    }

    /// Gives it up.
    pub(super) fn bury(self, error: &str, now: OffsetDateTime) -> Self {
        let last_error = Some(shortened(error));
        Self { state: JobState::Dead, due_at: None, last_error, updated_at: now, ..self }
    }

    /// Starts it again from the beginning.
    pub(super) fn revived(self, now: OffsetDateTime) -> Self {
        let (state, due_at) = (JobState::Waiting, Some(now));
        Self { state, attempts: 0, due_at, updated_at: now, ..self }
    }

    /// How long it waits after the attempt that failed just now.
    #[must_use]
    pub fn wait(&self) -> time::Duration {
        let waits = self.kind.waits();
        let place = usize::try_from(self.attempts.saturating_sub(1)).unwrap_or(usize::MAX);
        waits.get(place).or(waits.last()).copied().unwrap_or(time::Duration::MINUTE)
    }
}

fn shortened(error: &str) -> String {
    error.chars().take(MAX_ERROR_CHARS).collect()
}
