//! White labels that the operator manages by a key.

use std::sync::Arc;

use actix_web::test::TestRequest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_access::Digest;
use racun_application::Services;
use racun_mail::{Attachment, Mail};
use racun_sales::billing::LabelSource;
use serde_json::{Value, json};

use crate::billing::owner;
use crate::cards::Scripted;
use crate::guards::sign_up_at;
use crate::harness::{Api, Who, text};
use crate::mailbox::Post;

/// The operator's key in [`managed`].
pub const KEY: &str = "a-random-key-of-thirty-two-characters";

/// An application whose operator manages white labels by [`KEY`].
pub async fn managed() -> Api {
    managed_with(Arc::default()).await
}

/// The same, with `cards` as the card processor.
pub async fn managed_with(cards: Arc<Scripted>) -> Api {
    let operator_key = Some(Digest::of(KEY));
    let white_labels = LabelSource::Managed;
    Api::with(|services| Services { white_labels, operator_key, cards, ..services }).await
}

fn label(hosts: &[&str]) -> Value {
    json!({"name": "Acme", "hosts": hosts, "app_name": "Acme Invoices", "theme_color": "#FFD500",
    "logo_url": "https://cdn.acme.example/logo.png", "hidden_features": ["pos"],
    "billing_enabled": true, "default_plan": "free", "plans": [
        {"slug": "free", "name": "Free", "base_price_cents": 0, "features": ["invoices"],
         "limits": {"invoices_per_month": 1}},
    ]})
}

#[actix_web::test]
async fn the_operators_key_alone_manages_white_labels() {
    let api = managed().await;
    let owner = api.owner("ana@example.com").await;
    let path = "/operator/white-labels/acme";
    let hosts = ["app.acme.example"];
    for who in [Who::anonymous(), owner, Who::key(&format!("{KEY}x"))] {
        api.put(path, &who, label(&hosts)).await.with(401);
        api.get("/operator/white-labels", &who).await.with(401);
        api.delete(path, &who).await.with(401);
    }
    let none = Api::new().await;
    none.put(path, &Who::key(KEY), label(&hosts)).await.with(401);
    // A key of the file's days opens nothing.
    let key = Some(Digest::of(KEY));
    let file = Api::with(|services| Services { operator_key: key, ..services }).await;
    file.put(path, &Who::key(KEY), label(&hosts)).await.with(401);
}

#[actix_web::test]
async fn a_white_label_counts_from_its_commit_on_until_it_is_removed() {
    let api = managed().await;
    let operator = Who::key(KEY);
    let path = "/operator/white-labels/acme";
    let made = api.put(path, &operator, label(&["app.acme.example"])).await.with(200).json();
    assert_eq!(made["definition"]["plans"][0]["id"], "plan_free", "{made}");
    let current = async || {
        let request = TestRequest::get().uri("/white-labels/current");
        api.call(request.insert_header(("host", "app.acme.example"))).await
    };
    let seen = current().await.with(200).json();
    assert_eq!(
        (&seen["app_name"], &seen["hidden_features"]),
        (&json!("Acme Invoices"), &json!(["pos"]),)
    );
    let host = Some(("host", "app.acme.example"));
    let ana = crate::billing::owner(&api, "ana@example.com", host).await;
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    assert_eq!(own["plan"]["slug"], "free");
    let mut changed = label(&["app.acme.example", "acme.example"]);
    changed["app_name"] = "Acme 2".into();
    api.put(path, &operator, changed).await.with(200);
    assert_eq!(current().await.with(200).json()["app_name"], "Acme 2");
    let listed = api.get("/operator/white-labels", &operator).await.with(200).json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    api.delete(path, &operator).await.with(204);
    api.delete(path, &operator).await.with(404);
    current().await.with(404);
    // What was chosen stays.
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    assert_eq!(own["plan"]["slug"], "free");
}

