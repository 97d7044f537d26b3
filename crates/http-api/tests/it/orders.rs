//! Orders and their integrations over HTTP: kept once, made into one invoice, received by signed
//! webhooks.

use std::sync::Arc;

use actix_web::test::TestRequest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_background::jobs::{Job, JobKind, claim, perform};
use racun_fiscalization::TaxAuthority;
use racun_shop::OrderHandler;
use racun_store::Store;
use ring::hmac;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};

pub const SHOPIFY: &str = include_str!("../../../orders/tests/data/shopify_order.json");
pub const WOO: &str = include_str!("../../../orders/tests/data/woocommerce_order.json");
pub const SECRET: &str = "shpss_hush";

/// A shop's desk: an entity with its orders.
pub struct Desk {
    pub api: Api,
    pub owner: Who,
}

impl Desk {
    pub async fn open() -> Self {
        let api = Api::new().await;
        let owner = api.owner("ana@example.com").await;
        Self { api, owner }
    }

    /// An integration with what `more` says.
    pub async fn integration(&self, more: Value) -> Value {
        let mut body = json!({"name": "Shop"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.post("/order-integrations", body).await.with(201).json()
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(path, &self.owner, body).await
    }

    pub async fn get(&self, path: &str) -> Value {
        self.api.get(path, &self.owner).await.with(200).json()
    }

    pub async fn patch(&self, order: &Value, body: Value) -> Answer {
        self.api.patch(&format!("/orders/{}", text(&order["id"])), &self.owner, body).await
    }

    pub async fn act(&self, order: &Value, what: &str) -> Answer {
        self.post(&format!("/orders/{}/{what}", text(&order["id"])), json!({})).await
    }

    /// What processes orders on `store`, which tells the authority by `authority`.
    pub fn handler(&self, store: Arc<dyn Store>, authority: Arc<dyn TaxAuthority>) -> OrderHandler {
        let services = self.api.services.clone();
        OrderHandler {
            store,
            fiscal: services.fiscal(),
            authority,
            vat: Arc::clone(&services.vat_registry),
            portugal: services.portugal.clone(),
            stamp: Arc::new(move || services.stamp()),
        }
    }

    /// What is due to be processed.
    pub async fn due(&self) -> Vec<Job> {
        let services = &self.api.services;
        let kinds = [JobKind::OrderProcessing];
        claim(&*services.store, &kinds, &services.stamp(), 100).await.unwrap()
    }

    /// What is due is processed.
    pub async fn work(&self) {
        let services = &self.api.services;
        let authority = Arc::clone(&services.tax_authority);
        let handler = self.handler(Arc::clone(&services.store), authority);
        for job in self.due().await {
            perform(&*services.store, &handler, &job, &*handler.stamp).await.unwrap();
        }
    }

    /// What a shop posts.
    pub async fn hook(
        &self,
        id: &Value,
        platform: &str,
        topic: &str,
        body: &str,
        secret: &str,
    ) -> Answer {
        posted(&self.api, (id, platform), (topic, body), secret, &[]).await
    }

    pub async fn orders(&self) -> Vec<Value> {
        self.get("/orders").await["data"].as_array().unwrap().clone()
    }

    pub async fn invoices(&self) -> Vec<Value> {
        self.list("/invoices").await
    }

    /// All rows of the list at `path`.
    pub async fn list(&self, path: &str) -> Vec<Value> {
        let (mut rows, mut next) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}?limit=100{next}")).await;
            rows.extend(page["data"].as_array().unwrap().iter().cloned());
            let Some(cursor) = page["pagination"]["next_cursor"].as_str() else { return rows };
            next = format!("&next_cursor={cursor}");
        }
    }
}

