//! What a connection is doing. The application tells its stream, on the connection's own thread.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::registry::{Doing, Handle};

/// Bytes of an unread body that are drained after the answer.
pub(super) const DRAINED: usize = 64 * 1024;

/// Bytes for which a client has one second more to take an answer.
const BYTES_A_SECOND: u64 = 64 * 1024;

/// How far a connection is with its request.
pub(crate) struct Progress {
    handle: Arc<Handle>,
    head_time: Duration,
    write_time: Duration,
    /// When the head that has begun must be whole.
    head_due: Cell<Option<Instant>>,
    /// What may still be read of an unwanted body.
    drain_left: Cell<usize>,
    /// Whether an answer of the application is being written, or will be.
    is_answering: Cell<bool>,
    /// Whether the request's body broke off before there was an answer.
    is_broken: Cell<bool>,
    /// Whether the client ended what it sends, or has to go.
    has_ended: Cell<bool>,
    /// Whether something was written since the request's head.
    has_written: Cell<bool>,
    /// Whether a write waits for the client.
    waits_to_write: Cell<bool>,
    /// Since when the socket keeps this answer waiting, and the bytes that it took since.
    writing: Cell<Option<(Instant, u64)>>,
    /// Ends when the answer has to go.
    dismissed: RefCell<Option<Dismissed>>,
}

type Dismissed = Pin<Box<dyn Future<Output = ()>>>;

impl Progress {
    pub(super) fn new(handle: Arc<Handle>, head_time: Duration, write_time: Duration) -> Self {
        Self {
            handle,
            head_time,
            write_time,
            head_due: Cell::new(None),
            drain_left: Cell::new(0),
            is_answering: Cell::new(false),
            is_broken: Cell::new(false),
            has_ended: Cell::new(false),
            has_written: Cell::new(false),
            waits_to_write: Cell::new(false),
            writing: Cell::new(None),
            dismissed: RefCell::new(None),
        }
    }

    /// A request's head has arrived.
    pub(super) fn begin(&self) {
        self.handle.does(Doing::Working);
        self.is_answering.set(true);
        self.head_due.set(None);
        self.writing.set(None);
        self.is_broken.set(false);
        self.has_written.set(false);
        self.waits_to_write.set(false);
        self.dismissed.replace(None);
    }

    /// Whether the request that is under way waits for its client: for its body, or for taking its
    /// answer.
    pub(super) fn waits_for_client(&self, waits: bool) {
        match (self.handle.doing(), waits) {
            (Doing::Working, true) => self.handle.does(Doing::Waiting),
            (Doing::Waiting, false) => self.handle.does(Doing::Working),
            _ => {}
        }
    }

    /// Whether a write waits for the client. A write that did not wait says nothing of the body.
    pub(super) fn write_waits(&self, waits: bool) {
        if self.waits_to_write.replace(waits) || waits {
            self.waits_for_client(waits);
        }
    }

    /// The answer that is written from now on goes when `dismissed` ends.
    pub(super) fn goes_with(&self, dismissed: impl Future<Output = ()> + 'static) {
        self.dismissed.replace(Some(Box::pin(dismissed)));
    }

    /// Whether the answer that is being written has to go, with its connection. Wakes the task when
    /// it has to.
    pub(super) fn is_dismissed(&self, cx: &mut Context<'_>) -> bool {
        let mut dismissed = self.dismissed.borrow_mut();
        let answer = dismissed.as_mut().is_some_and(|end| end.as_mut().poll(cx).is_ready());
        if answer {
            // It is not to be polled again.
            *dismissed = Some(Box::pin(std::future::ready(())));
        }
        answer || self.handle.is_closed(cx.waker())
    }

    /// The request's body broke off before there was an answer.
    pub(super) fn breaks(&self) {
        self.is_broken.set(true);
    }

    /// The client ended what it sends, or has to go.
    pub(super) fn ends(&self) {
        self.has_ended.set(true);
    }

    /// Whether the client ended what it sends, or has to go.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.get()
    }

    /// Whether a request that broke off is without an answer.
    pub(super) fn is_unanswered(&self) -> bool {
        self.is_broken.get() && !self.has_written.get()
    }

    /// The answer has been handed to the connection; of the request's body there is a rest, or not.
    pub(super) fn finish(&self, has_rest: bool) {
        self.drain_left.set(DRAINED);
        self.dismissed.replace(None);
        self.handle.does(if has_rest { Doing::Draining } else { Doing::Idle });
    }

    /// All that was handed to the connection has been written.
    pub(super) fn flushed(&self) {
        if !self.handle.doing().is_under_way() {
            self.is_answering.set(false);
        }
    }

    /// Whether what is written comes from the application. What does not is of actix-http.
    pub(super) fn is_answering(&self) -> bool {
        self.is_answering.get()
    }

    /// Whether the connection has to go, for another one or because a head does not come.
    pub(super) fn is_over(&self, waker: &Waker) -> bool {
        let is_late = self.head_due.get().is_some_and(|due| due <= Instant::now());
        let is_drained = self.handle.doing() == Doing::Draining && self.drain_left.get() == 0;
        self.handle.is_closed(waker) || is_late || is_drained
    }

    /// Notes that `count` bytes were read.
    pub(super) fn read(&self, count: usize) {
        match self.handle.doing() {
            Doing::Draining => {
                self.drain_left.set(self.drain_left.get().saturating_sub(count));
            }
            Doing::Idle if self.head_due.get().is_none() => {
                self.head_due.set(Some(Instant::now() + self.head_time));
            }
            // The first head has the server's own deadline, and a body that of its route.
            Doing::Idle | Doing::Fresh | Doing::Waiting | Doing::Working => {}
        }
    }

    /// When a head that has begun must be whole.
    pub(super) fn head_due(&self) -> Option<Instant> {
        self.head_due.get()
    }

    /// Notes that the socket took `count` bytes.
    pub(super) fn wrote(&self, count: usize) {
        self.has_written.set(true);
        if let Some((since, bytes)) = self.writing.get() {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            self.writing.set(Some((since, bytes.saturating_add(count))));
        }
    }

    /// The socket takes nothing now: when it must have taken the answer.
    pub(super) fn write_due(&self) -> Instant {
        let (since, bytes) = self.writing.get().unwrap_or_else(|| (Instant::now(), 0));
        self.writing.set(Some((since, bytes)));
        since + self.write_time + Duration::from_secs(bytes / BYTES_A_SECOND)
    }
}
