//! All that is sealed is sealed under another master key: private keys of certificates, secrets of
//! webhooks and second factors, and kept answers that show a secret.
//!
//! Rows are changed in batches, each in a unit of its own, and a row that is under the new key
//! already stays as it is. So after a kill the next run goes on; until it ends, the keys of the
//! ring open all rows.

use std::sync::{Arc, Mutex, PoisonError};

use racun_access::{
    ACCOUNTS, Account, ENTITIES, Entity, KeyRing, OPERATOR_PINS, OperatorPin, SECOND_FACTORS,
    SecondFactor, key_of,
};
use racun_background::idempotency::{KEYED_REQUESTS, KeyedRequest};
use racun_fiscal::{FISCAL_SETTINGS, FiscalSettings};
use racun_kernel::{CannotOpen, Reseal, Stamp, Tenant};
use racun_orders::{INTEGRATIONS, Integration};
use racun_portugal::{PT_SETTINGS, PtSettings};
use racun_store::{Put, Record, Store, StoreError, Table, Walk, Writes};
use racun_webhooks::{ENDPOINTS, Endpoint};

/// What becomes of secrets that no key of the ring opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// They stay.
    Keep,
    /// They are given up: a certificate is missing, a webhook has a new secret and is disabled.
    GiveUp,
}

/// What a run did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RekeyReport {
    /// Rows whose secrets are under the new key now.
    pub resealed: usize,
    /// Rows whose secrets do not open, as `table id of tenant`.
    pub lost: Vec<String>,
}

/// A record with secrets.
trait Sealed: Record + PartialEq {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen>;
    fn without_sealed(self, ring: &KeyRing, stamp: &Stamp) -> Self;
}

impl Sealed for FiscalSettings {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        Self::resealed(self, reseal)
    }

    fn without_sealed(self, _: &KeyRing, _: &Stamp) -> Self {
        Self::without_sealed(self)
    }
}

impl Sealed for PtSettings {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        Self::resealed(self, reseal)
    }

    fn without_sealed(self, _: &KeyRing, _: &Stamp) -> Self {
        Self::without_sealed(self)
    }
}

impl Sealed for Endpoint {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        Self::resealed(self, reseal)
    }

    fn without_sealed(self, ring: &KeyRing, stamp: &Stamp) -> Self {
        Self::without_sealed(self, ring, stamp)
    }
}

impl Sealed for KeyedRequest {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        Self::resealed(self, reseal)
    }

    fn without_sealed(self, _: &KeyRing, _: &Stamp) -> Self {
        Self::without_sealed(self)
    }
}

impl Sealed for Integration {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        Self::resealed(self, reseal)
    }

    fn without_sealed(self, _: &KeyRing, _: &Stamp) -> Self {
        Self::without_sealed(self)
    }
}

impl Sealed for SecondFactor {
    fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        Self::resealed(self, reseal)
    }

    fn without_sealed(self, _: &KeyRing, _: &Stamp) -> Self {
        Self::without_sealed(self)
    }
}

/// Who looks at the tables that have secrets.
trait Visitor {
    /// Looks at the rows of `tenant` in `table`.
    async fn table<A: Sealed>(
        &mut self,
        store: &dyn Store,
        table: &'static Table,
        tenant: &Tenant,
    ) -> Result<(), StoreError>;

    /// Whether it has seen enough.
    fn has_ended(&self) -> bool {
        false
    }
}

/// Shows `visitor` all tables that have secrets.
async fn visit(store: &dyn Store, visitor: &mut impl Visitor) -> Result<(), StoreError> {
    visitor.table::<SecondFactor>(store, &SECOND_FACTORS, &Tenant::directory()).await?;
    let mut accounts = Walk::of(&ACCOUNTS, Tenant::directory());
    while !visitor.has_ended()
        && let Some(page) = accounts.next::<Account>(store).await?
    {
        for account in page {
            visit_account(store, Tenant::account(account.id), visitor).await?;
            if visitor.has_ended() {
                return Ok(());
            }
        }
    }
    Ok(())
}

async fn visit_account(
    store: &dyn Store,
    tenant: Tenant,
    visitor: &mut impl Visitor,
) -> Result<(), StoreError> {
    visitor.table::<KeyedRequest>(store, &KEYED_REQUESTS, &tenant).await?;
    visitor.table::<Endpoint>(store, &ENDPOINTS, &tenant).await?;
    let mut entities = Walk::of(&ENTITIES, tenant);
    while !visitor.has_ended()
        && let Some(page) = entities.next::<Entity>(store).await?
    {
        for entity in page {
            let tenant = Tenant::entity(entity.id);
            visitor.table::<FiscalSettings>(store, &FISCAL_SETTINGS, &tenant).await?;
            visitor.table::<PtSettings>(store, &PT_SETTINGS, &tenant).await?;
            visitor.table::<Endpoint>(store, &ENDPOINTS, &tenant).await?;
            visitor.table::<Integration>(store, &INTEGRATIONS, &tenant).await?;
        }
    }
    Ok(())
}

/// The id of a key that something in `store` is sealed under: one of `known`, where something is
/// under it, and else of any; `None` where nothing is sealed. For a store of a version that did not
/// note its key.
///
/// # Errors
/// When the store fails.
pub async fn sealed_under(
    store: &dyn Store,
    known: &[String],
) -> Result<Option<String>, StoreError> {
    let mut search = Search { known, found: None };
    visit(store, &mut search).await?;
    Ok(search.found)
}

/// The search for a key that something is sealed under.
struct Search<'a> {
    known: &'a [String],
    found: Option<String>,
}

