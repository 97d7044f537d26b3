//! The log of events: what an entry holds, and how it is computed.
//!
//! A use case says that something happened to a record ([`Event`]). This module computes the
//! changed fields and the record's body from the rows that the unit loaded and those that it
//! writes. Entries are written in the commit of the change and do not change afterwards.

mod changes;
mod kind;

use racun_kernel::id::EventId;
use racun_kernel::{Tenant, calendar};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Event, Field, Put, PutKind, Stored, Table, Writes};

pub use kind::{EventKind, Receivers};

crate::record! {
    /// Where [`Activity`]s are kept. Every store has this table of its own accord: it is read like
    /// any other, and written by [`Writes::events`] only.
    ///
    /// Beside what is declared, a row has its position and the snapshot: see [`Logged`].
    pub static ACTIVITIES: Activity = "activities";
    |activity|
    id: activity.id,
    tenant: activity.tenant.clone(),
    fields: {
        Field::id() => activity.id.to_string(),
        Field::text("resource_type") => activity.resource_type,
        Field::text("resource_id").indexed() => activity.resource_id,
        Field::text("action") => activity.action,
        Field::text("actor_type") => activity.actor_type.name(),
        Field::text("actor_id") => activity.actor_id,
        Field::text("kind") => activity.kind,
        Field::instant("created_at") => activity.created_at,
    }
}

/// The kind of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorType {
    /// A person, at a till or elsewhere.
    User,
    /// Racun itself.
    System,
    /// A program with a key.
    ApiKey,
    /// A schedule that a user made.
    Cron,
    /// A third-party service that called.
    Webhook,
}

impl ActorType {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::System => "system",
            Self::ApiKey => "api_key",
            Self::Cron => "cron",
            Self::Webhook => "webhook",
        }
    }

    /// The kind of the actor with the id `actor`, by its prefix.
    fn of(actor: &str) -> Self {
        use racun_kernel::Kind;
        use racun_kernel::id::{ApiKey, User};
        match actor {
            "cron" => Self::Cron,
            "webhook" => Self::Webhook,
            id if id.starts_with(User::PREFIX) => Self::User,
            id if id.starts_with(ApiKey::PREFIX) => Self::ApiKey,
            _ => Self::System,
        }
    }
}

/// An entry of the log: who did what to which record, and when (contract 27.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Its id.
    pub id: EventId,
    /// Whose it is.
    pub tenant: Tenant,
    /// What happened: `invoice.created`.
    pub kind: String,
    /// What sort of record it happened to: `AdvanceInvoice`.
    pub resource_type: String,
    /// The record's id.
    pub resource_id: String,
    /// What was done: `created`, `voided`.
    pub action: String,
    /// The kind of actor who did it.
    pub actor_type: ActorType,
    /// The id of the person or the key.
    pub actor_id: Option<String>,
    /// The names of the record's fields that are not as they were. Nothing for a new record.
    pub fields: Vec<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl Activity {
    /// The entry that says `event`.
    #[must_use]
    pub fn of(event: &Event) -> Self {
        let actor_type = ActorType::of(&event.actor);
        let has_id = matches!(actor_type, ActorType::User | ActorType::ApiKey);
        Self {
            id: event.id,
            tenant: event.tenant.clone(),
            kind: event.kind.name().to_owned(),
            resource_type: pascal_case(event.kind.resource()),
            resource_id: event.subject.clone(),
            action: event.kind.action().to_owned(),
            actor_type,
            actor_id: has_id.then(|| event.actor.clone()),
            fields: event.fields.clone(),
            created_at: calendar::to_millisecond(event.at),
        }
    }
}

/// `advance_invoice` as `AdvanceInvoice`.
fn pascal_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for word in name.split(['_', '.']) {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}

/// An entry with its place in the log of all tenants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place: greater than that of every entry on the same record that was committed before.
    pub position: i64,
    /// What happened.
    pub activity: Activity,
}

/// An [`Entry`] with what its record looked like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// The place of the entry.
    pub position: i64,
    /// What happened.
    pub activity: Activity,
    /// The record's stored body, as JSON, as it was left (or as it was, when it is gone for good).
    /// Kept for [published](EventKind::is_published) kinds only.
    pub snapshot: Option<String>,
}

