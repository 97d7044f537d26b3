//! The gate before every route: who makes the request, where, and whether they may.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderValue;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest};
use futures_util::FutureExt as _;
use futures_util::future::join;
use racun_access::Forbidden::EntityNotAccessible;
use racun_access::{self as access, AccessError, Caller, Entity, Permission};
use racun_application::Services;
use racun_kernel::id::EntityId;
use racun_kernel::{Environment, Scope, Stamp};
use racun_sales::billing;
use racun_store::{Context, Store};

use crate::auth_cache::{AuthCache, AuthKey, Authenticated, is_near};
use crate::billing::features;
use crate::body_limit;
use crate::call::given;
use crate::caller::tenant;
use crate::deprecation::Successor;
use crate::error::{ApiError, Kind};
use crate::header::{bearer_token, single};
use crate::idempotency::{self, Begun, Key};
use crate::limits::{self, AnswerRoom, Counted, Full, RequestLimits};
use crate::paper::wants_page;
use crate::prefetch::Prefetch;
use crate::process::Process;
use crate::rehearsal;
use crate::request::{Query, TakenParts, receive, take_nothing};
use crate::request_log;
use crate::route::{Gate, Parameter, Route, Verb};
use crate::security::{self, SecurityEvent};
use crate::storage;

/// Passes the request on to its handler when `route`'s gate lets it; answers what panics and what
/// takes too long. The answer is noted for the log of requests.
pub(crate) async fn pass(
    route: &'static Route,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let answer = answered(route, request, next).await?;
    limits::count_answer();
    Ok(request_log::note(route, answer))
}

async fn answered(
    route: &'static Route,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    tracing::Span::current().record("route", route.path);
    if let Some(successor) = Successor::of(route) {
        request.extensions_mut().insert(successor);
    }
    let limits = request.app_data::<RequestLimits>().copied().unwrap_or_default();
    let begun = match guarded(limits, begin(route, &mut request)).await.flatten() {
        Ok(begun) => begun,
        Err(error) => return Ok(request.error_response(error)),
    };
    // What was answered before is answered again, whatever is left.
    let is_keyed = matches!(begun, Begun::First(_));
    if is_keyed || matches!(begun, Begun::Plain) {
        let admitted = storage::admit(route, &mut request, is_keyed);
        if let Err(error) = guarded(limits, admitted).await.flatten() {
            return Ok(request.error_response(error));
        }
    }
    rehearsal::prepare(route, &mut request);
    let keyed = match begun {
        Begun::Plain => None,
        Begun::First(keyed) => Some(keyed),
        Begun::Answered(answer, keyed) => {
            return Ok(held(route, request.into_response(keyed.replay(answer))).await);
        }
        Begun::Unanswered(found, keyed) => {
            let answer = idempotency::rebuild(request, keyed, found).await?;
            note(route, &answer);
            return Ok(held(route, answer).await);
        }
    };
    let http = request.request().clone();
    let handled = async {
        match keyed {
            None if route.verb == Verb::Get => put_together(route, request, next).await,
            None => rehearsal::run(route, request, next).await,
            Some(keyed) => keyed.carry_out(request, next).await,
        }
    };
    match guarded(limits, handled).await {
        Ok(Ok(answer)) => {
            note(route, &answer);
            Ok(held(route, answer).await)
        }
        Ok(Err(error)) => Err(error),
        Err(error) => Ok(ServiceResponse::from_err(error, http)),
    }
}

/// Notes the event of a request whose handler has answered: what `route` declares, where it
/// succeeded.
fn note(route: &Route, answer: &ServiceResponse<BoxBody>) {
    if let Some(event) = route.event
        && answer.status().is_success()
    {
        security::note_event(answer.request(), event);
    }
}

/// Runs the handler of `route`, which reads; it is given up when its room goes to another answer.
async fn put_together(
    route: &'static Route,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let room = request.extensions().get::<AnswerRoom>().map(AnswerRoom::dismissed);
    let Some(dismissed) = room else { return rehearsal::run(route, request, next).await };
    let http = request.request().clone();
    tokio::select! {
        answer = rehearsal::run(route, request, next) => answer,
        () = dismissed => {
            let error = limits::no_room_for_answer(Full::Room);
            Ok(ServiceResponse::from_err(error, http))
        }
    }
}

/// The answer with the room that it needs until it is written, or what is sent when there is none.
async fn held(route: &Route, answer: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let BodySize::Sized(bytes) = answer.response().body().size() else { return answer };
    if route.is_fixed {
        return answer;
    }
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let Err(error) = limits::make_room(answer.request(), bytes).await else { return answer };
    let error = match route.verb {
        Verb::Get => error,
        _ => ApiError::new(
            Kind::Unavailable,
            "the request was carried out, and its answer is not sent, for too many large answers \
             are on their way: read what is there instead of sending it again",
        ),
    };
    let (http, _) = answer.into_parts();
    ServiceResponse::from_err(error, http)
}

