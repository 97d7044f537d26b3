//! Where white labels come from, and how the operator manages them.

use std::sync::Arc;

use racun_billing::{BillingError, Catalogue, MANAGED_LABELS, ManagedLabels, WhiteLabel};
use racun_kernel::{Stamp, Tenant};
use racun_store::{Put, Store, StoreError, Writes};

/// Where white labels come from: one of the two, never both.
#[derive(Clone)]
pub enum LabelSource {
    /// A file that was read when the process started.
    File(Arc<Catalogue>),
    /// The store, where the operator manages them.
    Managed,
}

impl Default for LabelSource {
    /// There are none.
    fn default() -> Self {
        Self::File(Arc::default())
    }
}

impl From<Catalogue> for LabelSource {
    fn from(catalogue: Catalogue) -> Self {
        Self::File(Arc::new(catalogue))
    }
}

impl LabelSource {
    /// The white labels as they are now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn read(&self, store: &dyn Store) -> Result<Arc<Catalogue>, StoreError> {
        match self {
            Self::File(catalogue) => Ok(Arc::clone(catalogue)),
            Self::Managed => {
                let found = managed(store).await?;
                Ok(Arc::new(found.map(|labels| labels.catalogue()).unwrap_or_default()))
            }
        }
    }
}

async fn managed(store: &dyn Store) -> Result<Option<ManagedLabels>, StoreError> {
    store.get(&MANAGED_LABELS, &Tenant::directory(), ManagedLabels::ID).await
}

/// The white labels that the operator manages, by their slugs.
///
/// # Errors
/// When the store fails.
pub async fn list_labels(store: &dyn Store) -> Result<Vec<WhiteLabel>, BillingError> {
    Ok(managed(store).await?.map(|labels| labels.all().to_vec()).unwrap_or_default())
}

/// Makes the white label, or replaces the one with its slug. Subscriptions keep the terms that they
/// were chosen with.
///
/// # Errors
/// All that is wrong with it, or the store's failure.
pub async fn put_label(
    store: &dyn Store,
    label: WhiteLabel,
    stamp: &Stamp,
) -> Result<WhiteLabel, BillingError> {
    let now = stamp.now();
    let mut unit = store.unit(Tenant::directory());
    let row = unit.hold(&MANAGED_LABELS, ManagedLabels::ID);
    unit.decide(move |held| {
        let before: Option<ManagedLabels> = held.find(row)?;
        let known = before.clone().unwrap_or_else(|| ManagedLabels::none(now));
        let (after, label) = known.with(label, now)?;
        Ok((label, Writes::default().put(Put::write(before.as_ref(), &after))))
    })
    .await
}

/// Removes the white label `slug`. Accounts keep its slug, and subscriptions their terms; nothing
/// new is sold under it.
///
/// # Errors
/// [`BillingError::NoLabel`], or the store's failure.
pub async fn remove_label(
    store: &dyn Store,
    slug: &str,
    stamp: &Stamp,
) -> Result<(), BillingError> {
    let (slug, now) = (slug.to_owned(), stamp.now());
    let mut unit = store.unit(Tenant::directory());
    let row = unit.hold(&MANAGED_LABELS, ManagedLabels::ID);
    unit.decide(move |held| {
        let before: Option<ManagedLabels> = held.find(row)?;
        let none = || BillingError::NoLabel { slug: slug.clone() };
        let before = before.ok_or_else(none)?;
        let after = before.clone().without(&slug, now).ok_or_else(none)?;
        Ok(((), Writes::default().update(&before, &after)))
    })
    .await
}