/// Says on each event of `writes` what changed on its record and, if its kind is published, what
/// that looks like now. `shown` is what the unit was shown: its records as they were.
pub(crate) fn complete(shown: &[(&'static Table, &[Stored])], writes: &mut Writes) {
    let Writes { puts, events, .. } = writes;
    for event in events {
        let after = record_of(event, puts);
        let is_its = |table: &Table| is_on(event, table);
        let rows = shown.iter().filter(|(of, _)| is_its(of)).flat_map(|(_, rows)| *rows);
        let before = rows.into_iter().find(|row| row.id == event.subject);
        if let (Some(before), Some(after)) = (before, after)
            && after.kind == PutKind::Update
        {
            event.fields = changes::names(&before.body, &after.body);
        }
        if event.kind.is_published() {
            let body = after.map(|put| &put.body).or_else(|| before.map(|row| &row.body));
            event.snapshot = body.cloned();
        }
    }
}

/// Whether records of `table` are what `event` happens to.
fn is_on(event: &Event, table: &Table) -> bool {
    event.kind.table().is_some_and(|own| own.name == table.name)
}

/// The write of the record that `event` happened to, in the table that its declaration names.
/// Other rows may have its id: the exchange with an authority has that of its invoice. The
/// record itself may be in the directory, where its event is not.
fn record_of<'a>(event: &Event, puts: &'a [Put]) -> Option<&'a Put> {
    let is_its = |put: &&Put| put.id == event.subject && is_on(event, put.table);
    let own = puts.iter().filter(is_its).find(|put| put.tenant == event.tenant);
    own.or_else(|| puts.iter().find(is_its))
}

// With the samples of the stores' contract; every build of the workspace has them.
#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;

    use crate::testing::contract::{NOTES, Note, SAMPLES, Sample};

    crate::events! {
        /// Names of every form.
        mod sample on SAMPLES {
            CREATED = "advance_invoice.created" to Entity,
            RECEIVED = "payment.received" to Account says "created",
            FAILED = "e_invoicing.submission.failed",
            BARE = "entity",
        }
        /// What happens to a record beside.
        mod note on NOTES {
            MADE = "note.made",
        }
    }

    #[test]
    fn kinds_name_resources_and_actions() {
        let expected = [
            ("AdvanceInvoice", "created"),
            ("Payment", "created"),
            ("EInvoicingSubmission", "failed"),
            ("Entity", "updated"),
        ];
        for (kind, (resource, action)) in sample::ALL.iter().zip(expected) {
            let stamp = crate::testing::stamp(OffsetDateTime::UNIX_EPOCH);
            let by = "system".to_owned();
            let event = Event::new(Tenant::directory(), *kind, "x_1".to_owned(), by, &stamp);
            let activity = Activity::of(&event);
            assert_eq!((&*activity.resource_type, &*activity.action), (resource, action));
        }
        let receivers: Vec<_> = sample::ALL.iter().map(|kind| kind.receivers()).collect();
        assert_eq!(receivers, [Some(Receivers::Entity), Some(Receivers::Account), None, None]);
    }

    #[test]
    fn the_record_is_distinguished_from_other_rows_of_its_id() {
        let stamp = crate::testing::stamp(OffsetDateTime::UNIX_EPOCH);
        let (entity, other) = (stamp.id(), stamp.id());
        let (note, own) = (Note::new(entity, "x", "y"), Sample::new(entity, "x"));
        let foreign = Put::insert(&Sample::new(other, "x"));
        let puts = [foreign, Put::insert(&note), Put::insert(&own)];
        for (kind, shown, place) in [
            (sample::CREATED, 3, Some(2)),
            (sample::CREATED, 2, Some(0)),
            (note::MADE, 3, Some(1)),
            (note::MADE, 1, None),
        ] {
            let (tenant, by) = (Tenant::entity(entity), "system".to_owned());
            let event = Event::new(tenant, kind, "x".to_owned(), by, &stamp);
            let expected = place.map(|place: usize| &puts[place]);
            assert_eq!(record_of(&event, &puts[..shown]), expected, "{kind}");
        }
    }

    #[test]
    fn actors_are_known_by_their_ids() {
        for (actor, kind, is_known) in [
            ("usr_01", ActorType::User, true),
            ("key_01", ActorType::ApiKey, true),
            ("cron", ActorType::Cron, false),
            ("system", ActorType::System, false),
        ] {
            let stamp = crate::testing::stamp(OffsetDateTime::UNIX_EPOCH);
            let tenant = Tenant::directory();
            let event =
                Event::new(tenant, sample::BARE, "x_1".to_owned(), actor.to_owned(), &stamp);
            let activity = Activity::of(&event);
            let id = is_known.then(|| actor.to_owned());
            assert_eq!((activity.actor_type, activity.actor_id), (kind, id), "{actor}");
        }
    }
}
