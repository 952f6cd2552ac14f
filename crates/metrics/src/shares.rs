//! The metrics of what requests of all organisations share beside queries and the store: the memory for bodies with
//! events, and for proofs of keys that were used. They are read when somebody asks for them.

use std::sync::atomic::AtomicI64;

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug, Default)]
pub(super) struct ShareMetrics {
    ingest_memory_bytes: Gauge<i64, AtomicI64>,
    proofs: Gauge<i64, AtomicI64>,
}

impl ShareMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "ingest_memory_bytes",
            "Memory that bodies with events hold while they are read",
            metrics.ingest_memory_bytes.clone(),
        );
        registry.register(
            "oauth_proofs_remembered",
            "Proofs of keys that are remembered as used",
            metrics.proofs.clone(),
        );
        metrics
    }

    pub(super) fn note(&self, ingest_memory_bytes: usize, proofs: usize) {
        let gauge = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.ingest_memory_bytes.set(gauge(ingest_memory_bytes));
        self.proofs.set(gauge(proofs));
    }
}
