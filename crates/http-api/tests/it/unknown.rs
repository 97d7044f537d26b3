//! Unknown parts of a request are refused: of every body of every operation, at every depth, and of
//! every query string. The bodies are built from the description, so no operation can be forgotten.

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_documents::DocumentKind;
use racun_http_api::{Gate, Route, openapi, routes};
use racun_kernel::id::KINDS;
use serde_json::{Map, Value, json};

use crate::harness::{Answer, Api, Who, text};
use crate::managing;
use crate::taxpayer::form;

/// The name of no property and no parameter, and like none.
const UNKNOWN: &str = "zzqqxx";

/// A place in a body: property names, and 0 for the elements of an array.
type Path = Vec<Value>;

/// A part of a body, and its schema.
struct Part {
    path: Path,
    schema: Value,
}

/// What `schema` may be, references followed and alternatives laid out.
fn alternatives(description: &Value, schema: &Value) -> Vec<Value> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return alternatives(description, &description["components"]["schemas"][name]);
    }
    let mut found = Vec::new();
    for word in ["allOf", "oneOf", "anyOf"] {
        for one in schema[word].as_array().into_iter().flatten() {
            found.extend(alternatives(description, one));
        }
    }
    found.push(schema.clone());
    found
}

/// All parts of a body of `schema`, at `path` and within.
fn parts(description: &Value, path: &Path, schema: &Value, found: &mut Vec<Part>) {
    if path.len() > 8 {
        return;
    }
    let alternatives = alternatives(description, schema);
    let at = |step: Value| path.iter().cloned().chain([step]).collect::<Path>();
    for one in &alternatives {
        for (name, property) in one["properties"].as_object().into_iter().flatten() {
            parts(description, &at(json!(name)), property, found);
        }
        if one["items"].is_object() {
            parts(description, &at(json!(0)), &one["items"], found);
        }
    }
    found.push(Part { path: path.clone(), schema: json!({ "anyOf": alternatives }) });
}

/// A body that holds `value` at `path` and nothing else.
fn holding(path: &[Value], value: Value) -> Value {
    path.iter().rev().fold(value, |inner, step| match step.as_str() {
        Some(name) => Value::Object(Map::from_iter([(name.to_owned(), inner)])),
        None => json!([inner]),
    })
}

/// The parts of the body that `route` takes; `None` when it takes none, or a form.
fn body(description: &Value, route: &Route) -> Option<Vec<Part>> {
    let method = route.verb.name().to_lowercase();
    let content = &description["paths"][route.path][method]["requestBody"]["content"];
    let schema = content["application/json"].get("schema")?;
    let mut found = Vec::new();
    parts(description, &Path::new(), schema, &mut found);
    // Settings keep what they do not know, unless it is near to what they know.
    found.retain(|part| part.path.len() < 2 || part.path[0] != "settings");
    found.retain(|part| part.path != [json!("settings")]);
    Some(found)
}

/// Requests to one route, with an id in its path that reads like one of its kind.
pub struct Target<'a> {
    api: &'a Api,
    who: Who,
    route: &'static Route,
    pub uri: String,
}

impl<'a> Target<'a> {
    pub async fn of(api: &'a Api, owner: &'a Who, route: &'static Route) -> Self {
        let uri = |id: &str| {
            let parts = route.path.split('/');
            let parts = parts.map(|part| if part.starts_with('{') { id } else { part });
            parts.collect::<Vec<_>>().join("/")
        };
        let is_operators = route.path.starts_with("/operator/");
        let who = || if is_operators { Who::key(managing::KEY) } else { owner.clone() };
        let target = |id: &str| Self { api, who: who(), route, uri: uri(id) };
        if !route.path.contains('{') {
            return target("");
        }
        if matches!(route.gate, Gate::EntityInPath(_)) {
            return target(owner.entity());
        }
        let documents =
            DocumentKind::ALL.iter().flat_map(|kind| [kind.prefix(), kind.line_prefix()]);
        for prefix in KINDS.iter().map(|(prefix, _)| *prefix).chain(documents) {
            let target = target(&format!("{prefix}01jd0000000000000000000000"));
            if !target.send(&json!({})).await.text.contains("with this id") {
                return target;
            }
        }
        panic!("{}: no id fits", route.operation);
    }

