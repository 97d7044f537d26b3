//! A refusal tells all that is wrong with a body, and trying its handler again changes nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use async_trait::async_trait;
use racun_application::Services;
use racun_http_api::{Http, RequestLimits, Route, routes};
use racun_store::{Store, StoreDecorator, TransactError, Unit};
use racun_store_sqlite::SqliteStore;
use serde_json::{Map, Value, json};

use crate::authorities::{PASSPHRASE, Scripted, file};
use crate::harness::{Api, PASSWORD, Who, text};
use crate::mailbox::Mailbox;
use crate::outside::Memory;
use crate::taxpayer::{TAX_NUMBER, form, movable};

/// A property that no body knows.
const UNKNOWN: &str = "zzqqxx";

/// An example of every body.
const EXAMPLES: &str = include_str!("../../src/examples/requests.json");

/// A store that notes what is committed, and fails on command.
struct Watched {
    store: Arc<dyn Store>,
    /// The tables of what was committed.
    committed: Arc<Mutex<Vec<&'static str>>>,
    /// How many units were begun.
    units: AtomicUsize,
    panics: AtomicBool,
    hangs: AtomicBool,
}

impl Watched {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            store: Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap()),
            committed: Arc::default(),
            units: AtomicUsize::new(0),
            panics: AtomicBool::new(false),
            hangs: AtomicBool::new(false),
        })
    }

    fn units(&self) -> usize {
        self.units.load(Ordering::SeqCst)
    }

    /// The tables of what was committed since the last call.
    fn committed(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.committed.lock().unwrap())
    }
}

#[async_trait]
impl StoreDecorator for Watched {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn transact(&self, mut unit: Unit) -> Result<(), TransactError> {
        self.units.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics.load(Ordering::SeqCst), "a unit panics");
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let (decide, noted) = (unit.decide, Arc::<Mutex<Vec<_>>>::default());
        let notes = Arc::clone(&noted);
        unit.decide = Box::new(move |loaded| {
            let writes = decide(loaded)?;
            let mut notes = notes.lock().unwrap();
            notes.extend(writes.puts.iter().map(|put| put.table.name));
            notes.extend(writes.events.iter().map(|_| "events"));
            notes.extend(writes.takes_number.then_some("a number"));
            Ok(writes)
        });
        let outcome = self.store.transact(unit).await;
        if outcome.is_ok() {
            self.committed.lock().unwrap().extend(noted.lock().unwrap().drain(..));
        }
        outcome
    }
}

/// An application all of whose effects are seen.
struct World {
    api: Api,
    owner: Who,
    store: Arc<Watched>,
    authorities: Arc<Scripted>,
    courier: Arc<crate::couriers::Scripted>,
    mailbox: Arc<Mailbox>,
    files: Arc<Memory>,
    /// Ids of records of many kinds.
    ids: Vec<String>,
}

impl World {
    async fn new() -> Self {
        let (store, authorities) = (Watched::new(), Arc::<Scripted>::default());
        let (courier, mailbox) = (Arc::<crate::couriers::Scripted>::default(), Arc::default());
        let files = Arc::<Memory>::default();
        let change = |services: Services| Services {
            store: Arc::<Watched>::clone(&store),
            authorities: Arc::<Scripted>::clone(&authorities),
            courier: Arc::<crate::couriers::Scripted>::clone(&courier),
            mailer: Arc::<Mailbox>::clone(&mailbox),
            files: Arc::<Memory>::clone(&files),
            ..services
        };
        let api = Api::with(change).await;
        let user = api.user("owner@example.com").await;
        api.verify("owner@example.com").await;
        let body = json!({
            "name": "Pri Ani", "country": "Slovenia", "environment": "sandbox",
            "tax_number": format!("SI{TAX_NUMBER}"), "address": "Trg 1", "post_code": "1000",
            "city": "Ljubljana",
        });
        let entity = api.post("/entities", &user, body).await.with(201).json();
        let owner = user.in_entity(&text(&entity["id"]));
        let ids = Vec::new();
        Self { api, owner, store, authorities, courier, mailbox, files, ids }
    }

    async fn make(&mut self, path: &str, body: Value) -> Value {
        let made = self.api.post(path, &self.owner, body).await.with(201).json();
        self.ids.push(text(&made["id"]));
        made
    }