#[actix_web::test]
async fn what_is_wrong_with_a_white_label_is_named_and_changes_nothing() {
    let api = managed().await;
    let operator = Who::key(KEY);
    let first = json!({"name": "One", "hosts": ["one.example"], "is_default": true});
    api.put("/operator/white-labels/one", &operator, first).await.with(200);
    let put = async |slug: &str, body: Value| {
        let path = format!("/operator/white-labels/{slug}");
        let refused = api.put(&path, &operator, body).await.with(422).json();
        let issues = refused["cause"]["issues"].as_array().unwrap().clone();
        issues.iter().map(|one| one["path"].to_string()).collect::<Vec<_>>()
    };
    let twice = json!({"name": "Two", "hosts": ["two.example", "one.example"], "is_default": true});
    assert_eq!(put("two", twice).await, ["[\"hosts\",1]", "[\"is_default\"]"]);
    let looks = json!({"name": "Two", "hosts": ["two.example"], "theme_color": "green",
        "logo_url": "http://two.example/logo.png"});
    assert_eq!(put("two", looks).await, ["[\"theme_color\"]", "[\"logo_url\"]"]);
    let features = json!({"name": "Two", "hosts": ["two.example"], "plans": [
        {"slug": "p", "name": "P", "base_price_cents": 1, "features": ["invoices", "fax"]}]});
    assert_eq!(put("two", features).await, ["[\"plans\",0,\"features\",1]"]);
    assert_eq!(put("Two", json!({"name": "Two", "hosts": ["two.example"]})).await, ["[\"slug\"]"]);
    let listed = api.get("/operator/white-labels", &operator).await.with(200).json();
    assert_eq!(text(&listed["data"][0]["slug"]), "one");
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert_eq!(sign_up_at(&api, "other.example", "", "bor@example.com").await.status, 201);
}

#[actix_web::test]
async fn pages_of_a_white_label_have_its_colour_and_logo() {
    let api = managed().await;
    let path = "/operator/white-labels/acme";
    api.put(path, &Who::key(KEY), label(&["app.acme.example"])).await.with(200);
    let request = TestRequest::get().uri("/reset-password?token=x&language=en");
    let page = api.call(request.insert_header(("host", "app.acme.example"))).await.with(200);
    assert!(page.text.contains("<img src=\"https://cdn.acme.example/logo.png\""), "{}", page.text);
    assert!(page.text.contains("button{background:#ffd500;color:#000}"), "{}", page.text);
    let policy = page.header("content-security-policy");
    assert!(policy.contains("img-src https://cdn.acme.example;"), "{policy}");
    let request = TestRequest::get().uri("/reset-password?token=x&language=en");
    let page = api.call(request.insert_header(("host", "racun.example"))).await.with(200);
    assert!(!page.text.contains("<img"), "{}", page.text);
}

#[actix_web::test]
async fn ways_to_pay_have_neutral_names_alone() {
    let api = managed().await;
    let put = async |providers: Value| {
        let mut label = label(&["app.acme.example"]);
        label["allowed_payment_providers"] = providers;
        api.put("/operator/white-labels/acme", &Who::key(KEY), label).await
    };
    let all = json!(["card_processor", "online_wallet", "bank", "legacy_gateway"]);
    let made = put(all.clone()).await.with(200).json();
    assert_eq!(made["definition"]["allowed_payment_providers"], all);
    for brand in ["stripe", "paypal", "braintree"] {
        put(json!([brand])).await.with(422);
    }
    let host = Some(("host", "app.acme.example"));
    let ana = crate::billing::owner(&api, "ana@example.com", host).await;
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    let shown = (&own["allowed_payment_providers"], &own["payment_provider"]);
    assert_eq!(shown, (&all, &json!("card_processor")));
}

/// An invoice of an entity whose account belongs to a white label.
struct Labelled {
    post: Post,
    owner: Who,
    invoice: String,
}