/// What a shop on `platform` posts to the integration `id`, with `more` headers.
pub async fn posted(
    api: &Api,
    (id, platform): (&Value, &str),
    (topic, body): (&str, &str),
    secret: &str,
    more: &[(&'static str, &str)],
) -> Answer {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = STANDARD.encode(hmac::sign(&key, body.as_bytes()).as_ref());
    let (topics, signatures) = match platform {
        "shopify" => ("x-shopify-topic", "x-shopify-hmac-sha256"),
        _ => ("x-wc-webhook-topic", "x-wc-webhook-signature"),
    };
    let path = format!("/order-integrations/{}/webhooks/{platform}", text(id));
    let mut request = TestRequest::post()
        .uri(&path)
        .insert_header((topics, topic))
        .insert_header((signatures, signature))
        .insert_header(("content-type", "application/json"))
        .set_payload(body.to_owned());
    for header in more {
        request = request.insert_header(*header);
    }
    api.call(request).await
}

/// An order of two lines, in gross prices, that comes to 34.40.
pub fn order(integration: &Value, more: Value) -> Value {
    let mut body = json!({
        "order_integration_id": integration["id"], "source": integration["source"],
        "source_id": "1001", "source_order_number": "#1001", "customer_name": "Bor Kos",
        "customer_email": "bor@example.com", "currency_code": "EUR",
        "billing_address": {"address": "Trg 3", "city": "Kranj", "country_code": "si"},
        "total": 28.2, "total_with_tax": 34.4, "payment_method": "stripe",
        "payment_status": "paid",
        "items": [
            {"name": "Tea", "quantity": 2, "price": 12.5, "gross_price": 15.25, "total": 25,
             "total_with_tax": 30.5, "tax_rate": 22, "sku": "T-1"},
            {"name": "Post", "quantity": 1, "price": 3.2, "gross_price": 3.9, "total": 3.2,
             "total_with_tax": 3.9, "taxes": [{"rate": 22}], "kind": "shipping"},
        ],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[actix_web::test]
async fn an_order_becomes_one_invoice_however_often_it_is_processed() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({})).await;
    let made = desk.post("/orders", order(&shop, json!({}))).await.with(201).json();
    assert_eq!((&made["status"], &made["paid"]), (&json!("pending"), &json!(true)));
    assert_eq!(made["billing_address"]["country_code"], "SI");
    let again = desk.post("/orders", order(&shop, json!({}))).await.with(409).json();
    assert_eq!(again["cause"]["code"], "duplicate");
    let done = desk.act(&made, "process").await.with(200).json();
    assert_eq!((&done["status"], &done["error"]), (&json!("processed"), &Value::Null), "{done}");
    let same = desk.act(&made, "process").await.with(200).json();
    assert_eq!(same["invoice_id"], done["invoice_id"]);
    assert_eq!(desk.invoices().await.len(), 1);
    let invoice = desk.get(&format!("/invoices/{}", text(&done["invoice_id"]))).await;
    assert_eq!(invoice["total_with_tax"], json!(34.4));
    assert_eq!(invoice["paid_in_full"], json!(true));
    assert_eq!(invoice["customer_id"], done["customer_id"]);
    assert_eq!(invoice["customer"]["name"], "Bor Kos");
    assert_eq!(
        (&invoice["reference"], &invoice["metadata"]["order_id"]),
        (&json!("#1001"), &done["id"])
    );
    let refused = desk.act(&made, "cancel").await.with(422).json();
    assert_eq!(refused["cause"]["code"], "order_invoiced");
}

#[actix_web::test]
async fn money_by_bank_is_an_estimate_first_and_then_an_invoice() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({})).await;
    let unpaid = json!({"payment_status": "unpaid", "payment_method": "bacs"});
    let made = desk.post("/orders", order(&shop, unpaid)).await.with(201).json();
    let estimated = desk.act(&made, "process").await.with(200).json();
    assert_eq!((&estimated["invoice_id"], desk.invoices().await.len()), (&Value::Null, 0));
    assert!(text(&estimated["estimate_id"]).starts_with("est_"));
    desk.patch(&made, json!({"payment_status": "paid"})).await.with(200);
    let invoiced = desk.act(&made, "process").await.with(200).json();
    assert_eq!(invoiced["error"], Value::Null, "{invoiced}");
    let invoice = desk.get(&format!("/invoices/{}", text(&invoiced["invoice_id"]))).await;
    assert_eq!(invoice["paid_in_full"], json!(true));
}

#[actix_web::test]
async fn what_refuses_the_document_is_kept_and_may_be_mended() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({})).await;
    let wrong = json!({"total_with_tax": 99});
    let made = desk.post("/orders", order(&shop, wrong)).await.with(201).json();
    let failed = desk.act(&made, "process").await.with(200).json();
    assert_eq!(failed["status"], "failed");
    assert!(text(&failed["error"]).contains("99"), "{failed}");
    assert_eq!(desk.invoices().await.len(), 0);
    let mended = desk.patch(&made, json!({"total_with_tax": 34.4})).await.with(200).json();
    assert_eq!((&mended["status"], &mended["error"]), (&json!("pending"), &Value::Null));
    assert_eq!(desk.act(&made, "process").await.with(200).json()["status"], "processed");
}

