//! Issuing in Portugal, where each document is signed over the one before it in its series, beside
//! issuing the same elsewhere.

use racun_tests::{Account, Racun};
use serde_json::{Value, json};

use crate::CLIENTS;
use crate::load::request_with;
use crate::pairs::{Pair, Words};

const WORDS: Words = Words {
    lines: [
        ["issue unsigned, one sequence", "issue unsigned, a sequence each"],
        ["issue in Portugal, one series", "issue in Portugal, a series each"],
    ],
    beside: "issue in Portugal beside unsigned",
    clients: ["16 clients, one series", "16 clients, a series each"],
    least: (500, ">= 0.5"),
};

/// Accounts with an entity in each of two countries: invoices elsewhere, and those in Portugal.
pub async fn pair(racun: &Racun) -> Pair {
    let mut requests = [Vec::new(), Vec::new()];
    for _ in 0..CLIENTS {
        let account = Account::sign_up(racun).await;
        for (place, entity) in [elsewhere(), shop()].into_iter().enumerate() {
            let made = account.user.create("/entities", &entity).await;
            let entity = made["id"].as_str().expect("an id");
            let api = account.api.clone().with("x-entity-id", entity);
            let is_certified = place == 1;
            if is_certified {
                let series = json!({
                    "document_type": "invoice", "series_code": "2026A",
                    "start_date": "2026-01-01",
                });
                api.create("/fiscalization/pt/atcud-series", &series).await;
            }
            let invoice = invoice(if is_certified { [23, 6] } else { [19, 7] });
            let issued = api.create("/invoices", &invoice).await;
            assert_eq!(issued["pt"].is_object(), is_certified, "{issued}");
            let header = format!("x-entity-id: {entity}\r\n");
            let body = invoice.to_string();
            let request = request_with("POST", "/invoices", &account.key, &header, &body);
            requests[place].push(request);
        }
    }
    Pair::new(racun, requests, WORDS)
}

fn elsewhere() -> Value {
    json!({"name": "Laden GmbH", "country": "Germany", "environment": "sandbox"})
}

fn shop() -> Value {
    json!({
        "name": "Loja", "country": "Portugal", "environment": "sandbox",
        "tax_number": "501442600", "company_number": "501442600", "phone": "+351 210000000",
        "email": "loja@example.com", "address": "Rua 1", "city": "Lisboa", "state": "Lisboa",
        "post_code": "1000-001", "starting_capital": 5000,
        "settings": {"pt": {
            "operator_first_name": "Ana", "operator_last_name": "Silva",
            "operator_tax_number": "123456789",
        }},
    })
}

/// Five lines, two rates.
fn invoice([high, low]: [u8; 2]) -> Value {
    let taxes = |rate: u8| json!([{"rate": rate}]);
    json!({
        "customer": {
            "name": "Cliente, Lda.", "address": "Rua 2", "post_code": "1000-002",
            "city": "Lisboa", "country_code": "PT", "save_customer": false,
        },
        "items": [
            {"name": "Desenvolvimento", "quantity": 12.5, "price": 64.90, "unit": "h",
             "taxes": taxes(high)},
            {"name": "Consultoria", "quantity": 3, "price": 90, "unit": "h",
             "taxes": taxes(high)},
            {"name": "Livro", "quantity": 2, "price": 29.90, "taxes": taxes(low)},
            {"name": "Transporte", "price": 41.37, "taxes": taxes(high),
             "discounts": [{"value": 10}]},
            {"name": "Revista", "quantity": 7, "price": 3.95, "taxes": taxes(low)},
        ],
    })
}
