//! How often each security event happened, as the metric `racun.security.events`.

use std::fmt::Debug;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Meter};
use racun_http_api::{SECURITY_LOG, SecurityEvent};
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// The field of a line of the log that names its event.
const EVENT: &str = "event";

/// Counts the lines of the log that have an event.
pub struct SecurityEvents {
    counter: Counter<u64>,
}

impl SecurityEvents {
    /// Counts on `meter`.
    pub fn new(meter: &Meter) -> Self {
        let counter = meter
            .u64_counter("racun.security.events")
            .with_description("Log-ins, refusals, lockouts, changes of keys and roles")
            .build();
        Self { counter }
    }

    /// Whether lines of `metadata` may have an event.
    pub fn may_count(metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && metadata.target() == SECURITY_LOG
            && metadata.fields().field(EVENT).is_some()
    }
}

/// The event of a line: one that is declared, so that the metric has no more series than those.
struct Found(Option<&'static str>);

impl Visit for Found {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == EVENT {
            let declared = SecurityEvent::ALL.iter().map(|event| event.name());
            self.0 = declared.into_iter().find(|name| *name == value);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

impl<S: Subscriber> Layer<S> for SecurityEvents {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut found = Found(None);
        event.record(&mut found);
        if let Some(name) = found.0 {
            self.counter.add(1, &[KeyValue::new(EVENT, name)]);
        }
    }
}
