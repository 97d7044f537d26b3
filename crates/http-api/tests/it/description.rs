//! The description of the interface, for programs and for people.

use std::collections::BTreeSet;

use racun_http_api::error::codes::{CODES, Code};
use serde_json::Value;

use crate::harness::{Api, Who};

async fn description() -> Value {
    let api = Api::new().await;
    api.get("/openapi.json", &Who::anonymous()).await.with(200).json()
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
    let entity = serde_json::json!({"$ref": "#/components/parameters/EntityId"});
    assert!(create["parameters"].as_array().unwrap().contains(&entity), "{create}");
    assert_eq!(description["components"]["parameters"]["EntityId"]["name"], "x-entity-id");
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
    assert_eq!(schemas["UjpCustomerDataInput"]["additionalProperties"], false);
    let customer = &schemas["Customer"]["required"];
    assert!(customer.as_array().unwrap().contains(&serde_json::json!("address")), "{customer}");
}

#[actix_web::test]
async fn every_operation_says_what_it_answers() {
    for (path, item) in description().await["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            let refusals = responses.contains_key("4XX") && responses.contains_key("5XX");
            assert!(refusals, "{method} {path}");
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
                "invitations/{id}/accept",
                "decline",
                "unlock",
                "validate",
                "atcud-series/{id}/close",
                "enrollment/refresh",
                "verification-link",
                "setup-intent",
                "orders/{id}/process",
                "orders/{id}/cancel",
                "payment-app/disconnect",
                "white-label-subscriptions/cancel",
                "tax-reports/kir",
                "tax-reports/kpr",
            ];
            let needs_none = acts.iter().any(|act| path.ends_with(act));
            let described = operation["requestBody"].is_object();
            assert_eq!(described, takes_a_body && !needs_none, "{method} {path}");
        }
    }
}

/// Every schema in `value`, wherever it stands.
fn each_schema<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(object) => {
            let is_schema = ["type", "$ref", "oneOf", "allOf", "anyOf", "enum"];
            if is_schema.iter().any(|keyword| object.contains_key(*keyword)) {
                found.push(value);
            }
            let inner = object.iter().filter(|(keyword, _)| *keyword != "example");
            inner.for_each(|(_, value)| each_schema(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| each_schema(value, found)),
        _ => {}
    }
}

