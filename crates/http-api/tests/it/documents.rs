//! The five kinds of documents: what each takes, what each answers, and what becomes of it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};

/// A kind: its path, `type`, name in the description, prefix of ids, and its lines' property for
/// the id of their document.
pub struct Kind {
    pub path: &'static str,
    pub name: &'static str,
    pub schema: &'static str,
    prefix: &'static str,
    parent: &'static str,
}

pub const KINDS: [Kind; 5] = [
    Kind {
        path: "/invoices",
        name: "invoice",
        schema: "Invoice",
        prefix: "inv_",
        parent: "invoice_id",
    },
    Kind {
        path: "/estimates",
        name: "estimate",
        schema: "Estimate",
        prefix: "est_",
        parent: "estimate_id",
    },
    Kind {
        path: "/credit-notes",
        name: "credit_note",
        schema: "CreditNote",
        prefix: "cre_",
        parent: "credit_note_id",
    },
    Kind {
        path: "/advance-invoices",
        name: "advance_invoice",
        schema: "AdvanceInvoice",
        prefix: "adv_",
        parent: "advance_invoice_id",
    },
    Kind {
        path: "/delivery-notes",
        name: "delivery_note",
        schema: "DeliveryNote",
        prefix: "del_",
        parent: "delivery_note_id",
    },
];

/// Two hours at 40 and 22 %: 80.00 and 97.60. An advance invoice is issued only when it is paid, so
/// it is made with a payment of the whole.
pub fn sale(kind: &Kind) -> Value {
    let line = json!({"name": "Hour", "price": 40, "quantity": 2, "taxes": [{"rate": 22}]});
    let sale = json!({"customer": {"name": "Ana", "save_customer": false}, "items": [line]});
    match kind.name {
        "advance_invoice" => with(sale, "payments", json!([{"type": "bank_transfer"}])),
        _ => sale,
    }
}

pub fn with(mut body: Value, property: &str, value: Value) -> Value {
    body[property] = value;
    body
}

/// The document's own path.
fn one(kind: &Kind, document: &Value) -> String {
    format!("{}/{}", kind.path, text(&document["id"]))
}

fn names(object: &Value) -> BTreeSet<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

#[actix_web::test]
async fn every_kind_is_made_read_changed_and_voided() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for kind in &KINDS {
        let made = api.post(kind.path, &owner, sale(kind)).await.with(201).json();
        assert!(text(&made["id"]).starts_with(kind.prefix), "{made}");
        assert!(text(&made["number"]).ends_with("2026-00001"), "{made}");
        assert_eq!((&made["is_draft"], &made["document_relations"]), (&json!(false), &json!([])));
        assert_eq!(made["items"][0][kind.parent], made["id"]);
        let path = one(kind, &made);
        assert_eq!(api.get(&path, &owner).await.with(200).json(), made);
        let listed = api.get(kind.path, &owner).await.with(200).json();
        assert_eq!(listed["data"], json!([made]));

        let change = json!({"note": "Thank you", "change_reason": "politeness"});
        let changed = api.patch(&path, &owner, change).await.with(200).json();
        assert_eq!(changed["note"], "Thank you");
        let versions = api.get(&format!("{path}/versions"), &owner).await.with(200).json();
        assert_eq!(versions["versions"][0]["changed_fields"], json!(["note"]), "{versions}");
        assert_eq!(versions["versions"][0]["change_reason"], "politeness");

        let void = api.post(&format!("{path}/void"), &owner, json!({"reason": "mistake"})).await;
        if kind.name == "estimate" {
            void.with(404);
            continue;
        }
        assert!(void.with(200).json()["voided_at"].is_string());
        let again = api.post(&format!("{path}/void"), &owner, json!({})).await.with(422);
        assert_eq!(again.json()["cause"]["code"], "document_voided", "{path}");
    }
}

