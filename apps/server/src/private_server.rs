//! `racun demo` without an address: a server of its own, gone afterwards.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use racun_fiscal::Retry;
use racun_http_api::{Http, Options, RequestLog};
use racun_store::Store;
use tokio::sync::oneshot;

use crate::authorities::Connected;
use crate::demo::Play;
use crate::gateways::{self, Gateways};
use crate::settings::Settings;
use crate::{authorities, demo, jobs, serve, store};

/// A demo's watchers do not wait as long for another attempt as tax authorities would have us.
const RETRY: Retry = Retry { initial: Duration::from_secs(1), max: Duration::from_secs(1) };

/// Plays `play` on a server whose data is not kept.
///
/// # Errors
/// When the server does not start, or a step of the demo fails.
pub async fn demo(play: Play) -> anyhow::Result<()> {
    on_server(async |base, authorities, _| {
        let simulator = match play {
            Play::Fiscal(_) | Play::Portugal => {
                Some(authorities.simulator().context("no simulator of the authorities")?)
            }
            Play::MainJob | Play::Pos | Play::Reports => None,
        };
        demo::play(play, base, simulator).await
    })
    .await
}

/// Writes documents and exports of such a server into `folder`.
///
/// # Errors
/// As [`demo`], and when a file cannot be written.
pub async fn paper(folder: Option<&str>) -> anyhow::Result<()> {
    on_server(async |base, _, _| demo::write_paper(folder, base).await).await
}

/// Writes electronic invoices of such a server into `folder`.
///
/// # Errors
/// As [`paper`].
pub async fn einvoice(folder: Option<&str>) -> anyhow::Result<()> {
    on_server(async |base, _, store| demo::write_einvoices(folder, base, store).await).await
}

/// Runs `work` on a server with temporary data, given its address, its own authorities and its
/// store.
async fn on_server(
    work: impl AsyncFnOnce(&str, &Connected, &dyn Store) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no folder for the demo's data")?;
    let mut settings = Settings::default();
    settings.database.dir = folder.path().to_owned();
    let opened = store::open(&settings).await?;
    let keys = store::keys(&settings, &opened).await?;
    let (listener, address) = serve::listen(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let (stop, stopped) = oneshot::channel::<()>();
    let options = Options::until(async move {
        // Sent, or dropped: the demo has ended either way.
        let _ = stopped.await;
    });
    let authorities = authorities::connect(&settings)?;
    let gateways =
        Gateways { public_url: format!("http://{address}"), ..gateways::connect(&settings)? };
    gateways.cards.listens_at(address);
    let kept = Arc::clone(&opened.store);
    let services = serve::services(opened.store, Arc::clone(&authorities), gateways, keys, RETRY)?;
    let workers = jobs::start(&services, serve::workers(&services, settings.email.limits.limits()));
    let http = Http { request_log: RequestLog::on(), ..Http::of(serve::process()) };
    let server = tokio::spawn(racun_http_api::run(listener, services, http, options));
    let outcome = work(&format!("http://{address}"), &authorities, &*kept).await;
    workers.stopping().stop();
    drop(stop);
    server.await.context("the demo's server panicked")??;
    workers.end().await;
    outcome
}
