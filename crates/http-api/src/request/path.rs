//! Parameters of a path.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use racun_kernel::{Id, Kind};

use crate::error::ApiError;

/// The path's `{id}`, an id of kind `K`. Anything else is answered like an id that is not there.
pub struct PathId<K>(pub Id<K>);

impl<K: Kind> FromRequest for PathId<K> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = request.match_info().query("id");
        ready(text.parse().map(Self).map_err(|_| ApiError::no_such(K::NAME, text)))
    }
}

/// The path's `{id}` as it was sent, for ids that a use case reads itself.
pub struct PathText(pub String);

impl FromRequest for PathText {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(request.match_info().query("id").to_owned())))
    }
}
