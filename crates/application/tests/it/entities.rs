//! Entities with the taxes they start with.

use racun_catalog::{TAXES, Tax};
use racun_store::ListQuery;

use crate::fixture::{Shop, decimal};

#[tokio::test]
async fn a_new_entity_has_its_countrys_taxes_with_one_default() {
    let shop = Shop::open().await;
    let query = ListQuery::first_page(&TAXES);
    let page = shop.store.page::<Tax>(&TAXES, &shop.scope.tenant(), &query).await.unwrap();
    let mut rates: Vec<_> = page.rows.iter().map(|tax| tax.tax_rates[0].rate.clone()).collect();
    rates.sort();
    assert_eq!(rates, ["0", "5", "9.5", "22"].map(decimal));
    let defaults = page.rows.iter().filter(|tax| tax.is_default);
    let defaults: Vec<_> = defaults.map(|tax| tax.tax_rates[0].rate.clone()).collect();
    assert_eq!(defaults, [decimal("22")]);
}
