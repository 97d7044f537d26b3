//! Connections on a socket: whatever a client leaves undone, its connection ends.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use async_trait::async_trait;
use racun_http_api::{ConnectionLimits, Options, RequestLimits, run};
use racun_store::{Read, Rows, Store, StoreDecorator};
use racun_store_sqlite::SqliteStore;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Notify, Semaphore};

use crate::harness::{http, services};

/// Much longer than anything here takes, and than it takes when it fails.
const PATIENCE: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

/// Limits of which none is reached by chance.
pub fn patient() -> ConnectionLimits {
    ConnectionLimits {
        head_time: PATIENCE,
        keep_alive: PATIENCE,
        drain_time: PATIENCE,
        write_time: PATIENCE,
        ..ConnectionLimits::default()
    }
}

pub fn start(connections: ConnectionLimits) -> SocketAddr {
    start_at(TcpListener::bind("127.0.0.1:0").unwrap(), connections)
}

fn start_at(listener: TcpListener, connections: ConnectionLimits) -> SocketAddr {
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    start_on(store, listener, connections)
}

fn start_on(
    store: Arc<dyn Store>,
    listener: TcpListener,
    connections: ConnectionLimits,
) -> SocketAddr {
    let address = listener.local_addr().unwrap();
    let services = services(store, Arc::new(AtomicI64::new(0)));
    let until = std::future::pending();
    let options = Options { connections, workers: Some(1), ..Options::until(until) };
    tokio::spawn(run(listener, services, http(RequestLimits::default()), options));
    address
}

pub async fn send(address: SocketAddr, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

pub async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE / 2, work).await.unwrap()
}

