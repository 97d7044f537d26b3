//! Pages that links in mails lead to, and what documents show behind links.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, PASSWORD, Who, text};
use crate::mailbox::{Post, login, token_in};
use crate::taxpayer::form;

/// What a browser asks for.
async fn browse(api: &Api, path: &str) -> Answer {
    let request = TestRequest::get().uri(path).insert_header(("accept", "text/html,*/*;q=0.8"));
    api.call(request).await
}

/// Asserts that an answer is a page that stands alone.
fn page(answer: Answer, status: u16, language: &str) -> String {
    let answer = answer.with(status);
    assert!(answer.header("content-type").starts_with("text/html"), "{answer:?}");
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert!(answer.text.contains(&format!("<html lang=\"{language}\">")), "{}", answer.text);
    for foreign in ["<script", "http://", "https://", "src=", "@import"] {
        assert!(!answer.text.contains(foreign), "{foreign} in {}", answer.text);
    }
    answer.text
}

/// The only link in a mail, from the server's address on.
fn link(text: &str) -> String {
    let from = text.find("https://racun.example/").unwrap_or_else(|| panic!("no link in {text}"));
    let link = text[from..].split_whitespace().next().unwrap();
    link.strip_prefix("https://racun.example").unwrap().to_owned()
}

#[actix_web::test]
async fn an_address_is_verified_by_the_button_of_a_page() {
    let post = Post::open().await;
    let body = json!({"email": "ana@example.com", "password": PASSWORD, "country": "Slovenia"});
    let user = post.api.post("/users/signup", &Who::anonymous(), body).await.with(201).json();
    assert_eq!(user["locale"], "sl-SI");
    let mail = post.deliver().await.remove(0);
    assert_eq!(mail.subject, "Racun: potrdite svoj naslov");
    let link = link(&mail.text);
    assert!(
        link.starts_with("/users/verify-email?token=verify_") && link.ends_with("&language=sl")
    );
    let token = token_in(&mail.text, "verify_");

    for _ in 0..2 {
        let shown = page(browse(&post.api, &link).await, 200, "sl");
        assert!(shown.contains("action=\"../verify-email\"") && shown.contains(&token));
    }
    let me = post.api.post("/users/login", &Who::anonymous(), login("ana@example.com")).await;
    let me = Who::key(&text(&me.with(200).json()["id"]));
    let verified =
        async || post.api.get("/users/me", &me).await.with(200).json()["email_verified"].clone();
    assert_eq!(verified().await, false, "looking changes nothing");
    let parts = [("token", token.as_bytes()), ("language", &b"sl"[..])];
    let done = page(post.api.call(form("/verify-email", &parts)).await, 200, "sl");
    assert!(done.contains("Vaš naslov je potrjen") && !done.contains("<form"), "{done}");
    assert_eq!(verified().await, true);
    let again = page(post.api.call(form("/verify-email", &parts)).await, 422, "sl");
    assert!(again.contains("role=\"alert\"") && !again.contains("<form"), "{again}");
}

#[actix_web::test]
async fn a_program_that_follows_the_link_verifies_no_address() {
    let post = Post::open().await;
    let user = post.api.user("ana@example.com").await;
    let mail = post.deliver().await.remove(0);
    assert_eq!(mail.subject, "Racun: please confirm your address");
    let answer = post.api.get(&link(&mail.text), &Who::anonymous()).await.with(200);
    assert!(answer.text.contains("<form"), "{answer:?}");
    assert_eq!(post.api.get("/users/me", &user).await.json()["email_verified"], false);
}

#[actix_web::test]
async fn a_new_password_is_set_on_a_page() {
    let post = Post::open().await;
    post.api.user("ana@example.com").await;
    post.deliver().await;
    let asked = json!({"email": "ana@example.com"});
    post.api.post("/users/password-reset", &Who::anonymous(), asked).await.with(204);
    let mail = post.deliver().await.remove(0);
    let link = link(&mail.text);
    assert!(link.starts_with("/reset-password?token=reset_"), "{link}");
    let shown = page(browse(&post.api, &link).await, 200, "en");
    assert!(shown.contains("type=\"password\"") && shown.contains("action=\"reset-password\""));
    let token = token_in(&mail.text, "reset_");
    let set = async |password: &str| {
        let parts = [("token", token.as_bytes()), ("password", password.as_bytes())];
        post.api.call(form("/reset-password", &parts)).await
    };
    let weak = page(set("SHORT").await, 422, "en");
    assert!(weak.contains("<form") && weak.contains(&token), "it can be tried again: {weak}");
    page(set("another horse 2").await, 200, "en");
    let body = json!({"email": "ana@example.com", "password": "another horse 2"});
    post.api.post("/users/login", &Who::anonymous(), body).await.with(200);
    page(set("another horse 3").await, 422, "en");
}

