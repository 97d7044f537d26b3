//! Lists of payments, and what payments name answered with them.

use serde_json::{Value, json};

use crate::books::Books;
use crate::harness::text;

/// A query string's value: what is not plain is escaped.
pub fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let escape = |byte: u8| {
        if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(escape).collect()
}

impl Books {
    async fn list(&self, query: &str) -> Value {
        self.api.get(&format!("/payments?{query}"), &self.owner).await.with(200).json()
    }

    /// The references of the payments that a `query` lists, in its order.
    async fn listed(&self, query: &str) -> String {
        let list = self.list(query).await;
        let rows = list["data"].as_array().unwrap().iter();
        rows.map(|row| text(&row["reference"])).collect::<Vec<_>>().join(" ")
    }

    /// Payments `a` to `e` on three documents, a second apart.
    async fn with_payments(self) -> (Self, [Value; 3]) {
        let documents =
            [self.invoice("100").await, self.credit_note("100").await, self.expense("100").await];
        for (reference, document, amount, kind, date, note, metadata) in [
            ("a", 0, "10.00", "cash", "2026-11-01", "Žarnice", json!({"till": "1"})),
            ("b", 0, "9.5", "card", "2026-11-02", "100%_off", json!({"till": "2"})),
            ("c", 1, "10", "cash", "2026-11-02", "", json!({})),
            ("d", 2, "20", "bank_transfer", "2026-11-03", "luč", json!({"a.b": "till"})),
            ("e", 2, "1", "cash", "2026-10-31", "LUČI", json!({})),
        ] {
            self.api.pass(1);
            let amount: Value = serde_json::from_str(amount).unwrap();
            let body = json!({
                "document_id": documents[document]["id"], "amount": amount, "type": kind,
                "date": date, "reference": reference, "note": note, "metadata": metadata,
            });
            self.api.post("/payments", &self.owner, body).await.with(201);
        }
        (self, documents)
    }
}

#[actix_web::test]
async fn every_specified_field_is_filtered() {
    let (books, [invoice, credit_note, expense]) = Books::open().await.with_payments().await;
    let first = books.list("order_by=created_at&limit=1").await["data"][0].clone();
    for (filter, expected) in [
        (json!({"id": first["id"]}), "a"),
        (json!({"invoice_id": invoice["id"]}), "a b"),
        (json!({"invoice_id": null}), "c d e"),
        (json!({"invoice_id": {"not": null}}), "a b"),
        (json!({"credit_note_id": {"equals": credit_note["id"]}}), "c"),
        (json!({"advance_invoice_id": {"not": null}}), ""),
        (json!({"expense_id": {"in": [expense["id"]]}}), "d e"),
        (json!({"applied_to_expense_id": null}), "a b c d e"),
        (json!({"amount": 10}), "a c"),
        (json!({"amount": {"gt": 9.5, "lt": 20}}), "a c"),
        (json!({"amount": {"gte": 9.5, "lte": 10}}), "a b c"),
        (json!({"amount": {"between": [1, 9.5]}}), "b e"),
        (json!({"amount": {"notIn": [10, 20]}}), "b e"),
        (json!({"type": "card"}), "b"),
        (json!({"type": {"in": ["card", "bank_transfer"]}}), "b d"),
        (json!({"date": "2026-11-02"}), "b c"),
        (json!({"date": {"between": ["2026-11-01", "2026-11-02"]}}), "a b c"),
        (json!({"date": {"lt": "2026-11-01"}}), "e"),
        (json!({"reference": {"in": ["a", "e"]}}), "a e"),
        (json!({"note": {"contains": "luČ"}}), "d e"),
        (json!({"note": {"startsWith": "Ž"}}), "a"),
        (json!({"note": {"endsWith": "off"}}), "b"),
        (json!({"note": {"contains": "%_"}}), "b"),
        (json!({"metadata": {"till": "2"}}), "b"),
        (json!({"metadata": {"a.b": {"contains": "IL"}}}), "d"),
        (json!({"created_at": {"gt": "2026-11-20T08:00:03Z"}}), "d e"),
        (json!({"updated_at": {"lte": "2026-11-20T08:00:02Z"}}), "a b"),
        (json!({"type": "cash", "amount": {"gte": 10}, "invoice_id": null}), "c"),
    ] {
        let query = format!("order_by=created_at&query={}", escaped(&filter.to_string()));
        assert_eq!(books.listed(&query).await, expected, "{filter}");
        let total = expected.split_whitespace().count();
        assert_eq!(books.list(&query).await["pagination"]["total"], json!(total), "{filter}");
    }
}

