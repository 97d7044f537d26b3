//! The clients of all systems.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use racun_fiscal::{
    Authorities, Authority, Header, Identity, Message, OpenedCertificate, P12Error, Patience,
    Reply, Signer, SigningFailed, Unknown,
};
use racun_kernel::Environment;
use reqwest::{Client, Url};
use time::OffsetDateTime;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::circuit::{Call, Circuit};
use crate::recent::Recent;
use crate::settings::{Endpoint, Endpoints, Transport, roots};
use crate::signer::{RsaSigner, Signers, fingerprint};
use crate::transport::{self, Format, Request, unknown};
use crate::{Certificate, Doubt, SignerName, Trust, Verifier, fina, furs, p12};

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

/// How long an exchange may last when nobody waits.
const BACKGROUND: Duration = Duration::from_secs(15);
/// Calls of one certificate at once. An authority counts them, and others want to call too.
const MOST_CALLS: usize = 5;
/// How many certificates' connections are kept.
const MOST_LINES: usize = 512;

/// A setting that is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct BadEndpoint {
    /// Which, as `furs.test.url`.
    pub setting: String,
    /// Why.
    pub reason: String,
}

/// A system that messages can be sent to.
struct System {
    url: Url,
    transport: Transport,
    timeout: Duration,
    verifier: Verifier,
}

impl System {
    fn new(
        authority: Authority,
        environment: Environment,
        endpoint: &Endpoint,
    ) -> Result<Self, BadEndpoint> {
        let bad = |name: &str, reason: String| {
            let system = match environment {
                Environment::Sandbox => "test",
                Environment::Live => "production",
            };
            BadEndpoint { setting: format!("{}.{system}.{name}", authority.name()), reason }
        };
        let pem = endpoint.ca_pem.as_deref().unwrap_or_else(|| roots(authority, environment));
        let trust = Trust::from_pem(pem).map_err(|reason| bad("ca_file", reason))?;
        let url: Url = endpoint.url.parse().map_err(|_| bad("url", "it is no URL".to_owned()))?;
        if url.scheme() != "https" || url.host().is_none() {
            return Err(bad("url", "it must begin with https:// and a host".to_owned()));
        }
        if authority == Authority::Furs && (url.path() != "/" || url.query().is_some()) {
            return Err(bad("url", "it must be https://host:port, without a path".to_owned()));
        }
        let signer = match (authority, environment) {
            (Authority::Furs, Environment::Sandbox) => SignerName::FURS_TEST,
            (Authority::Furs, Environment::Live) => SignerName::FURS,
            (Authority::Fina, Environment::Sandbox) => SignerName::CIS_TEST,
            (Authority::Fina, Environment::Live) => SignerName::CIS,
        };
        Ok(Self {
            url,
            transport: endpoint.transport,
            timeout: endpoint.timeout,
            verifier: Verifier { trust, signer },
        })
    }

    fn url(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(path);
        url
    }
}

/// What one certificate's calls to one system share.
struct Line {
    client: Client,
    certificate: Certificate,
    calls: Semaphore,
    /// Of the calls at once, those that nobody waits for: one is left to who waits.
    background: Semaphore,
    circuit: Circuit,
}

/// One exchange over a line.
struct Exchange<'a> {
    line: &'a Line,
    patience: Patience,
    deadline: Instant,
}

