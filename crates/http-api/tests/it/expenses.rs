//! Expenses: what they say, and what becomes of them.

use serde_json::{Value, json};

use crate::books::{Books, refuses};
use crate::harness::{Answer, text};
use crate::payment_lists::escaped;

/// Flour and milling: 2 × 10 at 22 %, and 1 × 12.20 with tax.
pub fn bill() -> Value {
    json!({
        "supplier": {"name": "Mlin", "country_code": "si"}, "date": "2026-11-02",
        "supplier_document_number": "M-77",
        "items": [
            {"name": "Flour", "price": 10, "quantity": 2, "taxes": [{"rate": 22}],
                "translations": {"name": {"en-US": "Meal"}}},
            {"type": "separator", "name": "Services"},
            {"name": "Milling", "gross_price": 12.20, "taxes": [{"rate": 22}]},
        ],
    })
}

pub fn with(mut body: Value, more: Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

impl Books {
    pub async fn bill(&self, more: Value) -> Value {
        self.post("/expenses", with(bill(), more)).await.with(201).json()
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(path, &self.owner, body).await
    }

    pub async fn act_on(&self, expense: &Value, act: &str) -> Answer {
        let path = format!("/expenses/{}", text(&expense["id"]));
        if act == "delete" {
            return self.api.delete(&path, &self.owner).await;
        }
        self.post(&format!("{path}/{act}"), json!({})).await
    }

    pub async fn patch(&self, expense: &Value, change: Value) -> Answer {
        let path = format!("/expenses/{}", text(&expense["id"]));
        self.api.patch(&path, &self.owner, change).await
    }
}

/// The digits of the totals before tax, with tax, and of discounts.
pub fn totals(expense: &Value) -> [String; 3] {
    ["total", "total_with_tax", "total_discount"].map(|total| expense[total].to_string())
}

#[actix_web::test]
async fn an_expense_answers_what_is_specified() {
    let books = Books::open().await;
    let more = json!({
        "type": "invoice", "date_received": "2026-11-05", "date_due": "2026-12-01",
        "date_service": "2026-11-01", "date_service_to": "2026-11-02T10:00:00Z",
        "transaction_type": "domestic", "reference": "R", "note": "N",
        "metadata": {"a.b": "c"},
    });
    let made = books.bill(more).await;
    let id = text(&made["id"]);
    assert!(id.starts_with("exp_"), "{made}");
    let tax = json!({
        "tax_id": null, "rate": 22, "base": 30, "amount": 6.6, "base_converted": null,
        "amount_converted": null, "reverse_charge": false, "is_deductible": null,
        "deductible_percentage": null,
    });
    let supplier = json!({
        "name": "Mlin", "email": null, "address": null, "address_2": null, "post_code": null,
        "city": null, "state": null, "country": null, "country_code": "SI", "tax_number": null,
        "company_number": null, "phone": null, "peppol_id": null, "is_tax_subject": null,
        "bank_accounts": null,
    });
    let expected = json!({
        "id": id, "entity_id": books.owner.entity(), "type": "invoice",
        "number": "EXP-2026-00001", "is_draft": false, "supplier_id": null,
        "supplier": supplier, "supplier_document_number": "M-77",
        "date": "2026-11-02T00:00:00.000Z", "date_received": "2026-11-05T00:00:00.000Z",
        "date_due": "2026-12-01T00:00:00.000Z", "date_service": "2026-11-01",
        "date_service_to": "2026-11-02", "currency_code": "EUR", "exchange_rate": null,
        "transaction_type": "domestic", "calculation_mode": "b2b_standard",
        "summary_classification": null, "reference": "R", "note": "N", "total": 30,
        "total_with_tax": 36.6, "total_discount": 0, "total_converted": null,
        "total_with_tax_converted": null, "rounding_correction": null, "taxes": [tax],
        "items": made["items"], "total_paid": 0, "total_due": 36.6, "paid_in_full": false,
        "metadata": {"a.b": "c"}, "voided_at": null, "deleted_at": null,
        "created_at": "2026-11-20T08:00:00.000Z", "updated_at": "2026-11-20T08:00:00.000Z",
        "warnings": made["warnings"],
    });
    assert_eq!(made, expected);
    let of_item = json!({
        "tax_id": null, "rate": 22, "classification": null, "reverse_charge": false,
        "amount": 4.4, "is_deductible": null, "deductible_percentage": null,
    });
    let item = json!({
        "id": made["items"][0]["id"], "expense_id": id, "item_id": null, "type": null,
        "name": "Flour", "description": null, "translations": {"name": {"en-US": "Meal"}},
        "classification": null, "quantity": 2,
        "unit": null, "price": 10, "gross_price": null, "discounts": [], "taxes": [of_item],
        "total": 20, "total_with_tax": 24.4, "total_tax": 4.4, "financial_category_id": null,
        "expense_recognition": null, "metadata": {},
    });
    assert_eq!(made["items"][0], item);
    assert_eq!(made["items"][1]["type"], "separator");
    assert_eq!(made["items"][2]["total"], 10);
    assert_eq!(books.read(&made).await, made);
}

#[actix_web::test]
async fn an_expense_goes_from_draft_to_void() {
    let books = Books::open().await;
    let draft = books.post("/expenses", json!({"is_draft": true})).await.with(201).json();
    let unknown = ["number", "supplier", "date", "total_with_tax", "total_due"];
    assert!(unknown.iter().all(|field| draft[field].is_null()), "{draft}");
    let refused = books.act_on(&draft, "finalize").await.with(422).json();
    let missing = refused["cause"]["issues"].as_array().unwrap();
    let missing: Vec<&Value> = missing.iter().map(|issue| &issue["path"][0]).collect();
    assert_eq!(missing, ["supplier", "date", "total_with_tax"]);
    refuses(books.try_pay(&draft, "1").await, "document_is_draft");
    refuses(books.act_on(&draft, "void").await, "document_is_draft");

    let filled = books.patch(&draft, bill()).await.with(200).json();
    assert_eq!((&filled["is_draft"], totals(&filled)[1].as_str()), (&json!(true), "36.6"));
    let issued = books.act_on(&draft, "finalize").await.with(200).json();
    assert_eq!(issued["number"], "EXP-2026-00001");
    refuses(books.act_on(&issued, "finalize").await, "document_not_draft");
    refuses(books.act_on(&issued, "delete").await, "document_not_draft");
    assert_eq!(books.bill(json!({})).await["number"], "EXP-2026-00002");
    let incomplete = json!({"supplier": null, "date": null});
    let refused = books.patch(&issued, incomplete).await.with(422);
    assert_eq!(refused.json()["cause"]["issues"].as_array().unwrap().len(), 2);

    let voided = books.act_on(&issued, "void").await.with(200).json();
    assert_eq!(voided["voided_at"], "2026-11-20T08:00:00.000Z");
    for act in ["void", "finalize"] {
        let code = if act == "void" { "document_voided" } else { "document_not_draft" };
        refuses(books.act_on(&issued, act).await, code);
    }
    refuses(books.patch(&issued, json!({"note": "x"})).await, "document_voided");
    refuses(books.try_pay(&issued, "1").await, "document_voided");

    let draft = books.post("/expenses", json!({"is_draft": true})).await.with(201).json();
    books.act_on(&draft, "delete").await.with(204);
    let path = format!("/expenses/{}", text(&draft["id"]));
    books.api.get(&path, &books.owner).await.with(404);
    books.patch(&draft, json!({"note": "x"})).await.with(404);
    for act in ["delete", "finalize", "void"] {
        books.act_on(&draft, act).await.with(404);
    }
    assert_eq!(books.bill(json!({})).await["number"], "EXP-2026-00003");
}

#[actix_web::test]
async fn expenses_are_numbered_as_settings_say() {
    let books = Books::open().await;
    let set = async |settings: Value| {
        let path = format!("/entities/{}", books.owner.entity());
        books.api.patch(&path, &books.owner, json!({"settings": settings})).await
    };
    let format = json!({"number_formats": {"expense": "P{yy}/{nnn}"}});
    set(format).await.with(200);
    set(json!({"number_sequence_starts": {"expense": 40}})).await.with(200);
    assert_eq!(books.bill(json!({})).await["number"], "P26/040");
    assert_eq!(books.bill(json!({"date": "2025-12-30"})).await["number"], "P25/040");
    assert_eq!(books.bill(json!({})).await["number"], "P26/041");
    let refused = set(json!({"number_sequence_starts": {"expense": 39}})).await;
    let path = json!(["settings", "number_sequence_starts", "expense"]);
    assert_eq!(refused.with(422).json()["cause"]["issues"][0]["path"], path);
    let refused = set(json!({"number_formats": {"expense": "P{yy}"}})).await.with(422).json();
    assert_eq!(refused["cause"]["issues"][0]["code"], "number_format_invalid");
    let refused = books.post("/expenses", json!({"date": "2026-11-02"})).await.with(422);
    assert_eq!(refused.issue().0, "[\"supplier\"]");
    assert_eq!(books.bill(json!({})).await["number"], "P26/042", "a refusal takes no number");
}

#[actix_web::test]
async fn the_supplier_is_frozen_and_saved_only_when_asked() {
    let books = Books::open().await;
    let suppliers = async || {
        let list = books.api.get("/suppliers?order_by=name", &books.owner).await.with(200).json();
        list["data"].as_array().unwrap().clone()
    };
    books.bill(json!({})).await;
    assert!(suppliers().await.is_empty());
    let saved = books.bill(json!({"save_supplier": true})).await;
    let record = suppliers().await.remove(0);
    assert_eq!((&record["id"], &record["name"]), (&saved["supplier_id"], &json!("Mlin")));

    let named =
        json!({"supplier_id": record["id"], "supplier": {"city": "Kranj", "country_code": null}});
    let named = books.bill(named).await;
    let frozen = &named["supplier"];
    let shown = [&frozen["name"], &frozen["city"], &frozen["country_code"]];
    assert_eq!(shown, [&json!("Mlin"), &json!("Kranj"), &Value::Null]);
    assert_eq!(suppliers().await[0]["city"], Value::Null);
    books.patch(&named, json!({"save_supplier": true})).await.with(200);
    assert_eq!(suppliers().await[0]["city"], "Kranj");
    let refresh = json!({"supplier": {"city": "Bled"}, "save_supplier": true});
    let refreshed = books.patch(&named, refresh).await.with(200).json();
    assert_eq!(refreshed["supplier"]["city"], "Bled");
    let record = suppliers().await.remove(0);
    assert_eq!((&record["city"], &record["country_code"]), (&json!("Bled"), &Value::Null));
    assert_eq!(books.read(&saved).await["supplier"]["city"], Value::Null);

    let accounts = json!([{"iban": "SI56 0000", "bic": "BAKOSI2X"}]);
    let made = books.bill(json!({"supplier": {"name": "A", "bank_accounts": accounts}})).await;
    assert_eq!(made["supplier"]["bank_accounts"][0]["iban"], "SI56 0000");
    let cleared = books.patch(&named, json!({"supplier_id": null})).await.with(422);
    assert_eq!(cleared.issue(), ("[\"supplier\"]".to_owned(), "required".to_owned()));
    let replaced = json!({"supplier_id": null, "supplier": {"name": "B"}});
    let replaced = books.patch(&named, replaced).await.with(200).json();
    assert_eq!(
        (&replaced["supplier_id"], &replaced["supplier"]["city"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(suppliers().await.len(), 1);
}

#[actix_web::test]
async fn an_expense_is_paid() {
    let books = Books::open().await;
    let payments = json!([{"type": "card"}, {"type": "cash", "amount": 6.6, "date": "2026-11-03"}]);
    let paid = books.bill(json!({"payments": payments})).await;
    assert_eq!((&paid["paid_in_full"], &paid["total_due"]), (&json!(true), &json!(0)));
    let list =
        books.api.get("/payments?order_by=amount", &books.owner).await.json()["data"].clone();
    assert_eq!([&list[0]["amount"], &list[1]["amount"]].map(ToString::to_string), ["6.6", "30"]);
    assert_eq!(list[1]["expense_id"], paid["id"]);
    let too_much = json!({"payments": [{"type": "cash", "amount": 37}]});
    refuses(books.post("/expenses", with(bill(), too_much)).await, "payment_exceeds_total");
    let wrong =
        json!({"payments": [{"type": "cash", "amount": 1}, {"type": "credit_note", "amount": 1}]});
    let refused = books.post("/expenses", with(bill(), wrong)).await.with(422);
    assert_eq!(refused.issue(), ("[\"payments\",1,\"type\"]".to_owned(), "reserved".to_owned()));
    let draft = json!({"is_draft": true, "payments": [{"type": "cash", "amount": 1}]});
    refuses(books.post("/expenses", with(bill(), draft)).await, "document_is_draft");

    let bill = books.bill(json!({})).await;
    assert_eq!(bill["number"], "EXP-2026-00002", "refused expenses take no number");
    let path = format!("/expenses/{}/payments", text(&bill["id"]));
    for kind in
        ["cash", "bank_transfer", "card", "check", "online_wallet", "coupon", "other", "advance"]
    {
        let body = json!({"amount": 1, "type": kind, "date": "2026-11-03"});
        let payment = books.post(&path, body).await.with(201).json();
        assert_eq!((&payment["type"], &payment["expense_id"]), (&json!(kind), &bill["id"]));
    }
    books.has(&bill, "8", "28.6").await;
    let refused = books.post(&path, json!({"amount": 1, "type": "credit_note"})).await.with(422);
    assert_eq!(refused.issue().0, "[\"type\"]");
    let refused = books.post(&path, json!({"type": "cash"})).await.with(422);
    assert_eq!(refused.issue(), ("[\"amount\"]".to_owned(), "required".to_owned()));
    let cheaper = json!({"items": [], "total_with_tax": 7});
    refuses(books.patch(&bill, cheaper).await, "payment_exceeds_total");
    let unknown = "/expenses/exp_01jd0000000000000000000000/payments";
    books.post(unknown, json!({"amount": 1, "type": "cash"})).await.with(404);
    books.act_on(&bill, "void").await.with(200);
    books.has(&bill, "8", "28.6").await;
}

/// Asserts that a bill with `more` is refused for what is at `path`, and that nothing is kept of
/// it.
async fn check_refused(books: &Books, more: Value, path: &str, code: &str) {
    let answer = books.post("/expenses", with(bill(), more.clone())).await.with(422);
    assert_eq!(answer.issue(), (path.to_owned(), code.to_owned()), "{more}");
    for list in ["/expenses", "/suppliers", "/items"] {
        assert_eq!(books.api.get(list, &books.owner).await.json()["data"], json!([]), "{more}");
    }
}

#[actix_web::test]
async fn mistakes_in_an_expense_are_named() {
    let books = Books::open().await;
    for (more, path, code) in [
        (json!({"type": "credit_note"}), "[\"type\"]", "invalid_value"),
        (json!({"supplier_id": "sup_1"}), "[\"supplier_id\"]", "not_found"),
        (
            json!({"supplier": {"name": "M", "country_code": "SVN"}}),
            "[\"supplier\",\"country_code\"]",
            "invalid_country_code",
        ),
        (
            json!({"supplier": {"name": "M", "email": "no"}, "save_supplier": true}),
            "[\"supplier\",\"email\"]",
            "invalid_email",
        ),
        (json!({"currency_code": "EURO"}), "[\"currency_code\"]", "invalid_currency"),
        (
            json!({"currency_code": "USD", "exchange_rate": {"rate": 0}}),
            "[\"exchange_rate\",\"rate\"]",
            "out_of_range",
        ),
        (json!({"transaction_type": "barter"}), "[\"transaction_type\"]", "invalid_value"),
        (json!({"date": "2026-02-30"}), "[\"date\"]", "invalid_value"),
        (json!({"date_due": "2026-11-01"}), "[\"date_due\"]", "date_before_document"),
        (
            json!({"date_service": "2026-11-02", "date_service_to": "2026-11-01"}),
            "[\"date_service_to\"]",
            "date_before_service",
        ),
        (json!({"metadata": {"a": "x".repeat(251)}}), "[\"metadata\",\"a\"]", "too_long"),
        (json!({"note": "x".repeat(10_001)}), "[\"note\"]", "too_long"),
    ] {
        check_refused(&books, more, path, code).await;
    }
}

#[actix_web::test]
async fn mistakes_in_items_and_totals_are_named() {
    let books = Books::open().await;
    let line = |more: Value| json!({"items": [with(json!({"name": "x", "price": 1}), more)]});
    let summary = |more: Value| with(json!({"items": [], "total_with_tax": 1}), more);
    let tax = json!({"base": 1, "amount": 0.001});
    let period = json!({"date_from": "2026-11-02", "date_to": "2026-11-01"});
    let part = json!({"rate": 22, "deductible_percentage": 101});
    for (more, path, code) in [
        (line(json!({"price": null})), "[\"items\",0,\"price\"]", "required"),
        (line(json!({"gross_price": 1})), "[\"items\",0,\"gross_price\"]", "conflicting"),
        (line(json!({"type": "separator"})), "[\"items\",0,\"price\"]", "not_allowed"),
        (line(json!({"item_id": "item_1"})), "[\"items\",0,\"item_id\"]", "not_found"),
        (
            line(json!({"financial_category_id": "fcat_1"})),
            "[\"items\",0,\"financial_category_id\"]",
            "not_found",
        ),
        (
            line(json!({"taxes": [{"tax_id": "tax_1"}]})),
            "[\"items\",0,\"taxes\",0,\"tax_id\"]",
            "not_found",
        ),
        (
            line(json!({"taxes": [part]})),
            "[\"items\",0,\"taxes\",0,\"deductible_percentage\"]",
            "out_of_range",
        ),
        (
            line(json!({"expense_recognition": period})),
            "[\"items\",0,\"expense_recognition\",\"date_to\"]",
            "invalid_period",
        ),
        (
            line(json!({"discounts": [{"value": 101}]})),
            "[\"items\",0,\"discounts\"]",
            "discount_exceeds_line_total",
        ),
        (summary(json!({"total_with_tax": 1.001})), "[\"total_with_tax\"]", "too_many_decimals"),
        (summary(json!({"taxes": [tax]})), "[\"taxes\",0,\"amount\"]", "too_many_decimals"),
        (summary(json!({"taxes": [{"base": 1}]})), "[\"taxes\",0,\"amount\"]", "required"),
        (
            summary(json!({"taxes": [{"base": 1, "amount": 0, "tax_id": "x"}]})),
            "[\"taxes\",0,\"tax_id\"]",
            "invalid_id",
        ),
        (
            summary(json!({"summary_classification": "advance"})),
            "[\"summary_classification\"]",
            "invalid_value",
        ),
    ] {
        check_refused(&books, more, path, code).await;
    }
}

#[actix_web::test]
async fn expenses_are_listed_by_what_they_are() {
    let books = Books::open().await;
    let draft = books.post("/expenses", json!({"is_draft": true, "note": "a"})).await.json();
    books.bill(json!({"note": "b", "supplier": {"name": "Pekarna Žito"}})).await;
    books.bill(json!({"note": "c", "payments": [{"type": "cash"}]})).await;
    books.bill(json!({"note": "d", "payments": [{"type": "cash", "amount": 1}]})).await;
    let voided = books.bill(json!({"note": "e", "date": "2026-10-01"})).await;
    books.act_on(&voided, "void").await.with(200);
    let listed = async |query: &str| {
        let (name, value) = query.split_once('=').unwrap_or(("limit", "10"));
        let path = format!("/expenses?order_by=note&{name}={}", escaped(value));
        let list = books.api.get(&path, &books.owner).await.with(200).json();
        let rows = list["data"].as_array().unwrap().iter();
        rows.map(|row| text(&row["note"])).collect::<String>()
    };
    for (query, expected) in [
        ("", "abcde"),
        (r#"query={"is_draft":true,"voided_at":null}"#, "a"),
        (r#"query={"is_draft":false,"paid_in_full":false,"total_paid":0,"voided_at":null}"#, "b"),
        (r#"query={"paid_in_full":true}"#, "c"),
        (r#"query={"voided_at":{"not":null}}"#, "e"),
        (r#"query={"total_due":{"gt":35,"lt":36}}"#, "d"),
        (r#"query={"date":{"lt":"2026-11-01"}}"#, "e"),
        (r#"query={"supplier.name":{"contains":"žito"}}"#, "b"),
        (r#"query={"number":{"endsWith":"3"}}"#, "d"),
        ("search=m-77", "bcde"),
        ("search=ŽITO", "b"),
        ("deleted=true", ""),
    ] {
        assert_eq!(listed(query).await, expected, "{query}");
    }
    books.act_on(&draft, "delete").await.with(204);
    assert_eq!((listed("").await, listed("deleted=true").await), ("bcde".into(), "a".into()));
}
