//! What is refused is in the log: one line, with who asked for what.

use serde_json::Value;

use crate::process::Server;

const KEY: &str = "sk_sandbox_abc00000000000000000000000000234";

/// The line about the request `id`, of which there is one.
fn line(log: &[String], id: &str) -> Value {
    let lines: Vec<&String> = log.iter().filter(|line| line.contains(id)).collect();
    assert_eq!(lines.len(), 1, "{id}: {lines:?}");
    serde_json::from_str(lines[0]).unwrap()
}

#[test]
fn a_refused_request_leaves_one_line_with_who_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let ask = |id: &str, method: &str, path: &str, more: &str, body: &str| {
        server.ask(method, path, &format!("x-request-id: {id}\r\n{more}"), body).0
    };
    let foreign = "ent_01jd0000000000000000000000";
    let with_key = format!("authorization: Bearer {KEY}\r\nx-entity-id: {foreign}\r\n");
    assert_eq!(ask("req-key", "GET", "/customers", &with_key, ""), 401);
    assert_eq!(
        ask("req-login", "POST", "/users/login", "", r#"{"email":"a","password":"b"}"#),
        401
    );
    assert_eq!(
        ask("req-body", "POST", "/users/signup", "", r#"{"email":"a","password":"b"}"#),
        422
    );
    assert_eq!(ask("req-path", "GET", "/nowhere", "", ""), 404);
    let user = r#"{"email":"a@example.com","password":"long enough 1"}"#;
    assert_eq!(ask("req-good", "POST", "/users/signup", "", user), 201);
    assert_eq!(ask("req-taken", "POST", "/users/signup", "", user), 409);
    assert_eq!(ask("req-read", "GET", "/health", "", ""), 200);
    // A body whose handler is tried on what is left of it.
    let login = server.ask("POST", "/users/login", "", user).1;
    let of = |answer: &str| serde_json::from_str::<Value>(answer).unwrap()["id"].clone();
    let signed = format!("authorization: Bearer {}\r\n", of(&login).as_str().unwrap());
    let entity = r#"{"name":"Corp","country":"Slovenia","environment":"sandbox"}"#;
    let entity = of(&server.ask("POST", "/entities", &signed, entity).1);
    let inside = format!("{signed}x-entity-id: {}\r\n", entity.as_str().unwrap());
    assert_eq!(ask("req-tried", "POST", "/customers", &inside, r#"{"country":"x"}"#), 422);
    assert_eq!(ask("req-mail", "POST", "/email/send", &inside, r#"{"to":"x"}"#), 422);
    let outside = format!("{signed}x-entity-id: {foreign}\r\n");
    assert_eq!(ask("req-foreign", "GET", "/customers", &outside, ""), 403);
    // A refusal that is kept under a key, and answered again from there.
    let keyed = format!("{inside}idempotency-key: once\r\n");
    for id in ["req-first", "req-replayed"] {
        assert_eq!(ask(id, "POST", "/customers", &keyed, r#"{"country":"y"}"#), 422);
    }
    let log = server.log_to_the_end();

    let refused = line(&log, "req-key");
    assert_eq!((&refused["level"], &refused["code"]), (&"INFO".into(), &"unauthorized".into()));
    assert_eq!((&refused["status"], &refused["entity"]), (&401.into(), &foreign.into()));
    assert_eq!(
        (&refused["key"], &refused["address"]),
        (&"sk_sandbox_abc...234".into(), &"127.0.0.1".into())
    );
    assert_eq!(refused["span"]["request_id"], "req-key");
    assert_eq!(
        (&refused["span"]["method"], &refused["span"]["route"]),
        (&"GET".into(), &"/customers".into())
    );
    for id in ["req-tried", "req-mail"] {
        assert_eq!(line(&log, id)["level"], "INFO");
    }
    let (first, again) = (line(&log, "req-first"), line(&log, "req-replayed"));
    for part in ["level", "status", "code", "entity", "caller", "address", "message"] {
        assert_eq!((again[part].is_null(), &again[part]), (false, &first[part]), "{again}");
    }
    assert_eq!(again["entity"], entity);
    for (id, status, code) in [
        ("req-foreign", 403, "entity_not_accessible"),
        ("req-login", 401, "unauthorized"),
        ("req-body", 422, "invalid_email"),
        ("req-taken", 409, "email_taken"),
        ("req-path", 404, "not_found"),
    ] {
        let refused = line(&log, id);
        assert_eq!(
            (&refused["status"], &refused["code"]),
            (&status.into(), &code.into()),
            "{refused}"
        );
        assert!(refused["milliseconds"].is_u64(), "{refused}");
    }
    assert!(line(&log, "req-good")["milliseconds"].is_u64());
    assert!(!log.iter().any(|line| line.contains("req-read")), "reads are not told");
    assert!(!log.iter().any(|line| line.contains(KEY)), "a key is in no log");
}

#[test]
fn a_request_beyond_its_limit_leaves_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let few =
        [("RACUN__RATE_LIMITS__ENABLED", "true"), ("RACUN__RATE_LIMITS__PER_IP_SENSITIVE", "1")];
    let server = Server::start(folder.path(), &few);
    // A minute of the clock may end between two requests, not between each two of ten.
    let refused = (0..10).map(|n| format!("req-guess-{n}")).find(|id| {
        let user = r#"{"email":"a@example.com","password":"long enough 1"}"#;
        let id = format!("x-request-id: {id}\r\n");
        server.ask("POST", "/users/login", &id, user).0 == 429
    });
    let refused = line(&server.log_to_the_end(), &refused.unwrap());
    assert_eq!(
        (&refused["level"], &refused["status"], &refused["code"], &refused["address"]),
        (&"INFO".into(), &429.into(), &"rate_limit_exceeded".into(), &"127.0.0.1".into())
    );
    assert_eq!(refused["span"]["route"], "/users/login");
}
