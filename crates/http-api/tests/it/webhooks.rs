//! Webhooks over HTTP, on a courier that a test scripts.

use std::sync::Arc;

use racun_application::Services;
use racun_background::consumer::{self, LogConsumer as _, Step};
use racun_billing::Catalogue;
use racun_delivery::webhooks::{self, FanOut};
use racun_http_api::Resources;
use racun_kernel::{Stamp, Tenant};
use racun_mail::{MAILS, MailKind, OutgoingMail};
use racun_store::ListQuery;
use racun_webhooks::{Post, body_signature};
use serde_json::{Value, json};

use crate::couriers::Scripted;
use crate::harness::{Api, Who, text};

/// The application, its owner, and what stands behind it.
pub struct World {
    pub api: Api,
    pub owner: Who,
    pub courier: Arc<Scripted>,
    pub network: Arc<crate::network::Scripted>,
    pub cards: Arc<crate::cards::Scripted>,
    pub services: Services,
}

impl World {
    pub async fn new() -> Self {
        Self::selling(Catalogue::default()).await
    }

    /// A world whose operator has these white labels.
    pub async fn selling(white_labels: Catalogue) -> Self {
        let courier = Arc::new(Scripted::default());
        let network = Arc::<crate::network::Scripted>::default();
        let cards = Arc::<crate::cards::Scripted>::default();
        let (kept, own) = (Arc::new(std::sync::Mutex::new(None)), Arc::clone(&courier));
        let (own_network, own_cards) = (Arc::clone(&network), Arc::clone(&cards));
        let seen = Arc::clone(&kept);
        let api = Api::with(move |services| {
            let white_labels = white_labels.into();
            let (courier, network, cards) = (own, own_network, own_cards);
            let services = Services { courier, network, cards, white_labels, ..services };
            *seen.lock().unwrap() = Some(services.clone());
            services
        })
        .await;
        let services = kept.lock().unwrap().take().unwrap();
        let owner = api.owner("owner@example.com").await;
        Self { api, owner, courier, network, cards, services }
    }

    pub async fn endpoint(&self, events: &[&str]) -> Value {
        let body = json!({"url": "https://example.com/hooks", "events": events});
        self.api.post("/webhooks", &self.owner, body).await.with(201).json()
    }

    /// Makes deliveries of all that happened.
    pub async fn listen(&self) {
        let (store, stamp) = (&self.services.store, self.services.stamp());
        let reader = FanOut {
            store: Arc::clone(store),
            schedule: self.services.webhook_schedule.clone(),
            event_named: racun_application::event_named,
            renderer: Arc::new(Resources { white_labels: self.services.white_labels.clone() }),
            stamp: Arc::new(move || stamp.clone()),
        };
        let next = async || {
            let stamp = self.services.stamp();
            let handle = |entries| reader.handle(entries);
            consumer::read(&**store, reader.name(), 50, &stamp, handle).await.unwrap()
        };
        while next().await != Step::Nothing {}
    }

    /// Posts all that is due, once.
    pub async fn deliver(&self) -> usize {
        let services = &self.services;
        let stamp = || -> Stamp { services.stamp() };
        let (store, webhooks, mut attempts) = (&*services.store, services.webhooks(), 0);
        for endpoint in webhooks::due(store, &[], 500, &stamp()).await.unwrap().endpoints {
            let done = webhooks::run_endpoint(store, &webhooks, endpoint, 500, &stamp);
            attempts += done.await.unwrap().attempts;
        }
        attempts
    }

    /// What is posted because of all that happened.
    pub async fn posts(&self) -> Vec<Post> {
        self.listen().await;
        self.deliver().await;
        self.courier.posts()
    }

    pub async fn logs(&self, query: &str) -> Vec<Value> {
        let path = format!("/webhook-logs?limit=100&{query}");
        let page = self.api.get(&path, &self.owner).await.with(200).json();
        page["data"].as_array().unwrap().clone()
    }

    /// What was written to owners of webhooks that were disabled.
    async fn mails(&self) -> Vec<OutgoingMail> {
        let tenant = Tenant::entity(self.owner.entity().parse().unwrap());
        let query = ListQuery::first_page(&MAILS);
        let page = self.services.store.page::<OutgoingMail>(&MAILS, &tenant, &query).await.unwrap();
        let disabled = |mail: &OutgoingMail| mail.kind == MailKind::WebhookDisabled;
        page.rows.into_iter().filter(disabled).collect()
    }

