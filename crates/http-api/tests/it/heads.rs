//! Heads that no request can be read from are answered as any other refused request.

use std::time::Duration;

use racun_http_api::ConnectionLimits;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;

use crate::connections::{answer, in_time, patient, rest, send, start};

/// Checks that `text` is an answer with `status` and `code`, which closes the connection.
fn check(about: &str, text: &str, status: u16, code: &str) {
    let about = about.escape_debug();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{about}: {text}");
    let field = |name: &str| {
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        let found = fields.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value).unwrap_or_default().to_owned()
    };
    let body_bytes = body.len().to_string();
    assert_eq!(field("content-length"), body_bytes, "{about}: {text}");
    assert_eq!(field("connection"), "close", "{about}: {text}");
    assert_eq!(field("content-type"), "application/json", "{about}: {text}");
    assert_eq!(field("cache-control"), "no-store", "{about}: {text}");
    assert!(field("x-request-id").starts_with("req_"), "{about}: {text}");
    assert!(!field("date").is_empty(), "{about}: {text}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["code"], code, "{about}: {body}");
    assert!(body["message"].as_str().unwrap().len() > 20, "{about}: {body}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_head_is_refused() {
    let address = start(patient());
    for head in [
        "GET /a b HTTP/1.1\r\nhost: x\r\n\r\n",
        "GET /\u{17e} HTTP/1.1\r\nhost: x\r\n\r\n",
        "GET /<> HTTP/9.9\r\nhost: x\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET /health HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
        "GET /health HTTP/1.1\r\nhost: x\r\na: \u{1}\r\n\r\n",
        "GET /health HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n",
        "GET /health HTTP/1.1\r\n\r\n",
        "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-length: two\r\n\r\n{}",
        "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\
         transfer-encoding: chunked\r\n\r\n{}",
    ] {
        let mut stream = send(address, head).await;
        check(head, &rest(&mut stream).await, 400, "bad_request");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_is_too_long_or_too_slow_is_refused() {
    let address = start(patient());
    let fields: String = (0..200).map(|field| format!("a{field}: b\r\n")).collect();
    let long = "x".repeat(140_000);
    for head in [
        format!("GET /health HTTP/1.1\r\nhost: x\r\n{fields}\r\n"),
        format!("GET /health HTTP/1.1\r\nhost: x\r\na: {long}"),
        format!("GET /{long}"),
    ] {
        let mut stream = send(address, &head).await;
        check("long", &rest(&mut stream).await, 431, "head_too_large");
    }
    let address = start(ConnectionLimits { head_time: Duration::from_millis(50), ..patient() });
    let mut stream = send(address, "GET /health HTT").await;
    check("slow", &rest(&mut stream).await, 408, "request_timeout");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_head_is_refused_too_and_earlier_answers_are_complete() {
    let address = start(patient());
    let live = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut stream = send(address, live).await;
    assert!(answer(&mut stream).await.starts_with("HTTP/1.1 200"));
    in_time(stream.write_all(b"nonsense\r\n\r\n")).await.unwrap();
    check("later", &rest(&mut stream).await, 400, "bad_request");

    // What comes together with a request that is being answered: the answer is whole, and then the
    // connection ends.
    let mut stream = send(address, &format!("{live}nonsense\r\n\r\n")).await;
    let told = rest(&mut stream).await;
    assert!(told.starts_with("HTTP/1.1 200") && told.contains("{\"status\":\"ok\"}"), "{told}");
    assert_eq!(told.matches("HTTP/1.1 ").count(), 2, "{told}");
    assert!(told.contains("HTTP/1.1 400"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rest_that_a_refused_client_sends_is_bounded() {
    let address = start(patient());
    let mut endless = send(address, "nonsense\r\n\r\n").await;
    let refused = in_time(async {
        for _ in 0..10_000 {
            if endless.write_all(&[b'x'; 8192]).await.is_err() {
                return true;
            }
        }
        false
    });
    assert!(refused.await, "80 MB after a head that could not be read were read");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_chunk_is_refused() {
    let address = start(patient());
    let head = "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let mut stream = send(address, &format!("{head}ZZ\r\n{{}}\r\n0\r\n\r\n")).await;
    let together = rest(&mut stream).await;
    let mut stream = send(address, head).await;
    tokio::task::yield_now().await;
    in_time(stream.write_all(b"ZZ\r\n{}\r\n0\r\n\r\n")).await.unwrap();
    let later = rest(&mut stream).await;
    check("together", &together, 400, "bad_request");
    check("later", &later, 400, "bad_request");
}
