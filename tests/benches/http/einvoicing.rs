//! Issuing a document that has to be valid as XRechnung, beside issuing the same unchecked.

use racun_tests::{Account, Racun};
use serde_json::{Value, json};

use crate::CLIENTS;
use crate::load::request_with;
use crate::pairs::{Pair, Words};

const WORDS: Words = Words {
    lines: [
        ["issue unchecked, one sequence", "issue unchecked, a sequence each"],
        ["issue as XRechnung, one sequence", "issue as XRechnung, a sequence each"],
    ],
    beside: "issue as XRechnung beside unchecked",
    clients: ["16 clients, one sequence", "16 clients, a sequence each"],
    least: (800, ">= 0.8"),
};

/// Accounts with an entity in Germany each: invoices that are not checked, and those that have to
/// be valid.
pub async fn pair(racun: &Racun) -> Pair {
    let mut requests = [Vec::new(), Vec::new()];
    for _ in 0..CLIENTS {
        let account = Account::sign_up(racun).await;
        let made = account.user.create("/entities", &entity()).await;
        let entity = made["id"].as_str().expect("an id");
        let api = account.api.clone().with("x-entity-id", entity);
        let accounts = json!([{"type": "iban", "iban": "DE89370400440532013000"}]);
        let settings = json!({"settings": {"bank_accounts": accounts}});
        let user = account.user.clone().with("x-entity-id", entity);
        user.patch(&format!("/entities/{entity}"), &settings).await.expect(200);
        let header = format!("x-entity-id: {entity}\r\n");
        for (place, is_required) in [false, true].into_iter().enumerate() {
            let invoice = invoice(is_required);
            let issued = api.create("/invoices", &invoice).await;
            let status = &issued["xrechnung"]["validation_status"];
            assert_eq!(status == "valid", is_required, "{issued}");
            let body = invoice.to_string();
            let request = request_with("POST", "/invoices", &account.key, &header, &body);
            requests[place].push(request);
        }
    }
    Pair::new(racun, requests, WORDS)
}

fn entity() -> Value {
    json!({
        "name": "Beratung GmbH", "country": "Germany", "environment": "sandbox",
        "tax_number": "DE136695976", "company_number": "HRB 1", "address": "Weg 1",
        "post_code": "10115", "city": "Berlin", "phone": "+49 30 1", "email": "a@example.com",
    })
}

/// Five lines, two rates.
fn invoice(is_required: bool) -> Value {
    let taxes = |rate: u8| json!([{"rate": rate}]);
    json!({
        "date_service": null,
        "xrechnung": {"validation_enabled": is_required, "validation_required": is_required},
        "customer": {
            "name": "Bundesamt", "address": "Weg 2", "post_code": "53113", "city": "Bonn",
            "country_code": "DE", "save_customer": false,
            "e_invoicing": {"buyer_reference": "04011000-12345-03"},
        },
        "items": [
            {"name": "Razvoj", "quantity": 12.5, "price": 64.90, "unit": "h", "taxes": taxes(19)},
            {"name": "Beratung", "quantity": 3, "price": 90, "unit": "h", "taxes": taxes(19)},
            {"name": "Buch", "quantity": 2, "price": 29.90, "taxes": taxes(7)},
            {"name": "Transport", "price": 41.37, "taxes": taxes(19),
             "discounts": [{"value": 10}]},
            {"name": "Zeitschrift", "quantity": 7, "price": 3.95, "taxes": taxes(7)},
        ],
    })
}
