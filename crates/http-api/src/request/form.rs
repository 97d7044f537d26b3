//! A form with files: `multipart/form-data`.

use std::future::Future;
use std::pin::Pin;

use actix_multipart::{Multipart, MultipartError};
use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt as _;
use racun_kernel::Issue;

use crate::error::{ApiError, Kind};
use crate::services::Limits;

/// Bytes of all parts together. A certificate's file has a few thousand.
const MAX_BYTES: usize = 1024 * 1024;
/// Parts of a form.
const MAX_PARTS: usize = 16;

/// The parts of a form, by name, read within the limits.
///
/// It has no `Debug`: passphrases come in forms.
pub struct Form(Vec<(String, Vec<u8>)>);

impl Form {
    /// The part called `name`, taken out; `None` when it was not sent.
    ///
    /// # Errors
    /// When it was sent more than once: which one counts would be a guess.
    pub fn take(&mut self, name: &str) -> Result<Option<Vec<u8>>, ApiError> {
        let place = self.0.iter().position(|(part, _)| part == name);
        let taken = place.map(|place| self.0.swap_remove(place).1);
        if self.0.iter().any(|(part, _)| part == name) {
            return Err(Issue::new("duplicate_field", "send this part once").at(name).into());
        }
        Ok(taken)
    }

    /// The bytes of the file called `name`.
    ///
    /// # Errors
    /// When there is none, or nothing in it.
    pub fn file(&mut self, name: &str) -> Result<Vec<u8>, ApiError> {
        let found = self.take(name)?.filter(|bytes| !bytes.is_empty());
        let missing = || Issue::new("required", "send the file in this part of the form").at(name);
        found.ok_or_else(|| missing().into())
    }

    /// The text of the part called `name`; empty when it was not sent.
    ///
    /// # Errors
    /// When it is not UTF-8. What was sent is not repeated.
    pub fn text(&mut self, name: &str) -> Result<String, ApiError> {
        let bytes = self.take(name)?.unwrap_or_default();
        let refused = |_| Issue::new("invalid_value", "expected UTF-8 text").at(name).into();
        String::from_utf8(bytes).map_err(refused)
    }
}

impl FromRequest for Form {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let limits = request.app_data::<Limits>().copied().unwrap_or_default();
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("multipart/form-data") {
            let message = "send the body as a form, with Content-Type: multipart/form-data";
            let error = ApiError::new(Kind::UnsupportedMediaType, message);
            return Box::pin(std::future::ready(Err(error)));
        }
        let form = Multipart::new(request.headers(), payload.take());
        Box::pin(async move {
            match tokio::time::timeout(limits.body_time, read(form)).await {
                Ok(parts) => parts.map(Self),
                Err(_) => {
                    let seconds = limits.body_time.as_secs();
                    let message = format!("the body did not arrive within {seconds} seconds");
                    Err(ApiError::new(Kind::RequestTimeout, message))
                }
            }
        })
    }
}

async fn read(mut form: Multipart) -> Result<Vec<(String, Vec<u8>)>, ApiError> {
    let (mut parts, mut bytes) = (Vec::new(), 0);
    while let Some(part) = form.next().await {
        let mut part = part.map_err(|error| malformed(&error))?;
        let name = part.name().unwrap_or_default().to_owned();
        let mut content = Vec::new();
        while let Some(chunk) = part.next().await {
            let chunk = chunk.map_err(|error| malformed(&error))?;
            bytes += chunk.len();
            if bytes > MAX_BYTES {
                return Err(too_large(format!("a form holds at most {MAX_BYTES} bytes")));
            }
            content.extend_from_slice(&chunk);
        }
        if parts.len() == MAX_PARTS {
            return Err(too_large(format!("a form holds at most {MAX_PARTS} parts")));
        }
        parts.push((name, content));
    }
    Ok(parts)
}

fn too_large(message: String) -> ApiError {
    ApiError::new(Kind::PayloadTooLarge, message)
}

fn malformed(error: &MultipartError) -> ApiError {
    ApiError::bad_request("the form cannot be read; send it as multipart/form-data with a boundary")
        .detailed(error)
}
