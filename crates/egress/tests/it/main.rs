//! The guard of outgoing messages, against addresses that try to lead somewhere else and receivers that misbehave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod addresses;
mod names;
mod receiver;
mod receivers;

use std::sync::Arc;
use std::time::Duration;

use tidegauge_egress::EgressError;
use tidegauge_egress::resolver::{Resolver, SystemResolver};
use tidegauge_egress::webhook::{WebhookClient, WebhookRequest, WebhookResponse};

/// Far more than any answer takes, also on a machine that stands still for a while.
const TIME_MAX: Duration = Duration::from_secs(600);

/// The rules as they are where an operator has changed nothing, but for the time.
fn strict() -> WebhookClient {
    WebhookClient {
        allowed: Vec::new(),
        allows_plain_http: false,
        connect_time_max: TIME_MAX,
        time_max: TIME_MAX,
        response_bytes_max: 64 * 1024,
        resolver: Arc::new(SystemResolver),
    }
}

/// The rules of an installation whose receivers are on the same machine.
fn local() -> WebhookClient {
    WebhookClient { allowed: vec!["127.0.0.0/8".parse().unwrap()], allows_plain_http: true, ..strict() }
}

fn with_names(client: WebhookClient, resolver: impl Resolver + 'static) -> WebhookClient {
    WebhookClient { resolver: Arc::new(resolver), ..client }
}

async fn send(client: &WebhookClient, url: &str) -> Result<WebhookResponse, EgressError> {
    let headers = [("X-Test".to_owned(), "yes".to_owned())];
    client.send(WebhookRequest { url, headers: &headers, body: r#"{"a": 1}"# }).await
}
