//! What answers say to browsers and caches, and addresses that look like others.

use std::collections::BTreeSet;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_http_api::{Gate, openapi, routes};
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who};

/// Names of properties that hold a credential, beside the `id` of what is shown once.
const SECRETS: [&str; 6] = ["token", "secret", "access_token", "api_key", "password", "pin"];

async fn ask(api: &Api, method: &str, path: &str) -> Answer {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    api.call(TestRequest::default().method(method).uri(path)).await
}

/// The routes whose answers bear no secret and may be cached: the description and its pages.
fn is_public(path: &str) -> bool {
    ["/docs", "/openapi", "/favicon.ico", "/robots.txt"].iter().any(|start| path.starts_with(start))
        || path == "/"
}

#[actix_web::test]
async fn no_answer_is_stored_but_the_description() {
    let api = Api::new().await;
    for route in routes() {
        let path = route.path.replace(['{', '}'], "");
        let answer = ask(&api, route.verb.name(), &path).await;
        let is_stored = answer.header("cache-control") != "no-store";
        let about = format!("{} {path}: {answer:?}", route.verb.name());
        assert!(!is_stored || (is_public(&path) && answer.status < 400), "{about}");
        assert!(!is_stored || (route.gate == Gate::Open && !route.shows_secret), "{about}");
    }
    for (method, path) in [("GET", "/nowhere"), ("DELETE", "/health"), ("OPTIONS", "/users/login")]
    {
        assert_eq!(ask(&api, method, path).await.header("cache-control"), "no-store", "{path}");
    }
    let user = json!({"email": "ana@example.com", "password": "long enough 1"});
    let anonymous = Who::anonymous();
    api.post("/users/signup", &anonymous, user.clone()).await.with(201);
    let session = api.post("/users/login", &anonymous, user).await.with(200);
    assert_eq!(session.header("cache-control"), "no-store");
}

/// The names of all properties in `schema`, through the references of `description`.
fn properties(description: &Value, schema: &Value, depth: u8) -> BTreeSet<String> {
    if depth == 0 {
        return BTreeSet::new();
    }
    match schema {
        Value::Object(parts) => parts
            .iter()
            .flat_map(|(key, part)| match (key.as_str(), part) {
                ("$ref", Value::String(target)) => {
                    let target = description.pointer(target.trim_start_matches('#')).unwrap();
                    properties(description, target, depth - 1)
                }
                ("properties", Value::Object(own)) => own
                    .iter()
                    .flat_map(|(name, part)| {
                        let mut found = properties(description, part, depth - 1);
                        found.insert(name.clone());
                        found
                    })
                    .collect(),
                (_, part) => properties(description, part, depth - 1),
            })
            .collect(),
        Value::Array(parts) => {
            parts.iter().flat_map(|part| properties(description, part, depth - 1)).collect()
        }
        _ => BTreeSet::new(),
    }
}

#[test]
fn a_route_whose_answer_has_a_secret_says_so_and_is_not_public() {
    let description = openapi();
    let mut found = 0;
    for route in routes().filter(|route| route.is_described) {
        let operation = &description["paths"][route.path][route.verb.name().to_lowercase()];
        let answer = &operation["responses"][route.status.to_string()]["content"];
        let schema = &answer["application/json"]["schema"];
        let has_secret = properties(&description, schema, 12)
            .iter()
            .any(|name| SECRETS.contains(&name.as_str()));
        // What is made shows its secret; what is read has the same schema and leaves it out.
        let shows = has_secret && route.status == 201;
        assert!(!shows || route.shows_secret, "{} shows a secret", route.operation);
        assert!(!has_secret || !is_public(route.path), "{} may be cached", route.path);
        found += u32::from(has_secret);
    }
    assert!(found >= 4, "only {found} answers with a secret were found");
}