/// A deleted draft is found, restored as it was, and is no stranger's to restore.
async fn restores(api: &Api, owner: &Who, kind: &Kind, draft: &Value) {
    let trash = api.get(&format!("{}?deleted=true", kind.path), owner).await.with(200).json();
    assert_eq!(trash["data"][0]["id"], draft["id"], "{trash}");
    let path = format!("/documents/{}/restore", text(&draft["id"]));
    let stranger = api.owner(&format!("{}@example.com", kind.name)).await;
    api.post(&path, &stranger, json!({})).await.with(404);
    let restored = api.post(&path, owner, json!({})).await.with(200).json();
    assert_eq!(&restored, draft);
    assert_eq!(api.get(&one(kind, draft), owner).await.with(200).json(), restored);
    let again = api.post(&path, owner, json!({})).await.with(422).json();
    assert_eq!(again["cause"]["code"], "not_in_trash");
}

#[actix_web::test]
async fn every_kind_is_drafted_calculated_finalized_deleted_and_restored() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for kind in &KINDS {
        let calculate = format!("/documents/calculate?type={}", kind.name);
        let calculated = api.post(&calculate, &owner, sale(kind)).await.with(200).json();
        assert!(calculated["items"][0][kind.parent].is_string(), "{calculated}");

        let draft = with(sale(kind), "is_draft", json!(true));
        let draft = api.post(kind.path, &owner, draft).await.with(201).json();
        assert!(text(&draft["number"]).starts_with("draft-"), "{draft}");
        assert_eq!(draft["total_with_tax"], calculated["total_with_tax"]);
        let finalize = format!("/documents/{}/finalize", text(&draft["id"]));
        let issued = api.post(&finalize, &owner, json!({})).await.with(200).json();
        assert!(text(&issued["number"]).ends_with("2026-00001"), "{issued}");
        assert_eq!(names(&issued), names(&draft), "finalizing answers the same shape");
        assert_eq!(issued, api.get(&one(kind, &draft), &owner).await.with(200).json());
        let again = api.post(&finalize, &owner, json!({})).await.with(422).json();
        assert_eq!(again["cause"]["code"], "document_not_draft");

        let mut draft = with(sale(kind), "is_draft", json!(true));
        draft.as_object_mut().unwrap().remove("payments");
        let draft = api.post(kind.path, &owner, draft).await.with(201).json();
        let delete = format!("/documents/{}", text(&draft["id"]));
        let other = if kind.name == "invoice" { "estimate" } else { "invoice" };
        api.delete(&format!("{delete}?type={other}"), &owner).await.with(404);
        api.delete(&format!("{delete}?type={}", kind.name), &owner).await.with(204);
        api.get(&one(kind, &draft), &owner).await.with(404);
        restores(&api, &owner, kind, &draft).await;
        let issued = format!("/documents/{}", text(&issued["id"]));
        let refused = api.delete(&issued, &owner).await.with(422).json();
        assert_eq!(refused["cause"]["code"], "document_not_draft");
    }
}

#[actix_web::test]
async fn every_kind_keeps_given_totals() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for kind in &KINDS {
        let line = json!({"name": "Lot", "price": 9, "total": 10, "total_with_tax": 10});
        let mut totals = json!({"items": [line], "total": 10, "total_with_tax": 10});
        if let Some(payments) = sale(kind).get("payments") {
            totals["payments"] = payments.clone();
        }
        let path = format!("{}/custom", kind.path);
        let made = api.post(&path, &owner, totals.clone()).await.with(201).json();
        assert_eq!(made["creation_source"], "custom");
        assert_eq!((&made["total"], &made["total_with_tax"]), (&json!(10), &json!(10)));
        for missing in ["total", "total_with_tax"] {
            let mut body = totals.clone();
            body.as_object_mut().unwrap().remove(missing);
            let refused = api.post(&path, &owner, body).await.with(422);
            assert_eq!(refused.issue(), (format!("[\"{missing}\"]"), "required".to_owned()));
        }
    }
}

#[actix_web::test]
async fn a_document_is_found_under_its_own_kind_only() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for kind in &KINDS {
        let made = api.post(kind.path, &owner, sale(kind)).await.with(201).json();
        for other in KINDS.iter().filter(|other| other.path != kind.path) {
            let path = one(other, &made);
            api.get(&path, &owner).await.with(404);
            api.get(&format!("{path}/versions"), &owner).await.with(404);
            api.patch(&path, &owner, json!({"note": "x"})).await.with(404);
            api.post(&format!("{path}/void"), &owner, json!({})).await.with(404);
        }
        for reply in ["accept", "reject"].into_iter().filter(|_| kind.name != "estimate") {
            let path = format!("/estimates/{}/{reply}", text(&made["id"]));
            api.post(&path, &owner, json!({})).await.with(404);
        }
    }
}

