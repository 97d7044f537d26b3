//! A client that writes and reads HTTP itself, so that it sees what is on the wire.

use std::io;
use std::sync::Arc;

use racun_authority_simulator::{Options, Running, Simulator, Taxpayer, WantedTaxpayer};
use racun_fiscal::Authority;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// The tax number of the taxpayer in Slovenia.
pub const TAX_NUMBER: &str = "10039856";
/// The OIB of the taxpayer in Croatia.
pub const OIB: &str = "69435151530";

pub fn start() -> Running {
    Simulator::start(&Options::default()).unwrap()
}

pub fn taxpayer(running: &Running, authority: Authority) -> Taxpayer {
    let number = match authority {
        Authority::Furs => TAX_NUMBER,
        Authority::Fina => OIB,
    };
    running.issue(&WantedTaxpayer::new(authority, number, "secret")).unwrap()
}

/// A response as it came.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn read(bytes: &[u8]) -> io::Result<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = bytes[end + 4..].to_vec();
        Ok(Self { status, head, body })
    }
}

/// Whom a client is and whom it trusts.
#[derive(Clone)]
pub struct Client {
    pub ca_pem: String,
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Client {
    pub fn of(running: &Running) -> Self {
        Self { ca_pem: running.ca_pem.clone(), identity: None }
    }

    pub fn with(running: &Running, taxpayer: &Taxpayer) -> Self {
        let identity = (taxpayer.certificate.clone(), taxpayer.private_key.clone());
        Self { identity: Some(identity), ..Self::of(running) }
    }

    /// Posts `body` to `url` and reads until the connection ends.
    pub async fn post(&self, url: &str, headers: &str, body: &[u8]) -> io::Result<Response> {
        let mut stream = self.connect(url).await?;
        write(&mut stream, "POST", url, headers, body).await?;
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes).await;
        match (read, Response::read(&bytes)) {
            (_, Ok(response)) => Ok(response),
            (Err(error), Err(_)) => Err(error),
            (Ok(_), Err(error)) => Err(error),
        }
    }

    pub async fn connect(&self, url: &str) -> io::Result<impl AsyncRead + AsyncWrite + Unpin> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(self.ca_pem.as_bytes()) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.clone()));
                let chain = vec![CertificateDer::from(certificate.clone())];
                builder.with_client_auth_cert(chain, key).unwrap()
            }
        };
        let tcp = TcpStream::connect(host(url)).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, tcp).await
    }
}

/// Sends a request in plain HTTP, to the control interface.
pub async fn control(running: &Running, method: &str, path: &str, body: &str) -> Response {
    let url = format!("{}{path}", running.control_url);
    let mut stream = TcpStream::connect(host(&url)).await.unwrap();
    write(&mut stream, method, &url, "", body.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    Response::read(&bytes).unwrap()
}

async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    method: &str,
    url: &str,
    headers: &str,
    body: &[u8],
) -> io::Result<()> {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let head = format!(
        "{method} /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.flush().await
}

fn host(url: &str) -> String {
    url.split('/').nth(2).unwrap().replace("localhost", "127.0.0.1")
}
