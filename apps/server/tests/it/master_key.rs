//! The master key: a lost or other one is noticed, and it can be changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use racun_access::{MASTER_KEYS, MasterKeyRecord};
use racun_kernel::Tenant;
use racun_store::{Store, StoreError, Writes};
use racun_store_postgres::{Options, PgStore, hold_key, hold_key_alone};
use racun_store_sqlite::SqliteStore;
use racun_test_postgres::database;
use serde_json::Value;

use crate::process::{Server, run};

const PLAIN: &[(&str, &str)] = &[];
const KEY: &str = "RACUN__SECRETS__MASTER_KEY";
const A: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const B: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const LISTEN: (&str, &str) = ("RACUN__SERVER__LISTEN", "127.0.0.1:0");

/// A shop that fiscalizes, with a PIN for its operator.
struct Shop {
    headers: String,
    user: String,
}

fn json(answer: (u16, String)) -> Value {
    assert!((200..300).contains(&answer.0), "{} {}", answer.0, answer.1);
    if answer.1.is_empty() { Value::Null } else { serde_json::from_str(&answer.1).unwrap() }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

impl Shop {
    fn open(server: &Server) -> Self {
        let post =
            |path: &str, headers: &str, body: &str| json(server.ask("POST", path, headers, body));
        let who = r#"{"email":"a@example.com","password":"correct horse 1"}"#;
        let user = text(&post("/users/signup", "", who)["id"]).to_owned();
        let login = post("/users/login", "", who);
        let token = format!("authorization: Bearer {}\r\n", text(&login["id"]));
        let entity = r#"{"name":"Pri Ani s.p.","country":"Slovenia","tax_number":"SI10039856",
                         "environment":"sandbox"}"#;
        let entity = post("/entities", &token, entity);
        let headers = format!("{token}x-entity-id: {}\r\n", text(&entity["id"]));
        let furs = "/fiscalization/furs";
        post(&format!("{furs}/settings/certificate/sandbox"), &headers, "{}");
        let premise = r#"{"business_premise_name":"P1","movable_premise":{"premise_type":"A"}}"#;
        let premise = post(&format!("{furs}/premises/movable"), &headers, premise);
        let devices = format!("{furs}/premises/{}/devices", text(&premise["id"]));
        post(&devices, &headers, r#"{"name":"1"}"#);
        let settings =
            r#"{"enabled":true,"operator_tax_number":"10039856","operator_label":"Ana"}"#;
        json(server.ask("PUT", &format!("{furs}/settings"), &headers, settings));
        let shop = Self { headers, user };
        shop.set_pin(server);
        shop
    }

    fn set_pin(&self, server: &Server) {
        let path = format!("/pos/operators/{}/pin", self.user);
        json(server.ask("PUT", &path, &self.headers, r#"{"pin":"739"}"#));
    }

    /// A sale in cash, which is signed with the certificate.
    fn sell(&self, server: &Server) -> (u16, String) {
        let invoice = r#"{"items":[{"name":"Coffee","price":2,"taxes":[{"rate":22}]}],
                          "payments":[{"type":"cash"}]}"#;
        server.ask("POST", "/invoices", &self.headers, invoice)
    }

    fn switch(&self, server: &Server) -> (u16, String) {
        let body = format!(r#"{{"user_id":"{}","pin":"739"}}"#, self.user);
        server.ask("POST", "/pos/operators/switch", &self.headers, &body)
    }

    fn works(&self, server: &Server) {
        let sold = json(self.sell(server));
        assert!(sold["furs"]["data"]["zoi"].is_string(), "{sold}");
        json(self.switch(server));
    }
}

fn key_file(folder: &Path) -> PathBuf {
    folder.join("racun-data/master.key")
}

/// Asserts that `racun` ends with status 2 and one line that says what to do.
fn refused(output: &Output) {
    let printed = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = printed.lines().filter(|line| line.starts_with("racun:")).collect();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert_eq!(lines.len(), 1, "{printed}");
    for part in ["master.key", "racun rekey"] {
        assert!(lines[0].contains(part), "{printed}");
    }
}

fn succeeded(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_lost_or_other_master_key_stops_the_start_and_none_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = key_file(folder.path());
    let server = Server::start(folder.path(), PLAIN);
    let shop = Shop::open(&server);
    shop.works(&server);
    server.stop();
    let key = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    for command in ["serve", "work", "rekey"] {
        refused(&run(folder.path(), &[command], &[LISTEN]));
        refused(&run(folder.path(), &[command], &[LISTEN, (KEY, A)]));
        assert!(!file.exists(), "{command} made a key");
    }
    fs::write(&file, A).unwrap();
    refused(&run(folder.path(), &["serve"], &[LISTEN]));
    fs::write(&file, key).unwrap();
    let server = Server::start(folder.path(), PLAIN);
    shop.works(&server);
    server.stop();
}

#[test]
fn rekey_changes_the_key_and_everything_opens_under_the_new_one_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = key_file(folder.path());
    let server = Server::start(folder.path(), PLAIN);
    let shop = Shop::open(&server);
    // It is in use.
    assert_eq!(run(folder.path(), &["rekey"], &[]).status.code(), Some(1));
    server.stop();
    let old = fs::read_to_string(&file).unwrap();
    let printed = succeeded(&run(folder.path(), &["rekey"], &[]));
    assert!(printed.contains("1 secrets"), "{printed}");
    let new = fs::read_to_string(&file).unwrap();
    assert!(new != old && new.lines().count() == 1);
    let server = Server::start(folder.path(), PLAIN);
    shop.works(&server);
    server.stop();
    fs::write(&file, &old).unwrap();
    refused(&run(folder.path(), &["serve"], &[LISTEN]));
    // Killed after the new key was written and before anything was sealed under it.
    fs::write(&file, format!("{A}\n{new}")).unwrap();
    let server = Server::start(folder.path(), PLAIN);
    shop.works(&server);
    server.stop();
    succeeded(&run(folder.path(), &["rekey"], &[]));
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), A);
    let server = Server::start(folder.path(), PLAIN);
    shop.works(&server);
    server.stop();
}