#[actix_web::test]
async fn a_change_is_invoiced_again_and_the_net_sold_is_the_new_total() {
    let desk = Desk::open().await;
    let rules = json!({"auto_process": true, "auto_reissue_on_update": true});
    let shop = desk.integration(rules).await;
    let made = desk.post("/orders", order(&shop, json!({}))).await.with(201).json();
    assert!(made["process_after"].is_string());
    desk.work().await;
    let first = desk.get(&format!("/orders/{}", text(&made["id"]))).await;
    assert_eq!((&first["status"], &first["process_after"]), (&json!("processed"), &Value::Null));
    let less = json!({
        "total": 12.5, "total_with_tax": 15.25,
        "items": [{"name": "Tea", "quantity": 1, "price": 12.5, "gross_price": 15.25,
                   "total": 12.5, "total_with_tax": 15.25, "tax_rate": 22}],
    });
    let changed = desk.patch(&made, less).await.with(200).json();
    assert_eq!(changed["items_changed_after_processing"], json!(true));
    desk.work().await;
    desk.work().await;
    let second = desk.get(&format!("/orders/{}", text(&made["id"]))).await;
    assert_eq!(second["items_changed_after_processing"], json!(false), "{second}");
    assert_ne!(second["invoice_id"], first["invoice_id"]);
    let live: Vec<Value> =
        desk.invoices().await.into_iter().filter(|it| it["voided_at"].is_null()).collect();
    assert_eq!((live.len(), &live[0]["total_with_tax"]), (1, &json!(15.25)));
}

#[actix_web::test]
async fn orders_go_to_the_trash_and_come_back() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({})).await;
    let made = desk.post("/orders", order(&shop, json!({}))).await.with(201).json();
    let path = format!("/orders/{}", text(&made["id"]));
    let erase = format!("{path}/permanent");
    desk.api.delete(&erase, &desk.owner).await.with(422);
    desk.api.delete(&path, &desk.owner).await.with(204);
    assert!(desk.orders().await.is_empty());
    assert_eq!(desk.act(&made, "process").await.with(422).json()["cause"]["code"], "in_trash");
    desk.act(&made, "restore").await.with(200);
    let moved = desk.patch(&made, json!({"source_id": "2"})).await.with(422);
    assert_eq!(moved.issue(), ("[\"source_id\"]".into(), "immutable".into()));
    let cancelled = desk.act(&made, "cancel").await.with(200).json();
    assert_eq!(
        (&cancelled["status"], &cancelled["cancelled"]),
        (&json!("cancelled"), &json!(true))
    );
    assert_eq!(
        desk.act(&made, "process").await.with(422).json()["cause"]["code"],
        "order_cancelled"
    );
    desk.api.delete(&path, &desk.owner).await.with(204);
    desk.api.delete(&erase, &desk.owner).await.with(204);
    desk.api.get(&path, &desk.owner).await.with(404);
}

#[actix_web::test]
async fn an_integration_shows_its_secret_once_and_names_what_is_there() {
    let desk = Desk::open().await;
    let made = desk.integration(json!({"source": "shopify"})).await;
    assert!(text(&made["webhook_secret"]).len() >= 32);
    let path = format!("/order-integrations/{}", text(&made["id"]));
    assert_eq!(desk.get(&path).await["webhook_secret"], Value::Null);
    assert_eq!(desk.integration(json!({})).await["webhook_secret"], Value::Null);
    for (field, value) in [
        ("business_unit_id", "unit_01jb2x3y4z5a6b7c8d9e0f1g2h"),
        ("business_premise_id", "premise_01jb2x3y4z5a6b7c8d9e0f1g2h"),
        ("auto_process_on", "shipped"),
    ] {
        let refused = desk.api.patch(&path, &desk.owner, json!({field: value})).await.with(422);
        assert_eq!(refused.issue().0, format!("[\"{field}\"]"));
    }
    desk.api.delete(&path, &desk.owner).await.with(204);
    desk.hook(&made["id"], "shopify", "orders/create", SHOPIFY, SECRET).await.with(404);
}

