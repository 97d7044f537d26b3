//! How many requests are answered in a minute: by token, by address, and fewer where guessing pays.
//!
//! Buckets are fixed minutes of the clock. A request whose token is good counts for its token and
//! for its address; any other one counts for its address alone. Routes that are marked in the table
//! count in a small bucket of the address besides. A request that finds one of its buckets full is
//! refused and counted in none of them, so each bucket grants exactly what it holds.
//!
//! | Module       | Owns                                                           |
//! | ------------ | -------------------------------------------------------------- |
//! | `address`    | whose address a request counts for, and which proxies to trust |
//! | `heavy`      | how many lists, files and uploads are under way at once        |
//! | `in_process` | the counters of one process                                    |
//! | `pace`       | how much of the time one entity's statistics take              |
//! | `request`    | how much a request may take, and the rooms that it takes of    |
//! | `room`       | what requests share, with parts for accounts and addresses     |
//! | `rooms`      | what a body, a form and a large answer take of them            |

mod address;
mod heavy;
mod in_process;
mod pace;
mod request;
mod room;
mod rooms;

use std::cmp::Reverse;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpMessage as _, HttpRequest, web};
use racun_application::Services;
use racun_store::{Bucket, RateLimits, Taken};
use ring::digest::{SHA256, digest};
use time::OffsetDateTime;

use crate::caller::tenant;
use crate::error::{ApiError, Kind};
use crate::header::bearer_token;
use crate::route::{Rate, Route};
use crate::security::SecurityEvent;

pub(crate) use heavy::HeavyTurn;
use in_process::InProcess;
pub(crate) use pace::{count_answer, paced};
pub use racun_access::{InvalidNetwork, Network};
pub use request::RequestLimits;
pub(crate) use request::SMALL_BODY;
pub(crate) use room::{Full, Share};
pub use room::{Room, Shares};
pub(crate) use rooms::{AnswerRoom, arriving_body, arriving_form, make_room, no_room_for_answer};
pub(crate) use rooms::{no_room_for_body, no_room_for_form};

/// Requests that are answered in a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitOptions {
    /// With one token.
    pub per_token: u32,
    /// From one address, with good tokens.
    pub per_ip_authenticated: u32,
    /// From one address, without a good token.
    pub per_ip_anonymous: u32,
    /// From one address, on the routes where guessing pays.
    pub per_ip_sensitive: u32,
}

impl Default for RateLimitOptions {
    /// 850, 3,400, 850 and 10.
    fn default() -> Self {
        Self {
            per_token: 850,
            per_ip_authenticated: 3_400,
            per_ip_anonymous: 850,
            per_ip_sensitive: 10,
        }
    }
}

/// Whose address `request` counts for: who asks, as far as proxies that are trusted tell.
pub(crate) fn address_of(request: &HttpRequest) -> String {
    let peer = request.peer_addr().map(|peer| peer.ip());
    address::of(peer, request.headers(), proxies(request))
}

/// The network of who is connected, as [`address_of`] tells it of a request without proxies.
pub(crate) fn network_of(peer: Option<SocketAddr>) -> String {
    address::of(peer.map(|peer| peer.ip()), &HeaderMap::new(), &[])
}

/// The address of who asks, as far as proxies that are trusted tell; `None` where it is unknown.
pub(crate) fn client_of(request: &HttpRequest) -> Option<IpAddr> {
    let peer = request.peer_addr().map(|peer| peer.ip());
    address::client(peer, request.headers(), proxies(request))
}

/// The proxies whose `X-Forwarded-For` is believed.
#[derive(Clone)]
pub(crate) struct TrustedProxies(pub Arc<[Network]>);

fn proxies(request: &HttpRequest) -> &[Network] {
    request.app_data::<TrustedProxies>().map_or(&[], |trusted| &trusted.0)
}

/// Counts requests. A clone counts together with its original.
#[derive(Clone)]
pub struct RateLimiter(Arc<Inner>);

struct Inner {
    options: RateLimitOptions,
    /// The counters that several processes share, where they do.
    shared: Option<Arc<dyn RateLimits>>,
    own: InProcess,
}

/// Who a request is counted for.
pub(crate) enum Counted<'a> {
    /// The caller with this token, which is valid.
    Token(&'a str),
    /// A caller who is not authenticated.
    Anonymous,
}

/// What the headers of an answer say: of the bucket that is nearest to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    limit: u32,
    remaining: u32,
    ends_at: i64,
}

/// How many requests the bucket holds that a request was counted in.
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
/// How many it will still answer in this minute.
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
/// The second in which it is emptied, since 1970.
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

impl Standing {
    fn of(buckets: &[Bucket], taken: &Taken) -> Option<Self> {
        let left = buckets.iter().zip(&taken.used).map(|(bucket, used)| {
            let remaining = bucket.limit.saturating_sub(*used);
            (remaining, Reverse(bucket.limit))
        });
        let (remaining, Reverse(limit)) = left.min()?;
        Some(Self { limit, remaining, ends_at: taken.ends_at })
    }

    /// Writes it into an answer.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        let mut write = |name: HeaderName, value: &dyn Display| {
            if let Ok(value) = HeaderValue::try_from(value.to_string()) {
                headers.insert(name, value);
            }
        };
        write(LIMIT, &self.limit);
        write(REMAINING, &self.remaining);
        write(RESET, &self.ends_at);
    }
}

