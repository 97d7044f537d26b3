//! A request with a key is carried out once, however often it is sent.
//!
//! `application::idempotency` stores the key in the commit of the effect; here is what belongs to
//! HTTP. A keyed request is taken in whole (a form on disk), waits for its twins in this process,
//! and looks for its key. If that is there, it is answered what is stored. If not, its handler is
//! given a store that stores the key with the first effect, and its answer is stored before it is
//! sent. Where a process died between the two, the answer is rebuilt from what the effect made
//! (`rebuild`).
//!
//! Kept is every answer of a handler that says something of the request, also a refusal that
//! changed nothing: a copy of it is answered the same. Not kept is an error that says of itself
//! that the request is to be sent again ([`ApiError::asks_again`]: 5xx, 429, whatever bears
//! `Retry-After`, a concurrent edit), and what the gate or the key itself refuses,
//! for which no handler ran.
//!
//! | Module    | Owns                                                         |
//! | --------- | ------------------------------------------------------------ |
//! | `key`     | the key, and what tells a request from another               |
//! | `turn`    | requests of one key take turns within a process              |
//! | `keep`    | answers as they are stored, and given again                  |
//! | `rebuild` | the answer of a request whose process died before it had one |

mod keep;
mod key;
mod rebuild;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use actix_web::body::BoxBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage as _, HttpRequest, rt};
use futures_util::StreamExt as _;
use futures_util::stream::once;
use racun_access::Caller;
use racun_application::Services;
use racun_background::idempotency::{
    AnswerTo, KEYED_REQUESTS, KeptAnswer, KeyStatus, KeyedRequest, Once, Passed,
};
use racun_kernel::Scope;
use racun_store::Store;
use tracing::Instrument as _;

pub(crate) use keep::ReplayedRefusal;
pub(crate) use key::Key;
pub(crate) use rebuild::rebuild;

use crate::auth_cache::is_near;
use crate::call::{give, given};
use crate::caller::{account, tenant};
use crate::error::{ApiError, Kind, OwnCode};
use crate::rehearsal;
use crate::request::{Spooled, read_whole};
use crate::route::{Gate, Route};
use keep::Kept;
use key::RequestIdentity;
use turn::Turn;

/// From the beginning of a request until a twin stops waiting for another process to answer it:
/// its effect is committed, so only rendering is left, and what a tax authority takes.
const LEASE: Duration = Duration::from_secs(10);
/// How long a twin waits for the answer of another process before it is asked to retry.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it looks.
const PAUSE: Duration = Duration::from_millis(100);

/// What is stored under the key of a request, as the gate found it.
pub(crate) struct Held(pub Option<KeyedRequest>);

/// What there is to do about a request that passed the gate.
pub(crate) enum Begun {
    /// It has no key.
    Plain,
    /// It is the first of its key.
    First(Keyed),
    /// It was answered so.
    Answered(KeptAnswer, Keyed),
    /// Its effect is there without an answer.
    Unanswered(KeyedRequest, Keyed),
}

/// A request with a key, while it is at work.
pub(crate) struct Keyed {
    route: &'static Route,
    request: KeyedRequest,
    services: Data<Services>,
    once: Arc<Once>,
    _turn: Turn,
}

/// Leaves what `store` holds under `key` in the request's extensions.
///
/// # Errors
/// When the store fails.
pub(crate) async fn look(
    request: &HttpRequest,
    key: &Key,
    store: &dyn Store,
) -> Result<(), ApiError> {
    let Some(tenant) = tenant(request) else { return Ok(()) };
    let held = store.get(&KEYED_REQUESTS, &tenant, key.as_str()).await?;
    request.extensions_mut().insert(Held(held));
    Ok(())
}

/// Finds out what there is to do about a request with `key`, which passed the gate of `route`.
///
/// # Errors
/// When the key names another request, or one that another worker is still processing; when the
/// body cannot be read; when the store fails.
pub(crate) async fn begin(
    route: &'static Route,
    request: &mut ServiceRequest,
    key: Key,
) -> Result<Begun, ApiError> {
    let services: Data<Services> = given(request.request())?;
    let account = account(request.request());
    let account = account.ok_or_else(|| ApiError::internal("a keyed request has no account"))?;
    let fingerprint = match route.takes_form {
        true => {
            let print = request.extensions().get::<Spooled>().and_then(|form| form.print.clone());
            fingerprint(route, request, print.unwrap_or_default().as_bytes())
        }
        false => {
            let body = read_whole(request).await?;
            let fingerprint = fingerprint(route, request, &body);
            let whole = once(std::future::ready(Ok(body))).boxed_local();
            request.set_payload(Payload::Stream { payload: whole });
            fingerprint
        }
    };
    let now = services.stamp().now();
    let turn = turn::take(account, &key).await.ok_or_else(in_progress)?;
    let wanted = KeyedRequest::new(account, key.as_str().to_owned(), fingerprint, now);
    let seen = request.extensions_mut().remove::<Held>().filter(|_| !turn.waited);
    let held = match seen {
        Some(Held(held)) => held,
        None => wanted.find(&*services.store).await?,
    };
    let once = Arc::new(Once::new(Arc::clone(&services.store), wanted.clone()));
    let keyed = Keyed { route, request: wanted, services, once, _turn: turn };
    match keyed.status(held).await? {
        KeyStatus::New => {
            keyed.give_store(request);
            Ok(Begun::First(keyed))
        }
        KeyStatus::Conflict => Err(conflict()),
        KeyStatus::Answered(answer) => Ok(Begun::Answered(answer, keyed)),
        KeyStatus::Unanswered(held) => Ok(Begun::Unanswered(held, keyed)),
    }
}