#[test]
fn a_key_that_is_lost_for_good_is_given_up_with_what_it_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), PLAIN);
    let shop = Shop::open(&server);
    server.stop();
    let printed = run(folder.path(), &["rekey", "--lost"], &[]);
    assert_eq!(printed.status.code(), Some(1), "the key is there");
    fs::remove_file(key_file(folder.path())).unwrap();
    let printed = succeeded(&run(folder.path(), &["rekey", "--lost"], &[]));
    assert!(printed.contains("1 certificates and secrets and 1 PINs"), "{printed}");
    let server = Server::start(folder.path(), PLAIN);
    let (status, body) = shop.sell(&server);
    assert!(status == 422 && body.contains("certificate_missing"), "{status} {body}");
    let furs = server.ask("GET", "/fiscalization/furs/settings", &shop.headers, "");
    assert_eq!(json(furs)["certificate_status"], "missing");
    let (status, body) = shop.switch(&server);
    assert!((400..500).contains(&status), "{status} {body}");
    shop.set_pin(&server);
    let renew = "/fiscalization/furs/settings/certificate/sandbox";
    json(server.ask("POST", renew, &shop.headers, "{}"));
    shop.works(&server);
    server.stop();
}

#[test]
fn processes_with_different_keys_do_not_share_a_postgresql_database() {
    let database = database("racun_server_keys", |_| Ok(())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = ("RACUN__DATABASE__URL", database.url.as_str());
    let with = |key| [url, LISTEN, (KEY, key)];
    let server = Server::start(folder.path(), &with(A));
    let shop = Shop::open(&server);
    refused(&run(folder.path(), &["serve"], &with(B)));
    refused(&run(folder.path(), &["work"], &[url]));
    let other = Server::start(folder.path(), &with(A));
    shop.works(&other);
    other.stop();
    // The next key is given beside the one that seals; servers go on with both.
    let both = format!("{B},{A}");
    let other = Server::start(folder.path(), &with(&both));
    shop.works(&other);
    other.stop();
    let output = run(folder.path(), &["rekey"], &with(&both));
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && printed.contains("stop all"), "{printed}");
    server.stop();
    let printed = succeeded(&run(folder.path(), &["rekey"], &with(&both)));
    assert!(printed.contains("1 secrets"), "{printed}");
    refused(&run(folder.path(), &["serve"], &with(A)));
    let server = Server::start(folder.path(), &with(B));
    shop.works(&server);
    server.stop();
}

