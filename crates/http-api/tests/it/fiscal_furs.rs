//! Premises registered with FURS.

use std::sync::Arc;

use racun_access::MasterVault;
use racun_application::Services;
use racun_fiscal::Message;
use racun_fiscal::furs::{MovableKind, Premise, PremiseKind};
use racun_kernel::Environment;
use serde_json::{Value, json};
use time::macros::{date, datetime};

use crate::authorities::{refused, unknown};
use crate::harness::text;
use crate::taxpayer::{TAX_NUMBER, Taxpayer, cause, movable};

fn real_estate() -> Value {
    json!({
        "cadastral_number": "365", "building_number": "12", "building_section": "3",
        "street": "Dunajska cesta", "house_number": "24", "house_number_additional": "B",
        "community": "Ljubljana", "city": "Ljubljana", "postal_code": "1000",
    })
}

/// The premise of the only message that was sent.
fn told(who: &Taxpayer) -> Premise {
    let mut told = who.authorities.told();
    assert_eq!(told.len(), 1, "{told:?}");
    let (environment, header, message) = told.remove(0);
    assert_eq!(environment, Environment::Sandbox);
    assert_eq!(header.sent_at.offset().whole_hours(), 1, "the time of Ljubljana");
    assert_eq!(header.sent_at, datetime!(2026-11-20 08:00 UTC));
    let Message::FursPremise(premise) = message else { panic!("{message:?}") };
    *premise
}

#[actix_web::test]
async fn a_premise_is_open_when_furs_has_it() {
    let si = Taxpayer::slovenian().await.certified().await;
    let body = json!({"business_premise_name": "TRGOVINA1", "real_estate": real_estate(),
        "starting_number": 100});
    let made = si.post("/premises/real-estate", body).await.with(201).json();
    assert_eq!(
        (&made["success"], &made["business_premise_name"]),
        (&json!(true), &json!("TRGOVINA1"))
    );
    assert_eq!(made["environment"], "test");
    let premise = told(&si);
    assert_eq!((&*premise.tax_number, &*premise.name), (TAX_NUMBER, "TRGOVINA1"));
    assert_eq!((premise.valid_from, premise.is_closing), (date!(2026 - 11 - 20), false));
    let PremiseKind::RealEstate(place) = premise.kind else { panic!("{premise:?}") };
    assert_eq!((&*place.building_section, &*place.postal_code), ("3", "1000"));
    assert_eq!(place.house_number_additional.as_deref(), Some("B"));
    let id = text(&made["id"]);
    assert!(id.starts_with("premise_"), "{id}");
    let device = si.device(&id, "BLAG1").await;
    assert!(device.starts_with("device_"), "{device}");
    let now = "2026-11-20T08:00:00.000Z";
    let device = json!({
        "id": device, "business_premise_id": id, "electronic_device_name": "BLAG1",
        "is_active": true, "counter": 0, "starting_number": null,
        "can_update_starting_number": true, "registered_at": now, "created_at": now,
        "updated_at": now,
    });
    let expected = json!([{
        "id": id, "entity_id": si.owner.entity(), "business_premise_name": "TRGOVINA1",
        "type": "real_estate", "real_estate": real_estate(), "movable_premise": null,
        "is_active": true, "environment": "test", "starting_number": 100,
        "can_update_starting_number": true, "registered_at": now, "closed_at": null,
        "created_at": now, "updated_at": now, "Devices": [device],
    }]);
    assert_eq!(si.get("/premises").await.with(200).json(), expected);
    for (kind, expected) in [("A", MovableKind::A), ("B", MovableKind::B), ("C", MovableKind::C)] {
        let body =
            json!({"business_premise_name": kind, "movable_premise": {"premise_type": kind}});
        let id = text(&si.post("/premises/movable", body).await.with(201).json()["id"]);
        assert_eq!(told(&si).kind, PremiseKind::Movable(expected));
        let premise = si.get(&format!("/premises/{id}")).await.with(200).json();
        assert_eq!(premise["movable_premise"], json!({"premise_type": kind}));
        assert_eq!((&premise["type"], &premise["real_estate"]), (&json!("movable"), &Value::Null));
    }
    assert_eq!(
        cause(&si.post("/premises/movable", movable("TRGOVINA1")).await.with(409)),
        "duplicate"
    );
    assert_eq!(si.authorities.told().len(), 0, "a taken name is not told");
}

#[actix_web::test]
async fn an_unconfirmed_premise_is_removed_and_its_name_free() {
    let si = Taxpayer::slovenian().await.certified().await;
    for (answer, status, code) in [
        (refused("S005"), 422, "fiscalization_provider_error"),
        (refused("s004"), 422, "fiscalization_provider_error"),
        (refused("S001"), 500, "fiscalization_provider_error"),
        (refused("S100"), 503, "fiscalization_provider_error"),
        (refused("S999"), 503, "fiscalization_provider_error"),
        (unknown(), 503, "furs_unreachable"),
    ] {
        si.authorities.answers([answer.clone()]);
        let failed = si.post("/premises/movable", movable("A1")).await.with(status);
        assert_eq!(cause(&failed), code, "{answer:?}");
        if let Ok(racun_fiscal::Reply::Refused { code, message, .. }) = answer {
            let cause = &failed.json()["cause"];
            assert_eq!(
                (&cause["provider_code"], &cause["provider_message"]),
                (&json!(code), &json!(message))
            );
        }
        assert_eq!(failed.header("retry-after").is_empty(), status != 503);
        assert_eq!(si.get("/premises").await.with(200).json(), json!([]));
    }
    assert_eq!(si.authorities.told().len(), 6);
    let id = si.premise("A1").await;
    assert_eq!(si.get(&format!("/premises/{id}")).await.with(200).json()["is_active"], true);
}

