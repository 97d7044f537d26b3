//! What documents are to one another, and the financial categories of their lines.

use serde_json::{Value, json};

use crate::documents::{KINDS, sale, with};
use crate::harness::{Api, Who, text};

/// Makes a document of the kind called `name`, linked to `targets`.
async fn make(api: &Api, who: &Who, name: &str, targets: &[&Value]) -> Value {
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
    let ids: Vec<&Value> = targets.iter().map(|target| &target["id"]).collect();
    let body =
        if ids.is_empty() { sale(kind) } else { with(sale(kind), "linked_documents", json!(ids)) };
    api.post(kind.path, who, body).await.with(201).json()
}

async fn read(api: &Api, who: &Who, document: &Value) -> Value {
    let id = text(&document["id"]);
    let kind = KINDS.iter().find(|kind| id.starts_with(&kind.schema.to_lowercase()[..3]));
    api.get(&format!("{}/{id}", kind.unwrap().path), who).await.with(200).json()
}

#[actix_web::test]
async fn both_sides_of_a_link_name_it() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (source, target, name, inverse) in [
        ("invoice", "estimate", "converted_from", "converted_to"),
        ("credit_note", "invoice", "credit_for", "has_credit"),
        ("invoice", "delivery_note", "fulfills", "fulfilled_by"),
        ("delivery_note", "invoice", "delivered_for", "has_delivery"),
        ("invoice", "invoice", "references", "references"),
    ] {
        let to = make(&api, &owner, target, &[]).await;
        let from = make(&api, &owner, source, &[&to]).await;
        let link = &from["document_relations"][0];
        assert!(text(&link["id"]).starts_with("rel_"), "{link}");
        assert!(link["created_at"].is_string(), "{link}");
        let ends = ["source_id", "source_type", "target_id", "target_type"];
        let expected = [&from["id"], &json!(source), &to["id"], &json!(target)];
        assert_eq!(ends.map(|end| &link[end]), expected, "{link}");
        assert_eq!(link["relation_type"], name);
        let mut related = json!({"id": to["id"], "type": target, "number": to["number"]});
        if target == "estimate" {
            related["title_type"] = json!("estimate");
        }
        assert_eq!(link["related_document"], related);
        assert_eq!(read(&api, &owner, &from).await["document_relations"], json!([link]));

        let seen = read(&api, &owner, &to).await["document_relations"][0].clone();
        assert_eq!((&seen["id"], seen["relation_type"].as_str()), (&link["id"], Some(inverse)));
        assert_eq!(ends.map(|end| &seen[end]), ends.map(|end| &link[end]));
        let related = json!({"id": from["id"], "type": source, "number": from["number"]});
        assert_eq!(seen["related_document"], related);
    }
}

#[actix_web::test]
async fn links_come_with_single_documents_and_with_lists_that_include_them() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let estimate = make(&api, &owner, "estimate", &[]).await;
    let note = make(&api, &owner, "delivery_note", &[]).await;
    let alone = make(&api, &owner, "invoice", &[]).await;
    let linked = make(&api, &owner, "invoice", &[&estimate, &note]).await;
    let links = linked["document_relations"].clone();
    let types: Vec<&Value> =
        links.as_array().unwrap().iter().map(|link| &link["relation_type"]).collect();
    assert_eq!(types, ["converted_from", "fulfills"]);

    let path = format!("/invoices/{}", text(&linked["id"]));
    let changed = api.patch(&path, &owner, json!({"note": "x"})).await.with(200).json();
    assert_eq!(changed["document_relations"], links);
    let included = "/invoices?order_by=number&include=document_relations";
    let rows = api.get(included, &owner).await.with(200).json()["data"].clone();
    assert_eq!((&rows[0]["id"], &rows[0]["document_relations"]), (&alone["id"], &json!([])));
    assert_eq!((&rows[1]["id"], &rows[1]["document_relations"]), (&linked["id"], &links));
    let rows = api.get("/invoices?order_by=number", &owner).await.with(200).json()["data"].clone();
    assert_eq!(rows[1]["document_relations"], json!([]));

    let unlinked = api.patch(&path, &owner, json!({"linked_documents": []})).await.with(200);
    assert_eq!(unlinked.json()["document_relations"], json!([]));
    assert_eq!(read(&api, &owner, &estimate).await["document_relations"], json!([]));
    let relinked = json!({"linked_documents": [estimate["id"]]});
    let relinked = api.patch(&path, &owner, relinked).await.with(200).json();
    assert_eq!(relinked["document_relations"][0]["target_id"], estimate["id"]);
    let void = api.post(&format!("{path}/void"), &owner, json!({})).await.with(200).json();
    assert_eq!(void["document_relations"], relinked["document_relations"]);
}

#[actix_web::test]
async fn only_links_can_be_included() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let made = make(&api, &owner, "invoice", &[]).await;
    let one = format!("/invoices/{}", text(&made["id"]));
    for path in ["/invoices", "/delivery-notes", &one] {
        for (include, status) in [
            ("document_relations", 200),
            ("document_relations,", 200),
            ("document_relations, document_relations", 200),
            ("", 200),
            ("payments", 422),
            ("document_relations,payments", 422),
            ("Document_Relations", 422),
        ] {
            let include = include.replace(' ', "%20");
            let answer = api.get(&format!("{path}?include={include}"), &owner).await;
            let answer = answer.with(status);
            if status == 422 {
                assert_eq!(answer.issue().0, "[\"include\"]", "{include}");
            }
        }
    }
}