fn fingerprint(route: &Route, request: &ServiceRequest, body: &[u8]) -> String {
    let extensions = request.extensions();
    let scope = extensions.get::<Scope>();
    let caller = extensions.get::<Caller>().map(Caller::principal);
    let place = scope.map(|scope| scope.entity().to_string()).unwrap_or_default();
    // An answer that is shown once, or is about the caller, is for no other user of the account.
    let is_own = route.shows_secret || route.gate == Gate::SignedIn;
    let identity = RequestIdentity {
        method: request.method(),
        uri: request.uri(),
        place: &place,
        principal: caller.filter(|_| is_own),
        body,
    };
    identity.fingerprint()
}

fn conflict() -> ApiError {
    let message = "this key names another request: with another method, path, entity or body; \
                   choose a new key for a new request";
    ApiError::new(Kind::Conflict, message).coded(OwnCode::IdempotencyConflict)
}

fn in_progress() -> ApiError {
    let message = "the first request with this key is still at work; send it again in a moment";
    ApiError::new(Kind::Conflict, message).coded(OwnCode::RequestInProgress).retry_after(1)
}

impl Keyed {
    /// What `held` says about the request. Where other processes work too, their answers are waited
    /// for.
    async fn status(&self, mut held: Option<KeyedRequest>) -> Result<KeyStatus, ApiError> {
        let (store, began) = (&*self.services.store, (self.services.clock)());
        loop {
            let status = self.request.judge(held);
            let KeyStatus::Unanswered(unanswered) = &status else { return Ok(status) };
            let now = (self.services.clock)();
            // When this process is the only one, no worker holds this key: the one that did has
            // died.
            if is_near(store) || now - unanswered.created_at >= LEASE {
                return Ok(status);
            }
            if now - began >= PATIENCE {
                return Err(in_progress());
            }
            tokio::time::sleep(PAUSE).await;
            held = self.request.find(store).await?;
        }
    }

    /// Gives the handler a store that stores the key with the first effect.
    fn give_store(&self, request: &mut ServiceRequest) {
        give(self.services.with(Arc::<Once>::clone(&self.once)), request);
    }

    /// Runs the handler and keeps its answer, also when the client hangs up.
    pub(crate) async fn carry_out(
        self,
        request: ServiceRequest,
        next: Next<BoxBody>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let work = async move {
            let answer = rehearsal::run(self.route, request, next).await?;
            self.settle(answer).await
        };
        match rt::spawn(work.in_current_span()).await {
            Ok(answer) => answer,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(ended) => Err(ApiError::unavailable(ended).into()),
            },
        }
    }

    /// What is sent for what the handler answered.
    async fn settle(
        self,
        answer: ServiceResponse<BoxBody>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let passed = self.once.passed();
        let to = match passed {
            Passed::Twin => return self.settle_twin(answer, passed).await,
            Passed::Effect => AnswerTo::Effect,
            Passed::Nothing => AnswerTo::Nothing,
        };
        if asks_again(&answer) {
            return match to {
                AnswerTo::Effect => Ok(answer),
                // Whatever the refusal was of, a twin in another process may have caused it.
                AnswerTo::Nothing => self.settle_twin(answer, passed).await,
            };
        }
        let (http, response) = answer.into_parts();
        match self.keep(response, to).await? {
            Kept::Sent(answer) => Ok(ServiceResponse::new(http, answer)),
            Kept::Taken(answer) => {
                self.settle_twin(ServiceResponse::new(http, answer), passed).await
            }
        }
    }

    /// What is sent when a twin may have carried the request out.
    async fn settle_twin(
        self,
        answer: ServiceResponse<BoxBody>,
        passed: Passed,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let held = match self.request.find(&*self.services.store).await {
            Ok(held) => held,
            Err(_) if passed == Passed::Nothing => return Ok(answer),
            Err(error) => return Ok(refuse(answer, error.into())),
        };
        Ok(match self.status(held).await {
            Ok(KeyStatus::Answered(kept)) => {
                let (http, _) = answer.into_parts();
                ServiceResponse::new(http, self.replay(kept))
            }
            Ok(KeyStatus::Conflict) => refuse(answer, conflict()),
            Ok(KeyStatus::New) if passed == Passed::Nothing => answer,
            // A key without an answer yet gets one when the caller sends the request again.
            Ok(KeyStatus::New | KeyStatus::Unanswered(_)) => refuse(answer, in_progress()),
            Err(error) => refuse(answer, error),
        })
    }
}

/// Whether `answer` says that the request is to be sent again, and so is none to give again.
fn asks_again(answer: &ServiceResponse<BoxBody>) -> bool {
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    error.map_or_else(|| answer.status().is_server_error(), ApiError::asks_again)
}

/// `error` in the place of `answer`.
fn refuse(answer: ServiceResponse<BoxBody>, error: ApiError) -> ServiceResponse<BoxBody> {
    let (http, _) = answer.into_parts();
    ServiceResponse::from_err(error, http)
}
