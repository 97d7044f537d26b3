//! Log records on standard error; traces and metrics to an OpenTelemetry collector when one is
//! named in the environment, as `OTEL_EXPORTER_OTLP_ENDPOINT`; and metrics at
//! `/metrics`, when that is served.

mod clients;
mod requests;
mod security;

use std::io::IsTerminal as _;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{MetricExporter, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer};

use self::clients::NotByClients;
use self::security::SecurityEvents;
use crate::settings::{Log, LogFormat, Metrics};

/// Any of these turns the export on. The exporters read them, and their likes, themselves.
const ENDPOINTS: [&str; 3] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/// What is traced and measured is named by this, unless `OTEL_SERVICE_NAME` says otherwise.
const SERVICE: &str = "racun";

/// The end of the process waits so long for a collector: what the server's own end leaves of ten
/// seconds.
const LAST_EXPORT: Duration = Duration::from_millis(800);

/// What has to be ended in order, so that the last spans and metrics arrive.
#[must_use = "the last spans are exported by `finish`"]
pub struct Telemetry {
    export: Option<Export>,
}

struct Export {
    traces: Option<SdkTracerProvider>,
    metrics: SdkMeterProvider,
}

impl Telemetry {
    /// Starts logging; measures when `metrics` are served, and exports when a collector is named.
    ///
    /// # Errors
    /// When the variables of OpenTelemetry cannot be used.
    pub fn start(log: &Log, metrics: &Metrics) -> anyhow::Result<Self> {
        let (is_exported, is_served) = (collector_is_named(), metrics.listen.is_some());
        let export = match is_exported || is_served {
            true => Some(Export::start(is_exported, is_served)?),
            false => None,
        };
        let traces = export.as_ref().and_then(|export| export.traces.as_ref());
        let spans = traces.map(|traces| {
            let tracer = traces.tracer(SERVICE);
            tracing_opentelemetry::layer().with_tracer(tracer).with_filter(filter_fn(is_ours))
        });
        let requests = export.as_ref().map(|export| {
            requests::Durations::new(&export.metrics.meter(SERVICE)).with_filter(filter_fn(is_ours))
        });
        let events = export.as_ref().map(|export| {
            SecurityEvents::new(&export.metrics.meter(SERVICE))
                .with_filter(filter_fn(SecurityEvents::may_count))
        });
        tracing_subscriber::registry()
            .with(spans)
            .with(requests)
            .with(events)
            .with(records(log).with_filter(level(log).and(NotByClients)))
            .try_init()
            .context("logging cannot be started")?;
        Ok(Self { export })
    }

    /// Exports what is left. Waits for a collector, but not for long.
    pub fn finish(self) {
        let Some(Export { traces, metrics }) = self.export else { return };
        let (sender, ended) = mpsc::channel();
        let other = sender.clone();
        // In threads of their own: the one for metrics waits as long as it likes.
        let end_traces = move || traces.map_or(Ok(()), |it| it.shutdown_with_timeout(LAST_EXPORT));
        thread::spawn(move || sender.send(end_traces()));
        thread::spawn(move || other.send(metrics.shutdown_with_timeout(LAST_EXPORT)));
        let deadline = Instant::now() + LAST_EXPORT;
        for _ in 0..2 {
            let left = deadline.saturating_duration_since(Instant::now());
            if !matches!(ended.recv_timeout(left), Ok(Ok(()))) {
                tracing::warn!("the last traces or metrics did not reach the collector");
            }
        }
    }
}

impl Export {
    fn start(is_exported: bool, is_served: bool) -> anyhow::Result<Self> {
        let unusable = "OpenTelemetry's OTEL_… variables cannot be used";
        let mut metrics = SdkMeterProvider::builder().with_resource(resource());
        let mut traces = None;
        if is_exported {
            let exporter = MetricExporter::builder().with_http().build().context(unusable)?;
            metrics = metrics.with_periodic_exporter(exporter);
            let exporter = SpanExporter::builder().with_http().build().context(unusable)?;
            let spans = SdkTracerProvider::builder().with_resource(resource());
            traces = Some(spans.with_batch_exporter(exporter).build());
        }
        if is_served {
            let registry = prometheus::default_registry().clone();
            let reader = opentelemetry_prometheus::exporter().with_registry(registry);
            metrics = metrics.with_reader(reader.build().context("metrics cannot be served")?);
        }
        Ok(Self { traces, metrics: metrics.build() })
    }
}

fn resource() -> Resource {
    let builder = Resource::builder();
    if is_set("OTEL_SERVICE_NAME") { builder } else { builder.with_service_name(SERVICE) }.build()
}

fn collector_is_named() -> bool {
    ENDPOINTS.into_iter().any(is_set) && !is_set("OTEL_SDK_DISABLED")
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "false")
}

/// The exporters' own client makes spans too; exporting those would never end.
fn is_ours(metadata: &tracing::Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target().starts_with("racun")
}

fn records<S>(log: &Log) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span>,
{
    let on_terminal = std::io::stderr().is_terminal();
    let default = if on_terminal { LogFormat::Text } else { LogFormat::Json };
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match log.format.unwrap_or(default) {
        LogFormat::Text => layer.with_ansi(on_terminal).with_target(false).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_span_list(false).boxed(),
    }
}

fn level(log: &Log) -> EnvFilter {
    match &log.level {
        Some(level) => EnvFilter::new(level.as_str()),
        None => EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info")),
    }
}
