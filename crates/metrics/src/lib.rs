//! The metrics that `/metrics` shows, in the OpenMetrics form that Prometheus reads. They belong to one App, so that two can live in
//! one process.

mod audit_events;
pub mod connections;
mod engine;
pub mod listeners;
mod outbox;
mod shares;
mod store;

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use tidegauge_catalog::Catalog;
use tidegauge_engine::Engine;
use tidegauge_model::Timestamp;
use tidegauge_notify::worker::Worker;

use connections::ConnectionMetrics;
use listeners::ListenerMetrics;

/// From 100 µs to 6.5 s.
const LATENCY_BUCKETS: (f64, f64, u16) = (0.0001, 2.0, 17);

/// From 1 ms to 78 s, in steps that are fine enough to read a lag from.
const LAG_BUCKETS: (f64, f64, u16) = (0.001, 1.3, 44);

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabels {
    method: String,
    /// The route's pattern, never the path itself: the number of series stays bounded.
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct VersionLabels {
    version: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// What is known of queries.
#[derive(Debug)]
struct QueryMetrics {
    outcomes: Family<OutcomeLabels, Counter>,
    seconds: Histogram,
    rows_examined: Counter,
    bytes_read: Counter,
}

impl QueryMetrics {
    fn register(registry: &mut Registry) -> Self {
        let (start, factor, length) = LATENCY_BUCKETS;
        let metrics = Self {
            outcomes: Family::default(),
            seconds: Histogram::new(exponential_buckets(start, factor, length)),
            rows_examined: Counter::default(),
            bytes_read: Counter::default(),
        };
        registry.register("queries", "Queries by how they ended", metrics.outcomes.clone());
        registry.register("query_seconds", "Time that the answers took to compute", metrics.seconds.clone());
        registry.register(
            "query_rows_examined",
            "Events that queries looked at",
            metrics.rows_examined.clone(),
        );
        registry.register(
            "query_bytes_read",
            "Bytes that queries read from files",
            metrics.bytes_read.clone(),
        );
        metrics
    }
}

/// What is known of the runs of monitors.
#[derive(Debug)]
struct MonitorMetrics {
    outcomes: Family<OutcomeLabels, Counter>,
    lag_seconds: Histogram,
}

impl MonitorMetrics {
    fn register(registry: &mut Registry) -> Self {
        let (start, factor, length) = LAG_BUCKETS;
        let metrics = Self {
            outcomes: Family::default(),
            lag_seconds: Histogram::new(exponential_buckets(start, factor, length)),
        };
        registry.register("monitor_runs", "Runs of monitors by how they ended", metrics.outcomes.clone());
        registry.register(
            "monitor_lag_seconds",
            "Time from when a run of a monitor was due to when it was recorded",
            metrics.lag_seconds.clone(),
        );
        metrics
    }
}

/// All counters, gauges and histograms of one App.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RouteLabels, Counter>,
    latency: Family<RouteLabels, Histogram>,
    in_flight: Gauge<i64, AtomicI64>,
    refused: Counter,
    job_failures: Counter,
    ingested_events: Counter,
    ingested_bytes: Counter,
    pub connections: ConnectionMetrics,
    pub listeners: ListenerMetrics,
    queries: QueryMetrics,
    monitors: MonitorMetrics,
    outbox: outbox::OutboxMetrics,
    audit_events: audit_events::AuditEventMetrics,
    engine: engine::EngineMetrics,
    shares: shares::ShareMetrics,
    store: store::StoreMetrics,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("tidegauge");
        let requests = Family::<RouteLabels, Counter>::default();
        let latency = Family::<RouteLabels, Histogram>::new_with_constructor(|| {
            let (start, factor, length) = LATENCY_BUCKETS;
            Histogram::new(exponential_buckets(start, factor, length))
        });
        let in_flight = Gauge::default();
        let refused = Counter::default();
        let job_failures = Counter::default();
        registry.register("http_requests", "Requests answered", requests.clone());
        registry.register(
            "http_request_seconds",
            "Time from the head of a request to its answer",
            latency.clone(),
        );
        registry.register("http_requests_in_flight", "Requests being worked on", in_flight.clone());
        registry.register("http_refused", "Requests refused for who sent them or how many", refused.clone());
        registry.register("job_failures", "Steps of background jobs that failed", job_failures.clone());
        let (ingested_events, ingested_bytes) = (Counter::default(), Counter::default());
        registry.register("ingested_events", "Events stored", ingested_events.clone());
        registry.register("ingested_bytes", "Bytes of bodies with events stored", ingested_bytes.clone());
        let connections = ConnectionMetrics::register(&mut registry);
        let listeners = ListenerMetrics::register(&mut registry);
        let queries = QueryMetrics::register(&mut registry);
        let monitors = MonitorMetrics::register(&mut registry);
        let outbox = outbox::OutboxMetrics::register(&mut registry);
        let audit_events = audit_events::AuditEventMetrics::register(&mut registry);
        let engine = engine::EngineMetrics::register(&mut registry);
        let shares = shares::ShareMetrics::register(&mut registry);
        let store = store::StoreMetrics::register(&mut registry);
        let version = Family::<VersionLabels, Gauge>::default();
        version.get_or_create(&VersionLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        registry.register("build", "The version that runs", version);
        Self {
            registry,
            requests,
            latency,
            in_flight,
            refused,
            job_failures,
            ingested_events,
            ingested_bytes,
            connections,
            listeners,
            queries,
            monitors,
            outbox,
            audit_events,
            engine,
            shares,
            store,
        }
    }
}

impl Metrics {
    pub fn request_begins(&self) {
        self.in_flight.inc();
    }

    pub fn request_ends(&self) {
        self.in_flight.dec();
    }

    pub fn request_answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let labels = RouteLabels { method: method.to_owned(), route: route.to_owned(), status };
        self.requests.get_or_create(&labels).inc();
        self.latency.get_or_create(&labels).observe(took.as_secs_f64());
    }

    pub fn request_refused(&self) {
        self.refused.inc();
    }

    pub fn job_failed(&self) {
        self.job_failures.inc();
    }

    pub fn events_ingested(&self, events: u64, bytes: u64) {
        self.ingested_events.inc_by(events);
        self.ingested_bytes.inc_by(bytes);
    }

    /// Counts a query that has an answer.
    pub fn query_computed(&self, took: Duration, rows_examined: u64, bytes_read: u64) {
        self.queries.seconds.observe(took.as_secs_f64());
        self.queries.rows_examined.inc_by(rows_examined);
        self.queries.bytes_read.inc_by(bytes_read);
    }

    /// Counts a query that has ended, by one of a few words.
    pub fn query_ended(&self, outcome: &'static str) {
        self.queries.outcomes.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts a run of a monitor that was recorded this long after it was due.
    pub fn monitor_ran(&self, is_failed: bool, lag: Duration) {
        let outcome = if is_failed { "failed" } else { "judged" };
        self.monitors.outcomes.get_or_create(&OutcomeLabels { outcome }).inc();
        self.monitors.lag_seconds.observe(lag.as_secs_f64());
    }

    pub fn note_store(&self, store: &tidegauge_store::Store) {
        self.store.note(store);
    }

    /// What requests share beside queries and the store: the memory that bodies with events hold, and how many proofs of
    /// keys are remembered.
    pub fn note_shares(&self, ingest_memory_bytes: usize, proofs: usize) {
        self.shares.note(ingest_memory_bytes, proofs);
    }

    pub fn note_engine(&self, engine: &Engine) {
        self.engine.note(engine);
    }

    /// Reads what the worker has done and what waits in the outbox.
    pub async fn note_outbox(&self, worker: &Worker, catalog: &Catalog, now: Timestamp) {
        self.outbox.note(worker, catalog, now).await;
    }

    pub fn audit_events_stored(&self, events: u64) {
        self.audit_events.stored.inc_by(events);
    }

    /// Reads what of the audit trail waits for its dataset.
    pub async fn note_audit_events(&self, catalog: &Catalog, now: Timestamp) {
        self.audit_events.note(catalog, now).await;
    }

    /// The text that Prometheus scrapes.
    pub fn render(&self) -> String {
        let mut text = String::new();
        match encode(&mut text, &self.registry) {
            Ok(()) => text,
            // Writing to a String does not fail.
            Err(std::fmt::Error) => String::new(),
        }
    }
}
