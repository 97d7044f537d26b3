//! Every route as every principal: who is let through, and who is not.
//!
//! The routes are those of the table that is served; the expectations are below, written apart from
//! gates and permissions. A route without a row fails, and so does a row without a route, and
//! a gate that is not what the row says.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_http_api::{Gate, Route, routes};
use serde_json::json;

use crate::harness::{Answer, Api, Who, text};
use crate::routes::{SOME_ID, call, path};

/// Who makes the requests, in the order of the columns of [`SORTS`].
const PRINCIPALS: [&str; 17] = [
    "nobody",
    "an unknown token",
    "a session that ended",
    "a stranger",
    "a viewer",
    "an editor",
    "an admin",
    "an operator at a till",
    "an editor as operator",
    "an account key",
    "an account key of the other environment",
    "another account's key",
    "an entity key",
    "another entity's key of the same account",
    "somebody invited who is not verified",
    "somebody invited who is verified",
    "an admin of another account who consented",
];

/// Sorts of routes, and what becomes of a request: `.` let through, `u` 401, `f` 403, `h` 404 as if
/// the entity were not there.
const SORTS: &[(&str, &str)] = &[
    // (none) unknown ended stranger | viewer editor admin operator editing-operator | account-key
    // other-environment other-account entity-key other-entity-key | invited-unverified
    // invited-verified consenting
    ("open", "... . ..... ... .. ..."),
    ("signed", "uuu . ...ff ... .. ..."),
    ("person", "uuu . ...ff fff ff ..."),
    ("own address", "uuu f ff.ff fff ff f.."),
    ("log out", "uuu . ..... fff ff ..."),
    ("account", "uuu . ...ff ... ff ..."),
    ("till", "uuu f ..... .ff .f ff."),
    ("sell", "uuu f f.... .ff .f ff."),
    ("pin", "uuu f f.... .ff ff ff."),
    ("read", "uuu f ...ff .ff .f ff."),
    ("write", "uuu f f..ff .ff .f ff."),
    ("own mark", "uuu f f..ff fff ff ff."),
    ("see", "uuu f ...ff .ff ff ff."),
    ("erase", "uuu f ff.ff .ff ff ff."),
    ("see bills", "uuu f f..ff .ff ff ff."),
    ("entity", "uuu h ...ff .hh .h hh."),
    ("manage entity", "uuu h ff.ff .hh fh hh."),
    // No token is the secret of a provider, or the operator's key.
    ("provider", "uuu u uuuuu uuu uu uuu"),
];

/// Every route, by its path, and its sort. `{documents}` stands for the five kinds of documents.
const ROUTES: &str = include_str!("routes.txt");

const DOCUMENTS: [&str; 5] =
    ["invoices", "estimates", "credit-notes", "advance-invoices", "delivery-notes"];

/// Method and path of every route that [`ROUTES`] names, with its sort.
fn expected() -> BTreeMap<String, &'static str> {
    let mut all = BTreeMap::new();
    for row in ROUTES.lines().filter(|row| !row.is_empty()) {
        let (path, sorts) = row.split_once(": ").unwrap();
        let kinds: &[&str] = if path.contains("{documents}") { &DOCUMENTS } else { &[""] };
        for (kind, one) in
            kinds.iter().flat_map(|kind| sorts.split(", ").map(move |one| (kind, one)))
        {
            let (method, sort) = one.split_once(' ').unwrap();
            let route = format!("{method} {}", path.replace("{documents}", kind));
            assert!(all.insert(route, sort).is_none(), "{row} is there twice");
        }
    }
    all
}

fn name(route: &Route) -> String {
    format!("{} {}", route.verb.name(), route.path)
}

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let served: BTreeSet<String> = routes().map(name).collect();
    let rows: BTreeSet<String> = expected().into_keys().collect();
    let missing: Vec<_> = served.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(&served).collect();
    assert!(missing.is_empty(), "say in ROUTES who may use these: {missing:?}");
    assert!(gone.is_empty(), "ROUTES names what is not served: {gone:?}");
}

/// An entity, everybody who belongs to it, and some who do not.
struct World {
    api: Api,
    entity: String,
    /// The account that it belongs to.
    account: String,
    /// In the order of [`PRINCIPALS`], each with the id of a person whose PIN they may have.
    everybody: Vec<(Who, String)>,
}

impl World {
    async fn new() -> Self {
        let api = Api::new().await;
        let admin = api.owner("admin@example.com").await;
        api.verify("admin@example.com").await;
        let entity = admin.entity().to_owned();
        let id = api.id(&admin).await;
        let viewer = api.member(&admin, "viewer@example.com", "viewer").await;
        let editor = api.member(&admin, "editor@example.com", "editor").await;
        let editing = api.id(&editor).await;
        let ended = api.member(&admin, "ended@example.com", "admin").await;
        api.post("/users/logout", &ended, json!({})).await.with(204);
        let stranger = api.owner("stranger@example.com").await;
        let foreign = key(&api, &stranger, "/account/api-keys", "sandbox").await;
        let other = json!({"name": "Two", "country": "Slovenia", "environment": "sandbox"});
        let other = api.post("/entities", &admin, other).await.with(201).json();
        let other = admin.in_entity(&text(&other["id"]));
        for (id, pin) in [(&id, "042"), (&editing, "043")] {
            api.set_pin(&admin, id, pin).await.with(204);
        }
        let till = api.operator(&admin, &id, "042").await;
        let editing_till = api.operator(&admin, &editing, "043").await;
        let everybody = vec![
            (Who::anonymous(), id.clone()),
            (Who::key("sk_sandbox_00000000000000000000000000000000"), id.clone()),
            (ended, id.clone()),
            (stranger, id.clone()),
            (viewer, id.clone()),
            (editor, editing.clone()),
            (admin.clone(), id.clone()),
            (till, id.clone()),
            (editing_till, editing),
            (key(&api, &admin, "/account/api-keys", "sandbox").await, id.clone()),
            (key(&api, &admin, "/account/api-keys", "live").await, id.clone()),
            (foreign, id.clone()),
            (key(&api, &admin, "/entities/api-keys", "sandbox").await, id.clone()),
            (key(&api, &other, "/entities/api-keys", "sandbox").await, id.clone()),
            (invited(&api, &admin, "waiting@example.com").await, id.clone()),
            (verified(&api, &admin, "proved@example.com").await, id.clone()),
            (consenting(&api, &admin, "partner@example.com").await, id),
        ];
        let account = text(&api.get("/account", &admin).await.with(200).json()["id"]);
        Self { api, entity, account, everybody }
    }

