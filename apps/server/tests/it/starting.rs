//! From an empty folder to a ready server, and to its end.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::process::{Server, run};

/// No variables beside those that every test needs.
const PLAIN: &[(&str, &str)] = &[];

/// After SIGTERM.
const END: Duration = Duration::from_secs(10);

/// How fast is for `just bench-http start` to say.
#[test]
fn a_server_on_an_empty_folder_is_ready_when_it_says_that_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), PLAIN);
    let (status, body) = server.ask("GET", "/health/ready", "", "");
    assert_eq!(status, 200, "{body}");
    server.stop();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn large_blocks_of_memory_are_kept_apart_unless_the_operator_chose() {
    let chosen = |value: &str| format!("MALLOC_MMAP_THRESHOLD_={value}");
    for (variables, expected) in [
        (PLAIN, chosen("131072")),
        (&[("MALLOC_MMAP_THRESHOLD_", "1000000")], chosen("1000000")),
        (
            &[("GLIBC_TUNABLES", "glibc.malloc.check=0")],
            "GLIBC_TUNABLES=glibc.malloc.check=0".into(),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), variables);
        let environment = server.proc("environ");
        let set: Vec<&str> = environment
            .split('\0')
            .filter(|variable| variable.starts_with("MALLOC_") || variable.starts_with("GLIBC_"))
            .collect();
        assert_eq!(set, [expected]);
        assert_eq!(server.proc("comm"), "racun\n", "ps and pkill find it by its name");
        server.stop();
    }
}

#[test]
fn only_the_first_start_prints_how_to_get_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let is_hint = |record: &Value| record["message"].as_str().unwrap().contains("api-keys");
    let is_last = |record: &Value| record["message"] == "ended";
    for expected in [true, false] {
        let server = Server::start(folder.path(), PLAIN);
        server.signal("TERM");
        let next = server.record(|record| is_hint(record) || is_last(record));
        assert_eq!(is_hint(&next), expected, "{next}");
        server.stop();
    }
}

#[test]
fn a_server_warns_when_sign_up_is_open_without_a_setting() {
    let is_warning = |record: &Value| {
        record["level"] == "WARN" && record["message"].as_str().unwrap().contains("may sign up")
    };
    let is_last = |record: &Value| record["message"] == "ended";
    for (variables, expected) in [
        (PLAIN, true),
        (&[("RACUN__ACCESS__SIGNUP", "open")], false),
        (&[("RACUN__SERVER__PUBLIC_URL", "https://racun.example")], false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), variables);
        server.signal("TERM");
        let next = server.record(|record| is_warning(record) || is_last(record));
        assert_eq!(is_warning(&next), expected, "{variables:?}: {next}");
        server.stop();
    }
}

#[test]
fn a_restart_on_the_same_folder_keeps_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let user = r#"{"email":"a@example.com","password":"long enough 1","company_name":"A"}"#;
    let server = Server::start(folder.path(), PLAIN);
    let (status, body) = server.ask("POST", "/users/signup", "", user);
    assert_eq!(status, 201, "{body}");
    server.stop();
    let server = Server::start(folder.path(), PLAIN);
    let login = r#"{"email":"a@example.com","password":"long enough 1"}"#;
    let (status, body) = server.ask("POST", "/users/login", "", login);
    assert!((200..300).contains(&status), "{status} {body}");
    server.stop();
}

#[test]
fn a_second_process_on_the_same_folder_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), PLAIN);
    for command in ["serve", "work", "migrate"] {
        let output = run(folder.path(), &[command], &[("RACUN__SERVER__LISTEN", "127.0.0.1:0")]);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command}: {printed}");
        assert_eq!(printed.lines().count(), 1, "{command}: {printed}");
        assert!(printed.contains("in use by another process"), "{command}: {printed}");
    }
    server.stop();
}

#[test]
fn an_address_in_use_is_named_in_one_line() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Server::start(folder.path(), PLAIN);
    let output = run(other.path(), &["serve"], &[("RACUN__SERVER__LISTEN", &server.address)]);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(printed.contains(&server.address), "{printed}");
    server.stop();
}