/// Runs `work`, and answers what panics and what takes too long.
async fn guarded<T>(limits: RequestLimits, work: impl Future<Output = T>) -> Result<T, ApiError> {
    let work = AssertUnwindSafe(work).catch_unwind();
    match tokio::time::timeout(limits.request_time, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(panic)) => Err(ApiError::internal(panic_message(panic.as_ref()))),
        Err(_) => {
            let seconds = limits.request_time.as_secs();
            let message = format!(
                "no answer within {seconds} seconds; a change may still be made, so look before \
                 you send it again"
            );
            Err(ApiError::new(Kind::Unavailable, message).retry_after(1))
        }
    }
}

/// Lets the request in, and finds out whether it was made before.
async fn begin(route: &'static Route, request: &mut ServiceRequest) -> Result<Begun, ApiError> {
    let key = Key::of(route, request.headers());
    admit(route, request, key.as_ref().ok().and_then(Option::as_ref)).await?;
    if !(route.shows_page && wants_page(request.headers())) {
        Query::parse(request.query_string()).check(route)?;
    }
    body_limit::check_length(route, request)?;
    let key = key?;
    if route.is_heavy() {
        limits::count_heavy(request.request()).await?;
        if route.verb == Verb::Get {
            let room = AnswerRoom::take(route, request.request()).await?;
            request.extensions_mut().insert(room);
        }
    }
    if route.takes_form {
        let form = receive(route, request, key.is_some()).await?;
        let mut extensions = request.extensions_mut();
        extensions.insert(TakenParts(route));
        if let Some(form) = form {
            extensions.insert(form);
        }
    }
    if route.takes_nothing() {
        take_nothing(request, key.is_some()).await?;
    }
    match key {
        Some(key) => idempotency::begin(route, request, key).await,
        None => Ok(Begun::Plain),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

/// Leaves who, where and how far in the request's extensions, for the handler to take.
async fn admit(route: &Route, request: &ServiceRequest, key: Option<&Key>) -> Result<(), ApiError> {
    let http = request.request();
    if route.gate == Gate::Open {
        return limits::count_open(route, http).await;
    }
    let services = given::<Services>(http)?;
    let prefetch = request
        .app_data::<Prefetch>()
        .ok_or_else(|| ApiError::internal("the application has no prefetch"))?;
    let token = match bearer_token(request.headers()) {
        Ok(token) => token,
        Err(refused) => {
            limits::count_open(route, http).await?;
            return Err(refused);
        }
    };
    let stamp = services.stamp();
    let store = &*services.store;
    if is_near(store) {
        return admit_near(route, request, token, store, &stamp).await;
    }
    let named = match route.gate {
        Gate::EntityInPath(_) => Some(request.match_info().query("id").as_bytes()),
        _ => request.headers().get("x-entity-id").map(HeaderValue::as_bytes),
    };
    let sort = prefetch.sort(token, named);
    // A token that was good a moment ago is counted as a good one while it is looked at.
    let counting = async {
        match prefetch.knows(sort) {
            true => Some(limits::count(http, route.rate, Counted::Token(token)).await),
            false => None,
        }
    };
    let (seen, counted) = join(prefetch.look(sort, key, store), counting).await;
    let caller = access::authenticate(&seen, token, &stamp).await;
    let caller = count(route, request, token, caller, counted).await?;
    enter(route, request, caller, &seen, &stamp).await?;
    if let Some(key) = key {
        idempotency::look(http, key, &seen).await?;
    }
    prefetch.remember(sort, tenant(http), seen);
    Ok(())
}

/// Lets in by the cache: where the same key entered before, while nothing of that changed.
async fn admit_near(
    route: &Route,
    request: &ServiceRequest,
    token: &str,
    store: &dyn Store,
    stamp: &Stamp,
) -> Result<(), ApiError> {
    let cache = request
        .app_data::<AuthCache>()
        .ok_or_else(|| ApiError::internal("the application has no cache of keys"))?;
    let auth_key = match route.gate {
        // What is known of a key is where its header leads.
        Gate::Entity(permission) if !route.is_entered_by_query => {
            AuthKey::of(token, request.headers()).zip(Some(permission))
        }
        _ => None,
    };
    let known = auth_key
        .as_ref()
        .and_then(|(key, permission)| cache.find(key, store, stamp).zip(Some(*permission)));
    if let Some((Authenticated { caller, scope, entity }, permission)) = known {
        let caller = count(route, request, token, Ok(caller), None).await?;
        request.extensions_mut().insert(caller);
        let_in(route, request, permission, (scope, entity), store, stamp).await?;
        return Ok(());
    }
    let caller = access::authenticate(store, token, stamp).await;
    let caller = count(route, request, token, caller, None).await?;
    enter(route, request, caller.clone(), store, stamp).await?;
    if let Some((auth_key, _)) = auth_key {
        cache.learn(auth_key, token, &caller, store, stamp).await;
    }
    Ok(())
}

/// Counts the request for its token when that is good, unless it was `counted` so already, and
/// otherwise as anonymous.
async fn count(
    route: &Route,
    request: &ServiceRequest,
    token: &str,
    caller: Result<Caller, AccessError>,
    counted: Option<Result<(), ApiError>>,
) -> Result<Caller, ApiError> {
    let http = request.request();
    match (&caller, counted) {
        (Ok(_), Some(counted)) => counted?,
        (Ok(_), None) => limits::count(http, route.rate, Counted::Token(token)).await?,
        (Err(_), _) => limits::count_open(route, http).await?,
    }
    let caller = caller?;
    caller.check_address(limits::client_of(http)).map_err(AccessError::from)?;
    note_use(http, &caller);
    Ok(caller)
}

/// Notes that what the caller is logged in with is used, beside the request, which does not wait
/// for that.
fn note_use(request: &HttpRequest, caller: &Caller) {
    let (Ok(services), Ok(process)) = (given::<Services>(request), given::<Process>(request))
    else {
        return;
    };
    let stamp = services.stamp();
    if !access::is_use_news(caller, stamp.now()) {
        return;
    }
    let (store, caller) = (Arc::clone(&services.store), caller.clone());
    process.runtime.spawn(async move {
        if let Err(error) = access::note_use(&*store, &caller, &stamp).await {
            tracing::debug!(%error, "a use of a session or key was not noted");
        }
    });
}

/// Finds out where the caller makes the request, by what `store` holds.
async fn enter(
    route: &Route,
    request: &ServiceRequest,
    caller: Caller,
    store: &dyn Store,
    stamp: &Stamp,
) -> Result<(), ApiError> {
    // Also for the log, which says who was refused.
    request.extensions_mut().insert(caller.clone());
    match route.gate {
        Gate::Open | Gate::SignedIn => {}
        Gate::Account => {
            let account = single(request.headers(), "x-account-id")?;
            let scope = access::enter_account(store, &caller, account).await?;
            request.extensions_mut().insert(scope);
        }
        Gate::Entity(permission) => {
            let (named, environment) = named_place(route, request)?;
            let place = access::enter_in(store, &caller, named.as_deref(), environment).await?;
            let_in(route, request, permission, place, store, stamp).await?;
        }
        Gate::EntityInPath(permission) => {
            let named = request.match_info().query("id");
            let place = access::open_entity(store, &caller, named).await;
            let place = place.map_err(|error| match error {
                AccessError::NotFound { .. } if named.parse::<EntityId>().is_err() => {
                    ApiError::no_such("entity", named)
                }
                error @ AccessError::NotFound { .. } => {
                    ApiError::from(error).seen_as(SecurityEvent::ForeignRefused)
                }
                error => error.into(),
            })?;
            let_in(route, request, permission, place, store, stamp).await?;
        }
    }
    Ok(())
}

/// The entity and the environment that the request names: by its header, or by its query where
/// `route` is entered so. Two names of one entity agree.
fn named_place(
    route: &Route,
    request: &ServiceRequest,
) -> Result<(Option<String>, Option<Environment>), ApiError> {
    let named = single(request.headers(), "x-entity-id")?.map(str::to_owned);
    if !route.is_entered_by_query {
        return Ok((named, None));
    }
    let query = Query::parse(request.query_string());
    let asked = query.one(Parameter::ENTITY.name)?.map(str::to_owned);
    if named.as_ref().zip(asked.as_ref()).is_some_and(|(named, asked)| named != asked) {
        return Err(AccessError::from(EntityNotAccessible).into());
    }
    Ok((named.or(asked), query.environment()?))
}

/// Leaves scope and entity for the handler, when both the role there and the entity's plan allow
/// the request.
async fn let_in(
    route: &Route,
    request: &ServiceRequest,
    permission: Permission,
    (scope, entity): (Scope, Entity),
    store: &dyn Store,
    stamp: &Stamp,
) -> Result<(), ApiError> {
    access::authorize(&scope, &entity, permission)?;
    offer(route, &scope, &entity, store, stamp).await?;
    let mut extensions = request.extensions_mut();
    extensions.insert(scope);
    extensions.insert(entity);
    Ok(())
}

/// Accepts the request when the entity's plan has what `route` needs. An entity without a
/// subscription costs nothing.
async fn offer(
    route: &Route,
    scope: &Scope,
    entity: &Entity,
    store: &dyn Store,
    stamp: &Stamp,
) -> Result<(), ApiError> {
    if !entity.is_subscribed {
        return Ok(());
    }
    let needed = features::needed(route, scope.principal());
    Ok(billing::require(Context::new(store, scope, stamp), entity, &needed).await?)
}