impl<'a> Exchange<'a> {
    /// Sends `request` when it may be sent, and answers what came back by the deadline. Whether it
    /// is an answer is for the caller to settle.
    async fn run(&self, request: Request) -> Result<(Call<'a>, Vec<u8>), Unknown> {
        let resting = || unknown("the last calls failed; no other is made for some seconds");
        if self.line.circuit.rests() {
            return Err(resting());
        }
        let turn = async {
            let background = match self.patience {
                Patience::Interactive => None,
                Patience::Background => Some(self.line.background.acquire().await),
            };
            (background, self.line.calls.acquire().await)
        };
        let turn = timeout_at(self.deadline, turn).await;
        let _turn = turn.map_err(|_| unknown("too many calls are being made"))?;
        let call = self.line.circuit.call().ok_or_else(resting)?;
        let exchange = transport::exchange(&self.line.client, request);
        let body = timeout_at(self.deadline, exchange).await;
        match body.unwrap_or_else(|_| Err(unknown("no answer came in time"))) {
            Ok(body) => Ok((call, body)),
            Err(unknown) => {
                call.settle(false);
                Err(unknown)
            }
        }
    }
}

/// The test system and the production system of an authority.
struct Pair {
    test: Option<System>,
    production: Option<System>,
}

type LineKey = (Authority, Environment, [u8; 32]);

/// The clients of all systems: the port to the authorities over the network.
pub struct Clients {
    furs: Pair,
    fina: Pair,
    clock: Clock,
    signers: Signers,
    lines: Recent<LineKey, Line>,
}

impl Clients {
    /// Clients of the systems at `endpoints`. `clock` tells when certificates must be valid.
    ///
    /// # Errors
    /// The first setting that is of no use.
    pub fn new(endpoints: &Endpoints, clock: Clock) -> Result<Self, BadEndpoint> {
        let pair = |authority, systems: &crate::Systems| {
            let system = |environment| {
                let endpoint = systems.of(environment);
                endpoint.map(|endpoint| System::new(authority, environment, endpoint)).transpose()
            };
            Ok(Pair { test: system(Environment::Sandbox)?, production: system(Environment::Live)? })
        };
        Ok(Self {
            furs: pair(Authority::Furs, &endpoints.furs)?,
            fina: pair(Authority::Fina, &endpoints.fina)?,
            clock,
            signers: Signers::new(),
            lines: Recent::new(MOST_LINES),
        })
    }

    fn system(&self, authority: Authority, environment: Environment) -> Result<&System, Unknown> {
        let pair = match authority {
            Authority::Furs => &self.furs,
            Authority::Fina => &self.fina,
        };
        let (system, name) = match environment {
            Environment::Sandbox => (pair.test.as_ref(), "test"),
            Environment::Live => (pair.production.as_ref(), "production"),
        };
        system.ok_or_else(|| unknown(&format!("no {name} address is set")))
    }

    fn line(
        &self,
        system: &System,
        authority: Authority,
        environment: Environment,
        identity: &Identity,
    ) -> Result<Arc<Line>, Unknown> {
        let both = [identity.certificate.as_slice(), &identity.private_key].concat();
        self.lines.get((authority, environment, fingerprint(&both)), || {
            // FURS knows taxpayers by the connection, CIS by the signature alone.
            let shown = match authority {
                Authority::Furs => Some(identity),
                Authority::Fina => None,
            };
            Ok(Line {
                client: transport::client(&system.verifier.trust, shown, &self.clock)?,
                certificate: Certificate::from_der(&identity.certificate)
                    .ok_or_else(|| unknown("the certificate is malformed"))?,
                calls: Semaphore::new(MOST_CALLS),
                background: Semaphore::new(MOST_CALLS - 1),
                circuit: Circuit::new(),
            })
        })
    }
}

/// A message that is ready to be sent, and how its answer is read.
struct Ready {
    request: Request,
    asked: Asked,
}

#[derive(Clone, Copy)]
enum Asked {
    FursJson(furs::Asked),
    FursSoap(furs::Asked),
    Fina(fina::Asked),
}

