//! Money of linked documents as it is answered: what is refused, why, and what an invoice shows of
//! its advances.

use serde_json::{Value, json};

use crate::books::{Books, refuses};
use crate::harness::{Answer, Who, text};

impl Books {
    async fn credit(&self, document: &Value, amount: i64) -> Answer {
        let body = json!({
            "items": [{"name": "Lot", "price": amount, "taxes": []}],
            "linked_documents": [document["id"]],
        });
        self.api.post("/credit-notes", &self.owner, body).await
    }

    async fn void(&self, path: &str, document: &Value) -> Answer {
        let path = format!("{path}/{}/void", text(&document["id"]));
        self.api.post(&path, &self.owner, json!({})).await
    }
}

#[actix_web::test]
async fn an_advance_is_given_out_once() {
    let books = Books::open().await;
    let advance = books.advance("100").await;
    let credit = books.credit(&advance, 60).await.with(201).json();
    books.pay(&credit, "60").await;
    let refused = books.credit(&advance, 41).await.with(422);
    let expected = ("[\"linked_documents\"]".to_owned(), "credit_exceeds_remaining".to_owned());
    assert_eq!(refused.issue(), expected);
    let linked = json!({"linked_documents": [advance["id"]]});
    let invoice = books.made("/invoices", "100", linked).await;
    books.has(&invoice, "40", "60").await;
    let expected = ("[\"linked_documents\",0]".to_owned(), "linked_document_invalid".to_owned());
    assert_eq!(books.credit(&advance, 1).await.with(422).issue(), expected);
    let none = json!({
        "items": [{"name": "Lot", "price": 1, "taxes": []}], "linked_documents": [advance["id"]],
    });
    let refused = books.api.post("/invoices", &books.owner, none).await.with(422);
    assert_eq!(refused.issue(), expected);
}

#[actix_web::test]
async fn an_invoice_and_its_credit_notes_stay_together() {
    let books = Books::open().await;
    let invoice = books.invoice("100").await;
    let credit = books.credit(&invoice, 60).await.with(201).json();
    let path = format!("/invoices/{}", text(&invoice["id"]));
    let one = json!({"items": [{"name": "Lot", "price": 1, "taxes": []}]});
    let refused = books.api.patch(&path, &books.owner, one).await.with(422);
    let expected = ("[\"items\"]".to_owned(), "credit_exceeds_remaining".to_owned());
    assert_eq!(refused.issue(), expected);
    assert!(refused.text.contains("credit notes give back 60 of the document"), "{}", refused.text);
    let refused = books.void("/invoices", &invoice).await;
    let cause = refuses(refused, "document_credited");
    assert!(cause.is_object(), "{cause}");
    books.void("/credit-notes", &credit).await.with(200);
    books.void("/invoices", &invoice).await.with(200);
}

#[actix_web::test]
async fn a_voided_invoice_gives_its_credit_back() {
    let books = Books::open().await;
    let (invoice, credit) = (books.invoice("100").await, books.credit_note("100").await);
    let settlement = books.settle(&invoice, &credit, 100).await.with(201).json();
    refuses(books.void("/credit-notes", &credit).await, "document_settled");
    books.void("/invoices", &invoice).await.with(200);
    books.has(&credit, "0", "100").await;
    let path = format!("/payments/{}", text(&settlement["id"]));
    books.api.get(&path, &books.owner).await.with(404);
    books.pay(&credit, "100").await;
    books.has(&credit, "100", "0").await;
}

#[actix_web::test]
async fn an_invoice_shows_base_and_tax_of_its_advances() {
    let books = Books::open().await;
    let tax = json!([{"rate": 22}]);
    let taxed = |price: i64, more: Value| {
        let mut body = json!({"items": [{"name": "Lot", "price": price, "taxes": tax}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let (api, owner) = (&books.api, &books.owner);
    let advance = taxed(100, json!({"payments": [{"type": "cash"}], "date": "2026-11-02"}));
    let advance = api.post("/advance-invoices", owner, advance).await.with(201).json();
    assert_eq!(advance.get("advances_applied"), None);
    let more = json!({"linked_documents": [advance["id"]]});
    let invoice = api.post("/invoices", owner, taxed(264, more)).await.with(201).json();
    let whole = json!([{
        "document_id": advance["id"], "number": advance["number"],
        "date": "2026-11-02T00:00:00.000Z", "amount": 122, "total": 100,
        "taxes": [{"rate": 22, "base": 100, "amount": 22, "reverse_charge": false}],
    }]);
    assert_eq!(invoice["advances_applied"], whole);
    let list = api.get("/invoices", owner).await.with(200).json();
    assert_eq!(list["data"][0]["advances_applied"], whole);

    // To pay more than is due is to pay again, which frees the advance; the refusal says so.
    let refused = books.try_pay(&invoice, "322.09").await.with(422).json();
    let message = text(&refused["message"]);
    let expected =
        "may come to 322.08 at most, more than the 200.08 that are due: money that is paid";
    assert!(message.contains(expected), "{message}");
    books.pay(&invoice, "261.08").await;
    let part = books.read(&invoice).await["advances_applied"].clone();
    let taxes = json!([{"rate": 22, "base": 50, "amount": 11, "reverse_charge": false}]);
    let figures = [&part[0]["amount"], &part[0]["total"], &part[0]["taxes"]];
    assert_eq!(figures, [&json!(61), &json!(50), &taxes]);

    let share = format!("/documents/{}/share", text(&invoice["id"]));
    let share = api.post(&share, owner, json!({})).await.with(200).json();
    let path = format!("/invoices/shareable/{}", text(&share["shareable_id"]));
    let seen = api.get(&path, &Who::anonymous()).await.with(200).json()["advances_applied"].clone();
    let mut shown = part[0].clone();
    shown.as_object_mut().unwrap().remove("document_id");
    assert_eq!(seen, json!([shown]), "without the id of the record");
    assert_eq!(books.invoice("1").await["advances_applied"], json!([]));
}
