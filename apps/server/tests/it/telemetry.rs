//! Log records, traces and metrics.

use std::net::TcpListener;

use crate::collector;
use crate::process::{Server, ask};

/// Switches the export on.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

#[test]
fn traces_and_metrics_of_requests_reach_the_collector() {
    let folder = tempfile::tempdir().unwrap();
    let (address, exports) = collector::start();
    let server = Server::start(folder.path(), &[(ENDPOINT, format!("http://{address}"))]);
    assert_eq!(server.ask("GET", "/health/live", "", "").0, 200);
    server.stop();
    let exports: Vec<_> = exports.try_iter().collect();
    let holds = |path: &str, name: &str| {
        exports.iter().any(|export| {
            export.path == path
                && export.body.windows(name.len()).any(|part| part == name.as_bytes())
        })
    };
    assert!(holds("/v1/traces", "/health/live"), "no span of the request");
    assert!(holds("/v1/traces", "service.name"), "no name of the service");
    assert!(holds("/v1/metrics", "http.server.request.duration"), "no metric");
    assert!(holds("/v1/metrics", "/health/live"), "no route in the metric");
}

#[test]
fn metrics_are_read_in_the_text_of_prometheus() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[("RACUN__METRICS__LISTEN", "127.0.0.1:0")]);
    let started = server.record(|record| record["metrics"].is_string());
    let address = started["metrics"].as_str().unwrap();
    let wrong = r#"{"email": "ana@example.com", "password": "wrong horse 1"}"#;
    assert_eq!(server.ask("POST", "/users/login", "", wrong).0, 401);
    let (status, text) = ask(address, "GET", "/metrics", "", "");
    assert_eq!(status, 200);
    let has = |name: &str, label: &str, end: &str| {
        let mut lines = text.lines().filter(|line| line.starts_with(name));
        assert!(lines.any(|line| line.contains(label) && line.ends_with(end)), "{name}: {text}");
    };
    has("racun_security_events_total{", "event=\"login_failed\"", " 1");
    has("http_server_request_duration_seconds_count{", "/users/login", " 1");
    assert_eq!(ask(address, "GET", "/", "", "").0, 404);
    assert_eq!(ask(address, "POST", "/metrics", "", "{}").0, 404);
    server.stop();
}

#[test]
fn a_collector_that_never_answers_does_not_hold_up_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let server = Server::start(folder.path(), &[(ENDPOINT, endpoint)]);
    assert_eq!(server.ask("GET", "/health/live", "", "").0, 200);
    // The collector is there, and silent, for as long as the end takes.
    server.stop();
    drop(silent);
}

#[test]
fn a_log_record_of_a_request_carries_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[("RACUN__LOG__LEVEL", "debug")]);
    let (status, _) = server.ask("GET", "/no/such/path", "x-request-id: my-own-id\r\n", "");
    assert_eq!(status, 404);
    let record = server.record(|record| record["span"]["request_id"] == "my-own-id");
    assert_eq!(record["span"]["status"], 404, "{record}");
    server.stop();
}
