//! The figures of the engine: how many queries run, their memory, and whether kept groups are still what would be computed. They are
//! read when somebody asks for them, and once a minute.

use std::sync::atomic::{AtomicI64, Ordering};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tidegauge_engine::Engine;

#[derive(Debug, Default)]
pub(super) struct EngineMetrics {
    held_bytes: Gauge<i64, AtomicI64>,
    kept_bytes: Gauge<i64, AtomicI64>,
    running: Gauge<i64, AtomicI64>,
    waiting: Gauge<i64, AtomicI64>,
    sent_away: Counter,
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
            "query_kept_bytes",
            "Memory of columns and groups that are kept for later queries",
            metrics.kept_bytes.clone(),
        );
        registry.register("queries_running", "Queries that run", metrics.running.clone());
        registry.register("queries_waiting", "Queries that wait for a place", metrics.waiting.clone());
        registry.register(
            "queries_sent_away",
            "Queries that were told to come back because too many waited",
            metrics.sent_away.clone(),
        );
        registry.register(
            "kept_groups_right",
            "Comparisons of kept groups with computed ones that found them the same",
            metrics.right.clone(),
        );
        registry.register(
            "kept_groups_wrong",
            "Comparisons of kept groups with computed ones that did not",
            metrics.wrong.clone(),
        );
        metrics
    }

    pub(super) fn note(&self, engine: &Engine) {
        let gauge = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (held, kept) = engine.memory_used();
        self.held_bytes.set(gauge(held));
        self.kept_bytes.set(gauge(kept));
        let crowd = engine.crowd();
        self.running.set(gauge(crowd.running));
        self.waiting.set(gauge(crowd.waiting));
        self.sent_away.inner().store(crowd.sent_away, Ordering::Relaxed);
        let checked = engine.groups_checked();
        self.right.inner().store(checked.right, Ordering::Relaxed);
        let before = self.wrong.inner().swap(checked.wrong, Ordering::Relaxed);
        if checked.wrong > before {
            tracing::error!(
                wrong = checked.wrong - before,
                "groups that were kept differ from computed ones; they were dropped, please report this"
            );
        }
    }
}
