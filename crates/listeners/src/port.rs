//! What is known of a port besides its socket: its name in the figures, and who may send to it.

use std::net::IpAddr;

use tidegauge_metrics::listeners::{Dropped, ListenerMetrics};

use crate::settings::Networks;

/// A port.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    /// For the figures.
    pub(crate) name: &'static str,
    pub(crate) networks: Networks,
    pub(crate) metrics: ListenerMetrics,
}

impl Port {
    /// Whether an address may send; who may not is counted.
    pub(crate) fn admits(&self, source: IpAddr) -> bool {
        let is_named = self.networks.contains(source);
        if !is_named {
            self.dropped(Dropped::Network, 1);
        }
        is_named
    }

    pub(crate) fn dropped(&self, why: Dropped, count: u64) {
        self.metrics.dropped(self.name, why, count);
    }
}
