//! Tenants: what one account stores, another never sees, by no way there is.

use racun_tests::{Account, Client, Racun, StoreKind, on_both_stores, with_query};
use serde_json::{Map, Value, json};

on_both_stores! {
    another_account_sees_nothing,
    sandbox_keys_never_reach_live_entities,
    a_viewer_reads_and_never_writes,
}

/// A word in every text of the one account, which no answer to the other may contain.
const MARK: &str = "Žigosano7";

/// The lists there are, and a filter field of each that holds the mark.
const LISTS: &[(&str, &str)] = &[
    ("/invoices", "note"),
    ("/customers", "name"),
    ("/suppliers", "name"),
    ("/items", "name"),
    ("/taxes", "name"),
    ("/business-units", "name"),
];

/// The exports there are; what the owner's show is in [`LISTS`], and of payments nothing here.
const EXPORTS: &[(&str, bool)] = &[
    ("/documents/export?type=invoice", true),
    ("/documents/export?types=invoice,estimate,credit_note,advance_invoice,delivery_note", true),
    ("/documents/export/sales-per-item", true),
    ("/documents/export/revenue-by-category", true),
    ("/customers/export", true),
    ("/payments/export", false),
    ("/expenses/export", false),
];

/// One of everything, with the mark in every text; answers the paths of what was made.
async fn marked(account: &Account) -> Vec<String> {
    let api = &account.api;
    let texts = |names: &[&str]| {
        let texts = names.iter().map(|name| ((*name).to_owned(), json!(MARK)));
        Value::Object(texts.chain([("metadata".to_owned(), json!({ "key": MARK }))]).collect())
    };
    let party = ["name", "address", "address_2", "post_code", "city", "state", "country", "email"];
    let customer = made(api, "/customers", &texts(&party[..7])).await;
    let supplier = made(api, "/suppliers", &texts(&party[..7])).await;
    let without_metadata = |mut body: Value| {
        body.as_object_mut().expect("an object").remove("metadata");
        body
    };
    let unit = without_metadata(texts(&["name", "address", "city"]));
    let unit = made(api, "/business-units", &unit).await;
    let category = without_metadata(texts(&["name"]));
    let category = made(api, "/financial-categories", &category).await;
    let mut tax = texts(&["name", "classification"]);
    tax["tax_rates"] = json!([{ "rate": 13 }]);
    let tax = made(api, "/taxes", &tax).await;
    let mut item = texts(&["name", "description", "unit"]);
    item["price"] = json!(77);
    let item = made(api, "/items", &item).await;
    let texts = texts(&["note", "payment_terms", "tax_clause", "footer", "signature", "reference"]);
    let mut invoice: Map<String, Value> = texts.as_object().cloned().unwrap_or_default();
    invoice.insert("customer_id".to_owned(), json!(id(&customer)));
    invoice.insert("business_unit_id".to_owned(), json!(id(&unit)));
    let line = json!({
        "item_id": id(&item),
        "taxes": [{ "tax_id": id(&tax) }],
        "financial_category_id": id(&category),
    });
    invoice.insert("items".to_owned(), json!([line]));
    let issued = made(api, "/invoices", &Value::Object(invoice.clone())).await;
    invoice.insert("is_draft".to_owned(), json!(true));
    let draft = made(api, "/invoices", &Value::Object(invoice)).await;
    vec![customer, supplier, unit, category, tax, item, issued, draft]
}

async fn made(api: &Client, path: &str, body: &Value) -> String {
    let made = api.create(path, body).await;
    assert!(made.to_string().contains(MARK), "{path} does not keep its texts: {made}");
    format!("{path}/{}", made["id"].as_str().unwrap_or_default())
}