impl Ready {
    fn new(
        system: &System,
        header: &Header,
        message: &Message,
        (signer, certificate, der): (&RsaSigner, &Certificate, &[u8]),
    ) -> Result<Self, SigningFailed> {
        let furs = |asked: furs::Asked, json: &dyn Fn() -> String, xml: &dyn Fn() -> String| {
            Ok(match system.transport {
                Transport::Json => Self {
                    request: Request {
                        url: system.url(&[furs::PATH, asked.action()].concat()),
                        format: Format::Json,
                        action: None,
                        body: furs::sign_json(&json(), signer, certificate)?,
                        reads_errors: false,
                    },
                    asked: Asked::FursJson(asked),
                },
                Transport::Soap => Self {
                    request: Request {
                        url: system.url(furs::PATH),
                        format: Format::Xml,
                        action: Some(asked.action().to_owned()),
                        body: furs::sign_soap(&xml(), signer, certificate)?,
                        reads_errors: false,
                    },
                    asked: Asked::FursSoap(asked),
                },
            })
        };
        let fina = |asked: fina::Asked, xml: String| {
            Ok(Self {
                request: Request {
                    url: system.url.clone(),
                    format: Format::Xml,
                    action: Some(asked.action()),
                    body: fina::sign(&xml, signer, certificate, der)?,
                    reads_errors: true,
                },
                asked: Asked::Fina(asked),
            })
        };
        match message {
            Message::FursInvoice { invoice, subsequent } => {
                furs(furs::Asked::Invoice, &|| invoice.json(header, *subsequent), &|| {
                    invoice.xml(header, *subsequent)
                })
            }
            Message::FursPremise(premise) => {
                furs(furs::Asked::Premise, &|| premise.json(header), &|| premise.xml(header))
            }
            Message::FinaReceipt { receipt, late } => {
                fina(fina::Asked::Receipt, receipt.xml(header, *late))
            }
            Message::FinaChange(change) => fina(fina::Asked::Change, change.xml(header)),
        }
    }
}

impl Asked {
    fn read(
        self,
        body: &[u8],
        header: &Header,
        verifier: &Verifier,
        now: OffsetDateTime,
    ) -> Result<Reply, Doubt> {
        let id = &header.message_id;
        match self {
            Self::FursJson(asked) => furs::read_json(body, asked, id, verifier, now),
            Self::FursSoap(asked) => furs::read_soap(body, asked, id, verifier, now),
            Self::Fina(asked) => fina::read(body, asked, id, verifier, now),
        }
    }
}

#[async_trait]
impl Authorities for Clients {
    fn open_p12(
        &self,
        authority: Authority,
        file: &[u8],
        passphrase: &str,
    ) -> Result<OpenedCertificate, P12Error> {
        p12::open(authority, file, passphrase)
    }

    fn signer(&self, identity: &Identity) -> Result<Arc<dyn Signer>, SigningFailed> {
        Ok(self.signers.of(identity)?)
    }

    async fn send(
        &self,
        environment: Environment,
        identity: &Identity,
        header: &Header,
        message: &Message,
        patience: Patience,
    ) -> Result<Reply, Unknown> {
        let authority = message.authority();
        let system = self.system(authority, environment)?;
        let line = self.line(system, authority, environment, identity)?;
        let signing = |_| unknown("the private key cannot sign");
        let signer = self.signers.of(identity).map_err(signing)?;
        let signer = (&*signer, &line.certificate, identity.certificate.as_slice());
        let ready = Ready::new(system, header, message, signer).map_err(signing)?;
        let limit = match patience {
            Patience::Interactive => system.timeout,
            Patience::Background => BACKGROUND,
        };
        let exchange = Exchange { line: &line, patience, deadline: Instant::now() + limit };
        let reply = exchange.run(ready.request).await.and_then(|(call, body)| {
            let now = (self.clock)();
            let reply = ready.asked.read(&body, header, &system.verifier, now);
            call.settle(reply.is_ok());
            reply.map_err(Unknown::from)
        });
        if let Err(unknown) = &reply
            && unknown.is_suspicious
        {
            tracing::error!(
                authority = authority.name(),
                message_id = %header.message_id,
                reason = unknown.reason,
                "an answer is not the authority's"
            );
        }
        reply
    }
}
