//! A taxpayer of one country, and the requests that tests of fiscalization make for it.

use std::sync::Arc;

use actix_web::test::TestRequest;
use racun_fiscalization::FiscalAuthority;
use racun_kernel::Tenant;
use racun_store::{Series, Store, StoreError, Writes};
use serde_json::{Value, json};

use crate::authorities::{PASSPHRASE, Scripted, file};
use crate::harness::{Answer, Api, Who, text};

/// A taxpayer of one country, and the authority.
pub struct Taxpayer {
    pub api: Api,
    pub owner: Who,
    pub authorities: Arc<Scripted>,
    pub store: Arc<dyn Store>,
    /// `/fiscalization/furs` or `/fiscalization/fina`.
    pub base: &'static str,
}

/// A certificate of this taxpayer that is good.
pub const TAX_NUMBER: &str = "10039856";
/// The same in Croatia.
pub const OIB: &str = "69435151530";

impl Taxpayer {
    pub async fn slovenian() -> Self {
        let tax_number = format!("SI {TAX_NUMBER}");
        Self::of("Slovenia", Some(&tax_number), "/fiscalization/furs").await
    }

    pub async fn croatian() -> Self {
        Self::of("Croatia", Some(&format!("HR{OIB}")), "/fiscalization/fina").await
    }

    pub async fn of(country: &str, tax_number: Option<&str>, base: &'static str) -> Self {
        let authorities = Arc::new(Scripted::default());
        let (scripted, mut store) = (Arc::clone(&authorities), None);
        let api = Api::with(|services| {
            store = Some(Arc::clone(&services.store));
            let services = racun_application::Services {
                authorities: Arc::<Scripted>::clone(&scripted),
                test_certificates: Some(scripted),
                ..services
            };
            let (store, fiscal) = (Arc::clone(&services.store), services.fiscal());
            let tax_authority = Arc::new(FiscalAuthority { store, fiscal, alone_since: None });
            racun_application::Services { tax_authority, ..services }
        })
        .await;
        let user = api.user("owner@example.com").await;
        let body = json!({
            "name": "Pri Ani", "country": country, "environment": "sandbox",
            "tax_number": tax_number, "address": "Trg 1", "post_code": "1000", "city": "Ljubljana",
        });
        let entity = api.post("/entities", &user, body).await.with(201).json();
        let owner = user.in_entity(&text(&entity["id"]));
        Self { api, owner, authorities, store: store.unwrap(), base }
    }

    pub fn path(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.api.get(&self.path(path), &self.owner).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(&self.path(path), &self.owner, body).await
    }

    pub async fn put(&self, body: Value) -> Answer {
        self.api.put(&self.path("/settings"), &self.owner, body).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.api.patch(&self.path(path), &self.owner, body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.api.delete(&self.path(path), &self.owner).await
    }

    /// Uploads a form of these parts.
    pub async fn upload(&self, parts: &[(&str, &[u8])]) -> Answer {
        let path = self.path("/settings/certificate");
        self.api.call(self.owner.sign(form(&path, parts))).await
    }

    /// Has a certificate that is good until 2030.
    pub async fn certified(self) -> Self {
        let number = if self.base.ends_with("furs") { TAX_NUMBER } else { OIB };
        let parts =
            [("file", &file(number, 2025, 2030)[..]), ("passphrase", PASSPHRASE.as_bytes())];
        self.upload(&parts).await.with(201);
        self
    }

    /// The id of a new open premise.
    pub async fn premise(&self, name: &str) -> String {
        let (path, body) = match self.base.ends_with("furs") {
            true => ("/premises/movable", movable(name)),
            false => ("/premises", json!({"business_premise_name": name})),
        };
        text(&self.post(path, body).await.with(201).json()["id"])
    }

    pub async fn create_device(&self, premise: &str, name: &str) -> Answer {
        let field = if self.base.ends_with("furs") { "name" } else { "electronic_device_name" };
        let mut body = json!({});
        body[field] = json!(name);
        self.post(&format!("/premises/{premise}/devices"), body).await
    }

    /// The id of a new device.
    pub async fn device(&self, premise: &str, name: &str) -> String {
        text(&self.create_device(premise, name).await.with(201).json()["id"])
    }

    /// Issues a number of the sequence `key`, from `start` on.
    pub async fn issue(&self, key: &str, start: i64) {
        let tenant = Tenant::entity(self.owner.entity().parse().unwrap());
        let series = Series { tenant, key: key.to_owned(), start };
        let writes = Writes { takes_number: true, ..Writes::default() };
        let taken =
            self.store.decide(Vec::new(), Some(series), |_| Ok::<_, StoreError>(((), writes)));
        taken.await.unwrap();
    }
}

pub fn movable(name: &str) -> Value {
    json!({"business_premise_name": name, "movable_premise": {"premise_type": "C"}})
}

/// A form as browsers send it.
pub fn form(path: &str, parts: &[(&str, &[u8])]) -> TestRequest {
    let mut body = Vec::new();
    for (name, content) in parts {
        let head = format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--b--\r\n");
    let kind = ("content-type", "multipart/form-data; boundary=b");
    TestRequest::post().uri(path).insert_header(kind).set_payload(body)
}

/// `cause.code` of a refusal.
pub fn cause(answer: &Answer) -> String {
    text(&answer.json()["cause"]["code"])
}
