//! A form with files: `multipart/form-data`.

use std::future::Future;
use std::pin::Pin;

use actix_multipart::{Multipart, MultipartError};
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use futures_util::StreamExt as _;
use racun_kernel::{Issue, Issues};

use super::spool::{Opened, Spooled};
use super::unknown;
use crate::error::{ApiError, Kind};
use crate::route::Route;
use crate::schema::properties;

/// Parts of a form.
const MAX_PARTS: usize = 16;

/// The parts of a form, by name, which the gate took in within the limits. Few forms are in memory
/// at once; the others wait for one to be dropped.
///
/// It has no `Debug`: passphrases come in forms.
pub struct Form {
    parts: Vec<Part>,
    _turn: Opened,
}

struct Part {
    name: String,
    file: SentFile,
}

/// A file of a form, and its sender's description of it, which is not trusted.
pub struct SentFile {
    /// What it is called; empty when nothing was said.
    pub filename: String,
    /// Its media type.
    pub media_type: Option<String>,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl Form {
    /// The part called `name`, taken out; `None` when it was not sent.
    fn take(&mut self, name: &str) -> Option<SentFile> {
        let place = self.parts.iter().position(|part| part.name == name)?;
        Some(self.parts.swap_remove(place).file)
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

impl FromRequest for Form {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let spooled = request.extensions_mut().remove::<Spooled>();
            let taken = request.extensions().get::<TakenParts>().map(TakenParts::names);
            let (spooled, taken) = spooled.zip(taken).ok_or_else(|| no_form(request.headers()))?;
            let (bytes, turn) = spooled.open().await?;
            let parts = read(Multipart::new(request.headers(), bytes)).await?;
            check(&parts, &taken)?;
            Ok(Self { parts, _turn: turn })
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

async fn read(mut form: Multipart) -> Result<Vec<Part>, ApiError> {
    let mut parts = Vec::new();
    while let Some(part) = form.next().await {
        let mut part = part.map_err(|error| malformed(&error))?;
        let name = part.name().unwrap_or_default().to_owned();
        let filename = part.content_disposition().and_then(|said| said.get_filename());
        let filename = filename.unwrap_or_default().to_owned();
        let media_type = part.content_type().map(|said| said.essence_str().to_owned());
        let mut content = Vec::new();
        while let Some(chunk) = part.next().await {
            let chunk = chunk.map_err(|error| malformed(&error))?;
            content.extend_from_slice(&chunk);
        }
        if parts.len() == MAX_PARTS {
            let message = format!("a form holds at most {MAX_PARTS} parts");
            return Err(ApiError::new(Kind::PayloadTooLarge, message));
        }
        parts.push(Part { name, file: SentFile { filename, media_type, content } });
    }
    Ok(parts)
}

/// Why there is no form in a body with these `headers`.
fn no_form(headers: &HeaderMap) -> ApiError {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("multipart/form-data") {
        return ApiError::bad_request(MALFORMED);
    }
    let message = "send the body as a form, with Content-Type: multipart/form-data";
    ApiError::new(Kind::UnsupportedMediaType, message)
}

const MALFORMED: &str = "the form cannot be read; send it as multipart/form-data with a boundary";

fn malformed(error: &MultipartError) -> ApiError {
    ApiError::bad_request(MALFORMED).detailed(error)
}
