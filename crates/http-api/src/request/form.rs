//! A form with files: `multipart/form-data`.

use std::future::Future;
use std::pin::Pin;

use actix_multipart::{Multipart, MultipartError};
use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use futures_util::StreamExt as _;
use racun_kernel::{Issue, Issues};

use super::unknown;
use crate::error::{ApiError, Kind};
use crate::openapi::properties;
use crate::route::Route;
use crate::services::Limits;

/// Bytes of all parts together, unless a route says otherwise. A certificate's file has a few thousand.
const FEW_BYTES: usize = 1024 * 1024;
/// Parts of a form.
const MAX_PARTS: usize = 16;

/// The parts of a form, by name, read within the limits: of all parts together `MAX_BYTES`, and no byte
/// more is ever read.
///
/// It has no `Debug`: passphrases come in forms.
pub struct Form<const MAX_BYTES: usize = FEW_BYTES>(Vec<Part>);

struct Part {
    name: String,
    file: SentFile,
}

/// A file of a form, and what its sender says of it, which nobody needs to believe.
pub struct SentFile {
    /// What it is called; empty when nothing was said.
    pub filename: String,
    /// Its media type.
    pub media_type: Option<String>,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl<const MAX_BYTES: usize> Form<MAX_BYTES> {
    /// The part called `name`, taken out; `None` when it was not sent.
    fn take(&mut self, name: &str) -> Option<SentFile> {
        let place = self.0.iter().position(|part| part.name == name)?;
        Some(self.0.swap_remove(place).file)
    }

    /// The bytes of the file called `name`.
    ///
    /// # Errors
    /// When there is none, or nothing in it.
    pub fn file(&mut self, name: &str) -> Result<Vec<u8>, ApiError> {
        self.sent_file(name).map(|file| file.content)
    }

    /// The file called `name`, with what its sender says of it.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub fn sent_file(&mut self, name: &str) -> Result<SentFile, ApiError> {
        let found = self.take(name).filter(|file| !file.content.is_empty());
        let missing = || Issue::new("required", "send the file in this part of the form").at(name);
        found.ok_or_else(|| missing().into())
    }

    /// The text of the part called `name`; empty when it was not sent.
    ///
    /// # Errors
    /// When it is not UTF-8. What was sent is not repeated.
    pub fn text(&mut self, name: &str) -> Result<String, ApiError> {
        let bytes = self.take(name).map(|part| part.content).unwrap_or_default();
        let refused = |_| Issue::new("invalid_value", "expected UTF-8 text").at(name).into();
        String::from_utf8(bytes).map_err(refused)
    }
}

impl<const MAX_BYTES: usize> FromRequest for Form<MAX_BYTES> {
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
        let taken =
            request.extensions().get::<TakenParts>().map_or_else(Vec::new, TakenParts::names);
        let form = Multipart::new(request.headers(), payload.take());
        Box::pin(async move {
            match tokio::time::timeout(limits.body_time, read(form, MAX_BYTES)).await {
                Ok(parts) => {
                    let parts = parts?;
                    check(&parts, &taken)?;
                    Ok(Self(parts))
                }
                Err(_) => {
                    let seconds = limits.body_time.as_secs();
                    let message = format!("the body did not arrive within {seconds} seconds");
                    Err(ApiError::new(Kind::RequestTimeout, message))
                }
            }
        })
    }
}

/// The route whose form is read: what its body declares is what the form takes.
pub(crate) struct TakenParts(pub &'static Route);

impl TakenParts {
    fn names(&self) -> Vec<String> {
        self.0.takes.map(properties).unwrap_or_default()
    }
}

/// Refuses parts that are not `taken`, and parts that were sent twice: which one counts would be a
/// guess.
fn check(parts: &[Part], taken: &[String]) -> Result<(), Issues> {
    let known: Vec<&str> = taken.iter().map(String::as_str).collect();
    let mut issues = Issues::default();
    for (n, part) in parts.iter().enumerate() {
        let before = &parts[..n];
        if before.iter().any(|other| other.name == part.name) {
            issues.push(Issue::new("duplicate_field", "send this part once").at(&*part.name));
        } else if !known.contains(&&*part.name) {
            let message = unknown("part of the form", &part.name, &known);
            issues.push(Issue::new("unknown_field", message).at(&*part.name));
        }
    }
    issues.into_result(())
}

async fn read(mut form: Multipart, max_bytes: usize) -> Result<Vec<Part>, ApiError> {
    let (mut parts, mut bytes) = (Vec::new(), 0);
    while let Some(part) = form.next().await {
        let mut part = part.map_err(|error| malformed(&error))?;
        let name = part.name().unwrap_or_default().to_owned();
        let filename = part.content_disposition().and_then(|said| said.get_filename());
        let filename = filename.unwrap_or_default().to_owned();
        let media_type = part.content_type().map(|said| said.essence_str().to_owned());
        let mut content = Vec::new();
        while let Some(chunk) = part.next().await {
            let chunk = chunk.map_err(|error| malformed(&error))?;
            bytes += chunk.len();
            if bytes > max_bytes {
                return Err(too_large(format!("a form holds at most {max_bytes} bytes")));
            }
            content.extend_from_slice(&chunk);
        }
        if parts.len() == MAX_PARTS {
            return Err(too_large(format!("a form holds at most {MAX_PARTS} parts")));
        }
        parts.push(Part { name, file: SentFile { filename, media_type, content } });
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
