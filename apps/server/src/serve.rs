//! `racun serve`, `racun work` and `racun migrate`.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::Context as _;
use racun_access::OpenedKeys;
use racun_application::Services;
use racun_application::bill_mails::BillMailHandler;
use racun_application::order_mails::{OrderMailHandler, OrderMailReader};
use racun_background::budget::StorageLimits;
use racun_background::jobs::Handler;
use racun_delivery::exports::archive::{Archivist, ExportSweeper};
use racun_delivery::mailing::Postman;
use racun_fiscal::Retry;
use racun_fiscalization::certified::PtReportHandler;
use racun_fiscalization::{FiscalAuthority, NoAuthority, TipsHandler};
use racun_http_api::{ConnectionLimits, Http, Options, Process, RateLimiter, RequestLog};
use racun_kernel::Vault;
use racun_mail::MailLimits;
use racun_sales::bill_invoices::InvoiceHandler;
use racun_sales::billing::{CollectionHandler, LabelSource};
use racun_sales::network::{AutoSendHandler, AutoSendReader, EnrollmentHandler, SubmissionHandler};
use racun_shop::{OrderHandler, OrderSyncHandler};
use racun_store::RateLimits;
use time::OffsetDateTime;

use crate::authorities::{self, Connected};
use crate::descriptors::Descriptors;
use crate::gateways::{self, Gateways};
use crate::jobs::{self, Jobs};
use crate::press::Press;
use crate::settings::Settings;
use crate::store::{self, Closing, Opened};
use crate::workers::Workers;
use crate::{clock, descriptors, management, print, stop, white_labels};

/// Answers requests and works off jobs until a signal comes, and finishes the requests under way.
///
/// # Errors
/// When the store cannot be opened or the address cannot be listened on.
pub async fn serve(settings: &Settings) -> anyhow::Result<()> {
    let authorities = authorities::connect(settings)?;
    let mut gateways = gateways::connect(settings)?;
    let labels = white_labels::load(settings)?;
    let opened = store::open(settings).await?;
    let keys = store::keys(settings, &opened).await?;
    let Opened { store, place, made, rate_limits, closing, .. } = opened;
    // From here on: a signal while the store is opened ends the process at once, which both stores
    // survive, whereas waiting for another process's migrations may take minutes.
    let stop = stop::requested()?;
    let (listener, address) = listen(settings.server.listen)?;
    gateways.cards.listens_at(address);
    if settings.server.public_url.is_none() {
        gateways.public_url = format!("http://{address}");
    }
    tracing::info!(%address, "Racun listens on http://{address}, documented at /docs; data in \
                              {place}");
    if keys.is_none() {
        tracing::warn!(
            "without RACUN__SECRETS__MASTER_KEY operators of tills cannot have PINs, and \
             certificates and secrets of webhooks cannot be kept"
        );
    }
    let server = &settings.server;
    if settings.access.is_open_unsaid(server.listen, server.public_url.as_ref()) {
        tracing::warn!(
            "everybody who reaches this address may sign up: behind a proxy set \
             RACUN__SERVER__PUBLIC_URL, or RACUN__ACCESS__SIGNUP"
        );
    }
    if !made.is_empty() {
        tracing::info!("{}", how_to_get_a_key(&gateways.public_url));
    }
    let retry = settings.fiscalization.retry();
    let rates = gateways.rates.clone();
    let services = services(store, authorities, gateways, keys, retry)?;
    let storage = settings.storage.limits();
    let operator_key = settings.billing.operator_key();
    let services = Services { white_labels: labels, operator_key, storage, ..services };
    let http = Http {
        trusted_proxies: settings.server.trusted_proxies.all().into(),
        rate_limiter: rate_limiter(settings, rate_limits),
        guards: settings.guards(),
        origins: Arc::new(settings.server.cors_origins.clone()),
        hsts_seconds: settings.server.hsts_seconds(),
        request_log: RequestLog::on(),
        ..Http::of(process())
    };
    let services = match settings.database.url {
        Some(_) => services,
        None => alone(services).await?,
    };
    let management = management::serve(settings.metrics.listen, &services, &http.process)?;
    let workers = Workers { rates, ..workers(&services, settings.email.limits.limits()) };
    let work = jobs::start(&services, workers);
    let stopping = work.stopping();
    let stop = async move {
        stop.await;
        stopping.stop();
    };
    let connections = connection_limits(settings);
    let options = Options { connections, ..Options::until(stop) };
    let served = racun_http_api::run(listener, services, http, options).await;
    drop(management);
    end(work, closing).await;
    served?;
    Ok(())
}