/// A property that not every kind takes: a value for it, and the kinds that take it.
const OWN: [(&str, &str, &[&str]); 7] = [
    ("payments", "[]", &["invoice", "credit_note", "advance_invoice"]),
    ("date_valid_till", "\"2026-12-31\"", &["estimate"]),
    ("title_type", "\"proforma_invoice\"", &["estimate"]),
    ("hide_prices", "true", &["delivery_note"]),
    ("payment_terms", "\"8 days\"", &["invoice", "estimate", "credit_note", "delivery_note"]),
    ("linked_documents", "[]", &["invoice", "credit_note", "advance_invoice", "delivery_note"]),
    ("force_linked_documents", "false", &["invoice"]),
];

/// A property that not every operation takes: a value for it, and the operations that take it.
const TIMELY: [(&str, &str, &[&str]); 8] = [
    ("is_draft", "true", &["create", "custom"]),
    ("calculation_mode", "\"b2b_standard\"", &["create", "custom"]),
    ("category_assignments", "[]", &["create", "custom"]),
    ("expected_total_with_tax", "null", &["create"]),
    ("total", "0", &["custom"]),
    ("total_discount", "0", &["custom"]),
    ("taxes", "[]", &["custom"]),
    ("change_reason", "\"because\"", &["update"]),
];

#[actix_web::test]
async fn a_property_that_a_kind_or_an_operation_lacks_is_refused_by_its_path() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for kind in &KINDS {
        let draft = with(sale(kind), "is_draft", json!(true));
        let draft = api.post(kind.path, &owner, draft).await.with(201).json();
        let line = json!({"name": "Lot", "price": 0, "total": 0, "total_with_tax": 0});
        let custom = json!({"items": [line], "total": 0, "total_with_tax": 0});
        let free = json!({"items": [{"name": "Lot", "price": 0}]});
        for operation in ["create", "custom", "update"] {
            let own = OWN.map(|(name, value, of)| (name, value, of.contains(&kind.name)));
            let timely = TIMELY.map(|(name, value, of)| (name, value, of.contains(&operation)));
            for (property, value, is_taken) in own.into_iter().chain(timely) {
                let is_taken = is_taken && (property, operation) != ("payments", "update");
                let value = serde_json::from_str(value).unwrap();
                let answer = match operation {
                    "create" => {
                        api.post(kind.path, &owner, with(free.clone(), property, value)).await
                    }
                    "custom" => {
                        let body = with(custom.clone(), property, value);
                        api.post(&format!("{}/custom", kind.path), &owner, body).await
                    }
                    _ => api.patch(&one(kind, &draft), &owner, json!({property: value})).await,
                };
                let place = format!("{property} to {operation} {}: {answer:?}", kind.name);
                if is_taken {
                    assert!(answer.status < 300, "{place}");
                } else {
                    assert_eq!(answer.status, 422, "{place}");
                    let expected = (format!("[\"{property}\"]"), "unknown_field".to_owned());
                    assert_eq!(answer.issue(), expected, "{place}");
                    let message = text(&answer.json()["cause"]["issues"][0]["message"]);
                    assert!(!message.contains(&format!("`{property}`")), "{message}");
                }
            }
        }
    }
}

#[actix_web::test]
async fn null_does_not_hide_a_property_that_a_kind_lacks() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = with(sale(&KINDS[0]), "hide_prices", Value::Null);
    let refused = api.post("/invoices", &owner, body).await.with(422);
    assert_eq!(refused.issue(), ("[\"hide_prices\"]".to_owned(), "unknown_field".to_owned()));
    let twice = "{\"note\":\"a\",\"note\":\"b\",\"items\":[]}";
    let refused = api.post_text("/estimates", &owner, twice).await.with(422);
    assert_eq!(refused.issue(), ("[\"note\"]".to_owned(), "duplicate_field".to_owned()));
}

