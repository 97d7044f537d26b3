//! What every use case takes beside its own arguments: the store, who acts where, and when.

use racun_kernel::id::{EntityId, UserId};
use racun_kernel::{Environment, Scope, Stamp, Tenant};
use time::OffsetDateTime;

use crate::port::UnitBuilder;
use crate::{
    Decision, Event, EventKind, ListQuery, Page, Record, Store, StoreError, Table, Writes,
};

/// The store, who acts where, and when.
///
/// It is borrowed and as cheap to pass as a reference; [`Actor`] is the half of it that a decision
/// takes along into the store.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where everything is kept.
    pub store: &'a dyn Store,
    /// Who acts, and in which entity.
    pub scope: &'a Scope,
    /// When, and the source of ids.
    pub stamp: &'a Stamp,
}

impl<'a> Context<'a> {
    /// What `scope` does at `stamp`.
    #[must_use]
    pub const fn new(store: &'a dyn Store, scope: &'a Scope, stamp: &'a Stamp) -> Self {
        Self { store, scope, stamp }
    }

    /// What `actor` does.
    #[must_use]
    pub const fn of(store: &'a dyn Store, actor: &'a Actor) -> Self {
        Self { store, scope: &actor.scope, stamp: &actor.stamp }
    }

    /// Its owned half.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor::new(self.scope.clone(), self.stamp.clone())
    }

    /// The tenant of the entity.
    #[must_use]
    pub fn tenant(&self) -> Tenant {
        self.scope.tenant()
    }

    /// When.
    #[must_use]
    pub const fn now(&self) -> OffsetDateTime {
        self.stamp.now()
    }

    /// That `kind` happened to the record `subject` of the entity.
    #[must_use]
    pub fn event(&self, kind: EventKind, subject: impl ToString) -> Event {
        event(self.scope, self.stamp, kind, subject)
    }

    /// A unit of work on the entity's rows.
    #[must_use]
    pub fn unit(&self) -> UnitBuilder<'a> {
        UnitBuilder::new(self.store, self.tenant(), self.actor())
    }

    /// The entity's record `id`, or `None`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn get<A: Record>(
        &self,
        table: &'static Table,
        id: impl ToString,
    ) -> Result<Option<A>, StoreError> {
        let id = id.to_string();
        self.store.get(table, &self.tenant(), &id).await
    }

    /// The entity's record `id`.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], and when the store fails.
    pub async fn one<A: Record>(
        &self,
        table: &'static Table,
        id: impl ToString,
    ) -> Result<A, StoreError> {
        let id = id.to_string();
        let found = self.store.get(table, &self.tenant(), &id).await?;
        found.ok_or(StoreError::NotFound { id })
    }

    /// The entity's records with these ids that there are.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn get_all<A: Record>(
        &self,
        table: &'static Table,
        ids: &[String],
    ) -> Result<Vec<A>, StoreError> {
        self.store.get_all(table, &self.tenant(), ids).await
    }

    /// The page of the entity's records that `query` asks for.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn page<A: Record>(
        &self,
        table: &'static Table,
        query: &ListQuery,
    ) -> Result<Page<A>, StoreError> {
        self.store.page(table, &self.tenant(), query).await
    }

    /// Shows the entity's record `id` to `decide` and writes what it decides.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], the decision's reason as it is, or the store's failure.
    pub async fn amend<A, E>(
        &self,
        table: &'static Table,
        id: impl ToString,
        decide: impl FnOnce(A, &Actor) -> Result<Decision<A>, E> + Send + 'static,
    ) -> Result<A, E>
    where
        A: Record,
        E: From<StoreError> + Send + 'static,
    {
        let mut unit = self.unit();
        let record = unit.hold(table, id);
        unit.decide(move |held| held.amend(record, |before| decide(before, held.actor()))).await
    }

    /// Writes without looking at anything.
    ///
    /// # Errors
    /// When the store fails, [`StoreError::Duplicate`] among others.
    pub async fn write(&self, writes: Writes) -> Result<(), StoreError> {
        self.unit().decide(move |_| Ok(((), writes))).await
    }
}

/// Who gives a command, in which entity and when: what a decision takes along.
#[derive(Clone)]
pub struct Actor {
    scope: Scope,
    stamp: Stamp,
}

impl Actor {
    /// What `scope` does at `stamp`.
    #[must_use]
    pub const fn new(scope: Scope, stamp: Stamp) -> Self {
        Self { scope, stamp }
    }

    /// The same at another instant.
    #[must_use]
    pub fn at(&self, now: OffsetDateTime) -> Self {
        Self::new(self.scope.clone(), self.stamp.at(now))
    }

    /// Who acts, and in which entity.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// When, and the source of ids.
    #[must_use]
    pub const fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// When.
    #[must_use]
    pub const fn now(&self) -> OffsetDateTime {
        self.stamp.now()
    }

    /// The entity.
    #[must_use]
    pub const fn entity_id(&self) -> EntityId {
        self.scope.entity()
    }

    /// Its environment.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.scope.environment()
    }

    /// The tenant of the entity.
    #[must_use]
    pub fn tenant(&self) -> Tenant {
        self.scope.tenant()
    }

    /// The id of the person, key or job, for the log.
    #[must_use]
    pub fn id(&self) -> String {
        self.scope.principal().id()
    }

    /// The person; none for keys and jobs.
    #[must_use]
    pub const fn user_id(&self) -> Option<UserId> {
        self.scope.principal().user()
    }

    /// That `kind` happened to the record `subject` of the entity.
    #[must_use]
    pub fn event(&self, kind: EventKind, subject: impl ToString) -> Event {
        event(&self.scope, &self.stamp, kind, subject)
    }
}

fn event(scope: &Scope, stamp: &Stamp, kind: EventKind, subject: impl ToString) -> Event {
    Event::new(scope.tenant(), kind, subject.to_string(), scope.principal().id(), stamp)
}
