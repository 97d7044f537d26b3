//! The JSON body.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use validator::Validate;

use super::json::{self, Gaps, Left, Unread};

use crate::body_limit::{self, too_large};
use crate::connection::broken_off;
use crate::error::{ApiError, Kind};
use crate::limits::{Full, RequestLimits, SMALL_BODY, Share, arriving_body, no_room_for_body};
use crate::process::Process;

/// A JSON body, read within the limits, understood and checked.
pub struct Body<T>(pub T);

/// The body as it came, and its part of the room of bodies when it is long.
pub(crate) struct Came(pub Left, pub Option<Share>);

/// What is left of it, for the handler that is tried on it.
pub(crate) struct Again(pub Left);

/// The body as it came, for the log of requests.
pub(crate) struct SentBody(pub Bytes);

impl SentBody {
    /// Bytes of a body that goes into the log: of a longer one nothing does.
    pub(crate) const MOST: usize = 16 * 1024;
}

/// Bytes from which on a body is understood off the thread that answers requests.
const LONG: usize = 64 * 1024;

/// Bytes up to which a body is kept for further checks, should it be refused. The answer to a
/// longer one tells the issues of its first check.
const MOST_KEPT: usize = 256 * 1024;

/// Keeps `body` for further checks, without what is at `gaps`; a long one with its bytes of the
/// room of bodies.
fn keep(request: &HttpRequest, body: Bytes, arrived: Share, gaps: Gaps) {
    if body.len() <= MOST_KEPT {
        let room = (body.len() > LONG).then_some(arrived);
        request.extensions_mut().insert(Came(Left::of(body, gaps), room));
    }
}

/// What is `left` of a body.
async fn rest<T>(request: &HttpRequest, left: Left) -> Result<T, ApiError>
where
    T: DeserializeOwned + Send + 'static,
{
    let rest = match request.app_data::<Data<Process>>() {
        Some(process) if left.len() > LONG => process.compute(move || left.read()).await,
        _ => left.read(),
    };
    rest.ok_or_else(|| ApiError::bad_request("nothing is left of the body"))
}

/// What `body` says. It has its bytes until that is known, also when its request ends before.
async fn understood<T>(
    request: &HttpRequest,
    body: Bytes,
    arrived: Share,
) -> (Result<T, Unread>, Share)
where
    T: DeserializeOwned + Validate + Send + 'static,
{
    match request.app_data::<Data<Process>>() {
        Some(process) if body.len() > LONG => {
            process.compute(move || (json::parse(&body), arrived)).await
        }
        _ => (json::parse(&body), arrived),
    }
}

impl<T: DeserializeOwned + Validate + Send + 'static> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let limits = request.app_data::<RequestLimits>().copied().unwrap_or_default();
        let head = check_type(request.headers());
        let most = body_limit::of(request);
        if let Some(Again(left)) = request.extensions_mut().remove::<Again>() {
            let request = request.clone();
            return Box::pin(async move { rest(&request, left).await.map(Self) });
        }
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            head?;
            let (body, arrived) = read(&request, payload, most, limits).await?;
            let body = Bytes::from(body);
            if body.len() <= SentBody::MOST {
                request.extensions_mut().insert(SentBody(body.clone()));
            }
            let (understood, arrived) = understood(&request, body.clone(), arrived).await;
            match understood {
                Ok(value) => {
                    keep(&request, body, arrived, Gaps::new());
                    Ok(Self(value))
                }
                Err(Unread::Text(error)) => Err(error),
                Err(Unread::Unfit(issues, gaps)) => {
                    if let Some(gaps) = gaps {
                        keep(&request, body, arrived, gaps);
                    }
                    Err(issues.into())
                }
            }
        })
    }
}

/// The whole body of `request`, read within the limits. Its bytes are its own until [`Body`] parsed
/// it, or the request ends.
///
/// # Errors
/// When it is too long, or does not arrive.
pub(crate) async fn read_whole(request: &mut ServiceRequest) -> Result<Bytes, ApiError> {
    let limits = request.app_data::<RequestLimits>().copied().unwrap_or_default();
    let most = body_limit::of(request.request());
    let payload = request.take_payload();
    let (body, arrived) = read(request.request(), payload, most, limits).await?;
    request.extensions_mut().insert(arrived);
    Ok(body.into())
}

fn too_slow(limits: RequestLimits) -> ApiError {
    let seconds = limits.body_time.as_secs();
    let message = format!("the body did not arrive within {seconds} seconds");
    ApiError::new(Kind::RequestTimeout, message)
}

pub(super) fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        let message = "send the body as JSON, with the header Content-Type: application/json";
        return Err(ApiError::new(Kind::UnsupportedMediaType, message));
    }
    Ok(())
}

pub(super) async fn read(
    request: &HttpRequest,
    payload: Payload,
    most: usize,
    limits: RequestLimits,
) -> Result<(Vec<u8>, Share), ApiError> {
    // What was read whole before has its bytes already.
    let read_before = request.extensions_mut().remove::<Share>();
    let is_new = read_before.is_none();
    let arriving = read_before.unwrap_or_else(|| arriving_body(request));
    let said = body_limit::length(request.headers()).and_then(|said| said.try_into().ok());
    let longest = said.map_or(most, |said: usize| said.min(most));
    let grow = |bytes| {
        if is_new { arriving.grow(bytes).map_err(no_room_for_body) } else { Ok(()) }
    };
    let read = async {
        tokio::select! {
            body = receive(payload, most, longest, grow) => body,
            () = arriving.dismissed() => Err(no_room_for_body(Full::Room)),
        }
    };
    let body = tokio::time::timeout(limits.body_time, read).await;
    let body = body.map_err(|_| too_slow(limits))??;
    arriving.stay().map_err(no_room_for_body)?;
    Ok((body, arriving))
}

/// The bytes of `payload`, at most `most` and probably at most `longest`, for which memory is
/// taken by `grow` as they arrive.
async fn receive(
    mut payload: Payload,
    most: usize,
    longest: usize,
    mut grow: impl FnMut(usize) -> Result<(), ApiError>,
) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(broken_off)?;
        let length = body.len() + chunk.len();
        if length > most {
            return Err(too_large(most));
        }
        if length > body.capacity() {
            // A small body takes no more than small bodies may, however it is divided.
            let most = if length > SMALL_BODY { longest } else { longest.min(SMALL_BODY) };
            let capacity = body.capacity().saturating_mul(2).min(most).max(length);
            grow(capacity)?;
            body.reserve_exact(capacity - body.len());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
