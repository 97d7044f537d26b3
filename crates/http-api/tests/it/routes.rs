//! The table of routes is what is served, what is described, and what is guarded.

use std::collections::BTreeSet;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_access::{Permission, permits};
use racun_http_api::{Gate, Rate, Route, Verb, openapi, routes};
use racun_kernel::{Principal, Role};
use racun_store::testing::stamp;
use serde_json::json;
use time::OffsetDateTime;

use crate::harness::{Answer, Api, Who};

/// The route's path with `id` in the place of its parameters.
pub fn path(route: &Route, id: &str) -> String {
    let parts = route.path.split('/').map(|part| if part.starts_with('{') { id } else { part });
    parts.collect::<Vec<_>>().join("/")
}

pub async fn call(api: &Api, route: &Route, who: &Who, id: &str) -> Answer {
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    let request = TestRequest::default().method(method).uri(&path(route, id)).set_json(json!({}));
    api.call(who.sign(request)).await
}

pub const SOME_ID: &str = "cus_01jd0000000000000000000000";

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
fn routes_that_check_or_show_secrets_are_marked() {
    let marked = |is: fn(&Route) -> bool| -> BTreeSet<&str> {
        routes().filter(|route| is(route)).map(|route| route.operation).collect()
    };
    let sensitive = [
        "acceptInvitation",
        "beginMySecondFactor",
        "beginOpenIdSignIn",
        "changeMyPassword",
        "confirmMySecondFactor",
        "confirmPasswordReset",
        "finishOpenIdSignIn",
        "followVerificationLink",
        "linkMyIdentity",
        "logIn",
        "removeMySecondFactor",
        "renewMyRecoveryCodes",
        "requestPasswordReset",
        "resendVerification",
        "showInvitation",
        "showPasswordReset",
        "signInByOpenId",
        "signUp",
        "submitInvitation",
        "submitPasswordReset",
        "submitVerification",
        "switchOperator",
        "verifyEmail",
    ];
    assert_eq!(marked(|route| route.rate == Rate::Sensitive), sensitive.into());
    let secret = [
        "acceptInvitation",
        "addEntityUser",
        "beginMySecondFactor",
        "beginOpenIdSignIn",
        "confirmMySecondFactor",
        "createAccountKey",
        "createAccountWebhook",
        "createEntityKey",
        "createOrderIntegration",
        "createWebhook",
        "finishOpenIdSignIn",
        "logIn",
        "renewMyRecoveryCodes",
        "rotateAccountWebhookSecret",
        "rotateWebhookSecret",
        "setUpCard",
        "signInByOpenId",
        "switchOperator",
    ];
    assert_eq!(marked(|route| route.shows_secret), secret.into());
}

#[test]
fn the_description_lists_exactly_the_routes() {
    let description = openapi();
    let mut described = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let operation = operation["operationId"].as_str().unwrap().to_owned();
            described.insert((path.clone(), method.to_uppercase(), operation));
        }
    }
    let declared = routes().filter(|route| route.is_described).map(|route| {
        (route.path.to_owned(), route.verb.name().to_owned(), route.operation.to_owned())
    });
    assert_eq!(described, declared.collect());
}

