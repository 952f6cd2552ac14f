//! Sends by tracing-loki, a layer of `tracing` that pushes to Loki; what arrived is looked up by python/rust.py.

use tokio::runtime::Runtime;
use tracing_subscriber::layer::SubscriberExt;

/// Its channel holds 512 events, and drops those that come while it is full.
const COUNT: usize = 400;

pub fn send(runtime: &Runtime, address: &str, token: &str, dataset: &str) {
    let (layer, controller, task) = tracing_loki::builder()
        .label("job", "shop")
        .and_then(|builder| builder.extra_field("shelf", "top"))
        .and_then(|builder| builder.http_header("Authorization", format!("Bearer {token}")))
        .and_then(|builder| builder.http_header("X-Scope-OrgID", dataset))
        .and_then(|builder| builder.build_controller_url(address.parse().expect("an address")))
        .expect("a layer");
    let task = runtime.spawn(task);
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
        for n in 0..COUNT {
            tracing::warn!(n, "item {n} is out of stock");
        }
    });
    runtime.block_on(async {
        controller.shutdown().await;
        task.await.expect("it sends what it has");
    });
}
