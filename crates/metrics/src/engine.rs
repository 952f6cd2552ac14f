//! The metrics of the engine: how many queries run, their memory, what they put on the disk, and whether cached partial
//! aggregates are what would be computed. They are read when somebody asks for them, and once a minute.

use std::sync::atomic::{AtomicI64, Ordering};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tidegauge_engine::Engine;

#[derive(Debug, Default)]
pub(super) struct EngineMetrics {
    held_bytes: Gauge<i64, AtomicI64>,
    cached_bytes: Gauge<i64, AtomicI64>,
    running: Gauge<i64, AtomicI64>,
    waiting: Gauge<i64, AtomicI64>,
    rejected: Counter,
    spill_bytes: Gauge<i64, AtomicI64>,
    spilled_bytes: Counter,
    spill_refused: Counter,
    right: Counter,
    wrong: Counter,
}

impl EngineMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "query_memory_bytes",
            "Memory that running queries hold",
            metrics.held_bytes.clone(),
        );
        registry.register(
            "query_cached_bytes",
            "Memory of the column cache and the partial aggregate cache",
            metrics.cached_bytes.clone(),
        );
        registry.register("queries_running", "Queries that run", metrics.running.clone());
        registry.register("queries_waiting", "Queries in the admission queue", metrics.waiting.clone());
        registry.register(
            "queries_rejected",
            "Queries rejected because the admission queue was full",
            metrics.rejected.clone(),
        );
        registry.register(
            "query_spill_bytes",
            "Bytes that running queries have put on the disk",
            metrics.spill_bytes.clone(),
        );
        registry.register(
            "query_spilled_bytes",
            "Bytes that queries have put on the disk since the start",
            metrics.spilled_bytes.clone(),
        );
        registry.register(
            "query_spill_refused",
            "How often a query found no room there, or could not write",
            metrics.spill_refused.clone(),
        );
        registry.register(
            "partials_right",
            "Checks of cached partial aggregates that found them right",
            metrics.right.clone(),
        );
        registry.register(
            "partials_wrong",
            "Checks of cached partial aggregates that found them wrong",
            metrics.wrong.clone(),
        );
        metrics
    }

    pub(super) fn note(&self, engine: &Engine) {
        let gauge = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (held, cached) = engine.memory_used();
        self.held_bytes.set(gauge(held));
        self.cached_bytes.set(gauge(cached));
        let crowd = engine.crowd();
        self.running.set(gauge(crowd.running));
        self.waiting.set(gauge(crowd.waiting));
        self.rejected.inner().store(crowd.sent_away, Ordering::Relaxed);
        let spilled = engine.spilled();
        self.spill_bytes.set(i64::try_from(spilled.held).unwrap_or(i64::MAX));
        self.spilled_bytes.inner().store(spilled.written, Ordering::Relaxed);
        self.spill_refused.inner().store(spilled.refused, Ordering::Relaxed);
        let checked = engine.groups_checked();
        self.right.inner().store(checked.right, Ordering::Relaxed);
        let before = self.wrong.inner().swap(checked.wrong, Ordering::Relaxed);
        if checked.wrong > before {
            tracing::error!(
                wrong = checked.wrong - before,
                "cached partial aggregates differ from computed ones; they were evicted, please report this"
            );
        }
    }
}
