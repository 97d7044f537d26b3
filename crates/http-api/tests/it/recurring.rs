//! Recurring invoices, and the clock that makes theirs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};

const PATH: &str = "/recurring-invoices";

/// One hour at 40 and 22 %.
async fn invoice(api: &Api, who: &Who) -> String {
    let line = json!({"name": "Hour", "price": 40, "taxes": [{"rate": 22}]});
    let body = json!({"customer": {"name": "Ana", "save_customer": false}, "items": [line]});
    text(&api.post("/invoices", who, body).await.with(201).json()["id"])
}

fn monthly(template: &str, start: &str) -> Value {
    json!({
        "document_id": template,
        "name": "Rent",
        "frequency": "monthly",
        "day_of_month": 1,
        "start_date": start,
    })
}

#[actix_web::test]
async fn a_new_one_answers_its_first_run_and_its_defaults() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let template = invoice(&api, &owner).await;
    let made = api.post(PATH, &owner, monthly(&template, "2025-02-01")).await.with(201).json();
    assert!(text(&made["id"]).starts_with("rinv_"), "{made}");
    let expected = json!({
        "id": made["id"],
        "entity_id": owner.entity(),
        "document_id": template,
        "name": "Rent",
        "frequency": "monthly",
        "interval": 1,
        "day_of_week": null,
        "day_of_month": 1,
        "month_of_year": null,
        "start_date": "2025-02-01",
        "end_date": null,
        "next_run_date": "2025-02-01",
        "last_run_date": null,
        "status": "active",
        "auto_send": false,
        "create_as_draft": false,
        "send_to": null,
        "payment_terms_days": null,
        "notify_owner": true,
        "invoices_generated": 0,
        "last_generated_invoice_id": null,
        "last_error": null,
        "last_error_at": null,
        "metadata": {},
        "deleted_at": null,
        "created_at": "2026-11-20T08:00:00.000Z",
        "updated_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(made, expected);
    let path = format!("{PATH}/{}", text(&made["id"]));
    assert_eq!(api.get(&path, &owner).await.with(200).json(), made);
    assert_eq!(api.get(PATH, &owner).await.with(200).json()["data"], json!([made]));
}

#[actix_web::test]
async fn it_is_changed_paused_resumed_trashed_restored_and_erased() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let template = invoice(&api, &owner).await;
    let made = api.post(PATH, &owner, monthly(&template, "2026-12-01")).await.with(201).json();
    let path = format!("{PATH}/{}", text(&made["id"]));
    let command = |name: &str| format!("{path}/{name}");
    let refused = async |name: &str, code: &str| {
        let answer = api.post(&command(name), &owner, json!({})).await.with(422).json();
        assert_eq!(answer["cause"]["code"], code, "{name}");
    };

    let other = invoice(&api, &owner).await;
    let change = json!({"document_id": other, "end_date": "2027-12-31", "interval": 2});
    let changed = api.patch(&path, &owner, change).await.with(200).json();
    assert_eq!((&changed["interval"], &changed["document_id"]), (&json!(2), &json!(template)));
    let open = api.patch(&path, &owner, json!({"end_date": null})).await.with(200).json();
    assert_eq!(open["end_date"], Value::Null);

    refused("resume", "recurring_not_paused").await;
    let paused = api.post(&command("pause"), &owner, json!({})).await.with(200).json();
    assert_eq!(paused["status"], "paused");
    refused("pause", "recurring_not_active").await;
    let query = format!("{PATH}?query=%7B%22status%22%3A%22paused%22%7D");
    assert_eq!(api.get(&query, &owner).await.with(200).json()["pagination"]["total"], 1);
    let resumed = api.post(&command("resume"), &owner, json!({})).await.with(200).json();
    assert_eq!(resumed["next_run_date"], "2026-12-01");

    refused("restore", "not_in_trash").await;
    let erased = api.delete(&command("permanent"), &owner).await.with(422).json();
    assert_eq!(erased["cause"]["code"], "not_in_trash");
    api.delete(&path, &owner).await.with(204);
    refused("pause", "in_trash").await;
    let trash = format!("{PATH}?deleted=true");
    assert_eq!(api.get(&trash, &owner).await.with(200).json()["pagination"]["total"], 1);
    let restored = api.post(&command("restore"), &owner, json!({})).await.with(200).json();
    assert_eq!((&restored["status"], &restored["deleted_at"]), (&json!("active"), &Value::Null));
    api.delete(&path, &owner).await.with(204);
    api.delete(&command("permanent"), &owner).await.with(204);
    api.get(&path, &owner).await.with(404);
}

