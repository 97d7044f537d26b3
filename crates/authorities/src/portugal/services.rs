//! The services of the authority: series and invoices.
//!
//! A message is sent over TLS, on which the maker of the program shows its certificate, and says in
//! its header who calls. Answers are not signed: that the server is the authority's is known from
//! TLS alone.

use std::time::Duration;

use hyper::Uri;
use racun_fiscal::{Identity, Unknown};
use racun_portugal::{Patience, SubUser, Unanswered, invoice_ws, series_ws, soap};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::rsa::RsaPublicKey;
use super::token::Token;
use crate::line::Line;
use crate::transport::{self, Format, Request, unknown};
use crate::{Clock, Trust};

/// Where the services of a system are, and how they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Services {
    /// The whole address of the service of series.
    pub series_url: String,
    /// The whole address of the service of invoices.
    pub invoices_url: String,
    /// The authority's public key, PEM, under which passwords go.
    pub authority_key_pem: String,
    /// Certificates, PEM, that alone are trusted; `None`: those that browsers trust.
    pub ca_pem: Option<String>,
    /// The certificate that the authority gave the maker of the program, its issuers, and its
    /// private key as PKCS#8, all PEM; `None` where the system asks for none.
    pub certificate_pem: Option<String>,
    /// How long an exchange may last while a user waits.
    pub timeout: Duration,
}

impl Services {
    /// The authority's test services: series at port 722, invoices at port 723.
    pub const TEST: [&'static str; 2] = [
        "https://servicos.portaldasfinancas.gov.pt:722/SeriesWSService",
        "https://servicos.portaldasfinancas.gov.pt:723/fatcorews/ws/",
    ];
    /// Its production services, at ports 422 and 423.
    pub const PRODUCTION: [&'static str; 2] = [
        "https://servicos.portaldasfinancas.gov.pt:422/SeriesWSService",
        "https://servicos.portaldasfinancas.gov.pt:423/fatcorews/ws/",
    ];
}

/// A setting of the services that is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct BadService {
    /// Which, as `series_url`.
    pub setting: &'static str,
    /// Why.
    pub reason: String,
}

/// Calls the services of one system.
pub struct PtClient {
    series_url: Uri,
    invoices_url: Uri,
    authority: RsaPublicKey,
    timeout: Duration,
    clock: Clock,
    /// Each service answers or fails for itself.
    series: Line,
    invoices: Line,
}

impl PtClient {
    /// A client of `services`. `clock` tells when certificates must be valid, and when messages are
    /// made.
    ///
    /// # Errors
    /// The first setting that is of no use.
    pub fn new(services: &Services, clock: Clock) -> Result<Self, BadService> {
        let bad = |setting, reason: &dyn std::fmt::Display| BadService {
            setting,
            reason: reason.to_string(),
        };
        let roots = match &services.ca_pem {
            None => webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect(),
            Some(pem) => {
                let trust = Trust::from_pem(pem).map_err(|reason| bad("ca_file", &reason))?;
                transport::roots(&trust).map_err(|error| bad("ca_file", &error))?
            }
        };
        let identity = services.certificate_pem.as_deref().map(identity).transpose();
        let identity = identity.map_err(|reason| bad("certificate_file", &reason))?;
        let line = |roots: RootCertStore| {
            let client = transport::client(roots, identity.as_ref(), &clock);
            client.map(Line::new).map_err(|error| bad("certificate_file", &error))
        };
        let (series, invoices) = (line(roots.clone())?, line(roots)?);
        Ok(Self {
            series_url: address("series_url", &services.series_url)?,
            invoices_url: address("invoices_url", &services.invoices_url)?,
            authority: RsaPublicKey::from_pem(&services.authority_key_pem)
                .map_err(|error| bad("authority_key_file", &error))?,
            timeout: services.timeout,
            clock,
            series,
            invoices,
        })
    }

    /// Asks the service of series.
    ///
    /// # Errors
    /// When no answer came that can be read.
    pub async fn series(
        &self,
        user: &SubUser,
        request: &series_ws::Request,
        patience: Patience,
    ) -> Result<series_ws::SeriesReply, Unanswered> {
        let (url, body) = (&self.series_url, request.body());
        let read = |text: &str| series_ws::SeriesReply::read(text);
        self.ask(&self.series, url, user, &body, patience, read).await
    }

    /// Sends a body to the service of invoices.
    ///
    /// # Errors
    /// When no answer came that can be read.
    pub async fn invoice(
        &self,
        user: &SubUser,
        body: &str,
        patience: Patience,
    ) -> Result<invoice_ws::InvoiceReply, Unanswered> {
        let read = |text: &str| invoice_ws::InvoiceReply::read(text);
        self.ask(&self.invoices, &self.invoices_url, user, body, patience, read).await
    }

    async fn ask<A>(
        &self,
        line: &Line,
        url: &Uri,
        user: &SubUser,
        body: &str,
        patience: Patience,
        read: impl FnOnce(&str) -> Result<A, soap::Unreadable>,
    ) -> Result<A, Unanswered> {
        let token = Token::new(&self.authority, &user.password, (self.clock)());
        let token = token.map_err(|error| Unanswered { reason: error.to_string() })?;
        let request = Request {
            url: url.clone(),
            format: Format::Xml,
            action: Some("\"\"".to_owned()),
            body: soap::envelope(&token.header(&user.username), body),
            // Both services answer refusals with a fault of SOAP where they cannot say more.
            reads_errors: true,
        };
        let patience = match patience {
            Patience::Interactive => racun_fiscal::Patience::Interactive,
            Patience::Background => racun_fiscal::Patience::Background,
        };
        let told = |unknown: Unknown| Unanswered { reason: unknown.reason };
        let (call, bytes) = line.call(request, patience, self.timeout).await.map_err(told)?;
        let text = String::from_utf8(bytes);
        let answer = match &text {
            Ok(text) => read(text).map_err(|error| {
                let reason = fault(text).unwrap_or_else(|| error.to_string());
                Unanswered { reason }
            }),
            Err(_) => Err(told(unknown("the answer is no UTF-8"))),
        };
        call.settle(answer.is_ok());
        answer
    }
}

/// What a fault of SOAP says.
fn fault(text: &str) -> Option<String> {
    let document = roxmltree::Document::parse(text).ok()?;
    let said = document.descendants().find(|node| node.tag_name().name() == "faultstring")?;
    let said: String = said.text()?.chars().take(200).collect();
    Some(format!("the authority's service failed: {said}"))
}

fn address(setting: &'static str, text: &str) -> Result<Uri, BadService> {
    let reason = || "it must begin with https:// and a host".to_owned();
    let url: Uri = text.parse().map_err(|_| BadService { setting, reason: reason() })?;
    let host = url.authority().map_or("", |authority| authority.as_str());
    if url.scheme_str() == Some("https") && !host.is_empty() && !host.contains('@') {
        return Ok(url);
    }
    Err(BadService { setting, reason: reason() })
}

/// The certificate of the program's maker, with its key.
fn identity(pem: &str) -> Result<Identity, &'static str> {
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes());
    let certificates: Result<Vec<_>, _> = certificates.collect();
    let mut certificates = certificates
        .map_err(|_| "the PEM is malformed")?
        .into_iter()
        .map(|certificate| certificate.to_vec());
    let certificate = certificates.next().ok_or("there is no certificate in it")?;
    let key = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes())
        .map_err(|_| "there is no private key as PKCS#8 in it")?;
    let private_key = key.secret_pkcs8_der().to_vec();
    Ok(Identity { certificate, chain: certificates.collect(), private_key })
}
