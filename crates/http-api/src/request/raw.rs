//! A body as it came, for what is signed over its bytes.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::body::read;
use crate::body_limit;
use crate::error::ApiError;
use crate::limits::RequestLimits;

/// The bytes of a body, read within the limits, of whatever media type.
pub struct RawBody(pub Vec<u8>);

impl FromRequest for RawBody {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let limits = request.app_data::<RequestLimits>().copied().unwrap_or_default();
        let most = body_limit::of(request);
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let (body, _arrived) = read(&request, payload, most, limits).await?;
            Ok(Self(body))
        })
    }
}
