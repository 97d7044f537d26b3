//! From a request to the last byte of its answer.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage as _};
use futures_util::task::noop_waker_ref;
use futures_util::{Stream, StreamExt as _};

use super::progress::Progress;
use crate::limits::{AnswerRoom, HeavyTurn};

/// Bytes that the connection is handed of an answer at a time: it copies them.
const CHUNK: usize = 64 * 1024;

/// The request's body, which the answer holds until its end.
///
/// actix-http waits without end for the rest of a chunked body whose payload was dropped. While the
/// payload lives, it closes the connection after the answer, as for a body of known length.
struct Unread {
    payload: RefCell<Payload>,
    /// Whether it broke off: its rest cannot be read.
    is_broken: Cell<bool>,
}

impl Unread {
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let read = self.payload.borrow_mut().poll_next_unpin(cx);
        if matches!(read, Poll::Ready(Some(Err(_)))) {
            self.is_broken.set(true);
        }
        read
    }

    /// Whether more of it is to come. What of it is there is thrown away.
    fn has_rest(&self) -> bool {
        let mut cx = Context::from_waker(noop_waker_ref());
        loop {
            match self.poll(&mut cx) {
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(None | Some(Err(_))) => return false,
                // After its error a payload waits for ever.
                Poll::Pending => return !self.is_broken.get(),
            }
        }
    }
}

/// The request's body for the handler, and what its connection does.
struct Shared(Rc<Unread>, Option<Rc<Progress>>);

impl Stream for Shared {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let read = self.0.poll(cx);
        if let Some(progress) = &self.1 {
            progress.waits_for_client(read.is_pending());
        }
        let lives = || self.1.as_ref().is_some_and(|progress| !progress.has_ended());
        match read {
            // actix-http takes a chunk that cannot be read for a client that has gone.
            Poll::Ready(Some(Err(PayloadError::Incomplete(_)))) if lives() => {
                Poll::Ready(Some(Err(PayloadError::EncodingCorrupted)))
            }
            read => read,
        }
    }
}

/// A request that no answer was found to yet. Where the connection ends before, its stream learns
/// whether the body broke off.
struct Unanswered(Option<Rc<Unread>>, Option<Rc<Progress>>);

impl Drop for Unanswered {
    fn drop(&mut self) {
        if let Self(Some(unread), Some(progress)) = self
            && !unread.has_rest()
            && unread.is_broken.get()
        {
            progress.breaks();
        }
    }
}

/// The body of an answer, with what lasts until its end.
pub struct AnswerBody {
    body: BoxBody,
    rest: Bytes,
    unread: Option<Rc<Unread>>,
    progress: Option<Rc<Progress>>,
    _turn: Option<HeavyTurn>,
    _room: Option<AnswerRoom>,
}

impl MessageBody for AnswerBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match Pin::new(&mut this.body).poll_next(cx) {
                Poll::Ready(Some(Ok(chunk))) => this.rest = chunk,
                other => return other,
            }
        }
        let count = this.rest.len().min(CHUNK);
        Poll::Ready(Some(Ok(this.rest.split_to(count))))
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        let has_rest = self.unread.as_ref().is_some_and(|unread| unread.has_rest());
        if let Some(progress) = &self.progress {
            progress.finish(has_rest);
        }
    }
}

/// Tells the request's connection when it begins and when its answer ends.
pub(crate) async fn watch(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<AnswerBody>, Error> {
    let progress = request.conn_data::<Rc<Progress>>().cloned();
    if let Some(progress) = &progress {
        progress.begin();
    }
    // actix-http takes it for an upgrade that is under way: it says so in the answer and closes the
    // connection behind it.
    let wants_upgrade = request.head().connection_type() == ConnectionType::Upgrade;
    let unread = match request.take_payload() {
        Payload::None => None,
        payload => {
            let (payload, is_broken) = (RefCell::new(payload), Cell::new(false));
            let unread = Rc::new(Unread { payload, is_broken });
            let payload = Shared(Rc::clone(&unread), progress.clone()).boxed_local();
            request.set_payload(Payload::Stream { payload });
            Some(unread)
        }
    };
    let unanswered = Unanswered(unread.clone(), progress.clone());
    let mut answer = next.call(request).await?;
    if unread.as_ref().is_some_and(|unread| unread.has_rest()) {
        // What came together with the head is not understood yet, and may be all.
        tokio::task::yield_now().await;
    }
    drop(unanswered);
    let is_broken = unread.as_ref().is_some_and(|unread| unread.is_broken.get());
    if is_broken || wants_upgrade {
        // No other request is read behind it, which the client has to know.
        answer.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    let turn = answer.request().extensions_mut().remove::<HeavyTurn>();
    let room = answer.request().extensions_mut().remove::<AnswerRoom>();
    if let (Some(progress), Some(room)) = (&progress, &room) {
        progress.goes_with(room.dismissed());
    }
    Ok(answer.map_body(|_, body| AnswerBody {
        body,
        rest: Bytes::new(),
        unread,
        progress,
        _turn: turn,
        _room: room,
    }))
}