#[actix_web::test]
async fn an_invitation_is_accepted_on_a_page_in_the_language_of_the_entity() {
    let post = Post::open().await;
    let owner = post.owner("ana@example.com").await;
    let invited = json!({"email": "bor@example.com", "role": "editor"});
    post.api.post("/entities/users", &owner, invited).await.with(201);
    let mail = post.deliver().await.remove(0);
    let link = link(&mail.text);
    assert!(link.starts_with("/accept-invitation?token=invite_"), "{link}");
    assert!(!mail.text.contains('*') && mail.text.contains("Pri Ani"), "{}", mail.text);
    let shown = page(browse(&post.api, &link).await, 200, "sl");
    assert!(shown.contains("name=\"password\"") && shown.contains("name=\"name\""), "{shown}");
    let token = token_in(&mail.text, "invite_");
    let parts = [
        ("token", token.as_bytes()),
        ("password", PASSWORD.as_bytes()),
        ("name", "Bor <b>".as_bytes()),
        ("language", &b"sl"[..]),
    ];
    page(post.api.call(form("/accept-invitation", &parts)).await, 200, "sl");
    post.api.post("/users/login", &Who::anonymous(), login("bor@example.com")).await.with(200);
    let again = page(post.api.call(form("/accept-invitation", &parts)).await, 422, "sl");
    assert!(again.contains("že uporabljena") && !again.contains("<form"), "{again}");
}

#[actix_web::test]
async fn parameters_of_a_link_are_escaped_on_its_page() {
    let api = Api::new().await;
    let evil = "/reset-password?token=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&language=%22%3E";
    let shown = page(browse(&api, evil).await, 200, "en");
    assert!(shown.contains("&quot;&gt;&lt;script&gt;"), "{shown}");
    page(browse(&api, "/accept-invitation").await, 200, "en");
}

/// A shared document of `owner`: its id and its public path.
async fn shared(api: &Api, owner: &Who, path: &str, more: Value) -> (String, String) {
    let mut body = json!({"items": [{"name": "x", "price": 1, "taxes": []}]});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let id = text(&api.post(path, owner, body).await.with(201).json()["id"]);
    let link = api.post(&format!("/documents/{id}/share"), owner, json!({})).await.with(200).json();
    (id, format!("{path}/shareable/{}", text(&link["shareable_id"])))
}

#[actix_web::test]
async fn an_estimate_is_accepted_or_rejected_through_its_link() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let anonymous = Who::anonymous();
    let (id, path) = shared(&api, &owner, "/estimates", json!({})).await;
    for _ in 0..2 {
        let accepted =
            api.post(&format!("{path}/accept"), &anonymous, json!({})).await.with(200).json();
        assert!(accepted["accepted_at"].is_string() && accepted.get("id").is_none(), "{accepted}");
    }
    let own = api.get(&format!("/estimates/{id}"), &owner).await.with(200).json();
    assert!(own["accepted_at"].is_string());
    api.post(&format!("{path}/reject"), &anonymous, json!({})).await.with(422);
    let told = api.get("/activities?order_by=-created_at", &owner).await.with(200).json();
    let kinds: Vec<String> =
        told["data"].as_array().unwrap().iter().map(|one| text(&one["details"]["event"])).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "estimate.accepted").count(), 1, "{kinds:?}");
    let (_, path) = shared(&api, &owner, "/estimates", json!({})).await;
    let rejected =
        api.post(&format!("{path}/reject"), &anonymous, json!({})).await.with(200).json();
    assert!(rejected["rejected_at"].is_string());
    let (late_id, late) = shared(
        &api,
        &owner,
        "/estimates",
        json!({"date": "2026-01-01", "date_valid_till": "2026-02-01"}),
    )
    .await;
    api.post(&format!("{late}/accept"), &anonymous, json!({})).await.with(422);
    api.delete(&format!("/documents/{late_id}/share"), &owner).await.with(204);
    api.post(&format!("{late}/reject"), &anonymous, json!({})).await.with(404);
    let unknown = "/estimates/shareable/est_share_00000000000000000000000000000000/accept";
    api.post(unknown, &anonymous, json!({})).await.with(404);
    let (_, invoice) = shared(&api, &owner, "/invoices", json!({})).await;
    let other = invoice.replace("/invoices/", "/estimates/");
    api.post(&format!("{other}/accept"), &anonymous, json!({})).await.with(404);
}

#[actix_web::test]
async fn a_voided_document_says_so_behind_its_link() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let (id, path) = shared(&api, &owner, "/invoices", json!({})).await;
    assert_eq!(api.get(&path, &Who::anonymous()).await.with(200).json()["is_voided"], false);
    api.post(&format!("/invoices/{id}/void"), &owner, json!({})).await.with(200);
    let seen = api.get(&path, &Who::anonymous()).await.with(200).json();
    assert!(seen["is_voided"] == true && seen["voided_at"].is_string(), "{seen}");
}
