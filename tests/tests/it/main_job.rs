//! The main job: from signing up to a voided invoice, over HTTP, on both stores.

use racun_tests::{Account, Racun, StoreKind, on_both_stores, with_query};
use serde_json::{Value, json};

on_both_stores! {
    a_newcomer_issues_and_voids_an_invoice,
    keys_are_shown_once_and_open_their_entity,
    an_update_leaves_a_version,
    a_draft_has_no_number_until_it_is_finalized,
    a_void_invoice_stays_and_an_issued_one_is_never_deleted,
    the_next_number_is_shown_and_not_taken,
    a_custom_invoice_keeps_the_given_totals,
    documented_answers_of_taxes_and_customers_hold,
    an_invoice_is_found_by_its_metadata,
    settings_merge_and_protected_keys_are_left_alone,
    what_is_saved_along_with_an_invoice_is_in_the_catalogue,
}

/// One line at 22 %: 100.00 and 122.00.
fn one_line() -> Value {
    json!({ "items": [{ "name": "Work", "price": 100, "taxes": [{ "rate": 22 }] }] })
}

async fn a_newcomer_issues_and_voids_an_invoice(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let api = &account.api;
    let customer =
        api.create("/customers", &json!({ "name": "Kupec d.o.o.", "city": "Celje" })).await;
    let item = api.create("/items", &json!({ "name": "Hour", "price": 50, "unit": "h" })).await;
    let draft = json!({
        "is_draft": true,
        "customer_id": customer["id"],
        "items": [{ "item_id": item["id"], "quantity": 3, "taxes": [{ "rate": 9.5 }] }],
    });
    let draft = api.create("/invoices", &draft).await;
    assert!(text(&draft["number"]).starts_with("draft-"), "{draft}");
    let finalize = format!("/documents/{}/finalize", text(&draft["id"]));
    let issued = api.post(&finalize, &json!({})).await.expect(200);
    assert_eq!(issued["number"], format!("{}-00001", issued["date_year"]));
    assert_eq!(issued["id"], draft["id"]);
    assert_eq!(issued["is_draft"], false);
    assert_eq!(issued["customer"]["name"], "Kupec d.o.o.");
    assert_eq!(issued["customer"]["city"], "Celje");
    assert_eq!(issued["items"][0]["name"], "Hour");
    assert_eq!(issued["items"][0]["unit"], "h");
    assert_eq!(issued["issuer"]["name"], "Racun Test");
    assert_amounts(&issued, "150", "14.25", "164.25", "0");
    assert_eq!(issued["total_due"].to_string(), "164.25");
    assert_eq!(issued["currency_code"], "EUR");
    let path = format!("/invoices/{}", text(&issued["id"]));
    assert_eq!(api.read(&path).await, issued);
    let list = api.read("/invoices").await;
    assert_eq!(list["data"], json!([issued]));
    assert_eq!(list["pagination"]["total"].to_string(), "1");
    let void = api.post(&format!("{path}/void"), &json!({ "reason": "Wrong customer" })).await;
    let void = void.expect(200);
    assert!(void["voided_at"].is_string(), "{void}");
    assert_eq!(void["number"], issued["number"]);
    let next = api.create("/invoices", &one_line()).await;
    assert_eq!(next["number"], format!("{}-00002", next["date_year"]));
}

async fn keys_are_shown_once_and_open_their_entity(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    assert_key(&account.key, "sk_sandbox_");
    let wanted = json!({ "name": "Shop" });
    let made = account.user.create("/entities/api-keys", &wanted).await;
    let key = text(&made["id"]).to_owned();
    assert_key(&key, "ek_sandbox_");
    assert_eq!(made["entity_id"], account.entity.as_str());
    let listed = account.user.get("/entities/api-keys").await;
    assert_eq!(listed.expect(200)["data"][0]["prefix_hint"], made["prefix_hint"]);
    assert!(!listed.text.contains(&key), "a list shows a whole key: {}", listed.text);
    let shop = racun.client().bearer(&key);
    let invoice = shop.create("/invoices", &one_line()).await;
    assert_eq!(invoice["entity_id"], account.entity.as_str());
    let entities = account.user.read("/entities").await;
    assert_eq!(entities["data"][0]["id"], account.entity.as_str());
    account.user.delete(&format!("/entities/api-keys/{}", text(&made["key_id"]))).await.expect(204);
    shop.get("/invoices").await.refused(401, "unauthorized");
    racun.client().get("/invoices").await.refused(401, "unauthorized");
}

async fn an_update_leaves_a_version(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let invoice = account.api.create("/invoices", &one_line()).await;
    let path = format!("/invoices/{}", text(&invoice["id"]));
    let change = json!({
        "note": "Thank you",
        "items": [{ "name": "Work", "price": 200, "taxes": [{ "rate": 22 }] }],
        "change_reason": "One hour more",
    });
    let changed = account.user.patch(&path, &change).await.expect(200);
    assert_eq!(changed["number"], invoice["number"]);
    assert_amounts(&changed, "200", "44", "244", "0");
    let versions = account.api.read(&format!("{path}/versions")).await;
    let versions = versions["versions"].as_array().expect("versions are an array");
    assert_eq!(versions.len(), 1, "{versions:?}");
    assert_eq!(versions[0]["version"].to_string(), "1");
    assert_eq!(versions[0]["change_reason"], "One hour more");
    assert_eq!(versions[0]["user"]["email"], account.email.as_str());
    let fields = versions[0]["changed_fields"].to_string();
    assert!(fields.contains("note") && fields.contains("items"), "{fields}");
    assert!(!fields.contains("number") && !fields.contains("customer"), "{fields}");
}

