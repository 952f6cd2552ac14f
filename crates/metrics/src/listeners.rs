//! The metrics of listeners: what came in by each and was stored, what was dropped and why, and how many connections
//! there are.

use std::sync::atomic::AtomicI64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Why a message or a connection is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// It does not come from a network that may send.
    Network,
    /// There is no room for it now.
    Full,
    /// There are as many connections as there may be.
    Crowded,
    /// Who sends could not prove who they are, or did not go on.
    Handshake,
    /// It cannot be read.
    Broken,
    /// Parts of it did not come.
    Incomplete,
    /// It was read and could not be stored.
    Unstored,
}

impl Dropped {
    fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Full => "full",
            Self::Crowded => "crowded",
            Self::Handshake => "handshake",
            Self::Broken => "broken",
            Self::Incomplete => "incomplete",
            Self::Unstored => "unstored",
        }
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ListenerLabels {
    listener: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct DroppedLabels {
    listener: &'static str,
    reason: &'static str,
}

/// The metrics, of which each copy is the same.
#[derive(Clone, Debug, Default)]
pub struct ListenerMetrics {
    stored: Family<ListenerLabels, Counter>,
    dropped: Family<DroppedLabels, Counter>,
    connections: Family<ListenerLabels, Gauge<i64, AtomicI64>>,
}

impl ListenerMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "listener_messages",
            "Messages that came in by listeners and were stored",
            metrics.stored.clone(),
        );
        registry.register(
            "listener_dropped",
            "Messages and connections that listeners did not take, by why",
            metrics.dropped.clone(),
        );
        registry.register(
            "listener_connections",
            "Connections of listeners that there are",
            metrics.connections.clone(),
        );
        metrics
    }

    pub fn stored(&self, listener: &'static str, messages: u64) {
        self.stored.get_or_create(&ListenerLabels { listener }).inc_by(messages);
    }

    pub fn dropped(&self, listener: &'static str, why: Dropped, count: u64) {
        self.dropped.get_or_create(&DroppedLabels { listener, reason: why.name() }).inc_by(count);
    }

    pub fn connection_begins(&self, listener: &'static str) {
        self.connections.get_or_create(&ListenerLabels { listener }).inc();
    }

    pub fn connection_ends(&self, listener: &'static str) {
        self.connections.get_or_create(&ListenerLabels { listener }).dec();
    }
}
