//! Requests of one key take turns within a process.

use std::time::Duration;

use racun_kernel::id::AccountId;

use super::Key;
use crate::places::{Slot, Slots};

/// How long a request waits for the one before it. A till that hangs is worse than one that asks
/// again.
const PATIENCE: Duration = Duration::from_secs(10);

/// The keys under which requests are under way.
static UNDER_WAY: Slots<(AccountId, Key)> = Slots::new();

/// A request's turn: until it is dropped, no other request of its key is at work in this process.
pub(super) type Turn = Slot<(AccountId, Key)>;

/// Waits until no request is at work under `key`; `None` when that takes too long.
pub(super) async fn take(account: AccountId, key: &Key) -> Option<Turn> {
    let turn = UNDER_WAY.take((account, key.clone()), 1);
    tokio::time::timeout(PATIENCE, turn).await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use actix_web::http::header::{HeaderMap, HeaderName};

    use super::*;

    #[tokio::test]
    async fn those_of_one_key_take_turns_and_leave_nothing_behind() {
        let account: AccountId = "acc_01jd0000000000000000000000".parse().unwrap();
        let route = crate::routes().find(|route| route.operation == "createItem").unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("idempotency-key".parse::<HeaderName>().unwrap(), "turns".parse().unwrap());
        let key = Key::of(route, &headers).unwrap().unwrap();
        let (inside, waited) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = async || {
            let turn = take(account, &key).await.unwrap();
            waited.fetch_add(usize::from(turn.waited), Ordering::SeqCst);
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
            tokio::task::yield_now().await;
            inside.fetch_sub(1, Ordering::SeqCst);
        };
        futures_util::future::join_all((0..8).map(|_| work())).await;
        assert_eq!(waited.load(Ordering::SeqCst), 7);
        assert!(!UNDER_WAY.names().contains_key(&(account, key)));
    }
}