/// The operations, with their names.
fn operations(description: &Value) -> Vec<(&str, &Value)> {
    let items = description["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    operations.map(|it| (it["operationId"].as_str().unwrap(), it)).collect()
}

/// The names of all schemas that `roots` lead to.
fn reached(description: &Value, roots: Vec<&Value>) -> BTreeSet<String> {
    let (mut names, mut next) = (BTreeSet::new(), roots);
    while let Some(value) = next.pop() {
        let mut schemas = Vec::new();
        each_schema(value, &mut schemas);
        for name in schemas.iter().filter_map(|schema| schema["$ref"].as_str()) {
            let Some(name) = name.strip_prefix("#/components/schemas/") else { continue };
            if names.insert(name.to_owned()) {
                next.push(&description["components"]["schemas"][name]);
            }
        }
    }
    names
}

#[test]
fn generators_meet_nothing_that_they_stumble_over() {
    let description = racun_http_api::openapi();
    let mut schemas = Vec::new();
    each_schema(&description, &mut schemas);
    assert!(schemas.len() > 1_000, "{}", schemas.len());
    for schema in schemas {
        // `required` is in the schema that has the properties, not beside it.
        let is_beside = schema.get("required").is_some_and(Value::is_array)
            && !schema["properties"].is_object();
        assert!(!is_beside, "{schema}");
        assert!(schema.get("allOf").is_none(), "{schema}");
        for choice in schema["oneOf"].as_array().into_iter().flatten() {
            let is_alone = choice.get("$ref").is_none() || choice.as_object().unwrap().len() == 1;
            assert!(is_alone, "words beside a reference in a choice: {schema}");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            let name = required.as_str().unwrap();
            assert!(schema["properties"].get(name).is_some(), "{name} of {schema}");
        }
    }
    let names = description["components"]["schemas"].as_object().unwrap().keys();
    let folded: BTreeSet<String> = names.clone().map(|name| name.to_lowercase()).collect();
    assert_eq!(folded.len(), names.len(), "two names differ in their capitals only");
}

#[test]
fn enums_are_closed_when_sent_and_open_when_answered() {
    let description = racun_http_api::openapi();
    let all = operations(&description);
    let sent = reached(&description, all.iter().map(|(_, it)| &it["requestBody"]).collect());
    let mut answered: Vec<&Value> = all.iter().map(|(_, it)| &it["responses"]).collect();
    answered.push(&description["components"]["responses"]);
    let answered = reached(&description, answered);
    let schemas = &description["components"]["schemas"];
    let mut known = 0;
    for name in &answered {
        let mut within = Vec::new();
        each_schema(&schemas[name], &mut within);
        for schema in within {
            assert!(schema.get("enum").is_none(), "{name}: {schema}");
            assert_ne!(schema["additionalProperties"], false, "{name}");
            known += usize::from(schema.get("x-extensible-enum").is_some());
        }
    }
    assert!(known > 30, "{known}");
    assert_eq!(schemas["PaymentType"]["enum"][0], "cash");
    assert!(sent.contains("PaymentType") && !answered.contains("PaymentType"));
    let r#type = &schemas["Payment"]["properties"]["type"];
    assert_eq!(
        (&r#type["type"], &r#type["x-extensible-enum"][0]),
        (&"string".into(), &"cash".into())
    );
}

#[test]
fn the_description_states_limits_and_formats() {
    let description = racun_http_api::openapi();
    let schemas = &description["components"]["schemas"];
    for (name, property, format) in [
        ("Invoice", "created_at", "date-time"),
        ("Invoice", "date", "date-time"),
        ("Invoice", "date_service", "date"),
        ("CreateInvoice", "date", "date"),
        ("CreateRecurringInvoice", "start_date", "date"),
        ("Customer", "email", "email"),
        ("Webhook", "url", "uri"),
        ("ReferenceRate", "date", "date"),
        ("QuotedCurrency", "date", "date"),
    ] {
        assert_eq!(schemas[name]["properties"][property]["format"], format, "{name}.{property}");
    }
    let list = &description["paths"]["/invoices"]["get"]["parameters"];
    let of = |name| list.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
    let limit = &of("limit")["schema"];
    let limits = (&limit["minimum"], &limit["maximum"], &limit["default"]);
    assert_eq!(limits, (&1.into(), &100.into(), &10.into()));
    let filter = of("query")["description"].as_str().unwrap();
    for operator in ["gte", "notIn", "between", "startsWith", "metadata"] {
        assert!(filter.contains(operator), "{operator} in {filter}");
    }
    let daily = &description["paths"]["/pos/reports/daily"]["get"]["parameters"][0];
    assert_eq!((&daily["name"], &daily["schema"]["format"]), (&"date".into(), &"date".into()));
    assert!(schemas["CreatePayment"]["required"].to_string().contains("amount"));
    assert_eq!(schemas["CreatePayment"]["properties"]["amount"]["type"], "number");
    assert_eq!(schemas["CreateCustomer"]["required"], serde_json::json!(["name"]));
    assert_eq!(schemas["CustomerInput"].get("required"), None, "a change names what it likes");
    assert!(schemas["CreateOrder"]["required"].to_string().contains("\"source\""));
}

/// Whether a text called `name` is a day or an instant, by rules apart from the list of formats.
fn is_date(name: &str) -> bool {
    let words: Vec<&str> = name.split('_').collect();
    let ends = ["at", "expiry", "since", "until"];
    words.contains(&"date")
        || name.ends_with("At")
        || words.last().is_some_and(|last| ends.contains(last))
}

#[test]
fn every_date_has_a_format() {
    let description = racun_http_api::openapi();
    let schemas = description["components"]["schemas"].as_object().unwrap();
    let mut dated = BTreeSet::new();
    let mut bare = Vec::new();
    let mut look = |owner: &str, name: &str, schema: &Value| {
        let is_text = schema["type"] == "string"
            || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&"string".into()));
        if is_text && is_date(name) {
            dated.insert(name.to_owned());
            if !matches!(schema["format"].as_str(), Some("date" | "date-time")) {
                bare.push(format!("{owner}.{name}"));
            }
        }
    };
    for (owner, schema) in schemas {
        let mut within = Vec::new();
        each_schema(schema, &mut within);
        for (name, property) in
            within.iter().filter_map(|it| it["properties"].as_object()).flatten()
        {
            look(owner, name, property);
        }
    }
    for (owner, operation) in operations(&description) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if let Some(name) = parameter["name"].as_str() {
                look(owner, name, &parameter["schema"]);
            }
        }
    }
    // Those take a day or an instant, which no format says.
    let logs = ["listRequestLogs", "listWebhookLogs"];
    let either = logs.map(|name| ["date_from", "date_to"].map(|day| format!("{name}.{day}")));
    // What clocks at an establishment showed has no zone, which a format would want.
    let entered = ["PtDocument", "PtReceipt"].map(|name| format!("{name}.system_entry_date"));
    assert_eq!(bare, [entered.to_vec(), either.concat()].concat());
    for name in ["certificate_expiry", "issue_date", "created_at", "date_due"] {
        assert!(dated.contains(name), "{name}: {dated:?}");
    }
    let of = |schema: &str, name: &str| schemas[schema]["properties"][name]["format"].clone();
    assert_eq!(of("FiscalCertificate", "certificate_expiry"), "date-time");
    assert_eq!(of("FursDocumentInput", "issue_date"), "date");
}

