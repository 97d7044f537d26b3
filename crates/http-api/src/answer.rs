//! Answers other than a plain 200.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;

use actix_web::body::{BodyStream, BoxBody, SizedStream};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    Charset, ContentDisposition, ContentType, DispositionParam, DispositionType, ExtendedValue,
};
use actix_web::web::{Bytes, BytesMut};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, Responder, ResponseError as _};
use futures_util::stream::try_unfold;
use racun_catalog::FileStorage;
use serde::Serialize;
use tokio::io::AsyncReadExt as _;

use crate::error::ApiError;
use crate::process::on_threads_of_pages;

/// Bytes of JSON that are written on the thread that answers requests. What turns out to be longer
/// is written on one of those that put pages together.
const SHORT: usize = 64 * 1024;
/// Bytes that most answers have, at most: a longer one is moved while it is written.
const USUAL: usize = 4 * 1024;

/// 200 with a resource.
pub struct Json<T>(pub T);

impl<T: Serialize + Send + 'static> Responder for Json<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        json(StatusCode::OK, self.0, request)
    }
}

/// 201 with the resource that was made.
pub struct Created<T>(pub T);

impl<T: Serialize + Send + 'static> Responder for Created<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        json(StatusCode::CREATED, self.0, request)
    }
}

/// 202 with what was begun, and goes on after the answer.
pub struct Accepted<T>(pub T);

impl<T: Serialize + Send + 'static> Responder for Accepted<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        json(StatusCode::ACCEPTED, self.0, request)
    }
}

/// An answer whose JSON is long, and not written yet.
struct Unwritten(Box<dyn FnOnce() -> serde_json::Result<Vec<u8>> + Send>);

/// `value` as JSON, or an answer that [`written`] completes.
fn json<T>(status: StatusCode, value: T, request: &HttpRequest) -> HttpResponse
where
    T: Serialize + Send + 'static,
{
    let mut answer = HttpResponse::build(status);
    answer.content_type(ContentType::json());
    let mut short = Short(Vec::with_capacity(USUAL));
    match serde_json::to_writer(&mut short, &value) {
        Ok(()) => answer.body(short.0),
        Err(error) if error.is_io() => {
            let write = move || serde_json::to_vec(&value);
            request.extensions_mut().insert(Unwritten(Box::new(write)));
            answer.finish()
        }
        Err(error) => ApiError::internal(error).error_response(),
    }
}

/// The answer of a handler, whose JSON is written to its end.
pub(crate) async fn written(answer: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let unwritten = answer.request().extensions_mut().remove::<Unwritten>();
    let Some(Unwritten(write)) = unwritten else { return answer };
    let text = on_threads_of_pages(async move { write() }).await;
    match text.and_then(|text| text.map_err(ApiError::internal)) {
        Ok(text) => answer.map_body(|_, _| BoxBody::new(text)),
        Err(error) => {
            let (http, _) = answer.into_parts();
            ServiceResponse::from_err(error, http)
        }
    }
}

