//! What is stored reads back as declared.

use racun_kernel::Patch;
use racun_orders::{Consent, Integration, Order, SourceKind, Told};
use racun_store::testing::assert_stored_as_declared;

use crate::world::{SHOPIFY, START, actor, incoming, input, integration, made, order};

#[test]
fn orders_and_integrations_are_stored_as_declared() {
    let shop = integration(|input| {
        input.source = Patch::Value(SourceKind::Shopify);
        input.webhook_secret = Patch::Value("sealed".into());
    });
    assert_stored_as_declared(&shop);
    let told = Told { id: Some("u-1".into()), at: None };
    let ended = made(shop.clone().uninstalled(&told, &actor())).0;
    let consent = Some(Consent { id: shop.id, at: START });
    assert_stored_as_declared(&Integration { consent, ..ended });
    assert_stored_as_declared(&order(input(), &shop));
    let incoming = incoming(SourceKind::Shopify, SHOPIFY);
    let received = made(Order::received(incoming, &shop, &actor())).0;
    assert_stored_as_declared(&received);
    assert_stored_as_declared(&made(received.removed(&told, &actor())).0);
}
