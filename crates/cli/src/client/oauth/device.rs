//! Signing in where there is no browser (RFC 8628): a short code is shown, and the server is asked now and then whether
//! somebody has entered it elsewhere.

use std::time::Duration;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::browser::{self, Wanted};
use super::discovery::Found;
use super::http::{Http, Refused, printable};
use super::metadata::{Endpoint, Metadata};
use super::store::Target;
use super::tokens::{self, Tokens};

const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Seconds between two questions, unless the server says another.
const INTERVAL: u64 = 5;

/// Seconds that are added when the server asks for patience.
const SLOWER_BY: u64 = 5;

/// However long a server says that a code counts, nobody waits longer.
const LONGEST_SECONDS: u64 = 3_600;

/// What the server gives to begin with.
#[derive(Deserialize)]
struct Begun {
    device_code: String,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: Option<String>,
    expires_in: u64,
    #[serde(default)]
    interval: Option<u64>,
}

/// What the person needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    pub address: String,
    pub code: String,
    /// The address with the code in it.
    pub complete: Option<String>,
}

/// Whether a server signs in this way and, by what it says, not by a browser on this machine.
pub fn is_the_only_way(metadata: &Metadata) -> bool {
    metadata.device_authorization_endpoint.is_some() && !browser::is_offered(metadata)
}

/// Signs in; `show` tells the person what to do, and `wait` lets some time pass.
pub async fn sign_in(
    http: &Http,
    found: &Found,
    wanted: Wanted<'_>,
    show: impl FnOnce(&Instructions),
    wait: impl AsyncFn(Duration),
) -> anyhow::Result<Tokens> {
    let metadata = &found.metadata;
    let Some(Endpoint(endpoint)) = &metadata.device_authorization_endpoint else {
        bail!("{} does not sign in devices: leave --device out", metadata.issuer);
    };
    let mut form = vec![("client_id", wanted.client_id), ("scope", wanted.scope)];
    form.extend(found.target.as_ref().map(Target::pair));
    let begun: Begun = http.form(endpoint, &form).await.context("the server gave no code")?;
    show(&Instructions {
        address: printable(&begun.verification_uri),
        code: printable(&begun.user_code),
        complete: begun.verification_uri_complete.as_deref().map(printable),
    });
    let mut form = vec![
        ("grant_type", GRANT_TYPE),
        ("device_code", begun.device_code.as_str()),
        ("client_id", wanted.client_id),
    ];
    form.extend(found.target.as_ref().map(Target::pair));
    let mut interval = begun.interval.unwrap_or(INTERVAL).max(1);
    let mut left = begun.expires_in.min(LONGEST_SECONDS);
    loop {
        wait(Duration::from_secs(interval)).await;
        left = left.saturating_sub(interval);
        let error = match tokens::request(http, &metadata.token_endpoint.0, &form).await {
            Ok(tokens) => return Ok(tokens),
            Err(error) => error,
        };
        match error.downcast_ref::<Refused>().map(|refused| refused.error.as_str()) {
            Some("authorization_pending") => {}
            Some("slow_down") => interval += SLOWER_BY,
            Some("access_denied") => bail!("the sign-in was refused in the browser"),
            Some("expired_token") => bail!("the code was not entered in time: try again"),
            Some(_) => return Err(error),
            // The connection may come back; asking more seldom does not make it worse.
            None => interval = interval.saturating_mul(2),
        }
        if left == 0 {
            bail!("the code was not entered in time: try again");
        }
    }
}
