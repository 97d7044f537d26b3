//! Answers as they are stored, and given again.

use actix_web::HttpResponse;
use actix_web::body::{BoxBody, to_bytes};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    LOCATION,
};
use actix_web::web::Bytes;
use racun_background::idempotency::{AnswerTo, KeptAnswer, KeptBody, KeyStatus};
use serde_json::Value as Json;

use super::Keyed;
use crate::error::{ApiError, Kind};

/// Says that an answer is one that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The headers that belong to a body.
const KEPT: [HeaderName; 5] =
    [CONTENT_TYPE, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, ETAG, LOCATION];

/// What the log says of a refusal that is given again. It is kept beside the answer.
pub(crate) struct ReplayedRefusal {
    /// The most specific code.
    pub code: String,
    /// What was answered.
    pub message: String,
}

impl ReplayedRefusal {
    /// That of an answer with this `body`; `None` for one that is no error's.
    fn of(body: &[u8]) -> Option<Self> {
        let body: Json = serde_json::from_slice(body).ok()?;
        let code = body["cause"]["code"].as_str().or_else(|| body["code"].as_str())?;
        let message = body["message"].as_str()?;
        Some(Self { code: code.to_owned(), message: message.to_owned() })
    }
}

/// What became of an answer that was to be stored.
pub(super) enum Kept {
    /// This is to be sent.
    Sent(HttpResponse<BoxBody>),
    /// It is not stored: the key belongs to another request by now, or to the effect of a twin.
    Taken(HttpResponse<BoxBody>),
}

impl Kept {
    /// The answer, whatever became of it.
    pub(super) fn into_answer(self) -> HttpResponse<BoxBody> {
        match self {
            Self::Sent(answer) | Self::Taken(answer) => answer,
        }
    }
}

impl Keyed {
    /// Stores `answer` before it is sent. When another process stored one first, that one is sent;
    /// when none can be stored, `answer` is: what it says is so, and an effect can be read again.
    pub(super) async fn keep(
        &self,
        answer: HttpResponse<BoxBody>,
        to: AnswerTo,
    ) -> Result<Kept, ApiError> {
        let (answer, body) = answer.into_parts();
        let body = to_bytes(body).await.map_err(ApiError::internal)?;
        let headers = KEPT.iter().filter_map(|name| {
            let value = answer.headers().get(name)?.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        let (status, headers) = (answer.status().as_u16(), headers.collect());
        let kept = KeptAnswer { status, headers, body: self.stored(&body) };
        let answer = answer.set_body(BoxBody::new(body));
        if kept.body == KeptBody::Withheld && to == AnswerTo::Nothing {
            // It would be told as an effect whose answer is lost, and there is none.
            return Ok(Kept::Sent(answer));
        }
        let stored = self.request.answer(&*self.services.store, kept.clone(), to).await;
        Ok(match stored {
            Ok(KeyStatus::Answered(stored)) if stored != kept => Kept::Sent(self.replay(stored)),
            Ok(KeyStatus::Conflict | KeyStatus::Unanswered(_)) if to == AnswerTo::Nothing => {
                Kept::Taken(answer)
            }
            Ok(_) => Kept::Sent(answer),
            Err(error) => {
                tracing::warn!(?error, "the answer to a request with a key is not kept");
                Kept::Sent(answer)
            }
        })
    }

    /// The body as it is stored: unreadable where it shows a secret.
    fn stored(&self, body: &Bytes) -> KeptBody {
        let text = std::str::from_utf8(body).ok().filter(|_| !self.route.shows_secret);
        match (text, &self.services.vault) {
            (Some(text), _) => KeptBody::Plain(text.to_owned()),
            (None, Some(vault)) => {
                let sealed = vault.seal(&self.request.seal_owner(), body, &self.services.stamp());
                KeptBody::Sealed(sealed)
            }
            (None, None) => KeptBody::Withheld,
        }
    }

    /// `kept` as an answer that says that it was given before.
    pub(crate) fn replay(&self, kept: KeptAnswer) -> HttpResponse<BoxBody> {
        let KeptAnswer { status, headers, body } = kept;
        let body = match body {
            KeptBody::Plain(text) => Some(Bytes::from(text)),
            KeptBody::Sealed(sealed) => {
                let vault = self.services.vault.as_ref();
                let opened =
                    vault.and_then(|vault| vault.open(&self.request.seal_owner(), &sealed).ok());
                opened.map(Bytes::from)
            }
            KeptBody::Withheld => None,
        };
        let Some(body) = body else { return HttpResponse::from_error(lost(&[])) };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        let mut answer = HttpResponse::build(status);
        for (name, value) in headers {
            answer.insert_header((name, value));
        }
        answer.insert_header((REPLAYED, HeaderValue::from_static("true")));
        let refusal = if status.is_success() { None } else { ReplayedRefusal::of(&body) };
        let mut answer = if body.is_empty() { answer.finish() } else { answer.body(body) };
        if let Some(refusal) = refusal {
            answer.extensions_mut().insert(refusal);
        }
        answer
    }

    /// Says that `answer` was given before, or would have been.
    pub(super) fn mark(&self, answer: &mut HttpResponse<BoxBody>) {
        answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
}

/// A request was carried out, and its answer is lost.
pub(super) fn lost(subjects: &[String]) -> ApiError {
    let about = match subjects.first() {
        Some(_) => format!("; it concerns {}", subjects.join(", ")),
        None => String::new(),
    };
    let message = format!(
        "the request with this key was carried out and its answer is lost{about}; read what is \
         there before you send another one"
    );
    ApiError::new(Kind::Conflict, message).caused_by("answer_lost")
}
