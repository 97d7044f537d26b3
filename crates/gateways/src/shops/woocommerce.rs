//! Orders of a shop on WooCommerce, by its REST API, version 3.
//!
//! By <https://woocommerce.github.io/woocommerce-rest-api-docs/>.

use racun_orders::{OrdersPage, PageRequest, PlatformError, ShopAccess};
use serde_json::Value as Json;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Duration, OffsetDateTime};

use super::Shops;

/// Orders of a page at most.
const MAX_LIMIT: u32 = 100;
/// A time without its zone. A shop would turn one with a zone into its own time, and compare that
/// with times in UTC, although `dates_are_gmt` says what is meant.
const TIME: &[BorrowedFormatItem<'static>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");

/// The whole second of `at` with `more`, as a shop reads it.
fn written(at: OffsetDateTime, more: Duration) -> Option<String> {
    at.to_offset(time::UtcOffset::UTC).checked_add(more)?.format(TIME).ok()
}

/// Consumer key and secret, which `token` is.
pub fn key_and_secret(token: &str) -> Result<(&str, &str), PlatformError> {
    token.split_once(':').ok_or_else(|| {
        let message = "access_token is consumer key and secret with a colon between them";
        PlatformError::Refused(message.to_owned())
    })
}

impl Shops {
    pub(super) async fn woocommerce_orders(
        &self,
        shop: &ShopAccess,
        page: &PageRequest,
    ) -> Result<OrdersPage, PlatformError> {
        let number: u64 = match page.cursor.as_deref() {
            None => 1,
            Some(text) => text.parse().map_err(|_| {
                PlatformError::Refused("the cursor is none of this shop".to_owned())
            })?,
        };
        let mut url = self.url(&shop.domain, "/wp-json/wc/v3/orders")?;
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("per_page", &page.limit.clamp(1, MAX_LIMIT).to_string());
            query.append_pair("page", &number.to_string());
            query.append_pair("orderby", "id");
            query.append_pair("order", "asc");
            query.append_pair("dates_are_gmt", "true");
            // Both ends are left out there, and asked for here.
            let second = Duration::SECOND;
            for (name, at, more) in
                [("modified_after", page.since, -second), ("modified_before", page.until, second)]
            {
                if let Some(at) = at.and_then(|at| written(at, more)) {
                    query.append_pair(name, &at);
                }
            }
        }
        let (key, secret) = key_and_secret(&shop.token)?;
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
