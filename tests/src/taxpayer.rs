//! An entity that a tax authority knows, and what it issues.

use std::time::{Duration, Instant};

use racun_authority_simulator::WantedTaxpayer;
use racun_fiscal::Authority;
use serde_json::{Value, json};

use crate::account::Account;
use crate::client::{Answer, Client};
use crate::offices::Offices;

/// What opens the certificates' files.
const PASSPHRASE: &str = "open sesame";

/// An entity of the sandbox that fiscalizes, with a certificate of its own.
#[derive(Clone, Debug)]
pub struct Taxpayer {
    /// Acts in the entity.
    pub api: Client,
    /// Who knows it.
    pub authority: Authority,
    /// Its id.
    pub entity: String,
}

/// What the invoice says of its fiscalization: `furs` or `fina`.
#[must_use]
pub fn fiscal(invoice: &Value) -> &Value {
    match &invoice["furs"] {
        Value::Null => &invoice["fina"],
        furs => furs,
    }
}

impl Taxpayer {
    /// Opens one of the country of `authority` in `account`. All of a country have the same number.
    pub async fn open(account: &Account, offices: &Offices, authority: Authority) -> Self {
        let (country, number, operator) = match authority {
            Authority::Furs => ("Slovenia", "10039856", "operator_tax_number"),
            Authority::Fina => ("Croatia", "69435151530", "operator_oib"),
        };
        let wanted = json!({
            "name": "Pri Ani", "country": country, "environment": "sandbox",
            "tax_number": number, "address": "Trg 1", "post_code": "1000", "city": "Ljubljana",
        });
        let entity = text(&account.user.create("/entities", &wanted).await["id"]);
        let api = account.api.clone().with("x-entity-id", &entity);
        let own = Self { api, authority, entity };
        own.certify(offices).await;
        let mut settings = json!({ "enabled": true, "operator_label": "Ana" });
        settings[operator] = json!(number);
        own.api.put(&own.path("/settings"), &settings).await.expect(200);
        own
    }

    /// The same entity at a server that was started again, elsewhere.
    #[must_use]
    pub fn at(&self, account: &Account) -> Self {
        let api = account.api.clone().with("x-entity-id", &self.entity);
        Self { api, ..self.clone() }
    }

    /// `path` among those of the authority.
    #[must_use]
    pub fn path(&self, path: &str) -> String {
        format!("/fiscalization/{}{path}", self.authority.name())
    }

    /// Uploads a new certificate of this taxpayer; answers its serial number.
    pub async fn certify(&self, offices: &Offices) -> String {
        let number = match self.authority {
            Authority::Furs => "10039856",
            Authority::Fina => "69435151530",
        };
        let wanted = WantedTaxpayer::new(self.authority, number, PASSPHRASE);
        let issued = offices.of(self.authority).issue(&wanted);
        let issued = issued.unwrap_or_else(|error| panic!("{error}"));
        let parts = [("file", &issued.p12[..]), ("passphrase", PASSPHRASE.as_bytes())];
        self.api.upload(&self.path("/settings/certificate"), &parts).await.expect(201);
        issued.serial
    }

    /// The answer to opening the premise `name`: in Slovenia a movable one.
    pub async fn open_premise(&self, name: &str) -> Answer {
        let (path, body) = match self.authority {
            Authority::Furs => (
                "/premises/movable",
                json!({
                    "business_premise_name": name, "movable_premise": { "premise_type": "C" },
                }),
            ),
            Authority::Fina => ("/premises", json!({ "business_premise_name": name })),
        };
        self.api.post(&self.path(path), &body).await
    }

    /// Opens the premise `name` with these devices.
    pub async fn place(&self, name: &str, devices: &[&str]) {
        let premise = text(&self.open_premise(name).await.expect(201)["id"]);
        let field = match self.authority {
            Authority::Furs => "name",
            Authority::Fina => "electronic_device_name",
        };
        for device in devices {
            let mut body = json!({});
            body[field] = json!(device);
            let path = self.path(&format!("/premises/{premise}/devices"));
            self.api.create(&path, &body).await;
        }
    }

    /// The body of an invoice of 12.20, paid in cash, issued in `premise` on `device`.
    #[must_use]
    pub fn invoice(&self, premise: &str, device: &str) -> Value {
        let mut body = json!({
            "items": [{ "name": "Kruh", "price": 10, "taxes": [{ "rate": 22 }] }],
            "payments": [{ "type": "cash" }],
        });
        body[self.authority.name()] =
            json!({ "business_premise_name": premise, "electronic_device_name": device });
        body
    }

    /// Issues an invoice.
    pub async fn sell(&self, premise: &str, device: &str) -> Value {
        self.api.create("/invoices", &self.invoice(premise, device)).await
    }

    /// Sends a document again.
    pub async fn fiscalize(&self, invoice: &Value) -> Value {
        let path = format!("/documents/{}/fiscalize", text(&invoice["id"]));
        self.api.post(&path, &json!({})).await.expect(200)
    }

    /// The document as it is now.
    pub async fn read(&self, invoice: &Value) -> Value {
        self.api.read(&format!("/invoices/{}", text(&invoice["id"]))).await
    }

    /// ZOI or ZKI.
    #[must_use]
    pub fn mark(&self, invoice: &Value) -> String {
        let field = match self.authority {
            Authority::Furs => "zoi",
            Authority::Fina => "zki",
        };
        text(&fiscal(invoice)["data"][field])
    }

    /// EOR or JIR, when there is one.
    #[must_use]
    pub fn confirmation(&self, invoice: &Value) -> Option<String> {
        let field = match self.authority {
            Authority::Furs => "eor",
            Authority::Fina => "jir",
        };
        fiscal(invoice)["data"][field].as_str().map(str::to_owned)
    }

    /// All invoices once none of them waits for the authority any more.
    ///
    /// # Panics
    /// When one still does after `patience`.
    pub async fn all_settled(&self, patience: Duration) -> Vec<Value> {
        let until = Instant::now() + patience;
        loop {
            let rows = self.api.all("/invoices").await;
            let waiting = rows.iter().filter(|row| fiscal(row)["status"] == "pending").count();
            if waiting == 0 {
                return rows;
            }
            assert!(Instant::now() < until, "{waiting} of {} documents still wait", rows.len());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