#[actix_web::test]
async fn lists_are_ordered_searched_and_walked_both_ways() {
    let (books, _) = Books::open().await.with_payments().await;
    for (query, expected) in [
        ("", "e d c b a"),
        ("order_by=date&order_by=-amount", "e a c b d"),
        ("order_by=-type&order_by=date", "e a c b d"),
        ("order_by=-amount&order_by=-created_at", "d c a b e"),
        ("search=lu%C4%8D&order_by=reference", "d e"),
        ("search=%C5%BDAR", "a"),
        ("search=%25_", "b"),
    ] {
        assert_eq!(books.listed(query).await, expected, "{query}");
    }
    let order = "order_by=date&order_by=-amount&limit=2";
    let mut seen = Vec::new();
    let mut page = books.list(order).await;
    assert_eq!(page["pagination"]["prev_cursor"], Value::Null);
    loop {
        seen.push(page["data"].clone());
        let Some(cursor) = page["pagination"]["next_cursor"].as_str() else { break };
        page = books.list(&format!("{order}&next_cursor={}", escaped(cursor))).await;
    }
    assert_eq!(seen.iter().map(|rows| rows.as_array().unwrap().len()).sum::<usize>(), 5);
    while let Some(cursor) = page["pagination"]["prev_cursor"].as_str() {
        seen.pop();
        page = books.list(&format!("{order}&prev_cursor={}", escaped(cursor))).await;
        assert_eq!(Some(&page["data"]), seen.last());
    }
    assert_eq!(seen.len(), 1);
    let uncounted = books.list("include_total_count=false").await;
    assert_eq!(uncounted["pagination"]["total"], -1);
}

#[actix_web::test]
async fn unknown_list_parameters_are_named() {
    let books = Books::open().await;
    for (query, parameter) in [
        ("order_by=allocation_of", "order_by"),
        ("query=%7B%22allocation_of%22:null%7D", "query"),
        ("query=%7B%22nothing%22:1%7D", "query"),
        ("query=%7B", "query"),
        ("limit=101", "limit"),
        ("next_cursor=x", "next_cursor"),
        ("deleted=maybe", "deleted"),
        ("include=invoice", "include"),
        ("include=Invoice,Payments", "include"),
        ("include=Invoice&include=Expense", "include"),
    ] {
        let path = format!("/payments?{query}");
        let answer = books.api.get(&path, &books.owner).await.with(422);
        let path = &answer.json()["cause"]["issues"][0]["path"][0];
        assert_eq!(path, parameter, "{query}");
    }
}

#[actix_web::test]
async fn related_records_of_a_payment_are_included_on_request() {
    let books = Books::open().await;
    let customer = json!({"customer": {"name": "Ana", "save_customer": false}});
    let invoice = books.made("/invoices", "100", customer).await;
    let (credit, expense) = (books.credit_note("5").await, books.expense("9").await);
    let settlement = books.settle(&invoice, &credit, 5).await.with(201).json();
    let outgoing = books.pay(&expense, "9").await;
    let shown = json!({
        "id": invoice["id"], "number": "2026-00001", "date": "2026-11-20T00:00:00.000Z",
        "currency_code": "EUR", "total_with_tax": 100, "total_paid": 5, "total_due": 95,
        "paid_in_full": false, "customer": {"name": "Ana"},
    });
    let path = format!("/payments/{}", text(&settlement["id"]));
    let one = books.api.get(&format!("{path}?include=Invoice,Expense"), &books.owner).await;
    let one = one.with(200).json();
    assert_eq!((&one["Invoice"], &one["Expense"]), (&shown, &Value::Null));
    let names = |row: &Value| -> Vec<String> {
        let names = row.as_object().unwrap().keys();
        names.filter(|name| name.starts_with(char::is_uppercase)).cloned().collect()
    };
    assert_eq!(names(&one), ["Expense", "Invoice"]);
    assert_eq!(names(&books.api.get(&path, &books.owner).await.json()), [""; 0]);

    let all = "include=Invoice,CreditNote,%20AdvanceInvoice,Expense,AppliedToExpense&order_by=type";
    let rows = books.list(all).await["data"].clone();
    assert_eq!((&rows[0]["id"], &rows[1]["id"]), (&outgoing["id"], &settlement["id"]));
    assert!(rows.as_array().unwrap().iter().all(|row| names(row).len() == 5), "{rows}");
    assert_eq!(rows[1]["Invoice"], shown);
    assert_eq!(rows[1]["CreditNote"]["id"], credit["id"]);
    assert_eq!(rows[1]["CreditNote"]["total_due"], json!(0));
    assert_eq!(rows[1]["AdvanceInvoice"], Value::Null);
    assert_eq!(rows[0]["Invoice"], Value::Null);
    assert_eq!(rows[0]["AppliedToExpense"], Value::Null);
    let expected = json!({
        "id": expense["id"], "number": "EXP-2026-00001", "supplier_document_number": null,
        "date": "2026-11-02T00:00:00.000Z", "currency_code": "EUR", "total_with_tax": 9,
        "total_paid": 9, "total_due": 0, "paid_in_full": true, "supplier": {"name": "Mlin"},
    });
    assert_eq!(rows[0]["Expense"], expected);
}
