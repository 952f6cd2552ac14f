//! Drops kept queries that are old, and those of an organisation beyond its newest ones.

use tidegauge_catalog::Error;

use crate::app::App;

const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

/// Of each organisation.
const NEWEST: i64 = 1_000;

pub async fn step(app: &App) -> Result<(), Error> {
    app.catalog.prune_saved_queries(app.now().minus_seconds(KEPT_SECONDS), NEWEST).await?;
    Ok(())
}
