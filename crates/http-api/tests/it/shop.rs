//! A shop that sells over the counter.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};

/// A shop with an item at 3.20, under a service of its own.
pub struct Shop {
    pub api: Api,
    pub owner: Who,
    pub item: String,
}

impl Shop {
    pub async fn open() -> Self {
        let api = Api::new().await;
        let owner = api.owner("owner@example.com").await;
        let body = json!({"name": "Kava", "gross_price": 3.2});
        let item = api.post("/items", &owner, body).await.with(201).json();
        Self { item: text(&item["id"]), api, owner }
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(path, &self.owner, body).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.api.get(path, &self.owner).await
    }

    pub async fn tab(&self) -> String {
        text(&self.post("/pos/tabs", json!({})).await.with(201).json()["id"])
    }

    pub async fn table(&self, label: &str) -> String {
        text(&self.post("/pos/tables", json!({"label": label})).await.with(201).json()["id"])
    }

    pub async fn invoice(&self, draft: bool) -> String {
        let items = json!([{"name": "Kava", "gross_price": 3.2, "taxes": []}]);
        let body = json!({"items": items, "is_draft": draft});
        text(&self.post("/invoices", body).await.with(201).json()["id"])
    }

    /// Does something to a tab.
    pub async fn on(&self, tab: &str, act: &str, body: Value) -> Answer {
        self.post(&format!("/pos/tabs/{tab}/{act}"), body).await
    }

    pub async fn append(&self, tab: &str, quantity: u32, append_id: &str) -> Answer {
        let items = json!([{"item_id": self.item, "quantity": quantity}]);
        self.on(tab, "items", json!({"items": items, "append_id": append_id})).await
    }

    pub async fn claim(&self, tab: &str, device: &str) -> Answer {
        self.on(tab, "claim", json!({"device_id": device})).await
    }

    pub async fn patch(&self, tab: &str, body: Value) -> Answer {
        self.api.patch(&format!("/pos/tabs/{tab}"), &self.owner, body).await
    }

    pub async fn cancel(&self, tab: &str, query: &str) -> Answer {
        self.api.delete(&format!("/pos/tabs/{tab}{query}"), &self.owner).await
    }

    /// The list at `path` for a caller who has seen `tags`.
    pub async fn seen(&self, path: &str, tags: &str) -> Answer {
        let request = TestRequest::get().uri(path).insert_header(("if-none-match", tags));
        self.api.call(self.owner.sign(request)).await
    }

    /// Asserts that the tab refuses with `code`, and that the answer carries it as it is.
    pub async fn refuses(&self, tab: &str, answer: Answer, status: u16, code: &str) {
        let body = answer.with(status).json();
        assert_eq!(body["code"], code, "{body}");
        assert!(!text(&body["message"]).is_empty());
        let now = self.get(&format!("/pos/tabs/{tab}")).await.with(200).json();
        assert_eq!(body["tab"], now, "{code}");
    }
}
