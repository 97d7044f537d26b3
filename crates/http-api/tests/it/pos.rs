//! Tabs: what they answer, and what refuses whom.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::harness::{Who, text};
use crate::shop::Shop;

#[actix_web::test]
async fn a_tab_answers_what_is_specified() {
    let shop = Shop::open().await;
    let table = shop.table("Terasa 1").await;
    let tab = shop.post("/pos/tabs", json!({"table_id": table})).await.with(201).json();
    let me = shop.get("/users/me").await.with(200).json()["id"].clone();
    let opened = json!({
        "id": tab["id"], "entity_id": shop.owner.entity(), "table_id": table, "status": "open",
        "items": [], "note": null, "customer_id": null, "opened_by_user_id": me,
        "updated_by_user_id": me, "claimed_by_device": null, "claimed_at": null,
        "invoice_id": null, "invoices": [], "invoice_difference": null, "shares": null,
        "totals": tab["totals"], "taxes": [], "version": 1, "opened_at": "2026-11-20T08:00:00.000Z",
        "issued_at": null, "metadata": {}, "deleted_at": null, "warnings": [],
        "created_at": "2026-11-20T08:00:00.000Z", "updated_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(tab, opened);
    assert_eq!(tab["totals"], json!({"net": 0, "tax": 0, "gross": 0, "discount": 0}));
    let id = text(&tab["id"]);
    assert!(id.starts_with("ptab_") && table.starts_with("ptbl_"), "{id} {table}");
    shop.api.pass(1);
    let tab = shop.append(&id, 2, "a").await.with(200).json();
    let line = json!({
        "line_id": tab["items"][0]["line_id"], "item_id": shop.item, "name": "Kava",
        "quantity": tab["items"][0]["quantity"],
        "unit_gross_price": tab["items"][0]["unit_gross_price"], "discount_percent": null,
        "tax_rates": null, "note": null, "added_by_user_id": me,
        "added_at": "2026-11-20T08:00:01.000Z",
    });
    assert_eq!(tab["items"], json!([line]));
    assert!(text(&line["line_id"]).starts_with("line_"));
    assert_eq!(line["quantity"].to_string(), "2");
    assert_eq!(line["unit_gross_price"].to_string(), "3.2");
    assert_eq!((&tab["version"], &tab["status"]), (&json!(2), &json!("open")));
    assert_eq!(shop.get(&format!("/pos/tabs/{id}")).await.with(200).json(), tab);
}

#[actix_web::test]
async fn a_tab_is_opened_paid_and_closed() {
    let shop = Shop::open().await;
    let none = shop.api.call(shop.owner.sign(TestRequest::post().uri("/pos/tabs"))).await;
    let id = text(&none.with(201).json()["id"]);
    shop.append(&id, 1, "a").await.with(200);
    shop.api.pass(10);
    let claimed = shop.claim(&id, "till-1").await.with(200).json();
    assert_eq!((&claimed["status"], &claimed["version"]), (&json!("issuing"), &json!(3)));
    assert_eq!(claimed["claimed_by_device"], "till-1");
    assert_eq!(claimed["claimed_at"], "2026-11-20T08:00:10.000Z");
    assert_eq!(shop.claim(&id, "till-1").await.with(200).json(), claimed);
    let released = shop.on(&id, "release", json!({"device_id": "till-1"})).await.with(200).json();
    assert_eq!((&released["status"], &released["version"]), (&json!("open"), &json!(4)));
    assert!(released["claimed_by_device"].is_null() && released["claimed_at"].is_null());
    let again = shop.on(&id, "release", json!({"device_id": "till-1"})).await.with(200).json();
    assert_eq!(again, released);
    shop.claim(&id, "till-2").await.with(200);
    let invoice = shop.invoice(false).await;
    let closed = shop.on(&id, "close", json!({"invoice_id": invoice})).await.with(200).json();
    assert_eq!((&closed["status"], &closed["version"]), (&json!("issued"), &json!(6)));
    assert_eq!(
        (&closed["invoice_id"], &closed["claimed_by_device"]),
        (&json!(invoice), &json!(null))
    );
    assert_eq!(closed["issued_at"], "2026-11-20T08:00:10.000Z");
    shop.api.pass(10);
    let again = shop.on(&id, "close", json!({"invoice_id": invoice})).await.with(200).json();
    assert_eq!(again, closed);
    let other = json!({"invoice_id": shop.invoice(false).await});
    shop.refuses(&id, shop.on(&id, "close", other).await, 409, "tab_issued_otherwise").await;
    shop.refuses(&id, shop.append(&id, 1, "b").await, 409, "tab_issued").await;
    assert_eq!(shop.append(&id, 1, "a").await.with(200).json(), closed);
}

#[actix_web::test]
async fn appends_merge_and_each_counts_once() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    shop.append(&id, 2, "a").await.with(200);
    let twice = shop.append(&id, 2, "a").await.with(200).json();
    assert_eq!((&twice["version"], &twice["items"][0]["quantity"]), (&json!(2), &json!(2)));
    let more = shop.append(&id, 3, "b").await.with(200).json();
    assert_eq!((&more["version"], &more["items"][0]["quantity"]), (&json!(3), &json!(5)));
    let apart = json!([
        {"item_id": shop.item, "note": "brez sladkorja"},
        {"item_id": shop.item, "discount_percent": 10, "tax_rates": [{"rate": 22}]},
    ]);
    let apart = shop.on(&id, "items", json!({"items": apart})).await.with(200).json();
    assert_eq!(apart["items"].as_array().unwrap().len(), 3);
    assert_eq!(apart["items"][1]["note"], "brez sladkorja");
    assert_eq!(apart["items"][2]["discount_percent"], 10);
    assert_eq!(apart["items"][2]["tax_rates"], json!([{"tax_id": null, "rate": 22}]));
    shop.claim(&id, "till-1").await.with(200);
    shop.refuses(&id, shop.append(&id, 1, "c").await, 409, "already_claimed").await;
    let claimed = shop.append(&id, 2, "a").await.with(200).json();
    assert_eq!(claimed["version"], 5, "an accepted append is answered under a claim too");
    let other = shop.tab().await;
    let own = shop.append(&other, 1, "a").await.with(200).json();
    assert_eq!(own["version"], 2, "a name counts within its tab");
}

#[actix_web::test]
async fn an_item_priced_net_is_ordered_with_its_tax() {
    let shop = Shop::open().await;
    let taxes = shop.get("/taxes?limit=100").await.with(200).json()["data"].clone();
    let rated = |tax: &&Value| tax["tax_rates"][0]["rate"] == json!(22);
    let tax = taxes.as_array().unwrap().iter().find(rated).unwrap()["id"].clone();
    let body = json!({"name": "Sok", "price": 10, "tax_ids": [tax]});
    let item = shop.post("/items", body).await.with(201).json();
    let id = shop.tab().await;
    let items = json!([
        {"item_id": item["id"]},
        {"item_id": item["id"], "name": "Dan", "unit_gross_price": 1.5,
         "tax_rates": [{"tax_id": tax, "rate": 22}]},
    ]);
    let tab = shop.on(&id, "items", json!({"items": items})).await.with(200).json();
    let lines = tab["items"].as_array().unwrap();
    assert_eq!((&lines[0]["name"], &lines[0]["unit_gross_price"]), (&json!("Sok"), &json!(12.2)));
    assert_eq!((&lines[1]["name"], &lines[1]["unit_gross_price"]), (&json!("Dan"), &json!(1.5)));
    assert_eq!(lines[1]["tax_rates"][0]["tax_id"], tax);
}

#[actix_web::test]
async fn a_replacement_needs_the_present_version() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    let tab = shop.append(&id, 2, "a").await.with(200).json();
    let (table, customer) = (shop.table("1").await, json!({"name": "Kupec"}));
    let customer = shop.post("/customers", customer).await.with(201).json()["id"].clone();
    let mut items = tab["items"].clone();
    items[0]["quantity"] = json!(7);
    let body = json!({
        "expected_version": 2, "items": items, "note": "Pri oknu", "table_id": table,
        "customer_id": customer, "metadata": {"k": "v"},
    });
    let after = shop.patch(&id, body.clone()).await.with(200).json();
    assert_eq!(after["version"], 3);
    let line = &after["items"][0];
    assert_eq!((&line["line_id"], &line["quantity"]), (&items[0]["line_id"], &json!(7)));
    assert_eq!((&after["note"], &after["table_id"]), (&json!("Pri oknu"), &json!(table)));
    assert_eq!((&after["customer_id"], &after["metadata"]), (&customer, &json!({"k": "v"})));
    shop.refuses(&id, shop.patch(&id, body.clone()).await, 409, "stale_version").await;
    let mut same = body;
    same["expected_version"] = json!(3);
    assert_eq!(shop.patch(&id, same).await.with(200).json(), after, "nothing changed");
    let cleared = json!({"expected_version": 3, "items": [], "note": null, "metadata": null});
    let cleared = shop.patch(&id, cleared).await.with(200).json();
    assert_eq!((&cleared["items"], &cleared["note"]), (&json!([]), &json!(null)));
    assert_eq!((&cleared["metadata"], &cleared["table_id"]), (&json!({}), &json!(table)));
    shop.claim(&id, "till-1").await.with(200);
    let late = json!({"expected_version": 5, "note": "x"});
    shop.refuses(&id, shop.patch(&id, late).await, 409, "already_claimed").await;
    for (body, path, code) in [
        (json!({"note": "x"}), "[\"expected_version\"]", "required"),
        (json!({"expected_version": "4"}), "[\"expected_version\"]", "invalid_type"),
    ] {
        assert_eq!(shop.patch(&id, body).await.with(422).issue(), (path.into(), code.into()));
    }
}

