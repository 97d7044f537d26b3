//! For tests only, and unstable: the contract that every adapter to platforms must pass.
//!
//! It knows a shop with three orders, which changed on 5 January 2026 at 8:00, 8:01 and 8:02 (UTC).
//! What is asked is always the same, so that recorded exchanges can answer it, too.

use racun_kernel::Environment;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::platform::read_listed;
use crate::{Grant, OrdersPage, PageRequest, PlatformError, ShopAccess, ShopPlatforms, SourceKind};

/// Where consent leads back to.
pub const BACK: &str = "http://127.0.0.1:8080/back";
/// The same, as the value in a query.
const BACK_ESCAPED: &str = "http%3A%2F%2F127.0.0.1%3A8080%2Fback";
/// What comes back with a consent.
pub const STATE: &str = "0.6784241404160823";
/// Where a shop posts its orders.
const HOOK: &str = "https://racun.example/order-integrations/oint_1/webhooks/shopify";
/// When the orders of the shop changed.
const CHANGED: [OffsetDateTime; 3] = [
    datetime!(2026-01-05 08:00 UTC),
    datetime!(2026-01-05 08:01 UTC),
    datetime!(2026-01-05 08:02 UTC),
];

/// That `answer` is a refusal.
///
/// # Panics
/// When it is none.
#[track_caller]
pub fn refused<T: std::fmt::Debug>(answer: Result<T, PlatformError>) {
    assert!(matches!(answer, Err(PlatformError::Refused(_))), "expected a refusal: {answer:?}");
}

/// That nothing is known, as `answer` says.
///
/// # Panics
/// When something is.
#[track_caller]
pub fn unanswered<T: std::fmt::Debug>(answer: Result<T, PlatformError>) {
    assert!(matches!(answer, Err(PlatformError::NoAnswer(_))), "expected silence: {answer:?}");
}

/// The page of consent names the shop, and leads back with the state.
///
/// # Panics
/// When the platforms do not keep the contract.
pub fn consent_leads_to_the_shop_and_back(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    domain: &str,
) -> String {
    let page = platforms.consent_page(environment, domain, STATE, BACK).expect("a page");
    assert!(page.contains(domain), "{page}");
    assert!(page.contains(&format!("state={STATE}")), "{page}");
    assert!(page.starts_with(BACK) || page.contains(BACK_ESCAPED), "{page}");
    page
}

/// The `query` that the platform signed is genuine, in any order; one that was altered, has more,
/// less or another signature is not.
///
/// # Panics
/// When the platforms do not keep the contract.
pub fn only_what_the_platform_signed_is_genuine(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    query: &[(String, String)],
) {
    let is_genuine = |query: &[(String, String)]| platforms.is_genuine(environment, query);
    assert!(is_genuine(query), "{query:?}");
    let turned: Vec<_> = query.iter().rev().cloned().collect();
    assert!(is_genuine(&turned), "{turned:?}");
    for (n, (name, _)) in query.iter().enumerate() {
        let mut altered = query.to_vec();
        altered[n].1.push('0');
        assert!(!is_genuine(&altered), "another {name}");
        let mut less = query.to_vec();
        less.remove(n);
        assert!(!is_genuine(&less), "no {name}");
        let mut twice = query.to_vec();
        twice.push(query[n].clone());
        assert!(!is_genuine(&twice), "{name} twice");
    }
    assert!(!is_genuine(&[]), "nothing");
}

/// The `code` that came back gives what opens the orders of the shop `domain`, once; another code
/// gives nothing.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn a_code_gives_a_grant_once(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    domain: &str,
    code: &str,
) -> Grant {
    refused(platforms.grant(environment, domain, "another-code").await);
    let grant = platforms.grant(environment, domain, code).await.expect("a grant");
    assert!(!grant.token.is_empty() && !grant.webhook_secret.is_empty(), "{grant:?}");
    assert!(grant.scopes.as_deref().is_some_and(|all| all.contains("read_orders")), "{grant:?}");
    refused(platforms.grant(environment, domain, code).await);
    grant
}

/// A shop takes it as often as wanted where its orders go.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn subscribing_again_changes_nothing(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
) {
    for _ in 0..2 {
        assert_eq!(platforms.subscribe(environment, shop, HOOK).await, Ok(()));
    }
}

/// Ids and times of the orders of `page`.
fn read(shop: &ShopAccess, page: &OrdersPage) -> Vec<(OffsetDateTime, String)> {
    let read = |order| match read_listed(shop.source, order) {
        Ok(incoming) => (incoming.updated_at.expect("a time of change"), incoming.source_id),
        Err(issues) => panic!("{issues}: {order}"),
    };
    page.orders.iter().map(read).collect()
}

