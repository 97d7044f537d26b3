//! Shopify: consent by OAuth, and orders of its REST Admin API.
//!
//! By <https://shopify.dev/docs/apps/build/authentication-authorization> and
//! <https://shopify.dev/docs/api/admin-rest>.

use std::fmt;

use racun_orders::platform::SHOPIFY_TOPICS;
use racun_orders::{Grant, OrdersPage, PageRequest, PlatformError, ShopAccess};
use ring::hmac;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use url::Url;

use super::Shops;

/// The version of the REST Admin API.
const VERSION: &str = "2025-10";
/// What the app asks for: orders of the last sixty days, and all where the shop lets it.
const SCOPES: &str = "read_orders";
/// Orders of a page at most.
const MAX_LIMIT: u32 = 250;
/// The header that opens a shop.
const TOKEN: &str = "x-shopify-access-token";
/// What Shopify says of a topic that has the same address already.
const TAKEN: &str = "has already been taken";
/// The parameter of the signature.
const HMAC: &str = "hmac";

/// The operator's app at Shopify.
#[derive(Clone)]
pub struct ShopifyApp {
    /// Its name there.
    pub client_id: String,
    /// Its secret, which signs what comes back and webhooks.
    pub client_secret: String,
}

impl fmt::Debug for ShopifyApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShopifyApp").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

impl ShopifyApp {
    /// The page on which the owner of `domain` consents.
    pub fn consent_page(
        &self,
        domain: &str,
        state: &str,
        back: &str,
    ) -> Result<String, PlatformError> {
        let page = format!("https://{domain}/admin/oauth/authorize");
        let query = [
            ("client_id", self.client_id.as_str()),
            ("scope", SCOPES),
            ("redirect_uri", back),
            ("state", state),
        ];
        let url = Url::parse_with_params(&page, query);
        url.map(String::from).map_err(|error| PlatformError::Refused(error.to_string()))
    }
}

/// What is signed of `query`: all but the signature, by name.
fn signed_text(query: &[(String, String)]) -> String {
    let mut parts: Vec<String> = query
        .iter()
        .filter(|(name, _)| name != HMAC)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    parts.sort();
    parts.join("&")
}

/// The signature of `query` by `secret`, in hexadecimal.
pub fn signature(secret: &str, query: &[(String, String)]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, signed_text(query).as_bytes());
    tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether `query` is signed by `secret`, once.
pub fn is_signed(secret: &str, query: &[(String, String)]) -> bool {
    let mut shown = query.iter().filter(|(name, _)| name == HMAC).map(|(_, value)| value);
    let (Some(hex), None) = (shown.next(), shown.next()) else { return false };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = decoded(hex);
    tag.is_some_and(|tag| hmac::verify(&key, signed_text(query).as_bytes(), &tag).is_ok())
}

fn decoded(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || hex.len() != 64 {
        return None;
    }
    let pair = |start: usize| u8::from_str_radix(hex.get(start..start + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(pair).collect()
}

impl Shops {
    pub(super) async fn shopify_grant(
        &self,
        app: &ShopifyApp,
        domain: &str,
        code: &str,
    ) -> Result<Grant, PlatformError> {
        #[derive(Deserialize)]
        struct Body {
            access_token: String,
            scope: Option<String>,
        }
        let url = self.url(domain, "/admin/oauth/access_token")?;
        let body = json!({
            "client_id": app.client_id, "client_secret": app.client_secret, "code": code,
        });
        let (_, answer) = self.ask(self.http.post(url).json(&body)).await?;
        let read: Result<Body, _> = serde_json::from_value(answer);
        let no_token = |_| PlatformError::NoAnswer("its answer has no token".to_owned());
        let Body { access_token, scope } = read.map_err(no_token)?;
        Ok(Grant { token: access_token, scopes: scope, webhook_secret: app.client_secret.clone() })
    }

    /// Subscribes to each topic; one that is there already stays.
    pub(super) async fn shopify_subscribe(
        &self,
        shop: &ShopAccess,
        address: &str,
    ) -> Result<(), PlatformError> {
        for topic in SHOPIFY_TOPICS {
            let url = self.url(&shop.domain, &format!("/admin/api/{VERSION}/webhooks.json"))?;
            let body = json!({
                "webhook": { "topic": topic, "address": address, "format": "json" },
            });
            let request = self.http.post(url).header(TOKEN, &shop.token).json(&body);
            match self.ask(request).await {
                Ok(_) => {}
                Err(PlatformError::Refused(said)) if said.contains(TAKEN) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) async fn shopify_orders(
        &self,
        shop: &ShopAccess,
        page: &PageRequest,
    ) -> Result<OrdersPage, PlatformError> {
        let mut url = self.url(&shop.domain, &format!("/admin/api/{VERSION}/orders.json"))?;
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("limit", &page.limit.clamp(1, MAX_LIMIT).to_string());
            // A further page is asked for by its name alone.
            if let Some(cursor) = &page.cursor {
                query.append_pair("page_info", cursor);
            } else {
                query.append_pair("status", "any");
                for (name, at) in [("updated_at_min", page.since), ("updated_at_max", page.until)] {
                    if let Some(at) = at.and_then(written) {
                        query.append_pair(name, &at);
                    }
                }
            }
        }
        let request = self.http.get(url).header(TOKEN, &shop.token);
        let (head, answer) = self.ask(request).await?;
        let Some(Json::Array(orders)) = answer.get("orders").cloned() else {
            return Err(PlatformError::NoAnswer("its answer has no orders".to_owned()));
        };
        Ok(OrdersPage { orders, next: head.link.as_deref().and_then(next_page) })
    }
}

/// A time as platforms read it.
pub fn written(at: OffsetDateTime) -> Option<String> {
    at.format(&Rfc3339).ok()
}

/// The name of the next page in a header `Link`.
fn next_page(link: &str) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let address = next.trim().strip_prefix('<')?.split('>').next()?;
    let url = Url::parse(address).ok()?;
    url.query_pairs().find(|(name, _)| name == "page_info").map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(query: &[(&str, &str)]) -> Vec<(String, String)> {
        query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_query_is_signed_by_the_secret_in_hexadecimal() {
        let query = [("code", "c-1"), ("shop", "ana.myshopify.com"), ("state", "s")];
        let own = signature("hush", &pairs(&query));
        let with = |hmac: &str| pairs(&[query.as_slice(), &[("hmac", hmac)]].concat());
        assert!(is_signed("hush", &with(&own)));
        assert!(!is_signed("other", &with(&own)));
        for hmac in ["", "00", &own[..63], &own.replace(&own[..2], "zz"), "é"] {
            assert!(!is_signed("hush", &with(hmac)), "{hmac}");
        }
    }

    #[test]
    fn the_next_page_is_named_in_the_link() {
        let first = "<https://a.myshopify.com/admin/orders.json?limit=2&page_info=abc>; \
                     rel=\"next\"";
        assert_eq!(next_page(first).as_deref(), Some("abc"));
        let before = "<https://a.myshopify.com/x?page_info=zz>; rel=\"previous\"";
        let middle = format!("{before}, {first}");
        assert_eq!(next_page(&middle).as_deref(), Some("abc"));
        for link in ["", "<x>; rel=\"next\"", "<https://a/x?page_info=zz>; rel=\"previous\""] {
            assert_eq!(next_page(link), None, "{link}");
        }
    }
}
