//! A connection that can be broken off.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// Breaks off a connection.
#[derive(Clone, Default)]
pub struct Abort(Arc<Inner>);

#[derive(Default)]
struct Inner {
    is_reset: AtomicBool,
    raised: Notify,
}

impl Abort {
    /// One that resets whatever it is given to.
    pub fn raised() -> Self {
        let abort = Self::default();
        abort.0.is_reset.store(true, Ordering::Relaxed);
        abort
    }

    /// Resets the connection. Never ends, for the connection's task ends first.
    pub async fn reset<T>(&self) -> T {
        self.0.is_reset.store(true, Ordering::Relaxed);
        self.close().await
    }

    /// Closes the connection without another word. Never ends, for the connection's task ends
    /// first.
    pub async fn close<T>(&self) -> T {
        self.0.raised.notify_one();
        std::future::pending().await
    }

    /// Ends when the connection is to be broken off.
    pub async fn wait(&self) {
        self.0.raised.notified().await;
    }
}

/// A connection that is reset when it is dropped, if that was asked for.
pub struct Wire {
    stream: TcpStream,
    abort: Abort,
}

impl Wire {
    pub const fn new(stream: TcpStream, abort: Abort) -> Self {
        Self { stream, abort }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.abort.0.is_reset.load(Ordering::Relaxed) {
            // Without lingering, closing is resetting. When it fails, the end is a quiet one.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
