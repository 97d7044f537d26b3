//! The application on a store of its own, and requests to it.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use actix_web::body::to_bytes;
use actix_web::http::header::HeaderMap;
use actix_web::test::{self, TestRequest};
use actix_web::web::Bytes;
use racun_access::{MailTokenPurpose, MasterVault, PinKey, mint_invitation_token, mint_mail_token};
use racun_application::Services;
use racun_background::budget::StorageLimits;
use racun_fiscalization::{NoAuthority, TaxAuthority};
use racun_http_api::{Http, Process, RequestLimits};
use racun_kernel::Entropy;
use racun_sales::billing::LabelSource;
use racun_store::Store;
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use time::Duration;
use time::macros::datetime;

use crate::authorities::Scripted;
use crate::described;
use crate::outside::{Memory, Register, Titles, Unreachable};

/// The password of every user in these tests.
pub const PASSWORD: &str = "correct horse 1";

/// Counts instead of being random.
#[derive(Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.fill(0);
        for (byte, value) in bytes.iter_mut().zip(count) {
            *byte = value;
        }
    }
}

/// A service that answers everything at once.
type Call = Rc<dyn Fn(TestRequest) -> Pin<Box<dyn Future<Output = Answer>>>>;

/// The application.
#[derive(Clone)]
pub struct Api {
    call: Call,
    seconds: Arc<AtomicI64>,
    pub services: Services,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Bytes,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The same answer, when it has this status.
    pub fn with(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// `code` of the first issue, with its path in JSON.
    pub fn issue(&self) -> (String, String) {
        let issue = &self.json()["cause"]["issues"][0];
        (issue["path"].to_string(), issue["code"].as_str().unwrap_or_default().to_owned())
    }
}

/// Services on `store`, at a time of the test's own.
pub fn services(store: Arc<dyn Store>, seconds: Arc<AtomicI64>) -> Services {
    let start = datetime!(2026-11-20 08:00 UTC);
    let now = move || start + Duration::seconds(seconds.load(Ordering::Relaxed));
    Services {
        store,
        tax_authority: Arc::new(NoAuthority),
        authorities: Arc::new(Scripted::default()),
        portugal: None,
        test_certificates: None,
        vault: Some(Arc::new(MasterVault::derive(&[7; 32]))),
        fiscal_retry: racun_fiscal::Retry::default(),
        courier: Arc::new(crate::couriers::Scripted::default()),
        webhook_schedule: racun_webhooks::Schedule::default(),
        mailer: Arc::new(Unreachable),
        files: Arc::<Memory>::default(),
        identity_provider: None,
        vat_registry: Arc::<Register>::default(),
        network: Arc::<crate::network::Scripted>::default(),
        shops: Arc::<crate::platforms::Scripted>::default(),
        cards: Arc::<crate::cards::Scripted>::default(),
        spreadsheets: Arc::<racun_spreadsheet::Xlsx>::default(),
        press: Arc::new(Titles),
        public_url: "https://racun.example".into(),
        white_labels: LabelSource::default(),
        operator_key: None,
        clock: Arc::new(now),
        entropy: Arc::new(Counting::default()),
        pins: Some(PinKey::derive(&[7; 32])),
        storage: StorageLimits::default(),
    }
}

/// What the interface has beside services, with these limits.
pub fn http(limits: RequestLimits) -> Http {
    Http { limits, ..Http::of(Process::starting("1.2.3")) }
}

impl Api {
    pub async fn new() -> Self {
        Self::limited(RequestLimits::default()).await
    }

    pub async fn limited(limits: RequestLimits) -> Self {
        Self::on(Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap()), limits)
            .await
    }

    /// The application on `store`.
    pub async fn on(store: Arc<dyn Store>, limits: RequestLimits) -> Self {
        let seconds = Arc::new(AtomicI64::new(0));
        let services = services(store, Arc::clone(&seconds));
        Self::of(services, http(limits), seconds).await
    }

