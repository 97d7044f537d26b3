//! Tables, and the list of tabs that says when it changed.

use serde_json::json;

use crate::harness::{Answer, text};
use crate::shop::Shop;

#[actix_web::test]
async fn tables_are_made_listed_changed_and_deleted() {
    let shop = Shop::open().await;
    let body = json!({"label": "Terasa", "sort_order": 2, "metadata": {"k": "v"}});
    let made = shop.post("/pos/tables", body).await.with(201).json();
    let expected = json!({
        "id": made["id"], "entity_id": shop.owner.entity(), "label": "Terasa", "sort_order": 2,
        "is_active": true, "metadata": {"k": "v"}, "deleted_at": null,
        "created_at": "2026-11-20T08:00:00.000Z", "updated_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(made, expected);
    for (label, order) in [("B", 1), ("A", 1), ("Z", 0)] {
        let body = json!({"label": label, "sort_order": order});
        shop.post("/pos/tables", body).await.with(201);
    }
    let labels = |answer: Answer| -> Vec<String> {
        let rows = answer.with(200).json()["data"].as_array().unwrap().clone();
        rows.iter().map(|row| text(&row["label"])).collect()
    };
    assert_eq!(labels(shop.get("/pos/tables").await), ["Z", "A", "B", "Terasa"]);
    let path = format!("/pos/tables/{}", text(&made["id"]));
    let hidden = json!({"is_active": false, "label": "Vrt"});
    let changed = shop.api.patch(&path, &shop.owner, hidden).await.with(200).json();
    assert_eq!((&changed["label"], &changed["sort_order"]), (&json!("Vrt"), &json!(2)));
    assert_eq!(labels(shop.get("/pos/tables").await), ["Z", "A", "B"]);
    let all = shop.get("/pos/tables?include_inactive=true").await;
    assert_eq!(labels(all), ["Z", "A", "B", "Vrt"]);
    let refused = shop.post("/pos/tabs", json!({"table_id": made["id"]})).await.with(422);
    assert_eq!(refused.issue(), ("[\"table_id\"]".to_owned(), "table_inactive".to_owned()));
    assert_eq!(shop.api.delete(&path, &shop.owner).await.with(204).text, "");
    shop.api.delete(&path, &shop.owner).await.with(404);
    shop.api.patch(&path, &shop.owner, json!({"label": "x"})).await.with(404);
    let refused = shop.post("/pos/tabs", json!({"table_id": made["id"]})).await.with(422);
    assert_eq!(refused.issue().1, "not_found");
    assert_eq!(labels(shop.get("/pos/tables?include_inactive=true").await), ["Z", "A", "B"]);
}

#[actix_web::test]
async fn a_table_with_a_running_tab_is_not_deleted() {
    let shop = Shop::open().await;
    let (table, other) = (shop.table("1").await, shop.table("2").await);
    let path = format!("/pos/tables/{table}");
    let tab = shop.post("/pos/tabs", json!({"table_id": table})).await.with(201).json();
    let id = text(&tab["id"]);
    for claimed in [false, true] {
        if claimed {
            shop.claim(&id, "till-1").await.with(200);
        }
        let refused = shop.api.delete(&path, &shop.owner).await.with(409).json();
        let codes = (&refused["code"], &refused["cause"]["code"]);
        assert_eq!(codes, (&json!("conflict"), &json!("table_in_use")));
    }
    shop.on(&id, "release", json!({"device_id": "till-1"})).await.with(200);
    shop.patch(&id, json!({"expected_version": 3, "table_id": other})).await.with(200);
    shop.api.delete(&path, &shop.owner).await.with(204);
    shop.cancel(&id, "").await.with(200);
    shop.api.delete(&format!("/pos/tables/{other}"), &shop.owner).await.with(204);
}

#[actix_web::test]
async fn an_entity_has_at_most_200_tables() {
    let shop = Shop::open().await;
    let mut last = String::new();
    for n in 0..200 {
        last = shop.table(&n.to_string()).await;
    }
    let refused = shop.post("/pos/tables", json!({"label": "200"})).await.with(422).json();
    assert_eq!(refused["cause"]["code"], "too_many_tables");
    assert_eq!(shop.get("/pos/tables").await.json()["data"].as_array().unwrap().len(), 200);
    shop.api.delete(&format!("/pos/tables/{last}"), &shop.owner).await.with(204);
    shop.table("200").await;
}

#[actix_web::test]
async fn the_list_says_when_it_changed() {
    let shop = Shop::open().await;
    let read = |path: &'static str| shop.get(path);
    let empty = read("/pos/tabs").await.with(200);
    assert_eq!(empty.json(), json!({"data": [], "has_more": false}));
    let ids = [shop.tab().await, shop.tab().await, shop.tab().await];
    let list = read("/pos/tabs").await.with(200);
    let tag = list.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() == 34, "a strong tag: {tag}");
    assert_ne!(empty.header("etag"), tag);
    let listed = |answer: &Answer| -> Vec<String> {
        answer.json()["data"].as_array().unwrap().iter().map(|tab| text(&tab["id"])).collect()
    };
    assert_eq!(listed(&list), ids, "in the order in which they were opened");
    let weak = format!("W/{tag}");
    for seen in [&tag, &weak, "*", &format!("\"x\", {tag}"), &format!("{tag}, \"y\"")] {
        let unchanged = shop.seen("/pos/tabs", seen).await.with(304);
        assert_eq!((unchanged.text.as_str(), unchanged.header("etag")), ("", tag.as_str()));
    }
    for seen in ["\"x\"", empty.header("etag"), tag.trim_matches('"'), ""] {
        assert_eq!(shop.seen("/pos/tabs", seen).await.with(200).text, list.text, "{seen}");
    }
    let other = shop.seen("/pos/tabs?status=open", &tag).await.with(200);
    assert_ne!(other.header("etag"), tag, "another list, though of the same tabs");
    let same = shop.seen("/pos/tabs?status=issuing,open", &tag).await.with(304);
    assert_eq!(same.header("etag"), tag);

    shop.append(&ids[0], 1, "a").await.with(200);
    let changed = shop.seen("/pos/tabs", &tag).await.with(200);
    let tag = changed.header("etag").to_owned();
    shop.append(&ids[0], 1, "a").await.with(200);
    shop.seen("/pos/tabs", &tag).await.with(304);
    shop.claim(&ids[1], "till-1").await.with(200);
    shop.cancel(&ids[2], "").await.with(200);
    let left = shop.seen("/pos/tabs", &tag).await.with(200);
    assert_eq!(listed(&left), ids[..2]);
    assert_eq!(listed(&read("/pos/tabs?status=issuing").await.with(200)), ids[1..2]);
    assert_eq!(listed(&read("/pos/tabs?status=cancelled,issued").await.with(200)), ids[2..]);
    let all = read("/pos/tabs?status=open,issuing,issued,cancelled").await.with(200);
    assert_eq!(listed(&all), ids);
    for wrong in ["/pos/tabs?status=", "/pos/tabs?status=paid", "/pos/tabs?status=open,"] {
        let (path, code) = read(wrong).await.with(422).issue();
        assert_eq!((path.as_str(), code.as_str()), ("[\"status\"]", "invalid_value"), "{wrong}");
    }
}

#[actix_web::test]
async fn a_list_of_more_tabs_than_a_page_is_whole() {
    let shop = Shop::open().await;
    for _ in 0..120 {
        shop.tab().await;
    }
    let list = shop.get("/pos/tabs").await.with(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 120);
    assert!(list["pagination"].is_null());
}

#[actix_web::test]
async fn a_list_of_very_long_tabs_ends_and_says_so() {
    let shop = Shop::open().await;
    let line = |n: usize| {
        let long = "x".repeat(480);
        json!({"name": format!("{n} {long}"), "note": long, "quantity": 1, "unit_gross_price": 1})
    };
    let lines: Vec<_> = (0..380).map(line).collect();
    let mut ids = Vec::new();
    for _ in 0..12 {
        let id = shop.tab().await;
        shop.post(&format!("/pos/tabs/{id}/items"), json!({"items": lines})).await.with(200);
        ids.push(id);
    }
    let answer = shop.get("/pos/tabs").await.with(200);
    let list = answer.json();
    let listed = list["data"].as_array().unwrap().iter().map(|tab| text(&tab["id"]));
    let listed: Vec<String> = listed.collect();
    assert_eq!(list["has_more"], true);
    assert!(listed.len() > 4 && ids.ends_with(&listed), "the newest, oldest first: {listed:?}");
    // What is left out is still there by its id, and in lists of another state.
    shop.get(&format!("/pos/tabs/{}", ids[0])).await.with(200);
    shop.claim(&ids[0], "till-1").await.with(200);
    let claimed = shop.get("/pos/tabs?status=issuing").await.with(200).json();
    assert_eq!((&claimed["data"][0]["id"], &claimed["has_more"]), (&json!(ids[0]), &json!(false)));
}
