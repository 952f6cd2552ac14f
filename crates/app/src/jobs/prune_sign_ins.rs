//! Drops what nobody can use any more: sessions and links that have ended, and failures that are forgotten.

use tidegauge_admission::lockout::FORGOTTEN_AFTER;
use tidegauge_catalog::Error;

use crate::app::App;
use crate::service::sessions::IDLE;

pub async fn step(app: &App) -> Result<(), Error> {
    let now = app.now();
    app.catalog.prune_sessions(now.minus(IDLE), now).await?;
    app.catalog.prune_links(now).await?;
    app.catalog.prune_attempts(now.minus(FORGOTTEN_AFTER)).await?;
    Ok(())
}