#[actix_web::test]
async fn a_webhook_that_is_not_signed_is_refused() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({"source": "shopify", "webhook_secret": SECRET})).await;
    let id = &shop["id"];
    let forged = desk.hook(id, "shopify", "orders/create", SHOPIFY, "another").await.with(401);
    assert_eq!(forged.json()["cause"]["code"], "invalid_signature");
    desk.hook(id, "woocommerce", "order.created", WOO, SECRET).await.with(404);
    let woo = desk.integration(json!({"source": "woocommerce", "webhook_secret": SECRET})).await;
    for topic in ["order.created", "order.updated", "order.restored", "order.deleted"] {
        let forged = desk.hook(&woo["id"], "woocommerce", topic, WOO, "another").await.with(401);
        assert_eq!(forged.json()["cause"]["code"], "invalid_signature", "{topic}");
    }
    let unknown = json!("oint_01jb2x3y4z5a6b7c8d9e0f1g2h");
    desk.hook(&unknown, "shopify", "orders/create", SHOPIFY, SECRET).await.with(404);
    assert!(desk.orders().await.is_empty());
}

#[actix_web::test]
async fn what_shops_tell_of_others_than_orders_is_taken() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({"source": "shopify", "webhook_secret": SECRET})).await;
    let id = &shop["id"];
    let path = format!("/order-integrations/{}", text(id));
    for topic in ["products/update", "customers/redact", "shop/redact", "customers/data_request"] {
        desk.hook(id, "shopify", topic, "{}", SECRET).await.with(204);
        desk.hook(id, "shopify", topic, "{}", "another").await.with(401);
    }
    assert_eq!(desk.get(&path).await["is_active"], json!(true));
    desk.hook(id, "shopify", "app/uninstalled", "{}", "another").await.with(401);
    assert_eq!(desk.get(&path).await["is_active"], json!(true));
    for topic in ["app/uninstalled", "app/uninstalled", "shop/redact"] {
        desk.hook(id, "shopify", topic, "{}", SECRET).await.with(204);
        assert_eq!(desk.get(&path).await["is_active"], json!(false));
    }
    desk.hook(id, "shopify", "orders/create", SHOPIFY, SECRET).await.with(422);
    let other = json!({"source": "woocommerce", "webhook_secret": SECRET});
    let shop = desk.integration(other).await;
    desk.hook(&shop["id"], "woocommerce", "product.updated", "{}", SECRET).await.with(204);
    assert!(desk.orders().await.is_empty());
}

#[actix_web::test]
async fn all_that_a_new_order_lacks_is_reported_at_once() {
    let desk = Desk::open().await;
    let named = |answer: &Answer| {
        let body = answer.json();
        let issues = body["cause"]["issues"].as_array().unwrap().clone();
        let path = |issue: &Value| text(&issue["path"][0]);
        issues.iter().map(path).collect::<std::collections::BTreeSet<_>>()
    };
    let all = "currency_code items order_integration_id source source_id total total_with_tax";
    let all: std::collections::BTreeSet<String> = all.split(' ').map(str::to_owned).collect();
    let none = desk.post("/orders", json!({})).await.with(422);
    assert_eq!(named(&none), all);
    for id in ["oint_", "oint_01jb2x3y4z5a6b7c8d9e0f1g2h"] {
        let wrong = desk.post("/orders", json!({"order_integration_id": id})).await.with(422);
        assert_eq!(named(&wrong), all, "{id}");
    }
}

