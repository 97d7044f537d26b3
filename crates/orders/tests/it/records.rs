//! What is stored reads back as declared.

use racun_kernel::Patch;
use racun_orders::{Order, SourceKind};
use racun_store::testing::assert_stored_as_declared;

use crate::world::{SHOPIFY, actor, incoming, input, integration, made, order};

#[test]
fn orders_and_integrations_are_stored_as_declared() {
    let shop = integration(|input| {
        input.source = Patch::Value(SourceKind::Shopify);
        input.webhook_secret = Patch::Value("sealed".into());
    });
    assert_stored_as_declared(&shop);
    assert_stored_as_declared(&order(input(), &shop));
    let incoming = incoming(SourceKind::Shopify, SHOPIFY);
    assert_stored_as_declared(&made(Order::received(incoming, &shop, &actor())).0);
}