impl Labelled {
    /// The same, under a label that looks as `looks`.
    async fn under(mut looks: Value) -> Self {
        let api = managed().await;
        looks["plans"][0]["features"] = json!([]);
        api.put("/operator/white-labels/acme", &Who::key(KEY), looks).await.with(200);
        let services = api.services.clone();
        let post = Post::of(api, services);
        let header = Some(("host", "app.acme.example"));
        let owner = owner(&post.api, "ana@example.com", header).await;
        let verified = json!({"token": post.token("verify_").await});
        post.api.post("/users/verify-email", &Who::anonymous(), verified).await.with(200);
        let invoice = post.document(&owner, "/invoices", json!({})).await;
        Self { post, owner, invoice }
    }

    /// The page behind the invoice's link.
    async fn page(&self) -> String {
        let (api, id) = (&self.post.api, &self.invoice);
        let path = format!("/documents/{id}/share");
        let shared = api.post(&path, &self.owner, json!({})).await.with(200).json();
        let path = format!("/invoices/shareable/{}/html", text(&shared["shareable_id"]));
        api.get(&path, &Who::anonymous()).await.with(200).text
    }

    /// A mail about the invoice.
    async fn mail(&self) -> Mail {
        let send = json!({"to": "ana@example.com"});
        let path = format!("/documents/{}/send", self.invoice);
        self.post.api.post(&path, &self.owner, send).await.with(200);
        self.post.deliver().await.remove(0)
    }
}

#[actix_web::test]
async fn pages_of_documents_and_mails_about_them_are_in_the_colour_of_the_label() {
    let labelled = Labelled::under(label(&["app.acme.example"])).await;
    let shown = async || [labelled.page().await, labelled.mail().await.html.unwrap()];
    for html in shown().await {
        assert!(html.contains("#ffd500") && html.contains("Acme Invoices"), "{html}");
        assert!(!html.contains("cdn.acme.example"), "it takes nothing from elsewhere: {html}");
    }
    // The issuer's own colour comes first.
    let own = json!({"settings": {"primary_color": "#123456"}});
    let path = format!("/entities/{}", labelled.owner.entity());
    labelled.post.api.patch(&path, &labelled.owner, own).await.with(200);
    for html in shown().await {
        assert!(html.contains("#123456") && !html.contains("#ffd500"), "{html}");
        assert!(html.contains("Acme Invoices"));
    }
}

#[actix_web::test]
async fn a_logo_that_is_sent_along_is_on_pages_of_documents_and_in_all_mails() {
    let png = STANDARD.encode(b"\x89PNG\r\n\x1a\n and more");
    let mut looks = label(&["app.acme.example"]);
    looks["logo_url"] = json!(format!("data:image/png;base64,{png}"));
    let labelled = Labelled::under(looks.clone()).await;
    let api = &labelled.post.api;
    let page = labelled.page().await;
    let (_, footer) = page.split_once("<footer>").unwrap();
    assert!(footer.contains(&format!("src=\"data:image/png;base64,{png}\"")), "{page}");
    let goes_along = |mail: &Mail, id: &str| {
        let html = mail.html.as_ref().unwrap();
        assert!(html.contains(&format!("src=\"cid:{id}\"")) && !html.contains("data:"), "{html}");
        let named = |part: &&Attachment| part.content_id.as_deref() == Some(id);
        let part = mail.attachments.iter().find(named).unwrap();
        assert_eq!(STANDARD.encode(&part.content), png);
    };
    goes_along(&labelled.mail().await, "service");
    let forgot = json!({"email": "ana@example.com"});
    let request = TestRequest::post().uri("/users/password-reset").set_json(forgot);
    api.call(request.insert_header(("host", "app.acme.example"))).await;
    goes_along(&labelled.post.deliver().await.remove(0), "logo");
    for odd in ["data:image/svg+xml;base64,PHN2Zz4=", "data:image/png;base64,PHN2Zz4="] {
        looks["logo_url"] = json!(odd);
        let path = "/operator/white-labels/acme";
        let refused = api.put(path, &Who::key(KEY), looks.clone()).await.with(422).json();
        assert!(text(&refused["message"]).contains("PNG") || refused.to_string().contains("PNG"));
    }
}