    /// What becomes of `route` as principal number `n`, who names the entity.
    async fn ask(&self, route: &Route, n: usize) -> (char, Answer) {
        let (who, person) = &self.everybody[n];
        let id = match route.gate {
            Gate::EntityInPath(_) => &self.entity,
            _ if route.path.ends_with("/pin") => person,
            _ => SOME_ID,
        };
        let answer = call(&self.api, route, &who.in_entity(&self.entity), id).await;
        let is_in_path = matches!(route.gate, Gate::EntityInPath(_));
        let class = match answer.status {
            401 => 'u',
            403 => 'f',
            404 if is_in_path => 'h',
            _ => '.',
        };
        (class, answer)
    }
}

/// The owner of an entity of their own, whom `admin` invited, and who has not answered.
pub async fn invited(api: &Api, admin: &Who, email: &str) -> Who {
    let invited = api.owner(email).await;
    let body = json!({"email": email, "role": "admin", "send_invite": false});
    let told = api.post("/entities/users", admin, body).await.with(201).json();
    assert_eq!(told["status"], "invited");
    invited
}

/// The same with a verified address.
pub async fn verified(api: &Api, admin: &Who, email: &str) -> Who {
    let invited = invited(api, admin, email).await;
    api.verify(email).await;
    invited
}

/// The same who consented: an admin of two entities, of two accounts.
pub async fn consenting(api: &Api, admin: &Who, email: &str) -> Who {
    let invited = verified(api, admin, email).await;
    let all = api.get("/users/me/invitations", &invited).await.with(200).json();
    let path = format!("/users/me/invitations/{}/accept", text(&all["data"][0]["id"]));
    api.post(&path, &invited, json!({})).await.with(200);
    invited
}

async fn key(api: &Api, who: &Who, path: &str, environment: &str) -> Who {
    let mut body = json!({"name": "key"});
    if path.starts_with("/account") {
        body["environment"] = json!(environment);
    }
    let made = api.post(path, who, body).await;
    Who::key(&text(&made.with(201).json()["id"]))
}

/// Whether a request that is let through ends the principal, or closes the entity to all.
fn changes_the_world(route: &Route) -> bool {
    matches!(route.operation, "logOut" | "disableEntity" | "removeOperatorPin")
}

#[actix_web::test]
async fn no_cell_of_routes_and_principals_is_unexpected() {
    let rows = expected();
    let (mut world, mut cells, mut unexpected) = (World::new().await, 0, Vec::new());
    for route in routes() {
        let Some(sort) = rows.get(&name(route)) else { continue };
        let sort = SORTS.iter().find(|(name, _)| name == sort);
        let (_, classes) = sort.unwrap_or_else(|| panic!("{} is of no sort", name(route)));
        let classes: Vec<char> = classes.chars().filter(|class| *class != ' ').collect();
        assert_eq!(classes.len(), PRINCIPALS.len());
        for (n, wanted) in classes.into_iter().enumerate() {
            let (class, answer) = world.ask(route, n).await;
            cells += 1;
            if class != wanted || answer.status >= 500 {
                let told: String = answer.text.chars().take(120).collect();
                let (route, who) = (name(route), PRINCIPALS[n]);
                unexpected
                    .push(format!("{route} as {who}: {wanted} expected, {class} met: {told}"));
            }
            if class == '.' && changes_the_world(route) {
                world = World::new().await;
            }
        }
    }
    assert_eq!(cells, routes().count() * PRINCIPALS.len());
    assert!(unexpected.is_empty(), "{} of {cells}:\n{}", unexpected.len(), unexpected.join("\n"));
}

/// Who enters an account that they name, in the order of [`PRINCIPALS`]: those who belong to it.
const OWN_ACCOUNT: &str = "uuu f ff.ff ..f ff fff";

#[actix_web::test]
async fn no_caller_enters_an_account_of_others() {
    let (world, mut unexpected) = (World::new().await, Vec::new());
    let classes: Vec<char> = OWN_ACCOUNT.chars().filter(|class| *class != ' ').collect();
    assert_eq!(classes.len(), PRINCIPALS.len());
    let of_account = routes().filter(|route| route.gate == Gate::Account);
    for route in of_account {
        for (n, wanted) in classes.iter().enumerate() {
            let (who, _) = &world.everybody[n];
            let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
            let request = TestRequest::default().method(method).uri(&path(route, SOME_ID));
            let request = request.insert_header(("x-account-id", world.account.as_str()));
            let answer = world.api.call(who.sign(request).set_json(json!({}))).await;
            let class = match answer.status {
                401 => 'u',
                403 => 'f',
                _ => '.',
            };
            if class != *wanted {
                let (route, who) = (name(route), PRINCIPALS[n]);
                unexpected.push(format!("{route} as {who}: {wanted} expected, {answer:?}"));
            }
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
}
