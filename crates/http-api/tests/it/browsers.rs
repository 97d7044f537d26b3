//! What the server shows browsers, and what it tells pages of other origins.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_http_api::{Http, Origins, routes};
use serde_json::json;

use crate::harness::{Answer, Api, Who};

async fn get(api: &Api, path: &str, headers: &[(&'static str, &str)]) -> Answer {
    let request = TestRequest::get().uri(path);
    let request = headers.iter().fold(request, |request, header| request.insert_header(*header));
    api.call(request).await
}

#[actix_web::test]
async fn the_description_is_compressed_and_sent_once() {
    let api = Api::new().await;
    for path in ["/openapi.json", "/openapi-3.0.json"] {
        let plain = get(&api, path, &[]).await.with(200);
        assert_eq!(plain.header("content-encoding"), "");
        assert_eq!(plain.header("vary").to_lowercase(), "accept-encoding");
        let gzip = get(&api, path, &[("accept-encoding", "br, gzip")]).await.with(200);
        assert_eq!(gzip.header("content-encoding"), "gzip");
        assert!(gzip.text.len() < plain.text.len() / 5, "{} bytes", gzip.text.len());
        assert_eq!(get(&api, path, &[("accept-encoding", "gzip;q=0")]).await.text, plain.text);
        let tag = plain.header("etag");
        assert!(tag.len() > 10 && tag == gzip.header("etag"), "{tag}");
        let same = get(&api, path, &[("if-none-match", tag)]).await.with(304);
        assert!(same.text.is_empty() && same.header("etag") == tag, "{same:?}");
        get(&api, path, &[("if-none-match", "\"another\"")]).await.with(200);
    }
}

#[actix_web::test]
async fn the_pages_need_nothing_from_elsewhere() {
    let api = Api::new().await;
    let page = get(&api, "/docs", &[]).await.with(200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.header("content-security-policy").contains("default-src 'self'"));
    assert!(!page.text.contains("https://"), "{}", page.text);
    assert!(page.text.contains("<title>Racun"), "{}", page.text);
    let mut files = 0;
    for attribute in ["src=\"", "href=\""] {
        for name in page.text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()) {
            get(&api, &format!("/{name}"), &[]).await.with(200);
            files += 1;
        }
    }
    assert!(files >= 5, "{files}");
    let script = get(&api, "/docs/swagger-initializer.js", &[]).await.with(200).text;
    for setting in [
        "url: \"openapi.json\"",
        "docExpansion: \"none\"",
        "filter: true",
        "opsFilter: search",
        "persistAuthorization: true",
        "\"localStorage\", { value: window.sessionStorage }",
        "deepLinking: true",
    ] {
        assert!(script.contains(setting), "{setting} in {script}");
    }
    get(&api, "/docs/nothing.js", &[]).await.with(404);
    assert_eq!(get(&api, "/docs/", &[]).await.with(308).header("location"), "../docs");
}

#[actix_web::test]
async fn the_first_page_says_what_this_is_and_leads_on() {
    let api = Api::new().await;
    let page = get(&api, "/", &[("accept", "text/html,*/*;q=0.8")]).await.with(200);
    assert!(page.header("content-type").starts_with("text/html"), "{page:?}");
    assert!(page.header("content-security-policy").contains("default-src 'none'"));
    assert!(page.text.contains("1.2.3") && !page.text.contains("http"), "{}", page.text);
    for target in page.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        get(&api, &format!("/{target}"), &[]).await.with(200);
    }
    for headers in [&[][..], &[("accept", "application/json")]] {
        let told = get(&api, "/", headers).await.with(200).json();
        assert_eq!((&told["documentation"], &told["health"]), (&json!("/docs"), &json!("/health")));
    }
    assert!(get(&api, "/robots.txt", &[]).await.with(200).text.contains("Disallow: /"));
    let icon = get(&api, "/favicon.ico", &[]).await.with(200);
    assert_eq!(icon.header("content-type"), "image/svg+xml");
}

