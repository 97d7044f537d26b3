//! Public data over HTTP: rates of exchange, registers of companies, estimated rates of tax.

use racun_lookups::{import_companies, import_rates, import_tax_rates};
use racun_store::testing::stamp;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::harness::{Api, text};

const RATES: &str = include_str!("../../../lookups/tests/data/ecb_hist_sample.csv");

fn reason(refused: &Value) -> String {
    format!("{} {}", refused["cause"]["code"], refused["cause"]["issues"][0]["path"])
}

#[actix_web::test]
async fn the_sandbox_has_rates_that_stand_still_and_refuses_by_name() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let answer = api.get("/currency/exchange-rate?from=USD&date=2026-10-11", &owner).await;
    let answer = answer.with(200).json();
    let expected = json!({
        "from": "USD", "to": "EUR", "rate": 0.8, "date": "2026-10-09", "source": "sandbox",
    });
    assert_eq!(answer, expected);
    for (query, expected) in [
        ("from=AED", "\"unknown_currency\" [\"from\"]"),
        ("from=USD&to=X", "\"unknown_currency\" [\"to\"]"),
        ("from=EUR&to=HRK", "\"currency_ended\" [\"to\"]"),
        ("from=USD&date=2999-01-01", "\"date_in_future\" [\"date\"]"),
        ("from=USD&date=1998-12-31", "\"date_too_early\" [\"date\"]"),
        ("from=USD&date=today", "\"invalid_date\" [\"date\"]"),
        ("to=USD", "\"required\" [\"from\"]"),
    ] {
        let path = format!("/currency/exchange-rate?{query}");
        let refused = api.get(&path, &owner).await.with(422).json();
        assert_eq!(reason(&refused), expected, "{query}");
    }
    let lacking = api.get("/currency/exchange-rate?from=ILS", &owner).await.with(503).json();
    assert_eq!(lacking["cause"]["code"], "rate_unavailable");
    let list = api.get("/currency/currencies", &owner).await.with(200).json();
    let codes: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"EUR") && codes.contains(&"USD") && !codes.contains(&"HRK"));
}

#[actix_web::test]
async fn a_document_without_a_rate_takes_that_of_the_last_business_day() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let line = json!([{"name": "Tea", "price": 100, "taxes": []}]);
    let make = async |currency: &str, more: Value| {
        let mut body = json!({"items": line, "currency_code": currency});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        api.post("/invoices", &owner, body).await.with(201).json()
    };
    let found = make("USD", json!({})).await;
    assert_eq!(found["exchange_rate"]["rate"], json!(0.8));
    assert_eq!(found["exchange_rate"]["source"], "sandbox");
    assert_eq!(found["total_converted"], json!(80));
    assert_eq!(found["warnings"], json!([]));
    let given = make("USD", json!({"exchange_rate": {"rate": 0.9}})).await;
    assert_eq!(given["total_converted"], json!(90));
    for (currency, more) in [("AED", json!({})), ("ILS", json!({}))] {
        let without = make(currency, more).await;
        assert_eq!(without["exchange_rate"], Value::Null, "{currency}");
        assert_eq!(without["warnings"][0]["code"], "exchange_rate_missing", "{currency}");
    }
    let own = make("EUR", json!({})).await;
    assert_eq!((&own["exchange_rate"], &own["warnings"]), (&Value::Null, &json!([])));
}

#[actix_web::test]
async fn live_entities_have_the_rates_that_are_kept() {
    let api = Api::new().await;
    let user = api.user("ana@example.com").await;
    let body = json!({"name": "Live", "country": "Slovenia", "environment": "live"});
    let entity = api.post("/entities", &user, body).await.with(201).json();
    let owner = user.in_entity(&text(&entity["id"]));
    let path = "/currency/exchange-rate?from=USD&to=EUR&date=2026-10-05";
    let lacking = api.get(path, &owner).await.with(503).json();
    assert_eq!(lacking["cause"]["code"], "rate_unavailable");
    let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
    let store = &*api.services.store;
    assert_eq!(import_rates(store, RATES.as_bytes(), &stamp).await.unwrap(), 4);
    let answer = api.get(path, &owner).await.with(200).json();
    assert_eq!((&answer["date"], &answer["source"]), (&json!("2026-10-02"), &json!("ecb")));
}

#[actix_web::test]
async fn registers_and_tax_rates_are_searched() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let store = &*api.services.store;
    let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
    for sample in [
        include_str!("../../../../docs/registries/si.csv"),
        include_str!("../../../../docs/registries/hr.csv"),
    ] {
        import_companies(store, sample.as_bytes(), &stamp).await.unwrap();
    }
    let countries = api.get("/company-registry", &owner).await.with(200).json();
    assert_eq!(countries, json!({"data": ["HR", "SI"]}));
    let found = api.get("/company-registry/search?q=cebelarstvo", &owner).await.with(200).json();
    assert_eq!(found["data"][0]["name"], "Čebelarstvo Šebrelje d.o.o.");
    assert_eq!(found["data"][0]["bank_accounts"].as_array().unwrap().len(), 2);
    let path = "/company-registry/search?q=69435151530&country_code=hr&limit=1";
    let found = api.get(path, &owner).await.with(200).json();
    assert_eq!(found["data"][0]["id"], "090000001");
    for query in ["q=a", "", "q=ana&limit=0", "q=ana&limit=x", "q=ana&country_code=SVN"] {
        api.get(&format!("/company-registry/search?{query}"), &owner).await.with(422);
    }
    let file = "state,zip_code,estimated_combined_rate,source_month\nCA,90210,0.095,2026-10\n";
    import_tax_rates(store, file.as_bytes(), &stamp).await.unwrap();
    let path = "/tax-rate-estimates/us?zip_code=90210&state=CA";
    let refused = api.get(path, &owner).await.with(422).json();
    assert_eq!(refused["cause"]["code"], "feature_not_available", "its country has no such rates");
    let body = json!({"name": "Ana Inc.", "country": "United States", "environment": "sandbox"});
    let american = api.post("/entities", &owner, body).await.with(201).json();
    let owner = owner.in_entity(&text(&american["id"]));
    let found = api.get(path, &owner).await.with(200).json();
    assert_eq!(found["data"][0]["estimated_combined_rate"], json!(0.095));
    assert_eq!(found["data"][0]["country_code"], "US");
    api.get("/tax-rate-estimates/us", &owner).await.with(422);
}
