//! Receivers that answer well, badly and not at all.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use racun_gateways::{HttpCourier, Options, Reach};
use racun_webhooks::{Courier as _, Post, ReceiverResponse, Undelivered};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// For so long receivers that never answer are waited for.
const HASTE: Duration = Duration::from_millis(500);
/// Longer than any exchange with one that answers takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A receiver that does `serve` with each connection.
struct Receiver {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    async fn new<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = std::io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let closed = Arc::new(AtomicUsize::new(0));
        let (count, ended) = (Arc::clone(&connections), Arc::clone(&closed));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                // The receiver does not care how its own writes end.
                let (serving, ended) = (serve(stream), Arc::clone(&ended));
                tokio::spawn(async move {
                    let _ = serving.await;
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        Self { address, connections, closed, task }
    }

    /// A receiver that answers every request with these bytes, and then closes or not.
    async fn answering(answer: impl Into<Vec<u8>>, closes: bool) -> Self {
        let answer: Arc<[u8]> = answer.into().into();
        Self::new(move |mut stream| {
            let answer = Arc::clone(&answer);
            async move {
                while request(&mut stream).await?.is_some() {
                    stream.write_all(&answer).await?;
                    if closes {
                        break;
                    }
                }
                Ok(())
            }
        })
        .await
    }

    async fn post(&self) -> Result<ReceiverResponse, Undelivered> {
        courier().post(&self.event("http")).await
    }

    fn event(&self, scheme: &str) -> Post {
        Post {
            url: format!("{scheme}://{}/hook?token=secret", self.address),
            headers: vec![("X-Webhook-Event", "invoice.created".to_owned())],
            body: r#"{"event":"invoice.created"}"#.to_owned(),
        }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

fn courier() -> HttpCourier {
    waiting(PATIENCE)
}

fn waiting(exchange: Duration) -> HttpCourier {
    let reach = Reach::ThisMachine;
    let usual = Options { connect: PATIENCE, ..Options::default() };
    let options = Options { allow_private_addresses: true, exchange, reach, ..usual };
    HttpCourier::new(options).unwrap()
}

/// One request with its body, or `None` when there is no other.
async fn request(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let (mut text, mut buffer) = (String::new(), [0; 1_024]);
    while !text.ends_with('}') {
        match stream.read(&mut buffer).await? {
            0 => return Ok(None),
            read => text.push_str(std::str::from_utf8(&buffer[..read]).unwrap()),
        }
    }
    Ok(Some(text))
}

fn failed(outcome: Result<ReceiverResponse, Undelivered>) -> String {
    match outcome {
        Err(Undelivered::Failed(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_event_arrives_as_it_was_signed_and_with_no_other_headers() {
    let (sender, mut requests) = tokio::sync::mpsc::channel(1);
    let receiver = Receiver::new(move |mut stream| {
        let sender = sender.clone();
        async move {
            let text = request(&mut stream).await?.unwrap();
            sender.send(text).await.unwrap();
            stream.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 4\r\n\r\nda\0\xff").await
        }
    })
    .await;
    let answer = receiver.post().await.unwrap();
    assert_eq!((answer.status, &*answer.body), (201, "da\u{fffd}\u{fffd}"));
    let text = requests.recv().await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, r#"{"event":"invoice.created"}"#);
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("POST /hook?token=secret HTTP/1.1"));
    let mut headers: Vec<_> = lines.map(str::to_lowercase).collect();
    headers.sort_unstable();
    let host = format!("host: {}", receiver.address);
    let expected = [
        "accept: */*",
        "content-length: 27",
        "content-type: application/json",
        &host,
        "x-webhook-event: invoice.created",
    ];
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn every_status_is_an_answer_and_no_redirect_is_followed() {
    let inside = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", false).await;
    for status in [200, 204, 301, 302, 303, 307, 308, 400, 410, 429, 500, 503] {
        let location = format!("http://{}/admin", inside.address);
        let text = format!(
            "HTTP/1.1 {status} Whatever\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
        );
        let answer = Receiver::answering(text, false).await.post().await.unwrap();
        assert_eq!(answer.status, status);
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_connection_is_used_again_and_one_that_was_closed_is_not() {
    let keeping =
        Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", false).await;
    let closing = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", true).await;
    let courier = courier();
    for turn in 1..=5 {
        for receiver in [&keeping, &closing] {
            let answer = courier.post(&receiver.event("http")).await.unwrap();
            assert_eq!((answer.status, &*answer.body), (200, "ok"));
        }
        while closing.closed.load(Ordering::Relaxed) < turn {
            tokio::task::yield_now().await;
        }
        // The end of the connection lies at the courier's socket: its task is given turns to read
        // it.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!((keeping.connections(), closing.connections()), (1, 5));
}

#[tokio::test]
async fn of_a_body_without_end_the_beginning_is_read() {
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let (sender, mut ends) = tokio::sync::mpsc::channel(1);
    let receiver = Receiver::new(move |mut stream| {
        let sender = sender.clone();
        async move {
            request(&mut stream).await?;
            stream.write_all(head).await?;
            let mut written = 0_u64;
            while stream.write_all(b"8\r\n\xc5\xbeivel!!\r\n").await.is_ok() {
                written += 1;
            }
            sender.send(written).await.unwrap();
            Ok(())
        }
    })
    .await;
    let answer = receiver.post().await.unwrap();
    assert_eq!(answer.status, 200);
    assert!((4_000..=4_096).contains(&answer.body.len()), "{}", answer.body.len());
    assert!(answer.body.starts_with("živel!!"));
    // The connection was closed on it, with what sockets hold in between left unread.
    let written = tokio::time::timeout(PATIENCE, ends.recv()).await.unwrap().unwrap();
    assert!(written < 4_000_000, "{written} chunks were taken");
}

#[tokio::test]
async fn slow_hanging_and_truncated_responses_are_timeouts_within_the_limit() {
    let dripping = Receiver::new(|mut stream| async move {
        request(&mut stream).await?;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n").await?;
        loop {
            stream.write_all(b"a").await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let dripping_head = Receiver::new(|mut stream| async move {
        request(&mut stream).await?;
        stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
        loop {
            stream.write_all(b"a: b\r\n").await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let silent = Receiver::new(|mut stream| async move {
        request(&mut stream).await?;
        std::future::pending().await
    })
    .await;
    let half =
        Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\nhalf", false).await;
    for (name, receiver) in [
        ("a body that drips", dripping),
        ("a head that drips", dripping_head),
        ("silence", silent),
        ("half an answer", half),
    ] {
        let reason = failed(waiting(HASTE).post(&receiver.event("http")).await);
        assert_eq!(reason, "no complete answer within 500ms", "{name}");
        assert_eq!(receiver.connections(), 1, "{name}: nothing is repeated");
    }
}

#[tokio::test]
async fn incomplete_http_responses_fail_at_once() {
    let endless: Vec<u8> = (0..200_000).flat_map(|n| format!("h{n}: v\r\n").into_bytes()).collect();
    let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), endless].concat();
    let line = [b"HTTP/1.1 200 OK\r\na: ".to_vec(), vec![b'b'; 2_000_000]].concat();
    let answers: [(&str, Vec<u8>); 8] = [
        ("nothing", Vec::new()),
        ("a greeting of mail", b"220 mail.example ESMTP\r\n".to_vec()),
        ("binary", vec![0, 255, 3, 4, 13, 10, 13, 10]),
        ("a head cut off", b"HTTP/1.1 200 OK\r\nconte".to_vec()),
        ("a body cut off", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_vec()),
        (
            "a chunk cut off",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nha".to_vec(),
        ),
        ("headers without end", endless),
        ("a header without end", line),
    ];
    for (name, answer) in answers {
        let receiver = Receiver::answering(answer, true).await;
        let reason = failed(receiver.post().await);
        assert!(!reason.contains("no complete answer within"), "{name}: {reason}");
        assert!(
            !reason.contains("secret"),
            "{name}: the address stays out of the reason: {reason}"
        );
        assert_eq!(receiver.connections(), 1, "{name}: nothing is repeated");
    }
    let resetting = Receiver::new(|mut stream| async move {
        request(&mut stream).await?;
        stream.set_zero_linger()
    })
    .await;
    failed(resetting.post().await);
    assert_eq!(resetting.connections(), 1);
}

#[tokio::test]
async fn broken_tls_and_untrusted_certificates_are_failures() {
    for garbage in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &[22, 3, 3, 255, 255, 1, 2, 3], b""] {
        let garbage: Arc<[u8]> = garbage.into();
        let receiver = Receiver::new(move |mut stream| {
            let garbage = Arc::clone(&garbage);
            async move {
                let mut hello = [0; 64];
                stream.read_exact(&mut hello).await?;
                stream.write_all(&garbage).await
            }
        })
        .await;
        failed(courier().post(&receiver.event("https")).await);
    }
}

#[tokio::test]
async fn silent_and_closed_ports_are_failures() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let post = |address: SocketAddr| Post {
        url: format!("http://{address}/"),
        headers: Vec::new(),
        body: String::new(),
    };
    // The system takes the connection, and no code ever reads from it.
    let reason = failed(waiting(HASTE).post(&post(address)).await);
    assert_eq!(reason, "no complete answer within 500ms");
    drop(listener);
    failed(courier().post(&post(address)).await);
}

#[tokio::test]
async fn a_header_that_holds_another_one_is_not_sent() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", false).await;
    let headers = vec![("X-Webhook-Event", "a\r\nHost: other".to_owned())];
    failed(courier().post(&Post { headers, ..receiver.event("http") }).await);
    assert_eq!(receiver.connections(), 0);
}
