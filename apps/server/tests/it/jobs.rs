//! What the process does without being asked.

use std::path::Path;

use serde_json::{Value, json};

use crate::process::Server;

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