#[actix_web::test]
async fn a_claim_keeps_others_off_for_five_minutes() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    shop.append(&id, 1, "a").await.with(200);
    shop.claim(&id, "till-1").await.with(200);
    shop.api.pass(299);
    shop.refuses(&id, shop.claim(&id, "till-2").await, 409, "already_claimed").await;
    let release = json!({"device_id": "till-2"});
    let refused = shop.on(&id, "release", release.clone()).await;
    shop.refuses(&id, refused, 403, "not_claimant").await;
    shop.api.pass(1);
    let other = shop.tab().await;
    shop.claim(&other, "till-1").await.with(200);
    shop.api.pass(300);
    assert_eq!(shop.claim(&id, "till-2").await.with(200).json()["claimed_by_device"], "till-2");
    assert_eq!(shop.on(&other, "release", release).await.with(200).json()["status"], "open");
    shop.api.pass(300);
    let freed = shop.append(&id, 1, "b").await.with(200).json();
    assert_eq!((&freed["status"], &freed["claimed_by_device"]), (&json!("open"), &json!(null)));
}

#[actix_web::test]
async fn only_an_issued_invoice_closes_a_claimed_tab() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    let issued = shop.invoice(false).await;
    let refused = shop.on(&id, "close", json!({"invoice_id": issued})).await;
    shop.refuses(&id, refused, 409, "not_claimed").await;
    shop.claim(&id, "till-1").await.with(200);
    let (draft, voided) = (shop.invoice(true).await, shop.invoice(false).await);
    let reason = json!({"reason": "mistake"});
    shop.post(&format!("/invoices/{voided}/void"), reason).await.with(200);
    let elsewhere = shop.api.owner("other@example.com").await;
    let items = json!({"items": [{"name": "Kava", "gross_price": 3.2, "taxes": []}]});
    let foreign = shop.api.post("/invoices", &elsewhere, items).await.with(201).json();
    for (invoice, code) in [
        (draft.as_str(), "document_is_draft"),
        (&voided, "document_voided"),
        (&text(&foreign["id"]), "not_found"),
        ("inv_01jd0000000000000000000000", "not_found"),
        ("adv_01jd0000000000000000000000", "invalid_id"),
        ("1", "invalid_id"),
    ] {
        let refused = shop.on(&id, "close", json!({"invoice_id": invoice})).await.with(422);
        assert_eq!(refused.issue(), ("[\"invoice_id\"]".to_owned(), code.to_owned()), "{invoice}");
        let cause = &refused.json()["cause"]["code"];
        assert!(code == "invalid_id" || cause == code, "{cause}");
    }
    assert_eq!(shop.on(&id, "close", json!({})).await.with(422).issue().1, "required");
    shop.on(&id, "close", json!({"invoice_id": issued})).await.with(200);
}