    pub async fn send(&self, body: &Value) -> Answer {
        let method = Method::from_bytes(self.route.verb.name().as_bytes()).unwrap();
        let request = TestRequest::default().method(method).uri(&self.uri).set_json(body);
        self.api.call(self.who.sign(request)).await
    }
}

/// Whether `answer` refuses what is at `path` with `code`.
pub fn refuses(answer: &Answer, path: &Value, code: Option<&str>) -> bool {
    let found = answer.json();
    let issues = found["cause"]["issues"].as_array().cloned().unwrap_or_default();
    let is_it =
        |issue: &Value| issue["path"] == *path && code.is_none_or(|code| issue["code"] == code);
    answer.status == 422 && issues.iter().any(is_it)
}

/// The number of logged activities.
pub async fn happened(api: &Api, owner: &Who) -> Value {
    api.get("/activities", owner).await.with(200).json()["pagination"]["total"].clone()
}

#[actix_web::test]
async fn every_body_refuses_a_property_that_it_does_not_know_at_every_depth() {
    let description = serde_json::to_value(openapi()).unwrap();
    let api = managing::managed().await;
    let owner = api.owner("owner@example.com").await;
    let before = happened(&api, &owner).await;
    let (mut bodies, mut objects, mut lenient) = (0, 0, Vec::new());
    for route in routes() {
        let Some(parts) = body(&description, route) else { continue };
        bodies += 1;
        let target = Target::of(&api, &owner, route).await;
        for part in parts {
            let alternatives = alternatives(&description, &part.schema);
            let is_object = alternatives.iter().any(|one| one["properties"].is_object())
                || (part.path.is_empty() && alternatives.iter().any(|one| one["type"] == "object"));
            if !is_object {
                continue;
            }
            objects += 1;
            let path: Value = part.path.iter().cloned().chain([json!(UNKNOWN)]).collect();
            let unknown = Value::Object(Map::from_iter([(UNKNOWN.to_owned(), json!(1))]));
            let answer = target.send(&holding(&part.path, unknown)).await;
            if !refuses(&answer, &path, Some("unknown_field")) {
                lenient
                    .push(format!("{} {path}: {} {}", route.operation, answer.status, answer.text));
            }
        }
    }
    assert!(lenient.is_empty(), "{} of {objects}: {lenient:#?}", lenient.len());
    assert!(bodies > 100 && objects > 250, "{bodies} bodies, {objects} objects");
    assert_eq!(happened(&api, &owner).await, before);
}

#[actix_web::test]
async fn every_form_refuses_a_part_that_it_does_not_know() {
    let description = serde_json::to_value(openapi()).unwrap();
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let mut forms = 0;
    for route in routes() {
        let method = route.verb.name().to_lowercase();
        let content = &description["paths"][route.path][method]["requestBody"]["content"];
        if content.get("multipart/form-data").is_none() {
            continue;
        }
        forms += 1;
        let target = Target::of(&api, &owner, route).await;
        let sent = form(&target.uri, &[("file", b"x"), (UNKNOWN, b"1"), ("pasphrase", b"1")]);
        let answer = api.call(owner.sign(sent)).await;
        let path = json!([UNKNOWN]);
        assert!(refuses(&answer, &path, Some("unknown_field")), "{}: {answer:?}", route.path);
    }
    assert!(forms >= 4, "{forms}");
}