#[test]
fn every_key_of_the_settings_is_described() {
    let description = racun_http_api::openapi();
    let settings = &description["components"]["schemas"]["EntitySettingsInput"];
    let keys = settings["properties"].as_object().unwrap();
    for (key, schema) in keys {
        assert!(
            schema["description"].is_string(),
            "{key} is declared in access/src/settings/known.rs"
        );
        assert!(schema["type"].is_array(), "{key} has the types of its declaration");
    }
    assert_eq!(keys["default_invoice_due_days"]["maximum"], 3650);
    assert_eq!(settings["additionalProperties"], true);
    assert!(
        description["components"]["schemas"]["Entity"]["properties"]["settings"]["$ref"]
            .is_string()
    );
}

#[test]
fn every_operation_says_what_it_does_who_may_and_how_it_refuses() {
    let description = racun_http_api::openapi();
    let tags: Vec<&Value> = description["tags"].as_array().unwrap().iter().collect();
    for tag in &tags {
        assert!(tag["description"].is_string(), "{tag} has a place in openapi/about.rs");
    }
    let linked = racun_http_api::routes().filter(|route| route.is_linked);
    let linked: BTreeSet<&str> = linked.map(|route| route.operation).collect();
    for (name, operation) in operations(&description) {
        assert!(tags.iter().any(|tag| tag["name"] == operation["tags"][0]), "{name}");
        assert!(operation["description"].as_str().is_some_and(|it| it.len() > 20), "{name}");
        let responses = operation["responses"].as_object().unwrap();
        let has = |status: &str| responses.contains_key(status);
        let takes_token = operation["security"] != serde_json::json!([{}]);
        assert!(!takes_token || has("401") && has("403"), "{name}");
        let takes_body = operation.get("requestBody").is_some();
        assert!(!takes_body || has("422") && has("400"), "{name}");
        let parameters = operation["parameters"].to_string();
        assert!(!parameters.contains("\"in\":\"path\"") || has("404"), "{name}");
        assert!(!parameters.contains("IdempotencyKey") || has("409"), "{name}");
        assert!(has("422") || linked.contains(&name), "{name}: parameters that it does not know");
        assert!(has("429") || name.starts_with("get") && has("4XX"), "{name}");
    }
    let refusals = &description["components"]["responses"];
    assert!(refusals["TooManyRequests"]["headers"]["Retry-After"].is_object());
    assert!(refusals["NotFound"]["headers"]["X-Request-Id"].is_object());
    assert_eq!(refusals["NotFound"]["content"]["application/json"]["example"]["code"], "not_found");
    for part in ["servers", "info.contact", "info.license"] {
        let found = part.split('.').fold(&description, |at, key| &at[key]);
        assert!(!found.is_null(), "{part}");
    }
    for topic in ["key", "x-entity-id", "sandbox", "lists", "Idempotency-Key", "refusals"] {
        let text = description["info"]["description"].as_str().unwrap();
        assert!(text.contains(topic), "{topic}");
    }
}

