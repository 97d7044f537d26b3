//! Orders of a shop on WooCommerce, by its REST API, version 3.
//!
//! By <https://woocommerce.github.io/woocommerce-rest-api-docs/>.

use racun_orders::{OrdersPage, PageRequest, PlatformError, ShopAccess};
use serde_json::Value as Json;

use super::Shops;
use super::shopify::written;

/// Orders of a page at most.
const MAX_LIMIT: u32 = 100;

impl Shops {
    pub(super) async fn woocommerce_orders(
        &self,
        shop: &ShopAccess,
        page: &PageRequest,
    ) -> Result<OrdersPage, PlatformError> {
        let number: u64 = page.cursor.as_deref().and_then(|text| text.parse().ok()).unwrap_or(1);
        let mut url = self.url(&shop.domain, "/wp-json/wc/v3/orders")?;
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("per_page", &page.limit.clamp(1, MAX_LIMIT).to_string());
            query.append_pair("page", &number.to_string());
            query.append_pair("orderby", "id");
            query.append_pair("order", "asc");
            query.append_pair("dates_are_gmt", "true");
            for (name, at) in [("modified_after", page.since), ("modified_before", page.until)] {
                if let Some(at) = at.and_then(written) {
                    query.append_pair(name, &at);
                }
            }
        }
        let (key, secret) = shop.token.split_once(':').ok_or_else(|| {
            let message = "access_token is consumer key and secret with a colon between them";
            PlatformError::Refused(message.to_owned())
        })?;
        let request = self.http.get(url).basic_auth(key, Some(secret));
        let (head, answer) = self.ask(request).await?;
        let Json::Array(orders) = answer else {
            return Err(PlatformError::NoAnswer("its answer is no list of orders".to_owned()));
        };
        let is_last = head.pages.is_none_or(|pages| number >= pages);
        let next = (!is_last).then(|| number.saturating_add(1).to_string());
        Ok(OrdersPage { orders, next })
    }
}
