//! A TLS server on this machine that answers as a test wants.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::support::{FURS, der, text};

/// For what must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// Method, path and headers.
    pub head: String,
    pub body: String,
    /// What the client showed, DER.
    pub certificate: Option<Vec<u8>>,
}

/// What a server does with a request.
#[derive(Debug, Clone)]
pub enum Reaction {
    /// Answers.
    Answer { status: &'static str, kind: &'static str, body: String },
    /// Answers once the gate is open.
    Held(watch::Receiver<bool>, String),
    /// Writes these bytes and hangs up, in order.
    Bytes(Vec<u8>),
    /// Writes one byte a second.
    Drip(Vec<u8>),
    /// Writes without end.
    Flood,
    /// Says nothing.
    Hang,
    /// Hangs up at once, without a word.
    Reset,
}

/// An answer as bytes of HTTP.
pub fn http(status: &str, kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
    [head.as_bytes(), body.as_bytes()].concat()
}

type React = Arc<dyn Fn(&Received) -> Reaction + Send + Sync>;

/// A server on this machine.
pub struct Server {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// A server that asks for a taxpayer's certificate and reacts as `react` says.
    pub async fn start(react: impl Fn(&Received) -> Reaction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (acceptor, react): (_, React) = (acceptor(), Arc::new(react));
        let seen = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, react, seen) = (acceptor.clone(), react.clone(), seen.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, &react, &seen).await;
                    }
                });
            }
        });
        Self { address, received }
    }

    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Waits until `count` requests have arrived.
    pub async fn receives(&self, count: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.received.lock().unwrap().len() < count {
            assert!(Instant::now() < deadline, "{} of {count}", self.received().len());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// What arrived so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// Serves requests of one connection until one ends it.
async fn serve(mut stream: TlsStream<TcpStream>, react: &React, seen: &Mutex<Vec<Received>>) {
    let certificates = stream.get_ref().1.peer_certificates();
    let certificate = certificates.and_then(<[_]>::first).map(|der| der.to_vec());
    while let Some((head, body)) = read(&mut stream).await {
        let received = Received { head, body, certificate: certificate.clone() };
        let reaction = react(&received);
        seen.lock().unwrap().push(received);
        match reaction {
            Reaction::Answer { status, kind, body } => {
                let _ = stream.write_all(&http(status, kind, &body)).await;
            }
            Reaction::Held(mut gate, body) => {
                let _ = gate.wait_for(|is_open| *is_open).await;
                let _ = stream.write_all(&http("200 OK", "text/xml", &body)).await;
            }
            Reaction::Bytes(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Reaction::Drip(bytes) => {
                for byte in bytes {
                    if stream.write_all(&[byte]).await.is_err() || stream.flush().await.is_err() {
                        return;
                    }
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
            Reaction::Flood => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\
                            Transfer-Encoding: chunked\r\n\r\n";
                let _ = stream.write_all(head.as_bytes()).await;
                let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
                while stream.write_all(&chunk).await.is_ok() {}
                return;
            }
            Reaction::Hang => std::future::pending().await,
            Reaction::Reset => return,
        }
        if stream.flush().await.is_err() {
            return;
        }
    }
}

/// Reads a request.
async fn read(stream: &mut TlsStream<TcpStream>) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return Some((head.to_owned(), body.to_owned()));
            }
        }
        let mut part = [0; 4_096];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&part[..read]),
        }
    }
}

/// TLS with a certificate of the vectors' authority for this machine.
fn acceptor() -> TlsAcceptor {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let issuer = &FURS["keys"]["mock_sigov_ca"];
    std::fs::write(file("ca.pem"), text(issuer, "cert_pem")).unwrap();
    std::fs::write(file("ca.key"), text(issuer, "private_key_pkcs8_pem")).unwrap();
    let output = racun_test_postgres::program("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"])
        .args(["-subj", "/CN=localhost", "-days", "30", "-CA", &file("ca.pem")])
        .args(["-CAkey", &file("ca.key"), "-addext", "subjectAltName=IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", &file("key.pem"), "-out", &file("certificate.pem")])
        .output()
        .expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).unwrap();

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(der(text(&FURS["keys"]["mock_tax_ca"], "cert_pem")).into()).unwrap();
    let taxpayers = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone())
        .allow_unauthenticated()
        .build()
        .unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(taxpayers)
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}
