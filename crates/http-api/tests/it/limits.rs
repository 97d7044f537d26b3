//! Requests are limited by minutes: by token, by address, and closely where guessing pays.

use std::net::SocketAddr;

use actix_web::test::TestRequest;
use racun_http_api::{Http, Rate, RateLimitOptions, RateLimiter, routes};
use serde_json::json;

use crate::harness::{Answer, Api, PASSWORD, Who};

/// Small enough to be used up quickly.
const LIMITS: RateLimitOptions = RateLimitOptions {
    per_token: 30,
    per_ip_authenticated: 50,
    per_ip_anonymous: 20,
    per_ip_sensitive: 4,
};

async fn api() -> Api {
    limited(LIMITS).await
}

async fn limited(options: RateLimitOptions) -> Api {
    behind_proxies(Some(RateLimiter::new(options, None))).await
}

async fn behind_proxies(rate_limiter: Option<RateLimiter>) -> Api {
    let trusted_proxies = ["10.0.0.0/8".parse().unwrap()].into();
    let change = |http| Http { rate_limiter, trusted_proxies, ..http };
    Api::with_http(|services| services, change).await
}

fn from(request: TestRequest, peer: &str) -> TestRequest {
    request.peer_addr(SocketAddr::new(peer.parse().unwrap(), 4711))
}

async fn get(api: &Api, path: &str, who: &Who, peer: &str) -> Answer {
    api.call(from(who.sign(TestRequest::get().uri(path)), peer)).await
}

/// How many of `wanted` requests are answered with something else than 429.
async fn granted(api: &Api, path: &str, who: &Who, peer: &str, wanted: usize) -> usize {
    let mut granted = 0;
    for _ in 0..wanted {
        granted += usize::from(get(api, path, who, peer).await.status != 429);
    }
    granted
}

fn standing(answer: &Answer) -> (&str, &str, &str) {
    let header = |name| answer.header(name);
    (header("x-ratelimit-limit"), header("x-ratelimit-remaining"), header("x-ratelimit-reset"))
}

#[actix_web::test]
async fn a_token_is_granted_exactly_its_limit_in_each_minute() {
    let api = api().await;
    let owner = api.owner("ana@example.com").await;
    api.pass(60);
    assert_eq!(granted(&api, "/customers", &owner, "203.0.113.1", 40).await, 30);
    let refused = get(&api, "/customers", &owner, "203.0.113.2").await.with(429);
    assert_eq!(refused.json()["code"], "rate_limit_exceeded");
    assert!(refused.json()["message"].is_string());
    assert_eq!(refused.header("retry-after"), "60", "to the end of the minute");
    api.pass(59);
    let refused = get(&api, "/customers", &owner, "203.0.113.2").await.with(429);
    assert_eq!(refused.header("retry-after"), "1");
    api.pass(1);
    assert_eq!(granted(&api, "/customers", &owner, "203.0.113.1", 40).await, 30);
}

#[actix_web::test]
async fn four_clients_of_one_token_are_granted_850_of_4000() {
    let api = limited(RateLimitOptions::default()).await;
    let owner = api.owner("ana@example.com").await;
    api.pass(60);
    let clients = (0..4).map(|_| granted(&api, "/users/me", &owner, "203.0.113.1", 1_000));
    let granted: usize = futures_util::future::join_all(clients).await.into_iter().sum();
    assert_eq!(granted, 850);
}

#[actix_web::test]
async fn tokens_of_one_address_share_its_limit_and_a_refused_one_uses_nothing_of_it() {
    let api = api().await;
    let (ana, bor) = (api.owner("ana@example.com").await, api.owner("bor@example.com").await);
    api.pass(60);
    assert_eq!(granted(&api, "/customers", &ana, "203.0.113.1", 100).await, 30);
    assert_eq!(granted(&api, "/customers", &bor, "203.0.113.1", 100).await, 20, "50 together");
    assert_eq!(granted(&api, "/customers", &bor, "203.0.113.2", 100).await, 10, "30 of the token");
}

#[actix_web::test]
async fn anonymous_requests_count_by_address_on_every_route() {
    let api = api().await;
    let owner = api.owner("ana@example.com").await;
    api.pass(60);
    let wrong = Who::key("ek_live_0123456789abcdef0123456789abcdef");
    for (path, who, status) in [
        ("/customers", Who::anonymous(), 401),
        ("/customers", wrong, 401),
        ("/customers", Who::key("rubbish"), 401),
        ("/nowhere", owner.clone(), 404),
        ("/openapi.json", owner.clone(), 200),
    ] {
        let answers = [
            get(&api, path, &who, "203.0.113.1").await.with(status),
            get(&api, path, &who, "203.0.113.1").await.with(status),
        ];
        let [first, second] = answers.each_ref().map(standing);
        assert_eq!((first.0, second.0), ("20", "20"), "{path}");
        let number = |text: &str| text.parse::<i32>().unwrap();
        assert_eq!(number(first.1) - number(second.1), 1, "{path}");
    }
    assert_eq!(granted(&api, "/customers", &Who::anonymous(), "203.0.113.1", 30).await, 10);
    get(&api, "/nowhere", &owner, "203.0.113.1").await.with(429);
    let patch = from(TestRequest::patch().uri("/customers"), "203.0.113.1");
    api.call(patch).await.with(429);
    get(&api, "/customers", &owner, "203.0.113.1").await.with(200);
    get(&api, "/customers", &Who::anonymous(), "203.0.113.2").await.with(401);
}

