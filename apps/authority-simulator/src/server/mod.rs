//! Serves one authority: takes connections, reads requests, and delivers answers, or faults instead
//! of them.

mod body;
mod wire;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::authority::SimulatedAuthority;
use crate::fault::{Fault, Page, Twist};
use crate::state::{Asked, HttpReply, State};
use crate::{at, fina, furs};
pub use body::Body;
use body::Piece;
use wire::{Abort, Wire};

/// Bytes of a request.
const LONGEST_REQUEST: usize = 10_000_000;

/// How long a connection may take for its greeting, and for the head of a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// An authority at an address.
pub struct Server {
    pub state: Arc<State>,
    pub authority: SimulatedAuthority,
    /// TLS as it should be.
    pub tls: Arc<ServerConfig>,
    /// TLS with a certificate of another issuer.
    pub wrong_tls: Arc<ServerConfig>,
}

impl Server {
    /// Serves until it is aborted. While connections are to be refused, the port is bound but not
    /// listened on.
    pub async fn run(self: Arc<Self>, mut listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            let refused = self.state.faults.until(self.authority, true);
            tokio::select! {
                () = refused => {
                    connections.shutdown().await;
                    listener = self.refuse(listener).await;
                }
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => {
                    if let Ok((stream, _)) = accepted {
                        connections.spawn(Arc::clone(&self).connection(stream));
                    }
                }
            }
        }
    }

    /// Stops listening until connections are no longer to be refused.
    async fn refuse(&self, listener: TcpListener) -> TcpListener {
        let address = listener.local_addr();
        drop(listener);
        loop {
            let held = address.as_ref().ok().and_then(|address| bind(*address).ok());
            self.state.faults.until(self.authority, false).await;
            match held.and_then(|held| held.listen(1_024).ok()) {
                Some(listener) => return listener,
                // Another process took the port first.
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    async fn connection(self: Arc<Self>, stream: TcpStream) {
        let fault = self.state.faults.of_connection(self.authority);
        let tls = match fault {
            Some(Fault::Reset) => {
                drop(Wire::new(stream, Abort::raised()));
                return;
            }
            Some(Fault::Stall) => return std::future::pending().await,
            Some(Fault::TlsFailure) => {
                // An HTTP answer in plain text where a TLS greeting should be.
                let _ = stream.writable().await;
                let _ = stream.try_write(b"HTTP/1.1 400 Bad Request\r\n\r\n");
                return;
            }
            Some(Fault::WrongCertificate) => &self.wrong_tls,
            _ => &self.tls,
        };
        let _ = stream.set_nodelay(true);
        let abort = Abort::default();
        let wire = Wire::new(stream, abort.clone());
        let greeting = TlsAcceptor::from(Arc::clone(tls)).accept(wire);
        let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, greeting).await else { return };
        let certificate = stream.get_ref().1.peer_certificates();
        let certificate = certificate.and_then(|chain| chain.first()).map(|leaf| leaf.to_vec());
        let service =
            service_fn(|request| self.respond(request, certificate.clone(), abort.clone()));
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .serve_connection(TokioIo::new(stream), service);
        tokio::select! {
            _ = served => {}
            () = abort.wait() => {}
        }
    }

    async fn respond(
        &self,
        request: Request<Incoming>,
        certificate: Option<Vec<u8>>,
        abort: Abort,
    ) -> Result<Response<Body>, Infallible> {
        let header = |name: HeaderName| {
            let value = request.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let mut asked = Asked {
            method: request.method().to_string(),
            path: request.uri().path().to_owned(),
            content_type: header(CONTENT_TYPE),
            soap_action: header(HeaderName::from_static("soapaction")),
            body: Vec::new(),
            certificate,
        };
        match Limited::new(request.into_body(), LONGEST_REQUEST).collect().await {
            Ok(body) => asked.body = body.to_bytes().to_vec(),
            Err(error) if error.is::<LengthLimitError>() => {
                return Ok(whole(HttpReply::text(413, "The request is too long.")));
            }
            Err(_) => return Ok(whole(HttpReply::text(400, "The request is not whole."))),
        }
        Ok(self.deliver(asked, abort).await)
    }

    async fn deliver(&self, asked: Asked, abort: Abort) -> Response<Body> {
        let operation = match self.authority {
            SimulatedAuthority::Furs => furs::operation(&asked),
            SimulatedAuthority::Fina => fina::operation(&asked),
            SimulatedAuthority::At => at::operation(&asked),
        };
        let fault = self.state.faults.of_request(self.authority, operation);
        tokio::time::sleep(self.state.delay()).await;
        match &fault {
            Some(Fault::Hang) => return std::future::pending().await,
            Some(Fault::ResetAfterRead) => return abort.reset().await,
            Some(Fault::Page(page)) => return whole(page_of(*page, &asked.path)),
            _ => {}
        }
        let answer = self.answer(&asked, fault.as_ref());
        match fault {
            Some(Fault::LoseAnswer) => abort.close().await,
            Some(Fault::Delay(ms)) => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                whole(answer)
            }
            Some(Fault::Drip(ms)) => {
                let pause = Duration::from_millis(ms);
                let drops = answer
                    .body
                    .iter()
                    .flat_map(|byte| [Piece::Bytes(vec![*byte]), Piece::Pause(pause)]);
                let length = answer.body.len();
                pieces(&answer, Some(length), drops.collect())
            }
            Some(Fault::Cut(bytes)) => {
                let start = answer.body.iter().copied().take(bytes).collect();
                let rest = vec![Piece::Bytes(start), Piece::Break];
                pieces(&answer, Some(answer.body.len()), rest)
            }
            Some(Fault::WrongLength) => {
                let rest = vec![Piece::Bytes(answer.body.clone()), Piece::Break];
                pieces(&answer, Some(answer.body.len() + 100), rest)
            }
            Some(Fault::Endless) => {
                let rest = vec![Piece::Bytes(answer.body.clone()), Piece::Never];
                pieces(&answer, None, rest)
            }
            Some(Fault::Huge(bytes)) => whole(padded(answer, bytes)),
            Some(Fault::Twist(twist)) => whole(disfigured(answer, twist)),
            _ => whole(answer),
        }
    }

    fn answer(&self, asked: &Asked, fault: Option<&Fault>) -> HttpReply {
        if asked.method != "POST" {
            return HttpReply::text(405, "Only POST is answered.");
        }
        match self.authority {
            SimulatedAuthority::Furs => furs::answer(&self.state, asked, fault),
            SimulatedAuthority::Fina => fina::answer(&self.state, asked, fault),
            SimulatedAuthority::At => at::answer(&self.state, asked, fault),
        }
    }
}

/// A socket that has an address and does not listen.
pub fn bind(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// An answer as it should be delivered.
pub fn whole(answer: HttpReply) -> Response<Body> {
    let mut response = Response::new(Body::whole(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    if let Some(Ok(location)) = answer.location.map(HeaderValue::try_from) {
        headers.insert(LOCATION, location);
    }
    response
}

/// The head of `answer`, with a body of pieces that promises to be of that length.
fn pieces(answer: &HttpReply, length: Option<usize>, pieces: Vec<Piece>) -> Response<Body> {
    let head = HttpReply { body: Vec::new(), ..answer.clone() };
    let mut response = whole(head).map(|_| Body::pieces(pieces));
    if let Some(length) = length {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

fn page_of(page: Page, path: &str) -> HttpReply {
    let html = |status: u16, title: &str| {
        let body = format!(
            "<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1>\
             The requested URL was rejected. Please consult with your administrator.</body></html>"
        );
        HttpReply::new(status, "text/html; charset=ISO-8859-2", body)
    };
    match page {
        Page::ServerError => html(500, "Internal Server Error"),
        Page::BadGateway => html(502, "Bad Gateway"),
        Page::NotFound => html(404, "Not Found"),
        Page::Html => html(200, "Request Rejected"),
        Page::Empty => HttpReply::new(200, "text/plain", ""),
        Page::Redirect => {
            HttpReply { location: Some(format!("{path}/moved")), ..html(301, "Moved Permanently") }
        }
    }
}

/// The answer with blanks behind it, so that it has so many bytes.
fn padded(mut answer: HttpReply, bytes: usize) -> HttpReply {
    let length = answer.body.len().max(bytes);
    answer.body.resize(length, b' ');
    answer
}

/// The answer as no reader may take it.
fn disfigured(answer: HttpReply, twist: Twist) -> HttpReply {
    let is_xml = answer.content_type.starts_with("text/xml");
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let after_declaration = |more: &str| match text.split_once("?>") {
        Some((declaration, rest)) => format!("{declaration}?>{more}{rest}"),
        None => format!("{more}{text}"),
    };
    let body = match twist {
        Twist::Doctype => after_declaration("<!DOCTYPE Envelope>"),
        Twist::BillionLaughs if is_xml => {
            let entity = |depth: usize| {
                format!("<!ENTITY l{depth} \"{}\">", format!("&l{};", depth - 1).repeat(10))
            };
            let entities: String = (1..10).map(entity).collect();
            after_declaration(&format!("<!DOCTYPE Envelope [<!ENTITY l0 \"ha\">{entities}]>"))
                .replacen("<soap:Body>", "<soap:Body>&l9;", 1)
                .replacen("<soapenv:Body>", "<soapenv:Body>&l9;", 1)
        }
        Twist::BillionLaughs => "[".repeat(100_000),
        Twist::Attributes if is_xml => {
            let many: String = (0..80_000).map(|n| format!(" a{n}=\"\"")).collect();
            text.replacen("Envelope ", &format!("Envelope{many} "), 1)
        }
        Twist::Attributes => {
            let many: String = (0..80_000).map(|n| format!("\"a{n}\":0,")).collect();
            text.replacen('{', &format!("{{{many}"), 1)
        }
        _ => text,
    };
    HttpReply { body: body.into_bytes(), ..answer }
}
