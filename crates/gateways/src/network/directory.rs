//! The network's own directory: SML by NAPTR over DNS, SMP over HTTPS.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
use racun_einvoicing::network::lookup::{self, Metadata, Seals};
use racun_einvoicing::network::{Capability, NetworkDocument, NoAnswer, Participant};
use reqwest::Client;
use time::OffsetDateTime;
use url::Url;

use crate::caller;
use crate::egress::{Guard, Names, OwnNames, Reach, SystemNames};

/// Metadata have some kilobytes.
const MAX_BODY_BYTES: usize = 512 * 1_024;
/// Names, and addresses behind them, that one question follows.
const MAX_STEPS: usize = 2;

/// How the directory is asked.
#[derive(Clone)]
pub struct DirectoryOptions {
    /// The zone that names of participants are in.
    pub zone: String,
    /// Servers of names; none: the system's.
    pub name_servers: Vec<SocketAddr>,
    /// Whether publishers may be asked without TLS, and at addresses that are not public: in tests.
    pub allow_plain: bool,
    /// How far calls go.
    pub reach: Reach,
    /// Until each answer.
    pub patience: Duration,
    /// What time it is.
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
}

/// The directory.
pub struct Directory {
    resolver: TokioResolver,
    http: Client,
    guard: Guard,
    seals: Arc<dyn Seals>,
    options: DirectoryOptions,
}

impl Directory {
    /// A directory whose publishers' signatures `seals` verifies.
    ///
    /// # Errors
    /// When there is no TLS, the system names no servers, or one of them is out of reach.
    pub fn new(options: DirectoryOptions, seals: Arc<dyn Seals>) -> Result<Self, String> {
        let resolver = resolver(&options)?;
        let names: Arc<dyn Names> = match options.reach {
            Reach::Everywhere => Arc::new(SystemNames),
            Reach::ThisMachine => Arc::new(OwnNames),
        };
        // The addresses come from the directory, which strangers write into.
        let guard = Guard::new(names, options.allow_plain, options.reach);
        let http = caller::client(&guard, options.patience)?;
        Ok(Self { resolver, http, guard, seals, options })
    }

    /// Whether `recipient` receives a `document`.
    ///
    /// # Errors
    /// When the directory gives no answer that counts: one that is not signed by a publisher whom
    /// the network certified is none.
    pub async fn capability(
        &self,
        recipient: &Participant,
        document: NetworkDocument,
    ) -> Result<Capability, NoAnswer> {
        let unknown = Capability { is_registered: false, can_receive: false };
        let Some(base) = self.publisher(recipient).await? else { return Ok(unknown) };
        let mut address = format!("{base}{}", lookup::service_path(recipient, document));
        for _ in 0..MAX_STEPS {
            let Some(xml) = self.metadata(&address).await? else {
                // The publisher knows no such service: the participant may receive others.
                return Ok(Capability { is_registered: true, can_receive: false });
            };
            let now = (self.options.clock)();
            self.seals.verify(&xml, now).map_err(|doubt| {
                tracing::warn!(doubt, "metadata of the network are not signed as they must be");
                NoAnswer::new(format!("the metadata cannot be believed: {doubt}"))
            })?;
            match lookup::read(&xml, recipient, document, now).map_err(NoAnswer::new)? {
                Metadata::Service(capability) => return Ok(capability),
                Metadata::Elsewhere(other) => address = other,
            }
        }
        Err(NoAnswer::new("publishers refer to each other without end"))
    }

    /// The address of the publisher of `participant`; `None` when the network does not know it.
    async fn publisher(&self, participant: &Participant) -> Result<Option<String>, NoAnswer> {
        let name = format!("{}.", lookup::name(participant, &self.options.zone));
        let kind = hickory_resolver::proto::rr::RecordType::NAPTR;
        let found = match self.resolver.lookup(name, kind).await {
            Ok(found) => found,
            Err(error) if error.is_nx_domain() || error.is_no_records_found() => return Ok(None),
            Err(error) => return Err(NoAnswer::new(format!("the names cannot be asked: {error}"))),
        };
        let mut records: Vec<(u16, u16, String)> = Vec::new();
        for record in found.answers() {
            let RData::NAPTR(record) = &record.data else { continue };
            let is_ours = record.services.eq_ignore_ascii_case(lookup::SERVICE.as_bytes())
                && record.flags.eq_ignore_ascii_case(b"u");
            let regexp = str::from_utf8(&record.regexp).ok().filter(|_| is_ours);
            if let Some(address) = regexp.and_then(lookup::address_of) {
                records.push((record.order, record.preference, address));
            }
        }
        records.sort();
        Ok(records.into_iter().next().map(|(_, _, address)| address))
    }

    /// What a publisher answers at `address`; `None` when it has nothing there.
    async fn metadata(&self, address: &str) -> Result<Option<String>, NoAnswer> {
        let url: Url = self.guard.read(address).map_err(|refused| {
            NoAnswer::new(format!("the publisher's address cannot be asked: {refused}"))
        })?;
        if url.scheme() != "https" && !self.options.allow_plain {
            return Err(NoAnswer::new("the publisher is not reached by https"));
        }
        self.guard.check_reach(&url).map_err(|error| NoAnswer::new(error.to_string()))?;
        let silent = |error: reqwest::Error| {
            tracing::warn!(error = %error.without_url(), "a publisher cannot be asked");
            NoAnswer::new("the publisher does not answer")
        };
        let answer = self.http.get(url).send().await.map_err(silent)?;
        match answer.status().as_u16() {
            200 => {
                let body = caller::whole(answer, MAX_BODY_BYTES).await.map_err(silent)?;
                let body = body.and_then(|bytes| String::from_utf8(bytes).ok());
                Ok(Some(body.ok_or_else(|| NoAnswer::new("the publisher's answer is none"))?))
            }
            404 => Ok(None),
            status => Err(NoAnswer::new(format!("the publisher answered {status}"))),
        }
    }
}

fn resolver(options: &DirectoryOptions) -> Result<TokioResolver, String> {
    let (config, mut opts) = if options.name_servers.is_empty() {
        let read = hickory_resolver::system_conf::read_system_conf();
        read.map_err(|error| error.to_string())?
    } else {
        let servers = options.name_servers.iter().map(|address| {
            let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut one| {
                one.port = address.port();
                one
            });
            NameServerConfig::new(address.ip(), true, connections.into())
        });
        (ResolverConfig::from_name_servers(servers.collect()), ResolverOpts::default())
    };
    for server in config.name_servers() {
        options.reach.check(server.ip).map_err(|error| format!("{}: {error}", server.ip))?;
    }
    opts.timeout = options.patience;
    opts.attempts = 2;
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    *builder.options_mut() = opts;
    builder.build().map_err(|error| error.to_string())
}
