//! The table of routes is what is served, what is described, and what is guarded.

use std::collections::BTreeSet;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_access::{Permission, permits};
use racun_http_api::{Gate, Route, Verb, openapi, routes};
use racun_kernel::testing::stamp;
use racun_kernel::{Principal, Role};
use serde_json::json;
use time::OffsetDateTime;

use crate::harness::{Answer, Api, Who};

/// The route's path with `id` in the place of its parameters.
fn path(route: &Route, id: &str) -> String {
    let parts = route.path.split('/').map(|part| if part.starts_with('{') { id } else { part });
    parts.collect::<Vec<_>>().join("/")
}

async fn call(api: &Api, route: &Route, who: &Who, id: &str) -> Answer {
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    let request = TestRequest::default().method(method).uri(&path(route, id)).set_json(json!({}));
    api.call(who.sign(request)).await
}

const SOME_ID: &str = "cus_01jd0000000000000000000000";

#[test]
fn no_route_and_no_operation_is_declared_twice() {
    let (mut seen, mut operations) = (BTreeSet::new(), BTreeSet::new());
    for route in routes() {
        assert!(seen.insert((route.path, route.verb)), "{} {}", route.verb.name(), route.path);
        assert!(operations.insert(route.operation), "{}", route.operation);
        assert!(!route.summary.is_empty() && !route.tag.is_empty(), "{}", route.operation);
    }
}

#[test]
fn the_description_lists_exactly_the_routes() {
    let description = serde_json::to_value(openapi()).unwrap();
    let mut described = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let operation = operation["operationId"].as_str().unwrap().to_owned();
            described.insert((path.clone(), method.to_uppercase(), operation));
        }
    }
    let declared = routes().map(|route| {
        (route.path.to_owned(), route.verb.name().to_owned(), route.operation.to_owned())
    });
    assert_eq!(described, declared.collect());
}

#[actix_web::test]
async fn every_route_is_served_by_its_own_pattern() {
    let api = Api::new().await;
    for route in routes() {
        // A path that another pattern swallows, or none, is answered 404 or 405 to nobody.
        let answer = call(&api, route, &Who::nobody(), "index.html").await;
        let code = answer.status;
        let is_reached = match route.gate {
            Gate::Open => code != 404 && code != 405,
            _ => code == 401,
        };
        assert!(is_reached, "{} {}: {answer:?}", route.verb.name(), route.path);
    }
}

#[actix_web::test]
async fn a_method_that_is_not_in_the_table_is_refused_by_name() {
    let api = Api::new().await;
    let paths: BTreeSet<&str> = routes().map(|route| route.path).collect();
    for pattern in paths {
        let there: Vec<Verb> =
            routes().filter(|route| route.path == pattern).map(|route| route.verb).collect();
        let route = routes().find(|route| route.path == pattern).unwrap();
        for verb in [Verb::Get, Verb::Post, Verb::Put, Verb::Patch, Verb::Delete] {
            if there.contains(&verb) {
                continue;
            }
            let method = Method::from_bytes(verb.name().as_bytes()).unwrap();
            let uri = path(route, SOME_ID);
            let answer = api.call(TestRequest::default().method(method).uri(&uri)).await.with(405);
            assert_eq!(answer.json()["code"], "method_not_allowed", "{uri}");
            for verb in &there {
                assert!(answer.header("allow").contains(verb.name()), "{uri} {answer:?}");
            }
        }
    }
}

#[actix_web::test]
async fn a_stranger_reaches_nothing_of_an_entity() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let stranger = api.owner("stranger@example.com").await.in_entity(owner.entity());
    for route in routes() {
        let expected: &[u16] = match route.gate {
            Gate::Open | Gate::SignedIn | Gate::Account => continue,
            Gate::Entity(_) => &[403],
            Gate::EntityInPath(_) => &[404],
        };
        let answer = call(&api, route, &stranger, owner.entity()).await;
        let refused = expected.contains(&answer.status);
        assert!(refused, "{} {}: {answer:?}", route.verb.name(), route.path);
    }
}

#[actix_web::test]
async fn the_permission_table_decides_for_every_role() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let viewer = api.member(&owner, "viewer@example.com", "viewer").await;
    let editor = api.member(&owner, "editor@example.com", "editor").await;
    let user = Principal::User(stamp(OffsetDateTime::UNIX_EPOCH).id());
    let mut refusals = 0;
    for route in routes() {
        let (Gate::Entity(permission) | Gate::EntityInPath(permission)) = route.gate else {
            continue;
        };
        for (who, role) in [(&viewer, Role::Viewer), (&editor, Role::Editor)] {
            let id = if let Gate::EntityInPath(_) = route.gate { owner.entity() } else { SOME_ID };
            let answer = call(&api, route, who, id).await;
            let may = permits(user, role, permission);
            let place = format!("{} {} as {}", route.verb.name(), route.path, role.name());
            assert_eq!(answer.status != 403, may, "{place}: {answer:?}");
            if !may {
                refusals += 1;
                assert_eq!(answer.json()["cause"]["code"], "insufficient_role", "{place}");
            }
            assert!(answer.status < 500, "{place}: {answer:?}");
        }
    }
    assert!(refusals > 20, "the table refuses somebody something");
}

#[actix_web::test]
async fn a_gate_gives_its_handler_what_it_takes() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for route in routes() {
        let answer = call(&api, route, &owner, SOME_ID).await;
        assert!(answer.status < 500, "{} {}: {answer:?}", route.verb.name(), route.path);
    }
}

#[test]
fn whoever_only_reads_is_asked_for_no_more() {
    for route in routes().filter(|route| route.verb == Verb::Get) {
        if let Gate::Entity(permission) | Gate::EntityInPath(permission) = route.gate {
            let reads = !permission.writes() || permission == Permission::ManageKeys;
            assert!(reads, "{} asks for {permission:?}", route.operation);
        }
    }
}
