//! The log of requests: noted when an answer is ready, written by a task of its own.
//!
//! What changes something in an entity, and what is refused there, is noted; reads that succeed are
//! not. A note goes into a bounded queue and never waits: when that is full it is lost, which is
//! counted and told to the operator. Bodies are masked by the task, so that an answer waits for
//! nothing of it.

mod bodies;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpMessage as _, web};
use racun_access::Permission::ReadRequests;
use racun_application::Services;
use racun_background::request_log::{self as log, RequestQuery};
use racun_kernel::calendar::parse_instant_or_day;
use racun_kernel::{Issue, Issues, Scope};
use racun_store::Store;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use tokio::sync::{mpsc, oneshot};
use utoipa::ToSchema;

use self::bodies::{MOST, MOST_OF_SUCCESS, is_json, masked};
use crate::answer;
use crate::body::{Convert, ListBody};
use crate::call::Call;
use crate::error::ApiError;
use crate::process::Process;
use crate::request::{Query, SentBody};
use crate::route::{Gate, LIST, Parameter, Route, Verb};

/// Notes that may wait.
const QUEUE: usize = 1_024;
/// For how long the first note of a batch waits for others.
const PAUSE: Duration = Duration::from_secs(1);
/// Characters of a header.
const MOST_HEADER: usize = 200;

/// The headers that are kept. None of them proves who somebody is.
const HEADERS: [&str; 6] = [
    "user-agent",
    "content-type",
    "x-client-name",
    "x-client-version",
    "x-request-id",
    "idempotency-key",
];

/// The queue of notes, and the task that writes them, which the first note starts. A clone shares
/// both.
#[derive(Clone)]
pub struct RequestLog(Option<Arc<Inner>>);

#[derive(Default)]
struct Inner {
    /// The application's store: what a request works with may only try.
    store: OnceLock<Arc<dyn Store>>,
    queue: OnceLock<mpsc::Sender<Note>>,
    lost: Arc<AtomicU64>,
}

enum Note {
    Entry(Box<Noted>),
    /// Tells when all that came before is written.
    Flush(oneshot::Sender<()>),
}

/// A request, its bodies as they were sent: the one that was answered is JSON.
struct Noted {
    entry: log::RequestLog,
    sent: Option<Bytes>,
    answered: Option<Bytes>,
}

/// The id that the answer bears.
pub(crate) struct RequestName(pub HeaderValue);

impl RequestLog {
    /// A log in which requests are noted.
    #[must_use]
    pub fn on() -> Self {
        Self(Some(Arc::default()))
    }

    /// None: requests are not noted.
    #[must_use]
    pub const fn off() -> Self {
        Self(None)
    }

    /// The same, which writes into `store`; it stays with the first.
    pub(crate) fn into_store(self, store: &Arc<dyn Store>) -> Self {
        if let Some(own) = &self.0 {
            own.store.get_or_init(|| Arc::clone(store));
        }
        self
    }

    fn push(&self, process: &Process, noted: Noted) {
        let Some(own) = &self.0 else { return };
        let Some(store) = own.store.get() else { return };
        let queue = own.queue.get_or_init(|| {
            let (queue, notes) = mpsc::channel(QUEUE);
            process.runtime.spawn(write(Arc::clone(store), notes, Arc::clone(&own.lost)));
            queue
        });
        if queue.try_send(Note::Entry(Box::new(noted))).is_err() {
            own.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many requests of this process are not in the log, for more came than could be written.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.0.as_ref().map_or(0, |own| own.lost.load(Ordering::Relaxed))
    }

    /// Waits until all that was noted in this process is written.
    pub async fn written(&self) {
        let Some(queue) = self.0.as_ref().and_then(|own| own.queue.get()) else { return };
        let (done, is_done) = oneshot::channel();
        if queue.send(Note::Flush(done)).await.is_ok() {
            // Without the task nothing more is written.
            let _: Result<(), _> = is_done.await;
        }
    }
}

/// Notes that are written together.
#[derive(Default)]
struct Batch {
    noted: Vec<Noted>,
    /// Who waits until they are written.
    waiting: Vec<oneshot::Sender<()>>,
}

impl Batch {
    fn take(&mut self, note: Note) {
        match note {
            Note::Entry(noted) => self.noted.push(*noted),
            Note::Flush(done) => self.waiting.push(done),
        }
    }

