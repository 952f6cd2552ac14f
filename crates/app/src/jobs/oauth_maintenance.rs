//! Keeps the embedded authorisation server tidy: the next signing key in time, and no rows that nobody can use.

use crate::app::App;
use crate::service::Error;

/// How long a row outlives its end: long enough to notice a code or token that is used again.
const KEPT_SECONDS: i64 = 24 * 60 * 60;

/// How long a client that registered itself may stay without anybody who uses it.
const UNUSED_SECONDS: i64 = 7 * 24 * 60 * 60;

pub async fn step(app: &App) -> Result<(), Error> {
    if app.embedded.is_on {
        app.embedded.keys.care().await?;
    }
    let now = app.now();
    let ended = now.minus_seconds(KEPT_SECONDS);
    app.catalog.forget_codes_ended_before(ended).await?;
    app.catalog.forget_device_requests_ended_before(ended).await?;
    app.catalog.forget_oauth_grants_ended_before(ended).await?;
    app.catalog.forget_unused_registered_clients(now.minus_seconds(UNUSED_SECONDS)).await?;
    Ok(())
}
