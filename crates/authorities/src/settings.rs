//! Where the authorities are.

use std::time::Duration;

use racun_fiscal::Authority;
use racun_kernel::Environment;

/// How long an exchange may last while a user waits, unless configured otherwise.
pub const INTERACTIVE: Duration = Duration::from_secs(5);

/// Certificates that are trusted unless others are set.
const FURS_ROOTS: &str = concat!(
    include_str!("../certificates/si-trust-root.pem"),
    include_str!("../certificates/sigov-ca.pem")
);
const FINA_ROOTS: &str = concat!(
    include_str!("../certificates/fina-root-ca.pem"),
    include_str!("../certificates/fina-rdc-2020.pem")
);
const FINA_DEMO_ROOTS: &str = concat!(
    include_str!("../certificates/fina-demo-root-ca.pem"),
    include_str!("../certificates/fina-demo-ca-2020.pem")
);

/// How messages to FURS are written. Those to CIS are always SOAP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transport {
    /// SOAP with XML signatures.
    #[default]
    Soap,
    /// JSON with JSON Web Signatures.
    Json,
}

/// A system of an authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// FURS: `https://host:port`, to which the client adds the path. CIS: the complete address.
    pub url: String,
    /// Certificates, PEM, that are the only trust of this system: for TLS, and for who signs its
    /// answers. `None`: those of the authority.
    pub ca_pem: Option<String>,
    /// How messages are written.
    pub transport: Transport,
    /// How long an exchange may last while a user waits.
    pub timeout: Duration,
}

impl Endpoint {
    /// The system at `url`, with all else as it is by default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ca_pem: None,
            transport: Transport::default(),
            timeout: INTERACTIVE,
        }
    }
}

/// The systems of an authority. Nothing is sent to one without an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Systems {
    /// The test system, for the sandbox.
    pub test: Option<Endpoint>,
    /// The production system.
    pub production: Option<Endpoint>,
}

impl Systems {
    pub(crate) const fn of(&self, environment: Environment) -> Option<&Endpoint> {
        match environment {
            Environment::Sandbox => self.test.as_ref(),
            Environment::Live => self.production.as_ref(),
        }
    }
}

/// Where the authorities are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// FURS.
    pub furs: Systems,
    /// CIS.
    pub fina: Systems,
}

impl Default for Endpoints {
    /// The production systems, and no test systems.
    fn default() -> Self {
        let production = |url: &str| Systems { test: None, production: Some(Endpoint::new(url)) };
        Self {
            furs: production("https://blagajne.fu.gov.si:9003"),
            fina: production("https://cis.porezna-uprava.hr:8449/FiskalizacijaService"),
        }
    }
}

/// What is trusted when an endpoint names nothing.
pub(crate) const fn roots(authority: Authority, environment: Environment) -> &'static str {
    match (authority, environment) {
        (Authority::Furs, _) => FURS_ROOTS,
        (Authority::Fina, Environment::Live) => FINA_ROOTS,
        (Authority::Fina, Environment::Sandbox) => FINA_DEMO_ROOTS,
    }
}
