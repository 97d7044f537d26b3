//! The application and the server that runs it.

use std::future::Future;
use std::net::TcpListener;
use std::num::NonZero;
use std::pin::Pin;
use std::sync::Arc;

use actix_server::Server;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use actix_web::{App, Error, HttpRequest, HttpResponse, Resource, ResponseError as _, Scope};
use racun_application::Services;

use crate::auth_cache::AuthCache;
use crate::connection::{self, ConnectionLimits, Refusals};
use crate::cors::Origins;
use crate::docs::Descriptions;
use crate::error::{ApiError, Kind};
use crate::frame::Hsts;
use crate::guards::Guards;
use crate::limits::{Network, RateLimiter, RequestLimits, TrustedProxies};
use crate::openapi::{openapi, openapi_3_0};
use crate::prefetch::Prefetch;
use crate::process::Process;
use crate::request_log::RequestLog;
use crate::route::{Route, Verb};
use crate::storage::Reserves;
use crate::{frame, gate, limits, pos, routes};

/// After this, connections that are still open are cut: with the server's own second of grace, the
/// process ends within ten seconds.
const SHUTDOWN_SECONDS: u64 = 8;

/// Threads that a worker may add for what blocks it, such as files.
const BLOCKING_THREADS: usize = 8;

/// What the interface has beside the services of use cases. A clone shares everything with its
/// original.
#[derive(Clone)]
pub struct Http {
    /// How much a request may take.
    pub limits: RequestLimits,
    /// Whose pages may ask, beside the server's own.
    pub origins: Arc<Origins>,
    /// Seconds for which browsers shall come by TLS alone, as `Strict-Transport-Security` says it;
    /// `None` sends nothing. Subdomains may be of other servers, and are not named.
    pub hsts_seconds: Option<u32>,
    /// The proxies whose `X-Forwarded-For` is believed, for all that looks at addresses: limits,
    /// keys bound to addresses, log-ins and events.
    pub trusted_proxies: Arc<[Network]>,
    /// What counts requests; `None` where they are not limited.
    pub rate_limiter: Option<RateLimiter>,
    /// What the operator allows callers.
    pub guards: Guards,
    /// What requests under way reserved of the budgets of their accounts.
    pub reserves: Reserves,
    /// Where requests are noted.
    pub request_log: RequestLog,
    /// The process, and the runtime that use cases run on.
    pub process: Process,
}

impl Http {
    /// Default limits and nothing else in `process`: no other origins, no trusted proxies, requests
    /// that are neither counted nor noted.
    #[must_use]
    pub fn of(process: Process) -> Self {
        Self {
            limits: RequestLimits::default(),
            origins: Arc::default(),
            hsts_seconds: None,
            trusted_proxies: Arc::default(),
            rate_limiter: None,
            guards: Guards::default(),
            reserves: Reserves::default(),
            request_log: RequestLog::off(),
            process,
        }
    }
}

