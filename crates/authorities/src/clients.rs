//! The clients of all systems.

use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;
use racun_fiscal::{
    Authorities, Authority, Header, Identity, Message, OpenedCertificate, P12Error, Patience,
    Reply, Signer, SigningFailed, Unknown,
};
use racun_kernel::Environment;
use time::OffsetDateTime;

use crate::line::Line;
use crate::settings::{Endpoints, Systems};
use crate::shared_lru::SharedLru;
use crate::signed_message::{Sender, SignedMessage};
use crate::signer::{Signers, fingerprint};
use crate::system::{BadEndpoint, System};
use crate::transport::{self, Clock, unknown};
use crate::{Certificate, p12, xml};

/// How many certificates' connections are kept.
const MOST_LINES: NonZeroUsize = NonZeroUsize::new(512).expect("a number above zero");

/// What one certificate's calls to one system share.
struct Shared {
    line: Line,
    certificate: Certificate,
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
    lines: SharedLru<LineKey, Shared>,
}

impl Clients {
    /// Clients of the systems at `endpoints`. `clock` tells when certificates must be valid.
    ///
    /// # Errors
    /// The first setting that is of no use.
    pub fn new(endpoints: &Endpoints, clock: Clock) -> Result<Self, BadEndpoint> {
        let pair = |authority, systems: &Systems| {
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
            lines: SharedLru::new(MOST_LINES),
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
    ) -> Result<Arc<Shared>, Unknown> {
        let both = [identity.certificate.as_slice(), &identity.private_key].concat();
        self.lines.get((authority, environment, fingerprint(&both)), || {
            // FURS knows taxpayers by the connection, CIS by the signature alone.
            let shown = match authority {
                Authority::Furs => Some(identity),
                Authority::Fina => None,
            };
            let roots = transport::roots(&system.verifier.trust)?;
            Ok(Shared {
                line: Line::new(transport::client(roots, shown, &self.clock)?),
                certificate: Certificate::from_der(&identity.certificate)
                    .ok_or_else(|| unknown("the certificate is malformed"))?,
            })
        })
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

    fn sign_xml(
        &self,
        identity: &Identity,
        document: &str,
        id: &str,
        at: OffsetDateTime,
    ) -> Result<String, SigningFailed> {
        let signer = self.signers.of(identity)?;
        xml::seal(document, id, &*signer, &identity.certificate, at)
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
        let shared = self.line(system, authority, environment, identity)?;
        let signing = |_| unknown("the private key cannot sign");
        let signer = self.signers.of(identity).map_err(signing)?;
        let (certificate, der) = (&shared.certificate, identity.certificate.as_slice());
        let sender = Sender { signer: &*signer, certificate, der };
        let signed = SignedMessage::new(system, header, message, &sender).map_err(signing)?;
        let called = shared.line.call(signed.request, patience, system.timeout).await;
        let reply = called.and_then(|(call, body)| {
            let now = (self.clock)();
            let reply = signed.asked.read(&body, header, &system.verifier, now);
            call.settle(reply.is_ok());
            reply.map_err(Unknown::from)
        });
        let (authority, message_id) = (authority.name(), &header.message_id);
        match &reply {
            Ok(Reply::Refused { code, message, .. }) => {
                tracing::warn!(authority, %message_id, code, "refused: {message}");
            }
            Err(unknown) if unknown.is_suspicious => {
                let reason = &unknown.reason;
                tracing::error!(authority, %message_id, reason, "an answer is not the authority's");
            }
            Ok(Reply::Confirmed(_)) | Err(_) => {}
        }
        reply
    }
}