#[actix_web::test]
async fn a_cancelled_tab_stays_cancelled() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    shop.append(&id, 1, "a").await.with(200);
    let stale = shop.cancel(&id, "?expected_version=1").await;
    shop.refuses(&id, stale, 409, "stale_version").await;
    let wrong = shop.cancel(&id, "?expected_version=x").await.with(422);
    assert_eq!(wrong.issue(), ("[\"expected_version\"]".to_owned(), "invalid_type".to_owned()));
    shop.api.pass(5);
    let tab = shop.cancel(&id, "?expected_version=2").await.with(200).json();
    assert_eq!((&tab["status"], &tab["version"]), (&json!("cancelled"), &json!(3)));
    assert_eq!(tab["deleted_at"], "2026-11-20T08:00:05.000Z");
    shop.refuses(&id, shop.cancel(&id, "").await, 409, "tab_cancelled").await;
    shop.refuses(&id, shop.claim(&id, "till-1").await, 409, "tab_cancelled").await;
    assert_eq!(shop.get(&format!("/pos/tabs/{id}")).await.with(200).json(), tab);
    let claimed = shop.tab().await;
    shop.claim(&claimed, "till-1").await.with(200);
    assert_eq!(shop.cancel(&claimed, "").await.with(200).json()["status"], "cancelled");
}