#[actix_web::test]
async fn where_guessing_pays_an_address_has_few_requests() {
    let marked: Vec<_> = routes().filter(|route| route.rate == Rate::Sensitive).collect();
    let marked: Vec<_> = marked.iter().map(|route| route.operation).collect();
    for operation in ["signUp", "logIn", "acceptInvitation", "switchOperator"] {
        assert!(marked.contains(&operation), "{operation}");
    }
    let api = api().await;
    let owner = api.owner("ana@example.com").await;
    api.pass(60);
    let body = json!({"email": "ana@example.com", "password": PASSWORD});
    let log_in = async |peer: &str| {
        let request = TestRequest::post().uri("/users/login").set_json(&body);
        api.call(from(request, peer)).await
    };
    for remaining in ["3", "2", "1", "0"] {
        let answer = log_in("203.0.113.1").await.with(200);
        assert_eq!((standing(&answer).0, standing(&answer).1), ("4", remaining));
    }
    log_in("203.0.113.1").await.with(429);
    log_in("203.0.113.2").await.with(200);
    let switch = TestRequest::post().uri("/pos/operators/switch").set_json(json!({}));
    api.call(from(owner.sign(switch), "203.0.113.1")).await.with(429);
    get(&api, "/customers", &owner, "203.0.113.1").await.with(200);
}

#[actix_web::test]
async fn every_answer_says_how_much_is_left_but_those_to_monitoring() {
    let api = api().await;
    let owner = api.owner("ana@example.com").await;
    api.pass(60);
    for (path, status, remaining) in [
        ("/customers", 200, "29"),
        ("/customers/cus_1", 404, "28"),
        ("/customers?limit=0", 422, "27"),
        ("/customers", 200, "26"),
    ] {
        let answer = get(&api, path, &owner, "203.0.113.1").await.with(status);
        let reset = (1_795_161_600 + 120).to_string();
        assert_eq!(standing(&answer), ("30", remaining, &*reset), "{path}");
    }
    for _ in 0..60 {
        for path in ["/health", "/health/live", "/health/ready"] {
            let answer = get(&api, path, &Who::anonymous(), "203.0.113.1").await.with(200);
            assert_eq!(standing(&answer), ("", "", ""), "{path}");
        }
    }
}

#[actix_web::test]
async fn only_a_trusted_proxy_sets_the_address_of_the_client() {
    let api = api().await;
    let through = async |peer: &str, forwarded: &str| {
        let request = TestRequest::get().uri("/customers");
        let request = request.insert_header(("x-forwarded-for", forwarded));
        let answer = api.call(from(request, peer)).await;
        answer.header("x-ratelimit-remaining").to_owned()
    };
    assert_eq!(through("10.0.0.1", "6.6.6.6, 203.0.113.7").await, "19");
    assert_eq!(through("10.0.0.1", "7.7.7.7, 203.0.113.7").await, "18", "the rightmost counts");
    assert_eq!(through("10.0.0.2", "203.0.113.7, 10.0.0.9").await, "17", "beyond all proxies");
    assert_eq!(through("203.0.113.7", "8.8.8.8").await, "16", "no proxy is no proxy");
    assert_eq!(through("10.0.0.1", "203.0.113.8").await, "19");
    assert_eq!(through("2001:db8:1:1::5", "").await, "19");
    assert_eq!(through("2001:db8:1:1:ffff::6", "").await, "18", "one customer, one /64");
    assert_eq!(through("2001:db8:1:2::5", "").await, "19");
}

#[actix_web::test]
async fn a_key_bound_to_addresses_knows_its_client_behind_a_proxy_without_limits_too() {
    for limiter in [None, Some(RateLimiter::new(RateLimitOptions::default(), None))] {
        let api = behind_proxies(limiter).await;
        let owner = api.owner("ana@example.com").await;
        let body = json!({"name": "k", "allowed_addresses": ["203.0.113.0/24"]});
        let key = api.post("/entities/api-keys", &owner, body).await.with(201).json();
        let key = Who::key(key["id"].as_str().unwrap());
        let ask = async |forwarded: &str| {
            let request = key.sign(TestRequest::get().uri("/customers"));
            let request = request.insert_header(("x-forwarded-for", forwarded));
            api.call(from(request, "10.0.0.1")).await
        };
        ask("203.0.113.7").await.with(200);
        ask("198.51.100.7").await.with(403);
    }
}

#[actix_web::test]
async fn a_server_without_limits_counts_nothing() {
    let api = Api::new().await;
    let answer = api.get("/customers", &Who::anonymous()).await.with(401);
    assert_eq!(standing(&answer), ("", "", ""));
}

#[actix_web::test]
async fn a_refused_request_counts_once_though_its_handler_is_tried_again() {
    let api = api().await;
    let owner = api.owner("ana@example.com").await;
    api.pass(60);
    let left = |answer: &Answer| answer.header("x-ratelimit-remaining").parse::<u32>().unwrap();
    let before = left(&get(&api, "/customers", &owner, "203.0.113.1").await.with(200));
    let body = json!({"name": "", "email": "x", "zzqqxx": 1});
    let request = owner.sign(TestRequest::post().uri("/customers")).set_json(body);
    let refused = api.call(from(request, "203.0.113.1")).await.with(422);
    assert_eq!(refused.json()["cause"]["issues"].as_array().unwrap().len(), 3, "{refused:?}");
    let after = left(&get(&api, "/customers", &owner, "203.0.113.1").await.with(200));
    assert_eq!((left(&refused), after), (before - 1, before - 2));
}
