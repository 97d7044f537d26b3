//! The description of the interface, for programs and for people.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Api, Who};

async fn description() -> Value {
    let api = Api::new().await;
    api.get("/openapi.json", &Who::nobody()).await.with(200).json()
}

#[actix_web::test]
async fn the_description_is_openapi_3_1_with_its_security() {
    let description = description().await;
    assert_eq!(description["openapi"], "3.1.0");
    assert_eq!(description["info"]["title"], "Racun");
    assert_eq!(description["info"]["version"], "1.0.0");
    assert_eq!(description["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    let create = &description["paths"]["/customers"]["post"];
    assert_eq!(create["security"], serde_json::json!([{"bearer": []}]));
    let names = create["parameters"].as_array().unwrap().iter().map(|one| &one["name"]);
    assert!(names.into_iter().any(|name| name == "x-entity-id"), "{create}");
    assert_eq!(description["paths"]["/health"]["get"]["security"], serde_json::json!([{}]));
}

#[actix_web::test]
async fn every_reference_leads_somewhere() {
    let description = description().await;
    let text = description.to_string();
    let there: BTreeSet<&String> =
        description["components"]["schemas"].as_object().unwrap().keys().collect();
    let references = text.split("\"#/components/schemas/").skip(1);
    let mut count = 0;
    for name in references.filter_map(|rest| rest.split('"').next()) {
        assert!(there.contains(&name.to_owned()), "{name}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[actix_web::test]
async fn decimals_are_plain_numbers_and_nulls_are_types() {
    let schemas = description().await["components"]["schemas"].clone();
    let item = &schemas["Item"]["properties"];
    assert_eq!(item["price"]["type"], serde_json::json!(["number", "null"]));
    assert_eq!(item["price_with_tax"]["type"], "number");
    assert_eq!(item["price_with_tax"]["format"], Value::Null);
    assert_eq!(item["description"]["type"], serde_json::json!(["string", "null"]));
    assert_eq!(schemas["ItemInput"]["properties"]["price"]["type"], item["price"]["type"]);
    assert_eq!(schemas["UjpCustomerData"]["additionalProperties"], false);
    let customer = &schemas["Customer"]["required"];
    assert!(customer.as_array().unwrap().contains(&serde_json::json!("address")), "{customer}");
}

#[actix_web::test]
async fn every_operation_says_what_it_answers() {
    for (path, item) in description().await["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.contains_key("default"), "{method} {path}");
            let success = responses.keys().any(|status| status.starts_with('2'));
            assert!(success, "{method} {path}");
            let takes_a_body = ["post", "put", "patch"].contains(&method.as_str());
            let acts = [
                "restore",
                "disable",
                "logout",
                "resend",
                "pause",
                "resume",
                "sandbox",
                "retry",
                "share",
                "resend-verification",
                "rotate-secret",
                "retry",
                "test",
                "webhook-logs/{id}/replay",
                "email-sender/recheck",
            ];
            let needs_none = acts.iter().any(|act| path.ends_with(act));
            let described = operation["requestBody"].is_object();
            assert_eq!(described, takes_a_body && !needs_none, "{method} {path}");
        }
    }
}

#[actix_web::test]
async fn the_pages_need_nothing_from_elsewhere() {
    let api = Api::new().await;
    let page = api.get("/docs", &Who::nobody()).await.with(200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.header("content-security-policy").contains("default-src 'self'"));
    assert!(!page.text.contains("https://"), "{}", page.text);
    let mut files = 0;
    for attribute in ["src=\"", "href=\""] {
        for name in page.text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()) {
            api.get(&format!("/{name}"), &Who::nobody()).await.with(200);
            files += 1;
        }
    }
    assert!(files >= 5, "{files}");
    let script = api.get("/docs/swagger-initializer.js", &Who::nobody()).await.with(200);
    assert!(script.text.contains("\"openapi.json\""), "{}", script.text);
    api.get("/docs/nothing.js", &Who::nobody()).await.with(404);
}
