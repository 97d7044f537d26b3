//! Which master key a database is of. Its id is kept in the directory, so that no process serves
//! with another one, and while a rotation is under way the ids of the keys that may still be
//! needed.
//!
//! The key of PINs is derived from the first master key. PINs are hashed under it and cannot be
//! hashed again, so it is kept, sealed under the current master key, and outlives rotations.

use racun_kernel::{CannotOpen, Stamp, Tenant, Vault};
use racun_store::{Field, Put, Store, StoreError, Writes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::pin::pin_secret;
use crate::{KeyRing, MasterVault, PinKey};

/// Whose secret the key of PINs is, to the vault.
const PINS_OWNER: &str = "master_keys/pins";
/// The id of the only row.
const ROW: &str = "master_key";

/// What a database says of its master key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MasterKeyRecord {
    /// The id of the key that seals.
    pub current: String,
    /// The ids of keys under which something may be sealed yet: a rotation has not ended.
    pub previous: Vec<String>,
    /// Whether the key before it was given up as lost, and not yet all that was sealed under it.
    #[serde(default)]
    pub is_giving_up: bool,
    /// The key of PINs, sealed under the current key.
    pins: String,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where it is kept: in the directory.
    pub static MASTER_KEYS: MasterKeyRecord = "master_keys";
    |key|
    id: ROW,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => key.created_at,
    }
}

/// Why the keys that a process was given are not those of the database. Texts are for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MasterKeyError {
    /// There is no key.
    #[error(
        "the master key is missing: secrets in this database are sealed under the key {0}; \
         restore master.key, or RACUN__SECRETS__MASTER_KEY, from the backup, or, where it is lost \
         for good, run `racun rekey --lost`"
    )]
    Missing(String),
    /// The keys that are there are others.
    #[error(
        "the master key is another one: secrets in this database are sealed under the key \
         {wanted}, and this is {given}; restore master.key, or RACUN__SECRETS__MASTER_KEY, from \
         the backup, or run `racun rekey` with both keys to change it"
    )]
    Other {
        /// The id of the key that is needed.
        wanted: String,
        /// The id of the first key that was given.
        given: String,
    },
    /// What is sealed under a key of the ring does not open.
    #[error("what the database keeps of its master key cannot be opened: {0}")]
    Sealed(#[from] CannotOpen),
    /// The store failed.
    #[error("the master key's id cannot be read: {0}")]
    Store(#[from] StoreError),
}

/// What a process needs of the master key.
pub struct OpenedKeys {
    /// Seals and opens.
    pub ring: KeyRing,
    /// The key of PINs.
    pub pins: PinKey,
    /// Whether a rotation was begun and has not ended.
    pub is_rotating: bool,
}

impl MasterKeyRecord {
    /// What the database says; `None` before the first start with a key.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find(store: &dyn Store) -> Result<Option<Self>, StoreError> {
        store.get(&MASTER_KEYS, &Tenant::directory(), ROW).await
    }

    /// Whether a change of the key was begun and has not ended.
    #[must_use]
    pub const fn is_rotating(&self) -> bool {
        self.is_giving_up || !self.previous.is_empty()
    }

    fn first(key: &[u8; 32], stamp: &Stamp) -> Self {
        let vault = MasterVault::derive(key);
        let pins = vault.seal(PINS_OWNER, &pin_secret(key), stamp);
        let (current, previous) = (vault.id().to_owned(), Vec::new());
        Self { current, previous, is_giving_up: false, pins, created_at: stamp.now() }
    }

    /// The ring of `keys`, when all that are needed are among them.
    fn ring(&self, keys: &[[u8; 32]]) -> Result<KeyRing, MasterKeyError> {
        let given = keys.first().ok_or_else(|| MasterKeyError::Missing(self.current.clone()))?;
        let needed = std::iter::once(&self.current).chain(&self.previous);
        let is_there = |id: &&String| keys.iter().any(|key| id_of(key) == **id);
        if let Some(wanted) = needed.into_iter().find(|id| !is_there(id)) {
            let (wanted, given) = (wanted.clone(), id_of(given));
            return Err(MasterKeyError::Other { wanted, given });
        }
        let (current, others): (Vec<_>, Vec<_>) =
            keys.iter().map(MasterVault::derive).partition(|key| key.id() == self.current);
        let missing = || MasterKeyError::Missing(self.current.clone());
        Ok(KeyRing::new(current.into_iter().next().ok_or_else(missing)?, others))
    }
}

/// The id of the master key `key`.
#[must_use]
pub fn id_of(key: &[u8; 32]) -> String {
    MasterVault::derive(key).id().to_owned()
}

