//! The metrics of the audit trail's way into datasets.

use std::sync::atomic::AtomicI64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tidegauge_catalog::Catalog;
use tidegauge_model::Timestamp;

#[derive(Debug, Default)]
pub(super) struct AuditEventMetrics {
    pub(super) stored: Counter,
    waiting: Gauge<i64, AtomicI64>,
    lag_seconds: Gauge<i64, AtomicI64>,
}

impl AuditEventMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "audit_events_stored",
            "Entries of audit trails stored as events",
            metrics.stored.clone(),
        );
        registry.register(
            "audit_events_waiting",
            "Entries of audit trails that are not on their way into a dataset",
            metrics.waiting.clone(),
        );
        registry.register(
            "audit_events_lag_seconds",
            "How long the oldest of them has waited",
            metrics.lag_seconds.clone(),
        );
        metrics
    }

    /// Reads what waits. A catalogue that does not answer leaves the last figures standing.
    pub(super) async fn note(&self, catalog: &Catalog, now: Timestamp) {
        let Ok(size) = catalog.feed_size().await else { return };
        self.waiting.set(i64::try_from(size.waiting).unwrap_or(i64::MAX));
        let age = size.oldest.map_or(0, |oldest| now.as_micros().saturating_sub(oldest.as_micros()));
        self.lag_seconds.set(age.max(0) / 1_000_000);
    }
}
