//! How many requests that take much memory may be under way for one token, and for one account.
//!
//! A page of a list, a file and a form are in memory until the last byte of the answer is written,
//! which a slow reader may take minutes for.

use super::RequestLimits;
use crate::error::{ApiError, Kind};
use crate::places::{Slot, Slots};

/// How many times more an account may have under way than one of its tokens, and an address without
/// one.
const TOKENS: usize = 2;

/// The tokens, accounts and addresses that have requests under way.
static UNDER_WAY: Slots<String> = Slots::new();

/// The place of a heavy request among those of its token and account, or of its address; until its
/// answer is written.
pub(crate) struct HeavyTurn {
    _held: (Slot<String>, Option<Slot<String>>),
}

impl HeavyTurn {
    /// Waits for a place, for as long as `limits` say.
    ///
    /// # Errors
    /// When there is none by then.
    pub(crate) async fn take(
        token: Option<String>,
        account: String,
        limits: RequestLimits,
    ) -> Result<Self, ApiError> {
        let most = limits.heavy_per_token;
        let both = async {
            let account = UNDER_WAY.take(account, most.saturating_mul(TOKENS)).await;
            match token {
                Some(token) => (account, Some(UNDER_WAY.take(token, most).await)),
                None => (account, None),
            }
        };
        match tokio::time::timeout(limits.heavy_patience, both).await {
            Ok(held) => Ok(Self { _held: held }),
            Err(_) => {
                let message = format!(
                    "at most {most} lists, files and uploads of one token are answered at once, \
                     and {} of one account, or of one address without a token; read those answers \
                     to their end, then send this request again",
                    most.saturating_mul(TOKENS)
                );
                Err(ApiError::new(Kind::TooManyRequests, message).retry_after(1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_fifth_request_waits_for_a_slot_and_names_are_removed() {
        let limits = RequestLimits { heavy_patience: Duration::ZERO, ..RequestLimits::default() };
        let take = |token: &str| {
            HeavyTurn::take(Some(format!("token {token}")), "account heavy".to_owned(), limits)
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
        let patient = RequestLimits { heavy_patience: Duration::from_secs(60), ..limits };
        let waiting = tokio::spawn(HeavyTurn::take(
            Some("token one".to_owned()),
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