/// How the server runs.
pub struct Options {
    /// How many connections there may be, and how long each may take.
    pub connections: ConnectionLimits,
    /// Threads that serve requests; as many as there are processors when `None`.
    pub workers: Option<usize>,
    /// When this is done, the server lets running requests finish and ends.
    pub stop: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Options {
    /// Default connections and workers, until `stop` is done.
    pub fn until(stop: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { connections: ConnectionLimits::default(), workers: None, stop: Box::pin(stop) }
    }
}

/// Serves `listener` until `options.stop` is done; ends within ten seconds from then, whether
/// clients hang up or not.
///
/// # Errors
/// When the listener cannot be served.
pub async fn run(
    listener: TcpListener,
    services: Services,
    http: Http,
    options: Options,
) -> std::io::Result<()> {
    let Options { connections, workers, stop } = options;
    let builder = Server::build()
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .worker_max_blocking_threads(BLOCKING_THREADS)
        .disable_signals();
    let processors = || std::thread::available_parallelism().map_or(2, NonZero::get);
    let builder = (builder, workers.unwrap_or_else(processors));
    let refusals = Refusals::new(services.clone());
    let application = move || app(services.clone(), http.clone());
    let running = connection::server(builder, listener, connections, refusals, application)?;
    let handle = running.handle();
    tokio::spawn(async move {
        stop.await;
        handle.stop(true).await;
    });
    running.await
}

/// The application: every route behind its gate, and every answer in its frame.
pub fn app(
    services: Services,
    http: Http,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let request_log = http.request_log.into_store(&services.store);
    let descriptions = Descriptions { latest: openapi, three_zero: openapi_3_0 };
    let mut app = App::new();
    if let Some(rate_limiter) = http.rate_limiter {
        app = app.app_data(rate_limiter);
    }
    if let Some(seconds) = http.hsts_seconds {
        app = app.app_data(Hsts { seconds });
    }
    app.app_data(web::Data::new(services))
        .app_data(web::Data::new(http.process))
        .app_data(web::Data::from(http.origins))
        .app_data(http.limits)
        .app_data(TrustedProxies(http.trusted_proxies))
        .app_data(http.guards)
        .app_data(http.reserves)
        .app_data(web::Data::new(request_log))
        .app_data(descriptions)
        .app_data(Prefetch::default())
        .app_data(AuthCache::default())
        .app_data(pos::Tags::default())
        .configure(register)
        .default_service(web::to(no_such_path))
        .wrap(from_fn(frame::frame::<BoxBody>))
        .wrap(from_fn(connection::watch))
}

/// Registers each path once, with the routes of all its methods, below its first segment: a
/// request's path is then matched with the few patterns that begin as it does. The first pattern
/// that matches answers it, so the table's order counts: `/entities/users` comes before
/// `/entities/{id}`.
fn register(config: &mut ServiceConfig) {
    let mut paths: Vec<(&'static str, Vec<&'static Route>)> = Vec::new();
    for route in routes() {
        push(&mut paths, route.path, route);
    }
    let mut firsts: Vec<(&'static str, Vec<Resource>)> = Vec::new();
    for (path, routes) in paths {
        if path == "/" {
            // A scope of it would be one of all paths.
            config.service(resource(path, routes));
            continue;
        }
        let (first, rest) = path.split_at(path[1..].find('/').map_or(path.len(), |end| end + 1));
        push(&mut firsts, first, resource(rest, routes));
    }
    for (first, resources) in firsts {
        let scope = resources.into_iter().fold(web::scope(first), Scope::service);
        config.service(scope);
    }
}

/// Adds `item` to those under `name`.
fn push<T>(groups: &mut Vec<(&'static str, Vec<T>)>, name: &'static str, item: T) {
    match groups.iter_mut().find(|(known, _)| *known == name) {
        Some((_, items)) => items.push(item),
        None => groups.push((name, vec![item])),
    }
}

/// What answers `path`: one of `routes`, or the methods that there are.
fn resource(path: &str, routes: Vec<&'static Route>) -> Resource {
    let allow = allowed(&routes);
    let refuse = move |request: HttpRequest| {
        let answer = match *request.method() {
            Method::OPTIONS => methods(&allow),
            _ => no_such_method(&allow),
        };
        async move { limits::count_stray(&request).await.map(|()| answer) }
    };
    let resource = web::resource(path).default_service(web::to(refuse));
    routes.into_iter().fold(resource, |resource, route| {
        let gate = from_fn(move |request, next| gate::pass(route, request, next));
        resource.route(route.entry().wrap(gate))
    })
}

fn allowed(routes: &[&Route]) -> String {
    let names = routes.iter().flat_map(|route| match route.verb {
        Verb::Get => vec!["GET", "HEAD"],
        verb => vec![verb.name()],
    });
    names.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}

async fn no_such_path(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    limits::count_stray(&request).await?;
    let message = "there is no such path; GET /docs lists all there are";
    Err(ApiError::new(Kind::NotFound, message))
}

/// What `OPTIONS` is answered: which methods the path has.
fn methods(allow: &str) -> HttpResponse {
    HttpResponse::NoContent().insert_header((ALLOW, allow)).finish()
}

fn no_such_method(allow: &str) -> HttpResponse {
    let message = format!("this path answers {allow}");
    let mut answer = ApiError::new(Kind::MethodNotAllowed, message).error_response();
    if let Ok(value) = allow.parse() {
        answer.headers_mut().insert(ALLOW, value);
    }
    answer
}
