//! Settings, premises and devices of both authorities.

use serde_json::{Value, json};

use crate::authorities::{PASSPHRASE, file};
use crate::harness::{Who, text};
use crate::taxpayer::{OIB, TAX_NUMBER, Taxpayer, cause};

#[actix_web::test]
async fn settings_start_as_specified() {
    let si = Taxpayer::slovenian().await;
    let expected = json!({
        "enabled": false, "default_skip_fiscalization": false, "numbering_strategy": "C",
        "operator_tax_number": null, "operator_label": null, "foreign_operator": false,
        "environment": "test", "has_certificate": false, "certificate_status": "missing",
        "certificate_expiry": null, "certificate_file_id": null, "certificate_cn": null,
        "certificate_subject": null, "certificate_issuer": null, "warnings": [],
    });
    assert_eq!(si.get("/settings").await.with(200).json(), expected);
    let hr = Taxpayer::croatian().await;
    let expected = json!({
        "enabled": false, "operator_oib": null, "operator_label": null, "u_sust_pdv": true,
        "numbering_sequence": "P", "unified_numbering": true, "environment": "test",
        "has_certificate": false, "certificate_status": "missing", "certificate_expiry": null,
        "certificate_file_id": null, "certificate_cn": null, "certificate_subject": null,
        "certificate_issuer": null, "warnings": [],
    });
    assert_eq!(hr.get("/settings").await.with(200).json(), expected);
}

#[actix_web::test]
async fn settings_take_over_what_is_sent_and_nothing_else() {
    let si = Taxpayer::slovenian().await;
    let first = json!({
        "enabled": true, "default_skip_fiscalization": true, "numbering_strategy": "B",
        "operator_tax_number": "12345678", "operator_label": "ANA", "foreign_operator": true,
    });
    let mut expected = si.get("/settings").await.with(200).json();
    for (key, value) in first.as_object().unwrap() {
        expected[key] = value.clone();
    }
    let after = si.put(first).await.with(200).json();
    expected["warnings"] = after["warnings"].clone();
    assert_eq!(after, expected);
    assert_eq!(si.put(json!({})).await.with(200).json(), expected);
    let cleared = json!({"operator_tax_number": null, "enabled": null, "numbering_strategy": null});
    let after = si.put(cleared).await.with(200).json();
    assert_eq!(after["operator_tax_number"], Value::Null);
    assert_eq!((&after["enabled"], &after["numbering_strategy"]), (&json!(false), &json!("C")));
    assert_eq!(
        (&after["operator_label"], &after["foreign_operator"]),
        (&json!("ANA"), &json!(true))
    );
    assert_eq!(si.get("/settings").await.with(200).json(), after);
    let hr = Taxpayer::croatian().await;
    let body = json!({"enabled": true, "operator_oib": OIB, "operator_label": "1",
        "u_sust_pdv": false, "numbering_sequence": "N", "unified_numbering": false});
    let after = hr.put(body.clone()).await.with(200).json();
    for (key, value) in body.as_object().unwrap() {
        assert_eq!(&after[key], value, "{key}");
    }
    assert_eq!(hr.get("/settings").await.with(200).json(), after);
}

#[actix_web::test]
async fn settings_that_are_wrong_change_nothing() {
    let si = Taxpayer::slovenian().await;
    let hr = Taxpayer::croatian().await;
    for (who, body, path, code) in [
        (&si, json!({"operator_tax_number": "1234567"}), "operator_tax_number", "invalid_value"),
        (&si, json!({"operator_tax_number": "SI123456"}), "operator_tax_number", "invalid_value"),
        (&si, json!({"operator_label": " "}), "operator_label", "required"),
        (&si, json!({"operator_label": "x".repeat(256)}), "operator_label", "too_long"),
        (&si, json!({"numbering_strategy": "D"}), "numbering_strategy", "invalid_value"),
        (&si, json!({"enabled": "yes"}), "enabled", "invalid_type"),
        (&hr, json!({"operator_oib": "69435151531"}), "operator_oib", "invalid_value"),
        (&hr, json!({"operator_oib": "12345678"}), "operator_oib", "invalid_value"),
        (&hr, json!({"numbering_sequence": "C"}), "numbering_sequence", "invalid_value"),
    ] {
        let before = who.get("/settings").await.with(200).json();
        let mut body = body;
        if path != "enabled" {
            body["enabled"] = json!(true);
        }
        let refused = who.put(body.clone()).await.with(422);
        assert_eq!(refused.issue(), (json!([path]).to_string(), code.to_owned()), "{body}");
        assert_eq!(who.get("/settings").await.with(200).json(), before);
    }
}