#[actix_web::test]
async fn every_word_of_every_body_refuses_other_types_with_its_path() {
    let description = serde_json::to_value(openapi()).unwrap();
    let api = managing::managed().await;
    let owner = api.owner("owner@example.com").await;
    let (mut words, mut wrong) = (0, Vec::new());
    for route in routes() {
        let Some(parts) = body(&description, route) else { continue };
        let target = Target::of(&api, &owner, route).await;
        for part in parts {
            let alternatives = alternatives(&description, &part.schema);
            if !alternatives.iter().any(|one| one["enum"].is_array()) {
                continue;
            }
            words += 1;
            for value in [json!(1), json!(true), json!(null), json!([]), json!({}), json!(["x"])] {
                let answer = target.send(&holding(&part.path, value.clone())).await;
                let path = Value::Array(part.path.clone());
                let is_told = refuses(&answer, &path, None);
                // Many properties are cleared by null.
                let is_cleared = value.is_null() && answer.status != 400;
                if !is_told && !is_cleared {
                    let operation = route.operation;
                    wrong.push(format!("{operation} {path} {value}: {}", answer.text));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {words}: {wrong:#?}", wrong.len());
    assert!(words > 150, "{words}");
}

#[actix_web::test]
async fn every_operation_refuses_a_query_parameter_that_it_does_not_declare() {
    let api = managing::managed().await;
    let owner = api.owner("owner@example.com").await;
    for route in routes() {
        let mut target = Target::of(&api, &owner, route).await;
        target.uri = format!("{}?{UNKNOWN}=1", target.uri);
        let answer = target.send(&json!({})).await;
        let is_refused =
            answer.status == 422 && refuses(&answer, &json!([UNKNOWN]), Some("unknown_parameter"));
        assert_eq!(is_refused, !route.is_linked, "{} {}", route.operation, answer.text);
    }
}

#[actix_web::test]
async fn an_unknown_parameter_is_reported_with_the_nearest_or_all() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (query, path, message) in [
        ("filter=%7B%22total%22%3A1%7D", "filter", "limit, next_cursor"),
        ("page=2", "page", "limit, next_cursor"),
        ("status=paid&limit=5", "status", "limit, next_cursor"),
        ("querry=%7B%7D", "querry", "did you mean `query`?"),
        ("orderBy=-date", "orderBy", "did you mean `order_by`?"),
        ("query[total]=1", "query[total]", "did you mean `query`?"),
        ("limit[x]=1", "limit[x]", "did you mean `limit`?"),
        ("filter[limit]=1", "filter[limit]", "limit, next_cursor"),
        ("[limit]=1", "[limit]", "limit, next_cursor"),
    ] {
        let answer = api.get(&format!("/invoices?{query}"), &owner).await.with(422);
        assert!(refuses(&answer, &json!([path]), Some("unknown_parameter")), "{answer:?}");
        assert!(answer.text.contains(message), "{answer:?}");
    }
    // Mail programs append parameters to links.
    for kind in ["invoices", "estimates", "credit-notes", "advance-invoices", "delivery-notes"] {
        let shared = format!("/{kind}/shareable/inv_share_x?zz=1");
        let answer = api.get(&shared, &Who::anonymous()).await.with(422);
        assert!(refuses(&answer, &json!(["zz"]), Some("unknown_parameter")), "{answer:?}");
    }
    let verify = "/users/verify-email?token=x&utm_campaign=1";
    api.get(verify, &Who::anonymous()).await.with(200);
}

#[actix_web::test]
async fn brackets_are_read_in_filters_of_the_earlier_generation_alone() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let list = format!("/v1/Organizations/{}/webhooks", owner.entity());
    for part in ["filter[limit]=1", "filter[skip]=0", "filter[offset]=0", "filter[order]=id"] {
        api.get(&format!("{list}?{part}"), &owner).await.with(200);
    }
    for (query, path, near) in [
        ("filter[limt]=1", "filter[limt]", "did you mean `filter[limit]`?"),
        ("filter[where][enabled]=true", "filter[where][enabled]", "did you mean `filter`?"),
        ("filter[]=1", "filter[]", "did you mean `filter`?"),
        ("order[id]=1", "order[id]", "expected one of "),
    ] {
        let answer = api.get(&format!("{list}?{query}"), &owner).await.with(422);
        assert!(refuses(&answer, &json!([path]), Some("unknown_parameter")), "{answer:?}");
        assert!(answer.text.contains(near), "{answer:?}");
    }
    // In every operation that declares a parameter, and so could take it for one with brackets.
    for route in routes().filter(|route| !route.is_linked) {
        let Some(name) = route.parameters.into_iter().flatten().map(|it| it.name).next() else {
            continue;
        };
        let name = format!("{name}[{UNKNOWN}]");
        let mut target = Target::of(&api, &owner, route).await;
        target.uri = format!("{}?{name}=1", target.uri);
        let answer = target.send(&json!({})).await;
        let is_refused = refuses(&answer, &json!([name]), Some("unknown_parameter"));
        assert!(is_refused, "{} {}", route.operation, answer.text);
    }
}

#[actix_web::test]
async fn an_unknown_property_is_reported_with_the_nearest() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (path, body, field, message) in [
        ("/invoices", json!({"custmer": {}, "items": []}), "custmer", "did you mean `customer`?"),
        ("/customers", json!({"name": "a", "tax_numbr": "1"}), "tax_numbr", "`tax_number`?"),
        ("/payments", json!({"refrence": "x"}), "refrence", "did you mean `reference`?"),
        ("/recurring-invoices", json!({"end": "2027-03-01"}), "end", "did you mean `end_date`?"),
        ("/webhooks", json!({"enabled": false}), "enabled", "expected one of "),
        ("/payment-reminders/send", json!({"to": "a@b.si"}), "to", "expected one of "),
        ("/pos/tables", json!({"nam": "1"}), "nam", "expected "),
        ("/entities", json!({"vat_number": "1"}), "vat_number", "did you mean `tax_number`?"),
    ] {
        let answer = api.post(path, &owner, body).await.with(422);
        assert!(refuses(&answer, &json!([field]), Some("unknown_field")), "{answer:?}");
        assert!(answer.text.contains(message), "{path}: {}", answer.text);
    }
}

#[actix_web::test]
async fn settings_keep_foreign_keys_but_no_slips() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    let slip = json!({"settings": {"default_invoice_due_dayz": 5, "erp_terms": 5}});
    let answer = api.patch(&path, &owner, slip).await.with(422);
    let field = json!(["settings", "default_invoice_due_dayz"]);
    assert!(refuses(&answer, &field, Some("unknown_field")), "{answer:?}");
    assert!(answer.text.contains("did you mean `default_invoice_due_days`?"), "{answer:?}");
    let nested = json!({"settings": {"number_formats": {"invoise": "{nnn}"}}});
    api.patch(&path, &owner, nested).await.with(422);
    let foreign = json!({"settings": {"erp_terms": 5}});
    let kept = api.patch(&path, &owner, foreign).await.with(200).json();
    assert_eq!(kept["settings"]["erp_terms"], 5);
}

#[actix_web::test]
async fn settings_of_business_units_are_known_ones_at_every_depth() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let made = api.post("/business-units", &owner, json!({"name": "Enota"})).await.with(201).json();
    let path = format!("/business-units/{}", made["id"].as_str().unwrap());
    for (settings, at, message) in [
        (
            json!({"email_defaults": {"invoice_subjectt": "a"}}),
            json!(["settings", "email_defaults", "invoice_subjectt"]),
            "did you mean `invoice_subject`?",
        ),
        (
            json!({"bank_account": []}),
            json!(["settings", "bank_account"]),
            "did you mean `bank_accounts`?",
        ),
        (json!({"zzq": 1}), json!(["settings", "zzq"]), "there are pdf_template"),
        (
            json!({"bank_accounts": [{"ibann": "x"}]}),
            json!(["settings", "bank_accounts", 0, "ibann"]),
            "did you mean `iban`?",
        ),
    ] {
        let new = json!({"name": "a", "settings": settings});
        for answer in [
            api.post("/business-units", &owner, new).await,
            api.patch(&path, &owner, json!({"settings": settings})).await,
        ] {
            assert!(refuses(&answer, &at, Some("unknown_field")), "{answer:?}");
            assert!(answer.text.contains(message), "{answer:?}");
        }
    }
    let known = json!({"settings": {
        "email_defaults": {"invoice_subject": "a"}, "document_footer": "b",
        "translations": {"document_footer": {"sl-SI": "c"}}, "tax_clause_defaults": {"export": "d"},
    }});
    let after = api.patch(&path, &owner, known.clone()).await.with(200).json();
    assert_eq!(after["settings"], known["settings"]);
}

