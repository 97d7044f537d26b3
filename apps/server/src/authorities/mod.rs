//! The tax authorities' systems: those that settings name, and for a sandbox without one a
//! simulator of our own.

mod portugal;

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, anyhow};
use async_trait::async_trait;
use racun_authorities::portugal::PtClient;
use racun_authorities::{BadEndpoint, Clients, Endpoint, Endpoints, Systems};
use racun_authority_simulator::{Options, Running, Simulator, WantedTaxpayer};
use racun_fiscal::furs::SoftwareMaker;
use racun_fiscal::{
    Authorities, Authority, Header, Identity, Message, OpenedCertificate, P12Error, Patience,
    Reply, Signer, SigningFailed, TestCertificate, TestCertificates, Unknown,
};
use racun_kernel::Environment;

use crate::clock;
use crate::settings::{self, BaseUrl, FinaService, FursService, Settings};

/// What the simulator's passphrases are: it has no secrets.
const PASSPHRASE: &str = "sandbox";

/// Messages that the built-in simulator's ledger keeps.
const MOST_KEPT: usize = 10_000;

/// All systems that receive reports.
pub struct Connected {
    /// Those that settings name, and the production systems.
    named: Clients,
    endpoints: Endpoints,
    software_maker: SoftwareMaker,
    /// Portugal, as settings name it.
    portugal: portugal::Named,
    /// The built-in simulator, started on first use.
    built_in: OnceLock<Result<BuiltIn, String>>,
}

/// The simulator, and the clients that reach it.
struct BuiltIn {
    simulator: Running,
    clients: Clients,
    portugal: PtClient,
}

/// Where settings say that the authorities are.
///
/// # Errors
/// When a certificate file cannot be read, or a setting is of no use: one line that names it.
pub fn connect(settings: &Settings) -> anyhow::Result<Arc<Connected>> {
    let none = Systems { test: None, production: None };
    let real = match settings.outbound.loopback_only {
        true => Endpoints { furs: none.clone(), fina: none },
        false => Endpoints::default(),
    };
    let (furs, fina) = (&settings.furs, &settings.fina);
    for (name, url) in [
        ("FURS__TEST", &furs.test.url),
        ("FURS__PRODUCTION", &furs.production.url),
        ("FINA__TEST", &fina.test.url),
        ("FINA__PRODUCTION", &fina.production.url),
    ] {
        let is_here = url.as_ref().is_none_or(BaseUrl::is_loopback);
        settings.outbound.check(&format!("RACUN__{name}__URL"), is_here)?;
    }
    let endpoints = Endpoints {
        furs: Systems {
            test: of_furs("TEST", &furs.test, None)?,
            production: of_furs("PRODUCTION", &furs.production, real.furs.production)?,
        },
        fina: Systems {
            test: of_fina("TEST", &fina.test, None)?,
            production: of_fina("PRODUCTION", &fina.production, real.fina.production)?,
        },
    };
    let named = Clients::new(&endpoints, Arc::new(clock::now)).map_err(|error| told(&error))?;
    let software_maker = settings.furs.software_maker.told();
    let portugal = portugal::Named::of(settings)?;
    let built_in = OnceLock::new();
    Ok(Arc::new(Connected { named, endpoints, software_maker, portugal, built_in }))
}

fn of_furs(
    system: &str,
    service: &FursService,
    own: Option<Endpoint>,
) -> anyhow::Result<Option<Endpoint>> {
    let endpoint = service.url.as_ref().map(|url| Endpoint::new(url.as_str())).or(own);
    let ca_pem = read(&format!("RACUN__FURS__{system}__CA_FILE"), service.ca_file.as_deref())?;
    Ok(endpoint.map(|endpoint| Endpoint {
        ca_pem: ca_pem.or(endpoint.ca_pem),
        transport: match service.transport {
            settings::Transport::Soap => racun_authorities::Transport::Soap,
            settings::Transport::Json => racun_authorities::Transport::Json,
        },
        timeout: service.timeout_seconds.duration(),
        url: endpoint.url,
    }))
}

fn of_fina(
    system: &str,
    service: &FinaService,
    own: Option<Endpoint>,
) -> anyhow::Result<Option<Endpoint>> {
    let endpoint = service.url.as_ref().map(|url| Endpoint::new(url.as_str())).or(own);
    let ca_pem = read(&format!("RACUN__FINA__{system}__CA_FILE"), service.ca_file.as_deref())?;
    Ok(endpoint.map(|endpoint| Endpoint {
        ca_pem: ca_pem.or(endpoint.ca_pem),
        timeout: service.timeout_seconds.duration(),
        ..endpoint
    }))
}

