//! Answers that no application gives: to what came on a connection and is no request, and to a
//! connection too many. They have the form of all others.

use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use actix_web::ResponseError as _;
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::http::header::HttpDate;
use racun_application::Services;
use racun_kernel::id::RequestId;
use tokio::io::{self, AsyncRead as _, AsyncWrite as _, ErrorKind, ReadBuf};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::progress::{DRAINED, Progress};
use crate::error::{ApiError, Kind};
use crate::limits;
use crate::security::{self, Line, SecurityEvent};

/// What gives those answers.
#[derive(Clone)]
pub(crate) struct Refusals {
    services: Services,
}

impl Refusals {
    pub(crate) const fn new(services: Services) -> Self {
        Self { services }
    }

    /// The answer to a connection too many from `peer`.
    pub(super) fn crowded(&self, peer: Option<SocketAddr>) -> Vec<u8> {
        let message = "too many connections from this address; close some";
        let error = ApiError::new(Kind::TooManyRequests, message).retry_after(1);
        self.answer(&error, SecurityEvent::ConnectionRefused, peer)
    }

    /// What is sent to `peer` in the place of `own`, an answer of actix-http; `None` where `own` is
    /// no refusal.
    pub(super) fn instead_of(&self, own: &[u8], peer: Option<SocketAddr>) -> Option<Vec<u8>> {
        let status = own.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5))?;
        let error = match StatusCode::from_bytes(status).ok()? {
            StatusCode::BAD_REQUEST => ApiError::new(
                Kind::BadRequest,
                "this is no request of HTTP/1.1; look at the request line, the header fields, Host \
                 and Content-Length, and at the chunks of the body",
            ),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ApiError::new(
                Kind::HeadTooLarge,
                "the head of a request has at most 96 header fields and 128 KiB; send less of it",
            ),
            StatusCode::REQUEST_TIMEOUT => ApiError::new(
                Kind::RequestTimeout,
                "the head of the request did not arrive in time; send it at once",
            ),
            _ => return None,
        };
        Some(self.answer(&error, SecurityEvent::MalformedRequest, peer))
    }

    /// The answer to a request from `peer` whose body broke off.
    pub(super) fn broken(&self, peer: Option<SocketAddr>) -> Vec<u8> {
        self.answer(&unreadable(), SecurityEvent::MalformedRequest, peer)
    }

    fn answer(&self, error: &ApiError, event: SecurityEvent, peer: Option<SocketAddr>) -> Vec<u8> {
        let id: RequestId = self.services.stamp().id();
        let id = id.to_string();
        let (status, address) = (error.status_code(), limits::network_of(peer));
        security::write(&Line {
            event: Some(event),
            request_id: Some(&id),
            status: status.as_u16(),
            code: Some(error.code()),
            address: &address,
            message: &error.to_string(),
            ..Line::default()
        });
        let body = error.body().to_string();
        let reason = status.canonical_reason().unwrap_or_default();
        let date = HttpDate::from(SystemTime::from((self.services.clock)()));
        let retry = if error.kind() == Kind::TooManyRequests { "retry-after: 1\r\n" } else { "" };
        format!(
            "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n\
             x-request-id: {id}\r\n{retry}date: {date}\r\n\r\n{body}",
            status.as_u16(),
            body.len()
        )
        .into_bytes()
    }
}

/// A body whose chunks cannot be read.
fn unreadable() -> ApiError {
    let message = "the body cannot be read; look at the sizes and line ends of its chunks";
    ApiError::new(Kind::BadRequest, message)
}

/// The error of a body that broke off by `error`. Chunks that cannot be read are a security event,
/// and the end of a connection is none.
pub(crate) fn broken_off(error: PayloadError) -> ApiError {
    match error {
        PayloadError::EncodingCorrupted => {
            unreadable().seen_as(SecurityEvent::MalformedRequest).detailed(error)
        }
        error => ApiError::bad_request("the body did not arrive whole").detailed(error),
    }
}

/// Writes `answer` to a client whose request broke off, and reads the rest of what was sent, within
/// bounds: closed before, the connection would be reset, and the answer lost.
pub(super) async fn tell(mut socket: TcpStream, answer: Vec<u8>) -> io::Result<()> {
    socket.write_all(&answer).await?;
    socket.shutdown().await?;
    let (mut bytes, mut left) = ([0; 4096], DRAINED);
    while left > 0 {
        match socket.read(&mut bytes).await? {
            0 => break,
            count => left = left.saturating_sub(count),
        }
    }
    Ok(())
}

/// An answer on its way to a client that sent no request, and what follows until the connection can
/// be closed without the answer getting lost: the rest of what was sent is read, within bounds.
pub(super) struct Refusing {
    answer: Vec<u8>,
    sent: usize,
    is_shut: bool,
    due: Instant,
}

impl Refusing {
    /// Begins with `answer`; all of it takes `time` at most.
    pub(super) fn new(answer: Vec<u8>, time: Duration) -> Self {
        Self { answer, sent: 0, is_shut: false, due: Instant::now() + time }
    }

    /// When the connection is closed at the latest.
    pub(super) const fn due(&self) -> Instant {
        self.due
    }

    /// Goes on. The end is an error, by which actix-http closes the connection without a word.
    pub(super) fn poll(
        &mut self,
        socket: &mut TcpStream,
        progress: &Progress,
        cx: &mut Context<'_>,
    ) -> Poll<io::Error> {
        match ready!(self.poll_steps(socket, progress, cx)) {
            Ok(()) => Poll::Ready(ErrorKind::ConnectionAborted.into()),
            Err(error) => Poll::Ready(error),
        }
    }

    fn poll_steps(
        &mut self,
        socket: &mut TcpStream,
        progress: &Progress,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while let Some(rest) = self.answer.get(self.sent..).filter(|rest| !rest.is_empty()) {
            self.sent += ready!(Pin::new(&mut *socket).poll_write(cx, rest))?;
        }
        if !self.is_shut {
            ready!(Pin::new(&mut *socket).poll_shutdown(cx))?;
            self.is_shut = true;
        }
        let mut bytes = [0; 4096];
        while !progress.is_over(cx.waker()) {
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut *socket).poll_read(cx, &mut buffer))?;
            match buffer.filled().len() {
                0 => break,
                count => progress.read(count),
            }
        }
        Poll::Ready(Ok(()))
    }
}