    /// Makes records of most kinds, and has sales told to the tax authority.
    async fn fill(&mut self) {
        let line = json!([{"name": "a", "price": 10, "taxes": [{"rate": 22}]}]);
        let of = |extra: Value| {
            let mut body = json!({"items": line});
            body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            body
        };
        self.ids.extend([self.owner.entity().to_owned(), self.api.id(&self.owner).await]);
        self.make("/customers", json!({"name": "Bor", "email": "owner@example.com"})).await;
        self.make("/suppliers", json!({"name": "Cveto"})).await;
        self.make("/items", json!({"name": "Tea", "price": 2})).await;
        self.make("/taxes", json!({"tax_rates": [{"rate": 22}]})).await;
        self.make("/financial-categories", json!({"name": "Services"})).await;
        self.make("/business-units", json!({"name": "Koper"})).await;
        self.make("/invoices", of(json!({"is_draft": true}))).await;
        let issued = self.make("/invoices", of(json!({}))).await;
        self.make("/estimates", of(json!({}))).await;
        self.make("/advance-invoices", of(json!({"is_draft": true}))).await;
        self.make("/delivery-notes", of(json!({}))).await;
        self.make("/credit-notes", of(json!({}))).await;
        self.make("/expenses", of(json!({"supplier": {"name": "Cveto"}, "is_draft": true}))).await;
        let paid = json!({"document_id": issued["id"], "amount": 1, "type": "cash"});
        self.make("/payments", paid).await;
        let again = json!({
            "name": "Rent", "document_id": issued["id"], "frequency": "monthly", "interval": 1,
            "day_of_month": 1, "start_date": "2026-12-01",
        });
        self.make("/recurring-invoices", again).await;
        self.make("/pos/tables", json!({"label": "1"})).await;
        let tab = text(&self.make("/pos/tabs", json!({})).await["id"]);
        let items = json!({"items": [{"name": "Tea", "unit_gross_price": 2}]});
        let path = format!("/pos/tabs/{tab}/items");
        self.api.post(&path, &self.owner, items).await.with(200);
        let hook = json!({"url": "https://example.com/hook", "events": ["invoice.created"]});
        self.make("/webhooks", hook).await;
        let parts =
            [("file", &file(TAX_NUMBER, 2025, 2030)[..]), ("passphrase", PASSPHRASE.as_bytes())];
        let path = "/fiscalization/furs/settings/certificate";
        self.api.call(self.owner.sign(form(path, &parts))).await.with(201);
        let path = "/fiscalization/furs/premises";
        let premise = self.make(&format!("{path}/movable"), movable("P1")).await;
        let path = format!("{path}/{}/devices", text(&premise["id"]));
        self.make(&path, json!({"name": "1"})).await;
        let settings = json!({
            "enabled": true, "operator_tax_number": TAX_NUMBER, "operator_label": "Ana",
        });
        self.api.put("/fiscalization/furs/settings", &self.owner, settings).await.with(200);
        self.quiet();
    }

    /// What was done outside and committed since the last call.
    fn quiet(&self) -> (Vec<&'static str>, usize) {
        let outside = self.authorities.told().len()
            + self.courier.posts().len()
            + self.mailbox.taken().len()
            + self.files.0.lock().unwrap().len();
        (self.store.committed(), outside)
    }

    /// `body` with ids of this world in the place of an example's.
    fn localized(&self, body: &Value) -> Value {
        match body {
            Value::String(text) => match text.rsplit_once('_') {
                Some((prefix, "01jd6m0000000000000000000c")) => {
                    let own = self.ids.iter().find(|id| id.rsplit_once('_').unwrap().0 == prefix);
                    json!(own.unwrap_or(text))
                }
                _ => json!(text),
            },
            Value::Array(values) => values.iter().map(|one| self.localized(one)).collect(),
            Value::Object(map) => {
                let each = map.iter().map(|(key, value)| (key.clone(), self.localized(value)));
                Value::Object(each.collect())
            }
            other => other.clone(),
        }
    }

    /// The paths of `route` with ids of this world.
    fn paths(&self, route: &Route) -> Vec<String> {
        if !route.path.contains('{') {
            return vec![route.path.to_owned()];
        }
        let with = |id: &String| {
            let parts = route.path.split('/');
            let parts = parts.map(|part| if part.starts_with('{') { id.as_str() } else { part });
            parts.collect::<Vec<_>>().join("/")
        };
        self.ids.iter().map(with).collect()
    }
}

fn places(answer: &crate::harness::Answer) -> Vec<(String, String)> {
    let issues = answer.json()["cause"]["issues"].as_array().cloned().unwrap_or_default();
    let place = |issue: Value| (issue["path"].to_string(), text(&issue["code"]));
    let mut places: Vec<_> = issues.into_iter().map(place).collect();
    places.sort();
    places
}