/// Ends the work of a process whose server has ended: its jobs first, its store last.
async fn end(work: Jobs, closing: Closing) {
    work.end().await;
    closing.close().await;
    tracing::info!("ended");
}

/// Works off jobs until a signal comes.
///
/// # Errors
/// When the store cannot be opened.
pub async fn work(settings: &Settings) -> anyhow::Result<()> {
    let authorities = authorities::connect(settings)?;
    let gateways = gateways::connect(settings)?;
    let labels = white_labels::load(settings)?;
    let opened = store::open(settings).await?;
    let keys = store::keys(settings, &opened).await?;
    let Opened { store, place, closing, .. } = opened;
    let stop = stop::requested()?;
    tracing::info!(
        "Racun works off jobs: invoices of recurring ones, documents that tax authorities have not \
         confirmed, subscriptions whose period ends, and what receivers of events and mail are to \
         be told; data in {place}"
    );
    let retry = settings.fiscalization.retry();
    let rates = gateways.rates.clone();
    let services = services(store, authorities, gateways, keys, retry)?;
    let storage = settings.storage.limits();
    let operator_key = settings.billing.operator_key();
    let services = Services { white_labels: labels, operator_key, storage, ..services };
    let management = management::serve(settings.metrics.listen, &services, &process())?;
    let workers = Workers { rates, ..workers(&services, settings.email.limits.limits()) };
    let work = jobs::start(&services, workers);
    stop.await;
    drop(management);
    end(work, closing).await;
    Ok(())
}

/// Creates or upgrades the database and says what it did.
///
/// # Errors
/// When the store cannot be opened.
pub async fn migrate(settings: &Settings) -> anyhow::Result<()> {
    let Opened { place, made, closing, .. } = store::open(settings).await?;
    closing.close().await;
    let done =
        if made.is_empty() { "up to date".to_owned() } else { format!("made {}", made.join(", ")) };
    print::line(format_args!("{place}: {done}"));
    Ok(())
}

/// A socket at `address`, and the address that it really has.
///
/// # Errors
/// When the address is not ours or in use.
pub fn listen(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let bound = TcpListener::bind(address).and_then(|listener| {
        let address = listener.local_addr()?;
        Ok((listener, address))
    });
    bound.with_context(|| format!("{address} (RACUN__SERVER__LISTEN) cannot be listened on"))
}

/// This process, which starts now.
pub fn process() -> Process {
    Process::starting(env!("CARGO_PKG_VERSION"))
}

/// What use cases work with.
///
/// # Errors
/// When the threads that set documents cannot be started.
pub fn services(
    store: Arc<dyn racun_store::Store>,
    authorities: Arc<Connected>,
    gateways: Gateways,
    keys: Option<OpenedKeys>,
    fiscal_retry: Retry,
) -> anyhow::Result<Services> {
    let (vault, pins) = match keys {
        Some(OpenedKeys { ring, pins, .. }) => {
            let ring: Arc<dyn Vault> = Arc::new(ring);
            (Some(ring), Some(pins))
        }
        None => (None, None),
    };
    let services = Services {
        store,
        tax_authority: Arc::new(NoAuthority),
        authorities: Arc::<Connected>::clone(&authorities),
        portugal: Some(Arc::<Connected>::clone(&authorities)),
        test_certificates: Some(authorities),
        vault,
        fiscal_retry,
        courier: gateways.courier,
        webhook_schedule: gateways.webhook_schedule,
        mailer: gateways.mailer,
        files: gateways.files,
        identity_provider: gateways.identity_provider,
        vat_registry: gateways.vat_registry,
        shops: gateways.shops,
        cards: gateways.cards,
        network: gateways.network,
        spreadsheets: Arc::<racun_spreadsheet::Xlsx>::default(),
        press: Arc::new(Press::new()?),
        public_url: gateways.public_url.into(),
        white_labels: LabelSource::default(),
        operator_key: None,
        clock: Arc::new(clock::now),
        entropy: clock::entropy(),
        pins,
        storage: StorageLimits::default(),
    };
    Ok(hearing(services, None))
}

