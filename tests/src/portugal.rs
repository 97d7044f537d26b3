//! A shop in Portugal, whose documents are certified.

use serde_json::json;

use crate::Account;

/// Opens a shop in Lisbon in the sandbox, with a series for each of these types of documents; its
/// id.
///
/// # Panics
/// When the server refuses something.
pub async fn open_shop_in_lisbon(account: &Account, document_types: &[&str]) -> String {
    let wanted = json!({
        "name": "Loja", "country": "Portugal", "environment": "sandbox",
        "tax_number": "501442600", "company_number": "501442600", "phone": "+351 210000000",
        "email": "loja@example.com", "address": "Rua 1", "city": "Lisboa", "state": "Lisboa",
        "post_code": "1000-001", "starting_capital": 5000,
        "settings": {"pt": {
            "operator_first_name": "Ana", "operator_last_name": "Silva",
            "operator_tax_number": "123456789",
        }},
    });
    let entity = account.user.create("/entities", &wanted).await;
    let entity = entity["id"].as_str().expect("an id").to_owned();
    let api = account.api.clone().with("x-entity-id", &entity);
    for kind in document_types {
        let series = json!({
            "document_type": kind, "series_code": "2026A", "start_date": "2026-01-01",
        });
        api.create("/fiscalization/pt/atcud-series", &series).await;
    }
    entity
}
