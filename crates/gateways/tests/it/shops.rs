//! Shops: those of the sandbox and recorded exchanges by one contract, and platforms that fail.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_gateways::{Reach, ShopOptions, ShopifyApp, Shops};
use racun_kernel::Environment::{Live, Sandbox};
use racun_orders::platform::read_listed;
use racun_orders::{PageRequest, PlatformError, ShopAccess, ShopPlatforms as _, SourceKind};
use racun_orders::{contract, contract::unanswered};
use serde_json::Value;
use url::Url;

use crate::cassette::{Cassette, Recording};
use crate::stand_in::StandIn;

const SHOPIFY: &str = include_str!("../data/shopify/exchanges.json");
const WOOCOMMERCE: &str = include_str!("../data/woocommerce/exchanges.json");
/// The shop, the code and the token of Shopify's documentation.
const DOMAIN: &str = "some-shop.myshopify.com";
const CODE: &str = "0907a61c0c8d55e99db179b68161bc00";
const TOKEN: &str = "f85632530bf277ec9ac6f649fc327f17";
/// The consumer of WooCommerce's documentation.
const CONSUMER: &str = "consumer_key:consumer_secret";
const BOTH: [SourceKind; 2] = [SourceKind::Shopify, SourceKind::Woocommerce];

fn shop(source: SourceKind, domain: &str) -> ShopAccess {
    let token = if source == SourceKind::Woocommerce { CONSUMER } else { TOKEN };
    ShopAccess { source, domain: domain.to_owned(), token: token.to_owned() }
}

fn first() -> PageRequest {
    PageRequest { limit: 250, ..PageRequest::default() }
}

/// The platforms, with every shop at `base`.
fn at(base: &str) -> Shops {
    let app = ShopifyApp {
        client_id: "c48a7094d1f9c0dd9ef2e0eb46b7c3cf".to_owned(),
        // The secret of the signature in Shopify's documentation.
        client_secret: "hush".to_owned(),
    };
    let options = ShopOptions {
        shopify: Some(app),
        reach: Reach::ThisMachine,
        allow_private: true,
        base: Some(base.to_owned()),
    };
    Shops::new(options).unwrap()
}

fn sandbox() -> Shops {
    Shops::new(ShopOptions { reach: Reach::ThisMachine, ..ShopOptions::default() }).unwrap()
}

/// The header fields of a recorded request to Shopify.
fn of_shopify(request: &Value) -> Vec<(&'static str, String)> {
    let mut fields = vec![("accept", "*/*".to_owned())];
    if request.get("json").is_some() {
        fields.push(("content-type", "application/json".to_owned()));
    }
    let token = request["token"].as_str();
    fields.extend(token.map(|token| ("x-shopify-access-token", token.to_owned())));
    fields
}

/// The header fields of a recorded request to WooCommerce.
fn of_woocommerce(request: &Value) -> Vec<(&'static str, String)> {
    let basic = STANDARD.encode(request["basic"].as_str().unwrap());
    vec![("accept", "*/*".to_owned()), ("authorization", format!("Basic {basic}"))]
}

#[tokio::test]
async fn shopify_keeps_the_contract_over_recorded_exchanges() {
    let cassette = Cassette::new(Recording::new(SHOPIFY, of_shopify)).await;
    let (shops, shop) = (at(&cassette.url()), shop(SourceKind::Shopify, DOMAIN));
    let grant = contract::a_code_gives_a_grant_once(&shops, Live, DOMAIN, CODE).await;
    assert_eq!((grant.token.as_str(), grant.webhook_secret.as_str()), (TOKEN, "hush"));
    contract::subscribing_again_changes_nothing(&shops, Live, &shop).await;
    contract::orders_come_page_by_page(&shops, Live, &shop).await;
    contract::orders_are_those_that_changed_in_time(&shops, Live, &shop).await;
    contract::a_wrong_token_is_refused(&shops, Live, &shop).await;
    contract::a_shop_on_no_platform_has_no_orders(&shops, Live, &shop).await;
    cassette.assert_all_used();
}

#[tokio::test]
async fn woocommerce_keeps_the_contract_over_recorded_exchanges() {
    let cassette = Cassette::new(Recording::new(WOOCOMMERCE, of_woocommerce)).await;
    let (shops, shop) = (at(&cassette.url()), shop(SourceKind::Woocommerce, "shop.example.com"));
    contract::orders_come_page_by_page(&shops, Live, &shop).await;
    contract::orders_are_those_that_changed_in_time(&shops, Live, &shop).await;
    contract::a_wrong_token_is_refused(&shops, Live, &shop).await;
    contract::a_shop_on_no_platform_has_no_orders(&shops, Live, &shop).await;
    cassette.assert_all_used();
}

