//! The signals that end the process.

use std::future::Future;

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};

/// Begins to listen for SIGTERM and SIGINT; the answer is done when one has come.
///
/// # Errors
/// When the operating system does not let us.
pub fn requested() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    let deaf = "signals cannot be listened for";
    let mut terminate = signal(SignalKind::terminate()).context(deaf)?;
    let mut interrupt = signal(SignalKind::interrupt()).context(deaf)?;
    Ok(async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        tracing::info!("{name}: finishing what is under way");
    })
}