#[test]
fn all_codes_of_refusals_are_open_enums_with_their_meanings() {
    let schemas = racun_http_api::openapi()["components"]["schemas"].clone();
    let listed = |schema: &str| {
        let code = &schemas[schema]["properties"]["code"];
        assert_eq!((&code["type"], code.get("enum")), (&"string".into(), None), "{schema}");
        let known = code["x-extensible-enum"].as_array().unwrap().iter();
        let names: BTreeSet<String> = known.map(|it| it.as_str().unwrap().to_owned()).collect();
        let meanings = code["x-enumDescriptions"].as_object().unwrap();
        assert!(meanings.keys().eq(&names) && meanings.values().all(Value::is_string), "{code}");
        names
    };
    let of = |codes: &[&[Code]]| -> BTreeSet<String> {
        codes.iter().copied().flatten().map(|code| code.name.to_owned()).collect()
    };
    let (answers, causes, issues) = (listed("Error"), listed("ErrorCause"), listed("ErrorIssue"));
    let [in_answers, reasons, in_issues] = CODES;
    assert_eq!((&answers, &issues), (&of(&[in_answers]), &of(&[in_issues])));
    assert!(causes.is_superset(&of(&[reasons, in_issues])));
    // Those of a status alone say nothing specific.
    let specific = |code: &str| causes.contains(code);
    assert!(specific("tab_issued") && specific("pin_locked") && !specific("conflict"));
}

#[test]
fn every_body_has_an_example() {
    let description = racun_http_api::openapi();
    let written: Value =
        serde_json::from_str(include_str!("../../src/examples/requests.json")).unwrap();
    let mut left: BTreeSet<&String> = written.as_object().unwrap().keys().collect();
    for (name, operation) in operations(&description) {
        let content = &operation["requestBody"]["content"];
        for body in content.as_object().into_iter().flat_map(|content| content.values()) {
            let place = "examples/requests.json";
            assert_eq!(body.get("example"), written.get(name), "{name} has a place in {place}");
            left.remove(&name.to_owned());
        }
        for answer in operation["responses"].as_object().unwrap().values() {
            if let Some(body) = answer["content"].get("application/json") {
                assert!(body["example"].is_object() || body["example"].is_array(), "{name}");
            }
        }
    }
    assert!(left.is_empty(), "no operations: {left:?}");
    for refusal in description["components"]["responses"].as_object().unwrap().values() {
        assert!(refusal["content"]["application/json"]["example"]["code"].is_string(), "{refusal}");
    }
}

#[test]
fn the_older_description_says_the_same_without_what_its_tools_do_not_know() {
    let (newer, older) = (racun_http_api::openapi(), racun_http_api::openapi_3_0());
    assert_eq!(older["openapi"], "3.0.3");
    let names = |description: &Value| -> BTreeSet<String> {
        operations(description).into_iter().map(|(name, _)| name.to_owned()).collect()
    };
    let forms: BTreeSet<String> = operations(&newer)
        .into_iter()
        .filter(|(_, it)| it["requestBody"]["content"].get("multipart/form-data").is_some())
        .map(|(name, _)| name.to_owned())
        .collect();
    assert_eq!(&names(&newer) - &names(&older), forms);
    let mut schemas = Vec::new();
    each_schema(&older, &mut schemas);
    for schema in schemas {
        assert!(!schema["type"].is_array() && schema["type"] != "null", "{schema}");
        let is_alone = schema.get("$ref").is_none() || schema.as_object().unwrap().len() == 1;
        assert!(is_alone, "{schema}");
    }
    // progenitor gives up where refusals of one operation have several types.
    for (name, operation) in operations(&older) {
        let refusals = operation["responses"].as_object().unwrap().iter();
        let refusals = refusals.filter(|(status, _)| status.starts_with(['4', '5']));
        let types: BTreeSet<String> = refusals
            .map(|(_, refusal)| {
                let shared = refusal["$ref"].as_str().map(|place| &place[1..]);
                let refusal = shared.map_or(refusal, |place| older.pointer(place).unwrap());
                refusal["content"]["application/json"]["schema"].to_string()
            })
            .collect();
        assert_eq!(types.len(), 1, "{name}: {types:?}");
    }
    let voided = &older["components"]["schemas"]["Invoice"]["properties"]["voided_at"];
    assert_eq!((&voided["type"], &voided["nullable"]), (&"string".into(), &true.into()));
}