    pub async fn customer(&self, name: &str) -> Value {
        self.api.post("/customers", &self.owner, json!({"name": name})).await.with(201).json()
    }
}

fn header<'a>(post: &'a Post, name: &str) -> &'a str {
    post.headers.iter().find(|(header, _)| *header == name).map_or("", |(_, value)| value)
}

#[actix_web::test]
async fn an_endpoint_is_made_read_changed_and_removed_and_its_secret_shown_once() {
    let world = World::new().await;
    let (api, owner) = (&world.api, &world.owner);
    let made = world.endpoint(&["invoice.created", "customer.created"]).await;
    let (id, secret) = (text(&made["id"]), text(&made["secret"]));
    assert!(id.starts_with("wh_") && secret.len() == 64, "{made}");
    assert!(made["active"] == true && made["metadata"] == json!({}), "{made}");
    let path = format!("/webhooks/{id}");
    let mut masked = made.clone();
    masked["secret"] = "whsec_****...****".into();
    assert_eq!(api.get(&path, owner).await.with(200).json(), masked);
    let page = api.get("/webhooks", owner).await.with(200).json();
    assert_eq!((&page["data"][0], &page["pagination"]["total"]), (&masked, &json!(1)));

    let patch = json!({"active": false, "description": "for the shop"});
    let changed = api.patch(&path, owner, patch).await.with(200).json();
    assert_eq!((&changed["active"], &changed["secret"]), (&json!(false), &masked["secret"]));
    let rotate = api.post(&format!("{path}/rotate-secret"), owner, json!({})).await.with(200);
    assert!(text(&rotate.json()["secret"]).len() == 64 && text(&rotate.json()["secret"]) != secret);

    let stranger = api.owner("stranger@example.com").await;
    api.get(&path, &stranger).await.with(404);
    api.delete(&path, &stranger).await.with(404);
    api.delete(&path, owner).await.with(204);
    api.get(&path, owner).await.with(404);
}

