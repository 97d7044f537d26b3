//! Who takes of the rooms of the process: JSON bodies and forms while they arrive, and large
//! answers until they are written.

use std::time::Duration;

use actix_web::{HttpMessage as _, HttpRequest};
use racun_access::Caller;
use racun_store::ListQuery;

use super::room::{Full, Guest, Share};
use super::{RequestLimits, address_of, key};
use crate::body_limit::DOCUMENT;
use crate::caller::tenant;
use crate::error::{ApiError, Kind};
use crate::header::bearer_token;
use crate::route::Route;

const MIB: usize = 1024 * 1024;

/// Bytes from which on an answer is a large one. Smaller ones pass, however many large ones are not
/// read.
pub(crate) const LARGE: usize = 64 * 1024;

/// Bytes that a page takes while it is put together, before its length is known.
const PAGE: usize = 2 * ListQuery::MAX_PAGE_BYTES;
/// Bytes that any other large answer takes until then.
const OTHER: usize = DOCUMENT;
/// Bytes that a single answer counts for at most.
const MOST: usize = 16 * MIB;

/// Who takes of a room for `request`: its account, or its token or address where it has none.
fn guest(request: &HttpRequest) -> Guest {
    let address = key("address", &address_of(request));
    let sender = match (tenant(request), bearer_token(request.headers())) {
        (Some(account), _) => key("account", account.as_str()),
        (None, Ok(token)) if request.extensions().contains::<Caller>() => key("token", token),
        (None, _) => key("anonymous", &address),
    };
    Guest { sender, address }
}

fn limits(request: &HttpRequest) -> RequestLimits {
    request.app_data::<RequestLimits>().copied().unwrap_or_default()
}

/// What the body of `request`, which is about to be read, has of the room of bodies.
pub(crate) fn arriving_body(request: &HttpRequest) -> Share {
    limits(request).bodies.enter(guest(request))
}

/// What is answered to a body that there is no room for.
pub(crate) fn no_room_for_body(_: Full) -> ApiError {
    let message = "too many long bodies are arriving; wait for the answers to those that you sent, \
                   then send this one again";
    ApiError::new(Kind::TooManyRequests, message).retry_after(1)
}

/// A place for the form of `request`, which is about to arrive.
///
/// # Errors
/// When there is none.
pub(crate) fn arriving_form(request: &HttpRequest) -> Result<Share, ApiError> {
    let place = limits(request).forms.enter(guest(request));
    place.grow(1).map_err(no_room_for_form)?;
    Ok(place)
}

/// What is answered to a form that there is no place for.
pub(crate) fn no_room_for_form(full: Full) -> ApiError {
    let (kind, message) = match full {
        Full::Part => (
            Kind::TooManyRequests,
            "too many forms of this account or address are arriving; wait for the answers to \
             those, then send this one again",
        ),
        Full::Room => {
            (Kind::Unavailable, "too many forms arrive at this moment; send it again in a second")
        }
    };
    ApiError::new(kind, message).retry_after(1)
}

/// What an answer has of the room of answers, until it is written.
pub(crate) struct AnswerRoom(Share);

impl AnswerRoom {
    /// Room for the answer to `request`, which `route` is about to put together. Waits for it as a
    /// heavy request does.
    ///
    /// # Errors
    /// When there is none by then.
    pub(crate) async fn take(route: &Route, request: &HttpRequest) -> Result<Self, ApiError> {
        let bytes = if route.is_paged() { PAGE } else { OTHER };
        Self::enter(request).fit(bytes, limits(request).heavy_patience).await
    }

    fn enter(request: &HttpRequest) -> Self {
        Self(limits(request).answers.enter(guest(request)))
    }

    async fn fit(self, bytes: usize, patience: Duration) -> Result<Self, ApiError> {
        match self.0.wait_for(bytes.min(MOST), patience).await {
            Ok(()) => Ok(self),
            Err(full) => Err(no_room_for_answer(full)),
        }
    }

    /// Ends when its room went to another answer.
    pub(crate) fn dismissed(&self) -> impl Future<Output = ()> + use<> {
        self.0.dismissed()
    }
}

/// Leaves room for an answer of `bytes` in the extensions of `request`, where it is a large one:
/// what was taken before it was put together, made as large as it is. Waits as a heavy request
/// does.
///
/// # Errors
/// When there is none by then.
pub(crate) async fn make_room(request: &HttpRequest, bytes: usize) -> Result<(), ApiError> {
    let taken = request.extensions_mut().remove::<AnswerRoom>();
    if bytes >= LARGE {
        let taken = taken.unwrap_or_else(|| AnswerRoom::enter(request));
        let room = taken.fit(bytes, limits(request).heavy_patience).await?;
        request.extensions_mut().insert(room);
    }
    Ok(())
}

/// What is answered where there is no room for an answer.
pub(crate) fn no_room_for_answer(full: Full) -> ApiError {
    let (kind, message) = match full {
        Full::Part => (
            Kind::TooManyRequests,
            "too many large answers to this account or address are on their way; read them to \
             their end, or ask for fewer rows",
        ),
        Full::Room => (
            Kind::Unavailable,
            "too many large answers are on their way; send it again in a second, or ask for \
             fewer rows",
        ),
    };
    ApiError::new(kind, message).retry_after(1)
}
