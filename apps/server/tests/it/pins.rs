//! PINs of operators at a running server: nothing that it writes holds one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::Server;

/// What may stand nowhere: PINs as a body holds them, and what was sent in the place of one.
const SECRETS: [&str; 4] = ["\"739\"", "\\\"739\\\"", "\"940\"", "q7r8s"];

#[test]
fn no_pin_is_written_anywhere_at_the_most_talkative_level() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[("RACUN__LOG__LEVEL", "trace")]);
    let body = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let user = r#"{"email":"a@example.com","password":"long enough 1"}"#;
    let user = body(&server.ask("POST", "/users/signup", "", user).1);
    let login = r#"{"email":"a@example.com","password":"long enough 1"}"#;
    let login = body(&server.ask("POST", "/users/login", "", login).1);
    let token = format!("authorization: Bearer {}\r\n", login["id"].as_str().unwrap());
    let entity = r#"{"name":"Pri Ani","country":"Slovenia","environment":"sandbox"}"#;
    assert_eq!(server.ask("POST", "/entities", &token, entity).0, 201);
    let id = user["id"].as_str().unwrap();
    let path = format!("/pos/operators/{id}/pin");
    for (pin, status) in [("q7r8s", 422), ("739", 204)] {
        let (found, text) = server.ask("PUT", &path, &token, &format!(r#"{{"pin":"{pin}"}}"#));
        assert_eq!(found, status, "{text}");
        assert!(!text.contains(pin), "{text}");
    }
    for (pin, status) in [("q7r8s", 422), ("940", 403), ("739", 200)] {
        let switch = format!(r#"{{"user_id":"{id}","pin":"{pin}"}}"#);
        let (found, text) = server.ask("POST", "/pos/operators/switch", &token, &switch);
        assert_eq!(found, status, "{text}");
        assert!(!SECRETS.iter().any(|secret| text.contains(secret)), "{text}");
    }
    let log = server.log_to_the_end();
    assert!(log.iter().any(|line| line.contains("/pos/operators/switch")), "the log is empty");
    for line in log {
        assert!(!SECRETS.iter().any(|secret| line.contains(secret)), "{line}");
    }
    let files = files(&folder.path().join("racun-data"));
    assert!(files.iter().any(|file| file.ends_with("racun.db")), "{files:?}");
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        for secret in SECRETS.map(str::as_bytes) {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
    }
}

/// The files in a folder and below: mails are in one of their own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