/// The id at the end of a path.
fn id(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

async fn another_account_sees_nothing(store: StoreKind) {
    let racun = Racun::start(store).await;
    let owner = Account::sign_up(&racun).await;
    let paths = marked(&owner).await;
    for (list, field) in LISTS {
        assert!(owner.api.get(list).await.text.contains(MARK), "{list} does not show its own");
        let found = owner.api.get(&filtered(list, field)).await;
        assert!(found.text.contains(MARK), "{list} is not filtered by {field}: {}", found.text);
    }
    for (export, shows) in EXPORTS {
        let own = owner.api.get(&as_csv(export)).await;
        assert_eq!(own.text.contains(MARK), *shows, "{export}: {}", own.text);
    }
    let before: Vec<Value> = seen(&owner, &paths).await;
    let stranger = Account::sign_up(&racun).await;
    lists_show_nothing(&stranger).await;
    rows_are_not_there(&stranger, &paths).await;
    references_are_refused(&stranger, &paths).await;
    headers_do_not_help(&stranger, &owner).await;
    assert_eq!(seen(&owner, &paths).await, before);
}

async fn seen(owner: &Account, paths: &[String]) -> Vec<Value> {
    let mut seen = Vec::new();
    for path in paths {
        seen.push(owner.api.read(path).await);
    }
    seen
}

fn filtered(list: &str, field: &str) -> String {
    let mut filter = Map::new();
    filter.insert(field.to_owned(), json!({ "contains": MARK }));
    with_query(list, &[("query", &Value::Object(filter).to_string())])
}

/// The export as text: XLSX is packed.
fn as_csv(export: &str) -> String {
    let sign = if export.contains('?') { '&' } else { '?' };
    format!("{export}{sign}format=csv")
}

async fn lists_show_nothing(stranger: &Account) {
    for (list, field) in LISTS {
        let search = with_query(list, &[("search", MARK)]);
        let trash = format!("{list}?deleted=true");
        for path in [(*list).to_owned(), search, trash, filtered(list, field)] {
            let answer = stranger.api.get(&path).await;
            let body = answer.expect(200);
            assert!(!answer.text.contains(MARK), "{path} shows what is another's: {}", answer.text);
            // A new entity has its country's taxes, and nothing else.
            let rows = body["data"].as_array().map_or(0, Vec::len);
            assert_eq!(body["pagination"]["total"].to_string(), rows.to_string(), "{path}");
            assert!(rows == 0 || path == "/taxes", "{path}: {}", answer.text);
        }
    }
    for (export, _) in EXPORTS {
        let answer = stranger.api.get(&as_csv(export)).await;
        assert_eq!(answer.status, 200, "{export}: {}", answer.text);
        assert!(!answer.text.contains(MARK), "{export} shows what is another's: {}", answer.text);
        assert_eq!(answer.text.lines().count(), 1, "{export}: {}", answer.text);
    }
    for path in ["/financial-categories", "/entities", "/entities/users", "/entities/api-keys"] {
        assert!(!stranger.user.get(path).await.text.contains(MARK), "{path}");
    }
    let next = stranger.api.get("/documents/next-number?type=invoice").await.expect(200);
    assert!(next["number"].as_str().is_some_and(|number| number.ends_with("-00001")), "{next}");
}

async fn rows_are_not_there(stranger: &Account, paths: &[String]) {
    for path in paths {
        for (method, body) in [("GET", None), ("PATCH", Some("{}")), ("DELETE", None)] {
            // An invoice is deleted by another path, which follows.
            if method == "DELETE" && path.starts_with("/invoices") {
                continue;
            }
            let answer = match body {
                Some(body) => stranger.api.json(method, path, body).await,
                None => stranger.api.send(method, path, None).await,
            };
            assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text);
            assert!(!answer.text.contains(MARK), "{method} {path}: {}", answer.text);
        }
    }
    for invoice in paths.iter().filter(|path| path.starts_with("/invoices")) {
        let document = format!("/documents/{}", id(invoice));
        for (method, path) in [
            ("GET", format!("{invoice}/versions")),
            ("POST", format!("{invoice}/void")),
            ("POST", format!("{document}/finalize")),
            ("DELETE", format!("{document}?type=invoice")),
        ] {
            let answer = stranger.api.json(method, &path, "{}").await;
            answer.refused(404, "not_found");
        }
    }
}

async fn references_are_refused(stranger: &Account, paths: &[String]) {
    let with = |prefix: &str| {
        let path = paths.iter().find(|path| path.starts_with(prefix));
        path.map(|path| id(path).to_owned()).unwrap_or_else(|| panic!("no {prefix}"))
    };
    let line = |field: &str, value: Value| {
        let mut line = json!({ "name": "A", "price": 1 });
        line[field] = value;
        json!({ "items": [line] })
    };
    let beside = |field: &str, value: Value| {
        let mut body = json!({ "items": [{ "name": "A", "price": 1 }] });
        body[field] = value;
        body
    };
    for body in [
        beside("customer_id", json!(with("/customers"))),
        beside("business_unit_id", json!(with("/business-units"))),
        line("item_id", json!(with("/items"))),
        line("taxes", json!([{ "tax_id": with("/taxes") }])),
        line("taxes", json!([{ "classification": MARK }])),
        line("financial_category_id", json!(with("/financial-categories"))),
    ] {
        for path in ["/invoices", "/documents/calculate?type=invoice"] {
            let answer = stranger.api.post(path, &body).await;
            answer.refused(422, "unprocessable_entity");
            // Only what the stranger sent may come back.
            let sent = body.to_string().contains(MARK);
            assert!(sent || !answer.text.contains(MARK), "{body}: {}", answer.text);
        }
    }
    let unit = with("/business-units");
    let next = format!("/documents/next-number?type=invoice&business_unit_id={unit}");
    let answer = stranger.api.get(&next).await;
    assert!(matches!(answer.status, 404 | 422), "{}", answer.text);
    assert_eq!(stranger.api.all("/invoices").await.len(), 0);
}

