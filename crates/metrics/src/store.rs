//! The metrics of the store: what waits in memory and in the log, how often the log was synced, what merging and deleting
//! have written anew, and how the object cache is used. They are read when somebody asks for them.

use std::sync::atomic::{AtomicI64, Ordering};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tidegauge_store::Store;

#[derive(Debug, Default)]
pub(super) struct StoreMetrics {
    buffered_bytes: Gauge<i64, AtomicI64>,
    wal_bytes: Gauge<i64, AtomicI64>,
    wal_syncs: Counter,
    damaged_wal_parts: Gauge<i64, AtomicI64>,
    rewritten_segments: Counter,
    rewritten_bytes: Counter,
    object_cache_bytes: Gauge<i64, AtomicI64>,
    object_cache_hits: Counter,
    object_cache_misses: Counter,
    object_cache_damaged: Counter,
}

impl StoreMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "buffered_bytes",
            "Bytes of events not in segments",
            metrics.buffered_bytes.clone(),
        );
        registry.register("wal_bytes", "Bytes of the write-ahead log", metrics.wal_bytes.clone());
        registry.register(
            "wal_syncs",
            "Syncs of the write-ahead log, each for all requests that waited",
            metrics.wal_syncs.clone(),
        );
        registry.register(
            "wal_damaged_parts",
            "Parts of the write-ahead log that could not be read at the start",
            metrics.damaged_wal_parts.clone(),
        );
        registry.register(
            "rewritten_segments",
            "Segments that were merged, or written without deleted events",
            metrics.rewritten_segments.clone(),
        );
        registry.register("rewritten_bytes", "Bytes of those segments", metrics.rewritten_bytes.clone());
        metrics.register_object_cache(registry);
        metrics
    }

    fn register_object_cache(&self, registry: &mut Registry) {
        registry.register(
            "object_cache_bytes",
            "Bytes of the disk that cached ranges of objects take",
            self.object_cache_bytes.clone(),
        );
        registry.register(
            "object_cache_hits",
            "Ranges of objects that were read from the cache",
            self.object_cache_hits.clone(),
        );
        registry.register(
            "object_cache_misses",
            "Ranges of objects that were fetched from the object store",
            self.object_cache_misses.clone(),
        );
        registry.register(
            "object_cache_damaged",
            "Cached ranges that were not as they were written and were fetched again",
            self.object_cache_damaged.clone(),
        );
    }

    pub(super) fn note(&self, store: &Store) {
        let stats = store.stats();
        let gauge = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.buffered_bytes.set(gauge(stats.buffered_bytes));
        self.wal_bytes.set(gauge(stats.wal_bytes));
        self.wal_syncs.inner().store(stats.wal_syncs, Ordering::Relaxed);
        self.damaged_wal_parts.set(gauge(store.damage().len() as u64));
        self.rewritten_segments.inner().store(stats.rewritten_segments, Ordering::Relaxed);
        self.rewritten_bytes.inner().store(stats.rewritten_bytes, Ordering::Relaxed);
        let cache = stats.object_cache;
        self.object_cache_bytes.set(gauge(cache.bytes));
        self.object_cache_hits.inner().store(cache.hits, Ordering::Relaxed);
        self.object_cache_misses.inner().store(cache.misses, Ordering::Relaxed);
        self.object_cache_damaged.inner().store(cache.damaged, Ordering::Relaxed);
    }
}