#[actix_web::test]
async fn whatever_is_refused_leaves_no_trace_though_the_rest_of_it_is_good() {
    let mut world = World::new().await;
    world.fill().await;
    let examples: Map<String, Value> = serde_json::from_str(EXAMPLES).unwrap();
    let (mut refused, mut decided) = (0, 0);
    for route in routes() {
        let Some(Value::Object(mut body)) =
            examples.get(route.operation).map(|body| world.localized(body))
        else {
            continue;
        };
        body.insert(UNKNOWN.to_owned(), json!(1));
        let body = Value::Object(body);
        let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        for path in world.paths(route) {
            let before = world.store.units();
            let request = TestRequest::default().method(method.clone()).uri(&path);
            let answer = world.api.call(world.owner.sign(request.set_json(&body))).await;
            // A form that comes as JSON is 415.
            let is_refused = matches!(answer.status, 401 | 403 | 404 | 409 | 415 | 422);
            assert!(is_refused, "{path}: {answer:?}");
            refused += usize::from(answer.status == 422);
            decided += usize::from(world.store.units() > before);
            let left = world.quiet();
            assert_eq!(left, (Vec::new(), 0), "{} {path}: {}", route.operation, answer.text);
        }
    }
    assert!(refused > 100 && decided > 60, "{refused} refused, {decided} units tried");
}

#[actix_web::test]
async fn a_sale_is_reported_once_and_only_when_it_is_good() {
    let mut world = World::new().await;
    world.fill().await;
    let sale = |footer: &str| {
        json!({
            "items": [{"name": "a", "price": 10, "taxes": [{"rate": 22}]}], "footer": footer,
            "payments": [{"type": "cash"}],
        })
    };
    world.api.post("/invoices", &world.owner, sale(&"x".repeat(501))).await.with(422);
    assert_eq!(world.quiet(), (Vec::new(), 0));
    let made = world.api.post("/invoices", &world.owner, sale("x")).await.with(201).json();
    assert_eq!(made["number"], "P1-1-1");
    assert_eq!(world.authorities.told().len(), 1);
}

#[actix_web::test]
async fn routes_that_check_a_secret_are_not_rehearsed() {
    let mut world = World::new().await;
    world.fill().await;
    let id = world.api.id(&world.owner).await;
    world.api.set_pin(&world.owner, &id, "042").await.with(204);
    let pin = format!("/pos/operators/{id}/pin");
    for (path, body) in [
        (&*pin, json!({"pin": "042", UNKNOWN: 1})),
        ("/pos/operators/switch", json!({"user_id": id, "pin": "042", UNKNOWN: 1})),
        ("/users/me/password", json!({"current_password": PASSWORD, "password": 1})),
    ] {
        let before = world.store.units();
        let answer = world.api.post(path, &world.owner, body.clone()).await;
        let answer = match answer.status {
            405 => world.api.put(path, &world.owner, body).await.with(422),
            _ => answer.with(422),
        };
        assert_eq!(places(&answer).len(), 1, "{answer:?}");
        assert_eq!(world.store.units(), before, "{path}");
    }
}

#[actix_web::test]
async fn a_panic_while_a_handler_is_tried_leaves_the_answer_as_it_was() {
    let world = World::new().await;
    let body = |extra: bool| match extra {
        true => json!({"name": "Bor", UNKNOWN: 1}),
        false => json!({"name": "Bor"}),
    };
    for key in [None, Some("k")] {
        let request = |body: Value| {
            let mut request = TestRequest::post().uri("/customers");
            if let Some(key) = key {
                request = request.insert_header(("idempotency-key", format!("{key}{body}")));
            }
            world.api.call(world.owner.sign(request).set_json(body))
        };
        if key.is_none() {
            world.store.panics.store(true, Ordering::SeqCst);
        }
        let refused = request(body(true)).await.with(422);
        world.store.panics.store(false, Ordering::SeqCst);
        let expected = (format!("[\"{UNKNOWN}\"]"), "unknown_field".to_owned());
        assert_eq!(places(&refused), [expected]);
        request(body(false)).await.with(201);
    }
    let total = &world.api.get("/customers", &world.owner).await.json()["pagination"]["total"];
    assert_eq!(*total, 2);
}

#[actix_web::test]
async fn issues_found_so_far_are_reported_when_a_rehearsal_does_not_end() {
    let World { owner, store, .. } = World::new().await;
    let limits = RequestLimits { trial_time: Duration::from_millis(1), ..RequestLimits::default() };
    let hanging = Arc::<Watched>::clone(&store);
    let api = Api::with_http(
        |services| Services { store: hanging, ..services },
        |http| Http { limits, ..http },
    )
    .await;
    store.hangs.store(true, Ordering::SeqCst);
    let body = json!({"name": "Bor", UNKNOWN: 1});
    let refused = api.post("/customers", &owner, body).await.with(422);
    assert_eq!(places(&refused).len(), 1);
}

#[actix_web::test]
async fn a_long_body_gets_the_issues_of_its_first_check() {
    let world = World::new().await;
    let before = world.store.units();
    let body = json!({"name": "", "note": "x".repeat(300_000), UNKNOWN: 1});
    let refused = world.api.post("/items", &world.owner, body).await;
    assert!(refused.status == 422 || refused.status == 413, "{refused:?}");
    assert_eq!(world.store.units(), before);
}
