//! The network of electronic invoices: the provider that settings name, and for a sandbox without
//! one a simulator of our own.

use std::fs;
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, anyhow};
use async_trait::async_trait;
use racun_authorities::PublisherSeals;
use racun_einvoicing::network::{
    Capability, Dispatch, EInvoicingNetwork, NetworkDocument, NetworkError, NoAnswer, Notice,
    Participant, Progress, Receipt, Sender, Standing, Unauthorized, lookup,
};
use racun_gateways::{Directory, DirectoryOptions, Network, Provider, ProviderOptions, Reach};
use racun_kernel::Environment;
use racun_network_simulator::{Options, Running, Simulator};

use crate::clock;
use crate::settings::{Live, Settings};

/// Documents that the built-in simulator's ledger keeps.
const MOST_KEPT: usize = 10_000;
/// What the built-in simulator is called with: it has no secrets.
const KEY: &str = "sandbox";

/// The network as far as this server is connected to it.
pub struct Connected {
    named: Network,
    reach: Reach,
    /// The built-in simulator, started on first use.
    built_in: OnceLock<Result<BuiltIn, String>>,
}

/// The simulator, and the client that reaches it. It runs as long as the process.
struct BuiltIn {
    _simulator: Running,
    network: Network,
}

/// Connects what settings name. No call is made yet.
///
/// # Errors
/// When a setting is of no use: one line that names it.
pub fn connect(settings: &Settings) -> anyhow::Result<Connected> {
    let own = &settings.e_invoicing;
    let reach = settings.outbound.reach();
    let provider = |name: &str, live: &Live| -> anyhow::Result<Option<Provider>> {
        let Some(key) = &live.api_key else { return Ok(None) };
        let is_here = live.url.as_ref().is_some_and(|url| url.is_loopback());
        settings.outbound.check(&format!("RACUN__E_INVOICING__{name}__URL"), is_here)?;
        let url = live.url.as_ref().map_or(ProviderOptions::PROVIDER, |url| url.as_str());
        let options = ProviderOptions {
            notice_secret: live.notice_secret.as_ref().map(|secret| secret.as_str().to_owned()),
            reach,
            ..ProviderOptions::new(url, key.as_str())
        };
        let provider = Provider::new(&options).map_err(|reason| anyhow!(reason));
        provider.map(Some).with_context(|| format!("settings RACUN__E_INVOICING__{name}__…"))
    };
    let live = provider("LIVE", &own.live)?;
    let sandbox = provider("TEST", &own.test)?;
    let named = Network { live, sandbox, directory: directory(settings)? };
    Ok(Connected { named, reach, built_in: OnceLock::new() })
}

fn directory(settings: &Settings) -> anyhow::Result<Option<Arc<Directory>>> {
    let own = &settings.e_invoicing.directory;
    let Some(file) = &own.ca_file else { return Ok(None) };
    let name = "setting RACUN__E_INVOICING__DIRECTORY__CA_FILE";
    let pem = fs::read_to_string(file).with_context(|| format!("{name}: it cannot be read"))?;
    let seals = PublisherSeals::from_pem(&pem).map_err(|reason| anyhow!("{name}: {reason}"))?;
    let usual = ProviderOptions::new("", "");
    let options = DirectoryOptions {
        zone: own.zone.as_ref().map_or(lookup::ZONE, |zone| zone.as_str()).to_owned(),
        name_servers: Vec::new(),
        allow_plain: false,
        reach: settings.outbound.reach(),
        patience: usual.patience,
        clock: Arc::new(clock::now),
    };
    let directory = Directory::new(options, Arc::new(seals));
    let directory = directory.map_err(|reason| anyhow!("the network's directory: {reason}"))?;
    Ok(Some(Arc::new(directory)))
}

impl Connected {
    /// Whether the built-in simulator is the network of `environment`.
    fn is_simulated(&self, environment: Environment) -> bool {
        environment == Environment::Sandbox && self.named.sandbox.is_none()
    }

    /// The network of `environment`.
    fn of(&self, environment: Environment) -> Result<&Network, NetworkError> {
        if !self.is_simulated(environment) {
            return Ok(&self.named);
        }
        let built_in = self.built_in.get_or_init(|| BuiltIn::start(self.reach));
        built_in.as_ref().map(|built_in| &built_in.network).map_err(|reason| {
            NoAnswer::new(format!("the built-in simulator does not run: {reason}")).into()
        })
    }
}

impl BuiltIn {
    fn start(reach: Reach) -> Result<Self, String> {
        let options = Options { most_kept: MOST_KEPT, ..Options::default() };
        let simulator = Simulator::start(&options).map_err(|error| error.to_string())?;
        let options = ProviderOptions { reach, ..ProviderOptions::new(&simulator.url, KEY) };
        let sandbox = Some(Provider::new(&options)?);
        tracing::info!(
            url = simulator.url,
            "the sandbox's network of electronic invoices is simulated in this process"
        );
        Ok(Self { network: Network { sandbox, ..Network::default() }, _simulator: simulator })
    }
}

#[async_trait]
impl EInvoicingNetwork for Connected {
    fn supports(&self, environment: Environment, country: &str) -> bool {
        // Asked inside decisions, which start nothing.
        match self.is_simulated(environment) {
            true => Network::covers(country),
            false => self.named.supports(environment, country),
        }
    }

    async fn open_account(
        &self,
        environment: Environment,
        sender: &Sender,
    ) -> Result<String, NetworkError> {
        self.of(environment)?.open_account(environment, sender).await
    }

    async fn announce(
        &self,
        environment: Environment,
        account: &str,
        participant: &Participant,
    ) -> Result<Standing, NetworkError> {
        self.of(environment)?.announce(environment, account, participant).await
    }

    async fn standing(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<Standing, NetworkError> {
        self.of(environment)?.standing(environment, account).await
    }

    async fn capability(
        &self,
        environment: Environment,
        recipient: &Participant,
        document: NetworkDocument,
    ) -> Result<Capability, NetworkError> {
        self.of(environment)?.capability(environment, recipient, document).await
    }

    async fn send(
        &self,
        environment: Environment,
        dispatch: &Dispatch,
    ) -> Result<Receipt, NetworkError> {
        self.of(environment)?.send(environment, dispatch).await
    }

    async fn progress(
        &self,
        environment: Environment,
        reference: &str,
    ) -> Result<Progress, NetworkError> {
        self.of(environment)?.progress(environment, reference).await
    }

    fn notice(
        &self,
        authorization: Option<&str>,
        body: &[u8],
    ) -> Result<Option<Notice>, Unauthorized> {
        self.named.notice(authorization, body)
    }
}