#[actix_web::test]
async fn fiscal_settings_sent_through_the_entity_are_passed_over_with_a_warning() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    let warned = |answer: &Value| answer["warnings"].clone();
    for key in ["furs", "fina"] {
        let sent = json!({"settings": {key: {"enabled": true}}});
        let after = api.patch(&path, &owner, sent.clone()).await.with(200).json();
        let warnings = warned(&after);
        assert_eq!(warnings[0]["path"], json!(["settings", key]), "{warnings}");
        assert_eq!(warnings[0]["code"], "not_updatable");
        let route = format!("PUT /fiscalization/{key}/settings");
        assert!(warnings[0]["message"].as_str().unwrap().contains(&route), "{warnings}");
        let new = json!({
            "name": "a", "country": "SI", "environment": "sandbox", "settings": sent["settings"],
        });
        let made = api.post("/entities", &owner, new).await.with(201).json();
        assert_eq!(warned(&made), warnings);
    }
    let own = json!({"numbering_strategy": "B"});
    api.put("/fiscalization/furs/settings", &owner, own).await.with(200);
    let read = api.get(&path, &owner).await.with(200).json();
    assert!(read["settings"]["furs"].is_object(), "{read}");
    let again = json!({"settings": read["settings"]});
    let after = api.patch(&path, &owner, again).await.with(200).json();
    assert_eq!((&after["settings"], warned(&after)), (&read["settings"], json!([])));
}