#[actix_web::test]
async fn an_authority_is_of_its_own_country_only() {
    let si = Taxpayer::slovenian().await;
    let hr = Taxpayer { base: "/fiscalization/fina", ..Taxpayer::slovenian().await };
    let hr_premise = hr.post("/premises", json!({"business_premise_name": "A"})).await.with(422);
    assert_eq!(cause(&hr_premise), "country_not_supported");
    let refused = hr.put(json!({"enabled": true})).await.with(422);
    assert!(refused.text.contains("HR"), "{refused:?}");
    let parts =
        [("file", &file(TAX_NUMBER, 2025, 2030)[..]), ("passphrase", PASSPHRASE.as_bytes())];
    assert_eq!(cause(&hr.upload(&parts).await.with(422)), "country_not_supported");
    assert_eq!(hr.get("/settings").await.with(200).json()["has_certificate"], false);
    assert_eq!(hr.get("/premises").await.with(200).json(), json!([]));
    si.put(json!({"enabled": true})).await.with(200);
}

#[actix_web::test]
async fn a_croatian_premise_is_a_name_with_devices() {
    let hr = Taxpayer::croatian().await;
    let body = json!({"business_premise_name": "Prodaja1", "starting_number": 7});
    let made = hr.post("/premises", body.clone()).await.with(201).json();
    assert_eq!(
        (&made["success"], &made["business_premise_name"]),
        (&json!(true), &json!("Prodaja1"))
    );
    assert!(!text(&made["message"]).is_empty());
    let id = text(&made["id"]);
    assert!(id.starts_with("fina_premise_"), "{id}");
    let now = "2026-11-20T08:00:00.000Z";
    let device = hr.device(&id, "12").await;
    assert!(device.starts_with("fina_device_"), "{device}");
    let device_body = json!({
        "id": device, "premise_id": id, "electronic_device_name": "12", "is_active": true,
        "starting_number": null, "can_update_starting_number": true, "created_at": now,
        "updated_at": now,
    });
    let expected = json!({
        "id": id, "entity_id": hr.owner.entity(), "business_premise_name": "Prodaja1",
        "type": "premise", "real_estate": null, "movable_premise": null, "is_active": true,
        "starting_number": 7, "can_update_starting_number": true, "registered_at": now,
        "closed_at": null, "created_at": now, "updated_at": now, "Devices": [device_body],
    });
    assert_eq!(hr.get("/premises").await.with(200).json(), json!([expected]));
    assert_eq!(hr.get(&format!("/premises/{id}")).await.with(200).json(), expected);
    let devices = hr.get(&format!("/premises/{id}/devices")).await.with(200).json();
    assert_eq!(devices, json!([device_body]));
    assert_eq!(hr.get(&format!("/devices/{device}")).await.with(200).json(), device_body);
    assert_eq!(hr.authorities.told().len(), 0, "no report is sent");
    let again = hr.post("/premises", body).await.with(409);
    assert_eq!(cause(&again), "duplicate");
    assert_eq!(cause(&hr.create_device(&id, "12").await.with(409)), "duplicate");
}

#[actix_web::test]
async fn a_closed_croatian_name_is_never_used_again() {
    let hr = Taxpayer::croatian().await;
    let id = hr.premise("A1").await;
    let (one, two) = (hr.device(&id, "1").await, hr.device(&id, "2").await);
    let off = hr.delete(&format!("/devices/{one}")).await.with(200).json();
    assert_eq!((&off["success"], &off["electronic_device_name"]), (&json!(true), &json!("1")));
    assert_eq!(cause(&hr.delete(&format!("/devices/{one}")).await.with(422)), "device_inactive");
    assert_eq!(cause(&hr.create_device(&id, "1").await.with(409)), "duplicate");
    hr.api.pass(60);
    let closed = hr.delete(&format!("/premises/{id}")).await.with(200).json();
    assert_eq!(
        (&closed["success"], &closed["business_premise_name"]),
        (&json!(true), &json!("A1"))
    );
    let premise = hr.get(&format!("/premises/{id}")).await.with(200).json();
    assert_eq!(
        (&premise["is_active"], &premise["closed_at"]),
        (&json!(false), &json!("2026-11-20T08:01:00.000Z"))
    );
    assert_eq!(premise["can_update_starting_number"], false);
    for device in [one, two] {
        let device = hr.get(&format!("/devices/{device}")).await.with(200).json();
        assert_eq!(device["is_active"], false, "{device}");
    }
    for refused in [
        hr.delete(&format!("/premises/{id}")).await,
        hr.patch(&format!("/premises/{id}"), json!({"starting_number": 2})).await,
        hr.create_device(&id, "3").await,
    ] {
        assert_eq!(cause(&refused.with(422)), "premise_closed");
    }
    let body = json!({"business_premise_name": "A1"});
    assert_eq!(cause(&hr.post("/premises", body).await.with(409)), "duplicate");
    hr.premise("a1").await;
}