#[actix_web::test]
async fn mistakes_in_an_endpoint_are_named() {
    let world = World::new().await;
    let (api, owner) = (&world.api, &world.owner);
    for (body, path, code) in [
        (json!({"events": ["invoice.paid"]}), r#"["url"]"#, "required"),
        (json!({"url": "https://a.example"}), r#"["events"]"#, "required"),
        (json!({"url": "https://a.example", "events": []}), r#"["events"]"#, "required"),
        (
            json!({"url": "https://a.example", "events": ["invoice.eaten"]}),
            r#"["events",0]"#,
            "unknown_event",
        ),
        (
            json!({"url": "ftp://a.example", "events": ["invoice.paid"]}),
            r#"["url"]"#,
            "invalid_url",
        ),
        (
            json!({"url": "http://10.0.0.1/", "events": ["invoice.paid"]}),
            r#"["url"]"#,
            "url_not_allowed",
        ),
    ] {
        let refused = api.post("/webhooks", owner, body.clone()).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{body}");
    }
    let viewer = api.member(owner, "viewer@example.com", "viewer").await;
    api.get("/webhooks", &viewer).await.with(403);
    api.get("/webhook-logs", &viewer).await.with(403);
}

#[actix_web::test]
async fn an_event_is_posted_signed_with_the_resource_as_data_and_logged() {
    let world = World::new().await;
    let made = world.endpoint(&["customer.created", "customer.updated"]).await;
    let customer = world.customer("Ana Žagar").await;
    let posts = world.posts().await;
    let [post] = &posts[..] else { panic!("{posts:?}") };
    let body: Value = serde_json::from_str(&post.body).unwrap();
    assert_eq!((&body["event"], &body["data"]), (&json!("customer.created"), &customer));
    assert_eq!(body["timestamp"], customer["created_at"]);
    assert_eq!(body.as_object().unwrap().len(), 3);
    let secret = text(&made["secret"]);
    assert_eq!(header(post, "X-Webhook-Signature"), body_signature(&secret, &post.body));
    assert_eq!(header(post, "X-Webhook-Id"), made["id"]);

    let [log] = &world.logs("").await[..] else { panic!("one attempt") };
    assert_eq!(log["id"], header(post, "X-Webhook-Delivery"));
    assert_eq!(log["event_id"], header(post, "X-Webhook-Event-Id"));
    for (field, expected) in [
        ("status", json!("success")),
        ("event_type", json!("customer.created")),
        ("webhook_id", made["id"].clone()),
        ("entity_id", json!(world.owner.entity())),
        ("request_body", json!(post.body)),
        ("response_status", json!(200)),
        ("response_body", json!("taken")),
        ("attempt", json!(1)),
        ("max_attempts", json!(5)),
        ("duration_ms", json!(3)),
        ("next_retry_at", json!(null)),
        ("error_message", json!(null)),
    ] {
        assert_eq!(log[field], expected, "{field}");
    }
    let path = format!("/webhooks/{}", text(&made["id"]));
    let after = world.api.get(&path, &world.owner).await.json();
    assert!(after["last_delivery_at"].is_string() && after["last_error"].is_null(), "{after}");

    let id = text(&customer["id"]);
    let renamed = json!({"name": "Ana"});
    world.api.patch(&format!("/customers/{id}"), &world.owner, renamed).await.with(200);
    world.api.delete(&format!("/customers/{id}"), &world.owner).await.with(204);
    let later = world.posts().await;
    assert_eq!(later.len(), 1, "deletions are not subscribed to");
    let sequence = |post| header(post, "X-Webhook-Sequence").parse::<i64>().unwrap();
    assert!(sequence(&later[0]) > sequence(post), "of one object the later has the greater");
}

#[actix_web::test]
async fn a_failing_receiver_is_tried_five_times_then_disabled_and_its_events_are_parked() {
    let world = World::new().await;
    let made = world.endpoint(&["customer.created"]).await;
    let path = format!("/webhooks/{}", text(&made["id"]));
    world.courier.answers([500; 5]);
    world.customer("first").await;
    world.listen().await;
    for (attempt, wait) in [(1, 60), (2, 300), (3, 1_800), (4, 7_200), (5, 0)] {
        assert_eq!(world.deliver().await, 1, "{attempt}");
        assert_eq!(world.deliver().await, 0, "not before its time");
        world.api.pass(wait);
    }
    assert_eq!(world.deliver().await, 0);
    let posts = world.courier.posts();
    let mut events: Vec<_> = posts.iter().map(|post| header(post, "webhook-id")).collect();
    let mut ids: Vec<_> = posts.iter().map(|post| header(post, "X-Webhook-Delivery")).collect();
    events.dedup();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((events.len(), ids.len()), (1, 5));
    let after = world.api.get(&path, &world.owner).await.json();
    assert_eq!(after["active"], false);
    assert!(text(&after["disabled_reason"]).contains("5 attempts"), "{after}");

    let mails = world.mails().await;
    let [mail] = &mails[..] else { panic!("one mail: {mails:?}") };
    assert_eq!(mail.to, ["owner@example.com"]);
    assert!(mail.text.contains(&text(&made["id"])) && mail.text.contains("5 attempts"));

    for n in 0..5 {
        world.customer(&format!("parked {n}")).await;
    }
    assert_eq!(world.posts().await.len(), 0);
    assert_eq!(world.logs("status=parked").await.len(), 5);
    let range = json!({"from": "2026-11-20", "to": "2026-11-21"});
    let replay = format!("{path}/replay");
    let refused = world.api.post(&replay, &world.owner, range.clone()).await.with(422);
    assert_eq!(refused.json()["cause"]["code"], "webhook_inactive");

    let on = json!({"active": true});
    let active = world.api.patch(&path, &world.owner, on).await.with(200).json();
    assert_eq!(active["disabled_reason"], json!(null));
    assert_eq!(world.posts().await.len(), 0, "parked ones wait for a replay");
    world.api.pass(1);
    let replayed = world.api.post(&replay, &world.owner, range.clone()).await.with(200).json();
    assert_eq!(replayed, json!({"replayed": 6, "has_more": false}), "the failed one too");
    assert_eq!(world.posts().await.len(), 6);
    let again = world.api.post(&replay, &world.owner, range).await.with(200).json();
    assert_eq!(again["replayed"], 0, "nothing twice");
    assert_eq!(world.logs("status=success").await.len(), 6);
}

#[actix_web::test]
async fn permanent_statuses_are_not_retried_and_one_event_can_be_replayed() {
    let world = World::new().await;
    world.endpoint(&["customer.created"]).await;
    for status in [400, 401, 403, 404, 405, 410] {
        world.courier.answers([status]);
        world.customer(&format!("{status}")).await;
        assert_eq!(world.posts().await.len(), 1);
    }
    world.api.pass(100_000);
    assert_eq!(world.deliver().await, 0);
    let failed = world.logs("status=failed").await;
    assert_eq!(failed.len(), 6);
    assert!(failed.iter().all(|log| log["next_retry_at"].is_null()));

    let path = format!("/webhook-logs/{}/replay", text(&failed[0]["id"]));
    let queued = world.api.post(&path, &world.owner, json!({})).await.with(201).json();
    assert_eq!((&queued["status"], &queued["attempt"]), (&json!("pending"), &json!(1)));
    assert_eq!(queued["event_id"], failed[0]["event_id"]);
    assert_eq!(queued["request_body"], failed[0]["request_body"]);
    assert_ne!(queued["id"], failed[0]["id"]);
    assert_eq!(world.posts().await.len(), 1);
    let stranger = world.api.owner("stranger@example.com").await;
    world.api.post(&path, &stranger, json!({})).await.with(404);
}

#[actix_web::test]
async fn a_test_is_posted_at_once_and_disables_nothing() {
    let world = World::new().await;
    let made = world.endpoint(&["customer.created"]).await;
    let path = format!("/webhooks/{}", text(&made["id"]));
    let test = format!("{path}/test");
    let log = world.api.post(&test, &world.owner, json!({})).await.with(200).json();
    assert_eq!((&log["status"], &log["event_type"]), (&json!("success"), &json!("webhook.test")));
    let [post] = &world.courier.posts()[..] else { panic!("one post") };
    let signature = body_signature(&text(&made["secret"]), &post.body);
    assert_eq!(header(post, "X-Webhook-Signature"), signature);
    world.courier.answers([500]);
    let log = world.api.post(&test, &world.owner, json!({})).await.with(200).json();
    assert_eq!((&log["status"], &log["response_status"]), (&json!("failed"), &json!(500)));
    world.api.pass(100_000);
    assert_eq!(world.deliver().await, 0);
    assert_eq!(world.api.get(&path, &world.owner).await.json()["active"], true);
}

#[actix_web::test]
async fn the_log_is_filtered() {
    let world = World::new().await;
    let made = world.endpoint(&["customer.created", "item.created"]).await;
    world.courier.answers([200, 404]);
    world.customer("first").await;
    world.posts().await;
    world.customer("second").await;
    world.posts().await;
    let id = text(&made["id"]);
    for (query, expected) in [
        ("status=success".to_owned(), 1),
        ("status=failed".to_owned(), 1),
        ("status=pending".to_owned(), 0),
        ("event_type=customer.created".to_owned(), 2),
        ("event_type=item.created".to_owned(), 0),
        (format!("webhook_id={id}"), 2),
        ("date_from=2026-11-20&date_to=2026-11-20".to_owned(), 2),
        ("date_from=2026-11-21".to_owned(), 0),
        ("environment=sandbox".to_owned(), 2),
        (format!("entity_id={}", world.owner.entity()), 2),
    ] {
        assert_eq!(world.logs(&query).await.len(), expected, "{query}");
    }
    for (query, status) in
        [("status=lost", 422), ("date_from=soon", 422), ("environment=live", 403)]
    {
        world.api.get(&format!("/webhook-logs?{query}"), &world.owner).await.with(status);
    }
}

#[actix_web::test]
async fn an_account_has_endpoints_of_its_own() {
    let world = World::new().await;
    let (api, owner) = (&world.api, &world.owner);
    let events = ["white_label_subscription.renewed"];
    let body = json!({"url": "https://example.com/account", "events": events});
    let made = api.post("/account-webhooks", owner, body.clone()).await.with(201).json();
    let id = text(&made["id"]);
    assert!(id.starts_with("accwh_") && text(&made["secret"]).len() == 64, "{made}");
    assert!(made["account_id"].is_string() && made.get("entity_id").is_none(), "{made}");
    let path = format!("/account-webhooks/{id}");
    assert_eq!(api.get(&path, owner).await.with(200).json()["secret"], "whsec_****...****");
    let page = api.get("/account-webhooks", owner).await.with(200).json();
    assert_eq!(page["pagination"]["total"], 1);
    let plain = json!({"url": "http://example.com/account", "events": events});
    api.post("/account-webhooks", owner, plain).await.with(422);
    api.patch(&path, owner, json!({"active": false})).await.with(200);
    let stranger = api.user("stranger@example.com").await;
    api.get(&path, &stranger).await.with(404);
    api.delete(&path, owner).await.with(204);
    let none = api.get("/webhooks", owner).await.with(200).json();
    assert_eq!(none["pagination"]["total"], 0);
}