#[actix_web::test]
async fn a_known_customer_is_found_by_the_address_for_mail() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({})).await;
    let known = json!({"name": "Bor Kos", "email": "BOR@example.com", "address": "Elsewhere 1"});
    let known = desk.post("/customers", known).await.with(201).json();
    let process = async |n: &str, more: Value| {
        let mut body = order(&shop, json!({"source_id": n}));
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = desk.post("/orders", body).await.with(201).json();
        let done = desk.act(&made, "process").await.with(200).json();
        assert_eq!(done["error"], Value::Null, "{done}");
        done["customer_id"].clone()
    };
    assert_eq!(process("1", json!({})).await, known["id"]);
    // One of the same name is preferred; one of another name is not renamed.
    let other = json!({"name": "Ana Kos", "email": "bor@example.com"});
    let other = desk.post("/customers", other).await.with(201).json();
    assert_eq!(process("2", json!({"customer_name": "ana kos"})).await, other["id"]);
    assert_eq!(process("3", json!({"customer_name": "B. Kos"})).await, known["id"]);
    let now = desk.get(&format!("/customers/{}", text(&known["id"]))).await;
    assert_eq!(now["name"], "Bor Kos");
    // The tax number comes first, and another one is another customer.
    let company = |number: &str| {
        json!({"customer_name": "Kos d.o.o.", "customer_email": "firm@example.com",
            "customer": {"is_business": true, "company_name": "Kos d.o.o.", "tax_number": number}})
    };
    let firm = json!({"name": "Kos", "tax_number": "SI10039856", "email": "firm@example.com"});
    let firm = desk.post("/customers", firm).await.with(201).json();
    assert_eq!(process("4", company("SI10039856")).await, firm["id"]);
    let unknown = json!({"customer_email": "firm@example.com"});
    assert_eq!(process("5", unknown).await, firm["id"]);
    let another = process("6", company("SI59082437")).await;
    assert!(another != firm["id"] && another != known["id"]);
    let all = desk.get("/customers?limit=100").await;
    assert_eq!(all["data"].as_array().unwrap().len(), 4);
}

#[actix_web::test]
async fn webhooks_that_repeat_and_come_late_leave_one_order_and_one_invoice() {
    let desk = Desk::open().await;
    let rules = json!({
        "source": "shopify", "webhook_secret": SECRET, "auto_process": true,
        "default_payment_type": "card",
    });
    let shop = desk.integration(rules).await;
    let id = &shop["id"];
    let mut later: Value = serde_json::from_str(SHOPIFY).unwrap();
    later["updated_at"] = "2026-11-20T11:00:00+01:00".into();
    later["fulfillment_status"] = "fulfilled".into();
    let later = later.to_string();
    for (topic, body) in [
        ("orders/create", SHOPIFY),
        ("orders/create", SHOPIFY),
        ("orders/fulfilled", &later),
        ("orders/paid", SHOPIFY),
    ] {
        desk.hook(id, "shopify", topic, body, SECRET).await.with(204);
        desk.work().await;
    }
    let orders = desk.orders().await;
    assert_eq!(orders.len(), 1);
    let order = &orders[0];
    assert_eq!((&order["status"], &order["error"]), (&json!("processed"), &Value::Null));
    assert_eq!((&order["fulfilled"], &order["complete"]), (&json!(true), &json!(true)));
    assert_eq!(order["raw_data"]["name"], "#1001");
    let invoices = desk.invoices().await;
    assert_eq!((invoices.len(), &invoices[0]["total_with_tax"]), (1, &json!(113.9)));
    let gone = r#"{"id": 820982911946154508}"#;
    desk.hook(id, "shopify", "orders/delete", gone, SECRET).await.with(204);
    assert!(desk.orders().await.is_empty());
    desk.hook(id, "shopify", "orders/create", SHOPIFY, SECRET).await.with(204);
    assert!(desk.orders().await.is_empty(), "what is in the trash stays there");
}

#[actix_web::test]
async fn a_shop_on_woocommerce_tries_its_webhook_and_posts_orders() {
    let desk = Desk::open().await;
    let shop = desk.integration(json!({"source": "woocommerce", "webhook_secret": SECRET})).await;
    let id = &shop["id"];
    desk.hook(id, "woocommerce", "ping", "webhook_id=7", "not signed").await.with(204);
    desk.hook(id, "woocommerce", "order.created", WOO, SECRET).await.with(204);
    let orders = desk.orders().await;
    let done = desk.act(&orders[0], "process").await.with(200).json();
    assert_eq!(done["error"], Value::Null, "{done}");
    let estimate = desk.get(&format!("/estimates/{}", text(&done["estimate_id"]))).await;
    assert_eq!(estimate["total_with_tax"], json!(42.7));
}
