//! Shops of the sandbox. Their names say how they answer:
//!
//! | The name begins with | What it does                                        |
//! | -------------------- | --------------------------------------------------- |
//! | `empty`              | it has no orders                                    |
//! | `long`               | it has 600 orders                                   |
//! | `away`               | it does not answer                                  |
//! | `closed`             | it refuses what it is asked                         |
//! | anything else        | it has three orders                                 |
//!
//! A token opens each of them, unless it begins with `wrong`. Consent is given at once: its page is
//! the one that it leads back to. Each has its own code.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use racun_orders::{Grant, OrdersPage, PageRequest, PlatformError, ShopAccess, SourceKind};
use serde_json::{Value as Json, json};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use url::Url;

use super::shopify::{signature, written};
use super::woocommerce::key_and_secret;

/// What the sandbox's consents and webhooks are signed with: no secret.
pub const SECRET: &str = "sandbox";
/// What codes of consents begin with.
const CODE: &str = "sandbox-consent-";
/// Used codes that are kept at most.
const MOST: usize = 1_000;
/// When the first order of a shop changed; each further one a minute later.
const FIRST: OffsetDateTime = datetime!(2026-01-05 08:00 UTC);
/// Orders of a page at most.
const MAX_LIMIT: u32 = 250;

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Where the consent leads back to, as if it had been given.
pub fn consent_page(domain: &str, state: &str, back: &str) -> Result<String, PlatformError> {
    let (shop, state) = (pair("shop", domain), pair("state", state));
    let code = CODE.to_owned() + &signature(SECRET, &[shop.clone(), state.clone()]);
    let mut query = vec![pair("code", &code), shop, state, pair("timestamp", "0")];
    query.push(pair("hmac", &signature(SECRET, &query)));
    let url = Url::parse_with_params(back, query);
    url.map(String::from).map_err(|error| PlatformError::Refused(error.to_string()))
}

/// The consents whose codes were used, as far as this process knows.
#[derive(Default)]
pub struct Consents(Mutex<HashSet<(String, String)>>);

impl Consents {
    /// What a consent gives for its code, once.
    pub fn grant(&self, domain: &str, code: &str) -> Result<Grant, PlatformError> {
        answers(domain)?;
        // No code that can panic runs under the lock.
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= MOST {
            used.clear();
        }
        if !code.starts_with(CODE) || !used.insert(pair(domain, code)) {
            return Err(PlatformError::Refused("the code is none, or was used".to_owned()));
        }
        Ok(Grant {
            token: "shpat_sandbox".to_owned(),
            scopes: Some("read_orders".to_owned()),
            webhook_secret: SECRET.to_owned(),
        })
    }
}

/// Whether the token of `shop` opens it.
pub fn open(shop: &ShopAccess) -> Result<(), PlatformError> {
    answers(&shop.domain)?;
    if shop.source == SourceKind::Woocommerce {
        key_and_secret(&shop.token)?;
    }
    match shop.token.starts_with("wrong") {
        true => Err(PlatformError::Refused("401: the token is wrong".to_owned())),
        false => Ok(()),
    }
}

/// Whether the shop does what it is asked.
fn answers(domain: &str) -> Result<(), PlatformError> {
    if domain.starts_with("away") {
        return Err(PlatformError::NoAnswer("the shop is away".to_owned()));
    }
    if domain.starts_with("closed") {
        return Err(PlatformError::Refused("402: the shop is closed".to_owned()));
    }
    Ok(())
}

/// A page of a shop's orders.
pub fn orders(shop: &ShopAccess, page: &PageRequest) -> Result<OrdersPage, PlatformError> {
    open(shop)?;
    let count: u32 = match &shop.domain {
        domain if domain.starts_with("empty") => 0,
        domain if domain.starts_with("long") => 600,
        _ => 3,
    };
    let changed = |n: u32| FIRST + Duration::minutes(i64::from(n));
    let is_asked = |n: &u32| {
        let at = changed(*n);
        page.since.is_none_or(|since| at >= since) && page.until.is_none_or(|until| at <= until)
    };
    let begin: u32 = match page.cursor.as_deref() {
        None => 0,
        Some(text) => text.parse().map_err(|_| {
            PlatformError::Refused("400: page_info is none of this shop".to_owned())
        })?,
    };
    let mut asked = (begin..count).filter(is_asked);
    let limit = usize::try_from(page.limit.clamp(1, MAX_LIMIT)).unwrap_or(1);
    let own: Vec<u32> = asked.by_ref().take(limit).collect();
    let next = asked.next().map(|n| n.to_string());
    let order = match shop.source {
        SourceKind::Shopify => of_shopify,
        SourceKind::Woocommerce => of_woocommerce,
        SourceKind::Manual => return Err(PlatformError::NotConnected),
    };
    Ok(OrdersPage { orders: own.iter().map(|n| order(*n, changed(*n))).collect(), next })
}

fn of_shopify(n: u32, at: OffsetDateTime) -> Json {
    let at = written(at);
    json!({
        "id": 5_000_000_u64 + u64::from(n), "name": format!("#{}", 1_001 + u64::from(n)),
        "email": "kupec@example.com", "currency": "EUR", "taxes_included": true,
        "total_price": "24.40", "total_tax": "4.40", "total_discounts": "0.00",
        "financial_status": "paid", "payment_gateway_names": ["shopify_payments"],
        "created_at": at, "updated_at": at, "processed_at": at,
        "billing_address": {
            "name": "Bor Kos", "address1": "Trg 3", "city": "Kranj", "zip": "4000",
            "country": "Slovenia", "country_code": "SI",
        },
        "line_items": [{
            "id": 9_000_000_u64 + u64::from(n), "name": "Tea", "quantity": 2, "price": "12.20",
            "tax_lines": [{"rate": "0.22", "price": "4.40", "title": "VAT"}],
        }],
    })
}

fn of_woocommerce(n: u32, at: OffsetDateTime) -> Json {
    let at = written(at).map(|text| text.trim_end_matches('Z').to_owned());
    json!({
        "id": 5_000_000_u64 + u64::from(n), "number": (1_001 + u64::from(n)).to_string(),
        "status": "processing", "currency": "EUR", "prices_include_tax": true,
        "date_created_gmt": at, "date_modified_gmt": at, "date_paid_gmt": at,
        "discount_total": "0.00", "shipping_total": "0.00", "total": "24.40", "total_tax": "4.40",
        "payment_method": "stripe",
        "billing": {
            "first_name": "Bor", "last_name": "Kos", "address_1": "Trg 3", "city": "Kranj",
            "postcode": "4000", "country": "SI", "email": "kupec@example.com",
        },
        "line_items": [{
            "id": 9_000_000_u64 + u64::from(n), "name": "Tea", "quantity": 2, "price": 10,
            "subtotal": "20.00", "subtotal_tax": "4.40", "total": "20.00", "total_tax": "4.40",
            "taxes": [{"id": 1, "total": "4.40"}],
        }],
        "tax_lines": [{"rate_id": 1, "rate_percent": 22, "label": "VAT"}],
    })
}
