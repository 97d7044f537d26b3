//! The documents, expenses and payments of one entity.

use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};

/// The books of one entity: documents without tax, so that figures are easy to follow.
pub struct Books {
    pub api: Api,
    pub owner: Who,
}

impl Books {
    pub async fn open() -> Self {
        Self::of(Api::new().await).await
    }

    pub async fn of(api: Api) -> Self {
        let owner = api.owner("owner@example.com").await;
        Self { api, owner }
    }

    /// A document at `path` of one untaxed line, with what `more` says.
    pub async fn made(&self, path: &str, total: &str, more: Value) -> Value {
        let price: Value = serde_json::from_str(total).unwrap();
        let mut body = json!({"items": [{"name": "Lot", "price": price, "taxes": []}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.api.post(path, &self.owner, body).await.with(201).json()
    }

    pub async fn invoice(&self, total: &str) -> Value {
        self.made("/invoices", total, json!({})).await
    }

    pub async fn credit_note(&self, total: &str) -> Value {
        self.made("/credit-notes", total, json!({})).await
    }

    /// An advance invoice that is issued, hence paid.
    pub async fn advance(&self, total: &str) -> Value {
        self.made("/advance-invoices", total, json!({"payments": [{"type": "cash"}]})).await
    }

    pub async fn expense(&self, total: &str) -> Value {
        let more = json!({"supplier": {"name": "Mlin"}, "date": "2026-11-02"});
        self.made("/expenses", total, more).await
    }

    /// What is asked for to pay `amount` on `document`.
    pub async fn try_pay(&self, document: &Value, amount: &str) -> Answer {
        let id = text(&document["id"]);
        let body = format!(r#"{{"document_id":"{id}","amount":{amount},"type":"cash"}}"#);
        self.api.post_text("/payments", &self.owner, &body).await
    }

    pub async fn pay(&self, document: &Value, amount: &str) -> Value {
        self.try_pay(document, amount).await.with(201).json()
    }

    /// Settles `amount` of `invoice` by `credit_note`.
    pub async fn settle(&self, invoice: &Value, credit_note: &Value, amount: i64) -> Answer {
        let body = json!({
            "invoice_id": invoice["id"], "credit_note_id": credit_note["id"], "amount": amount,
            "type": "credit_note",
        });
        self.api.post("/payments", &self.owner, body).await
    }

    /// Deletes a payment, or restores it, or erases it.
    pub async fn act(&self, payment: &Value, act: &str) -> Answer {
        let path = format!("/payments/{}", text(&payment["id"]));
        match act {
            "delete" => self.api.delete(&path, &self.owner).await,
            "restore" => self.api.post(&format!("{path}/restore"), &self.owner, json!({})).await,
            _ => self.api.delete(&format!("{path}/{act}"), &self.owner).await,
        }
    }

    pub async fn change(&self, payment: &Value, change: Value) -> Answer {
        let path = format!("/payments/{}", text(&payment["id"]));
        self.api.patch(&path, &self.owner, change).await
    }

    /// `document` as it is now.
    pub async fn read(&self, document: &Value) -> Value {
        let id = text(&document["id"]);
        let path = match &id[..4] {
            "inv_" => "/invoices",
            "cre_" => "/credit-notes",
            "adv_" => "/advance-invoices",
            _ => "/expenses",
        };
        self.api.get(&format!("{path}/{id}"), &self.owner).await.with(200).json()
    }

    /// Asserts what is paid and due on `document`, digit by digit, and whether it is paid in full.
    pub async fn has(&self, document: &Value, paid: &str, due: &str) {
        let now = self.read(document).await;
        let figures = [&now["total_paid"], &now["total_due"]].map(ToString::to_string);
        assert_eq!(figures, [paid, due], "{now}");
        assert_eq!(now["paid_in_full"], json!(due == "0" && now["is_draft"] == json!(false)));
    }

    /// The amounts of the advance money that `invoice` has.
    pub async fn allocations(&self, invoice: &Value) -> Vec<Value> {
        let id = text(&invoice["id"]);
        let filter = format!("%7B%22invoice_id%22:%22{id}%22,%22type%22:%22advance%22%7D");
        let path = format!("/payments?query={filter}&order_by=created_at");
        let list = self.api.get(&path, &self.owner).await.with(200).json();
        list["data"].as_array().unwrap().clone()
    }
}

/// Asserts that `answer` refuses by the rule `code`.
pub fn refuses(answer: Answer, code: &str) -> Value {
    let body = answer.with(422).json();
    assert_eq!(body["code"], "unprocessable_entity");
    assert_eq!(body["cause"]["code"], code, "{body}");
    body["cause"].clone()
}
