//! Shops of the sandbox, and what is asked of real ones.

use racun_gateways::{Reach, ShopOptions, ShopifyApp, Shops};
use racun_kernel::Environment::{Live, Sandbox};
use racun_orders::platform::SHOPIFY_TOPICS;
use racun_orders::platform::read_listed;
use racun_orders::{PageRequest, PlatformError, ShopAccess, ShopPlatforms, SourceKind};
use time::macros::datetime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

fn shop(source: SourceKind, domain: &str, token: &str) -> ShopAccess {
    ShopAccess { source, domain: domain.to_owned(), token: token.to_owned() }
}

fn first() -> PageRequest {
    PageRequest { limit: 250, ..PageRequest::default() }
}

#[tokio::test]
async fn shops_of_the_sandbox_answer_as_their_names_say() {
    let shops = Shops::new(ShopOptions::default()).unwrap();
    for source in [SourceKind::Shopify, SourceKind::Woocommerce] {
        for (name, count) in [("ana.myshopify.com", 3), ("empty.example.com", 0)] {
            let page = shops.orders(Sandbox, &shop(source, name, "t"), &first()).await.unwrap();
            assert_eq!((page.orders.len(), page.next), (count, None));
            for order in &page.orders {
                let read = read_listed(source, order).unwrap_or_else(|no| panic!("{no}: {order}"));
                assert_eq!(read.content.total_with_tax.to_string(), "24.4");
            }
        }
        let long = shop(source, "long.example.com", "t");
        let (mut seen, mut cursor) = (0, None);
        for expected in [250, 250, 100] {
            let request = PageRequest { cursor, ..first() };
            let page = shops.orders(Sandbox, &long, &request).await.unwrap();
            assert_eq!(page.orders.len(), expected);
            seen += page.orders.len();
            cursor = page.next;
        }
        assert_eq!((seen, cursor), (600, None));
        let since = PageRequest { since: Some(datetime!(2026-01-05 17:58 UTC)), ..first() };
        assert_eq!(shops.orders(Sandbox, &long, &since).await.unwrap().orders.len(), 2);
    }
    let away = shops.orders(Sandbox, &shop(SourceKind::Shopify, "away.x.y", "t"), &first()).await;
    assert!(matches!(away, Err(PlatformError::NoAnswer(_))), "{away:?}");
    let closed = shop(SourceKind::Shopify, "closed.x.y", "t");
    let closed = shops.orders(Sandbox, &closed, &first()).await;
    assert!(matches!(closed, Err(PlatformError::Refused(_))), "{closed:?}");
}

#[tokio::test]
async fn a_consent_of_the_sandbox_leads_back_signed() {
    let shops = Shops::new(ShopOptions::default()).unwrap();
    let page = shops.consent_page(Sandbox, "ana.myshopify.com", "s.t", "https://r.example/back");
    let page = url::Url::parse(&page.unwrap()).unwrap();
    assert_eq!(page.path(), "/back");
    let mut query: Vec<(String, String)> = page.query_pairs().into_owned().collect();
    assert!(shops.is_genuine(Sandbox, &query));
    let code = query.iter().find(|(name, _)| name == "code").unwrap().1.clone();
    let grant = shops.grant(Sandbox, "ana.myshopify.com", &code).await.unwrap();
    assert_eq!(grant.token, "shpat_sandbox");
    query[1].1 = "eva.myshopify.com".to_owned();
    assert!(!shops.is_genuine(Sandbox, &query));
    assert!(!shops.is_genuine(Live, &query), "there is no app");
    let none = shops.consent_page(Live, "ana.myshopify.com", "s", "https://r.example/back");
    assert_eq!(none, Err(PlatformError::NotConnected));
}

/// Answers one request with `answer`; what it was asked.
async fn answered(listener: TcpListener, answer: String) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let (mut asked, mut buffer) = (String::new(), [0; 4_096]);
    while !asked.contains("\r\n\r\n") {
        let read = stream.read(&mut buffer).await.unwrap();
        asked.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    asked
}

fn response(head: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{head}\r\n{body}", body.len())
}