/// Opens the database's secrets with `keys`, of which the first is the database's own where it has
/// none yet. Of processes that start together on a new database one decides which it is.
///
/// # Errors
/// When a key that is needed is not among them, or the store fails.
pub async fn open_keys(
    store: &dyn Store,
    keys: &[[u8; 32]],
    stamp: &Stamp,
) -> Result<OpenedKeys, MasterKeyError> {
    let record = match (MasterKeyRecord::find(store).await?, keys.first()) {
        (Some(record), _) => record,
        (None, None) => return Err(MasterKeyError::Missing("none".to_owned())),
        (None, Some(key)) => {
            let first = MasterKeyRecord::first(key, stamp);
            match store.insert(vec![Put::insert(&first)], Vec::new()).await {
                Ok(()) => first,
                Err(StoreError::Duplicate { .. }) => {
                    let id = ROW.to_owned();
                    MasterKeyRecord::find(store).await?.ok_or(StoreError::NotFound { id })?
                }
                Err(error) => return Err(error.into()),
            }
        }
    };
    let ring = record.ring(keys)?;
    let pins = PinKey::of(&ring.open(PINS_OWNER, &record.pins)?);
    Ok(OpenedKeys { ring, pins, is_rotating: record.is_rotating() })
}

/// Notes that `id` is the key of a database that does not say so yet, and that it is lost: for
/// [`replace_lost_key`], which gives up what it sealed.
///
/// # Errors
/// When the store fails.
pub async fn note_lost_key(
    store: &dyn Store,
    id: String,
    stamp: &Stamp,
) -> Result<MasterKeyRecord, StoreError> {
    let (previous, pins) = (Vec::new(), String::new());
    let (created_at, is_giving_up) = (stamp.now(), false);
    let record = MasterKeyRecord { current: id, previous, is_giving_up, pins, created_at };
    store.insert(vec![Put::insert(&record)], Vec::new()).await?;
    Ok(record)
}

/// Begins a rotation: from now on `new` seals, and the key before it is needed until
/// [`end_rotation`].
///
/// # Errors
/// When a key that is needed is not among `keys`, or the store fails.
pub async fn begin_rotation(
    store: &dyn Store,
    keys: &[[u8; 32]],
    new: &[u8; 32],
    stamp: &Stamp,
) -> Result<(), MasterKeyError> {
    let (keys, new, stamp) = (keys.to_vec(), *new, stamp.clone());
    amend(store, move |mut record| {
        let ring = record.ring(&keys)?;
        let vault = MasterVault::derive(&new);
        if vault.id() == record.current {
            return Ok(record);
        }
        let pins = ring.open(PINS_OWNER, &record.pins)?;
        record.pins = vault.seal(PINS_OWNER, &pins, &stamp);
        let old = std::mem::replace(&mut record.current, vault.id().to_owned());
        record.previous.retain(|id| id != vault.id());
        record.previous.push(old);
        Ok(record)
    })
    .await
}

/// Makes `new` the current key where the key before it is lost: what that sealed cannot be opened,
/// and no PIN is right.
///
/// # Errors
/// When the store fails.
pub async fn replace_lost_key(
    store: &dyn Store,
    new: &[u8; 32],
    stamp: &Stamp,
) -> Result<(), MasterKeyError> {
    let first = MasterKeyRecord::first(new, stamp);
    let replaced = move |record: MasterKeyRecord| {
        Ok(MasterKeyRecord { created_at: record.created_at, is_giving_up: true, ..first })
    };
    amend(store, replaced).await
}

/// Ends a rotation: nothing is sealed under another key than the current one.
///
/// # Errors
/// When the store fails.
pub async fn end_rotation(store: &dyn Store) -> Result<(), MasterKeyError> {
    let ended =
        |record| Ok(MasterKeyRecord { previous: Vec::new(), is_giving_up: false, ..record });
    amend(store, ended).await
}

/// What a change of the record answers.
type Changed = Result<MasterKeyRecord, MasterKeyError>;

async fn amend(
    store: &dyn Store,
    change: impl FnOnce(MasterKeyRecord) -> Changed + Send + 'static,
) -> Result<(), MasterKeyError> {
    let mut unit = store.unit(Tenant::directory());
    let record = unit.hold(&MASTER_KEYS, ROW);
    unit.decide(move |held| {
        let before: MasterKeyRecord = held.one(record)?;
        let after = change(before.clone())?;
        let writes = Writes::default();
        Ok(((), if after == before { writes } else { writes.update(&before, &after) }))
    })
    .await
}
