//! Answers other than a plain 200.

use actix_web::body::BoxBody;
use actix_web::http::header::{
    Charset, ContentDisposition, ContentType, DispositionParam, DispositionType, ExtendedValue,
};
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

/// 200 with JSON that is written already.
pub struct Page(pub(crate) Vec<u8>);

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

impl Responder for File {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let plain = |sign: char| if sign.is_ascii_graphic() || sign == ' ' { sign } else { '_' };
        let ascii: String = self.name.chars().map(plain).collect();
        let is_plain = ascii == self.name;
        let mut parameters = vec![DispositionParam::Filename(ascii)];
        if !is_plain {
            // The name itself, for whoever knows RFC 8187.
            let (charset, value) = (Charset::Ext("UTF-8".to_owned()), self.name.into_bytes());
            let value = ExtendedValue { charset, language_tag: None, value };
            parameters.push(DispositionParam::FilenameExt(value));
        }
        let disposition =
            ContentDisposition { disposition: DispositionType::Attachment, parameters };
        let mut answer = HttpResponse::Ok();
        answer.insert_header(disposition).content_type(self.media_type).body(self.bytes)
    }
}
