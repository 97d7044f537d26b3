//! From a request to the last byte of its answer.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage as _};
use futures_util::task::noop_waker_ref;
use futures_util::{Stream, StreamExt as _};

use super::progress::Progress;
use crate::limits::{HeavyTurn, Room};

/// Bytes that the connection is handed of an answer at a time: it copies them.
const CHUNK: usize = 64 * 1024;

/// The request's body, which the answer holds until its end.
///
/// actix-http waits without end for the rest of a chunked body whose payload was dropped. While the
/// payload lives, it closes the connection after the answer, as for a body of known length.
type Unread = Rc<RefCell<Payload>>;

/// The request's body for the handler.
struct Shared(Unread);

impl Stream for Shared {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.borrow_mut().poll_next_unpin(cx)
    }
}

/// The body of an answer, with what lasts until its end.
pub struct Answer {
    body: BoxBody,
    rest: Bytes,
    unread: Option<Unread>,
    progress: Option<Rc<Progress>>,
    _turn: Option<HeavyTurn>,
    _room: Option<Room>,
}

impl MessageBody for Answer {
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

impl Drop for Answer {
    fn drop(&mut self) {
        let has_rest =
            self.unread.as_ref().is_some_and(|unread| has_rest(&mut unread.borrow_mut()));
        if let Some(progress) = &self.progress {
            progress.finish(has_rest);
        }
    }
}

/// Whether more of `payload` is to come. What of it is there is thrown away.
fn has_rest(payload: &mut Payload) -> bool {
    let mut cx = Context::from_waker(noop_waker_ref());
    loop {
        match payload.poll_next_unpin(&mut cx) {
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(None | Some(Err(_))) => return false,
            Poll::Pending => return true,
        }
    }
}

/// Tells the request's connection when it begins and when its answer ends.
pub(crate) async fn watch(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<Answer>, Error> {
    let progress = request.conn_data::<Rc<Progress>>().cloned();
    if let Some(progress) = &progress {
        progress.begin();
    }
    let unread = match request.take_payload() {
        Payload::None => None,
        payload => {
            let unread = Rc::new(RefCell::new(payload));
            let payload = Shared(Rc::clone(&unread)).boxed_local();
            request.set_payload(Payload::Stream { payload });
            Some(unread)
        }
    };
    let answer = next.call(request).await?;
    if unread.as_ref().is_some_and(|unread| has_rest(&mut unread.borrow_mut())) {
        // What came together with the head is not understood yet, and may be all.
        tokio::task::yield_now().await;
    }
    let turn = answer.request().extensions_mut().remove::<HeavyTurn>();
    let room = answer.request().extensions_mut().remove::<Room>();
    Ok(answer.map_body(|_, body| Answer {
        body,
        rest: Bytes::new(),
        unread,
        progress,
        _turn: turn,
        _room: room,
    }))
}