#[actix_web::test]
async fn names_and_starts_are_checked() {
    let hr = Taxpayer::croatian().await;
    let name = |name: &str| json!({"business_premise_name": name});
    let start = |number: i64| json!({"business_premise_name": "A", "starting_number": number});
    let long = "A".repeat(21);
    for (body, path, code) in [
        (name(""), "business_premise_name", "invalid_value"),
        (name(&long), "business_premise_name", "invalid_value"),
        (name("A-1"), "business_premise_name", "invalid_value"),
        (name("Č1"), "business_premise_name", "invalid_value"),
        (name(" A"), "business_premise_name", "invalid_value"),
        (json!({}), "business_premise_name", "required"),
        (start(0), "starting_number", "invalid_value"),
        (start(1_000_000_000), "starting_number", "invalid_value"),
    ] {
        let refused = hr.post("/premises", body.clone()).await.with(422);
        assert_eq!(refused.issue(), (json!([path]).to_string(), code.to_owned()), "{body}");
    }
    assert_eq!(hr.get("/premises").await.with(200).json(), json!([]));
    let premise = hr.premise(&"A".repeat(20)).await;
    for (name, status) in [("1", 201), ("A1", 422), ("", 422), ("01", 422), (&*"1".repeat(20), 201)]
    {
        let answer = hr.create_device(&premise, name).await.with(status);
        let named = "[\"electronic_device_name\"]".to_owned();
        assert!(status == 201 || answer.issue().0 == named, "{answer:?}");
    }
    let si = Taxpayer::slovenian().await.certified().await;
    let premise = si.premise("A").await;
    for (name, status) in [("BLAG1", 201), ("B 1", 422), (&*"B".repeat(21), 422)] {
        let answer = si.create_device(&premise, name).await.with(status);
        assert!(status == 201 || answer.issue().0 == "[\"name\"]", "{answer:?}");
    }
}

#[actix_web::test]
async fn a_sequence_starts_at_its_setting_until_it_is_used() {
    let hr = Taxpayer::croatian().await;
    let premise = hr.premise("A").await;
    let device = hr.device(&premise, "1").await;
    for (path, key) in [
        (format!("/premises/{premise}"), "fina/2026/A"),
        (format!("/devices/{device}"), "fina/2026/A/1"),
    ] {
        let set = |number: Value| json!({"starting_number": number});
        let after = hr.patch(&path, set(json!(500))).await.with(200).json();
        assert_eq!(
            (&after["starting_number"], &after["can_update_starting_number"]),
            (&json!(500), &json!(true))
        );
        assert_eq!(hr.patch(&path, json!({})).await.with(200).json(), after);
        let after = hr.patch(&path, set(Value::Null)).await.with(200).json();
        assert_eq!(
            (&after["starting_number"], &after["can_update_starting_number"]),
            (&Value::Null, &json!(true))
        );
        let refused = hr.patch(&path, set(json!(0))).await.with(422);
        assert_eq!(
            refused.issue(),
            ("[\"starting_number\"]".to_owned(), "invalid_value".to_owned())
        );
        hr.patch(&path, set(json!(7))).await.with(200);
        hr.issue(key, 7).await;
        let before = hr.get(&path).await.with(200).json();
        assert_eq!(
            (&before["starting_number"], &before["can_update_starting_number"]),
            (&json!(7), &json!(false))
        );
        for number in [json!(8), Value::Null] {
            assert_eq!(
                cause(&hr.patch(&path, set(number)).await.with(422)),
                "starting_number_locked"
            );
        }
        assert_eq!(
            hr.patch(&path, set(json!(7))).await.with(200).json(),
            before,
            "nothing changes"
        );
    }
}

