//! The metrics of messages to notifiers: what the worker of this process has done, and what waits in the outbox of all.

use std::sync::atomic::{AtomicI64, Ordering};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tidegauge_catalog::Catalog;
use tidegauge_model::Timestamp;
use tidegauge_notify::worker::Worker;

#[derive(Debug, Default)]
pub(super) struct OutboxMetrics {
    sent: Counter,
    failed: Counter,
    dead: Counter,
    waiting: Gauge<i64, AtomicI64>,
    dead_letters: Gauge<i64, AtomicI64>,
    oldest_seconds: Gauge<i64, AtomicI64>,
}

impl OutboxMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register("messages_sent", "Messages sent to notifiers", metrics.sent.clone());
        registry.register(
            "message_attempts_failed",
            "Attempts to send a message that failed",
            metrics.failed.clone(),
        );
        registry.register("messages_given_up", "Messages that were given up", metrics.dead.clone());
        registry.register("outbox_waiting", "Messages that wait to be sent", metrics.waiting.clone());
        registry.register(
            "outbox_dead_letters",
            "Messages that were given up and are still kept",
            metrics.dead_letters.clone(),
        );
        registry.register(
            "outbox_oldest_seconds",
            "How long the oldest message in the outbox has waited",
            metrics.oldest_seconds.clone(),
        );
        metrics
    }

    /// Reads the metrics of the outbox. A catalogue that does not answer leaves the last ones standing.
    pub(super) async fn note(&self, worker: &Worker, catalog: &Catalog, now: Timestamp) {
        let (sent, failed, dead) = worker.counts.read();
        self.sent.inner().store(sent, Ordering::Relaxed);
        self.failed.inner().store(failed, Ordering::Relaxed);
        self.dead.inner().store(dead, Ordering::Relaxed);
        let Ok(size) = catalog.outbox_size().await else {
            return;
        };
        let gauge = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.waiting.set(gauge(size.waiting));
        self.dead_letters.set(gauge(size.dead));
        let age = size.oldest.map_or(0, |oldest| now.as_micros().saturating_sub(oldest.as_micros()));
        self.oldest_seconds.set(age.max(0) / 1_000_000);
    }
}