#[actix_web::test]
async fn an_answer_holds_exactly_what_the_description_says_of_its_kind() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let description = api.get("/openapi.json", &Who::anonymous()).await.with(200).json();
    let schemas = &description["components"]["schemas"];
    for kind in &KINDS {
        let made = api.post(kind.path, &owner, sale(kind)).await.with(201).json();
        for (name, value) in
            [(kind.schema.to_owned(), &made), (format!("{}Item", kind.schema), &made["items"][0])]
        {
            let schema = &schemas[&name];
            assert_eq!(names(value), names(&schema["properties"]), "{name}");
            let required = schema["required"].as_array().unwrap().len();
            assert_eq!(required, names(value).len(), "{name}");
        }
        for (prefix, lacks) in [("Create", "change_reason"), ("CreateCustom", "change_reason")] {
            let schema = &schemas[format!("{prefix}{}", kind.schema)];
            assert_eq!(schema["additionalProperties"], false, "{schema}");
            assert!(names(&schema["properties"]).contains("items"));
            assert!(!names(&schema["properties"]).contains(lacks));
        }
        for (property, _, of) in OWN {
            for prefix in ["Create", "CreateCustom", "Update"] {
                let schema = &schemas[format!("{prefix}{}", kind.schema)];
                let there = names(&schema["properties"]).contains(property);
                let taken = of.contains(&kind.name) && (property, prefix) != ("payments", "Update");
                assert_eq!(there, taken, "{prefix} {} {property}", kind.name);
            }
        }
    }
}

#[actix_web::test]
async fn each_kind_answers_what_is_its_own() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let money = ["total_paid", "total_due", "paid_in_full", "furs", "fina"];
    let exchange = ["xrechnung", "zugferd", "ujp"];
    let estimate = ["date_valid_till", "title_type", "accepted_at", "rejected_at"];
    let mut answers = Vec::new();
    for kind in &KINDS {
        answers.push(names(&api.post(kind.path, &owner, sale(kind)).await.with(201).json()));
    }
    let common = answers.iter().cloned().reduce(|all, one| &all & &one).unwrap();
    let own = |groups: &[&[&str]]| {
        groups.concat().into_iter().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let expected = [
        own(&[&money, &exchange, &["advances_applied", "pos_tabs"]]),
        own(&[&estimate]),
        own(&[&money, &exchange]),
        own(&[&money, &["zugferd"]]),
    ];
    for (answer, expected) in answers.iter().zip(expected) {
        assert_eq!(answer - &common, expected);
    }
    assert_eq!(&answers[4] - &common, own(&[&["hide_prices"]]));
}

#[actix_web::test]
async fn an_estimate_is_valid_for_the_days_of_the_entity() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let made = api.post("/estimates", &owner, sale(&KINDS[1])).await.with(201).json();
    assert_eq!(made["title_type"], "estimate");
    assert!(made["date_valid_till"].is_string(), "{made}");
    let change = json!({"title_type": "proforma_invoice", "date_valid_till": null});
    let path = one(&KINDS[1], &made);
    let changed = api.patch(&path, &owner, change).await.with(200).json();
    assert_eq!(changed["title_type"], "proforma_invoice");
    assert_eq!(changed["date_valid_till"], Value::Null);
    let early = json!({"date_valid_till": "2026-11-19"});
    let refused = api.patch(&path, &owner, early).await.with(422);
    assert_eq!(refused.issue().0, "[\"date_valid_till\"]");
    let unknown = json!({"title_type": "offer"});
    let refused = api.patch(&path, &owner, unknown).await.with(422);
    assert_eq!(refused.issue(), ("[\"title_type\"]".to_owned(), "invalid_value".to_owned()));
}

/// What is done to an estimate, one after the other, with the status and `cause.code` of the last.
const REPLIES: [(&[&str], u16, &str); 6] = [
    (&["accept"], 200, ""),
    (&["accept", "accept"], 200, ""),
    (&["accept", "reject"], 422, "estimate_accepted"),
    (&["reject"], 200, ""),
    (&["reject", "reject"], 200, ""),
    (&["reject", "accept"], 422, "estimate_rejected"),
];

