//! How dashboards were before: listing the versions that are kept, reading one, and bringing one back, which is a change
//! like every other. A version is seen by who could see the dashboard then: one that is shared by now may have been
//! somebody's own.

use tidegauge_catalog::dashboards::versions::DashboardVersion;
use tidegauge_catalog::dashboards::{Dashboard, Note};

use super::{Basis, Written, change, document, get, note, replaced, sees_all, sees_of};
use crate::app::App;
use crate::service::{Caller, Error, Result};

/// The version of a dashboard that is to come back.
#[derive(Debug)]
pub struct RestoreInput {
    pub basis: Basis,
    pub message: Option<String>,
}

/// The versions of a dashboard that the caller may see, the newest first.
pub async fn list(
    app: &App,
    caller: &Caller,
    uid: &str,
    limit: i64,
    offset: i64,
) -> Result<Vec<DashboardVersion>> {
    let dashboard = get(app, caller, uid).await?;
    if sees_all(caller) {
        return Ok(app.catalog.list_dashboard_versions(caller.org()?, &dashboard.id, limit, offset).await?);
    }
    let kept = app.catalog.dashboard_versions_with_documents(caller.org()?, &dashboard.id).await?;
    let seen = kept.into_iter().filter(|(_, text)| sees_version(caller, text)).map(|(version, _)| version);
    let (limit, offset) = (usize::try_from(limit).unwrap_or(0), usize::try_from(offset).unwrap_or(0));
    Ok(seen.skip(offset).take(limit).collect())
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
    let (version, document) = found.filter(|(_, text)| sees_version(caller, text)).ok_or_else(not_found)?;
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

/// Whether the caller could see the dashboard when this was its document.
fn sees_version(caller: &Caller, text: &str) -> bool {
    document::check_text(text).is_ok_and(|checked| sees_of(caller, checked.owner.as_ref()))
}

fn not_found() -> Error {
    Error::not_found("version of the dashboard")
}
