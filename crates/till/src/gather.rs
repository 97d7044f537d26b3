//! Looking up what commands on tabs name.

use std::collections::BTreeMap;

use racun_access::Entity;
use racun_catalog::{CUSTOMERS, Customer, ITEMS, Item, Tax};
use racun_kernel::Stamp;
use racun_kernel::id::ItemId;
use racun_pos::{LineInput, ReferencedItem, References, named_items, named_taxes};
use racun_sales::documents::{by_ids, live, taxes, today};
use racun_store::{Context, StoreError};

/// What `lines` name, with the prices of today.
pub(super) async fn lines(
    cx: Context<'_>,
    entity: &Entity,
    lines: &[LineInput],
) -> Result<References, StoreError> {
    let tenant = cx.scope.tenant();
    let ids: Vec<String> = named_items(lines).iter().map(ToString::to_string).collect();
    let ids = ids.iter().map(String::as_str).collect();
    let items: Vec<Item> = by_ids(cx.store, &ITEMS, &tenant, ids).await?;
    let named = named_taxes(lines);
    let is_net = |item: &Item| item.gross_price.is_none() && !item.tax_ids.is_empty();
    let taxes = match named.is_empty() && !items.iter().any(is_net) {
        true => Vec::new(),
        false => taxes(cx.store, &tenant).await?,
    };
    let there = taxes.iter().map(|tax| tax.id).filter(|id| named.contains(id)).collect();
    Ok(References {
        items: prices(&items, &taxes, entity, cx.stamp),
        taxes: there,
        ..References::default()
    })
}

/// The customer `id`, when it is there and not in the trash.
pub(super) async fn customer(
    cx: Context<'_>,
    id: Option<&String>,
) -> Result<Option<Customer>, StoreError> {
    match id {
        None => Ok(None),
        Some(id) => Ok(live(cx.store.get(&CUSTOMERS, &cx.scope.tenant(), id).await?)),
    }
}

fn prices(
    items: &[Item],
    taxes: &[Tax],
    entity: &Entity,
    stamp: &Stamp,
) -> BTreeMap<ItemId, ReferencedItem> {
    let today = today(entity, stamp);
    let referenced = |item: &Item| ReferencedItem {
        name: item.name.clone(),
        unit_gross_price: item.price_with_tax(taxes, today, entity.currency),
    };
    items.iter().map(|item| (item.id, referenced(item))).collect()
}