async fn a_draft_has_no_number_until_it_is_finalized(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let mut draft = one_line();
    draft["is_draft"] = json!(true);
    let first = api.create("/invoices", &draft).await;
    let second = api.create("/invoices", &draft).await;
    for id in [&second["id"], &first["id"]] {
        let path = format!("/documents/{}/finalize", text(id));
        api.post(&path, &json!({})).await.expect(200);
        let again = api.post(&path, &json!({})).await;
        again.refused(422, "unprocessable_entity");
        assert_eq!(again.cause(), "document_not_draft");
    }
    // Numbers follow the order of issuing, not of writing.
    let year = &first["date_year"];
    for (draft, number) in [(&second, "00001"), (&first, "00002")] {
        let issued = api.read(&format!("/invoices/{}", text(&draft["id"]))).await;
        assert_eq!(issued["number"], format!("{year}-{number}"));
    }
    let gone = api.create("/invoices", &draft).await;
    api.delete(&format!("/documents/{}?type=invoice", text(&gone["id"]))).await.expect(204);
    api.get(&format!("/invoices/{}", text(&gone["id"]))).await.refused(404, "not_found");
    assert_eq!(api.all("/invoices").await.len(), 2);
}

async fn a_void_invoice_stays_and_an_issued_one_is_never_deleted(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let invoice = api.create("/invoices", &one_line()).await;
    let id = text(&invoice["id"]);
    let refused = api.delete(&format!("/documents/{id}?type=invoice")).await;
    refused.refused(422, "unprocessable_entity");
    assert_eq!(refused.cause(), "document_not_draft");
    let void = format!("/invoices/{id}/void");
    let voided = api.post(&void, &json!({})).await.expect(200);
    let again = api.post(&void, &json!({})).await;
    again.refused(422, "unprocessable_entity");
    assert_eq!(again.cause(), "document_voided");
    let update = api.patch(&format!("/invoices/{id}"), &json!({ "note": "late" })).await;
    update.refused(422, "unprocessable_entity");
    assert_eq!(update.cause(), "document_voided");
    assert_eq!(api.read(&format!("/invoices/{id}")).await, voided);
    let mut draft = one_line();
    draft["is_draft"] = json!(true);
    let draft = api.create("/invoices", &draft).await;
    let void = api.post(&format!("/invoices/{}/void", text(&draft["id"])), &json!({})).await;
    void.refused(422, "unprocessable_entity");
}

async fn the_next_number_is_shown_and_not_taken(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let next = async |kind: &str| {
        let answer = api.read(&format!("/documents/next-number?type={kind}")).await;
        text(&answer["number"]).to_owned()
    };
    let (first, again) = (next("invoice").await, next("invoice").await);
    assert_eq!(first, again);
    let invoice = api.create("/invoices", &one_line()).await;
    assert_eq!(invoice["number"], first.as_str());
    assert_eq!(next("invoice").await, format!("{}-00002", invoice["date_year"]));
    assert_eq!(next("credit_note").await, format!("CN-{}-00001", invoice["date_year"]));
    api.get("/documents/next-number?type=bill").await.refused_at("type");
    api.get("/documents/next-number").await.refused_at("type");
}

async fn a_custom_invoice_keeps_the_given_totals(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let custom = |total_with_tax: &str| {
        format!(
            r#"{{"items": [{{"name": "Old work", "price": 10, "quantity": 1, "total": 10.01,
                "total_with_tax": 12.21, "taxes": [{{"rate": 22, "amount": 2.20}}]}}],
              "total": 10.01, "total_with_tax": {total_with_tax}, "total_discount": 0.5,
              "taxes": [{{"rate": 22, "base": 10.01, "amount": 2.20}}]}}"#
        )
    };
    let invoice = api.json("POST", "/invoices/custom", custom("12.21")).await.expect(201);
    assert_eq!(invoice["creation_source"], "custom");
    assert_amounts(&invoice, "10.01", "2.2", "12.21", "0.5");
    assert_eq!(invoice["items"][0]["total"].to_string(), "10.01");
    assert_eq!(invoice["items"][0]["total_with_tax"].to_string(), "12.21");
    let refused = api.json("POST", "/invoices/custom", custom("12.99")).await;
    refused.refused(422, "unprocessable_entity");
    let missing = json!({ "items": [{ "name": "Old work", "price": 10 }], "total": 10 });
    api.post("/invoices/custom", &missing).await.refused_at("total_with_tax");
    assert_eq!(api.all("/invoices").await, [invoice]);
}