#[actix_web::test]
async fn mistakes_are_named_and_nothing_is_made() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let stranger = api.owner("stranger@example.com").await;
    let (template, foreign) = (invoice(&api, &owner).await, invoice(&api, &stranger).await);
    for (property, value, code) in [
        ("document_id", json!(null), "required"),
        ("document_id", json!("cus_01jd0000000000000000000000"), "invalid_value"),
        ("document_id", json!(foreign), "not_found"),
        ("name", json!(" "), "required"),
        ("frequency", json!("hourly"), "invalid_value"),
        ("interval", json!(0), "out_of_range"),
        ("day_of_month", json!(32), "out_of_range"),
        ("start_date", json!("2026-12-01T00:00:00Z"), "invalid_value"),
        ("end_date", json!("2026-11-30"), "end_before_start"),
        ("send_to", json!("ana"), "invalid_email"),
        ("payment_terms_days", json!(-1), "out_of_range"),
        ("metadata", json!({"note": "x".repeat(251)}), "too_long"),
    ] {
        let mut body = monthly(&template, "2026-12-01");
        body[property] = value.clone();
        let (path, found) = api.post(PATH, &owner, body).await.with(422).issue();
        assert!(path.starts_with(&format!("[\"{property}\"")), "{property} {value}: {path}");
        assert_eq!(found, code, "{property} {value}");
    }
    assert_eq!(api.get(PATH, &owner).await.with(200).json()["data"], json!([]));
}

#[actix_web::test]
async fn a_year_of_twenty_schedules_passes_in_one_request() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let template = invoice(&api, &owner).await;
    for _ in 0..20 {
        api.post(PATH, &owner, monthly(&template, "2026-12-01")).await.with(201);
    }
    let to = json!({"advance_to": "2027-11-20T08:00:00+00:00"});
    let moved = api.post("/sandbox/clock", &owner, to.clone()).await.with(200).json();
    let expected = json!({
        "now": "2027-11-20T08:00:00.000Z",
        "invoices_generated": 240,
        "generations_failed": 0,
    });
    assert_eq!(moved, expected);
    let clock = api.get("/sandbox/clock", &owner).await.with(200).json();
    assert_eq!(clock, json!({"now": "2027-11-20T08:00:00.000Z"}));
    let again = api.post("/sandbox/clock", &owner, to).await.with(200).json();
    assert_eq!(again["invoices_generated"], 0);

    let mut by_date: BTreeMap<String, usize> = BTreeMap::new();
    for page in 0..3 {
        let (from, to) = [
            ("2026-12-01", "2027-03-31"),
            ("2027-04-01", "2027-07-31"),
            ("2027-08-01", "2027-11-30"),
        ][page];
        let query = format!(
            "/invoices?limit=100&query=%7B%22creation_source%22%3A%22recurring%22%2C\
             %22date%22%3A%7B%22between%22%3A%5B%22{from}%22%2C%22{to}%22%5D%7D%7D"
        );
        for made in api.get(&query, &owner).await.with(200).json()["data"].as_array().unwrap() {
            assert_eq!(made["total_with_tax"], json!(48.8));
            assert_eq!((&made["is_draft"], &made["total_paid"]), (&json!(false), &json!(0)));
            *by_date.entry(text(&made["date"])).or_default() += 1;
        }
    }
    assert_eq!(by_date.len(), 12, "{by_date:?}");
    assert!(by_date.values().all(|count| *count == 20), "{by_date:?}");
    let list = api.get(&format!("{PATH}?limit=100"), &owner).await.with(200).json();
    for recurring in list["data"].as_array().unwrap() {
        assert_eq!(recurring["invoices_generated"], 12);
        assert_eq!(recurring["next_run_date"], "2027-12-01");
    }
}

#[actix_web::test]
async fn the_clock_goes_forward_for_the_sandbox_and_is_not_there_for_live() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    api.verify("owner@example.com").await;
    let key = async |path: &str, body: Value| {
        Who::key(&text(&api.post(path, &owner, body).await.with(201).json()["id"]))
    };
    let live = key("/account/api-keys", json!({"name": "l", "environment": "live"})).await;
    let sandbox = key("/account/api-keys", json!({"name": "s", "environment": "sandbox"})).await;
    let of_entity = key("/entities/api-keys", json!({"name": "e"})).await;
    let to = |instant: &str| json!({"advance_to": instant});

    assert_eq!(
        api.get("/sandbox/clock", &sandbox).await.with(200).json()["now"],
        "2026-11-20T08:00:00.000Z"
    );
    let soon = "2026-11-21T08:00:00Z";
    api.get("/sandbox/clock", &live).await.with(404);
    api.post("/sandbox/clock", &live, to(soon)).await.with(404);
    api.post("/sandbox/clock", &of_entity, to(soon)).await.with(403);
    api.post("/sandbox/clock", &sandbox, to(soon)).await.with(200);
    for (instant, code) in [
        ("2026-11-21T07:59:59Z", "not_forward"),
        ("2028-11-22T08:00:00Z", "too_far"),
        ("2027-01-01", "invalid_date_time"),
    ] {
        let refused = api.post("/sandbox/clock", &sandbox, to(instant)).await.with(422).issue();
        assert_eq!(refused, (r#"["advance_to"]"#.to_owned(), code.to_owned()));
    }
    let (path, code) = api.post("/sandbox/clock", &owner, json!({})).await.with(422).issue();
    assert_eq!((path.as_str(), code.as_str()), (r#"["advance_to"]"#, "required"));
    // Another account's clock stands where it stood.
    let stranger = api.owner("stranger@example.com").await;
    let other = api.get("/sandbox/clock", &stranger).await.with(200).json();
    assert_eq!(other["now"], "2026-11-20T08:00:00.000Z");
}
