//! Requests of one key take turns within a process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use racun_kernel::id::AccountId;
use tokio::sync::OwnedMutexGuard;

use super::Key;

/// How long a request waits for the one before it. A till that hangs is worse than one that asks
/// again.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whose turn it is.
type Name = (AccountId, Key);

/// The keys under which requests are under way, in the whole process.
static UNDER_WAY: LazyLock<Mutex<HashMap<Name, Arc<tokio::sync::Mutex<()>>>>> =
    LazyLock::new(Mutex::default);

fn under_way() -> MutexGuard<'static, HashMap<Name, Arc<tokio::sync::Mutex<()>>>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request's turn: until it is dropped, no other request of its key is at work in this process.
pub(super) struct Turn {
    name: Name,
    guard: Option<OwnedMutexGuard<()>>,
    /// Whether somebody else was at work before.
    pub waited: bool,
}

impl Turn {
    /// Waits until nobody is at work under `key`; `None` when that takes too long.
    pub(super) async fn take(account: AccountId, key: &Key) -> Option<Self> {
        let name = (account, key.clone());
        let place = Arc::clone(under_way().entry(name.clone()).or_default());
        let mut turn = Self { name, guard: None, waited: false };
        turn.guard = match Arc::clone(&place).try_lock_owned() {
            Ok(guard) => Some(guard),
            Err(_) => {
                turn.waited = true;
                tokio::time::timeout(PATIENCE, Arc::clone(&place).lock_owned()).await.ok()
            }
        };
        drop(place);
        turn.guard.is_some().then_some(turn)
    }
}

impl Drop for Turn {
    /// Lets the next one in, and forgets the key when nobody waits.
    fn drop(&mut self) {
        let mut under_way = under_way();
        self.guard = None;
        if under_way.get(&self.name).is_some_and(|place| Arc::strong_count(place) == 1) {
            under_way.remove(&self.name);
        }
    }
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
            let turn = Turn::take(account, &key).await.unwrap();
            waited.fetch_add(usize::from(turn.waited), Ordering::SeqCst);
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
            tokio::task::yield_now().await;
            inside.fetch_sub(1, Ordering::SeqCst);
        };
        futures_util::future::join_all((0..8).map(|_| work())).await;
        assert_eq!(waited.load(Ordering::SeqCst), 7);
        assert!(!under_way().contains_key(&(account, key)));
    }
}