async fn documented_answers_of_taxes_and_customers_hold(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let tax = api.create("/taxes", &json!({ "tax_rates": [{ "rate": 22 }] })).await;
    assert_eq!(tax["name"], "22%");
    assert_eq!(tax["tax_rates"][0]["valid_from"], "1970-01-01T00:00:00.000Z");
    assert_eq!(tax["tax_rates"][0]["rate"].to_string(), "22");
    let customer = api.create("/customers", &json!({ "name": "Kupec" })).await;
    let texts = [
        "address",
        "address_2",
        "post_code",
        "city",
        "state",
        "country",
        "country_code",
        "tax_number",
        "company_number",
        "peppol_id",
        "peppol_scheme_id",
        "email",
    ];
    for field in texts {
        assert_eq!(customer[field], Value::Null, "{field}");
    }
    assert_eq!(customer["is_tax_subject"], true);
    assert_eq!(customer["is_end_consumer"], false);
    assert_eq!(customer["metadata"], json!({}));
    assert_eq!(customer["vies"], Value::Null);
    assert_eq!(customer["contact_type"], "buyer");
}

async fn an_invoice_is_found_by_its_metadata(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let mut wanted = None;
    for order in ["A-1", "A-2", "B-1"] {
        let mut invoice = one_line();
        invoice["metadata"] = json!({ "order_id": order });
        let made = api.create("/invoices", &invoice).await;
        wanted = (order == "A-2").then_some(made).or(wanted);
    }
    let filter = r#"{"metadata": {"order_id": {"equals": "A-2"}}}"#;
    let page = api.read(&with_query("/invoices", &[("query", filter), ("limit", "1")])).await;
    assert_eq!(page["data"], json!([wanted]));
    assert_eq!(page["pagination"]["total"].to_string(), "1");
    let search =
        api.read(&with_query("/invoices", &[("query", r#"{"total": {"gt": 100}}"#)])).await;
    assert_eq!(search["data"], json!([]));
    let unpaid = r#"{"paid_in_full": false, "total_paid": 0, "voided_at": null}"#;
    let unpaid = api.read(&with_query("/invoices", &[("query", unpaid)])).await;
    assert_eq!(unpaid["pagination"]["total"].to_string(), "3");
}

async fn settings_merge_and_protected_keys_are_left_alone(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let path = format!("/entities/{}", account.entity);
    let first =
        json!({ "settings": { "default_invoice_note": "Hvala", "primary_color": "#aabbcc" } });
    let first = account.user.patch(&path, &first).await.expect(200);
    let second = json!({ "settings": { "document_footer": "x", "furs": { "enabled": true } } });
    let second = account.user.patch(&path, &second).await.expect(200);
    let mut expected = first["settings"].clone();
    expected["document_footer"] = json!("x");
    assert_eq!(second["settings"], expected);
    assert_eq!(account.user.read(&path).await["settings"], expected);
    let invoice = account.api.create("/invoices", &one_line()).await;
    assert_eq!(invoice["footer"], "x");
    assert_eq!(invoice["note"], "Hvala");
    let mut silent = one_line();
    silent["note"] = json!("");
    let silent = account.api.create("/invoices", &silent).await;
    assert_ne!(silent["note"], "Hvala");
}

async fn what_is_saved_along_with_an_invoice_is_in_the_catalogue(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let invoice = json!({
        "customer": { "name": "Nov kupec", "save_customer": true },
        "items": [{ "name": "Nova stvar", "price": 5, "taxes": [], "save_item": true }],
    });
    let invoice = api.create("/invoices", &invoice).await;
    let customers = api.all("/customers").await;
    assert_eq!(customers.len(), 1);
    assert_eq!(customers[0]["id"], invoice["customer_id"]);
    let items = api.all("/items").await;
    assert_eq!(items.len(), 1);
    assert_eq!(items[0]["id"], invoice["items"][0]["item_id"]);
    let passing = json!({
        "customer": { "name": "Mimoidoči", "save_customer": false },
        "items": [{ "name": "Kava", "gross_price": 1.50, "taxes": [{ "rate": 9.5 }] }],
    });
    let passing = api.create("/invoices", &passing).await;
    assert_eq!(passing["customer_id"], Value::Null);
    assert_eq!(passing["customer"]["name"], "Mimoidoči");
    assert_eq!(api.all("/customers").await.len(), 1);
    assert_eq!(api.all("/items").await.len(), 1);
}

fn assert_key(key: &str, prefix: &str) {
    let secret = key.strip_prefix(prefix).unwrap_or_else(|| panic!("{prefix}: {key}"));
    assert_eq!(secret.len(), 32, "{key}");
    assert!(secret.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)), "{key}");
}

/// Checks total, the sum of one tax, total with tax and discount, digit by digit.
#[track_caller]
fn assert_amounts(invoice: &Value, total: &str, tax: &str, with_tax: &str, discount: &str) {
    assert_eq!(invoice["total"].to_string(), total, "total");
    assert_eq!(invoice["taxes"][0]["amount"].to_string(), tax, "tax");
    assert_eq!(invoice["total_with_tax"].to_string(), with_tax, "total_with_tax");
    assert_eq!(invoice["total_discount"].to_string(), discount, "total_discount");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}