#[actix_web::test]
async fn a_customer_accepts_or_rejects_an_estimate_once() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (replies, status, code) in REPLIES {
        let made = api.post("/estimates", &owner, sale(&KINDS[1])).await.with(201).json();
        assert_eq!((&made["accepted_at"], &made["rejected_at"]), (&Value::Null, &Value::Null));
        let reply = async |reply: &str| {
            let path = format!("{}/{reply}", one(&KINDS[1], &made));
            api.post(&path, &owner, json!({})).await
        };
        let (last, before) = replies.split_last().unwrap();
        for earlier in before {
            reply(earlier).await.with(200);
        }
        let answer = reply(last).await.with(status).json();
        if status == 200 {
            let accepted = *last == "accept";
            assert_eq!(answer["accepted_at"].is_string(), accepted, "{answer}");
            assert_eq!(answer["rejected_at"].is_string(), !accepted, "{answer}");
        }
        assert_eq!(answer["cause"]["code"].as_str().unwrap_or_default(), code, "{replies:?}");
    }
}

#[actix_web::test]
async fn an_estimate_that_is_a_draft_or_ran_out_is_not_accepted() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let reply = async |estimate: &Value, reply: &str| {
        let path = format!("{}/{reply}", one(&KINDS[1], estimate));
        let answer = api.post(&path, &owner, json!({})).await;
        let code = answer.json()["cause"]["code"].as_str().unwrap_or_default().to_owned();
        (answer.status, code)
    };
    let draft = with(sale(&KINDS[1]), "is_draft", json!(true));
    let draft = api.post("/estimates", &owner, draft).await.with(201).json();
    for of_draft in ["accept", "reject"] {
        assert_eq!(reply(&draft, of_draft).await, (422, "document_is_draft".to_owned()));
    }
    let short = with(sale(&KINDS[1]), "date_valid_till", json!("2026-11-20"));
    let short = api.post("/estimates", &owner, short).await.with(201).json();
    api.pass(24 * 60 * 60);
    assert_eq!(reply(&short, "accept").await, (422, "estimate_expired".to_owned()));
    assert_eq!(reply(&short, "reject").await, (200, String::new()));
}

#[actix_web::test]
async fn a_document_is_made_with_its_payments_or_not_at_all() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let invoice = |payments: Value| with(sale(&KINDS[0]), "payments", payments);
    let part = json!({"type": "cash", "amount": 7.6, "date": "2026-11-19", "tag": "till 1",
        "reference": "R", "note": "N", "metadata": {"a": "b"}});
    let made = api.post("/invoices", &owner, invoice(json!([part]))).await.with(201).json();
    let figures = ["total_paid", "total_due", "paid_in_full"].map(|name| made[name].to_string());
    assert_eq!(figures, ["7.6", "90", "false"]);
    let whole = json!([part, {"type": "card"}]);
    let made = api.post("/invoices", &owner, invoice(whole)).await.with(201).json();
    let figures = ["total_paid", "total_due", "paid_in_full"].map(|name| made[name].to_string());
    assert_eq!(figures, ["97.6", "0", "true"]);
    for (payments, path, code) in [
        (json!([{"amount": 1}]), "[\"payments\",0,\"type\"]", "required"),
        (json!([{"type": "gold"}]), "[\"payments\",0,\"type\"]", "invalid_value"),
        (json!([{"type": "cash", "id": 1}]), "[\"payments\",0,\"id\"]", "unknown_field"),
        (json!([{"type": "cash", "date": "x"}]), "[\"payments\",0,\"date\"]", "invalid_value"),
        (json!({"type": "cash"}), "[\"payments\"]", "invalid_type"),
    ] {
        let refused = api.post("/invoices", &owner, invoice(payments)).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()));
    }
    let much = json!([{"type": "cash", "amount": 98}]);
    let refused = api.post("/invoices", &owner, invoice(much)).await.with(422).json();
    let cause = &refused["cause"];
    assert_eq!(cause["code"], "payment_exceeds_total", "{refused}");
    let figures = ["total_with_tax", "total_paid", "amount", "maximum"];
    assert_eq!(figures.map(|name| cause[name].to_string()), ["97.6", "0", "98", "97.6"]);
    let unpaid = with(sale(&KINDS[3]), "payments", json!([]));
    let refused = api.post("/advance-invoices", &owner, unpaid).await.with(422).json();
    assert_eq!(refused["cause"]["code"], "advance_not_fully_paid");
    assert_eq!(api.get("/advance-invoices", &owner).await.json()["data"], json!([]));
    assert_eq!(api.get("/invoices", &owner).await.json()["pagination"]["total"], 2);
}
