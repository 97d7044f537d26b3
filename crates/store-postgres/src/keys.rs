//! The advisory lock that keeps a change of the master key and the processes that use the key
//! apart.
//!
//! A process reads at its start which master key the database has, and uses that key until it ends.
//! A change of the key first checks that no process uses the old one, then stores the new one.
//! Between the two no process may read the key, or it would go on with the old one.

use diesel_async::AsyncPgConnection;
use racun_store::StoreError;

use crate::lease::{is_in_use, number};
use crate::pool;
use crate::statement::{Statement, batch};

/// How the session is called.
const NAME: &str = "SET application_name = 'racun keys'";
/// Processes hold it together. The number is that of the migrations' lock and three.
const SHARE: &str = "SELECT pg_try_advisory_lock_shared(491260798321)::integer::bigint AS number";
/// A change holds it alone.
const TAKE: &str = "SELECT pg_try_advisory_lock(491260798321)::integer::bigint AS number";
const RELEASE: &str = "SELECT pg_advisory_unlock_all()";

/// That the lock is held, until this is dropped, or the session is lost.
pub struct KeyHold {
    session: AsyncPgConnection,
}

impl KeyHold {
    /// Gives the lock up, before the session ends, which the server may notice later.
    pub async fn release(&self) {
        // Without a session there is no lock.
        let _: Result<(), _> = batch(&self.session, RELEASE).await;
    }
}

/// Holds the master key of the database at `url` as it is, together with other processes. `None`
/// while it is being changed.
///
/// # Errors
/// [`StoreError::Unavailable`] when the server does not answer.
pub async fn hold_key(url: &str) -> Result<Option<KeyHold>, StoreError> {
    hold(url, SHARE).await
}

/// Holds the master key of the database at `url` alone, to change it. `None` while a process works
/// on the database.
///
/// # Errors
/// [`StoreError::Unavailable`] when the server does not answer.
pub async fn hold_key_alone(url: &str) -> Result<Option<KeyHold>, StoreError> {
    let Some(hold) = hold(url, TAKE).await? else { return Ok(None) };
    // Processes of earlier versions, and those that lost their session, still hold the lease.
    Ok(if is_in_use(url).await? { None } else { Some(hold) })
}

async fn hold(url: &str, how: &'static str) -> Result<Option<KeyHold>, StoreError> {
    let asked = async {
        let session = pool::session(url).await?;
        batch(&session, NAME).await.map_err(|error| error.to_string())?;
        let is_held = number(&session, Statement::new(how)).await? == Some(1);
        Ok(is_held.then(|| KeyHold { session }))
    };
    asked.await.map_err(StoreError::Unavailable)
}
