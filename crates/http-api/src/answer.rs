//! Answers other than a plain 200.

use actix_web::body::BoxBody;
use actix_web::http::header::{ContentDisposition, DispositionParam, DispositionType};
use actix_web::{HttpRequest, HttpResponse, Responder};
use serde::Serialize;

/// 201 with the resource that was made.
pub struct Created<T>(pub T);

impl<T: Serialize> Responder for Created<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Created().json(self.0)
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

/// 200 with a file to keep.
pub struct File {
    /// Its media type.
    pub media_type: &'static str,
    /// Its name, of visible ASCII.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Responder for File {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let disposition = ContentDisposition {
            disposition: DispositionType::Attachment,
            parameters: vec![DispositionParam::Filename(self.name)],
        };
        let mut answer = HttpResponse::Ok();
        answer.insert_header(disposition).content_type(self.media_type).body(self.bytes)
    }
}