#[actix_web::test]
async fn every_answer_has_a_policy_and_those_of_the_docs_let_their_own_scripts_run() {
    let api = Api::new().await;
    let parts = [
        "",
        "/index.html",
        "/index.css",
        "/swagger-ui.css",
        "/swagger-ui-bundle.js",
        "/swagger-initializer.js",
        "/favicon-32x32.png",
    ];
    for part in parts {
        let answer = ask(&api, "GET", &format!("/docs{part}")).await.with(200);
        let policy = answer.header("content-security-policy");
        for rule in ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(rule), "{part}: {policy}");
        }
        assert!(!policy.contains("script-src") && !policy.contains("unsafe-eval"), "{policy}");
        if answer.header("content-type").starts_with("text/html") {
            // The policy lets no script run that is written into the page.
            let scripts = answer.text.matches("<script").count();
            assert_eq!(scripts, answer.text.matches("<script src=\"").count(), "{}", answer.text);
            assert!(scripts > 0 && !answer.text.contains(" on"), "{}", answer.text);
        }
    }
    let paths = ["/openapi.json", "/openapi-3.0.json", "/health", "/docs/", "/docs/no", "/nowhere"];
    for path in paths {
        let answer = ask(&api, "GET", path).await;
        let expected = "default-src 'none'; frame-ancestors 'none'";
        assert_eq!(answer.header("content-security-policy"), expected, "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
    }
    // Leads a log-in elsewhere back, which there is none of.
    ask(&api, "GET", "/docs/oauth2-redirect.html").await.with(404);
}

#[actix_web::test]
async fn an_address_that_looks_like_another_is_refused() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    for email in [
        "in\u{200b}fo@example.com",
        "info@\u{ff45}xample.com",
        "p\u{430}ypal@example.com",
        "ana@ex\u{430}mple.com",
        "\u{430}\u{440}\u{440}@example.com",
        "\u{131}nfo@example.com",
        "\u{2160}nfo@example.com",
    ] {
        let about = email.escape_unicode();
        let user = json!({"email": email, "password": "long enough 1"});
        let refused = api.post("/users/signup", &Who::anonymous(), user).await.with(422);
        assert_eq!(refused.issue(), ("[\"email\"]".into(), "invalid_email".into()), "{about}");
        let refused = api.post("/entities/users", &owner, json!({"email": email})).await.with(422);
        assert_eq!(refused.issue(), ("[\"email\"]".into(), "invalid_email".into()), "{about}");
        let forgot = json!({"email": email});
        api.post("/users/password-reset", &Who::anonymous(), forgot).await.with(422);
    }
}

#[actix_web::test]
async fn the_same_address_is_one_user_however_it_is_typed() {
    let api = Api::new().await;
    let user = |email: &str| json!({"email": email, "password": "long enough 1"});
    let anonymous = Who::anonymous();
    api.post("/users/signup", &anonymous, user("žiga@žar.si")).await.with(201);
    for email in ["z\u{30c}iga@z\u{30c}ar.si", "ŽIGA@ŽAR.SI", "žiga@xn--ar-1va.si"] {
        api.post("/users/signup", &anonymous, user(email)).await.with(409);
        api.post("/users/login", &anonymous, user(email)).await.with(200);
    }
    let named = json!({
        "email": "zoe@example.com",
        "password": "long enough 1",
        "name": "Žiga Ћирић 山田 \u{131}",
    });
    api.post("/users/signup", &anonymous, named).await.with(201);
}

#[actix_web::test]
async fn a_process_without_the_key_that_another_one_brought_is_not_ready() {
    let mut kept = None;
    let api = Api::with(|services| {
        kept = Some(services.clone());
        racun_application::Services { vault: None, pins: None, ..services }
    })
    .await;
    let services = kept.unwrap();
    let ready = async || ask(&api, "GET", "/health/ready").await;
    assert_eq!(ready().await.with(200).json()["status"], "ok");
    racun_access::open_keys(&*services.store, &[[9; 32]], &services.stamp()).await.unwrap();
    let told = ready().await.with(503).json();
    assert_eq!(
        (&told["status"], &told["checks"]["database"]),
        (&json!("master_key_missing"), &json!("ok"))
    );
    assert!(told["message"].as_str().unwrap().contains("RACUN__SECRETS__MASTER_KEY"), "{told}");
}
