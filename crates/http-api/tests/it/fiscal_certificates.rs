//! Certificates: which ones are kept, and how little of them is shown.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::authorities::{PASSPHRASE, PRIVATE_KEY, file};
use crate::harness::Api;
use crate::taxpayer::{OIB, TAX_NUMBER, Taxpayer, cause, form};

const CERTIFICATE: &str = "/settings/certificate";

async fn put_in(who: &Taxpayer, file: &[u8]) -> crate::harness::Answer {
    who.upload(&[("file", file), ("passphrase", PASSPHRASE.as_bytes())]).await
}

#[actix_web::test]
async fn a_certificate_is_stored_and_described() {
    let si = Taxpayer::slovenian().await;
    si.get(CERTIFICATE).await.with(404);
    let made = put_in(&si, &file(TAX_NUMBER, 2025, 2030)).await.with(201).json();
    let expiry = "2030-12-01T00:00:00.000Z";
    let expected = json!({
        "certificate_file_id": made["certificate_file_id"], "certificate_expiry": expiry,
        "certificate_status": "valid", "certificate_cn": TAX_NUMBER,
        "certificate_subject": "CN=Pri Ani,OU=10039856", "certificate_issuer": "CN=Tax CA Test",
        "uploaded_at": "2026-11-20T08:00:00.000Z",
        "message": format!("the certificate signs until {expiry}"),
    });
    assert_eq!(made, expected);
    assert!(made["certificate_file_id"].as_str().unwrap().starts_with("file_"));
    let told = si.get(CERTIFICATE).await.with(200);
    assert_eq!(told.json(), expected);
    let settings = si.get("/settings").await.with(200);
    for key in
        ["certificate_file_id", "certificate_expiry", "certificate_cn", "certificate_subject"]
    {
        assert_eq!(settings.json()[key], made[key], "{key}");
    }
    assert_eq!(settings.json()["has_certificate"], true);
    assert_eq!(settings.json()["certificate_status"], "valid");
    for answer in [told, settings] {
        assert!(!answer.text.contains("sealed") && !answer.text.contains(PRIVATE_KEY));
    }
    let other = put_in(&si, &file(TAX_NUMBER, 2024, 2031)).await.with(201).json();
    assert_ne!(other["certificate_file_id"], made["certificate_file_id"]);
    assert_eq!(si.get(CERTIFICATE).await.with(200).json(), other, "the new one replaces the old");
    let gone = si.delete(CERTIFICATE).await.with(200).json();
    assert!(gone["message"].is_string() && gone.as_object().unwrap().len() == 1, "{gone}");
    si.get(CERTIFICATE).await.with(404);
    si.delete(CERTIFICATE).await.with(404);
    let settings = si.get("/settings").await.with(200).json();
    assert_eq!(
        (&settings["has_certificate"], &settings["certificate_cn"]),
        (&json!(false), &Value::Null)
    );
}

#[actix_web::test]
async fn a_file_is_opened_off_the_threads_that_answer() {
    let si = Taxpayer::slovenian().await;
    put_in(&si, &file(TAX_NUMBER, 2025, 2030)).await.with(201);
    let opened_on = si.authorities.opened_on().unwrap();
    assert_ne!(opened_on, std::thread::current().id(), "this thread answers");
}

#[actix_web::test]
async fn a_certificate_runs_out() {
    let si = Taxpayer::slovenian().await.certified().await;
    let day = 86_400;
    // From 20 November 2026, 8 in the morning, to 30 days before 1 December 2030.
    let until_soon = (1 + 4 * 365 + 11 - 30) * day - 8 * 3_600;
    for (seconds, status) in [
        (until_soon - 1, "valid"),
        (1, "expiring_soon"),
        (30 * day, "expiring_soon"),
        (1, "expired"),
    ] {
        si.api.pass(seconds);
        let settings = si.get("/settings").await;
        // The login token has a year.
        let settings = match settings.status {
            401 => {
                let body =
                    json!({"email": "owner@example.com", "password": crate::harness::PASSWORD});
                let anonymous = crate::harness::Who::anonymous();
                let login = si.api.post("/users/login", &anonymous, body).await.with(200).json();
                let token = Some(login["id"].as_str().unwrap().to_owned());
                let who = crate::harness::Who { token, ..si.owner.clone() };
                si.api.get("/fiscalization/furs/settings", &who).await
            }
            _ => settings,
        };
        assert_eq!(settings.with(200).json()["certificate_status"], status, "{seconds}");
    }
}

