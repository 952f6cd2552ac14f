//! The metrics of connections: how many there are, and which the service has ended by itself, by the reason.

use std::sync::atomic::AtomicI64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Why the service ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A newer one has got its place.
    Crowded,
    /// Its first byte did not come in time.
    Silent,
    /// Its client did not read an answer in time.
    Unread,
    /// It could not be encrypted.
    Handshake,
}

impl Cut {
    const ALL: [Self; 4] = [Self::Crowded, Self::Silent, Self::Unread, Self::Handshake];

    fn labels(self) -> ReasonLabels {
        let reason = match self {
            Self::Crowded => "crowded",
            Self::Silent => "silent",
            Self::Unread => "unread",
            Self::Handshake => "handshake",
        };
        ReasonLabels { reason }
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// The metrics, of which each copy is the same.
#[derive(Clone, Debug, Default)]
pub struct ConnectionMetrics {
    open: Gauge<i64, AtomicI64>,
    accepted: Counter,
    cut: Family<ReasonLabels, Counter>,
}

impl ConnectionMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register("connections", "Connections that there are", metrics.open.clone());
        registry.register("connections_accepted", "Connections that were accepted", metrics.accepted.clone());
        registry.register(
            "connections_cut",
            "Connections that the service has ended, by why",
            metrics.cut.clone(),
        );
        // So that each is there from the start, and its first one shows as a rise.
        for cut in Cut::ALL {
            drop(metrics.cut.get_or_create(&cut.labels()));
        }
        metrics
    }

    pub fn connection_accepted(&self) {
        self.accepted.inc();
    }

    pub fn connections_are(&self, count: usize) {
        self.open.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    pub fn connection_cut(&self, cut: Cut) {
        self.cut.get_or_create(&cut.labels()).inc();
    }

    /// How many were ended for a reason.
    pub fn count_of(&self, cut: Cut) -> u64 {
        self.cut.get_or_create(&cut.labels()).get()
    }
}
