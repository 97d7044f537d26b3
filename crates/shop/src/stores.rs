//! Connected stores, counted for the entity's subscription in the unit that changes an integration.

use racun_kernel::id::EntityId;
use racun_orders::{INTEGRATIONS, Integration, SourceKind};
use racun_sales::billing::StoreMeter;
use racun_store::{Held, Many, StoreError, UnitBuilder, Writes};

/// The integrations of an entity, and what counts those that are stores.
pub(crate) struct Stores {
    meter: StoreMeter,
    live: Many<Integration>,
}

impl Stores {
    /// Those of `entity`, whose unit this is. Units that hold them take turns.
    pub fn hold(unit: &mut UnitBuilder<'_>, entity: EntityId) -> Self {
        let meter = StoreMeter::hold(unit, entity);
        Self { meter, live: unit.hold_where(&INTEGRATIONS, "live_of", entity) }
    }

    /// Those that are there.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(self, held: &Held) -> Result<Present, StoreError> {
        Ok(Present { meter: self.meter, live: held.all(self.live)? })
    }
}

/// Integrations that are not deleted, and what counts those that are stores.
pub(crate) struct Present {
    meter: StoreMeter,
    pub live: Vec<Integration>,
}

impl Present {
    /// Counts them as they are when `after` is written.
    ///
    /// # Errors
    /// When the subscription cannot be read.
    pub fn count(self, held: &Held, after: &Integration) -> Result<Writes, StoreError> {
        let others = self.live.iter().filter(|one| one.id != after.id && is_connected(one));
        let connected = others.count() + usize::from(is_connected(after));
        self.meter.count(held, i64::try_from(connected).unwrap_or(i64::MAX))
    }
}

/// Whether it is of a platform, and takes orders.
fn is_connected(integration: &Integration) -> bool {
    let is_live = integration.is_active && integration.deleted_at.is_none();
    is_live && integration.source != SourceKind::Manual
}