/// `services` whose payments the tax authorities hear of.
fn hearing(services: Services, alone_since: Option<OffsetDateTime>) -> Services {
    let (store, fiscal) = (Arc::clone(&services.store), services.fiscal());
    let authority = FiscalAuthority { store, fiscal, alone_since };
    Services { tax_authority: Arc::new(authority), ..services }
}

/// `services` of a process whose data folder is its own, before it starts work: the process that
/// reported to a tax authority before is dead, so its leases are void.
async fn alone(services: Services) -> anyhow::Result<Services> {
    let stamp = services.stamp();
    let ended = racun_fiscalization::end_leases(&*services.store, &stamp).await?;
    if ended > 0 {
        tracing::info!(ended, "documents that the process before was reporting are sent again");
    }
    Ok(hearing(services, Some(stamp.now())))
}

/// How many connections there may be.
fn connection_limits(settings: &Settings) -> ConnectionLimits {
    let descriptors = descriptors::raise();
    let Descriptors { connections, passing } = descriptors;
    let per_address = settings.server.connections_per_address.0;
    ConnectionLimits {
        per_address: descriptors.per_address(per_address),
        total: connections,
        passing,
        proxies: settings.server.trusted_proxies.all().to_vec(),
        ..ConnectionLimits::default()
    }
}

/// What counts requests; `None` where the settings do not limit them.
fn rate_limiter(settings: &Settings, shared: Option<Arc<dyn RateLimits>>) -> Option<RateLimiter> {
    settings.rate_limits.options().map(|options| RateLimiter::new(options, shared))
}

/// Who does what is to be done after a commit.
pub fn workers(services: &Services, limits: MailLimits) -> Workers {
    let (store, mailer) = (Arc::clone(&services.store), Arc::clone(&services.mailer));
    let mut workers = Workers::own(&store);
    let base = Arc::clone(&services.public_url);
    let (press, files) = (Arc::clone(&services.press), Arc::clone(&services.files));
    let stamp = Arc::new(clock::stamp);
    let fiscal = services.fiscal();
    let labels = services.white_labels.clone();
    let postman = Postman { store, mailer, press, files, fiscal, labels, base, stamp };
    workers.handlers.push(Arc::new(postman));
    workers.handlers.extend(exporting(services));
    workers.handlers.push(Arc::new(OrderHandler {
        store: Arc::clone(&services.store),
        fiscal: services.fiscal(),
        authority: Arc::clone(&services.tax_authority),
        vat: Arc::clone(&services.vat_registry),
        portugal: services.portugal.clone(),
        stamp: Arc::new(clock::stamp),
    }));
    workers.handlers.push(Arc::new(OrderSyncHandler {
        store: Arc::clone(&services.store),
        vault: services.vault.clone(),
        platforms: Arc::clone(&services.shops),
        stamp: Arc::new(clock::stamp),
    }));
    workers.handlers.extend(sending(services));
    workers.handlers.extend(collecting(services));
    let (store, stamp) = (Arc::clone(&services.store), Arc::new(clock::stamp));
    workers.readers.push(Arc::new(AutoSendReader { store, stamp }));
    let (store, stamp) = (Arc::clone(&services.store), Arc::new(clock::stamp));
    workers.readers.push(Arc::new(OrderMailReader { store, stamp }));
    workers.handlers.push(Arc::new(BillMailHandler {
        store: Arc::clone(&services.store),
        labels: services.white_labels.clone(),
        base: Arc::clone(&services.public_url),
        limits,
        stamp: Arc::new(clock::stamp),
    }));
    workers.handlers.push(Arc::new(OrderMailHandler {
        store: Arc::clone(&services.store),
        base: Arc::clone(&services.public_url),
        limits,
        stamp: Arc::new(clock::stamp),
    }));
    if let Some(fiscal) = services.fiscal() {
        let (store, stamp) = (Arc::clone(&services.store), Arc::new(clock::stamp));
        workers.handlers.push(Arc::new(TipsHandler { store, fiscal, stamp }));
    }
    if let Some(portugal) = &services.portugal {
        let (store, stamp) = (Arc::clone(&services.store), Arc::new(clock::stamp));
        let (portugal, vault) = (Arc::clone(portugal), services.vault.clone());
        workers.handlers.push(Arc::new(PtReportHandler { store, portugal, vault, stamp }));
    }
    workers
}

