//! Ports for senders that do not speak HTTP: syslog, Fluent forward and GELF, each in a file of its own. A port belongs to
//! an endpoint by setting, so that nobody who sends can name a dataset, and takes what comes from networks that are named.
//! What is read of bytes is left to `protocols`, storing events to `app`.

mod context;
mod fluent;
mod gelf;
mod patient;
mod port;
mod queue;
mod room;
pub mod settings;
mod syslog;
mod tcp;
mod tls;
mod udp;
mod unstored;
mod writer;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_app::App;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use context::Context;
use settings::ListenerSettings;

/// The open ports of a service.
#[derive(Debug)]
pub struct Listeners {
    addresses: Vec<(&'static str, SocketAddr)>,
    context: Context,
}

impl Listeners {
    /// Opens every port of the settings; none unless they name one.
    pub async fn start(app: &Arc<App>, settings: &ListenerSettings) -> anyhow::Result<Self> {
        let context = Context {
            app: Arc::clone(app),
            stop: CancellationToken::new(),
            give_up: CancellationToken::new(),
            tasks: TaskTracker::new(),
            places: Arc::new(Semaphore::new(settings.connections_max)),
        };
        let mut addresses = Vec::new();
        if let Some(syslog) = &settings.syslog {
            addresses.extend(syslog::start(&context, syslog).await?);
        }
        if let Some(gelf) = &settings.gelf {
            addresses.extend(gelf::start(&context, gelf).await?);
        }
        if let Some(fluent) = &settings.fluent {
            addresses.push(fluent::start(&context, fluent).await?);
        }
        Ok(Self { addresses, context })
    }

    /// What is listened for, and where.
    pub fn addresses(&self) -> &[(&'static str, SocketAddr)] {
        &self.addresses
    }

    /// Reads nothing more, stores what was read, and gives up after a while what cannot be stored.
    pub async fn stop(self, grace: Duration) {
        let Context { stop, give_up, tasks, .. } = self.context;
        stop.cancel();
        tasks.close();
        if tokio::time::timeout(grace, tasks.wait()).await.is_err() {
            give_up.cancel();
            tasks.wait().await;
        }
    }
}