#[actix_web::test]
async fn a_failed_upload_says_what_is_wrong_and_changes_nothing() {
    let si = Taxpayer::slovenian().await.certified().await;
    let hr = Taxpayer::croatian().await.certified().await;
    let good = file(TAX_NUMBER, 2025, 2030);
    let pass = PASSPHRASE.as_bytes();
    let wrong = "certificate_invalid";
    for (who, file, passphrase, part, issue, code) in [
        (&si, b"PDF-1.7".to_vec(), pass, "file", "not_p12", wrong),
        (&si, vec![0xff], pass, "file", "not_p12", wrong),
        (&si, b"p12 no-key".to_vec(), pass, "file", "no_private_key", wrong),
        (&si, b"p12 small-key".to_vec(), pass, "file", "unsupported_key", wrong),
        (&si, b"p12 endless".to_vec(), pass, "file", "p12_too_costly", wrong),
        (&si, good.clone(), &b"open sesam"[..], "passphrase", "wrong_passphrase", wrong),
        (&si, good.clone(), &b""[..], "passphrase", "wrong_passphrase", wrong),
        (&si, file("20039856", 2025, 2030), pass, "file", "other_taxpayer", wrong),
        (&si, file("-", 2025, 2030), pass, "file", "no_tax_number", wrong),
        (&si, file(TAX_NUMBER, 2026, 2030), pass, "file", "not_yet_valid", wrong),
        (&si, file(TAX_NUMBER, 2020, 2025), pass, "file", "expired", "certificate_expired"),
        (&hr, file("-", 2025, 2030), pass, "file", "no_tax_number", wrong),
        (&hr, file(TAX_NUMBER, 2025, 2030), pass, "file", "other_taxpayer", wrong),
    ] {
        let before = who.get("/settings").await.with(200).json();
        let refused = who.upload(&[("passphrase", passphrase), ("file", &file)]).await.with(422);
        assert_eq!(refused.issue(), (json!([part]).to_string(), issue.to_owned()), "{refused:?}");
        assert_eq!(
            (cause(&refused), &refused.json()["code"]),
            (code.to_owned(), &json!("unprocessable_entity"))
        );
        assert!(!refused.text.contains("sesam"), "{refused:?}");
        assert_eq!(who.get("/settings").await.with(200).json(), before);
    }
    let hr = Taxpayer::croatian().await;
    put_in(&hr, &file(OIB, 2025, 2030)).await.with(201);
    // An entity that says no number contradicts no certificate.
    let bare = Taxpayer::of("Slovenia", None, "/fiscalization/furs").await;
    let made = put_in(&bare, &good).await.with(201).json();
    assert_eq!(made["certificate_cn"], TAX_NUMBER);
}

#[actix_web::test]
async fn an_entity_of_the_sandbox_gets_a_certificate_of_the_built_in_simulator() {
    const SANDBOX: &str = "/settings/certificate/sandbox";
    let si = Taxpayer::slovenian().await;
    let made = si.post(SANDBOX, json!({})).await.with(201).json();
    assert_eq!(made["certificate_cn"], TAX_NUMBER);
    assert_eq!(si.get(CERTIFICATE).await.with(200).json(), made);
    let bare = Taxpayer::of("Slovenia", None, "/fiscalization/furs").await;
    let refused = bare.post(SANDBOX, json!({})).await.with(422);
    assert_eq!(refused.issue(), ("[\"tax_number\"]".to_owned(), "invalid_value".to_owned()));
    let path = "/fiscalization/fina/settings/certificate/sandbox";
    si.api.post(path, &si.owner, json!({})).await.with(422);
    // The test system of this one is not ours.
    Taxpayer::croatian().await.post(SANDBOX, json!({})).await.with(404);
    let body = json!({
        "name": "Pri Ani", "country": "Slovenia", "environment": "live", "tax_number": TAX_NUMBER,
    });
    let entity = si.api.post("/entities", &si.owner, body).await.with(201).json();
    let live = si.owner.in_entity(entity["id"].as_str().unwrap());
    si.api.post(&si.path(SANDBOX), &live, json!({})).await.with(404);
    let settings = si.api.get(&si.path("/settings"), &live).await.with(200).json();
    assert_eq!(settings["has_certificate"], false);
}

