//! `racun serve`, `racun work` and `racun migrate`.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use racun_access::{MasterVault, PinKey};
use racun_application::fiscalization::FiscalAuthority;
use racun_application::payments::NoAuthority;
use racun_fiscal::Retry;
use racun_gateways::HttpCourier;
use racun_http_api::{Options, RateLimiter, Services};
use racun_kernel::Vault;
use racun_webhooks::Courier;
use tokio::runtime::Handle;

use crate::authorities::{self, Connected};
use crate::following::Following;
use crate::settings::{MasterKey, Settings, Webhooks};
use crate::store::{self, Opened};
use crate::{clock, jobs, print, stop};

/// Answers requests and works off jobs until a signal comes, and finishes the requests under way.
///
/// # Errors
/// When the store cannot be opened or the address cannot be listened on.
pub async fn serve(settings: &Settings) -> anyhow::Result<()> {
    let authorities = authorities::connect(settings)?;
    let Opened { store, place, made, master_key } = store::open(settings).await?;
    // From here on: a signal while the store is opened ends the process at once, which both stores
    // survive, whereas waiting for another process's migrations may take minutes.
    let stop = stop::requested()?;
    let (listener, address) = listen(settings.server.listen)?;
    let base = match &settings.server.public_url {
        Some(url) => url.as_str().to_owned(),
        None => format!("http://{address}"),
    };
    tracing::info!(%address, "Racun listens on http://{address}, documented at /docs; data in {place}");
    if master_key.is_none() {
        tracing::warn!(
            "without RACUN__SECRETS__MASTER_KEY operators of tills cannot have PINs, and \
             certificates and secrets of webhooks cannot be kept"
        );
    }
    if !made.is_empty() {
        tracing::info!("{}", how_to_get_a_key(&base));
    }
    let services = services(
        store,
        authorities,
        master_key.as_ref(),
        settings.fiscalization.retry(),
        &settings.webhooks,
    )?;
    let services =
        Services { rate_limiter: rate_limiter(settings), public_url: base.into(), ..services };
    let work = jobs::start(&services, Following::default());
    let stop = async move {
        stop.await;
        work.stop();
    };
    racun_http_api::run(listener, services, Options::until(stop)).await?;
    tracing::info!("ended");
    Ok(())
}

/// Works off jobs until a signal comes.
///
/// # Errors
/// When the store cannot be opened.
pub async fn work(settings: &Settings) -> anyhow::Result<()> {
    let authorities = authorities::connect(settings)?;
    let Opened { store, place, master_key, .. } = store::open(settings).await?;
    let stop = stop::requested()?;
    tracing::info!(
        "Racun works off jobs: invoices of recurring ones, documents that tax authorities have \
         not confirmed, and events that receivers are to be told; data in {place}"
    );
    let services = services(
        store,
        authorities,
        master_key.as_ref(),
        settings.fiscalization.retry(),
        &settings.webhooks,
    )?;
    let work = jobs::start(&services, Following::default());
    stop.await;
    work.stop();
    tracing::info!("ended");
    Ok(())
}

/// Creates or upgrades the database and says what it did.
///
/// # Errors
/// When the store cannot be opened.
pub async fn migrate(settings: &Settings) -> anyhow::Result<()> {
    let Opened { place, made, .. } = store::open(settings).await?;
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

/// What requests are answered with.
///
/// # Errors
/// When there is no TLS.
pub fn services(
    store: Arc<dyn racun_kernel::Store>,
    authorities: Arc<Connected>,
    master_key: Option<&MasterKey>,
    fiscal_retry: Retry,
    webhooks: &Webhooks,
) -> anyhow::Result<Services> {
    let vault = |key: &MasterKey| -> Arc<dyn Vault> { Arc::new(MasterVault::derive(key.bytes())) };
    let services = Services {
        store,
        tax_authority: Arc::new(NoAuthority),
        authorities: Arc::<Connected>::clone(&authorities),
        test_certificates: Some(authorities),
        vault: master_key.map(vault),
        fiscal_retry,
        courier: courier(webhooks)?,
        webhook_schedule: webhooks.schedule(),
        clock: Arc::new(clock::now),
        entropy: clock::entropy(),
        pins: master_key.map(|key| PinKey::derive(key.bytes())),
        rate_limiter: None,
        public_url: "".into(),
        version: env!("CARGO_PKG_VERSION"),
        started: Instant::now(),
        runtime: Handle::current(),
    };
    let (store, fiscal) = (Arc::clone(&services.store), services.fiscal());
    Ok(Services { tax_authority: Arc::new(FiscalAuthority { store, fiscal }), ..services })
}

/// Who posts events to their receivers.
fn courier(webhooks: &Webhooks) -> anyhow::Result<Arc<dyn Courier>> {
    let allow_private_addresses = webhooks.allow_private_addresses;
    let options =
        racun_gateways::Options { allow_private_addresses, ..racun_gateways::Options::default() };
    let courier = HttpCourier::new(options).map_err(anyhow::Error::msg)?;
    Ok(Arc::new(courier))
}

/// What counts requests; `None` where the settings do not limit them.
fn rate_limiter(settings: &Settings) -> Option<RateLimiter> {
    let proxies = settings.server.trusted_proxies.all().to_vec();
    settings.rate_limits.options().map(|options| RateLimiter::new(options, proxies, None))
}

/// Commands from nothing to a sandbox key, ready to copy.
fn how_to_get_a_key(base: &str) -> String {
    let json = "-H 'content-type: application/json'";
    let id = r#"| grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4"#;
    format!(
        r#"To get a key for a sandbox:
  curl -s {base}/users/signup {json} -d '{{"email":"me@example.com","password":"change me 1","company_name":"My company"}}'
  TOKEN=$(curl -s {base}/users/login {json} -d '{{"email":"me@example.com","password":"change me 1"}}' {id})
  curl -s {base}/entities -H "authorization: Bearer $TOKEN" {json} -d '{{"name":"My company","country":"Slovenia","environment":"sandbox"}}'
  curl -s {base}/account/api-keys -H "authorization: Bearer $TOKEN" {json} -d '{{"name":"first","environment":"sandbox"}}'"#
    )
}
