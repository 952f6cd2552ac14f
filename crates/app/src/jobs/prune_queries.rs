//! Drops kept queries that are old, and those of an organisation beyond its newest ones; and kept answers that are old.

use tidegauge_catalog::Error;

use crate::app::App;

const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

/// A link to an answer is for colleagues and for the weeks after an incident; what is to be kept longer is exported.
const ANSWERS_KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

/// Of each organisation.
const NEWEST: i64 = 1_000;

pub async fn step(app: &App) -> Result<(), Error> {
    app.catalog.prune_saved_queries(app.now().minus_seconds(KEPT_SECONDS), NEWEST).await?;
    app.catalog.prune_frozen_answers(app.now().minus_seconds(ANSWERS_KEPT_SECONDS)).await?;
    Ok(())
}
