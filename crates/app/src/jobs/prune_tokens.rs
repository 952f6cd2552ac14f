//! Drops the records of tokens that ended long ago, so that they do not count against what an organisation can have.

use tidegauge_catalog::Error;

use crate::app::App;

/// How long an ended token stays in the lists: long enough to see why something stopped working.
const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

pub async fn step(app: &App) -> Result<(), Error> {
    app.catalog.forget_tokens_ended_before(app.now().minus_seconds(KEPT_SECONDS)).await?;
    Ok(())
}