#[test]
fn shopifys_page_of_consent_and_signature_are_those_of_its_documentation() {
    let shops = at("http://127.0.0.1:1");
    let page = contract::consent_leads_to_the_shop_and_back(&shops, Live, DOMAIN);
    let expected = "https://some-shop.myshopify.com/admin/oauth/authorize\
         ?client_id=c48a7094d1f9c0dd9ef2e0eb46b7c3cf&scope=read_orders\
         &redirect_uri=http%3A%2F%2F127.0.0.1%3A8080%2Fback&state=0.6784241404160823";
    assert_eq!(page, expected);
    let query = [
        ("code", CODE),
        ("hmac", "700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf"),
        ("shop", DOMAIN),
        ("state", contract::STATE),
        ("timestamp", "1337178173"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    contract::only_what_the_platform_signed_is_genuine(&shops, Live, &query);
}

#[tokio::test]
async fn shops_of_the_sandbox_keep_the_contract() {
    let shops = sandbox();
    for (source, domain) in BOTH.into_iter().zip([DOMAIN, "shop.example.com"]) {
        let shop = shop(source, domain);
        contract::orders_come_page_by_page(&shops, Sandbox, &shop).await;
        contract::orders_are_those_that_changed_in_time(&shops, Sandbox, &shop).await;
        contract::a_wrong_token_is_refused(&shops, Sandbox, &shop).await;
        contract::a_shop_on_no_platform_has_no_orders(&shops, Sandbox, &shop).await;
        let away = ShopAccess { domain: format!("away-{domain}"), ..shop };
        contract::a_shop_that_is_away_gives_no_answer(&shops, Sandbox, &away).await;
    }
}

#[tokio::test]
async fn consents_of_the_sandbox_keep_the_contract() {
    let shops = sandbox();
    let page = contract::consent_leads_to_the_shop_and_back(&shops, Sandbox, DOMAIN);
    let page = Url::parse(&page).unwrap();
    let query: Vec<(String, String)> = page.query_pairs().into_owned().collect();
    contract::only_what_the_platform_signed_is_genuine(&shops, Sandbox, &query);
    let code = &query.iter().find(|(name, _)| name == "code").unwrap().1;
    let grant = contract::a_code_gives_a_grant_once(&shops, Sandbox, DOMAIN, code).await;
    let shop = ShopAccess { token: grant.token, ..shop(SourceKind::Shopify, DOMAIN) };
    contract::subscribing_again_changes_nothing(&shops, Sandbox, &shop).await;
    assert_eq!(shops.orders(Sandbox, &shop, &first()).await.unwrap().orders.len(), 3);
    // Another consent has its own code.
    let page = shops.consent_page(Sandbox, DOMAIN, "another", contract::BACK).unwrap();
    let code = Url::parse(&page).unwrap().query_pairs().next().unwrap().1.into_owned();
    assert!(shops.grant(Sandbox, DOMAIN, &code).await.is_ok());
}

#[tokio::test]
async fn shops_of_the_sandbox_answer_as_their_names_say() {
    let shops = sandbox();
    for source in BOTH {
        for (name, count) in [("ana.myshopify.com", 3), ("empty.example.com", 0)] {
            let page = shops.orders(Sandbox, &shop(source, name), &first()).await.unwrap();
            assert_eq!((page.orders.len(), page.next), (count, None));
            for order in &page.orders {
                let read = read_listed(source, order).unwrap_or_else(|no| panic!("{no}: {order}"));
                assert_eq!(read.content.total_with_tax.to_string(), "24.4");
            }
        }
        let (mut counts, mut cursor) = (Vec::new(), None);
        for _ in 0..3 {
            let request = PageRequest { cursor, ..first() };
            let long = shop(source, "long.example.com");
            let page = shops.orders(Sandbox, &long, &request).await.unwrap();
            counts.push(page.orders.len());
            cursor = page.next;
        }
        assert_eq!((counts, cursor), (vec![250, 250, 100], None));
        contract::refused(shops.orders(Sandbox, &shop(source, "closed.x.y"), &first()).await);
    }
}

#[tokio::test]
async fn silence_is_no_refusal() {
    let long = "x".repeat(33 * 1_024 * 1_024);
    for (status, body) in [
        (500, "{}"),
        (503, ""),
        (429, r#"{"errors": "Exceeded 2 calls per second for api client."}"#),
        (301, ""),
        (200, "<html>"),
        (200, "{}"),
        (200, &long),
    ] {
        let body = body.to_owned();
        let stand_in = StandIn::new(move |_| Some((status, body.clone()))).await;
        let shops = at(&format!("http://{}", stand_in.address));
        for source in BOTH {
            let shop = shop(source, DOMAIN);
            unanswered(shops.orders(Live, &shop, &first()).await);
        }
        unanswered(shops.grant(Live, DOMAIN, CODE).await);
        assert_eq!(stand_in.asked().len(), 3, "nothing is sent twice by itself");
    }
    let stand_in = StandIn::new(|_| None).await;
    let shops = at(&format!("http://{}", stand_in.address));
    for source in BOTH {
        let away = shop(source, DOMAIN);
        contract::a_shop_that_is_away_gives_no_answer(&shops, Live, &away).await;
    }
}

#[tokio::test]
async fn a_server_that_is_no_app_of_shopify_asks_it_for_no_consent() {
    let shops = sandbox();
    let none = shops.consent_page(Live, DOMAIN, "s", contract::BACK);
    assert_eq!(none, Err(PlatformError::NotConnected));
    assert_eq!(shops.grant(Live, DOMAIN, CODE).await, Err(PlatformError::NotConnected));
    let page = shops.consent_page(Sandbox, DOMAIN, "s", contract::BACK).unwrap();
    let query: Vec<_> = Url::parse(&page).unwrap().query_pairs().into_owned().collect();
    assert!(shops.is_genuine(Sandbox, &query) && !shops.is_genuine(Live, &query));
}
