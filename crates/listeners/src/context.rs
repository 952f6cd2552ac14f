//! What every port shares: where events go, how many connections there may be, and when it ends.

use std::sync::Arc;

use tidegauge_app::App;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::port::Port;
use crate::settings::Senders;

/// What every port shares.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) app: Arc<App>,
    /// From then on nothing more is read.
    pub(crate) stop: CancellationToken,
    /// From then on what cannot be stored is given up.
    pub(crate) give_up: CancellationToken,
    pub(crate) tasks: TaskTracker,
    /// One permit for each connection of all ports.
    pub(crate) places: Arc<Semaphore>,
}

impl Context {
    pub(crate) fn port(&self, name: &'static str, senders: &Senders) -> Port {
        Port { name, networks: senders.networks.clone(), metrics: self.app.metrics.listeners.clone() }
    }
}
