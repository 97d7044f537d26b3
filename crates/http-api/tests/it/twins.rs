//! An id of another account is answered like an id that is not there, to the last letter.
//!
//! Each route with an id in its path is asked twice by people of other accounts, who name their own
//! entity: for a record that exists elsewhere, and for one that does not exist.

use std::collections::BTreeMap;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_http_api::{Gate, Route, Verb, routes};
use serde_json::{Value, json};

use crate::authorization::{consenting, invited, verified};
use crate::files::{self, Sent};
use crate::harness::{Answer, Api, Who, text};
use crate::routes::path;
use crate::taxpayer::{Taxpayer, form};

/// Paths whose ids are no records of an entity or account, and those that fiscalization's own tests
/// ask for in Croatia, where the ids are of the same kinds.
const ELSEWHERE: &[&str] = &[
    "/jobs/",
    "/webhook-logs/",
    "/fiscalization/fina/",
    "/fiscalization/pt/",
    "/payment-app/invoices/",
];

/// What is made: where, how, and the beginning of the paths that name it.
const MADE: &[(&str, &str, &str)] = &[
    ("/customers", r#"{"name": "A"}"#, "/customers/"),
    ("/suppliers", r#"{"name": "A"}"#, "/suppliers/"),
    ("/items", r#"{"name": "A", "price": 1}"#, "/items/"),
    ("/taxes", r#"{"name": "A", "tax_rates": [{"rate": 13}]}"#, "/taxes/"),
    ("/financial-categories", r#"{"name": "A"}"#, "/financial-categories/"),
    ("/business-units", r#"{"name": "A"}"#, "/business-units/"),
    ("/invoices", r#"{"items": [{"name": "A", "price": 1}]}"#, "/invoices/"),
    ("/invoices", r#"{"items": [{"name": "A", "price": 1}]}"#, "/eslog/"),
    ("/invoices", r#"{"items": [{"name": "A", "price": 1}]}"#, "/ujp/"),
    ("/invoices", r#"{"items": [{"name": "A", "price": 1}]}"#, "/e-invoicing/documents/"),
    ("/order-integrations", r#"{"name": "A", "source": "manual"}"#, "/order-integrations/"),
    ("/estimates", r#"{"items": [{"name": "A", "price": 1}]}"#, "/estimates/"),
    ("/credit-notes", r#"{"items": [{"name": "A", "price": 1}]}"#, "/credit-notes/"),
    (
        "/advance-invoices",
        r#"{"items": [{"name": "A", "price": 1}], "is_draft": true}"#,
        "/advance-invoices/",
    ),
    ("/delivery-notes", r#"{"items": [{"name": "A", "price": 1}]}"#, "/delivery-notes/"),
    ("/invoices", r#"{"items": [{"name": "A", "price": 1}], "is_draft": true}"#, "/documents/"),
    (
        "/expenses",
        r#"{"supplier": {"name": "A"}, "date": "2026-11-20",
            "items": [{"name": "A", "price": 5}]}"#,
        "/expenses/",
    ),
    ("/pos/tables", r#"{"label": "1"}"#, "/pos/tables/"),
    ("/pos/tabs", "{}", "/pos/tabs/"),
    ("/pos/reports/closings", r#"{"counted_cash": 0}"#, "/pos/reports/closings/"),
    ("/documents/export/pdf", r#"{"types": ["invoice"]}"#, "/documents/export/jobs/"),
    ("/documents/export/eslog", r#"{"types": ["invoice"]}"#, "/documents/export/jobs/"),
    ("/entities/api-keys", r#"{"name": "A"}"#, "/entities/api-keys/"),
    ("/account/api-keys", r#"{"name": "A", "environment": "sandbox"}"#, "/account/api-keys/"),
    (
        "/webhooks",
        r#"{"url": "https://example.com/a", "events": ["invoice.created"]}"#,
        "/webhooks/",
    ),
    (
        "/account-webhooks",
        r#"{"url": "https://example.com/a", "events": ["white_label_subscription.renewed"]}"#,
        "/account-webhooks/",
    ),
    (
        "/v1/Organizations/{entity}/webhooks",
        r#"{"url": "https://example.com/a", "events": [{"event": "invoice.created"}]}"#,
        "/v1/Webhooks/",
    ),
];

/// The ids of one of everything that `si` has, by the beginning of the paths that name it.
async fn everything(si: &Taxpayer) -> BTreeMap<&'static str, String> {
    let (api, owner) = (&si.api, &si.owner);
    let (mut ids, mut refused) = (BTreeMap::new(), Vec::new());
    for (path, body, named) in MADE {
        let body: Value = serde_json::from_str(body).unwrap();
        let made = api.post(&path.replace("{entity}", owner.entity()), owner, body).await;
        if !matches!(made.status, 200..=202) {
            refused.push(format!("{path}: {made:?}"));
            continue;
        }
        let made = made.json();
        // A key is named by another id than the one that is shown once.
        let id = made.get("key_id").unwrap_or(&made["id"]);
        ids.insert(*named, text(id));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    let invoice = &ids["/invoices/"];
    let payment = json!({"invoice_id": invoice, "amount": 1, "type": "cash"});
    let payment = api.post("/payments", owner, payment).await.with(201).json();
    ids.insert("/payments/", text(&payment["id"]));
    let item = api.get(&format!("/invoices/{}", ids["/invoices/"]), owner).await.json();
    ids.insert("/documents/items/", text(&item["items"][0]["id"]));
    let recurring = json!({"document_id": ids["/invoices/"], "name": "A", "frequency": "monthly",
        "start_date": "2026-12-01"});
    let recurring = api.post("/recurring-invoices", owner, recurring).await.with(201).json();
    ids.insert("/recurring-invoices/", text(&recurring["id"]));
    let order = json!({"order_integration_id": ids["/order-integrations/"], "source": "manual",
        "source_id": "1", "currency_code": "EUR", "total": 1, "total_with_tax": 1, "items": [
        {"name": "A", "quantity": 1, "price": 1, "total": 1, "total_with_tax": 1}]});
    let order = api.post("/orders", owner, order).await.with(201).json();
    ids.insert("/orders/", text(&order["id"]));
    let file = Sent(b"a,b\n", "a.csv", "text/csv");
    let file = files::form("/files", &file, &[("category", "attachment")]);
    let file = api.call(owner.sign(file)).await.with(201).json();
    ids.insert("/files/", text(&file["id"]));
    let premise = si.premise("P1").await;
    ids.insert("/fiscalization/furs/devices/", si.device(&premise, "D1").await);
    ids.insert("/fiscalization/furs/premises/", premise);
    let user = api.id(owner).await;
    ids.insert("/pos/operators/", user.clone());
    let user_id = user.clone();
    ids.insert("/entities/users/", user);
    let sessions = api.get("/users/me/sessions", owner).await.with(200).json();
    ids.insert("/users/me/sessions/", text(&sessions["data"][0]["id"]));
    let identity = crate::sign_in::identity(api, &user_id).await;
    ids.insert("/users/me/identities/", identity);
    let invitation = json!({"email": "third@example.com", "role": "viewer", "send_invite": false});
    let invitation = api.post("/entities/users", owner, invitation).await.with(201).json();
    let invitation = text(&invitation["invitation_id"]);
    ids.insert("/users/me/invitations/", invitation.clone());
    ids.insert("/entities/invitations/", invitation);
    for named in ["/entities/", "/v1/Organizations/"] {
        ids.insert(named, owner.entity().to_owned());
    }
    ids
}

/// The id that a path of `route` names.
fn id_for<'a>(route: &Route, ids: &'a BTreeMap<&'static str, String>) -> Option<&'a str> {
    let named = route.path.split("{id}").next().unwrap_or_default();
    ids.get(named).map(String::as_str)
}

/// An id like `id`, of a record that does not exist.
fn unknown(id: &str) -> String {
    let (prefix, _) = id.rsplit_once('_').unwrap();
    format!("{prefix}_01jd6m000000000000000000zz")
}

async fn ask(api: &Api, route: &Route, who: &Who, id: &str) -> (u16, String) {
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    let request = who.sign(TestRequest::default().method(method).uri(&path(route, id)));
    let answer: Answer = match route.path.ends_with("/attachments") && route.verb == Verb::Post {
        true => api.call(who.sign(form(&path(route, id), &[("file", b"a,b\n")]))).await,
        false => api.call(request.set_json(json!({}))).await,
    };
    (answer.status, answer.text.replace(id, "ID"))
}

#[actix_web::test]
async fn an_id_of_another_account_is_answered_like_one_that_is_not_there() {
    let si = Taxpayer::slovenian().await.certified().await;
    let ids = everything(&si).await;
    let api = &si.api;
    si.api.verify("owner@example.com").await;
    let others = [
        api.owner("stranger@example.com").await,
        invited(api, &si.owner, "waiting@example.com").await,
        verified(api, &si.owner, "proved@example.com").await,
        // They are in the entity, and ask from their own.
        consenting(api, &si.owner, "partner@example.com").await,
    ];
    let (mut asked, mut unlike) = (0, Vec::new());
    for route in routes().filter(|route| route.path.contains("{id}")) {
        let place = format!("{} {}", route.verb.name(), route.path);
        let Some(id) = id_for(route, &ids) else {
            let is_elsewhere = ELSEWHERE.iter().any(|path| route.path.starts_with(path));
            assert!(is_elsewhere, "say in MADE what {place} names");
            continue;
        };
        for (n, who) in others.iter().enumerate() {
            // An admin who consented reaches what the path alone leads to.
            let is_by_path = matches!(route.gate, Gate::EntityInPath(_) | Gate::SignedIn);
            if n == 3 && is_by_path {
                continue;
            }
            let there = ask(api, route, who, id).await;
            let absent = ask(api, route, who, &unknown(id)).await;
            asked += 1;
            if there != absent || !matches!(there.0, 400..500) {
                unlike.push(format!("{place} to number {n}: {there:?} and {absent:?}"));
            }
        }
    }
    assert!(asked > 300, "{asked}");
    assert!(unlike.is_empty(), "{} of {asked}:\n{}", unlike.len(), unlike.join("\n"));
}
