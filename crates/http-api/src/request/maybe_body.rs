//! A JSON body that may be left out.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;
use validator::Validate;

use super::Body;
use crate::error::ApiError;

/// A JSON body as [`Body`] reads it, or the default when none is sent.
pub struct MaybeBody<T>(pub T);

impl<T: Default + DeserializeOwned + Validate + Send + 'static> FromRequest for MaybeBody<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let headers = request.headers();
        let empty = headers.get(CONTENT_LENGTH).is_none_or(|length| length == "0")
            && !headers.contains_key(TRANSFER_ENCODING);
        if empty && (!headers.contains_key(CONTENT_TYPE) || headers.contains_key(CONTENT_LENGTH)) {
            return Box::pin(std::future::ready(Ok(Self(T::default()))));
        }
        let body = Body::<T>::from_request(request, payload);
        Box::pin(async move { body.await.map(|body| Self(body.0)) })
    }
}