/// What comes until the connection ends.
pub async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end, too.
    let _ = in_time(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One answer, whose body ends with `}`.
pub async fn answer(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    while !text.ends_with('}') {
        let mut bytes = [0; 4096];
        let count = in_time(stream.read(&mut bytes)).await.unwrap();
        assert!(count > 0, "the connection ended after {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    text
}

const LIVE: &str = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";

fn chunked(line: &str, body: &str) -> String {
    format!("{line} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n{body}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unread_body_that_stalls_ends_its_connection() {
    let address = start(ConnectionLimits { drain_time: SHORT, ..patient() });
    let cases = [
        (chunked("GET /health", ""), 200),
        (chunked("POST /nope", "1\r\n{\r\n"), 404),
        (chunked("GET /customers", "1\r\n{\r\n"), 401),
        (chunked("PUT /customers", ""), 405),
        ("POST /nope HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{".to_owned(), 404),
    ];
    let told = cases.iter().map(async |(request, _)| {
        let mut stalled = send(address, request).await;
        rest(&mut stalled).await
    });
    let told = futures_util::future::join_all(told).await;
    for ((request, status), told) in cases.iter().zip(told) {
        assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {told}");
        assert!(told.contains("connection: close"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_than_some_of_an_unwanted_body_is_read() {
    // Sockets that hold a few KiB between themselves; those that are accepted are as the listener.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = start_at(socket.listen(16).unwrap().into_std().unwrap(), patient());
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(4_096).unwrap();
    let mut endless = socket.connect(address).await.unwrap();
    endless.write_all(chunked("POST /nope", "").as_bytes()).await.unwrap();
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400));
    let sent = in_time(async {
        let mut sent = 0;
        while endless.write_all(chunk.as_bytes()).await.is_ok() {
            sent += chunk.len();
        }
        sent
    });
    let sent = sent.await;
    assert!((60_000..160_000).contains(&sent), "{sent} bytes of an unwanted body were taken");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_was_whole_leaves_its_connection_open() {
    let address = start(patient());
    let whole = chunked("POST /nope", "2\r\n{}\r\n0\r\n\r\n");
    let mut stream = send(address, &whole).await;
    for _ in 0..6 {
        let told = answer(&mut stream).await;
        assert!(told.starts_with("HTTP/1.1 404") && !told.contains("connection: close"), "{told}");
        // Together they are longer than what is read of an unwanted body.
        let long = "x".repeat(16_000);
        let length = long.len();
        let next = format!(
            "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{long}{whole}"
        );
        in_time(stream.write_all(next.as_bytes())).await.unwrap();
        let told = answer(&mut stream).await;
        assert!(told.starts_with("HTTP/1.1 400"), "{told}");
        // The next answer came together with this one, or comes by itself.
        if told.matches("HTTP/1.1").count() == 2 {
            in_time(stream.write_all(whole.as_bytes())).await.unwrap();
        }
    }
}

/// Java's HTTP client offers HTTP/2 in this way, and proxies for WebSockets send the field with
/// each request. After an answer without `close` a client sends its next request on a connection
/// that ends, and gets no answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_to_change_the_protocol_is_declined_by_an_answer_that_says_close() {
    // All that comes behind the offer of a WebSocket is a body, which is not read.
    let address = start(ConnectionLimits { drain_time: SHORT, ..patient() });
    let h2c = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n";
    let web_socket = "connection: upgrade\r\nupgrade: websocket\r\n";
    let json = "content-type: application/json\r\ncontent-length: 2\r\n";
    for (line, fields, status) in [
        ("GET /health/live", h2c, 200),
        ("GET /health/live", "connection: upgrade\r\n", 200),
        ("GET /health/live", "connection: keep-alive\r\nconnection: upgrade\r\n", 200),
        ("GET /health/live", web_socket, 200),
        ("GET /nope", h2c, 404),
        ("GET /customers", h2c, 401),
        ("PUT /customers", h2c, 405),
        ("OPTIONS /customers", h2c, 204),
    ] {
        let mut stream =
            send(address, &format!("{line} HTTP/1.1\r\nhost: x\r\n{fields}\r\n")).await;
        check_end(line, fields, &rest(&mut stream).await, status);
    }
    let head = format!("POST /users/login HTTP/1.1\r\nhost: x\r\n{h2c}{json}\r\n");
    let mut stream = send(address, &head).await;
    tokio::task::yield_now().await;
    in_time(stream.write_all(b"{}")).await.unwrap();
    check_end("POST", h2c, &rest(&mut stream).await, 422);
}

/// Checks that `told` is one whole answer with `status`, which says that the connection ends.
fn check_end(line: &str, fields: &str, told: &str, status: u16) {
    let (head, _) = told.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{line}, {fields}: {told}");
    let connection: Vec<_> =
        head.lines().filter_map(|line| line.strip_prefix("connection: ")).collect();
    assert_eq!(connection, ["close"], "{line}, {fields}: {told}");
    assert!(!head.contains("\r\nupgrade:"), "{line}, {fields}: {told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_head_has_a_deadline_too() {
    let address = start(ConnectionLimits { head_time: SHORT, ..patient() });
    let mut stalled = send(address, LIVE).await;
    assert!(answer(&mut stalled).await.starts_with("HTTP/1.1 200"));
    stalled.write_all(b"GET /health/live HT").await.unwrap();
    assert_eq!(rest(&mut stalled).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_its_answer_is_disconnected() {
    let address = start(ConnectionLimits { write_time: SHORT, ..patient() });
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut deaf = socket.connect(address).await.unwrap();
    let request = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n";
    let cut_off = in_time(async { while deaf.write_all(request.as_bytes()).await.is_ok() {} });
    cut_off.await;
    let mut other = send(address, LIVE).await;
    assert!(answer(&mut other).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_has_so_many_connections_and_the_most_useless_goes() {
    let address = start(ConnectionLimits { per_address: 3, ..patient() });
    let mut idle = send(address, LIVE).await;
    answer(&mut idle).await;
    let mut silent = send(address, "").await;
    let mut stalled = send(address, &chunked("GET /nope", "")).await;
    assert!(answer(&mut stalled).await.starts_with("HTTP/1.1 404"));
    let mut kept = Vec::new();
    for gone in [&mut stalled, &mut silent] {
        let mut fresh = send(address, LIVE).await;
        assert!(answer(&mut fresh).await.starts_with("HTTP/1.1 200"));
        kept.push(fresh);
        assert_eq!(rest(gone).await, "");
    }
    in_time(idle.write_all(LIVE.as_bytes())).await.unwrap();
    assert!(answer(&mut idle).await.starts_with("HTTP/1.1 200"), "it was of use");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_whose_body_does_not_come_makes_room() {
    let address = start(ConnectionLimits { per_address: 1, ..patient() });
    let head = "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                expect: 100-continue\r\ncontent-length: 2\r\n\r\n";
    let mut slow = send(address, head).await;
    let mut told = [0; 25];
    in_time(slow.read_exact(&mut told)).await.unwrap();
    in_time(slow.write_all(b"{")).await.unwrap();
    // While the server takes the byte, the request is at work.
    let mut refused = 0;
    while !answer(&mut send(address, LIVE).await).await.starts_with("HTTP/1.1 200") {
        refused += 1;
        assert!(refused < 1_000, "a request that waits for its body keeps its place");
    }
    rest(&mut slow).await;
}

/// A store whose look-ups wait until they may go on.
struct Held {
    store: Arc<dyn Store>,
    may_go_on: Semaphore,
    begun: Notify,
}

#[async_trait]
impl StoreDecorator for Held {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        self.begun.notify_one();
        drop(self.may_go_on.acquire().await.unwrap());
        read.ask(&*self.store).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_too_many_is_refused_while_all_are_busy() {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let (may_go_on, begun) = (Semaphore::new(0), Notify::new());
    let store = Arc::new(Held { store: Arc::new(store), may_go_on, begun });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let limits = ConnectionLimits { per_address: 1, ..patient() };
    let address = start_on(Arc::<Held>::clone(&store), listener, limits);
    let body = r#"{"email": "ana@example.com", "password": "not hers, but long"}"#;
    let request = format!(
        "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut working = send(address, &request).await;
    in_time(store.begun.notified()).await;
    let mut further = TcpStream::connect(address).await.unwrap();
    let refusal = rest(&mut further).await;
    assert!(refusal.starts_with("HTTP/1.1 429"), "{refusal}");
    let (_, body) = refusal.split_once("\r\n\r\n").unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["code"], "rate_limit_exceeded");
    store.may_go_on.add_permits(1);
    assert!(answer(&mut working).await.contains("HTTP/1.1 401"));
}