    /// The next batch: what comes within [`PAUSE`], or until somebody waits; `None` when nothing
    /// can come any more.
    async fn next(notes: &mut mpsc::Receiver<Note>) -> Option<Self> {
        let mut batch = Self::default();
        batch.take(notes.recv().await?);
        let more = async {
            while batch.waiting.is_empty() && batch.noted.len() < QUEUE {
                let Some(note) = notes.recv().await else { return };
                batch.take(note);
            }
        };
        // What is not there by then comes with the batch after it.
        let _: Result<(), _> = tokio::time::timeout(PAUSE, more).await;
        Some(batch)
    }
}

/// Writes notes in batches, until no more can come.
async fn write(store: Arc<dyn Store>, mut notes: mpsc::Receiver<Note>, lost: Arc<AtomicU64>) {
    let (mut told, mut log) = (0, log::Appender::default());
    while let Some(Batch { noted, waiting }) = Batch::next(&mut notes).await {
        let missed = lost.load(Ordering::Relaxed) - told;
        told += missed;
        if missed > 0 {
            tracing::warn!(missed, "requests are not in the log of requests: too many came");
        }
        keep(&*store, &mut log, noted).await;
        for done in waiting {
            // Who waits may have gone.
            let _: Result<(), ()> = done.send(());
        }
    }
}

async fn keep(store: &dyn Store, log: &mut log::Appender, batch: Vec<Noted>) {
    let entries: Vec<log::RequestLog> = batch.into_iter().map(finished).collect();
    for some in entries.chunks(log::AT_ONCE) {
        if let Err(error) = log.append(store, some).await {
            let missed = some.len();
            tracing::warn!(?error, missed, "requests are not in the log of requests");
        }
    }
}

/// The entry with its bodies, masked and cut.
fn finished(Noted { entry, sent, answered }: Noted) -> log::RequestLog {
    let resource_id = entry.resource_id.clone().or_else(|| id_in(answered.as_deref()));
    let most_answered = if entry.res_status < 400 { MOST_OF_SUCCESS } else { MOST };
    let req_body = sent.filter(|body| is_json(body)).and_then(|body| masked(body, MOST));
    let res_body = answered.and_then(|body| masked(body, most_answered));
    log::RequestLog { req_body, res_body, resource_id, ..entry }
}

/// The id that an answer names. It is the first property of most answers, of which no more is read
/// then.
fn id_in(body: Option<&[u8]>) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        id: String,
    }
    let body = body?;
    let first = body.strip_prefix(br#"{"id":""#).and_then(|rest| {
        let end = memchr::memchr2(b'"', b'\\', rest)?;
        // What is escaped is left to the parser.
        (rest[end] == b'"').then(|| std::str::from_utf8(&rest[..end]).ok())?
    });
    let id = match first {
        Some(id) => id.to_owned(),
        None => serde_json::from_slice::<Named>(body).ok()?.id,
    };
    Some(id).filter(|id| id.len() <= MOST_HEADER)
}

/// Notes the request that `answer` is to, where it is to be in the log.
pub(crate) fn note(route: &Route, answer: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let status = answer.status().as_u16();
    let request = answer.request().clone();
    let scope = request.extensions().get::<Scope>().cloned();
    let Some(scope) = scope.filter(|_| route.verb != Verb::Get || status >= 400) else {
        return answer;
    };
    let own = request.app_data::<Data<RequestLog>>().filter(|own| own.0.is_some());
    let (Some(services), Some(process), Some(own)) =
        (request.app_data::<Data<Services>>(), request.app_data::<Data<Process>>(), own)
    else {
        return answer;
    };
    let media_type = answer.headers().get(CONTENT_TYPE);
    let is_written_as_json = media_type.is_some_and(|found| found == "application/json");
    let mut answered = None;
    let answer = answer.map_body(|_, body| match body.try_into_bytes() {
        Ok(bytes) => {
            let is_kept = is_written_as_json && !route.shows_secret;
            answered = Some(bytes.clone()).filter(|_| is_kept && bytes.len() <= SentBody::MOST);
            BoxBody::new(bytes)
        }
        Err(body) => body,
    });
    let stamp = services.stamp();
    let headers = kept_headers(request.headers());
    let extensions = request.extensions();
    let name = extensions.get::<RequestName>().and_then(|name| name.0.to_str().ok());
    let entry = log::RequestLog {
        id: stamp.id(),
        entity_id: scope.entity(),
        request_id: name.unwrap_or_default().to_owned(),
        method: request.method().to_string(),
        path: request.path().to_owned(),
        res_status: status,
        resource_type: Some(route.tag.to_owned()),
        resource_id: request.match_info().get("id").map(str::to_owned),
        action: Some(route.operation.to_owned()),
        client_name: client_name(&headers),
        req_body: None,
        res_body: None,
        headers,
        created_at: stamp.now(),
    };
    let sent = extensions.get::<SentBody>().map(|sent| sent.0.clone());
    own.push(process, Noted { entry, sent, answered });
    drop(extensions);
    answer
}

fn kept_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let kept = HEADERS.into_iter().filter_map(|name| {
        let value = headers.get(name)?.to_str().ok()?;
        Some((name.to_owned(), value.chars().take(MOST_HEADER).collect()))
    });
    kept.collect()
}

