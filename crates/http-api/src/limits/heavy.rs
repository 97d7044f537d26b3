//! How many requests that take much memory may be under way for one token, and for one account.
//!
//! A page of a list, a file and a form are in memory until the last byte of the answer is written,
//! which a slow reader may take minutes for.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::{ApiError, Kind};
use crate::places::{Place, Places};
use crate::services::Limits;

/// How many times more an account may have under way than one of its tokens.
const TOKENS: usize = 2;

/// Bytes from which on an answer is a large one.
const LARGE: usize = 256 * 1024;
/// KiB that large answers hold together until they are written.
const LARGE_KIB: usize = 128 * 1024;

static LARGE_ANSWERS: Semaphore = Semaphore::const_new(LARGE_KIB);

/// The tokens and accounts that have requests under way.
static UNDER_WAY: Places<String> = Places::new();

/// The place of a heavy request among those of its token and account; until its answer is written.
pub(crate) struct HeavyTurn {
    _held: [Place<String>; 2],
}

impl HeavyTurn {
    /// Waits for a place, for as long as `limits` say.
    ///
    /// # Errors
    /// When there is none by then.
    pub(crate) async fn take(
        token: String,
        account: String,
        limits: Limits,
    ) -> Result<Self, ApiError> {
        let most = limits.heavy_per_token;
        let both = async {
            let account = UNDER_WAY.take(account, most.saturating_mul(TOKENS)).await;
            [UNDER_WAY.take(token, most).await, account]
        };
        match tokio::time::timeout(limits.heavy_patience, both).await {
            Ok(held) => Ok(Self { _held: held }),
            Err(_) => {
                let message = format!(
                    "at most {most} lists, files and uploads of one token are answered at once; \
                     read those answers to their end, then send this request again"
                );
                Err(ApiError::new(Kind::TooManyRequests, message).retry_after(1))
            }
        }
    }
}

/// The room of a large answer, until it is written.
pub(crate) struct Room(#[expect(dead_code, reason = "held")] SemaphorePermit<'static>);

impl Room {
    /// Room for an answer of so many `bytes`; `None` for one that needs none. Waits for as long as
    /// a heavy request does. Small answers pass, however many large ones are not read.
    ///
    /// # Errors
    /// When there is none by then.
    pub(crate) async fn of(bytes: usize, limits: Limits) -> Result<Option<Self>, ApiError> {
        if bytes < LARGE {
            return Ok(None);
        }
        let kib = u32::try_from(bytes.div_ceil(1024).min(LARGE_KIB)).unwrap_or(u32::MAX);
        let room = LARGE_ANSWERS.acquire_many(kib);
        match tokio::time::timeout(limits.heavy_patience, room).await {
            Ok(Ok(room)) => Ok(Some(Self(room))),
            Ok(Err(_)) | Err(_) => {
                let message = "too many large answers are on their way; send it again in a second, \
                               or ask for fewer rows";
                Err(ApiError::new(Kind::Unavailable, message).retry_after(1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn large_answers_have_so_much_room_and_small_ones_pass() {
        let limits = Limits { heavy_patience: Duration::ZERO, ..Limits::default() };
        let mut rooms = Vec::new();
        for _ in 0..LARGE_KIB / 4096 {
            rooms.push(Room::of(4096 * 1024, limits).await.unwrap().unwrap());
        }
        let refused = Room::of(LARGE, limits).await.err().unwrap();
        assert_eq!(refused.code(), "service_unavailable");
        assert!(Room::of(LARGE - 1, limits).await.unwrap().is_none());
        rooms.pop();
        assert!(Room::of(LARGE, limits).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_fifth_waits_for_one_of_four_and_nobody_is_remembered() {
        let limits = Limits { heavy_patience: Duration::ZERO, ..Limits::default() };
        let take = |token: &str| {
            HeavyTurn::take(format!("token {token}"), "account heavy".to_owned(), limits)
        };
        let mut turns = Vec::new();
        for _ in 0..4 {
            turns.push(take("one").await.unwrap());
        }
        assert_eq!(take("one").await.err().unwrap().code(), "rate_limit_exceeded");
        for _ in 0..4 {
            turns.push(take("two").await.unwrap());
        }
        assert!(take("five").await.is_err(), "the account has enough");
        turns.remove(0);
        turns.push(take("one").await.unwrap());
        let patient = Limits { heavy_patience: Duration::from_secs(60), ..limits };
        let waiting = tokio::spawn(HeavyTurn::take(
            "token one".to_owned(),
            "account other".to_owned(),
            patient,
        ));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(turns);
        drop(waiting.await.unwrap().unwrap());
        assert!(
            UNDER_WAY.names().keys().all(|name| !name.ends_with("heavy") && name != "token one")
        );
    }
}
