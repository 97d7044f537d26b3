//! The port to the platforms that shops run on: a shop's consent, and its earlier orders.

use std::fmt;

use async_trait::async_trait;
use racun_kernel::{Environment, Issue};
use serde_json::Value as Json;
use time::OffsetDateTime;

use crate::order::SourceKind;

/// A shop at a platform, and what opens its orders.
#[derive(Clone, PartialEq, Eq)]
pub struct ShopAccess {
    /// The platform.
    pub source: SourceKind,
    /// The shop's host.
    pub domain: String,
    /// Its token: an access token of Shopify; consumer key and secret of WooCommerce, with a colon
    /// between them.
    pub token: String,
}

impl fmt::Debug for ShopAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShopAccess").field("domain", &self.domain).finish_non_exhaustive()
    }
}

/// Which orders are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// Those that changed since.
    pub since: Option<OffsetDateTime>,
    /// Those that changed until then.
    pub until: Option<OffsetDateTime>,
    /// Where the page before ended, as the platform says it.
    pub cursor: Option<String>,
    /// How many at most.
    pub limit: u32,
}

/// A page of orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrdersPage {
    /// The orders, as the platform writes them.
    pub orders: Vec<Json>,
    /// Where the next page begins; `None` after the last one.
    pub next: Option<String>,
}

/// What a shop's owner consented to.
#[derive(Clone, PartialEq, Eq)]
pub struct Grant {
    /// What opens the shop's orders.
    pub token: String,
    /// What it opens, as the platform names it.
    pub scopes: Option<String>,
    /// What the platform signs its webhooks with.
    pub webhook_secret: String,
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

/// What a question to a platform came to when it was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// This server is no app of the platform.
    #[error("this server is no app of the platform; its operator can make it one")]
    NotConnected,
    /// The platform refused what it was asked.
    #[error("the platform refused it: {0}")]
    Refused(String),
    /// Nothing is known.
    #[error("the platform does not answer: {0}")]
    NoAnswer(String),
}

/// The platforms. Each call ends within a time limit, and may be repeated.
#[async_trait]
pub trait ShopPlatforms: Send + Sync {
    /// The page of Shopify on which the owner of `domain` consents; it leads to `back`, with
    /// `state`.
    ///
    /// # Errors
    /// [`PlatformError::NotConnected`].
    fn consent_page(
        &self,
        environment: Environment,
        domain: &str,
        state: &str,
        back: &str,
    ) -> Result<String, PlatformError>;

    /// Whether Shopify signed the query that came back.
    fn is_genuine(&self, environment: Environment, query: &[(String, String)]) -> bool;

    /// What Shopify gives for the `code` that came back.
    ///
    /// # Errors
    /// [`PlatformError`].
    async fn grant(
        &self,
        environment: Environment,
        domain: &str,
        code: &str,
    ) -> Result<Grant, PlatformError>;

    /// Has `shop`, which runs on Shopify, post its orders to `address` from now on. Doing it again
    /// changes nothing.
    ///
    /// # Errors
    /// [`PlatformError`].
    async fn subscribe(
        &self,
        environment: Environment,
        shop: &ShopAccess,
        address: &str,
    ) -> Result<(), PlatformError>;

    /// A page of the orders of `shop`.
    ///
    /// # Errors
    /// [`PlatformError`].
    async fn orders(
        &self,
        environment: Environment,
        shop: &ShopAccess,
        page: &PageRequest,
    ) -> Result<OrdersPage, PlatformError>;
}

/// The host of a shop at `source`, as its owner wrote it: in small letters, without a scheme.
///
/// # Errors
/// `invalid_domain`: at Shopify shops are below `myshopify.com`; elsewhere a host has a name.
pub fn shop_domain(source: SourceKind, text: &str) -> Result<String, Issue> {
    let host = text.trim().to_ascii_lowercase();
    let host = host.strip_prefix("https://").unwrap_or(&host).trim_end_matches('/').to_owned();
    let is_label = |label: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(is_sign)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_host = host.len() <= 253 && host.contains('.') && host.split('.').all(is_label);
    let (is_good, message) = match source {
        SourceKind::Shopify => (
            host.strip_suffix(".myshopify.com").is_some_and(is_label),
            "a shop of Shopify is named as my-shop.myshopify.com",
        ),
        SourceKind::Woocommerce | SourceKind::Manual => {
            (is_host, "the name of a host, as shop.example.com, without a path")
        }
    };
    if is_good { Ok(host) } else { Err(Issue::new("invalid_domain", message)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shop_is_named_by_its_host_alone() {
        let of = |source, text| shop_domain(source, text).ok();
        let shopify = |text| of(SourceKind::Shopify, text);
        assert_eq!(shopify(" https://Ana-1.myshopify.com/ "), Some("ana-1.myshopify.com".into()));
        for text in [
            "",
            "myshopify.com",
            ".myshopify.com",
            "a.b.myshopify.com",
            "ana.example.com",
            "ana.myshopify.com/admin",
            "ana.myshopify.com@evil.example.com",
            "evil.example.com#.myshopify.com",
            "-ana.myshopify.com",
        ] {
            assert_eq!(shopify(text), None, "{text}");
        }
        let woo = |text| of(SourceKind::Woocommerce, text);
        assert_eq!(woo("shop.example.com"), Some("shop.example.com".into()));
        for text in ["localhost", "shop.example.com/shop", "a:b@c.example", "ex ample.com", "a..b"]
        {
            assert_eq!(woo(text), None, "{text}");
        }
    }
}
