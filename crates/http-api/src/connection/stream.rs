//! The socket of a connection, which ends or fails when the connection takes too long.

use std::future::Future as _;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::progress::Progress;
use super::refusal::{Refusals, Refusing, tell};
use super::registry::ConnectionSlot;

/// A socket that knows the state of its connection.
pub(crate) struct Stream {
    socket: TcpStream,
    progress: Rc<Progress>,
    head: Alarm,
    write: Alarm,
    refusals: (Rc<Refusals>, Duration),
    refusing: Option<Refusing>,
    peer: Option<SocketAddr>,
    place: Option<ConnectionSlot>,
}

/// A deadline that wakes the waiting task. Its timer is made at the first use.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Whether `due` is past; wakes the task when it will be.
    fn poll(&mut self, due: Instant, cx: &mut Context<'_>) -> bool {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(due)));
        if sleep.deadline() != due {
            sleep.as_mut().reset(due);
        }
        sleep.as_mut().poll(cx).is_ready()
    }
}

impl Stream {
    /// The stream of `socket`. What is no request is answered by `refusals`, within their time.
    pub(super) fn new(
        socket: TcpStream,
        peer: Option<SocketAddr>,
        progress: Progress,
        place: ConnectionSlot,
        refusals: (Rc<Refusals>, Duration),
    ) -> Self {
        let (head, write) = Default::default();
        let (progress, refusing) = (Rc::new(progress), None);
        let place = Some(place);
        Self { socket, progress, head, write, refusals, refusing, peer, place }
    }

    /// Begins to refuse what came, when `own`, which is to be written, is a refusal of actix-http.
    fn begin_refusing(&mut self, own: &[u8]) {
        if self.refusing.is_some() || self.progress.is_answering() {
            return;
        }
        let (refusals, time) = &self.refusals;
        if let Some(answer) = refusals.instead_of(own, self.peer) {
            self.refusing = Some(Refusing::new(answer, *time));
            // What still comes is read as the rest of an unwanted body is.
            self.progress.finish(true);
        }
    }

    /// Goes on refusing, where that was begun.
    fn refuse(&mut self, cx: &mut Context<'_>) -> Option<Poll<io::Error>> {
        let refusing = self.refusing.as_mut()?;
        if let Poll::Ready(error) = refusing.poll(&mut self.socket, &self.progress, cx) {
            return Some(Poll::Ready(error));
        }
        let is_late = self.write.poll(refusing.due(), cx);
        Some(if is_late { Poll::Ready(ErrorKind::TimedOut.into()) } else { Poll::Pending })
    }

    /// What its connection is doing.
    pub(super) fn progress(&self) -> Rc<Progress> {
        Rc::clone(&self.progress)
    }

    /// What a write came to, which may not wait for ever.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        self.progress.write_waits(written.is_pending());
        match &written {
            Poll::Ready(Ok(count)) => self.progress.wrote(*count),
            Poll::Ready(Err(_)) => {}
            Poll::Pending if self.write.poll(self.progress.write_due(), cx) => {
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
            Poll::Pending if self.progress.is_dismissed(cx) => {
                return Poll::Ready(Err(ErrorKind::ConnectionAborted.into()));
            }
            Poll::Pending => {}
        }
        written
    }
}

impl AsyncRead for Stream {
    /// Answers the end of the stream where the connection has to go.
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.progress.is_over(cx.waker()) {
            this.progress.ends();
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.socket).poll_read(cx, buffer);
        match &read {
            Poll::Ready(Ok(())) => {
                let count = buffer.filled().len() - before;
                match count {
                    0 => this.progress.ends(),
                    count => this.progress.read(count),
                }
            }
            Poll::Ready(Err(_)) => this.progress.ends(),
            Poll::Pending => {
                if let Some(due) = this.progress.head_due()
                    && this.head.poll(due, cx)
                {
                    return Poll::Ready(Ok(()));
                }
            }
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.begin_refusing(bytes);
        if let Some(refused) = this.refuse(cx) {
            return refused.map(Err);
        }
        let written = Pin::new(&mut this.socket).poll_write(cx, bytes);
        this.written(cx, written)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.progress.flushed();
        Pin::new(&mut this.socket).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}

impl Drop for Stream {
    /// Answers a request whose body broke off in a connection that lives: actix-http takes a chunk
    /// that cannot be read for a client that has gone, and closes the connection without a word.
    fn drop(&mut self) {
        if self.progress.has_ended() || !self.progress.is_unanswered() {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let Ok(socket) = self.socket.as_fd().try_clone_to_owned() else { return };
        let Ok(socket) = TcpStream::from_std(socket.into()) else { return };
        let ((refusals, time), place) = (&self.refusals, self.place.take());
        let told = timeout(*time, tell(socket, refusals.broken(self.peer)));
        runtime.spawn(async move {
            let _ = told.await;
            drop(place);
        });
    }
}