/// What a shop of `source` is asked; its `answer` has to be read as one order and a further page.
async fn asks(source: SourceKind, token: &str, request: &PageRequest, answer: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let app = ShopifyApp { client_id: "app".to_owned(), client_secret: "hush".to_owned() };
    let options = ShopOptions {
        shopify: Some(app),
        reach: Reach::ThisMachine,
        allow_private: true,
        base: Some(base),
    };
    let shops = Shops::new(options).unwrap();
    let serving = tokio::spawn(answered(listener, answer));
    let page = shops.orders(Live, &shop(source, "a.example.com", token), request).await.unwrap();
    assert_eq!((page.orders.len(), page.next.as_deref()), (1, Some("2")));
    serving.await.unwrap()
}

#[tokio::test]
async fn shopify_is_asked_as_its_reference_says() {
    let link = "link: <https://a.example.com/x?limit=1&page_info=2>; rel=\"next\"\r\n";
    let answer = response(link, "{\"orders\": [{\"id\": 1}]}");
    let since = Some(datetime!(2026-01-05 08:00 UTC));
    let request = PageRequest { since, limit: 1, ..PageRequest::default() };
    let asked = asks(SourceKind::Shopify, "shpat_1", &request, answer.clone()).await;
    let line = "GET /admin/api/2025-10/orders.json?limit=1&status=any&\
                updated_at_min=2026-01-05T08%3A00%3A00Z HTTP/1.1\r\n";
    assert!(asked.starts_with(line), "{asked}");
    assert!(asked.contains("x-shopify-access-token: shpat_1\r\n"), "{asked}");
    let further = PageRequest { cursor: Some("abc".to_owned()), ..request };
    let asked = asks(SourceKind::Shopify, "shpat_1", &further, answer).await;
    assert!(asked.starts_with("GET /admin/api/2025-10/orders.json?limit=1&page_info=abc HTTP"));
}

#[tokio::test]
async fn woocommerce_is_asked_as_its_reference_says() {
    let answer = response("x-wp-totalpages: 3\r\n", "[{\"id\": 1}]");
    let request = PageRequest { limit: 250, ..PageRequest::default() };
    let asked = asks(SourceKind::Woocommerce, "ck_1:cs_1", &request, answer).await;
    let line = "GET /wp-json/wc/v3/orders?per_page=100&page=1&orderby=id&order=asc&\
                dates_are_gmt=true HTTP/1.1\r\n";
    assert!(asked.starts_with(line), "{asked}");
    assert!(asked.contains("authorization: Basic Y2tfMTpjc18x\r\n"), "{asked}");
}

#[tokio::test]
async fn shopify_is_told_once_for_each_topic_where_orders_go() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let options = ShopOptions {
        reach: Reach::ThisMachine,
        allow_private: true,
        base: Some(base),
        ..ShopOptions::default()
    };
    let shops = Shops::new(options).unwrap();
    let serving = tokio::spawn(async move {
        let mut asked = Vec::new();
        for n in 0..SHOPIFY_TOPICS.len() {
            // It has one of them already.
            let (status, body) = match n {
                2 => ("422 Unprocessable Entity", TAKEN),
                _ => ("201 Created", "{\"webhook\": {\"id\": 1}}"),
            };
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            asked.push(posted(&listener, &answer).await);
        }
        asked
    });
    let ana = shop(SourceKind::Shopify, "ana.myshopify.com", "shpat_1");
    shops.subscribe(Live, &ana, "https://r.example/hook").await.unwrap();
    let asked = serving.await.unwrap();
    for (asked, topic) in asked.iter().zip(SHOPIFY_TOPICS) {
        assert!(asked.starts_with("POST /admin/api/2025-10/webhooks.json HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("x-shopify-access-token: shpat_1\r\n"), "{asked}");
        let body: serde_json::Value =
            serde_json::from_str(asked.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        let expected = serde_json::json!({
            "webhook": {"topic": topic, "address": "https://r.example/hook", "format": "json"},
        });
        assert_eq!(body, expected);
    }
}

/// What Shopify says of a topic that has this address.
const TAKEN: &str = "{\"errors\": {\"address\": [\"for this topic has already been taken\"]}}";

/// Answers one request that has a body with `answer`; what it was asked.
async fn posted(listener: &TcpListener, answer: &str) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let (mut asked, mut buffer) = (String::new(), [0; 4_096]);
    while !asked.ends_with('}') {
        let read = stream.read(&mut buffer).await.unwrap();
        asked.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    asked
}