/// Who puts archives together, and who removes them.
fn exporting(services: &Services) -> [Arc<dyn Handler>; 2] {
    let (store, files) = (Arc::clone(&services.store), Arc::clone(&services.files));
    let sweeper = ExportSweeper {
        store: Arc::clone(&store),
        files: Arc::clone(&files),
        stamp: Arc::new(clock::stamp),
    };
    let archivist = Archivist {
        store,
        files,
        press: Arc::clone(&services.press),
        fiscal: services.fiscal(),
        portugal: services.portugal.clone(),
        limits: services.storage,
        base: Arc::clone(&services.public_url),
        stamp: Arc::new(clock::stamp),
    };
    [Arc::new(archivist), Arc::new(sweeper)]
}

/// Who collects bills of subscriptions by card, and who invoices them.
fn collecting(services: &Services) -> [Arc<dyn Handler>; 2] {
    let (store, labels) = (Arc::clone(&services.store), services.white_labels.clone());
    let stamp = Arc::new(clock::stamp);
    let collecting = CollectionHandler {
        store: Arc::clone(&store),
        cards: Arc::clone(&services.cards),
        labels: labels.clone(),
        stamp: stamp.clone(),
    };
    let invoicing = InvoiceHandler {
        store,
        labels,
        fiscal: services.fiscal(),
        vat: Arc::clone(&services.vat_registry),
        portugal: services.portugal.clone(),
        stamp,
    };
    [Arc::new(collecting), Arc::new(invoicing)]
}

/// Who enrolls entities in the network of electronic invoices, and sends.
fn sending(services: &Services) -> [Arc<dyn Handler>; 3] {
    let (store, network) = (Arc::clone(&services.store), Arc::clone(&services.network));
    let stamp = Arc::new(clock::stamp);
    let enrolling = EnrollmentHandler {
        store: Arc::clone(&store),
        network: Arc::clone(&network),
        stamp: stamp.clone(),
    };
    let automatic = AutoSendHandler { store: Arc::clone(&store), stamp: stamp.clone() };
    let following = SubmissionHandler { store, network, stamp };
    [Arc::new(enrolling), Arc::new(automatic), Arc::new(following)]
}

/// Commands from nothing to a sandbox key, ready to copy.
fn how_to_get_a_key(base: &str) -> String {
    let json = "-H 'content-type: application/json'";
    let id = r#"| grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4"#;
    let login = r#"{"email":"me@example.com","password":"change me 1"}"#;
    let signup = login.replace('}', r#","company_name":"My company"}"#);
    let entity = r#"{"name":"My company","country":"Slovenia","environment":"sandbox"}"#;
    let key = r#"{"name":"first","environment":"sandbox"}"#;
    format!(
        r#"To get a key for a sandbox:
  curl -s {base}/users/signup {json} -d '{signup}'
  TOKEN=$(curl -s {base}/users/login {json} -d '{login}' {id})
  curl -s {base}/entities -H "authorization: Bearer $TOKEN" {json} -d '{entity}'
  curl -s {base}/account/api-keys -H "authorization: Bearer $TOKEN" {json} -d '{key}'"#
    )
}
