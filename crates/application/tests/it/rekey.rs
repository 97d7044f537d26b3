//! The master key is changed while secrets are there, by runs that are killed half-way.

use std::sync::Arc;

use racun_access::{
    MasterKeyError, begin_rotation, end_rotation, id_of, open_keys, replace_lost_key,
};
use racun_application::rekey::{Lost, reseal};
use racun_background::idempotency::{AnswerTo, KeptAnswer, KeptBody, KeyStatus, KeyedRequest};
use racun_kernel::Vault;
use racun_portugal::{PT_SETTINGS, PtSettings};
use racun_store::{StoreError, Writes};

use crate::fixture::Shop;

const OLD: [u8; 32] = [1; 32];
const NEW: [u8; 32] = [2; 32];

/// A kept answer that shows a secret, sealed by `vault`.
async fn keep(shop: &Shop, vault: &dyn Vault, key: &str) -> KeyedRequest {
    let (account, now) = (shop.scope.account(), shop.stamp.now());
    let request = KeyedRequest::new(account, key.to_owned(), "print".to_owned(), now);
    let sealed = vault.seal(&request.seal_owner(), b"a secret", &shop.stamp);
    let (status, headers) = (201, Vec::new());
    let answer = KeptAnswer { status, headers, body: KeptBody::Sealed(sealed) };
    request.answer(&*shop.store, answer, AnswerTo::Nothing).await.unwrap();
    request
}

/// What `vault` opens of the answer that is kept of `request`.
async fn opened(shop: &Shop, vault: &dyn Vault, request: &KeyedRequest) -> Option<Vec<u8>> {
    let held = request.find(&*shop.store).await.unwrap();
    let KeyStatus::Answered(answer) = request.judge(held) else { panic!("it has an answer") };
    let KeptBody::Sealed(sealed) = answer.body else { return None };
    vault.open(&request.seal_owner(), &sealed).ok()
}

/// Stores a sub-user in Portugal, whose password is sealed by `vault`.
async fn store_sub_user(shop: &Shop, vault: &dyn Vault) {
    let id = shop.entity.id;
    let sealed = vault.seal(&format!("pt_settings/{id}"), b"segredo", &shop.stamp);
    let settings = PtSettings {
        username: Some("501442600/1".to_owned()),
        password: Some(sealed),
        ..PtSettings::new(id, shop.stamp.now())
    };
    let stored = shop.cx().unit().decide(move |_| {
        let writes = Writes::default().insert(&settings);
        Ok::<_, StoreError>(((), writes))
    });
    stored.await.unwrap();
}

/// The sub-user's password, when `vault` opens it.
async fn password(shop: &Shop, vault: &dyn Vault) -> Option<String> {
    let settings: PtSettings = shop.cx().one(&PT_SETTINGS, shop.entity.id).await.unwrap();
    settings.sub_user(vault).ok().flatten().map(|user| user.password)
}

#[tokio::test]
async fn a_killed_rotation_resumes_and_all_rows_stay_readable() {
    let shop = Shop::open().await;
    let (store, stamp) = (&*shop.store, &shop.stamp);
    let first = open_keys(store, &[OLD], stamp).await.unwrap();
    let mut requests = Vec::new();
    for n in 0..250 {
        requests.push(keep(&shop, &first.ring, &format!("key {n}")).await);
    }
    store_sub_user(&shop, &first.ring).await;
    let other = open_keys(store, &[NEW], stamp).await.err();
    let (wanted, given) = (id_of(&OLD), id_of(&NEW));
    assert_eq!(other, Some(MasterKeyError::Other { wanted, given }));
    begin_rotation(store, &[NEW, OLD], &NEW, stamp).await.unwrap();
    // Killed here, and begun again.
    begin_rotation(store, &[NEW, OLD], &NEW, stamp).await.unwrap();
    for lacking in [[NEW], [OLD]] {
        assert!(open_keys(store, &lacking, stamp).await.is_err(), "both are needed");
    }
    let both = open_keys(store, &[NEW, OLD], stamp).await.unwrap();
    assert!(both.is_rotating && both.ring.current() == id_of(&NEW));
    let ring = Arc::new(both.ring);
    requests.push(keep(&shop, &*ring, "meanwhile").await);
    for request in &requests {
        assert!(opened(&shop, &*ring, request).await.is_some());
    }
    let report = reseal(store, &ring, Lost::Keep, stamp).await.unwrap();
    assert_eq!((report.resealed, report.lost), (251, vec![]));
    let again = reseal(store, &ring, Lost::Keep, stamp).await.unwrap();
    assert_eq!(again.resealed, 0);
    end_rotation(store).await.unwrap();
    let new = open_keys(store, &[NEW], stamp).await.unwrap();
    assert!(!new.is_rotating);
    for request in &requests {
        assert_eq!(opened(&shop, &new.ring, request).await.as_deref(), Some(&b"a secret"[..]));
    }
    assert_eq!(password(&shop, &new.ring).await.as_deref(), Some("segredo"));
    assert_eq!(password(&shop, &first.ring).await, None, "it was sealed under the old key");
    assert!(open_keys(store, &[OLD], stamp).await.is_err());
}

#[tokio::test]
async fn rows_of_a_lost_key_are_named_and_given_up_on_request() {
    let shop = Shop::open().await;
    let (store, stamp) = (&*shop.store, &shop.stamp);
    let first = open_keys(store, &[OLD], stamp).await.unwrap();
    let request = keep(&shop, &first.ring, "key").await;
    replace_lost_key(store, &NEW, stamp).await.unwrap();
    let new = open_keys(store, &[NEW], stamp).await.unwrap();
    assert!(new.is_rotating);
    let ring = Arc::new(new.ring);
    let report = reseal(store, &ring, Lost::Keep, stamp).await.unwrap();
    let named = format!("keyed_requests key of {}", shop.scope.account());
    assert_eq!((report.resealed, report.lost), (0, vec![named]));
    reseal(store, &ring, Lost::GiveUp, stamp).await.unwrap();
    assert_eq!(opened(&shop, &*ring, &request).await, None, "it is withheld");
    let rest = reseal(store, &ring, Lost::Keep, stamp).await.unwrap();
    assert_eq!((rest.resealed, rest.lost), (0, vec![]));
}