/// What the pages from the one that `request` asks for to the last have, sorted.
async fn all(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
    mut request: PageRequest,
) -> Vec<(OffsetDateTime, String)> {
    let most = usize::try_from(request.limit).expect("a limit");
    let mut found = Vec::new();
    // More pages than orders would never end.
    for _ in 0..=CHANGED.len() {
        let page = platforms.orders(environment, shop, &request).await.expect("a page");
        assert!(page.orders.len() <= most, "{} orders, not {most}", page.orders.len());
        found.extend(read(shop, &page));
        match page.next {
            Some(next) => request.cursor = Some(next),
            None => {
                found.sort();
                return found;
            }
        }
    }
    panic!("there is always a further page: {found:?}");
}

fn times(found: Vec<(OffsetDateTime, String)>) -> Vec<OffsetDateTime> {
    found.into_iter().map(|(at, _)| at).collect()
}

/// Each order of `shop` comes once, a page of as many as were asked for after the other, and the
/// last page says that it is that. A page that does not exist is refused.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn orders_come_page_by_page(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
) {
    let first = PageRequest { limit: 2, ..PageRequest::default() };
    let page = platforms.orders(environment, shop, &first).await.expect("a page");
    assert_eq!((page.orders.len(), page.next.is_some()), (2, true), "the first of two pages");
    let paged = all(platforms, environment, shop, first.clone()).await;
    let mut ids: Vec<&str> = paged.iter().map(|(_, id)| id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), CHANGED.len(), "{paged:?}");
    // More than a platform gives at once.
    let at_once = PageRequest { limit: u32::MAX, ..PageRequest::default() };
    assert_eq!(all(platforms, environment, shop, at_once).await, paged);
    assert_eq!(times(paged), CHANGED);
    let nowhere = PageRequest { cursor: Some("no-such-page".to_owned()), ..first };
    refused(platforms.orders(environment, shop, &nowhere).await);
}

/// Orders are those that changed in the time asked for, its ends included, on each page.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn orders_are_those_that_changed_in_time(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
) {
    let [first, second, third] = CHANGED;
    let later = datetime!(2026-01-05 08:02:01 UTC);
    for (since, until, limit, expected) in [
        (Some(second), None, 2, &CHANGED[1..]),
        (None, Some(second), 2, &CHANGED[..2]),
        (Some(second), Some(second), 2, &CHANGED[1..2]),
        (Some(later), None, 2, &[]),
        // Further pages keep to it, too.
        (Some(first), Some(third), 1, &CHANGED),
        (Some(second), None, 1, &CHANGED[1..]),
    ] {
        let request = PageRequest { since, until, limit, cursor: None };
        let found = all(platforms, environment, shop, request).await;
        assert_eq!(times(found), expected, "since {since:?} until {until:?}");
    }
}

/// A token that is not the shop's opens nothing.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn a_wrong_token_is_refused(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
) {
    let token = match shop.source {
        SourceKind::Woocommerce => "wrong-key:wrong-secret",
        SourceKind::Shopify | SourceKind::Manual => "wrong-token",
    };
    let stranger = ShopAccess { token: token.to_owned(), ..shop.clone() };
    let page = PageRequest { limit: 2, ..PageRequest::default() };
    refused(platforms.orders(environment, &stranger, &page).await);
    if shop.source == SourceKind::Shopify {
        refused(platforms.subscribe(environment, &stranger, HOOK).await);
    } else {
        let half = ShopAccess { token: "key-without-secret".to_owned(), ..shop.clone() };
        refused(platforms.orders(environment, &half, &page).await);
    }
}

/// Of a shop that is away nothing is known, whatever it is asked.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn a_shop_that_is_away_gives_no_answer(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
) {
    let page = PageRequest { limit: 2, ..PageRequest::default() };
    unanswered(platforms.orders(environment, shop, &page).await);
    if shop.source == SourceKind::Shopify {
        unanswered(platforms.subscribe(environment, shop, HOOK).await);
        unanswered(platforms.grant(environment, &shop.domain, "a-code").await);
    }
}

/// What is on no platform has no orders there.
///
/// # Panics
/// When the platforms do not keep the contract.
pub async fn a_shop_on_no_platform_has_no_orders(
    platforms: &dyn ShopPlatforms,
    environment: Environment,
    shop: &ShopAccess,
) {
    let own = ShopAccess { source: SourceKind::Manual, ..shop.clone() };
    let page = PageRequest { limit: 2, ..PageRequest::default() };
    let found = platforms.orders(environment, &own, &page).await;
    assert_eq!(found, Err(PlatformError::NotConnected));
}