#[actix_web::test]
async fn a_documents_own_business_unit_takes_the_settings_that_units_have() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let unit = api.post("/business-units", &owner, json!({"name": "Koper"})).await.with(201).json();
    let settings = json!({
        "zz": 1, "primary_color": "nonsense", "pdf_template": "q", "logo_scale_percent": 500,
        "email_defaults": {"invoice_subjectt": "q", "invoice_body": "{nonsense}"},
    });
    let wrong = [
        r#"["business_unit","settings","email_defaults","invoice_body"]"#,
        r#"["business_unit","settings","email_defaults","invoice_subjectt"]"#,
        r#"["business_unit","settings","logo_scale_percent"]"#,
        r#"["business_unit","settings","pdf_template"]"#,
        r#"["business_unit","settings","primary_color"]"#,
        r#"["business_unit","settings","zz"]"#,
    ];
    let places = |answer: Value| {
        let issues = answer["cause"]["issues"].as_array().unwrap().clone();
        let mut places: Vec<String> = issues.iter().map(|it| it["path"].to_string()).collect();
        places.sort();
        places
    };
    for path in ["invoices", "estimates", "credit-notes", "advance-invoices", "delivery-notes"] {
        let path = format!("/{path}");
        let mut body = json!({
            "is_draft": true, "items": [{"name": "a", "price": 1}], "business_unit_id": unit["id"],
            "business_unit": {"name": "u", "settings": settings},
        });
        let refused = api.post(&path, &owner, body.clone()).await.with(422).json();
        assert_eq!(places(refused), wrong, "{path}");
        body["business_unit"] = json!({"name": "u", "settings": {"primary_color": "#112233"}});
        let made = api.post(&path, &owner, body).await.with(201).json();
        let path = format!("{path}/{}", text(&made["id"]));
        // What is answered may be sent back.
        let same = json!({"business_unit": made["business_unit"]});
        api.patch(&path, &owner, same).await.with(200);
        let change = json!({"business_unit": {"settings": settings}});
        let refused = api.patch(&path, &owner, change).await.with(422).json();
        assert_eq!(places(refused), wrong, "{path}");
    }
}
