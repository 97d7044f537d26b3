//! Webhooks that no platform sends.

use proptest::prelude::*;
use racun_orders::SourceKind;
use racun_orders::platform::{self, Headers};

use crate::world::{SHOPIFY, WOO};

proptest! {
    #[test]
    fn any_webhook_ends_in_an_order_or_a_refusal(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        at in any::<prop::sample::Index>(),
        length in 0..20_usize,
    ) {
        for (source, topic, whole) in [
            (SourceKind::Shopify, "orders/updated", SHOPIFY),
            (SourceKind::Woocommerce, "order.updated", WOO),
        ] {
            let headers = Headers { topic: Some(topic), ..Headers::default() };
            let at = at.index(whole.len());
            let mut body = whole.to_vec();
            body.splice(at..(at + length).min(whole.len()), bytes.iter().copied());
            for body in [&body[..], &whole[..at], &bytes[..]] {
                if let Err(refused) = platform::read(source, headers, body) {
                    prop_assert!(!refused.is_empty());
                }
            }
        }
    }
}