#[actix_web::test]
async fn documents_that_cannot_be_linked_are_named() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let other = api.owner("other@example.com").await;
    let theirs = make(&api, &other, "estimate", &[]).await;
    for id in [text(&theirs["id"]), "est_1".to_owned(), String::new()] {
        let body = with(sale(&KINDS[0]), "linked_documents", json!([id]));
        let refused = api.post("/invoices", &owner, body).await.with(422);
        assert_eq!(
            refused.issue(),
            ("[\"linked_documents\",0]".to_owned(), "not_found".to_owned())
        );
    }
    let body = with(sale(&KINDS[0]), "linked_documents", json!([1]));
    let refused = api.post("/invoices", &owner, body).await.with(422);
    assert_eq!(refused.issue().0, "[\"linked_documents\",0]");
    assert_eq!(api.get("/invoices", &owner).await.json()["data"], json!([]));
}

#[actix_web::test]
async fn lines_of_any_kind_change_their_category_even_when_issued() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let category = json!({"name": "Consulting"});
    let category = api.post("/financial-categories", &owner, category).await.with(201).json();
    for kind in &KINDS {
        let made = make(&api, &owner, kind.name, &[]).await;
        let path = format!("/documents/items/{}/financial-category", text(&made["items"][0]["id"]));
        for id in [&category["id"], &Value::Null] {
            let line = api.patch(&path, &owner, json!({"financial_category_id": id})).await;
            let line = line.with(200).json();
            assert_eq!(&line["financial_category_id"], id);
            assert_eq!(read(&api, &owner, &made).await["items"][0], line);
        }
    }
    let missing = json!({"financial_category_id": "fcat_1"});
    let line = make(&api, &owner, "invoice", &[]).await["items"][0]["id"].clone();
    let path = format!("/documents/items/{}/financial-category", text(&line));
    let refused = api.patch(&path, &owner, missing.clone()).await.with(422);
    let expected = ("[\"financial_category_id\"]".to_owned(), "not_found".to_owned());
    assert_eq!(refused.issue(), expected);
    for unknown in ["inv_item_1", "inv_1", "x"] {
        let path = format!("/documents/items/{unknown}/financial-category");
        api.patch(&path, &owner, missing.clone()).await.with(404);
    }
    let other = api.owner("other@example.com").await;
    api.patch(&path, &other, json!({})).await.with(404);
}

#[actix_web::test]
async fn lines_are_categorized_all_or_none() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let category = json!({"name": "Consulting"});
    let category = api.post("/financial-categories", &owner, category).await.with(201).json();
    let invoice = make(&api, &owner, "invoice", &[]).await;
    let estimate = make(&api, &owner, "estimate", &[]).await;
    let assignment = |document: &Value| {
        let (id, category) = (&document["items"][0]["id"], &category["id"]);
        json!({"id": id, "financial_category_id": category})
    };
    let path = "/documents/items/financial-categories";
    let wrong = json!([assignment(&invoice), {"id": "inv_item_1"}]);
    let refused = api.patch(path, &owner, json!({"assignments": wrong})).await.with(422);
    let expected = ("[\"assignments\",1,\"id\"]".to_owned(), "not_found".to_owned());
    assert_eq!(refused.issue(), expected);
    let id = read(&api, &owner, &invoice).await["items"][0]["financial_category_id"].clone();
    assert_eq!(id, Value::Null);
    for count in [0, 101] {
        let too = vec![assignment(&invoice); count];
        let refused = api.patch(path, &owner, json!({"assignments": too})).await.with(422);
        assert_eq!(refused.issue().0, "[\"assignments\"]");
    }
    let both = json!([assignment(&estimate), assignment(&invoice)]);
    let lines = api.patch(path, &owner, json!({"assignments": both})).await.with(200).json();
    assert!(lines["data"][0]["estimate_id"].is_string(), "{lines}");
    assert_eq!(lines["data"][1]["invoice_id"], invoice["id"]);
    for document in [&estimate, &invoice] {
        let line = read(&api, &owner, document).await["items"][0].clone();
        assert_eq!(line["financial_category_id"], category["id"]);
    }
}

#[actix_web::test]
async fn a_restored_draft_has_no_links_and_can_be_linked_again() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let estimate = make(&api, &owner, "estimate", &[]).await;
    let kind = KINDS.iter().find(|kind| kind.name == "invoice").unwrap();
    let links = json!([estimate["id"]]);
    let draft = with(with(sale(kind), "linked_documents", links.clone()), "is_draft", json!(true));
    let draft = api.post(kind.path, &owner, draft).await.with(201).json();
    assert_eq!(draft["document_relations"][0]["relation_type"], "converted_from");
    let path = format!("/documents/{}", text(&draft["id"]));
    api.delete(&path, &owner).await.with(204);
    let restored = api.post(&format!("{path}/restore"), &owner, json!({})).await.with(200).json();
    assert_eq!(restored["document_relations"], json!([]));
    assert_eq!(read(&api, &owner, &estimate).await["document_relations"], json!([]));
    let path = format!("/invoices/{}", text(&draft["id"]));
    let linked = api.patch(&path, &owner, json!({"linked_documents": links})).await.with(200);
    assert_eq!(linked.json()["document_relations"][0]["relation_type"], "converted_from");
}
