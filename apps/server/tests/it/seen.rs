//! Security events are in the log and in the metrics, and what clients send badly is no error.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::collector;
use crate::process::Server;

const PASSWORD: &str = "long enough 1";

/// The lines with an event, by the id of their request.
fn events(log: &[String]) -> BTreeMap<String, Value> {
    let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events = lines.filter(|line| line["event"].is_string());
    let id = |line: &Value| match line["span"]["request_id"].as_str() {
        Some(id) => id.to_owned(),
        None => line["request_id"].as_str().unwrap_or_default().to_owned(),
    };
    let mut found = BTreeMap::new();
    for event in events {
        let before = found.insert(id(&event), event);
        assert!(before.is_none(), "two lines: {before:?}");
    }
    found
}

/// What is behind the first `name` in a body of JSON.
fn text(body: &str, name: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    body[name].as_str().unwrap().to_owned()
}

/// A client that says with each request which one it is.
struct Client<'a> {
    server: &'a Server,
    token: String,
    entity: String,
}

impl Client<'_> {
    fn ask(&self, id: &str, what: &str, body: &str) -> (u16, String) {
        let (method, path) = what.split_once(' ').unwrap();
        let mut headers = format!("x-request-id: {id}\r\n");
        for (name, value) in [("authorization", &self.token), ("x-entity-id", &self.entity)] {
            if !value.is_empty() {
                headers.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        self.server.ask(method, path, &headers, body)
    }

    fn done(&self, id: &str, what: &str, body: &str) -> String {
        let (status, answer) = self.ask(id, what, body);
        assert!((200..300).contains(&status), "{id}: {status} {answer}");
        answer
    }
}

/// Causes security events; answers the secrets that the server showed.
fn play(server: &Server) -> Vec<String> {
    let mut ana = Client { server, token: String::new(), entity: String::new() };
    let user =
        |email: &str, password: &str| format!(r#"{{"email":"{email}","password":"{password}"}}"#);
    ana.done("signed-up", "POST /users/signup", &user("ana@corp.example", PASSWORD));
    let wrong = user("ana@corp.example", "wrong and long 1");
    assert_eq!(ana.ask("login-failed", "POST /users/login", &wrong).0, 401);
    let known = user("ana@corp.example", PASSWORD);
    let session = text(&ana.done("logged-in", "POST /users/login", &known), "id");
    ana.token = format!("Bearer {session}");
    let entity = r#"{"name":"Corp","country":"Slovenia","environment":"sandbox"}"#;
    ana.entity = text(&ana.done("entity", "POST /entities", entity), "id");
    let key = ana.done("key-made", "POST /entities/api-keys", r#"{"name":"till"}"#);
    let (key, key_id) = (text(&key, "id"), text(&key, "key_id"));
    let end = format!("DELETE /entities/api-keys/{key_id}");
    ana.done("key-ended", &end, "");

    let mut cut = Client { server, token: format!("Bearer {key}"), entity: ana.entity.clone() };
    assert_eq!(cut.ask("token-refused", "GET /customers", "").0, 401);
    cut.token = String::new();
    assert_eq!(cut.ask("no-token", "GET /customers", "").0, 401);

    let bor = user("bor@shop.example", PASSWORD);
    cut.entity = String::new();
    cut.done("signed-up-2", "POST /users/signup", &bor);
    cut.token = format!("Bearer {}", text(&cut.done("in-2", "POST /users/login", &bor), "id"));
    cut.entity = ana.entity.clone();
    assert_eq!(cut.ask("foreign", "GET /customers", "").0, 403);
    let foreign = format!("GET /entities/{}", ana.entity);
    assert_eq!(cut.ask("foreign-in-path", &foreign, "").0, 404);

    let invited = r#"{"email":"cene@shop.example","role":"viewer","send_invite":false}"#;
    let token = text(&ana.done("invited", "POST /entities/users", invited), "token");
    let accept = format!("POST /invitations/accept?token={token}");
    let anyone = Client { server, token: String::new(), entity: String::new() };
    let accepted = anyone.done("member-added", &accept, &format!(r#"{{"password":"{PASSWORD}"}}"#));
    let (member, session_of_member) = (text(&accepted, "user_id"), text(&accepted, "access_token"));
    let of_member = format!("/entities/users/{member}");
    let viewer =
        Client { server, token: format!("Bearer {session_of_member}"), entity: ana.entity.clone() };
    let made = viewer.ask("role-refused", "POST /customers", r#"{"name":"x"}"#);
    assert_eq!(made.0, 403, "{}", made.1);
    ana.done("role-changed", &format!("PATCH {of_member}"), r#"{"role":"editor"}"#);
    let pin = format!("PUT /pos/operators/{member}/pin");
    ana.done("pin-changed", &pin, r#"{"pin":"123"}"#);
    let switch = |pin: &str| format!(r#"{{"user_id":"{member}","pin":"{pin}"}}"#);
    let path = "POST /pos/operators/switch";
    assert_eq!(ana.ask("pin-failed", path, &switch("999")).0, 403);
    let operator = text(&ana.done("switched", path, &switch("123")), "id");
    ana.done("member-removed", &format!("DELETE {of_member}"), "");
    // A new minute may have begun.
    let limited = |_| ana.ask("limited", "POST /users/password-reset", r#"{"email":""}"#).0 == 429;
    assert!((0..40).any(limited));
    vec![session, key, token, session_of_member, operator, PASSWORD.to_owned()]
}

#[test]
fn a_security_event_is_in_the_log_once_and_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (address, exports) = collector::start();
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}")),
        ("RACUN__ACCESS__SIGNUP", "open".to_owned()),
        ("RACUN__RATE_LIMITS__ENABLED", "true".to_owned()),
        ("RACUN__RATE_LIMITS__PER_IP_SENSITIVE", "9".to_owned()),
    ];
    let server = Server::start(folder.path(), &variables);
    let secrets = play(&server);
    let log = server.log_to_the_end();
    let events = events(&log);
    let expected = [
        ("signed-up", "signed_up", "a...@corp.example"),
        ("login-failed", "login_failed", "a...@corp.example"),
        ("logged-in", "logged_in", "a...@corp.example"),
        ("key-made", "key_made", "ek_"),
        ("key-ended", "key_ended", "key_"),
        ("token-refused", "token_refused", ""),
        ("foreign", "foreign_refused", ""),
        ("foreign-in-path", "foreign_refused", ""),
        ("invited", "member_invited", "c...@shop.example"),
        ("member-added", "member_added", "usr_"),
        ("role-refused", "role_refused", ""),
        ("role-changed", "role_changed", "usr_"),
        ("pin-changed", "pin_changed", "usr_"),
        ("pin-failed", "pin_failed", "usr_"),
        ("switched", "operator_switched", "usr_"),
        ("member-removed", "member_removed", "usr_"),
        ("limited", "rate_limited", ""),
    ];
    for (id, name, about) in expected {
        let line = events.get(id).unwrap_or_else(|| panic!("{id}: {log:#?}"));
        assert_eq!((&line["event"], &line["level"]), (&name.into(), &"INFO".into()), "{line}");
        assert_eq!(line["address"], "127.0.0.1", "{line}");
        assert!(line["about"].as_str().unwrap_or_default().starts_with(about), "{line}");
    }
    for id in ["signed-up", "login-failed", "logged-in"] {
        assert_eq!(events[id]["user"], events["key-made"]["caller"], "{id}");
    }
    assert!(events["key-made"]["caller"].as_str().unwrap().starts_with("usr_"));
    assert!(events["key-made"]["entity"].as_str().unwrap().starts_with("ent_"));
    assert!(events["token-refused"]["key"].as_str().unwrap().contains("..."));
    assert!(!events.contains_key("no-token") && !events.contains_key("entity"), "{events:?}");
    for secret in secrets.iter().map(String::as_str).chain(["ana@corp", "cene@shop"]) {
        assert!(!log.iter().any(|line| line.contains(secret)), "{secret} is in the log");
    }
    let exports: Vec<_> =
        exports.try_iter().filter(|export| export.path == "/v1/metrics").collect();
    for name in expected.iter().map(|(_, name, _)| *name).chain(["racun.security.events"]) {
        let holds = |body: &[u8]| body.windows(name.len()).any(|part| part == name.as_bytes());
        assert!(exports.iter().any(|export| holds(&export.body)), "{name} is not counted");
    }
}

#[test]
fn bytes_that_are_no_request_are_logged_once_and_not_as_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let live = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
    let sent = [
        "nonsense\r\n\r\n".to_owned(),
        "GET /health HTTP/1.1\r\nhost: x\r\ncontent-length: two\r\n\r\n".to_owned(),
        // Behind a request whose answer is still being written: answered by actix-http itself.
        format!("{live}nonsense\r\n\r\n"),
    ];
    let mut ids = Vec::new();
    for bytes in &sent {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let mut told = String::new();
        stream.read_to_string(&mut told).unwrap();
        assert!(told.contains("HTTP/1.1 400"), "{told}");
        let id = told.split("x-request-id: ").nth(1).and_then(|rest| rest.lines().next());
        ids.push(id.unwrap().to_owned());
    }
    let log = server.log_to_the_end();
    assert!(!log.iter().any(|line| line.contains("ERROR")), "{log:#?}");
    let events = events(&log);
    for id in &ids[..2] {
        let line = &events[id];
        assert_eq!((&line["event"], &line["level"]), (&"malformed_request".into(), &"INFO".into()));
        assert_eq!((&line["status"], &line["address"]), (&400.into(), &"127.0.0.1".into()));
        assert_eq!(log.iter().filter(|line| line.contains(id)).count(), 1, "{log:#?}");
    }
}

/// What the server answers to `parts`, sent one by one, until it ends the connection.
fn told(server: &Server, parts: &[&str]) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_nodelay(true).unwrap();
    for part in parts {
        stream.write_all(part.as_bytes()).unwrap();
    }
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap();
    told
}

#[test]
fn bytes_behind_a_request_end_no_thread_that_serves() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let live = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
    let tails = [
        "nonsense\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n",
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
    ];
    // More often than there are such threads.
    for tail in tails.iter().cycle().take(64) {
        let told = told(&server, &[&format!("{live}{tail}")]);
        assert!(told.starts_with("HTTP/1.1 200") && told.contains("HTTP/1.1 400"), "{told}");
    }
    assert_eq!(server.ask("GET", "/health", "", "").0, 200);
    let log = server.log_to_the_end();
    assert!(!log.iter().any(|line| line.contains("panicked") || line.contains("ERROR")), "{log:?}");
}

#[test]
fn unreadable_chunks_are_refused_and_logged_once_with_and_without_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[("RACUN__ACCESS__SIGNUP", "open")]);
    let ana = r#"{"email":"ana@corp.example","password":"long enough 1"}"#;
    assert_eq!(server.ask("POST", "/users/signup", "", ana).0, 201);
    let session = text(&server.ask("POST", "/users/login", "", ana).1, "id");
    let chunks = "ZZ\r\n{}\r\n0\r\n\r\n";
    let mut ids = Vec::new();
    for (path, token) in [
        ("POST /users/login", String::new()),
        ("POST /users/signup", String::new()),
        ("POST /entities", format!("authorization: Bearer {session}\r\n")),
    ] {
        let head = format!(
            "{path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{token}\
             transfer-encoding: chunked\r\n\r\n"
        );
        for parts in [&[&*format!("{head}{chunks}")][..], &[&*head, chunks]] {
            let told = told(&server, parts);
            assert_eq!(told.matches("HTTP/1.1 ").count(), 1, "{path}: {told}");
            let (head, body) = told.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 400 "), "{path}: {told}");
            assert!(text(body, "message").contains("sizes and line ends of its chunks"), "{told}");
            let id = head.split("x-request-id: ").nth(1).and_then(|rest| rest.lines().next());
            ids.push(id.unwrap().to_owned());
        }
    }
    let log = server.log_to_the_end();
    assert!(!log.iter().any(|line| line.contains("ERROR")), "{log:#?}");
    let mut events = events(&log);
    events.retain(|_, line| line["event"] == "malformed_request");
    assert_eq!(events.len(), ids.len(), "{log:#?}");
    for id in &ids {
        assert_eq!(log.iter().filter(|line| line.contains(id)).count(), 1, "{log:#?}");
        assert_eq!(events[id]["address"], "127.0.0.1");
    }
}

#[test]
fn browsers_hold_to_tls_where_links_say_so() {
    let hsts = |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), variables);
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let ask = b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        stream.write_all(ask).unwrap();
        let mut told = String::new();
        stream.read_to_string(&mut told).unwrap();
        let found = told.split("strict-transport-security: ").nth(1);
        found.and_then(|rest| rest.lines().next()).map(str::to_owned)
    };
    let url = |url| ("RACUN__SERVER__PUBLIC_URL", url);
    let seconds = |seconds| ("RACUN__SERVER__HSTS_SECONDS", seconds);
    let year = Some("max-age=31536000".to_owned());
    assert_eq!(hsts(&[]), None);
    assert_eq!(hsts(&[url("http://invoices.example.com")]), None);
    assert_eq!(hsts(&[url("https://invoices.example.com")]), year);
    let ended = hsts(&[url("https://invoices.example.com"), seconds("0")]);
    assert_eq!(ended, Some("max-age=0".to_owned()));
    assert_eq!(hsts(&[seconds("300")]), Some("max-age=300".to_owned()));
}