impl RateLimiter {
    /// A limiter that counts in `shared` where there is one. While that cannot be reached, it
    /// counts for this process alone.
    #[must_use]
    pub fn new(options: RateLimitOptions, shared: Option<Arc<dyn RateLimits>>) -> Self {
        Self(Arc::new(Inner { options, shared, own: InProcess::default() }))
    }

    /// The buckets of a request from `address`, the token's first.
    fn buckets(&self, rate: Rate, who: &Counted<'_>, address: &str) -> Vec<Bucket> {
        let options = &self.0.options;
        let bucket = |sort: &str, whose: &str, limit| Bucket { key: key(sort, whose), limit };
        let mut buckets = match who {
            Counted::Token(token) => vec![
                bucket("token", token, options.per_token),
                bucket("known", address, options.per_ip_authenticated),
            ],
            Counted::Anonymous => vec![bucket("anonymous", address, options.per_ip_anonymous)],
        };
        if rate == Rate::Sensitive {
            buckets.push(bucket("sensitive", address, options.per_ip_sensitive));
        }
        buckets
    }

    async fn take(&self, buckets: &[Bucket], now: OffsetDateTime) -> Taken {
        if let Some(shared) = &self.0.shared {
            match shared.take(buckets).await {
                Ok(taken) => return taken,
                Err(error) => {
                    tracing::warn!(?error, "requests are counted for this process alone");
                }
            }
        }
        self.0.own.take(buckets, now)
    }
}

/// Waits until `request` may take much memory; its place stays among its extensions, and goes with
/// its answer. Without a token the places are those of its address.
///
/// # Errors
/// When as many as may be are under way.
pub(crate) async fn count_heavy(request: &HttpRequest) -> Result<(), ApiError> {
    let limits = request.app_data::<RequestLimits>().copied().unwrap_or_default();
    let turn = match (tenant(request), bearer_token(request.headers())) {
        (Some(account), Ok(token)) => {
            let (token, account) = (key("token", token), key("account", account.as_str()));
            HeavyTurn::take(Some(token), account, limits).await?
        }
        _ => HeavyTurn::take(None, key("anonymous", &address_of(request)), limits).await?,
    };
    request.extensions_mut().insert(turn);
    Ok(())
}

/// What a bucket is stored under: it says neither the token nor the address.
fn key(sort: &str, whose: &str) -> String {
    let digest = digest(&SHA256, format!("{sort} {whose}").as_bytes());
    digest.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Counts `request` for `who`, and leaves for the answer's headers how its buckets stand.
///
/// # Errors
/// When one of its buckets is full.
pub(crate) async fn count(
    request: &HttpRequest,
    rate: Rate,
    who: Counted<'_>,
) -> Result<(), ApiError> {
    let Some(services) = request.app_data::<web::Data<Services>>() else { return Ok(()) };
    let limiter = request.app_data::<RateLimiter>();
    let Some(limiter) = limiter.filter(|_| rate != Rate::Unlimited) else { return Ok(()) };
    let address = address_of(request);
    let buckets = limiter.buckets(rate, &who, &address);
    let taken = limiter.take(&buckets, (services.clock)()).await;
    if let Some(standing) = Standing::of(&buckets, &taken) {
        request.extensions_mut().insert(standing);
    }
    if taken.is_granted {
        return Ok(());
    }
    let message = format!(
        "too many requests in this minute; send the next one in {} seconds",
        taken.seconds_left
    );
    let refused = ApiError::new(Kind::TooManyRequests, message).retry_after(taken.seconds_left);
    Err(refused.seen_as(SecurityEvent::RateLimited))
}

/// Counts a request that no route of the table answers.
///
/// # Errors
/// When one of its buckets is full.
pub(crate) async fn count_stray(request: &HttpRequest) -> Result<(), ApiError> {
    count(request, Rate::Ordinary, Counted::Anonymous).await
}

/// Counts a request to a route that asks for no token.
///
/// # Errors
/// When one of its buckets is full.
pub(crate) async fn count_open(route: &Route, request: &HttpRequest) -> Result<(), ApiError> {
    count(request, route.rate, Counted::Anonymous).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bucket_that_is_nearest_to_its_end_is_shown() {
        let bucket = |limit| Bucket { key: String::new(), limit };
        let taken = |used: &[u32]| Taken {
            is_granted: true,
            used: used.to_vec(),
            ends_at: 60,
            seconds_left: 1,
        };
        for (limits, used, shown) in [
            (&[850, 3400][..], &[1, 1][..], Some((850, 849))),
            (&[850, 3400], &[10, 3399], Some((3400, 1))),
            (&[850, 10], &[9, 9], Some((10, 1))),
            (&[850, 10], &[850, 10], Some((850, 0))),
            (&[], &[], None),
        ] {
            let buckets: Vec<Bucket> = limits.iter().copied().map(bucket).collect();
            let standing = Standing::of(&buckets, &taken(used));
            let found = standing.map(|standing| (standing.limit, standing.remaining));
            assert_eq!(found, shown, "{limits:?} {used:?}");
        }
    }

    #[test]
    fn a_key_tells_sorts_apart_and_nothing_else() {
        assert_eq!(key("token", "abc"), key("token", "abc"));
        assert_ne!(key("token", "abc"), key("known", "abc"));
        assert_ne!(key("token", "abc"), key("token", "abd"));
        assert!(!key("token", "abc").contains("abc"));
    }
}