    /// The application where changes of payments' types concern `tax_authority`.
    pub async fn reporting_to(tax_authority: Arc<dyn TaxAuthority>) -> Self {
        let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
        let seconds = Arc::new(AtomicI64::new(0));
        let services = services(Arc::new(store), Arc::clone(&seconds));
        let services = Services { tax_authority, ..services };
        Self::of(services, http(RequestLimits::default()), seconds).await
    }

    /// The application with these services, at a time of the test's own.
    pub async fn with(change: impl FnOnce(Services) -> Services) -> Self {
        Self::with_http(change, |http| http).await
    }

    /// The application with these services and what the interface has beside them, at a time of the
    /// test's own.
    pub async fn with_http(
        change: impl FnOnce(Services) -> Services,
        change_http: impl FnOnce(Http) -> Http,
    ) -> Self {
        let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
        let seconds = Arc::new(AtomicI64::new(0));
        let services = services(Arc::new(store), Arc::clone(&seconds));
        let http = change_http(http(RequestLimits::default()));
        Self::of(change(services), http, seconds).await
    }

    async fn of(services: Services, http: Http, seconds: Arc<AtomicI64>) -> Self {
        let kept = services.clone();
        let app = Rc::new(test::init_service(racun_http_api::app(services, http)).await);
        let call: Call = Rc::new(move |request| {
            let app = Rc::clone(&app);
            Box::pin(async move {
                let request = request.to_request();
                let (method, path) = (request.method().clone(), request.path().to_owned());
                let answer = test::call_service(&*app, request).await;
                let (_, answer) = answer.into_parts();
                let (head, body) = answer.into_parts();
                described::check(&method, &path, head.status().as_u16());
                let bytes = to_bytes(body).await.map_err(|_| ()).unwrap();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let (status, headers) = (head.status().as_u16(), head.headers().clone());
                Answer { status, headers, bytes, text }
            })
        });
        Self { call, seconds, services: kept }
    }

    /// Lets time pass.
    pub fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    pub async fn call(&self, request: TestRequest) -> Answer {
        (self.call)(request).await
    }

    pub async fn get(&self, path: &str, who: &Who) -> Answer {
        self.call(who.sign(TestRequest::get().uri(path))).await
    }

    pub async fn delete(&self, path: &str, who: &Who) -> Answer {
        self.call(who.sign(TestRequest::delete().uri(path))).await
    }

    pub async fn post(&self, path: &str, who: &Who, body: Value) -> Answer {
        self.call(who.sign(TestRequest::post().uri(path)).set_json(body)).await
    }

    pub async fn put(&self, path: &str, who: &Who, body: Value) -> Answer {
        self.call(who.sign(TestRequest::put().uri(path)).set_json(body)).await
    }

    pub async fn patch(&self, path: &str, who: &Who, body: Value) -> Answer {
        self.call(who.sign(TestRequest::patch().uri(path)).set_json(body)).await
    }

    /// `text` as a JSON body, digit by digit.
    pub async fn post_text(&self, path: &str, who: &Who, text: &str) -> Answer {
        let request =
            TestRequest::post().uri(path).insert_header(("content-type", "application/json"));
        self.call(who.sign(request).set_payload(text.to_owned())).await
    }

    /// A user who signed up and logged in.
    pub async fn user(&self, email: &str) -> Who {
        let body = json!({"email": email, "password": PASSWORD});
        self.post("/users/signup", &Who::anonymous(), body).await.with(201);
        self.log_in(email).await
    }

    /// The user in a new session, as after a month without one.
    pub async fn log_in(&self, email: &str) -> Who {
        let body = json!({"email": email, "password": PASSWORD});
        let login = self.post("/users/login", &Who::anonymous(), body).await.with(200).json();
        Who { token: Some(text(&login["id"])), entity: None }
    }

    /// The same user, acting in a new Slovenian sandbox entity of their own.
    pub async fn owner(&self, email: &str) -> Who {
        let user = self.user(email).await;
        let body = json!({"name": "Pri Ani", "country": "Slovenia", "environment": "sandbox"});
        let entity = self.post("/entities", &user, body).await.with(201).json();
        user.in_entity(&text(&entity["id"]))
    }