#[actix_web::test]
async fn mistakes_in_a_request_are_named() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    let item = shop.item.as_str();
    let line = |line: Value| json!({"items": [line]});
    for (body, path, code) in [
        (json!({}), "[\"items\"]", "required"),
        (json!({"items": []}), "[\"items\"]", "required"),
        (line(json!({})), "[\"items\",0,\"item_id\"]", "required"),
        (line(json!({"item_id": "item_1"})), "[\"items\",0,\"item_id\"]", "invalid_id"),
        (
            line(json!({"item_id": "item_01jd0000000000000000000000"})),
            "[\"items\",0,\"item_id\"]",
            "not_found",
        ),
        (
            line(json!({"item_id": item, "quantity": 0})),
            "[\"items\",0,\"quantity\"]",
            "out_of_range",
        ),
        (
            line(json!({"item_id": item, "quantity": "x"})),
            "[\"items\",0,\"quantity\"]",
            "invalid_type",
        ),
        (
            json!({"items": [{"item_id": item}], "append_id": ""}),
            "[\"append_id\"]",
            "invalid_length",
        ),
    ] {
        let refused = shop.on(&id, "items", body.clone()).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{body}");
    }
    for (act, body) in [("claim", json!({})), ("release", json!({"device_id": ""}))] {
        let (path, code) = shop.on(&id, act, body).await.with(422).issue();
        assert_eq!((path.as_str(), code.as_str()), ("[\"device_id\"]", "required"), "{act}");
    }
    let tab = shop.get(&format!("/pos/tabs/{id}")).await.with(200).json();
    assert_eq!((&tab["version"], &tab["status"]), (&json!(1), &json!("open")));
}

#[actix_web::test]
async fn tabs_and_tables_of_others_are_not_found() {
    let shop = Shop::open().await;
    let (table, id) = (shop.table("1").await, shop.tab().await);
    let stranger = shop.api.owner("stranger@example.com").await;
    let api = &shop.api;
    let tab = format!("/pos/tabs/{id}");
    api.get(&tab, &stranger).await.with(404);
    api.patch(&tab, &stranger, json!({"expected_version": 1, "note": "x"})).await.with(404);
    api.delete(&tab, &stranger).await.with(404);
    let device = json!({"device_id": "till-1"});
    for (act, body) in [
        ("items", json!({"items": [{"item_id": shop.item}]})),
        ("claim", device.clone()),
        ("release", device),
        ("close", json!({"invoice_id": shop.invoice(false).await})),
    ] {
        api.post(&format!("{tab}/{act}"), &stranger, body).await.with(404);
    }
    api.delete(&format!("/pos/tables/{table}"), &stranger).await.with(404);
    api.patch(&format!("/pos/tables/{table}"), &stranger, json!({"label": "x"})).await.with(404);
    let tabs = api.get("/pos/tabs", &stranger).await.with(200).json();
    assert_eq!(tabs, json!({"data": [], "has_more": false}));
    let tables = api.get("/pos/tables", &stranger).await.with(200).json();
    assert_eq!(tables, json!({"data": []}));
    let refused = api.post("/pos/tabs", &stranger, json!({"table_id": table})).await.with(422);
    assert_eq!(refused.issue(), ("[\"table_id\"]".to_owned(), "not_found".to_owned()));
    let own = api.post("/pos/tabs", &stranger, json!({})).await.with(201).json();
    let body = json!({"items": [{"item_id": shop.item}]});
    let path = format!("/pos/tabs/{}/items", text(&own["id"]));
    let refused = api.post(&path, &stranger, body).await.with(422);
    assert_eq!(refused.issue().1, "not_found");
    let viewer = api.member(&shop.owner, "viewer@example.com", "viewer").await;
    assert_eq!(api.get(&tab, &viewer).await.with(200).json()["version"], 1);
    api.post("/pos/tabs", &viewer, json!({})).await.with(403);
}

#[actix_web::test]
async fn programs_leave_no_user_on_tabs() {
    let shop = Shop::open().await;
    let key = shop.post("/entities/api-keys", json!({"name": "till"})).await.with(201).json();
    let key = Who::key(&text(&key["id"]));
    let tab = shop.api.post("/pos/tabs", &key, json!({})).await.with(201).json();
    assert!(tab["opened_by_user_id"].is_null() && tab["updated_by_user_id"].is_null());
    let mine = shop.append(&text(&tab["id"]), 1, "a").await.with(200).json();
    assert!(mine["opened_by_user_id"].is_null() && mine["updated_by_user_id"].is_string());
}
