//! What clients send and is no request, which is no error of the server.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Metadata};
use tracing_subscriber::layer::{Context, Filter};

/// Where actix logs at `error` what it cannot read.
const DISPATCHER: &str = "actix_http::h1::dispatcher";

/// How those lines begin.
const SAID: &str = "stream error: ";

/// Lets all lines of the log pass but those: `http-api` has logged such a connection at `info`.
pub struct NotByClients;

struct Message {
    is_by_client: bool,
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.is_by_client = format!("{value:?}").starts_with(SAID);
        }
    }
}

impl<S> Filter<S> for NotByClients {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    /// A line that [`Filter::event_enabled`] may refuse needs `sometimes`: without a call of
    /// `enabled` before it, `tracing-subscriber` takes the refusal for one of another event. In
    /// builds with debug assertions that ends the thread that serves connections.
    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        match metadata.target() {
            DISPATCHER => Interest::sometimes(),
            _ => Interest::always(),
        }
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        if event.metadata().target() != DISPATCHER {
            return true;
        }
        let mut message = Message { is_by_client: false };
        event.record(&mut message);
        !message.is_by_client
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }
}