#[test]
fn a_signal_ends_the_server_in_time_whatever_its_clients_do() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), PLAIN);
        let idle = TcpStream::connect(&server.address).unwrap();
        let mut slow = TcpStream::connect(&server.address).unwrap();
        slow.write_all(b"POST /users/signup HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{")
            .unwrap();
        server.signal(signal);
        assert!(server.ended_within(END).success(), "SIG{signal}");
        drop((idle, slow));
    }
}

#[test]
fn workers_wait_for_a_signal_too() {
    let folder = tempfile::tempdir().unwrap();
    let worker = Server::working(folder.path());
    worker.signal("TERM");
    assert!(worker.ended_within(END).success());
}

#[test]
fn after_a_stop_the_database_file_alone_is_whole() {
    // A receiver that takes what is posted and never answers, so that a job is under way.
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = receiver.local_addr().unwrap();
    for _ in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let server =
            Server::start(folder.path(), &[("RACUN__WEBHOOKS__ALLOW_PRIVATE_ADDRESSES", "true")]);
        let user = r#"{"email":"a@example.com","password":"correct horse 1"}"#;
        server.ask("POST", "/users/signup", "", user);
        let id = |answer: (u16, String)| {
            let body: Value = serde_json::from_str(&answer.1).unwrap();
            body["id"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned()
        };
        let token = id(server.ask("POST", "/users/login", "", user));
        let token = format!(
            "authorization: Bearer {token}
"
        );
        let entity = r#"{"name":"A","country":"Slovenia","environment":"sandbox"}"#;
        let entity = id(server.ask("POST", "/entities", &token, entity));
        let headers = format!(
            "{token}x-entity-id: {entity}
"
        );
        let hook = format!(r#"{{"url":"http://{address}/","events":["invoice.created"]}}"#);
        id(server.ask("POST", "/webhooks", &headers, &hook));
        let invoice = r#"{"items":[{"name":"Tea","price":2}]}"#;
        id(server.ask("POST", "/invoices", &headers, invoice));
        let (posted, _) = receiver.accept().unwrap();
        for _ in 1..30 {
            id(server.ask("POST", "/invoices", &headers, invoice));
        }
        server.stop();
        drop(posted);
        let (data, copy) = (folder.path().join("racun-data"), tempfile::tempdir().unwrap());
        let copied = copy.path().join("racun-data");
        fs::create_dir(&copied).unwrap();
        for file in ["racun.db", "master.key"] {
            fs::copy(data.join(file), copied.join(file)).unwrap();
        }
        let log = fs::metadata(data.join("racun.db-wal")).map_or(0, |file| file.len());
        assert_eq!(log, 0, "the log beside the database is folded in");
        let server = Server::start(copy.path(), PLAIN);
        let (_, list) = server.ask("GET", "/invoices?limit=1", &headers, "");
        let list: Value = serde_json::from_str(&list).unwrap();
        assert_eq!(list["pagination"]["total"], 30, "{list}");
        server.stop();
    }
}

#[test]
fn only_the_user_of_the_server_can_read_the_data() {
    let folder = tempfile::tempdir().unwrap();
    Server::start(folder.path(), PLAIN).stop();
    let data = folder.path().join("racun-data");
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("racun.db")), 0o600);
    assert_eq!(mode(&data.join("master.key")), 0o600);
}

#[test]
fn the_master_key_is_made_once_and_only_when_none_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("racun-data/master.key");
    let given = [("RACUN__SECRETS__MASTER_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")];
    Server::start(folder.path(), &given).stop();
    assert!(!file.exists());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("racun-data/master.key");
    Server::start(folder.path(), PLAIN).stop();
    let key = fs::read_to_string(&file).unwrap();
    Server::start(folder.path(), PLAIN).stop();
    assert_eq!(fs::read_to_string(&file).unwrap(), key);
    assert_eq!(key.trim().len(), 44, "32 bytes in base64");
}

#[test]
fn a_damaged_master_key_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("racun-data/master.key");
    Server::start(folder.path(), PLAIN).stop();
    fs::write(&file, "half a k").unwrap();
    let output = run(folder.path(), &["serve"], &[("RACUN__SERVER__LISTEN", "127.0.0.1:0")]);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("master.key"), "{printed}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "half a k");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