async fn headers_do_not_help(stranger: &Account, owner: &Account) {
    for client in [&stranger.api, &stranger.user] {
        let client = client.clone().with("x-entity-id", &owner.entity);
        for (list, _) in LISTS {
            let answer = client.get(list).await;
            assert!(matches!(answer.status, 403 | 404), "{list}: {}", answer.text);
            assert!(!answer.text.contains(MARK), "{list}: {}", answer.text);
        }
    }
    let entity = stranger.user.get(&format!("/entities/{}", owner.entity)).await;
    assert!(matches!(entity.status, 403 | 404), "{}", entity.text);
}

async fn sandbox_keys_never_reach_live_entities(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let live = json!({ "name": MARK, "country": "Slovenia", "environment": "live" });
    let live = account.user.create("/entities", &live).await;
    let live = live["id"].as_str().unwrap_or_default();
    let person = account.user.clone().with("x-entity-id", live);
    let customer = person.create("/customers", &json!({ "name": MARK })).await;
    let customer = format!("/customers/{}", customer["id"].as_str().unwrap_or_default());
    let sandbox = &account.api;
    assert!(!sandbox.get("/entities").await.text.contains(MARK));
    let named = sandbox.clone().with("x-entity-id", live);
    for (client, path) in
        [(&named, "/customers"), (&named, &*customer), (sandbox, &*format!("/entities/{live}"))]
    {
        let answer = client.get(path).await;
        assert!(matches!(answer.status, 403 | 404), "{path}: {}", answer.text);
        assert!(!answer.text.contains(MARK), "{path}: {}", answer.text);
    }
    sandbox.get(&customer).await.refused(404, "not_found");
    account.verify(&racun).await;
    let key = json!({ "name": "live", "environment": "live" });
    let key = account.user.create("/account/api-keys", &key).await;
    let key = key["id"].as_str().unwrap_or_default();
    assert!(key.starts_with("sk_live_"), "{key}");
    let live_key = racun.client().bearer(key);
    assert!(live_key.get(&customer).await.expect(200)["name"] == MARK);
    let sandbox_entity = live_key.clone().with("x-entity-id", &account.entity);
    assert!(matches!(sandbox_entity.get("/customers").await.status, 403 | 404));
}

async fn a_viewer_reads_and_never_writes(store: StoreKind) {
    let racun = Racun::start(store).await;
    let owner = Account::sign_up(&racun).await;
    let paths = marked(&owner).await;
    let before = seen(&owner, &paths).await;
    let viewer = owner.colleague(&racun.client(), "viewer@example.com", "viewer").await;
    for path in &paths {
        assert!(viewer.get(path).await.text.contains(MARK), "a viewer may read {path}");
        let change = viewer.json("PATCH", path, "{}").await;
        change.refused(403, "forbidden");
        assert_eq!(change.cause(), "insufficient_role");
    }
    let invoice = json!({ "items": [{ "name": "A", "price": 1 }] });
    for (path, body) in [
        ("/invoices", invoice.clone()),
        ("/invoices/custom", invoice.clone()),
        ("/customers", json!({ "name": "A" })),
        ("/items", json!({ "name": "A", "price": 1 })),
        ("/taxes", json!({ "tax_rates": [{ "rate": 1 }] })),
        ("/entities/api-keys", json!({ "name": "A" })),
        ("/entities/users", json!({ "email": "b@example.com" })),
    ] {
        viewer.post(path, &body).await.refused(403, "forbidden");
    }
    for invoice in paths.iter().filter(|path| path.starts_with("/invoices")) {
        viewer.post(&format!("{invoice}/void"), &json!({})).await.refused(403, "forbidden");
        let document = format!("/documents/{}", id(invoice));
        viewer.post(&format!("{document}/finalize"), &json!({})).await.refused(403, "forbidden");
        viewer.delete(&document).await.refused(403, "forbidden");
    }
    viewer.post("/documents/calculate?type=invoice", &invoice).await.expect(200);
    assert_eq!(seen(&owner, &paths).await, before);
}