#[actix_web::test]
async fn every_route_is_served_by_its_own_pattern() {
    let api = Api::new().await;
    for route in routes() {
        // A path that another pattern or none matches is answered 404 or 405 even without a token.
        let answer = call(&api, route, &Who::anonymous(), "index.html").await;
        let code = answer.status;
        let is_swallowed = answer.text.contains("there is no such path") || code == 405;
        let is_reached = match route.gate {
            // Nothing is shared under that id, and the answer says so.
            Gate::Open if route.path.contains("{shareable_id}") => {
                let is_page = answer.header("content-type").starts_with("text/html");
                code == 404 && (is_page || answer.text.contains("there is no index.html here"))
            }
            // Its handler asks who sends it.
            Gate::Open if route.path.ends_with("/shopify/callback") => code == 401,
            Gate::Open if route.path == "/payment-app/authorize" => code == 401,
            // Nor is there such an integration.
            Gate::Open if route.path.starts_with("/order-integrations/") => {
                code == 404 && answer.text.contains("there is no order integration")
            }
            // Where there is no white label, its own route says so.
            Gate::Open => !is_swallowed && (code != 404 || route.path == "/white-labels/current"),
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
    let ids = [api.id(&viewer).await, api.id(&editor).await, api.id(&owner).await];
    let user = Principal::User(stamp(OffsetDateTime::UNIX_EPOCH).id());
    let at_till = Principal::Operator(stamp(OffsetDateTime::UNIX_EPOCH).id());
    let (mut refusals, mut operator) = (0, None);
    for route in routes() {
        let (Gate::Entity(permission) | Gate::EntityInPath(permission)) = route.gate else {
            continue;
        };
        if operator.is_none() {
            api.set_pin(&owner, &ids[2], "042").await.with(204);
            operator = Some(api.operator(&owner, &ids[2], "042").await);
        }
        let at_till_now = operator.clone().unwrap();
        let callers = [
            (&viewer, user, Role::Viewer, "insufficient_role"),
            (&editor, user, Role::Editor, "insufficient_role"),
            (&at_till_now, at_till, Role::Admin, "pos_operator_scope"),
        ];
        for ((who, principal, role, code), own) in callers.into_iter().zip(&ids) {
            let id = match route.gate {
                Gate::EntityInPath(_) => owner.entity(),
                // Everybody's own PIN is what this permission is for.
                _ if permission == Permission::SetPin => own,
                _ => SOME_ID,
            };
            let answer = call(&api, route, who, id).await;
            let may = permits(principal, role, permission);
            let place = format!("{} {} as {principal:?}", route.verb.name(), route.path);
            assert_eq!(answer.status != 403, may, "{place}: {answer:?}");
            if !may {
                refusals += 1;
                assert_eq!(answer.json()["cause"]["code"], code, "{place}");
            }
            assert!(answer.status < 500, "{place}: {answer:?}");
        }
        // A token ends with the PIN that it came of.
        operator = operator.filter(|_| permission != Permission::SetPin);
    }
    assert!(refusals > 20, "the table refuses somebody something");
}

#[actix_web::test]
async fn an_operator_passes_no_gate_but_those_of_a_till() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let id = api.id(&owner).await;
    api.set_pin(&owner, &id, "042").await.with(204);
    let operator = api.operator(&owner, &id, "042").await;
    for route in routes() {
        match route.gate {
            // Its own permission decides; the test before this one sees to that.
            Gate::Open | Gate::Entity(_) | Gate::EntityInPath(_) => continue,
            Gate::SignedIn | Gate::Account => {}
        }
        if route.operation == "logOut" {
            continue;
        }
        let answer = call(&api, route, &operator, SOME_ID).await.with(403);
        assert_eq!(answer.json()["cause"]["code"], "pos_operator_scope", "{}", route.operation);
    }
    api.post("/users/logout", &operator, json!({})).await.with(204);
    api.get("/pos/operators", &operator).await.with(401);
    api.get("/pos/operators", &owner).await.with(200);
}

#[test]
fn a_till_reaches_what_it_needs_and_nothing_else() {
    let at_till = Principal::Operator(stamp(OffsetDateTime::UNIX_EPOCH).id());
    let reached = routes().filter(|route| match route.gate {
        Gate::Entity(permission) | Gate::EntityInPath(permission) => {
            permits(at_till, Role::Admin, permission)
        }
        Gate::Open | Gate::SignedIn | Gate::Account => false,
    });
    let documents = ["invoices", "estimates", "credit-notes", "advance-invoices", "delivery-notes"];
    let records = [
        "payments",
        "customers",
        "suppliers",
        "items",
        "taxes",
        "financial-categories",
        "business-units",
    ];
    let mut expected: BTreeSet<String> = [
        "GET /documents/next-number",
        "POST /documents/calculate",
        "GET /documents/{id}/pdf",
        "GET /documents/{id}/html",
        "GET /documents/{id}/receipt",
        "GET /payments/{id}/receipt",
        "POST /documents/{id}/finalize",
        "POST /documents/{id}/fiscalize",
        "POST /payments",
        "GET /pos/reports/daily",
        "POST /pos/reports/closings",
        "GET /pos/reports/closings",
        "GET /pos/reports/closings/{id}",
        "GET /pos/tables",
        "GET /pos/tabs",
        "POST /pos/tabs",
        "GET /pos/tabs/{id}",
        "PATCH /pos/tabs/{id}",
        "DELETE /pos/tabs/{id}",
        "POST /pos/tabs/{id}/items",
        "POST /pos/tabs/{id}/invoice",
        "POST /pos/tabs/{id}/move-lines",
        "POST /pos/tabs/{id}/claim",
        "POST /pos/tabs/{id}/release",
        "POST /pos/tabs/{id}/close",
        "GET /fiscalization/furs/premises",
        "GET /fiscalization/furs/premises/{id}",
        "GET /fiscalization/furs/premises/{id}/devices",
        "GET /fiscalization/furs/devices/{id}",
        "GET /fiscalization/fina/premises",
        "GET /fiscalization/fina/premises/{id}",
        "GET /fiscalization/fina/premises/{id}/devices",
        "GET /fiscalization/fina/devices/{id}",
        "GET /pos/operators",
        "POST /pos/operators/switch",
        "PUT /pos/operators/{id}/pin",
        "DELETE /pos/operators/{id}/pin",
    ]
    .map(str::to_owned)
    .into();
    for path in documents {
        expected.extend(["", "/custom", "/preview"].map(|more| format!("POST /{path}{more}")));
    }
    for path in documents.iter().chain(&records) {
        expected.extend([format!("GET /{path}"), format!("GET /{path}/{{id}}")]);
    }
    let reached = reached.map(|route| format!("{} {}", route.verb.name(), route.path));
    assert_eq!(reached.collect::<BTreeSet<_>>(), expected);
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
fn routes_that_read_need_only_read_permissions() {
    for route in routes().filter(|route| route.verb == Verb::Get) {
        if let Gate::Entity(permission) | Gate::EntityInPath(permission) = route.gate {
            let reads = !permission.writes() || permission == Permission::ManageKeys;
            assert!(reads, "{} asks for {permission:?}", route.operation);
        }
    }
}
