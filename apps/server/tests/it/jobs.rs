//! What the process does without being asked.

use std::path::Path;

use racun_card_payments::{CONSENTS, ConnectedAccount, Consent};
use racun_kernel::{Environment, Tenant};
use racun_store::{Put, Store};
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use time::macros::datetime;

use crate::process::{Server, run};

/// No variables beside those that every test needs.
const PLAIN: &[(&str, &str)] = &[];

/// An owner of one entity, who speaks to a server.
struct Owner<'a> {
    server: &'a Server,
    headers: String,
}

impl<'a> Owner<'a> {
    /// Logs in the user that [`Owner::sign_up`] signed up.
    fn log_in(server: &'a Server) -> Self {
        let anonymous = Self { server, headers: String::new() };
        let body = json!({"email": "a@example.com", "password": "long enough 1"});
        let token = anonymous.ask("POST", "/users/login", &body)["id"].clone();
        let headers = format!("authorization: Bearer {}\r\n", token.as_str().unwrap());
        Self { server, headers }
    }

    fn sign_up(server: &'a Server) -> Self {
        let anonymous = Self { server, headers: String::new() };
        let body =
            json!({"email": "a@example.com", "password": "long enough 1", "company_name": "A"});
        anonymous.ask("POST", "/users/signup", &body);
        let owner = Self::log_in(server);
        owner.ask(
            "POST",
            "/entities",
            &json!({"name": "A", "country": "Slovenia", "environment": "sandbox"}),
        );
        owner
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.server.ask(method, path, &self.headers, &body.to_string());
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// A recurring invoice of one run, long ago; its path.
    fn overdue(&self) -> String {
        let line = json!({"name": "Hour", "price": 40, "taxes": []});
        let template = self.ask("POST", "/invoices", &json!({"items": [line]}));
        let body = json!({
            "document_id": template["id"],
            "name": "Once",
            "frequency": "daily",
            "start_date": "2025-02-01",
            "end_date": "2025-02-01",
        });
        let made = self.ask("POST", "/recurring-invoices", &body);
        assert_eq!(made["status"], "active");
        format!("/recurring-invoices/{}", made["id"].as_str().unwrap())
    }
}

/// A folder in which something is due, whose server has stopped; and the path of what is due.
fn left_due(folder: &Path) -> String {
    let server = Server::start(folder, PLAIN);
    let path = Owner::sign_up(&server).overdue();
    server.stop();
    path
}

fn is_run(record: &Value) -> bool {
    record["message"].as_str().unwrap_or_default().starts_with("recurring invoices: a run ended")
}

#[test]
fn a_server_makes_what_is_due_as_soon_as_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let path = left_due(folder.path());
    let server = Server::start(folder.path(), PLAIN);
    assert_eq!(server.record(is_run)["done"], 1);
    let made = Owner::log_in(&server).ask("GET", &path, &Value::Null);
    assert_eq!((&made["status"], &made["invoices_generated"]), (&json!("completed"), &json!(1)));
    server.stop();
}

#[test]
fn a_worker_makes_it_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = left_due(folder.path());
    let worker = Server::working(folder.path());
    assert_eq!(worker.record(is_run)["done"], 1);
    worker.stop();
    let server = Server::start(folder.path(), PLAIN);
    let made = Owner::log_in(&server).ask("GET", &path, &Value::Null);
    assert_eq!(made["invoices_generated"], 1);
    server.stop();
}

/// An invoice of January's rent, which is older than the setting that spreads it.
#[test]
fn a_server_performs_a_backfill_that_a_request_began() {
    let folder = tempfile::tempdir().unwrap();
    // It says what became of each job, and else so little that waiting for that has an end.
    let level = ("RACUN__LOG__LEVEL", "info,racun::workers=debug");
    let server = Server::start(folder.path(), &[level]);
    let owner = Owner::sign_up(&server);
    let rent = json!({"date": "2025-02-10", "date_service": "2025-01-01",
        "date_service_to": "2025-01-31", "items": [{"name": "Rent", "price": 310, "taxes": []}]});
    owner.ask("POST", "/invoices", &rent);
    let daily = json!({"default_method": "service_period_daily"});
    owner.ask("PATCH", "/revenue-recognition/settings", &daily);
    let report = "/revenue-recognition/report?date_from=2025-01-01&date_to=2025-01-31";
    let before = owner.ask("GET", report, &Value::Null);
    assert_eq!(before["periods"], json!([]));
    let begun = owner.ask("POST", "/revenue-recognition/backfill", &json!({}));
    let done = server.record(|record| {
        record["message"] == "a job is done" && record["kind"] == "recognition_backfill"
    });
    assert_eq!(done["id"], begun["job_id"]);
    let after = owner.ask("GET", report, &Value::Null);
    assert_eq!(after["periods"][0]["recognized"], 310, "{after}");
    server.stop();
}

/// A consent that ran out long ago, in a store that no worker has worked on yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_removes_what_is_kept_for_a_time_only() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["migrate"], PLAIN).status.success());
    let database = folder.path().join("racun-data/racun.db");
    let open = || {
        let (tables, version) = (racun_application::tables(), racun_application::DATA_VERSION);
        SqliteStore::open(&database, &tables, version).unwrap()
    };
    let consent = Consent {
        id: "old".to_owned(),
        environment: Environment::Sandbox,
        asked_by: "usr".to_owned(),
        account: ConnectedAccount { id: "acct".to_owned(), name: None },
        is_used: false,
        until: datetime!(2025-02-01 10:30 UTC),
        created_at: datetime!(2025-02-01 10:00 UTC),
    };
    let store = open();
    let filled: &dyn Store = &store;
    filled.insert(vec![Put::insert(&consent)], Vec::new()).await.unwrap();
    store.close().await.unwrap();
    drop(store);
    let worker = Server::working(folder.path());
    let step = worker.record(|record| record["message"] == "retention: a step ended");
    assert_eq!(step["rows"], 1);
    worker.stop();
    let store = open();
    let (pruned, directory): (&dyn Store, _) = (&store, Tenant::directory());
    let left: Option<Consent> = pruned.get(&CONSENTS, &directory, "old").await.unwrap();
    assert_eq!(left, None);
}