    /// A user with `role` in the entity of `owner`, who is new and accepted an invitation.
    pub async fn member(&self, owner: &Who, email: &str, role: &str) -> Who {
        let body = json!({"email": email, "role": role, "send_invite": false});
        let invited = self.post("/entities/users", owner, body).await.with(201).json();
        let accept = format!("/invitations/accept?token={}", text(&invited["token"]));
        let body = json!({"password": PASSWORD});
        let accepted = self.post(&accept, &Who::anonymous(), body).await.with(200).json();
        Who { token: Some(text(&accepted["access_token"])), entity: owner.entity.clone() }
    }

    /// As [`Api::member`], by the token that the mail brings: their address is verified.
    pub async fn verified_member(&self, owner: &Who, email: &str, role: &str) -> Who {
        let body = json!({"email": email, "role": role, "send_invite": false});
        let invited = self.post("/entities/users", owner, body).await.with(201).json();
        let (store, stamp) = (&*self.services.store, self.services.stamp());
        let (entity, id) = (owner.entity().parse().unwrap(), text(&invited["invitation_id"]));
        let token = mint_invitation_token(store, entity, &id, &stamp).await.unwrap().unwrap();
        let body = json!({"password": PASSWORD});
        let accept = format!("/invitations/accept?token={token}");
        let accepted = self.post(&accept, &Who::anonymous(), body).await.with(200).json();
        Who { token: Some(text(&accepted["access_token"])), entity: owner.entity.clone() }
    }

    /// Notes that the address is its user's, as the link in the mail does.
    pub async fn verify(&self, email: &str) {
        let (store, stamp) = (&*self.services.store, self.services.stamp());
        let purpose = MailTokenPurpose::Verification;
        let token = mint_mail_token(store, email, purpose, &stamp).await.unwrap().unwrap();
        let body = json!({"token": token});
        self.post("/users/verify-email", &Who::anonymous(), body).await.with(200);
    }
}

impl Api {
    /// The user's id.
    pub async fn id(&self, user: &Who) -> String {
        text(&self.get("/users/me", user).await.with(200).json()["id"])
    }

    /// Gives the user `id` a PIN.
    pub async fn set_pin(&self, who: &Who, id: &str, pin: &str) -> Answer {
        self.put(&format!("/pos/operators/{id}/pin"), who, json!({"pin": pin})).await
    }

    /// Hands a till over to the user `id`.
    pub async fn switch(&self, device: &Who, id: &str, pin: &str) -> Answer {
        let body = json!({"user_id": id, "pin": pin});
        self.post("/pos/operators/switch", device, body).await
    }

    /// The operator that a till is handed over to, in the entity of `device`.
    pub async fn operator(&self, device: &Who, id: &str, pin: &str) -> Who {
        let token = self.switch(device, id, pin).await.with(200).json();
        Who { token: Some(text(&token["id"])), entity: device.entity.clone() }
    }
}

/// Who makes a request, and in which entity.
#[derive(Debug, Clone)]
pub struct Who {
    pub token: Option<String>,
    pub entity: Option<String>,
}

impl Who {
    pub const fn anonymous() -> Self {
        Self { token: None, entity: None }
    }

    pub fn key(key: &str) -> Self {
        Self { token: Some(key.to_owned()), entity: None }
    }

    pub fn in_entity(&self, entity: &str) -> Self {
        Self { entity: Some(entity.to_owned()), ..self.clone() }
    }

    /// The entity's id.
    pub fn entity(&self) -> &str {
        self.entity.as_deref().unwrap()
    }

    pub fn sign(&self, mut request: TestRequest) -> TestRequest {
        if let Some(token) = &self.token {
            request = request.insert_header(("authorization", format!("Bearer {token}")));
        }
        if let Some(entity) = &self.entity {
            request = request.insert_header(("x-entity-id", entity.as_str()));
        }
        request
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not text: {value}")).to_owned()
}
