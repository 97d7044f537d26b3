//! The platforms that shops run on: a shop's consent, and its earlier orders.
//!
//! | Module        | Owns                                                          |
//! | ------------- | ------------------------------------------------------------- |
//! | `shopify`     | Shopify's consent by OAuth and its REST Admin API             |
//! | `woocommerce` | the REST API of a shop on WooCommerce                         |
//! | `simulator`   | shops of the sandbox, whose names say how they answer         |
//!
//! A tenant names the shop, so calls reach public addresses only.

mod shopify;
mod simulator;
mod woocommerce;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use racun_kernel::Environment;
use racun_orders::{
    Grant, OrdersPage, PageRequest, PlatformError, ShopAccess, ShopPlatforms, SourceKind,
};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value as Json;
use url::Url;

use crate::caller;
use crate::egress::{Guard, OwnNames, Reach, SystemNames};

pub use shopify::ShopifyApp;

/// A page of 250 orders with many lines.
const MAX_BODY_BYTES: usize = 32 * 1_024 * 1_024;
/// Characters of a platform's text that are kept.
const MAX_TEXT_CHARS: usize = 200;

/// How platforms are called.
#[derive(Debug, Clone, Default)]
pub struct ShopOptions {
    /// The operator's app at Shopify; `None`: no shop consents.
    pub shopify: Option<ShopifyApp>,
    /// How far calls go.
    pub reach: Reach,
    /// Whether shops are called on any address and without TLS, as in tests; otherwise on public
    /// ones.
    pub allow_private: bool,
    /// The base of every shop, in the place of its own host: for tests.
    pub base: Option<String>,
}

/// Until a page is there whole.
const PATIENCE: Duration = Duration::from_secs(30);

/// The platforms.
pub struct Shops {
    http: Client,
    guard: Guard,
    shopify: Option<ShopifyApp>,
    base: Option<String>,
    consents: simulator::Consents,
}

impl Shops {
    /// Clients of the platforms. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS.
    pub fn new(options: ShopOptions) -> Result<Self, String> {
        let ShopOptions { shopify, reach, allow_private, base } = options;
        let guard = match reach {
            Reach::Everywhere => Guard::new(Arc::new(SystemNames), allow_private, reach),
            Reach::ThisMachine => Guard::new(Arc::new(OwnNames), allow_private, reach),
        };
        let http = caller::client(&guard, PATIENCE)?;
        Ok(Self { http, guard, shopify, base, consents: simulator::Consents::default() })
    }

    /// The address of `path` at the shop `domain`.
    fn url(&self, domain: &str, path: &str) -> Result<Url, PlatformError> {
        let base = self.base.clone().unwrap_or_else(|| format!("https://{domain}"));
        let refused = |why: String| PlatformError::Refused(why);
        let url =
            self.guard.read(&format!("{base}{path}")).map_err(|no| refused(no.to_string()))?;
        self.guard.check_reach(&url).map_err(|no| refused(no.to_string()))?;
        Ok(url)
    }

    /// The head and the body of the answer to `request`.
    async fn ask(&self, request: RequestBuilder) -> Result<(Answered, Json), PlatformError> {
        let silent = |why: String| PlatformError::NoAnswer(why);
        let answer =
            request.send().await.map_err(|error| silent(error.without_url().to_string()))?;
        let head = Answered::of(&answer);
        let body = caller::whole(answer, MAX_BODY_BYTES).await;
        let body = body.map_err(|error| silent(error.without_url().to_string()))?;
        let body = body.ok_or_else(|| silent("its answer is longer than a page".to_owned()))?;
        match head.status {
            200 | 201 => {
                let read = serde_json::from_slice(&body);
                Ok((head, read.map_err(|_| silent("its answer is no JSON".to_owned()))?))
            }
            400 | 401 | 402 | 403 | 404 | 406 | 422 | 423 => {
                let said = String::from_utf8_lossy(&body);
                let said: String = said.chars().take(MAX_TEXT_CHARS).collect();
                Err(PlatformError::Refused(format!("{}: {said}", head.status)))
            }
            status => Err(silent(format!("it answered {status}"))),
        }
    }
}

/// The head of an answer.
struct Answered {
    status: u16,
    /// The header `Link`.
    link: Option<String>,
    /// The header `X-WP-TotalPages`.
    pages: Option<u64>,
}

impl Answered {
    fn of(answer: &Response) -> Self {
        let header = |name: &str| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
        Self {
            status: answer.status().as_u16(),
            link: header("link"),
            pages: header("x-wp-totalpages").and_then(|text| text.parse().ok()),
        }
    }
}

#[async_trait]
impl ShopPlatforms for Shops {
    fn consent_page(
        &self,
        environment: Environment,
        domain: &str,
        state: &str,
        back: &str,
    ) -> Result<String, PlatformError> {
        match (environment, &self.shopify) {
            (Environment::Sandbox, _) => simulator::consent_page(domain, state, back),
            (Environment::Live, Some(app)) => app.consent_page(domain, state, back),
            (Environment::Live, None) => Err(PlatformError::NotConnected),
        }
    }

    fn is_genuine(&self, environment: Environment, query: &[(String, String)]) -> bool {
        match (environment, &self.shopify) {
            (Environment::Sandbox, _) => shopify::is_signed(simulator::SECRET, query),
            (Environment::Live, Some(app)) => shopify::is_signed(&app.client_secret, query),
            (Environment::Live, None) => false,
        }
    }

    async fn grant(
        &self,
        environment: Environment,
        domain: &str,
        code: &str,
    ) -> Result<Grant, PlatformError> {
        match (environment, &self.shopify) {
            (Environment::Sandbox, _) => self.consents.grant(domain, code),
            (Environment::Live, Some(app)) => self.shopify_grant(app, domain, code).await,
            (Environment::Live, None) => Err(PlatformError::NotConnected),
        }
    }

    async fn subscribe(
        &self,
        environment: Environment,
        shop: &ShopAccess,
        address: &str,
    ) -> Result<(), PlatformError> {
        match environment {
            Environment::Sandbox => simulator::open(shop),
            Environment::Live => self.shopify_subscribe(shop, address).await,
        }
    }

    async fn orders(
        &self,
        environment: Environment,
        shop: &ShopAccess,
        page: &PageRequest,
    ) -> Result<OrdersPage, PlatformError> {
        match (environment, shop.source) {
            (Environment::Sandbox, _) => simulator::orders(shop, page),
            (Environment::Live, SourceKind::Shopify) => self.shopify_orders(shop, page).await,
            (Environment::Live, SourceKind::Woocommerce) => {
                self.woocommerce_orders(shop, page).await
            }
            (Environment::Live, SourceKind::Manual) => Err(PlatformError::NotConnected),
        }
    }
}
