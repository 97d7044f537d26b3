//! How long requests take, as the metric that OpenTelemetry's conventions name
//! `http.server.request.duration`.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The span that `http-api` opens for each request.
const REQUEST: &str = "request";

/// Upper bounds in seconds, as the conventions recommend them.
const BOUNDS: [&str; 14] = [
    "0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1", "2.5", "5",
    "7.5", "10",
];

/// Writes down how long a request of these attributes took.
type RecordDuration = dyn Fn(Duration, &[KeyValue]) + Send + Sync;

/// Measures the spans of requests.
pub struct Durations {
    record: Box<RecordDuration>,
}

impl Durations {
    /// Records on `meter`.
    pub fn new(meter: &Meter) -> Self {
        let histogram = meter
            .f64_histogram("http.server.request.duration")
            .with_unit("s")
            .with_description("Duration of HTTP requests")
            .with_boundaries(BOUNDS.iter().filter_map(|bound| bound.parse().ok()).collect())
            .build();
        let record = move |duration: Duration, attributes: &[KeyValue]| {
            histogram.record(duration.as_secs_f64(), attributes);
        };
        Self { record: Box::new(record) }
    }
}

/// What is known of a request that is being served.
struct Request {
    started: Instant,
    attributes: Vec<KeyValue>,
}

impl Visit for Request {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "method" => self.add("http.request.method", value.to_owned()),
            "route" => self.add("http.route", value.to_owned()),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "status"
            && let Ok(status) = i64::try_from(value)
        {
            self.add("http.response.status_code", status);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

impl Request {
    fn add(&mut self, name: &'static str, value: impl Into<opentelemetry::Value>) {
        self.attributes.push(KeyValue::new(name, value));
    }
}

impl<S> Layer<S> for Durations
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id).filter(|span| span.name() == REQUEST) {
            let mut request = Request { started: Instant::now(), attributes: Vec::new() };
            attributes.record(&mut request);
            span.extensions_mut().insert(request);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(request) = span.extensions_mut().get_mut::<Request>()
        {
            values.record(request);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(span) = context.span(&id)
            && let Some(request) = span.extensions().get::<Request>()
        {
            (self.record)(request.started.elapsed(), &request.attributes);
        }
    }
}