/// What the caller's program calls itself: in a header for that, or as the first product of its
/// user agent.
fn client_name(headers: &BTreeMap<String, String>) -> Option<String> {
    let own = headers.get("x-client-name").cloned();
    let product = || headers.get("user-agent")?.split(['/', ' ']).next().map(str::to_owned);
    own.or_else(product).filter(|name| !name.is_empty())
}

const FILTERS: &[Parameter] = &[
    Parameter::ENTITY,
    Parameter::ENVIRONMENT,
    Parameter::text("path", "Only requests whose path has this in it."),
    Parameter::text("method", "Only requests of this method."),
    Parameter::text("status", "Only answers with `2xx`, `4xx`, `5xx`, or one status."),
    Parameter::text("client_name", "Only requests of the program that calls itself so."),
    Parameter::text("date_from", "Answered on this day, at this instant, or later."),
    Parameter::text("date_to", "Answered on this day, at this instant, or earlier."),
];

/// Routes of the log.
pub(crate) const ROUTES: &[Route] =
    &[Route::get("/request-logs", "listRequestLogs", Gate::Entity(ReadRequests), || web::to(list))
        .about("Request logs", "Lists requests to the entity, the newest first.")
        .explained(
            "Requests that change something, and those that were refused; reads that succeed are \
             not in it. Passwords, tokens and the like are masked, bodies of more than 16 KiB and \
             files are left out. What is left is cut at 4 KiB, and at 2 KiB in answers to what \
             succeeded, which can be read again. Entries are written after the answer: of more \
             than can be written some are lost. The newest 10,000 of an entity are kept for 30 \
             days.",
        )
        .reads(LIST)
        .reads_also(FILTERS)
        .entered_by_query()
        .answers::<ListBody<RequestLogBody>>()];

/// A request to the entity.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RequestLog)]
struct RequestLogBody {
    /// Its id.
    id: String,
    /// The entity.
    entity_id: String,
    /// `X-Request-Id` of the answer.
    request_id: String,
    /// The method.
    method: String,
    /// The path, without the query.
    path: String,
    /// The status of the answer: `201`.
    res_status: String,
    /// The area of the operation: `Invoices`.
    #[schema(required = true)]
    resource_type: Option<String>,
    /// The id of what it was about: that in the path, or that of the answer.
    #[schema(required = true)]
    resource_id: Option<String>,
    /// The operation, as the description calls it: `createInvoice`.
    #[schema(required = true)]
    action: Option<String>,
    /// What the program calls itself: the header `X-Client-Name`, or the first product of
    /// `User-Agent`.
    #[schema(required = true)]
    client_name: Option<String>,
    /// What was sent, masked; as text where it was cut.
    #[schema(required = true)]
    req_body: Option<Json>,
    /// What was answered, masked; as text where it was cut.
    #[schema(required = true)]
    res_body: Option<Json>,
    /// Some of the headers that were sent.
    #[schema(value_type = Object)]
    headers: Map<String, Json>,
    /// When it was answered.
    created_at: String,
    /// The same: an entry does not change.
    updated_at: String,
}

impl Convert<RequestLogBody> for log::RequestLog {
    fn convert(self) -> RequestLogBody {
        // What was cut is no JSON any more.
        let body = |text: String| serde_json::from_str(&text).unwrap_or(Json::String(text));
        let headers = self.headers.into_iter().map(|(name, value)| (name, value.into()));
        RequestLogBody {
            id: self.id.to_string(),
            entity_id: self.entity_id.to_string(),
            request_id: self.request_id,
            method: self.method,
            path: self.path,
            res_status: self.res_status.to_string(),
            resource_type: self.resource_type,
            resource_id: self.resource_id,
            action: self.action,
            client_name: self.client_name,
            req_body: self.req_body.map(body),
            res_body: self.res_body.map(body),
            headers: headers.collect(),
            created_at: self.created_at.convert(),
            updated_at: self.created_at.convert(),
        }
    }
}

async fn list(call: Call, query: Query, own: Data<RequestLog>) -> Result<answer::Page, ApiError> {
    let one = |name| query.one(name).map(|value| value.map(str::to_owned));
    let mut issues = Issues::default();
    let mut at = |name, is_end| {
        let Some(text) = query.one(name)? else { return Ok::<_, ApiError>(None) };
        Ok(issues.collect(name, parse_instant_or_day(text, is_end).map_err(Issues::from)))
    };
    let (from, to) = (at("date_from", false)?, at("date_to", true)?);
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        issues.push(Issue::new("invalid_period", "must not be before date_from").at("date_to"));
    }
    issues.into_result(())?;
    let asked = RequestQuery {
        list: query.list()?,
        path: one("path")?,
        method: one("method")?,
        status: one("status")?,
        client_name: one("client_name")?,
        from,
        to,
    };
    // What was answered before is listed.
    own.written().await;
    let page = call.page(|call| async move {
        Ok::<ListBody<RequestLogBody>, ApiError>(log::list(call.cx(), &asked).await?.convert())
    });
    page.await
}
