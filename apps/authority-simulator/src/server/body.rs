//! Bodies of answers: whole ones, and ones that come in pieces.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Bytes, Frame, SizeHint};
use tokio::time::Sleep;

/// A piece of a body.
pub enum Piece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// So long nothing comes.
    Pause(Duration),
    /// The connection breaks, once what came before is out.
    Break,
    /// Nothing comes any more, and no end.
    Never,
}

/// The body of an answer.
pub struct Body {
    whole: Option<Bytes>,
    pieces: VecDeque<Piece>,
    pause: Option<Pin<Box<Sleep>>>,
    is_broken: bool,
}

impl Body {
    /// A body that comes at once, with its length in the head.
    pub fn whole(bytes: Vec<u8>) -> Self {
        Self {
            whole: Some(Bytes::from(bytes)),
            pieces: VecDeque::new(),
            pause: None,
            is_broken: false,
        }
    }

    /// A body whose length is not known from it.
    pub fn pieces(pieces: Vec<Piece>) -> Self {
        Self { whole: None, pieces: pieces.into(), pause: None, is_broken: false }
    }
}

/// How long what came before a break has to get out.
const TO_GET_OUT: Duration = Duration::from_millis(50);

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(pause) = &mut self.pause {
                std::task::ready!(pause.as_mut().poll(cx));
                self.pause = None;
                if self.is_broken {
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())));
                }
            }
            if let Some(bytes) = self.whole.take().filter(|bytes| !bytes.is_empty()) {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            match self.pieces.pop_front() {
                None => return Poll::Ready(None),
                Some(Piece::Bytes(bytes)) if bytes.is_empty() => {}
                Some(Piece::Bytes(bytes)) => {
                    return Poll::Ready(Some(Ok(Frame::data(Bytes::from(bytes)))));
                }
                Some(Piece::Pause(pause)) => self.pause = Some(Box::pin(tokio::time::sleep(pause))),
                Some(Piece::Break) => {
                    self.is_broken = true;
                    self.pause = Some(Box::pin(tokio::time::sleep(TO_GET_OUT)));
                }
                Some(Piece::Never) => {
                    self.pieces.push_front(Piece::Never);
                    return Poll::Pending;
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.whole.as_ref().is_none_or(Bytes::is_empty)
            && self.pieces.is_empty()
            && self.pause.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match &self.whole {
            Some(bytes) => SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            None if self.pieces.is_empty() && self.pause.is_none() => SizeHint::with_exact(0),
            None => SizeHint::new(),
        }
    }
}
