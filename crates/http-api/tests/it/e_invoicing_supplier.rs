//! Enrolling as the earlier generation does, and what sending costs of a plan.

use racun_billing::Catalogue;
use serde_json::{Value, json};

use crate::billing::owner;
use crate::e_invoicing::{World, cause};
use crate::harness::text;

#[actix_web::test]
async fn a_supplier_of_the_earlier_generation_is_the_entity_and_its_enrollment() {
    let world = World::new().await;
    let owner = world.entity().await;
    let path = "/e-invoicing/supplier";
    let post = |body: Value| world.api.post(path, &owner, body);
    world.api.get(path, &owner).await.with(404);
    world.api.patch(path, &owner, json!({})).await.with(404);
    let lacking = post(json!({"iban": "SI56263300012039087"})).await.with(422);
    for field in ["company_name", "country_code", "iban"] {
        assert!(lacking.text.contains(&format!("[\"{field}\"]")), "{lacking:?}");
    }
    let abroad = json!({"company_name": "Ana", "country_code": "AT", "contact_email": "no"});
    let abroad = post(abroad).await.with(422);
    for field in ["country_code", "contact_email"] {
        assert!(abroad.text.contains(&format!("[\"{field}\"]")), "{abroad:?}");
    }
    let sent = json!({
        "company_name": "Pri Ani d.d.", "vat_number": "SI10039856", "company_number": "1234567000",
        "iban": "SI27 0201 0001 2345 678", "address": "Glavna 2", "city": "Celje",
        "post_code": "3000", "country_code": "SI", "contact_email": "racuni@example.com",
        "contact_phone": "+386 3 1234567",
    });
    let mut made = post(sent.clone()).await.with(201).json();
    assert!(text(&made["id"]).starts_with("einv_sup_"), "{made}");
    assert_eq!(made["status"], "enrollment_pending");
    world.work().await;
    made["status"] = "verified".into();
    let mut found = world.api.get(path, &owner).await.with(200);
    assert!(!found.header("deprecation").is_empty());
    let mut known = found.json();
    for (field, value) in sent.as_object().unwrap().iter().filter(|(field, _)| *field != "iban") {
        assert_eq!(known[field], *value);
    }
    assert_eq!(known["iban"], "SI27020100012345678");
    known["updated_at"] = made["updated_at"].clone();
    assert_eq!(known, made);
    let entity = format!("/entities/{}", owner.entity());
    let entity = world.api.get(&entity, &owner).await.with(200).json();
    assert_eq!(entity["name"], "Pri Ani d.d.");
    let accounts = entity["settings"]["bank_accounts"].as_array().unwrap().clone();
    assert_eq!((accounts.len(), &accounts[0]["is_default"]), (2, &json!(true)));
    let again = post(sent).await.with(409);
    assert_eq!(cause(&again), "e_invoicing_enrolled");
    // Without its VAT number it is known no more.
    let patched = world.api.patch(path, &owner, json!({"vat_number": null})).await.with(200).json();
    assert_eq!(patched["status"], "missing_entity_data", "{patched}");
    let settings = world.settings(&owner).await;
    let missing = &settings["enrollment"]["missing_fields"];
    assert_eq!(*missing, json!(["e_invoicing.sender_identifier"]));
    let back = json!({"vat_number": "SI10039856", "contact_phone": null});
    let back = world.api.patch(path, &owner, back).await.with(200).json();
    assert_eq!(
        (&back["status"], &back["contact_phone"]),
        (&json!("enrollment_pending"), &Value::Null)
    );
    let editor = world.api.member(&owner, "editor@example.com", "editor").await;
    world.api.patch(path, &editor, json!({"city": "Koper"})).await.with(403);
    found = world.api.get(path, &editor).await.with(200);
    assert_eq!(found.json()["city"], "Celje");
}

#[actix_web::test]
async fn each_document_that_is_sent_counts_once_and_not_beyond_the_plan() {
    let file = json!({"white_labels": [{
        "slug": "acme", "name": "Acme", "hosts": ["app.acme.example"], "billing_enabled": true,
        "trial_days": 14, "default_plan": "start", "allowed_payment_providers": ["bank"],
        "plans": [{"slug": "start", "name": "Start", "base_price_cents": 900, "display_order": 1,
                   "limits": {"e_invoicing_sends_included": 2}}],
    }]});
    let labels = serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap();
    let world = World::selling(labels).await;
    let ana = owner(&world.api, "ana@example.com", Some(("host", "app.acme.example"))).await;
    let iban = json!([{"type": "iban", "iban": "SI56263300012039086"}]);
    let whole = json!({
        "tax_number": "SI10039856", "company_number": "1234567000", "address": "Glavna 1",
        "post_code": "1000", "city": "Ljubljana", "phone": "+386 1 2345678",
        "email": "ana@example.com", "settings": {"bank_accounts": iban},
    });
    let entity = format!("/entities/{}", ana.entity());
    world.api.patch(&entity, &ana, whole).await.with(200);
    world.put(&ana, json!({"enabled": true})).await.with(200);
    world.work().await;
    let used = async || {
        let own = world.api.get("/white-label-subscriptions", &ana).await.with(200).json();
        own["usage"]["e_invoicing_send_count"].clone()
    };
    for n in 1..=2 {
        let id = world.invoice(&ana, json!({})).await;
        for _ in 0..3 {
            world.send(&ana, &id, json!({})).await.with(202);
            world.work().await;
        }
        assert_eq!(used().await, n, "repeated orders cost nothing");
    }
    let third = world.invoice(&ana, json!({})).await;
    let refused = world.send(&ana, &third, json!({})).await.with(403);
    assert_eq!(cause(&refused), "plan_limit_reached");
    assert!(world.submissions(&ana, &third).await.is_empty());
    assert_eq!(used().await, 2);
    assert_eq!(world.network.sent.lock().unwrap().len(), 2);
}
