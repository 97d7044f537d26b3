//! Servers that misbehave: each exchange ends as unknown within its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use racun_fiscal::Unknown;
use tokio::net::TcpListener;

use crate::server::{Reaction, Received, Server, http};
use crate::support::{FURS, text};
use crate::world::Way;

/// Longer than an exchange takes that ends at all.
const PATIENCE: Duration = Duration::from_secs(60);
/// For so long servers that never end an exchange are waited for.
const HASTE: Duration = Duration::from_millis(700);
/// What is said of an exchange that the clients ended for its time was over.
const LATE: &str = "no answer came in time";

const WAYS: [Way; 3] = [Way::FursSoap, Way::FursJson, Way::Fina];

/// Sends to a server that reacts so, and checks that the exchange ends as unknown.
async fn outcome(
    way: Way,
    name: &str,
    react: impl Fn(&Received) -> Reaction + Send + Sync + 'static,
) -> Unknown {
    outcome_within(PATIENCE, way, name, react).await
}

/// The same with this patience: some servers never end the exchange themselves.
async fn outcome_within(
    patience: Duration,
    way: Way,
    name: &str,
    react: impl Fn(&Received) -> Reaction + Send + Sync + 'static,
) -> Unknown {
    let server = Server::start(react).await;
    let clients = way.clients(&server.url(), patience);
    let unknown = way.send(&clients).await.unwrap_err();
    assert!(server.received().len() <= 1, "{name}: it was sent again");
    unknown
}

#[tokio::test]
async fn a_server_that_misbehaves_ends_as_unknown_in_time() {
    for way in WAYS {
        let answer = |status: &'static str, kind: &'static str, body: &'static str| {
            move |_: &Received| Reaction::Answer { status, kind, body: body.to_owned() }
        };
        let html = "<!DOCTYPE html><html><body>Request Rejected</body></html>";
        for (name, status, kind, body) in [
            ("HTML 500", "500 Internal Server Error", "text/html", html),
            ("HTML 502", "502 Bad Gateway", "text/html; charset=ISO-8859-2", html),
            ("HTML 200", "200 OK", "text/html", html),
            ("HTML that says it is an answer", "200 OK", way.kind(), html),
            ("404", "404 Not Found", way.kind(), ""),
            ("503", "503 Service Unavailable", way.kind(), "{}"),
            ("empty", "200 OK", way.kind(), ""),
            ("no content", "204 No Content", way.kind(), ""),
            ("{}", "200 OK", way.kind(), "{}"),
            ("<a/>", "200 OK", way.kind(), "<a/>"),
        ] {
            let unknown = outcome(way, name, answer(status, kind, body)).await;
            assert!(!unknown.is_suspicious, "{way:?}, {name}: {unknown}");
        }
        for (name, reaction) in [
            ("hang", Reaction::Hang),
            ("reset", Reaction::Reset),
            ("flood", Reaction::Flood),
            ("no HTTP", Reaction::Bytes(b"no HTTP at all\r\n\r\n".to_vec())),
        ] {
            let patience = if name == "hang" { HASTE } else { PATIENCE };
            let unknown = outcome_within(patience, way, name, move |_| reaction.clone()).await;
            assert!(!unknown.is_suspicious, "{way:?}, {name}: {unknown}");
            assert_eq!(unknown.reason == LATE, name == "hang", "{way:?}, {name}: {unknown}");
        }
        let right = move |request: &Received| http("200 OK", way.kind(), &way.answer(request));
        let drip = move |request: &Received| Reaction::Drip(right(request));
        let unknown = outcome_within(HASTE, way, "drip", drip).await;
        assert_eq!(unknown.reason, LATE, "{way:?}, drip");
        let moved = move |request: &Received| {
            let found = "HTTP/1.1 301 Moved Permanently\r\nLocation: /elsewhere\r\n";
            let right = String::from_utf8(right(request)).unwrap();
            Reaction::Bytes(right.replacen("HTTP/1.1 200 OK\r\n", found, 1).into_bytes())
        };
        outcome(way, "301", moved).await;
        let large = move |request: &Received| {
            let body = way.answer(request) + &" ".repeat(10_000_000);
            Reaction::Bytes(http("200 OK", way.kind(), &body))
        };
        let unknown = outcome(way, "10 MB", large).await;
        assert!(unknown.reason.contains("larger than"), "{unknown}");
    }
}

#[tokio::test]
async fn half_an_answer_is_none_wherever_it_is_cut() {
    for way in WAYS {
        let right = move |request: &Received| http("200 OK", way.kind(), &way.answer(request));
        let (place, length) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (cut, whole) = (Arc::clone(&place), Arc::clone(&length));
        let server = Server::start(move |request: &Received| {
            let mut right = right(request);
            whole.store(right.len(), Ordering::SeqCst);
            right.truncate(cut.load(Ordering::SeqCst));
            Reaction::Bytes(right)
        })
        .await;
        let mut cuts = 0;
        while cuts == 0 || place.load(Ordering::SeqCst) < length.load(Ordering::SeqCst) {
            // Fresh clients each time: five failures would end the calls.
            let unknown = way.send(&way.clients(&server.url(), PATIENCE)).await.unwrap_err();
            assert!(!unknown.is_suspicious, "{way:?}, cut {cuts}: {unknown}");
            place.fetch_add(64, Ordering::SeqCst);
            cuts += 1;
        }
        assert!(cuts > 20, "{way:?} was cut {cuts} times");
        place.store(usize::MAX, Ordering::SeqCst);
        assert!(way.send(&way.clients(&server.url(), PATIENCE)).await.is_ok());
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_or_not_the_authoritys_ends_as_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("https://{}", listener.local_addr().unwrap());
    for way in WAYS {
        // It takes the connection and says nothing.
        let unknown = way.send(&way.clients(&silent, HASTE)).await.unwrap_err();
        assert_eq!(unknown.reason, LATE, "{way:?}");
        // No server listens.
        assert!(way.send(&way.clients("https://127.0.0.1:1", PATIENCE)).await.is_err());
        // A label of a name has 63 characters at most, so no server of names is asked for this one.
        let nameless = format!("https://{}.invalid", "n".repeat(64));
        assert!(way.send(&way.clients(&nameless, PATIENCE)).await.is_err());
        // Another authority certified it.
        let server = Server::start(move |request: &Received| Reaction::Answer {
            status: "200 OK",
            kind: way.kind(),
            body: way.answer(request),
        })
        .await;
        let other = text(&FURS["keys"]["mock_tax_ca"], "cert_pem").to_owned();
        let clients = way.clients_that_trust(&server.url(), PATIENCE, other);
        let unknown = way.send(&clients).await.unwrap_err();
        assert!(unknown.reason.contains("certificate"), "{unknown}");
        assert!(server.received().is_empty());
    }
}
