//! `racun rekey`: all that is sealed, sealed under another master key.
//!
//! The new key is written beside the old one before anything is sealed under it, and the old one is
//! taken away when nothing is. So a run that is killed leaves all keys that are needed, and the
//! next run goes on.

use std::sync::Arc;

use anyhow::bail;
use racun_access::{
    MasterKeyError, MasterKeyRecord, begin_rotation, end_rotation, id_of, note_lost_key, open_keys,
    replace_lost_key,
};
use racun_application::rekey::{self, Lost, RekeyReport};
use racun_kernel::Stamp;
use racun_store::Store;

use crate::settings::{MasterKey, MasterKeys, Settings};
use crate::store::{self, Opened};
use crate::{clock, print};

/// Rows with lost secrets that a message names.
const NAMED: usize = 5;

/// Changes the master key, or ends a change that was interrupted.
///
/// # Errors
/// When a server works on the database, a key that is needed is missing, or a secret does not open.
pub async fn rekey(settings: &Settings, lost: Lost) -> anyhow::Result<()> {
    let opened = store::open_to_rekey(settings).await?;
    let done = change(settings, &opened, lost).await;
    opened.closing.clone().close().await;
    done
}

async fn change(settings: &Settings, opened: &Opened, lost: Lost) -> anyhow::Result<()> {
    let (store, stamp) = (&*opened.store, clock::stamp());
    let file = opened.folder.as_ref().filter(|_| settings.secrets.master_key.is_none());
    let given = store::given_keys(settings, file)?;
    let Some(record) = noted(store, &given, lost, &stamp).await? else {
        print::line("nothing is sealed yet: the first start decides on the master key");
        return Ok(());
    };
    let (mut keys, new) = plan(&record, given, file.is_some(), lost)?;
    keys.retain(|key| *key != new);
    keys.insert(0, new.clone());
    let all = MasterKeys::new(keys);
    if let Some(folder) = file {
        folder.write_master_keys(&all)?;
    }
    let has_current = all.all().iter().any(|key| id_of(key.bytes()) == record.current);
    if !has_current {
        replace_lost_key(store, new.bytes(), &stamp).await?;
    } else {
        if lost == Lost::GiveUp && !record.is_giving_up {
            // What other keys sealed is to be given up, so none of them is needed.
            end_rotation(store).await?;
        }
        begin_rotation(store, &all.bytes(), new.bytes(), &stamp).await?;
    }
    let ring = Arc::new(open_keys(store, &all.bytes(), &stamp).await?.ring);
    let RekeyReport { resealed, lost: shut } = rekey::reseal(store, &ring, lost, &stamp).await?;
    if lost == Lost::Keep && !shut.is_empty() {
        let named = shut.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        bail!(
            "{} secrets do not open with these keys ({named}): restore the key that they are \
             under, or give them up by `racun rekey --lost`",
            shut.len()
        )
    }
    let pins = match record.is_giving_up || !has_current {
        true => rekey::end_pins(store).await?,
        false => 0,
    };
    end_rotation(store).await?;
    if let Some(folder) = file {
        folder.write_master_keys(&MasterKeys::new(vec![new.clone()]))?;
    }
    let id = id_of(new.bytes());
    print::line(format_args!("{resealed} secrets were sealed under the master key {id}"));
    if lost == Lost::GiveUp {
        print::line(format_args!(
            "{} certificates and secrets and {pins} PINs were given up: upload certificates, \
             rotate the secrets of webhooks and set PINs again",
            shut.len()
        ));
    }
    print::line(if file.is_some() {
        "master.key holds it: put it into the backup, apart from the database"
    } else {
        "take the older keys out of RACUN__SECRETS__MASTER_KEY, and start the servers"
    });
    Ok(())
}

/// What the store says of its key, which is noted now where a version before did not; `None` where
/// nothing is sealed.
async fn noted(
    store: &dyn Store,
    given: &[MasterKey],
    lost: Lost,
    stamp: &Stamp,
) -> anyhow::Result<Option<MasterKeyRecord>> {
    if let Some(record) = MasterKeyRecord::find(store).await? {
        return Ok(Some(record));
    }
    if rekey::sealed_under(store, &[]).await?.is_none() {
        return Ok(None);
    }
    match store::of_unnoted(store, given.to_vec()).await {
        Ok(keys) => {
            let keys: Vec<_> = keys.iter().map(|key| *key.bytes()).collect();
            open_keys(store, &keys, stamp).await?;
            Ok(MasterKeyRecord::find(store).await?)
        }
        Err(MasterKeyError::Missing(id) | MasterKeyError::Other { wanted: id, .. })
            if lost == Lost::GiveUp =>
        {
            Ok(Some(note_lost_key(store, id, stamp).await?))
        }
        Err(error) => Err(error.into()),
    }
}

/// All keys of the ring, and which of them is to seal.
fn plan(
    record: &MasterKeyRecord,
    mut given: Vec<MasterKey>,
    makes_own: bool,
    lost: Lost,
) -> anyhow::Result<(Vec<MasterKey>, MasterKey)> {
    let is_current = |key: &MasterKey| id_of(key.bytes()) == record.current;
    let current = given.iter().find(|key| is_current(key)).cloned();
    if lost == Lost::GiveUp && current.is_some() && !record.is_rotating() {
        bail!("the master key is not lost: it is here; run `racun rekey` to change it")
    }
    let first = given.first().cloned();
    let wanted = match (&current, first) {
        // Given beside the one that seals, to be the next.
        (Some(_), Some(first)) if !is_current(&first) => Some(first),
        // A change was interrupted after the key was taken.
        (Some(current), _) if record.is_rotating() => Some(current.clone()),
        (Some(_), _) => None,
        (None, first) if lost == Lost::GiveUp => first,
        (None, None) => return Err(MasterKeyError::Missing(record.current.clone()).into()),
        (None, Some(first)) => {
            let (wanted, given) = (record.current.clone(), id_of(first.bytes()));
            return Err(MasterKeyError::Other { wanted, given }.into());
        }
    };
    let new = match wanted {
        Some(key) => key,
        None if makes_own => MasterKey::new(clock::stamp().secret()),
        None => {
            bail!(
                "there is no new key: put it before the old one, as in \
                 RACUN__SECRETS__MASTER_KEY=<new>,<old>; `openssl rand -base64 32` makes one"
            )
        }
    };
    if !given.contains(&new) {
        given.insert(0, new.clone());
    }
    Ok((given, new))
}
