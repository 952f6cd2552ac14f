//! The HTTP that every command speaks with a server: how a client is set up, and how one request is answered.

use std::time::Duration;

use anyhow::Context;
use reqwest::{Client, ClientBuilder, RequestBuilder, StatusCode, Url};

use super::address::is_loopback;
use super::messages::not_reached;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Characters of an answer that cannot be read, in an error.
const SHOWN_CHARACTERS: usize = 200;

/// A client for a server that answers within a time.
pub(super) fn client(server: &Url, time_max: Duration) -> ClientBuilder {
    let builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(time_max)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("tidegauge/", env!("CARGO_PKG_VERSION")));
    if is_loopback(server) { builder.no_proxy() } else { builder }
}

/// Sends a request and reads the whole answer.
pub(super) async fn answered(request: RequestBuilder) -> anyhow::Result<(StatusCode, Vec<u8>)> {
    let (client, request) = request.build_split();
    let request = request.map_err(reqwest::Error::without_url).context("the request cannot be sent")?;
    let address = request.url().clone();
    let response = client.execute(request).await.map_err(|error| not_reached(&address, error))?;
    let status = response.status();
    let body = response.bytes().await.map_err(|error| not_reached(&address, error))?;
    Ok((status, body.to_vec()))
}

/// The beginning of an answer, for an error.
pub(super) fn shown(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(SHOWN_CHARACTERS).collect()
}
