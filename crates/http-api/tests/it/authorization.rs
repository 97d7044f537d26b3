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
];

/// Every route, by its path, and its sort. `{documents}` stands for the five kinds of documents.
const ROUTES: &str = "
/health/live: GET open
/health/ready: GET open
/health: GET open
/openapi.json: GET open
/openapi-3.0.json: GET open
/: GET open
/favicon.ico: GET open
/robots.txt: GET open
/docs: GET open
/docs/: GET open
/docs/{file}: GET open
/users/signup: POST open
/users/login: POST open
/users/logout: POST log out
/users/password-reset: POST open
/users/password-reset/confirm: POST open
/users/verify-email: POST open, GET open
/users/resend-verification: POST person
/verify-email: POST open
/reset-password: GET open, POST open
/accept-invitation: GET open, POST open
/users/me: GET person, PATCH person
/users/me/sessions: GET person, DELETE person
/users/me/sessions/{id}: DELETE person
/users/me/password: POST person
/users/me/invitations: GET own address
/users/me/invitations/{id}/accept: POST own address
/users/me/invitations/{id}/decline: POST own address
/users/me/settings/furs: PUT own mark
/users/me/settings/fina: PUT own mark
/users/me/settings/pt: PUT own mark
/invitations/accept: POST open
/entities/users: POST erase, GET see
/entities/users/{id}: PATCH erase, DELETE erase
/entities/invitations: GET see
/entities/invitations/{id}: GET see, DELETE erase
/entities/invitations/{id}/resend: POST erase
/entities/api-keys: POST erase, GET erase
/entities/api-keys/{id}: DELETE erase
/account: GET account
/account/api-keys: POST account, GET account
/account/api-keys/{id}: DELETE account
/entities: POST account, GET signed
/entities/{id}: GET entity, PATCH manage entity
/entities/{id}/disable: POST manage entity
/entities/{id}/spending-limit: PATCH manage entity
/entities/{id}/email-sender: GET entity, PUT manage entity
/entities/{id}/email-sender/recheck: POST manage entity
/sandbox/clock: GET account, POST account
/pos/operators: GET till
/pos/operators/switch: POST sell
/pos/operators/{id}/pin: PUT pin, DELETE pin
/pos/operators/{id}/pin/unlock: POST erase
/pos/tables: POST write, GET till
/pos/tables/{id}: PATCH write, DELETE write
/pos/tabs: POST sell, GET till
/pos/tabs/{id}: GET till, PATCH sell, DELETE sell
/pos/tabs/{id}/items: POST sell
/pos/tabs/{id}/invoice: POST sell
/pos/tabs/{id}/move-lines: POST sell
/pos/tabs/{id}/claim: POST sell
/pos/tabs/{id}/release: POST sell
/pos/tabs/{id}/close: POST sell
/pos/reports/daily: GET till
/pos/reports/closings: POST sell, GET till
/pos/reports/closings/{id}: GET till
/documents/export: GET read
/documents/export/sales-per-item: GET read
/documents/export/revenue-by-category: GET read
/documents/export/pdf: POST write
/documents/export/eslog: POST write
/invoices/{id}/zugferd: GET read
/credit-notes/{id}/zugferd: GET read
/ujp/{id}/download: GET read
/documents/export/jobs/{id}: GET read
/documents/export/jobs/{id}/download: GET read
/documents/export/download: GET open
/payments/export: GET read
/customers/export: GET read
/expenses/export: GET read
/customers: POST write, GET till
/customers/{id}: GET till, PATCH write, DELETE write
/customers/{id}/statement: GET read
/customers/{id}/restore: POST write
/customers/{id}/permanent: DELETE erase
/suppliers: POST write, GET till
/suppliers/{id}: GET till, PATCH write, DELETE write
/suppliers/{id}/restore: POST write
/suppliers/{id}/permanent: DELETE erase
/items: POST write, GET till
/items/{id}: GET till, PATCH write, DELETE write
/items/{id}/restore: POST write
/items/{id}/permanent: DELETE erase
/taxes: POST write, GET till
/taxes/{id}: GET till, PATCH write, PUT write, DELETE write
/taxes/{id}/restore: POST write
/taxes/{id}/permanent: DELETE erase
/financial-categories: POST write, GET till
/financial-categories/{id}: GET till, PATCH write, DELETE write
/business-units: POST write, GET till
/business-units/{id}: GET till, PATCH write, DELETE erase
/business-units/{id}/restore: POST erase
/business-units/{id}/permanent: DELETE erase
/{documents}: POST sell, GET till
/{documents}/custom: POST sell
/{documents}/preview: POST till
/{documents}/{id}: GET till, PATCH write
/{documents}/{id}/versions: GET read
/invoices/{id}/void: POST write
/invoices/{id}/xrechnung: GET read
/credit-notes/{id}/xrechnung: GET read
/eslog/{id}/validate: POST write
/eslog/{id}/download: GET read
/ujp/{id}/validate: POST write
/credit-notes/{id}/void: POST write
/advance-invoices/{id}/void: POST write
/delivery-notes/{id}/void: POST write
/estimates/{id}/accept: POST write
/estimates/{id}/reject: POST write
/documents/next-number: GET till
/documents/calculate: POST till
/stats/query: POST read
/tax-reports/kir: POST read, GET read
/tax-reports/kpr: POST read, GET read
/tax-reports/vat: GET read
/tax-reports/si/profile: GET read, PATCH erase
/tax-reports/si/yearly/normirani/review: POST read
/tax-reports/si/yearly/normirani/export: POST read
/tax-reports/si/vod-xml: POST read
/tax-reports/si/vasco-xml: POST read
/tax-reports/si/minimax-xml: POST read
/reports/aging: GET read
/transaction-type/check: POST read
/vies/check: POST read
/documents/items/financial-categories: PATCH write
/documents/items/{id}/financial-category: PATCH write
/documents/{id}/finalize: POST sell
/documents/{id}/pdf: GET till
/documents/{id}/html: GET till
/documents/{id}/receipt: GET till
/documents/{id}/fiscalize: POST sell
/documents/{id}: DELETE write
/documents/{id}/restore: POST write
/payments: POST sell, GET till
/payments/{id}: GET till, PATCH write, DELETE write
/payments/{id}/restore: POST write
/payments/{id}/permanent: DELETE erase
/expenses: POST write, GET read
/expenses/custom: POST write
/expenses/{id}: GET read, PATCH write, DELETE write
/expenses/{id}/finalize: POST write
/expenses/{id}/void: POST write
/expenses/{id}/payments: POST write
/expenses/{id}/attachments: POST write, GET read
/recurring-invoices: POST write, GET read
/recurring-invoices/{id}: GET read, PATCH write, DELETE write
/recurring-invoices/{id}/pause: POST write
/recurring-invoices/{id}/resume: POST write
/recurring-invoices/{id}/restore: POST write
/recurring-invoices/{id}/permanent: DELETE erase
/fiscalization/furs/settings: GET see, PUT erase
/fiscalization/furs/settings/certificate: POST erase, GET see, DELETE erase
/fiscalization/furs/settings/certificate/sandbox: POST erase
/fiscalization/furs/internal-act/pdf: GET see
/fiscalization/furs/internal-act/docx: GET see
/fiscalization/furs/premises/real-estate: POST erase
/fiscalization/furs/premises/movable: POST erase
/fiscalization/furs/premises: GET till
/fiscalization/furs/premises/{id}: GET till, PATCH erase, DELETE erase
/fiscalization/furs/premises/{id}/devices: GET till, POST erase
/fiscalization/furs/devices/{id}: GET till, PATCH erase, DELETE erase
/fiscalization/fina/settings: GET see, PUT erase
/fiscalization/fina/settings/certificate: POST erase, GET see, DELETE erase
/fiscalization/fina/settings/certificate/sandbox: POST erase
/fiscalization/fina/premises: GET till, POST erase
/fiscalization/fina/premises/{id}: GET till, PATCH erase, DELETE erase
/fiscalization/fina/premises/{id}/devices: GET till, POST erase
/fiscalization/fina/devices/{id}: GET till, PATCH erase, DELETE erase
/{documents}/shareable/{shareable_id}: GET open
/{documents}/shareable/{shareable_id}/html: GET open
/{documents}/shareable/{shareable_id}/pdf: GET open
/estimates/shareable/{shareable_id}/accept: POST open
/estimates/shareable/{shareable_id}/reject: POST open
/documents/{id}/share: POST write, DELETE write
/documents/{id}/send: POST write
/email/send: POST write
/payment-reminders/send: POST write
/files: POST write, GET read
/files/{id}: GET read, DELETE write
/files/{id}/download: GET read
/upload/image: POST write
/activities: GET read
/jobs: GET erase
/jobs/{id}/retry: POST erase
/webhooks: POST erase, GET erase
/webhooks/{id}: GET erase, PATCH erase, DELETE erase
/webhooks/{id}/rotate-secret: POST erase
/webhooks/{id}/test: POST erase
/webhooks/{id}/replay: POST erase
/webhook-logs: GET erase
/webhook-logs/{id}: GET erase
/webhook-logs/{id}/replay: POST erase
/account-webhooks: POST account, GET account
/account-webhooks/{id}: GET account, PATCH account, DELETE account
/account-webhooks/{id}/rotate-secret: POST account
/account-webhooks/{id}/test: POST account
/account-webhooks/{id}/replay: POST account
/v1/Organizations/{id}/webhooks: POST manage entity, GET manage entity
/v1/Organizations/{id}/webhooks/count: GET manage entity
/v1/Webhooks/{id}: GET signed, PUT signed, PATCH signed, DELETE signed
/white-labels/current: GET open
/white-labels: GET account
/white-label-subscriptions: GET see bills
/white-label-subscriptions/plans: GET see bills
/white-label-subscriptions/check-feature/{feature}: GET see bills
/white-label-subscriptions/check-limit/{resource}: GET see bills
/white-label-subscriptions/billing-email: PATCH erase
/white-label-subscriptions/activate: POST erase
";

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