#[actix_web::test]
async fn only_a_form_with_a_file_is_read() {
    let si = Taxpayer::slovenian().await;
    let good = file(TAX_NUMBER, 2025, 2030);
    let pass = ("passphrase", PASSPHRASE.as_bytes());
    let missing = |part: &str| (json!([part]).to_string(), "required".to_owned());
    assert_eq!(si.upload(&[pass]).await.with(422).issue(), missing("file"));
    assert_eq!(si.upload(&[]).await.with(422).issue(), missing("file"));
    assert_eq!(si.upload(&[pass, ("file", b"")]).await.with(422).issue(), missing("file"));
    let twice = si.upload(&[pass, ("file", &good), ("file", &good)]).await.with(422);
    assert_eq!(twice.issue(), ("[\"file\"]".to_owned(), "duplicate_field".to_owned()));
    let latin = si.upload(&[("file", &good), ("passphrase", &[0xe8])]).await.with(422);
    assert_eq!(latin.issue(), ("[\"passphrase\"]".to_owned(), "invalid_value".to_owned()));
    let large = vec![b'x'; 1024 * 1024 + 1];
    let large = si.upload(&[("file", &large)]).await.with(413);
    assert_eq!(large.json()["code"], "payload_too_large");
    let many = vec![("x", &b""[..]); 17];
    si.upload(&many).await.with(413);
    let path = si.path(CERTIFICATE);
    si.post(CERTIFICATE, json!({"file": "x"})).await.with(415);
    for (kind, body) in [
        ("multipart/form-data", "x"),
        ("multipart/form-data; boundary=b", "x"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\ncut",
        ),
    ] {
        let request = TestRequest::post().uri(&path).insert_header(("content-type", kind));
        let answer = si.api.call(si.owner.sign(request.set_payload(body))).await.with(400);
        assert_eq!(answer.json()["code"], "bad_request", "{kind} {body}");
    }
    assert_eq!(si.get("/settings").await.with(200).json()["has_certificate"], false);
    let unknown = si.upload(&[("extra", b"1"), ("file", &good), pass]).await.with(422);
    assert_eq!(unknown.issue(), ("[\"extra\"]".to_owned(), "unknown_field".to_owned()));
    si.upload(&[("file", &good), pass]).await.with(201);
}

#[actix_web::test]
async fn a_server_without_a_master_key_keeps_no_certificate() {
    let api = Api::with(|services| racun_application::Services { vault: None, ..services }).await;
    let owner = api.owner("owner@example.com").await;
    let path = "/fiscalization/furs/settings/certificate";
    let answer = api.call(owner.sign(form(path, &[("file", &file(TAX_NUMBER, 2025, 2030))]))).await;
    assert_eq!(cause(&answer.with(503)), "master_key_missing");
    let settings = api.get("/fiscalization/furs/settings", &owner).await.with(200).json();
    assert_eq!(settings["certificate_status"], "missing");
}

#[actix_web::test]
async fn nothing_that_is_stored_shows_the_private_key() {
    let si = Taxpayer::slovenian().await.certified().await;
    let tenant = racun_kernel::Tenant::entity(si.owner.entity().parse().unwrap());
    let ids = ["furs".to_owned()];
    let rows = si.store.find(&racun_fiscal::FISCAL_SETTINGS, &tenant, &ids).await.unwrap();
    let body = &rows.first().unwrap().body;
    assert!(body.contains("\"sealed_key\":\"v1."), "{body}");
    assert!(!body.contains(PRIVATE_KEY) && !body.contains(PASSPHRASE), "{body}");
}