#[actix_web::test]
async fn a_premise_needs_a_certificate_and_sound_fields() {
    let si = Taxpayer::slovenian().await;
    let missing = si.post("/premises/movable", movable("A1")).await.with(422);
    assert_eq!(cause(&missing), "certificate_missing");
    let si = si.certified().await;
    for (field, value, code) in [
        ("cadastral_number", json!("36512"), "invalid_value"),
        ("cadastral_number", json!(365), "invalid_type"),
        ("building_number", json!("x"), "invalid_value"),
        ("building_section", json!(""), "invalid_value"),
        ("street", json!("x".repeat(101)), "invalid_value"),
        ("house_number", json!("12345678901"), "invalid_value"),
        ("house_number_additional", json!("12345678901"), "invalid_value"),
        ("community", json!(""), "invalid_value"),
        ("city", json!("x".repeat(101)), "invalid_value"),
        ("postal_code", json!("10000"), "invalid_value"),
    ] {
        let mut place = real_estate();
        place[field] = value;
        let body = json!({"business_premise_name": "A1", "real_estate": place});
        let refused = si.post("/premises/real-estate", body).await.with(422);
        let path = json!(["real_estate", field]).to_string();
        assert_eq!(refused.issue(), (path, code.to_owned()), "{refused:?}");
    }
    let body = json!({"business_premise_name": "A1", "movable_premise": {"premise_type": "D"}});
    let refused = si.post("/premises/movable", body).await.with(422);
    assert_eq!(refused.issue().0, "[\"movable_premise\",\"premise_type\"]");
    let mut place = real_estate();
    place["house_number_additional"] = json!("");
    let body = json!({"business_premise_name": "A1", "real_estate": place});
    assert_eq!(si.authorities.told().len(), 0);
    si.post("/premises/real-estate", body).await.with(201);
    let PremiseKind::RealEstate(place) = told(&si).kind else { panic!("not a building") };
    assert_eq!(place.house_number_additional, None);
}

#[actix_web::test]
async fn a_failed_closing_leaves_the_premise_open() {
    let si = Taxpayer::slovenian().await.certified().await;
    let id = si.premise("A1").await;
    let (one, two) = (si.device(&id, "1").await, si.device(&id, "2").await);
    si.delete(&format!("/devices/{two}")).await.with(200);
    si.authorities.told();
    let path = format!("/premises/{id}");
    let open = si.get(&path).await.with(200).json();
    for (answer, status, code) in [
        (refused("S006"), 422, "fiscalization_provider_error"),
        (refused("S003"), 500, "fiscalization_provider_error"),
        (unknown(), 503, "furs_unreachable"),
    ] {
        si.authorities.answers([answer]);
        assert_eq!(cause(&si.delete(&path).await.with(status)), code);
        assert!(told(&si).is_closing);
        assert_eq!(si.get(&path).await.with(200).json(), open);
    }
    let closed = si.delete(&path).await.with(200).json();
    assert_eq!(
        (&closed["success"], &closed["business_premise_name"]),
        (&json!(true), &json!("A1"))
    );
    assert!(told(&si).is_closing);
    let premise = si.get(&path).await.with(200).json();
    assert_eq!((&premise["is_active"], premise["closed_at"].is_string()), (&json!(false), true));
    assert_eq!(si.get(&format!("/devices/{one}")).await.with(200).json()["is_active"], false);
    assert_eq!(cause(&si.delete(&path).await.with(422)), "premise_closed");
    assert_eq!(cause(&si.post("/premises/movable", movable("A1")).await.with(409)), "duplicate");
    assert_eq!(si.authorities.told().len(), 0);
}

#[actix_web::test]
async fn a_closing_whose_answer_was_lost_ends_when_furs_says_that_it_is_closed() {
    let si = Taxpayer::slovenian().await.certified().await;
    let id = si.premise("A1").await;
    let path = format!("/premises/{id}");
    si.authorities.answers([unknown(), refused("S007"), refused("s006")]);
    for status in [503, 422, 200] {
        si.delete(&path).await.with(status);
    }
    assert_eq!(si.get(&path).await.with(200).json()["is_active"], false);
}

#[actix_web::test]
async fn a_key_under_another_master_key_says_so() {
    let si = Taxpayer::slovenian().await.certified().await;
    let store = Arc::clone(&si.store);
    let api = crate::harness::Api::with(|services| Services {
        store,
        vault: Some(Arc::new(MasterVault::derive(&[8; 32]))),
        ..services
    })
    .await;
    let path = "/fiscalization/furs/premises/movable";
    let failed = api.post(path, &si.owner, movable("A1")).await.with(503);
    assert_eq!(cause(&failed), "certificate_sealed");
    assert!(failed.text.contains("upload it again"), "{failed:?}");
    assert_eq!(si.get("/premises").await.with(200).json(), json!([]));
}