impl Visitor for Search<'_> {
    async fn table<A: Sealed>(
        &mut self,
        store: &dyn Store,
        table: &'static Table,
        tenant: &Tenant,
    ) -> Result<(), StoreError> {
        let mut walk = Walk::of(table, tenant.clone());
        while !self.has_ended()
            && let Some(page) = walk.next::<A>(store).await?
        {
            let ids: Vec<String> = page.into_iter().flat_map(key_ids).collect();
            let known = ids.iter().find(|id| self.known.contains(id)).cloned();
            self.found = known.or(self.found.take()).or(ids.into_iter().next());
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.found.as_ref().is_some_and(|id| self.known.contains(id))
    }
}

/// The ids of the keys that the secrets of `row` are sealed under.
fn key_ids<A: Sealed>(row: A) -> Vec<String> {
    let ids = Mutex::new(Vec::new());
    let note = |_: &str, sealed: &str| {
        let id = key_of(sealed).map(str::to_owned);
        ids.lock().unwrap_or_else(PoisonError::into_inner).extend(id);
        Ok(sealed.to_owned())
    };
    // Only what is asked for is of interest.
    let _: Result<A, CannotOpen> = row.resealed(&note);
    ids.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Seals all that is sealed under the key of `ring` that seals.
///
/// # Errors
/// When the store fails: what was done until then stays, and the next run does the rest.
pub async fn reseal(
    store: &dyn Store,
    ring: &Arc<KeyRing>,
    lost: Lost,
    stamp: &Stamp,
) -> Result<RekeyReport, StoreError> {
    let mut run = Run { ring, lost, stamp, report: RekeyReport::default() };
    visit(store, &mut run).await?;
    Ok(run.report)
}

struct Run<'a> {
    ring: &'a Arc<KeyRing>,
    lost: Lost,
    stamp: &'a Stamp,
    report: RekeyReport,
}

impl Visitor for Run<'_> {
    async fn table<A: Sealed>(
        &mut self,
        store: &dyn Store,
        table: &'static Table,
        tenant: &Tenant,
    ) -> Result<(), StoreError> {
        let mut walk = Walk::of(table, tenant.clone());
        while let Some(page) = walk.next::<A>(store).await? {
            let reseal = |owner: &str, sealed: &str| self.ring.reseal(owner, sealed, self.stamp);
            let is_other = |row: &A| row.clone().resealed(&reseal).as_ref() != Ok(row);
            let ids: Vec<_> = page.iter().filter(|row| is_other(row)).map(A::id).collect();
            if ids.is_empty() {
                continue;
            }
            let (resealed, lost) = self.rows::<A>(store, table, tenant, ids).await?;
            self.report.resealed += resealed;
            let place = |id| format!("{} {id} of {}", table.name, tenant.as_str());
            self.report.lost.extend(lost.into_iter().map(place));
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Seals the rows `ids` again. Answers how many that were, and the ids of those that do not
    /// open.
    async fn rows<A: Sealed>(
        &self,
        store: &dyn Store,
        table: &'static Table,
        tenant: &Tenant,
        ids: Vec<String>,
    ) -> Result<(usize, Vec<String>), StoreError> {
        let (ring, lost, stamp) = (Arc::clone(self.ring), self.lost, self.stamp.clone());
        let mut unit = store.unit(tenant.clone());
        let rows = unit.hold_each(ids.into_iter().map(|id| (table, id)));
        unit.decide(move |held| {
            let reseal = |owner: &str, sealed: &str| ring.reseal(owner, sealed, &stamp);
            let (mut puts, mut shut) = (Vec::new(), Vec::new());
            for before in held.all::<A>(rows)? {
                let after = match (before.clone().resealed(&reseal), lost) {
                    (Ok(after), _) => after,
                    (Err(CannotOpen), lost) => {
                        shut.push(before.id());
                        match lost {
                            Lost::Keep => continue,
                            Lost::GiveUp => before.clone().without_sealed(&ring, &stamp),
                        }
                    }
                };
                if after != before {
                    puts.push(Put::update(&before, &after));
                }
            }
            Ok(((puts.len(), shut), Writes::default().puts(puts)))
        })
        .await
    }
}

/// Removes all PINs of operators, for the key that they are hashed under is lost. Answers how many.
///
/// # Errors
/// When the store fails.
pub async fn end_pins(store: &dyn Store) -> Result<usize, StoreError> {
    let mut ended = 0;
    let mut accounts = Walk::of(&ACCOUNTS, Tenant::directory());
    while let Some(page) = accounts.next::<Account>(store).await? {
        for account in page {
            let mut entities = Walk::of(&ENTITIES, Tenant::account(account.id));
            while let Some(page) = entities.next::<Entity>(store).await? {
                for entity in page {
                    ended += end_pins_of(store, &Tenant::entity(entity.id)).await?;
                }
            }
        }
    }
    Ok(ended)
}

async fn end_pins_of(store: &dyn Store, tenant: &Tenant) -> Result<usize, StoreError> {
    let (mut walk, mut ended) = (Walk::of(&OPERATOR_PINS, tenant.clone()), 0);
    while let Some(page) = walk.next::<OperatorPin>(store).await? {
        let mut unit = store.unit(tenant.clone());
        let pins =
            unit.hold_each(page.into_iter().map(|pin: OperatorPin| (&OPERATOR_PINS, pin.id())));
        let unit = unit.decide(|held| {
            let pins: Vec<OperatorPin> = held.all(pins)?;
            let writes = Writes::default().puts(pins.iter().map(Put::delete));
            Ok::<_, StoreError>((pins.len(), writes))
        });
        ended += unit.await?;
    }
    Ok(ended)
}
