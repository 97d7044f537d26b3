//! `/metrics` in the text of Prometheus, and `/health`, on an address of their own: every program
//! that reaches that address may read them.
//!
//! They are served by a thread with a runtime of its own, so they are answered even while the
//! threads that serve requests are busy.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus::TextEncoder;
use racun_application::Services;
use racun_http_api::Process;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot};

/// Connections at once: a collector or two, and a person.
const CONNECTIONS: usize = 16;
/// How long a connection may last; a collector that asks again makes another one.
const LIFETIME: Duration = Duration::from_secs(10);

/// The text of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is served until this is dropped.
pub struct Served {
    /// Dropped, it ends the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    #[cfg(test)]
    address: SocketAddr,
}

impl Served {
    /// Where it is served.
    #[cfg(test)]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of that thread has been reported where it happened.
            let _ = thread.join();
        }
    }
}

/// Serves what was measured, and how `services` and `process` are, at `address`, when there is one.
///
/// # Errors
/// When the address is not ours or in use.
pub fn serve(
    address: Option<SocketAddr>,
    services: &Services,
    process: &Process,
) -> anyhow::Result<Option<Served>> {
    let Some(address) = address else { return Ok(None) };
    let unusable = || format!("{address} (RACUN__METRICS__LISTEN) cannot be listened on");
    let listener = std::net::TcpListener::bind(address).with_context(unusable)?;
    listener.set_nonblocking(true).with_context(unusable)?;
    let address = listener.local_addr().with_context(unusable)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (stop, stopped) = oneshot::channel();
    let health = (services.clone(), process.clone());
    let work = async move {
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return tracing::error!(%error, "metrics and health are not served"),
        };
        tokio::select! {
            () = accept(listener, health) => {}
            // Sent, or dropped.
            _ = stopped => {}
        }
    };
    let thread = std::thread::Builder::new().name("racun-management".to_owned());
    let thread = thread.spawn(move || runtime.block_on(work))?;
    tracing::info!(metrics = %address, "metrics are at http://{address}/metrics, and health at \
                                        /health, /health/live and /health/ready there");
    Ok(Some(Served {
        stop: Some(stop),
        thread: Some(thread),
        #[cfg(test)]
        address,
    }))
}

/// What answers for the health of a process.
type Health = (Services, Process);

async fn accept(listener: TcpListener, health: Health) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // Never closed, so there is a place at last.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let health = health.clone();
                tokio::spawn(async move {
                    // A reader that is slow or silent loses its connection.
                    let _ = tokio::time::timeout(LIFETIME, talk(stream, &health)).await;
                    drop(place);
                });
            }
            // Such as a lack of descriptors, which passes.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn talk(stream: TcpStream, health: &Health) {
    let answer =
        service_fn(
            move |request| async move { Ok::<_, Infallible>(answer(&request, health).await) },
        );
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).keep_alive(false);
    // What a reader does wrong is its own affair.
    let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
}

async fn answer(request: &Request<Incoming>, (services, process): &Health) -> Response<String> {
    let path = request.uri().path();
    let health = match *request.method() {
        Method::GET => racun_http_api::health_at(services, process, path).await,
        _ => None,
    };
    let (status, kind, text) = match (request.method(), path, health) {
        (_, _, Some((status, text))) => {
            (StatusCode::from_u16(status).unwrap_or_default(), "application/json", text)
        }
        (&Method::GET, "/metrics", _) => match TextEncoder::new().encode_to_string(&gathered()) {
            Ok(text) => (StatusCode::OK, TEXT, text),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, "text/plain", error.to_string()),
        },
        _ => (StatusCode::NOT_FOUND, "text/plain", "GET /metrics or /health\n".to_owned()),
    };
    let mut response = Response::new(text);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}

fn gathered() -> Vec<prometheus::proto::MetricFamily> {
    prometheus::default_registry().gather()
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream as Socket;
    use std::sync::{Condvar, Mutex};

    use racun_fiscal::Retry;
    use racun_http_api::{Http, Options};

    use super::*;
    use crate::settings::Settings;
    use crate::{authorities, clock, gateways, serve as serving, store};

    /// A clock whose readers wait until it goes on.
    #[derive(Default)]
    struct Stopped {
        /// How many wait, and whether it goes on.
        state: Mutex<(usize, bool)>,
        changed: Condvar,
    }

    impl Stopped {
        fn wait(&self) {
            let mut state = self.state.lock().unwrap();
            state.0 += 1;
            self.changed.notify_all();
            drop(self.changed.wait_while(state, |state| !state.1).unwrap());
        }

        fn wait_for(&self, count: usize) {
            let state = self.state.lock().unwrap();
            drop(self.changed.wait_while(state, |state| state.0 < count).unwrap());
        }

        fn go_on(&self) {
            self.state.lock().unwrap().1 = true;
            self.changed.notify_all();
        }
    }

    fn ask(address: SocketAddr, path: &str) -> Socket {
        let mut socket = Socket::connect(address).unwrap();
        write!(socket, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        socket
    }

    fn answer(mut socket: Socket) -> String {
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        text
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn health_is_answered_while_all_threads_that_serve_are_blocked() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        settings.database.dir = folder.path().to_owned();
        let opened = store::open(&settings).await.unwrap();
        let keys = store::keys(&settings, &opened).await.unwrap();
        let authorities = authorities::connect(&settings).unwrap();
        let gateways = gateways::connect(&settings).unwrap();
        let retry = Retry { initial: LIFETIME, max: LIFETIME };
        let services = serving::services(opened.store, authorities, gateways, keys, retry).unwrap();
        let stopped = Arc::<Stopped>::default();
        let waiting = Arc::clone(&stopped);
        let clock = move || {
            waiting.wait();
            clock::now()
        };
        let served = Services { clock: Arc::new(clock), ..services.clone() };
        let (listener, address) = serving::listen(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let (stop, until) = oneshot::channel::<()>();
        let until = async move { drop(until.await) };
        let process = serving::process();
        let http = Http::of(process.clone());
        let options = Options { workers: Some(2), ..Options::until(until) };
        let server = tokio::spawn(racun_http_api::run(listener, served, http, options));
        let here = SocketAddr::from(([127, 0, 0, 1], 0));
        let management = serve(Some(here), &services, &process).unwrap().unwrap();

        let told = tokio::task::spawn_blocking(move || {
            // Each worker takes one of them, and waits for the clock to give the request a name.
            let blocked: Vec<_> = (0..2).map(|_| ask(address, "/health/live")).collect();
            stopped.wait_for(2);
            let told = ["/health/live", "/health/ready", "/health", "/nope"]
                .map(|path| answer(ask(management.address(), path)));
            stopped.go_on();
            let late: Vec<_> = blocked.into_iter().map(answer).collect();
            drop(management);
            (told, late)
        });
        let (told, late) = told.await.unwrap();
        for (told, status) in told.iter().zip([200, 200, 200, 404]) {
            assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{told}");
        }
        assert!(told[1].contains(r#""database":"ok""#), "{}", told[1]);
        assert!(told[2].contains("uptime_seconds"), "{}", told[2]);
        assert!(late.iter().all(|late| late.starts_with("HTTP/1.1 200")), "{late:?}");
        drop(stop);
        server.await.unwrap().unwrap();
    }
}