/// Makes a store what it was before it noted which key it is of.
async fn forget_key(store: &dyn Store) {
    let mut unit = store.unit(Tenant::directory());
    let record = unit.hold(&MASTER_KEYS, "master_key");
    let forgotten = unit.decide(move |held| {
        let record: MasterKeyRecord = held.one(record)?;
        Ok::<_, StoreError>(((), Writes::default().delete(&record)))
    });
    forgotten.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_does_not_say_which_key_it_is_of_opens_with_that_which_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let file = key_file(folder.path());
    let server = Server::start(folder.path(), PLAIN);
    let shop = Shop::open(&server);
    server.stop();
    let key = fs::read_to_string(&file).unwrap();
    let database = folder.path().join("racun-data/racun.db");
    let forget = async || {
        let (tables, version) = (racun_application::tables(), racun_application::DATA_VERSION);
        let store = SqliteStore::open(&database, &tables, version).unwrap();
        forget_key(&store).await;
        store.close().await.unwrap();
    };
    forget().await;
    fs::remove_file(&file).unwrap();
    for command in ["serve", "work", "rekey"] {
        refused(&run(folder.path(), &[command], &[LISTEN]));
        assert!(!file.exists(), "{command} made a key");
        refused(&run(folder.path(), &[command], &[LISTEN, (KEY, A)]));
    }
    // The one that sealed is there, behind the next one.
    fs::write(&file, format!("{A}\n{key}")).unwrap();
    let server = Server::start(folder.path(), PLAIN);
    shop.works(&server);
    server.stop();
    forget().await;
    succeeded(&run(folder.path(), &["rekey"], &[]));
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), A);
    let server = Server::start(folder.path(), PLAIN);
    shop.works(&server);
    server.stop();
    // What sealed is lost for good.
    forget().await;
    fs::remove_file(&file).unwrap();
    let printed = succeeded(&run(folder.path(), &["rekey", "--lost"], &[]));
    assert!(printed.contains("1 certificates and secrets and 1 PINs"), "{printed}");
    Server::start(folder.path(), PLAIN).stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgresql_database_that_does_not_say_its_key_opens_with_that_which_sealed() {
    let database = database("racun_server_keys", |_| Ok(())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = ("RACUN__DATABASE__URL", database.url.as_str());
    let server = Server::start(folder.path(), &[url, (KEY, A)]);
    let shop = Shop::open(&server);
    server.stop();
    let store = PgStore::connect(&database.url, Options::default()).await.unwrap();
    forget_key(&store).await;
    drop(store);
    refused(&run(folder.path(), &["serve"], &[url, LISTEN, (KEY, B)]));
    refused(&run(folder.path(), &["serve"], &[url, LISTEN]));
    let both = format!("{B},{A}");
    let server = Server::start(folder.path(), &[url, (KEY, &both)]);
    shop.works(&server);
    server.stop();
    refused(&run(folder.path(), &["serve"], &[url, LISTEN, (KEY, B)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_process_opens_the_key_while_it_is_changed_and_none_changes_it_then() {
    let database = database("racun_server_keys", |_| Ok(())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (url, both) = (("RACUN__DATABASE__URL", database.url.as_str()), format!("{B},{A}"));
    Server::start(folder.path(), &[url, (KEY, A)]).stop();
    let settings = [url, LISTEN, (KEY, both.as_str())];
    let fails = |command: &str, why: &str| {
        let output = run(folder.path(), &[command], &settings);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && printed.contains(why), "{printed}");
    };
    // As `racun rekey` does from before it looks for processes until it has ended.
    let alone = hold_key_alone(&database.url).await.unwrap().unwrap();
    assert!(hold_key(&database.url).await.unwrap().is_none());
    fails("serve", "is being changed");
    fails("work", "is being changed");
    fails("rekey", "stop all");
    alone.release().await;
    // As a process does from before it reads which key it is: it works on nothing else yet.
    let [one, other] = [hold_key(&database.url).await, hold_key(&database.url).await];
    let (one, other) = (one.unwrap().unwrap(), other.unwrap().unwrap());
    fails("rekey", "stop all");
    one.release().await;
    fails("rekey", "stop all");
    other.release().await;
    succeeded(&run(folder.path(), &["rekey"], &settings));
}
