//! How many bytes an account stores, and may.

use racun_access::{ACCOUNTS, Account, ENTITIES, Entity};
use racun_kernel::Tenant;
use racun_kernel::id::AccountId;
use racun_store::{Store, StoreError, Walk};

/// How much an account may store, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageLimits {
    /// Once the address of one of its users is verified.
    pub verified: u64,
    /// Until then.
    pub unverified: u64,
}

impl Default for StorageLimits {
    /// 20 GB and 50 MB.
    fn default() -> Self {
        Self { verified: 20_000_000_000, unverified: 50_000_000 }
    }
}

/// What an account stores, and may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Bytes that it stores.
    pub used: i64,
    /// Bytes that it may.
    pub limit: i64,
}

impl Budget {
    /// What `account` stores, and may by `limits`.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn of(
        store: &dyn Store,
        limits: StorageLimits,
        account: AccountId,
    ) -> Result<Self, StoreError> {
        let own = Tenant::account(account);
        let mut entities = Walk::of(&ENTITIES, own.clone());
        let mut tenants = vec![own];
        while let Some(page) = entities.next::<Entity>(store).await? {
            tenants.extend(page.iter().map(|entity| Tenant::entity(entity.id)));
        }
        let used = store.stored_bytes(&tenants).await?.max(0);
        let id = account.to_string();
        let found: Option<Account> = store.get(&ACCOUNTS, &Tenant::directory(), &id).await?;
        let is_verified = found.is_some_and(|account| account.has_verified_user);
        let limit = if is_verified { limits.verified } else { limits.unverified };
        Ok(Self { used, limit: i64::try_from(limit).unwrap_or(i64::MAX) })
    }

    /// Whether there is room for `bytes` more.
    #[must_use]
    pub const fn has_room(self, bytes: i64) -> bool {
        self.used.saturating_add(bytes) <= self.limit
    }

    /// There is no room in it.
    #[must_use]
    pub const fn exceeded(self) -> StoreError {
        StoreError::OverBudget { used: self.used, limit: self.limit }
    }
}
