//! Stores of earlier versions: what their servers answered the one of today answers too.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use flate2::read::GzDecoder;
use racun_test_postgres::Database;
use racun_tests::{Client, Data, Profile, Racun, StoreKind, number, on_both_stores};
use serde_json::{Value, json};

on_both_stores! {
    stores_of_all_versions_answer_what_they_did_and_numbers_go_on,
}

/// Fields of answers that tell something else after an upgrade, and why.
const CHANGED: &[(&str, &str)] =
    &[(".country_rules .max_taxes_per_item", "a line has two taxes since version 2")];

fn stores() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("stores")
}

fn unpacked(path: &Path) -> Vec<u8> {
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a packed file");
    bytes
}

/// A server on a copy of the store in `folder`, and what its own server answered.
async fn opened(folder: &Path, store: StoreKind) -> (Racun, Value) {
    let packed = fs::read_dir(folder).expect("the files of a store").map(|entry| {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, unpacked(&path))
    });
    let (told, files): (Vec<_>, Vec<_>) = packed.partition(|(name, _)| name == "answers.json");
    let data = match store {
        StoreKind::Embedded => Data::Files(files),
        StoreKind::Postgres => Data::Database(restored(&files[0].1)),
    };
    let racun = Racun::start_on(Profile::Debug, data).await;
    (racun, serde_json::from_slice(&told[0].1).expect("JSON"))
}

/// A database that `statements` make.
fn restored(statements: &[u8]) -> Database {
    let mut hasher = DefaultHasher::new();
    statements.hash(&mut hasher);
    let template = format!("stored_{:016x}", hasher.finish());
    let made = racun_test_postgres::database(&template, |url| {
        let role = "DO $$ BEGIN CREATE ROLE racun_app NOLOGIN; \
                    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;\n";
        let mut psql = racun_test_postgres::program("psql")
            .args(["--quiet", "--set", "ON_ERROR_STOP=1", "--output", "/dev/null", url])
            .stdin(Stdio::piped())
            .spawn()?;
        let mut input = psql.stdin.take().expect("a pipe");
        input.write_all(role.as_bytes())?;
        input.write_all(statements)?;
        drop(input);
        anyhow::ensure!(psql.wait()?.success(), "psql failed");
        Ok(())
    });
    made.unwrap_or_else(|error| panic!("{error:#}"))
}

fn client(racun: &Racun, told: &Value, entity: &str) -> Client {
    let key = told["key"].as_str().expect("a key");
    let entity = told["entities"][entity].as_str().expect("an entity");
    racun.client().bearer(key).with("x-entity-id", entity)
}

async fn stores_of_all_versions_answer_what_they_did_and_numbers_go_on(store: StoreKind) {
    let kind = match store {
        StoreKind::Embedded => "embedded",
        StoreKind::Postgres => "postgres",
    };
    let mut versions = 0;
    for folder in fs::read_dir(stores()).expect("the folder of stores") {
        let folder = folder.expect("a folder").path().join(kind);
        if !folder.is_dir() {
            continue;
        }
        println!("{}", folder.display());
        versions += 1;
        let (racun, told) = opened(&folder, store).await;
        check(&racun, &told).await;
        go_on(&racun, &told).await;
    }
    assert!(versions > 1, "{versions}");
}

/// Every answer holds what it held.
async fn check(racun: &Racun, told: &Value) {
    let mut wrong = Vec::new();
    for answer in told["answers"].as_array().expect("answers") {
        let entity = answer["entity"].as_str().expect("an entity");
        let path = answer["path"].as_str().expect("a path");
        let now = client(racun, told, entity).get(path).await;
        if now.status == 200 {
            compare(&format!("{entity} {path}"), &answer["body"], &now.body(), &mut wrong);
        } else {
            wrong.push(format!("{entity} {path}: {}", now.text));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Notes where `now` lacks something of `then`; a later version may answer more.
fn compare(place: &str, then: &Value, now: &Value, wrong: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (name, value) in then {
                let place = format!("{place} .{name}");
                if !CHANGED.iter().any(|(end, _)| place.ends_with(end)) {
                    compare(&place, value, now.get(name).unwrap_or(&Value::Null), wrong);
                }
            }
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            for (row, (then, now)) in then.iter().zip(now).enumerate() {
                compare(&format!("{place} [{row}]"), then, now, wrong);
            }
        }
        (Value::String(then), Value::String(now)) if own_path(then) == own_path(now) => {}
        _ if then == now => {}
        _ => wrong.push(format!("{place}: {then} is {now}")),
    }
}

/// `text` without the server's address, which is another one at each start.
fn own_path(text: &str) -> &str {
    let path = text.strip_prefix("http://127.0.0.1:");
    path.and_then(|path| path.split_once('/')).map_or(text, |(_, path)| path)
}

/// A further invoice has the number after the last one, and is found among the others.
async fn go_on(racun: &Racun, told: &Value) {
    for entity in ["office", "furs"] {
        let api = client(racun, told, entity);
        let mut invoice = json!({
            "items": [{ "name": "Kruh", "price": 10, "taxes": [{ "rate": 22 }] }],
            "customer": { "name": "After" },
        });
        if entity == "furs" {
            // The authority is not there: the invoice is nevertheless issued, and reported later.
            invoice["payments"] = json!([{ "type": "cash" }]);
            invoice["furs"] =
                json!({ "business_premise_name": "P1", "electronic_device_name": "1" });
        }
        let issued = api.all("/invoices").await;
        let made = api.create("/invoices", &invoice).await;
        let is_of_the_year = |other: &&Value| year(other) == year(&made);
        let issued = issued.iter().filter(|other| other["is_draft"] == false);
        let last = issued.filter(is_of_the_year).map(number).max().unwrap_or_default();
        assert_eq!(number(&made), last + 1, "{made}");
        let rows = api.read("/invoices?search=after").await;
        assert_eq!(rows["data"][0]["id"], made["id"], "{rows}");
    }
}

fn year(invoice: &Value) -> &str {
    invoice["date"].as_str().and_then(|date| date.get(..4)).unwrap_or_default()
}
