//! Drops what organisations used on days that are too old to be asked for. The sums of months stay.

use tidegauge_catalog::Error;
use tidegauge_store::usage::day_of;

use crate::app::App;
use crate::service::usage::DAYS_MAX;

pub async fn step(app: &App) -> Result<(), Error> {
    let oldest = app.now().minus_seconds((DAYS_MAX - 1) * 24 * 60 * 60);
    app.catalog.forget_usage_before(&day_of(oldest.as_nanos())).await?;
    Ok(())
}