fn read(setting: &str, file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let read = |path: &Path| fs::read_to_string(path);
    file.map(read).transpose().with_context(|| format!("setting {setting}: it cannot be read"))
}

fn told(error: &BadEndpoint) -> anyhow::Error {
    let name = error.setting.to_uppercase().replace('.', "__");
    anyhow!("setting RACUN__{name}: {}", error.reason)
}

impl Connected {
    /// The clients that reach `authority` from `environment`.
    fn clients(&self, authority: Authority, environment: Environment) -> Result<&Clients, Unknown> {
        let systems = match authority {
            Authority::Furs => &self.endpoints.furs,
            Authority::Fina => &self.endpoints.fina,
        };
        if environment == Environment::Live || systems.test.is_some() {
            return Ok(&self.named);
        }
        self.built_in().map(|built_in| &built_in.clients).map_err(|reason| Unknown {
            reason: format!("the built-in simulator does not run: {reason}"),
            is_suspicious: false,
        })
    }

    /// The simulator that the sandbox's documents go to where settings name no test system, to
    /// command it.
    ///
    /// # Errors
    /// When it does not start.
    pub fn simulator(&self) -> anyhow::Result<&Running> {
        let built_in = self.built_in().map_err(|reason| anyhow!(reason))?;
        Ok(&built_in.simulator)
    }

    /// Portugal, as settings name it.
    const fn named_portugal(&self) -> &portugal::Named {
        &self.portugal
    }

    /// The client that reaches the simulator of Portugal's authority.
    ///
    /// # Errors
    /// When it does not start, in words.
    fn simulated_portugal(&self) -> Result<&PtClient, String> {
        self.built_in().map(|built_in| &built_in.portugal)
    }

    /// The simulator, started by the first caller. It runs as long as the process.
    fn built_in(&self) -> Result<&BuiltIn, String> {
        self.built_in.get_or_init(BuiltIn::start).as_ref().map_err(Clone::clone)
    }
}

impl BuiltIn {
    fn start() -> Result<Self, String> {
        let options = Options { is_forgetful: true, most_kept: MOST_KEPT, ..Options::default() };
        let simulator = Simulator::start(&options).map_err(|error| error.to_string())?;
        let test = |url: &str| {
            let ca_pem = Some(simulator.ca_pem.clone());
            let test = Some(Endpoint { ca_pem, ..Endpoint::new(url) });
            Systems { test, production: None }
        };
        let endpoints =
            Endpoints { furs: test(&simulator.furs_url), fina: test(&simulator.fina_url) };
        let clients =
            Clients::new(&endpoints, Arc::new(clock::now)).map_err(|error| error.to_string())?;
        tracing::info!(
            control = simulator.control_url,
            "the sandbox's tax authorities are simulated in this process"
        );
        let portugal = portugal::of_simulator(&simulator)?;
        Ok(Self { simulator, clients, portugal })
    }
}

#[async_trait]
impl Authorities for Connected {
    fn open_p12(
        &self,
        authority: Authority,
        file: &[u8],
        passphrase: &str,
    ) -> Result<OpenedCertificate, P12Error> {
        self.named.open_p12(authority, file, passphrase)
    }

    fn signer(&self, identity: &Identity) -> Result<Arc<dyn Signer>, SigningFailed> {
        self.named.signer(identity)
    }

    fn sign_xml(
        &self,
        identity: &Identity,
        document: &str,
        id: &str,
        at: time::OffsetDateTime,
    ) -> Result<String, SigningFailed> {
        self.named.sign_xml(identity, document, id, at)
    }

    fn software_maker(&self) -> SoftwareMaker {
        self.software_maker.clone()
    }

    async fn send(
        &self,
        environment: Environment,
        identity: &Identity,
        header: &Header,
        message: &Message,
        patience: Patience,
    ) -> Result<Reply, Unknown> {
        let clients = self.clients(message.authority(), environment)?;
        clients.send(environment, identity, header, message, patience).await
    }
}

impl TestCertificates for Connected {
    fn issue(&self, authority: Authority, tax_number: &str, name: &str) -> Option<TestCertificate> {
        let systems = match authority {
            Authority::Furs => &self.endpoints.furs,
            Authority::Fina => &self.endpoints.fina,
        };
        if systems.test.is_some() {
            return None;
        }
        let wanted = WantedTaxpayer {
            name: name.to_owned(),
            ..WantedTaxpayer::new(authority, tax_number, PASSPHRASE)
        };
        let issued = self.built_in().ok()?.simulator.issue(&wanted).ok()?;
        Some(TestCertificate { file: issued.p12, passphrase: PASSPHRASE.to_owned() })
    }
}