#[actix_web::test]
async fn a_year_has_sequences_of_its_own() {
    let mut si = Taxpayer::slovenian().await.certified().await;
    let premise = si.premise("A").await;
    let device = si.device(&premise, "B1").await;
    let path = format!("/premises/{premise}");
    si.patch(&path, json!({"starting_number": 7})).await.with(200);
    si.issue("furs/2026/A", 7).await;
    si.issue("furs/2026/A", 7).await;
    let shown = si.get(&format!("/devices/{device}")).await.with(200).json();
    assert_eq!(
        (&shown["counter"], &shown["can_update_starting_number"]),
        (&json!(8), &json!(true))
    );
    // The year begins in Ljubljana an hour before it does in UTC.
    si.api.pass(41 * 86_400 + 15 * 3_600 - 1);
    si.owner = si.api.log_in("owner@example.com").await.in_entity(si.owner.entity());
    assert_eq!(si.get(&path).await.with(200).json()["can_update_starting_number"], false);
    si.api.pass(1);
    let shown = si.get(&path).await.with(200).json();
    assert_eq!(
        (&shown["starting_number"], &shown["can_update_starting_number"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(shown["Devices"][0]["counter"], 0);
    si.patch(&path, json!({"starting_number": 3})).await.with(200);
    assert_eq!(si.get(&path).await.with(200).json()["starting_number"], 3);
}

#[actix_web::test]
async fn another_numbering_never_repeats_a_number() {
    let si = Taxpayer::slovenian().await.certified().await;
    let premise = si.premise("A").await;
    si.device(&premise, "B1").await;
    for strategy in ["B", "C", "B", "C"] {
        si.put(json!({"numbering_strategy": strategy})).await.with(200);
    }
    si.issue("furs/2026/A", 1).await;
    let refused = si.put(json!({"numbering_strategy": "B", "enabled": true})).await.with(422);
    assert_eq!(cause(&refused), "numbering_locked");
    assert_eq!(si.get("/settings").await.with(200).json()["enabled"], false);
    si.put(json!({"numbering_strategy": "C", "enabled": true})).await.with(200);
    si.delete(&format!("/premises/{premise}")).await.with(200);
    si.put(json!({"numbering_strategy": "B"})).await.with(200);
    let premise = si.premise("B").await;
    let device = si.device(&premise, "B1").await;
    si.issue("furs/2026/B/B1", 1).await;
    assert_eq!(si.get(&format!("/devices/{device}")).await.with(200).json()["counter"], 1);
    assert_eq!(
        cause(&si.put(json!({"numbering_strategy": null})).await.with(422)),
        "numbering_locked"
    );
    si.delete(&format!("/devices/{device}")).await.with(200);
    assert_eq!(
        cause(&si.put(json!({"numbering_strategy": null})).await.with(422)),
        "numbering_locked"
    );
}

#[actix_web::test]
async fn ids_of_another_kind_tenant_or_authority_lead_nowhere() {
    let hr = Taxpayer::croatian().await;
    let premise = hr.premise("A").await;
    let device = hr.device(&premise, "1").await;
    let other = json!({"name": "Druga", "country": "Croatia", "environment": "sandbox"});
    let user = Who { entity: None, ..hr.owner.clone() };
    let other = hr.api.post("/entities", &user, other).await.with(201).json();
    let other = Taxpayer {
        owner: user.in_entity(&text(&other["id"])),
        ..Taxpayer {
            api: hr.api.clone(),
            owner: user.clone(),
            authorities: hr.authorities.clone(),
            store: hr.store.clone(),
            base: hr.base,
        }
    };
    for path in [format!("/premises/{premise}"), format!("/devices/{device}")] {
        other.get(&path).await.with(404);
        other.patch(&path, json!({"starting_number": 5})).await.with(404);
        other.delete(&path).await.with(404);
        hr.get(&path).await.with(200);
    }
    other.create_device(&premise, "2").await.with(404);
    other.get(&format!("/premises/{premise}/devices")).await.with(404);
    assert_eq!(other.get("/premises").await.with(200).json(), json!([]));
    other.premise("A").await;
    let bare = premise.strip_prefix("fina_").unwrap();
    for path in
        [format!("/premises/{bare}"), format!("/premises/{device}"), format!("/devices/{premise}")]
    {
        hr.get(&path).await.with(404);
    }
    let furs = format!("/fiscalization/furs/premises/{bare}");
    hr.api.get(&furs, &hr.owner).await.with(404);
}