/// What holds so many bytes and no more.
struct Short(Vec<u8>);

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > SHORT {
            return Err(ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// 200 with JSON that is written already.
pub struct Page(pub(crate) Vec<u8>);

/// Puts a page together, to the last byte of its answer, on the threads that are there for it. When
/// the client hangs up, it is given up.
///
/// # Errors
/// What `put_together` answers. A panic in it goes on in the caller.
pub(crate) async fn page<T: Serialize>(
    put_together: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<Page, ApiError> {
    let written = async move {
        let text = serde_json::to_vec(&put_together.await?).map_err(ApiError::internal)?;
        Ok(Page(text))
    };
    on_threads_of_pages(written).await?
}

impl Responder for Page {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().content_type(ContentType::json()).body(self.0)
    }
}

/// 204.
pub struct NoContent;

impl Responder for NoContent {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }
}

/// 200 with a file to keep. No browser shows it, or guesses that it is something else than it says.
pub struct File {
    /// Its media type.
    pub media_type: &'static str,
    /// Its name, without signs that control.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// 200 with a file to keep, which is on disk and sent from there.
pub struct StreamedFile {
    /// Its media type.
    pub media_type: &'static str,
    /// Its name, without signs that control.
    pub name: String,
    /// What is in it, at its beginning.
    pub file: std::fs::File,
}

impl Responder for StreamedFile {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let chunks = try_unfold(tokio::fs::File::from_std(self.file), |mut file| async {
            let mut chunk = BytesMut::with_capacity(SHORT);
            let count = file.read_buf(&mut chunk).await?;
            Ok::<_, io::Error>((count > 0).then(|| (chunk.freeze(), file)))
        });
        let mut answer = HttpResponse::Ok();
        answer.insert_header(to_keep(self.name)).content_type(self.media_type);
        answer.body(BodyStream::new(Box::pin(chunks)))
    }
}

/// 200 with a file to keep, whose parts are in the storage of files: one is in memory at a time.
pub struct StoredFile {
    /// Its media type.
    pub media_type: &'static str,
    /// Its name, without signs that control.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// Where its parts are.
    pub files: Arc<dyn FileStorage>,
    /// Their keys, in their order.
    pub keys: Vec<String>,
}

impl Responder for StoredFile {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let rest = (self.files, self.keys.into_iter());
        let parts = try_unfold(rest, |(files, mut keys)| async {
            let Some(key) = keys.next() else { return Ok(None) };
            let part = files.get(&key).await.map_err(io::Error::other)?;
            // The connection breaks off, so that half a file is not taken for a whole one.
            let part = part.ok_or_else(|| io::Error::from(ErrorKind::NotFound))?;
            Ok::<_, io::Error>(Some((Bytes::from(part), (files, keys))))
        });
        let mut answer = HttpResponse::Ok();
        answer.insert_header(to_keep(self.name)).content_type(self.media_type);
        answer.body(SizedStream::new(self.bytes, Box::pin(parts)))
    }
}

/// What tells browsers to keep a file under `name`.
fn to_keep(name: String) -> ContentDisposition {
    let plain = |sign: char| if sign.is_ascii_graphic() || sign == ' ' { sign } else { '_' };
    let ascii: String = name.chars().map(plain).collect();
    // The name itself, for clients that know RFC 8187.
    let (charset, value) = (Charset::Ext("UTF-8".to_owned()), name.into_bytes());
    let value = ExtendedValue { charset, language_tag: None, value };
    let parameters = vec![DispositionParam::Filename(ascii), DispositionParam::FilenameExt(value)];
    ContentDisposition { disposition: DispositionType::Attachment, parameters }
}

impl Responder for File {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let mut answer = HttpResponse::Ok();
        answer.insert_header(to_keep(self.name));
        answer.content_type(self.media_type).body(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;

    use actix_web::body::to_bytes;
    use actix_web::test::TestRequest;
    use serde::Serializer;

    use super::*;

    /// A text that notes which threads write it.
    struct Noted(String, Arc<Mutex<Vec<String>>>);

    impl Serialize for Noted {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let name = thread::current().name().unwrap_or_default().to_owned();
            self.1.lock().unwrap().push(name);
            serializer.serialize_str(&self.0)
        }
    }

    #[actix_web::test]
    async fn long_json_is_written_on_other_threads() {
        let here = thread::current().name().unwrap_or_default().to_owned();
        for (bytes, threads) in
            [(10, vec![here.as_str()]), (SHORT, vec![here.as_str(), "racun-pages"])]
        {
            let noted = Arc::<Mutex<Vec<String>>>::default();
            let text = "x".repeat(bytes);
            let request = TestRequest::get().to_http_request();
            let answer = Created(Noted(text.clone(), Arc::clone(&noted))).respond_to(&request);
            let answer = written(ServiceResponse::new(request, answer)).await;
            assert_eq!(*noted.lock().unwrap(), threads);
            assert_eq!(answer.status(), StatusCode::CREATED);
            assert_eq!(answer.headers().get("content-type").unwrap(), "application/json");
            let body = to_bytes(answer.into_body()).await.map_err(|_| ()).unwrap();
            assert_eq!(body, format!("\"{text}\""));
        }
    }
}
