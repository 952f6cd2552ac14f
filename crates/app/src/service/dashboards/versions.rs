//! How dashboards were before: listing the versions that are kept, reading one, and bringing one back, which is a change
//! like every other.

use tidegauge_catalog::dashboards::versions::DashboardVersion;
use tidegauge_catalog::dashboards::{Dashboard, Note};

use super::{Basis, Written, change, document, get, note, replaced};
use crate::app::App;
use crate::service::{Caller, Error, Result};

/// The version of a dashboard that is to come back.
#[derive(Debug)]
pub struct RestoreInput {
    pub basis: Basis,
    pub message: Option<String>,
}

/// The versions of a dashboard, the newest first.
pub async fn list(
    app: &App,
    caller: &Caller,
    uid: &str,
    limit: i64,
    offset: i64,
) -> Result<Vec<DashboardVersion>> {
    let dashboard = get(app, caller, uid).await?;
    Ok(app.catalog.list_dashboard_versions(caller.org()?, &dashboard.id, limit, offset).await?)
}

/// One version of a dashboard, with its document.
pub async fn find(
    app: &App,
    caller: &Caller,
    uid: &str,
    version: &str,
) -> Result<(Dashboard, DashboardVersion, String)> {
    let dashboard = get(app, caller, uid).await?;
    let number = version.parse::<i64>().map_err(|_| not_found())?;
    let found = app.catalog.find_dashboard_version(caller.org()?, &dashboard.id, number).await?;
    let (version, document) = found.ok_or_else(not_found)?;
    Ok((dashboard, version, document))
}

/// Writes the document of an earlier version as the next one.
pub async fn restore(
    app: &App,
    caller: &Caller,
    uid: &str,
    version: &str,
    input: RestoreInput,
) -> Result<Written> {
    let (dashboard, version, text) = find(app, caller, uid, version).await?;
    let note = Note { restored: Some(version.version), ..note(input.message)? };
    let checked = document::check_text(&text)?;
    let edit = |present: &Dashboard| {
        if present.id != dashboard.id {
            return Err(not_found());
        }
        replaced(caller, present, &checked, text)
    };
    change(app, caller, &dashboard.uid, input.basis, note, edit).await
}

fn not_found() -> Error {
    Error::not_found("version of the dashboard")
}
