//! What is answered with "send it again" is not kept under the key of the request.

use std::sync::Arc;

use actix_web::test::TestRequest;
use async_trait::async_trait;
use futures_util::future::join;
use racun_http_api::RequestLimits;
use racun_store::{Store, StoreDecorator, TransactError, Unit};
use racun_store_sqlite::SqliteStore;
use serde_json::json;
use tokio::sync::Notify;

use crate::harness::{Api, text};
use crate::shop::Shop;

/// A store that lets another request in before the first unit that takes a number.
struct Slow {
    store: Arc<dyn Store>,
    reached: Arc<Notify>,
    go: Arc<Notify>,
    is_first: std::sync::atomic::AtomicBool,
}

#[async_trait]
impl StoreDecorator for Slow {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let is_first =
            unit.series.is_some() && self.is_first.swap(false, std::sync::atomic::Ordering::SeqCst);
        if is_first {
            self.reached.notify_one();
            self.go.notified().await;
        }
        self.store.transact(unit).await
    }
}

#[actix_web::test]
async fn an_edit_that_met_another_gets_through_when_it_is_sent_again() {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let (reached, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = Slow {
        store: Arc::clone(&store),
        reached: Arc::clone(&reached),
        go: Arc::clone(&go),
        is_first: true.into(),
    };
    let (api, slow) = (
        Api::on(store, RequestLimits::default()).await,
        Api::on(Arc::new(slow), RequestLimits::default()).await,
    );
    let owner = api.owner("owner@example.com").await;
    let draft = json!({"is_draft": true, "items": [{"name": "a", "price": 1}]});
    let draft = text(&api.post("/invoices", &owner, draft).await.with(201).json()["id"]);
    let finalize = || {
        let request = TestRequest::post().uri(&format!("/documents/{draft}/finalize"));
        let request = request.insert_header(("idempotency-key", "finalize-1"));
        slow.call(owner.sign(request).set_json(json!({})))
    };
    let meanwhile = async {
        reached.notified().await;
        let path = format!("/invoices/{draft}");
        api.patch(&path, &owner, json!({"date": "2025-12-31"})).await.with(200);
        go.notify_one();
    };
    let (first, ()) = join(finalize(), meanwhile).await;
    assert_eq!(first.with(409).json()["cause"]["code"], "changed_meanwhile");
    let second = finalize().await.with(200);
    assert_eq!(second.header("idempotent-replayed"), "");
    let third = finalize().await.with(200);
    assert_eq!(third.header("idempotent-replayed"), "true");
    assert_eq!(third.text, second.text);
}

#[actix_web::test]
async fn a_claim_that_met_another_gets_through_when_the_tab_is_released() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    shop.claim(&id, "till-1").await.with(200);
    let claim = || {
        let request = TestRequest::post().uri(&format!("/pos/tabs/{id}/claim"));
        let request = request.insert_header(("idempotency-key", "claim-2"));
        shop.api.call(shop.owner.sign(request).set_json(json!({"device_id": "till-2"})))
    };
    let refused = claim().await.with(409).json();
    assert_eq!(refused["cause"]["code"], "already_claimed");
    shop.on(&id, "release", json!({"device_id": "till-1"})).await.with(200);
    let claimed = claim().await.with(200).json();
    assert_eq!(claimed["claimed_by_device"], "till-2");
}

#[actix_web::test]
async fn stale_versions_and_unclaimed_tabs_are_not_kept_under_the_key() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    let stale = TestRequest::patch().uri(&format!("/pos/tabs/{id}"));
    let stale = stale.insert_header(("idempotency-key", "note-1"));
    let body = json!({"expected_version": 99, "note": "x"});
    let refused = shop.api.call(shop.owner.sign(stale).set_json(body)).await.with(409);
    assert_eq!(refused.json()["cause"]["code"], "stale_version");
    let version = shop.api.get(&format!("/pos/tabs/{id}"), &shop.owner).await.json();
    let again = TestRequest::patch().uri(&format!("/pos/tabs/{id}"));
    let again = again.insert_header(("idempotency-key", "note-1"));
    let body = json!({"expected_version": version["version"], "note": "x"});
    shop.api.call(shop.owner.sign(again).set_json(body)).await.with(200);
    let close = || {
        let request = TestRequest::post().uri(&format!("/pos/tabs/{id}/close"));
        let request = request.insert_header(("idempotency-key", "close-1"));
        let body = json!({"invoice_id": "inv_01jd0000000000000000000000"});
        shop.api.call(shop.owner.sign(request).set_json(body))
    };
    let refused = close().await.with(409).json();
    assert_eq!(refused["cause"]["code"], "not_claimed", "{refused}");
    shop.claim(&id, "till-1").await.with(200);
    let second = close().await;
    assert!(!second.text.contains("not_claimed"), "{}", second.text);
}
