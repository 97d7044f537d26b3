//! The server, put together as actix-web's own is, but on [`Stream`]s.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::body::MessageBody;
use actix_http::error::DispatchError;
use actix_http::{HttpService, Request, Response};
use actix_server::{Server, ServerBuilder};
use actix_service::{IntoServiceFactory, Service, ServiceFactory, ServiceFactoryExt as _};
use actix_service::{fn_service, map_config};
use actix_web::Error;
use actix_web::dev::AppConfig;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::ConnectionLimits;
use super::progress::Progress;
use super::refusal::Refusals;
use super::registry::Registry;
use super::stream::Stream;

/// Connections that may wait to be accepted; the system may allow fewer.
const BACKLOG: i32 = 4_096;

/// How long writing the answer to a connection too many may take.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// A server of `listener` whose `workers` each run an application of their own.
///
/// # Errors
/// When the listener cannot be served.
pub(crate) fn server<F, A, S, B>(
    (builder, workers): (ServerBuilder, usize),
    listener: TcpListener,
    limits: ConnectionLimits,
    refusals: Refusals,
    application: F,
) -> std::io::Result<Server>
where
    F: Fn() -> A + Clone + Send + 'static,
    A: IntoServiceFactory<S, Request> + 'static,
    S: ServiceFactory<Request, Config = AppConfig> + 'static,
    S::Error: Into<Error> + 'static,
    S::InitError: std::fmt::Debug,
    S::Response: Into<Response<B>> + 'static,
    <S::Service as Service<Request>>::Future: 'static,
    S::Service: 'static,
    B: MessageBody + 'static,
{
    rustix::net::listen(&listener, BACKLOG)?;
    let stopping = builder.graceful_shutdown_signal();
    let registry = Registry::new(limits.clone());
    // Beyond its limit, which is of each worker, actix accepts nothing; the registry makes room
    // before.
    let sockets = limits.total.saturating_add(limits.passing);
    let builder =
        builder.workers(workers).max_concurrent_connections((sockets / workers.max(1)).max(1));
    let listening = builder.listen("racun", listener, move || {
        let stopping = stopping.clone();
        let http = HttpService::<Stream, _, _>::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .keep_alive(limits.keep_alive)
            .client_request_timeout(limits.head_time)
            .client_disconnect_timeout(limits.drain_time)
            .on_connect_ext(|stream: &Stream, data| {
                data.insert(stream.progress());
            });
        let application =
            application().into_factory().map_err(|error| error.into().error_response());
        let http = http.h1(map_config(application, |()| AppConfig::default()));
        let (registry, limits, refusals) =
            (Arc::clone(&registry), limits.clone(), Rc::new(refusals.clone()));
        fn_service(move |socket: TcpStream| {
            let peer = socket.peer_addr().ok();
            let entered = enter(&registry, &limits, &refusals, socket, peer);
            let refusals = Rc::clone(&refusals);
            async move {
                match entered {
                    Ok(entered) => Ok(entered),
                    Err(mut socket) => {
                        // It has just been opened, so there is room for a few bytes.
                        let refusal = refusals.crowded(peer);
                        let told = socket.write_all(&refusal);
                        let _ = tokio::time::timeout(REFUSAL_TIME, told).await;
                        Err(DispatchError::InternalError)
                    }
                }
            }
        })
        .and_then(http)
    })?;
    Ok(listening.run())
}

/// The stream of `socket`, when there is a place for it; otherwise `socket`.
fn enter(
    registry: &Arc<Registry>,
    limits: &ConnectionLimits,
    refusals: &Rc<Refusals>,
    socket: TcpStream,
    peer: Option<SocketAddr>,
) -> Result<(Stream, Option<SocketAddr>), TcpStream> {
    let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    let Some(place) = registry.enter(address) else { return Err(socket) };
    let progress = Progress::new(Arc::clone(&place.handle), limits.head_time, limits.write_time);
    let refusals = (Rc::clone(refusals), limits.drain_time);
    Ok((Stream::new(socket, peer, progress, place, refusals), peer))
}