async fn ask(api: &Api, method: &str, path: &str, headers: &[(&'static str, &str)]) -> Answer {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let request = TestRequest::default().method(method).uri(path);
    let request = headers.iter().fold(request, |request, header| request.insert_header(*header));
    api.call(request).await
}

const PREFLIGHT: [(&str, &str); 3] = [
    ("origin", "https://shop.example.com"),
    ("access-control-request-method", "POST"),
    ("access-control-request-headers", "authorization,content-type,x-entity-id"),
];

#[actix_web::test]
async fn without_a_setting_options_names_methods_and_no_other_origin_is_let_in() {
    let api = Api::new().await;
    for route in routes() {
        let path = route.path.replace(['{', '}'], "");
        let answer = ask(&api, "OPTIONS", &path, &PREFLIGHT).await.with(204);
        assert!(answer.header("allow").contains(route.verb.name()), "{path}: {answer:?}");
        assert!(!answer.headers.iter().any(|(name, _)| name.as_str().starts_with("access-")));
    }
    ask(&api, "OPTIONS", "/nothing", &PREFLIGHT).await.with(404);
    let plain = ask(&api, "GET", "/health", &PREFLIGHT[..1]).await.with(200);
    assert_eq!(plain.header("access-control-allow-origin"), "");
}

async fn open_to(origins: &str) -> Api {
    let origins: Arc<Origins> = Arc::new(origins.parse().unwrap());
    Api::with_http(|services| services, |http| Http { origins, ..http }).await
}

#[actix_web::test]
async fn a_listed_origin_is_let_in_and_no_other() {
    let api = open_to("https://shop.example.com,http://127.0.0.1:3000").await;
    let answer = ask(&api, "OPTIONS", "/customers", &PREFLIGHT).await.with(204);
    assert_eq!(answer.header("access-control-allow-origin"), "https://shop.example.com");
    assert!(answer.header("access-control-allow-methods").contains("POST"), "{answer:?}");
    for header in [
        "authorization",
        "content-type",
        "x-entity-id",
        "idempotency-key",
        "x-request-id",
        "if-none-match",
    ] {
        assert!(answer.header("access-control-allow-headers").contains(header), "{header}");
    }
    assert!(!answer.header("access-control-max-age").is_empty());
    // Refusals are readable, too.
    let refused = ask(&api, "GET", "/customers", &PREFLIGHT[..1]).await.with(401);
    assert_eq!(refused.header("access-control-allow-origin"), "https://shop.example.com");
    assert!(refused.header("access-control-expose-headers").contains("x-request-id"));
    assert_eq!(refused.header("vary"), "Origin");
    let other = [("origin", "https://evil.example.com"), PREFLIGHT[1]];
    let other = ask(&api, "OPTIONS", "/customers", &other).await.with(204);
    assert_eq!(other.header("access-control-allow-origin"), "");
    assert_eq!(other.header("vary"), "Origin");
}

#[actix_web::test]
async fn all_origins_are_let_in_by_a_star() {
    let api = open_to("*").await;
    let answer = ask(&api, "OPTIONS", "/customers", &PREFLIGHT).await.with(204);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-credentials"), "");
}

#[actix_web::test]
async fn deprecated_routes_name_their_end_and_their_successor() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let path = format!("/v1/Organizations/{}/webhooks", owner.entity());
    for (who, status) in [(owner.clone(), 200), (Who::anonymous(), 401)] {
        let answer = api.get(&path, &who).await.with(status);
        assert_eq!(answer.header("deprecation"), "@1795305600");
        assert_eq!(answer.header("sunset"), racun_http_api::deprecation::SUNSET);
        let link = answer.header("link");
        assert!(link.contains("</webhooks>; rel=\"successor-version\""), "{link}");
        assert!(link.contains("rel=\"deprecation\""), "{link}");
    }
    assert_eq!(api.get("/webhooks", &owner).await.with(200).header("deprecation"), "");
    let description = racun_http_api::openapi();
    for route in routes().filter(|route| route.is_described) {
        let operation = &description["paths"][route.path][route.verb.name().to_lowercase()];
        let replaced = ["/vies/check", "/e-invoicing/customer-search", "/e-invoicing/supplier"];
        let is_earlier = route.path.starts_with("/v1/") || replaced.contains(&route.path);
        assert_eq!(operation.get("deprecated").is_some(), is_earlier, "{}", route.path);
        let headers = &operation["responses"][route.status.to_string()]["headers"];
        assert_eq!(headers.get("Sunset").is_some(), is_earlier, "{}", route.path);
    }
}
