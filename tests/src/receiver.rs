//! Receivers of events, which behave as receivers do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What a receiver does with what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers with this status.
    Answers(u16),
    /// Reads, and never answers.
    Hangs,
    /// Reads, and resets the connection.
    Resets,
    /// Answers a half and closes the connection: of the body and of the status line by turns.
    AnswersHalf,
}

/// What it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The endpoint, as `X-Webhook-Id` has it.
    pub endpoint: String,
    /// The event, as `X-Webhook-Event-Id` has it.
    pub event: String,
    /// The attempt, as `X-Webhook-Delivery` has it.
    pub delivery: String,
    /// The body.
    pub body: String,
}

/// A receiver on a free port of this machine, for as long as the runtime lives.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Where it listens.
    pub url: String,
    inbox: Arc<Inbox>,
}

#[derive(Debug, Default)]
struct Inbox {
    count: AtomicUsize,
    all: Mutex<Vec<Received>>,
}

impl Receiver {
    /// A receiver that listens.
    ///
    /// # Panics
    /// When it cannot.
    pub async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.unwrap_or_else(|error| panic!("no free port: {error}"));
        let address = listener.local_addr();
        let address = address.unwrap_or_else(|error| panic!("no address: {error}"));
        let inbox = Arc::<Inbox>::default();
        let kept = Arc::clone(&inbox);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, behaviour, Arc::clone(&kept)));
            }
        });
        Self { url: format!("http://{address}/"), inbox }
    }

    /// The address where one listened who is gone: connections are refused.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn gone() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let address = listener.and_then(|listener| listener.local_addr());
        format!("http://{}/", address.unwrap_or_else(|error| panic!("no free port: {error}")))
    }

    /// How much it was sent.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inbox.count.load(Ordering::Relaxed)
    }

    /// What it was sent.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.inbox.all.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Inbox {
    /// Notes `received`; answers how many were before it.
    fn note(&self, received: Received) -> usize {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(received);
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

/// Reads requests and answers them until the connection ends; `None` then.
async fn serve(mut stream: TcpStream, behaviour: Behaviour, inbox: Arc<Inbox>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut seen = Vec::new();
    loop {
        let received = read(&mut stream, &mut seen).await?;
        let before = inbox.note(received);
        match behaviour {
            Behaviour::Answers(status) => {
                let answer = format!(
                    "HTTP/1.1 {status} Because\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n"
                );
                stream.write_all(answer.as_bytes()).await.ok()?;
            }
            // The client hangs up at last, which ends the reading.
            Behaviour::Hangs => {}
            Behaviour::Resets => return stream.set_zero_linger().ok(),
            Behaviour::AnswersHalf => {
                let body = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"received\"";
                let half = if before.is_multiple_of(2) { body } else { "HTTP/1.1 2" };
                return stream.write_all(half.as_bytes()).await.ok();
            }
        }
    }
}

/// The next request of those whose beginning was `seen`.
async fn read(stream: &mut TcpStream, seen: &mut Vec<u8>) -> Option<Received> {
    let head = loop {
        if let Some(end) = seen.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(seen).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(seen.get(..head)?).into_owned();
    let header = |name: &str| {
        let mut headers = text.lines().filter_map(|line| line.split_once(": "));
        headers
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    };
    let end = head + header("content-length")?.parse::<usize>().ok()?;
    while seen.len() < end {
        if stream.read_buf(seen).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(seen.get(head..end)?).into_owned();
    seen.drain(..end);
    Some(Received {
        endpoint: header("x-webhook-id")?,
        event: header("x-webhook-event-id")?,
        delivery: header("x-webhook-delivery")?,
        body,
    })
}
