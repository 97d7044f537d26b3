//! Files on a running server: they survive its death, and logos that are uploaded at once leave
//! one.

use std::fs;
use std::path::Path;

use racun_tests::{Account, Racun, StoreKind, on_both_stores};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    a_file_that_was_acknowledged_survives_a_kill,
    of_logos_uploaded_at_once_one_is_left,
}

/// The beginning of a picture of 8 by 8, which is all that anybody looks at.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\x06\0\0\0";

/// The files in a folder and below.
fn kept(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("there is a folder of files");
    let paths = entries.map(|entry| entry.expect("a folder lists its entries").path());
    paths.map(|path| if path.is_dir() { kept(&path) } else { 1 }).sum()
}

async fn a_file_that_was_acknowledged_survives_a_kill(store: StoreKind) {
    let mut racun = Racun::start(store).await;
    let owner = Account::sign_up(&racun).await;
    let content = format!("%PDF-1.7\n{}%%EOF", "a line\n".repeat(100_000));
    let parts: &[(&str, &[u8])] = &[("file", content.as_bytes()), ("category", b"attachment")];
    let made = owner.api.upload("/files", parts).await.expect(201);
    racun.kill9();
    racun.restart().await;
    let api = owner.at(&racun).api;
    let path = format!("/files/{}", made["id"].as_str().unwrap_or_default());
    let mut told = api.read(&path).await;
    // The server has another port now.
    for link in ["url", "secureUrl"] {
        told[link] = made[link].clone();
    }
    assert_eq!(told, made);
    let answer = api.get(&format!("{path}/download")).await;
    assert_eq!((answer.status, answer.content_type.as_str()), (200, "application/pdf"));
    assert!(answer.text == content, "{} bytes came back", answer.text.len());

    let stranger = Account::sign_up(&racun).await.api;
    for path in [path.clone(), format!("{path}/download")] {
        stranger.get(&path).await.expect(404);
    }
    stranger.delete(&path).await.expect(404);
    assert!(stranger.all("/files").await.is_empty(), "files of another account are hidden");
    assert_eq!(api.get(&path).await.status, 200, "it is still there");
}

async fn of_logos_uploaded_at_once_one_is_left(store: StoreKind) {
    let racun = Racun::start(store).await;
    let owner = Account::sign_up(&racun).await;
    let unit = owner.api.create("/business-units", &json!({ "name": "Center" })).await;
    let unit_id = unit["id"].as_str().unwrap_or_default();
    for of_unit in [true, false] {
        let mut uploads = JoinSet::new();
        for _ in 0..8 {
            let (api, unit) = (owner.api.clone(), unit_id.to_owned());
            uploads.spawn(async move {
                let mut parts = vec![("file", LOGO), ("category", &b"logo"[..])];
                parts.extend(of_unit.then_some(("business_unit_id", unit.as_bytes())));
                api.upload("/files", &parts).await
            });
        }
        for answer in uploads.join_all().await {
            answer.expect(201);
        }
    }
    let left = owner.api.all("/files").await;
    let units: Vec<&Value> = left.iter().map(|file| &file["business_unit_id"]).collect();
    assert_eq!(left.len(), 2, "one of the unit and one of the entity: {left:?}");
    assert!(units.contains(&&Value::Null) && units.contains(&&unit["id"]), "{units:?}");
    let of_unit = left.iter().find(|file| file["business_unit_id"] == unit["id"]);
    let unit = owner.api.read(&format!("/business-units/{unit_id}")).await;
    assert_eq!(Some(&unit["logo_file_id"]), of_unit.map(|file| &file["id"]));
    assert_eq!(kept(&racun.folder().join("data/files")), 2, "bytes of the others are gone");
}
